/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/random.h"

static const uint64_t fixed_seed = 20090731;

uint64_t rng_seed(void) {
  const char *text = getenv("IMPINGE_SEED");
  return text && *text ? strtoull(text, NULL, 0) : fixed_seed;
}

bool rng_is_fixed(void) { return rng_seed() == fixed_seed; }

uint64_t rng_next(rng *r) {
  r->state ^= r->state >> 12;
  r->state ^= r->state << 25;
  r->state ^= r->state >> 27;
  return r->state * 0x2545f4914f6cdd1du;
}

rng rng_start(uint64_t salt) { return rng_start_of_seed(rng_seed(), salt); }

rng rng_start_of_seed(uint64_t seed, uint64_t salt) {
  uint64_t h = seed + salt * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  h ^= h >> 31;
  return (rng){h ? h : 1};
}

double rng_unit(rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }
double rng_between(rng *r, double lo, double hi) { return lo + (hi - lo) * rng_unit(r); }

int rng_int(rng *r, int lo, int hi) {
  const uint64_t choices = (uint64_t)((int64_t)hi - lo + 1);
  return (int)(lo + (int64_t)((rng_next(r) >> 32) * choices >> 32));
}
