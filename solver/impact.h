/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The inside of a run: its state, and what the files of this room do for each other.
 *   run.c              the phases of a run, the choice of the time step
 *   results.c          the result file and the printed lines
 *   result_file.c      the claim of the result file, what it records about the run
 *   energy_balance.c   energies and momentum
 *   setup.c            meshes, materials, initial velocities, thicknesses
 *   options.c          the deck and the command line as PETSc options
 *   deck.c             the input deck
 *   elements.c         the elements of all bodies, on element_t4.c, one element
 *   start.c            start and end of PETSc
 * A file calls only files below it in this list. */
#ifndef IMPINGE_SOLVER_IMPACT_H
#define IMPINGE_SOLVER_IMPACT_H

#include "impinge/petsc.h"
#include "impinge/solver.h"

#include <time.h>

enum { IMPACT_NODAL_FIELDS = 9, IMPACT_PATH_BYTES = 512, IMPACT_SOURCE_BYTES = 256 };

/* Energies and momentum at one time. Those of contact have the names of ipg_contact_energy_balance. */
typedef struct energy_balance {
  double kinetic_energy, strain_energy, contact_energy, contact_work, external_work;
  double spring_net_loss, friction_dissipation, damping_dissipation, kinematic_dissipation;
  double kinetic_correction; /* to the kinetic energy that the time stepper keeps; 0 with springs at nodes */
  double momentum[3], wall_impulse[3];
  double momentum_sum; /* of m |v| */
  PetscInt contact_count;
} energy_balance;

/* The extreme values of a run so far. */
typedef struct run_extremes {
  /* Of all outputs. */
  double energy;   /* the largest kinetic + strain + contact energy: errors are relative to it */
  double rounding; /* an energy below it is rounding */
  double momentum_sum;
  double energy_error, energy_error_time; /* the largest by its amount, as an energy */
  /* Of all steps. */
  double contact_energy;                         /* the largest */
  double spring_net_loss, kinematic_dissipation; /* the smallest: below 0 contact has made energy */
  double penetration;                            /* the deepest, initial penetration included */
} run_extremes;

typedef struct run {
  FILE *log;
  const ipg_deck *deck;
  PetscBool *deck_option_holds; /* one per entry of the deck */
  ipg_mesh mesh;
  ipg_solid *solid;
  ipg_material *materials; /* of the blocks */
  PetscReal *moduli;       /* bulk moduli of the blocks */
  double *contact_rates;   /* at each node; see ipg_contact_node_rates */
  ipg_pool *pool;
  ipg_tasks tasks;
  IpgContact contact;
  TS ts;
  Vec u, v, contact_force;
  char *options;      /* those that are not from the deck */
  ipg_output *output; /* NULL: no results are written */
  time_t date;        /* that the results record */
  ipg_results *results;
  double *nodal_fields[IMPACT_NODAL_FIELDS];
  PetscReal end_time, time_safety;
  PetscInt output_count, outputs_done, threads;
  ipg_gid governing_element; /* the one with the smallest critical time step */
  energy_balance start_balance;
  run_extremes extremes;
  PetscLogDouble start_clock;
  ipg_impact_summary *summary;
} run;

/* Turns a failure of a library of ours into an error of PETSc with the same sentence. */
#define LibraryCall(error, ...)                                                                                        \
  do {                                                                                                                 \
    if (PetscUnlikely(__VA_ARGS__)) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER, "%s", (error).message);                   \
  } while (0)

/* option_words.c: options that PETSc reads by itself at its start; `words` are those of the command line. */
ipg_status impact_check_options_elsewhere(int count, char *const *words, ipg_error *error);

/* options.c */
/* Options of the command line override those of the deck. */
PetscErrorCode impact_insert_deck_options(run *r);
/* A later run must not see the options of this deck. */
PetscErrorCode impact_remove_deck_options(run *r);
PetscErrorCode impact_read_options(run *r);
/* Where the value of an option (without its dash) comes from, for messages: FILE:LINE:COLUMN: KEY, or the option. */
void impact_name_option(const run *r, const char *option, char text[IMPACT_SOURCE_BYTES]);
/* Refuses contact options that contradict each other. */
PetscErrorCode impact_check_contact_options(const run *r);
/* Fails unless contact.enforcement is the owner: the option with this value belongs to it. */
PetscErrorCode impact_refuse_unless(const run *r, const char *owner, const char *option, const char *value);
/* A text that is too long for its buffer is refused, never cut. */
PetscErrorCode impact_read_text_option(const char *option, char text[IMPACT_PATH_BYTES], PetscBool *given);
PetscErrorCode impact_refuse_unread_options(void);
/* setup.c */
PetscErrorCode impact_read_meshes(run *r);
PetscErrorCode impact_refuse_unknown_blocks(const run *r);
PetscErrorCode impact_create_solid(run *r);
PetscErrorCode impact_set_initial_velocities(run *r);
PetscErrorCode impact_set_reference_velocities(run *r);
PetscErrorCode impact_set_thicknesses(run *r);
/* The rounding error of the strain energy, which is computed from positions: the last bit of bulk modulus times volume,
 * summed over all elements. */
double impact_estimate_energy_rounding(const run *r);
/* Of an element, by its number in the file. */
const ipg_block *impact_find_block(const run *r, ipg_gid element);
/* energy_balance.c */
PetscErrorCode impact_compute_balance(run *r, energy_balance *b);
/* In each step; it costs next to nothing. */
PetscErrorCode impact_update_contact_extremes(run *r);
/* Once for each balance, before its errors are computed. */
void impact_update_balance_extremes(run *r, PetscReal t, const energy_balance *b);
/* False if all energy is rounding: then an energy error has no meaning. */
bool impact_has_energy(const run *r);
double impact_compute_energy_error(const run *r, const energy_balance *b);
double impact_compute_momentum_error(const run *r, const energy_balance *b);
PetscErrorCode impact_fill_summary(run *r);
/* result_file.c */
/* Before the options of the deck are inserted. */
PetscErrorCode impact_keep_options(run *r);
PetscErrorCode impact_claim_results(run *r);
/* In the mesh, before the results are created from it. */
PetscErrorCode impact_record_provenance(run *r);
/* results.c */
PetscErrorCode impact_open_results(run *r);
PetscErrorCode impact_print_header(run *r);
PetscErrorCode impact_monitor_step(TS ts, PetscInt step, PetscReal t, Vec U, void *context);
/* The state at which the run fails, as the last result step; nothing where there are no results, or where a position is
 * not finite. `file`: the name of the results, or empty. */
PetscErrorCode impact_write_failed_state(run *r, PetscReal t, char file[IMPACT_PATH_BYTES]);
PetscErrorCode impact_print_summary(run *r);

#endif
