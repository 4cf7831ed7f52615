/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact between tetrahedral bodies, and of a body with itself: from places at the start and the end of a step to
 * contact forces, by springs (penalty) or by moving what the host predicts (kinematic), with friction and damping.
 *
 *     ipg_contact_config config = ipg_contact_defaults();
 *     ipg_contact *contact = NULL;
 *     ipg_contact_create(&config, &surface, x0, &contact, &error);
 *     for (step = 1; ...; ++step) {
 *       ...move the nodes from the accepted x to a trial x...
 *       ipg_contact_evaluate(contact, x, v, dt, force, &error);   // as often as you like
 *       ...use the force...
 *       ipg_contact_accept(contact, step, &error);                // now history moves, once
 *     }
 *
 * evaluate looks at the straight paths from the accepted places to the trial places and changes nothing that a later
 * evaluate could see. A contact is born when a node passes through a face from outside to inside, at whatever speed;
 * it follows the touched body's surface and ends when the node is outside again.
 *
 * Sign: normals point out of the touched body, a negative gap is penetration, forces are added to the host's right
 * hand side. Units: none; yours must be consistent.
 */
#ifndef IMPINGE_CONTACT_H
#define IMPINGE_CONTACT_H

#include "impinge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The skin of all bodies. Copied at create. Nodes come in ascending order of gid, faces in ascending order of
 * (element, side, sub): these orders are the order of sums, so the same surface gives the same bits anywhere. */
typedef struct ipg_surface {
  int64_t node_count, face_count;
  const ipg_gid *node_gids;
  const double *node_masses;    /* lumped, above 0 */
  const uint8_t *node_owned;    /* NULL: all; on several ranks only owned nodes look for faces */
  const ipg_id *faces;          /* 3 nodes each, wound outward */
  const ipg_gid *face_elements; /* the tetrahedron behind the face */
  const uint8_t *face_sides;    /* 0..3 */
  const uint8_t *face_subs;     /* 0..3 for the flat parts of a curved face; NULL: all 0 */
  const int32_t *face_bodies;   /* connected body, 0.. */
  const int32_t *face_blocks;   /* element block, 0.., for the rules; NULL: all 0 */
  const ipg_id *face_opposites; /* the tetrahedron's fourth node if it is a surface node, else -1 */
  /* Per area, of the material behind the face: a bulk modulus over the thickness of a layer of elements. NULL: not
   * known; only stiffness of the material asks for it. */
  const double *face_stiffnesses;
} ipg_surface;

/* How two surfaces that touch rub and bounce. All 0: frictionless, elastic. */
typedef struct ipg_contact_law {
  double friction_static, friction_dynamic; /* at rest, and at high speed; static is at least dynamic */
  double friction_decay;                    /* times speed along the surface: how fast the one becomes the other */
  double damping;                           /* of the springs, in parts of critical damping; at most 1 */
} ipg_contact_law;

/* What holds between two blocks: the law, nothing at all, or a tie. A node is of the block of its first face. */
typedef struct ipg_contact_rule {
  int32_t blocks[2]; /* -1: any. Of the rules about a pair of blocks the one that names most blocks holds */
  bool off;          /* the two never touch */
  /* Nor do these: nodes of either that are near a face of the other at the start hold on to it. Of the law they keep
   * the damping. Such a rule names two blocks, and holds from the start. */
  bool tied;
  double tie_within;  /* how near; 0: they touch, to a millionth of the face's size */
  double from, until; /* nor do they at any other time; steps that end in [from, until) count */
  double thickness;   /* how far apart they count as touching; below 0, the default: the sum of what the blocks have */
  ipg_contact_law law;
} ipg_contact_rule;

/* What keeps bodies apart. */
typedef enum ipg_contact_enforcement {
  IPG_PENALTY,  /* springs: ipg_contact_evaluate, any host */
  IPG_KINEMATIC /* predicted places are moved: ipg_contact_correct, hosts that can move a prediction. Of nodes with
                 * faces and planes; damping, stiffness of the material, edges, thicknesses and ties are refused. */
} ipg_contact_enforcement;

/* What the springs of contacts are made of. */
typedef enum ipg_contact_stiffness {
  IPG_STIFFNESS_OF_STEP,    /* masses and step: penalty_scale * effective mass / dt^2, frozen at birth */
  IPG_STIFFNESS_OF_MATERIAL /* penalty_scale * face_stiffnesses of both sides, one behind the other, * area of the
                             * node; balanced among neighbours, so that meshes that do not match press evenly. Never
                             * more than the step bears. */
} ipg_contact_stiffness;

/* A plane that all nodes of the surface meet, rigid and endless; behind it is nothing. */
typedef struct ipg_contact_plane {
  double point[3], normal[3]; /* out of it, of any length above 0 */
  double velocity[3];         /* its point stands at `point` at the start time */
  ipg_contact_law law;
} ipg_contact_plane;

typedef struct ipg_contact_config {
  const char *search_method;           /* see search.h; default "lkdtree_packed" */
  ipg_contact_enforcement enforcement; /* default IPG_PENALTY */
  double penalty_scale;                /* stiffness in units of effective mass / dt^2; default 0.1, at most 1 */
  ipg_contact_stiffness stiffness;
  /* How far, in mean lengths of the surface's edges, nodes may move beyond the path they were searched with before
   * there is another search; 0: search at each step. Changes time and memory, no result. Default 0.2. */
  double skin;
  bool edges; /* edges touch edges too, where both are convex and sharp; else nodes and faces alone. Default false. */
  ipg_contact_law law;           /* between all blocks that no rule is about */
  const ipg_contact_rule *rules; /* copied at create; in any order, without contradictions */
  int64_t rule_count;
  /* Of each block: how far outside of its faces its surface lies, against other bodies; a body against itself touches
   * at its faces. Copied at create; NULL: 0. */
  const double *thicknesses;
  int64_t thickness_count;         /* at least as many as blocks, if any */
  const ipg_contact_plane *planes; /* copied at create */
  int64_t plane_count;
  double start_time;
  ipg_allocator allocator;
  ipg_tasks tasks;
} ipg_contact_config;

/* What meets what. Contacts stand in this order, those of a kind in the order of (owner, touched): an order that does
 * not depend on threads, searches or ranks. */
typedef enum ipg_contact_kind {
  IPG_NODE_FACE,  /* a node (owner) and a body (touched), at one of its faces */
  IPG_EDGE_EDGE,  /* two edges, owner before touched in the order of (lower, higher node) */
  IPG_NODE_PLANE, /* a node (owner) and a plane (touched): its number in the config */
  IPG_TIE,        /* a node (owner) and a face (touched) it is tied to, from the start */
  IPG_CONTACT_KINDS
} ipg_contact_kind;

/* One contact. Its force acts on the first side, and the opposite one on the second. */
typedef struct ipg_contact_pair {
  ipg_contact_kind kind;
  ipg_id owner, touched;
  ipg_id nodes[4];  /* the node and the corners of the face, or the ends of the edges: indices into the surface; of a
                       plane's contact all are the node */
  double shares[4]; /* of the force that each of them gets, as the places on both sides give; in all 0, but 1 where a
                       plane takes the rest */
  ipg_id face;      /* the touched face; of the touched edge, the first face; -1 at a plane, and so is the element */
  ipg_gid node_gid, element;
  uint8_t side, sub;
  bool born;            /* in this step */
  bool outside;         /* the node's path cut a corner of the body; at no end of a step has it been inside */
  double time;          /* of the first touch, in parts of the step, rounded down; 0 for older contacts */
  double time_through;  /* when the node was surely through the face */
  double overlap;       /* how much nearer than touching the sides have been from the start: never comes to press */
  double rest;          /* the distance between the sides at which nothing presses: below 0 for a node that was inside
                         * from the start, or came in from beside, already so deep */
  double gap;           /* their distance along the normal, less `rest`: negative if the spring is pressed */
  double normal[3];     /* out of the touched body */
  double stiffness;     /* frozen when the contact was born, lowered where a longer step or a crowd asks for it; of
                         * the material: balanced in each step */
  double stiffness_dt2; /* the most that stiffness times dt^2 may be */
  double pressing;      /* force along the normal, below 0 only where a tie pulls */
  double friction[3];   /* force along the surface */
  double stretch[3];    /* of the spring along the surface, which friction pulls with, or a tie */
  double slipped;       /* energy lost in this step: where that spring gave way, or in all friction of a correction */
  double damped;        /* and in the dampers, as if they had pulled like this all along */
  double taken;         /* and by the push of a correction along the normal */
  double force[3];      /* on the node, all of it */
} ipg_contact_pair;

/* Energies since create; each is summed on its own, none is a difference of others. */
typedef struct ipg_contact_ledger {
  double work;     /* of all contact forces on all nodes, trapezoid in each step */
  double stored;   /* in the springs of the contacts now, across and along the surface */
  double friction; /* lost by slipping */
  double damping;  /* lost in dampers */
  /* Given up by springs: of nodes that slid off an edge or came to another part of the surface, or softened by a longer
   * step or a crowd; of ties, what turning their offset did. Below 0 says that contact has made energy: of nodes that
   * come round an edge inside the body, where the force turns within a step, a little either way; of springs that grow
   * as others are left behind. */
  double released;
  double kinematic; /* taken by the pushes of corrections along the normal */
  /* Angular momentum that friction at a finite depth made, or dampers of ties that have become longer; in a correction
   * all forces, for they act on the places before the step, where the sides were apart. */
  double couple[3];
  double driven;     /* what moving planes put in: work, stored, friction, damping, kinematic, released add up to it */
  double impulse[3]; /* momentum that planes gave; as work is, the mean of the two ends of each step. A
                      * correction's act in its own step alone. */
  int64_t births, ends;
  double deepest; /* smallest gap so far, but for ties */
} ipg_contact_ledger;

/* What an evaluation does, in this order. */
typedef enum ipg_contact_phase {
  IPG_CONTACT_CAPTURE, /* takes the places in; are all nodes where the last search looked? if not, boxes anew */
  IPG_CONTACT_SEARCH,  /* boxes that overlap: nothing where the last search is reused */
  IPG_CONTACT_NARROW,  /* candidates one by one: births, following, ends */
  IPG_CONTACT_ENFORCE, /* forces */
  IPG_CONTACT_PHASES
} ipg_contact_phase;

typedef struct ipg_contact_counters {
  int64_t evaluations, searches, audits;
  int64_t reuses;                     /* looks that did with the candidates of an earlier search */
  int64_t candidates;                 /* of the last search, edges included */
  int64_t contacts;                   /* of the last evaluation */
  int64_t iterations;                 /* of all corrections */
  double residual;                    /* the deepest overlap that any correction left */
  double seconds[IPG_CONTACT_PHASES]; /* of a clock on the wall, all evaluations together */
} ipg_contact_counters;

typedef struct ipg_contact ipg_contact;

IPG_API ipg_contact_config ipg_contact_defaults(void);
/* Frictionless, elastic, at all times, between any two blocks. */
IPG_API ipg_contact_rule ipg_contact_rule_defaults(void);
/* x: the places of the surface's nodes at the start. Numbers are within 1e60: places, here and later, and velocities;
 * masses, steps and the longest edge are 1e-60 at least. Between these, any unit of length gives the same answer. */
IPG_API ipg_status ipg_contact_create(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                                      ipg_contact **contact, ipg_error *error);
IPG_API void ipg_contact_destroy(ipg_contact **contact);

/* The bodies stand at x and touch nothing, but what is tied is tied there: a new start, for hosts that begin with
 * displacements. */
IPG_API ipg_status ipg_contact_place(ipg_contact *contact, const double *x, ipg_error *error);
/* force (3 per surface node) is set, not added to. v: velocities for the dampers; NULL, and in ties: the mean of the
 * step. dt above 0. After a failure there is no evaluation to accept; what was accepted stands. */
IPG_API ipg_status ipg_contact_evaluate(ipg_contact *contact, const double *x, const double *v, double dt,
                                        double *force, ipg_error *error);
/* Instead of evaluate, where config.enforcement is kinematic: x are the places that the host predicts, and are moved
 * until no contact overlaps, or the iterations (at most 20) are used up. Each iteration looks at the corrected paths of
 * all nodes again, with a search if one left its box, and what is left is said. `force` is what moved them: x came to
 * x + dt^2 force / mass, so the host's velocity is to gain dt force / mass and no other contact force. Overlap from
 * before the step is taken back no faster than it was about to grow, or not at all where that would give energy to the
 * prediction, or more in all than corrections have taken so far: only moving planes make any. v: the velocities before
 * the step's forces; NULL: those of the prediction. The ledger closes exactly if kinetic energy is that of the motion
 * between accepted places, (x1 - x0) / dt, v is that of the last step, and the work of the host's own impulses is
 * counted at the mean of v and (x1 - x0) / dt: change of kinetic energy = that work + ledger.driven - ledger.friction -
 * ledger.kinematic Friction takes the slip of the step back as far as its cone allows. x and force change only on
 * success. */
typedef struct ipg_contact_correction {
  int iterations;
  double residual; /* the deepest overlap left, a length */
} ipg_contact_correction;

IPG_API ipg_status ipg_contact_correct(ipg_contact *contact, double *x, const double *v, double dt, double *force,
                                       ipg_contact_correction *correction, ipg_error *error);
/* Commits the last evaluation or correction as the state at the end of `step`. A second call with the same step does
 * nothing. */
IPG_API ipg_status ipg_contact_accept(ipg_contact *contact, int64_t step, ipg_error *error);
/* The step accepted last; INT64_MIN before the first. */
IPG_API int64_t ipg_contact_step(const ipg_contact *contact);
/* Goes back to the state before the last accept; once. */
IPG_API ipg_status ipg_contact_revert(ipg_contact *contact, ipg_error *error);

/* The surface has changed: elements were deleted, faces have gone and come, bodies have other numbers. x: the places
 * now, of the new surface's nodes; where a node was before, the accepted ones. Contacts whose node and face are still
 * there go on with their history. Where only the face has gone and the node is inside what is left of the body, the
 * contact goes on at the nearest face around; all others end. The ledger books what springs give up. A node that is
 * freed inside another body gets no force until it has left, as at the start. After a positive status nothing has
 * changed. There is then no evaluation to accept, and no way back over the change by revert. */
IPG_API ipg_status ipg_contact_resurface(ipg_contact *contact, const ipg_surface *surface, const double *x,
                                         ipg_error *error);

/* The longest step that the springs and dampers of the last evaluation bear in a central difference, taken alone;
 * INFINITY without contacts. A host lets it vote with its own. */
IPG_API double ipg_contact_stable_step(ipg_contact *contact);

/* Contacts of the last evaluation, in their order; valid until the next call. A contact brings shares[i] * force to its
 * nodes[i]; what evaluate gives is the sum of these, added to 0 in this order, so hosts that hold parts of a surface
 * get the same bits if the owner of a node adds what it is sent in the order of keys. */
IPG_API const ipg_contact_pair *ipg_contact_pairs(const ipg_contact *contact, int64_t *count);
/* The key of a contact in numbers that hold on any rank; contacts stand in the order of kind, owner, touched. */
typedef struct ipg_contact_key {
  int64_t kind, owner[2], touched[2]; /* a node's gid and 0, a body or a plane and 0; an edge's two gids, the lower
                                         first; a tied face's element and 4 * side + sub */
} ipg_contact_key;

IPG_API ipg_contact_key ipg_contact_key_of(const ipg_contact *contact, const ipg_contact_pair *pair);
/* On pair->nodes[node], 0 to 3, of a contact of the last evaluation: its share of the force, and of a tie with an
 * offset what the lever brings that stands on the face. Added up in the order of contacts these are the forces of
 * evaluate. */
IPG_API void ipg_contact_force_on(const ipg_contact *contact, const ipg_contact_pair *pair, int node, double force[3]);

/* Of the accepted state. */
IPG_API ipg_contact_ledger ipg_contact_ledger_get(const ipg_contact *contact);
IPG_API ipg_contact_counters ipg_contact_count(const ipg_contact *contact);

/* The last evaluation again by brute force, every node against every face. */
typedef struct ipg_contact_audit_report {
  int64_t missed_candidates; /* pairs of overlapping capture boxes that the search did not give, or gave in excess */
  int64_t wrong_contacts;    /* contacts that differ from what all pairs give */
  int64_t nodes_inside; /* nodes inside a body, their own too, and not in contact with it (an overlap from the start) */
  char message[256];    /* the first offender; empty if there is none */
} ipg_contact_audit_report;

IPG_API ipg_status ipg_contact_audit(ipg_contact *contact, ipg_contact_audit_report *report, ipg_error *error);
/* Only the last of the three questions: which nodes are inside a body without contact. */
IPG_API ipg_status ipg_contact_audit_inside(ipg_contact *contact, ipg_contact_audit_report *report, ipg_error *error);

/* A node in front of another body. */
typedef struct ipg_contact_gap {
  ipg_id node, face; /* indices into the surface; the nearest face of that body */
  double gap;        /* to the face's nearest place */
  double weights[3]; /* which is this, of the face's corners */
} ipg_contact_gap;

/* All nodes whose accepted places are within `distance` of another body, in the order of nodes; valid until the next
 * call. Drops the last evaluation. */
IPG_API ipg_status ipg_contact_find_gaps(ipg_contact *contact, double distance, const ipg_contact_gap **gaps,
                                         int64_t *count, ipg_error *error);

/* -------------------------------------------------------------------------------------------- overlaps at the start
 *
 * Bodies that overlap before anything has moved: meshed so, or pressed together on purpose. Left alone, such a node
 * gets no force until it has left the body. Otherwise a host chooses, after create or place and before the first
 * evaluate. */

/* A node inside another body, or inside another part of its own. */
typedef struct ipg_contact_overlap {
  /* Indices into the surface. The nearest face of that body that faces the node's own surface, within the length of the
   * node's edges: there the node came in. Without one, the nearest face. */
  ipg_id node, face;
  double depth;      /* below the face's nearest place; nodes within 1e-10 of the body's size only touch */
  double weights[3]; /* which is this, of the face's corners */
} ipg_contact_overlap;

/* Of the accepted places, in the order of (node, body); blocks that a rule keeps off each other may overlap. Valid
 * until the next call. */
IPG_API ipg_status ipg_contact_find_overlaps(ipg_contact *contact, const ipg_contact_overlap **overlaps, int64_t *count,
                                             ipg_error *error);
/* Each overlap becomes a contact that presses only where it grows deeper than it is. As it comes out it loses what it
 * had: it may not come in again as deep. Once it is out the contact is like any other. */
IPG_API ipg_status ipg_contact_ignore_overlaps(ipg_contact *contact, ipg_error *error);
/* Moves nodes apart, each by its share of inverse mass, so that their common centre stays, until no overlap is left;
 * the bodies then stand at x (3 per surface node) and touch nothing. To be the places at which the bodies are free of
 * stress. `moved`: how many nodes, `farthest`: by how much at most. Overlaps deeper than a mean edge of the surface,
 * those that come back time and again, and bodies wholly within others are no matter of moving nodes:
 * IPG_ERROR_UNSUPPORTED, nothing was moved. */
IPG_API ipg_status ipg_contact_remove_overlaps(ipg_contact *contact, double *x, int64_t *moved, double *farthest,
                                               ipg_error *error);

/* Why a node is in contact with a face, or why not: what the last evaluation came to, as data and as a sentence. */
typedef enum ipg_contact_reason {
  IPG_REASON_IN_CONTACT,
  IPG_REASON_OTHER_FACE,  /* in contact with this body, but at another face */
  IPG_REASON_OWN_FACE,    /* the node is a corner of the face */
  IPG_REASON_OWN_ELEMENT, /* of the element behind it */
  IPG_REASON_OFF,         /* by a rule, or at this time */
  IPG_REASON_TIED,        /* a rule ties their blocks: the node to this face, to another, or, too far away, to none */
  IPG_REASON_INSIDE,      /* of the body already before the step, without contact: an overlap from the start */
  IPG_REASON_PATHS_APART, /* in this step, by `gap` or more */
  IPG_REASON_IN_FRONT,    /* at the end of the step, by `gap` */
  IPG_REASON_BEHIND,      /* already before the step */
  IPG_REASON_BESIDE,      /* went through the face's plane, not through the face */
  IPG_REASON_LEFT_AGAIN,  /* in at `time`, and out before the step's end */
  /* Of edges alone. */
  IPG_REASON_NOT_SHARP,     /* one is flat, or not convex: its faces touch, or its nodes */
  IPG_REASON_WITHIN_A_WEDGE /* they met at `time`, but not from outside of both */
} ipg_contact_reason;

typedef struct ipg_contact_explanation {
  ipg_contact_reason reason;
  double time, gap; /* NAN where they mean nothing */
  char sentence[160];
} ipg_contact_explanation;

typedef struct ipg_contact_place_of_face {
  ipg_gid element;
  int side, sub; /* from 0 */
} ipg_contact_place_of_face;

IPG_API ipg_status ipg_contact_explain(const ipg_contact *contact, ipg_gid node, ipg_contact_place_of_face face,
                                       ipg_contact_explanation *explanation, ipg_error *error);

/* The same of two edges, each by its two nodes; with config.edges. */
IPG_API ipg_status ipg_contact_explain_edges(const ipg_contact *contact, const ipg_gid first[2],
                                             const ipg_gid second[2], ipg_contact_explanation *explanation,
                                             ipg_error *error);

/* One step as bytes, for a bug report: the surface, the settings, the accepted state with its history, and the trial x,
 * v (or NULL) and dt. `write` takes bytes one after another and returns false if it cannot. */
typedef bool ipg_write(void *context, const void *bytes, size_t count);
IPG_API ipg_status ipg_contact_record(const ipg_contact *contact, const double *x, const double *v, double dt,
                                      ipg_write *write, void *context, ipg_error *error);

/* The step again, by the same build: evaluate(contact, x, v, dt), or correct with a copy of x where the enforcement is
 * kinematic, gives the same bits. x and v point into the bytes, which start on a border of eight; whoever gave them
 * frees them, and destroys the contact. */
typedef struct ipg_contact_recording {
  ipg_contact *contact;
  ipg_contact_enforcement enforcement;
  int64_t node_count;
  const double *x, *v;
  double dt;
} ipg_contact_recording;

IPG_API ipg_status ipg_contact_recall(const void *bytes, int64_t count, const ipg_tasks *tasks,
                                      ipg_contact_recording *recording, ipg_error *error);

#ifdef __cplusplus
}
#endif
#endif
