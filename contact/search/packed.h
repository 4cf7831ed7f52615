/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A packed tree: boxes sorted by their locational codes, cut into cells of the linear kd-tree.
 *
 * A frame is the largest cell that holds at most 65536 boxes, a block the largest that holds at most 16, a group the
 * largest that holds at most 16 blocks. Cells of a kd-tree are compact; pieces of equal length would save a few empty
 * lanes but reach across the jumps of the Morton curve (measured: they overlap 2.6 times as many boxes).
 *
 * Boxes are stored in slots, close together if they are close in space; the order maps each position in the sorted
 * sequence to a slot.
 *
 * Inside a frame coordinates are ticks: 16-bit numbers from one corner of the frame to the other, clamped outside. So
 * the resolution depends on the size of the frame, not of the scene, and one register compares a box with 16. The map
 * from doubles to ticks is monotone: boxes that overlap as doubles overlap as ticks; and where the ticks overlap
 * without touching (lo < hi throughout) the doubles overlap. Only where ticks touch, which is rare, are the doubles
 * compared.
 *
 * Order and cuts decide only the speed of a search, never its result: the boxes of frames, groups and blocks are
 * computed from their content. */
#ifndef IMPINGE_SEARCH_PACKED_H
#define IMPINGE_SEARCH_PACKED_H

#include "packed_grid.h"

enum { IPG_LANES = 16, IPG_FRAME = 65536 };

/* Ticks of boxes, clamped to the frame. The two numbers beyond make a box that overlaps nothing. */
enum { IPG_FIRST_TICK = 1, IPG_LAST_TICK = 65534, IPG_NO_LO = 65535, IPG_NO_HI = 0 };

typedef struct ipg_ticks {
  uint16_t lo[3], hi[3];
} ipg_ticks;

/* 16 boxes in ticks; an unused lane holds a box that overlaps nothing. */
typedef struct ipg_packed_block {
  uint16_t lo[3][IPG_LANES], hi[3][IPG_LANES];
} ipg_packed_block;

/* A box in its slot: one cache line, written at once and read at once. */
typedef struct ipg_record {
  ipg_box box;
  uint32_t code;
  ipg_id item;
  uint64_t unused;
} ipg_record;

/* Its content ends where the next frame begins; one more frame stands behind the last. */
typedef struct ipg_frame {
  ipg_box box;                           /* of its content */
  double origin[3], scale[3];            /* of its ticks */
  int64_t item, block, group, top_block; /* the first of each */
} ipg_frame;

typedef struct ipg_packed {
  int64_t count; /* 0: nothing can be reused */
  ipg_code_grid grid;
  uint64_t *order;       /* by position, ascending: code << 32 | slot */
  uint32_t *slot_of;     /* by item */
  ipg_id *item_at;       /* by position */
  ipg_record *records;   /* by slot */
  ipg_id *keys, *groups; /* exclusions by position; NULL without */
  uint64_t *group_sets;  /* of each block, a bit for each group in it; NULL without groups, or with more than 64 */
  int64_t frame_count, block_count, group_count, top_block_count;
  ipg_frame *frames;
  int32_t *block_item;  /* first position of each block, and one more */
  int32_t *group_block; /* first block of each group, and one more */
  ipg_box *block_boxes, *group_boxes;
  ipg_packed_block *blocks;      /* boxes of the items, by position */
  ipg_packed_block *group_lanes; /* boxes of the blocks of each group */
  ipg_packed_block *top_blocks;  /* boxes of the groups of each frame, 16 to a top block */
  double *group_edge_sums;       /* of each group: sum of the edges of its blocks */
  double edge_sum, edge_sum_when_sorted;
  ipg_buffer order_buffer, slot_buffer, item_buffer, record_buffer, key_buffer, id_buffer, frame_buffer,
      block_item_buffer, group_block_buffer, enclosing_buffer, block_buffer, edge_sum_buffer, group_set_buffer;
} ipg_packed;

static inline int64_t ipg_frame_of_group(const ipg_packed *tree, int64_t group) {
  int64_t first = 0, last = tree->frame_count;
  while (last - first > 1) {
    const int64_t middle = first + (last - first) / 2;
    if (tree->frames[middle].group <= group) first = middle;
    else last = middle;
  }
  return first;
}

static inline int64_t ipg_slot_at(const ipg_packed *tree, int64_t position) { return (uint32_t)tree->order[position]; }

/* The boxes of a bucket are close together but not in order, so they are prefetched. Beyond its end the order has
 * entries that may be prefetched. */
enum { IPG_AHEAD = 32 };

static inline void ipg_prefetch_record(const ipg_record *records, const uint64_t *order) {
  __builtin_prefetch(&records[(uint32_t)order[IPG_AHEAD]]);
}

enum { IPG_CACHE_LINE = 64 };

static inline void *ipg_align_pointer(void *memory) {
  return (void *)(((uintptr_t)memory + IPG_CACHE_LINE - 1) / IPG_CACHE_LINE * IPG_CACHE_LINE);
}

static inline void ipg_packed_block_clear(ipg_packed_block *block, int first_lane) {
  for (int k = 0; k < 3; ++k)
    for (int lane = first_lane; lane < IPG_LANES; ++lane)
      block->lo[k][lane] = IPG_NO_LO, block->hi[k][lane] = IPG_NO_HI;
}

static inline void ipg_packed_block_put(ipg_packed_block *block, int lane, const ipg_ticks *ticks) {
  for (int k = 0; k < 3; ++k) block->lo[k][lane] = ticks->lo[k], block->hi[k][lane] = ticks->hi[k];
}

static inline void ipg_ticks_include(ipg_ticks *all, const ipg_ticks *ticks) {
  for (int k = 0; k < 3; ++k) {
    all->lo[k] = ticks->lo[k] < all->lo[k] ? ticks->lo[k] : all->lo[k];
    all->hi[k] = ticks->hi[k] > all->hi[k] ? ticks->hi[k] : all->hi[k];
  }
}

/* Copies boxes with codes of tree->grid to new slots and sorts them (packed_order.c), and cuts the order
 * (packed_cut.c).
 */
ipg_status ipg_packed_sort(ipg_packed *tree, ipg_search *search, const ipg_set *set, const uint32_t *codes,
                           ipg_error *error);
ipg_status ipg_packed_cut(ipg_packed *tree, ipg_search *search, int64_t count, ipg_error *error);
/* Copies boxes that moved to their slots, copies exclusions, and computes the boxes of all cells (packed_fill.c). */
void ipg_packed_update_boxes(ipg_packed *tree, ipg_search *search, const ipg_set *set);
ipg_status ipg_packed_copy_exclusions(ipg_packed *tree, ipg_search *search, const ipg_set *set, ipg_error *error);
/* `moved`: the boxes are close to where they were when the tree was filled last. */
void ipg_packed_fill(ipg_packed *tree, ipg_search *search, bool moved);
void ipg_packed_destroy(ipg_packed *tree, ipg_search *search);

/* All pairs of two trees, or, where both are the same, of one: a task over the groups of `first`. */
typedef struct ipg_join {
  ipg_search *search;
  const ipg_packed *first, *second;
} ipg_join;

/* The functions that exist once per register width (packed_scalar.c, packed_avx2.c). */
typedef struct ipg_packed_kernels {
  void (*write_codes)(const ipg_code_grid *grid, const ipg_box *boxes, int64_t count, uint32_t *codes);
  /* Writes boxes into their slots, item by item from `first` on. */
  void (*write_records)(const ipg_box *boxes, const uint32_t *slots, const uint32_t *codes, int64_t first,
                        int64_t count, ipg_record *records);
  /* Fills a block with the boxes in the slots of a piece of the order, in ticks of the frame; `around` becomes their
   * box, and its ticks are returned. */
  ipg_ticks (*fill_block)(const ipg_frame *frame, const ipg_record *records, const uint64_t *order, int count,
                          ipg_packed_block *block, ipg_box *around);
  ipg_task *join;
} ipg_packed_kernels;

extern const ipg_packed_kernels ipg_packed_scalar, ipg_packed_avx2;

const ipg_packed_kernels *ipg_choose_packed_kernels(const ipg_search *search);

#endif
