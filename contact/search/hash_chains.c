/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The memory of a hash table of chains. */
#include "hash_chains.h"

#include <string.h>

enum { FEWEST_BITS = 10, MOST_BITS = 27 };

ipg_status ipg_hash_chains_clear(ipg_hash_chains *chains, const ipg_allocator *allocator, int64_t slots, int64_t links,
                                 ipg_error *error) {
  int bits = FEWEST_BITS;
  while (bits < MOST_BITS && (int64_t)1 << bits < slots) ++bits;
  chains->count = 0;
  if (links >= UINT32_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "%lld entries are more than a hash method can number", (long long)links);
  const size_t before = chains->slot_buffer.bytes;
  ipg_status status =
      ipg_buffer_reserve(&chains->slot_buffer, allocator, (int64_t)1 << bits, sizeof(ipg_hash_slot), error);
  const bool unstamped = chains->slot_buffer.bytes != before || ++chains->stamp == 0;
  if (unstamped && chains->slot_buffer.bytes) memset(chains->slot_buffer.data, 0, chains->slot_buffer.bytes);
  if (unstamped) chains->stamp = 1;
  if (!status) status = ipg_buffer_reserve(&chains->link_buffer, allocator, links + 1, sizeof(ipg_hash_link), error);
  chains->slots = chains->slot_buffer.data;
  chains->links = chains->link_buffer.data;
  chains->shift = 64 - bits;
  return status;
}

void ipg_hash_chains_destroy(ipg_hash_chains *chains, const ipg_allocator *allocator) {
  ipg_buffer_destroy(&chains->slot_buffer, allocator);
  ipg_buffer_destroy(&chains->link_buffer, allocator);
}
