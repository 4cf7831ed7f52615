/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The four-node tetrahedral element at finite strain: deformation gradient, neo-Hookean stress, element (internal)
 * forces, strain energy, critical time step. Strain is constant in it, so there is no hourglass control. Pure functions
 * of one element. Energy density, with J = det F: W = mu/2 (F:F - 3) - mu ln J + lambda/2 (J - 1)^2,      P = mu (F -
 * F^-T) + lambda (J - 1) J F^-T For small strains this is Hooke's law. Only the energy needs a logarithm, and no state
 * depends on the energy. */
#ifndef IMPINGE_SOLVER_ELEMENT_T4_H
#define IMPINGE_SOLVER_ELEMENT_T4_H

#include "impinge/solver.h"

/* Lame's constants, and the density of the undeformed element. */
typedef struct t4_law {
  double lambda, mu, density;
} t4_law;

/* Of the undeformed element: the gradients of the four shape functions, and the volume. */
typedef struct t4_shape {
  double gradient[4][3];
  double volume;
} t4_shape;

t4_shape t4_compute_shape(double corners[4][3]);
/* Forces of the element on its corners at positions x, with the sign of the right-hand side; false if its volume is not
 * above 0. */
bool t4_compute_forces(const t4_shape *shape, const t4_law *law, double x[4][3], double forces[4][3]);
double t4_compute_energy(const t4_shape *shape, const t4_law *law, double x[4][3]);
/* A lower bound of 2 / (highest frequency of the free element with a quarter of its mass at each corner):
 * omega^2 <= 4 J (c + s) g / density, where c bounds the spatial stiffness, s the stress, and g is the largest
 * eigenvalue of the sum of (spatial gradient x spatial gradient). */
double t4_compute_critical_time_step(const t4_shape *shape, const t4_law *law, double x[4][3]);

#endif
