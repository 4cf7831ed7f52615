/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Times one search method step by step, with its memory and its counters; the tables of the papers are measured with
 * it. One thread. A search timer must not be moved in memory: its search holds a pointer into it. */
#ifndef IMPINGE_BENCH_SEARCH_TIMER_H
#define IMPINGE_BENCH_SEARCH_TIMER_H

#include "measure.h"

typedef struct search_timer {
  char name[48]; /* printed in tables and messages */
  ipg_search *search;
  memory_meter memory;
  ipg_sink *sink; /* receives the pairs after they are counted; NULL: none */
  void *context;
  double build_ms, query_ms; /* of the last run, like all that follows */
  int64_t pairs;
  uint64_t checksum;
  ipg_search_counters counters;
} search_timer;

ipg_search_config make_search_config(const char *method);
bool has_search_method(const char *method);

ipg_status search_timer_create(search_timer *t, const char *name, const ipg_search_config *config, ipg_error *error);
void search_timer_destroy(search_timer *t);
/* Builds the search for the scene and finds all pairs. With `moved`, the scene is the one of the last run with other
 * boxes, and the search moves them instead of being built again. */
ipg_status search_timer_run(search_timer *t, const scene *input, bool moved, ipg_error *error);
/* Fails with a message unless both found the same pairs. */
ipg_status check_same_pairs(const search_timer *a, const search_timer *b, ipg_error *error);

/* Statistics of a series of numbers. */
typedef struct statistics {
  int count;
  double sum, squares, minimum;
} statistics;
void statistics_add(statistics *s, double value);
double statistics_mean(const statistics *s);
double statistics_deviation(const statistics *s); /* sample standard deviation; 0 for a single number */

#endif
