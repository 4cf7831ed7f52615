/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench skin`: the skin of a box of tetrahedra, beside a plain sort of all sides, and reading it from a file.
 */
#ifndef IMPINGE_BENCH_SKIN_BENCH_H
#define IMPINGE_BENCH_SKIN_BENCH_H

#include <stdint.h>

typedef struct skin_request {
  int64_t size; /* elements, about */
  int threads, runs;
} skin_request;

/* The exit code: 0, or 1 with a sentence on stderr. */
int skin_bench(const skin_request *request);

#endif
