/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edge-edge (edge-to-edge) contact. Active candidates whose paths do not touch are dropped, which is decided exactly
 * and in batches; then old contacts are tracked and hits activated (edge_contact.c), each into a slot of its own, and
 * sorted. */
#include "detect/edge_edge.h"

#include "detect/edge_contact.h"
#include "model/block_rules.h"
#include "narrow/ccd.h"

#include <string.h>

enum { GRAIN = 1024, GRAIN_OF_CONTACTS = 64 };

void ipg_edge_edge_workspace_destroy(ipg_edge_edge_workspace *w, const ipg_allocator *a) {
  ipg_array_destroy(&w->points, a);
  ipg_array_destroy(&w->times, a);
  ipg_array_destroy(&w->hits, a);
  ipg_array_destroy(&w->found, a);
  ipg_array_destroy(&w->keys, a);
  ipg_array_destroy(&w->order, a);
  ipg_array_destroy(&w->contacts, a);
  ipg_sorter_destroy(&w->sorter, a);
}

typedef struct detection {
  ipg_edge_edge_workspace *workspace;
  const ipg_step *step;
  const ipg_pair *pairs;
  ipg_contact_range history;
} detection;

/* ------------------------------------------------------------------------------------------------------------- hits */

static ipg_touch_queries query_of_pair(const detection *d, int64_t i) {
  const ipg_step *step = d->step;
  return (ipg_touch_queries){.start = step->x0,
                             .end = step->x1,
                             .points = d->workspace->points.at + 4 * i,
                             .count = 1,
                             .separation = ipg_touch_distance_of_edges(step->model, d->pairs[i].a, d->pairs[i].b)};
}

/* Queries with the same separation go in one batch. */
static void find_touch_times(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const detection *d = arg;
  const ipg_topology *t = &d->step->model->topology;
  ipg_id *points = d->workspace->points.at;
  for (int64_t i = begin; i < end; ++i) {
    memcpy(points + 4 * i, ipg_edge_nodes(t, d->pairs[i].a), 2 * sizeof *points);
    memcpy(points + 4 * i + 2, ipg_edge_nodes(t, d->pairs[i].b), 2 * sizeof *points);
  }
  for (int64_t first = begin, next; first < end; first = next) {
    ipg_touch_queries batch = query_of_pair(d, first);
    for (next = first + 1; next < end; ++next)
      if (query_of_pair(d, next).separation != batch.separation) break;
    batch.count = next - first;
    ipg_find_first_touches(&ipg_ccd_edge_edge, d->step->model->simd, &batch, d->workspace->times.at + first);
  }
}

/* Pairs that touch, and between which contact is on: few. */
static int64_t list_hits(const detection *d, int64_t count) {
  const ipg_model *m = d->step->model;
  const double *times = d->workspace->times.at;
  int64_t *hits = d->workspace->hits.at, hit_count = 0;
  for (int64_t i = 0; i < count; ++i)
    if (times[i] < INFINITY && ipg_is_edge_contact_on(m, d->step->time1, d->pairs[i].a, d->pairs[i].b))
      hits[hit_count++] = i;
  return hit_count;
}

/* --------------------------------------------------------------------------------------------------------- contacts */

static bool track_old_contact(const ipg_step *step, const ipg_contact_pair *old, ipg_contact_pair *contact) {
  *contact = *old;
  contact->activated = false;
  contact->time = contact->time_through = 0;
  return ipg_track_edge_contact(step, contact);
}

static bool activate_hit(const detection *d, int64_t pair, ipg_contact_pair *contact) {
  const ipg_touch_queries query = query_of_pair(d, pair);
  const double time = d->workspace->times.at[pair];
  return ipg_activate_edge_contact(d->step, &query, d->pairs[pair], time, contact) == IPG_REASON_IN_CONTACT;
}

/* Old contacts first, then those of hits; a slot without contact gets a kind that is none. */
static void make_contacts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const detection *d = arg;
  const int64_t old = d->history.count;
  ipg_contact_pair *found = d->workspace->found.at;
  for (int64_t i = begin; i < end; ++i) {
    const bool is_active = i < old ? track_old_contact(d->step, &d->history.pairs[i], &found[i])
                                   : activate_hit(d, d->workspace->hits.at[i - old], &found[i]);
    if (!is_active) found[i].kind = IPG_CONTACT_KIND_COUNT;
  }
}

/* A stable sort keeps the older first. A contact that slid onto edges which touch already is the same as theirs: the
 * first stays. */
static ipg_status sort_contacts(ipg_edge_edge_workspace *w, const ipg_contact_config *config, int64_t found_count,
                                ipg_error *error) {
  const ipg_contact_pair *found = w->found.at;
  uint64_t *keys = w->keys.at;
  ipg_id *order = w->order.at;
  int64_t count = 0;
  for (int64_t i = 0; i < found_count; ++i) {
    if (found[i].kind == IPG_CONTACT_KIND_COUNT) continue;
    keys[count] = (uint64_t)found[i].owner << 32 | (uint64_t)found[i].touched;
    order[count++] = (ipg_id)i;
  }
  const ipg_status status = ipg_sort_u64(&w->sorter, keys, order, count, &config->allocator, &config->tasks, error);
  if (status) return status;
  w->count = 0;
  for (int64_t i = 0; i < count; ++i)
    if (i == 0 || keys[i] != keys[i - 1]) w->contacts.at[w->count++] = found[order[i]];
  return IPG_OK;
}

static ipg_status reserve_hits(ipg_edge_edge_workspace *w, const ipg_allocator *a, int64_t count, ipg_error *error) {
  ipg_status status = ipg_array_reserve_ahead(&w->points, a, 4 * count, error);
  if (!status) status = ipg_array_reserve_ahead(&w->times, a, count, error);
  if (!status) status = ipg_array_reserve_ahead(&w->hits, a, count, error);
  return status;
}

static ipg_status reserve_contacts(ipg_edge_edge_workspace *w, const ipg_allocator *a, int64_t most, ipg_error *error) {
  ipg_status status = ipg_array_reserve_ahead(&w->found, a, most, error);
  if (!status) status = ipg_array_reserve_ahead(&w->contacts, a, most, error);
  if (!status) status = ipg_array_reserve_ahead(&w->keys, a, most, error);
  if (!status) status = ipg_array_reserve_ahead(&w->order, a, most, error);
  return status;
}

ipg_status ipg_detect_edge_pairs(ipg_edge_edge_workspace *w, const ipg_step *step, const ipg_pair *pairs, int64_t count,
                                 ipg_error *error) {
  const ipg_contact_config *config = &step->model->config;
  detection d = {w, step, pairs, ipg_contacts_of_kind(step->history, IPG_CONTACT_EDGE_EDGE)};
  ipg_status status = reserve_hits(w, &config->allocator, count, error);
  if (status) return status;
  ipg_tasks_for(&config->tasks, find_touch_times, &d, 0, count, GRAIN);
  w->hit_count = list_hits(&d, count);
  const int64_t most = d.history.count + w->hit_count;
  if ((status = reserve_contacts(w, &config->allocator, most, error))) return status;
  ipg_tasks_for(&config->tasks, make_contacts, &d, 0, most, GRAIN_OF_CONTACTS);
  return sort_contacts(w, config, most, error);
}

ipg_status ipg_detect_edge_edge(ipg_edge_edge_workspace *w, const ipg_step *step, const ipg_candidates *candidates,
                                ipg_contact_list *contacts, ipg_error *error) {
  ipg_status status = ipg_detect_edge_pairs(w, step, candidates->active, candidates->active_count, error);
  if (!status) status = ipg_contact_list_reserve(contacts, w->count, &step->model->config.allocator, error);
  if (status) return status;
  ipg_contact_pair *to = contacts->pairs.at + contacts->count;
  if (w->count) memcpy(to, w->contacts.at, (size_t)w->count * sizeof *to);
  contacts->count += w->count;
  return IPG_OK;
}
