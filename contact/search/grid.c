/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Chooses the edge of the cells. Everything here guards against sums and widths that overflow to infinity: then there
 * is one cell, which is slow but correct. */
#include "grid.h"

/* Products of widths could overflow; sums of logarithms do not. Axes that turn out thinner than a cell are left out,
 * and the cells are spread over the other axes again. */
double ipg_grid_spacing(const ipg_bounds *bounds, int64_t count) {
  double width[3], edge = 0;
  for (int k = 0; k < 3; ++k) width[k] = bounds->hi[k] - bounds->lo[k];
  for (int axes = 3, left_out = 1; left_out;) {
    double sum = -log((double)count);
    axes = left_out = 0;
    for (int k = 0; k < 3; ++k)
      if (width[k] > edge) ++axes, sum += log(width[k]);
    if (!axes) return edge;
    const double longer = exp(sum / axes);
    for (int k = 0; k < 3; ++k) left_out |= width[k] > edge && width[k] <= longer;
    edge = longer;
  }
  return edge;
}

double ipg_grid_mean_edge(const ipg_bounds *bounds, int64_t count) {
  const double sum = larger(bounds->sum[0], larger(bounds->sum[1], bounds->sum[2]));
  return sum > 0 ? sum / (double)count : ipg_grid_spacing(bounds, count);
}

double ipg_grid_mean_occupancy(const ipg_bounds *bounds, int64_t count, double edge) {
  const double ratio = edge / ipg_grid_spacing(bounds, count);
  return ratio * ratio * ratio;
}

ipg_grid ipg_make_grid(const ipg_bounds *bounds, double edge, int64_t most) {
  ipg_grid grid;
  for (int k = 0; k < 3; ++k) edge = larger(edge, (bounds->hi[k] - bounds->lo[k]) / (double)most);
  grid.scale = 1 / edge;
  for (int k = 0; k < 3; ++k) {
    grid.origin[k] = bounds->lo[k];
    grid.last[k] = most - 1;
    grid.last[k] = ipg_grid_cell(&grid, k, bounds->hi[k]);
  }
  return grid;
}
