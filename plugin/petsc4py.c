/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The same library once more for programs that keep PETSc to themselves, as Python does: it names the PETSc that it was
 * built with, and so finds the one that the program has loaded. */
#include "impinge/petsc.h"

IPG_API PetscErrorCode PetscDLLibraryRegister_impinge_petsc4py(void);

PetscErrorCode PetscDLLibraryRegister_impinge_petsc4py(void) {
  PetscFunctionBegin;
  PetscCall(PetscDLLibraryRegister_impinge_petsc());
  PetscFunctionReturn(0);
}
