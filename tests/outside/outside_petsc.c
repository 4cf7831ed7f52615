/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Uses the PETSc room of an installed Impinge. */
#include <impinge/petsc.h>

int main(int argc, char **argv) {
  IpgContact contact;
  PetscFunctionBegin;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(IpgContactCreate(PETSC_COMM_SELF, &contact));
  PetscCall(IpgContactSetFromOptions(contact));
  PetscCall(IpgContactView(contact, NULL));
  PetscCall(IpgContactDestroy(&contact));
  return PetscFinalize();
}
