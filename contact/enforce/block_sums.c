/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "enforce/block_sums.h"

#include <string.h>

ipg_status ipg_copy_block_sums(const ipg_block_sums *from, ipg_block_sums *to, const ipg_allocator *a,
                               ipg_error *error) {
  const ipg_status status = ipg_array_reserve_ahead(&to->pairs, a, from->count, error);
  if (status) return status;
  if (from->count) memcpy(to->pairs.at, from->pairs.at, (size_t)from->count * sizeof *to->pairs.at);
  to->count = from->count, to->last = 0, to->status = IPG_OK;
  return IPG_OK;
}

static bool is_same(ipg_block_pair a, ipg_block_pair b) { return a.lower == b.lower && a.upper == b.upper; }

/* Where the pair is, or has to be. */
static int64_t find_pair(const ipg_block_sums *sums, ipg_block_pair blocks) {
  int64_t low = 0, high = sums->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (ipg_is_block_pair_before(sums->pairs.at[middle].blocks, blocks)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void insert_pair(ipg_block_sums *sums, const ipg_allocator *a, int64_t at, ipg_block_pair blocks) {
  ipg_error error;
  if (!sums->status && sums->count == ipg_array_capacity(&sums->pairs))
    sums->status = ipg_array_grow(&sums->pairs, a, sums->count, 2 * sums->count + 8, &error);
  if (sums->status) return;
  ipg_block_sum *pair = sums->pairs.at + at;
  memmove(pair + 1, pair, (size_t)(sums->count - at) * sizeof *pair);
  *pair = (ipg_block_sum){.blocks = blocks};
  sums->count++;
}

void ipg_add_block_dissipation(ipg_block_sums *sums, const ipg_allocator *a, ipg_block_pair blocks, double friction,
                               double damping) {
  if (!(sums->last < sums->count && is_same(sums->pairs.at[sums->last].blocks, blocks))) {
    sums->last = find_pair(sums, blocks);
    if (sums->last == sums->count || !is_same(sums->pairs.at[sums->last].blocks, blocks))
      insert_pair(sums, a, sums->last, blocks);
  }
  if (sums->status) return;
  ipg_block_sum *sum = &sums->pairs.at[sums->last];
  sum->friction += friction, sum->damping += damping;
}
