/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sorts the items of the dense grid by cell, as floats, and copies the caller's boxes.
 *
 * Two steps that use the cache well and divide their work by size alone: chunks of items are distributed to buckets of
 * neighbouring cells, then each bucket is sorted by counting. Items of one cell keep their order for any tasks. */
#include "cells.h"
#include "support/sort.h"

#include <string.h>

enum { BUCKETS = 1024, LEAST_CHUNK = 1 << 14, MOST_CHUNKS = 1024 };

/* An item in its bucket. */
typedef struct record {
  uint32_t cell;
  ipg_id id;
  float lo[3], hi[3];
} record;

typedef struct ordering {
  ipg_dense_grid *dense;
  const ipg_box *boxes;
  ipg_box *copies;
  uint32_t *cells; /* of the items */
  record *records;
  int64_t *offsets; /* chunk-major: offsets[chunk * BUCKETS + bucket] */
  int32_t *ends;    /* of cells */
  int64_t level_first[IPG_DENSE_LEVELS];
  int64_t grain, chunks;
  int shift; /* from cell to bucket */
} ordering;

static int find_level(const int lo[3], const int hi[3]) {
  int level = 0;
  for (int k = 0; k < 3; ++k)
    while ((hi[k] >> level) - (lo[k] >> level) > 1) ++level;
  return level;
}

static uint32_t find_cell(const ordering *o, const ipg_box *box) {
  const ipg_dense_grid *d = o->dense;
  int lo[3], hi[3];
  for (int k = 0; k < 3; ++k) {
    lo[k] = ipg_dense_cell(d, k, ipg_dense_float(d, k, box->lo[k]));
    hi[k] = ipg_dense_cell(d, k, ipg_dense_float(d, k, box->hi[k]));
  }
  const int level = find_level(lo, hi);
  const ipg_dense_level *l = &d->levels[level];
  const int64_t row = (lo[2] >> level) * l->ny + (lo[1] >> level);
  return (uint32_t)(o->level_first[level] + row * l->nx + (lo[0] >> level));
}

static void find_cells(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ordering *o = arg;
  int64_t *counts = o->offsets + begin / o->grain * BUCKETS;
  memset(counts, 0, BUCKETS * sizeof *counts);
  for (int64_t i = begin; i < end; ++i) {
    o->cells[i] = find_cell(o, &o->boxes[i]);
    counts[o->cells[i] >> o->shift]++;
  }
}

static void fill_buckets(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ordering *o = arg;
  int64_t *offsets = o->offsets + begin / o->grain * BUCKETS;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_box box = o->boxes[i];
    record *r = &o->records[offsets[o->cells[i] >> o->shift]++];
    r->cell = o->cells[i], r->id = (ipg_id)i;
    for (int k = 0; k < 3; ++k) {
      r->lo[k] = ipg_dense_float(o->dense, k, box.lo[k]);
      r->hi[k] = ipg_dense_float(o->dense, k, box.hi[k]);
    }
    o->copies[i] = box;
  }
}

static void store_item(const ipg_dense_grid *d, int64_t at, const record *r) {
  for (int k = 0; k < 3; ++k) d->lo[k][at] = r->lo[k], d->hi[k][at] = r->hi[k];
  d->ids[at] = r->id;
}

/* Sorts the items of the buckets [begin, end) by counting. The offsets of the last chunk have become the ends of the
 * buckets. */
static void sort_buckets(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const ordering *o = arg;
  const ipg_dense_grid *d = o->dense;
  const int64_t *bucket_ends = o->offsets + (o->chunks - 1) * BUCKETS;
  const int32_t first = begin ? (int32_t)bucket_ends[begin - 1] : 0, last = (int32_t)bucket_ends[end - 1];
  const int64_t cell = begin << o->shift, behind = end << o->shift < d->cell_count ? end << o->shift : d->cell_count;
  if (cell < behind) memset(o->ends + cell, 0, (size_t)(behind - cell) * sizeof *o->ends);
  for (int32_t i = first; i < last; ++i) o->ends[o->records[i].cell]++;
  int32_t sum = first;
  for (int64_t c = cell; c < behind; ++c) {
    const int32_t count = o->ends[c];
    o->ends[c] = sum;
    sum += count;
  }
  for (int32_t i = first; i < last; ++i) store_item(d, o->ends[o->records[i].cell]++, &o->records[i]);
}

/* ---------------------------------------------------------------------------------------------------------- levels */

static void set_levels(ipg_dense_grid *d, ordering *o) {
  int64_t first = 0;
  for (int level = 0; level < d->level_count; ++level) {
    ipg_dense_level *l = &d->levels[level];
    *l = (ipg_dense_level){
        (d->last[0] >> level) + 1, (d->last[1] >> level) + 1, (d->last[2] >> level) + 1, o->ends + first, 0, 0};
    o->level_first[level] = first;
    first += l->nx * l->ny * l->nz;
  }
}

static void count_level_items(ipg_dense_grid *d) {
  for (int level = 0; level < d->level_count; ++level) {
    ipg_dense_level *l = &d->levels[level];
    l->begin = l->ends[-1];
    l->count = l->ends[l->nx * l->ny * l->nz - 1] - l->begin;
    if (l->count) d->coarsest = level;
  }
}

/* Points into the buffers. The arrays end in 8 unused items that kernels may read. */
static void set_pointers(ipg_search *search, ordering *o) {
  ipg_dense_grid *d = search->state;
  const int64_t count = search->items.count, height = count + IPG_LANES;
  for (int k = 0; k < 3; ++k) {
    d->lo[k] = (float *)d->coordinates.data + k * height, d->hi[k] = d->lo[k] + 3 * height;
    memset(d->lo[k] + count, 0, IPG_LANES * sizeof(float));
    memset(d->hi[k] + count, 0, IPG_LANES * sizeof(float));
  }
  d->ids = d->id_buffer.data;
  o->copies = search->item_boxes.data, o->cells = d->cells_of_items.data;
  o->records = d->records.data, o->offsets = d->histograms.data;
  o->ends = (int32_t *)d->ends.data + 1;
  o->ends[-1] = 0;
}

static ipg_status reserve_memory(ipg_search *search, ordering *o, ipg_error *error) {
  ipg_dense_grid *d = search->state;
  ipg_set *items = &search->items;
  const ipg_allocator *allocator = &search->config.allocator;
  const int64_t height = items->count + IPG_LANES;
  ipg_status status = IPG_OK;
  if (items->boxes != search->item_boxes.data)
    status = ipg_buffer_reserve(&search->item_boxes, allocator, items->count, sizeof(ipg_box), error);
  if (!status) status = ipg_buffer_reserve(&d->coordinates, allocator, 6 * height, sizeof(float), error);
  if (!status) status = ipg_buffer_reserve(&d->id_buffer, allocator, height, sizeof(ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&d->ends, allocator, d->cell_count + 1, sizeof(int32_t), error);
  if (!status) status = ipg_buffer_reserve(&d->cells_of_items, allocator, items->count, sizeof(uint32_t), error);
  if (!status) status = ipg_buffer_reserve(&d->records, allocator, items->count, sizeof(record), error);
  if (!status) status = ipg_buffer_reserve(&d->histograms, allocator, o->chunks * BUCKETS, sizeof(int64_t), error);
  if (!status) set_pointers(search, o);
  return status;
}

ipg_status ipg_dense_sort_items(ipg_search *search, ipg_error *error) {
  ipg_dense_grid *d = search->state;
  const int64_t count = search->items.count;
  const ipg_tasks *tasks = &search->config.tasks;
  ordering o = {.dense = d, .boxes = search->items.boxes};
  o.grain = count / MOST_CHUNKS > LEAST_CHUNK ? count / MOST_CHUNKS + 1 : LEAST_CHUNK;
  o.chunks = ipg_chunk_count(count, o.grain);
  while (d->cell_count > (int64_t)BUCKETS << o.shift) ++o.shift;
  const ipg_status status = reserve_memory(search, &o, error);
  if (status) return status;
  set_levels(d, &o);
  ipg_tasks_for(tasks, find_cells, &o, 0, count, o.grain);
  ipg_sum_digit_counts(o.offsets, o.chunks, BUCKETS);
  ipg_tasks_for(tasks, fill_buckets, &o, 0, count, o.grain);
  ipg_tasks_for(tasks, sort_buckets, &o, 0, BUCKETS, 1);
  count_level_items(d);
  search->items.boxes = o.copies;
  search->counters.records = search->counters.ordered = count;
  return IPG_OK;
}
