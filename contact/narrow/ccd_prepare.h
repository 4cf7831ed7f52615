/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Computes a moving polygon from the positions of points, for one query or for several at once.
 *
 * Differences of positions come first, each with one rounding: so nothing else is lost far from the origin. Then all is
 * scaled by the power of two that brings the size between 1 and 2. That is exact, so models of any scale get the same
 * bits, and no product of a few lengths leaves the range of doubles. `sum`, of all magnitudes, is below a bound only if
 * all positions are finite: comparisons of single values would miss a NaN.
 *
 * The including file defines `real` as for ccd_arithmetic.h, inverse_power (the inverse of the power of two of a size),
 * and `polygon_path`, a structure like ipg_ccd_polygon. `point` holds the coordinates of four points at the start and
 * at the end. */

#define FARTHEST 0x1p1000

static inline void find_corners(const ipg_ccd_primitives *primitives, real point[2][4][3], polygon_path *f) {
  real size = real_of(0), sum = real_of(0);
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < primitives->corners; ++i)
      for (int k = 0; k < 3; ++k) {
        const real difference = real_sub(point[end][primitives->to[i]][k], point[end][primitives->from[i]][k]);
        f->corner[end][i][k] = difference;
        size = real_max(real_abs(difference), size);
        sum = real_add(sum, real_abs(difference));
      }
  f->size = size;
  f->valid = is_above(real_of(FARTHEST), sum);
}

static inline void scale_corners(const ipg_ccd_primitives *primitives, double separation, polygon_path *f) {
  f->scale = inverse_power(f->size);
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < primitives->corners; ++i)
      for (int k = 0; k < 3; ++k) f->corner[end][i][k] = real_mul(f->scale, f->corner[end][i][k]);
  f->size = real_mul(f->scale, f->size);
  f->separation = real_mul(f->scale, real_of(separation));
  f->separation2 = real_mul(real_of(1 + 0x1p-45), real_mul(f->separation, f->separation));
}

static inline void make_polygon(const ipg_ccd_primitives *primitives, real point[2][4][3], double separation,
                                polygon_path *f) {
  find_corners(primitives, point, f);
  scale_corners(primitives, separation, f);
}
