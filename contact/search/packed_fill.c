/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A packed tree, filled in the order and with the cuts it has: frame by frame, boxes into places, then ticks, then
 * boxes around them. */
#include "packed.h"
#include "support/vec.h"

#include <string.h>

enum { AHEAD = 24 };

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

static void fetch_item(const filling *f, int64_t place) {
  ipg_packed *tree = f->tree;
  const ipg_id item = ipg_packed_item(tree, place);
  tree->boxes[place] = f->set->boxes[item];
  if (tree->keys) memcpy(tree->keys + 4 * place, f->set->keys + 4 * (int64_t)item, 4 * sizeof(ipg_id));
  if (tree->groups) tree->groups[place] = f->set->groups[item];
}

/* Random access to the caller's array: asked for ahead of time. */
static void fetch_items(const filling *f, int64_t begin, int64_t end, ipg_box *around) {
  *around = nowhere();
  for (int64_t place = begin; place < end; ++place) {
    if (place + AHEAD < f->set->count) {
      const char *coming = (const char *)&f->set->boxes[ipg_packed_item(f->tree, place + AHEAD)];
      __builtin_prefetch(coming), __builtin_prefetch(coming + sizeof(ipg_box) - 1);
    }
    fetch_item(f, place);
    include(around, &f->tree->boxes[place]);
  }
}

/* Ticks of equal length from corner to corner; an axis without extent, or too fine for a double, has a single one. */
static void choose_ticks(ipg_frame *frame) {
  for (int k = 0; k < 3; ++k) {
    const double scale = (IPG_LAST_TICK - IPG_FIRST_TICK) / (0.5 * frame->box.hi[k] - 0.5 * frame->box.lo[k]);
    frame->scale[k] = isfinite(scale) ? scale : 0;
  }
}

static void put_lane(ipg_block *block, int lane, const ipg_ticks *ticks) {
  for (int k = 0; k < 3; ++k) block->lo[k][lane] = ticks->lo[k], block->hi[k][lane] = ticks->hi[k];
}

static ipg_ticks around_block(const ipg_block *block) {
  ipg_ticks all;
  for (int k = 0; k < 3; ++k) {
    uint16_t lo = IPG_NO_LO, hi = IPG_NO_HI;
    for (int i = 0; i < IPG_LANES; ++i) {
      lo = block->lo[k][i] < lo ? block->lo[k][i] : lo;
      hi = block->hi[k][i] > hi ? block->hi[k][i] : hi;
    }
    all.lo[k] = lo, all.hi[k] = hi;
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
  f->kernels->to_ticks(frame, tree->boxes + first, lanes, ticks);
  for (int lane = 0; lane < lanes; ++lane) put_lane(&tree->blocks[b], lane, &ticks[lane]);
  ipg_block_clear(&tree->blocks[b], lanes);
  return around_block(&tree->blocks[b]);
}

static ipg_ticks fill_group(const filling *f, const ipg_frame *frame, int64_t g, double *spread) {
  const ipg_packed *tree = f->tree;
  const int64_t first = tree->group_block[g];
  const int lanes = (int)(tree->group_block[g + 1] - first);
  for (int lane = 0; lane < lanes; ++lane) {
    const ipg_ticks ticks = fill_block(f, frame, first + lane);
    put_lane(&tree->group_lanes[g], lane, &ticks);
    *spread += edges(frame, &ticks);
  }
  ipg_block_clear(&tree->group_lanes[g], lanes);
  return around_block(&tree->group_lanes[g]);
}

static void fill_frame(const filling *f, int64_t index) {
  const ipg_packed *tree = f->tree;
  ipg_frame *frame = &tree->frames[index];
  const int64_t groups = frame[1].group - frame->group;
  frame->box = nowhere();
  for (int64_t g = frame->group; g < frame[1].group; ++g) {
    fetch_items(f, tree->block_item[tree->group_block[g]], tree->block_item[tree->group_block[g + 1]],
                &tree->group_boxes[g]);
    include(&frame->box, &tree->group_boxes[g]);
  }
  choose_ticks(frame);
  tree->spreads[index] = 0;
  ipg_block_clear(&tree->roofs[frame[1].roof - 1], (int)((groups - 1) % IPG_LANES) + 1);
  for (int64_t g = 0; g < groups; ++g) {
    const ipg_ticks ticks = fill_group(f, frame, frame->group + g, &tree->spreads[index]);
    put_lane(&tree->roofs[frame->roof + g / IPG_LANES], (int)(g % IPG_LANES), &ticks);
  }
}

static void fill_frames(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  for (int64_t i = begin; i < end; ++i) fill_frame(arg, i);
}

static ipg_status reserve(ipg_packed *tree, const ipg_set *set, const ipg_allocator *allocator, ipg_error *error) {
  ipg_status status = ipg_buffer_reserve(&tree->box_buffer, allocator, set->count, sizeof(ipg_box), error);
  if (!status && set->keys)
    status = ipg_buffer_reserve(&tree->key_buffer, allocator, 4 * set->count, sizeof(ipg_id), error);
  if (!status && set->groups)
    status = ipg_buffer_reserve(&tree->id_buffer, allocator, set->count, sizeof(ipg_id), error);
  tree->boxes = tree->box_buffer.data;
  tree->keys = set->keys ? tree->key_buffer.data : NULL;
  tree->groups = set->groups ? tree->id_buffer.data : NULL;
  return status;
}

ipg_status ipg_packed_fill(ipg_packed *tree, ipg_search *search, const ipg_set *set, ipg_error *error) {
  const ipg_status status = reserve(tree, set, &search->config.allocator, error);
  if (status) return status;
  filling f = {tree, set, ipg_packed_kernels_of(search)};
  ipg_tasks_for(&search->config.tasks, fill_frames, &f, 0, tree->frame_count, 1);
  tree->spread = 0;
  for (int64_t i = 0; i < tree->frame_count; ++i) tree->spread += tree->spreads[i];
  return IPG_OK;
}

void ipg_packed_free(ipg_packed *tree, const ipg_allocator *allocator) {
  ipg_buffer *buffers[] = {&tree->order_buffer, &tree->box_buffer,         &tree->key_buffer,
                           &tree->id_buffer,    &tree->frame_buffer,       &tree->block_item_buffer,
                           &tree->block_buffer, &tree->group_block_buffer, &tree->group_box_buffer,
                           &tree->spread_buffer};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_free(buffers[i], allocator);
}

const ipg_packed_kernels *ipg_packed_kernels_of(const ipg_search *search) {
#ifdef IPG_HAVE_AVX2
  if (search->simd == IPG_SIMD_AVX2) return &ipg_packed_avx2;
#endif
  (void)search;
  return &ipg_packed_scalar;
}
