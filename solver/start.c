/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Start and end of PETSc, once per process: MPI cannot be initialised a second time, so runs must not do it. */
#include "impact.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What PETSc prints about an error while it starts or ends: its first line that is no frame. An error handler would not
 * do, for PETSc may change its allocator while it starts. */
static char first_line[256];

static PetscErrorCode keep_first_line(const char format[], ...) {
  va_list arguments;
  char line[sizeof first_line];
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  line[strcspn(line, "\n")] = 0;
  if (!*first_line && line[0] != '-') memcpy(first_line, line, sizeof line);
  return 0;
}

ipg_status ipg_solver_start(int argc, char **argv, ipg_error *error) {
  PetscErrorCode (*const print)(const char[], ...) = PetscErrorPrintf;
  const ipg_status status = impact_check_options_elsewhere(argc - 1, argv + 1, error);
  if (status) return status;
  (void)PetscOptionsSetValue(NULL, "-no_signal_handler", "1"); /* a crash or Ctrl-C must end the program as usual */
  PetscErrorPrintf = keep_first_line, first_line[0] = 0;
  const PetscErrorCode failed = PetscInitialize(&argc, &argv, NULL, NULL);
  PetscErrorPrintf = print;
  if (failed) return ipg_fail(error, IPG_ERROR_SYSTEM, "PETSc could not be started: %s", first_line);
  (void)PetscOptionsClearValue(NULL, "-no_signal_handler"); /* it has taken effect, and was not given by the user */
  PetscMPIInt ranks = 1;
  (void)MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (ranks == 1) return IPG_OK;
  ipg_solver_finish();
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED,
                  "a run computes on one rank, and mpiexec started %d: start without mpiexec, and use threads", ranks);
}

const char *ipg_solver_find_option(const char *option) {
  char name[128];
  const char *value = NULL;
  PetscBool given = PETSC_FALSE;
  snprintf(name, sizeof name, "-%s", option);
  (void)PetscOptionsFindPair(NULL, NULL, name, &value, &given);
  return given ? value : NULL;
}

/* PETSc fails where stdout cannot be written; whoever printed to it notices that too. */
void ipg_solver_finish(void) {
  PetscErrorCode (*const print)(const char[], ...) = PetscErrorPrintf;
  PetscErrorPrintf = keep_first_line;
  (void)PetscFinalize();
  PetscErrorPrintf = print;
}
