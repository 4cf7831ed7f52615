/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Rigid planes, which may move: every node against every plane.
 *
 * A plane has one side, so nothing is searched or followed: a contact begins when a node that was in front is behind at
 * the end of the step, however far, and ends when it is in front again. A node that starts behind is let alone until it
 * has come out. Chunks of nodes are counted first and filled then, each in its place: the order is that of (node,
 * plane) for any number of workers. */
#include "state.h"
#include "support/directed_rounding.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { GRAIN = 1024 };

/* Places that are on a plane but for rounding count as in front of it: in parts of the way from its point. */
static const double rounding = 1e-12;

/* --------------------------------------------------------------------------------------------------- what may come in
 */

static bool is_finite(const double v[3]) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

static double largest_of(const double v[3]) { return larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2]))); }

static ipg_status check_plane(const ipg_contact_wall *p, int64_t number, ipg_error *error) {
  char whose[48];
  snprintf(whose, sizeof whose, "contact plane %lld", (long long)number);
  if (!is_finite(p->point) || !is_finite(p->normal) || !is_finite(p->velocity))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: its point, normal and velocity must be finite", whose);
  if (!ipg_is_place(p->point))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: its point lies beyond %g: take other units", whose, IPG_LARGEST);
  if (!(largest_of(p->normal) > 0))
    return ipg_fail(error, IPG_ERROR_NUMBER, "%s: its normal is 0; give a direction out of the plane", whose);
  return ipg_contact_check_law(&p->law, whose, error);
}

static ipg_status check_planes(const ipg_contact *c, ipg_error *error) {
  const int64_t count = c->config.wall_count;
  if (count < 0) return ipg_fail(error, IPG_ERROR_ARGUMENT, "fewer than no contact planes");
  if (count >= IPG_ID_MAX) return ipg_fail(error, IPG_ERROR_TOO_MANY, "more contact planes than 32-bit ids can name");
  if (count && !c->config.walls) return ipg_fail(error, IPG_ERROR_ARGUMENT, "the array of contact planes is null");
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i < count; ++i) status = check_plane(&c->config.walls[i], i, error);
  return status;
}

/* One that has length 1 but for rounding stays as it is: to do it twice is to do it once. */
static void normalise(double normal[3]) {
  const double largest = largest_of(normal);
  vec n = vec_at(normal, 0);
  if (fabs(vec_dot(n, n) - 1) <= 8 * DBL_EPSILON) return;
  n = (vec){n.x / largest, n.y / largest, n.z / largest}; /* squares stay within the range of doubles */
  vec_store(normal, vec_unit(n));
}

ipg_status ipg_contact_take_planes(ipg_contact *c, ipg_error *error) {
  const int64_t count = c->config.wall_count, chunks = ipg_chunk_count(c->surface.node_count, GRAIN);
  const ipg_allocator *a = &c->config.allocator;
  ipg_status status = check_planes(c, error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[PLANES], a, count, sizeof(ipg_contact_wall), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[PLANE_TOUCHES], a, chunks, sizeof(int64_t), error);
  if (status) return status;
  ipg_contact_wall *planes = c->buffers[PLANES].data;
  if (count) memcpy(planes, c->config.walls, (size_t)count * sizeof *planes);
  for (int64_t i = 0; i < count; ++i) {
    normalise(planes[i].normal);
    c->most_damping = larger(c->most_damping, planes[i].law.damping);
  }
  c->config.walls = planes;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------------ a step
 */

vec ipg_way_from_plane(const ipg_contact *c, ipg_id plane, double time, const double *x, ipg_id node) {
  const ipg_contact_wall *p = &c->config.walls[plane];
  const vec moved = vec_scale(time - c->config.start_time, vec_at(p->velocity, 0));
  return vec_sub(vec_sub(vec_at(x, node), vec_at(p->point, 0)), moved);
}

static vec way_from_point(const ipg_contact *c, const ipg_contact_state *state, ipg_id node, ipg_id plane) {
  return ipg_way_from_plane(c, plane, state->time, state->x.data, node);
}

static double height_of(const ipg_contact *c, vec way, ipg_id plane) {
  return vec_dot(way, vec_at(c->config.walls[plane].normal, 0));
}

static ipg_contact_pair newborn(const ipg_contact *c, ipg_id node, ipg_id plane, double time) {
  ipg_contact_pair pair = {.kind = IPG_CONTACT_NODE_WALL,
                           .owner = node,
                           .touched = plane,
                           .nodes = {node, node, node, node},
                           .weights = {1},
                           .face = -1,
                           .node_gid = c->surface.node_gids[node],
                           .element = -1,
                           .activated = true,
                           .time = larger(0, ipg_below(time)),
                           .time_through = smaller(1, ipg_above(time))};
  memcpy(pair.normal, c->config.walls[plane].normal, sizeof pair.normal);
  ipg_penalty_begin(c, &pair);
  return pair;
}

/* Does the node touch the plane at the end of the step? `known`: their contact at its start, if there was one. */
static bool touch(const ipg_contact *c, ipg_id node, ipg_id plane, const ipg_contact_pair *known,
                  ipg_contact_pair *pair) {
  const double after = height_of(c, way_from_point(c, c->trial, node, plane), plane);
  if (!(after < 0)) return false;
  if (known) {
    *pair = *known;
    pair->activated = false, pair->time = 0, pair->time_through = 0;
  } else {
    const vec way = way_from_point(c, c->accepted, node, plane);
    const double before = height_of(c, way, plane);
    if (before < -rounding * vec_length(way)) return false;
    *pair = newborn(c, node, plane, before > 0 ? before / (before - after) : 0);
  }
  pair->gap = after;
  return true;
}

typedef struct sweep {
  const ipg_contact *contact;
  ipg_contact_range old;
  int64_t *touches;           /* of each chunk: how many, then where its first one goes */
  ipg_contact_pair *contacts; /* NULL: only count */
} sweep;

static void sweep_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const sweep *s = arg;
  const ipg_contact *c = s->contact;
  const ipg_contact_pair *old = s->old.pairs;
  int64_t count = 0, at = ipg_first_contact_of(&s->old, begin);
  ipg_contact_pair pair;
  for (ipg_id node = (ipg_id)begin; node < end; ++node)
    for (ipg_id plane = 0; plane < c->config.wall_count; ++plane) {
      const bool known = at < s->old.count && old[at].owner == node && old[at].touched == plane;
      const ipg_contact_pair *history = known ? &old[at++] : NULL;
      if (!ipg_looks_for_faces(c, node) || !touch(c, node, plane, history, &pair)) continue;
      if (s->contacts) s->contacts[s->touches[begin / GRAIN] + count] = pair;
      ++count;
    }
  if (!s->contacts) s->touches[begin / GRAIN] = count;
}

ipg_status ipg_contact_meet_planes(ipg_contact *c, ipg_error *error) {
  const int64_t nodes = c->surface.node_count;
  sweep s = {c, ipg_contacts_of(c->accepted, IPG_CONTACT_NODE_WALL), c->buffers[PLANE_TOUCHES].data, NULL};
  if (!c->config.wall_count) return IPG_OK;
  ipg_tasks_for(&c->config.tasks, sweep_nodes, &s, 0, nodes, GRAIN);
  const int64_t total = ipg_prefix_sum(s.touches, ipg_chunk_count(nodes, GRAIN));
  const ipg_status status = ipg_contact_make_room(c, total, error);
  if (status || !total) return status;
  s.contacts = (ipg_contact_pair *)c->trial->contacts.data + c->trial->contact_count;
  ipg_tasks_for(&c->config.tasks, sweep_nodes, &s, 0, nodes, GRAIN);
  c->trial->contact_count += total;
  return IPG_OK;
}
