/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The inside of the PETSc class: its state, and what the files of this room do for each other.
 *   host.h                 contact by options alone, with files of its own
 *   register.c             registration with PETSc, and the creation of a contact
 *   central_difference.c   the time stepper impinge_cd
 *   options.c              the options -contact_...
 *   contact.c              the class: settings, one step, queries
 *   view.c                 IpgContactView
 *   initial_penetration.c  nodes that are inside a body at the start
 *   record.c               -contact_record
 *   results.c              one result file from many ranks
 * A file calls only files below it in this list. */
#ifndef IMPINGE_PLUGIN_IMPL_H
#define IMPINGE_PLUGIN_IMPL_H

#include "impinge/files.h"
#include "impinge/petsc.h"
#include "impinge/surface.h"
#include "petsc_versions.h"
#include <petsc/private/petscimpl.h>

struct _IpgContactOps {
  PetscErrorCode (*view)(IpgContact, PetscViewer);
};

enum { IPG_MAX_OPTION_WALLS = 16 };

struct _p_IpgContact {
  PETSCHEADER(struct _IpgContactOps);
  ipg_contact_config config;
  ipg_contact_wall walls[IPG_MAX_OPTION_WALLS];
  char search_method[64];
  PetscInt threads, audit_interval, record_step, monitor_interval;
  PetscInt initial_penetration; /* an INITIAL_PENETRATION_... */
  PetscInt audit_count;
  ipg_output *recording; /* the file of -contact_record, claimed; NULL before the start */
  FILE *log;
  ipg_pool *pool; /* of -contact_threads, if the host code gave no tasks */
  PetscBool host_tasks;
  PetscBool attached;                     /* to an impinge_cd, whose predicted positions may be moved */
  PetscBool initial_penetration_resolved; /* and the bodies have not moved since */
  double *thicknesses;                    /* of the mesh's blocks, or NULL */
  double *reference_velocities;           /* 3 per block, or NULL */
  PetscReal penetration_limit;            /* in edges; 0: none */
  PetscBool warned_of_depth;
  PetscInt warnings_of_passing;
  double *moduli; /* bulk moduli of the mesh's blocks, or NULL */
  PetscInt moduli_count;
  char (*block_names)[sizeof(ipg_name)]; /* of the mesh */
  ipg_mesh_surface surface;
  ipg_contact *contact;
  PetscInt mesh_node_count;
  int64_t nodes_inside_at_start; /* reported once at the start, so audits do not report them again */
  /* 3 values per surface node. velocities: before the forces of the step, for kinematic contact. */
  double *mesh_positions, *trial_positions, *velocities, *forces;
  PetscBool has_velocities;   /* of the trial state */
  double *accepted_positions; /* of the last accepted state that a host has taken */
};

/* The words of -contact_initial_penetration, in this order. */
enum {
  INITIAL_PENETRATION_REPORT,
  INITIAL_PENETRATION_IGNORE,
  INITIAL_PENETRATION_REMOVE,
  INITIAL_PENETRATION_STOP,
  INITIAL_PENETRATION_WORDS
};
extern const char *const IpgInitialPenetrationWords[INITIAL_PENETRATION_WORDS];

/* The words of -contact_enforcement, by ipg_contact_enforcement. */
enum { ENFORCEMENT_WORDS = 2 };
extern const char *const IpgEnforcementWords[ENFORCEMENT_WORDS];

extern PetscClassId IPG_CONTACT_CLASSID; /* 0 until IpgInitializePackage */

PetscErrorCode IpgContactRegisterClass(void);
PetscErrorCode TSCreate_ImpingeCD(TS ts);
/* The contact attached to a TS, or NULL. */
PetscErrorCode IpgTSGetContact(TS ts, IpgContact *contact);
bool IpgContactIsKinematic(IpgContact contact);
/* Claims the file of -contact_record, if there is one, until the contact is destroyed. */
PetscErrorCode IpgContactClaimRecording(IpgContact contact);
/* Records the step that is about to be evaluated, if it is the one of -contact_record. */
PetscErrorCode IpgContactRecordStep(IpgContact contact, PetscReal t);

/* For a host, whose vectors are not those of the mesh (host.h). Positions (or displacements) and velocities of the
 * surface, 3 per node; velocities: NULL where they are not known. */
void IpgContactTakeSurface(IpgContact contact, const PetscScalar *u, const PetscScalar *velocities,
                           PetscBool is_position);
bool IpgContactHasFiniteSurface(IpgContact contact);
/* Keeps the positions, and whether the surface is there still. */
void IpgContactKeepAccepted(IpgContact contact);
bool IpgContactIsAtAccepted(IpgContact contact);
PetscErrorCode IpgContactStartAtSurface(IpgContact contact, PetscReal t);
/* The forces are valid until the next call. */
PetscErrorCode IpgContactComputeAtSurface(IpgContact contact, PetscReal t, double **forces);

/* Turns a failure of the library into an error of PETSc with the same sentence. */
#define IpgCall(comm, error, ...)                                                                                      \
  do {                                                                                                                 \
    if (PetscUnlikely(__VA_ARGS__)) SETERRQ(comm, PETSC_ERR_USER, "%s", (error).message);                              \
  } while (0)

#endif
