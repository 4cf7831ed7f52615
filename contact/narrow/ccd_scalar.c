/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The proofs of ccd_separating_planes.h in doubles, one pair at a time: the reference for the wide kernel, and all
 * spans but the first. */
#include "narrow/ccd.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53

typedef double real;
typedef real number;
typedef bool mask;
typedef ipg_ccd_polygon polygon_path;

#include "narrow/ccd_arithmetic.h"

/* 2^-e for a size of 2^e to 2^(e+1): its exponent mirrored at the exponent of 1. */
static inline real inverse_power(real size) {
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  bits = ((uint64_t)2046 << 52) - (bits & (uint64_t)2047 << 52);
  memcpy(&size, &bits, sizeof bits);
  return size;
}

#include "narrow/ccd_prepare.h"
#include "narrow/ccd_separating_planes.h"

ipg_ccd_polygon ipg_make_ccd_polygon(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries,
                                     int64_t query) {
  const double *positions[2] = {queries->start, queries->end};
  double point[2][4][3];
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < 4; ++i)
      memcpy(point[end][i], positions[end] + 3 * (int64_t)queries->points[4 * query + i], sizeof point[end][i]);
  ipg_ccd_polygon polygon;
  make_polygon(primitives, point, queries->separation, &polygon);
  return polygon;
}

/* A corner at time `at` / 2^level: both weights are exact. */
static vector get_corner_at(const ipg_ccd_polygon *polygon, int corner, uint64_t at, int level) {
  const double unit = 1 / (double)((uint64_t)1 << level);
  const double of_end = unit * (double)at, of_start = unit * (double)(((uint64_t)1 << level) - at);
  const double *from = polygon->corner[0][corner], *to = polygon->corner[1][corner];
  return (vector){of_start * from[0] + of_end * to[0], of_start * from[1] + of_end * to[1],
                  of_start * from[2] + of_end * to[2]};
}

static inline moving_polygon move_polygon(const ipg_ccd_polygon *polygon, int corners, ipg_ccd_span span) {
  moving_polygon s = {.size = polygon->size, .separation2 = polygon->separation2};
  for (int i = 0; i < corners; ++i) {
    s.corner[0][i] = get_corner_at(polygon, i, span.from, span.level);
    s.corner[1][i] = get_corner_at(polygon, i, span.to, span.level);
  }
  return s;
}

/* With a constant number of corners the compiler unrolls the loops. */
static inline ipg_ccd_verdict test_span_of_corners(const ipg_ccd_polygon *polygon, int corners, ipg_ccd_span span) {
  const moving_polygon s = move_polygon(polygon, corners, span);
  proof v = test_all_planes(&s, corners, 0);
  if (polygon->separation > 0) v.separated = test_distances(&s, corners, v.separated);
  return to_verdict(v);
}

ipg_ccd_verdict ipg_test_span(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, ipg_ccd_span span) {
  if (!polygon->valid) return IPG_VERDICT_UNDECIDED;
  return primitives->corners == 3 ? test_span_of_corners(polygon, 3, span) : test_span_of_corners(polygon, 4, span);
}

ipg_ccd_verdict ipg_test_plane(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon,
                               ipg_ccd_span span) {
  const moving_polygon s = move_polygon(polygon, primitives->corners, span);
  return test_polygon_plane_alone(&s, primitives->corners);
}

bool ipg_test_span_from_end(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, ipg_ccd_span span) {
  const moving_polygon s = move_polygon(polygon, primitives->corners, span);
  const polygon_plane own = make_polygon_plane(&s);
  const still_polygon end = polygon_at_end(&s, primitives->corners);
  return test_distances(&s, primitives->corners,
                        test_fixed_planes(&s, primitives->corners, &end, test_polygon_plane(&s, &own)));
}

/* The zero of the cubic of polygon_plane, if it changes its sign, by the Illinois rule. */
double ipg_guess_coplanar_time(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon,
                               ipg_ccd_span span) {
  const moving_polygon s = move_polygon(polygon, primitives->corners, span);
  const polygon_plane own = make_polygon_plane(&s);
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

static double compute_triangle_distance(double c[4][3]) {
  static const double origin[3] = {0};
  double w[3], to[3];
  ipg_closest_on_triangle(origin, c[0], c[1], c[2], w);
  for (int k = 0; k < 3; ++k) to[k] = w[0] * c[0][k] + w[1] * c[1][k] + w[2] * c[2][k];
  return sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
}

/* As the distance of two segments: the sides of the parallelogram at corner 0 are parallel to the two edges. */
static double compute_parallelogram_distance(double c[4][3]) {
  static const double origin[3] = {0};
  double end[3], w[2], to[3];
  for (int k = 0; k < 3; ++k) end[k] = c[0][k] - c[3][k];
  ipg_closest_on_segments(origin, end, c[0], c[1], w);
  for (int k = 0; k < 3; ++k) to[k] = c[0][k] + w[1] * (c[1][k] - c[0][k]) - w[0] * end[k];
  return sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
}

double ipg_excess_distance(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, double time) {
  double c[IPG_CCD_CORNERS][3] = {{0}};
  for (int i = 0; i < primitives->corners; ++i)
    for (int k = 0; k < 3; ++k) c[i][k] = (1 - time) * polygon->corner[0][i][k] + time * polygon->corner[1][i][k];
  return (primitives->corners == 3 ? compute_triangle_distance(c) : compute_parallelogram_distance(c)) -
         polygon->separation;
}
