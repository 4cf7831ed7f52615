/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Cells of one width over the box of all items, of which only those with items are stored.
 *
 * An item lies in the cell of its lower corner. Items are sorted by the number of their cell, x fastest, so those of a
 * row of cells along x stand together and are found by one binary search. A box looks into the rows that it covers,
 * and as far before them as the longest item reaches beyond its own cell. Items that reach further than 3 cells are
 * kept apart and compared with everything, so that the others need not look far.
 * Each pair once: an item is stored once, and in the self question looks only at what stands behind it.
 *
 * After the "cells (sparse)" of Aivazis 2010; storage by one sort instead of a map. */
#include "grid.h"

enum { AXIS_BITS = 21, MOST_REACH = 3, GRAIN = 256 };

typedef struct cells_sparse {
  ipg_grid grid;
  uint64_t *keys; /* of the cells, ascending */
  ipg_id *items;  /* in the order of keys; behind them the giants */
  int64_t count, giant_count;
  int64_t reach[3]; /* the highest difference of a stored item's cells */
  ipg_buffer key_buffer, item_buffer;
} cells_sparse;

static uint64_t key_of(int64_t x, int64_t y, int64_t z) {
  return (uint64_t)z << 2 * AXIS_BITS | (uint64_t)y << AXIS_BITS | (uint64_t)x;
}

static bool is_giant(const ipg_cell_range *cells) {
  for (int k = 0; k < 3; ++k)
    if (cells->hi[k] - cells->lo[k] > MOST_REACH) return true;
  return false;
}

static void store(cells_sparse *c, ipg_id item, const ipg_cell_range *covered) {
  for (int k = 0; k < 3; ++k)
    if (covered->hi[k] - covered->lo[k] > c->reach[k]) c->reach[k] = covered->hi[k] - covered->lo[k];
  c->keys[c->count] = key_of(covered->lo[0], covered->lo[1], covered->lo[2]);
  c->items[c->count++] = item;
}

static void place(cells_sparse *c, const ipg_set *set) {
  c->count = c->giant_count = 0;
  for (int k = 0; k < 3; ++k) c->reach[k] = 0;
  for (ipg_id i = 0; i < set->count; ++i) {
    const ipg_cell_range covered = ipg_grid_cells_of_box(&c->grid, &set->boxes[i]);
    if (is_giant(&covered)) c->items[set->count - ++c->giant_count] = i;
    else store(c, i, &covered);
  }
}

/* Cells as wide as the mean edge, or wider: while giants are more than the items in a cell of twice the width, that
 * width costs less. */
static void choose_cells(cells_sparse *c, const ipg_set *set) {
  double edge = ipg_grid_mean_edge(&set->bounds, set->count);
  for (;; edge *= 2) {
    c->grid = ipg_make_grid(&set->bounds, edge, (int64_t)1 << AXIS_BITS);
    place(c, set);
    if (!((double)c->giant_count > ipg_grid_mean_occupancy(&set->bounds, set->count, 2 * edge))) return;
  }
}

static ipg_status set(ipg_search *search, ipg_error *error) {
  cells_sparse *c = search->state;
  const ipg_set *items = &search->items;
  const ipg_allocator *allocator = &search->config.allocator;
  if (!items->count) return IPG_OK;
  ipg_status status = ipg_buffer_reserve(&c->key_buffer, allocator, items->count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&c->item_buffer, allocator, items->count, sizeof(ipg_id), error);
  if (status) return status;
  c->keys = c->key_buffer.data;
  c->items = c->item_buffer.data;
  choose_cells(c, items);
  search->counters.records = search->counters.ordered = items->count;
  return ipg_sort_u64(&search->sorter, c->keys, c->items, c->count, allocator, &search->config.tasks, error);
}

/* ------------------------------------------------------------------------------------------------------- questions */

/* Box `a` of `first` asks for stored items at `from` and behind. */
typedef struct asking {
  ipg_search *search;
  const ipg_set *first;
  ipg_id a;
  int worker;
  int64_t from;
} asking;

static void compare(const asking *q, ipg_id b) {
  const bool swap = q->first == &q->search->items && b < q->a;
  if (ipg_test_candidate(q->search, q->first, q->a, b, q->worker))
    ipg_report_pair(q->search, q->first, swap ? b : q->a, swap ? q->a : b, q->worker);
}

/* The first stored item at `first` or behind whose key is not below `key`. */
static int64_t lower_bound(const cells_sparse *c, int64_t first, uint64_t key) {
  int64_t last = c->count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (c->keys[middle] < key) first = middle + 1;
    else last = middle;
  }
  return first;
}

/* The cells in which items that overlap the covered ones may have their lower corners. */
static ipg_cell_range reached(const cells_sparse *c, const ipg_cell_range *covered) {
  ipg_cell_range cells = *covered;
  for (int k = 0; k < 3; ++k) cells.lo[k] = covered->lo[k] > c->reach[k] ? covered->lo[k] - c->reach[k] : 0;
  return cells;
}

/* All rows; for an item, whose q->from is not 0, those before its own cell hold nothing that it should see. */
static void ask_rows(const asking *q, const cells_sparse *c, const ipg_cell_range *covered) {
  const ipg_cell_range in = reached(c, covered);
  const uint64_t least = q->from ? c->keys[q->from - 1] : 0;
  for (int64_t z = in.lo[2]; z <= in.hi[2]; ++z)
    for (int64_t y = in.lo[1]; y <= in.hi[1]; ++y) {
      const uint64_t last = key_of(in.hi[0], y, z);
      if (last < least) continue;
      int64_t i = lower_bound(c, q->from, key_of(in.lo[0], y, z));
      for (; i < c->count && c->keys[i] <= last; ++i) compare(q, c->items[i]);
    }
}

static void ask_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const cells_sparse *c = search->state;
  const ipg_id *giants = c->items + c->count;
  for (int64_t i = begin; i < end; ++i) {
    const asking q = {search, &search->items, c->items[i], worker, i + 1};
    const ipg_cell_range covered = ipg_grid_cells_of_box(&c->grid, &search->items.boxes[q.a]);
    ask_rows(&q, c, &covered);
    for (int64_t g = 0; g < c->giant_count; ++g) compare(&q, giants[g]);
  }
}

static void ask_giants(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const cells_sparse *c = search->state;
  const ipg_id *giants = c->items + c->count;
  for (int64_t i = begin; i < end; ++i) {
    const asking q = {search, &search->items, giants[i], worker, 0};
    for (int64_t g = i + 1; g < c->giant_count; ++g) compare(&q, giants[g]);
  }
}

/* A query that looks into more rows than there are items looks at the items. */
static void ask_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const cells_sparse *c = search->state;
  for (int64_t a = begin; a < end; ++a) {
    const asking q = {search, &search->queries, (ipg_id)a, worker, 0};
    ipg_cell_range covered = ipg_grid_cells_of_box(&c->grid, &search->queries.boxes[a]), rows = reached(c, &covered);
    rows.hi[0] = rows.lo[0];
    const bool all = ipg_count_cells(&rows) > (double)search->items.count;
    if (!all) ask_rows(&q, c, &covered);
    for (int64_t i = all ? 0 : c->count; i < search->items.count; ++i) compare(&q, c->items[i]);
  }
}

static ipg_status self(ipg_search *search, ipg_error *error) {
  (void)error;
  const cells_sparse *c = search->state;
  ipg_tasks_for(&search->config.tasks, ask_items, search, 0, c->count, GRAIN);
  ipg_tasks_for(&search->config.tasks, ask_giants, search, 0, c->giant_count, GRAIN);
  return IPG_OK;
}

static ipg_status query(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, ask_queries, search, 0, search->queries.count, GRAIN);
  return IPG_OK;
}

static void release(ipg_search *search) {
  cells_sparse *c = search->state;
  ipg_buffer_destroy(&c->key_buffer, &search->config.allocator);
  ipg_buffer_destroy(&c->item_buffer, &search->config.allocator);
}

const ipg_search_method ipg_search_cells_sparse = {.name = "cells_sparse",
                                                   .state_bytes = sizeof(cells_sparse),
                                                   .set = set,
                                                   .self = self,
                                                   .query = query,
                                                   .release = release};
