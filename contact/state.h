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
#include "support/simd.h"
#include "support/vec.h"

enum { IPG_MOST_BLOCKS = 10000 }; /* the table of rules has as many rows and columns */

/* Lengths, masses and steps between these have products, of as many factors as contact multiplies, that neither
 * overflow nor vanish: the same scene in other units has the same bits (tests/test_contact_random.c). */
#define IPG_LARGEST 1e60
#define IPG_SMALLEST 1e-60

static inline bool ipg_is_within_numbers(double number) { return number >= IPG_SMALLEST && number <= IPG_LARGEST; }

typedef struct ipg_contact_state {
  int64_t step;
  double time;
  ipg_buffer x, force, contacts;
  int64_t contact_count; /* sorted by (kind, owner, touched) */
  ipg_contact_energy_balance ledger;
} ipg_contact_state;

/* Contacts of one kind. */
typedef struct ipg_contact_range {
  const ipg_contact_pair *pairs;
  int64_t count;
} ipg_contact_range;

enum { IPG_CAPTURE_GRAIN = 4096 };

/* How far the farthest of some nodes is beyond the upper borders of their boxes, and below the lower ones; less than 0
 * within. */
typedef struct ipg_straying {
  double above[3], below[3];
} ipg_straying;

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
  FACE_STIFFNESSES,
  NODE_BLOCKS,
  RULES,
  RULE_OF_BLOCKS,
  THICKNESSES,
  BLOCK_REACHES,
  RULES_THAT_TIE,
  PLANES,
  PLANE_TOUCHES,
  GAPS,
  OVERLAPS,
  NODE_BODIES,
  NODE_FACES_FIRST,
  NODE_FACES,
  EDGE_NODES,
  EDGE_FACES,
  EDGE_KEYS,
  EDGE_BOXES,
  NODE_EDGES_FIRST,
  NODE_EDGES,
  NODE_KEYS,
  FACE_KEYS,
  NODE_ROWS,
  NODE_STRIKES,
  NODE_BOXES,
  FACE_BOXES,
  STRAYED,
  TOUCH_POINTS,
  TOUCH_TIMES,
  HITS,
  TOUCHES,
  VISITS,
  HELD,
  PUSHES,
  PUSHED,
  CORRECTED,
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

/* Pairs that may meet, sorted, each once: of the last search, those that can meet before the next; and of these, for
 * the present evaluation, those that can have met by now. */
typedef struct ipg_candidates {
  const ipg_pair *pairs, *awake;
  int64_t count, awake_count;
  ipg_buffer kept, spans, kept_awake; /* see sieve.c */
} ipg_candidates;

/* Room for one look at pairs of edges, and the contacts that came out of it, in their order; see meet_edges.c. */
typedef struct ipg_edge_look {
  ipg_buffer points, times, hits, made, keys, order, contacts;
  ipg_sorter sorter;
  int64_t count;
} ipg_edge_look;

struct ipg_contact {
  ipg_contact_config config;
  ipg_surface surface; /* points into the buffers */
  int body_count, block_count;
  ipg_id edge_count;   /* 0 if edges do not touch */
  double most_damping; /* of all laws */
  bool has_thickness;  /* something has some */
  ipg_simd simd;
  ipg_search *search, *edge_search;
  double spare;                      /* how near counts as touching where surfaces have no thickness */
  double mean_edge, longest_edge;    /* of the surface at the start */
  double search_margin;              /* how far a node may go beyond its path before the next search */
  bool faces_are_set, edges_are_set; /* the searches hold those of the last search */
  ipg_buffer buffers[BUFFER_COUNT];
  ipg_contact_state states[3];
  ipg_contact_state *previous, *accepted, *trial;
  bool has_trial, has_previous;
  double dt; /* of the trial */
  /* Of a correction: */
  int64_t held_count;  /* contacts of the last look, with their pushes */
  double close_enough; /* an overlap that may stay */
  bool is_settled;     /* the last sweep changed next to nothing */
  bool is_same;        /* the last look found no contact that was not held, and none at another place */
  bool gives_back;     /* overlap from before the step comes apart as fast as it was about to grow */
  double residual;     /* the deepest overlap that the last look found */
  double work;         /* of all pushes */
  bool has_candidates;
  ipg_candidates faces, edges; /* (node, face), (edge, edge) */
  ipg_edge_look edge_look;
  double strayed; /* since the last search, by any node, from the path that it was searched with: in skins */
  ipg_contact_counters counters;
};

static inline void ipg_contact_start_ring(ipg_contact *c) {
  c->previous = &c->states[0], c->accepted = &c->states[1], c->trial = &c->states[2];
}

/* Not a number is none. */
static inline bool ipg_is_place(const double x[3]) {
  return fabs(x[0]) <= IPG_LARGEST && fabs(x[1]) <= IPG_LARGEST && fabs(x[2]) <= IPG_LARGEST;
}

static inline const double *ipg_accepted_x(const ipg_contact *c) { return c->accepted->x.data; }
static inline const double *ipg_trial_x(const ipg_contact *c) { return c->trial->x.data; }

static inline bool ipg_is_kinematic(const ipg_contact *c) { return c->config.enforcement == IPG_ENFORCEMENT_KINEMATIC; }

/* -1, 0, 1: does a stand before b in the order of contacts? 0: they are the same contact. */
static inline int ipg_contact_order(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
  return a->touched < b->touched ? -1 : a->touched > b->touched;
}

/* A correction may hold a node at several faces of a body. */
static inline int ipg_contact_order_of_places(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  const int order = ipg_contact_order(a, b);
  return order ? order : a->face < b->face ? -1 : a->face > b->face;
}

/* 0: the object has only one of the two. */
static inline int ipg_contact_order_within(const ipg_contact *c, const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return ipg_is_kinematic(c) ? ipg_contact_order_of_places(a, b) : ipg_contact_order(a, b);
}

/* How fast the touched side moves beyond what its nodes do: a plane has none. */
static inline vec ipg_touched_velocity(const ipg_contact *c, const ipg_contact_pair *pair) {
  return pair->kind == IPG_CONTACT_NODE_WALL ? vec_at(c->config.walls[pair->touched].velocity, 0) : (vec){0, 0, 0};
}

/* A node of another rank is the other rank's business. */
static inline bool ipg_looks_for_faces(const ipg_contact *c, int64_t node) {
  return !c->surface.node_owned || c->surface.node_owned[node];
}

/* rules.c: checks and copies them; the one about two blocks, or a node and a face (NULL: none); whether these are tied
 * now, or may touch; the law between them. */
ipg_status ipg_contact_check_law(const ipg_contact_law *law, const char *whose, ipg_error *error);
ipg_status ipg_contact_take_rules(ipg_contact *contact, ipg_error *error);
const ipg_contact_rule *ipg_contact_rule_of_blocks(const ipg_contact *contact, int a, int b);
const ipg_contact_rule *ipg_contact_rule_of(const ipg_contact *contact, ipg_id node, ipg_id face);
bool ipg_contact_is_tied(const ipg_contact *contact, ipg_id node, ipg_id face);
bool ipg_contact_is_on(const ipg_contact *contact, ipg_id node, ipg_id face);
bool ipg_contact_is_off(const ipg_contact *contact, ipg_id node, ipg_id face); /* at all times */
bool ipg_contact_edges_are_on(const ipg_contact *contact, ipg_id a, ipg_id b);
/* How far apart they count as touching: the thickness of both, 0 within a body. */
double ipg_contact_separation(const ipg_contact *contact, ipg_id node, ipg_id face);
double ipg_contact_separation_of_edges(const ipg_contact *contact, ipg_id a, ipg_id b);
/* The most of these for a face, an edge. */
double ipg_contact_reach_of_face(const ipg_contact *contact, ipg_id face);
double ipg_contact_reach_of_edge(const ipg_contact *contact, ipg_id edge);
const ipg_contact_law *ipg_contact_law_of(const ipg_contact *contact, const ipg_contact_pair *pair);
/* contact.c: as create, but nothing is tied, and of a surface that has had so many blocks: rules may name those that
 * have gone. */
ipg_status ipg_contact_make(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                            int least_blocks, ipg_contact **contact, ipg_error *error);
/* Who is meant by a number; -1: nobody. */
ipg_id ipg_find_node(const ipg_surface *surface, ipg_gid gid);
ipg_id ipg_find_face(const ipg_surface *surface, ipg_contact_face_id at);
/* The contacts of one kind in a state; of these, the first whose owner is not below `owner`. */
int64_t ipg_first_contact_of(const ipg_contact_range *range, int64_t owner);
ipg_contact_range ipg_contacts_of(const ipg_contact_state *state, ipg_contact_kind kind);
/* neighbours.c: items (faces, edges) with so many nodes each, listed by node: those of node i stand at first[i]. */
void ipg_list_by_node(const ipg_id *nodes, int per_item, int64_t item_count, int64_t node_count, int64_t *first,
                      ipg_id *items);
/* The average of the normals of a node's faces, at the places x. */
vec ipg_contact_normal_of_node(const ipg_contact *contact, const double *x, ipg_id node);
/* step.c: what the boxes of nodes and faces that stand in the buffers have in common. */
ipg_status ipg_contact_search(ipg_contact *contact, ipg_error *error);
/* capture.c: boxes of all paths, and a skin around them. */
void ipg_contact_capture(ipg_contact *contact);
/* By as far out as it touches, and by a little, for narrow.h says "touch" where it is in doubt. */
void ipg_contact_widen(ipg_box *box, double reach);
/* x becomes the trial's; false where some of it lies outside its box, or is not finite. Else notes how far it strayed.
 */
bool ipg_contact_take_captured(ipg_contact *contact, const double *x);
/* Of the surface at its accepted places; and in contact.c what follows from them. */
void ipg_contact_measure_edges(ipg_contact *contact);
void ipg_contact_set_widths(ipg_contact *contact);
/* sieve.c: how far may nodes stray, in parts, before node and face can meet? */
typedef double ipg_span_of(const ipg_contact *contact, ipg_id first, ipg_id second);
double ipg_span_to_face(const ipg_contact *contact, ipg_id node, ipg_id face);
double ipg_span_between_edges(const ipg_contact *contact, ipg_id a, ipg_id b);
/* Drops candidates that cannot meet while all nodes stay in their capture boxes; and for this evaluation those that
 * cannot yet. */
ipg_status ipg_contact_sieve(const ipg_contact *contact, ipg_candidates *candidates, ipg_span_of *span,
                             ipg_error *error);
void ipg_contact_wake(const ipg_contact *contact, ipg_candidates *candidates);
void ipg_candidates_destroy(ipg_candidates *candidates, const ipg_allocator *allocator);
/* step.c: room in the trial for more contacts behind those it has. */
ipg_status ipg_contact_make_room(ipg_contact *contact, int64_t more, ipg_error *error);
/* meet_faces.c, meet_edges.c: add the trial's contacts of nodes with faces, of edges with edges. */
ipg_status ipg_contact_meet_faces(ipg_contact *contact, ipg_error *error);
ipg_status ipg_contact_meet_edges(ipg_contact *contact, ipg_error *error);
/* When do the paths of a node and a face come as close as touching, rounded down? INFINITY: they do not, and the node
 * cannot enter there. */
double ipg_contact_touch_time(const ipg_contact *contact, ipg_id node, ipg_id face);
/* planes.c: checks and copies them; adds the trial's contacts of nodes with planes. */
ipg_status ipg_contact_take_planes(ipg_contact *contact, ipg_error *error);
/* From the plane's point, where it is at that time, to the node at places x. */
vec ipg_way_from_plane(const ipg_contact *contact, ipg_id plane, double time, const double *x, ipg_id node);
ipg_status ipg_contact_meet_planes(ipg_contact *contact, ipg_error *error);
/* ties.c: adds ties to a trial without contacts, at its places; in a step those that still hold. */
ipg_status ipg_contact_tie(ipg_contact *contact, ipg_error *error);
ipg_status ipg_contact_carry_ties(ipg_contact *contact, ipg_error *error);
/* How much longer than at the start a tie is at places x. */
vec ipg_tie_elongation(const ipg_contact *contact, const ipg_contact_pair *tie, const double *x);
/* On a corner of the face (node 1 to 3), besides its share, by a force on the tied node at places x; and the work of it
 * all in this step. x: where the tie stands as it is. */
vec ipg_tie_turning(const ipg_contact_pair *tie, const double *x, vec force, int node);
double ipg_tie_work(const ipg_contact *contact, const ipg_contact_pair *tie, const double *x, vec force);
/* near.c: candidates are those within the distance at places x. */
ipg_status ipg_contact_search_near(ipg_contact *contact, const double *x, double distance, ipg_error *error);
/* touch.c: the contacts of one node with the bodies of its candidates, in the order of bodies; returns how many. */
int64_t ipg_contact_touch_node(const ipg_contact *contact, const ipg_visit *visit);
/* follow.c: moves a contact of a node with a face to the trial places; false if it has ended. */
bool ipg_contact_follow(const ipg_contact *contact, ipg_contact_pair *pair);
/* From the accepted to the trial places. */
ipg_node_face_path ipg_contact_path_of(const ipg_contact *contact, ipg_id node, ipg_id face);
/* audit.c: is the node inside the body at the places x, by brute force, and how deep? On its own body: inside another
 * part of it? */
bool ipg_contact_is_inside(const ipg_contact *contact, const double *x, ipg_id node, int32_t body, double *depth);
/* enforce/force.c: forces of the trial's contacts, and their sums. v may be NULL: then the step's mean velocity. */
void ipg_contact_enforce(ipg_contact *contact, const double *v);
void ipg_contact_sum_forces(ipg_contact *contact);
/* Of the first side against the touched one in this step, where the contact stands now. */
vec ipg_contact_relative_motion(const ipg_contact *contact, const ipg_contact_pair *pair);
double ipg_damper(const ipg_contact *contact, const ipg_contact_pair *pair);
/* enforce/penalty.c */
double ipg_penalty_mass(const ipg_contact *contact, const ipg_contact_pair *pair);
void ipg_penalty_begin(const ipg_contact *contact, ipg_contact_pair *pair);
void ipg_penalty_soften(ipg_contact *contact);
/* enforce/material.c: stiffness by what stands behind a contact, and its balance among neighbours. */
void ipg_material_begin(const ipg_contact *contact, ipg_contact_pair *pair);
void ipg_material_balance(ipg_contact *contact);
/* Where the host would have the nodes, and their velocities before the step's forces; NULL: those of the prediction. */
typedef struct ipg_prediction {
  const double *x, *v;
} ipg_prediction;

/* enforce/kinematic.c: before the first look; after each look, are all contacts as they should be? if not, push: sets
 * the places for the next look. settle: along which normal, and how deep, as pushes have it. At last the forces of all
 * that was pushed. */
ipg_status ipg_kinematic_begin(ipg_contact *contact, const double *x, ipg_error *error);
ipg_status ipg_kinematic_hold(ipg_contact *contact, const double *x, bool is_last, bool *done, ipg_error *error);
void ipg_kinematic_settle(const ipg_contact *contact, ipg_contact_pair *pair);
void ipg_kinematic_push(ipg_contact *contact, const ipg_prediction *prediction);
void ipg_kinematic_finish(ipg_contact *contact, const ipg_prediction *prediction);
/* From the touched point to the first side, before the step. */
vec ipg_kinematic_apart(const ipg_contact *contact, const ipg_contact_pair *pair);
/* enforce/friction.c: also what the contact remembers of it. */
double ipg_friction_coefficient(const ipg_contact_law *law, double speed);
void ipg_friction_force(const ipg_contact *contact, ipg_contact_pair *pair, vec motion);
/* enforce/ledger.c: what the step from accepted to trial adds. */
ipg_contact_energy_balance ipg_ledger_after_step(const ipg_contact *contact);
/* What a new surface adds: `was` has become `is`, or, NULL, ended. */
void ipg_ledger_resurface(ipg_contact_energy_balance *ledger, const ipg_contact_pair *was, const ipg_contact_pair *is);

#endif
