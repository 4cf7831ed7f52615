/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One impact run, phase by phase. The values of the deck become PETSc options, and each part of the run reads its own.
 * The time stepper is a TS of type impinge_cd with the contact attached; this file gives it the residual and chooses
 * the time step. */
#include "impact.h"

#include <math.h>
#include <petsctime.h>

/* The failure in one sentence, with its time, and the results that show it. */
static PetscErrorCode fail_at(run *r, PetscReal t, const ipg_error *error) {
  char file[IMPACT_PATH_BYTES];
  ipg_error whole = {0};

  PetscFunctionBegin;
  PetscCall(impact_write_failed_state(r, t, file));
  LibraryCall(whole, ipg_fail(&whole, error->status, "at time %g %s%s%s%s", (double)t, error->message,
                              *file ? " (the last step of '" : "", file, *file ? "' shows it)" : ""));
  PetscFunctionReturn(0);
}

/* F = M a - internal forces */
static PetscErrorCode compute_residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  run *r = context;
  const double *masses = ipg_solid_get_masses(r->solid);
  const PetscScalar *u, *a;
  PetscScalar *f;
  ipg_error error = {0};

  PetscFunctionBegin;
  (void)ts, (void)V;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(A, &a));
  PetscCall(VecGetArray(F, &f));
  if (ipg_solid_compute_forces(r->solid, u, f, &error)) PetscCall(fail_at(r, t, &error));
  for (int64_t i = 0; i < 3 * r->mesh.node_count; ++i) f[i] = masses[i / 3] * a[i] - f[i];
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(A, &a));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

/* At the start the end is too far away; later an element has been pressed flat. */
static PetscErrorCode refuse_time_step(run *r, PetscReal t, double step, double max_steps) {
  const ipg_block *block = impact_find_block(r, r->governing_element);
  const ipg_material *m = &r->materials[block - r->mesh.blocks];
  const long long element = (long long)r->governing_element;
  ipg_error error = {0};

  PetscFunctionBegin;
  if (t > 0)
    ipg_fail(
        &error, IPG_ERROR_NUMBER,
        "the critical time step of element %lld of block '%.80s' has fallen so far that the time step is %g: end the "
        "run earlier, refine the mesh there or lower the velocities",
        element, block->name, step);
  if (t > 0) PetscCall(fail_at(r, t, &error));
  LibraryCall(error,
              ipg_fail(&error, IPG_ERROR_NUMBER,
                       "time.end is %g, which would take %g steps of %g, the limit of element %lld of block "
                       "'%.80s' with density %g and Young's modulus %g; a run may have %g at most: end earlier, or "
                       "correct the material",
                       (double)r->end_time, (double)r->end_time / step, step, element, block->name, m->density,
                       m->young, max_steps));
  PetscFunctionReturn(0);
}

/* The critical time step of elements and contact together. */
static PetscErrorCode compute_critical_time_step(run *r, const double *u, double *step) {
  ipg_contact_enforcement enforcement;

  PetscFunctionBegin;
  PetscCall(IpgContactGetEnforcement(r->contact, &enforcement));
  *step = enforcement == IPG_ENFORCEMENT_PENALTY
              ? ipg_solid_compute_assembled_time_step(r->solid, u, r->contact_rates, &r->governing_element)
              : ipg_solid_compute_critical_time_step(r->solid, u, &r->governing_element);
  PetscFunctionReturn(0);
}

/* Divides the time that is left into equal steps, none above time_safety times the critical time step. */
static PetscErrorCode choose_time_step(TS ts) {
  static const double max_steps = PETSC_MAX_INT < 1e12 ? PETSC_MAX_INT : 1e12;
  run *r;
  PetscReal t;
  double critical = 0;
  const PetscScalar *u;

  PetscFunctionBegin;
  PetscCall(TSGetApplicationContext(ts, &r));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(VecGetArrayRead(r->u, &u));
  PetscCall(compute_critical_time_step(r, u, &critical));
  PetscCall(VecRestoreArrayRead(r->u, &u));
  const double step_limit = r->time_safety * critical;
  if (!(step_limit > r->end_time / max_steps)) PetscCall(refuse_time_step(r, t, step_limit, max_steps));
  PetscCall(TSSetTimeStep(ts, (r->end_time - t) / ceil((r->end_time - t) / step_limit)));
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

static PetscErrorCode create_vectors(run *r) {
  PetscFunctionBegin;
  PetscCheck(r->mesh.node_count <= PETSC_MAX_INT / 3, PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "%lld nodes are too many for PETSc's 32-bit integers: use a PETSc configured with 64-bit indices",
             (long long)r->mesh.node_count);
  PetscCall(VecCreate(PETSC_COMM_SELF, &r->u));
  PetscCall(VecSetSizes(r->u, (PetscInt)(3 * r->mesh.node_count), PETSC_DECIDE));
  PetscCall(VecSetBlockSize(r->u, 3));
  PetscCall(VecSetType(r->u, VECSEQ));
  PetscCall(VecDuplicate(r->u, &r->v));
  PetscCall(VecDuplicate(r->u, &r->contact_force));
  PetscCall(VecZeroEntries(r->u));
  PetscCall(impact_set_initial_velocities(r));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_contact(run *r) {
  PetscFunctionBegin;
  PetscCall(IpgContactCreate(PETSC_COMM_SELF, &r->contact));
  PetscCall(IpgContactSetTasks(r->contact, &r->tasks));
  PetscCall(IpgContactSetLog(r->contact, r->log));
  PetscCall(IpgContactSetFromOptions(r->contact));
  PetscCall(impact_set_thicknesses(r));
  PetscCall(impact_set_reference_velocities(r));
  PetscCall(IpgContactSetModuli(r->contact, r->mesh.block_count, r->moduli));
  PetscCall(IpgContactSetMesh(r->contact, &r->mesh, ipg_solid_get_masses(r->solid)));
  PetscFunctionReturn(0);
}

/* With contact.initial_penetration: remove. The new positions are free of stress, and the elements and the contact are
 * created again from them. */
static PetscErrorCode remove_initial_penetration(run *r) {
  PetscInt moved;
  PetscReal farthest;

  PetscFunctionBegin;
  PetscCall(IpgContactRemoveInitialPenetration(r->contact, r->mesh.x, &moved, &farthest));
  if (!moved) PetscFunctionReturn(0);
  for (int64_t e = 0; e < r->mesh.element_count; ++e)
    PetscCheck(ipg_tet_volume(r->mesh.x, r->mesh.tets + 4 * e) > 0, PETSC_COMM_WORLD, PETSC_ERR_USER,
               "removing initial penetration would turn element %lld inside out: move the bodies apart in the mesh",
               (long long)r->mesh.element_gids[e]);
  fprintf(r->log, "initial penetrations removed: %lld nodes moved, by up to %g\n", (long long)moved, (double)farthest);
  ipg_solid_destroy(&r->solid);
  PetscCall(PetscFree(r->materials));
  PetscCall(PetscFree(r->moduli));
  PetscCall(impact_create_solid(r));
  PetscCall(IpgContactSetMesh(r->contact, &r->mesh, ipg_solid_get_masses(r->solid)));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_time_stepper(run *r) {
  PetscBool match;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_SELF, &r->ts));
  PetscCall(TSSetType(r->ts, TSIMPINGECD));
  PetscCall(TS2SetSolution(r->ts, r->u, r->v));
  PetscCall(TSSetI2Function(r->ts, NULL, compute_residual, r));
  PetscCall(TSSetApplicationContext(r->ts, r));
  PetscCall(TSSetFromOptions(r->ts)); /* before what follows, which no option may change */
  PetscCall(TSSetTime(r->ts, 0));
  PetscCall(TSSetMaxTime(r->ts, r->end_time * (1 - 1e-9))); /* the last step ends there but for rounding */
  PetscCall(TSSetMaxSteps(r->ts, PETSC_MAX_INT));
  PetscCall(TSSetExactFinalTime(r->ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetPreStep(r->ts, choose_time_step));
  PetscCall(TSMonitorSet(r->ts, impact_monitor_step, r, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)r->ts, TSIMPINGECD, &match));
  PetscCheck(match, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "a run needs -ts_type impinge_cd: no other time stepper includes contact");
  PetscCall(IpgContactAttach(r->contact, r->ts));
  PetscFunctionReturn(0);
}

/* Every error of the first step appears here. The results of an earlier run are replaced with the first result step. */
static PetscErrorCode prepare_first_step(run *r) {
  PetscFunctionBegin;
  PetscCall(IpgContactSetPositions(r->contact, 0, r->u));
  PetscCall(IpgContactResolveInitialPenetration(r->contact));
  PetscCall(PetscCalloc1(r->mesh.node_count, &r->contact_rates));
  PetscCall(IpgContactAddNodeRates(r->contact, r->contact_rates));
  PetscCall(choose_time_step(r->ts)); /* for the first status line */
  PetscFunctionReturn(0);
}

static PetscErrorCode run_time_stepper(run *r) {
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PetscTime(&r->start_clock));
  PetscCall(TSSolve(r->ts, NULL));
  PetscCall(TSGetConvergedReason(r->ts, &reason));
  PetscCheck(reason == TS_CONVERGED_TIME, PETSC_COMM_WORLD, PETSC_ERR_USER, "the run stopped early: %s",
             TSConvergedReasons[reason]);
  PetscFunctionReturn(0);
}

static PetscErrorCode run_phases(run *r) {
  PetscFunctionBegin;
  PetscCall(impact_keep_options(r));
  PetscCall(impact_insert_deck_options(r));
  PetscCall(impact_read_options(r));
  PetscCall(impact_check_contact_options(r));
  PetscCall(start_threads(r));
  PetscCall(impact_read_meshes(r));
  PetscCall(impact_refuse_unknown_blocks(r));
  PetscCall(impact_create_solid(r));
  PetscCall(create_contact(r));
  PetscCall(remove_initial_penetration(r));
  PetscCall(create_vectors(r));
  PetscCall(create_time_stepper(r));
  PetscCall(impact_refuse_unread_options());
  PetscCall(impact_claim_results(r));
  PetscCall(prepare_first_step(r));
  PetscCall(impact_print_header(r));
  PetscCall(impact_open_results(r));
  PetscCall(run_time_stepper(r));
  PetscCall(PetscObjectViewFromOptions((PetscObject)r->contact, NULL, "-contact_view"));
  PetscCall(impact_fill_summary(r));
  PetscCall(impact_print_summary(r));
  PetscCheck(!r->output || ipg_output_is_in_place(r->output), PETSC_COMM_WORLD, PETSC_ERR_FILE_WRITE,
             "'%s' was removed, moved or replaced while the run wrote it: run again", ipg_output_get_name(r->output));
  PetscFunctionReturn(0);
}

/* In the reverse order of creation; what was not created is zero. */
static PetscErrorCode destroy_run(run *r) {
  ipg_error error = {0};

  PetscFunctionBegin;
  for (int f = 0; f < IMPACT_NODAL_FIELDS; ++f) PetscCall(PetscFree(r->nodal_fields[f]));
  PetscCall(TSDestroy(&r->ts));
  PetscCall(IpgContactDestroy(&r->contact));
  PetscCall(VecDestroy(&r->contact_force));
  PetscCall(VecDestroy(&r->v));
  PetscCall(VecDestroy(&r->u));
  PetscCall(PetscFree(r->contact_rates));
  PetscCall(PetscFree(r->moduli));
  PetscCall(PetscFree(r->materials));
  ipg_solid_destroy(&r->solid);
  ipg_mesh_destroy(&r->mesh);
  ipg_pool_destroy(&r->pool);
  PetscCall(impact_remove_deck_options(r));
  PetscCall(PetscFree(r->options));
  const ipg_status closed = ipg_results_destroy(&r->results, &error);
  ipg_output_destroy(&r->output);
  LibraryCall(error, closed);
  PetscFunctionReturn(0);
}

/* PETSc reports an error at each level of the call stack; only the first report has the message for the user. */
static PetscErrorCode keep_first_message(MPI_Comm comm, int line, const char *function, const char *file,
                                         PetscErrorCode code, PetscErrorType type, const char *message, void *context) {
  ipg_error *error = context;
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL)
    ipg_fail(error, IPG_ERROR_ARGUMENT, "%s", message ? message : "PETSc gave no reason");
  return code;
}

ipg_status ipg_impact_run(const ipg_deck *deck, FILE *log, ipg_impact_summary *summary, ipg_error *error) {
  ipg_error first = {0};
  run r = {.log = log, .deck = deck, .summary = summary};
  PetscBool started = PETSC_FALSE;
  (void)PetscInitialized(&started);
  if (!started) return ipg_fail(error, IPG_ERROR_ARGUMENT, "PETSc is not running: call ipg_solver_start before a run");
  (void)PetscPushErrorHandler(keep_first_message, &first);
  PetscErrorCode failed = run_phases(&r);
  if (!failed) failed = destroy_run(&r);
  else (void)destroy_run(&r);
  (void)PetscPopErrorHandler();
  if (failed) return ipg_fail(error, first.status ? first.status : IPG_ERROR_BROKEN, "%s", first.message);
  return IPG_OK;
}
