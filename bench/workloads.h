/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The scenes that searches are measured on. The same request gives the same bits, whatever the tasks.
 *
 *   spheres   equal spheres anywhere in a unit cube, `density` their volume in parts of the cube's      self
 *   settled   the same spheres 55 steps later, fallen to the floor and packed                           self
 *   contact   faces and nodes of packed, moving bodies, own faces excluded                              query
 *   graded    boxes that grow with their distance from a corner, 1 to 1000                              self
 *   pouchol   flat objects of three sizes, and segments                                                 query
 *   coherent  contact over many steps                                                                   query
 */
#ifndef IMPINGE_BENCH_WORKLOADS_H
#define IMPINGE_BENCH_WORKLOADS_H

#include "scene.h"

/* 0 stands for the default: size 10000, density 0.1, 100 queries an item, 50 steps. */
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
/* NULL, or a sentence about an option that the workload does not have. */
const char *workload_refuses(const workload_request *request);

ipg_status workload_create(const workload_request *request, const ipg_tasks *tasks, workload **out, ipg_error *error);
void workload_destroy(workload **w);
/* The scene of the step the workload stands at. */
const scene *workload_scene(const workload *w);
int workload_steps(const workload *w);
/* Back to the first step; on to the next. */
void workload_rewind(workload *w);
void workload_advance(workload *w);

#endif
