/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Multilevel hashing: cells of several sizes, each box in those that fit it.
 *
 * A box is entered in the cells of the level of its longest edge, at most 8; all levels share one hash table. In the
 * self question a box looks at its own level and at all coarser ones, so every pair is found from its smaller box, in
 * at most 8 cells per level. A query looks at every level there is; one that covers so many cells
 * of fine levels that a look at all items is cheaper does that.
 * Each pair once: see ipg_level_reports_pair. Items are added in order, so chains run from high to low.
 *
 * Eitz and Lixu 2007, "Hierarchical spatial hashing for real-time collision detection". */
#include "hash_chains.h"
#include "hash_levels.h"

enum { SLOTS_PER_ITEM = 4, ITEMS_PER_CELL_VISITED = 32, GRAIN = 256 }; /* comparisons that cost as much as a visit */

typedef struct mlhash {
  ipg_hash_levels levels;
  uint64_t present; /* one bit per level that has items */
  ipg_hash_chains chains;
} mlhash;

static int64_t count_cells(mlhash *m, const ipg_set *set) {
  int64_t count = 0;
  m->present = 0;
  for (int64_t i = 0; i < set->count; ++i) {
    const ipg_cell_range base = ipg_base_cells(&m->levels, &set->boxes[i]);
    const int level = ipg_level_of_box(&m->levels, &base);
    const ipg_cell_range covered = ipg_coarsen_cells(&base, level);
    m->present |= (uint64_t)1 << level;
    count += (int64_t)ipg_count_cells(&covered);
  }
  return count;
}

static void insert(mlhash *m, ipg_id item, int level, const ipg_cell_range *covered) {
  int64_t cell[3];
  for (cell[2] = covered->lo[2]; cell[2] <= covered->hi[2]; ++cell[2])
    for (cell[1] = covered->lo[1]; cell[1] <= covered->hi[1]; ++cell[1])
      for (cell[0] = covered->lo[0]; cell[0] <= covered->hi[0]; ++cell[0])
        ipg_hash_chains_add(&m->chains, ipg_hash_cell(cell, (uint64_t)level), item);
}

static ipg_status set(ipg_search *search, ipg_error *error) {
  mlhash *m = search->state;
  const ipg_set *items = &search->items;
  if (!items->count) return IPG_OK;
  m->levels = ipg_choose_hash_levels(&items->bounds, items->count);
  const ipg_status status = ipg_hash_chains_clear(&m->chains, &search->config.allocator, SLOTS_PER_ITEM * items->count,
                                                  count_cells(m, items), error);
  if (status) return status;
  for (ipg_id i = 0; i < items->count; ++i) {
    const ipg_cell_range base = ipg_base_cells(&m->levels, &items->boxes[i]);
    const int level = ipg_level_of_box(&m->levels, &base);
    const ipg_cell_range covered = ipg_coarsen_cells(&base, level);
    insert(m, i, level, &covered);
  }
  search->counters.records = m->chains.count;
  search->counters.ordered = items->count;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- questions */

/* Box `a` of `first` asks for the items of a level above `above`. */
typedef struct asking {
  ipg_search *search;
  const ipg_set *first;
  ipg_id a, above;
  int level, worker;
} asking;

/* A smaller box may well stand behind the larger one: pairs of the self question are put in order. */
static void report(const asking *q, ipg_id b) {
  const bool swap = q->first == &q->search->items && b < q->a;
  ipg_report_pair(q->search, q->first, swap ? b : q->a, swap ? q->a : b, q->worker);
}

static void ask_cell(const asking *q, const mlhash *m, const int64_t cell[3]) {
  const ipg_hash_link *links = m->chains.links;
  uint32_t link = ipg_hash_chains_find_first(&m->chains, ipg_hash_cell(cell, (uint64_t)q->level));
  for (; link && links[link].item > q->above; link = links[link].next) {
    const ipg_id b = links[link].item;
    if (ipg_test_candidate(q->search, q->first, q->a, b, q->worker) &&
        ipg_level_reports_pair(&m->levels, q->level, cell, &q->first->boxes[q->a], &q->search->items.boxes[b]))
      report(q, b);
  }
}

static void ask_level(const asking *q, const mlhash *m, const ipg_cell_range *base) {
  const ipg_cell_range covered = ipg_coarsen_cells(base, q->level);
  int64_t cell[3];
  for (cell[2] = covered.lo[2]; cell[2] <= covered.hi[2]; ++cell[2])
    for (cell[1] = covered.lo[1]; cell[1] <= covered.hi[1]; ++cell[1])
      for (cell[0] = covered.lo[0]; cell[0] <= covered.hi[0]; ++cell[0]) ask_cell(q, m, cell);
}

static void ask_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const mlhash *m = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const ipg_cell_range base = ipg_base_cells(&m->levels, &search->items.boxes[a]);
    asking q = {search, &search->items, a, a, ipg_level_of_box(&m->levels, &base), worker};
    ask_level(&q, m, &base);
    q.above = -1;
    while (++q.level < IPG_HASH_LEVELS)
      if (m->present >> q.level & 1) ask_level(&q, m, &base);
  }
}

static double count_all_cells(const mlhash *m, const ipg_cell_range *base) {
  double count = 0;
  for (int level = 0; level < IPG_HASH_LEVELS; ++level) {
    const ipg_cell_range covered = ipg_coarsen_cells(base, level);
    if (m->present >> level & 1) count += ipg_count_cells(&covered);
  }
  return count;
}

static void ask_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const mlhash *m = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const ipg_cell_range base = ipg_base_cells(&m->levels, &search->queries.boxes[a]);
    asking q = {search, &search->queries, a, -1, 0, worker};
    if (count_all_cells(m, &base) * ITEMS_PER_CELL_VISITED <= (double)search->items.count) {
      for (q.level = 0; q.level < IPG_HASH_LEVELS; ++q.level)
        if (m->present >> q.level & 1) ask_level(&q, m, &base);
    } else
      for (ipg_id b = 0; b < search->items.count; ++b)
        if (ipg_test_candidate(search, &search->queries, a, b, worker)) report(&q, b);
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
  mlhash *m = search->state;
  ipg_hash_chains_destroy(&m->chains, &search->config.allocator);
}

const ipg_search_method ipg_search_mlhash = {
    .name = "mlhash", .state_bytes = sizeof(mlhash), .set = set, .self = self, .query = query, .release = release};
