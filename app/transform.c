/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Affine maps. The axis of a turn is divided by its largest part before its length is taken, so that no axis is too
 * short or too long; sine and cosine of right angles are exact. */
#include "transform.h"

#include <math.h>

transform transform_none(void) { return (transform){.unit = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }

void transform_shift(transform *t, const double by[3]) {
  for (int k = 0; k < 3; k++) t->origin[k] += by[k];
}

void transform_stretch(transform *t, double factor) {
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
  int turns = ((int)quarters + 4) % 4;
  *sine = right[turns], *cosine = right[(turns + 1) % 4];
}

static void normalise(const double axis[3], double n[3]) {
  double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
  for (int k = 0; k < 3; k++) n[k] = axis[k] / largest;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3; k++) n[k] /= length;
}

/* The formula of Rodrigues as a matrix, for an axis of length 1. */
static void make_turn(const double n[3], double degrees, double turn[3][3]) {
  double sine, cosine;
  find_sine_and_cosine(degrees, &sine, &cosine);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    turn[i][i] = cosine + (1 - cosine) * n[i] * n[i];
    turn[i][j] = (1 - cosine) * n[i] * n[j] - sine * n[k];
    turn[i][k] = (1 - cosine) * n[i] * n[k] + sine * n[j];
  }
}

static void multiply(double turn[3][3], double v[3]) {
  double x = v[0], y = v[1], z = v[2];
  for (int k = 0; k < 3; k++) v[k] = turn[k][0] * x + turn[k][1] * y + turn[k][2] * z;
}

void transform_turn(transform *t, const double axis[3], double degrees) {
  double n[3], turn[3][3];
  normalise(axis, n);
  make_turn(n, degrees, turn);
  for (int j = 0; j < 3; j++) multiply(turn, t->unit[j]);
  multiply(turn, t->origin);
}

void transform_apply(const transform *t, double *x, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    double *p = x + 3 * i, a = p[0], b = p[1], c = p[2];
    for (int k = 0; k < 3; k++) p[k] = t->unit[0][k] * a + t->unit[1][k] * b + t->unit[2][k] * c + t->origin[k];
  }
}
