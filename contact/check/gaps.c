/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Nodes close to another body, with distance and closest point, at the accepted positions: for setting up a scene, or
 * to see gaps before they close. The step does not use it. */
#include "setup/contact_object.h"
#include "surface/closest_point.h"

/* The closest face of each other body that the node is in front of, within the distance; returns how many. */
static int64_t closest_of_bodies(const ipg_model *m, const double *x, const ipg_pair *pairs, int64_t count,
                                 double distance, ipg_contact_gap *gaps) {
  const ipg_surface *s = &m->surface;
  const int32_t own = m->topology.node_bodies.at[pairs->a];
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t body = s->face_bodies[pairs[i].b];
    const ipg_closest_point q = ipg_closest_point_on_face(s, x, pairs[i].a, pairs[i].b);
    const double gap = sqrt(q.distance2);
    if (body == own || q.height > 0 || gap > distance) continue;
    int64_t at = 0;
    while (at < found && s->face_bodies[gaps[at].face] != body) ++at;
    if (at < found && gaps[at].gap <= gap) continue;
    gaps[at] = (ipg_contact_gap){pairs[i].a, pairs[i].b, gap, {q.weights[0], q.weights[1], q.weights[2]}};
    found += at == found;
  }
  return found;
}

ipg_status ipg_contact_find_gaps(ipg_contact *c, double distance, const ipg_contact_gap **gaps, int64_t *count,
                                 ipg_error *error) {
  const double *x = c->accepted->x.at;
  const ipg_candidates *near = &c->broad_phase.node_face;
  *gaps = NULL, *count = 0;
  if (!(distance >= 0) || !isfinite(distance))
    return ipg_fail(error, IPG_ERROR_NUMBER, "gaps up to %g were asked for; give a distance of 0 or more", distance);
  if (c->holds != IPG_TRIAL_OF_NOTHING) c->has_evaluation = false;
  c->holds = IPG_TRIAL_OF_NOTHING;
  ipg_status status = ipg_find_pairs_within(&c->broad_phase, &c->model, x, distance, error);
  if (!status) status = ipg_array_reserve(&c->gaps, &c->model.config.allocator, near->count, error);
  if (status) return status;
  for (int64_t first = 0, end; first < near->count; first = end) {
    for (end = first; end < near->count && near->pairs[end].a == near->pairs[first].a;) ++end;
    *count += closest_of_bodies(&c->model, x, near->pairs + first, end - first, distance, c->gaps.at + *count);
  }
  *gaps = c->gaps.at;
  return IPG_OK;
}
