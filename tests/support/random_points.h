/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Random points, and points of triangles. */
#ifndef IMPINGE_TESTS_RANDOM_POINTS_H
#define IMPINGE_TESTS_RANDOM_POINTS_H

#include "support/random.h"

/* Each coordinate in [-size, size). */
void random_point(rng *r, double size, double p[3]);
/* Barycentric coordinates of a point inside a triangle, now and then on an edge or at a corner. */
void random_weights(rng *r, double w[3]);
/* The point of triangle f with these barycentric coordinates. */
void weighted_point(double f[3][3], const double w[3], double p[3]);
/* 10^x, x in [lo, hi). */
double random_power_of_ten(rng *r, double lo, double hi);

#endif
