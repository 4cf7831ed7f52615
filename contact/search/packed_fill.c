/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A packed tree, filled in the order and with the cuts it has: boxes around boxes, then the ticks of all, frame by
 * frame. */
#include "packed.h"
#include "support/vec.h"

#include <string.h>

enum { GRAIN = 8192, AHEAD = 16 };

typedef struct filling {
  ipg_packed *tree;
  const ipg_set *set;
  const ipg_packed_kernels *kernels;
} filling;

static ipg_box nowhere(void) { return (ipg_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static void include(ipg_box *all, const ipg_box *box) {
  for (int k = 0; k < 3; ++k) {
    all->lo[k] = smaller(box->lo[k], all->lo[k]);
    all->hi[k] = larger(box->hi[k], all->hi[k]);
  }
}

/* Ticks of equal length from corner to corner; an axis without extent, or too fine for a double, has a single one. */
static void choose_ticks(ipg_frame *frame) {
  for (int k = 0; k < 3; ++k) {
    const double scale = (IPG_LAST_TICK - IPG_FIRST_TICK) / (0.5 * frame->box.hi[k] - 0.5 * frame->box.lo[k]);
    frame->scale[k] = isfinite(scale) ? scale : 0;
  }
}

static ipg_ticks around(const ipg_ticks *ticks, int count) {
  ipg_ticks all = ticks[0];
  for (int i = 1; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      all.lo[k] = ticks[i].lo[k] < all.lo[k] ? ticks[i].lo[k] : all.lo[k];
      all.hi[k] = ticks[i].hi[k] > all.hi[k] ? ticks[i].hi[k] : all.hi[k];
    }
  return all;
}

static double edges(const ipg_frame *frame, const ipg_ticks *ticks) {
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    if (frame->scale[k] > 0) sum += (ticks->hi[k] - ticks->lo[k]) / frame->scale[k];
  return sum;
}

static ipg_ticks fill_block(const filling *f, const ipg_frame *frame, int64_t b) {
  const ipg_packed *tree = f->tree;
  const int64_t first = tree->block_item[b];
  const int lanes = (int)(tree->block_item[b + 1] - first);
  ipg_ticks ticks[IPG_LANES];
  f->kernels->to_ticks(frame, tree->boxes, tree->order + first, lanes, ticks);
  ipg_block_put(&tree->blocks[b], ticks, lanes);
  return around(ticks, lanes);
}

static ipg_ticks fill_group(const filling *f, const ipg_frame *frame, int64_t g, double *spread) {
  const ipg_packed *tree = f->tree;
  const int64_t first = tree->group_block[g];
  const int lanes = (int)(tree->group_block[g + 1] - first);
  ipg_ticks ticks[IPG_LANES];
  for (int lane = 0; lane < lanes; ++lane) {
    ticks[lane] = fill_block(f, frame, first + lane);
    *spread += edges(frame, &ticks[lane]);
  }
  ipg_block_put(&tree->group_lanes[g], ticks, lanes);
  return around(ticks, lanes);
}

/* A bucket's boxes are near each other but not in order: asked for ahead of time. */
static void fetch_ahead(const ipg_packed *tree, int64_t place, int64_t end) {
  if (place + AHEAD >= end) return;
  const char *coming = (const char *)&tree->boxes[ipg_spot(tree, place + AHEAD)];
  __builtin_prefetch(coming), __builtin_prefetch(coming + sizeof(ipg_box) - 1);
}

static ipg_box enclose_block(const ipg_packed *tree, int64_t block, int64_t end) {
  ipg_box box = nowhere();
  for (int64_t place = tree->block_item[block]; place < tree->block_item[block + 1]; ++place) {
    fetch_ahead(tree, place, end);
    include(&box, &tree->boxes[ipg_spot(tree, place)]);
  }
  return box;
}

static void enclose_frame(const ipg_packed *tree, ipg_frame *frame) {
  frame->box = nowhere();
  for (int64_t g = frame->group; g < frame[1].group; ++g) {
    ipg_box box = nowhere();
    for (int64_t b = tree->group_block[g]; b < tree->group_block[g + 1]; ++b) {
      tree->block_boxes[b] = enclose_block(tree, b, frame[1].item);
      include(&box, &tree->block_boxes[b]);
    }
    tree->group_boxes[g] = box;
    include(&frame->box, &box);
  }
}

static void fill_frame(const filling *f, int64_t index) {
  const ipg_packed *tree = f->tree;
  ipg_frame *frame = &tree->frames[index];
  const int64_t groups = frame[1].group - frame->group;
  enclose_frame(tree, frame);
  choose_ticks(frame);
  tree->spreads[index] = 0;
  ipg_block_clear(&tree->roofs[frame[1].roof - 1], (int)((groups - 1) % IPG_LANES) + 1);
  for (int64_t g = 0; g < groups; ++g) {
    const ipg_ticks ticks = fill_group(f, frame, frame->group + g, &tree->spreads[index]);
    ipg_block_put_lane(&tree->roofs[frame->roof + g / IPG_LANES], (int)(g % IPG_LANES), &ticks);
  }
}

static void fill_frames(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  for (int64_t i = begin; i < end; ++i) fill_frame(arg, i);
}

void ipg_packed_fill(ipg_packed *tree, ipg_search *search) {
  filling f = {tree, NULL, ipg_packed_kernels_of(search)};
  ipg_tasks_for(&search->config.tasks, fill_frames, &f, 0, tree->frame_count, 1);
  tree->spread = 0;
  for (int64_t i = 0; i < tree->frame_count; ++i) tree->spread += tree->spreads[i];
}

/* In the caller's order: it reads in one stream and writes in as many as there are buckets. */
static void bring_boxes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  for (int64_t i = begin; i < end; ++i) f->tree->boxes[f->tree->spot_of[i]] = f->set->boxes[i];
}

void ipg_packed_bring_boxes(ipg_packed *tree, ipg_search *search, const ipg_set *set) {
  filling f = {tree, set, NULL};
  ipg_tasks_for(&search->config.tasks, bring_boxes, &f, 0, set->count, GRAIN);
}

static void bring_exclusions(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  const ipg_packed *tree = f->tree;
  for (int64_t i = begin; i < end; ++i) {
    if (tree->keys) memcpy(tree->keys + 4 * (int64_t)tree->spot_of[i], f->set->keys + 4 * i, 4 * sizeof(ipg_id));
    if (tree->groups) tree->groups[tree->spot_of[i]] = f->set->groups[i];
  }
}

ipg_status ipg_packed_bring_exclusions(ipg_packed *tree, ipg_search *search, const ipg_set *set, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  ipg_status status = IPG_OK;
  if (set->keys) status = ipg_buffer_reserve(&tree->key_buffer, allocator, 4 * set->count, sizeof(ipg_id), error);
  if (!status && set->groups)
    status = ipg_buffer_reserve(&tree->id_buffer, allocator, set->count, sizeof(ipg_id), error);
  if (status) return status;
  tree->keys = set->keys ? tree->key_buffer.data : NULL;
  tree->groups = set->groups ? tree->id_buffer.data : NULL;
  filling f = {tree, set, NULL};
  if (tree->keys || tree->groups) ipg_tasks_for(&search->config.tasks, bring_exclusions, &f, 0, set->count, GRAIN);
  return IPG_OK;
}

void ipg_packed_free(ipg_packed *tree, const ipg_allocator *allocator) {
  ipg_buffer *buffers[] = {&tree->order_buffer,       &tree->spot_buffer,       &tree->item_buffer,
                           &tree->box_buffer,         &tree->key_buffer,        &tree->id_buffer,
                           &tree->frame_buffer,       &tree->block_item_buffer, &tree->block_buffer,
                           &tree->group_block_buffer, &tree->enclosing_buffer,  &tree->spread_buffer};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_free(buffers[i], allocator);
}

const ipg_packed_kernels *ipg_packed_kernels_of(const ipg_search *search) {
#ifdef IPG_HAVE_AVX2
  if (search->simd == IPG_SIMD_AVX2) return &ipg_packed_avx2;
#endif
  (void)search;
  return &ipg_packed_scalar;
}
