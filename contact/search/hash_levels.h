/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Cells of every power of two, and the level that fits a box: what the hashes of many levels share.
 *
 * A coordinate is converted once, by a monotone and clamped function, to base cells, so small that the largest
 * coordinate takes 52 bits. A cell of level n is 2^n base cells wide, so everything else is exact integer shifts. The
 * level of a box is the lowest with cells at least as wide as its longest edge: then it covers at most 8 of them. Boxes
 * without extent, which fit every cell, take the level of the mean distance of items.
 *
 * After Eitz and Lixu 2007, "Hierarchical spatial hashing for real-time collision detection". */
#ifndef IMPINGE_SEARCH_HASH_LEVELS_H
#define IMPINGE_SEARCH_HASH_LEVELS_H

#include "grid.h"

enum { IPG_HASH_LEVELS = 55 };

typedef struct ipg_hash_levels {
  double scale; /* base cells per length */
  int point_level;
} ipg_hash_levels;

ipg_hash_levels ipg_choose_hash_levels(const ipg_bounds *bounds, int64_t count);

/* The lowest level whose cells are at least `edge` base cells wide. */
static inline int ipg_level_of_edge(int64_t edge) {
  return edge < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)edge - 1);
}

static inline int64_t ipg_base_cell(const ipg_hash_levels *levels, double x) {
  const double most = 9007199254740992.0, cell = x * levels->scale; /* 2^53 */
  const double clamped = cell < -most ? -most : cell > most ? most : cell;
  const int64_t whole = (int64_t)clamped;
  return whole - ((double)whole > clamped);
}

/* A box in base cells. */
static inline ipg_cell_range ipg_base_cells(const ipg_hash_levels *levels, const ipg_box *box) {
  ipg_cell_range base;
  for (int k = 0; k < 3; ++k) {
    base.lo[k] = ipg_base_cell(levels, box->lo[k]);
    base.hi[k] = ipg_base_cell(levels, box->hi[k]);
  }
  return base;
}

static inline int ipg_level_of_box(const ipg_hash_levels *levels, const ipg_cell_range *base) {
  int64_t edge = 0;
  for (int k = 0; k < 3; ++k)
    if (base->hi[k] - base->lo[k] > edge) edge = base->hi[k] - base->lo[k];
  return edge ? ipg_level_of_edge(edge) : levels->point_level;
}

/* The cells of a level. Right shifts of negative numbers round down, as on all supported compilers. */
static inline ipg_cell_range ipg_coarsen_cells(const ipg_cell_range *base, int level) {
  ipg_cell_range cells;
  for (int k = 0; k < 3; ++k) cells.lo[k] = base->lo[k] >> level, cells.hi[k] = base->hi[k] >> level;
  return cells;
}

/* For boxes a and b that overlap: true if item b is of this level and the cell holds the lowest corner of the overlap.
 * That is true for one cell of one level, so each pair is reported once. */
bool ipg_level_reports_pair(const ipg_hash_levels *levels, int level, const int64_t cell[3], const ipg_box *a,
                            const ipg_box *b);

#endif
