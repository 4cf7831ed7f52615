/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact in a PETSc program: a box hits another one and rebounds.
 *
 * The host code brings a mesh, lumped masses, and F(t, u, v, a) = M a - f(u). Here f are springs along the edges of the
 * tetrahedra; a program of your own has elements. Time stepper and contact are Impinge's. Try -contact_friction_static
 * 0.3, -contact_damping 0.1, -contact_audit 10, -ts_view, -help. */
#include <impinge/petsc.h>

typedef struct host_code {
  ipg_mesh mesh;
  double *masses; /* one per node */
} host_code;

static const int edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* The force on i of a spring from i to j at the displacements u; its energy is 1/4 (l^2 - l0^2)^2. */
static void compute_spring_force(const double *x, const PetscScalar *u, ipg_id i, ipg_id j, double force[3]) {
  double stretch = 0; /* l^2 - l0^2 */
  for (int k = 0; k < 3; ++k) {
    const double initial = x[3 * j + k] - x[3 * i + k], present = initial + u[3 * j + k] - u[3 * i + k];
    stretch += present * present - initial * initial;
    force[k] = present;
  }
  for (int k = 0; k < 3; ++k) force[k] *= stretch;
}

/* F = M a - f(u) */
static PetscErrorCode compute_residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  const host_code *h = context;
  const PetscScalar *u, *a;
  PetscScalar *f;

  PetscFunctionBegin;
  (void)ts, (void)t, (void)V;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(A, &a));
  PetscCall(VecGetArray(F, &f));
  for (int64_t i = 0; i < 3 * h->mesh.node_count; ++i) f[i] = h->masses[i / 3] * a[i];
  for (int64_t s = 0; s < 6 * h->mesh.element_count; ++s) {
    const ipg_id *corner = h->mesh.tets + 4 * (s / 6), i = corner[edge_ends[s % 6][0]], j = corner[edge_ends[s % 6][1]];
    double force[3];
    compute_spring_force(h->mesh.x, u, i, j, force);
    for (int k = 0; k < 3; ++k) f[3 * i + k] -= force[k], f[3 * j + k] += force[k];
  }
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(A, &a));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

/* Two boxes of density 1, the upper one a little above the lower. */
static PetscErrorCode make_bodies(host_code *h) {
  ipg_mesh upper = {0};
  ipg_error error = {0};

  PetscFunctionBegin;
  ipg_status status =
      ipg_mesh_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){3, 3, 3}, "lower", NULL, &h->mesh, &error);
  if (!status)
    status = ipg_mesh_box((double[]){0.1, 0.2, 1.05}, (double[]){0.9, 1.0, 1.85}, (int[]){3, 3, 3}, "upper", NULL,
                          &upper, &error);
  if (!status) status = ipg_mesh_append(&h->mesh, &upper, &error);
  ipg_mesh_destroy(&upper);
  PetscCheck(!status, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", error.message);
  PetscCall(PetscCalloc1(h->mesh.node_count, &h->masses));
  for (int64_t c = 0; c < 4 * h->mesh.element_count; ++c)
    h->masses[h->mesh.tets[c]] += ipg_tet_volume(h->mesh.x, h->mesh.tets + 4 * (c / 4)) / 4;
  PetscFunctionReturn(0);
}

/* The upper box moves down. */
static PetscErrorCode set_initial_state(const host_code *h, Vec u, Vec v) {
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(u));
  PetscCall(VecZeroEntries(v));
  PetscCall(VecGetArray(v, &values));
  for (int64_t c = 4 * h->mesh.blocks[1].first; c < 4 * h->mesh.element_count; ++c)
    values[3 * h->mesh.tets[c] + 2] = -0.05;
  PetscCall(VecRestoreArray(v, &values));
  PetscFunctionReturn(0);
}

/* Prints the momentum of each block along z. */
static PetscErrorCode print_summary(const host_code *h, Vec v, IpgContact contact) {
  const PetscScalar *values;
  ipg_contact_energy_balance balance;
  double momentum[2] = {0};

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(v, &values));
  for (int64_t e = 0; e < h->mesh.element_count; ++e)
    for (int k = 0; k < 4; ++k)
      momentum[e >= h->mesh.blocks[1].first] +=
          ipg_tet_volume(h->mesh.x, h->mesh.tets + 4 * e) / 4 * values[3 * h->mesh.tets[4 * e + k] + 2];
  PetscCall(VecRestoreArrayRead(v, &values));
  PetscCall(IpgContactGetEnergyBalance(contact, &balance));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "momentum: lower %.6f, upper %.6f, together %.6f\n", momentum[0], momentum[1],
                        momentum[0] + momentum[1]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "contacts activated %d, deactivated %d\n", (int)balance.activations,
                        (int)balance.deactivations));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  host_code h = {0};
  TS ts;
  Vec u, v;
  IpgContact contact;

  PetscFunctionBegin;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(make_bodies(&h));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)(3 * h.mesh.node_count), &u));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(set_initial_state(&h, u, v));

  PetscCall(IpgContactCreate(PETSC_COMM_SELF, &contact));
  PetscCall(IpgContactSetReferenceStep(contact, 0.02)); /* a program with elements calls IpgContactSetModuli instead */
  PetscCall(IpgContactSetFromOptions(contact));
  PetscCall(IpgContactSetMesh(contact, &h.mesh, h.masses));

  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSIMPINGECD));
  PetscCall(TSSetI2Function(ts, NULL, compute_residual, &h));
  PetscCall(TS2SetSolution(ts, u, v));
  PetscCall(TSSetTimeStep(ts, 0.02));
  PetscCall(TSSetMaxTime(ts, 6));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(IpgContactAttach(contact, ts)); /* from now on each step includes contact */
  PetscCall(TSSolve(ts, NULL));
  PetscCall(print_summary(&h, v, contact));

  PetscCall(TSDestroy(&ts));
  PetscCall(IpgContactDestroy(&contact));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&u));
  PetscCall(PetscFree(h.masses));
  ipg_mesh_destroy(&h.mesh);
  return PetscFinalize();
}
