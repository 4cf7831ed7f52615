/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The linear tetrahedron at finite strain: gradient of the motion, neo-Hookean stress, forces, energy, stable step.
 * Pure functions of one element. Energy density, with J = det F:
 *     W = mu/2 (F:F - 3) - mu ln J + lambda/2 (J - 1)^2,      P = mu (F - F^-T) + lambda (J - 1) J F^-T
 * For small strains this is Hooke's law. Only the energy, which nothing depends on, needs a logarithm. */
#ifndef IMPINGE_SOLVER_ELEMENT_T4_H
#define IMPINGE_SOLVER_ELEMENT_T4_H

#include "impinge/solver.h"

/* Lame's constants and density in the mesh's configuration. */
typedef struct t4_law {
  double lambda, mu, density;
} t4_law;

/* What the undeformed element leaves behind: gradients of the four shape functions, and the volume. */
typedef struct t4_shape {
  double gradient[4][3];
  double volume;
} t4_shape;

t4_shape t4_shape_of(double corners[4][3]);
/* Forces of the element on its corners at places x, as they stand on the right-hand side; false if it is inside out. */
bool t4_forces(const t4_shape *shape, const t4_law *law, double x[4][3], double forces[4][3]);
double t4_energy(const t4_shape *shape, const t4_law *law, double x[4][3]);
/* A step that is below 2 / (highest frequency of the free element with a quarter of its mass at each corner):
 * omega^2 <= 4 J (c + s) g / density, where c bounds the spatial stiffness, s the stress, and g is the largest
 * eigenvalue of the sum of (spatial gradient x spatial gradient). */
double t4_stable_step(const t4_shape *shape, const t4_law *law, double x[4][3]);

#endif
