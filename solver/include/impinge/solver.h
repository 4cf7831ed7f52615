/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The explicit impact solver.
 *
 * ipg_solid: elastic tetrahedral bodies as flat arrays: lumped masses, internal forces, energies, stable step. Forces
 * of elements are computed in parallel and added per node in the order of elements: the same bits for any threads.
 * ipg_deck: a run described in YAML, checked with line and column, turned into options.
 * ipg_impact_run: the run itself, on PETSc's time stepper with the contact plug-in.
 */
#ifndef IMPINGE_SOLVER_H
#define IMPINGE_SOLVER_H

#include "impinge/base.h"
#include "impinge/meshio.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------ solid */

/* Compressible neo-Hookean: Hooke's law for small strains. */
typedef struct ipg_material {
  double density, young, poisson;
} ipg_material;

typedef struct ipg_solid ipg_solid;

/* materials: one per block of the mesh, which must outlive the solid. */
IPG_API ipg_status ipg_solid_create(const ipg_mesh *mesh, const ipg_material *materials, const ipg_allocator *allocator,
                                    const ipg_tasks *tasks, ipg_solid **solid, ipg_error *error);
IPG_API void ipg_solid_destroy(ipg_solid **solid);
/* Lumped mass of each node. */
IPG_API const double *ipg_solid_masses(const ipg_solid *solid);
/* Internal forces at displacements u (3 per node), as they stand on the right-hand side. Fails with IPG_ERROR_NUMBER
 * and names the first element that is inside out. */
IPG_API ipg_status ipg_solid_forces(ipg_solid *solid, const double *u, double *forces, ipg_error *error);
IPG_API double ipg_solid_energy(const ipg_solid *solid, const double *u);
/* Below 2 / (highest frequency); the element that governs it is given by its gid. */
IPG_API double ipg_solid_stable_step(ipg_solid *solid, const double *u, ipg_gid *element);

/* ------------------------------------------------------------------------------------------------------------- deck */

/* One value of a deck: blocks: {ball: {young: 2e11}} is option "blocks_ball_young", value "2e11". */
typedef struct ipg_deck_entry {
  char *option, *path, *value; /* path: as in the deck, for messages: blocks.ball.young */
  int line, column;
} ipg_deck_entry;

typedef struct ipg_deck {
  char *file;
  ipg_deck_entry *entries;
  int64_t count, capacity;
} ipg_deck;

/* Checks keys, types and ranges; the message of a failure begins with file:line:column. */
IPG_API ipg_status ipg_deck_read(const char *path, ipg_deck *deck, ipg_error *error);
IPG_API void ipg_deck_destroy(ipg_deck *deck);
/* NULL if the deck does not say. */
IPG_API const char *ipg_deck_value(const ipg_deck *deck, const char *option);
/* A key as an option of the command line, without its dash. Its value (NULL: there is none) is checked as in a deck,
 * but that a list is written with commas; options that are no keys are let pass. */
IPG_API ipg_status ipg_deck_check_option(const char *option, const char *value, ipg_error *error);
/* A table of all keys with their meaning. */
IPG_API void ipg_deck_describe(FILE *to);
/* The name of a block as part of an option: lower case, everything but letters and digits becomes '_'. */
IPG_API void ipg_option_name(const char *name, char *option, size_t bytes);

/* -------------------------------------------------------------------------------------------------------------- run */

/* What a run has to tell at its end. */
typedef struct ipg_impact_summary {
  int64_t steps, activations, audits;
  double time, energy_error, momentum_error; /* errors relative to the largest energy, to the sum of m |v| */
  double largest_energy;                     /* of motion, strain and contact together; 0 if all is rounding */
  double worst_energy_error, worst_time;     /* the largest that any output saw, and when */
  double momentum_before[3], momentum_after[3];
  double kinetic_before, kinetic_after, strain_after, contact_after, spring_net_loss, friction, damping, kinematic;
  double largest_contact, least_released, least_kinematic; /* of all steps */
  double deepest, mean_edge;             /* the deepest overlap of all steps, and of the mesh at the start */
  double residual;                       /* the deepest overlap that kinematic contact left */
  double wall_impulse[3], external_work; /* momentum and energy that planes gave */
  uint64_t fingerprint;                  /* of all places and velocities at the end: equal bits, equal number */
} ipg_impact_summary;

/* Do the results of a run have a nodal field of this name, or a vector of this base name? */
IPG_API bool ipg_impact_has_field(const char *name);
/* Starts PETSc with the arguments (argv[0] is the program), runs the deck and writes status lines to `log`. Options in
 * argv go before those of the deck. */
IPG_API ipg_status ipg_impact_run(int argc, char **argv, const ipg_deck *deck, FILE *log, ipg_impact_summary *summary,
                                  ipg_error *error);

#ifdef __cplusplus
}
#endif
#endif
