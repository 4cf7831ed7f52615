/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Registration: by a call, or by PETSc when the library is loaded with -dll_append. */
#include "impl.h"

PetscClassId IPG_CONTACT_CLASSID;
PetscLogEvent IPG_ComputeForce;

static PetscErrorCode forget_package(void) {
  PetscFunctionBegin;
  IPG_CONTACT_CLASSID = 0; /* a second PetscInitialize registers anew */
  PetscFunctionReturn(0);
}

PetscErrorCode IpgInitializePackage(void) {
  PetscFunctionBegin;
  if (IPG_CONTACT_CLASSID) PetscFunctionReturn(0);
  PetscCall(TSInitializePackage());
  PetscCall(PetscClassIdRegister("Impinge contact", &IPG_CONTACT_CLASSID));
  PetscCall(PetscLogEventRegister("IpgContactForce", IPG_CONTACT_CLASSID, &IPG_ComputeForce));
  PetscCall(TSRegister(TSIMPINGECD, TSCreate_ImpingeCD));
  PetscCall(PetscRegisterFinalize(forget_package));
  PetscFunctionReturn(0);
}

PetscErrorCode PetscDLLibraryRegister_impinge_petsc(void) {
  PetscFunctionBegin;
  PetscCall(IpgInitializePackage());
  PetscFunctionReturn(0);
}
