/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The proofs of ccd_separating_planes.h in pairs of doubles (double-double), for spans that doubles leave undecided:
 * differences of positions are exact, sums and products have a relative error of at most 2^-102, without fused
 * multiply-add, so the bits are the same everywhere. Separation is 0: with a separation, a distance that differs from
 * it by no more than the rounding of doubles counts as a touch.
 *
 * Sums and products after Dekker (1971) and Knuth; the bounds, 3 and 7 times 2^-106, after Joldes, Muller and Popescu,
 * "Tight and rigorous error bounds for basic building blocks of double-word arithmetic" (2017). */
#include "narrow/ccd.h"

#include <math.h>

#define UNIT 0x1p-102

/* A point closer than that to the inside of a face, relative to the size, counts as inside. */
#define NO_GAP 0x1p-80

typedef ipg_double_double number;
typedef double real;
typedef bool mask;

#define CCD_DOUBLE_DOUBLE
#include "narrow/ccd_arithmetic.h"

/* ------------------------------------------------------------------------------------------------- pairs of doubles */

/* a + b, if |a| >= |b| or a is 0. */
static inline number fast_two_sum(double a, double b) {
  const double high = a + b;
  return (number){high, b - (high - a)};
}

static inline number two_sum(double a, double b) {
  const double high = a + b, of_b = high - a;
  return (number){high, (a - (high - of_b)) + (b - of_b)};
}

static inline number two_product(double a, double b) {
  const double split = 0x1p27 + 1, ta = split * a, tb = split * b;
  const double a1 = ta - (ta - a), a2 = a - a1, b1 = tb - (tb - b), b2 = b - b1, high = a * b;
  return (number){high, a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2)};
}

static inline number number_add(number a, number b) {
  const number high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
  const number middle = fast_two_sum(high.high, high.low + low.high);
  return fast_two_sum(middle.high, low.low + middle.low);
}

static inline number number_sub(number a, number b) { return number_add(a, (number){-b.high, -b.low}); }

static inline number number_mul(number a, number b) {
  const number p = two_product(a.high, b.high);
  return fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline real number_value(number a) { return a.high; }
static inline number number_of(real a) { return (number){a, 0}; }

#include "narrow/ccd_separating_planes.h"

/* ------------------------------------------------------------------------------------------------------------ spans */

/* The corners at one end of the step. */
static void find_corners(const ipg_ccd_primitives *primitives, const double *positions, const ipg_id *points,
                         double scale, ipg_double_double corner[IPG_CCD_CORNERS][3]) {
  for (int i = 0; i < primitives->corners; ++i)
    for (int k = 0; k < 3; ++k) {
      const double to = positions[3 * (int64_t)points[primitives->to[i]] + k],
                   from = positions[3 * (int64_t)points[primitives->from[i]] + k];
      const number difference = two_sum(to, -from);
      corner[i][k] = (number){scale * difference.high, scale * difference.low};
    }
}

ipg_ccd_polygon_dd ipg_make_ccd_polygon_dd(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries,
                                           int64_t query, const ipg_ccd_polygon *polygon) {
  ipg_ccd_polygon_dd polygon_dd = {.size = polygon->size};
  find_corners(primitives, queries->start, queries->points + 4 * query, polygon->scale, polygon_dd.corner[0]);
  find_corners(primitives, queries->end, queries->points + 4 * query, polygon->scale, polygon_dd.corner[1]);
  return polygon_dd;
}

/* `at` / 2^level, exactly: one double holds the upper 53 bits, another the lower ones. */
static number get_time(uint64_t at, int level) {
  const uint64_t low = at & 2047;
  const double unit = 1 / (double)((uint64_t)1 << level);
  return fast_two_sum(unit * (double)(at - low), unit * (double)low);
}

static vector get_corner_at(const ipg_ccd_polygon_dd *polygon, int corner, number of_start, number of_end) {
  const ipg_double_double *from = polygon->corner[0][corner], *to = polygon->corner[1][corner];
  return (vector){number_add(number_mul(of_start, from[0]), number_mul(of_end, to[0])),
                  number_add(number_mul(of_start, from[1]), number_mul(of_end, to[1])),
                  number_add(number_mul(of_start, from[2]), number_mul(of_end, to[2]))};
}

static moving_polygon move_polygon(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon_dd *polygon,
                                   ipg_ccd_span span) {
  const uint64_t at[2] = {span.from, span.to}, whole = (uint64_t)1 << span.level;
  moving_polygon s = {.size = polygon->size, .separation2 = 0};
  for (int end = 0; end < 2; ++end) {
    const number of_end = get_time(at[end], span.level), of_start = get_time(whole - at[end], span.level);
    for (int i = 0; i < primitives->corners; ++i) s.corner[end][i] = get_corner_at(polygon, i, of_start, of_end);
  }
  return s;
}

ipg_ccd_verdict ipg_test_span_dd(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon_dd *polygon,
                                 ipg_ccd_span span) {
  const moving_polygon s = move_polygon(primitives, polygon, span);
  return to_verdict(test_all_planes(&s, primitives->corners, NO_GAP));
}

ipg_ccd_verdict ipg_test_plane_dd(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon_dd *polygon,
                                  ipg_ccd_span span) {
  const moving_polygon s = move_polygon(primitives, polygon, span);
  return test_polygon_plane_alone(&s, primitives->corners);
}
