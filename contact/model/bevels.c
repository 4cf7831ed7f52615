/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "model/bevels.h"

#include "support/vec.h"

void ipg_set_bevel_points(const ipg_model *m, double *x) {
  for (int64_t i = 0; i < 3 * m->bevels.face_count; ++i) {
    const ipg_bevel_point *p = &m->bevels.points.at[i];
    const vec from = vec_at(x, p->node), way = vec_sub(vec_at(x, p->toward), from);
    vec_store(x + 3 * (m->surface.node_count + i), vec_add(from, vec_scale(p->part, way)));
  }
}

void ipg_spread_bevel_forces(const ipg_model *m, double *forces) {
  for (int64_t i = 0; i < 3 * m->bevels.face_count; ++i) {
    const ipg_bevel_point *p = &m->bevels.points.at[i];
    const vec force = vec_at(forces, m->surface.node_count + i), far = vec_scale(p->part, force);
    double *at = forces + 3 * (int64_t)p->node, *toward = forces + 3 * (int64_t)p->toward;
    vec_store(at, vec_add(vec_at(at, 0), vec_sub(force, far)));
    vec_store(toward, vec_add(vec_at(toward, 0), far));
  }
}
