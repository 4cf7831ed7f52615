/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The question of ccd_separating_planes.h in doubles, one pair at a time: what the wide kernel must agree with, and all
 * spans but the first. */
#include "narrow/ccd.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53

typedef double number;
typedef double real;
typedef bool mask;
typedef ipg_flat flat_path;

static inline number plus(number a, number b) { return a + b; }
static inline number minus(number a, number b) { return a - b; }
static inline number times(number a, number b) { return a * b; }
static inline real value(number a) { return a; }
static inline number number_of(real a) { return a; }
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

/* 2^-e for a size of 2^e to 2^(e+1): its exponent turned about that of 1. */
static inline real r_power(real size) {
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  bits = ((uint64_t)2046 << 52) - (bits & (uint64_t)2047 << 52);
  memcpy(&size, &bits, sizeof bits);
  return size;
}

#include "narrow/ccd_prepare.h"
#include "narrow/ccd_separating_planes.h"

ipg_flat ipg_flat_of(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t query) {
  const double *places[2] = {queries->start, queries->end};
  double point[2][4][3];
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < 4; ++i)
      memcpy(point[end][i], places[end] + 3 * (int64_t)queries->points[4 * query + i], sizeof point[end][i]);
  ipg_flat flat;
  prepare(kind, point, queries->separation, &flat);
  return flat;
}

/* Where a corner is at `at` / 2^level: both weights are exact. */
static vector corner_at(const ipg_flat *flat, int corner, uint64_t at, int level) {
  const double unit = 1 / (double)((uint64_t)1 << level);
  const double late = unit * (double)at, soon = unit * (double)(((uint64_t)1 << level) - at);
  const double *from = flat->corner[0][corner], *to = flat->corner[1][corner];
  return (vector){soon * from[0] + late * to[0], soon * from[1] + late * to[1], soon * from[2] + late * to[2]};
}

static inline stretch stretch_of(const ipg_flat *flat, int corners, ipg_span span) {
  stretch s = {.size = flat->size, .separation2 = flat->separation2};
  for (int i = 0; i < corners; ++i) {
    s.corner[0][i] = corner_at(flat, i, span.from, span.level);
    s.corner[1][i] = corner_at(flat, i, span.to, span.level);
  }
  return s;
}

/* With the number of corners known, loops become straight code. */
static inline ipg_verdict judge_known(const ipg_flat *flat, int corners, ipg_span span) {
  const stretch s = stretch_of(flat, corners, span);
  verdict v = judge(&s, corners, 0);
  if (flat->separation > 0) v.apart = apart_by_squares(&s, corners, v.apart);
  return name_of(v);
}

ipg_verdict ipg_flat_judge(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span) {
  if (!flat->proper) return IPG_OPEN;
  return kind->corners == 3 ? judge_known(flat, 3, span) : judge_known(flat, 4, span);
}

ipg_verdict ipg_flat_judge_plane(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span) {
  const stretch s = stretch_of(flat, kind->corners, span);
  return judge_plane(&s, kind->corners);
}

bool ipg_flat_approaches(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span) {
  const stretch s = stretch_of(flat, kind->corners, span);
  const own_plane own = own_plane_of(&s);
  const outline end = at_the_end(&s, kind->corners);
  return apart_by_squares(&s, kind->corners, apart_by(&s, kind->corners, &end, on_one_side(&s, &own)));
}

/* Where the cubic of own_plane_of is zero, if it goes from one side to the other: Illinois' rule. */
double ipg_flat_guess(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span) {
  const stretch s = stretch_of(flat, kind->corners, span);
  const own_plane own = own_plane_of(&s);
  const double *f = own.f;
  double lo = 0, hi = 1, f_lo = f[0], f_hi = f[3], t = 1;
  for (int i = 0, last = 0; i < 16 && (f_lo < 0) != (f_hi < 0) && hi - lo > 1e-12; ++i) {
    t = lo + (hi - lo) * (f_lo / (f_lo - f_hi));
    const double u = 1 - t, here = u * u * (u * f[0] + t * f[1]) + t * t * (u * f[2] + t * f[3]);
    const int side = (here < 0) == (f_lo < 0) ? -1 : 1;
    if (side < 0) lo = t, f_lo = here, f_hi *= last == side ? 0.5 : 1;
    else hi = t, f_hi = here, f_lo *= last == side ? 0.5 : 1;
    last = side;
  }
  return t;
}

static double distance_to_triangle(double c[4][3]) {
  static const double origin[3] = {0};
  double w[3], to[3];
  ipg_closest_on_triangle(origin, c[0], c[1], c[2], w);
  for (int k = 0; k < 3; ++k) to[k] = w[0] * c[0][k] + w[1] * c[1][k] + w[2] * c[2][k];
  return sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
}

/* As the distance of its sides from corner 0, moved to the origin: edges a and b are sides of the parallelogram. */
static double distance_to_parallelogram(double c[4][3]) {
  static const double origin[3] = {0};
  double end[3], w[2], to[3];
  for (int k = 0; k < 3; ++k) end[k] = c[0][k] - c[3][k];
  ipg_closest_on_segments(origin, end, c[0], c[1], w);
  for (int k = 0; k < 3; ++k) to[k] = c[0][k] + w[1] * (c[1][k] - c[0][k]) - w[0] * end[k];
  return sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
}

double ipg_flat_excess(const ipg_flat_kind *kind, const ipg_flat *flat, double time) {
  double c[IPG_FLAT_CORNERS][3] = {{0}};
  for (int i = 0; i < kind->corners; ++i)
    for (int k = 0; k < 3; ++k) c[i][k] = (1 - time) * flat->corner[0][i][k] + time * flat->corner[1][i][k];
  return (kind->corners == 3 ? distance_to_triangle(c) : distance_to_parallelogram(c)) - flat->separation;
}
