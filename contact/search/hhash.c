/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Hierarchical hashing: multilevel hashing whose cells store whether there are items in the finer cells below them.
 *
 * The key of a cell is the sum of the hashes of the cells that contain it, from the coarsest level down to its own, so
 * a descent from the top reaches every cell with one more hash per level. On the way to the cells of its own level an
 * item marks the cells that contain them as parents; a search stops at cells that are not parents, and so skips empty
 * space. A hash collision may make a cell look like a parent, never the other way round. Levels without items are left
 * out, but a cell has at most 4^3 finer ones, so that one large query among small items examines little more than the
 * cells that hold items. That holds only while fewer than one in 4^3 cells looks like a parent and is none, or a query
 * would find more such cells on each level than on the one above; so the table has 4 slots of 32 signatures per parent.
 *
 * The self search runs during insertion: coarse items first, so that all items inserted earlier that an item can
 * overlap lie on its way down. Each pair once: see ipg_level_reports_pair.
 *
 * Pouchol, Ahmad, Crespin and Terraz 2009, "A hierarchical hashing scheme for nearest neighbor search and broad-phase
 * collision detection". They advise a table of 100 slots per item; this one stores more of each key, and is fastest
 * with few. */
#include "hash_chains.h"
#include "hash_levels.h"

enum { SLOTS_PER_ITEM = 4, SLOTS_PER_PARENT = 4, MOST_STEP = 2, GRAIN = 64 };

typedef struct hhash {
  ipg_hash_levels levels;
  int level[IPG_HASH_LEVELS], level_count; /* coarsest first */
  ipg_id *order;                           /* items, coarsest first */
  int64_t cell_count, slot_count;
  bool filled;
  ipg_hash_chains chains;
  ipg_buffer order_buffer;
} hhash;

/* -------------------------------------------------------------------------------------------------------- descent */

/* The descent of an item that is inserted, or of a query. */
typedef struct descent {
  ipg_search *search;
  hhash *h;
  const ipg_set *first;
  ipg_id a;
  ipg_cell_range base;
  int own_level; /* where to insert; -1 for queries */
  bool compares; /* with the items in the cells on its way */
  int worker;
} descent;

static void compare_cell(const descent *d, int level, const int64_t cell[3], uint64_t key) {
  const ipg_hash_chains *chains = &d->h->chains;
  for (uint32_t link = ipg_hash_chains_find_first(chains, key); link; link = chains->links[link].next) {
    const ipg_id b = chains->links[link].item;
    if (d->own_level >= 0 && b == d->a) continue; /* added through another of its cells */
    if (ipg_test_candidate(d->search, d->first, d->a, b, d->worker) &&
        ipg_level_reports_pair(&d->h->levels, level, cell, &d->first->boxes[d->a], &d->search->items.boxes[b]))
      ipg_report_unordered(d->search, d->first, d->a, b, d->worker);
  }
}

/* True if the descent continues below this cell. An item marks its way and continues to its own level. */
static bool continues_below(const descent *d, int depth, uint64_t key) {
  const uint32_t signature = ipg_hash_signature(&d->h->chains, key);
  if (depth + 1 == d->h->level_count) return false; /* in spite of hash collisions */
  if (d->own_level < 0) {
    const ipg_hash_slot *slot = ipg_hash_chains_find_slot(&d->h->chains, key);
    return slot && slot->parents & signature;
  }
  if (d->h->level[depth] == d->own_level) return false;
  ipg_hash_chains_claim_slot(&d->h->chains, key)->parents |= signature;
  return true;
}

/* The cells of one level that the box covers, within a cell of the level above if there is one. */
static ipg_cell_range cells_below(const descent *d, int depth, const int64_t parent[3]) {
  ipg_cell_range cells = ipg_coarsen_cells(&d->base, d->h->level[depth]);
  if (!depth) return cells;
  const int64_t fold = (int64_t)1 << (d->h->level[depth - 1] - d->h->level[depth]);
  for (int k = 0; k < 3; ++k) {
    const int64_t lo = parent[k] * fold, hi = lo + fold - 1;
    if (cells.lo[k] < lo) cells.lo[k] = lo;
    if (cells.hi[k] > hi) cells.hi[k] = hi;
  }
  return cells;
}

static void descend_level(const descent *d, int depth, const int64_t parent[3], uint64_t parent_key) {
  const int level = d->h->level[depth];
  const ipg_cell_range covered = cells_below(d, depth, parent);
  int64_t cell[3];
  for (cell[2] = covered.lo[2]; cell[2] <= covered.hi[2]; ++cell[2])
    for (cell[1] = covered.lo[1]; cell[1] <= covered.hi[1]; ++cell[1])
      for (cell[0] = covered.lo[0]; cell[0] <= covered.hi[0]; ++cell[0]) {
        const uint64_t key = parent_key + ipg_hash_cell(cell, (uint64_t)level);
        if (d->compares) compare_cell(d, level, cell, key);
        if (level == d->own_level) ipg_hash_chains_add(&d->h->chains, key, d->a);
        if (continues_below(d, depth, key)) descend_level(d, depth + 1, cell, key);
      }
}

/* ---------------------------------------------------------------------------------------------------- construction */

static int find_item_level(const hhash *h, const ipg_set *items, int64_t i, ipg_cell_range *base) {
  *base = ipg_base_cells(&h->levels, &items->boxes[i]);
  return ipg_level_of_box(&h->levels, base);
}

/* Counts the items of each level, and all cells. */
static void count_levels(hhash *h, const ipg_set *items, int64_t counts[IPG_HASH_LEVELS]) {
  h->cell_count = 0;
  for (int64_t i = 0; i < items->count; ++i) {
    ipg_cell_range base;
    const int level = find_item_level(h, items, i, &base);
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

/* At most so many cells become parents. */
static double count_parents(const hhash *h, const ipg_set *items) {
  double counts[IPG_HASH_LEVELS] = {0}, sum = 0;
  const ipg_box all = {{items->bounds.lo[0], items->bounds.lo[1], items->bounds.lo[2]},
                       {items->bounds.hi[0], items->bounds.hi[1], items->bounds.hi[2]}};
  const ipg_cell_range everything = ipg_base_cells(&h->levels, &all);
  for (int64_t i = 0; i < items->count; ++i) {
    ipg_cell_range base;
    const int own_level = find_item_level(h, items, i, &base);
    for (int depth = 0; h->level[depth] > own_level; ++depth) {
      const ipg_cell_range covered = ipg_coarsen_cells(&base, h->level[depth]);
      counts[depth] += ipg_count_cells(&covered);
    }
  }
  for (int depth = 0; depth < h->level_count; ++depth) {
    const ipg_cell_range most = ipg_coarsen_cells(&everything, h->level[depth]);
    sum += smaller(counts[depth], ipg_count_cells(&most));
  }
  return sum;
}

static void sort_items(hhash *h, const ipg_set *items, int64_t counts[IPG_HASH_LEVELS]) {
  int64_t first = 0;
  for (int level = IPG_HASH_LEVELS - 1; level >= 0; --level) {
    const int64_t count = counts[level];
    counts[level] = first;
    first += count;
  }
  for (ipg_id i = 0; i < items->count; ++i) {
    ipg_cell_range base;
    h->order[counts[find_item_level(h, items, i, &base)]++] = i;
  }
}

/* Chooses levels and sorts; the table is filled by the first search. */
static ipg_status set_items(ipg_search *search, ipg_error *error) {
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
  sort_items(h, items, counts);
  h->slot_count = (int64_t)larger((double)SLOTS_PER_ITEM * (double)items->count,
                                  (double)SLOTS_PER_PARENT * count_parents(h, items));
  search->counters.records = h->cell_count;
  search->counters.ordered = items->count;
  return ipg_hash_chains_clear(&h->chains, &search->config.allocator, h->slot_count, h->cell_count, error);
}

static ipg_status fill_table(ipg_search *search, bool compares, ipg_error *error) {
  hhash *h = search->state;
  const ipg_set *items = &search->items;
  const ipg_status status =
      ipg_hash_chains_clear(&h->chains, &search->config.allocator, h->slot_count, h->cell_count, error);
  if (status) return status;
  for (int64_t i = 0; i < items->count; ++i) {
    descent d = {.search = search, .h = h, .first = items, .a = h->order[i], .compares = compares};
    d.own_level = find_item_level(h, items, d.a, &d.base);
    descend_level(&d, 0, NULL, 0);
  }
  h->filled = true;
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- searches */

static ipg_status search_self(ipg_search *search, ipg_error *error) { return fill_table(search, true, error); }

/* A query that covers more of the coarsest cells than there are items is compared with all items. */
static void compare_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  hhash *h = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    descent d = {.search = search, .h = h, .first = &search->queries, .a = a, .own_level = -1, .compares = true};
    d.worker = worker;
    d.base = ipg_base_cells(&h->levels, &search->queries.boxes[a]);
    const ipg_cell_range covered = ipg_coarsen_cells(&d.base, h->level[0]);
    if (ipg_count_cells(&covered) <= (double)search->items.count) descend_level(&d, 0, NULL, 0);
    else
      for (ipg_id b = 0; b < search->items.count; ++b) ipg_compare_boxes(search, &search->queries, a, b, worker);
  }
}

static ipg_status search_query(ipg_search *search, ipg_error *error) {
  const hhash *h = search->state;
  const ipg_status status = h->filled ? IPG_OK : fill_table(search, false, error);
  if (!status) ipg_tasks_for(&search->config.tasks, compare_queries, search, 0, search->queries.count, GRAIN);
  return status;
}

static void free_state(ipg_search *search) {
  hhash *h = search->state;
  ipg_hash_chains_destroy(&h->chains, &search->config.allocator);
  ipg_buffer_destroy(&h->order_buffer, &search->config.allocator);
}

const ipg_search_method ipg_search_hhash = {.name = "hhash",
                                            .state_bytes = sizeof(hhash),
                                            .set = set_items,
                                            .self = search_self,
                                            .query = search_query,
                                            .release = free_state};
