/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What differs between PETSc 3.18 and 3.25, and nothing else. */
#ifndef IMPINGE_PLUGIN_PETSC_VERSIONS_H
#define IMPINGE_PLUGIN_PETSC_VERSIONS_H

#include <petscts.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "contact needs a PETSc of real numbers in double precision"
#endif

/* What functions that read options are given, and what destroys a context: its pointer, or where that is. */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *IpgOptionItems;
typedef void *IpgContextArgument;
#define IpgContextOf(argument) (argument)
#define IpgContainerSetDestroy PetscContainerSetUserDestroy
#else
typedef PetscOptionItems IpgOptionItems;
#if PETSC_VERSION_LT(3, 25, 0)
typedef void **IpgContextArgument;
#else
typedef void *IpgContextArgument;
#endif
#define IpgContextOf(argument) (*(void **)(argument))
#define IpgContainerSetDestroy PetscContainerSetCtxDestroy
#endif

#if PETSC_VERSION_LT(3, 20, 0)
#define PetscAssertPointer PetscValidPointer
#endif

/* TSRollBack puts the solution back for every type, also where the type has no rollback of its own. */
#define IPG_EVERY_TYPE_ROLLS_BACK PETSC_VERSION_GE(3, 21, 0)

#endif
