/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Start and end of PETSc, once per process: MPI cannot be initialised a second time, so runs must not do it. */
#include "impinge/solver.h"

#include <petscsys.h>

ipg_status ipg_solver_start(int argc, char **argv, ipg_error *error) {
  (void)PetscOptionsSetValue(NULL, "-no_signal_handler", "1"); /* a crash or Ctrl-C must end the program as usual */
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return ipg_fail(error, IPG_ERROR_SYSTEM, "PETSc could not be started");
  (void)PetscOptionsClearValue(NULL, "-no_signal_handler"); /* it has taken effect, and was not given by the user */
  PetscMPIInt ranks = 1;
  (void)MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (ranks == 1) return IPG_OK;
  ipg_solver_finish();
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                  "a run computes on one rank, and mpiexec started %d: start without mpiexec, and use threads", ranks);
}

void ipg_solver_finish(void) { (void)PetscFinalize(); }
