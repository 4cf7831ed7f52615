/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The PETSc room: the time stepper against closed forms, rollback, the contact class through vectors. */
#include "impinge/petsc.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

/* A failed PETSc call fails the test. */
#define OK(call) CU_ASSERT_FATAL((call) == 0)

/* ----------------------------------------------------------------------------------------------------- time stepper */

/* m a + k u = 0 for two oscillators with m = 2, 3 and k = 8, 3: omega = 2 and 1. */
static PetscErrorCode compute_oscillator_residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  const PetscScalar *u, *a;
  PetscScalar *f;
  (void)ts, (void)t, (void)V, (void)context;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(A, &a));
  PetscCall(VecGetArray(F, &f));
  f[0] = 2 * a[0] + 8 * u[0];
  f[1] = 3 * a[1] + 3 * u[1];
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(A, &a));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

static TS make_oscillators(Vec *u, Vec *v, PetscReal dt) {
  TS ts;
  OK(IpgInitializePackage());
  OK(VecCreateSeq(PETSC_COMM_SELF, 2, u));
  OK(VecDuplicate(*u, v));
  OK(VecSet(*u, 1));
  OK(VecSet(*v, 0));
  OK(TSCreate(PETSC_COMM_SELF, &ts));
  OK(TSSetType(ts, TSIMPINGECD));
  OK(TSSetI2Function(ts, NULL, compute_oscillator_residual, NULL));
  OK(TS2SetSolution(ts, *u, *v));
  OK(TSSetTimeStep(ts, dt));
  OK(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  return ts;
}

static void destroy_oscillators(TS *ts, Vec *u, Vec *v) {
  OK(TSDestroy(ts));
  OK(VecDestroy(u));
  OK(VecDestroy(v));
}

static double solve_for_error(PetscReal dt, PetscReal end) {
  Vec u, v;
  const PetscScalar *x;
  TS ts = make_oscillators(&u, &v, dt);
  OK(TSSetMaxTime(ts, end));
  OK(TSSolve(ts, NULL));
  OK(VecGetArrayRead(u, &x));
  const double error = fmax(fabs(x[0] - cos(2 * end)), fabs(x[1] - cos(end)));
  OK(VecRestoreArrayRead(u, &x));
  destroy_oscillators(&ts, &u, &v);
  return error;
}

static void test_second_order(void) {
  const double coarse = solve_for_error(.02, 3), fine = solve_for_error(.01, 3);
  CU_ASSERT(fine < 1e-3);
  suite_gate("`impinge_cd` against two oscillators: factor of the error when the step is halved, less 4",
             coarse / fine - 4, .2);
}

/* The oscillator of omega 1 crosses zero at pi/2: the rollback of the event must return to that time. */
static PetscErrorCode find_zero_crossing(TS ts, PetscReal t, Vec U, PetscScalar *value, void *context) {
  const PetscScalar *u;
  (void)ts, (void)t, (void)context;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  *value = u[1];
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

static PetscErrorCode keep_event_time(TS ts, PetscInt n, PetscInt *which, PetscReal t, Vec U, PetscBool forward,
                                      void *context) {
  (void)ts, (void)n, (void)which, (void)U, (void)forward;
  PetscFunctionBegin;
  *(PetscReal *)context = t;
  PetscFunctionReturn(0);
}

static void test_event_and_rollback(void) {
  Vec u, v;
  PetscReal event_time = 0;
  PetscInt direction = -1;
  PetscBool stop = PETSC_TRUE;
  TS ts = make_oscillators(&u, &v, .05);
  OK(TSSetMaxTime(ts, 3));
  OK(TSSetEventHandler(ts, 1, &direction, &stop, find_zero_crossing, keep_event_time, &event_time));
  OK(TSSetEventTolerances(ts, 1e-9, NULL));
  OK(TSSolve(ts, NULL));
  CU_ASSERT_DOUBLE_EQUAL(event_time, M_PI / 2, 2e-3); /* the step's own error; the event itself is exact to 1e-9 */
  destroy_oscillators(&ts, &u, &v);
}

/* A step that was taken back and is made again has the same bits. */
static void test_step_after_rollback(void) {
  Vec u, v, first_u, first_v;
  PetscBool same;
  TS ts = make_oscillators(&u, &v, .1);
  OK(VecSet(v, .3));
  OK(VecDuplicate(u, &first_u));
  OK(VecDuplicate(v, &first_v));
  OK(TSSetMaxTime(ts, 10));
  OK(TSSetUp(ts));
  OK(TSStep(ts));
  OK(TSStep(ts));
  OK(VecCopy(u, first_u));
  OK(VecCopy(v, first_v));
  OK(TSRollBack(ts));
  OK(TSStep(ts));
  OK(VecEqual(u, first_u, &same));
  CU_ASSERT(same);
  OK(VecEqual(v, first_v, &same));
  CU_ASSERT(same);
  OK(VecDestroy(&first_u));
  OK(VecDestroy(&first_v));
  destroy_oscillators(&ts, &u, &v);
}

/* At the event the host code starts both oscillators anew, at 2 and at rest. */
static PetscErrorCode start_anew(TS ts, PetscInt n, PetscInt *which, PetscReal t, Vec U, PetscBool forward,
                                 void *context) {
  Vec v;
  (void)n, (void)which, (void)forward;
  PetscFunctionBegin;
  *(PetscReal *)context = t;
  PetscCall(VecSet(U, 2));
  PetscCall(TS2GetSolution(ts, NULL, &v));
  PetscCall(VecSet(v, 0));
  PetscFunctionReturn(0);
}

static void test_state_changed_at_an_event(void) {
  Vec u, v;
  PetscReal event_time = 0, t;
  PetscInt direction = -1;
  PetscBool stop = PETSC_FALSE;
  const PetscScalar *x;
  TS ts = make_oscillators(&u, &v, .01);
  OK(TSSetMaxTime(ts, 2));
  OK(TSSetEventHandler(ts, 1, &direction, &stop, find_zero_crossing, start_anew, &event_time));
  OK(TSSetEventTolerances(ts, 1e-9, NULL));
  OK(TSSolve(ts, NULL));
  OK(TSGetTime(ts, &t));
  OK(VecGetArrayRead(u, &x));
  CU_ASSERT(event_time > 1.5 && t - event_time > .3);
  CU_ASSERT_DOUBLE_EQUAL(x[0], 2 * cos(2 * (t - event_time)), 2e-4);
  CU_ASSERT_DOUBLE_EQUAL(x[1], 2 * cos(t - event_time), 2e-4);
  OK(VecRestoreArrayRead(u, &x));
  destroy_oscillators(&ts, &u, &v);
}

static PetscErrorCode is_early(TS ts, PetscReal t, Vec U, PetscBool *inside) {
  (void)ts, (void)U;
  PetscFunctionBegin;
  *inside = (PetscBool)(t < .45);
  PetscFunctionReturn(0);
}

/* The run ends with the last state that the host code allows. */
static void test_state_that_the_host_refuses(void) {
  Vec u, v;
  TSConvergedReason reason;
  PetscReal t;
  const PetscScalar *x;
  TS ts = make_oscillators(&u, &v, .1);
  OK(TSSetMaxTime(ts, 1));
  OK(TSSetFunctionDomainError(ts, is_early));
  OK(TSSetErrorIfStepFails(ts, PETSC_FALSE));
  OK(TSSolve(ts, NULL));
  OK(TSGetConvergedReason(ts, &reason));
  OK(TSGetTime(ts, &t));
  OK(VecGetArrayRead(u, &x));
  CU_ASSERT_EQUAL(reason, TS_DIVERGED_STEP_REJECTED);
  CU_ASSERT_DOUBLE_EQUAL(t, .4, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(x[1], cos(.4), 1e-3);
  OK(VecRestoreArrayRead(u, &x));
  destroy_oscillators(&ts, &u, &v);
}

static void test_interpolates_and_views(void) {
  Vec u, v, between, start;
  PetscReal t, distance;
  char text[512] = "";
  PetscViewer viewer;
  TS ts = make_oscillators(&u, &v, .1);
  OK(VecDuplicate(u, &between));
  OK(VecDuplicate(u, &start));
  OK(TSSetMaxTime(ts, 10));
  OK(TSSetUp(ts));
  OK(TSStep(ts));
  OK(VecCopy(u, start));
  OK(TSStep(ts));
  OK(TSGetTime(ts, &t));
  OK(TSInterpolate(ts, t - .1, between));
  OK(VecAXPY(between, -1, start));
  OK(VecNorm(between, NORM_2, &distance));
  CU_ASSERT(distance < 1e-14);
  OK(PetscViewerStringOpen(PETSC_COMM_SELF, text, sizeof text, &viewer));
  OK(TSView(ts, viewer));
  OK(PetscViewerDestroy(&viewer));
  OK(VecDestroy(&between));
  OK(VecDestroy(&start));
  destroy_oscillators(&ts, &u, &v);
}

static char last_message[512];
static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                   PetscErrorType type, const char *message, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (type == PETSC_ERROR_INITIAL) snprintf(last_message, sizeof last_message, "%s", message);
  return code;
}

static PetscErrorCode compute_massless_residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  (void)ts, (void)t, (void)V, (void)A, (void)context;
  PetscFunctionBegin;
  PetscCall(VecCopy(U, F));
  PetscFunctionReturn(0);
}

static void test_refuses_hosts_without_mass(void) {
  Vec u, v;
  TS ts = make_oscillators(&u, &v, .1);
  OK(TSSetI2Function(ts, NULL, compute_massless_residual, NULL));
  OK(TSSetMaxTime(ts, 1));
  OK(PetscPushErrorHandler(keep_message, NULL));
  CU_ASSERT(TSSolve(ts, NULL) != 0);
  OK(PetscPopErrorHandler());
  CU_ASSERT(strstr(last_message, "lumped mass") != NULL);
  destroy_oscillators(&ts, &u, &v);
}

/* ---------------------------------------------------------------------------------------------------------- contact */

typedef struct two_boxes {
  ipg_mesh mesh;
  double *masses;
  Vec u, f;
  IpgContact contact;
} two_boxes;

/* A small box above a large one; u holds its downward displacement. */
static void make_two_boxes(two_boxes *s) {
  ipg_mesh upper = {0};
  ipg_error error = {0};
  *s = (two_boxes){0};
  CU_ASSERT_FATAL(
      !ipg_mesh_box((double[]){-1, -1, -1}, (double[]){1, 1, 0}, (int[]){4, 4, 2}, "lower", NULL, &s->mesh, &error));
  CU_ASSERT_FATAL(!ipg_mesh_box((double[]){-.4, -.4, .1}, (double[]){-.1, -.1, .5}, (int[]){2, 2, 2}, "upper", NULL,
                                &upper, &error));
  CU_ASSERT_FATAL(!ipg_mesh_append(&s->mesh, &upper, &error));
  ipg_mesh_destroy(&upper);
  OK(PetscMalloc1(s->mesh.node_count, &s->masses));
  for (int64_t i = 0; i < s->mesh.node_count; ++i) s->masses[i] = 1;
  OK(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)(3 * s->mesh.node_count), &s->u));
  OK(VecDuplicate(s->u, &s->f));
  OK(IpgContactCreate(PETSC_COMM_SELF, &s->contact));
  OK(PetscOptionsSetValue(NULL, "-contact_audit", "1"));
  OK(PetscOptionsSetValue(NULL, "-contact_penalty_scale", "0.2"));
  OK(IpgContactSetFromOptions(s->contact));
  OK(IpgContactSetReferenceStep(s->contact, 1e-2));
  OK(IpgContactSetMesh(s->contact, &s->mesh, s->masses));
}

static void free_two_boxes(two_boxes *s) {
  OK(IpgContactDestroy(&s->contact));
  OK(VecDestroy(&s->u));
  OK(VecDestroy(&s->f));
  OK(PetscFree(s->masses));
  ipg_mesh_destroy(&s->mesh);
}

static void lower_the_upper_box(two_boxes *s, double by) {
  PetscScalar *u;
  OK(VecGetArray(s->u, &u));
  for (int64_t i = 0; i < s->mesh.node_count; ++i)
    if (s->mesh.x[3 * i + 2] > .05) u[3 * i + 2] = -by;
  OK(VecRestoreArray(s->u, &u));
}

static void test_contact_through_vectors(void) {
  two_boxes s;
  make_two_boxes(&s);
  PetscInt count;
  const ipg_contact_pair *pairs;
  PetscReal size;
  PetscScalar sum = 0, *again;
  lower_the_upper_box(&s, .11);
  OK(VecSet(s.f, 0));
  OK(IpgContactComputeForce(s.contact, 1e-2, s.u, NULL, s.f));
  OK(IpgContactGetPairs(s.contact, &count, &pairs));
  CU_ASSERT_EQUAL(count, 9); /* the bottom nodes of the upper box; the lower one has none inside it */
  for (PetscInt i = 0; i < count; ++i) {
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].gap, -.01, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].normal[2], 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].time, 10. / 11, 1e-9);
  }
  OK(VecSum(s.f, &sum));
  OK(VecNorm(s.f, NORM_1, &size));
  CU_ASSERT(size > 0 && fabs(sum) < 1e-12 * size);
  OK(PetscCalloc1(3 * s.mesh.node_count, &again));
  OK(IpgContactAddForces(s.contact, again));
  const PetscScalar *f;
  OK(VecGetArrayRead(s.f, &f));
  for (int64_t i = 0; i < 3 * s.mesh.node_count; ++i) CU_ASSERT_EQUAL(f[i], again[i]);
  OK(VecRestoreArrayRead(s.f, &f));
  OK(PetscFree(again));
  OK(IpgContactAccept(s.contact, 1));
  OK(IpgContactAccept(s.contact, 1));
  ipg_contact_energy_balance balance;
  OK(IpgContactGetEnergyBalance(s.contact, &balance));
  CU_ASSERT(balance.activations == count && balance.contact_energy > 0);
  OK(IpgContactView(s.contact, PETSC_VIEWER_STDOUT_SELF));
  OK(IpgContactRevert(s.contact));
  free_two_boxes(&s);
}

/* ------------------------------------------------------------------------------------- contact in the time stepper */

enum { GRAVITY_STEPS = 40 };
static const PetscReal gravity_step = 1e-2, gravity = 3;

/* Nodes of mass 1 that fall. */
static PetscErrorCode compute_falling_residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  PetscScalar *f;
  PetscInt size;
  (void)ts, (void)t, (void)U, (void)V, (void)context;
  PetscFunctionBegin;
  PetscCall(VecCopy(A, F));
  PetscCall(VecGetLocalSize(F, &size));
  PetscCall(VecGetArray(F, &f));
  for (PetscInt i = 2; i < size; i += 3) f[i] += gravity;
  PetscCall(VecRestoreArray(F, &f));
  PetscFunctionReturn(0);
}

/* The boxes fall onto a wall below them, at rest at the start. */
static TS make_falling_boxes(two_boxes *s, Vec *v, const char *options) {
  TS ts;
  make_two_boxes(s);
  OK(IpgContactDestroy(&s->contact));
  OK(PetscOptionsInsertString(NULL, options));
  OK(IpgContactCreate(PETSC_COMM_SELF, &s->contact));
  OK(IpgContactSetFromOptions(s->contact));
  OK(IpgContactSetReferenceStep(s->contact, 1e-2));
  OK(IpgContactSetMesh(s->contact, &s->mesh, s->masses));
  OK(VecDuplicate(s->u, v));
  OK(VecSet(*v, 0));
  OK(TSCreate(PETSC_COMM_SELF, &ts));
  OK(TSSetType(ts, TSIMPINGECD));
  OK(TSSetI2Function(ts, NULL, compute_falling_residual, NULL));
  OK(TS2SetSolution(ts, s->u, *v));
  OK(TSSetTimeStep(ts, gravity_step));
  OK(TSSetMaxSteps(ts, GRAVITY_STEPS));
  OK(TSSetMaxTime(ts, 1e9));
  OK(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  OK(IpgContactAttach(s->contact, ts));
  return ts;
}

static void free_falling_boxes(two_boxes *s, Vec *v, TS *ts) {
  static const char *const options[] = {"-contact_walls", "-contact_enforcement", "-contact_damping",
                                        "-contact_record"};
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) OK(PetscOptionsClearValue(NULL, options[i]));
  OK(TSDestroy(ts));
  OK(VecDestroy(v));
  free_two_boxes(s);
}

/* Of velocities v between whole steps, and of the work of gravity at the mean of two of them. */
typedef struct falling_energies {
  Vec last_u, last_v;
  double kinetic, work;
} falling_energies;

static PetscErrorCode add_energies_of_step(TS ts, PetscInt step, PetscReal t, Vec U, void *context) {
  falling_energies *e = context;
  const PetscScalar *u;
  PetscScalar *last_u, *last_v;
  PetscInt size;
  (void)ts, (void)t;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(U, &size));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArray(e->last_u, &last_u));
  PetscCall(VecGetArray(e->last_v, &last_v));
  if (step) e->kinetic = 0;
  for (PetscInt i = 0; step && i < size; ++i) {
    const double v = (u[i] - last_u[i]) / gravity_step;
    e->kinetic += .5 * v * v;
    if (i % 3 == 2) e->work -= gravity * gravity_step * (step > 1 ? .5 : .25) * (v + last_v[i]);
    last_u[i] = u[i], last_v[i] = v;
  }
  PetscCall(VecRestoreArray(e->last_v, &last_v));
  PetscCall(VecRestoreArray(e->last_u, &last_u));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

/* Kinematic contact loses energy, and exactly as much as its energy balance says. */
static void test_energy_of_kinematic_contact(void) {
  two_boxes s;
  Vec v;
  falling_energies e = {0};
  ipg_contact_energy_balance balance;
  TS ts = make_falling_boxes(&s, &v, "-contact_enforcement kinematic -contact_walls 0,0,-1.05,0,0,1");
  OK(VecDuplicate(s.u, &e.last_u));
  OK(VecDuplicate(s.u, &e.last_v));
  OK(TSMonitorSet(ts, add_energies_of_step, &e, NULL));
  OK(TSSolve(ts, NULL));
  OK(IpgContactGetEnergyBalance(s.contact, &balance));
  CU_ASSERT(balance.activations >= 25 && balance.kinematic_dissipation > .05 * e.work);
  CU_ASSERT_DOUBLE_EQUAL(e.kinetic + balance.kinematic_dissipation, e.work, 1e-12 * e.work);
  OK(VecDestroy(&e.last_u));
  OK(VecDestroy(&e.last_v));
  free_falling_boxes(&s, &v, &ts);
}

/* As test_step_after_rollback, with a wall that has been hit: the contact's history is taken back too, on which dampers
 * depend. Then the wall throws its nodes back. */
static void test_contact_after_rollback(void) {
  two_boxes s;
  Vec v, first_u, first_v;
  PetscBool same_u, same_v;
  PetscReal fastest;
  ipg_contact_energy_balance before, after;
  TS ts = make_falling_boxes(&s, &v, "-contact_walls 0,0,-1.05,0,0,1 -contact_damping .1");
  OK(VecDuplicate(s.u, &first_u));
  OK(VecDuplicate(v, &first_v));
  OK(TSSetUp(ts));
  for (int i = 0; i < 22; ++i) OK(TSStep(ts));
  OK(VecCopy(s.u, first_u));
  OK(VecCopy(v, first_v));
  OK(IpgContactGetEnergyBalance(s.contact, &before));
  OK(TSRollBack(ts));
  OK(TSSetTimeStep(ts, gravity_step)); /* PETSc has set it to a difference of times */
  OK(TSStep(ts));
  OK(VecEqual(s.u, first_u, &same_u));
  OK(VecEqual(v, first_v, &same_v));
  OK(IpgContactGetEnergyBalance(s.contact, &after));
  CU_ASSERT(same_u && same_v && before.activations >= 25 && before.contact_energy > 0);
  CU_ASSERT(!memcmp(&before, &after, sizeof before));
  for (int i = 0; i < 8; ++i) OK(TSStep(ts));
  OK(VecMax(v, NULL, &fastest));
  CU_ASSERT(fastest > .2);
  OK(VecDestroy(&first_u));
  OK(VecDestroy(&first_v));
  free_falling_boxes(&s, &v, &ts);
}

static int64_t count_lines(FILE *file, const char *begin) {
  char line[1024];
  int64_t count = 0;
  rewind(file);
  while (fgets(line, sizeof line, file)) count += !strncmp(line, begin, strlen(begin));
  return count;
}

/* Once for a start: by the host code or by the time stepper, and again for the next start. */
static void test_initial_penetration_is_told_at_each_start(void) {
  two_boxes s;
  Vec v;
  FILE *log = tmpfile();
  TS ts = make_falling_boxes(&s, &v, "-contact_walls 0,0,-.95,0,0,1");
  CU_ASSERT_FATAL(log != NULL);
  OK(IpgContactSetLog(s.contact, log));
  OK(TSSetMaxSteps(ts, 1));
  OK(IpgContactSetPositions(s.contact, 0, s.u));
  OK(IpgContactResolveInitialPenetration(s.contact));
  OK(TSSolve(ts, NULL));
  CU_ASSERT_EQUAL(count_lines(log, "warning: initial penetration of 25 nodes behind rigid walls"), 1);
  OK(TSReset(ts));
  OK(TSSetStepNumber(ts, 0));
  OK(TS2SetSolution(ts, s.u, v));
  OK(TSSolve(ts, NULL));
  CU_ASSERT_EQUAL(count_lines(log, "warning: initial penetration of 25 nodes behind rigid walls"), 2);
  OK(IpgContactResolveInitialPenetration(s.contact));
  OK(IpgContactSetPositions(s.contact, 0, s.u)); /* another start, not resolved yet */
  OK(TSReset(ts));
  OK(TSSetStepNumber(ts, 0));
  OK(TS2SetSolution(ts, s.u, v));
  OK(TSSolve(ts, NULL));
  CU_ASSERT_EQUAL(count_lines(log, "warning: initial penetration of 25 nodes behind rigid walls"), 4);
  OK(IpgContactSetLog(s.contact, stdout));
  fclose(log);
  free_falling_boxes(&s, &v, &ts);
}

/* ------------------------------------------------------------------------------------------------ initial penetration
 */

/* A new contact with the walls, and the upper box lowered by `by`, more where x is larger. */
static IpgContact lower_into(two_boxes *s, double by, const char *walls, const char *word, FILE *log) {
  IpgContact contact;
  PetscScalar *u;
  OK(PetscOptionsSetValue(NULL, "-contact_walls", walls));
  OK(PetscOptionsSetValue(NULL, "-contact_initial_penetration", word));
  OK(IpgContactCreate(PETSC_COMM_SELF, &contact));
  OK(IpgContactSetFromOptions(contact));
  OK(PetscOptionsClearValue(NULL, "-contact_walls"));
  OK(PetscOptionsClearValue(NULL, "-contact_initial_penetration"));
  OK(IpgContactSetLog(contact, log));
  OK(IpgContactSetReferenceStep(contact, 1e-2));
  OK(IpgContactSetMesh(contact, &s->mesh, s->masses));
  lower_the_upper_box(s, by);
  OK(VecGetArray(s->u, &u));
  for (int64_t i = 0; i < s->mesh.node_count; ++i)
    if (s->mesh.x[3 * i + 2] > .05) u[3 * i + 2] -= .1 * (s->mesh.x[3 * i] + .4);
  OK(VecRestoreArray(s->u, &u));
  OK(IpgContactSetPositions(contact, 0, s->u));
  return contact;
}

static bool log_has(FILE *log, const char *words) {
  char line[1024];
  rewind(log);
  while (fgets(line, sizeof line, log))
    if (strstr(line, words)) return true;
  return false;
}

/* Lower nodes of the upper box at .1 - .15 = -.05 to -.08, nine of them; two walls that those of the lower box, at -1,
 * are behind, by .1 and .2. */
static void test_words_of_initial_penetration(void) {
  static const char *const words[] = {"report", "ignore"};
  two_boxes s;
  make_two_boxes(&s);
  for (int i = 0; i < 2; ++i) {
    FILE *log = tmpfile();
    PetscReal size;
    PetscInt moved;
    const ipg_contact_pair *pairs;
    CU_ASSERT_FATAL(log != NULL);
    IpgContact contact = lower_into(&s, .15, "0,0,-.9,0,0,1,0,0,-.8,0,0,1", words[i], log);
    OK(IpgContactRemoveInitialPenetration(contact, s.mesh.x, &moved, &size));
    CU_ASSERT(moved == 0 && size == 0);
    OK(IpgContactResolveInitialPenetration(contact));
    CU_ASSERT_EQUAL(log_has(log, "warning: "), i == 0);
    CU_ASSERT(log_has(log, "initial penetration of 9 nodes into another body") && log_has(log, "), 0.08 below side"));
    CU_ASSERT(log_has(
        log, ", and of 25 nodes behind rigid walls, the deepest is node 1 at (-1, -1, -1), 0.2 behind wall 2:"));
    OK(VecSet(s.f, 0));
    OK(IpgContactComputeForce(contact, 1e-2, s.u, NULL, s.f)); /* at rest: the audit is clean, and no force */
    OK(VecNorm(s.f, NORM_INFINITY, &size));
    CU_ASSERT_EQUAL(size, 0);
    OK(IpgContactGetPairs(contact, &moved, &pairs));
    CU_ASSERT_EQUAL(moved, 9 + 2 * 25); /* each is a contact */
    OK(IpgContactAccept(contact, 1));
    OK(IpgContactDestroy(&contact));
    fclose(log);
  }
  free_two_boxes(&s);
}

static void test_initial_penetration_stops(void) {
  two_boxes s;
  make_two_boxes(&s);
  IpgContact contact = lower_into(&s, .15, "0,0,-2,0,0,1", "stop", stdout);
  OK(PetscPushErrorHandler(keep_message, NULL));
  CU_ASSERT(IpgContactResolveInitialPenetration(contact) != 0);
  CU_ASSERT(strstr(last_message, "9 nodes into another body") && strstr(last_message, ": move them apart, or set "));
  OK(IpgContactDestroy(&contact));
  contact = lower_into(&s, 0, "0,0,3,0,0,1", "remove", stdout);
  CU_ASSERT(IpgContactResolveInitialPenetration(contact) != 0);
  CU_ASSERT(strstr(last_message, "behind wall 1 (these are all nodes: does its normal") != NULL);
  CU_ASSERT(strstr(last_message, "does not call IpgContactRemoveInitialPenetration") != NULL);
  OK(PetscPopErrorHandler());
  OK(IpgContactDestroy(&contact));
  free_two_boxes(&s);
}

/* What is behind a wall is no excuse for nodes inside a body: the audit finds these. */
static void test_walls_do_not_excuse_penetration(void) {
  two_boxes s;
  make_two_boxes(&s);
  IpgContact contact = lower_into(&s, 0, "0,0,-.9,0,0,1", "ignore", stdout);
  OK(IpgContactResolveInitialPenetration(contact));
  lower_the_upper_box(&s, .15);
  OK(IpgContactSetPositions(contact, 0, s.u)); /* not resolved */
  OK(IpgContactComputeForce(contact, 1e-2, s.u, NULL, s.f));
  OK(PetscPushErrorHandler(keep_message, NULL));
  CU_ASSERT(IpgContactAccept(contact, 1) != 0);
  OK(PetscPopErrorHandler());
  OK(IpgContactDestroy(&contact));
  free_two_boxes(&s);
}

/* ------------------------------------------------------------------------------------------------------------ options
 */

/* Without moduli or a step there is no stiffness; moduli count where both are given. */
static void test_stiffness_of_penalty_contact(void) {
  const PetscReal moduli[] = {20, 30}, twice[] = {40, 60};
  two_boxes s;
  IpgContact other;
  PetscReal forces[4];
  make_two_boxes(&s);
  OK(IpgContactCreate(PETSC_COMM_SELF, &other));
  OK(IpgContactSetFromOptions(other));
  OK(PetscPushErrorHandler(keep_message, NULL));
  CU_ASSERT(IpgContactSetMesh(other, &s.mesh, s.masses) != 0);
  CU_ASSERT(strstr(last_message, "IpgContactSetModuli") && strstr(last_message, "IpgContactSetReferenceStep"));
  CU_ASSERT(IpgContactSetReferenceStep(other, 0) != 0);
  OK(IpgContactSetModuli(other, 1, moduli));
  CU_ASSERT(IpgContactSetMesh(other, &s.mesh, s.masses) != 0);
  CU_ASSERT(strstr(last_message, "moduli of 1 blocks") != NULL);
  OK(PetscPopErrorHandler());
  OK(IpgContactDestroy(&other));
  OK(IpgContactCreate(PETSC_COMM_SELF, &other));
  OK(IpgContactSetFromOptions(other));
  lower_the_upper_box(&s, .11);
  for (int i = 0; i < 4; ++i) {
    if (i < 3) OK(IpgContactSetReferenceStep(other, i ? 2 : 1));
    if (i >= 2) OK(IpgContactSetModuli(other, 2, i == 2 ? moduli : twice));
    OK(IpgContactSetMesh(other, &s.mesh, s.masses));
    OK(VecSet(s.f, 0));
    OK(IpgContactComputeForce(other, 1e-2, s.u, NULL, s.f));
    OK(VecNorm(s.f, NORM_1, &forces[i]));
    OK(IpgContactDestroy(&other));
    OK(IpgContactCreate(PETSC_COMM_SELF, &other));
    OK(IpgContactSetFromOptions(other));
  }
  CU_ASSERT_DOUBLE_EQUAL(forces[0] / forces[1], 4, 1e-9); /* the masses over its square */
  CU_ASSERT(forces[2] > 0 && fabs(forces[2] / forces[1] - 1) > 1e-3);
  CU_ASSERT_DOUBLE_EQUAL(forces[3] / forces[2], 2, 1e-9);
  OK(IpgContactDestroy(&other));
  free_two_boxes(&s);
}

/* Two rigid walls by an option, with the friction of all contact: a box penetrates both. */
static void test_walls_by_option(void) {
  two_boxes s;
  IpgContact contact;
  PetscInt count;
  const ipg_contact_pair *pairs;
  make_two_boxes(&s);
  OK(IpgContactCreate(PETSC_COMM_SELF, &contact));
  OK(PetscOptionsSetValue(NULL, "-contact_walls", "0,0,.05,0,0,2,-.45,0,0,1,0,0"));
  OK(PetscOptionsSetValue(NULL, "-contact_friction_static", ".25"));
  OK(PetscOptionsSetValue(NULL, "-contact_friction_decay", "1e6")); /* so that the dynamic one counts: the same */
  OK(PetscOptionsSetValue(NULL, "-contact_reference_step", ".01"));
  OK(IpgContactSetFromOptions(contact));
  OK(PetscOptionsClearValue(NULL, "-contact_reference_step"));
  OK(IpgContactSetMesh(contact, &s.mesh, s.masses));
  PetscScalar *u;
  PetscInt found[2] = {0};
  lower_the_upper_box(&s, .06);
  OK(VecGetArray(s.u, &u));
  for (int64_t i = 0; i < s.mesh.node_count; ++i) u[3 * i] = u[3 * i + 2] < 0 ? -.1 : 0;
  OK(VecRestoreArray(s.u, &u));
  OK(IpgContactComputeForce(contact, 1e-2, s.u, NULL, s.f));
  OK(IpgContactGetPairs(contact, &count, &pairs));
  for (PetscInt i = 0; i < count; ++i) {
    const double *f = pairs[i].response.friction, friction = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    CU_ASSERT_FATAL(pairs[i].kind == IPG_CONTACT_NODE_WALL && pairs[i].touched < 2);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].gap, pairs[i].touched ? -.05 : -.01, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(friction, .25 * pairs[i].response.normal_force, 1e-9 * friction);
    found[pairs[i].touched]++;
  }
  CU_ASSERT(found[0] == 9 && found[1] == 9); /* the lower box does not move */
  OK(PetscOptionsClearValue(NULL, "-contact_walls"));
  OK(PetscOptionsClearValue(NULL, "-contact_friction_static"));
  OK(PetscOptionsClearValue(NULL, "-contact_friction_decay"));
  OK(IpgContactDestroy(&contact));
  free_two_boxes(&s);
}

static void test_options_that_are_refused(void) {
  static const char *const options[][3] = {
      {"-contact_walls", "0,0,.05,0,0", "has 5 numbers; give six for each"},
      {"-contact_walls", "0,0,.05,0,0,1,0,0,0", "has 9 numbers; give six for each"},
      {"-contact_walls", NULL, "has more than 96 numbers; give 16 walls at most"},
      {"-contact_friction_dynamic", "1e-9", "-contact_friction_dynamic is 1e-09, above -contact_friction_static"},
      {"-contact_planes", "0,0,0,0,0,1", "-contact_planes is called -contact_walls now"},
      {"-contact_skin", "1", "-contact_skin is called -contact_search_margin now"},
      {"-contact_overlap", "stop", "-contact_overlap is called -contact_initial_penetration now"},
      {"-contact_audit", "-1", "-contact_audit is -1; it must be 0"},
      {"-contact_record", "-1", "-contact_record is -1; it must be 0"},
      {"-contact_monitor", "-1", "-contact_monitor is -1; it must be 0"},
      {"-contact_threads", "0", "-contact_threads is 0; it must be 1"},
      {"-contact_penetration_limit", "-1", "-contact_penetration_limit is -1.; it must be 0"},
      {"-contact_stiffness", "material", "-contact_stiffness belonged to node springs, which are gone: leave it out"},
      {"-contact_enforcement", "node_springs", "node_springs"},
      {"-contact_edges", "maybe", "maybe"},
  };
  char walls[17 * 12 + 1] = "";
  IpgContact contact;
  for (int i = 0; i < 17; ++i) strcat(walls, i ? ",0,0,0,0,0,1" : "0,0,0,0,0,1");
  OK(PetscPushErrorHandler(keep_message, NULL));
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    OK(IpgContactCreate(PETSC_COMM_SELF, &contact));
    OK(PetscOptionsSetValue(NULL, options[i][0], options[i][1] ? options[i][1] : walls));
    CU_ASSERT(IpgContactSetFromOptions(contact) != 0);
    if (!strstr(last_message, options[i][2])) printf("\n    '%s' lacks '%s'", last_message, options[i][2]);
    CU_ASSERT(strstr(last_message, options[i][2]) != NULL);
    OK(PetscOptionsClearValue(NULL, options[i][0]));
    OK(IpgContactDestroy(&contact));
  }
  OK(IpgContactCreate(PETSC_COMM_SELF, &contact));
  OK(PetscOptionsInsertString(NULL, "-contact_enforcement kinematic -contact_penetration_limit .5"));
  CU_ASSERT(IpgContactSetFromOptions(contact) != 0);
  CU_ASSERT(strstr(last_message, "-contact_penetration_limit belongs to -contact_enforcement penalty") != NULL);
  OK(PetscOptionsClearValue(NULL, "-contact_enforcement"));
  OK(PetscOptionsClearValue(NULL, "-contact_penetration_limit"));
  OK(IpgContactDestroy(&contact));
  OK(IpgContactCreate(PETSC_COMM_SELF, &contact));
  OK(PetscOptionsInsertString(NULL, "-contact_audit 1 -contact_friction_static .1 -contact_friction_dynamic .15"));
  CU_ASSERT(IpgContactSetFromOptions(contact) != 0);
  CU_ASSERT(strstr(last_message, "-contact_friction_dynamic is 0.15, above") != NULL);
  OK(PetscOptionsClearValue(NULL, "-contact_friction_static"));
  OK(PetscOptionsClearValue(NULL, "-contact_friction_dynamic"));
  OK(IpgContactDestroy(&contact));
  two_boxes s;
  make_two_boxes(&s);
  CU_ASSERT(IpgContactSetFromOptions(s.contact) != 0);
  CU_ASSERT(strstr(last_message, "call IpgContactSetFromOptions before IpgContactSetMesh") != NULL);
  OK(PetscPopErrorHandler());
  free_two_boxes(&s);
}

static bool is_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

/* -contact_record 2 records the second step, and no other. */
static void test_recorded_step(void) {
  two_boxes s;
  Vec v;
  TS ts = make_falling_boxes(&s, &v, "-contact_record 2");
  (void)remove("contact_step_2.ipg");
  OK(TSSetUp(ts));
  OK(TSStep(ts));
  CU_ASSERT(!is_file("contact_step_2.ipg"));
  OK(TSStep(ts));
  CU_ASSERT(is_file("contact_step_2.ipg"));
  (void)remove("contact_step_2.ipg");
  OK(TSStep(ts));
  CU_ASSERT(!is_file("contact_step_2.ipg"));
  free_falling_boxes(&s, &v, &ts);
}

static void test_contact_errors(void) {
  two_boxes s;
  IpgContact empty;
  Vec small;
  make_two_boxes(&s);
  OK(PetscPushErrorHandler(keep_message, NULL));
  OK(VecCreateSeq(PETSC_COMM_SELF, 12, &small));
  CU_ASSERT(IpgContactComputeForce(s.contact, 1e-2, small, NULL, small) != 0);
  CU_ASSERT(strstr(last_message, "12 values") != NULL);
  OK(VecSet(s.u, NAN));
  CU_ASSERT(IpgContactComputeForce(s.contact, 1e-2, s.u, NULL, s.f) != 0);
  CU_ASSERT(strstr(last_message, "not finite") != NULL);
  OK(IpgContactCreate(PETSC_COMM_SELF, &empty));
  CU_ASSERT(IpgContactComputeForce(empty, 1e-2, s.u, NULL, s.f) != 0);
  CU_ASSERT(strstr(last_message, "no mesh") != NULL);
  CU_ASSERT(IpgContactRevert(empty) != 0);
  OK(PetscOptionsSetValue(NULL, "-contact_enforcement", "kinematic"));
  OK(IpgContactSetFromOptions(empty));
  OK(IpgContactSetMesh(empty, &s.mesh, s.masses));
  OK(VecSet(s.u, 0));
  CU_ASSERT(IpgContactComputeForce(empty, 1e-2, s.u, NULL, s.f) != 0);
  CU_ASSERT(strstr(last_message, "-contact_enforcement kinematic") != NULL);
  OK(PetscOptionsClearValue(NULL, "-contact_enforcement"));
  OK(PetscPopErrorHandler());
  OK(IpgContactDestroy(&empty));
  OK(VecDestroy(&small));
  free_two_boxes(&s);
}

/* The boxes penetrate each other from the start, which was not resolved: the audit fails. */
static void test_audit_message_names_option(void) {
  two_boxes s;
  make_two_boxes(&s);
  lower_the_upper_box(&s, .15);
  OK(IpgContactSetPositions(s.contact, 0, s.u));
  OK(IpgContactComputeForce(s.contact, 1e-2, s.u, NULL, s.f));
  OK(PetscPushErrorHandler(keep_message, NULL));
  CU_ASSERT(IpgContactAccept(s.contact, 1) != 0);
  CU_ASSERT(strstr(last_message, "record the step with -contact_record 1, ") != NULL);
  OK(PetscPopErrorHandler());
  free_two_boxes(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"central difference is of second order", test_second_order},
      {"an event rolls back", test_event_and_rollback},
      {"a step after a rollback has the same bits", test_step_after_rollback},
      {"a state that is changed at an event", test_state_changed_at_an_event},
      {"a state that the host code refuses", test_state_that_the_host_refuses},
      {"interpolation and view", test_interpolates_and_views},
      {"a host code without mass is refused", test_refuses_hosts_without_mass},
      {"contact through vectors", test_contact_through_vectors},
      {"the energy of kinematic contact", test_energy_of_kinematic_contact},
      {"contact after a rollback has the same bits", test_contact_after_rollback},
      {"initial penetration is told at each start", test_initial_penetration_is_told_at_each_start},
      {"the words of initial penetration", test_words_of_initial_penetration},
      {"initial penetration stops", test_initial_penetration_stops},
      {"walls do not excuse penetration", test_walls_do_not_excuse_penetration},
      {"options that are refused", test_options_that_are_refused},
      {"the recorded step", test_recorded_step},
      {"stiffness of penalty contact", test_stiffness_of_penalty_contact},
      {"rigid walls by option", test_walls_by_option},
      {"errors of the contact class", test_contact_errors},
      {"the message of an audit names the option", test_audit_message_names_option},
      CU_TEST_INFO_NULL,
  };
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  const int failed = suite_main(argc, argv, "plugin", tests);
  return PetscFinalize() || failed;
}
