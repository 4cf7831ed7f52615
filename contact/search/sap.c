/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sweep and prune: the ends of all boxes are sorted along one axis, and swept once.
 *
 * Two boxes overlap along the axis if one begins before the other ends. The sweep runs over the ends and counts the
 * boxes that have begun, so it knows for every box the run of boxes that begin before it ends; a pair is found in the
 * run of the box that begins first, and in no other. The boxes that are active at one moment, which a step-by-step
 * sweep would keep as a set, are here the runs that cover it: the boxes of a run lie side by side in memory, are
 * compared many at a time along the other two axes, and the runs are independent of each other. Two sets are swept
 * together; where ends tie, items go first.
 *
 * The order of both ends is kept, and repaired as the boxes move. A long box has a long run but lengthens no other, so
 * sizes may differ; yet N boxes that fill a space have about N^(5/3) pairs along one axis.
 *
 * Baraff 1992; Cohen, Lin, Manocha, Ponamgi 1995 (I-COLLIDE), which keep the order of three axes and sweep none. */
#include "sorted_axis.h"

enum { GRAIN = 256 };

/* Positions [first, last) of sorted boxes. */
typedef struct run {
  ipg_id first, last;
} run;

typedef struct swept_set {
  const ipg_set *set;
  bool goes_first; /* where its ends tie with those of another set */
  ipg_endpoints endpoints;
  ipg_sorted_boxes sorted;
  run *runs;        /* by position: the boxes that begin before the box there ends */
  ipg_id *position; /* of each box */
  ipg_buffer run_buffer, position_buffer;
} swept_set;

typedef struct sap {
  swept_set items, queries;
} sap;

static ipg_status sort_set(ipg_search *search, const ipg_set *set, int axis, bool repair, swept_set *s,
                           ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  ipg_status status = ipg_sort_endpoints(search, set, axis, true, repair, &s->endpoints, error);
  if (!status) status = ipg_fill_sorted_boxes(search, set, axis, &s->endpoints, &s->sorted, error);
  if (!status) status = ipg_buffer_reserve(&s->run_buffer, allocator, set->count, sizeof(run), error);
  if (!status) status = ipg_buffer_reserve(&s->position_buffer, allocator, set->count, sizeof(ipg_id), error);
  s->set = set;
  s->runs = s->run_buffer.data;
  s->position = s->position_buffer.data;
  return status;
}

static void count_sorted(ipg_search *search, const swept_set *s) {
  *(s->endpoints.repaired ? &search->counters.reused : &search->counters.ordered) += s->set->count;
}

static ipg_status sort_items(ipg_search *search, int axis, bool repair, ipg_error *error) {
  sap *s = search->state;
  const ipg_status status = sort_set(search, &search->items, axis, repair, &s->items, error);
  if (status) return status;
  search->counters.records = s->items.endpoints.count;
  count_sorted(search, &s->items);
  return IPG_OK;
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  return sort_items(search, ipg_choose_sort_axis(&search->items.bounds, -1), false, error);
}

static ipg_status move_items(ipg_search *search, ipg_error *error) {
  const sap *s = search->state;
  return sort_items(search, ipg_choose_sort_axis(&search->items.bounds, s->items.sorted.axis), true, error);
}

/* ----------------------------------------------------------------------------------------------------------- sweep */

/* True if end j of `other` comes before end i of `own`: by position within one set, by key between two sets. */
static bool comes_before(const swept_set *other, int64_t j, const swept_set *own, int64_t i) {
  if (own == other) return j <= i;
  if (j == other->endpoints.count || other->endpoints.keys[j] > own->endpoints.keys[i]) return false;
  return other->endpoints.keys[j] < own->endpoints.keys[i] || other->goes_first;
}

/* Sweeps the ends of `own` and counts the boxes of `other`, which may be the same set, that have begun. */
static void sweep_ends(swept_set *own, const swept_set *other) {
  ipg_id position = 0, begun = 0;
  for (int64_t i = 0, j = 0; i < own->endpoints.count; ++i) {
    for (; comes_before(other, j, own, i); ++j) begun += other->endpoints.ends[j] >= 0;
    const ipg_id end = own->endpoints.ends[i];
    if (end >= 0) own->position[end] = position, own->runs[position++].first = begun;
    else own->runs[own->position[~end]].last = begun;
  }
}

/* ----------------------------------------------------------------------------------------------------------- prune */

typedef struct pruning {
  ipg_search *search;
  const swept_set *own, *other;
  const ipg_set *first; /* the set whose box comes first in a pair */
} pruning;

/* Compares all axes exactly. */
static void compare_pair(const pruning *p, ipg_id own, ipg_id other, int worker) {
  const bool swap = p->own == p->other ? other < own : p->own->set != p->first;
  if (ipg_boxes_overlap(&p->own->set->boxes[own], &p->other->set->boxes[other]))
    ipg_report_pair(p->search, p->first, swap ? other : own, swap ? own : other, worker);
}

static void compare_runs(void *arg, int64_t begin, int64_t end, int worker) {
  const pruning *p = arg;
  const ipg_sorted_boxes *sorted = &p->other->sorted;
  for (int64_t i = begin; i < end; ++i) {
    const run others = p->own->runs[i];
    const ipg_id own = p->own->sorted.ids[i];
    const ipg_box *box = &p->own->set->boxes[own];
    ipg_count_candidates(p->search, others.last - others.first, worker);
    for (int64_t j = others.first - 1; (j = ipg_find_next_overlap(sorted, j + 1, others.last, box)) < others.last;)
      compare_pair(p, own, sorted->ids[j], worker);
  }
}

static void prune_runs(ipg_search *search, const swept_set *own, const swept_set *other, const ipg_set *first) {
  pruning p = {search, own, other, first};
  ipg_tasks_for(&search->config.tasks, compare_runs, &p, 0, own->sorted.count, GRAIN);
}

static ipg_status search_self(ipg_search *search, ipg_error *error) {
  (void)error;
  sap *s = search->state;
  sweep_ends(&s->items, &s->items);
  prune_runs(search, &s->items, &s->items, &search->items);
  return IPG_OK;
}

/* Queries of the same number as last time are tried as the same queries, moved. */
static ipg_status search_query(ipg_search *search, ipg_error *error) {
  sap *s = search->state;
  const ipg_status status = sort_set(search, &search->queries, s->items.sorted.axis, true, &s->queries, error);
  if (status) return status;
  search->counters.ordered = search->counters.reused = 0;
  count_sorted(search, &s->items);
  count_sorted(search, &s->queries);
  s->items.goes_first = true;
  sweep_ends(&s->items, &s->queries);
  sweep_ends(&s->queries, &s->items);
  prune_runs(search, &s->items, &s->queries, &search->queries);
  prune_runs(search, &s->queries, &s->items, &search->queries);
  return IPG_OK;
}

static void free_state(ipg_search *search) {
  sap *s = search->state;
  swept_set *both[] = {&s->items, &s->queries};
  for (int i = 0; i < 2; ++i) {
    ipg_endpoints_destroy(&both[i]->endpoints, &search->config.allocator);
    ipg_sorted_boxes_destroy(&both[i]->sorted, &search->config.allocator);
    ipg_destroy_buffers(search, (ipg_buffer *[]){&both[i]->run_buffer, &both[i]->position_buffer, NULL});
  }
}

const ipg_search_method ipg_search_sap = {.name = "sap",
                                          .state_bytes = sizeof(sap),
                                          .set = set_items,
                                          .move = move_items,
                                          .self = search_self,
                                          .query = search_query,
                                          .release = free_state};
