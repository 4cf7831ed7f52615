/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench skin`: the time to build the skin of a box of tetrahedra, compared with a plain sort of all sides, and
 * to read the box from a file. */
#ifndef IMPINGE_BENCH_SKIN_BENCH_H
#define IMPINGE_BENCH_SKIN_BENCH_H

#include <stdint.h>

typedef struct skin_request {
  int64_t size; /* elements, about */
  int threads, runs;
} skin_request;

/* Returns the exit code: 0, or 1 with an error message on stderr. */
int skin_bench(const skin_request *request);

#endif
