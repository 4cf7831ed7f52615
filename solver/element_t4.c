/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* See element_t4.h. Matrices are row-major; F[i][j] = d x_i / d X_j. */
#include "element_t4.h"

#include <math.h>

static double det3(double a[3][3]) {
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) + a[0][1] * (a[1][2] * a[2][0] - a[1][0] * a[2][2]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/* c = det(a) a^-T */
static void compute_cofactors(double a[3][3], double c[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c[i][j] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
    }
}

t4_shape t4_compute_shape(double corners[4][3]) {
  double edges[3][3], c[3][3]; /* edges[a][i]: corner a + 1 less corner 0 */
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < 3; ++i) edges[a][i] = corners[a + 1][i] - corners[0][i];
  const double det = det3(edges);
  compute_cofactors(edges, c);
  t4_shape shape = {.volume = det / 6};
  for (int i = 0; i < 3; ++i) {
    for (int a = 0; a < 3; ++a) shape.gradient[a + 1][i] = c[a][i] / det;
    shape.gradient[0][i] = -(shape.gradient[1][i] + shape.gradient[2][i] + shape.gradient[3][i]);
  }
  return shape;
}

static void compute_deformation_gradient(const t4_shape *shape, double x[4][3], double F[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      F[i][j] = 0;
      for (int a = 1; a < 4; ++a) F[i][j] += (x[a][i] - x[0][i]) * shape->gradient[a][j];
    }
}

bool t4_compute_forces(const t4_shape *shape, const t4_law *law, double x[4][3], double forces[4][3]) {
  double F[3][3], cofactor[3][3], P[3][3];
  compute_deformation_gradient(shape, x, F);
  const double J = det3(F);
  compute_cofactors(F, cofactor);
  const double pressure = law->lambda * (J - 1) - law->mu / J; /* times the cofactors, J F^-T */
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) P[i][j] = law->mu * F[i][j] + pressure * cofactor[i][j];
  for (int i = 0; i < 3; ++i) {
    for (int a = 1; a < 4; ++a) {
      const double *g = shape->gradient[a];
      forces[a][i] = -shape->volume * (P[i][0] * g[0] + P[i][1] * g[1] + P[i][2] * g[2]);
    }
    forces[0][i] = -(forces[1][i] + forces[2][i] + forces[3][i]);
  }
  return J > 0;
}

double t4_compute_energy(const t4_shape *shape, const t4_law *law, double x[4][3]) {
  double F[3][3], norm2 = 0;
  compute_deformation_gradient(shape, x, F);
  const double J = det3(F);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) norm2 += F[i][j] * F[i][j];
  return shape->volume * (law->mu * (0.5 * (norm2 - 3) - log(J)) + 0.5 * law->lambda * (J - 1) * (J - 1));
}

/* Largest eigenvalue of a symmetric positive semi-definite matrix: Newton's method on the characteristic polynomial,
 * started at the trace, which is an upper bound. The iterates decrease towards the eigenvalue, so stopping early gives
 * an upper bound too. */
static double bound_largest_eigenvalue(double a[3][3]) {
  const double trace = a[0][0] + a[1][1] + a[2][2];
  const double minors = a[0][0] * a[1][1] - a[0][1] * a[1][0] + a[0][0] * a[2][2] - a[0][2] * a[2][0] +
                        a[1][1] * a[2][2] - a[1][2] * a[2][1];
  const double det = det3(a);
  double root = trace;
  for (int i = 0; i < 12; ++i) {
    const double value = ((root - trace) * root + minors) * root - det;
    const double slope = (3 * root - 2 * trace) * root + minors;
    if (!(value > 0 && slope > 0)) break;
    root -= value / slope;
  }
  return root;
}

/* Sum over corners of spatial gradient x spatial gradient: F^-T (sum of G x G) F^-1. */
static void sum_gradient_products(const t4_shape *shape, double cofactor[3][3], double J, double sum[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum[i][j] = 0;
  for (int a = 0; a < 4; ++a) {
    double g[3];
    for (int i = 0; i < 3; ++i) {
      const double *G = shape->gradient[a];
      g[i] = (cofactor[i][0] * G[0] + cofactor[i][1] * G[1] + cofactor[i][2] * G[2]) / J;
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum[i][j] += g[i] * g[j];
  }
}

/* Upper bound of the Cauchy stress: its largest row sum. */
static double bound_stress(const t4_law *law, double F[3][3], double J) {
  double bound = 0;
  for (int i = 0; i < 3; ++i) {
    double row = 0;
    for (int j = 0; j < 3; ++j) {
      const double b = F[i][0] * F[j][0] + F[i][1] * F[j][1] + F[i][2] * F[j][2];
      row += fabs(law->mu / J * (b - (i == j)) + (i == j ? law->lambda * (J - 1) : 0));
    }
    bound = fmax(bound, row);
  }
  return bound;
}

double t4_compute_critical_time_step(const t4_shape *shape, const t4_law *law, double x[4][3]) {
  double F[3][3], cofactor[3][3], sum[3][3];
  compute_deformation_gradient(shape, x, F);
  const double J = det3(F);
  compute_cofactors(F, cofactor);
  sum_gradient_products(shape, cofactor, J, sum);
  const double lambda = law->lambda * (2 * J - 1), mu = law->mu / J - law->lambda * (J - 1);
  const double stiffness = fmax(fabs(3 * lambda + 2 * mu), fabs(2 * mu)) + bound_stress(law, F, J);
  return sqrt(law->density / (J * stiffness * bound_largest_eigenvalue(sum)));
}
