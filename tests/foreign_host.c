/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A program that does not use Impinge: an oscillator on PETSc's time steppers. tests/CMakeLists.txt links it with PETSc
 * alone; test_foreign_host.sh runs it with -dll_append and -ts_type impinge_cd. */
#include <petscts.h>

static PetscErrorCode compute_residual(TS ts, PetscReal t, Vec U, Vec V, Vec A, Vec F, void *context) {
  (void)ts, (void)t, (void)V, (void)context;
  PetscFunctionBegin;
  PetscCall(VecWAXPY(F, 1, U, A));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  TS ts;
  Vec u, v;
  PetscReal end;
  TSType type;
  PetscFunctionBegin;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 4, &u));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(VecSet(u, 1));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetI2Function(ts, NULL, compute_residual, NULL));
  PetscCall(TS2SetSolution(ts, u, v));
  PetscCall(TSSetTimeStep(ts, 0.01));
  PetscCall(TSSetMaxTime(ts, 2 * PETSC_PI));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetType(ts, TSALPHA2));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, NULL));
  PetscCall(VecShift(u, -1));
  PetscCall(VecNorm(u, NORM_INFINITY, &end));
  PetscCall(TSGetType(ts, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type %s, error after one turn %s\n", type, end < 1e-4 ? "small" : "large"));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&v));
  return PetscFinalize();
}
