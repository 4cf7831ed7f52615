/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Cuts sorted codes into cells of the linear kd-tree that hold at most a given number of boxes.
 *
 * A cell is all codes that share a prefix. The largest cell that begins at position s and holds at most n follows from
 * two codes: it must not reach position s + n, nor back to position s - 1, so it is a prefix longer than those that s
 * has in common with either. More than n equal codes are cut by number. Cutting a cell depends only on its content:
 * frames are cut one after the other, blocks and groups in all frames in parallel. */
#include "packed.h"

enum { MOST_EQUAL_CODES = 1024 };

/* A sorted sequence of units: positions, or blocks by their first position. */
typedef struct sequence {
  const uint64_t *order;
  const int32_t *first; /* position of each unit; NULL: the units are the positions */
  int64_t base;         /* added to `first` */
} sequence;

static uint32_t code_at(const sequence *s, int64_t unit) {
  return (uint32_t)(s->order[s->first ? s->base + s->first[unit] : unit] >> 32);
}

/* The number of low bits of the codes within the smallest cell around both, less one; -1 where they are equal. */
static int highest_difference(uint32_t a, uint32_t b) { return a == b ? -1 : 31 - __builtin_clz(a ^ b); }

/* The end of the largest cell that begins at `at`, lies in [begin, end) and holds at most `most` units. */
static int64_t find_cell_end(const sequence *s, int64_t begin, int64_t end, int64_t at, int64_t most) {
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

/* Cutting all frames: the cuts of a frame are stored in the scratch memory of the sort until all are counted, first
 * positions of blocks, then first blocks of groups, both relative to the frame's own first. Never more than items. */
typedef struct cutting {
  const ipg_packed *tree;
  uint64_t *scratch;
} cutting;

static int32_t *blocks_found(const cutting *c, const ipg_frame *frame) { return (int32_t *)(c->scratch + frame->item); }

static int32_t *groups_found(const cutting *c, const ipg_frame *frame) {
  return blocks_found(c, frame) + (frame[1].item - frame->item);
}

/* The numbers of blocks, groups and top blocks are stored in place of their first ones until all are known. */
static void cut_frame(const cutting *c, ipg_frame *frame) {
  const uint64_t *order = c->tree->order;
  int32_t *block_item = blocks_found(c, frame), *group_block = groups_found(c, frame);
  const sequence positions = {order, NULL, 0}, blocks = {order, block_item, frame->item};
  const int64_t end = frame[1].item;
  frame->block = frame->group = 0;
  for (int64_t at = frame->item; at < end; at = find_cell_end(&positions, frame->item, end, at, IPG_LANES))
    block_item[frame->block++] = (int32_t)(at - frame->item);
  for (int64_t at = 0; at < frame->block; at = find_cell_end(&blocks, 0, frame->block, at, IPG_LANES))
    group_block[frame->group++] = (int32_t)at;
  frame->top_block = ipg_chunk_count(frame->group, IPG_LANES);
}

static void cut_frames_inside(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const cutting *c = arg;
  for (int64_t i = begin; i < end; ++i) cut_frame(c, &c->tree->frames[i]);
}

static void write_cuts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const cutting *c = arg;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_frame *frame = &c->tree->frames[i];
    const int32_t *block_item = blocks_found(c, frame), *group_block = groups_found(c, frame);
    for (int64_t b = frame->block; b < frame[1].block; ++b)
      c->tree->block_item[b] = (int32_t)(frame->item + block_item[b - frame->block]);
    for (int64_t g = frame->group; g < frame[1].group; ++g)
      c->tree->group_block[g] = (int32_t)(frame->block + group_block[g - frame->group]);
  }
}

static int64_t add_count(int64_t *first, int64_t sum) {
  const int64_t count = *first;
  *first = sum;
  return sum + count;
}

/* Counts become the numbers of the first. */
static void number_cells(ipg_packed *tree) {
  tree->block_count = tree->group_count = tree->top_block_count = 0;
  for (int64_t i = 0; i < tree->frame_count; ++i) {
    tree->block_count = add_count(&tree->frames[i].block, tree->block_count);
    tree->group_count = add_count(&tree->frames[i].group, tree->group_count);
    tree->top_block_count = add_count(&tree->frames[i].top_block, tree->top_block_count);
  }
  ipg_frame *last = &tree->frames[tree->frame_count];
  last->block = tree->block_count, last->group = tree->group_count, last->top_block = tree->top_block_count;
}

/* Reserves a quarter more than needed: steps differ a little in the number of cells they need. */
static ipg_status reserve_with_margin(ipg_buffer *buffer, ipg_search *search, int64_t count, size_t bytes,
                                      ipg_error *error) {
  if (buffer->bytes >= (size_t)count * bytes) return IPG_OK;
  return ipg_buffer_reserve(buffer, &search->config.allocator, count + count / 4, bytes, error);
}

/* The begin of the positions that share the code of `of`, not before `begin`; their end, not behind `end`. */
static int64_t find_equal_begin(const sequence *s, int64_t begin, int64_t of) {
  while (begin < of) {
    const int64_t middle = begin + (of - begin) / 2;
    if (code_at(s, middle) == code_at(s, of)) of = middle;
    else begin = middle + 1;
  }
  return of;
}

static int64_t find_equal_end(const sequence *s, int64_t of, int64_t end) {
  while (end - of > 1) {
    const int64_t middle = of + (end - of) / 2;
    if (code_at(s, middle) == code_at(s, of)) of = middle;
    else end = middle;
  }
  return end;
}

/* The end of the frame that begins at `at`. Many equal codes, such as a cluster in a wide scene, are a frame of their
 * own: in the ticks of a large frame their boxes would all be the same. */
static int64_t find_frame_end(const sequence *s, int64_t count, int64_t at) {
  const int64_t end = find_cell_end(s, 0, count, at, IPG_FRAME);
  for (int64_t i = at; i + MOST_EQUAL_CODES < end; i += MOST_EQUAL_CODES) {
    if (code_at(s, i) != code_at(s, i + MOST_EQUAL_CODES)) continue;
    const int64_t begin = find_equal_begin(s, at, i);
    return begin > at ? begin : find_equal_end(s, i, end);
  }
  return end;
}

static ipg_status cut_frames(ipg_packed *tree, ipg_search *search, int64_t count, ipg_error *error) {
  const sequence positions = {tree->order, NULL, 0};
  tree->frame_count = 0;
  for (int64_t at = 0; at < count; at = find_frame_end(&positions, count, at)) tree->frame_count++;
  const ipg_status status =
      reserve_with_margin(&tree->frame_buffer, search, tree->frame_count + 1, sizeof(ipg_frame), error);
  if (status) return status;
  tree->frames = tree->frame_buffer.data;
  ipg_frame *frame = tree->frames;
  for (int64_t at = 0; at < count; at = find_frame_end(&positions, count, at)) frame++->item = at;
  frame->item = count;
  return IPG_OK;
}

/* All arrays with one entry per cell. */
static ipg_status reserve_cells(ipg_packed *tree, ipg_search *search, ipg_error *error) {
  const int64_t blocks = tree->block_count + tree->group_count + tree->top_block_count;
  ipg_status status =
      reserve_with_margin(&tree->block_item_buffer, search, tree->block_count + 1, sizeof(int32_t), error);
  if (!status)
    status = reserve_with_margin(&tree->group_block_buffer, search, tree->group_count + 1, sizeof(int32_t), error);
  if (!status)
    status = reserve_with_margin(&tree->enclosing_buffer, search, tree->block_count + tree->group_count,
                                 sizeof(ipg_box), error);
  if (!status)
    status =
        reserve_with_margin(&tree->block_buffer, search, blocks + 1, sizeof(ipg_packed_block), error); /* 1 to align */
  if (!status) status = reserve_with_margin(&tree->edge_sum_buffer, search, tree->group_count, sizeof(double), error);
  if (!status && search->config.group_excluded)
    status = reserve_with_margin(&tree->group_set_buffer, search, tree->block_count, sizeof(uint64_t), error);
  if (status) return status;
  tree->block_item = tree->block_item_buffer.data;
  tree->group_block = tree->group_block_buffer.data;
  tree->block_boxes = tree->enclosing_buffer.data;
  tree->group_boxes = tree->block_boxes + tree->block_count;
  tree->blocks = ipg_align_pointer(tree->block_buffer.data);
  tree->group_lanes = tree->blocks + tree->block_count;
  tree->top_blocks = tree->group_lanes + tree->group_count;
  tree->group_edge_sums = tree->edge_sum_buffer.data;
  return IPG_OK;
}

ipg_status ipg_packed_cut(ipg_packed *tree, ipg_search *search, int64_t count, ipg_error *error) {
  const ipg_tasks *tasks = &search->config.tasks;
  ipg_status status = cut_frames(tree, search, count, error);
  if (status) return status;
  cutting c = {tree, search->sorter.keys.data};
  ipg_tasks_for(tasks, cut_frames_inside, &c, 0, tree->frame_count, 1);
  number_cells(tree);
  status = reserve_cells(tree, search, error);
  if (status) return status;
  ipg_tasks_for(tasks, write_cuts, &c, 0, tree->frame_count, 1);
  tree->block_item[tree->block_count] = (int32_t)count;
  tree->group_block[tree->group_count] = (int32_t)tree->block_count;
  return IPG_OK;
}
