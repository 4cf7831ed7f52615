/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The scenes that searches are measured on. The same request gives the same bits for any tasks.
 *
 *   spheres   equal spheres, uniform in a unit cube; `density` is their volume over the cube's          self
 *   settled   the same spheres 55 steps later, fallen to the floor and packed                           self
 *   contact   faces and nodes of packed, moving bodies; the faces of a node are excluded                query
 *   graded    boxes of edges 1 to 1000 that grow with their distance from a corner                      self
 *   pouchol   flat objects of three sizes, and segments                                                 query
 *   coherent  contact over many steps                                                                   query
 */
#ifndef IMPINGE_BENCH_WORKLOADS_H
#define IMPINGE_BENCH_WORKLOADS_H

#include "scene.h"

/* 0 means the default: size 10000, density 0.1, 100 queries per item, 50 steps. */
typedef struct workload_request {
  const char *name;
  int64_t size; /* wanted number of items */
  double density;
  int64_t queries;
  int steps;
  uint64_t seed;
} workload_request;

typedef struct workload workload;

/* NULL-terminated. */
const char *const *workload_names(void);
/* Returns NULL, or an error message about an option that the workload does not have. */
const char *check_workload_request(const workload_request *request);

ipg_status workload_create(const workload_request *request, const ipg_tasks *tasks, workload **out, ipg_error *error);
void workload_destroy(workload **w);
/* The scene of the current step. */
const scene *workload_scene(const workload *w);
int workload_steps(const workload *w);
/* Go to the first step, and to the next one. */
void workload_rewind(workload *w);
void workload_advance(workload *w);

#endif
