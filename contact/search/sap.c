/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sweep and prune: the ends of all boxes stand in order along one axis, and are swept once.
 *
 * A pair overlaps along the axis if one box begins while the other lasts. The sweep passes the ends and counts those
 * that have begun, so that it knows for every box the run of boxes that begin while it lasts; a pair is found in the
 * run of the box that begins first, and in no other. The boxes that last at one moment, which a sweep step by step
 * would keep as a set, are here the runs that cover it: the boxes of a run lie side by side in memory, are compared
 * many at a time along the other two axes, and the runs are independent of each other.
 * Two sets are swept together; where ends tie, items go first.
 *
 * The order of both ends is kept, and mended as the boxes move. A long box has a long run but lengthens no other, so
 * sizes may differ; yet N boxes that fill a space have about N^(5/3) pairs along one axis.
 *
 * Baraff 1992; Cohen, Lin, Manocha, Ponamgi 1995 (I-COLLIDE), which keep the order of three axes and sweep none. */
#include "sorted_axis.h"

enum { GRAIN = 256 };

/* Places of a line, from first to before last. */
typedef struct run {
  ipg_id first, last;
} run;

typedef struct swept {
  const ipg_set *set;
  bool goes_first; /* where its ends tie with those of another set */
  ipg_endpoints ends;
  ipg_sorted_boxes line;
  run *runs;     /* of each place: what begins while its box lasts */
  ipg_id *place; /* of each box */
  ipg_buffer run_buffer, place_buffer;
} swept;

typedef struct sap {
  swept items, queries;
} sap;

static ipg_status line_up(ipg_search *search, const ipg_set *set, int axis, bool mend, swept *s, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  ipg_status status = ipg_sort_endpoints(search, set, axis, true, mend, &s->ends, error);
  if (!status) status = ipg_fill_sorted_boxes(search, set, axis, &s->ends, &s->line, error);
  if (!status) status = ipg_buffer_reserve(&s->run_buffer, allocator, set->count, sizeof(run), error);
  if (!status) status = ipg_buffer_reserve(&s->place_buffer, allocator, set->count, sizeof(ipg_id), error);
  s->set = set;
  s->runs = s->run_buffer.data;
  s->place = s->place_buffer.data;
  return status;
}

static void count_order(ipg_search *search, const swept *s) {
  *(s->ends.mended ? &search->counters.reused : &search->counters.ordered) += s->set->count;
}

static ipg_status line_up_items(ipg_search *search, int axis, bool mend, ipg_error *error) {
  sap *s = search->state;
  const ipg_status status = line_up(search, &search->items, axis, mend, &s->items, error);
  if (status) return status;
  search->counters.records = s->items.ends.count;
  count_order(search, &s->items);
  return IPG_OK;
}

static ipg_status set(ipg_search *search, ipg_error *error) {
  return line_up_items(search, ipg_choose_sort_axis(&search->items.bounds, -1), false, error);
}

static ipg_status move(ipg_search *search, ipg_error *error) {
  const sap *s = search->state;
  return line_up_items(search, ipg_choose_sort_axis(&search->items.bounds, s->items.line.axis), true, error);
}

/* ----------------------------------------------------------------------------------------------------------- sweep */

/* Does end j of other come before end i of own? A set among itself goes by place, two sets by key. */
static bool comes_before(const swept *other, int64_t j, const swept *own, int64_t i) {
  if (own == other) return j <= i;
  if (j == other->ends.count || other->ends.keys[j] > own->ends.keys[i]) return false;
  return other->ends.keys[j] < own->ends.keys[i] || other->goes_first;
}

/* Sweeps the ends of own, counting the boxes of other, which may be the same set, that have begun. */
static void sweep(swept *own, const swept *other) {
  ipg_id place = 0, begun = 0;
  for (int64_t i = 0, j = 0; i < own->ends.count; ++i) {
    for (; comes_before(other, j, own, i); ++j) begun += other->ends.names[j] >= 0;
    const ipg_id name = own->ends.names[i];
    if (name >= 0) own->place[name] = place, own->runs[place++].first = begun;
    else own->runs[own->place[~name]].last = begun;
  }
}

/* ----------------------------------------------------------------------------------------------------------- prune */

typedef struct meeting {
  ipg_search *search;
  const swept *own, *other;
  const ipg_set *first; /* whose box is named first in a pair */
} meeting;

/* A last, exact comparison of all axes. */
static void meet(const meeting *m, ipg_id own, ipg_id other, int worker) {
  const bool swap = m->own == m->other ? other < own : m->own->set != m->first;
  if (ipg_boxes_overlap(&m->own->set->boxes[own], &m->other->set->boxes[other]))
    ipg_report_pair(m->search, m->first, swap ? other : own, swap ? own : other, worker);
}

static void meet_runs(void *arg, int64_t begin, int64_t end, int worker) {
  const meeting *m = arg;
  const ipg_sorted_boxes *line = &m->other->line;
  for (int64_t i = begin; i < end; ++i) {
    const run met = m->own->runs[i];
    const ipg_id own = m->own->line.names[i];
    const ipg_box *box = &m->own->set->boxes[own];
    ipg_count_candidates(m->search, met.last - met.first, worker);
    for (int64_t j = met.first - 1; (j = ipg_find_next_overlap(line, j + 1, met.last, box)) < met.last;)
      meet(m, own, line->names[j], worker);
  }
}

static void prune(ipg_search *search, const swept *own, const swept *other, const ipg_set *first) {
  meeting m = {search, own, other, first};
  ipg_tasks_for(&search->config.tasks, meet_runs, &m, 0, own->line.count, GRAIN);
}

static ipg_status self(ipg_search *search, ipg_error *error) {
  (void)error;
  sap *s = search->state;
  sweep(&s->items, &s->items);
  prune(search, &s->items, &s->items, &search->items);
  return IPG_OK;
}

/* Queries of the same number as last time are tried as the same ones, moved. */
static ipg_status query(ipg_search *search, ipg_error *error) {
  sap *s = search->state;
  const ipg_status status = line_up(search, &search->queries, s->items.line.axis, true, &s->queries, error);
  if (status) return status;
  search->counters.ordered = search->counters.reused = 0;
  count_order(search, &s->items);
  count_order(search, &s->queries);
  s->items.goes_first = true;
  sweep(&s->items, &s->queries);
  sweep(&s->queries, &s->items);
  prune(search, &s->items, &s->queries, &search->queries);
  prune(search, &s->queries, &s->items, &search->queries);
  return IPG_OK;
}

static void release(ipg_search *search) {
  sap *s = search->state;
  swept *both[] = {&s->items, &s->queries};
  for (int i = 0; i < 2; ++i) {
    ipg_endpoints_destroy(&both[i]->ends, &search->config.allocator);
    ipg_sorted_boxes_destroy(&both[i]->line, &search->config.allocator);
    ipg_buffer_destroy(&both[i]->run_buffer, &search->config.allocator);
    ipg_buffer_destroy(&both[i]->place_buffer, &search->config.allocator);
  }
}

const ipg_search_method ipg_search_sap = {.name = "sap",
                                          .state_bytes = sizeof(sap),
                                          .set = set,
                                          .move = move,
                                          .self = self,
                                          .query = query,
                                          .release = release};
