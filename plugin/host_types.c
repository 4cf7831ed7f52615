/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What happens when this library is loaded by -dll_append. Every type of time stepper that PETSc knows then gets a
 * constructor of ours before its own: a TS whose options have -contact becomes a host, whatever its type and whoever
 * creates it. Without -contact nothing else is done.
 *
 * A program that asks for contact and does not get it ends with an error: PETSc calls us when it is finalized. */
#include "host.h"

#include <string.h>

static PetscFunctionList constructors; /* of PETSc, by the name of the type */

static PetscErrorCode create_type(TS ts) {
  PetscErrorCode (*create)(TS) = NULL;
  PetscBool asked = PETSC_FALSE;
  TSType type;

  PetscFunctionBegin;
  PetscCall(TSGetType(ts, &type));
  PetscCall(PetscFunctionListFind(constructors, type, &create));
  PetscCheck(create, PetscObjectComm((PetscObject)ts), PETSC_ERR_PLIB, "the time stepper '%s' has lost its constructor",
             type);
  PetscCall((*create)(ts));
  PetscCall(PetscOptionsGetBool(((PetscObject)ts)->options, ((PetscObject)ts)->prefix, "-contact", &asked, NULL));
  if (asked) PetscCall(IpgHostCreate(ts));
  PetscFunctionReturn(0);
}

/* Whether -contact or -contact_mesh is among the options, behind any prefix. */
static PetscErrorCode find_option(char *name, size_t bytes, PetscBool *found) {
  char *options, **words;
  int count;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(PetscOptionsGetAll(NULL, &options));
  PetscCall(PetscStrToArray(options, ' ', &count, &words));
  for (int i = 0; i < count; ++i) {
    const char *end = strstr(words[i], "contact");
    if (words[i][0] != '-' || !end || !(end[-1] == '-' || end[-1] == '_')) continue;
    if (strcmp(end, "contact") && strcmp(end, "contact_mesh")) continue;
    *found = PETSC_TRUE;
    PetscCall(PetscStrncpy(name, words[i], bytes));
  }
  PetscCall(PetscStrToArrayDestroy(count, words));
  PetscCall(PetscFree(options));
  PetscFunctionReturn(0);
}

/* At PetscFinalize. */
static PetscErrorCode require_run(void) {
  char name[64] = "";
  PetscBool found, asked = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&constructors));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-contact", &asked, NULL));
  if (IpgHostHasRun() || !asked) PetscFunctionReturn(0);
  PetscCall(find_option(name, sizeof name, &found));
  PetscCheck(!found, PETSC_COMM_SELF, PETSC_ERR_USER,
             "%s was given, but no time stepper ran with contact: -contact adds it to a TS whose type is set after "
             "PetscInitialize; a program with a time loop of its own calls IpgContactComputeForce",
             name);
  PetscFunctionReturn(0);
}

static PetscErrorCode wrap_types(void) {
  const char **names;
  int count;

  PetscFunctionBegin;
  if (constructors) PetscFunctionReturn(0);
  PetscCall(TSRegisterAll());
  PetscCall(PetscFunctionListGet(TSList, &names, &count));
  for (int i = 0; i < count; ++i) {
    PetscErrorCode (*create)(TS);
    PetscCall(PetscFunctionListFind(TSList, names[i], &create));
    PetscCall(PetscFunctionListAdd(&constructors, names[i], create));
  }
  for (int i = 0; i < count; ++i) PetscCall(TSRegister(names[i], create_type));
  PetscCall(PetscFree(names));
  PetscCall(PetscRegisterFinalize(require_run));
  PetscFunctionReturn(0);
}

/* Ours are the structs and numbers of the PETSc that we were compiled for. A number that is wider there is written to
 * both of a pair. */
static PetscErrorCode check_version(void) {
  PetscInt pair[2] = {-1, -1}, major, minor;
  PetscDataType scalar;
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(pair, NULL, NULL, NULL));
  PetscCheck(pair[1] == -1, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "libimpinge_petsc was built with a PETSc whose integers are narrower than those of this program: build it "
             "with that");
  PetscCall(PetscDataTypeFromString("scalar", &scalar, &found));
  PetscCheck(scalar == PETSC_DOUBLE, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "contact needs a PETSc of real numbers in double precision, and this program has another one");
  PetscCall(PetscGetVersionNumber(&major, &minor, NULL, NULL));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "libimpinge_petsc was built with PETSc %d.%d, and this program has %" PetscInt_FMT ".%" PetscInt_FMT
             ": build it with that",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, major, minor);
  PetscFunctionReturn(0);
}

PetscErrorCode PetscDLLibraryRegister_impinge_petsc(void) {
  PetscFunctionBegin;
  PetscCall(check_version());
  PetscCall(IpgInitializePackage());
  PetscCall(wrap_types());
  PetscFunctionReturn(0);
}
