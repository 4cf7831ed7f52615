/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All pairs of two packed trees: 64 boxes of the first walk down the second together.
 *
 * The blocks of items that their common box meets are listed once; then each of the 8 blocks of the 64 is compared with
 * the list, each box of a block with the other block's box, and what is left, one box against 8 at a time.
 * Within one tree a block meets itself and those behind it, a box those behind it in its block: each pair once.
 *
 * Included by packed_join_*.c, which bring `probe` (a box, ready to be compared with 8), `probe_of`, `touching` (which
 * lanes overlap, touching counts), `overlapping` (which surely overlap as doubles) and `share_a_key`. */
#include "packed.h"

enum { LISTED_BLOCKS = 64, MOST_LISTED = LISTED_BLOCKS * IPG_LANES, MOST_WAITING = IPG_MOST_LEVELS * IPG_LANES };

/* Blocks of items of the second tree that the 64 boxes may meet. */
typedef struct block_list {
  ipg_block boxes[LISTED_BLOCKS];
  int64_t blocks[MOST_LISTED];
  int count;
} block_list;

typedef struct walk {
  const ipg_join *join;
  const ipg_packed *first, *second;
  bool self;
  int worker;
  int64_t candidates;
  block_list list;
} walk;

static bool excluded(const walk *w, int64_t a, int64_t b) {
  const ipg_packed *first = w->first, *second = w->second;
  if (first->keys && second->keys && share_a_key(first->keys + 4 * a, second->keys + 4 * b)) return true;
  const ipg_search_config *config = &w->join->search->config;
  return config->group_excluded && first->groups && second->groups &&
         config->group_excluded[first->groups[a] * config->group_count + second->groups[b]];
}

static bool exactly_overlap(const walk *w, int64_t a, int64_t b) {
  const ipg_box *box = w->first->boxes ? &w->first->boxes[a] : &w->join->first_boxes[ipg_packed_item(w->first, a)];
  return ipg_boxes_overlap(box, &w->second->boxes[b]);
}

static void send(const walk *w, int64_t a, int64_t b) {
  if (excluded(w, a, b)) return;
  const ipg_id i = ipg_packed_item(w->first, a), j = ipg_packed_item(w->second, b);
  if (w->self && j < i) ipg_emit(w->join->search, j, i, w->worker);
  else ipg_emit(w->join->search, i, j, w->worker);
}

/* One box of block `a` against the 8 of block `b`. */
static void meet_box(walk *w, int64_t a, int lane, int64_t b) {
  const probe p = probe_of(&w->first->level[0][a], lane);
  const ipg_block *block = &w->second->level[0][b];
  unsigned hits = touching(&p, block);
  if (w->self && a == b) hits &= 0xfeu << lane;
  if (!hits) return;
  const unsigned sure = overlapping(&p, block);
  for (; hits; hits &= hits - 1) {
    const int other = __builtin_ctz(hits);
    if (sure >> other & 1 || exactly_overlap(w, a * IPG_LANES + lane, b * IPG_LANES + other))
      send(w, a * IPG_LANES + lane, b * IPG_LANES + other);
  }
}

/* Those boxes of block `a` that meet the box of block `b`. */
static void meet_block(walk *w, int64_t a, const probe *box_of_b, int64_t b) {
  unsigned near = touching(box_of_b, &w->first->level[0][a]);
  w->candidates += (1 + __builtin_popcount(near)) * IPG_LANES;
  for (; near; near &= near - 1) meet_box(w, a, __builtin_ctz(near), b);
}

static void meet_list(walk *w, int64_t parent) {
  const ipg_block *ours = &w->first->level[1][parent];
  const int64_t last = w->first->count[1] - 1;
  for (int lane = 0; lane < IPG_LANES && parent * IPG_LANES + lane <= last; ++lane) {
    const int64_t a = parent * IPG_LANES + lane;
    const probe p = probe_of(ours, lane);
    for (int i = 0; i < w->list.count; i += IPG_LANES) {
      unsigned near = touching(&p, &w->list.boxes[i / IPG_LANES]);
      for (; near; near &= near - 1) {
        const int at = i + __builtin_ctz(near);
        if (at >= w->list.count) break;
        const int64_t b = w->list.blocks[at];
        if (w->self && b < a) continue;
        const probe box_of_b = probe_of(&w->list.boxes[i / IPG_LANES], at - i);
        meet_block(w, a, &box_of_b, b);
      }
    }
  }
  w->list.count = 0;
}

static void list_block(walk *w, const ipg_block *block, int lane, int64_t index) {
  const int at = w->list.count++;
  for (int k = 0; k < 3; ++k) {
    w->list.boxes[at / IPG_LANES].lo[k][at % IPG_LANES] = block->lo[k][lane];
    w->list.boxes[at / IPG_LANES].hi[k][at % IPG_LANES] = block->hi[k][lane];
  }
  w->list.blocks[at] = index;
}

/* The box around the blocks of one block. */
static ipg_block around(const ipg_block *block) {
  ipg_block all;
  for (int k = 0; k < 3; ++k) {
    all.lo[k][0] = block->lo[k][0], all.hi[k][0] = block->hi[k][0];
    for (int i = 1; i < IPG_LANES; ++i) {
      all.lo[k][0] = block->lo[k][i] < all.lo[k][0] ? block->lo[k][i] : all.lo[k][0];
      all.hi[k][0] = block->hi[k][i] > all.hi[k][0] ? block->hi[k][i] : all.hi[k][0];
    }
  }
  return all;
}

/* Lists what the 64 boxes below `parent` meet, walking from the root; a full list is worked off in between. */
static void walk_down(walk *w, int64_t parent) {
  const ipg_packed *tree = w->second;
  const ipg_block box = around(&w->first->level[1][parent]);
  const probe p = probe_of(&box, 0);
  struct {
    int64_t block;
    int level;
  } waiting[MOST_WAITING];
  int count = 1;
  waiting[0].block = 0, waiting[0].level = tree->levels - 1;
  while (count--) {
    const int level = waiting[count].level;
    const int64_t block = waiting[count].block;
    for (unsigned near = touching(&p, &tree->level[level][block]); near; near &= near - 1) {
      const int64_t child = block * IPG_LANES + __builtin_ctz(near);
      if (w->self && ((child + 1) << 3 * (level - 1)) <= parent * IPG_LANES) continue; /* all before ours */
      if (level > 1) waiting[count].block = child, waiting[count++].level = level - 1;
      else list_block(w, &tree->level[1][block], __builtin_ctz(near), child);
    }
    if (w->list.count > MOST_LISTED - IPG_LANES) meet_list(w, parent);
  }
  meet_list(w, parent);
}

static void join(const ipg_join *j, int64_t begin, int64_t end, int worker) {
  walk w;
  w.join = j, w.first = j->first, w.second = j->second, w.self = j->first == j->second;
  w.worker = worker, w.candidates = 0, w.list.count = 0;
  for (int64_t parent = begin; parent < end; ++parent) walk_down(&w, parent);
  ((ipg_outbox *)j->search->outboxes.data)[worker].candidates += w.candidates;
}
