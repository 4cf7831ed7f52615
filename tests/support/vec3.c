/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/vec3.h"

#include <math.h>

double vec3_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double vec3_length(const double a[3]) { return sqrt(vec3_dot(a, a)); }

double vec3_distance(const double a[3], const double b[3]) {
  return vec3_length((double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

void vec3_sub(const double a[3], const double b[3], double r[3]) {
  for (int k = 0; k < 3; ++k) r[k] = a[k] - b[k];
}

void vec3_add_scaled(const double a[3], double s, const double b[3], double r[3]) {
  for (int k = 0; k < 3; ++k) r[k] = a[k] + s * b[k];
}

void vec3_cross(const double a[3], const double b[3], double r[3]) {
  for (int k = 0; k < 3; ++k) r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

void vec3_normal(const double a[3], const double b[3], const double c[3], double normal[3]) {
  double u[3], v[3];
  vec3_sub(b, a, u), vec3_sub(c, a, v), vec3_cross(u, v, normal);
}
