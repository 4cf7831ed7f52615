/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Random numbers that are the same on every machine: xorshift of 64 bits, after Marsaglia 2003.
 * Seed 0 is the sequence of the first measurements; other seeds start it elsewhere. */
#ifndef IMPINGE_BENCH_RANDOM_H
#define IMPINGE_BENCH_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef struct random_source {
  uint64_t state; /* never 0 */
} random_source;

static inline random_source random_from(uint64_t seed) {
  const uint64_t state = 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u;
  return (random_source){state ? state : 1};
}

static inline uint64_t random_bits(random_source *source) {
  uint64_t s = source->state;
  s ^= s << 13, s ^= s >> 7, s ^= s << 17;
  return source->state = s;
}

/* In [0, 1). */
static inline double random_unit(random_source *source) {
  return (double)(random_bits(source) >> 11) / 9007199254740992.0;
}

static inline double random_between(random_source *source, double low, double high) {
  return low + (high - low) * random_unit(source);
}

/* A direction, all equally likely: a point in the ball, drawn until it is one, brought to length 1. */
static inline void random_direction(random_source *source, double direction[3]) {
  double square;
  do {
    for (int k = 0; k < 3; ++k) direction[k] = random_between(source, -1, 1);
    square = direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
  } while (square > 1 || square < 1e-6);
  for (int k = 0; k < 3; ++k) direction[k] /= sqrt(square);
}

#endif
