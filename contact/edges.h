/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The edges of the surface, for contact of edges with edges. They stand in the order of their nodes, low before high,
 * so their order is that of global numbers. */
#ifndef IMPINGE_CONTACT_EDGES_H
#define IMPINGE_CONTACT_EDGES_H

#include "state.h"

/* The two nodes of an edge, low and high; the first two faces it belongs to, -1 where there is but one. */
static inline const ipg_id *ipg_edge_nodes(const ipg_contact *c, ipg_id edge) {
  return (const ipg_id *)c->buffers[EDGE_NODES].data + 2 * (int64_t)edge;
}
static inline const ipg_id *ipg_edge_faces(const ipg_contact *c, ipg_id edge) {
  return (const ipg_id *)c->buffers[EDGE_FACES].data + 2 * (int64_t)edge;
}

/* edges.c: who they are, at create; */
ipg_status ipg_contact_find_edges(ipg_contact *contact, ipg_error *error);
/* that between two nodes, in any order; -1: there is none, or one is no node (below 0); */
ipg_id ipg_find_edge(const ipg_contact *contact, ipg_id a, ipg_id b);
/* who shares a node or is of the same tetrahedron: no obstacle to each other; */
bool ipg_edges_are_kin(const ipg_contact *contact, ipg_id a, ipg_id b);
/* whose capture boxes overlap. */
ipg_status ipg_contact_search_edges(ipg_contact *contact, ipg_error *error);

/* meet_edges.c: one look at pairs of edges and at the old contacts of edges; what came out, in its order. */
ipg_status ipg_contact_look_at_edges(const ipg_contact *contact, const ipg_pair *pairs, int64_t count,
                                     ipg_edge_look *look, ipg_error *error);
/* What comes of two edges that touch at a time: a contact, or a reason why not. One question in the batch. */
ipg_contact_reason ipg_edge_contact_begins(const ipg_contact *contact, const ipg_touch_queries *question, ipg_pair pair,
                                           double time, ipg_contact_pair *made);
/* Where a contact of edges is told to be: at the first face of the touched one. */
void ipg_edge_name_face(const ipg_contact *contact, ipg_contact_pair *pair);
void ipg_edge_look_destroy(ipg_edge_look *look, const ipg_allocator *allocator);

#endif
