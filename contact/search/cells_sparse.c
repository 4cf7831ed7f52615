/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Cells of one width over the box of all items, of which only those with items are stored.
 *
 * An item lies in the cell of its lower corner. Items are sorted by the number of their cell, x fastest, so those of a
 * row of cells along x stand together and are found by one binary search. A box is compared with the rows that it
 * covers, and as far before them as the longest item reaches beyond its own cell. Items that reach further than 3 cells
 * are stored separately and compared with everything, so that this reach stays short.
 * Each pair once: an item is stored once, and in a self search is compared only with items behind it.
 *
 * After the "cells (sparse)" of Aivazis 2010; storage by one sort instead of a map. */
#include "grid.h"

enum { AXIS_BITS = 21, MOST_REACH = 3, GRAIN = 256 };

typedef struct cells_sparse {
  ipg_grid grid;
  uint64_t *keys; /* of the cells, ascending */
  ipg_id *items;  /* in the order of keys; behind them the large items */
  int64_t count, large_count;
  int64_t reach[3]; /* the largest difference of a stored item's cells */
  ipg_buffer key_buffer, item_buffer;
} cells_sparse;

static uint64_t cell_key(int64_t x, int64_t y, int64_t z) {
  return (uint64_t)z << 2 * AXIS_BITS | (uint64_t)y << AXIS_BITS | (uint64_t)x;
}

static bool is_large(const ipg_cell_range *cells) {
  for (int k = 0; k < 3; ++k)
    if (cells->hi[k] - cells->lo[k] > MOST_REACH) return true;
  return false;
}

static void store_item(cells_sparse *c, ipg_id item, const ipg_cell_range *covered) {
  for (int k = 0; k < 3; ++k)
    if (covered->hi[k] - covered->lo[k] > c->reach[k]) c->reach[k] = covered->hi[k] - covered->lo[k];
  c->keys[c->count] = cell_key(covered->lo[0], covered->lo[1], covered->lo[2]);
  c->items[c->count++] = item;
}

static void store_items(cells_sparse *c, const ipg_set *set) {
  c->count = c->large_count = 0;
  for (int k = 0; k < 3; ++k) c->reach[k] = 0;
  for (ipg_id i = 0; i < set->count; ++i) {
    const ipg_cell_range covered = ipg_grid_cells_of_box(&c->grid, &set->boxes[i]);
    if (is_large(&covered)) c->items[set->count - ++c->large_count] = i;
    else store_item(c, i, &covered);
  }
}

/* Cells as wide as the mean edge, or wider: while there are more large items than items in a cell of twice the width,
 * twice the width costs less. */
static void choose_cells(cells_sparse *c, const ipg_set *set) {
  double edge = ipg_grid_mean_edge(&set->bounds, set->count);
  for (;; edge *= 2) {
    c->grid = ipg_make_grid(&set->bounds, edge, (int64_t)1 << AXIS_BITS);
    store_items(c, set);
    if (!((double)c->large_count > ipg_grid_mean_occupancy(&set->bounds, set->count, 2 * edge))) return;
  }
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
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

/* -------------------------------------------------------------------------------------------------------- searches */

/* The search for the stored items at position `from` and behind that overlap box `a` of `first`. */
typedef struct box_query {
  ipg_search *search;
  const ipg_set *first;
  ipg_id a;
  int worker;
  int64_t from;
} box_query;

static void compare_item(const box_query *q, ipg_id b) { ipg_compare_boxes(q->search, q->first, q->a, b, q->worker); }

/* The position of the first stored item at `first` or behind whose key is not below `key`. */
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
static ipg_cell_range extend_by_reach(const cells_sparse *c, const ipg_cell_range *covered) {
  ipg_cell_range cells = *covered;
  for (int k = 0; k < 3; ++k) cells.lo[k] = covered->lo[k] > c->reach[k] ? covered->lo[k] - c->reach[k] : 0;
  return cells;
}

/* All rows; for an item, whose q->from is not 0, those before its own cell hold only items before it. */
static void compare_rows(const box_query *q, const cells_sparse *c, const ipg_cell_range *covered) {
  const ipg_cell_range in = extend_by_reach(c, covered);
  const uint64_t least = q->from ? c->keys[q->from - 1] : 0;
  for (int64_t z = in.lo[2]; z <= in.hi[2]; ++z)
    for (int64_t y = in.lo[1]; y <= in.hi[1]; ++y) {
      const uint64_t last = cell_key(in.hi[0], y, z);
      if (last < least) continue;
      int64_t i = lower_bound(c, q->from, cell_key(in.lo[0], y, z));
      for (; i < c->count && c->keys[i] <= last; ++i) compare_item(q, c->items[i]);
    }
}

static void compare_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const cells_sparse *c = search->state;
  const ipg_id *large = c->items + c->count;
  for (int64_t i = begin; i < end; ++i) {
    const box_query q = {search, &search->items, c->items[i], worker, i + 1};
    const ipg_cell_range covered = ipg_grid_cells_of_box(&c->grid, &search->items.boxes[q.a]);
    compare_rows(&q, c, &covered);
    for (int64_t g = 0; g < c->large_count; ++g) compare_item(&q, large[g]);
  }
}

static void compare_large_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const cells_sparse *c = search->state;
  const ipg_id *large = c->items + c->count;
  for (int64_t i = begin; i < end; ++i) {
    const box_query q = {search, &search->items, large[i], worker, 0};
    for (int64_t g = i + 1; g < c->large_count; ++g) compare_item(&q, large[g]);
  }
}

/* A query that covers more rows than there are items is compared with all items. */
static void compare_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const cells_sparse *c = search->state;
  for (int64_t a = begin; a < end; ++a) {
    const box_query q = {search, &search->queries, (ipg_id)a, worker, 0};
    ipg_cell_range covered = ipg_grid_cells_of_box(&c->grid, &search->queries.boxes[a]),
                   rows = extend_by_reach(c, &covered);
    rows.hi[0] = rows.lo[0];
    const bool all = ipg_count_cells(&rows) > (double)search->items.count;
    if (!all) compare_rows(&q, c, &covered);
    for (int64_t i = all ? 0 : c->count; i < search->items.count; ++i) compare_item(&q, c->items[i]);
  }
}

static ipg_status search_self(ipg_search *search, ipg_error *error) {
  (void)error;
  const cells_sparse *c = search->state;
  ipg_tasks_for(&search->config.tasks, compare_items, search, 0, c->count, GRAIN);
  ipg_tasks_for(&search->config.tasks, compare_large_items, search, 0, c->large_count, GRAIN);
  return IPG_OK;
}

static void free_state(ipg_search *search) {
  cells_sparse *c = search->state;
  ipg_destroy_buffers(search, (ipg_buffer *[]){&c->key_buffer, &c->item_buffer, NULL});
}

const ipg_search_method ipg_search_cells_sparse = {.name = "cells_sparse",
                                                   .state_bytes = sizeof(cells_sparse),
                                                   .set = set_items,
                                                   .self = search_self,
                                                   .query_task = compare_queries,
                                                   .grain = GRAIN,
                                                   .release = free_state};
