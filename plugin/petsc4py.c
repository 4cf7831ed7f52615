/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The same library once more for programs that keep PETSc to themselves, as Python does: it names the PETSc that it was
 * built with, and so finds the one that the program has loaded. */
#include "impinge/petsc.h"
#include <stdio.h>

IPG_API PetscErrorCode PetscDLLibraryRegister_impinge_petsc4py(void);

/* The program's PETSc has set its communicator by now; another one that came with us has not, and cannot report. */
PetscErrorCode PetscDLLibraryRegister_impinge_petsc4py(void) {
  if (PETSC_COMM_WORLD == MPI_COMM_NULL) {
    fprintf(stderr,
            "libimpinge_petsc4py was built with another PETSc than the one of this program: build it with that\n");
    return PETSC_ERR_LIB;
  }
  PetscFunctionBegin;
  PetscCall(PetscDLLibraryRegister_impinge_petsc());
  PetscFunctionReturn(0);
}
