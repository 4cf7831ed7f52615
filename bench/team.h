/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Methods that answer the same scenes, stand side by side in a table, and must agree. */
#ifndef IMPINGE_BENCH_TEAM_H
#define IMPINGE_BENCH_TEAM_H

#include "probe.h"

enum { MOST_IN_TEAM = 16 };

typedef struct team {
  const char *methods[MOST_IN_TEAM];
  int count;
  probe probes[MOST_IN_TEAM];
  series ms[MOST_IN_TEAM]; /* of set and question together */
  bool steps;              /* answers are steps, and figures their means; else they are runs, and the least counts */
} team;

/* Takes those of the names (NULL-terminated) that this build has, and prints a line about each that it has not. */
void team_choose(team *t, const char *const *names);
/* New searches: memory counts from here. */
ipg_status team_start(team *t, ipg_error *error);
/* Everybody answers; fails unless all find the same. */
ipg_status team_answer(team *t, const scene *asked, ipg_error *error);
void team_stop(team *t);

/* The place of a method; -1 if it is not in the team. */
int team_find(const team *t, const char *method);
/* "first | a ms | b ms | a MB | b MB | last" */
void team_print_head(const team *t, const char *first, const char *last);
/* Times, then the most memory of everybody. */
void team_print_figures(const team *t);
/* How many times as much time `a` takes as `b`, and memory; - if one is missing. */
void team_print_ratios(const team *t, const char *a, const char *b);

#endif
