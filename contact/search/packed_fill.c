/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Fills a packed tree in its order and with its cuts: ticks of all boxes, and the boxes of blocks, groups and frames,
 * group by group. */
#include "packed.h"

#include <float.h>
#include <string.h>

enum { GRAIN = 8192, AHEAD = 16, GROUPS = 16 };

typedef struct filling {
  ipg_packed *tree;
  const ipg_set *set;
  const ipg_packed_kernels *kernels;
  bool moved;
} filling;

/* ------------------------------------------------------------------------------------------------------------ ticks */

/* The box of the last fill, widened by an eighth. */
static ipg_box widen_box(const ipg_box *box) {
  ipg_box wide;
  for (int k = 0; k < 3; ++k) {
    const double margin = 0.125 * box->hi[k] - 0.125 * box->lo[k];
    wide.lo[k] = larger(box->lo[k] - margin, -DBL_MAX), wide.hi[k] = smaller(box->hi[k] + margin, DBL_MAX);
  }
  return wide;
}

/* The box of a frame according to its codes. Boxes of one code may fill only a corner of their cell, so their box is
 * computed. */
static ipg_box predict_frame_box(const ipg_packed *tree, const ipg_frame *frame) {
  const uint64_t first = tree->order[frame->item], last = tree->order[frame[1].item - 1];
  if (first >> 32 != last >> 32) return ipg_box_of_codes(&tree->grid, (uint32_t)(first >> 32), (uint32_t)(last >> 32));
  ipg_box box = ipg_empty_box();
  for (int64_t position = frame->item; position < frame[1].item; ++position)
    ipg_box_include(&box, &tree->records[ipg_slot_at(tree, position)].box);
  return box;
}

/* Ticks of equal length. An axis without extent, or too fine for a double, has a single tick. */
static void choose_ticks(const filling *f, ipg_frame *frame) {
  const ipg_box box = f->moved ? widen_box(&frame->box) : predict_frame_box(f->tree, frame);
  for (int k = 0; k < 3; ++k) {
    const double scale = (IPG_LAST_TICK - IPG_FIRST_TICK) / (0.5 * box.hi[k] - 0.5 * box.lo[k]);
    frame->origin[k] = box.lo[k];
    frame->scale[k] = scale > 0 && isfinite(scale) ? scale : 0;
  }
}

/* --------------------------------------------------------------------------------------------------- group by group */

static ipg_ticks fill_block(const filling *f, const ipg_frame *frame, int64_t b) {
  const ipg_packed *tree = f->tree;
  const int64_t first = tree->block_item[b];
  const int count = (int)(tree->block_item[b + 1] - first);
  for (int i = 0; i < count; ++i) ipg_prefetch_record(tree->records, tree->order + first + i);
  return f->kernels->fill_block(frame, tree->records, tree->order + first, count, &tree->blocks[b],
                                &tree->block_boxes[b]);
}

/* Fills a group and writes its box into its lane of the frame's top_block. */
static void fill_group(const filling *f, const ipg_frame *frame, int64_t g) {
  const ipg_packed *tree = f->tree;
  const int64_t first = tree->group_block[g], in_frame = g - frame->group;
  const int count = (int)(tree->group_block[g + 1] - first);
  ipg_ticks all = {{IPG_NO_LO, IPG_NO_LO, IPG_NO_LO}, {IPG_NO_HI, IPG_NO_HI, IPG_NO_HI}};
  ipg_box around = ipg_empty_box();
  double edge_sum = 0;
  for (int lane = 0; lane < count; ++lane) {
    const ipg_ticks ticks = fill_block(f, frame, first + lane);
    ipg_packed_block_put(&tree->group_lanes[g], lane, &ticks);
    ipg_ticks_include(&all, &ticks);
    ipg_box_include(&around, &tree->block_boxes[first + lane]);
    edge_sum += ipg_box_extent(&tree->block_boxes[first + lane]);
  }
  ipg_packed_block_clear(&tree->group_lanes[g], count);
  ipg_packed_block_put(&tree->top_blocks[frame->top_block + in_frame / IPG_LANES], (int)(in_frame % IPG_LANES), &all);
  tree->group_boxes[g] = around;
  tree->group_edge_sums[g] = edge_sum;
}

static void fill_groups(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  const ipg_frame *frame = &f->tree->frames[ipg_frame_of_group(f->tree, begin)];
  for (int64_t g = begin; g < end; ++g) {
    while (frame[1].group <= g) ++frame;
    fill_group(f, frame, g);
  }
}

static void prepare_frame(const filling *f, ipg_frame *frame) {
  const int64_t groups = frame[1].group - frame->group;
  choose_ticks(f, frame);
  ipg_packed_block_clear(&f->tree->top_blocks[frame[1].top_block - 1], (int)((groups - 1) % IPG_LANES) + 1);
}

static void enclose_frame(ipg_packed *tree, ipg_frame *frame) {
  frame->box = ipg_empty_box();
  for (int64_t g = frame->group; g < frame[1].group; ++g) {
    ipg_box_include(&frame->box, &tree->group_boxes[g]);
    tree->edge_sum += tree->group_edge_sums[g];
  }
}

void ipg_packed_fill(ipg_packed *tree, ipg_search *search, bool moved) {
  const filling f = {tree, NULL, ipg_choose_packed_kernels(search), moved};
  for (int64_t i = 0; i < tree->frame_count; ++i) prepare_frame(&f, &tree->frames[i]);
  ipg_tasks_for(&search->config.tasks, fill_groups, (void *)&f, 0, tree->group_count, GROUPS);
  tree->edge_sum = 0;
  for (int64_t i = 0; i < tree->frame_count; ++i) enclose_frame(tree, &tree->frames[i]);
}

/* In the caller's order: reads one stream and writes as many streams as there are buckets. */
static void update_boxes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  const uint32_t *slots = f->tree->slot_of + begin; /* also as codes, which are not read once there is an order */
  f->kernels->write_records(f->set->boxes + begin, slots, slots, begin, end - begin, f->tree->records);
}

void ipg_packed_update_boxes(ipg_packed *tree, ipg_search *search, const ipg_set *set) {
  filling f = {.tree = tree, .set = set, .kernels = ipg_choose_packed_kernels(search)};
  ipg_tasks_for(&search->config.tasks, update_boxes, &f, 0, set->count, GRAIN);
}

/* In the order of positions: the exclusions of a block are read together. */
static void copy_exclusions(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  const ipg_packed *tree = f->tree;
  for (int64_t position = begin; position < end; ++position) {
    const int64_t item = tree->item_at[position];
    if (tree->keys) {
      if (position + AHEAD < end) __builtin_prefetch(f->set->keys + 4 * (int64_t)tree->item_at[position + AHEAD]);
      memcpy(tree->keys + 4 * position, f->set->keys + 4 * item, 4 * sizeof(ipg_id));
    }
    if (tree->groups) tree->groups[position] = f->set->groups[item];
  }
}

static void collect_groups(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filling *f = arg;
  const ipg_packed *tree = f->tree;
  for (int64_t block = begin; block < end; ++block) {
    tree->group_sets[block] = 0;
    for (int64_t position = tree->block_item[block]; position < tree->block_item[block + 1]; ++position)
      tree->group_sets[block] |= (uint64_t)1 << tree->groups[position];
  }
}

ipg_status ipg_packed_copy_exclusions(ipg_packed *tree, ipg_search *search, const ipg_set *set, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  ipg_status status = IPG_OK;
  if (set->keys) status = ipg_buffer_reserve(&tree->key_buffer, allocator, 4 * set->count, sizeof(ipg_id), error);
  if (!status && set->groups)
    status = ipg_buffer_reserve(&tree->id_buffer, allocator, set->count, sizeof(ipg_id), error);
  const bool has_sets = set->groups && search->config.group_excluded && search->config.group_count <= 64;
  if (status) return status;
  tree->keys = set->keys ? tree->key_buffer.data : NULL;
  tree->groups = set->groups ? tree->id_buffer.data : NULL;
  tree->group_sets = has_sets ? tree->group_set_buffer.data : NULL;
  filling f = {.tree = tree, .set = set};
  if (tree->keys || tree->groups) ipg_tasks_for(&search->config.tasks, copy_exclusions, &f, 0, set->count, GRAIN);
  if (has_sets) ipg_tasks_for(&search->config.tasks, collect_groups, &f, 0, tree->block_count, GRAIN);
  return IPG_OK;
}

void ipg_packed_destroy(ipg_packed *tree, ipg_search *search) {
  ipg_destroy_buffers(search, (ipg_buffer *[]){&tree->order_buffer, &tree->slot_buffer, &tree->item_buffer,
                                               &tree->record_buffer, &tree->key_buffer, &tree->id_buffer,
                                               &tree->group_set_buffer, &tree->frame_buffer, &tree->block_item_buffer,
                                               &tree->block_buffer, &tree->group_block_buffer, &tree->enclosing_buffer,
                                               &tree->edge_sum_buffer, NULL});
}

const ipg_packed_kernels *ipg_choose_packed_kernels(const ipg_search *search) {
#ifdef IPG_HAVE_AVX2
  if (search->simd == IPG_SIMD_AVX2) return &ipg_packed_avx2;
#endif
  (void)search;
  return &ipg_packed_scalar;
}
