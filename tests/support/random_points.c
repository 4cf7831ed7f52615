/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/random_points.h"

#include <math.h>

void random_point(rng *r, double size, double p[3]) {
  for (int k = 0; k < 3; ++k) p[k] = rng_between(r, -size, size);
}

void random_weights(rng *r, double w[3]) {
  const int zero = rng_int(r, 0, 15);
  double sum = 0;
  for (int i = 0; i < 3; ++i) w[i] = zero == i || zero == (i + 1) % 3 + 3 || zero == (i + 2) % 3 + 3 ? 0 : rng_unit(r);
  for (int i = 0; i < 3; ++i) sum += w[i];
  for (int i = 0; i < 3; ++i) w[i] = sum > 0 ? w[i] / sum : 1. / 3;
}

void weighted_point(double f[3][3], const double w[3], double p[3]) {
  for (int k = 0; k < 3; ++k) p[k] = w[0] * f[0][k] + w[1] * f[1][k] + w[2] * f[2][k];
}

double random_power_of_ten(rng *r, double lo, double hi) { return pow(10, rng_between(r, lo, hi)); }
