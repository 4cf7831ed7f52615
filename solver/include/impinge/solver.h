/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The explicit impact solver.
 *
 * ipg_solid: elastic bodies of four-node tetrahedral elements: lumped masses, internal forces, strain energy, critical
 * time step. Element forces are computed in parallel and added at each node in the order of elements, so they have the
 * same bits for any number of threads.
 * ipg_deck: the input deck of a run in YAML, checked with line and column, as a list of options.
 * ipg_impact_run: a run, on PETSc's time stepper with the contact plug-in.
 *
 * Threads: two solids or decks may be used from two threads at once. Of one object, calls that take it as const may run
 * at the same time; any other call runs alone. PETSc runs in one thread of a process: ipg_solver_start, ipg_impact_run
 * and ipg_solver_finish are called by the same thread.
 */
#ifndef IMPINGE_SOLVER_H
#define IMPINGE_SOLVER_H

#include "impinge/base.h"
#include "impinge/meshio.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------------- solid elements */

/* Compressible neo-Hookean; Hooke's law for small strains. */
typedef struct ipg_material {
  double density, young, poisson;
} ipg_material;

typedef struct ipg_solid ipg_solid;

/* materials: one per block of the mesh. The mesh must outlive the solid. */
IPG_API ipg_status ipg_solid_create(const ipg_mesh *mesh, const ipg_material *materials, const ipg_allocator *allocator,
                                    const ipg_tasks *tasks, ipg_solid **solid, ipg_error *error);
IPG_API void ipg_solid_destroy(ipg_solid **solid);
/* The lumped mass of each node. */
IPG_API const double *ipg_solid_get_masses(const ipg_solid *solid);
/* Internal forces at displacements u (3 per node), with the sign of the right-hand side. Fails with IPG_ERROR_NUMBER if
 * an element has a negative volume, and says which one, of which block and where. Uses scratch memory of the solid. */
IPG_API ipg_status ipg_solid_compute_forces(ipg_solid *solid, const double *u, double *forces, ipg_error *error);
/* Strain energy of all elements. */
IPG_API double ipg_solid_compute_energy(const ipg_solid *solid, const double *u);
/* A lower bound of the critical time step 2 / (highest frequency), and the gid of the element that governs it. Uses
 * scratch memory of the solid. */
IPG_API double ipg_solid_compute_critical_time_step(ipg_solid *solid, const double *u, ipg_gid *element);
/* The same, no shorter, from sums at nodes: rates are squares of frequencies that others, such as contact, add at each
 * node of the mesh. */
IPG_API double ipg_solid_compute_assembled_time_step(ipg_solid *solid, const double *u, const double *rates,
                                                     ipg_gid *element);

/* ------------------------------------------------------------------------------------------------------- input deck */

enum { IPG_DECK_KEY_MAX = 80 }; /* letters of one word of a key, such as the name of a block */

/* One value of a deck: blocks: {ball: {young: 2e11}} is option "blocks_ball_young" with value "2e11". */
typedef struct ipg_deck_entry {
  char *option, *path, *value; /* path: as in the deck, for messages: blocks.ball.young */
  int line, column;
} ipg_deck_entry;

typedef struct ipg_deck {
  char *file, *text; /* text: the whole file, text_bytes of it */
  ipg_deck_entry *entries;
  int64_t count, capacity, text_bytes;
  bool force; /* a run replaces any file that exists; not set by ipg_deck_read */
} ipg_deck;

/* Checks keys, types and ranges. The message of a failure begins with file:line:column; the deck is then empty. */
IPG_API ipg_status ipg_deck_read(const char *path, ipg_deck *deck, ipg_error *error);
IPG_API void ipg_deck_destroy(ipg_deck *deck);
/* NULL if the deck does not have the option. */
IPG_API const char *ipg_deck_get_value(const ipg_deck *deck, const char *option);
/* Checks an option of the command line (without its dash) and its value (NULL: none) by the rules of a deck, where a
 * list is written with commas. is_key: whether it is a key of a deck; others are accepted. */
IPG_API ipg_status ipg_deck_check_option(const char *option, const char *value, bool *is_key, ipg_error *error);
/* Prints a table of all keys with their meaning. */
IPG_API void ipg_deck_print_keys(FILE *stream);
/* The name of a block as part of an option: lower case, everything but letters and digits becomes '_'. */
IPG_API void ipg_deck_make_option_name(const char *name, char *option, size_t bytes);

/* -------------------------------------------------------------------------------------------------------------- run */

/* The results of a run in numbers. Energies are those of the end of the run unless the name gives another time; those
 * of contact have the names of ipg_contact_energy_balance (impinge/contact.h). */
typedef struct ipg_impact_summary {
  int64_t steps, activations, audits;
  double time;
  double energy_error, momentum_error;                    /* relative to largest_energy, and to the sum of m |v| */
  double largest_energy;                                  /* kinetic + strain + contact; 0 if all of it is rounding */
  double largest_energy_error, largest_energy_error_time; /* of all outputs */
  double momentum_before[3], momentum_after[3];
  double kinetic_energy_before, kinetic_energy, strain_energy, contact_energy;
  double kinetic_correction; /* what energy_error counts besides: see IpgTSGetKineticCorrection */
  double spring_net_loss, friction_dissipation, damping_dissipation, kinematic_dissipation;
  double largest_contact_energy;                                   /* of all steps */
  double smallest_spring_net_loss, smallest_kinematic_dissipation; /* of all steps; below 0: contact made energy */
  double deepest_penetration;            /* of all steps, what was there at the start included */
  int64_t passed_nodes;                  /* that went right through a body; penalty contact */
  double residual_penetration;           /* the deepest that kinematic contact left */
  double mean_edge;                      /* of the mesh at the start */
  double wall_impulse[3], external_work; /* momentum and energy given by rigid walls */
  uint64_t fingerprint;                  /* of all positions and velocities at the end: equal bits give equal numbers */
} ipg_impact_summary;

/* Whether the results of a run have a nodal variable, or a vector, of this name. */
IPG_API bool ipg_impact_has_field(const char *name);

/* Checks the options of a command line with their values. A run takes the keys of decks, and of PETSc's options those
 * that print to standard output; it takes none twice. */
IPG_API ipg_status ipg_solver_check_options(int count, char *const *words, ipg_error *error);
/* Initialises PETSc with the options of the command line (argv[0] is the program), and MPI if it is not running; once
 * per process, before the first run. Options in PETSC_OPTIONS and in the files that PETSc reads at its start are
 * checked as those of a command line. A program that calls PetscInitialize itself calls neither this nor
 * ipg_solver_finish. */
IPG_API ipg_status ipg_solver_start(int argc, char **argv, ipg_error *error);
/* The value of an option (without its dash), wherever PETSc has read it: on the command line, in PETSC_OPTIONS, in a
 * file of options; NULL if it is not given. Between start and finish. */
IPG_API const char *ipg_solver_find_option(const char *option);
/* Finalises PETSc, after the last run. */
IPG_API void ipg_solver_finish(void);
/* Runs the deck and writes status lines to `log`. A relative path of a mesh is looked up beside the deck first, then in
 * the current folder; results are written relative to the current folder. An existing file is replaced if it is the
 * result of a run of the same deck, or with deck->force. A process may make any number of runs, one after another.
 * Options of the command line hold for all of them and override those of a deck; options of a deck hold for its run
 * only. */
IPG_API ipg_status ipg_impact_run(const ipg_deck *deck, FILE *log, ipg_impact_summary *summary, ipg_error *error);

#ifdef __cplusplus
}
#endif
#endif
