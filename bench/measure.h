/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* How things are measured: a clock, an allocator that keeps account, a checksum of pairs, runs that take turns, and a
 * line of the table. What is measured is a contestant. */
#ifndef IMPINGE_BENCH_MEASURE_H
#define IMPINGE_BENCH_MEASURE_H

#include "workloads.h"

#include <stdio.h>

enum { MOST_WORKERS = 64 };

double now_ms(void);

/* An allocator that remembers the most it held, and how often it was asked. For one calling thread. */
typedef struct meter {
  size_t live, most;
  int64_t allocations;
} meter;
ipg_allocator meter_allocator(meter *m);

/* Where pairs go: one sum per worker, a cache line apart. */
typedef struct tally {
  struct tally_of_worker {
    uint64_t checksum;
    int64_t pairs;
    char padding[112];
  } worker[MOST_WORKERS];
} tally;
void tally_add(void *tally, const ipg_pair *pairs, int64_t count, int worker); /* an ipg_sink */

/* NAN and -1 stand for what was not measured. */
typedef struct measurement {
  double build_ms, query_ms, total_ms, array_ms, memory_mb;
  int64_t pairs;
  uint64_t checksum;
} measurement;
extern const measurement nothing_measured;

/* Pairs and checksum of a tally into a measurement. */
void measurement_count(measurement *m, const tally *t);

/* Somebody who can answer scenes. `answer` streams all pairs of the scene at one step of the workload; `array`, unless
 * NULL, gets them as a canonical array. Both fill in the part of the measurement they can tell. A step above 0 is
 * always asked right after the one before it. */
typedef struct contestant {
  char name[48];
  int threads;
  void *state;
  ipg_status (*answer)(void *state, const scene *asked, int step, measurement *m, ipg_error *error);
  ipg_status (*array)(void *state, const scene *asked, int step, measurement *m, ipg_error *error);
  void (*destroy)(void *state);
  measurement now, best; /* sums over the steps of this run; means per step of the best run */
} contestant;

/* Every run takes all contestants through all steps, in turns; what counts is the best of their runs. */
ipg_status measure_in_turns(contestant *contestants, int count, workload *w, int runs, ipg_error *error);

void print_header(FILE *to);
void print_line(FILE *to, const char *scene_name, int64_t size, const contestant *c);

#endif
