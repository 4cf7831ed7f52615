/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Seconds from some moment on that never run backwards: only differences mean anything. Nothing is ever decided by
 * them. */
#ifndef IMPINGE_SUPPORT_CLOCK_H
#define IMPINGE_SUPPORT_CLOCK_H

#include <time.h>

static inline double ipg_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
