/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Inside or outside of a body, and how deep, for many nodes at any positions: trees of the bodies' faces. */
#ifndef IMPINGE_SURFACE_POINT_IN_BODY_H
#define IMPINGE_SURFACE_POINT_IN_BODY_H

#include "impinge/search.h"
#include "surface/closest_point.h"
#include "surface/topology.h"

/* A node of a tree; all nodes below it follow it. */
typedef struct ipg_face_tree_node {
  ipg_box box;
  int64_t end;         /* behind the last node below */
  int64_t first, last; /* the faces of a leaf, in `order`; equal in other nodes */
} ipg_face_tree_node;

/* One tree for each body. */
typedef struct ipg_face_trees {
  const ipg_surface *surface;
  const ipg_topology *topology;
  const double *x;
  int64_t node_count;
  IPG_ARRAY(ipg_id) order;  /* faces by body and position */
  IPG_ARRAY(int64_t) roots; /* where the nodes of each body begin */
  IPG_ARRAY(ipg_face_tree_node) nodes;
  IPG_ARRAY(uint64_t) keys;
  ipg_sorter sorter;
} ipg_face_trees;

/* Of the surface at positions x. All three pointers must outlive the trees. Zero-initialise; may be built again. */
ipg_status ipg_face_trees_build(ipg_face_trees *trees, const ipg_surface *surface, const ipg_topology *topology,
                                const double *x, const ipg_allocator *allocator, const ipg_tasks *tasks,
                                ipg_error *error);
void ipg_face_trees_destroy(ipg_face_trees *trees, const ipg_allocator *allocator);
/* The box of a body's faces; a point at 0 if it has none. */
ipg_box ipg_face_trees_box(const ipg_face_trees *trees, int32_t body);
/* True if the node is inside the body by more than 1e-10 of its size; then also the face where it came in, and how deep
 * it is. */
bool ipg_find_penetration(const ipg_face_trees *trees, ipg_id node, int32_t body,
                          ipg_contact_initial_penetration *penetration);
/* The nearest face of another body within `reach` of the node, where the node is not inside it, and how far. */
bool ipg_find_face_within(const ipg_face_trees *trees, ipg_id node, int32_t body, double reach,
                          ipg_contact_initial_penetration *nearest);

#endif
