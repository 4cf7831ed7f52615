/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Seconds of a monotonic clock with an arbitrary start, so only differences are meaningful. For reports: no result
 * depends on them. */
#ifndef IMPINGE_SUPPORT_CLOCK_H
#define IMPINGE_SUPPORT_CLOCK_H

#include <time.h>

static inline double ipg_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
