/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Cutting sorted codes into cells of the linear kd-tree that hold no more than so many.
 *
 * A cell is all that shares a prefix of the code. The largest cell that begins at place s and holds at most n follows
 * from two codes: it must not reach place s + n, nor back to place s - 1, so it is a prefix longer than what s has in
 * common with either. More than n equal codes are cut by number. Whether a cell is cut depends on nothing outside of
 * it: frames are cut one after the other, blocks and groups in all frames at once. */
#include "packed.h"

/* Units in order: places, or blocks by their first place. */
typedef struct sequence {
  const uint64_t *order;
  const int32_t *first; /* of each unit; NULL: the units are the places */
  int64_t base;         /* added to `first` */
} sequence;

static uint32_t code_at(const sequence *s, int64_t unit) {
  return (uint32_t)(s->order[s->first ? s->base + s->first[unit] : unit] >> 32);
}

/* The number of low bits of the codes within the smallest cell around both, less one; -1 where they are equal. */
static int highest_difference(uint32_t a, uint32_t b) { return a == b ? -1 : 31 - __builtin_clz(a ^ b); }

/* The end of the largest cell that begins at `at`, lies in [begin, end) and holds at most `most` units. */
static int64_t cell_end(const sequence *s, int64_t begin, int64_t end, int64_t at, int64_t most) {
  const uint32_t code = code_at(s, at);
  int64_t beyond = at + most;
  int bits = 32;
  if (beyond < end) bits = highest_difference(code, code_at(s, beyond));
  else beyond = end;
  if (bits < 0) return beyond;
  if (at > begin) {
    const int left = highest_difference(code_at(s, at - 1), code);
    bits = left < 0 ? 0 : left < bits ? left : bits;
  }
  if (bits == 32) return end;
  for (int64_t inside = at; beyond - inside > 1;) {
    const int64_t middle = inside + (beyond - inside) / 2;
    if ((code_at(s, middle) ^ code) >> bits) beyond = middle;
    else inside = middle;
  }
  return beyond;
}

/* Blocks and groups of one frame, counted from the start of each. */
typedef struct frame_cuts {
  int32_t block_item[IPG_FRAME + 1], group_block[IPG_FRAME + 1];
  int blocks, groups;
} frame_cuts;

static void cut_frame(const uint64_t *order, int64_t begin, int64_t end, frame_cuts *cuts) {
  const sequence places = {order, NULL, 0}, blocks = {order, cuts->block_item, begin};
  cuts->blocks = cuts->groups = 0;
  for (int64_t at = begin; at < end; at = cell_end(&places, begin, end, at, IPG_LANES))
    cuts->block_item[cuts->blocks++] = (int32_t)(at - begin);
  for (int64_t at = 0; at < cuts->blocks; at = cell_end(&blocks, 0, cuts->blocks, at, IPG_LANES))
    cuts->group_block[cuts->groups++] = (int32_t)at;
}

static void count_in_frames(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ipg_packed *tree = arg;
  frame_cuts cuts;
  for (int64_t i = begin; i < end; ++i) {
    ipg_frame *frame = &tree->frames[i];
    cut_frame(tree->order, frame->item, frame[1].item, &cuts);
    frame->block = cuts.blocks, frame->group = cuts.groups;
    frame->roof = (cuts.groups + IPG_LANES - 1) / IPG_LANES;
  }
}

static void write_cuts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ipg_packed *tree = arg;
  frame_cuts cuts;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_frame *frame = &tree->frames[i];
    cut_frame(tree->order, frame->item, frame[1].item, &cuts);
    for (int b = 0; b < cuts.blocks; ++b)
      tree->block_item[frame->block + b] = (int32_t)(frame->item + cuts.block_item[b]);
    for (int g = 0; g < cuts.groups; ++g)
      tree->group_block[frame->group + g] = (int32_t)(frame->block + cuts.group_block[g]);
  }
}

static int64_t add_up(int64_t *first, int64_t sum) {
  const int64_t count = *first;
  *first = sum;
  return sum + count;
}

/* Counts become places of the first. */
static void number_all(ipg_packed *tree) {
  tree->block_count = tree->group_count = tree->roof_count = 0;
  for (int64_t i = 0; i < tree->frame_count; ++i) {
    tree->block_count = add_up(&tree->frames[i].block, tree->block_count);
    tree->group_count = add_up(&tree->frames[i].group, tree->group_count);
    tree->roof_count = add_up(&tree->frames[i].roof, tree->roof_count);
  }
  ipg_frame *last = &tree->frames[tree->frame_count];
  last->block = tree->block_count, last->group = tree->group_count, last->roof = tree->roof_count;
}

/* As many as needed and a quarter more: steps differ a little in how many cells they need. */
static ipg_status reserve(ipg_buffer *buffer, ipg_search *search, int64_t count, size_t bytes, ipg_error *error) {
  if (buffer->bytes >= (size_t)count * bytes) return IPG_OK;
  return ipg_buffer_reserve(buffer, &search->config.allocator, count + count / 4, bytes, error);
}

static ipg_status cut_frames(ipg_packed *tree, ipg_search *search, int64_t count, ipg_error *error) {
  const sequence places = {tree->order, NULL, 0};
  tree->frame_count = 0;
  for (int64_t at = 0; at < count; at = cell_end(&places, 0, count, at, IPG_FRAME)) tree->frame_count++;
  const ipg_status status = reserve(&tree->frame_buffer, search, tree->frame_count + 1, sizeof(ipg_frame), error);
  if (status) return status;
  tree->frames = tree->frame_buffer.data;
  ipg_frame *frame = tree->frames;
  for (int64_t at = 0; at < count; at = cell_end(&places, 0, count, at, IPG_FRAME)) frame++->item = at;
  frame->item = count;
  return IPG_OK;
}

/* Everything there is one of for each cell. */
static ipg_status reserve_cells(ipg_packed *tree, ipg_search *search, ipg_error *error) {
  const int64_t blocks = tree->block_count + tree->group_count + tree->roof_count;
  ipg_status status = reserve(&tree->block_item_buffer, search, tree->block_count + 1, sizeof(int32_t), error);
  if (!status) status = reserve(&tree->group_block_buffer, search, tree->group_count + 1, sizeof(int32_t), error);
  if (!status)
    status = reserve(&tree->enclosing_buffer, search, tree->block_count + tree->group_count, sizeof(ipg_box), error);
  if (!status) status = reserve(&tree->block_buffer, search, blocks + 1, sizeof(ipg_block), error); /* 1 to align */
  if (!status) status = reserve(&tree->spread_buffer, search, tree->frame_count, sizeof(double), error);
  if (status) return status;
  tree->block_item = tree->block_item_buffer.data;
  tree->group_block = tree->group_block_buffer.data;
  tree->block_boxes = tree->enclosing_buffer.data;
  tree->group_boxes = tree->block_boxes + tree->block_count;
  tree->blocks = ipg_aligned(tree->block_buffer.data);
  tree->group_lanes = tree->blocks + tree->block_count;
  tree->roofs = tree->group_lanes + tree->group_count;
  tree->spreads = tree->spread_buffer.data;
  return IPG_OK;
}

ipg_status ipg_packed_cut(ipg_packed *tree, ipg_search *search, int64_t count, ipg_error *error) {
  const ipg_tasks *tasks = &search->config.tasks;
  ipg_status status = cut_frames(tree, search, count, error);
  if (status) return status;
  ipg_tasks_for(tasks, count_in_frames, tree, 0, tree->frame_count, 1);
  number_all(tree);
  status = reserve_cells(tree, search, error);
  if (status) return status;
  ipg_tasks_for(tasks, write_cuts, tree, 0, tree->frame_count, 1);
  tree->block_item[tree->block_count] = (int32_t)count;
  tree->group_block[tree->group_count] = (int32_t)tree->block_count;
  return IPG_OK;
}
