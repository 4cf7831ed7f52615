/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The join of packed trees, one comparison after the other: what the wide ones must agree with. */
#include "packed.h"

typedef struct probe {
  float lo[3], hi[3];
} probe;

static probe probe_of(const ipg_block *block, int lane) {
  probe p;
  for (int k = 0; k < 3; ++k) p.lo[k] = block->lo[k][lane], p.hi[k] = block->hi[k][lane];
  return p;
}

static unsigned touching(const probe *p, const ipg_block *block) {
  unsigned mask = 0;
  for (int i = 0; i < IPG_LANES; ++i)
    mask |= (unsigned)((p->lo[0] <= block->hi[0][i]) & (block->lo[0][i] <= p->hi[0]) & (p->lo[1] <= block->hi[1][i]) &
                       (block->lo[1][i] <= p->hi[1]) & (p->lo[2] <= block->hi[2][i]) & (block->lo[2][i] <= p->hi[2]))
            << i;
  return mask;
}

static unsigned overlapping(const probe *p, const ipg_block *block) {
  unsigned mask = 0;
  for (int i = 0; i < IPG_LANES; ++i)
    mask |= (unsigned)((p->lo[0] < block->hi[0][i]) & (block->lo[0][i] < p->hi[0]) & (p->lo[1] < block->hi[1][i]) &
                       (block->lo[1][i] < p->hi[1]) & (p->lo[2] < block->hi[2][i]) & (block->lo[2][i] < p->hi[2]))
            << i;
  return mask;
}

static bool share_a_key(const ipg_id *a, const ipg_id *b) { return ipg_share_a_key(a, b); }

#include "packed_join.h"

void ipg_join_scalar(void *arg, int64_t begin, int64_t end, int worker) { join(arg, begin, end, worker); }
