/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A packed tree: boxes in the order of their locational codes, 8 to a block, a block's box being one of the 8 boxes of
 * a block above it, and so on up to a single block. Nothing is linked: box i of level k lies in lane i % 8 of block i /
 * 8 and encloses boxes 8 i ... 8 i + 7 of level k - 1; level 0 are the items, box i of level 0 is in slot i.
 *
 * Boxes are floats, f(x) = (float)(x * scale - shift) of the doubles. Every step of f is monotone, so boxes that
 * overlap as doubles overlap as floats; and where the floats overlap without touching (lo < hi throughout) the doubles
 * overlap. Only where floats touch, which is rare, must the doubles be looked at.
 *
 * The order decides how fast an answer comes, never what it is: blocks enclose what they hold, wherever that is. */
#ifndef IMPINGE_SEARCH_PACKED_H
#define IMPINGE_SEARCH_PACKED_H

#include "method.h"

enum { IPG_LANES = 8, IPG_MOST_LEVELS = 12 };

typedef struct ipg_block {
  float lo[3][IPG_LANES], hi[3][IPG_LANES];
} ipg_block;

/* The map from doubles to floats, one for both trees of a question. */
typedef struct ipg_float_map {
  double scale, shift[3];
} ipg_float_map;

typedef struct ipg_packed {
  int64_t count[IPG_MOST_LEVELS];    /* boxes of each level */
  ipg_block *level[IPG_MOST_LEVELS]; /* their blocks, empty lanes filled with boxes that meet nothing */
  int levels;                        /* at least 2; the last has a single block */
  uint64_t *order;                   /* code << 32 | item, ascending: which item is in a slot */
  ipg_box *boxes;                    /* by slot; NULL: they are in the caller's array, by item */
  ipg_id *keys, *groups;             /* exclusions by slot; NULL without */
  double spread;                     /* sum of the edges of all blocks of items */
  double spread_when_ordered;
  ipg_buffer order_buffer, block_buffer, box_buffer, key_buffer, group_buffer, spread_buffer;
} ipg_packed;

static inline ipg_id ipg_packed_item(const ipg_packed *tree, int64_t slot) {
  return (ipg_id)(uint32_t)tree->order[slot];
}

/* Works out the order anew. */
ipg_status ipg_packed_sort(ipg_packed *tree, ipg_search *search, const ipg_set *set, ipg_error *error);
/* Puts boxes and exclusions into their slots and encloses them, level by level. With keep_boxes the exact boxes too. */
ipg_status ipg_packed_fill(ipg_packed *tree, ipg_search *search, const ipg_set *set, const ipg_float_map *map,
                           bool keep_boxes, ipg_error *error);
void ipg_packed_free(ipg_packed *tree, const ipg_allocator *allocator);

/* All pairs of two trees, or, where both are the same, of one: a task over blocks of 64 items of `first`. */
typedef struct ipg_join {
  ipg_search *search;
  const ipg_packed *first, *second;
  const ipg_box *first_boxes; /* the caller's, where first->boxes is NULL */
} ipg_join;

void ipg_join_scalar(void *join, int64_t begin, int64_t end, int worker);
void ipg_join_avx2(void *join, int64_t begin, int64_t end, int worker);

#endif
