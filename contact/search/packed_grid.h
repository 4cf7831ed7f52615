/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The code of a box in a packed tree: the cell of its centre and, where sizes differ much, two higher bits for the
 * size.
 */
#ifndef IMPINGE_SEARCH_PACKED_GRID_H
#define IMPINGE_SEARCH_PACKED_GRID_H

#include "method.h"
#include "support/vec.h"

enum { IPG_TABLE_BITS = 8, IPG_TABLE = 1 << IPG_TABLE_BITS };

typedef struct ipg_code_grid {
  double origin[3], scale[3], last[3]; /* last cell along each axis */
  int bits[3], cell_bits, code_bits;
  uint8_t axis_of_bit[32]; /* the axis that a bit of the code halves, lowest bit first */
  ipg_bounds bounds;       /* of the set, once it is known */
  double large[3];         /* the longest edges at which the size classes 1, 2, 3 begin */
  uint32_t spread[3][2]
                 [IPG_TABLE]; /* bits of a cell's low and high byte along an axis, at their positions in the code */
} ipg_code_grid;

/* Uses only a sample of the boxes, which may still be unchecked and invalid. */
void ipg_choose_code_grid(ipg_code_grid *grid, const ipg_set *set);
/* The box that holds all boxes with codes from `first` to `last`, except boxes outside of the grid. */
ipg_box ipg_box_of_codes(const ipg_code_grid *grid, uint32_t first, uint32_t last);

static inline double ipg_longest_edge(const ipg_box *box) {
  return larger(box->hi[0] - box->lo[0], larger(box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]));
}

static inline uint32_t ipg_size_code(const ipg_code_grid *grid, const ipg_box *box) {
  if (grid->code_bits == grid->cell_bits) return 0;
  const double edge = ipg_longest_edge(box);
  return (uint32_t)((edge > grid->large[0]) + (edge > grid->large[1]) + (edge > grid->large[2])) << grid->cell_bits;
}

static inline uint32_t ipg_spread_cell(const ipg_code_grid *grid, int axis, uint32_t cell) {
  return grid->spread[axis][0][cell % IPG_TABLE] | grid->spread[axis][1][cell / IPG_TABLE];
}

#endif
