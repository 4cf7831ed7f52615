/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Continuous detection (time of impact) of nodes against faces, in batches. */
#include "detect/touch_time.h"

#include "narrow/ccd.h"
#include "surface/face_geometry.h"

#include <string.h>

enum { GRAIN = 1024 };

typedef struct touch_task {
  const ipg_step *step;
  const ipg_pair *pairs;
  ipg_id *points;
  double *times;
} touch_task;

static void find_touch_times(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const touch_task *t = arg;
  const ipg_model *m = t->step->model;
  const ipg_touch_queries batch = {.start = t->step->x0,
                                   .end = t->step->x1,
                                   .points = t->points + 4 * begin,
                                   .count = end - begin,
                                   .separation = m->touch_tolerance};
  for (int64_t i = begin; i < end; ++i) {
    t->points[4 * i] = t->pairs[i].a;
    memcpy(t->points + 4 * i + 1, ipg_face_corners(&m->surface, t->pairs[i].b), 3 * sizeof *t->points);
  }
  ipg_find_first_touches(&ipg_ccd_node_face, m->simd, &batch, t->times + begin);
}

void ipg_find_touch_times(const ipg_step *step, const ipg_pair *pairs, int64_t count, ipg_id *points, double *times) {
  touch_task t = {step, pairs, points, times};
  ipg_tasks_for(&step->model->config.tasks, find_touch_times, &t, 0, count, GRAIN);
}
