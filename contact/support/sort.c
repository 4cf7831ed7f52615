/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Stable radix sort, one byte a pass, least significant first.
 *
 * Each pass: every chunk counts its digits; a scan over (digit, chunk) turns the counts into places; every chunk
 * moves its keys in order. Chunks are cut by size alone, so the result is the stable order whatever the tasks.
 * A pass over a byte on which all keys agree moves nothing and is left out. */
#include "impinge/base.h"

#include <string.h>

enum { DIGITS = 256, GRAIN = 1 << 15 };

typedef struct pass {
  const uint64_t *from_keys;
  uint64_t *to_keys;
  const ipg_id *from_payload;
  ipg_id *to_payload;
  int64_t *places; /* chunk-major: places[chunk * DIGITS + digit] */
  int shift;
} pass;

static void count_digits(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const pass *p = arg;
  int64_t *counts = p->places + begin / GRAIN * DIGITS;
  memset(counts, 0, DIGITS * sizeof *counts);
  for (int64_t i = begin; i < end; ++i) counts[p->from_keys[i] >> p->shift & (DIGITS - 1)]++;
}

static void move_keys(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const pass *p = arg;
  int64_t *places = p->places + begin / GRAIN * DIGITS;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t place = places[p->from_keys[i] >> p->shift & (DIGITS - 1)]++;
    p->to_keys[place] = p->from_keys[i];
    if (p->from_payload) p->to_payload[place] = p->from_payload[i];
  }
}

/* Digits first, chunks second: that is what makes the sort stable. */
static void scan_places(int64_t *places, int64_t chunks) {
  int64_t sum = 0;
  for (int digit = 0; digit < DIGITS; ++digit)
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const int64_t count = places[chunk * DIGITS + digit];
      places[chunk * DIGITS + digit] = sum;
      sum += count;
    }
}

static uint64_t differing_bits(const uint64_t *keys, int64_t count) {
  uint64_t differ = 0;
  for (int64_t i = 1; i < count; ++i) differ |= keys[i] ^ keys[0];
  return differ;
}

static ipg_status reserve(ipg_sorter *sorter, bool payload, int64_t count, const ipg_allocator *allocator,
                          ipg_error *error) {
  const int64_t places = ipg_chunk_count(count, GRAIN) * DIGITS;
  ipg_status status = ipg_buffer_reserve(&sorter->keys, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&sorter->histograms, allocator, places, sizeof(int64_t), error);
  if (!status && payload) status = ipg_buffer_reserve(&sorter->payload, allocator, count, sizeof(ipg_id), error);
  return status;
}

ipg_status ipg_sort_u64(ipg_sorter *sorter, uint64_t *keys, ipg_id *payload, int64_t count,
                        const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_error *error) {
  const uint64_t differ = differing_bits(keys, count);
  if (!differ) return IPG_OK;
  const ipg_status status = reserve(sorter, payload, count, allocator, error);
  if (status) return status;
  uint64_t *from = keys, *to = sorter->keys.data;
  ipg_id *from_payload = payload, *to_payload = payload ? sorter->payload.data : NULL;
  for (int shift = 0; shift < 64; shift += 8) {
    if (!(differ >> shift & (DIGITS - 1))) continue;
    pass p = {from, to, from_payload, to_payload, sorter->histograms.data, shift};
    ipg_tasks_for(tasks, count_digits, &p, 0, count, GRAIN);
    scan_places(p.places, ipg_chunk_count(count, GRAIN));
    ipg_tasks_for(tasks, move_keys, &p, 0, count, GRAIN);
    uint64_t *swap = from;
    from = to, to = swap;
    ipg_id *swap_payload = from_payload;
    from_payload = to_payload, to_payload = swap_payload;
  }
  if (from != keys) {
    memcpy(keys, from, (size_t)count * sizeof *keys);
    if (payload) memcpy(payload, from_payload, (size_t)count * sizeof *payload);
  }
  return IPG_OK;
}

void ipg_sorter_free(ipg_sorter *sorter, const ipg_allocator *allocator) {
  ipg_buffer_free(&sorter->keys, allocator);
  ipg_buffer_free(&sorter->payload, allocator);
  ipg_buffer_free(&sorter->histograms, allocator);
}
