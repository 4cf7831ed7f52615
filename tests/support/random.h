/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Random numbers for tests: xorshift64*, the same on every machine.
 * One seed for the whole program, from the environment variable IMPINGE_SEED or else fixed; the suite prints it. Every
 * test starts its own stream with its own salt, so a test alone sees the same numbers as in the full run. */
#ifndef IMPINGE_TESTS_RANDOM_H
#define IMPINGE_TESTS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

typedef struct rng {
  uint64_t state; /* never 0 */
} rng;

static inline uint64_t rng_seed(void) {
  const char *text = getenv("IMPINGE_SEED");
  return text && *text ? strtoull(text, NULL, 0) : 20090731;
}

static inline uint64_t rng_next(rng *r) {
  r->state ^= r->state >> 12;
  r->state ^= r->state << 25;
  r->state ^= r->state >> 27;
  return r->state * 0x2545f4914f6cdd1du;
}

/* Seed and salt are mixed (splitmix64), so that neighbouring seeds do not give neighbouring streams. */
static inline rng rng_start(uint64_t salt) {
  uint64_t h = rng_seed() + salt * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  h ^= h >> 31;
  return (rng){h ? h : 1};
}

/* In [0, 1). */
static inline double rng_unit(rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }
static inline double rng_between(rng *r, double lo, double hi) { return lo + (hi - lo) * rng_unit(r); }

/* lo, lo + 1, ..., hi. */
static inline int rng_int(rng *r, int lo, int hi) {
  const uint64_t choices = (uint64_t)((int64_t)hi - lo + 1);
  return (int)(lo + (int64_t)((rng_next(r) >> 32) * choices >> 32));
}

#endif
