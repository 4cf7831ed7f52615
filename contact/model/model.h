/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What stays the same from step to step: the surface, its topology, the settings and what follows from them. Made at
 * create, and anew when the surface changes; every phase of a step gets it as const. */
#ifndef IMPINGE_MODEL_MODEL_H
#define IMPINGE_MODEL_MODEL_H

#include "model/face_shape.h"
#include "support/simd.h"
#include "support/thresholds.h"
#include "surface/topology.h"

/* The copy of the host code's surface. */
typedef struct ipg_surface_storage {
  IPG_ARRAY(ipg_gid) node_gids;
  IPG_ARRAY(double) node_masses;
  IPG_ARRAY(uint8_t) node_owned;
  IPG_ARRAY(ipg_id) faces;
  IPG_ARRAY(ipg_gid) face_elements;
  IPG_ARRAY(uint8_t) face_sides;
  IPG_ARRAY(uint8_t) face_subs;
  IPG_ARRAY(int32_t) face_bodies;
  IPG_ARRAY(int32_t) face_blocks;
  IPG_ARRAY(ipg_id) face_opposites;
  IPG_ARRAY(double) face_stiffnesses;
} ipg_surface_storage;

/* The rules between blocks, looked up once for each pair of blocks. */
typedef struct ipg_block_rules {
  IPG_ARRAY(ipg_contact_rule) rules;
  IPG_ARRAY(int32_t) of_blocks; /* block_count x block_count numbers of rules, IPG_NO_RULE; none without rules */
  IPG_ARRAY(double) thicknesses;
  IPG_ARRAY(double) reaches;          /* of each block: the most distance at which it touches any other */
  bool has_thickness;                 /* some reach is above 0 */
  double most_damping, most_friction; /* of all laws */
} ipg_block_rules;

enum { IPG_NO_RULE = -1, IPG_ANY_BLOCK = -1 };

/* What the law of penalty contact reads of faces and nodes: frozen at the start. Empty without penalty contact. */
typedef struct ipg_face_properties {
  IPG_ARRAY(ipg_face_shape) shapes;
  IPG_ARRAY(int64_t) border_node_starts;   /* of each face, and the end */
  IPG_ARRAY(ipg_id) border_nodes;          /* the points of faces behind their corners */
  IPG_ARRAY(double) thicknesses;           /* of the material behind each face, at most an edge */
  IPG_ARRAY(double) stiffnesses;           /* of each face, per area */
  IPG_ARRAY(double) node_areas;            /* a third of the faces of each node */
  IPG_ARRAY(double) node_stiffnesses;      /* per area: the stiffest of the node's faces */
  IPG_ARRAY(double) wall_node_stiffnesses; /* at a rigid wall, per depth of each node: see enforce/wall_contact.h */
  IPG_ARRAY(double) wall_face_stiffnesses; /* 3 per face: what each face adds near its corners */
  IPG_ARRAY(double) tie_rates;             /* of each node: see ipg_add_tie_rates */
  IPG_ARRAY(double) reference;             /* 3 per node: positions at the start */
  double stiffest;                         /* of all stiffnesses */
  IPG_ARRAY(double) block_periods; /* the time that a wave needs through a layer of elements, about: mean of a block */
  IPG_ARRAY(double) block_sizes;   /* mean edge of the faces of a block */
  IPG_ARRAY(double) block_stiffnesses; /* of the softest face of a block */
  IPG_ARRAY(int64_t) block_face_counts;
  IPG_ARRAY(double) sizes;      /* of each face: its mean edge */
  IPG_ARRAY(double) velocities; /* 3 per block: config.reference_velocities */
} ipg_face_properties;

/* See model/bevels.h. */
typedef struct ipg_bevel_point {
  ipg_id node, toward;
  double part; /* of the way */
} ipg_bevel_point;

enum { IPG_BEVEL_OF_CORNER = 255 }; /* a part that no edge has */

/* First those of corners, in the order of their nodes, then those of edges, in the order of the first of their ends. */
typedef struct ipg_bevels {
  int64_t face_count, corner_count;
  IPG_ARRAY(ipg_bevel_point) points; /* 3 per bevel: its corners */
  IPG_ARRAY(ipg_id) faces;           /* a face at the corner or edge of each */
  IPG_ARRAY(uint8_t) parts;          /* along an edge: twice its number in the face, plus the half */
  IPG_ARRAY(ipg_id) keys;            /* 4 per bevel: the nodes that it moves with */
  IPG_ARRAY(double) own_areas;
  IPG_ARRAY(double) areas;  /* what each stands for: a share of the faces around, as its axis sees them */
  IPG_ARRAY(double) depths; /* of the material behind each */
} ipg_bevels;

/* A convex edge at which the surface turns by more than IPG_BORDER_COSINE tells: see model/sharp_edges.h. */
typedef struct ipg_sharp_edge {
  ipg_id face;                 /* on its left, and it stands for this one in the arrays of faces */
  double area, depth;          /* what its axis sees of a third of both faces; of the material behind it */
  double heights[2];           /* of both faces, from the edge to the third corners */
  double starts[2], widths[2]; /* of the rise of the energy at its ends: see enforce/edge_overlap.h */
} ipg_sharp_edge;

typedef struct ipg_sharp_edges {
  int64_t count;
  IPG_ARRAY(ipg_sharp_edge) edges;
  IPG_ARRAY(ipg_id) nodes; /* 4 per edge: its ends, and the third corners of the faces on its left and its right */
} ipg_sharp_edges;

typedef struct ipg_model {
  ipg_contact_config config; /* rules, thicknesses and walls point to the copies below */
  ipg_surface surface;       /* points to the copies below */
  ipg_surface_storage surface_storage;
  ipg_topology topology;
  ipg_block_rules rules;
  ipg_face_properties faces;
  ipg_bevels bevels; /* of penalty contact, as sharp_edges */
  ipg_sharp_edges sharp_edges;
  IPG_ARRAY(ipg_contact_wall) walls;
  ipg_simd simd;
  double mean_edge, longest_edge; /* of the surface at the start */
  double margin;                  /* search margin, a length */
  double touch_tolerance; /* at which surfaces without thickness touch: more than rounding of the crossing test */
} ipg_model;

static inline bool ipg_is_kinematic(const ipg_model *m) { return m->config.enforcement == IPG_ENFORCEMENT_KINEMATIC; }

static inline bool ipg_has_face_contact(const ipg_model *m) { return m->config.enforcement == IPG_ENFORCEMENT_PENALTY; }

static inline bool ipg_is_within_numbers(double number) { return number >= IPG_SMALLEST && number <= IPG_LARGEST; }

/* False for what is not a number too. */
static inline bool ipg_is_position(const double x[3]) {
  return fabs(x[0]) <= IPG_LARGEST && fabs(x[1]) <= IPG_LARGEST && fabs(x[2]) <= IPG_LARGEST;
}

/* Contact of a node is detected by the rank that owns it. */
static inline bool ipg_is_owned(const ipg_surface *s, int64_t node) { return !s->node_owned || s->node_owned[node]; }

#endif
