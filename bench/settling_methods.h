/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The methods measured on the settling spheres of Poirrier 2009: the four methods of the paper, its second kd-tree, and
 * today's methods. */
#ifndef IMPINGE_BENCH_SETTLING_METHODS_H
#define IMPINGE_BENCH_SETTLING_METHODS_H

#include "search_timer.h"
#include "settling_scene.h"

enum settling_method_name {
  QUADRATIC,
  SWEEP_AND_PRUNE,
  DELAUNAY,
  KD_TREE_1,
  KD_TREE_2,
  PACKED,
  CELLS,
  SETTLING_METHODS
};

/* Pairs of overlapping spheres. */
typedef struct overlap_list {
  const settling_scene *spheres;
  bool out_of_memory;
  ipg_pair *pairs;
  int64_t count, capacity;
} overlap_list;

typedef struct settling_method {
  enum settling_method_name name;
  bool started;
  search_timer timer;
  overlap_list list;
  size_t extra_bytes; /* memory besides that of the search */
  /* Of all runs: time, pairs compared, candidates passed on, overlapping spheres. */
  statistics ms, compared, passed, overlaps;
} settling_method;

const char *settling_method_title(enum settling_method_name name);
/* True if the method is in this build. */
bool settling_method_exists(enum settling_method_name name);
/* True if the method finds exactly the pairs of overlapping boxes, so that it must agree with others. */
bool settling_method_is_exact(enum settling_method_name name);

ipg_status settling_method_create(settling_method *m, enum settling_method_name name, ipg_error *error);
/* Finds the pairs of the spheres at their current positions. */
ipg_status settling_method_run(settling_method *m, const settling_scene *spheres, ipg_error *error);
/* The next run has other spheres, or the same after many steps; the statistics continue. */
void settling_method_restart(settling_method *m);
double settling_method_megabytes(const settling_method *m);
void settling_method_destroy(settling_method *m);

#endif
