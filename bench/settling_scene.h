/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Equal spheres that fall to the floor of a unit square and settle: the simulation of Poirrier 2009, section 6. */
#ifndef IMPINGE_BENCH_SETTLING_SCENE_H
#define IMPINGE_BENCH_SETTLING_SCENE_H

#include "impinge/search.h"

/* The unit of length is the edge of the square, the unit of time the step. */
typedef struct settling_scene {
  double *positions, *velocities; /* 3 per sphere */
  ipg_box *boxes;                 /* of the spheres at their current positions */
  int64_t count;
  double radius, gravity;
  ipg_search *search;
} settling_scene;

/* Spheres at rest around `centres` (3 per sphere). Nothing is to be freed after a failure. */
ipg_status settling_scene_create(settling_scene *spheres, const double *centres, int64_t count, double radius,
                                 const ipg_tasks *tasks, ipg_error *error);
/* One time step; the same bits for any tasks. */
ipg_status settling_scene_step(settling_scene *spheres, ipg_error *error);
void settling_scene_destroy(settling_scene *spheres);

#endif
