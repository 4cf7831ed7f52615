/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which nodes stand close to another body, where, and how close? A question about the accepted places, for whoever sets
 * up a scene or wants to see gaps before they close; the step does not ask it. */
#include "foot.h"
#include "state.h"

#include <math.h>

static void box_nodes(ipg_contact *c, const double *at, double distance) {
  ipg_box *boxes = c->buffers[NODE_BOXES].data;
  for (int64_t i = 0; i < c->surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double x = at[3 * i + k];
      boxes[i].lo[k] = nextafter(x - distance, -INFINITY);
      boxes[i].hi[k] = nextafter(x + distance, INFINITY);
    }
}

static void box_faces(ipg_contact *c, const double *at) {
  ipg_box *boxes = c->buffers[FACE_BOXES].data;
  for (int64_t f = 0; f < c->surface.face_count; ++f)
    for (int k = 0; k < 3; ++k) {
      const ipg_id *corner = c->surface.faces + 3 * f;
      const double *x = at + k;
      const double a = x[3 * (int64_t)corner[0]], b = x[3 * (int64_t)corner[1]], d = x[3 * (int64_t)corner[2]];
      boxes[f].lo[k] = smaller(a, smaller(b, d));
      boxes[f].hi[k] = larger(a, larger(b, d));
    }
}

/* The nearest face of each other body that the node is in front of, within the distance; returns how many. */
static int64_t nearest_of_bodies(const ipg_contact *c, const ipg_pair *pairs, int64_t count, double distance,
                                 ipg_contact_gap *gaps) {
  const int32_t own = ((const int32_t *)c->buffers[NODE_BODIES].data)[pairs->a];
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t body = c->surface.face_bodies[pairs[i].b];
    const foot f = ipg_foot_on_face(&c->surface, ipg_accepted_x(c), pairs[i].a, pairs[i].b);
    const double gap = sqrt(f.distance2);
    if (body == own || f.height > 0 || gap > distance) continue;
    int64_t at = 0;
    while (at < found && c->surface.face_bodies[gaps[at].face] != body) ++at;
    if (at < found && gaps[at].gap <= gap) continue;
    gaps[at] = (ipg_contact_gap){pairs[i].a, pairs[i].b, gap, {f.weights[0], f.weights[1], f.weights[2]}};
    found += at == found;
  }
  return found;
}

ipg_status ipg_contact_search_near(ipg_contact *c, const double *x, double distance, ipg_error *error) {
  c->has_candidates = c->has_trial = false; /* their boxes and pairs make room */
  box_nodes(c, x, distance);
  box_faces(c, x);
  return ipg_contact_search(c, error);
}

ipg_status ipg_contact_find_gaps(ipg_contact *c, double distance, const ipg_contact_gap **gaps, int64_t *count,
                                 ipg_error *error) {
  *gaps = NULL, *count = 0;
  if (!(distance >= 0) || !isfinite(distance))
    return ipg_fail(error, IPG_ERROR_NUMBER, "gaps up to %g were asked for; give a distance of 0 or more", distance);
  ipg_status status = ipg_contact_search_near(c, ipg_accepted_x(c), distance, error);
  if (!status)
    status = ipg_buffer_reserve(&c->buffers[GAPS], &c->config.allocator, c->faces.count, sizeof **gaps, error);
  if (status) return status;
  ipg_contact_gap *all = c->buffers[GAPS].data;
  for (int64_t first = 0, end; first < c->faces.count; first = end) {
    for (end = first; end < c->faces.count && c->faces.pairs[end].a == c->faces.pairs[first].a;) ++end;
    *count += nearest_of_bodies(c, c->faces.pairs + first, end - first, distance, all + *count);
  }
  *gaps = all;
  return IPG_OK;
}
