/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The inside of a contact object, and the phases that step.c calls in turn.
 *
 * Three states turn in a ring: `previous`, `accepted` and `trial`. evaluate reads `accepted` and writes `trial`;
 * accept turns the ring forward, revert back. So a trial can never damage history. */
#ifndef IMPINGE_CONTACT_STATE_H
#define IMPINGE_CONTACT_STATE_H

#include "impinge/contact.h"
#include "impinge/narrow.h"
#include "impinge/search.h"
#include "support/vec.h"

enum { IPG_MOST_BLOCKS = 10000 }; /* the table of rules has as many rows and columns */

typedef struct ipg_contact_state {
  int64_t step;
  double time;
  ipg_buffer x, force, contacts;
  int64_t contact_count; /* sorted by (kind, owner, touched) */
  ipg_contact_ledger ledger;
} ipg_contact_state;

/* Contacts of one kind. */
typedef struct ipg_contact_range {
  const ipg_contact_pair *pairs;
  int64_t count;
} ipg_contact_range;

enum { IPG_CAPTURE_GRAIN = 4096 };

/* Every array of the object, so that it can be freed in one loop. */
enum {
  NODE_GIDS,
  NODE_MASSES,
  NODE_OWNED,
  FACES,
  FACE_ELEMENTS,
  FACE_SIDES,
  FACE_SUBS,
  FACE_BODIES,
  FACE_BLOCKS,
  FACE_OPPOSITES,
  NODE_BLOCKS,
  RULES,
  RULE_OF_BLOCKS,
  GAPS,
  OVERLAPS,
  NODE_BODIES,
  NODE_FACES_FIRST,
  NODE_FACES,
  NODE_KEYS,
  FACE_KEYS,
  NODE_ROWS,
  NODE_BOXES,
  FACE_BOXES,
  CANDIDATES,
  SPANS,
  AWAKE,
  STRAYED,
  TOUCHES,
  VISITS,
  BUFFER_COUNT
};

/* One node's part of the narrow phase: only nodes with candidates or old contacts have one. */
typedef struct ipg_visit {
  ipg_id node;
  const ipg_pair *candidates;
  const ipg_contact_pair *history; /* its accepted contacts */
  ipg_contact_pair *contacts;      /* where those of the trial go: room for one per candidate and old contact */
  int64_t candidate_count, history_count, contact_count;
} ipg_visit;

struct ipg_contact {
  ipg_contact_config config;
  ipg_surface surface; /* points into the buffers */
  int body_count, block_count;
  double most_damping; /* of all laws */
  ipg_search *search;
  double skin;        /* how far a node may go beyond its path before the next search */
  bool faces_are_set; /* the search holds the faces of the last search */
  ipg_buffer buffers[BUFFER_COUNT];
  ipg_contact_state states[3];
  ipg_contact_state *previous, *accepted, *trial;
  bool has_trial, has_previous;
  double dt; /* of the trial */
  bool has_candidates;
  const ipg_pair *candidates; /* (node, face), sorted; of the last search, those that can meet before the next */
  int64_t candidate_count;
  double strayed; /* since the last search, by any node: in parts of the way from the middle of its box to the border */
  const ipg_pair *awake; /* candidates that can have met by now; of this evaluation */
  int64_t awake_count;
  ipg_contact_counters counters;
};

static inline const double *ipg_accepted_x(const ipg_contact *c) { return c->accepted->x.data; }
static inline const double *ipg_trial_x(const ipg_contact *c) { return c->trial->x.data; }

/* -1, 0, 1: does a stand before b in the order of contacts? 0: they are the same contact. */
static inline int ipg_contact_order(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
  return a->touched < b->touched ? -1 : a->touched > b->touched;
}

/* From the touched point to the first side, at places x. Differences first: far from the origin nothing cancels. */
static inline vec ipg_contact_gap_at(const ipg_contact_pair *pair, const double *x) {
  vec sum = {0, 0, 0};
  for (int i = 1; i < 4; ++i)
    sum = vec_add(sum, vec_scale(pair->shares[i], vec_sub(vec_at(x, pair->nodes[i]), vec_at(x, pair->nodes[0]))));
  return sum;
}

/* A node of another rank is the other rank's business. */
static inline bool ipg_looks_for_faces(const ipg_contact *c, int64_t node) {
  return !c->surface.node_owned || c->surface.node_owned[node];
}

/* rules.c: checks and copies them; the law between a node and the face it touches, and whether they may. */
ipg_status ipg_contact_take_rules(ipg_contact *contact, ipg_error *error);
bool ipg_contact_is_on(const ipg_contact *contact, ipg_id node, ipg_id face);
bool ipg_contact_is_off(const ipg_contact *contact, ipg_id node, ipg_id face); /* at all times */
const ipg_contact_law *ipg_contact_law_of(const ipg_contact *contact, const ipg_contact_pair *pair);
/* contact.c: the contacts of one kind in a state. */
ipg_contact_range ipg_contacts_of(const ipg_contact_state *state, ipg_contact_kind kind);
/* neighbours.c: the faces around each node; and the average of their normals at the places x. */
void ipg_contact_find_neighbours(ipg_contact *contact);
vec ipg_contact_normal_of_node(const ipg_contact *contact, const double *x, ipg_id node);
/* step.c: what the boxes of nodes and faces that stand in the buffers have in common. */
ipg_status ipg_contact_search(ipg_contact *contact, ipg_error *error);
/* capture.c: boxes of all paths, and a skin around them. */
void ipg_contact_capture(ipg_contact *contact);
/* x becomes the trial's; false where some of it lies outside its box, or is not finite. Else notes how far it strayed.
 */
bool ipg_contact_take_captured(ipg_contact *contact, const double *x);
double ipg_contact_mean_edge(const ipg_contact *contact);
/* sieve.c: drops candidates that cannot meet while all nodes stay in their capture boxes; and for this evaluation those
 * that cannot yet. How far may nodes stray, in parts, before node and face can meet? */
ipg_status ipg_contact_sieve(ipg_contact *contact, ipg_error *error);
void ipg_contact_wake(ipg_contact *contact);
double ipg_contact_span(const ipg_contact *contact, ipg_id node, ipg_id face);
/* step.c: room in the trial for more contacts behind those it has. */
ipg_status ipg_contact_make_room(ipg_contact *contact, int64_t more, ipg_error *error);
/* meet_faces.c: adds the trial's contacts of nodes with faces. */
ipg_status ipg_contact_meet_faces(ipg_contact *contact, ipg_error *error);
/* touch.c: the contacts of one node with the bodies of its candidates, in the order of bodies; returns how many. */
int64_t ipg_contact_touch_node(const ipg_contact *contact, const ipg_visit *visit);
/* From the accepted to the trial places. */
ipg_node_face_path ipg_contact_path_of(const ipg_contact *contact, ipg_id node, ipg_id face);
/* audit.c: is the node inside the body at the places x, by brute force, and how deep? On its own body: inside another
 * part of it? */
bool ipg_contact_is_inside(const ipg_contact *contact, const double *x, ipg_id node, int32_t body, double *depth);
/* enforce/force.c: forces of the trial's contacts, and their sums. v may be NULL: then the step's mean velocity. */
void ipg_contact_enforce(ipg_contact *contact, const double *v);
double ipg_damper(const ipg_contact *contact, const ipg_contact_pair *pair);
/* enforce/penalty.c */
double ipg_penalty_mass(const ipg_contact *contact, const ipg_contact_pair *pair);
void ipg_penalty_begin(const ipg_contact *contact, ipg_contact_pair *pair);
void ipg_penalty_soften(ipg_contact *contact);
/* enforce/friction.c: also what the contact remembers of it. */
void ipg_friction_force(const ipg_contact *contact, ipg_contact_pair *pair, vec motion);
/* enforce/ledger.c: what the step from accepted to trial adds. */
ipg_contact_ledger ipg_ledger_after_step(const ipg_contact *contact);

#endif
