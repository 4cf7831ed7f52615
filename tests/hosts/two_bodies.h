/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two elastic boxes that fly towards each other, as a program computes them that knows PETSc and nothing of contact:
 * small strains, four-node tetrahedra, lumped masses. Nodes are counted along x, then y, then z, box after box. */
#ifndef IMPINGE_TESTS_TWO_BODIES_H
#define IMPINGE_TESTS_TWO_BODIES_H

#include <petscsys.h>

enum { CELLS = 4, SIDE = CELLS + 1, NODES = 2 * SIDE * SIDE * SIDE, ELEMENTS = 2 * 6 * CELLS * CELLS * CELLS };

typedef struct two_bodies {
  double x[NODES][3], mass[NODES];
  int elements[ELEMENTS][4];
  double gradients[ELEMENTS][4][3], volume[ELEMENTS]; /* of the shape functions */
} two_bodies;

void two_bodies_make(two_bodies *bodies);
/* Adds the elastic forces of displacements to f; the strain energy. u, f: 3 per node. */
double two_bodies_add_forces(const two_bodies *bodies, const double *u, double *f);
/* The far end of the second box, which some programs hold. */
int two_bodies_is_end(const two_bodies *bodies, int node);
/* At the start: v, 3 per node. */
void two_bodies_start(double *v);
/* What the program prints at its end, from what it saw after each step. */
typedef struct two_bodies_history {
  double time, momentum[2], kinetic, energy_at_start, peak_force, closest, force_seen;
} two_bodies_history;
void two_bodies_watch(const two_bodies *bodies, double time, const double *u, const double *v,
                      two_bodies_history *history);
PetscErrorCode two_bodies_print(const two_bodies *bodies, const double *u, const double *v,
                                const two_bodies_history *history);

#endif
