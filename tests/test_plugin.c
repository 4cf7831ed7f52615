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
  CU_ASSERT(coarse / fine > 3.8 && coarse / fine < 4.2);
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
  OK(IpgContactAddPairForces(s.contact, count, pairs, again));
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

/* The sum of stiffnesses is that of both layers in series, times the area of the small box. */
static void test_material_based_stiffness(void) {
  const PetscReal moduli[] = {20, 30};
  two_boxes s;
  IpgContact other;
  PetscInt count;
  const ipg_contact_pair *pairs;
  double sum = 0;
  make_two_boxes(&s);
  OK(PetscOptionsSetValue(NULL, "-contact_stiffness", "material"));
  OK(IpgContactCreate(PETSC_COMM_SELF, &other));
  OK(IpgContactSetFromOptions(other));
  OK(PetscPushErrorHandler(keep_message, NULL));
  CU_ASSERT(IpgContactSetMesh(other, &s.mesh, s.masses) != 0);
  CU_ASSERT(strstr(last_message, "IpgContactSetModuli") != NULL);
  OK(IpgContactSetModuli(other, 1, moduli));
  CU_ASSERT(IpgContactSetMesh(other, &s.mesh, s.masses) != 0);
  CU_ASSERT(strstr(last_message, "moduli of 1 blocks") != NULL);
  OK(PetscPopErrorHandler());
  OK(IpgContactSetModuli(other, 2, moduli));
  OK(IpgContactSetMesh(other, &s.mesh, s.masses));
  lower_the_upper_box(&s, .11);
  OK(VecSet(s.f, 0));
  OK(IpgContactComputeForce(other, 1e-2, s.u, NULL, s.f));
  OK(IpgContactGetPairs(other, &count, &pairs));
  for (PetscInt i = 0; i < count; ++i) sum += pairs[i].stiffness;
  const double lower = 20 * 16. / (128 * .125 / 6), upper = 30 * .66 / (48 * .0045 / 6); /* area over volume */
  CU_ASSERT_DOUBLE_EQUAL(sum, .2 / (1 / lower + 1 / upper) * .09, 1e-9 * sum);
  OK(PetscOptionsClearValue(NULL, "-contact_stiffness"));
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
  OK(IpgContactSetFromOptions(contact));
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
    const double *f = pairs[i].friction, friction = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    CU_ASSERT_FATAL(pairs[i].kind == IPG_CONTACT_NODE_WALL && pairs[i].touched < 2);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].gap, pairs[i].touched ? -.05 : -.01, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(friction, .25 * pairs[i].normal_force, 1e-9 * friction);
    found[pairs[i].touched]++;
  }
  CU_ASSERT(found[0] == 9 && found[1] == 9); /* the lower box does not move */
  OK(PetscPushErrorHandler(keep_message, NULL));
  OK(IpgContactDestroy(&contact));
  OK(IpgContactCreate(PETSC_COMM_SELF, &contact));
  OK(PetscOptionsSetValue(NULL, "-contact_walls", "0,0,.05,0,0"));
  CU_ASSERT(IpgContactSetFromOptions(contact) != 0);
  CU_ASSERT(strstr(last_message, "has 5 numbers; give six for each") != NULL);
  OK(PetscPopErrorHandler());
  OK(PetscOptionsClearValue(NULL, "-contact_walls"));
  OK(PetscOptionsClearValue(NULL, "-contact_friction_static"));
  OK(IpgContactDestroy(&contact));
  free_two_boxes(&s);
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
  OK(IpgContactSetPositions(s.contact, s.u));
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
      {"interpolation and view", test_interpolates_and_views},
      {"a host code without mass is refused", test_refuses_hosts_without_mass},
      {"contact through vectors", test_contact_through_vectors},
      {"material-based stiffness", test_material_based_stiffness},
      {"rigid walls by option", test_walls_by_option},
      {"errors of the contact class", test_contact_errors},
      {"the message of an audit names the option", test_audit_message_names_option},
      CU_TEST_INFO_NULL,
  };
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  const int failed = suite_main(argc, argv, "plugin", tests);
  return PetscFinalize() || failed;
}
