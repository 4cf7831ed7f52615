/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The size of base cells, and the rule that reports a pair once. */
#include "hash_levels.h"

enum { BITS = 52, LEAST_EXPONENT = -1022 };

ipg_hash_levels ipg_choose_hash_levels(const ipg_bounds *bounds, int64_t count) {
  double most = 0;
  for (int k = 0; k < 3; ++k) most = larger(most, larger(fabs(bounds->lo[k]), fabs(bounds->hi[k])));
  const int exponent = most > 0 ? ilogb(most) + 1 - BITS : LEAST_EXPONENT;
  ipg_hash_levels levels = {.scale = ldexp(1, exponent > LEAST_EXPONENT ? -exponent : -LEAST_EXPONENT)};
  levels.point_level = ipg_level_of_edge(ipg_base_cell(&levels, ipg_grid_spacing(bounds, count)));
  return levels;
}

bool ipg_level_reports_pair(const ipg_hash_levels *levels, int level, const int64_t cell[3], const ipg_box *a,
                            const ipg_box *b) {
  for (int k = 0; k < 3; ++k)
    if (ipg_base_cell(levels, larger(a->lo[k], b->lo[k])) >> level != cell[k]) return false;
  const ipg_cell_range base = ipg_base_cells(levels, b);
  return ipg_level_of_box(levels, &base) == level;
}
