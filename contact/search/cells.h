/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The dense grid, and the traversal of its cells that all kernels share.
 *
 * A kernel is this traversal around one function that compares a box with 8 stored items at once. It is written here
 * and compiled once per instruction set, so that the comparison is part of the loop and not a call. */
#ifndef IMPINGE_SEARCH_CELLS_H
#define IMPINGE_SEARCH_CELLS_H

#include "method.h"

enum { IPG_DENSE_LEVELS = 32, IPG_LANES = 8 };

typedef struct ipg_dense_level {
  int64_t nx, ny, nz;
  const int32_t *ends;  /* the end of each cell's items, x fastest; ends[-1] is where the first cell begins */
  int64_t begin, count; /* its items */
} ipg_dense_level;

typedef struct ipg_dense_grid {
  double scale, origin[3];                  /* from doubles to floats: x * scale - origin */
  float cells[3];                           /* per unit of a float coordinate */
  int last[3];                              /* the highest cell of the finest level */
  int level_count, coarsest;                /* levels; the last with items */
  ipg_dense_level levels[IPG_DENSE_LEVELS]; /* finest first */
  float *lo[3], *hi[3];                     /* in the order of cells */
  ipg_id *ids;
  int64_t cell_count;
  ipg_buffer coordinates, id_buffer, ends, cells_of_items, records, histograms, query_keys, query_ids;
} ipg_dense_grid;

/* Returns which of the items [at, at + 8) overlap [lo, hi], both as floats: bit 0 is item `at`. Always reads 8 items.
 */
typedef unsigned ipg_dense_test(const ipg_dense_grid *dense, int64_t at, const float lo[3], const float hi[3]);

/* The search for the items that one box overlaps. */
typedef struct ipg_dense_query {
  ipg_search *search;
  const ipg_dense_grid *dense;
  const ipg_set *first;
  ipg_id a;
  int worker;
  float lo[3], hi[3];
  int cell_lo[3], cell_hi[3];
} ipg_dense_query;

/* Sorts the items into cells, whose size and number are chosen already. */
ipg_status ipg_dense_sort_items(ipg_search *search, ipg_error *error);

/* The kernels: items or sorted queries [begin, end). */
ipg_task ipg_dense_items_scalar, ipg_dense_queries_scalar, ipg_dense_items_avx2, ipg_dense_queries_avx2;

/* 0 to 2 for items. */
static inline float ipg_dense_float(const ipg_dense_grid *dense, int axis, double x) {
  return (float)(x * dense->scale - dense->origin[axis]);
}

/* In floats throughout, so that a cell is the same wherever it is computed: GCC 12 vectorises a double that becomes a
 * float and a double again as if it had stayed a double. */
static inline int ipg_dense_cell(const ipg_dense_grid *dense, int axis, float x) {
  return (int)(x * dense->cells[axis]);
}

/* The same for queries, which may lie far outside: clamped. */
static inline float ipg_dense_query_float(const ipg_dense_grid *dense, int axis, double x) {
  const double at = x * dense->scale - dense->origin[axis];
  return (float)(at < -1 ? -1 : at > 4 ? 4 : at);
}

static inline int ipg_dense_query_cell(const ipg_dense_grid *dense, int axis, float x) {
  const float cell = x * dense->cells[axis];
  if (cell < 0) return 0;
  return cell < (float)dense->last[axis] ? (int)cell : dense->last[axis];
}

/* Reports a pair that overlaps as floats. Where all six floats differ, the doubles differ in the same way; the doubles
 * are compared only where floats are equal. */
static inline void ipg_dense_report(const ipg_dense_query *q, int64_t at) {
  const ipg_dense_grid *d = q->dense;
  const ipg_id b = d->ids[at];
  bool sure = true;
  for (int k = 0; k < 3; ++k) sure &= (q->lo[k] < d->hi[k][at]) & (d->lo[k][at] < q->hi[k]);
  if (!sure && !ipg_boxes_overlap(&q->first->boxes[q->a], &q->search->items.boxes[b])) return;
  ipg_report_unordered(q->search, q->first, q->a, b, q->worker);
}

/* Compares the items [begin, end) and returns how many. */
static inline int64_t ipg_dense_compare_run(const ipg_dense_query *q, int64_t begin, int64_t end,
                                            ipg_dense_test *test) {
  for (int64_t at = begin; at < end; at += IPG_LANES) {
    unsigned hits = test(q->dense, at, q->lo, q->hi);
    if (end - at < IPG_LANES) hits &= (1u << (end - at)) - 1;
    for (; hits; hits &= hits - 1) ipg_dense_report(q, at + __builtin_ctz(hits));
  }
  return begin < end ? end - begin : 0;
}

/* Queries are processed in the order of cells and may lie anywhere in the caller's arrays, so they are prefetched. */
static inline void ipg_dense_prefetch_query(const ipg_set *queries, ipg_id query) {
  __builtin_prefetch(&queries->boxes[query]), __builtin_prefetch(&queries->boxes[query].hi[2]);
  if (queries->keys) __builtin_prefetch(queries->keys + 4 * (int64_t)query);
}

/* Compares a box with a level: items reach at most one cell beyond their own, so the cells from one before the box's
 * first to its last are enough. */
static inline int64_t ipg_dense_compare_level(const ipg_dense_query *q, int level, ipg_dense_test *test) {
  const ipg_dense_level *l = &q->dense->levels[level];
  int64_t first[3], last[3], compared = 0;
  if (!l->count) return 0;
  for (int k = 0; k < 3; ++k) {
    first[k] = (q->cell_lo[k] >> level) - 1, last[k] = q->cell_hi[k] >> level;
    if (first[k] < 0) first[k] = 0;
  }
  for (int64_t z = first[2]; z <= last[2]; ++z)
    for (int64_t y = first[1]; y <= last[1]; ++y) {
      const int32_t *row = l->ends + (z * l->ny + y) * l->nx;
      compared += ipg_dense_compare_run(q, row[first[0] - 1], row[last[0]], test);
    }
  return compared;
}

/* The runs of items behind item i that it may overlap: what follows in its row, the next row, and three rows of the
 * next plane. They are compared even if the box does not reach so far: that branch would be unpredictable and cost more
 * than a comparison. */
static inline void ipg_dense_find_runs(const ipg_dense_query *q, int level, int64_t i, int64_t begin[5],
                                       int64_t end[5]) {
  static const int step_y[5] = {0, 1, -1, 0, 1}, step_z[5] = {0, 0, 1, 1, 1};
  const ipg_dense_level *l = &q->dense->levels[level];
  const int64_t x = q->cell_lo[0] >> level, x_last = ipg_dense_cell(q->dense, 0, q->hi[0]) >> level;
  for (int n = 0; n < 5; ++n) {
    const int64_t y = (q->cell_lo[1] >> level) + step_y[n], z = (q->cell_lo[2] >> level) + step_z[n];
    const bool inside = y >= 0 && y < l->ny && z < l->nz;
    const int32_t *row = l->ends + (inside ? (z * l->ny + y) * l->nx : 0);
    begin[n] = row[x > 0 ? x - 2 : -1];
    end[n] = inside ? row[x_last] : begin[n];
  }
  begin[0] = i + 1;
}

/* Compares item i with the items behind it in its level. Eight of each run at once, with the hits in one word, so that
 * only one loop has an unpredictable length; longer runs are finished afterwards. */
static inline int64_t ipg_dense_compare_behind(const ipg_dense_query *q, int level, int64_t i, ipg_dense_test *test) {
  int64_t begin[5], end[5], compared = 0;
  uint64_t hits = 0;
  bool more = false;
  ipg_dense_find_runs(q, level, i, begin, end);
  for (int n = 0; n < 5; ++n) {
    const int64_t length = end[n] - begin[n], lanes = length < IPG_LANES ? length : IPG_LANES;
    hits |= (uint64_t)(test(q->dense, begin[n], q->lo, q->hi) & ((1u << lanes) - 1)) << n * IPG_LANES;
    more |= length > IPG_LANES;
    compared += lanes;
  }
  for (; hits; hits &= hits - 1) {
    const int bit = __builtin_ctzll(hits);
    ipg_dense_report(q, begin[bit / IPG_LANES] + bit % IPG_LANES);
  }
  if (more)
    for (int n = 0; n < 5; ++n) compared += ipg_dense_compare_run(q, begin[n] + IPG_LANES, end[n], test);
  return compared;
}

/* Compares item i with the items behind it in its own level, and with all of coarser levels. */
static inline int64_t ipg_dense_compare_item(ipg_dense_query *q, int level, int64_t i, ipg_dense_test *test) {
  const ipg_dense_grid *d = q->dense;
  q->a = d->ids[i];
  for (int k = 0; k < 3; ++k) {
    q->lo[k] = d->lo[k][i], q->hi[k] = d->hi[k][i];
    q->cell_lo[k] = ipg_dense_cell(d, k, q->lo[k]);
  }
  int64_t compared = ipg_dense_compare_behind(q, level, i, test);
  if (d->coarsest == level) return compared;
  for (int k = 0; k < 3; ++k) q->cell_hi[k] = ipg_dense_cell(d, k, q->hi[k]);
  for (int coarser = level + 1; coarser <= d->coarsest; ++coarser)
    compared += ipg_dense_compare_level(q, coarser, test);
  return compared;
}

static inline void ipg_dense_compare_items(ipg_search *search, int64_t begin, int64_t end, int worker,
                                           ipg_dense_test *test) {
  const ipg_dense_grid *d = search->state;
  ipg_dense_query q = {.search = search, .dense = d, .first = &search->items, .worker = worker};
  int level = 0;
  int64_t compared = 0;
  for (int64_t i = begin; i < end; ++i) {
    while (i >= d->levels[level].begin + d->levels[level].count) ++level;
    compared += ipg_dense_compare_item(&q, level, i, test);
  }
  ipg_count_candidates(search, compared, worker);
}

static inline void ipg_dense_compare_queries(ipg_search *search, int64_t begin, int64_t end, int worker,
                                             ipg_dense_test *test) {
  const ipg_dense_grid *d = search->state;
  enum { AHEAD = 16 };
  const ipg_id *order = d->query_ids.data;
  ipg_dense_query q = {.search = search, .dense = d, .first = &search->queries, .worker = worker};
  int64_t compared = 0;
  for (int64_t i = begin; i < end; ++i) {
    q.a = order[i];
    if (i + AHEAD < end) ipg_dense_prefetch_query(&search->queries, order[i + AHEAD]);
    for (int k = 0; k < 3; ++k) {
      q.lo[k] = ipg_dense_query_float(d, k, search->queries.boxes[q.a].lo[k]);
      q.hi[k] = ipg_dense_query_float(d, k, search->queries.boxes[q.a].hi[k]);
      q.cell_lo[k] = ipg_dense_query_cell(d, k, q.lo[k]), q.cell_hi[k] = ipg_dense_query_cell(d, k, q.hi[k]);
    }
    for (int level = 0; level <= d->coarsest; ++level) compared += ipg_dense_compare_level(&q, level, test);
  }
  ipg_count_candidates(search, compared, worker);
}

#endif
