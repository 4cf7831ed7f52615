/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Radix sort, least digit first. Every pass counts the digits of each chunk, sums the counts digit by digit and chunk
 * by chunk to offsets, and moves the keys there. Chunks are cut by size alone and each moves its keys in order, so the
 * result is stable and the same for any number of workers. Bits on which all keys agree, below the lowest and above the
 * highest that differ, are skipped; the bits between are cut into digits of at most 8 bits: more write streams than 256
 * cost more than the passes they save. */
#include "support/sort.h"

#include <string.h>

enum { MOST_DIGIT_BITS = 8, GRAIN = 1 << 15 };

typedef struct pass {
  const uint64_t *from_keys;
  uint64_t *to_keys;
  const ipg_id *from_payload;
  ipg_id *to_payload;
  int64_t *offsets; /* chunk-major: offsets[chunk * digits + digit] */
  int64_t digits;
  int shift;
} pass;

static void count_digits(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const pass *p = arg;
  int64_t *counts = p->offsets + begin / GRAIN * p->digits;
  memset(counts, 0, (size_t)p->digits * sizeof *counts);
  for (int64_t i = begin; i < end; ++i) counts[p->from_keys[i] >> p->shift & (uint64_t)(p->digits - 1)]++;
}

static void move_keys(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const pass *p = arg;
  int64_t *offsets = p->offsets + begin / GRAIN * p->digits;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t to = offsets[p->from_keys[i] >> p->shift & (uint64_t)(p->digits - 1)]++;
    p->to_keys[to] = p->from_keys[i];
    if (p->from_payload) p->to_payload[to] = p->from_payload[i];
  }
}

void ipg_sum_digit_counts(int64_t *offsets, int64_t chunks, int64_t digits) {
  int64_t sum = 0;
  for (int64_t digit = 0; digit < digits; ++digit)
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const int64_t count = offsets[chunk * digits + digit];
      offsets[chunk * digits + digit] = sum;
      sum += count;
    }
}

static uint64_t find_differing_bits(const uint64_t *keys, int64_t count) {
  uint64_t differ = 0;
  for (int64_t i = 1; i < count; ++i) differ |= keys[i] ^ keys[0];
  return differ;
}

/* For the largest number of digits: the memory depends on the number of keys, not on the keys. */
static ipg_status reserve_scratch(ipg_sorter *sorter, bool payload, int64_t count, const ipg_allocator *allocator,
                                  ipg_error *error) {
  const int64_t counts = ipg_chunk_count(count, GRAIN) << MOST_DIGIT_BITS;
  ipg_status status = ipg_buffer_reserve(&sorter->keys, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&sorter->histograms, allocator, counts, sizeof(int64_t), error);
  if (!status && payload) status = ipg_buffer_reserve(&sorter->payload, allocator, count, sizeof(ipg_id), error);
  return status;
}

static void run_pass(const pass *p, int64_t count, const ipg_tasks *tasks) {
  ipg_tasks_for(tasks, count_digits, (void *)p, 0, count, GRAIN);
  ipg_sum_digit_counts(p->offsets, ipg_chunk_count(count, GRAIN), p->digits);
  ipg_tasks_for(tasks, move_keys, (void *)p, 0, count, GRAIN);
}

ipg_status ipg_sort_from_bit(ipg_sorter *sorter, uint64_t *keys, ipg_id *payload, int64_t count, int first_bit,
                             const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_error *error) {
  const uint64_t differ = find_differing_bits(keys, count) >> first_bit << first_bit;
  if (!differ) return IPG_OK;
  const int lowest = __builtin_ctzll(differ), span = 64 - __builtin_clzll(differ) - lowest;
  const int passes = (span + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS, bits = (span + passes - 1) / passes;
  const ipg_status status = reserve_scratch(sorter, payload, count, allocator, error);
  if (status) return status;
  uint64_t *from = keys, *to = sorter->keys.data;
  ipg_id *from_payload = payload, *to_payload = payload ? sorter->payload.data : NULL;
  for (int i = 0; i < passes; ++i) {
    const pass p = {from, to, from_payload, to_payload, sorter->histograms.data, (int64_t)1 << bits, lowest + i * bits};
    run_pass(&p, count, tasks);
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

ipg_status ipg_sort_u64(ipg_sorter *sorter, uint64_t *keys, ipg_id *payload, int64_t count,
                        const ipg_allocator *allocator, const ipg_tasks *tasks, ipg_error *error) {
  return ipg_sort_from_bit(sorter, keys, payload, count, 0, allocator, tasks, error);
}

bool ipg_repair_order(uint64_t *keys, ipg_id *payload, int64_t count, int64_t shifts_per_key) {
  int64_t shifts = 0;
  for (int64_t i = 1; i < count && shifts <= shifts_per_key * count; ++i) {
    const uint64_t key = keys[i];
    const ipg_id carried = payload ? payload[i] : 0;
    int64_t to = i;
    for (; to > 0 && keys[to - 1] > key; --to) {
      keys[to] = keys[to - 1];
      if (payload) payload[to] = payload[to - 1];
    }
    keys[to] = key;
    if (payload) payload[to] = carried;
    shifts += i - to;
  }
  return shifts <= shifts_per_key * count;
}

void ipg_sorter_destroy(ipg_sorter *sorter, const ipg_allocator *allocator) {
  ipg_buffer_destroy(&sorter->keys, allocator);
  ipg_buffer_destroy(&sorter->payload, allocator);
  ipg_buffer_destroy(&sorter->histograms, allocator);
}
