/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Measurements: a clock, an allocator that counts, a checksum of pairs, runs in turns, and a line of the table. Every
 * measured program is an entrant. */
#ifndef IMPINGE_BENCH_MEASURE_H
#define IMPINGE_BENCH_MEASURE_H

#include "workloads.h"

#include <stdio.h>

enum { MOST_WORKERS = 64 };

double now_ms(void);

/* Counts allocations and the peak of the allocated bytes. For one calling thread. */
typedef struct memory_meter {
  size_t in_use, peak;
  int64_t allocations;
} memory_meter;
ipg_allocator memory_meter_allocator(memory_meter *m);

/* Counts pairs: one sum per worker, a cache line apart. */
typedef struct pair_counter {
  struct pair_counter_of_worker {
    uint64_t checksum;
    int64_t pairs;
    char padding[112];
  } worker[MOST_WORKERS];
} pair_counter;
void pair_counter_add(void *counter, const ipg_pair *pairs, int64_t count, int worker); /* an ipg_sink */

/* NAN and -1 mean not measured. */
typedef struct measurement {
  double build_ms, query_ms, total_ms, array_ms, memory_mb;
  int64_t pairs;
  uint64_t checksum;
} measurement;
extern const measurement nothing_measured;

/* Copies pairs and checksum of a counter into a measurement. */
void measurement_set_pairs(measurement *m, const pair_counter *counter);

/* A method or a library that is measured. `stream_pairs` finds all pairs of the scene at one step of the workload and
 * counts them; `collect_pairs`, unless NULL, returns them as a canonical array. Both set the part of the measurement
 * they know. A step above 0 always follows directly after the step before it. */
typedef struct entrant {
  char name[48];
  int threads;
  void *state;
  ipg_status (*stream_pairs)(void *state, const scene *input, int step, measurement *m, ipg_error *error);
  ipg_status (*collect_pairs)(void *state, const scene *input, int step, measurement *m, ipg_error *error);
  void (*destroy)(void *state);
  measurement now, best; /* sums over the steps of this run; means per step of the best run */
} entrant;

/* Every run takes all entrants through all steps, in turns; the best of their runs is kept. */
ipg_status measure_in_turns(entrant *entrants, int count, workload *w, int runs, ipg_error *error);

void print_measurement_columns(FILE *to);
void print_measurement(FILE *to, const char *scene_name, int64_t size, const entrant *e);

#endif
