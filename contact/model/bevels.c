/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "model/sharp_edges.h"

#include "support/vec.h"

void ipg_set_bevel_points(const ipg_model *m, double *x) {
  for (int64_t i = 0; i < 3 * m->bevels.face_count; ++i) {
    const ipg_bevel_point *p = &m->bevels.points.at[i];
    const vec from = vec_at(x, p->node), way = vec_sub(vec_at(x, p->toward), from);
    vec_store(x + 3 * (m->surface.node_count + i), vec_add(from, vec_scale(p->part, way)));
  }
}

ipg_contact_kind ipg_name_face(const ipg_model *m, ipg_id face, int64_t name[2]) {
  const ipg_surface *s = &m->surface;
  const int64_t bevel = face - s->face_count, side = 4 * s->face_sides[face] + (s->face_subs ? s->face_subs[face] : 0);
  name[0] = s->face_elements[face], name[1] = side;
  if (bevel < 0) return IPG_CONTACT_FACE_FACE;
  if (ipg_is_sharp_edge(m, face)) {
    const ipg_id *nodes = ipg_sharp_edge_nodes(m, face);
    for (int k = 0; k < 2; ++k) name[k] = s->node_gids[nodes[k]];
    return IPG_CONTACT_EDGE_EDGE;
  }
  if (m->bevels.parts.at[bevel] == IPG_BEVEL_OF_CORNER) {
    name[0] = s->node_gids[m->bevels.points.at[3 * bevel].node], name[1] = 0;
    return IPG_CONTACT_FACE_CORNER;
  }
  name[1] = 8 * side + m->bevels.parts.at[bevel];
  return IPG_CONTACT_FACE_EDGE;
}
