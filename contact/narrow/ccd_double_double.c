/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The question of ccd_separating_planes.h in pairs of doubles, for what one double leaves open: differences of places
 * with nothing lost, sums and products right to 2^-102, without fused multiply-add, so the same bits everywhere.
 * Separation is 0: a distance that is within the rounding of doubles of the separation counts as a touch.
 *
 * Sums and products after Dekker (1971) and Knuth; the bounds, 3 and 7 times 2^-106, after Joldes, Muller and Popescu,
 * "Tight and rigorous error bounds for basic building blocks of double-word arithmetic" (2017). */
#include "narrow/ccd.h"

#include <math.h>

#define UNIT 0x1p-102

/* Who is closer than that to the inside of a face, in parts of the size, is inside. */
#define NO_GAP 0x1p-80

typedef ipg_twofold number;
typedef double real;
typedef bool mask;

/* ------------------------------------------------------------------------------------------------- pairs of doubles */

/* a + b, if |a| >= |b| or a is 0. */
static inline number fast_sum(double a, double b) {
  const double high = a + b;
  return (number){high, b - (high - a)};
}

static inline number sum(double a, double b) {
  const double high = a + b, of_b = high - a;
  return (number){high, (a - (high - of_b)) + (b - of_b)};
}

static inline number product(double a, double b) {
  const double split = 0x1p27 + 1, ta = split * a, tb = split * b;
  const double a1 = ta - (ta - a), a2 = a - a1, b1 = tb - (tb - b), b2 = b - b1, high = a * b;
  return (number){high, a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2)};
}

static inline number plus(number a, number b) {
  const number high = sum(a.high, b.high), low = sum(a.low, b.low);
  const number middle = fast_sum(high.high, high.low + low.high);
  return fast_sum(middle.high, low.low + middle.low);
}

static inline number minus(number a, number b) { return plus(a, (number){-b.high, -b.low}); }

static inline number times(number a, number b) {
  const number p = product(a.high, b.high);
  return fast_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline real value(number a) { return a.high; }
static inline number number_of(real a) { return (number){a, 0}; }
static inline real r_of(double a) { return a; }
static inline real r_plus(real a, real b) { return a + b; }
static inline real r_minus(real a, real b) { return a - b; }
static inline real r_times(real a, real b) { return a * b; }
static inline real r_over(real a, real b) { return a / b; }
static inline real r_least(real a, real b) { return a < b ? a : b; }
static inline real r_most(real a, real b) { return a > b ? a : b; }
static inline real r_abs(real a) { return fabs(a); }
static inline mask above(real a, real b) { return a > b; }
static inline mask not_below(real a, real b) { return a >= b; }
static inline mask both(mask a, mask b) { return a && b; }
static inline mask either(mask a, mask b) { return a || b; }
static inline bool everywhere(mask a) { return a; }

#include "narrow/ccd_separating_planes.h"

/* ------------------------------------------------------------------------------------------------------------ spans */

/* All corners at the one end of the step. */
static void corners_of(const ipg_flat_kind *kind, const double *places, const ipg_id *points, double scale,
                       ipg_twofold corner[IPG_FLAT_CORNERS][3]) {
  for (int i = 0; i < kind->corners; ++i)
    for (int k = 0; k < 3; ++k) {
      const double to = places[3 * (int64_t)points[kind->to[i]] + k],
                   from = places[3 * (int64_t)points[kind->from[i]] + k];
      const number difference = sum(to, -from);
      corner[i][k] = (number){scale * difference.high, scale * difference.low};
    }
}

ipg_flat_fine ipg_flat_fine_of(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t query,
                               const ipg_flat *flat) {
  ipg_flat_fine fine = {.size = flat->size};
  corners_of(kind, queries->start, queries->points + 4 * query, flat->scale, fine.corner[0]);
  corners_of(kind, queries->end, queries->points + 4 * query, flat->scale, fine.corner[1]);
  return fine;
}

/* `at` / 2^level, exactly: a double holds the upper 53 bits, another the rest. */
static number part_of_step(uint64_t at, int level) {
  const uint64_t low = at & 2047;
  const double unit = 1 / (double)((uint64_t)1 << level);
  return fast_sum(unit * (double)(at - low), unit * (double)low);
}

static vector corner_at(const ipg_flat_fine *flat, int corner, number soon, number late) {
  const ipg_twofold *from = flat->corner[0][corner], *to = flat->corner[1][corner];
  return (vector){plus(times(soon, from[0]), times(late, to[0])), plus(times(soon, from[1]), times(late, to[1])),
                  plus(times(soon, from[2]), times(late, to[2]))};
}

static stretch stretch_of(const ipg_flat_kind *kind, const ipg_flat_fine *flat, ipg_span span) {
  const uint64_t at[2] = {span.from, span.to}, whole = (uint64_t)1 << span.level;
  stretch s = {.size = flat->size, .separation2 = 0};
  for (int end = 0; end < 2; ++end) {
    const number late = part_of_step(at[end], span.level), soon = part_of_step(whole - at[end], span.level);
    for (int i = 0; i < kind->corners; ++i) s.corner[end][i] = corner_at(flat, i, soon, late);
  }
  return s;
}

ipg_verdict ipg_flat_judge_fine(const ipg_flat_kind *kind, const ipg_flat_fine *flat, ipg_span span) {
  const stretch s = stretch_of(kind, flat, span);
  return name_of(judge(&s, kind->corners, NO_GAP));
}

ipg_verdict ipg_flat_judge_plane_fine(const ipg_flat_kind *kind, const ipg_flat_fine *flat, ipg_span span) {
  const stretch s = stretch_of(kind, flat, span);
  return judge_plane(&s, kind->corners);
}
