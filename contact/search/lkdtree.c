/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The linear kd-tree of lkdtree.h as a search method: prefix sweeps for boxes, orthogonal range queries for points. */
#include "lkdtree.h"

enum { LEAF = 8 };

/* --------------------------------------------------------------------------------------------------- set and move */

/* The interest box is the box of the items; queries outside are clamped. A flat axis has a single cell. */
static void choose_interest_box(lkdtree *tree, const ipg_bounds *bounds) {
  for (int k = 0; k < 3; ++k) {
    const double scale = (double)(1u << tree->bits) / (bounds->hi[k] - bounds->lo[k]);
    tree->origin[k] = bounds->lo[k];
    tree->scale[k] = isfinite(scale) ? scale : 0;
  }
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  lkdtree *tree = search->state;
  const ipg_lkdtree_config *config = &search->config.lkdtree;
  tree->short_codes = config->code_width == 32;
  tree->bits = config->bits ? config->bits : (tree->short_codes ? SHORT_CODE_BITS : CODE_BITS) / 3;
  tree->split = config->split, tree->octree = config->octree, tree->raw = config->raw;
  tree->items.count = 0;
  if (!search->items.count) return IPG_OK;
  choose_interest_box(tree, &search->items.bounds);
  const ipg_status status = ipg_lkdtree_build(search, &search->items, &tree->items, error);
  search->counters.records = tree->items.count;
  return status;
}

/* Only 8 records for each element stay the same records from step to step; otherwise the move is a new set. The
 * interest box stays, so that keys change no more than boxes do; boxes that have left it are clamped. */
static ipg_status move_items(ipg_search *search, ipg_error *error) {
  lkdtree *tree = search->state;
  if (tree->split != IPG_SPLIT_ALWAYS || tree->items.count != MOST_RECORDS * search->items.count)
    return set_items(search, error);
  search->counters.records = tree->items.count;
  return ipg_lkdtree_update(search, &search->items, &tree->items, error);
}

/* ----------------------------------------------------------------------------------------------------- prefix sweep */

/* True if both records enclose the lowest corner of the overlap of their elements' boxes. */
static bool reports_pair(const lkdtree *tree, uint64_t key_a, const ipg_box *a, uint64_t key_b, const ipg_box *b) {
  uint32_t cell[3];
  for (int k = 0; k < 3; ++k) cell[k] = quantise(tree, k, a->lo[k] > b->lo[k] ? a->lo[k] : b->lo[k]);
  const uint64_t corner = point_key(tree, cell);
  return is_prefix(key_a, corner) && is_prefix(key_b, corner);
}

/* Compares one candidate: a record of element `a` of `first` and one of item `b`. */
static void compare_records(ipg_search *search, const ipg_set *first, uint64_t key_a, ipg_id a, uint64_t key_b,
                            ipg_id b, int worker) {
  const lkdtree *tree = search->state;
  const bool overlap = ipg_test_candidate(search, first, a, b, worker);
  if (tree->raw || (overlap && reports_pair(tree, key_a, &first->boxes[a], key_b, &search->items.boxes[b])))
    ipg_report_pair(search, first, a, b, worker);
}

/* Compares record i with every following j while its code is a prefix of j's. */
static void sweep_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const records *r = &tree->items;
  for (int64_t i = begin; i < end; ++i) {
    const uint64_t key = key_at(r, i);
    const ipg_id element = element_at(tree, r, i);
    if (element < 0) continue;
    for (int64_t j = i + 1; j < r->count && is_prefix(key, key_at(r, j)); ++j) {
      const ipg_id other = element_at(tree, r, j);
      if (other < 0 || other == element) continue;
      if (element < other) compare_records(search, &search->items, key, element, key_at(r, j), other, worker);
      else compare_records(search, &search->items, key_at(r, j), other, key, element, worker);
    }
  }
}

static ipg_status search_self(ipg_search *search, ipg_error *error) {
  (void)error;
  const lkdtree *tree = search->state;
  ipg_tasks_for(&search->config.tasks, sweep_items, search, 0, tree->items.count, GRAIN);
  return IPG_OK;
}

/* The first record whose key is not below `key`. */
static int64_t lower_bound(const records *r, int64_t first, int64_t last, uint64_t key) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (key_at(r, middle) < key) first = middle + 1;
    else last = middle;
  }
  return first;
}

/* Two sets are swept against each other: an item is compared with the queries in its cell and below, */
static void sweep_queries_under_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const records *r = &tree->items, *q = &tree->queries;
  for (int64_t i = begin; i < end; ++i) {
    const uint64_t key = key_at(r, i);
    const ipg_id item = element_at(tree, r, i);
    for (int64_t j = lower_bound(q, 0, q->count, key); j < q->count && is_prefix(key, key_at(q, j)); ++j) {
      const ipg_id query = element_at(tree, q, j);
      if (item >= 0 && query >= 0) compare_records(search, &search->queries, key_at(q, j), query, key, item, worker);
    }
  }
}

/* and a query with the items strictly below its cell. */
static void sweep_items_under_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const records *r = &tree->items, *q = &tree->queries;
  for (int64_t j = begin; j < end; ++j) {
    const uint64_t key = key_at(q, j);
    const ipg_id query = element_at(tree, q, j);
    for (int64_t i = lower_bound(r, 0, r->count, key + 1); i < r->count && is_prefix(key, key_at(r, i)); ++i) {
      const ipg_id item = element_at(tree, r, i);
      if (item >= 0 && query >= 0) compare_records(search, &search->queries, key, query, key_at(r, i), item, worker);
    }
  }
}

/* ----------------------------------------------------------------------------------------- orthogonal range query */

/* The search for the points in the cells that one query covers. */
typedef struct descent {
  ipg_search *search;
  const lkdtree *tree;
  range wanted;
  ipg_id query;
  int worker;
} descent;

static void report_range(const descent *d, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    const ipg_id item = element_at(d->tree, &d->tree->items, i);
    if (item >= 0 && ipg_test_candidate(d->search, &d->search->queries, d->query, item, d->worker))
      ipg_report_pair(d->search, &d->search->queries, d->query, item, d->worker);
  }
}

static bool is_enclosed(const range *inner, const range *outer) {
  for (int k = 0; k < 3; ++k)
    if (inner->lo[k] < outer->lo[k] || inner->hi[k] > outer->hi[k]) return false;
  return true;
}

/* Records [first, last) are those of `cell`, `depth` cuts below the root. Halves the cell until it holds few points or
 * lies inside the query. At most 57 deep. */
static void descend_cell(const descent *d, int64_t first, int64_t last, range cell, int depth) {
  if (last - first <= LEAF || depth == 3 * d->tree->bits || is_enclosed(&cell, &d->wanted)) {
    report_range(d, first, last);
    return;
  }
  const int axis = depth % 3;
  range lower = cell, upper = cell;
  upper.lo[axis] = cell.lo[axis] + (cell.hi[axis] - cell.lo[axis]) / 2 + 1;
  lower.hi[axis] = upper.lo[axis] - 1;
  const uint64_t upper_key = point_key(d->tree, upper.lo) & ~(uint64_t)((1 << LENGTH_BITS) - 1);
  const int64_t cut = lower_bound(&d->tree->items, first, last, upper_key);
  if (d->wanted.lo[axis] <= lower.hi[axis]) descend_cell(d, first, cut, lower, depth + 1);
  if (d->wanted.hi[axis] >= upper.lo[axis]) descend_cell(d, cut, last, upper, depth + 1);
}

static void query_ranges(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const uint32_t last = (1u << tree->bits) - 1;
  const range root = {{0, 0, 0}, {last, last, last}};
  for (int64_t i = begin; i < end; ++i) {
    descent d = {.search = search, .tree = tree, .query = (ipg_id)i, .worker = worker};
    quantise_point(tree, search->queries.boxes[i].lo, d.wanted.lo);
    quantise_point(tree, search->queries.boxes[i].hi, d.wanted.hi);
    descend_cell(&d, 0, tree->items.count, root, 0);
  }
}

static ipg_status search_query(ipg_search *search, ipg_error *error) {
  lkdtree *tree = search->state;
  const ipg_tasks *tasks = &search->config.tasks;
  if (search->items.points) {
    ipg_tasks_for(tasks, query_ranges, search, 0, search->queries.count, 64);
    return IPG_OK;
  }
  const ipg_status status = ipg_lkdtree_build(search, &search->queries, &tree->queries, error);
  if (status) return status;
  ipg_tasks_for(tasks, sweep_queries_under_items, search, 0, tree->items.count, GRAIN);
  ipg_tasks_for(tasks, sweep_items_under_queries, search, 0, tree->queries.count, GRAIN);
  return IPG_OK;
}

static void free_state(ipg_search *search) {
  lkdtree *tree = search->state;
  records *both[] = {&tree->items, &tree->queries};
  for (int i = 0; i < 2; ++i)
    ipg_destroy_buffers(search, (ipg_buffer *[]){&both[i]->key_buffer, &both[i]->owner_buffer, &both[i]->first_buffer,
                                                 &both[i]->unsorted_buffer, NULL});
}

const ipg_search_method ipg_search_lkdtree = {.name = "lkdtree",
                                              .state_bytes = sizeof(lkdtree),
                                              .set = set_items,
                                              .move = move_items,
                                              .self = search_self,
                                              .query = search_query,
                                              .release = free_state};
