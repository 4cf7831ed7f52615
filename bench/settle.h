/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Equal spheres that fall to the floor of a unit square and pack: the run of Poirrier 2009, section 6. */
#ifndef IMPINGE_BENCH_SETTLE_H
#define IMPINGE_BENCH_SETTLE_H

#include "impinge/search.h"

/* Lengths are those of the square, times are steps. */
typedef struct settling {
  double *positions, *velocities; /* 3 per sphere */
  ipg_box *boxes;                 /* of the spheres where they are now */
  int64_t count;
  double radius, gravity;
  ipg_search *search;
} settling;

/* Spheres at rest around `centres` (3 per sphere). Fails without memory; then there is nothing to free. */
ipg_status settling_create(settling *spheres, const double *centres, int64_t count, double radius,
                           const ipg_tasks *tasks, ipg_error *error);
/* One step in time; the same bits for any tasks. */
ipg_status settling_step(settling *spheres, ipg_error *error);
void settling_destroy(settling *spheres);

#endif
