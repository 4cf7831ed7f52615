/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The order of a packed tree: boxes are scattered into buckets by the highest bits of their codes, then each bucket's
 * codes are sorted where they are.
 *
 * A box is moved once, in the caller's order, into one of a few hundred streams; from then on its neighbours in space
 * are its neighbours in memory, a bucket fits into a core's cache, and what is sorted are words of code and spot.
 * (Sorting first and fetching boxes by item afterwards waits for memory at every box: measured, 20 ns each.) */
#include "packed.h"
#include "packed_grid.h"
#include "support/morton.h"
#include "support/sort.h"

#include <string.h>

enum {
  GRAIN = 1 << 15,
  BUCKET = 1024,
  MOST_BUCKET_BITS = 10,
  DIGIT_BITS = 8,
  DIGITS = 1 << DIGIT_BITS,
  FEW = 48,
  CROWD = 64,
  CROWD_CELL_BITS = 10,
  CROWD_CELLS = 1 << CROWD_CELL_BITS
};

typedef struct scattering {
  ipg_packed *tree;
  const ipg_set *set;
  const uint32_t *codes; /* by item */
  const ipg_packed_kernels *kernels;
  uint64_t *room;  /* for sorting */
  int64_t *places; /* chunk-major: places[chunk * buckets + bucket] */
  int64_t buckets;
  int shift;
} scattering;

/* ------------------------------------------------------------------------------------------------------- scattering */

static void count_codes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const scattering *s = arg;
  int64_t *counts = s->places + begin / GRAIN * s->buckets;
  memset(counts, 0, (size_t)s->buckets * sizeof *counts);
  for (int64_t i = begin; i < end; ++i) counts[(uint64_t)s->codes[i] >> s->shift]++;
}

static void scatter(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const scattering *s = arg;
  uint32_t *spots = s->tree->spot_of + begin;
  int64_t *places = s->places + begin / GRAIN * s->buckets;
  for (int64_t i = begin; i < end; ++i) s->tree->spot_of[i] = (uint32_t)places[(uint64_t)s->codes[i] >> s->shift]++;
  s->kernels->write_records(s->set->boxes + begin, spots, s->codes + begin, begin, end - begin, s->tree->records);
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
  int64_t places[DIGITS] = {0}, sum = 0;
  for (int64_t i = 0; i < count; ++i) places[from[i] >> shift & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; ++d) {
    const int64_t digits = places[d];
    places[d] = sum;
    sum += digits;
  }
  for (int64_t i = 0; i < count; ++i) to[places[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Lowest digit of the code first; spots ascend already. */
static void sort_words(uint64_t *words, uint64_t *room, int64_t count, int bits) {
  if (count <= FEW) {
    insertion_sort(words, count);
    return;
  }
  uint64_t *from = words, *to = room;
  for (int done = 0; done < bits; done += DIGIT_BITS) {
    sort_by_digit(from, to, count, 32 + done);
    uint64_t *swap = from;
    from = to, to = swap;
  }
  if (from != words) memcpy(words, from, (size_t)count * sizeof *words);
}

/* Where a bucket's records go, by the digit of their codes at `shift`. */
static void place_digits(const ipg_record *records, int64_t count, int shift, int32_t first, int32_t places[DIGITS]) {
  memset(places, 0, DIGITS * sizeof *places);
  for (int64_t i = 0; i < count; ++i) places[records[i].code >> shift & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; ++d) {
    const int32_t share = places[d];
    places[d] = first;
    first += share;
  }
}

/* Records that share a digit and fit into a block are alike from now on: no cut will part them, so the rest of their
 * codes is dropped. Only crowded digits are sorted further. */
static uint32_t bits_to_keep(int32_t begin, int32_t end, int shift) {
  return end - begin > IPG_LANES ? UINT32_MAX : ~(uint32_t)0 << shift;
}

/* Boxes crowded into one cell, such as a small cluster in a wide scene, are put in the order of a grid of their own.
 * Words hold codes of that grid meanwhile. Where a cell of it is crowded again, so again. */
static void order_crowd(const scattering *s, int64_t first, int64_t count) {
  const ipg_record *records = s->tree->records;
  uint64_t *words = s->tree->order + first;
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, scale[3];
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double centre = ipg_centre(&records[(uint32_t)words[i]].box, k);
      lo[k] = smaller(centre, lo[k]), hi[k] = larger(centre, hi[k]);
    }
  bool spread = false;
  for (int k = 0; k < 3; ++k) {
    scale[k] = CROWD_CELLS / (hi[k] - lo[k]);
    if (!isfinite(scale[k])) scale[k] = 0;
    spread |= scale[k] > 0;
  }
  if (!spread) return;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
      const double at = (ipg_centre(&records[(uint32_t)words[i]].box, k) - lo[k]) * scale[k];
      cell[k] = (uint32_t)smaller(at, CROWD_CELLS - 1);
    }
    words[i] = ipg_morton_interleave(cell) << 32 | (uint32_t)words[i];
  }
  sort_words(words, s->room + first, count, 3 * CROWD_CELL_BITS);
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && words[end] >> 32 == words[begin] >> 32) ++end;
    if (end - begin > CROWD) order_crowd(s, first + begin, end - begin);
  }
}

static void sort_crowd(const scattering *s, int64_t first, int64_t count, int bits) {
  const ipg_packed *tree = s->tree;
  uint64_t *words = tree->order + first;
  sort_words(words, s->room + first, count, bits);
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    const uint64_t code = words[begin] >> 32;
    while (end < count && words[end] >> 32 == code) ++end;
    if (end - begin <= CROWD) continue;
    order_crowd(s, first + begin, end - begin);
    for (int64_t i = begin; i < end; ++i) words[i] = code << 32 | (uint32_t)words[i];
  }
  for (int64_t place = first; place < first + count; ++place)
    tree->item_at[place] = tree->records[ipg_spot(tree, place)].item;
}

static void sort_bucket(const scattering *s, int64_t first, int64_t count) {
  const ipg_packed *tree = s->tree;
  const ipg_record *records = tree->records + first;
  const int shift = s->shift > DIGIT_BITS ? s->shift - DIGIT_BITS : 0;
  int32_t begin[DIGITS + 1], places[DIGITS];
  uint32_t keep[DIGITS];
  place_digits(records, count, shift, (int32_t)first, places);
  memcpy(begin, places, sizeof places);
  begin[DIGITS] = (int32_t)(first + count);
  for (int d = 0; d < DIGITS; ++d) keep[d] = bits_to_keep(begin[d], begin[d + 1], shift);
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t digit = records[i].code >> shift & (DIGITS - 1);
    const int32_t place = places[digit]++;
    tree->order[place] = (uint64_t)(records[i].code & keep[digit]) << 32 | (uint64_t)(first + i);
    tree->item_at[place] = records[i].item;
  }
  for (int d = 0; d < DIGITS; ++d)
    if (begin[d + 1] - begin[d] > IPG_LANES) sort_crowd(s, begin[d], begin[d + 1] - begin[d], shift);
}

/* A bucket's place in the last chunk has become its end. */
static void sort_buckets(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const scattering *s = arg;
  for (int64_t bucket = begin; bucket < end; ++bucket) {
    const int64_t first = bucket ? s->places[bucket - 1] : 0, count = s->places[bucket] - first;
    if (count) sort_bucket(s, first, count);
  }
}

/* ------------------------------------------------------------------------------------------------------------ order */

static ipg_status reserve(ipg_packed *tree, ipg_search *search, int64_t count, int64_t places, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  ipg_status status = ipg_buffer_reserve(&tree->order_buffer, allocator, count + IPG_AHEAD, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&tree->spot_buffer, allocator, count, sizeof(uint32_t), error);
  if (!status) status = ipg_buffer_reserve(&tree->item_buffer, allocator, count, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&tree->record_buffer, allocator, count + 1, sizeof(ipg_record), error);
  if (!status) status = ipg_buffer_reserve(&search->sorter.keys, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&search->sorter.histograms, allocator, places, sizeof(int64_t), error);
  tree->order = tree->order_buffer.data, tree->spot_of = tree->spot_buffer.data;
  tree->item_at = tree->item_buffer.data, tree->records = ipg_aligned(tree->record_buffer.data);
  return status;
}

static int bucket_bits(int64_t count, int code_bits) {
  int bits = 0;
  while (bits < MOST_BUCKET_BITS && bits < code_bits && count >> bits > BUCKET) ++bits;
  return bits;
}

ipg_status ipg_packed_sort(ipg_packed *tree, ipg_search *search, const ipg_set *set, const uint32_t *codes,
                           ipg_error *error) {
  const ipg_tasks *tasks = &search->config.tasks;
  const int64_t chunks = ipg_chunk_count(set->count, GRAIN);
  const ipg_status status = reserve(tree, search, set->count, chunks << MOST_BUCKET_BITS, error);
  if (status) return status;
  const int bits = bucket_bits(set->count, tree->grid.code_bits);
  scattering s = {.tree = tree, .set = set, .codes = codes, .kernels = ipg_packed_kernels_of(search)};
  s.buckets = (int64_t)1 << bits, s.shift = tree->grid.code_bits - bits;
  s.room = search->sorter.keys.data, s.places = search->sorter.histograms.data;
  memset(tree->order + set->count, 0, IPG_AHEAD * sizeof *tree->order);
  ipg_tasks_for(tasks, count_codes, &s, 0, set->count, GRAIN);
  ipg_scan_places(s.places, chunks, s.buckets);
  ipg_tasks_for(tasks, scatter, &s, 0, set->count, GRAIN);
  s.places += (chunks - 1) * s.buckets;
  ipg_tasks_for(tasks, sort_buckets, &s, 0, s.buckets, 1);
  return IPG_OK;
}
