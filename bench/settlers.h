/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Who answers the settling run of Poirrier 2009: the four methods of the paper, its second kd-tree, and today's. */
#ifndef IMPINGE_BENCH_SETTLERS_H
#define IMPINGE_BENCH_SETTLERS_H

#include "probe.h"
#include "settle.h"

enum settler_name { QUADRATIC, SWEEP_AND_PRUNE, DELAUNAY, KD_TREE_1, KD_TREE_2, PACKED, CELLS, SETTLERS };

/* Pairs whose spheres overlap. */
typedef struct sphere_list {
  const settling *spheres;
  bool full; /* no memory for more */
  ipg_pair *pairs;
  int64_t count, capacity;
} sphere_list;

typedef struct settler {
  enum settler_name name;
  bool started;
  probe probe;
  sphere_list list;
  size_t extra_bytes;                  /* beside what the search holds */
  series ms, compared, passed, truths; /* of all answers since the start; passed: candidates it hands on */
} settler;

const char *settler_title(enum settler_name name);
/* Is it in this build? */
bool settler_exists(enum settler_name name);
/* Does it find exactly the boxes that overlap, so that it must agree with others? */
bool settler_is_exact(enum settler_name name);

ipg_status settler_create(settler *s, enum settler_name name, ipg_error *error);
/* The spheres where they are now. */
ipg_status settler_answer(settler *s, const settling *spheres, ipg_error *error);
/* The next answer is about other spheres, or later ones; the series stay. */
void settler_restart(settler *s);
double settler_megabytes(const settler *s);
void settler_destroy(settler *s);

#endif
