/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From places of points to a polygon's path, as text for one query or for several at once.
 *
 * Differences of places come first, each with one rounding: far from the origin nothing else is lost. Then all is
 * scaled by the power of two that brings the size between 1 and 2. That is exact, so models of any scale get the same
 * bits, and no product of a few lengths leaves the range of doubles. `spread`, the sum of all magnitudes, is a number
 * below a bound only if all places are finite: comparisons alone would let slip what is not a number.
 *
 * The including file brings `real` as for ccd_separating_planes.h and r_power, the power of two for a size, and
 * `flat_path`, a structure as ipg_flat. `point` holds three coordinates of four points, at the start and at the end. */

#define FARTHEST 0x1p1000

static inline void corners_of(const ipg_flat_kind *kind, real point[2][4][3], flat_path *f) {
  real size = r_of(0), spread = r_of(0);
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < kind->corners; ++i)
      for (int k = 0; k < 3; ++k) {
        const real difference = r_minus(point[end][kind->to[i]][k], point[end][kind->from[i]][k]);
        f->corner[end][i][k] = difference;
        size = r_most(r_abs(difference), size);
        spread = r_plus(spread, r_abs(difference));
      }
  f->size = size;
  f->proper = above(r_of(FARTHEST), spread);
}

static inline void scale_corners(const ipg_flat_kind *kind, double separation, flat_path *f) {
  f->scale = r_power(f->size);
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < kind->corners; ++i)
      for (int k = 0; k < 3; ++k) f->corner[end][i][k] = r_times(f->scale, f->corner[end][i][k]);
  f->size = r_times(f->scale, f->size);
  f->separation = r_times(f->scale, r_of(separation));
  f->separation2 = r_times(r_of(1 + 0x1p-45), r_times(f->separation, f->separation));
}

static inline void prepare(const ipg_flat_kind *kind, real point[2][4][3], double separation, flat_path *f) {
  corners_of(kind, point, f);
  scale_corners(kind, separation, f);
}
