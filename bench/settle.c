/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A step: every sphere falls, walls and floor hold its centre, then each overlapping pair is parted in turn, in
 * canonical order, by halves, and bounces. A pair may be pushed into others, which wait for the next step: not physics,
 * but a crowd that thickens and hangs together in time, as in the paper. Without the bounce it would sink into itself.
 */
#include "settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* After 50 to 60 steps all have landed, and the crowd is at its thickest. */
static const double fall_per_step = 6.5e-4;

static void box_spheres(settling *s) {
  for (int64_t i = 0; i < s->count; ++i)
    for (int k = 0; k < 3; ++k) {
      s->boxes[i].lo[k] = s->positions[3 * i + k] - s->radius;
      s->boxes[i].hi[k] = s->positions[3 * i + k] + s->radius;
    }
}

static void hold(double *position, double *velocity, double low, double high) {
  if (*position >= low && *position <= high) return;
  *position = *position < low ? low : high;
  *velocity = 0;
}

static void hold_all(settling *s) {
  for (int64_t i = 0; i < 3 * s->count; ++i) hold(&s->positions[i], &s->velocities[i], 0, i % 3 == 2 ? INFINITY : 1);
}

static void fall(settling *s) {
  for (int64_t i = 0; i < s->count; ++i) s->velocities[3 * i + 2] -= s->gravity;
  for (int64_t i = 0; i < 3 * s->count; ++i) s->positions[i] += s->velocities[i];
}

static void part(settling *s, ipg_pair pair) {
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

ipg_status settling_step(settling *s, ipg_error *error) {
  const ipg_pair *pairs;
  int64_t pair_count;
  fall(s);
  hold_all(s);
  box_spheres(s);
  ipg_status status = ipg_search_set_boxes(s->search, s->boxes, s->count, NULL, error);
  if (!status) status = ipg_search_self_array(s->search, &pairs, &pair_count, error);
  if (status) return status;
  for (int64_t i = 0; i < pair_count; ++i) part(s, pairs[i]);
  hold_all(s);
  box_spheres(s);
  return IPG_OK;
}

ipg_status settling_create(settling *s, const double *centres, int64_t count, double radius, const ipg_tasks *tasks,
                           ipg_error *error) {
  *s = (settling){.count = count, .radius = radius, .gravity = fall_per_step};
  ipg_search_config config = ipg_search_defaults();
  config.tasks = *tasks;
  s->positions = malloc(3 * (size_t)count * sizeof *s->positions);
  s->velocities = calloc(3 * (size_t)count, sizeof *s->velocities);
  s->boxes = malloc((size_t)count * sizeof *s->boxes);
  ipg_status status = s->positions && s->velocities && s->boxes
                          ? ipg_search_create(&config, &s->search, error)
                          : ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld spheres", (long long)count);
  if (status) {
    settling_destroy(s);
    return status;
  }
  memcpy(s->positions, centres, 3 * (size_t)count * sizeof *centres);
  box_spheres(s);
  return IPG_OK;
}

void settling_destroy(settling *s) {
  ipg_search_destroy(&s->search);
  free(s->positions);
  free(s->velocities);
  free(s->boxes);
  *s = (settling){0};
}
