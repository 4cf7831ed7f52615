/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes lined up along one axis: an order that is kept from step to step, and columns to compare runs in.
 *
 * Ends are ordered by 64-bit images of their coordinates, which compare as the coordinates do. The image of an upper
 * end is one higher, so that what begins where it ends stands before it: boxes are closed. An upper end may so tie
 * with what begins one double further on; that proposes a pair too many, never one too few.
 * When little has moved, insertion sort mends the old order in little more than one look at it. Its shifts are capped:
 * mending that turns out to be in vain costs less than the sort that follows. */
#include "sorted_axis.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096, SHIFTS_PER_END = 16, BLOCK = 16 };

/* ------------------------------------------------------------------------------------------------------------ axis */

/* How far apart the boxes would be if they lay in a row. Halves, since lengths may overflow. */
static double spread(const ipg_bounds *bounds, int axis) {
  const double length = 0.5 * bounds->hi[axis] - 0.5 * bounds->lo[axis];
  return length > 0 ? length / bounds->sum[axis] : 0;
}

/* Points are infinitely far apart along every axis: then the longest bounds is taken. */
static int best_axis(const ipg_bounds *bounds) {
  int best = 0;
  for (int k = 1; k < 3; ++k) {
    const double gain = spread(bounds, k), most = spread(bounds, best);
    const bool longer = bounds->hi[k] - bounds->lo[k] > bounds->hi[best] - bounds->lo[best];
    if (gain > most || (gain == most && longer)) best = k;
  }
  return best;
}

int ipg_choose_sort_axis(const ipg_bounds *bounds, int before) {
  const int best = best_axis(bounds);
  return before < 0 || spread(bounds, best) > 2 * spread(bounds, before) ? best : before;
}

/* ----------------------------------------------------------------------------------------------------------- order */

/* Ascending as the doubles: positive ones above negative ones, whose bits count backwards. */
static uint64_t ordered_bits(double x) {
  const double same_zero = x + 0.0; /* -0 + 0 is +0 */
  uint64_t bits;
  memcpy(&bits, &same_zero, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t key_of_end(const ipg_box *boxes, int axis, ipg_id name) {
  return name >= 0 ? ordered_bits(boxes[name].lo[axis]) : ordered_bits(boxes[~name].hi[axis]) + 1;
}

typedef struct reading {
  const ipg_box *boxes;
  int axis;
  ipg_endpoints *ends;
} reading;

static void read_keys(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const reading *r = arg;
  for (int64_t i = begin; i < end; ++i) r->ends->keys[i] = key_of_end(r->boxes, r->axis, r->ends->names[i]);
}

/* Insertion sort that gives up, leaving some order of the same ends, when there is too much to do. */
static bool mend_order(uint64_t *keys, ipg_id *names, int64_t count) {
  int64_t shifts_left = SHIFTS_PER_END * count;
  for (int64_t i = 1; i < count && shifts_left >= 0; ++i) {
    const uint64_t key = keys[i];
    const ipg_id name = names[i];
    int64_t at = i;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1], names[at] = names[at - 1];
    keys[at] = key, names[at] = name;
    shifts_left -= i - at;
  }
  return shifts_left >= 0;
}

static void name_ends(ipg_endpoints *ends, int64_t boxes) {
  for (int64_t i = 0; i < ends->count; ++i) ends->names[i] = (ipg_id)(i < boxes ? i : ~(i - boxes));
}

ipg_status ipg_sort_endpoints(ipg_search *search, const ipg_set *set, int axis, bool both, bool mend,
                              ipg_endpoints *ends, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const int64_t count = both ? 2 * set->count : set->count;
  const bool kept = mend && ends->count == count;
  ends->count = 0; /* no order to mend until this one is whole */
  ipg_status status = ipg_buffer_reserve(&ends->key_buffer, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&ends->name_buffer, allocator, count, sizeof(ipg_id), error);
  if (status) return status;
  ends->keys = ends->key_buffer.data, ends->names = ends->name_buffer.data;
  ends->count = count;
  if (!kept) name_ends(ends, set->count);
  reading r = {set->boxes, axis, ends};
  ipg_tasks_for(&search->config.tasks, read_keys, &r, 0, count, GRAIN);
  ends->mended = kept && mend_order(ends->keys, ends->names, count);
  if (!ends->mended)
    status = ipg_sort_u64(&search->sorter, ends->keys, ends->names, count, allocator, &search->config.tasks, error);
  if (status) ends->count = 0;
  return status;
}

void ipg_endpoints_destroy(ipg_endpoints *ends, const ipg_allocator *allocator) {
  ipg_buffer_destroy(&ends->key_buffer, allocator);
  ipg_buffer_destroy(&ends->name_buffer, allocator);
}

/* --------------------------------------------------------------------------------------------------------- columns */

typedef struct filling {
  const ipg_box *boxes;
  ipg_sorted_boxes *line;
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
  const ipg_sorted_boxes *line = f->line;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_box *box = &f->boxes[line->names[i]];
    line->begins[i] = box->lo[line->axis];
    for (int k = 0; k < 2; ++k) {
      line->lo[k][i] = round_down(box->lo[(line->axis + 1 + k) % 3]);
      line->hi[k][i] = round_up(box->hi[(line->axis + 1 + k) % 3]);
    }
  }
}

static void name_boxes(const ipg_endpoints *ends, ipg_sorted_boxes *line) {
  line->count = 0;
  for (int64_t i = 0; i < ends->count; ++i)
    if (ends->names[i] >= 0) line->names[line->count++] = ends->names[i];
}

/* A column is a block longer than its boxes, so that a run is compared in whole blocks. */
static void lay_columns(ipg_sorted_boxes *line, float *room) {
  const int64_t height = line->count + BLOCK;
  for (int k = 0; k < 2; ++k) {
    line->lo[k] = room + 2 * k * height;
    line->hi[k] = line->lo[k] + height;
    for (int64_t i = line->count; i < height; ++i) line->lo[k][i] = line->hi[k][i] = 0;
  }
}

ipg_status ipg_fill_sorted_boxes(ipg_search *search, const ipg_set *set, int axis, const ipg_endpoints *ends,
                                 ipg_sorted_boxes *line, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const int64_t count = set->count;
  ipg_status status = ipg_buffer_reserve(&line->name_buffer, allocator, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&line->begin_buffer, allocator, count, sizeof(double), error);
  if (!status) status = ipg_buffer_reserve(&line->column_buffer, allocator, 4 * (count + BLOCK), sizeof(float), error);
  if (status) return status;
  line->axis = axis;
  line->names = line->name_buffer.data;
  line->begins = line->begin_buffer.data;
  name_boxes(ends, line);
  lay_columns(line, line->column_buffer.data);
  filling f = {set->boxes, line};
  ipg_tasks_for(&search->config.tasks, copy_boxes, &f, 0, count, GRAIN);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------------ runs */

typedef struct window {
  float lo[2], hi[2];
} window;

/* No branches: this is the inner loop of the methods, and runs in wide registers. */
static inline int32_t overlaps(const ipg_sorted_boxes *line, int64_t i, const window *w) {
  const float *lo0 = line->lo[0], *hi0 = line->hi[0], *lo1 = line->lo[1], *hi1 = line->hi[1];
  return ((lo0[i] <= w->hi[0]) & (w->lo[0] <= hi0[i]) & (lo1[i] <= w->hi[1]) & (w->lo[1] <= hi1[i])) ? 1 : 0;
}

static bool any_overlaps(const ipg_sorted_boxes *line, int64_t first, const window *w) {
  int32_t any = 0;
  for (int64_t i = first; i < first + BLOCK; ++i) any |= overlaps(line, i, w);
  return any;
}

int64_t ipg_find_next_overlap(const ipg_sorted_boxes *line, int64_t first, int64_t last, const ipg_box *box) {
  const int y = (line->axis + 1) % 3, z = (line->axis + 2) % 3;
  const window w = {{round_down(box->lo[y]), round_down(box->lo[z])}, {round_up(box->hi[y]), round_up(box->hi[z])}};
  for (int64_t block = first; block < last; block += BLOCK)
    if (any_overlaps(line, block, &w))
      for (int64_t i = block; i < block + BLOCK && i < last; ++i)
        if (overlaps(line, i, &w)) return i;
  return last;
}

void ipg_sorted_boxes_destroy(ipg_sorted_boxes *line, const ipg_allocator *allocator) {
  ipg_buffer_destroy(&line->name_buffer, allocator);
  ipg_buffer_destroy(&line->begin_buffer, allocator);
  ipg_buffer_destroy(&line->column_buffer, allocator);
}
