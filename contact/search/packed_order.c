/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sorts the boxes of a packed tree: they are scattered into buckets by the highest bits of their codes, then the codes
 * of each bucket are sorted in place.
 *
 * A box is moved once, in the caller's order, into one of a few hundred streams; afterwards boxes that are close in
 * space are close in memory, a bucket fits into a core's cache, and only words of code and slot are sorted. (Sorting
 * first and loading boxes by item afterwards waits for memory at every box: measured, 20 ns each.) */
#include "packed.h"
#include "support/morton.h"
#include "support/sort.h"

#include <string.h>

enum {
  GRAIN = 1 << 15,
  BUCKET = 1024,
  MOST_BUCKET_BITS = 10,
  DIGIT_BITS = 8,
  DIGITS = 1 << DIGIT_BITS,
  INSERTION_SORT = 48, /* at most that many words */
  MOST_EQUAL_CODES = 64,
  FINE_CELL_BITS = 10,
  FINE_CELLS = 1 << FINE_CELL_BITS
};

typedef struct scattering {
  ipg_packed *tree;
  const ipg_set *set;
  const uint32_t *codes; /* by item */
  const ipg_packed_kernels *kernels;
  uint64_t *scratch; /* for sorting */
  int64_t *offsets;  /* chunk-major: offsets[chunk * buckets + bucket] */
  int64_t buckets;
  int shift;
} scattering;

/* ------------------------------------------------------------------------------------------------------- scattering */

static void count_codes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const scattering *s = arg;
  int64_t *counts = s->offsets + begin / GRAIN * s->buckets;
  memset(counts, 0, (size_t)s->buckets * sizeof *counts);
  for (int64_t i = begin; i < end; ++i) counts[(uint64_t)s->codes[i] >> s->shift]++;
}

static void scatter_boxes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const scattering *s = arg;
  uint32_t *slots = s->tree->slot_of + begin;
  int64_t *offsets = s->offsets + begin / GRAIN * s->buckets;
  for (int64_t i = begin; i < end; ++i) s->tree->slot_of[i] = (uint32_t)offsets[(uint64_t)s->codes[i] >> s->shift]++;
  s->kernels->write_records(s->set->boxes + begin, slots, s->codes + begin, begin, end - begin, s->tree->records);
}

/* ----------------------------------------------------------------------------------------------- sorting one bucket */

static void insertion_sort(uint64_t *words, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const uint64_t word = words[i];
    int64_t j = i;
    for (; j > 0 && words[j - 1] > word; --j) words[j] = words[j - 1];
    words[j] = word;
  }
}

static void sort_by_digit(const uint64_t *from, uint64_t *to, int64_t count, int shift) {
  int64_t offsets[DIGITS] = {0}, sum = 0;
  for (int64_t i = 0; i < count; ++i) offsets[from[i] >> shift & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; ++d) {
    const int64_t digits = offsets[d];
    offsets[d] = sum;
    sum += digits;
  }
  for (int64_t i = 0; i < count; ++i) to[offsets[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Lowest digit of the code first; slots ascend already. */
static void sort_words(uint64_t *words, uint64_t *scratch, int64_t count, int bits) {
  if (count <= INSERTION_SORT) {
    insertion_sort(words, count);
    return;
  }
  uint64_t *from = words, *to = scratch;
  for (int done = 0; done < bits; done += DIGIT_BITS) {
    sort_by_digit(from, to, count, 32 + done);
    uint64_t *swap = from;
    from = to, to = swap;
  }
  if (from != words) memcpy(words, from, (size_t)count * sizeof *words);
}

/* The positions to which the records of a bucket are sorted, by the digit of their codes at `shift`. */
static void find_digit_positions(const ipg_record *records, int64_t count, int shift, int32_t first,
                                 int32_t positions[DIGITS]) {
  memset(positions, 0, DIGITS * sizeof *positions);
  for (int64_t i = 0; i < count; ++i) positions[records[i].code >> shift & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; ++d) {
    const int32_t digits = positions[d];
    positions[d] = first;
    first += digits;
  }
}

/* Records that share a digit and fit into a block are not distinguished further: no cut will separate them, so the
 * lower bits of their codes are cleared. Only digits with more records are sorted further. */
static uint32_t choose_kept_bits(int32_t begin, int32_t end, int shift) {
  return end - begin > IPG_LANES ? UINT32_MAX : ~(uint32_t)0 << shift;
}

/* Many boxes in one cell, such as a small cluster in a wide scene, are sorted by a grid of their own. Their words hold
 * codes of that grid meanwhile. Cells of that grid that hold many boxes are sorted in the same way. */
static void sort_equal_codes(const scattering *s, int64_t first, int64_t count) {
  const ipg_record *records = s->tree->records;
  uint64_t *words = s->tree->order + first;
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, scale[3];
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double centre = ipg_box_centre(&records[(uint32_t)words[i]].box, k);
      lo[k] = smaller(centre, lo[k]), hi[k] = larger(centre, hi[k]);
    }
  bool spread = false;
  for (int k = 0; k < 3; ++k) {
    scale[k] = FINE_CELLS / (hi[k] - lo[k]);
    if (!isfinite(scale[k])) scale[k] = 0;
    spread |= scale[k] > 0;
  }
  if (!spread) return;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
      const double at = (ipg_box_centre(&records[(uint32_t)words[i]].box, k) - lo[k]) * scale[k];
      cell[k] = (uint32_t)smaller(at, FINE_CELLS - 1);
    }
    words[i] = ipg_morton_interleave(cell) << 32 | (uint32_t)words[i];
  }
  sort_words(words, s->scratch + first, count, 3 * FINE_CELL_BITS);
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && words[end] >> 32 == words[begin] >> 32) ++end;
    if (end - begin > MOST_EQUAL_CODES) sort_equal_codes(s, first + begin, end - begin);
  }
}

static void sort_digit(const scattering *s, int64_t first, int64_t count, int bits) {
  const ipg_packed *tree = s->tree;
  uint64_t *words = tree->order + first;
  sort_words(words, s->scratch + first, count, bits);
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    const uint64_t code = words[begin] >> 32;
    while (end < count && words[end] >> 32 == code) ++end;
    if (end - begin <= MOST_EQUAL_CODES) continue;
    sort_equal_codes(s, first + begin, end - begin);
    for (int64_t i = begin; i < end; ++i) words[i] = code << 32 | (uint32_t)words[i];
  }
  for (int64_t position = first; position < first + count; ++position)
    tree->item_at[position] = tree->records[ipg_slot_at(tree, position)].item;
}

static void sort_bucket(const scattering *s, int64_t first, int64_t count) {
  const ipg_packed *tree = s->tree;
  const ipg_record *records = tree->records + first;
  const int shift = s->shift > DIGIT_BITS ? s->shift - DIGIT_BITS : 0;
  int32_t begin[DIGITS + 1], positions[DIGITS];
  uint32_t keep[DIGITS];
  find_digit_positions(records, count, shift, (int32_t)first, positions);
  memcpy(begin, positions, sizeof positions);
  begin[DIGITS] = (int32_t)(first + count);
  for (int d = 0; d < DIGITS; ++d) keep[d] = choose_kept_bits(begin[d], begin[d + 1], shift);
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t digit = records[i].code >> shift & (DIGITS - 1);
    const int32_t position = positions[digit]++;
    tree->order[position] = (uint64_t)(records[i].code & keep[digit]) << 32 | (uint64_t)(first + i);
    tree->item_at[position] = records[i].item;
  }
  for (int d = 0; d < DIGITS; ++d)
    if (begin[d + 1] - begin[d] > IPG_LANES) sort_digit(s, begin[d], begin[d + 1] - begin[d], shift);
}

/* The offset of a bucket in the last chunk has become its end. */
static void sort_buckets(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const scattering *s = arg;
  for (int64_t bucket = begin; bucket < end; ++bucket) {
    const int64_t first = bucket ? s->offsets[bucket - 1] : 0, count = s->offsets[bucket] - first;
    if (count) sort_bucket(s, first, count);
  }
}

/* ------------------------------------------------------------------------------------------------------------ order */

static ipg_status reserve_memory(ipg_packed *tree, ipg_search *search, int64_t count, int64_t offsets,
                                 ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  ipg_status status = ipg_buffer_reserve(&tree->order_buffer, allocator, count + IPG_AHEAD, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&tree->slot_buffer, allocator, count, sizeof(uint32_t), error);
  if (!status) status = ipg_buffer_reserve(&tree->item_buffer, allocator, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&tree->record_buffer, allocator, count + 1, sizeof(ipg_record), error);
  if (!status) status = ipg_buffer_reserve(&search->sorter.keys, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&search->sorter.histograms, allocator, offsets, sizeof(int64_t), error);
  tree->order = tree->order_buffer.data, tree->slot_of = tree->slot_buffer.data;
  tree->item_at = tree->item_buffer.data, tree->records = ipg_align_pointer(tree->record_buffer.data);
  return status;
}

static int choose_bucket_bits(int64_t count, int code_bits) {
  int bits = 0;
  while (bits < MOST_BUCKET_BITS && bits < code_bits && count >> bits > BUCKET) ++bits;
  return bits;
}

ipg_status ipg_packed_sort(ipg_packed *tree, ipg_search *search, const ipg_set *set, const uint32_t *codes,
                           ipg_error *error) {
  const ipg_tasks *tasks = &search->config.tasks;
  const int64_t chunks = ipg_chunk_count(set->count, GRAIN);
  const ipg_status status = reserve_memory(tree, search, set->count, chunks << MOST_BUCKET_BITS, error);
  if (status) return status;
  const int bits = choose_bucket_bits(set->count, tree->grid.code_bits);
  scattering s = {.tree = tree, .set = set, .codes = codes, .kernels = ipg_choose_packed_kernels(search)};
  s.buckets = (int64_t)1 << bits, s.shift = tree->grid.code_bits - bits;
  s.scratch = search->sorter.keys.data, s.offsets = search->sorter.histograms.data;
  memset(tree->order + set->count, 0, IPG_AHEAD * sizeof *tree->order);
  ipg_tasks_for(tasks, count_codes, &s, 0, set->count, GRAIN);
  ipg_sum_digit_counts(s.offsets, chunks, s.buckets);
  ipg_tasks_for(tasks, scatter_boxes, &s, 0, set->count, GRAIN);
  s.offsets += (chunks - 1) * s.buckets;
  ipg_tasks_for(tasks, sort_buckets, &s, 0, s.buckets, 1);
  return IPG_OK;
}
