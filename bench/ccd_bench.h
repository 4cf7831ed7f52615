/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench ccd`: continuous detection on all pairs that a search finds, time per pair. */
#ifndef IMPINGE_BENCH_CCD_BENCH_H
#define IMPINGE_BENCH_CCD_BENCH_H

#include <stdint.h>

typedef struct ccd_request {
  const char *data; /* folder of the reference data; NULL: bodies that touch, generated */
  int64_t size;     /* of the generated scene, in faces */
  uint64_t seed;
  double separation; /* in parts of the mean length of edges */
  int runs;
} ccd_request;

/* The exit code: 0, or 1 with a sentence on stderr. */
int ccd_bench(const ccd_request *request);

#endif
