/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A group of search methods that are measured on the same scenes, have adjacent columns in a table, and must find the
 * same pairs. */
#ifndef IMPINGE_BENCH_METHOD_GROUP_H
#define IMPINGE_BENCH_METHOD_GROUP_H

#include "search_timer.h"

enum { MOST_IN_GROUP = 16 };

typedef struct method_group {
  const char *methods[MOST_IN_GROUP];
  int count;
  search_timer timers[MOST_IN_GROUP];
  statistics ms[MOST_IN_GROUP]; /* of build and query together */
  bool steps;                   /* each run is a time step, and means are printed; otherwise the minimum of all runs */
} method_group;

/* Takes those of the names (NULL-terminated) that this build has, and prints a line about every missing one. */
void method_group_choose(method_group *g, const char *const *names);
/* Creates new searches: memory counts from here. */
ipg_status method_group_create_searches(method_group *g, ipg_error *error);
/* Runs all methods on the scene; fails unless all find the same pairs. */
ipg_status method_group_run(method_group *g, const scene *input, ipg_error *error);
void method_group_destroy_searches(method_group *g);

/* The index of a method; -1 if it is not in the group. */
int method_group_find(const method_group *g, const char *method);
/* "first | a ms | b ms | a MB | b MB | last" */
void method_group_print_head(const method_group *g, const char *first, const char *last);
/* The times, then the peak memory of all methods. */
void method_group_print_costs(const method_group *g);
/* The ratio a / b of times, and of memory; - if one of them is missing. */
void method_group_print_ratios(const method_group *g, const char *a, const char *b);

#endif
