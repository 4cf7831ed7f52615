/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Nodes against faces. Of the candidates those are left whose paths come as close as touching, which is asked exactly
 * and in batches; then each node that has such hits, or old contacts, is looked at. Nodes are independent of each
 * other, and each writes where nobody else does: threads never meet. */
#include "narrow/ccd.h"
#include "state.h"

#include <string.h>

enum { GRAIN = 64, GRAIN_OF_PAIRS = 1024 };

/* --------------------------------------------------------------------------------------------------------------- hits
 */

static ipg_touch_queries question(const ipg_contact *c, ipg_pair pair, const ipg_id *points) {
  return (ipg_touch_queries){.start = ipg_accepted_x(c),
                             .end = ipg_trial_x(c),
                             .points = points,
                             .count = 1,
                             .separation = larger(ipg_contact_separation(c, pair.a, pair.b), c->spare)};
}

static void name_points(const ipg_contact *c, ipg_pair pair, ipg_id points[4]) {
  points[0] = pair.a;
  memcpy(points + 1, c->surface.faces + 3 * (int64_t)pair.b, 3 * sizeof *points);
}

/* Questions with the same separation go in one batch. */
static void find_touches(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ipg_contact *c = arg;
  const ipg_pair *pairs = c->faces.awake;
  ipg_id *points = c->buffers[TOUCH_POINTS].data;
  double *times = c->buffers[TOUCH_TIMES].data;
  for (int64_t i = begin; i < end; ++i) name_points(c, pairs[i], points + 4 * i);
  for (int64_t first = begin, next; first < end; first = next) {
    ipg_touch_queries batch = question(c, pairs[first], points + 4 * first);
    for (next = first + 1; next < end; ++next)
      if (question(c, pairs[next], NULL).separation != batch.separation) break;
    batch.count = next - first;
    ipg_find_first_touches(&ipg_ccd_node_face, c->simd, &batch, times + first);
  }
}

double ipg_contact_touch_time(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_pair pair = {node, face};
  ipg_id points[4];
  name_points(c, pair, points);
  const ipg_touch_queries one = question(c, pair, points);
  return ipg_find_first_touch(&ipg_ccd_node_face, &one, 0);
}

static int64_t keep_hits(ipg_contact *c) {
  const double *times = c->buffers[TOUCH_TIMES].data;
  ipg_pair *hits = c->buffers[HITS].data;
  int64_t count = 0;
  for (int64_t i = 0; i < c->faces.awake_count; ++i) {
    hits[count] = c->faces.awake[i];
    count += times[i] < INFINITY;
  }
  return count;
}

static ipg_status find_hits(ipg_contact *c, int64_t *count, ipg_error *error) {
  const int64_t awake = c->faces.awake_count;
  const ipg_allocator *a = &c->config.allocator;
  ipg_status status = ipg_buffer_reserve_ahead(&c->buffers[TOUCH_POINTS], a, 4 * awake, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve_ahead(&c->buffers[TOUCH_TIMES], a, awake, sizeof(double), error);
  if (!status) status = ipg_buffer_reserve_ahead(&c->buffers[HITS], a, awake + 1, sizeof(ipg_pair), error);
  if (status) return status;
  ipg_tasks_for(&c->config.tasks, find_touches, c, 0, awake, GRAIN_OF_PAIRS);
  *count = keep_hits(c);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------------- visits
 */

typedef struct hit_list {
  const ipg_pair *pairs;
  int64_t count;
} hit_list;

/* Where hits and history, both in the order of nodes, go on; sets the visit's node to the next of either. */
static bool plan_visit(const hit_list *hits, const ipg_contact_range *history, int64_t *hit, int64_t *old,
                       ipg_visit *visit) {
  if (*hit == hits->count && *old == history->count) return false;
  const ipg_id next = *hit < hits->count ? hits->pairs[*hit].a : IPG_ID_MAX;
  const ipg_id next_old = *old < history->count ? history->pairs[*old].owner : IPG_ID_MAX;
  *visit = (ipg_visit){.node = next < next_old ? next : next_old};
  visit->candidates = hits->pairs + *hit;
  while (*hit < hits->count && hits->pairs[*hit].a == visit->node) ++*hit, ++visit->candidate_count;
  visit->history = history->pairs + *old;
  while (*old < history->count && history->pairs[*old].owner == visit->node) ++*old, ++visit->history_count;
  return true;
}

static int64_t plan_visits(ipg_contact *c, int64_t hit_count) {
  const hit_list hits = {c->buffers[HITS].data, hit_count};
  const ipg_contact_range history = ipg_contacts_of(c->accepted, IPG_CONTACT_NODE_FACE);
  ipg_visit *visits = c->buffers[VISITS].data;
  ipg_contact_pair *contacts = c->buffers[TOUCHES].data;
  int64_t count = 0, hit = 0, old = 0;
  while (plan_visit(&hits, &history, &hit, &old, &visits[count])) {
    visits[count].contacts = contacts;
    contacts += visits[count].candidate_count + visits[count].history_count;
    count += ipg_looks_for_faces(c, visits[count].node);
  }
  return count;
}

static void make_visits(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ipg_contact *c = arg;
  ipg_visit *visits = c->buffers[VISITS].data;
  for (int64_t i = begin; i < end; ++i) visits[i].contact_count = ipg_contact_touch_node(c, &visits[i]);
}

static ipg_status gather_contacts(ipg_contact *c, int64_t visit_count, ipg_error *error) {
  const ipg_visit *visits = c->buffers[VISITS].data;
  int64_t total = 0;
  for (int64_t i = 0; i < visit_count; ++i) total += visits[i].contact_count;
  const ipg_status status = ipg_contact_make_room(c, total, error);
  if (status) return status;
  ipg_contact_pair *contacts = c->trial->contacts.data;
  for (int64_t i = 0; i < visit_count; contacts += visits[i++].contact_count)
    if (visits[i].contact_count)
      memcpy(contacts, visits[i].contacts, (size_t)visits[i].contact_count * sizeof *contacts);
  c->trial->contact_count += total;
  return IPG_OK;
}

ipg_status ipg_contact_meet_faces(ipg_contact *c, ipg_error *error) {
  int64_t hits = 0;
  ipg_contact_wake(c, &c->faces);
  ipg_status status = find_hits(c, &hits, error);
  const int64_t most = hits + ipg_contacts_of(c->accepted, IPG_CONTACT_NODE_FACE).count;
  if (!status)
    status =
        ipg_buffer_reserve_ahead(&c->buffers[TOUCHES], &c->config.allocator, most, sizeof(ipg_contact_pair), error);
  if (status) return status;
  const int64_t visits = plan_visits(c, hits);
  ipg_tasks_for(&c->config.tasks, make_visits, c, 0, visits, GRAIN);
  return gather_contacts(c, visits, error);
}
