/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench ccd`: the time per pair of continuous collision detection, on all pairs that a search finds. */
#ifndef IMPINGE_BENCH_CCD_BENCH_H
#define IMPINGE_BENCH_CCD_BENCH_H

#include <stdint.h>

typedef struct ccd_request {
  const char *data; /* folder of the published scenes; NULL: generated bodies that touch */
  int64_t size;     /* of the generated scene, in faces */
  uint64_t seed;
  double separation; /* in mean edges */
  int runs;
} ccd_request;

/* Returns the exit code: 0, or 1 with an error message on stderr. */
int ccd_bench(const ccd_request *request);

#endif
