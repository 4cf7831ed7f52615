/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Cutting sorted codes into cells of the linear kd-tree that hold no more than so many.
 *
 * A cell is all that shares a prefix of the code. The largest cell that begins at place s and holds at most n follows
 * from two codes: it must not reach place s + n, nor back to place s - 1, so it is a prefix longer than what s has in
 * common with either. More than n equal codes are cut by number. Whether a cell is cut depends on nothing outside of
 * it: frames are cut one after the other, blocks and groups in all frames at once. */
#include "packed.h"

enum { CROWD = 1024 };

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

/* Cutting all frames: what is found in a frame waits in the scratch of the sort until all are counted, first places of
 * blocks, then first blocks of groups, both counted from the frame's own first. There are never more than items. */
typedef struct cutting {
  const ipg_packed *tree;
  uint64_t *scratch;
} cutting;

static int32_t *blocks_found(const cutting *c, const ipg_frame *frame) { return (int32_t *)(c->scratch + frame->item); }

static int32_t *groups_found(const cutting *c, const ipg_frame *frame) {
  return blocks_found(c, frame) + (frame[1].item - frame->item);
}

/* The numbers of blocks, groups and roofs stand in for their first ones until all are known. */
static void cut_frame(const cutting *c, ipg_frame *frame) {
  const uint64_t *order = c->tree->order;
  int32_t *block_item = blocks_found(c, frame), *group_block = groups_found(c, frame);
  const sequence places = {order, NULL, 0}, blocks = {order, block_item, frame->item};
  const int64_t end = frame[1].item;
  frame->block = frame->group = 0;
  for (int64_t at = frame->item; at < end; at = cell_end(&places, frame->item, end, at, IPG_LANES))
    block_item[frame->block++] = (int32_t)(at - frame->item);
  for (int64_t at = 0; at < frame->block; at = cell_end(&blocks, 0, frame->block, at, IPG_LANES))
    group_block[frame->group++] = (int32_t)at;
  frame->roof = ipg_chunk_count(frame->group, IPG_LANES);
}

static void cut_all(void *arg, int64_t begin, int64_t end, int worker) {
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

/* Where the places that share the code of `of` begin, not before `begin`; where they end, not behind `end`. */
static int64_t crowd_begin(const sequence *s, int64_t begin, int64_t of) {
  while (begin < of) {
    const int64_t middle = begin + (of - begin) / 2;
    if (code_at(s, middle) == code_at(s, of)) of = middle;
    else begin = middle + 1;
  }
  return of;
}

static int64_t crowd_end(const sequence *s, int64_t of, int64_t end) {
  while (end - of > 1) {
    const int64_t middle = of + (end - of) / 2;
    if (code_at(s, middle) == code_at(s, of)) of = middle;
    else end = middle;
  }
  return end;
}

/* The end of the frame that begins at `at`. A crowd of equal codes, such as a cluster in a wide scene, is a frame of
 * its own: in the ticks of a large one its boxes would all be the same. */
static int64_t frame_end(const sequence *s, int64_t count, int64_t at) {
  const int64_t end = cell_end(s, 0, count, at, IPG_FRAME);
  for (int64_t i = at; i + CROWD < end; i += CROWD) {
    if (code_at(s, i) != code_at(s, i + CROWD)) continue;
    const int64_t crowd = crowd_begin(s, at, i);
    return crowd > at ? crowd : crowd_end(s, i, end);
  }
  return end;
}

static ipg_status cut_frames(ipg_packed *tree, ipg_search *search, int64_t count, ipg_error *error) {
  const sequence places = {tree->order, NULL, 0};
  tree->frame_count = 0;
  for (int64_t at = 0; at < count; at = frame_end(&places, count, at)) tree->frame_count++;
  const ipg_status status = reserve(&tree->frame_buffer, search, tree->frame_count + 1, sizeof(ipg_frame), error);
  if (status) return status;
  tree->frames = tree->frame_buffer.data;
  ipg_frame *frame = tree->frames;
  for (int64_t at = 0; at < count; at = frame_end(&places, count, at)) frame++->item = at;
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
  if (!status)
    status = reserve(&tree->block_buffer, search, blocks + 1, sizeof(ipg_packed_block), error); /* 1 to align */
  if (!status) status = reserve(&tree->spread_buffer, search, tree->group_count, sizeof(double), error);
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
  cutting c = {tree, search->sorter.keys.data};
  ipg_tasks_for(tasks, cut_all, &c, 0, tree->frame_count, 1);
  number_all(tree);
  status = reserve_cells(tree, search, error);
  if (status) return status;
  ipg_tasks_for(tasks, write_cuts, &c, 0, tree->frame_count, 1);
  tree->block_item[tree->block_count] = (int32_t)count;
  tree->group_block[tree->group_count] = (int32_t)tree->block_count;
  return IPG_OK;
}
