/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The linear kd-tree: a kd-tree kept as one sorted array of (locational code, element).
 *
 * Cells are halved along x, y, z in turn. A point's code interleaves the bits of its cell coordinates; a box's code is
 * the longest common prefix of the codes of its two corners, and identifies the smallest cell that encloses the box.
 * Two boxes can overlap only if the cell of one encloses the cell of the other: if one code is a prefix of the other.
 * In the sorted array a code stands right before all codes it is a prefix of, so a sweep finds all candidates. A box
 * that straddles a plane of a large cell is cut there, at most once per axis: up to 8 records each.
 *
 * Codes are 64-bit keys: the prefix in bits 62..6, padded with zeros, its length in bits 5..0. Comparing keys as
 * numbers is the order of the paper: a prefix first, then "0" before "1". The 32-bit form has 27 bits of prefix and 5
 * of length, and shares one word with the element.
 *
 * Each pair once, without a list: the records of one element lie in disjoint cells (they were cut along cell borders),
 * so exactly one record of each element encloses the lowest corner of the overlap of the two boxes. The pair is
 * reported by these two records and by no others.
 *
 * With IPG_SPLIT_ALWAYS every element has 8 records, the missing ones being copies of its first: the records are then
 * the same from step to step, and the order is repaired by insertion sort. Copies are in the order but are never
 * compared.
 *
 * No pair is missed: coordinates become cells by a monotone function, clamped at the borders of the interest box, so
 * boxes that overlap as doubles overlap as ranges of cells.
 *
 * Poirrier 2009, "An efficient space partitioning technique based on linear kd-trees". */
#ifndef IMPINGE_SEARCH_LKDTREE_H
#define IMPINGE_SEARCH_LKDTREE_H

#include "method.h"
#include "support/morton.h"

enum { CODE_BITS = 57, LENGTH_BITS = 6, SHORT_CODE_BITS = 27, SHORT_LENGTH_BITS = 5 };
enum { MOST_RECORDS = 8, GRAIN = 1024 };

/* Records sorted by key: one set of elements as a linear kd-tree. */
typedef struct records {
  uint64_t *keys; /* 64-bit keys, or short keys << 32 | owner */
  ipg_id *owners; /* of 64-bit keys; NULL where codes are short */
  int64_t count;
  int64_t *first;     /* of each element: the number of its records, then the first of them before the sort */
  uint64_t *unsorted; /* IPG_SPLIT_ALWAYS: keys by element, for the next step */
  ipg_buffer key_buffer, owner_buffer, first_buffer, unsorted_buffer;
} records;

/* The owner of a record is its element; with IPG_SPLIT_ALWAYS, the element * 8 + the number of the record. */
typedef struct lkdtree {
  int bits;
  ipg_split split;
  bool octree, short_codes, raw;
  double origin[3], scale[3]; /* of the interest box */
  records items, queries;
} lkdtree;

typedef struct range {
  uint32_t lo[3], hi[3];
} range;

/* ------------------------------------------------------------------------------------------------ locational codes */

static inline int key_length(uint64_t key) { return (int)(key & ((1 << LENGTH_BITS) - 1)); }

/* True if the cell of key `a` is the cell of `b` or encloses it. For b of at least a's length. */
static inline bool is_prefix(uint64_t a, uint64_t b) {
  return (a ^ b) >> (CODE_BITS + LENGTH_BITS - key_length(a)) == 0;
}

static inline uint32_t quantise(const lkdtree *tree, int axis, double x) {
  const double cell = (x - tree->origin[axis]) * tree->scale[axis];
  const double last = (double)((1u << tree->bits) - 1);
  if (!(cell > 0)) return 0; /* also where 0 * infinity is not a number: scale is 0 there for every x */
  return cell < last ? (uint32_t)cell : (uint32_t)last;
}

static inline void quantise_point(const lkdtree *tree, const double x[3], uint32_t cell[3]) {
  for (int k = 0; k < 3; ++k) cell[k] = quantise(tree, k, x[k]);
}

/* The key of a single smallest cell. */
static inline uint64_t point_key(const lkdtree *tree, const uint32_t cell[3]) {
  const int length = 3 * tree->bits;
  return ipg_morton_interleave(cell) << (CODE_BITS - length + LENGTH_BITS) | (uint64_t)length;
}

/* A key truncated to its first `length` bits. */
static inline uint64_t shorten_key(uint64_t key, int length) {
  return (key & ~(uint64_t)0 << (CODE_BITS + LENGTH_BITS - length)) | (uint64_t)length;
}

/* The key of the smallest cell around [lo, hi]: the longest common prefix, by one XOR and one count of zeros. */
static inline uint64_t box_key(const lkdtree *tree, const uint32_t lo[3], const uint32_t hi[3]) {
  const uint64_t low = point_key(tree, lo), differ = low ^ point_key(tree, hi);
  return differ ? shorten_key(low, __builtin_clzll(differ) - 1) : low; /* bit 63 is never used */
}

static inline uint64_t to_short_key(uint64_t key) {
  return key >> (CODE_BITS + LENGTH_BITS - SHORT_CODE_BITS) << SHORT_LENGTH_BITS | (uint64_t)key_length(key);
}

static inline uint64_t from_short_key(uint64_t key) {
  const uint64_t length = key & ((1 << SHORT_LENGTH_BITS) - 1);
  return key >> SHORT_LENGTH_BITS << (CODE_BITS + LENGTH_BITS - SHORT_CODE_BITS) | length;
}

static inline uint64_t key_at(const records *r, int64_t i) {
  return r->owners ? r->keys[i] : from_short_key(r->keys[i] >> 32);
}

static inline void put_record(const records *r, int64_t i, uint64_t key, ipg_id owner) {
  if (r->owners) r->keys[i] = key, r->owners[i] = owner;
  else r->keys[i] = to_short_key(key) << 32 | (uint32_t)owner;
}

/* The element of a record; -1 for a copy, which is not compared. */
static inline ipg_id element_at(const lkdtree *tree, const records *r, int64_t i) {
  const ipg_id owner = r->owners ? r->owners[i] : (ipg_id)(uint32_t)r->keys[i];
  if (tree->split != IPG_SPLIT_ALWAYS) return owner;
  return owner % MOST_RECORDS < r->first[owner / MOST_RECORDS] ? owner / MOST_RECORDS : -1;
}

/* lkdtree_records.c: makes the records of a set and sorts them. */
ipg_status ipg_lkdtree_build(ipg_search *search, const ipg_set *set, records *r, ipg_error *error);
/* The same for IPG_SPLIT_ALWAYS where `r` holds the records of the same elements before they moved. */
ipg_status ipg_lkdtree_update(ipg_search *search, const ipg_set *set, records *r, ipg_error *error);

#endif
