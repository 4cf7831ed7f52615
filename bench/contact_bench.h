/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench contact`: the whole contact step on a pile of bodies, with candidates reused from step to step and
 * with a search at each step, in turns. */
#ifndef IMPINGE_BENCH_CONTACT_BENCH_H
#define IMPINGE_BENCH_CONTACT_BENCH_H

#include <stdint.h>

typedef struct contact_request {
  int64_t faces; /* about */
  double motion; /* edges a step */
  double skin;   /* edges; below 0: the library's default */
  int threads, steps, runs;
} contact_request;

/* The exit code: 0, or 1 with a sentence on stderr. */
int contact_bench(const contact_request *request);

#endif
