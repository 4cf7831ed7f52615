/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "two_bodies.h"

#include <math.h>
#include <string.h>

static const double density = 1, young = 100, poisson = 0.3, speed = 0.25, gap = 0.02;

static int node_at(int body, int i, int j, int k) { return (body * SIDE + k) * SIDE * SIDE + j * SIDE + i; }

static double det(const double a[3], const double b[3], const double c[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Gradients of the shape functions of corners 1 to 3 are the rows of the inverse of the edges. */
static void prepare_element(two_bodies *b, int e) {
  double edge[3][3];
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d) edge[c][d] = b->x[b->elements[e][c + 1]][d] - b->x[b->elements[e][0]][d];
  const double six_volumes = det(edge[0], edge[1], edge[2]);
  b->volume[e] = six_volumes / 6;
  memset(b->gradients[e], 0, sizeof b->gradients[e]);
  for (int c = 0; c < 3; ++c)
    for (int d = 0; d < 3; ++d) {
      const double *p = edge[(c + 1) % 3], *q = edge[(c + 2) % 3];
      const double g = (p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3]) / six_volumes;
      b->gradients[e][c + 1][d] = g, b->gradients[e][0][d] -= g;
    }
  for (int c = 0; c < 4; ++c) b->mass[b->elements[e][c]] += density * b->volume[e] / 4;
}

static void make_cell(two_bodies *b, int body, int i, int j, int k, int *element) {
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int o = 0; o < 6; ++o, ++*element) {
    int at[3] = {i, j, k};
    int *corners = b->elements[*element];
    corners[0] = node_at(body, i, j, k);
    for (int c = 0; c < 3; ++c) ++at[orders[o][c]], corners[c + 1] = node_at(body, at[0], at[1], at[2]);
    if (o < 3) continue;
    const int swap = corners[1];
    corners[1] = corners[2], corners[2] = swap;
  }
}

void two_bodies_make(two_bodies *b) {
  int element = 0;
  memset(b, 0, sizeof *b);
  for (int n = 0; n < NODES; ++n) {
    const int body = n / (SIDE * SIDE * SIDE), at = n % (SIDE * SIDE * SIDE);
    b->x[n][0] = (double)(at % SIDE) / CELLS + body * (1 + gap);
    b->x[n][1] = (double)(at / SIDE % SIDE) / CELLS + body * .11;
    b->x[n][2] = (double)(at / SIDE / SIDE) / CELLS + body * .07;
  }
  for (int body = 0; body < 2; ++body)
    for (int k = 0; k < CELLS; ++k)
      for (int j = 0; j < CELLS; ++j)
        for (int i = 0; i < CELLS; ++i) make_cell(b, body, i, j, k, &element);
  for (int e = 0; e < ELEMENTS; ++e) prepare_element(b, e);
}

double two_bodies_add_forces(const two_bodies *b, const double *u, double *f) {
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
  double energy = 0;
  for (int e = 0; e < ELEMENTS; ++e) {
    double grad[3][3] = {{0}}, stress[3][3], trace = 0;
    for (int c = 0; c < 4; ++c)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) grad[i][j] += u[3 * b->elements[e][c] + i] * b->gradients[e][c][j];
    for (int i = 0; i < 3; ++i) trace += grad[i][i];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        stress[i][j] = mu * (grad[i][j] + grad[j][i]) + (i == j ? lambda * trace : 0);
        energy += b->volume[e] / 2 * stress[i][j] * grad[i][j];
      }
    for (int c = 0; c < 4; ++c)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) f[3 * b->elements[e][c] + i] -= b->volume[e] * stress[i][j] * b->gradients[e][c][j];
  }
  return energy;
}

int two_bodies_is_end(const two_bodies *b, int node) { return b->x[node][0] > 2 + gap - 1e-9; }

void two_bodies_start(double *v) {
  for (int n = 0; n < NODES; ++n) {
    v[3 * n] = n < NODES / 2 ? speed : -speed;
    v[3 * n + 1] = v[3 * n + 2] = 0;
  }
}

void two_bodies_watch(const two_bodies *b, double time, const double *u, const double *v, two_bodies_history *h) {
  double momentum[2] = {0, 0}, front[2] = {-1e30, 1e30};
  h->kinetic = 0;
  for (int n = 0; n < NODES; ++n) {
    const int body = n < NODES / 2 ? 0 : 1;
    const double x = b->x[n][0] + u[3 * n];
    momentum[body] += b->mass[n] * v[3 * n];
    front[body] = body ? fmin(front[1], x) : fmax(front[0], x);
    for (int k = 0; k < 3; ++k) h->kinetic += b->mass[n] / 2 * v[3 * n + k] * v[3 * n + k];
  }
  if (h->energy_at_start == 0) h->energy_at_start = h->kinetic, h->closest = 1e30;
  else if (time > h->time) h->peak_force = fmax(h->peak_force, (h->momentum[0] - momentum[0]) / (time - h->time));
  h->closest = fmin(h->closest, front[1] - front[0]);
  h->momentum[0] = momentum[0], h->momentum[1] = momentum[1], h->time = time;
}

PetscErrorCode two_bodies_print(const two_bodies *b, const double *u, const double *v, const two_bodies_history *h) {
  double forces[3 * NODES] = {0};
  const double energy = h->kinetic + two_bodies_add_forces(b, u, forces);
  (void)v;
  PetscFunctionBegin;
  PetscCall(PetscPrintf(
      PETSC_COMM_WORLD, "velocities %.6f %.6f momentum %.3e energy %.6f peak force %.5f closest %.5f\n", h->momentum[0],
      h->momentum[1], h->momentum[0] + h->momentum[1], energy / h->energy_at_start, h->peak_force, h->closest));
  PetscFunctionReturn(0);
}
