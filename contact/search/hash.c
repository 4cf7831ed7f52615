/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Uniform spatial hashing: one cell size everywhere, and only cells with items are stored.
 *
 * A box is entered in every cell that it covers; the cell's integer coordinates are hashed to a slot of a table of
 * fixed length. Two boxes that overlap share some cell. Boxes that would cover more than 64 cells are stored separately
 * and compared with everything, so that memory stays bounded.
 * Each pair once: it is reported in the cell that holds the lowest corner of the overlap, which both boxes cover; other
 * cells that they share, and unrelated cells that share a slot, do not report it.
 * Items are added in order, so a chain runs from high to low: in a self search it is followed down to the item itself.
 *
 * Teschner, Heidelberger, Müller, Pomerantes and Gross 2003, "Optimized spatial hashing for collision detection of
 * deformable objects", after the account of Pouchol, Ahmad, Crespin and Terraz 2009. */
#include "hash_chains.h"

enum { MOST_CELLS = 64, EDGES_PER_CELL = 2, SLOTS_PER_ITEM = 4 };

typedef struct hash {
  ipg_grid grid;
  ipg_hash_chains chains;
  ipg_id *large; /* items that cover too many cells, ascending */
  int64_t large_count;
  ipg_buffer large_buffer;
} hash;

static bool is_large(const ipg_cell_range *cells) { return ipg_count_cells(cells) > MOST_CELLS; }

/* Lists the large items and returns the number of cells of the others. */
static int64_t count_cells(hash *h, const ipg_set *set) {
  int64_t cells = 0;
  h->large_count = 0;
  for (ipg_id i = 0; i < set->count; ++i) {
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &set->boxes[i]);
    if (is_large(&covered)) h->large[h->large_count++] = i;
    else cells += (int64_t)ipg_count_cells(&covered);
  }
  return cells;
}

/* Cells twice as wide as the mean edge, or wider: while there are more large items than items in a cell of twice the
 * width, twice the width costs less. */
static int64_t choose_cells(hash *h, const ipg_set *set) {
  double edge = EDGES_PER_CELL * ipg_grid_mean_edge(&set->bounds, set->count);
  for (;; edge *= 2) {
    h->grid = ipg_make_grid(&set->bounds, edge, (int64_t)1 << 52);
    const int64_t cells = count_cells(h, set);
    if (!((double)h->large_count > ipg_grid_mean_occupancy(&set->bounds, set->count, 2 * edge))) return cells;
  }
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  hash *h = search->state;
  const ipg_set *items = &search->items;
  const ipg_allocator *allocator = &search->config.allocator;
  if (!items->count) return IPG_OK;
  ipg_status status = ipg_buffer_reserve(&h->large_buffer, allocator, items->count, sizeof(ipg_id), error);
  if (status) return status;
  h->large = h->large_buffer.data;
  status = ipg_hash_chains_clear(&h->chains, allocator, SLOTS_PER_ITEM * items->count, choose_cells(h, items), error);
  if (status) return status;
  for (ipg_id i = 0; i < items->count; ++i) {
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &items->boxes[i]);
    if (!is_large(&covered)) ipg_hash_chains_add_cells(&h->chains, i, 0, &covered);
  }
  search->counters.records = h->chains.count + h->large_count;
  search->counters.ordered = items->count;
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- searches */

/* The search for the items above `above` that overlap box `a` of `first`: above a in a self search, all in a query. */
typedef struct box_query {
  ipg_search *search;
  const ipg_set *first;
  ipg_id a, above;
  int worker;
} box_query;

static bool holds_lowest_corner(const ipg_grid *grid, const int64_t cell[3], const ipg_box *a, const ipg_box *b) {
  for (int k = 0; k < 3; ++k)
    if (ipg_grid_cell(grid, k, larger(a->lo[k], b->lo[k])) != cell[k]) return false;
  return true;
}

static void compare_cell(const box_query *q, const hash *h, const int64_t cell[3]) {
  const ipg_hash_link *links = h->chains.links;
  uint32_t link = ipg_hash_chains_find_first(&h->chains, ipg_hash_cell(cell, 0));
  for (; link && links[link].item > q->above; link = links[link].next) {
    const ipg_id b = links[link].item;
    if (ipg_test_candidate(q->search, q->first, q->a, b, q->worker) &&
        holds_lowest_corner(&h->grid, cell, &q->first->boxes[q->a], &q->search->items.boxes[b]))
      ipg_report_pair(q->search, q->first, q->a, b, q->worker);
  }
}

static void compare_cells(const box_query *q, const hash *h, const ipg_cell_range *covered) {
  int64_t cell[3];
  for (cell[2] = covered->lo[2]; cell[2] <= covered->hi[2]; ++cell[2])
    for (cell[1] = covered->lo[1]; cell[1] <= covered->hi[1]; ++cell[1])
      for (cell[0] = covered->lo[0]; cell[0] <= covered->hi[0]; ++cell[0]) compare_cell(q, h, cell);
}

static void compare_item(const box_query *q, ipg_id b) { ipg_compare_boxes(q->search, q->first, q->a, b, q->worker); }

/* A large item is compared with all items behind it; the others with the large items behind them, and with each other
 * in the cells. */
static void compare_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const hash *h = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const box_query q = {search, &search->items, a, a, worker};
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &search->items.boxes[a]);
    if (is_large(&covered)) {
      for (ipg_id b = a + 1; b < search->items.count; ++b) compare_item(&q, b);
    } else {
      for (int64_t i = h->large_count; i-- && h->large[i] > a;) compare_item(&q, h->large[i]);
      compare_cells(&q, h, &covered);
    }
  }
}

/* A query that covers more cells than there are items is compared with all items. */
static void compare_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const hash *h = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const box_query q = {search, &search->queries, a, -1, worker};
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &search->queries.boxes[a]);
    if (ipg_count_cells(&covered) > (double)search->items.count) {
      for (ipg_id b = 0; b < search->items.count; ++b) compare_item(&q, b);
    } else {
      for (int64_t i = 0; i < h->large_count; ++i) compare_item(&q, h->large[i]);
      compare_cells(&q, h, &covered);
    }
  }
}

static void free_state(ipg_search *search) {
  hash *h = search->state;
  ipg_hash_chains_destroy(&h->chains, &search->config.allocator);
  ipg_buffer_destroy(&h->large_buffer, &search->config.allocator);
}

const ipg_search_method ipg_search_hash = {.name = "hash",
                                           .state_bytes = sizeof(hash),
                                           .set = set_items,
                                           .self_task = compare_items,
                                           .query_task = compare_queries,
                                           .grain = 256,
                                           .release = free_state};
