/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What follows from the connectivity of a surface alone: the faces, edges, body and block of each node, and the edges
 * of the surface. Lists of a node are in ascending order, so every walk over them takes the same way. */
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
  /* Edges, for edge-edge contact only; sorted by their nodes, lower before higher, so their order is that of gids. */
  ipg_id edge_count;            /* 0 without edge-edge contact */
  IPG_ARRAY(ipg_id) edge_nodes; /* 2 per edge, lower and higher */
  IPG_ARRAY(ipg_id) edge_faces; /* the first two faces of each edge, -1 where there is only one */
  IPG_ARRAY(ipg_id) edge_keys;  /* 4 per edge: two nodes, two tetrahedra (numbered after all nodes), or -1 */
  IPG_ARRAY(int64_t) node_edges_first;
  IPG_ARRAY(ipg_id) node_edges;
} ipg_topology;

ipg_status ipg_topology_build(ipg_topology *topology, const ipg_surface *surface, const ipg_allocator *allocator,
                              ipg_error *error);
void ipg_topology_destroy(ipg_topology *topology, const ipg_allocator *allocator);
/* Adds the edges: once, after build. */
ipg_status ipg_topology_add_edges(ipg_topology *topology, const ipg_surface *surface, const ipg_allocator *allocator,
                                  const ipg_tasks *tasks, ipg_error *error);

/* Ids in an array: begin <= id < end. */
typedef struct ipg_id_range {
  const ipg_id *begin, *end;
} ipg_id_range;

static inline ipg_id_range ipg_faces_of_node(const ipg_topology *t, ipg_id node) {
  const int64_t *first = t->node_faces_first.at;
  return (ipg_id_range){t->node_faces.at + first[node], t->node_faces.at + first[node + 1]};
}

static inline ipg_id_range ipg_edges_of_node(const ipg_topology *t, ipg_id node) {
  const int64_t *first = t->node_edges_first.at;
  return (ipg_id_range){t->node_edges.at + first[node], t->node_edges.at + first[node + 1]};
}

static inline const ipg_id *ipg_edge_nodes(const ipg_topology *t, ipg_id edge) {
  return t->edge_nodes.at + 2 * (int64_t)edge;
}

static inline const ipg_id *ipg_edge_faces(const ipg_topology *t, ipg_id edge) {
  return t->edge_faces.at + 2 * (int64_t)edge;
}

/* The edge between two nodes, in any order; -1 if there is none, or a node is negative. */
ipg_id ipg_find_edge(const ipg_topology *topology, ipg_id a, ipg_id b);
/* Self-contact exclusion: edges that share a node or a tetrahedron have no contact with each other. */
bool ipg_edges_are_adjacent(const ipg_topology *topology, ipg_id a, ipg_id b);

/* Index of a node by its gid, of a face by its id; -1 if the surface has none. */
ipg_id ipg_find_node(const ipg_surface *surface, ipg_gid gid);
ipg_id ipg_find_face(const ipg_surface *surface, ipg_contact_face_id id);

/* The average normal of a node's faces at positions x. */
vec ipg_node_normal(const ipg_topology *topology, const ipg_surface *surface, const double *x, ipg_id node);

#endif
