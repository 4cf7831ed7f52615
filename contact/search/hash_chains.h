/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A hash table of chains of items whose memory is never cleared: what the hash methods share.
 *
 * A slot is valid if it carries the stamp of the current step, so a new step costs one addition, not a pass over the
 * table (Teschner et al. 2003). Unrelated cells may share a slot. A slot stores 5 more bits of the keys of its cells as
 * a signature, which rejects most lookups of other cells; the caller must check what passes.
 * Invariant: a chain holds an item once, the last one added first. */
#ifndef IMPINGE_SEARCH_HASH_CHAINS_H
#define IMPINGE_SEARCH_HASH_CHAINS_H

#include "grid.h"

typedef struct ipg_hash_slot {
  uint32_t stamp;
  uint32_t first;   /* link; 0 ends every chain */
  uint32_t cells;   /* one bit per signature of the cells that have items here */
  uint32_t parents; /* ... that have finer cells with items in them */
} ipg_hash_slot;

typedef struct ipg_hash_link {
  ipg_id item;
  uint32_t next;
} ipg_hash_link;

typedef struct ipg_hash_chains {
  ipg_hash_slot *slots;
  ipg_hash_link *links;
  int shift; /* 64 - log2(slots) */
  uint32_t stamp, count;
  ipg_buffer slot_buffer, link_buffer;
} ipg_hash_chains;

/* Makes the table empty, with about `slots` slots (a power of two, at most 2^27) and memory for `links` links. */
ipg_status ipg_hash_chains_clear(ipg_hash_chains *chains, const ipg_allocator *allocator, int64_t slots, int64_t links,
                                 ipg_error *error);
void ipg_hash_chains_destroy(ipg_hash_chains *chains, const ipg_allocator *allocator);

/* The exclusive or of coordinates times primes, after Teschner et al.; one more factor spreads it over all bits. */
static inline uint64_t ipg_hash_cell(const int64_t cell[3], uint64_t level) {
  const uint64_t x = (uint64_t)cell[0] * 73856093u, y = (uint64_t)cell[1] * 19349663u;
  const uint64_t z = (uint64_t)cell[2] * 83492791u, l = level * 25165843u;
  return (x ^ y ^ z ^ l) * 0x9e3779b97f4a7c15u;
}

static inline uint32_t ipg_hash_signature(const ipg_hash_chains *chains, uint64_t key) {
  return (uint32_t)1 << (key >> (chains->shift - 5) & 31);
}

/* The slot of a key if it is used in this step, else NULL. */
static inline const ipg_hash_slot *ipg_hash_chains_find_slot(const ipg_hash_chains *chains, uint64_t key) {
  const ipg_hash_slot *slot = &chains->slots[key >> chains->shift];
  return slot->stamp == chains->stamp ? slot : NULL;
}

/* The first link of the items of a cell, perhaps with those of other cells. */
static inline uint32_t ipg_hash_chains_find_first(const ipg_hash_chains *chains, uint64_t key) {
  const ipg_hash_slot *slot = ipg_hash_chains_find_slot(chains, key);
  return slot && slot->cells & ipg_hash_signature(chains, key) ? slot->first : 0;
}

/* The slot of a key, emptied if it is not used in this step yet. */
static inline ipg_hash_slot *ipg_hash_chains_claim_slot(ipg_hash_chains *chains, uint64_t key) {
  ipg_hash_slot *slot = &chains->slots[key >> chains->shift];
  if (slot->stamp != chains->stamp) *slot = (ipg_hash_slot){.stamp = chains->stamp};
  return slot;
}

/* All cells of an item are added before the next item, so the first link shows whether the item is in the chain. */
static inline void ipg_hash_chains_add(ipg_hash_chains *chains, uint64_t key, ipg_id item) {
  ipg_hash_slot *slot = ipg_hash_chains_claim_slot(chains, key);
  slot->cells |= ipg_hash_signature(chains, key);
  if (slot->first && chains->links[slot->first].item == item) return;
  chains->links[++chains->count] = (ipg_hash_link){item, slot->first};
  slot->first = chains->count;
}

/* Adds an item to all cells that it covers on a level. */
static inline void ipg_hash_chains_add_cells(ipg_hash_chains *chains, ipg_id item, uint64_t level,
                                             const ipg_cell_range *covered) {
  int64_t cell[3];
  for (cell[2] = covered->lo[2]; cell[2] <= covered->hi[2]; ++cell[2])
    for (cell[1] = covered->lo[1]; cell[1] <= covered->hi[1]; ++cell[1])
      for (cell[0] = covered->lo[0]; cell[0] <= covered->hi[0]; ++cell[0])
        ipg_hash_chains_add(chains, ipg_hash_cell(cell, level), item);
}

#endif
