/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Host code of linear elasticity at small strain that comes to rest (dynamic relaxation): tetrahedra of constant
 * strain, loads, supports that hold single directions, and mass-proportional damping that is critical for the lowest
 * frequency.
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
} elastic_cell;

typedef struct elastic_host {
  int64_t count;
  elastic_cell *cells;
  double lambda, mu, damping, dt;
  double *x0, *trial, *velocity, *force, *load; /* 3 per mesh node */
  uint8_t *held;                                /* 3 per mesh node */
} elastic_host;

/* Takes the scene's bodies, and gives its surface the masses that follow from density 1. `lowest`: the lowest
 * frequency. */
void elastic_host_make(elastic_host *h, scene *s, double young, double poisson, double lowest);
void elastic_host_free(elastic_host *h);

/* One step of contact and motion; returns the largest unbalanced force on a node. */
double elastic_host_step(elastic_host *h, scene *s, ipg_contact *contact, int64_t step);
/* The stress at the displacements trial - x0. */
void elastic_host_stress(const elastic_host *h, const elastic_cell *cell, double stress[3][3]);

#endif
