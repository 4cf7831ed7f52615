/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/distance.h"

static long double l_dot(const long double *a, const long double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void l_cross(const long double *a, const long double *b, long double *r) {
  for (int k = 0; k < 3; ++k) r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The distance of the origin from segment ab. */
static long double l_to_segment(const long double *a, const long double *b) {
  long double e[3], c[3];
  for (int k = 0; k < 3; ++k) e[k] = b[k] - a[k], c[k] = -a[k];
  const long double length2 = l_dot(e, e), along = length2 > 0 ? l_dot(c, e) / length2 : 0;
  const long double at = along > 1 ? 1 : along > 0 ? along : 0;
  for (int k = 0; k < 3; ++k) c[k] -= at * e[k];
  return sqrtl(l_dot(c, c));
}

/* The point of triangle abc that is closest to the origin, but for rounding, which is a fraction of a sliver's length.
 */
static void l_closest_point(const long double *a, const long double *b, const long double *c, long double *point) {
  const long double *corner[5] = {a, b, c, a, b};
  long double e[2][3], n[3], w[3][3], weight[3], sum = 0;
  for (int k = 0; k < 3; ++k) e[0][k] = b[k] - a[k], e[1][k] = c[k] - a[k];
  l_cross(e[0], e[1], n);
  for (int i = 0; i < 3; ++i) {
    l_cross(corner[i + 1], corner[i + 2], w[i]);
    weight[i] = fmaxl(0, l_dot(n, w[i]));
    sum += weight[i];
  }
  for (int k = 0; k < 3; ++k)
    point[k] = sum > 0 ? (weight[0] * a[k] + weight[1] * b[k] + weight[2] * c[k]) / sum : a[k];
}

/* The distance of the origin from the triangle: the least of those from its edges and from the segments between the
 * closest point and the corners, which corrects the rounding of the closest point. */
static long double l_to_triangle(const long double *a, const long double *b, const long double *c) {
  long double point[3];
  l_closest_point(a, b, c, point);
  const long double sides = fminl(l_to_segment(a, b), fminl(l_to_segment(b, c), l_to_segment(c, a)));
  const long double inner = fminl(l_to_segment(point, a), fminl(l_to_segment(point, b), l_to_segment(point, c)));
  return fminl(sides, inner);
}

long double l_distance(int kind, const double start[12], const double end[12], long double t) {
  static const int ends[2][4][2] = {{{0, 1}, {0, 2}, {0, 3}, {0, 3}}, {{0, 2}, {0, 3}, {1, 3}, {1, 2}}};
  long double c[4][3];
  for (int i = 0; i < 12; ++i) {
    const int from = 3 * ends[kind][i / 3][0] + i % 3, to = 3 * ends[kind][i / 3][1] + i % 3;
    c[i / 3][i % 3] = (1 - t) * ((long double)start[to] - start[from]) + t * ((long double)end[to] - end[from]);
  }
  const long double half = l_to_triangle(c[0], c[1], c[2]);
  return kind ? fminl(half, l_to_triangle(c[0], c[2], c[3])) : half;
}

long double l_closest_time(int kind, const double start[12], const double end[12], long double lo, long double hi) {
  for (int i = 0; i < 100; ++i) {
    const long double a = lo + 0.381966L * (hi - lo), b = hi - 0.381966L * (hi - lo);
    if (l_distance(kind, start, end, a) < l_distance(kind, start, end, b)) hi = b;
    else lo = a;
  }
  return hi;
}
