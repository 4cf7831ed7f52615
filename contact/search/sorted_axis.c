/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes sorted along one axis: an order that is kept from step to step, and columns in which runs are compared.
 *
 * Ends are sorted by 64-bit images of their coordinates, which compare as the coordinates do. The image of an upper
 * end is one higher, so that a box that begins where it ends stands before it: boxes are closed. An upper end may thus
 * tie with a box that begins one double further on; that proposes a pair too many, never one too few.
 * When little has moved, insertion sort repairs the old order in little more than one pass. */
#include "sorted_axis.h"
#include "support/sort.h"

#include <string.h>

enum { GRAIN = 4096, SHIFTS_PER_END = 16, BLOCK = 16 };

/* ------------------------------------------------------------------------------------------------------------ axis */

/* The length of the bounds divided by the summed edges of the boxes. Halves, since lengths may overflow. */
static double spread_along(const ipg_bounds *bounds, int axis) {
  const double length = 0.5 * bounds->hi[axis] - 0.5 * bounds->lo[axis];
  return length > 0 ? length / bounds->sum[axis] : 0;
}

/* Points have infinite spread along every axis: then the axis with the longest extent is taken. */
static int best_axis(const ipg_bounds *bounds) {
  int best = 0;
  for (int k = 1; k < 3; ++k) {
    const double gain = spread_along(bounds, k), most = spread_along(bounds, best);
    const bool longer = bounds->hi[k] - bounds->lo[k] > bounds->hi[best] - bounds->lo[best];
    if (gain > most || (gain == most && longer)) best = k;
  }
  return best;
}

int ipg_choose_sort_axis(const ipg_bounds *bounds, int before) {
  const int best = best_axis(bounds);
  return before < 0 || spread_along(bounds, best) > 2 * spread_along(bounds, before) ? best : before;
}

/* ----------------------------------------------------------------------------------------------------------- order */

/* Bits that ascend as the doubles do: positive doubles above negative ones, whose bits run backwards. */
static uint64_t ordered_bits(double x) {
  const double same_zero = x + 0.0; /* -0 + 0 is +0 */
  uint64_t bits;
  memcpy(&bits, &same_zero, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t key_of_end(const ipg_box *boxes, int axis, ipg_id end) {
  return end >= 0 ? ordered_bits(boxes[end].lo[axis]) : ordered_bits(boxes[~end].hi[axis]) + 1;
}

typedef struct reading {
  const ipg_box *boxes;
  int axis;
  ipg_endpoints *endpoints;
} reading;

static void read_keys(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const reading *r = arg;
  for (int64_t i = begin; i < end; ++i) r->endpoints->keys[i] = key_of_end(r->boxes, r->axis, r->endpoints->ends[i]);
}

static void number_ends(ipg_endpoints *endpoints, int64_t boxes) {
  for (int64_t i = 0; i < endpoints->count; ++i) endpoints->ends[i] = (ipg_id)(i < boxes ? i : ~(i - boxes));
}

ipg_status ipg_sort_endpoints(ipg_search *search, const ipg_set *set, int axis, bool both, bool repair,
                              ipg_endpoints *endpoints, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const int64_t count = both ? 2 * set->count : set->count;
  const bool kept = repair && endpoints->count == count;
  endpoints->count = 0; /* no order to repair until this one is complete */
  ipg_status status = ipg_buffer_reserve(&endpoints->key_buffer, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&endpoints->end_buffer, allocator, count, sizeof(ipg_id), error);
  if (status) return status;
  endpoints->keys = endpoints->key_buffer.data, endpoints->ends = endpoints->end_buffer.data;
  endpoints->count = count;
  if (!kept) number_ends(endpoints, set->count);
  reading r = {set->boxes, axis, endpoints};
  ipg_tasks_for(&search->config.tasks, read_keys, &r, 0, count, GRAIN);
  endpoints->repaired = kept && ipg_repair_order(endpoints->keys, endpoints->ends, count, SHIFTS_PER_END);
  if (!endpoints->repaired)
    status =
        ipg_sort_u64(&search->sorter, endpoints->keys, endpoints->ends, count, allocator, &search->config.tasks, error);
  if (status) endpoints->count = 0;
  return status;
}

void ipg_endpoints_destroy(ipg_endpoints *endpoints, const ipg_allocator *allocator) {
  ipg_buffer_destroy(&endpoints->key_buffer, allocator);
  ipg_buffer_destroy(&endpoints->end_buffer, allocator);
}

/* --------------------------------------------------------------------------------------------------------- columns */

typedef struct filling {
  const ipg_box *boxes;
  ipg_sorted_boxes *sorted;
} filling;

/* The largest float that is not above x. */
static float round_down(double x) {
  const float near = (float)x;
  return (double)near <= x ? near : nextafterf(near, -INFINITY);
}

static float round_up(double x) { return -round_down(-x); }

static void copy_boxes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  const ipg_sorted_boxes *sorted = f->sorted;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_box *box = &f->boxes[sorted->ids[i]];
    sorted->begins[i] = box->lo[sorted->axis];
    for (int k = 0; k < 2; ++k) {
      sorted->lo[k][i] = round_down(box->lo[(sorted->axis + 1 + k) % 3]);
      sorted->hi[k][i] = round_up(box->hi[(sorted->axis + 1 + k) % 3]);
    }
  }
}

static void list_boxes(const ipg_endpoints *endpoints, ipg_sorted_boxes *sorted) {
  sorted->count = 0;
  for (int64_t i = 0; i < endpoints->count; ++i)
    if (endpoints->ends[i] >= 0) sorted->ids[sorted->count++] = endpoints->ends[i];
}

/* A column is a block longer than its boxes, so that a run is compared in whole blocks. */
static void set_columns(ipg_sorted_boxes *sorted, float *memory) {
  const int64_t height = sorted->count + BLOCK;
  for (int k = 0; k < 2; ++k) {
    sorted->lo[k] = memory + 2 * k * height;
    sorted->hi[k] = sorted->lo[k] + height;
    for (int64_t i = sorted->count; i < height; ++i) sorted->lo[k][i] = sorted->hi[k][i] = 0;
  }
}

ipg_status ipg_fill_sorted_boxes(ipg_search *search, const ipg_set *set, int axis, const ipg_endpoints *endpoints,
                                 ipg_sorted_boxes *sorted, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const int64_t count = set->count, floats = 4 * (count + BLOCK);
  ipg_status status = ipg_buffer_reserve(&sorted->id_buffer, allocator, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&sorted->begin_buffer, allocator, count, sizeof(double), error);
  if (!status) status = ipg_buffer_reserve(&sorted->column_buffer, allocator, floats, sizeof(float), error);
  if (status) return status;
  sorted->axis = axis;
  sorted->ids = sorted->id_buffer.data;
  sorted->begins = sorted->begin_buffer.data;
  list_boxes(endpoints, sorted);
  set_columns(sorted, sorted->column_buffer.data);
  filling f = {set->boxes, sorted};
  ipg_tasks_for(&search->config.tasks, copy_boxes, &f, 0, count, GRAIN);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------------ runs */

typedef struct window {
  float lo[2], hi[2];
} window;

/* No branches: this is the inner loop of the methods, and runs in wide registers. */
static inline int32_t overlaps_window(const ipg_sorted_boxes *sorted, int64_t i, const window *w) {
  const float *lo0 = sorted->lo[0], *hi0 = sorted->hi[0], *lo1 = sorted->lo[1], *hi1 = sorted->hi[1];
  return ((lo0[i] <= w->hi[0]) & (w->lo[0] <= hi0[i]) & (lo1[i] <= w->hi[1]) & (w->lo[1] <= hi1[i])) ? 1 : 0;
}

static bool block_overlaps_window(const ipg_sorted_boxes *sorted, int64_t first, const window *w) {
  int32_t any = 0;
  for (int64_t i = first; i < first + BLOCK; ++i) any |= overlaps_window(sorted, i, w);
  return any;
}

int64_t ipg_find_next_overlap(const ipg_sorted_boxes *sorted, int64_t first, int64_t last, const ipg_box *box) {
  const int y = (sorted->axis + 1) % 3, z = (sorted->axis + 2) % 3;
  const window w = {{round_down(box->lo[y]), round_down(box->lo[z])}, {round_up(box->hi[y]), round_up(box->hi[z])}};
  for (int64_t block = first; block < last; block += BLOCK)
    if (block_overlaps_window(sorted, block, &w))
      for (int64_t i = block; i < block + BLOCK && i < last; ++i)
        if (overlaps_window(sorted, i, &w)) return i;
  return last;
}

void ipg_sorted_boxes_destroy(ipg_sorted_boxes *sorted, const ipg_allocator *allocator) {
  ipg_buffer_destroy(&sorted->id_buffer, allocator);
  ipg_buffer_destroy(&sorted->begin_buffer, allocator);
  ipg_buffer_destroy(&sorted->column_buffer, allocator);
}
