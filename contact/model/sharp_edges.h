/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sharp edges in contact with each other. In the arrays of faces each has a place behind the bevels, as a face of no
 * area: its corners are both ends, the second twice, and its further points are the third corners of the two faces at
 * it. So all that sums over the corners of faces in contact holds for edges too. */
#ifndef IMPINGE_MODEL_SHARP_EDGES_H
#define IMPINGE_MODEL_SHARP_EDGES_H

#include "model/bevels.h"

/* The place of the first edge. */
static inline int64_t ipg_first_sharp_edge(const ipg_model *m) { return ipg_face_count_with_bevels(m); }
static inline int64_t ipg_face_count_with_edges(const ipg_model *m) {
  return ipg_first_sharp_edge(m) + m->sharp_edges.count;
}

static inline bool ipg_is_sharp_edge(const ipg_model *m, ipg_id face) { return face >= ipg_first_sharp_edge(m); }

/* The two ends, and the third corners. */
static inline const ipg_id *ipg_sharp_edge_nodes(const ipg_model *m, ipg_id face) {
  return m->sharp_edges.nodes.at + 4 * (face - ipg_first_sharp_edge(m));
}

static inline const ipg_sharp_edge *ipg_sharp_edge_at(const ipg_model *m, ipg_id face) {
  return &m->sharp_edges.edges.at[face - ipg_first_sharp_edge(m)];
}

#endif
