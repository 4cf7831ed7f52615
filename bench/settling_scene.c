/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* In a step every sphere falls, walls and floor stop its centre, and then each overlapping pair, in canonical order, is
 * separated, by half the overlap each, and its approach velocity is exchanged. New overlaps with other spheres remain
 * until the next step. This is not a physical model, but the packing becomes denser and stays coherent in time, as in
 * the paper. Without the exchange of velocities the spheres would sink into each other. */
#include "settling_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With this value all spheres have landed after 50 to 60 steps, where the packing is densest. */
static const double fall_per_step = 6.5e-4;

static void update_boxes(settling_scene *s) {
  for (int64_t i = 0; i < s->count; ++i)
    for (int k = 0; k < 3; ++k) {
      s->boxes[i].lo[k] = s->positions[3 * i + k] - s->radius;
      s->boxes[i].hi[k] = s->positions[3 * i + k] + s->radius;
    }
}

static void clamp_coordinate(double *position, double *velocity, double low, double high) {
  if (*position >= low && *position <= high) return;
  *position = *position < low ? low : high;
  *velocity = 0;
}

static void clamp_positions(settling_scene *s) {
  for (int64_t i = 0; i < 3 * s->count; ++i)
    clamp_coordinate(&s->positions[i], &s->velocities[i], 0, i % 3 == 2 ? INFINITY : 1);
}

static void move_spheres(settling_scene *s) {
  for (int64_t i = 0; i < s->count; ++i) s->velocities[3 * i + 2] -= s->gravity;
  for (int64_t i = 0; i < 3 * s->count; ++i) s->positions[i] += s->velocities[i];
}

static void separate_pair(settling_scene *s, ipg_pair pair) {
  double *a = s->positions + 3 * (int64_t)pair.a, *b = s->positions + 3 * (int64_t)pair.b;
  double *u = s->velocities + 3 * (int64_t)pair.a, *v = s->velocities + 3 * (int64_t)pair.b;
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  if (distance >= 2 * s->radius || distance == 0) return;
  const double approach = ((u[0] - v[0]) * d[0] + (u[1] - v[1]) * d[1] + (u[2] - v[2]) * d[2]) / distance;
  const double push = (s->radius - distance / 2) / distance, bounce = approach > 0 ? approach / distance : 0;
  for (int k = 0; k < 3; ++k) {
    a[k] -= push * d[k], b[k] += push * d[k];
    u[k] -= bounce * d[k], v[k] += bounce * d[k];
  }
}

ipg_status settling_scene_step(settling_scene *s, ipg_error *error) {
  const ipg_pair *pairs;
  int64_t pair_count;
  move_spheres(s);
  clamp_positions(s);
  update_boxes(s);
  ipg_status status = ipg_search_set_boxes(s->search, s->boxes, s->count, NULL, error);
  if (!status) status = ipg_search_self_array(s->search, &pairs, &pair_count, error);
  if (status) return status;
  for (int64_t i = 0; i < pair_count; ++i) separate_pair(s, pairs[i]);
  clamp_positions(s);
  update_boxes(s);
  return IPG_OK;
}

ipg_status settling_scene_create(settling_scene *s, const double *centres, int64_t count, double radius,
                                 const ipg_tasks *tasks, ipg_error *error) {
  *s = (settling_scene){.count = count, .radius = radius, .gravity = fall_per_step};
  ipg_search_config config = ipg_search_defaults();
  config.tasks = *tasks;
  s->positions = malloc(3 * (size_t)count * sizeof *s->positions);
  s->velocities = calloc(3 * (size_t)count, sizeof *s->velocities);
  s->boxes = malloc((size_t)count * sizeof *s->boxes);
  ipg_status status = s->positions && s->velocities && s->boxes
                          ? ipg_search_create(&config, &s->search, error)
                          : ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld spheres", (long long)count);
  if (status) {
    settling_scene_destroy(s);
    return status;
  }
  memcpy(s->positions, centres, 3 * (size_t)count * sizeof *centres);
  update_boxes(s);
  return IPG_OK;
}

void settling_scene_destroy(settling_scene *s) {
  ipg_search_destroy(&s->search);
  free(s->positions);
  free(s->velocities);
  free(s->boxes);
  *s = (settling_scene){0};
}
