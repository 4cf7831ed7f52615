/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Cubic cells over the box of all items: the arithmetic that the grids and the uniform hash share.
 *
 * A coordinate becomes the number of its cell by a monotone function, clamped at the borders: boxes that overlap as
 * doubles overlap as ranges of cells, in spite of rounding and overflow, so no search over cells misses a pair. */
#ifndef IMPINGE_SEARCH_GRID_H
#define IMPINGE_SEARCH_GRID_H

#include "method.h"

typedef struct ipg_grid {
  double origin[3], scale; /* cells per length */
  int64_t last[3];         /* the highest cell of each axis; the lowest is 0 */
} ipg_grid;

/* The cells that a box covers, both ends included. */
typedef struct ipg_cell_range {
  int64_t lo[3], hi[3];
} ipg_cell_range;

/* The edge of cells of which there are about as many as items; an axis thinner than that has one cell. */
double ipg_grid_spacing(const ipg_bounds *bounds, int64_t count);
/* The longest of the mean edges along the axes, or the spacing where boxes are points. */
double ipg_grid_mean_edge(const ipg_bounds *bounds, int64_t count);
/* Items in a cell of that edge if they were spread evenly. */
double ipg_grid_mean_occupancy(const ipg_bounds *bounds, int64_t count, double edge);
/* Cells of that edge, or of a longer one where an axis would have more than `most` of them. */
ipg_grid ipg_make_grid(const ipg_bounds *bounds, double edge, int64_t most);

static inline int64_t ipg_grid_cell(const ipg_grid *grid, int axis, double x) {
  const double cell = (x - grid->origin[axis]) * grid->scale;
  if (!(cell > 0)) return 0; /* also where 0 * infinity is not a number: then every cell of the axis is 0 or the last */
  return cell < (double)grid->last[axis] ? (int64_t)cell : grid->last[axis];
}

static inline ipg_cell_range ipg_grid_cells_of_box(const ipg_grid *grid, const ipg_box *box) {
  ipg_cell_range cells;
  for (int k = 0; k < 3; ++k) {
    cells.lo[k] = ipg_grid_cell(grid, k, box->lo[k]);
    cells.hi[k] = ipg_grid_cell(grid, k, box->hi[k]);
  }
  return cells;
}

/* The number of cells; a double, because it may exceed 64 bits. */
static inline double ipg_count_cells(const ipg_cell_range *cells) {
  double count = 1;
  for (int k = 0; k < 3; ++k) count *= (double)(cells->hi[k] - cells->lo[k] + 1);
  return count;
}

#endif
