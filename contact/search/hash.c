/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Uniform spatial hashing: one size of cells over all of space, and only those with items in them are stored.
 *
 * A box is entered in every cell that it covers; the cell's integer coordinates are hashed to a slot of a table of
 * fixed length. Two boxes that overlap meet in some cell. Boxes that would cover more than 64 cells are kept apart and
 * compared with everything, so that memory stays bounded.
 * Each pair once: it is reported in the cell that holds the lowest corner of the overlap, which both boxes cover;
 * other cells in which they meet, and strangers that share a slot by accident, do not report it.
 * Items are added in order, so a chain runs from high to low: the self question stops at the item that asks.
 *
 * Teschner, Heidelberger, Müller, Pomerantes and Gross 2003, "Optimized spatial hashing for collision detection of
 * deformable objects", after the account of Pouchol, Ahmad, Crespin and Terraz 2009. */
#include "grid.h"
#include "hash_chains.h"
#include "support/vec.h"

enum { MOST_CELLS = 64, EDGES_PER_CELL = 2, SLOTS_PER_ITEM = 4, GRAIN = 256 };

typedef struct hash {
  ipg_grid grid;
  ipg_hash_chains chains;
  ipg_id *giants; /* items that are kept apart, ascending */
  int64_t giant_count;
  ipg_buffer giant_buffer;
} hash;

static bool is_giant(const ipg_cell_range *cells) { return ipg_count_cells(cells) > MOST_CELLS; }

/* Lists the giants and returns the number of cells of the others. */
static int64_t count_cells(hash *h, const ipg_set *set) {
  int64_t cells = 0;
  h->giant_count = 0;
  for (ipg_id i = 0; i < set->count; ++i) {
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &set->boxes[i]);
    if (is_giant(&covered)) h->giants[h->giant_count++] = i;
    else cells += (int64_t)ipg_count_cells(&covered);
  }
  return cells;
}

/* Cells twice as wide as the mean edge, or wider: while giants are more than the items in a cell of twice the width,
 * that width costs less. */
static int64_t choose_cells(hash *h, const ipg_set *set) {
  double edge = EDGES_PER_CELL * ipg_grid_mean_edge(&set->bounds, set->count);
  for (;; edge *= 2) {
    h->grid = ipg_make_grid(&set->bounds, edge, (int64_t)1 << 52);
    const int64_t cells = count_cells(h, set);
    if (!((double)h->giant_count > ipg_grid_mean_occupancy(&set->bounds, set->count, 2 * edge))) return cells;
  }
}

static void insert(hash *h, ipg_id item, const ipg_cell_range *covered) {
  int64_t cell[3];
  for (cell[2] = covered->lo[2]; cell[2] <= covered->hi[2]; ++cell[2])
    for (cell[1] = covered->lo[1]; cell[1] <= covered->hi[1]; ++cell[1])
      for (cell[0] = covered->lo[0]; cell[0] <= covered->hi[0]; ++cell[0])
        ipg_hash_chains_add(&h->chains, ipg_hash_cell(cell, 0), item);
}

static ipg_status set(ipg_search *search, ipg_error *error) {
  hash *h = search->state;
  const ipg_set *items = &search->items;
  const ipg_allocator *allocator = &search->config.allocator;
  if (!items->count) return IPG_OK;
  ipg_status status = ipg_buffer_reserve(&h->giant_buffer, allocator, items->count, sizeof(ipg_id), error);
  if (status) return status;
  h->giants = h->giant_buffer.data;
  status = ipg_hash_chains_clear(&h->chains, allocator, SLOTS_PER_ITEM * items->count, choose_cells(h, items), error);
  if (status) return status;
  for (ipg_id i = 0; i < items->count; ++i) {
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &items->boxes[i]);
    if (!is_giant(&covered)) insert(h, i, &covered);
  }
  search->counters.records = h->chains.count + h->giant_count;
  search->counters.ordered = items->count;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- questions */

/* Box `a` of `first` asks for the items above `above`: above a in the self question, all in the other. */
typedef struct asking {
  ipg_search *search;
  const ipg_set *first;
  ipg_id a, above;
  int worker;
} asking;

static bool holds_the_lowest_corner(const ipg_grid *grid, const int64_t cell[3], const ipg_box *a, const ipg_box *b) {
  for (int k = 0; k < 3; ++k)
    if (ipg_grid_cell(grid, k, larger(a->lo[k], b->lo[k])) != cell[k]) return false;
  return true;
}

static void ask_cell(const asking *q, const hash *h, const int64_t cell[3]) {
  const ipg_hash_link *links = h->chains.links;
  uint32_t link = ipg_hash_chains_find_first(&h->chains, ipg_hash_cell(cell, 0));
  for (; link && links[link].item > q->above; link = links[link].next) {
    const ipg_id b = links[link].item;
    if (ipg_test_candidate(q->search, q->first, q->a, b, q->worker) &&
        holds_the_lowest_corner(&h->grid, cell, &q->first->boxes[q->a], &q->search->items.boxes[b]))
      ipg_report_pair(q->search, q->first, q->a, b, q->worker);
  }
}

static void ask_cells(const asking *q, const hash *h, const ipg_cell_range *covered) {
  int64_t cell[3];
  for (cell[2] = covered->lo[2]; cell[2] <= covered->hi[2]; ++cell[2])
    for (cell[1] = covered->lo[1]; cell[1] <= covered->hi[1]; ++cell[1])
      for (cell[0] = covered->lo[0]; cell[0] <= covered->hi[0]; ++cell[0]) ask_cell(q, h, cell);
}

static void compare(const asking *q, ipg_id b) {
  if (ipg_test_candidate(q->search, q->first, q->a, b, q->worker))
    ipg_report_pair(q->search, q->first, q->a, b, q->worker);
}

/* A giant meets the items behind it; the others meet the giants behind them, and each other in the cells. */
static void ask_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const hash *h = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const asking q = {search, &search->items, a, a, worker};
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &search->items.boxes[a]);
    if (is_giant(&covered)) {
      for (ipg_id b = a + 1; b < search->items.count; ++b) compare(&q, b);
    } else {
      for (int64_t i = h->giant_count; i-- && h->giants[i] > a;) compare(&q, h->giants[i]);
      ask_cells(&q, h, &covered);
    }
  }
}

/* A query that covers more cells than there are items looks at the items. */
static void ask_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const hash *h = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const asking q = {search, &search->queries, a, -1, worker};
    const ipg_cell_range covered = ipg_grid_cells_of_box(&h->grid, &search->queries.boxes[a]);
    if (ipg_count_cells(&covered) > (double)search->items.count) {
      for (ipg_id b = 0; b < search->items.count; ++b) compare(&q, b);
    } else {
      for (int64_t i = 0; i < h->giant_count; ++i) compare(&q, h->giants[i]);
      ask_cells(&q, h, &covered);
    }
  }
}

static ipg_status self(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, ask_items, search, 0, search->items.count, GRAIN);
  return IPG_OK;
}

static ipg_status query(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, ask_queries, search, 0, search->queries.count, GRAIN);
  return IPG_OK;
}

static void release(ipg_search *search) {
  hash *h = search->state;
  ipg_hash_chains_destroy(&h->chains, &search->config.allocator);
  ipg_buffer_destroy(&h->giant_buffer, &search->config.allocator);
}

const ipg_search_method ipg_search_hash = {
    .name = "hash", .state_bytes = sizeof(hash), .set = set, .self = self, .query = query, .release = release};
