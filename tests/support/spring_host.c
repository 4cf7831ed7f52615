/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/spring_host.h"

/* From the first end to the second; returns the length. */
static double spring_vector(const spring *e, const double *x, double to[3]) {
  for (int k = 0; k < 3; ++k) to[k] = x[3 * e->ends[1] + k] - x[3 * e->ends[0] + k];
  return sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
}

/* One spring per element and edge: shared edges have several. */
static void make_springs(spring_host *h, const ipg_mesh *mesh) {
  static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  h->count = 6 * mesh->element_count;
  h->springs = calloc((size_t)h->count, sizeof *h->springs);
  for (int64_t i = 0; i < h->count; ++i) {
    double to[3];
    for (int k = 0; k < 2; ++k) h->springs[i].ends[k] = mesh->tets[4 * (i / 6) + edges[i % 6][k]];
    h->springs[i].rest_length = spring_vector(&h->springs[i], mesh->x, to);
  }
}

/* The stiffness of all springs at a node is at most half of stiffness / dt^2 times its mass. */
static void set_stiffnesses(spring_host *h, const scene *s, double stiffness, double dt) {
  double *degree = calloc((size_t)s->mesh.node_count, sizeof *degree);
  for (int64_t i = 0; i < h->count; ++i)
    for (int k = 0; k < 2; ++k) degree[h->springs[i].ends[k]]++;
  for (int64_t i = 0; i < h->count; ++i) {
    const ipg_id a = h->springs[i].ends[0], b = h->springs[i].ends[1];
    h->springs[i].stiffness = stiffness / (2 * dt * dt) * fmin(s->masses[a] / degree[a], s->masses[b] / degree[b]);
  }
  free(degree);
}

void spring_host_make(spring_host *h, const scene *s, double *velocity, double stiffness, double dt) {
  const size_t values = 3 * (size_t)s->mesh.node_count;
  *h = (spring_host){.velocity = velocity,
                     .trial = calloc(values, sizeof(double)),
                     .force = calloc(values, sizeof(double)),
                     .force_before = calloc(values, sizeof(double))};
  make_springs(h, &s->mesh);
  set_stiffnesses(h, s, stiffness, dt);
}

void spring_host_free(spring_host *h) {
  free(h->springs), free(h->velocity), free(h->trial), free(h->force), free(h->force_before);
}

void spring_host_predict(spring_host *h, scene *s, double dt) {
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) h->trial[i] = s->mesh.x[i] + dt * h->velocity[i];
  ipg_mesh_surface_gather(&s->surface, h->trial, s->trial);
}

void spring_host_set_forces(spring_host *h, int64_t node_count) {
  memset(h->force, 0, 3 * (size_t)node_count * sizeof *h->force);
  for (int64_t i = 0; i < h->count; ++i) {
    double to[3];
    const spring *e = &h->springs[i];
    const double length = spring_vector(e, h->trial, to);
    if (!(length > 0)) continue; /* where a projection puts both ends on one point, the spring has no direction */
    const double force = e->stiffness * (length - e->rest_length) / length;
    for (int k = 0; k < 3; ++k) {
      h->force[3 * e->ends[0] + k] += force * to[k];
      h->force[3 * e->ends[1] + k] -= force * to[k];
    }
  }
}

void spring_host_complete(spring_host *h, scene *s, double dt) {
  const int64_t values = 3 * s->mesh.node_count;
  double *force = malloc((size_t)values * sizeof *force), *swap = h->force_before;
  h->force_before = h->force, h->force = swap;
  spring_host_set_forces(h, s->mesh.node_count);
  memcpy(force, h->force, (size_t)values * sizeof *force);
  ipg_mesh_surface_add(&s->surface, s->force, force);
  h->kinetic = 0;
  for (int64_t i = 0; i < values; ++i) {
    const double mass = s->masses[i / 3], before = h->velocity[i];
    h->velocity[i] += dt * force[i] / mass;
    h->kinetic += .5 * mass * before * h->velocity[i];
    h->work += .5 * (h->force_before[i] + h->force[i]) * (h->trial[i] - s->mesh.x[i]);
  }
  memcpy(s->mesh.x, h->trial, (size_t)values * sizeof *force);
  memcpy(s->x, s->trial, 3 * (size_t)s->surface.surface.node_count * sizeof *force);
  free(force);
}
