/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The inside of a contact object: the model, three states, and a workspace for each phase.
 *
 * The states are in a ring: `previous`, `accepted` and `trial`. evaluate reads `accepted` and writes `trial`; accept
 * turns the ring forward, revert back. So a trial can never damage history. */
#ifndef IMPINGE_SETUP_CONTACT_OBJECT_H
#define IMPINGE_SETUP_CONTACT_OBJECT_H

#include "candidates/broad_phase.h"
#include "detect/node_face.h"
#include "detect/node_wall.h"
#include "enforce/face_contact.h"
#include "enforce/face_friction.h"
#include "enforce/kinematic_projection.h"

typedef struct ipg_contact_state {
  int64_t step;
  double time;             /* at the end of its step */
  bool is_start;           /* no step has been accepted since it was set up */
  int64_t passed;          /* nodes that went through a body, so far */
  double lost_by_rules;    /* energy of faces, as rules begin and end in its step; below 0: of those that begin, or that
                            * overlapped at the start */
  IPG_ARRAY(double) x;     /* 3 per node */
  IPG_ARRAY(double) force; /* 3 per node */
  ipg_contact_list contacts;
  ipg_contact_energy_balance balance;
  double stable_step;          /* that the contacts bear */
  ipg_face_contact_sums faces; /* of penalty contact */
  ipg_friction_list frictions; /* of penalty contact */
  ipg_block_sums sums;         /* of penalty contact: what each pair of blocks has dissipated */
  /* Of penalty contact: forces of faces and at walls; and what an update of the surface has taken away from them and
   * from ties, whose energy is booked, but not the work that it still does in the next step. */
  IPG_ARRAY(double) face_force;
  ipg_force_field released;
  /* Of each node, 0 or below: by how much less a penetration counts in which it was at the start. For penalty contact
   * with initial penetrations only. */
  IPG_ARRAY(double) offsets;
  bool has_offsets;
} ipg_contact_state;

typedef enum ipg_trial_content { IPG_TRIAL_OF_NOTHING, IPG_TRIAL_OF_CONTACTS, IPG_TRIAL_OF_FORCES } ipg_trial_content;

struct ipg_contact {
  ipg_model model;
  ipg_contact_state states[3];
  ipg_contact_state *previous, *accepted, *trial;
  ipg_trial_content holds; /* what the trial holds by now */
  bool has_previous;
  bool has_evaluation; /* the workspaces are those of the trial that holds forces, or of the accepted state it became */
  /* Each phase has a workspace of its own, which no other phase sees. */
  ipg_broad_phase broad_phase;
  ipg_node_face_workspace node_face;
  ipg_node_wall_workspace node_wall;
  ipg_face_contact_workspace face_contact;
  ipg_face_friction_workspace face_friction;
  ipg_projection_workspace projection;
  ipg_contribution_list contributions; /* of the trial, where they are asked for */
  IPG_ARRAY(ipg_contact_gap) gaps;
  IPG_ARRAY(ipg_contact_block_result) block_results;
  IPG_ARRAY(ipg_contact_initial_penetration) initial_penetrations;
  ipg_contact_counters counters;
};

void ipg_start_ring(ipg_contact *contact);
/* Nothing is left to be accepted or asked for. */
void ipg_forget_evaluation(ipg_contact *contact);
/* The trial after an evaluation, else the accepted state. */
const ipg_contact_state *ipg_last_state(const ipg_contact *contact);
/* What the phases are given: the step from the accepted to the trial state. */
ipg_step ipg_step_of(const ipg_contact *contact);
/* Empties the trial's contacts, with room for as many as any state has: the ring allocates nothing below the high-water
 * mark. */
ipg_status ipg_clear_trial_contacts(ipg_contact *contact, ipg_error *error);
/* The longest step that contact bears. */
double ipg_find_stable_step(const ipg_contact *contact);

#endif
