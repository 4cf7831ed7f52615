/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Dense cells: a grid over the box of all items, each item in the cell of its lower corner, cells one after another.
 *
 * A row of cells along x is one run of items, and a box is compared with the few runs around it, 8 items at a time.
 * Coarser grids over the same box, each with cells twice as wide, take the boxes that reach further than the next cell:
 * every item reaches at most one cell beyond its own, and there are never more cells than about two per item.
 * Each pair once: an item is compared with the items behind it, and finer grids stand before coarser ones.
 *
 * Coordinates are compared as floats, x * scale - origin, scale a power of two. That is monotone: boxes that overlap in
 * doubles overlap in floats, and where floats differ their doubles differ too; where floats are equal the doubles are
 * compared.
 *
 * After the "cells (dense)" of Aivazis 2010, and the linked cells of molecular dynamics. */
#include "cells.h"
#include "grid.h"

enum { MOST_CELLS = 1 << 29, GRAIN = 4096, QUERY_GRAIN = 256 };
static const double EDGES_PER_CELL = 2.0, LEAST_SPACINGS = 0.7, MOST_SPACINGS = 2.0;

/* ------------------------------------------------------------------------------------------------ the size of cells */

/* The power of two for which x * scale lies in [-1, 1]. */
static double choose_scale(const ipg_bounds *bounds) {
  double most = 0;
  for (int k = 0; k < 3; ++k) most = larger(most, larger(fabs(bounds->lo[k]), fabs(bounds->hi[k])));
  const int exponent = most > 0 ? ilogb(most) + 1 : 0;
  return ldexp(1, exponent > -1022 ? -exponent : 1022);
}

/* A multiple of the mean edge of the boxes, but with neither many more nor many fewer cells than items. An edge that is
 * much too long is halved, so that some coarser grid has it. */
static double choose_edge(const ipg_bounds *scaled, double mean_edge, int64_t count) {
  const double spacing = ipg_grid_spacing(scaled, count);
  double edge = EDGES_PER_CELL * mean_edge;
  if (!(edge < 4)) edge = 4;
  while (edge > MOST_SPACINGS * spacing && spacing > 0) edge /= 2;
  return larger(edge, LEAST_SPACINGS * spacing);
}

static int64_t count_cells(const ipg_dense_grid *d, int level) {
  int64_t cells = 1;
  for (int k = 0; k < 3; ++k) cells *= (d->last[k] >> level) + 1;
  return cells;
}

static void set_cell_edge(ipg_dense_grid *d, const ipg_bounds *scaled, double edge) {
  for (int k = 0; k < 3; ++k) {
    d->cells[k] = (float)smaller(1 / edge, MOST_CELLS);
    d->last[k] = ipg_dense_cell(d, k, (float)scaled->hi[k]);
  }
}

static void choose_cells(ipg_dense_grid *d, const ipg_set *set) {
  ipg_bounds scaled = {{0}, {0}, {0}, {0}, true};
  d->scale = choose_scale(&set->bounds);
  for (int k = 0; k < 3; ++k) {
    d->origin[k] = set->bounds.lo[k] * d->scale;
    scaled.hi[k] = ipg_dense_float(d, k, set->bounds.hi[k]);
    scaled.sum[k] = set->bounds.sum[k] * d->scale;
  }
  double edge = choose_edge(&scaled, larger(scaled.sum[0], larger(scaled.sum[1], scaled.sum[2])) / (double)set->count,
                            set->count);
  set_cell_edge(d, &scaled, edge);
  while ((double)(d->last[0] + 1) * (d->last[1] + 1) * (d->last[2] + 1) >
         smaller(2 * (double)set->count + 64, MOST_CELLS))
    set_cell_edge(d, &scaled, edge *= 1.1);
  d->cell_count = d->level_count = 0;
  do d->cell_count += count_cells(d, d->level_count);
  while (count_cells(d, d->level_count++) > 1);
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  if (!search->items.count) return IPG_OK;
  choose_cells(search->state, &search->items);
  return ipg_dense_sort_items(search, error);
}

/* -------------------------------------------------------------------------------------------------------- searches */

static inline unsigned test_overlaps(const ipg_dense_grid *d, int64_t at, const float lo[3], const float hi[3]) {
  unsigned hits = 0;
  for (int i = 0; i < IPG_LANES; ++i) {
    bool both = true;
    for (int k = 0; k < 3; ++k) both &= (lo[k] <= d->hi[k][at + i]) & (d->lo[k][at + i] <= hi[k]);
    hits |= (unsigned)both << i;
  }
  return hits;
}

void ipg_dense_items_scalar(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_dense_compare_items(arg, begin, end, worker, test_overlaps);
}

void ipg_dense_queries_scalar(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_dense_compare_queries(arg, begin, end, worker, test_overlaps);
}

static ipg_task *choose_kernel(const ipg_search *search, ipg_task *scalar, ipg_task *avx2) {
  return search->simd == IPG_SIMD_AVX2 ? avx2 : scalar;
}

#ifndef IPG_HAVE_AVX2
#define ipg_dense_items_avx2 ipg_dense_items_scalar
#define ipg_dense_queries_avx2 ipg_dense_queries_scalar
#endif

static ipg_status search_self(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, choose_kernel(search, ipg_dense_items_scalar, ipg_dense_items_avx2), search, 0,
                search->items.count, GRAIN);
  return IPG_OK;
}

static void compute_query_keys(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  ipg_search *search = arg;
  const ipg_dense_grid *d = search->state;
  for (int64_t i = begin; i < end; ++i) {
    int64_t cell[3];
    for (int k = 0; k < 3; ++k) /* clamped: a query may lie so far outside that its cell is no number */
      cell[k] = ipg_dense_query_cell(d, k, ipg_dense_query_float(d, k, search->queries.boxes[i].lo[k]));
    ((uint64_t *)d->query_keys.data)[i] = (uint64_t)((cell[2] * d->levels[0].ny + cell[1]) * d->levels[0].nx + cell[0]);
    ((ipg_id *)d->query_ids.data)[i] = (ipg_id)i;
  }
}

/* Queries run in the order of cells, so that what one reads is still in the cache for the next. */
static ipg_status search_query(ipg_search *search, ipg_error *error) {
  ipg_dense_grid *d = search->state;
  const int64_t count = search->queries.count;
  const ipg_allocator *allocator = &search->config.allocator;
  const ipg_tasks *tasks = &search->config.tasks;
  ipg_status status = ipg_buffer_reserve(&d->query_keys, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&d->query_ids, allocator, count, sizeof(ipg_id), error);
  if (status || !count) return status;
  ipg_tasks_for(tasks, compute_query_keys, search, 0, count, GRAIN);
  status = ipg_sort_u64(&search->sorter, d->query_keys.data, d->query_ids.data, count, allocator, tasks, error);
  if (!status)
    ipg_tasks_for(tasks, choose_kernel(search, ipg_dense_queries_scalar, ipg_dense_queries_avx2), search, 0, count,
                  QUERY_GRAIN);
  return status;
}

static void free_state(ipg_search *search) {
  ipg_dense_grid *d = search->state;
  ipg_destroy_buffers(search, (ipg_buffer *[]){&d->coordinates, &d->id_buffer, &d->ends, &d->cells_of_items,
                                               &d->records, &d->histograms, &d->query_keys, &d->query_ids, NULL});
}

const ipg_search_method ipg_search_cells = {.name = "cells",
                                            .state_bytes = sizeof(ipg_dense_grid),
                                            .copies_boxes = true,
                                            .set = set_items,
                                            .self = search_self,
                                            .query = search_query,
                                            .release = free_state};
