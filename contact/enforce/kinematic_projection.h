/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Kinematic projection: moves predicted positions until no contact penetrates. step.c alternates between detection on
 * the projected paths and ipg_hold_contacts / ipg_project_positions. */
#ifndef IMPINGE_ENFORCE_KINEMATIC_PROJECTION_H
#define IMPINGE_ENFORCE_KINEMATIC_PROJECTION_H

#include "model/step.h"

/* The demand of one contact, besides its pair, and its push. Pushes are mass times length. */
typedef struct ipg_push {
  int64_t island;    /* index of the first contact of its island */
  double least_gap;  /* gap that the contact accepts */
  double compliance; /* how much farther apart a push of 1 moves the sides, with their share of the mass of nodes */
  double converged;  /* motion of the sides in a sweep that is next to nothing */
  double friction_coefficient;
  vec before, predicted;     /* separation vector before the step, and without pushes */
  vec approach;              /* its change in the step at the velocities before the step's forces */
  vec apart;                 /* separation vector in the last sweep */
  double normal, old_normal; /* the push, and that of the sweep before */
  vec friction, old_friction;
  double uphill;
  bool is_open;
} ipg_push;

/* Contacts that are joined by nodes that they share. */
typedef struct ipg_island {
  double pace, carried, uphill;                     /* of its sweeps */
  double to_prediction, to_motion, rounding, drift; /* energies of its pushes, and what rounding makes of them */
  bool is_settled, is_swept, is_open, goes_on;
  uint8_t marks; /* of its nodes */
} ipg_island;

typedef struct ipg_projection_workspace {
  ipg_contact_list held;         /* contacts of the last iteration, with their pushes */
  IPG_ARRAY(ipg_push) pushes;    /* of the contacts of this iteration */
  IPG_ARRAY(ipg_island) islands; /* each at the index of its first contact */
  IPG_ARRAY(double) displaced;   /* displacement of nodes by all pushes, 3 per node */
  IPG_ARRAY(double) projected;   /* positions for the next detection, 3 per node */
  IPG_ARRAY(uint8_t) marks;      /* of nodes */
  IPG_ARRAY(ipg_id) touched;     /* nodes that contacts move */
  int64_t touched_count;
  IPG_ARRAY(int64_t) firsts;      /* the contacts of node i are corners[firsts[i]] to [firsts[i + 1]] */
  IPG_ARRAY(ipg_id) corners;      /* four times the index of the contact, and which of its nodes it is */
  IPG_ARRAY(ipg_id) corner_nodes; /* of each corner */
  double residual;                /* the deepest penetration that the last detection found */
  double work;                    /* of all pushes */
} ipg_projection_workspace;

/* Positions that the host code predicts, and velocities before the step's forces; v NULL: those of the prediction. */
typedef struct ipg_prediction {
  const double *x, *v;
} ipg_prediction;

void ipg_projection_workspace_destroy(ipg_projection_workspace *workspace, const ipg_allocator *allocator);
/* Before the first detection: `projected` becomes the predicted positions. */
ipg_status ipg_start_projection(ipg_projection_workspace *workspace, const ipg_model *model, const double *x,
                                ipg_error *error);
/* After each detection: joins what it found with what was held. done: nothing is left to project. */
ipg_status ipg_hold_contacts(ipg_projection_workspace *workspace, const ipg_step *step, ipg_contact_list *found,
                             const double *x, bool is_last, bool *done, ipg_error *error);
/* Sets `projected` for the next detection. node_forces: scratch, 3 per node. */
void ipg_project_positions(ipg_projection_workspace *workspace, const ipg_step *step, ipg_contact_list *contacts,
                           const ipg_prediction *prediction, double *node_forces);
/* The forces of all pushes, and their work. */
void ipg_finish_projection(ipg_projection_workspace *workspace, const ipg_step *step, ipg_contact_list *contacts,
                           const ipg_prediction *prediction, double *node_forces);
/* The normal and gap of a contact as pushes see them: of the face's plane. */
void ipg_project_contact_on_plane(const ipg_step *step, ipg_contact_pair *pair);

#endif
