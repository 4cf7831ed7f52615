/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Hierarchical hashing: multilevel hashing whose cells know whether there is anything in the finer cells below them.
 *
 * The key of a cell is the sum of the hashes of the cells around it, from the coarsest level down to its own, so a walk
 * from the top reaches every cell with one hash more per level. On its way to the cells of its own level an item marks
 * the cells that it passes as parents; a question turns back at cells that are none, and so skips empty space.
 * Strangers that share a slot may make a cell look like a parent, never the other way round. Levels without items are
 * left out, but a cell has at most 4^3 finer ones, so that one large query among small items visits little more than
 * the cells with something in them.
 *
 * The self question is asked during insertion: coarse items first, so that all that an item can meet among those
 * before it lies on its way down. Each pair once: see ipg_level_reports_pair.
 *
 * Pouchol, Ahmad, Crespin and Terraz 2009, "A hierarchical hashing scheme for nearest neighbor search and broad-phase
 * collision detection". They advise a table of 100 slots per item; ours remembers more of each key, and is fastest
 * with few. */
#include "hash_chains.h"
#include "hash_levels.h"

enum { SLOTS_PER_ITEM = 4, MOST_STEP = 2, GRAIN = 64 };

typedef struct hhash {
  ipg_hash_levels levels;
  int level[IPG_HASH_LEVELS], level_count; /* coarsest first */
  ipg_id *order;                           /* items, coarsest first */
  int64_t cell_count;
  bool filled;
  ipg_hash_chains chains;
  ipg_buffer order_buffer;
} hhash;

/* -------------------------------------------------------------------------------------------------- the walk down */

/* An item that is to be inserted, or a query. */
typedef struct walk {
  ipg_search *search;
  hhash *h;
  const ipg_set *first;
  ipg_id a;
  ipg_cell_range base;
  int own_level; /* where to insert; -1 for queries */
  bool asks;
  int worker;
} walk;

static void report(const walk *w, ipg_id b) {
  const bool swap = w->own_level >= 0 && b < w->a;
  ipg_report_pair(w->search, w->first, swap ? b : w->a, swap ? w->a : b, w->worker);
}

static void ask_cell(const walk *w, int level, const int64_t cell[3], uint64_t key) {
  const ipg_hash_chains *chains = &w->h->chains;
  for (uint32_t link = ipg_hash_chains_find_first(chains, key); link; link = chains->links[link].next) {
    const ipg_id b = chains->links[link].item;
    if (w->own_level >= 0 && b == w->a) continue; /* through another of its cells */
    if (ipg_test_candidate(w->search, w->first, w->a, b, w->worker) &&
        ipg_level_reports_pair(&w->h->levels, level, cell, &w->first->boxes[w->a], &w->search->items.boxes[b]))
      report(w, b);
  }
}

/* Must the walk go on below this cell? An item marks its way and goes on to its own level. */
static bool goes_on(const walk *w, int depth, uint64_t key) {
  const uint32_t signature = ipg_hash_signature(&w->h->chains, key);
  if (depth + 1 == w->h->level_count) return false; /* whatever strangers say */
  if (w->own_level < 0) {
    const ipg_hash_slot *slot = ipg_hash_chains_find_slot(&w->h->chains, key);
    return slot && slot->parents & signature;
  }
  if (w->h->level[depth] == w->own_level) return false;
  ipg_hash_chains_claim_slot(&w->h->chains, key)->parents |= signature;
  return true;
}

/* The cells of one level that the walker covers, within a cell of the level above if there is one. */
static ipg_cell_range cells_below(const walk *w, int depth, const int64_t parent[3]) {
  ipg_cell_range cells = ipg_coarsen_cells(&w->base, w->h->level[depth]);
  if (!depth) return cells;
  const int64_t fold = (int64_t)1 << (w->h->level[depth - 1] - w->h->level[depth]);
  for (int k = 0; k < 3; ++k) {
    const int64_t lo = parent[k] * fold, hi = lo + fold - 1;
    if (cells.lo[k] < lo) cells.lo[k] = lo;
    if (cells.hi[k] > hi) cells.hi[k] = hi;
  }
  return cells;
}

static void descend(const walk *w, int depth, const int64_t parent[3], uint64_t parent_key) {
  const int level = w->h->level[depth];
  const ipg_cell_range covered = cells_below(w, depth, parent);
  int64_t cell[3];
  for (cell[2] = covered.lo[2]; cell[2] <= covered.hi[2]; ++cell[2])
    for (cell[1] = covered.lo[1]; cell[1] <= covered.hi[1]; ++cell[1])
      for (cell[0] = covered.lo[0]; cell[0] <= covered.hi[0]; ++cell[0]) {
        const uint64_t key = parent_key + ipg_hash_cell(cell, (uint64_t)level);
        if (w->asks) ask_cell(w, level, cell, key);
        if (level == w->own_level) ipg_hash_chains_add(&w->h->chains, key, w->a);
        if (goes_on(w, depth, key)) descend(w, depth + 1, cell, key);
      }
}

/* ---------------------------------------------------------------------------------------------------- construction */

static int level_of_item(const hhash *h, const ipg_set *items, int64_t i, ipg_cell_range *base) {
  *base = ipg_base_cells(&h->levels, &items->boxes[i]);
  return ipg_level_of_box(&h->levels, base);
}

/* Counts the items of each level, and all cells. */
static void count_levels(hhash *h, const ipg_set *items, int64_t counts[IPG_HASH_LEVELS]) {
  h->cell_count = 0;
  for (int64_t i = 0; i < items->count; ++i) {
    ipg_cell_range base;
    const int level = level_of_item(h, items, i, &base);
    const ipg_cell_range covered = ipg_coarsen_cells(&base, level);
    h->cell_count += (int64_t)ipg_count_cells(&covered);
    counts[level]++;
  }
}

/* The levels with items, and those that keep the steps between them short. */
static void list_levels(hhash *h, const int64_t counts[IPG_HASH_LEVELS]) {
  int lowest = 0;
  while (!counts[lowest]) ++lowest;
  h->level_count = 0;
  for (int level = IPG_HASH_LEVELS - 1; level >= lowest; --level)
    if (counts[level] || (h->level_count && h->level[h->level_count - 1] - level == MOST_STEP))
      h->level[h->level_count++] = level;
}

static void order_items(hhash *h, const ipg_set *items, int64_t counts[IPG_HASH_LEVELS]) {
  int64_t place = 0;
  for (int level = IPG_HASH_LEVELS - 1; level >= 0; --level) {
    const int64_t count = counts[level];
    counts[level] = place;
    place += count;
  }
  for (ipg_id i = 0; i < items->count; ++i) {
    ipg_cell_range base;
    h->order[counts[level_of_item(h, items, i, &base)]++] = i;
  }
}

/* Measures and orders; the table is filled when the first question comes. */
static ipg_status set(ipg_search *search, ipg_error *error) {
  hhash *h = search->state;
  const ipg_set *items = &search->items;
  int64_t counts[IPG_HASH_LEVELS] = {0};
  h->filled = false;
  if (!items->count) return IPG_OK;
  const ipg_status status =
      ipg_buffer_reserve(&h->order_buffer, &search->config.allocator, items->count, sizeof(ipg_id), error);
  if (status) return status;
  h->order = h->order_buffer.data;
  h->levels = ipg_choose_hash_levels(&items->bounds, items->count);
  count_levels(h, items, counts);
  list_levels(h, counts);
  order_items(h, items, counts);
  search->counters.records = h->cell_count;
  search->counters.ordered = items->count;
  return ipg_hash_chains_clear(&h->chains, &search->config.allocator, SLOTS_PER_ITEM * items->count, h->cell_count,
                               error);
}

static ipg_status fill(ipg_search *search, bool asks, ipg_error *error) {
  hhash *h = search->state;
  const ipg_set *items = &search->items;
  const ipg_status status =
      ipg_hash_chains_clear(&h->chains, &search->config.allocator, SLOTS_PER_ITEM * items->count, h->cell_count, error);
  if (status) return status;
  for (int64_t i = 0; i < items->count; ++i) {
    walk w = {.search = search, .h = h, .first = items, .a = h->order[i], .asks = asks};
    w.own_level = level_of_item(h, items, w.a, &w.base);
    descend(&w, 0, NULL, 0);
  }
  h->filled = true;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- questions */

static ipg_status self(ipg_search *search, ipg_error *error) { return fill(search, true, error); }

/* A query that covers more of the coarsest cells than there are items looks at the items. */
static void ask_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  hhash *h = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    walk w = {.search = search, .h = h, .first = &search->queries, .a = a, .own_level = -1, .asks = true};
    w.worker = worker;
    w.base = ipg_base_cells(&h->levels, &search->queries.boxes[a]);
    const ipg_cell_range covered = ipg_coarsen_cells(&w.base, h->level[0]);
    if (ipg_count_cells(&covered) <= (double)search->items.count) descend(&w, 0, NULL, 0);
    else
      for (ipg_id b = 0; b < search->items.count; ++b)
        if (ipg_test_candidate(search, &search->queries, a, b, worker)) report(&w, b);
  }
}

static ipg_status query(ipg_search *search, ipg_error *error) {
  const hhash *h = search->state;
  const ipg_status status = h->filled ? IPG_OK : fill(search, false, error);
  if (!status) ipg_tasks_for(&search->config.tasks, ask_queries, search, 0, search->queries.count, GRAIN);
  return status;
}

static void release(ipg_search *search) {
  hhash *h = search->state;
  ipg_hash_chains_destroy(&h->chains, &search->config.allocator);
  ipg_buffer_destroy(&h->order_buffer, &search->config.allocator);
}

const ipg_search_method ipg_search_hhash = {
    .name = "hhash", .state_bytes = sizeof(hhash), .set = set, .self = self, .query = query, .release = release};
