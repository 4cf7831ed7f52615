/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A host whose bodies turn and deform: every edge of every tetrahedron is a spring between two masses, and a central
 * difference moves them. No motion of the springs is stiffer than `stiffness` / dt^2 (Gershgorin's circles), so that
 * contact has the rest of what the step can bear.
 *
 * Velocities are those of the middles of steps. With kinetic energy as half of mass times the velocity before a kick
 * times that after it, and the work of a force as the mean of its two ends times the motion between, energy closes to
 * rounding, whatever the step: summation by parts. */
#ifndef IMPINGE_TESTS_SPRING_HOST_H
#define IMPINGE_TESTS_SPRING_HOST_H

#include "support/scene.h"

#include <math.h>

typedef struct spring {
  ipg_id ends[2];
  double rest, stiffness;
} spring;

typedef struct spring_host {
  int64_t count;
  spring *springs;
  double *velocity, *trial;   /* 3 per mesh node */
  double *pull, *pull_before; /* of the springs on the nodes, at the end and at the start of the step */
  double kinetic, work;       /* of the springs, since the start */
} spring_host;

static inline double spring_vector(const spring *e, const double *x, double to[3]) {
  for (int k = 0; k < 3; ++k) to[k] = x[3 * e->ends[1] + k] - x[3 * e->ends[0] + k];
  return sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
}

static inline void spring_host_join(spring_host *h, const ipg_mesh *mesh) {
  static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  h->count = 6 * mesh->element_count;
  h->springs = calloc((size_t)h->count, sizeof *h->springs);
  for (int64_t i = 0; i < h->count; ++i) {
    double to[3];
    for (int k = 0; k < 2; ++k) h->springs[i].ends[k] = mesh->tets[4 * (i / 6) + edges[i % 6][k]];
    h->springs[i].rest = spring_vector(&h->springs[i], mesh->x, to);
  }
}

static inline void spring_host_stiffen(spring_host *h, const scene *s, double stiffness, double dt) {
  double *degree = calloc((size_t)s->mesh.node_count, sizeof *degree);
  for (int64_t i = 0; i < h->count; ++i)
    for (int k = 0; k < 2; ++k) degree[h->springs[i].ends[k]]++;
  for (int64_t i = 0; i < h->count; ++i) {
    const ipg_id a = h->springs[i].ends[0], b = h->springs[i].ends[1];
    h->springs[i].stiffness = stiffness / (2 * dt * dt) * fmin(s->masses[a] / degree[a], s->masses[b] / degree[b]);
  }
  free(degree);
}

/* `velocity` is taken over; 3 per mesh node. */
static inline void spring_host_make(spring_host *h, const scene *s, double *velocity, double stiffness, double dt) {
  const size_t values = 3 * (size_t)s->mesh.node_count;
  *h = (spring_host){.velocity = velocity,
                     .trial = calloc(values, sizeof(double)),
                     .pull = calloc(values, sizeof(double)),
                     .pull_before = calloc(values, sizeof(double))};
  spring_host_join(h, &s->mesh);
  spring_host_stiffen(h, s, stiffness, dt);
}

static inline void spring_host_free(spring_host *h) {
  free(h->springs), free(h->velocity), free(h->trial), free(h->pull), free(h->pull_before);
}

static inline void spring_host_predict(spring_host *h, scene *s, double dt) {
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) h->trial[i] = s->mesh.x[i] + dt * h->velocity[i];
  ipg_mesh_surface_gather(&s->surface, h->trial, s->trial);
}

static inline void spring_host_pull(spring_host *h, int64_t node_count) {
  memset(h->pull, 0, 3 * (size_t)node_count * sizeof *h->pull);
  for (int64_t i = 0; i < h->count; ++i) {
    double to[3];
    const spring *e = &h->springs[i];
    const double length = spring_vector(e, h->trial, to), pull = e->stiffness * (length - e->rest) / length;
    for (int k = 0; k < 3; ++k) {
      h->pull[3 * e->ends[0] + k] += pull * to[k];
      h->pull[3 * e->ends[1] + k] -= pull * to[k];
    }
  }
}

/* Takes the trial as the new state and kicks the nodes with springs and contact. */
static inline void spring_host_complete(spring_host *h, scene *s, double dt) {
  const int64_t values = 3 * s->mesh.node_count;
  double *force = malloc((size_t)values * sizeof *force), *swap = h->pull_before;
  h->pull_before = h->pull, h->pull = swap;
  spring_host_pull(h, s->mesh.node_count);
  memcpy(force, h->pull, (size_t)values * sizeof *force);
  ipg_mesh_surface_add(&s->surface, s->force, force);
  h->kinetic = 0;
  for (int64_t i = 0; i < values; ++i) {
    const double mass = s->masses[i / 3], before = h->velocity[i];
    h->velocity[i] += dt * force[i] / mass;
    h->kinetic += .5 * mass * before * h->velocity[i];
    h->work += .5 * (h->pull_before[i] + h->pull[i]) * (h->trial[i] - s->mesh.x[i]);
  }
  memcpy(s->mesh.x, h->trial, (size_t)values * sizeof *force);
  memcpy(s->x, s->trial, 3 * (size_t)s->surface.surface.node_count * sizeof *force);
  free(force);
}

#endif
