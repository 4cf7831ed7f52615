/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The axis of a rotation is divided by its largest component before its length is computed, so that no axis is too
 * short or too long; sine and cosine of multiples of 90 degrees are exact. */
#include "transform.h"

#include <math.h>

transform transform_identity(void) { return (transform){.unit = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }

void transform_translate(transform *t, const double by[3]) {
  for (int k = 0; k < 3; k++) t->origin[k] += by[k];
}

void transform_scale(transform *t, double factor) {
  for (int k = 0; k < 3; k++) {
    t->origin[k] *= factor;
    for (int j = 0; j < 3; j++) t->unit[j][k] *= factor;
  }
}

static void find_sine_and_cosine(double degrees, double *sine, double *cosine) {
  static const double right[4] = {0, 1, 0, -1};
  double quarters = fmod(degrees, 360) / 90;
  double radians = quarters * 1.5707963267948966;
  *sine = sin(radians), *cosine = cos(radians);
  if (quarters != floor(quarters)) return;
  int quadrant = ((int)quarters + 4) % 4;
  *sine = right[quadrant], *cosine = right[(quadrant + 1) % 4];
}

static void normalise(const double axis[3], double n[3]) {
  double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
  for (int k = 0; k < 3; k++) n[k] = axis[k] / largest;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3; k++) n[k] /= length;
}

/* Rodrigues' rotation formula as a matrix, for an axis of length 1. */
static void make_rotation(const double n[3], double degrees, double rotation[3][3]) {
  double sine, cosine;
  find_sine_and_cosine(degrees, &sine, &cosine);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    rotation[i][i] = cosine + (1 - cosine) * n[i] * n[i];
    rotation[i][j] = (1 - cosine) * n[i] * n[j] - sine * n[k];
    rotation[i][k] = (1 - cosine) * n[i] * n[k] + sine * n[j];
  }
}

static void rotate_vector(double rotation[3][3], double v[3]) {
  double x = v[0], y = v[1], z = v[2];
  for (int k = 0; k < 3; k++) v[k] = rotation[k][0] * x + rotation[k][1] * y + rotation[k][2] * z;
}

void transform_rotate(transform *t, const double axis[3], double degrees) {
  double n[3], rotation[3][3];
  normalise(axis, n);
  make_rotation(n, degrees, rotation);
  for (int j = 0; j < 3; j++) rotate_vector(rotation, t->unit[j]);
  rotate_vector(rotation, t->origin);
}

void transform_points(const transform *t, double *x, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    double *p = x + 3 * i, a = p[0], b = p[1], c = p[2];
    for (int k = 0; k < 3; k++) p[k] = t->unit[0][k] * a + t->unit[1][k] * b + t->unit[2][k] * c + t->origin[k];
  }
}
