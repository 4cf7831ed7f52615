/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact between tetrahedral bodies, and self-contact: from the positions of a surface at the start and the end of a
 * step to contact pairs and contact forces, by penalty or by kinematic projection, with friction and damping.
 *
 *     ipg_contact_config config = ipg_contact_defaults();
 *     config.reference_step = dt;   // or surface.face_stiffnesses: penalty contact needs one of the two
 *     ipg_contact *contact = NULL;
 *     ipg_contact_create(&config, &surface, x0, &contact, &error);
 *     for (step = 1; ...; ++step) {
 *       ...move the nodes from the accepted positions to trial positions x...
 *       ipg_contact_evaluate(contact, time, x, v, force, &error); // as often as the host likes
 *       ...use the force...
 *       ipg_contact_accept(contact, step, &error);                // commits history and energies, once
 *     }
 *
 * evaluate follows the straight paths from the accepted to the trial positions and changes nothing that a later
 * evaluate could see. The force of penalty contact follows from how faces overlap at the trial positions. Contact pairs
 * are those of a node that has passed through a face from outside to inside, at whatever speed; a pair is tracked over
 * the surface of the touched body and deactivated when the node is outside again. They tell what has gone through, and
 * are what kinematic projection acts on.
 *
 * Sign: normals point out of the touched body, a negative gap is penetration, forces are added to the host's right hand
 * side. Units are consistent by the user.
 *
 * Threads: two objects may be used from two threads at once. Of one object, calls that take it as const may run at the
 * same time; any other call runs alone. An audit allocates: then the allocator must bear calls from several threads. */
#ifndef IMPINGE_CONTACT_H
#define IMPINGE_CONTACT_H

#include "impinge/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The boundary triangles of all bodies. Copied at create. Nodes come in ascending order of gid, faces in ascending
 * order of (element, side, sub). Sums run in these orders, so the same surface gives the same bits on any machine. */
typedef struct ipg_surface {
  int64_t node_count, face_count;
  const ipg_gid *node_gids;
  const double *node_masses;    /* lumped, above 0 */
  const uint8_t *node_owned;    /* NULL: all; on several ranks contact is detected for owned nodes only */
  const ipg_id *faces;          /* 3 nodes each, wound outward */
  const ipg_gid *face_elements; /* the tetrahedron behind the face */
  const uint8_t *face_sides;    /* 0..3 */
  const uint8_t *face_subs;     /* 0..3 for the flat parts of a curved face; NULL: all 0 */
  const int32_t *face_bodies;   /* connected body, 0.. */
  const int32_t *face_blocks;   /* element block, 0.., for the rules; NULL: all 0 */
  const ipg_id *face_opposites; /* the tetrahedron's fourth node if it is a surface node, else -1 */
  /* Stiffness per area of the material behind the face: bulk modulus over the thickness of a layer of elements. NULL:
   * not known. Penalty contact takes it where it is given, else the masses of nodes over the square of
   * config.reference_step. */
  const double *face_stiffnesses;
  /* 3 per node: where the nodes were at the start of the run, before anything was deformed. Penalty contact takes
   * thicknesses and areas from there. NULL: at the positions of create; a node that an update brings to the surface has
   * to have one. */
  const double *start_positions;
} ipg_surface;

/* Friction and damping between two surfaces. All 0: frictionless, elastic. */
typedef struct ipg_contact_law {
  double friction_static,
      friction_dynamic;  /* coefficients at rest and at high speed; static is at least dynamic, at most 10 */
  double friction_decay; /* dynamic + (static - dynamic) exp(-decay * tangential speed) */
  double damping;        /* fraction of critical damping; at most 1 */
} ipg_contact_law;

/* The rule between two blocks: a law, no contact at all, or a tie. A node has the block of its first face. */
typedef struct ipg_contact_rule {
  int32_t blocks[2]; /* -1: any. Of the rules that match a pair of blocks the one that names most blocks holds */
  bool off;          /* the two are never in contact */
  /* Tied contact: nodes of either block that are near a face of the other at the start are tied to it; the two blocks
   * have no other contact. Of the law only damping applies. Such a rule names two blocks and holds from the start. */
  bool tied;
  double tie_within;  /* largest distance of a tied node; 0: a millionth of the face's size */
  double from, until; /* the rule's contact is active in steps that end in [from, until), at no other time */
  double thickness;   /* distance at which they touch; below 0, the default: the sum of the blocks' thicknesses */
  ipg_contact_law law;
} ipg_contact_rule;

/* How penetration is resisted. */
typedef enum ipg_contact_enforcement {
  /* The energy of faces that overlap, whose gradient is the force: ipg_contact_evaluate, any host. The normal force
   * depends on the positions alone, not on the step, the way in or other bodies. Contact of faces with faces and of
   * nodes with rigid walls, of sharp edges that cross, and ties, with friction, damping and thickness. */
  IPG_ENFORCEMENT_PENALTY,
  IPG_ENFORCEMENT_KINEMATIC, /* predicted positions are projected: ipg_contact_project, for hosts that can move a
                              * prediction. Node-face and node-wall contact only; damping, thickness, ties and
                              * contributions are refused. */
} ipg_contact_enforcement;

/* A rigid wall: an infinite plane that all nodes of the surface are checked against. */
typedef struct ipg_contact_wall {
  double point[3], normal[3]; /* the normal points to the side of the bodies, of any length above 0 */
  double velocity[3];         /* the point is at `point` at the start time */
  ipg_contact_law law;
} ipg_contact_wall;

/* How large these structs are to the program, which may have been compiled with an earlier version of this header:
 * later versions add fields at their ends. Set by ipg_contact_defaults. */
typedef struct ipg_contact_sizes {
  size_t config, surface, rule, wall; /* what is missing in shorter ones has its default */
  size_t results;                     /* of all that contact returns: as the library has it, or create refuses */
} ipg_contact_sizes;

typedef struct ipg_contact_config {
  ipg_contact_sizes sizes;
  const char *search_method;           /* see search.h; default "lkdtree_packed" */
  ipg_contact_enforcement enforcement; /* default IPG_ENFORCEMENT_PENALTY */
  double penalty_scale;                /* of the penalty stiffness; default 1, which is the most */
  /* How far, in mean edge lengths of the surface, nodes may move beyond the path they were searched with before the
   * next search; 0: search at each step. Changes time and memory, no result. At most 10, default 0.2. */
  double search_margin;
  /* Penalty contact: the penetration over which pressure sets in, quadratic in it. 0, the default: twenty times the
   * way that the two blocks move against each other, by their reference velocities, while a wave crosses a layer of
   * elements, within 0.0002 and 0.04 mean edges of the finer block; where they do not, the latter. At a wall half of
   * the way counts. Wider keeps the energy of lasting contact better, narrower gives shorter contact. */
  double onset;
  const double *reference_velocities; /* penalty contact: 3 for each block; copied at create; NULL: 0 */
  int64_t reference_velocity_count;   /* at least as many as blocks, if any */
  double reference_step;              /* penalty contact without face_stiffnesses: see there; 0: not given */
  bool contributions;                 /* evaluate lists them: ipg_contact_contributions. Default false. */
  bool edges;                         /* penalty contact of sharp edges that cross each other. Default true. */
  ipg_contact_law law;                /* between all blocks that no rule matches */
  const ipg_contact_rule *rules;      /* copied at create; in any order, without contradictions */
  int64_t rule_count;
  /* Thickness of each block: how far outside of its faces its surface lies, against other bodies and walls;
   * self-contact is at the faces. Copied at create; NULL: 0. */
  const double *thicknesses;
  int64_t thickness_count;       /* at least as many as blocks, if any */
  const ipg_contact_wall *walls; /* copied at create */
  int64_t wall_count;
  double start_time;
  ipg_allocator allocator;
  ipg_tasks tasks;
} ipg_contact_config;

/* Kinds of contact. Contacts are sorted by (kind, owner, touched), an order that does not depend on threads, searches
 * or ranks. */
typedef enum ipg_contact_kind {
  IPG_CONTACT_NODE_FACE, /* a node (owner) and a body (touched), at one of its faces */
  IPG_CONTACT_NODE_WALL, /* a node (owner) and a rigid wall (touched): its number in the config */
  IPG_CONTACT_TIE,       /* a node (owner) and the face (touched) it is tied to, from the start */
  IPG_CONTACT_KIND_COUNT,
  /* In keys of contributions, in no pair: penalty contact of two faces, of a face and the bevel of a sharp corner or of
   * a sharp edge, and of two sharp edges that cross (docs/contact.md). */
  IPG_CONTACT_FACE_FACE = 16,
  IPG_CONTACT_FACE_CORNER = 17,
  IPG_CONTACT_FACE_EDGE = 18,
  IPG_CONTACT_EDGE_EDGE = 19
} ipg_contact_kind;

/* What a contact keeps from step to step. */
typedef struct ipg_contact_history {
  bool entered_from_outside;  /* the node's path cut a corner: at no end of a step has it been inside the body */
  bool passed;                /* penalty contact: the node has gone right through the body, and no force holds it */
  double initial_penetration; /* penetration at the start of the run that is still there: never resisted */
  double initial_offset;      /* signed distance that counts as none: below 0 in an initial penetration; of a tie its
                               * length at the start */
  double stiffness;           /* of a tie, and of a node at a wall */
  double tangential_slip[3];  /* elastic slip of friction, or tangential elongation of a tie */
} ipg_contact_history;

/* What it does in a step. */
typedef struct ipg_contact_response {
  double normal_force;          /* below 0 only where a tie pulls */
  double friction[3];           /* tangential force */
  double friction_dissipation;  /* energy lost by slip in this step */
  double damping_dissipation;   /* and in dampers, as if their force had been constant over the step */
  double kinematic_dissipation; /* and by kinematic projection along the normal */
  double force[3];              /* total, on the first side */
} ipg_contact_response;

/* One contact pair: what it is between, where it is, its history, and its response. Its force acts on the first side,
 * and the opposite one on the second. ipg_contact_key_of gives its name in numbers that hold on any rank. */
typedef struct ipg_contact_pair {
  ipg_contact_kind kind;
  ipg_id owner, touched;
  ipg_id nodes[4];   /* the node and the corners of the face, or the ends of the two edges: indices into the surface; of
                      * a wall contact all are the node */
  double weights[4]; /* share of the force on each node, barycentric on either side: they sum to 0, at a wall to 1 */
  ipg_id face;       /* the touched face; of the touched edge its first face; -1 at a wall, and so is the element */
  ipg_gid node_gid, element;
  uint8_t side, sub;
  bool activated;      /* in this step */
  double time;         /* of first touch, as a fraction of the step, rounded down; 0 for older contacts */
  double time_through; /* when the node was surely through the face */
  double gap;          /* signed distance along the normal less the initial offset: negative is penetration */
  double normal[3];    /* out of the touched body */
  ipg_contact_history history;
  ipg_contact_response response;
} ipg_contact_pair;

/* Contact energies since create; each term is summed on its own, none is a difference of others. contact_work,
 * contact_energy, friction_dissipation, damping_dissipation, kinematic_dissipation, spring_net_loss and external_work
 * add up. */
typedef struct ipg_contact_energy_balance {
  double contact_work;         /* of all contact forces on all nodes, trapezoid in each step */
  double contact_energy;       /* of overlapping faces and at walls, of ties, and in elastic slip */
  double friction_dissipation; /* lost by slip */
  double damping_dissipation;  /* lost in dampers */
  /* The energy of faces that an update deleted, a new start left, or between which a rule ended, and of ties that
   * broke; less that of faces that overlapped at a start, or when a rule began; and the work of turning the offset of
   * ties. */
  double spring_net_loss;
  double kinematic_dissipation; /* lost by kinematic projection along the normal */
  /* Angular momentum made by dampers of elongated ties; of projections, by all forces, which act at the positions
   * before the step, where the sides were apart. */
  double angular_momentum_defect[3];
  double external_work;   /* done by moving walls */
  double wall_impulse[3]; /* momentum given by walls: mean of the two ends of each step; of a projection, in its own
                             step */
  int64_t activations, deactivations; /* of pairs */
  double smallest_gap;                /* deepest penetration so far, as a negative gap; ties do not count */
} ipg_contact_energy_balance;

/* The phases of an evaluation, in this order. */
typedef enum ipg_contact_phase {
  IPG_PHASE_SWEPT_BOXES, /* takes the positions; new swept boxes if a node has left the box of the last search */
  IPG_PHASE_SEARCH,      /* pairs of overlapping boxes: nothing where the last search is reused */
  IPG_PHASE_DETECT,      /* candidate pairs one by one: activation, tracking, deactivation */
  IPG_PHASE_ENFORCE,     /* forces */
  IPG_PHASE_COUNT
} ipg_contact_phase;

typedef struct ipg_contact_face_id {
  ipg_gid element;
  int side, sub; /* from 0 */
} ipg_contact_face_id;

/* Where penalty contact penetrates most, by the edges of its faces. */
typedef struct ipg_contact_depth {
  double depth, edge; /* depth 0: no contact; edge: the mean edge of the smaller of both faces */
  double time;
  ipg_gid node; /* the corner that bears most of the pressure */
  ipg_contact_face_id faces[2];
} ipg_contact_depth;

/* A node that went right through a body, or farther into it than penalty contact reaches. */
typedef struct ipg_contact_passed_node {
  ipg_gid node;
  ipg_contact_face_id face; /* through which it came out; of a node that is too deep, the one that it is behind */
  double time, position[3]; /* when, and where the node was then; of one that is too deep, the end of the step */
} ipg_contact_passed_node;

typedef struct ipg_contact_counters {
  int64_t evaluations;   /* since create, as all that has no other time; an update of the surface keeps them */
  int64_t searches;      /* of evaluations; for ties, gaps and initial penetrations there are some more */
  int64_t reuses;        /* evaluations that used the candidates of an earlier search */
  int64_t candidates;    /* of the last search: pairs of nodes and faces, of edges, and of faces that can face */
  int64_t active;        /* of these, those that can have touched by the last evaluation, which tests them */
  int64_t contacts;      /* pairs of the last evaluation */
  int64_t face_contacts; /* and, of penalty contact, pairs of faces that press on each other */
  int64_t iterations;    /* of all projections */
  double residual;       /* the deepest penetration that any projection left */
  /* Penalty contact: nodes that went right through a body by the last accepted step. One that comes back and does so
   * again counts again. */
  int64_t passed;
  double seconds[IPG_PHASE_COUNT]; /* wall-clock time, all evaluations together */
} ipg_contact_counters;

typedef struct ipg_contact ipg_contact;

/* The defaults of the comments above, with the sizes of the program. */
static inline ipg_contact_config ipg_contact_defaults(void);
/* Frictionless, elastic, at all times, between any two blocks. */
static inline ipg_contact_rule ipg_contact_rule_defaults(void);
/* x: positions of the surface's nodes at the start. All positions and velocities, here and later, are within 1e60;
 * masses, steps and the longest edge are 1e-60 at least. Within these limits any unit of length gives the same answer.
 */
IPG_API ipg_status ipg_contact_create(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                                      ipg_contact **contact, ipg_error *error);
IPG_API void ipg_contact_destroy(ipg_contact **contact);

/* A new start at this time and positions x, for host codes that begin with displacements: no contact is active, and
 * ties are made at x. After a failure there is no evaluation to accept; the accepted state is unchanged. So it is with
 * ipg_contact_remove_initial_penetrations. */
IPG_API ipg_status ipg_contact_set_positions(ipg_contact *contact, double time, const double *x, ipg_error *error);
/* Contacts and forces at this time and positions x. force (3 per surface node) is set, not added to. v: velocities for
 * the dampers; NULL, and in ties: the mean since the accepted state. The normal force of penalty contact does not
 * depend on the time that has passed since then, which may be 0. After a failure there is no evaluation to accept; the
 * accepted state is unchanged. */
IPG_API ipg_status ipg_contact_evaluate(ipg_contact *contact, double time, const double *x, const double *v,
                                        double *force, ipg_error *error);
/* The two halves of evaluate, for hosts that have something to do between them. detect: which pairs there are, at this
 * time and positions; without their forces. enforce: these, once for each detection. Not for kinematic enforcement. */
IPG_API ipg_status ipg_contact_detect(ipg_contact *contact, double time, const double *x, ipg_error *error);
IPG_API ipg_status ipg_contact_enforce(ipg_contact *contact, const double *v, double *force, ipg_error *error);
/* Instead of evaluate, where config.enforcement is kinematic: x are the positions that the host predicts. They are
 * projected until no contact penetrates or the iterations (at most 20) are used up; each iteration detects contact anew
 * on the projected paths, with a search if a node left its box, and the residual penetration is returned. `force` is
 * what moved them: with dt the time since the accepted state, x became x + dt^2 force / mass, so the host's velocity
 * gains dt force / mass and no other contact force. Penetration from before the step is taken back no faster than it
 * was about to grow, or not at all where the contacts that share nodes would give energy by it, to the prediction or to
 * the motion before: only moving walls make energy. v: the velocities before the step's forces; NULL: those of the
 * prediction. What contacts without a node in common do is independent, to the bit. Friction takes the slip of the step
 * back as far as its cone allows. x and force change only on success. The energy balance closes exactly if kinetic
 * energy is that of the motion between accepted positions, (x1 - x0) / dt, v is that of the last step, and the work of
 * the host's own impulses is counted at the mean of v and (x1 - x0) / dt: change of kinetic energy = that work +
 * external_work - friction_dissipation - kinematic_dissipation. */
typedef struct ipg_contact_projection {
  int iterations;
  double residual; /* the deepest penetration left, a length */
} ipg_contact_projection;

IPG_API ipg_status ipg_contact_project(ipg_contact *contact, double time, double *x, const double *v, double *force,
                                       ipg_contact_projection *projection, ipg_error *error);
/* Commits the last evaluation or projection as the state at the end of `step`. A second call with the same step does
 * nothing. */
IPG_API ipg_status ipg_contact_accept(ipg_contact *contact, int64_t step, ipg_error *error);
/* Of the accepted state. */
IPG_API double ipg_contact_get_time(const ipg_contact *contact);
/* The step accepted last; INT64_MIN before the first. */
IPG_API int64_t ipg_contact_last_step(const ipg_contact *contact);
/* Returns to the state before the last accept; once. */
IPG_API ipg_status ipg_contact_revert(ipg_contact *contact, ipg_error *error);

/* The surface has changed: elements were deleted, faces removed and added, bodies renumbered. x: the present positions
 * of the new surface's nodes; nodes of the old surface must be where they were accepted. Contacts whose node and face
 * both remain keep their history. Where only the face is gone and the node is inside what is left of the body, the
 * contact continues at the nearest face around; all others are deactivated. With penalty contact what is uncovered
 * inside another body is free of force as it is and resists deeper penetration, and the energy balance books what faces
 * lose; with kinematic contact such a node gets no force until it has left. After a positive status nothing has
 * changed. Afterwards there is no evaluation to accept, and revert does not go back over the change. */
IPG_API ipg_status ipg_contact_update_surface(ipg_contact *contact, const ipg_surface *surface, const double *x,
                                              ipg_error *error);

/* The longest step of a central difference that contact bears, taken alone: with penalty contact 2 / sqrt(largest node
 * rate), whatever is in contact; with kinematic contact INFINITY. */
IPG_API double ipg_contact_stable_step(const ipg_contact *contact);

/* Penalty contact: what contact adds at each node of the surface, wherever it comes, to the bound of the square of the
 * highest frequency: 4 k A / m. A host with elements that have the bound e at each node takes steps below
 * 2 / sqrt(largest e + rate): enough up to about a tenth of an edge of penetration; deeper contact can need shorter
 * steps. Rates change with the surface only. Zeros otherwise. */
IPG_API void ipg_contact_node_rates(const ipg_contact *contact, double *rates);

/* Contacts of the last evaluation, in their order; valid until the next call that is not const. Of a projection and of
 * ties a contact brings weights[i] * force to its nodes[i], a tie with an offset also the moment of its lever (see
 * ipg_contact_force_on). With penalty contact pairs of nodes and faces have no force, and that of a wall pair acts on
 * corners of its faces too: take ipg_contact_forces, or contributions. */
IPG_API const ipg_contact_pair *ipg_contact_pairs(const ipg_contact *contact, int64_t *count);
/* The name of a contact in numbers that hold for ever and on any rank. A node: its gid, and 0. A wall: its number, and
 * 0. Two edges: their two gids each, the lower first. A face: its element, and 4 * side + sub; the face that a node is
 * in contact with is that at which it is now. A sharp corner: as a node. A sharp edge: the element of its first face,
 * and 8 * (4 * side + sub) + 2 * (0 to 2, which edge of the face) + (0 or 1, which half of the bevel). */
typedef struct ipg_contact_key {
  int64_t kind, owner[2], touched[2];
} ipg_contact_key;

IPG_API ipg_contact_key ipg_contact_key_of(const ipg_contact *contact, const ipg_contact_pair *pair);
/* The force of a contact of the last evaluation on pair->nodes[node], 0 to 3: its weight times the force, and of a tie
 * with an offset the moment of its lever. */
IPG_API void ipg_contact_force_on(const ipg_contact *contact, const ipg_contact_pair *pair, int node, double force[3]);

/* What each contact of the last evaluation brings to each node, until it is accepted; with config.contributions, else
 * none. The force on a node is their sum, added to 0 in this order, to the bit. The order is that of (part, owner,
 * kind, touched) and, within a contact, that of the list: hosts that hold parts of a surface get the same bits if the
 * owner of a node adds what it receives in this order. */
typedef struct ipg_contact_contribution {
  ipg_contact_key key;
  /* 0: pressure of faces, 1: of sharp edges, 2: of walls, 3: ties, 4: friction and damping of faces, 5: of sharp edges,
   * 6: at walls */
  int32_t part;
  ipg_id node; /* index into the surface */
  double force[3];
} ipg_contact_contribution;

IPG_API const ipg_contact_contribution *ipg_contact_contributions(const ipg_contact *contact, int64_t *count);
/* The force of contact on each node of the surface, 3 per node; of the last evaluation, valid until the next call that
 * is not const. */
IPG_API const double *ipg_contact_forces(const ipg_contact *contact);
/* Of the last evaluation, penalty contact only. */
IPG_API ipg_contact_depth ipg_contact_find_deepest(const ipg_contact *contact);

/* Penalty contact: the nodes that passed a body in the step of the last evaluation, in the order of nodes; none is
 * left out, and each is there once. Valid until the next call that is not const, but for accept. */
IPG_API const ipg_contact_passed_node *ipg_contact_passed_nodes(const ipg_contact *contact, int64_t *count);

/* ------------------------------------------------------------------------------------------------------------ results
 *
 * What result files have of contact: of penalty contact, of the last evaluation, also once that is accepted. Nothing is
 * kept for it; it is computed by the call. Where nothing is evaluated, as after a new start, revert or an update of the
 * surface, and with other enforcements the calls refuse, and nothing is set. On several ranks: of the surface that this
 * object has. */

/* How a node or a face is in contact. Where it is so in several ways the last of them. */
typedef enum ipg_contact_status {
  IPG_STATUS_OPEN,
  IPG_STATUS_TIED,
  IPG_STATUS_STICKING, /* held by friction below its limit */
  IPG_STATUS_SLIDING   /* friction is at its limit, or there is none */
} ipg_contact_status;

/* Both forces together are the node's part of ipg_contact_forces. */
typedef struct ipg_contact_node_result {
  ipg_contact_status status;
  bool at_wall; /* a rigid wall presses on it */
  /* The contact area at the start: a third of each face at the node that is in contact (ipg_contact_face_result); where
   * none is, as where only the tip of a sharp corner touches, of all its faces. 0 where the node is open. */
  double area;
  /* Of the pressure of faces, at walls and of ties, with dampers: their forces along the normal, each counted where it
   * presses, over `area`. Below 0 where ties pull. A part of a face that is beside the other body bears none, so at the
   * border of a contact the pressure of a node falls with the part of its area that is covered. */
  double pressure;
  double
      gap; /* the deepest penetration of what presses on it, below 0; of ties alone, how far they are open; 0: open */
  double slip; /* how far friction has let it slide since the contact began; 0 where no law has friction or damping */
  double normal_force[3];     /* of the energy of faces and at walls, of dampers along and of ties along the normal */
  double tangential_force[3]; /* of friction, and of dampers and ties across the normal */
} ipg_contact_node_result;

/* A face is in contact if a pair that it belongs to presses, or if a wall presses on one of its nodes, or a tie holds
 * it, and the face looks at the wall, or at the other side of the tie, by less than 72 degrees. */
typedef struct ipg_contact_face_result {
  ipg_contact_status status; /* the last of those of its nodes */
  bool at_wall;
  double pressure; /* the resultant of the pressure of its pairs, and its part of that on its nodes of walls and ties,
                    * over its area at the start */
  double gap;      /* the deepest penetration of its pairs and of its nodes at walls, below 0; of ties as at a node */
} ipg_contact_face_result;

/* nodes, faces: as many as the surface has, in its order. */
IPG_API ipg_status ipg_contact_get_results(const ipg_contact *contact, ipg_contact_node_result *nodes,
                                           ipg_contact_face_result *faces, ipg_error *error);

/* Of two blocks, or of a block and a wall. */
typedef struct ipg_contact_block_result {
  int32_t blocks[2];          /* the lower first; twice the same: self-contact; at a wall the block and -1 */
  ipg_id wall;                /* its number in the config; -1: between blocks */
  int64_t contacts;           /* pairs of faces, nodes behind the wall, and ties */
  double normal_force[3];     /* resultants on the first block, as on nodes; of self-contact 0 but for rounding */
  double tangential_force[3]; /* the same */
  double moment[3];           /* of both about the origin */
  double contact_energy;      /* stored by now: that of faces, edges and at walls, of ties, and in elastic slip */
  /* Since create, up to the accepted state, as in the energy balance, whose terms are the sums over all. Of friction
   * and at walls a node has the block of its first face, of all else a face has its own. */
  double friction_dissipation, damping_dissipation;
} ipg_contact_block_result;

/* Those that are in contact, or have dissipated something: walls in their order, each with its blocks, then pairs of
 * blocks. Valid until the next call that is not const. */
IPG_API ipg_status ipg_contact_find_block_results(ipg_contact *contact, const ipg_contact_block_result **results,
                                                  int64_t *count, ipg_error *error);

/* Of the accepted state. */
IPG_API ipg_contact_energy_balance ipg_contact_get_energy_balance(const ipg_contact *contact);
IPG_API ipg_contact_counters ipg_contact_get_counters(const ipg_contact *contact);

/* The last evaluation checked by brute force, every node against every face. The audit has its own boxes, its own
 * margins and its own test of inside and outside. Of penalty contact it also checks forces: at 16 nodes, spread evenly
 * over those that have one, what is neither of friction, dampers nor ties is minus the derivative of the energy of
 * faces and walls, by differences of the energy of all face pairs at the node. It does not check which contacts there
 * are with walls, and the elongation of ties; of a kinematic projection it checks that nothing is deeper than the
 * residual that was returned. Rules that switch contact off do not excuse a node inside a body. */
typedef struct ipg_contact_audit_report {
  int64_t missed_candidates; /* pairs that touch and that the search did not give, or pairs out of order */
  int64_t wrong_contacts;    /* contacts that differ from what all pairs give */
  int64_t nodes_inside; /* nodes inside a body, their own too, and not in contact with it (an initial penetration) */
  int64_t wrong_forces; /* nodes of the sample whose force is not that of the energy */
  char message[256];    /* the first finding; empty if there is none */
} ipg_contact_audit_report;

IPG_API ipg_status ipg_contact_audit(const ipg_contact *contact, ipg_contact_audit_report *report, ipg_error *error);
/* Only the last of the three: nodes inside a body without contact. */
IPG_API ipg_status ipg_contact_audit_inside(const ipg_contact *contact, ipg_contact_audit_report *report,
                                            ipg_error *error);

/* A node in front of another body. */
typedef struct ipg_contact_gap {
  ipg_id node, face; /* indices into the surface; the nearest face of that body */
  double gap;        /* closest distance to the face */
  double weights[3]; /* barycentric coordinates of the closest point */
} ipg_contact_gap;

/* All nodes whose accepted positions are within `distance` of another body, in the order of nodes; valid until the next
 * call that is not const. Drops the last evaluation. */
IPG_API ipg_status ipg_contact_find_gaps(ipg_contact *contact, double distance, const ipg_contact_gap **gaps,
                                         int64_t *count, ipg_error *error);

/* ------------------------------------------------------------------------------------------------ initial penetration
 *
 * Bodies that penetrate each other or a rigid wall before anything has moved: meshed so, or pressed together on
 * purpose. A host chooses what becomes of it, after create or set_positions and before the first evaluate. Left alone,
 * penalty contact pushes overlapping faces apart with full force; otherwise, and at walls, such a node gets no force
 * until it has left the body or is in front of the wall. */

/* A node inside another body, or inside another part of its own, or behind a rigid wall. */
typedef struct ipg_contact_initial_penetration {
  /* Indices into the surface. The nearest face of that body that faces the node's own surface, within the length of the
   * node's edges; without one, the nearest face; -1 at a wall. */
  ipg_id node, face;
  double depth;      /* closest distance to the face, where nodes within 1e-10 of the body's size only touch; or to the
                      * wall, where nodes within 1e-12 of their distance from its point do */
  double weights[3]; /* barycentric coordinates of the closest point */
  ipg_id wall;       /* its number in the config; -1: inside a body */
} ipg_contact_initial_penetration;

/* At the accepted positions, in the order of (node, body), and behind them those at walls in the order of (node, wall);
 * blocks between which a rule switches contact off may penetrate. Valid until the next call that is not const. */
IPG_API ipg_status ipg_contact_find_initial_penetrations(ipg_contact *contact,
                                                         const ipg_contact_initial_penetration **penetrations,
                                                         int64_t *count, ipg_error *error);
/* What penetrates is free of force as it is: with penalty contact by an offset at each node of overlapping faces, else
 * each node becomes a contact that accepts its initial depth. What comes out loses its offset for good; once it is out
 * the contact is like any other. */
IPG_API ipg_status ipg_contact_ignore_initial_penetrations(ipg_contact *contact, ipg_error *error);
/* Moves nodes apart, each by its share of inverse mass, so that the centre of mass stays, and nodes behind a wall onto
 * it, until no penetration is left;
 * the bodies are then at x (3 per surface node), the stress-free positions, and no contact is active. `moved`: how many
 * nodes, `farthest`: by how much at most. Penetrations deeper than a mean edge of the surface, those that return, and
 * bodies wholly inside others cannot be removed by moving nodes: IPG_ERROR_UNSUPPORTED, nothing was moved. */
IPG_API ipg_status ipg_contact_remove_initial_penetrations(ipg_contact *contact, double *x, int64_t *moved,
                                                           double *farthest, ipg_error *error);

/* Why a node is in contact with a face, or why not, and the same of two faces: the outcome of the last evaluation, as
 * data and as a sentence. */
typedef enum ipg_contact_reason {
  IPG_REASON_IN_CONTACT,
  IPG_REASON_OTHER_FACE,  /* in contact with this body, but at another face */
  IPG_REASON_OWN_FACE,    /* the node is a corner of the face */
  IPG_REASON_OWN_ELEMENT, /* of the element behind it */
  IPG_REASON_OFF,         /* by a rule, or at this time */
  IPG_REASON_TIED,        /* a rule ties their blocks: the node to this face, to another, or, too far away, to none */
  IPG_REASON_INSIDE,      /* of the body already before the step, without contact: an initial penetration */
  IPG_REASON_PATHS_APART, /* in this step, by `gap` or more */
  IPG_REASON_IN_FRONT,    /* at the end of the step, by `gap` */
  IPG_REASON_BEHIND,      /* already before the step */
  IPG_REASON_BESIDE,      /* went through the face's plane, not through the face */
  IPG_REASON_LEFT_AGAIN,  /* in at `time`, and out before the step's end */
  /* Of two faces: IPG_REASON_IN_CONTACT, OFF, TIED, INSIDE (an initial penetration), BESIDE and IN_FRONT too. */
  IPG_REASON_ADJACENT,   /* they share a node or an element */
  IPG_REASON_ONE_PLATE,  /* whose two sides they are */
  IPG_REASON_NOT_FACING, /* they do not look at each other */
  IPG_REASON_BEYOND      /* behind each other by -gap: the way out is sideways, or on the other side */
} ipg_contact_reason;

typedef struct ipg_contact_explanation {
  ipg_contact_reason reason;
  double time, gap; /* NAN where they mean nothing */
  char sentence[160];
} ipg_contact_explanation;

/* The contact pair of the node and the face: what kinematic enforcement holds, and what tells who has passed. */
IPG_API ipg_status ipg_contact_explain(const ipg_contact *contact, ipg_gid node, ipg_contact_face_id face,
                                       ipg_contact_explanation *explanation, ipg_error *error);
/* Why two faces press on each other, or not: of penalty enforcement. Bevels and sharp edges can press all the same. */
IPG_API ipg_status ipg_contact_explain_faces(const ipg_contact *contact, ipg_contact_face_id first,
                                             ipg_contact_face_id second, ipg_contact_explanation *explanation,
                                             ipg_error *error);

/* One step as bytes, for a bug report: the surface, the settings, the accepted state with its history, and the trial's
 * time, x and v (or NULL). `write` takes bytes one after another and returns false if it cannot. */
typedef bool ipg_write(void *context, const void *bytes, size_t count);
IPG_API ipg_status ipg_contact_record(const ipg_contact *contact, double time, const double *x, const double *v,
                                      ipg_write *write, void *context, ipg_error *error);

/* The recorded step, to be run again by the same build: evaluate(contact, time, x, v), or project with a copy of x
 * where the enforcement is kinematic, gives the same bits. The arrays point into the bytes, which start on an
 * eight-byte boundary; the caller frees them, and destroys the contact. */
typedef struct ipg_contact_replay {
  ipg_contact *contact;
  ipg_contact_enforcement enforcement;
  int64_t node_count, face_count;
  const ipg_gid *node_gids;
  double time;
  const double *x, *v;
} ipg_contact_replay;

IPG_API ipg_status ipg_contact_replay_open(const ipg_contact_config *config, const void *bytes, int64_t count,
                                           ipg_contact_replay *replay, ipg_error *error);

/* ---------------------------------------------------------------------------------------------------------- defaults
 *
 * Compiled with the program, for its sizes. */

/* For languages that cannot call ipg_contact_defaults. */
IPG_API void ipg_contact_set_defaults(ipg_contact_config *config, const ipg_contact_sizes *sizes);

/* Of all structs that are returned. */
#define IPG_CONTACT_RESULT_SIZES                                                                                       \
  (((((((((((((((sizeof(ipg_contact_pair)) * 31 + sizeof(ipg_contact_contribution)) * 31 +                             \
               sizeof(ipg_contact_energy_balance)) *                                                                   \
                  31 +                                                                                                 \
              sizeof(ipg_contact_counters)) *                                                                          \
                 31 +                                                                                                  \
             sizeof(ipg_contact_depth)) *                                                                              \
                31 +                                                                                                   \
            sizeof(ipg_contact_passed_node)) *                                                                         \
               31 +                                                                                                    \
           sizeof(ipg_contact_gap)) *                                                                                  \
              31 +                                                                                                     \
          sizeof(ipg_contact_initial_penetration)) *                                                                   \
             31 +                                                                                                      \
         sizeof(ipg_contact_projection)) *                                                                             \
            31 +                                                                                                       \
        sizeof(ipg_contact_audit_report)) *                                                                            \
           31 +                                                                                                        \
       sizeof(ipg_contact_explanation)) *                                                                              \
          31 +                                                                                                         \
      sizeof(ipg_contact_replay)) *                                                                                    \
         31 +                                                                                                          \
     sizeof(ipg_contact_node_result)) *                                                                                \
        31 +                                                                                                           \
    sizeof(ipg_contact_face_result)) *                                                                                 \
       31 +                                                                                                            \
   sizeof(ipg_contact_block_result))

static inline ipg_contact_config ipg_contact_defaults(void) {
  const ipg_contact_sizes sizes = {sizeof(ipg_contact_config), sizeof(ipg_surface), sizeof(ipg_contact_rule),
                                   sizeof(ipg_contact_wall), IPG_CONTACT_RESULT_SIZES};
  ipg_contact_config config;
  ipg_contact_set_defaults(&config, &sizes);
  return config;
}

static inline ipg_contact_rule ipg_contact_rule_defaults(void) {
  const ipg_contact_law law = {0, 0, 0, 0};
  const ipg_contact_rule rule = {{-1, -1}, false, false, 0, -INFINITY, INFINITY, -1, law};
  return rule;
}

#ifdef __cplusplus
}
#endif
#endif
