/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The inside of the PETSc class. */
#ifndef IMPINGE_PLUGIN_IMPL_H
#define IMPINGE_PLUGIN_IMPL_H

#include "impinge/petsc.h"
#include "impinge/surface.h"
#include <petsc/private/petscimpl.h>

struct _IpgContactOps {
  PetscErrorCode (*view)(IpgContact, PetscViewer);
};

enum { IPG_MOST_OPTION_WALLS = 16 };

struct _p_IpgContact {
  PETSCHEADER(struct _IpgContactOps);
  ipg_contact_config config;
  ipg_contact_wall walls[IPG_MOST_OPTION_WALLS];
  char search_method[64];
  PetscInt threads, audit_every, record_step, overlap; /* overlap: an OVERLAP_... */
  PetscInt audits;                                     /* so far */
  FILE *log;
  ipg_pool *pool; /* of -contact_threads, when the host gave no tasks */
  PetscBool host_tasks, edges;
  PetscBool attached;  /* to a time stepper of ours, which moves what it predicts */
  PetscBool resolved;  /* what overlaps at the start; nothing has moved since */
  double *thicknesses; /* of blocks, or NULL */
  ipg_mesh_surface surface;
  ipg_contact *contact;
  PetscInt mesh_nodes;
  PetscInt block_count;    /* of the moduli */
  double *moduli;          /* bulk moduli of the mesh's blocks, or NULL */
  int64_t inside_at_start; /* nodes that overlapped before the first step: told once, not again by audits */
  /* 3 per surface node: of the mesh, now, velocities before a prediction, and what contact gives */
  double *places, *trial, *came, *force;
};

/* The words of -contact_initial_penetration, in this order. */
enum { OVERLAP_REPORT, OVERLAP_IGNORE, OVERLAP_REMOVE, OVERLAP_STOP, OVERLAP_WORDS };
extern const char *const IpgOverlapWords[OVERLAP_WORDS];

/* The contact attached to a TS, or NULL. */
PetscErrorCode IpgContactOfTS(TS ts, IpgContact *contact);
bool IpgContactIsKinematic(IpgContact contact);
PetscErrorCode TSCreate_ImpingeCD(TS ts);
/* Writes the step that is about to be evaluated, if it is the one that was asked for. */
PetscErrorCode IpgContactRecordStep(IpgContact contact, PetscReal dt);

extern PetscClassId IPG_CONTACT_CLASSID;
extern PetscLogEvent IPG_ComputeForce;

/* A sentence of the library becomes an error of PETSc. */
#define IpgCall(comm, error, ...)                                                                                      \
  do {                                                                                                                 \
    if (PetscUnlikely(__VA_ARGS__)) SETERRQ(comm, PETSC_ERR_USER, "%s", (error).message);                              \
  } while (0)

#endif
