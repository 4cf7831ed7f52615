/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Registration with PETSc, and the creation of a contact, which registers first: a program that creates a contact can
 * choose the time stepper impinge_cd. */
#include "impl.h"

PetscErrorCode IpgInitializePackage(void) {
  PetscFunctionBegin;
  if (IPG_CONTACT_CLASSID) PetscFunctionReturn(0);
  PetscCall(TSInitializePackage());
  PetscCall(IpgContactRegisterClass());
  PetscCall(TSRegister(TSIMPINGECD, TSCreate_ImpingeCD));
  PetscFunctionReturn(0);
}

PetscErrorCode IpgContactCreate(MPI_Comm comm, IpgContact *out) {
  IpgContact c;

  PetscFunctionBegin;
  PetscAssertPointer(out, 2);
  *out = NULL;
  PetscCall(IpgInitializePackage());
  PetscCall(PetscHeaderCreate(c, IPG_CONTACT_CLASSID, "IpgContact", "Contact of tetrahedral bodies", "Contact", comm,
                              IpgContactDestroy, IpgContactView));
  PetscCall(PetscObjectChangeTypeName((PetscObject)c, "impinge"));
  c->config = ipg_contact_defaults();
  c->threads = 1;
  c->log = PETSC_STDOUT;
  PetscCall(PetscStrncpy(c->search_method, c->config.search_method, sizeof c->search_method));
  *out = c;
  PetscFunctionReturn(0);
}
