/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The inside of a run: its state, and what its files do for each other.
 *   options.c   the deck and the command line become PETSc options
 *   bodies.c    meshes, materials, velocities at the start
 *   balance.c   energies and momentum
 *   results.c   the result file and the status lines
 *   run.c       the phases, the step, PETSc */
#ifndef IMPINGE_SOLVER_IMPACT_H
#define IMPINGE_SOLVER_IMPACT_H

#include "impinge/petsc.h"
#include "impinge/solver.h"

enum { IMPACT_NODAL_FIELDS = 9, IMPACT_PATH_BYTES = 512 };

/* Energies and momentum at one moment. */
typedef struct balance {
  double kinetic, strain, contact, spring_net_loss, friction, damping, kinematic, work, external_work;
  double momentum[3], wall_impulse[3], momentum_scale;
  PetscInt contacts;
} balance;

/* What a run came to at most so far: of all balances, and of contact in all steps. */
typedef struct extremes {
  double energy;                              /* of motion, strain and contact together: what errors are measured by */
  double rounding;                            /* an energy below it is none */
  double momentum;                            /* the sum of m |v| */
  double error, error_time;                   /* the error is an energy here */
  double contact, spring_net_loss, kinematic; /* the first at most, the others at least */
} extremes;

typedef struct run {
  FILE *log;
  ipg_mesh mesh;
  ipg_solid *solid;
  PetscReal *moduli; /* bulk moduli of the blocks */
  ipg_pool *pool;
  ipg_tasks tasks;
  IpgContact contact;
  TS ts;
  Vec u, v, contact_force;
  ipg_results *results;
  double *fields[IMPACT_NODAL_FIELDS];
  PetscReal end, safety;
  PetscInt output_count, outputs, threads;
  ipg_gid governing; /* the element with the smallest step */
  balance first;
  extremes most;
  PetscLogDouble started;
  ipg_impact_summary *summary;
} run;

/* A sentence of the library becomes an error of PETSc. */
#define LibraryCall(error, ...)                                                                                        \
  do {                                                                                                                 \
    if (PetscUnlikely(__VA_ARGS__)) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "%s", (error).message);                   \
  } while (0)

/* options.c */
PetscErrorCode impact_insert_deck(const ipg_deck *deck);
PetscErrorCode impact_read_options(run *r);
/* A text that is too long for its place is refused, never cut. */
PetscErrorCode impact_read_text(const char *option, char text[IMPACT_PATH_BYTES], PetscBool *given);
PetscErrorCode impact_refuse_unread_options(void);
/* bodies.c */
PetscErrorCode impact_read_meshes(run *r);
PetscErrorCode impact_refuse_unknown_blocks(const run *r, const ipg_deck *deck);
PetscErrorCode impact_make_solid(run *r);
/* The energy that is nothing but rounding, as strain is computed from places: a last bit of the moduli of all. */
double impact_rounding_of_energy(const run *r);
PetscErrorCode impact_set_velocities(run *r);
PetscErrorCode impact_set_thicknesses(run *r);
/* balance.c */
PetscErrorCode impact_take_balance(run *r, balance *b);
PetscErrorCode impact_watch_contact(run *r); /* in each step: it costs nothing */
/* Each balance is watched once, before its errors are asked for. */
void impact_watch_balance(run *r, PetscReal t, const balance *b);
bool impact_has_energy(const run *r);
double impact_energy_error(const run *r, const balance *b);
double impact_momentum_error(const run *r, const balance *b);
PetscErrorCode impact_summarise(run *r);
/* results.c */
PetscErrorCode impact_open_results(run *r);
PetscErrorCode impact_announce(run *r);
PetscErrorCode impact_monitor(TS ts, PetscInt step, PetscReal t, Vec U, void *context);
PetscErrorCode impact_print_summary(run *r);

#endif
