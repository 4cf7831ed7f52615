/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench search`: one workload, the methods asked for, a table. */
#ifndef IMPINGE_BENCH_SEARCH_BENCH_H
#define IMPINGE_BENCH_SEARCH_BENCH_H

#include "workloads.h"

#include <stdbool.h>

typedef struct search_request {
  workload_request workload;
  const char *methods; /* names with commas between, or "all" */
  int threads, runs;
  bool peers;
} search_request;

/* NULL, or a sentence about the methods asked for. */
const char *search_bench_refuses(const search_request *request);
/* The exit code: 0, or 1 with a sentence on stderr. */
int search_bench(const search_request *request);

#endif
