/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A program of second order: M a - f(u) = 0 on alpha2 or whatever -ts_type says; with -accelerations a - f(u) / M = 0,
 * with -hold the far end of the second box is held by rows u = 0. */
#include "two_bodies.h"
#include <petscts.h>

typedef struct app {
  two_bodies bodies;
  two_bodies_history history;
  Mat stiffness;
  PetscBool holds, gives_accelerations;
} app;

static int is_held(const app *p, int i) { return p->holds && two_bodies_is_end(&p->bodies, i / 3); }

/* Column by column: forces of unit displacements. */
static PetscErrorCode make_stiffness(app *p) {
  static double u[3 * NODES], f[3 * NODES];
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3 * NODES, 3 * NODES, 81, NULL, &p->stiffness));
  for (PetscInt j = 0; j < 3 * NODES; ++j) {
    for (int i = 0; i < 3 * NODES; ++i) u[i] = i == j, f[i] = 0;
    two_bodies_add_forces(&p->bodies, u, f);
    for (PetscInt i = 0; i < 3 * NODES; ++i)
      if (f[i] != 0 || i == j) PetscCall(MatSetValue(p->stiffness, i, j, -f[i], INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(p->stiffness, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p->stiffness, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode scale_rows(const app *p, Mat P) {
  Vec scale;
  PetscInt held[3 * NODES], count = 0;
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * NODES; ++i)
    if (is_held(p, (int)i)) held[count++] = i;
  if (p->gives_accelerations) {
    PetscCall(MatCreateVecs(P, NULL, &scale));
    for (PetscInt i = 0; i < 3 * NODES; ++i) PetscCall(VecSetValue(scale, i, 1 / p->bodies.mass[i / 3], INSERT_VALUES));
    PetscCall(MatDiagonalScale(P, scale, NULL));
    PetscCall(VecDestroy(&scale));
  }
  PetscCall(MatZeroRows(P, count, held, 1, NULL, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode jacobian(TS ts, PetscReal t, Vec U, Vec V, Vec A, PetscReal shift_v, PetscReal shift_a, Mat J,
                               Mat P, void *context) {
  const app *p = context;
  (void)ts, (void)t, (void)U, (void)V, (void)A, (void)shift_v, (void)J;
  PetscFunctionBegin;
  PetscCall(MatCopy(p->stiffness, P, SAME_NONZERO_PATTERN));
  for (PetscInt i = 0; i < 3 * NODES; ++i) PetscCall(MatSetValue(P, i, i, shift_a * p->bodies.mass[i / 3], ADD_VALUES));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscCall(scale_rows(p, P));
  PetscFunctionReturn(0);
}

static PetscErrorCode residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  const app *p = context;
  const PetscScalar *u, *a;
  PetscScalar *f;
  (void)ts, (void)t, (void)V;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(A, &a));
  PetscCall(VecZeroEntries(F));
  PetscCall(VecGetArray(F, &f));
  two_bodies_add_forces(&p->bodies, u, f);
  for (int i = 0; i < 3 * NODES; ++i) {
    f[i] = p->bodies.mass[i / 3] * a[i] - f[i];
    if (p->gives_accelerations) f[i] /= p->bodies.mass[i / 3];
    if (is_held(p, i)) f[i] = u[i];
  }
  PetscCall(VecRestoreArray(F, &f));
  PetscCall(VecRestoreArrayRead(A, &a));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

static PetscErrorCode watch(TS ts, PetscInt step, PetscReal t, Vec U, void *context) {
  app *p = context;
  Vec V, both;
  const PetscScalar *u, *v;
  (void)step;
  PetscFunctionBegin;
  PetscCall(TS2GetSolution(ts, &both, &V));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayRead(V, &v));
  two_bodies_watch(&p->bodies, t, u, v, &p->history);
  PetscCall(VecRestoreArrayRead(V, &v));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  static app p;
  TS ts;
  Mat matrix;
  Vec U, V;
  PetscScalar *v;
  const PetscScalar *end_u, *end_v;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-hold", &p.holds));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-accelerations", &p.gives_accelerations));
  two_bodies_make(&p.bodies);
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 3 * NODES, &U));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(VecGetArray(V, &v));
  two_bodies_start(v);
  for (int i = 0; i < 3 * NODES; ++i)
    if (is_held(&p, i)) v[i] = 0;
  PetscCall(VecRestoreArray(V, &v));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSALPHA2));
  PetscCall(TSSetI2Function(ts, NULL, residual, &p));
  PetscCall(make_stiffness(&p));
  PetscCall(MatSetOption(p.stiffness, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatDuplicate(p.stiffness, MAT_COPY_VALUES, &matrix));
  PetscCall(MatSetOption(matrix, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(TSSetI2Jacobian(ts, matrix, matrix, jacobian, &p));
  PetscCall(TSSetTimeStep(ts, 0.001));
  PetscCall(TSSetMaxTime(ts, 0.35));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSMonitorSet(ts, watch, &p, NULL));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TS2SetSolution(ts, U, V));
  PetscCall(TSSolve(ts, NULL));
  PetscCall(VecGetArrayRead(U, &end_u));
  PetscCall(VecGetArrayRead(V, &end_v));
  double moved = 0;
  for (int i = 0; i < 3 * NODES; ++i)
    if (is_held(&p, i)) moved = PetscMax(moved, PetscAbsReal(end_u[i]));
  if (p.holds) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "what is held has moved by %.3e\n", moved));
  PetscCall(two_bodies_print(&p.bodies, end_u, end_v, &p.history));
  PetscCall(VecRestoreArrayRead(U, &end_u));
  PetscCall(VecRestoreArrayRead(V, &end_v));
  PetscCall(MatDestroy(&matrix));
  PetscCall(MatDestroy(&p.stiffness));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&V));
  PetscCall(PetscFinalize());
  return 0;
}
