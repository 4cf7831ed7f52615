/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Multilevel hashing: cells of several sizes, each box in those that fit it.
 *
 * A box is entered in the cells of the level of its longest edge, at most 8; all levels share one hash table. In a self
 * search a box is compared with its own level and with all coarser ones, so every pair is found from its smaller box,
 * in at most 8 cells per level. A query is compared with every level that has items, or with all items where it covers
 * so many cells of fine levels that this is cheaper. Each pair once: see ipg_level_reports_pair. Items are added in
 * order, so chains run from high to low.
 *
 * Eitz and Lixu 2007, "Hierarchical spatial hashing for real-time collision detection". */
#include "hash_chains.h"
#include "hash_levels.h"

/* A lookup of a cell costs as much as that many comparisons. */
enum { SLOTS_PER_ITEM = 4, COMPARISONS_PER_CELL = 32 };

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

static ipg_status set_items(ipg_search *search, ipg_error *error) {
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
    ipg_hash_chains_add_cells(&m->chains, i, (uint64_t)level, &covered);
  }
  search->counters.records = m->chains.count;
  search->counters.ordered = items->count;
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- searches */

/* The search for the items of a level, above `above`, that overlap box `a` of `first`. A smaller box may stand behind
 * the larger one, so pairs are found in any order. */
typedef struct box_query {
  ipg_search *search;
  const ipg_set *first;
  ipg_id a, above;
  int level, worker;
} box_query;

static void compare_cell(const box_query *q, const mlhash *m, const int64_t cell[3]) {
  const ipg_hash_link *links = m->chains.links;
  uint32_t link = ipg_hash_chains_find_first(&m->chains, ipg_hash_cell(cell, (uint64_t)q->level));
  for (; link && links[link].item > q->above; link = links[link].next) {
    const ipg_id b = links[link].item;
    if (ipg_test_candidate(q->search, q->first, q->a, b, q->worker) &&
        ipg_level_reports_pair(&m->levels, q->level, cell, &q->first->boxes[q->a], &q->search->items.boxes[b]))
      ipg_report_unordered(q->search, q->first, q->a, b, q->worker);
  }
}

static void compare_level(const box_query *q, const mlhash *m, const ipg_cell_range *base) {
  const ipg_cell_range covered = ipg_coarsen_cells(base, q->level);
  int64_t cell[3];
  for (cell[2] = covered.lo[2]; cell[2] <= covered.hi[2]; ++cell[2])
    for (cell[1] = covered.lo[1]; cell[1] <= covered.hi[1]; ++cell[1])
      for (cell[0] = covered.lo[0]; cell[0] <= covered.hi[0]; ++cell[0]) compare_cell(q, m, cell);
}

static void compare_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const mlhash *m = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const ipg_cell_range base = ipg_base_cells(&m->levels, &search->items.boxes[a]);
    box_query q = {search, &search->items, a, a, ipg_level_of_box(&m->levels, &base), worker};
    compare_level(&q, m, &base);
    q.above = -1;
    while (++q.level < IPG_HASH_LEVELS)
      if (m->present >> q.level & 1) compare_level(&q, m, &base);
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

static void compare_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const mlhash *m = search->state;
  for (ipg_id a = (ipg_id)begin; a < end; ++a) {
    const ipg_cell_range base = ipg_base_cells(&m->levels, &search->queries.boxes[a]);
    box_query q = {search, &search->queries, a, -1, 0, worker};
    if (count_all_cells(m, &base) * COMPARISONS_PER_CELL <= (double)search->items.count) {
      for (q.level = 0; q.level < IPG_HASH_LEVELS; ++q.level)
        if (m->present >> q.level & 1) compare_level(&q, m, &base);
    } else
      for (ipg_id b = 0; b < search->items.count; ++b) ipg_compare_boxes(search, &search->queries, a, b, worker);
  }
}

static void free_state(ipg_search *search) {
  ipg_hash_chains_destroy(&((mlhash *)search->state)->chains, &search->config.allocator);
}

const ipg_search_method ipg_search_mlhash = {.name = "mlhash",
                                             .state_bytes = sizeof(mlhash),
                                             .set = set_items,
                                             .self_task = compare_items,
                                             .query_task = compare_queries,
                                             .grain = 256,
                                             .release = free_state};
