/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What each pair of blocks, or block and wall, has dissipated since create. Part of a state: an evaluation copies the
 * sums of the accepted one and adds those of its step, so that accept and revert need not know of them. */
#ifndef IMPINGE_ENFORCE_BLOCK_SUMS_H
#define IMPINGE_ENFORCE_BLOCK_SUMS_H

#include "model/model.h"
#include "support/array.h"

/* Lower block and upper one; or, with a wall, the number of the wall less that of all walls and the block: the order of
 * (lower, upper) has walls first. */
typedef struct ipg_block_pair {
  int32_t lower, upper;
} ipg_block_pair;

typedef struct ipg_block_sum {
  ipg_block_pair blocks;
  double friction, damping;
} ipg_block_sum;

/* In the order of pairs; only those that have been in contact with friction or damping. */
typedef struct ipg_block_sums {
  IPG_ARRAY(ipg_block_sum) pairs;
  int64_t count, last; /* last: of the pair that was added to, for the next is often the same */
  ipg_status status;   /* of memory for them */
} ipg_block_sums;

static inline ipg_block_pair ipg_block_pair_of(int32_t a, int32_t b) {
  return a < b ? (ipg_block_pair){a, b} : (ipg_block_pair){b, a};
}

static inline bool ipg_is_block_pair_before(ipg_block_pair a, ipg_block_pair b) {
  return a.lower < b.lower || (a.lower == b.lower && a.upper < b.upper);
}

ipg_status ipg_copy_block_sums(const ipg_block_sums *from, ipg_block_sums *to, const ipg_allocator *allocator,
                               ipg_error *error);
void ipg_add_block_dissipation(ipg_block_sums *sums, const ipg_allocator *allocator, ipg_block_pair blocks,
                               double friction, double damping);

#endif
