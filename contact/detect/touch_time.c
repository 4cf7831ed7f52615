/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Continuous detection (time of impact) of nodes against faces, in batches of pairs with the same touch distance. */
#include "detect/touch_time.h"

#include "model/block_rules.h"
#include "narrow/ccd.h"

#include <string.h>

enum { GRAIN = 1024 };

static ipg_touch_queries query_of_pair(const ipg_step *step, ipg_pair pair, const ipg_id *points) {
  const ipg_model *m = step->model;
  return (ipg_touch_queries){.start = step->x0,
                             .end = step->x1,
                             .points = points,
                             .count = 1,
                             .separation = larger(ipg_touch_distance(m, pair.a, pair.b), m->touch_tolerance)};
}

static void list_points(const ipg_surface *s, ipg_pair pair, ipg_id points[4]) {
  points[0] = pair.a;
  memcpy(points + 1, s->faces + 3 * (int64_t)pair.b, 3 * sizeof *points);
}

double ipg_touch_time(const ipg_step *step, ipg_id node, ipg_id face) {
  const ipg_pair pair = {node, face};
  ipg_id points[4];
  list_points(&step->model->surface, pair, points);
  const ipg_touch_queries one = query_of_pair(step, pair, points);
  return ipg_find_first_touch(&ipg_ccd_node_face, &one, 0);
}

typedef struct touch_task {
  const ipg_step *step;
  const ipg_pair *pairs;
  ipg_id *points;
  double *times;
} touch_task;

static void find_touch_times(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const touch_task *t = arg;
  for (int64_t i = begin; i < end; ++i) list_points(&t->step->model->surface, t->pairs[i], t->points + 4 * i);
  for (int64_t first = begin, next; first < end; first = next) {
    ipg_touch_queries batch = query_of_pair(t->step, t->pairs[first], t->points + 4 * first);
    for (next = first + 1; next < end; ++next)
      if (query_of_pair(t->step, t->pairs[next], NULL).separation != batch.separation) break;
    batch.count = next - first;
    ipg_find_first_touches(&ipg_ccd_node_face, t->step->model->simd, &batch, t->times + first);
  }
}

void ipg_find_touch_times(const ipg_step *step, const ipg_pair *pairs, int64_t count, ipg_id *points, double *times) {
  touch_task t = {step, pairs, points, times};
  ipg_tasks_for(&step->model->config.tasks, find_touch_times, &t, 0, count, GRAIN);
}
