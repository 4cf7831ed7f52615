/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Binary search: boxes stand in the order of their lower ends along one axis; a range of them is found by halving, and
 * the other axes are compared.
 *
 * A box that reaches into [lo, hi] begins at most at hi, and no further before lo than the longest edge. That is
 * asked as `lo - begin <= longest` in doubles: rounding keeps order, and the edges were rounded the same way, so a box
 * with end >= lo always passes. One very long box makes every range long; that is the weakness of the method.
 * A pair of one set is found from the box that stands first, in the run of those that begin before it ends.
 *
 * Aivazis 2010, algorithm 2: build O(N log N), mend O(N) when nearly sorted, store O(N), query O(log N + n), where n
 * are the boxes in the range of one axis. */
#include "sorted_axis.h"

enum { GRAIN = 256 };

typedef struct sorted {
  ipg_endpoints begins;
  ipg_sorted_boxes line;
} sorted;

static ipg_status line_up(ipg_search *search, int axis, bool mend, ipg_error *error) {
  sorted *s = search->state;
  const ipg_set *items = &search->items;
  ipg_status status = ipg_sort_endpoints(search, items, axis, false, mend, &s->begins, error);
  if (!status) status = ipg_fill_sorted_boxes(search, items, axis, &s->begins, &s->line, error);
  if (status) return status;
  search->counters.records = items->count;
  search->counters.reused = s->begins.mended ? items->count : 0;
  search->counters.ordered = items->count - search->counters.reused;
  return IPG_OK;
}

static ipg_status set(ipg_search *search, ipg_error *error) {
  return line_up(search, ipg_choose_sort_axis(&search->items.bounds, -1), false, error);
}

static ipg_status move(ipg_search *search, ipg_error *error) {
  const sorted *s = search->state;
  return line_up(search, ipg_choose_sort_axis(&search->items.bounds, s->line.axis), true, error);
}

/* The first place of those from `first` on that begins above x; the count if none does. */
static int64_t first_above(const ipg_sorted_boxes *line, int64_t first, double x) {
  int64_t last = line->count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (line->begins[middle] <= x) first = middle + 1;
    else last = middle;
  }
  return first;
}

/* The first place that begins no further below x than `longest`. */
static int64_t first_in_reach(const ipg_sorted_boxes *line, double x, double longest) {
  int64_t first = 0, last = line->count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (x - line->begins[middle] > longest) first = middle + 1;
    else last = middle;
  }
  return first;
}

static void look_ahead(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const ipg_sorted_boxes *line = &((sorted *)search->state)->line;
  const ipg_set *items = &search->items;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_id own = line->names[i];
    const ipg_box *box = &items->boxes[own];
    const int64_t last = first_above(line, i + 1, box->hi[line->axis]);
    ipg_count_candidates(search, last - i - 1, worker);
    for (int64_t j = i; (j = ipg_find_next_overlap(line, j + 1, last, box)) < last;) {
      const ipg_id other = line->names[j];
      if (!ipg_boxes_overlap(box, &items->boxes[other])) continue;
      ipg_report_pair(search, items, own < other ? own : other, own < other ? other : own, worker);
    }
  }
}

static void look_around(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const ipg_sorted_boxes *line = &((sorted *)search->state)->line;
  const ipg_set *items = &search->items, *queries = &search->queries;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_box *box = &queries->boxes[i];
    const int64_t first = first_in_reach(line, box->lo[line->axis], items->bounds.largest[line->axis]);
    const int64_t last = first_above(line, first, box->hi[line->axis]);
    ipg_count_candidates(search, last - first, worker);
    for (int64_t j = first - 1; (j = ipg_find_next_overlap(line, j + 1, last, box)) < last;)
      if (ipg_boxes_overlap(box, &items->boxes[line->names[j]]))
        ipg_report_pair(search, queries, (ipg_id)i, line->names[j], worker);
  }
}

static ipg_status self(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, look_ahead, search, 0, search->items.count, GRAIN);
  return IPG_OK;
}

static ipg_status query(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, look_around, search, 0, search->queries.count, GRAIN);
  return IPG_OK;
}

static void release(ipg_search *search) {
  sorted *s = search->state;
  ipg_endpoints_destroy(&s->begins, &search->config.allocator);
  ipg_sorted_boxes_destroy(&s->line, &search->config.allocator);
}

const ipg_search_method ipg_search_sorted = {.name = "sorted",
                                             .state_bytes = sizeof(sorted),
                                             .set = set,
                                             .move = move,
                                             .self = self,
                                             .query = query,
                                             .release = release};
