/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench contact`: the time of the whole contact step on a pile of bodies, with candidate pairs reused from
 * step to step, and with a search at every step. */
#ifndef IMPINGE_BENCH_CONTACT_BENCH_H
#define IMPINGE_BENCH_CONTACT_BENCH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct contact_request {
  int64_t faces;        /* about */
  double motion;        /* edges per step */
  double search_margin; /* edges; negative: the default of the library */
  int threads, steps, runs;
} contact_request;

/* Returns the exit code: 0, or 1 with an error message on stderr. */
int contact_bench(const contact_request *request);

#endif
