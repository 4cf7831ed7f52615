/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench search`: measures search methods and peer libraries on one workload and prints a table. */
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

/* Returns NULL, or an error message about the methods. */
const char *check_search_request(const search_request *request);
/* Returns the exit code: 0, or 1 with an error message on stderr. */
int search_bench(const search_request *request);

#endif
