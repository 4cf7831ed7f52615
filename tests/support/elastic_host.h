/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Host code of linear elasticity at small strain: tetrahedra of constant strain, loads, supports that hold single
 * directions, and, to come to rest (dynamic relaxation), mass-proportional damping that is critical for the lowest
 * frequency. Its energy is quadratic in the displacements, so without damping it is kept, even where bodies turn.
 *
 * A quadratic tetrahedron is eight linear ones over its ten nodes, so that its surface is the one that contact uses:
 * four flat triangles a side. The time step is stable by Gershgorin's circles. */
#ifndef IMPINGE_TESTS_ELASTIC_HOST_H
#define IMPINGE_TESTS_ELASTIC_HOST_H

#include "support/scene.h"

#include <math.h>

typedef struct elastic_cell {
  ipg_id nodes[4];
  double gradient[4][3], volume;
  double lambda, mu;
} elastic_cell;

typedef struct elastic_material {
  double young, poisson, density;
} elastic_material;

typedef struct elastic_host {
  int64_t count;
  elastic_cell *cells;
  double damping, dt;
  double *x0, *trial, *velocity, *force, *load; /* 3 per mesh node */
  uint8_t *held;                                /* 3 per mesh node */
} elastic_host;

/* Takes the scene's bodies, and gives its surface the masses that follow from density 1. `lowest`: the lowest
 * frequency. */
void elastic_host_make(elastic_host *h, scene *s, double young, double poisson, double lowest);
/* The same with a material for each block, and without damping. */
void elastic_host_make_blocks(elastic_host *h, scene *s, const elastic_material *materials);
void elastic_host_free(elastic_host *h);

/* One step of contact and motion; returns the largest unbalanced force on a node. */
double elastic_host_step(elastic_host *h, scene *s, ipg_contact *contact, int64_t step);
/* Sets the forces at the displacements trial - x0: loads less those of the stresses, without contact. */
void elastic_host_set_forces(elastic_host *h, int64_t node_count);
/* The energy of the strains there. */
double elastic_host_energy(const elastic_host *h);
/* The stress there. */
void elastic_host_stress(const elastic_host *h, const elastic_cell *cell, double stress[3][3]);

#endif
