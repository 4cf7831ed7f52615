/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Binary search: boxes are sorted by their lower ends along one axis; a range of them is found by bisection, and the
 * other axes are compared.
 *
 * A box that reaches into [lo, hi] begins at hi at the latest, and not further before lo than the longest edge. The
 * test is `lo - begin <= longest` in doubles: rounding is monotone and the edges were rounded the same way, so a box
 * with end >= lo always passes. One very long box makes every range long; that is the weakness of the method. A pair of
 * one set is found from the box that stands first, in the run of boxes that begin before it ends.
 *
 * Aivazis 2010, algorithm 2: build O(N log N), repair O(N) when nearly sorted, store O(N), query O(log N + n), where n
 * are the boxes in the range of one axis. */
#include "sorted_axis.h"

typedef struct sorted {
  ipg_endpoints begins;
  ipg_sorted_boxes boxes;
} sorted;

static ipg_status sort_items(ipg_search *search, int axis, bool repair, ipg_error *error) {
  sorted *s = search->state;
  const ipg_set *items = &search->items;
  ipg_status status = ipg_sort_endpoints(search, items, axis, false, repair, &s->begins, error);
  if (!status) status = ipg_fill_sorted_boxes(search, items, axis, &s->begins, &s->boxes, error);
  if (status) return status;
  search->counters.records = items->count;
  search->counters.reused = s->begins.repaired ? items->count : 0;
  search->counters.ordered = items->count - search->counters.reused;
  return IPG_OK;
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  return sort_items(search, ipg_choose_sort_axis(&search->items.bounds, -1), false, error);
}

static ipg_status move_items(ipg_search *search, ipg_error *error) {
  const sorted *s = search->state;
  return sort_items(search, ipg_choose_sort_axis(&search->items.bounds, s->boxes.axis), true, error);
}

/* The first position from `first` on whose box begins above x; the count if there is none. */
static int64_t first_above(const ipg_sorted_boxes *boxes, int64_t first, double x) {
  int64_t last = boxes->count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (boxes->begins[middle] <= x) first = middle + 1;
    else last = middle;
  }
  return first;
}

/* The first position whose box begins not further below x than `longest`. */
static int64_t first_in_reach(const ipg_sorted_boxes *boxes, double x, double longest) {
  int64_t first = 0, last = boxes->count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (x - boxes->begins[middle] > longest) first = middle + 1;
    else last = middle;
  }
  return first;
}

/* Compares box a of `first_set` with the sorted boxes at positions [first, last). */
static void compare_run(ipg_search *search, const ipg_set *first_set, ipg_id a, int64_t first, int64_t last,
                        int worker) {
  const ipg_sorted_boxes *boxes = &((sorted *)search->state)->boxes;
  const ipg_box *box = &first_set->boxes[a];
  ipg_count_candidates(search, last - first, worker);
  for (int64_t j = first - 1; (j = ipg_find_next_overlap(boxes, j + 1, last, box)) < last;)
    if (ipg_boxes_overlap(box, &search->items.boxes[boxes->ids[j]]))
      ipg_report_unordered(search, first_set, a, boxes->ids[j], worker);
}

static void compare_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const ipg_sorted_boxes *boxes = &((sorted *)search->state)->boxes;
  const ipg_set *items = &search->items;
  for (int64_t i = begin; i < end; ++i) {
    const double ends = items->boxes[boxes->ids[i]].hi[boxes->axis];
    compare_run(search, items, boxes->ids[i], i + 1, first_above(boxes, i + 1, ends), worker);
  }
}

static void compare_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const ipg_sorted_boxes *boxes = &((sorted *)search->state)->boxes;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_box *box = &search->queries.boxes[i];
    const double longest = search->items.bounds.largest[boxes->axis];
    const int64_t first = first_in_reach(boxes, box->lo[boxes->axis], longest);
    const int64_t last = first_above(boxes, first, box->hi[boxes->axis]);
    compare_run(search, &search->queries, (ipg_id)i, first, last, worker);
  }
}

static void free_state(ipg_search *search) {
  sorted *s = search->state;
  ipg_endpoints_destroy(&s->begins, &search->config.allocator);
  ipg_sorted_boxes_destroy(&s->boxes, &search->config.allocator);
}

const ipg_search_method ipg_search_sorted = {.name = "sorted",
                                             .state_bytes = sizeof(sorted),
                                             .set = set_items,
                                             .move = move_items,
                                             .self_task = compare_items,
                                             .query_task = compare_queries,
                                             .grain = 256,
                                             .release = free_state};
