/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Bevels: small faces across corners and edges of the surface that are so sharp that none of their own faces looks at
 * what they touch. Penalty contact takes a bevel for one more face of the surface, and its corners for nodes: they
 * lie on edges of the surface, a fixed part of the way from one node to another, and move with them. Arrays of nodes
 * and faces have room for bevels after those of the surface. */
#ifndef IMPINGE_MODEL_BEVELS_H
#define IMPINGE_MODEL_BEVELS_H

#include "model/model.h"

/* Of the surface, then of bevels. */
static inline int64_t ipg_node_count_with_bevels(const ipg_model *m) {
  return m->surface.node_count + 3 * m->bevels.face_count;
}
static inline int64_t ipg_face_count_with_bevels(const ipg_model *m) {
  return m->surface.face_count + m->bevels.face_count;
}

static inline bool ipg_is_bevel(const ipg_model *m, ipg_id face) {
  return face >= m->surface.face_count && face < ipg_face_count_with_bevels(m);
}

/* The node itself, or that at the corner or edge of the bevel. */
static inline ipg_id ipg_node_of_point(const ipg_model *m, ipg_id point) {
  const int64_t bevel_point = point - m->surface.node_count;
  return bevel_point < 0 ? point : m->bevels.points.at[bevel_point].node;
}

/* Positions or velocities of the corners of bevels, behind those of the nodes. */
void ipg_set_bevel_points(const ipg_model *model, double *x);

/* The name of a face, of a bevel or of a sharp edge (sharp_edges.h), that holds on any rank: see ipg_contact_key.
 * Returns the kind of contact of a face with it. */
ipg_contact_kind ipg_name_face(const ipg_model *model, ipg_id face, int64_t name[2]);

#endif
