/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/surface_oracle.h"

#include "support/vec3.h"

#include <math.h>

static long double l_dot(const long double a[3], const long double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Keeps the weights if their point is closer to the origin than the best so far. */
static void take_if_closer(long double corner[3][3], const long double weights[3], long double best[3],
                           long double *distance2) {
  long double point[3];
  for (int k = 0; k < 3; ++k)
    point[k] = weights[0] * corner[0][k] + weights[1] * corner[1][k] + weights[2] * corner[2][k];
  if (l_dot(point, point) >= *distance2) return;
  *distance2 = l_dot(point, point);
  for (int i = 0; i < 3; ++i) best[i] = weights[i];
}

/* The least of |corner[0] + u e0 + v e1|^2 over the plane, from its normal equations, if it is in the triangle. */
static void try_inside(long double corner[3][3], long double best[3], long double *distance2) {
  long double e[2][3];
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) e[i][k] = corner[i + 1][k] - corner[0][k];
  const long double a = l_dot(e[0], e[0]), b = l_dot(e[0], e[1]), c = l_dot(e[1], e[1]);
  const long double f = -l_dot(e[0], corner[0]), g = -l_dot(e[1], corner[0]), determinant = a * c - b * b;
  const long double u = (f * c - g * b) / determinant, v = (a * g - b * f) / determinant;
  if (determinant > 0 && u >= 0 && v >= 0 && u + v <= 1)
    take_if_closer(corner, (long double[]){1 - u - v, u, v}, best, distance2);
}

static void try_edge(long double corner[3][3], int i, long double best[3], long double *distance2) {
  const int j = (i + 1) % 3;
  long double edge[3], weights[3] = {0, 0, 0};
  for (int k = 0; k < 3; ++k) edge[k] = corner[j][k] - corner[i][k];
  const long double length2 = l_dot(edge, edge), along = length2 > 0 ? -l_dot(edge, corner[i]) / length2 : 0;
  weights[j] = fminl(1, fmaxl(0, along)), weights[i] = 1 - weights[j];
  take_if_closer(corner, weights, best, distance2);
}

closest_point closest_point_of(const ipg_surface *surface, const double *x, ipg_id node, ipg_id face) {
  const double *p = x + 3 * (int64_t)node, *corner[3];
  long double from_node[3][3], weights[3] = {1, 0, 0}, distance2 = INFINITY;
  closest_point c;
  for (int i = 0; i < 3; ++i) {
    corner[i] = x + 3 * (int64_t)surface->faces[3 * (int64_t)face + i];
    for (int k = 0; k < 3; ++k) from_node[i][k] = (long double)corner[i][k] - p[k];
  }
  for (int i = 0; i < 3; ++i) try_edge(from_node, i, weights, &distance2);
  try_inside(from_node, weights, &distance2);
  vec3_normal(corner[0], corner[1], corner[2], c.normal);
  const double area2 = vec3_length(c.normal);
  c.height = 0;
  for (int k = 0; k < 3; ++k) {
    if (area2 > 0) c.normal[k] *= 1 / area2;
    c.height -= (double)from_node[0][k] * c.normal[k];
  }
  for (int i = 0; i < 3; ++i) c.weights[i] = (double)weights[i];
  c.distance = (double)sqrtl(distance2);
  return c;
}

int32_t surface_body_count(const ipg_surface *surface) {
  int32_t count = 0;
  for (int64_t f = 0; f < surface->face_count; ++f)
    if (surface->face_bodies[f] >= count) count = surface->face_bodies[f] + 1;
  return count;
}

double surface_mean_edge(const ipg_surface *surface, const double *x) {
  double sum = 0;
  for (int64_t i = 0; i < 3 * surface->face_count; ++i) {
    const ipg_id a = surface->faces[i], b = surface->faces[i % 3 == 2 ? i - 2 : i + 1];
    sum += vec3_distance(x + 3 * (int64_t)a, x + 3 * (int64_t)b);
  }
  return sum / (double)(3 * surface->face_count);
}

bool is_own_face(const ipg_surface *surface, ipg_id node, ipg_id face) {
  const ipg_id *corner = surface->faces + 3 * (int64_t)face;
  return corner[0] == node || corner[1] == node || corner[2] == node || surface->face_opposites[face] == node;
}
