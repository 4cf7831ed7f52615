/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Loses memory in a function that PETSc calls. The test expects the address sanitizer to say so: were PETSc's library
 * among the leaks of others, no leak of ours in a time step would be seen. */
#include <petscsys.h>
#include <stdlib.h>

static PetscErrorCode lose_memory(void *unused) {
  char *volatile lost = malloc(24);
  (void)unused;
  if (lost) *lost = 1;
  lost = NULL;
  return 0;
}

int main(int argc, char **argv) {
  PetscContainer container;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetUserDestroy(container, lose_memory));
  PetscCall(PetscContainerSetPointer(container, &argc));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(PetscFinalize());
  return 0;
}
