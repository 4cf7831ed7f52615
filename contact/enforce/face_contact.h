/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Penalty contact: the energies of all pairs of faces that overlap, and of nodes at rigid walls, and their forces. */
#ifndef IMPINGE_ENFORCE_FACE_CONTACT_H
#define IMPINGE_ENFORCE_FACE_CONTACT_H

#include "candidates/broad_phase.h"
#include "enforce/face_overlap.h"
#include "enforce/force_sums.h"
#include "model/step.h"

typedef struct ipg_face_contact {
  ipg_id faces[2];
  ipg_overlap overlap;
} ipg_face_contact;

/* Over all contacts, walls included. */
typedef struct ipg_face_contact_sums {
  double energy, depth; /* the sum, and the largest penetration */
} ipg_face_contact_sums;

typedef struct ipg_face_contact_workspace {
  IPG_ARRAY(ipg_pair) near; /* candidates that the quick test leaves */
  IPG_ARRAY(uint8_t) is_near;
  IPG_ARRAY(ipg_face_contact) contacts;
  int64_t count;
} ipg_face_contact_workspace;

void ipg_face_contact_workspace_destroy(ipg_face_contact_workspace *workspace, const ipg_allocator *allocator);

/* The contacts of the candidates at the end of the step, in their order, those of faces before those of edges. offsets:
 * 1 per node, by which its surface lies outside of it, below 0 after an initial penetration; NULL: 0. */
ipg_status ipg_find_face_contacts(ipg_face_contact_workspace *workspace, const ipg_step *step,
                                  const ipg_broad_phase *candidates, const double *offsets, ipg_error *error);
/* The energy of all candidates at the start of the step, by the rules of that time, less half of the work that their
 * forces there do in the step: what the balance has of them where they end with it. */
double ipg_energy_at_start(const ipg_step *step, double time, const ipg_broad_phase *candidates, const double *offsets);
/* The contact of two faces, or of two sharp edges; false if there is none. */
bool ipg_evaluate_face_pair(const ipg_step *step, const double *offsets, const ipg_pair *pair,
                            ipg_face_contact *contact);
/* Adds the forces of face contacts and of contacts with walls, which get their own too. */
ipg_face_contact_sums ipg_enforce_faces(const ipg_face_contact_workspace *workspace, const ipg_step *step,
                                        ipg_contact_list *contacts, ipg_force_sums *sums);

/* Who adds from now on. */
static inline void ipg_name_face_contact(ipg_force_sums *sums, const ipg_face_contact *contact) {
  if (!sums->list) return;
  ipg_name_face(sums->model, contact->faces[0], sums->key.owner);
  sums->key.kind = ipg_name_face(sums->model, contact->faces[1], sums->key.touched);
}

/* The deepest penetration of all contacts found. */
double ipg_largest_depth(const ipg_face_contact_workspace *workspace);

/* The penetration over which the pressure of two faces sets in. */
double ipg_onset_between(const ipg_model *model, ipg_id face, ipg_id other);

/* The contact that is deepest by the edges of its faces. */
ipg_contact_depth ipg_deepest_of_faces(const ipg_face_contact_workspace *workspace, const ipg_model *model);

/* Initial penetrations: contacts found without offsets give each of their nodes half of their penetration, as an offset
 * below 0, so that they are free of force as they are. */
void ipg_add_offsets(const ipg_face_contact *contact, const ipg_model *model, double *offsets);
void ipg_set_offsets(const ipg_face_contact_workspace *workspace, const ipg_model *model, double *offsets);
/* Offsets after the step: as far as contacts, found without offsets, are less deep by now. That gives no contact any
 * energy. False: all are 0. */
bool ipg_fade_offsets(const ipg_face_contact_workspace *workspace, const ipg_step *step, const double *before,
                      double *after);

/* The most that contact adds to the square of the highest frequency at a node, wherever it comes: its stiffness is at
 * most that of springs of twice k times the area of the node, for (sum w u - sum w' u')^2 <= 2 sum w u^2 + 2 sum w'
 * u'^2 with weights that sum to 1 on either side. */
double ipg_rate_at_node(const ipg_model *model, ipg_id node);
/* The longest step that contact bears, taken alone. INFINITY without faces. */
double ipg_stable_step_of_faces(const ipg_model *model);

#endif
