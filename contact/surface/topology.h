/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What follows from the connectivity of a surface alone: the faces, body and block of each node. Lists of a node are in
 * ascending order, so every walk over them takes the same way. */
#ifndef IMPINGE_SURFACE_TOPOLOGY_H
#define IMPINGE_SURFACE_TOPOLOGY_H

#include "impinge/contact.h"
#include "support/array.h"
#include "support/vec.h"

typedef struct ipg_topology {
  int body_count, block_count;
  IPG_ARRAY(int64_t) node_faces_first; /* the faces of node i are node_faces[first[i]] to [first[i + 1]] */
  IPG_ARRAY(ipg_id) node_faces;
  IPG_ARRAY(int32_t) node_bodies, node_blocks; /* those of the node's first face; 0 of a node without faces */
} ipg_topology;

ipg_status ipg_topology_build(ipg_topology *topology, const ipg_surface *surface, const ipg_allocator *allocator,
                              ipg_error *error);
void ipg_topology_destroy(ipg_topology *topology, const ipg_allocator *allocator);
/* Ids in an array: begin <= id < end. */
typedef struct ipg_id_range {
  const ipg_id *begin, *end;
} ipg_id_range;

static inline ipg_id_range ipg_faces_of_node(const ipg_topology *t, ipg_id node) {
  const int64_t *first = t->node_faces_first.at;
  return (ipg_id_range){t->node_faces.at + first[node], t->node_faces.at + first[node + 1]};
}

/* Index of a node by its gid, of a face by its id; -1 if the surface has none. */
ipg_id ipg_find_node(const ipg_surface *surface, ipg_gid gid);
ipg_id ipg_find_face(const ipg_surface *surface, ipg_contact_face_id id);

/* The average normal of a node's faces at positions x. */
vec ipg_node_normal(const ipg_topology *topology, const ipg_surface *surface, const double *x, ipg_id node);

#endif
