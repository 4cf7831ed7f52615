/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One impact run, phase by phase. The deck's values become PETSc options (those on the command line go before them),
 * and every part reads its own. The time stepper is PETSc's TS of type impinge_cd with the contact attached; here is
 * only what it needs of physics, and the choice of step. */
#include "impact.h"

#include <math.h>
#include <petsctime.h>

/* F = M a - internal forces */
static PetscErrorCode residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  run *r = context;
  const double *masses = ipg_solid_masses(r->solid);
  const PetscScalar *u, *a;
  PetscScalar *f;
  ipg_error error = {0};

  PetscFunctionBegin;
  (void)ts, (void)t, (void)V;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(A, &a));
  PetscCall(VecGetArray(F, &f));
  LibraryCall(error, ipg_solid_forces(r->solid, u, f, &error));
  for (int64_t i = 0; i < 3 * r->mesh.node_count; ++i) f[i] = masses[i / 3] * a[i] - f[i];
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(A, &a));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

/* The rest of the run in equal steps, none above the stable one. */
static PetscErrorCode choose_step(TS ts) {
  static const double most_steps = PETSC_MAX_INT < 1e12 ? PETSC_MAX_INT : 1e12;
  run *r;
  PetscReal t;
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &r));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(VecGetArrayRead(r->u, &u));
  const double stable = r->safety * ipg_solid_stable_step(r->solid, u, &r->governing);
  PetscCall(VecRestoreArrayRead(r->u, &u));
  PetscCheck(t > 0 || stable > r->end / most_steps, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "time.end is %g, which would take %g steps of %g; a run may have %g at most: end earlier", (double)r->end,
             (double)r->end / stable, stable, most_steps);
  PetscCheck(stable > r->end / most_steps, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "the stable step of element %lld has fallen to %g: the run would not end", (long long)r->governing,
             stable);
  PetscCall(TSSetTimeStep(ts, (r->end - t) / ceil((r->end - t) / stable)));
  PetscFunctionReturn(0);
}

static PetscErrorCode start_threads(run *r) {
  ipg_error error = {0};

  PetscFunctionBegin;
  r->tasks = ipg_tasks_serial();
  if (r->threads == 1) PetscFunctionReturn(0);
  LibraryCall(error, ipg_pool_create((int)r->threads, &r->pool, &error));
  r->tasks = ipg_pool_tasks(r->pool);
  PetscFunctionReturn(0);
}

static PetscErrorCode make_vectors(run *r) {
  PetscFunctionBegin;
  PetscCheck(r->mesh.node_count <= PETSC_MAX_INT / 3, PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "%lld nodes are too many for PETSc's integers: take its 64-bit build", (long long)r->mesh.node_count);
  PetscCall(VecCreate(PETSC_COMM_SELF, &r->u));
  PetscCall(VecSetSizes(r->u, (PetscInt)(3 * r->mesh.node_count), PETSC_DECIDE));
  PetscCall(VecSetBlockSize(r->u, 3));
  PetscCall(VecSetType(r->u, VECSEQ));
  PetscCall(VecDuplicate(r->u, &r->v));
  PetscCall(VecDuplicate(r->u, &r->contact_force));
  PetscCall(VecZeroEntries(r->u));
  PetscCall(impact_set_velocities(r));
  PetscFunctionReturn(0);
}

static PetscErrorCode make_contact(run *r) {
  PetscFunctionBegin;
  PetscCall(IpgContactCreate(PETSC_COMM_SELF, &r->contact));
  PetscCall(IpgContactSetTasks(r->contact, &r->tasks));
  PetscCall(IpgContactSetLog(r->contact, r->log));
  PetscCall(IpgContactSetFromOptions(r->contact));
  PetscCall(impact_set_thicknesses(r));
  PetscCall(IpgContactSetModuli(r->contact, r->mesh.block_count, r->moduli));
  PetscCall(IpgContactSetMesh(r->contact, &r->mesh, ipg_solid_masses(r->solid)));
  PetscFunctionReturn(0);
}

/* Bodies that overlap are parted first, if that is asked for: their new places are free of stress, and all that depends
 * on places is made anew. */
static PetscErrorCode part_bodies(run *r) {
  PetscInt moved;
  PetscReal farthest;

  PetscFunctionBegin;
  PetscCall(IpgContactRemoveInitialPenetration(r->contact, r->mesh.x, &moved, &farthest));
  if (!moved) PetscFunctionReturn(0);
  for (int64_t e = 0; e < r->mesh.element_count; ++e)
    PetscCheck(ipg_tet_volume(r->mesh.x, r->mesh.tets + 4 * e) > 0, PETSC_COMM_WORLD, PETSC_ERR_USER,
               "removing overlaps would turn element %lld inside out: move the bodies apart in the mesh",
               (long long)r->mesh.element_gids[e]);
  fprintf(r->log, "overlaps removed: %lld nodes moved, by up to %g\n", (long long)moved, (double)farthest);
  ipg_solid_destroy(&r->solid);
  PetscCall(PetscFree(r->moduli));
  PetscCall(impact_make_solid(r));
  PetscCall(IpgContactSetMesh(r->contact, &r->mesh, ipg_solid_masses(r->solid)));
  PetscFunctionReturn(0);
}

static PetscErrorCode make_stepper(run *r) {
  PetscBool match;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_SELF, &r->ts));
  PetscCall(TSSetType(r->ts, TSIMPINGECD));
  PetscCall(TS2SetSolution(r->ts, r->u, r->v));
  PetscCall(TSSetI2Function(r->ts, NULL, residual, r));
  PetscCall(TSSetApplicationContext(r->ts, r));
  PetscCall(TSSetFromOptions(r->ts)); /* what follows is the run's own and no option's */
  PetscCall(TSSetTime(r->ts, 0));
  PetscCall(TSSetMaxTime(r->ts, r->end * (1 - 1e-9))); /* the last step lands on the end but for rounding */
  PetscCall(TSSetMaxSteps(r->ts, PETSC_MAX_INT));
  PetscCall(TSSetExactFinalTime(r->ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetPreStep(r->ts, choose_step));
  PetscCall(TSMonitorSet(r->ts, impact_monitor, r, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)r->ts, TSIMPINGECD, &match));
  PetscCheck(match, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "a run needs -ts_type impinge_cd: no other stepper knows contact");
  PetscCall(IpgContactAttach(r->contact, r->ts));
  PetscFunctionReturn(0);
}

/* All that can be wrong with the first step, while the results of an earlier run still stand. */
static PetscErrorCode prepare_first_step(run *r) {
  PetscFunctionBegin;
  PetscCall(IpgContactSetPositions(r->contact, r->u));
  PetscCall(IpgContactResolveInitialPenetration(r->contact));
  PetscCall(choose_step(r->ts)); /* so that the first status line tells it */
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(run *r) {
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PetscTime(&r->started));
  PetscCall(TSSolve(r->ts, NULL));
  PetscCall(TSGetConvergedReason(r->ts, &reason));
  PetscCheck(reason == TS_CONVERGED_TIME, PETSC_COMM_WORLD, PETSC_ERR_USER, "the run stopped early: %s",
             TSConvergedReasons[reason]);
  PetscFunctionReturn(0);
}

static PetscErrorCode run_phases(run *r, const ipg_deck *deck) {
  PetscFunctionBegin;
  PetscCall(impact_insert_deck(deck));
  PetscCall(impact_read_options(r));
  PetscCall(start_threads(r));
  PetscCall(impact_read_meshes(r));
  PetscCall(impact_refuse_unknown_blocks(r, deck));
  PetscCall(impact_make_solid(r));
  PetscCall(make_contact(r));
  PetscCall(part_bodies(r));
  PetscCall(make_vectors(r));
  PetscCall(make_stepper(r));
  PetscCall(impact_refuse_unread_options());
  PetscCall(prepare_first_step(r));
  PetscCall(impact_announce(r));
  PetscCall(impact_open_results(r));
  PetscCall(solve(r));
  PetscCall(impact_summarise(r));
  PetscCall(impact_print_summary(r));
  PetscFunctionReturn(0);
}

/* In the reverse order of making; what was not made is zero. */
static PetscErrorCode clear(run *r) {
  ipg_error error = {0};

  PetscFunctionBegin;
  for (int f = 0; f < IMPACT_NODAL_FIELDS; ++f) PetscCall(PetscFree(r->fields[f]));
  PetscCall(TSDestroy(&r->ts));
  PetscCall(IpgContactDestroy(&r->contact));
  PetscCall(VecDestroy(&r->contact_force));
  PetscCall(VecDestroy(&r->v));
  PetscCall(VecDestroy(&r->u));
  PetscCall(PetscFree(r->moduli));
  ipg_solid_destroy(&r->solid);
  ipg_mesh_destroy(&r->mesh);
  ipg_pool_destroy(&r->pool);
  LibraryCall(error, ipg_results_destroy(&r->results, &error));
  PetscFunctionReturn(0);
}

/* PETSc reports an error to every level of the call stack; the user wants the first sentence. */
static PetscErrorCode keep_first_message(MPI_Comm comm, int line, const char *function, const char *file,
                                         PetscErrorCode code, PetscErrorType type, const char *message, void *context) {
  ipg_error *error = context;
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL)
    ipg_fail(error, IPG_ERROR_ARGUMENT, "%s", message ? message : "PETSc gave no reason");
  return code;
}

static ipg_status start_petsc(int argc, char **argv, ipg_error *error) {
  (void)PetscOptionsSetValue(NULL, "-no_signal_handler", "1"); /* a crash or Ctrl-C is ours to report */
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return ipg_fail(error, IPG_ERROR_SYSTEM, "PETSc could not be started");
  (void)PetscOptionsHasName(NULL, NULL, "-no_signal_handler", NULL);
  return IPG_OK;
}

ipg_status ipg_impact_run(int argc, char **argv, const ipg_deck *deck, FILE *log, ipg_impact_summary *summary,
                          ipg_error *error) {
  ipg_error mine = {0};
  run r = {.log = log, .summary = summary};
  const ipg_status status = start_petsc(argc, argv, error);
  if (status) return status;
  (void)PetscPushErrorHandler(keep_first_message, &mine);
  PetscErrorCode failed = run_phases(&r, deck);
  if (!failed) failed = clear(&r);
  else (void)clear(&r);
  (void)PetscPopErrorHandler();
  (void)PetscFinalize();
  if (failed) return ipg_fail(error, mine.status ? mine.status : IPG_ERROR_BROKEN, "%s", mine.message);
  return IPG_OK;
}
