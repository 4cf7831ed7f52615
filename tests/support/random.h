/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Random numbers for tests: xorshift64*, the same on every machine.
 * The whole program has one seed, from the environment variable IMPINGE_SEED or else fixed; the suite prints it. Every
 * test starts its own stream with its own salt, so a test alone gets the same numbers as in the full run. */
#ifndef IMPINGE_TESTS_RANDOM_H
#define IMPINGE_TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct rng {
  uint64_t state; /* never 0 */
} rng;

uint64_t rng_seed(void);
bool rng_is_fixed(void); /* no other was given */
/* Seed and salt are mixed (splitmix64), so that neighbouring seeds do not give neighbouring streams. */
rng rng_start(uint64_t salt);
rng rng_start_of_seed(uint64_t seed, uint64_t salt); /* of a known case, whatever the seed of the program */
uint64_t rng_next(rng *r);
/* In [0, 1). */
double rng_unit(rng *r);
double rng_between(rng *r, double lo, double hi);
/* lo, lo + 1, ..., hi. */
int rng_int(rng *r, int lo, int hi);

#endif
