/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact by options alone: a host is a TS of a program that has never heard of contact, and what was added to it.
 *
 *   host_types.c       wraps the types of time steppers: those created with -contact become hosts
 *   host.c             a host's steps: contact is set up before the first one, accepted and reverted with them
 *   host_warnings.c    what does not go together well
 *   host_options.c     its options
 *   host_functions.c   adds the contact force to the functions that the program gave the TS
 *   host_mass.c        masses of the nodes, from these functions or from options
 *   host_layout.c      where displacements and velocities of the mesh's nodes are in the program's vector
 *
 * The force is a function of time, displacements and velocities, and of the last accepted step, so the TS may evaluate
 * it as often and where it likes. Only an accepted step changes what it depends on. */
#ifndef IMPINGE_PLUGIN_HOST_H
#define IMPINGE_PLUGIN_HOST_H

#include "impl.h"
#include <petsc/private/tsimpl.h>

/* The function that carries the contact force. */
typedef enum host_kind {
  HOST_I2FUNCTION, /* second order: M a - f = 0 */
  HOST_RHSFUNCTION,
  HOST_IFUNCTION,
  HOST_SPLIT,     /* the right-hand side of the part "momentum", which sees the part "position" only */
  HOST_IMPINGE_CD /* takes contact itself */
} host_kind;

/* A function of the program, which contact's replaces. Its context lives as long as we call it. */
typedef struct host_function {
  void (*function)(void);
  void *context;
  PetscContainer container;
} host_function;

/* From the program's vector to the nodes of the surface, three values each. */
typedef struct host_layout {
  VecScatter displacement, velocity; /* velocity: NULL where the program has vectors of its own for both, or none */
  PetscBool is_position;             /* it holds positions, not displacements */
  Vec u, v, force;                   /* at the nodes of the surface, on this rank */
} host_layout;

/* Of -contact_layout, in this order. */
enum { LAYOUT_NODES, LAYOUT_HALVES, LAYOUT_INTERLEAVED, LAYOUT_INDEX_SETS, LAYOUT_WORDS };
extern const char *const IpgLayoutWords[LAYOUT_WORDS];
enum { MOST_DENSITIES = 1024, MOST_FIXED = 64 };

typedef struct host_options {
  char mesh[PETSC_MAX_PATH_LEN], coordinates[PETSC_MAX_PATH_LEN], displacement[PETSC_MAX_PATH_LEN],
      velocity[PETSC_MAX_PATH_LEN];
  PetscBool has_mesh, has_layout, has_coordinates, has_displacement, has_velocity, has_density;
  PetscInt layout, is_position, density_count;
  PetscReal densities[MOST_DENSITIES];
  char *fixed[MOST_FIXED]; /* names of node sets */
  PetscInt fixed_count;
} host_options;

typedef struct ipg_host {
  TS ts; /* holds this host */
  host_options options;
  IpgContact contact;
  ipg_mesh mesh;
  PetscErrorCode (*step)(TS), (*rollback)(TS), (*setup)(TS); /* of the type */
  PetscBool is_ready;                                        /* contact has been set up */
  PetscBool is_implicit;                                     /* the type solves equations in each step */
  PetscBool warned_of_step;
  host_kind kind;
  host_function function; /* of the program, and its DM, while ours replaces it */
  DM dm;
  int64_t calls;                                     /* of ours in this step */
  PetscInt accepted;                                 /* steps */
  PetscReal time_shift;                              /* from the program's time to that of contact, which only grows */
  PetscInt *displacement_indices, *velocity_indices; /* 3 per mesh node: where its values are in the program's vector */
  host_layout layout;
  double *masses;       /* of the mesh's nodes */
  double *mesh_factors; /* 3 per mesh node: of the force in the function that carries it */
  double *factors;      /* the same at the nodes of the surface */
} ipg_host;

/* Makes a TS whose type has just been created a host. */
PetscErrorCode IpgHostCreate(TS ts);
/* Whether a step ran with contact: else the end of the program complains. */
PetscBool IpgHostHasRun(void);

/* Which function carries the force; an error where there is none. */
PetscErrorCode IpgHostFindKind(ipg_host *host);
/* Our function replaces the program's for a step. */
PetscErrorCode IpgHostReplaceFunction(ipg_host *host);
PetscErrorCode IpgHostRestoreFunction(ipg_host *host);
/* The contact force at time t. V: NULL where U has the velocities too, or where there are none. */
PetscErrorCode IpgHostComputeForce(ipg_host *host, PetscReal t, Vec U, Vec V);

/* What does not go together well: before the first step, and before any. */
PetscErrorCode IpgHostWarn(ipg_host *host);
PetscErrorCode IpgHostWarnOfStep(ipg_host *host);
PetscErrorCode IpgHostRefuseUnknownOptions(ipg_host *host);

/* Sets host->masses and host->mesh_factors. */
PetscErrorCode IpgHostFindMasses(ipg_host *host);

/* As part of IpgContactSetFromOptions; context: the host. */
PetscErrorCode IpgHostReadOptions(PetscObject contact, IpgOptionItems PetscOptionsObject, void *context);
/* Sets the indices. */
PetscErrorCode IpgHostFindIndices(ipg_host *host);
/* When the surface is known. */
PetscErrorCode IpgHostCreateLayout(ipg_host *host);
PetscErrorCode IpgHostDestroyLayout(ipg_host *host);
/* The program's vector, or its part with the positions: what the layout is about. */
PetscErrorCode IpgHostGetState(ipg_host *host, Vec *U);
PetscErrorCode IpgHostRestoreState(ipg_host *host, Vec *U);
/* Hands the positions and velocities of the surface to contact. V: as above. */
PetscErrorCode IpgHostGather(ipg_host *host, Vec U, Vec V);

#endif
