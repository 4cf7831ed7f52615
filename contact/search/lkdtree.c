/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The linear kd-tree: a kd-tree kept as one sorted array of (locational code, element).
 *
 * Cells halve along x, y, z in turn. A point's code interleaves the bits of its cell coordinates; a box's code is the
 * longest common prefix of the codes of its two corners, and names the smallest cell that encloses the box. Two boxes
 * can overlap only if one's cell encloses the other's: if one code is a prefix of the other. In the sorted array a
 * code stands right before everything it is a prefix of, so a sweep finds all candidates.
 * A box that straddles a plane of a large cell is cut there, at most once per axis: up to 8 records each.
 *
 * Codes are 64-bit keys: the prefix in bits 62..6, filled up with zeros, its length in bits 5..0. Comparing keys as
 * numbers is the order of the paper: a prefix first, then "0" before "1".
 *
 * Each pair once, without a list: the records of one element lie in disjoint cells (they were cut along cell borders),
 * so exactly one record of each element encloses the lowest corner of the overlap of the two boxes. The pair is
 * reported by these two records and by no others.
 *
 * Why nothing is missed: coordinates are turned into cells by a monotone function, clamped at the borders of the
 * interest box, so boxes that overlap as doubles overlap as ranges of cells.
 *
 * Poirrier 2009, "An efficient space partitioning technique based on linear kd-trees". */
#include "method.h"
#include "support/morton.h"

#include <math.h>
#include <string.h>

enum { CODE_BITS = 57, LENGTH_BITS = 6, LEAF = 8, GRAIN = 1024 };

/* Records sorted by key: one set of elements as a linear kd-tree. */
typedef struct records {
  uint64_t *keys;
  ipg_id *elements;
  int64_t count;
  ipg_buffer key_buffer, element_buffer, first_buffer;
} records;

typedef struct lkdtree {
  int bits;
  bool split;
  double origin[3], scale[3]; /* of the interest box */
  records items, queries;
} lkdtree;

/* ------------------------------------------------------------------------------------------------ locational codes */

static int key_length(uint64_t key) { return (int)(key & ((1 << LENGTH_BITS) - 1)); }

/* Is the cell of key `a` the cell of `b` or one around it? For b of at least a's length. */
static bool is_prefix(uint64_t a, uint64_t b) { return (a ^ b) >> (CODE_BITS + LENGTH_BITS - key_length(a)) == 0; }

static uint32_t quantise(const lkdtree *tree, int axis, double x) {
  const double cell = (x - tree->origin[axis]) * tree->scale[axis];
  const double last = (double)((1u << tree->bits) - 1);
  if (!(cell > 0)) return 0; /* also where 0 * infinity made no number: scale is 0 there for every x */
  return cell < last ? (uint32_t)cell : (uint32_t)last;
}

static void quantise_point(const lkdtree *tree, const double x[3], uint32_t cell[3]) {
  for (int k = 0; k < 3; ++k) cell[k] = quantise(tree, k, x[k]);
}

/* The key of a single smallest cell. */
static uint64_t point_key(const lkdtree *tree, const uint32_t cell[3]) {
  const int length = 3 * tree->bits;
  return ipg_morton_interleave(cell) << (CODE_BITS - length + LENGTH_BITS) | (uint64_t)length;
}

/* The key of the smallest cell around [lo, hi]: the longest common prefix, by one XOR and one count of zeros. */
static uint64_t box_key(const lkdtree *tree, const uint32_t lo[3], const uint32_t hi[3]) {
  const uint64_t low = point_key(tree, lo), differ = low ^ point_key(tree, hi);
  if (!differ) return low;
  const int length = __builtin_clzll(differ) - 1; /* bit 63 is never used */
  const uint64_t keep = ~(uint64_t)0 << (CODE_BITS + LENGTH_BITS - length);
  return (low & keep) | (uint64_t)length;
}

/* ------------------------------------------------------------------------------------------------- order and cuts */

typedef struct range {
  uint32_t lo[3], hi[3];
} range;

static uint64_t cell_volume(const lkdtree *tree, uint64_t key) {
  return (uint64_t)1 << (3 * tree->bits - key_length(key));
}

/* Writes the keys (at most 8) of a box that may still be cut along the axes in `cuts`; returns how many, and the
 * volume of their cells. A cut that shrinks nothing is taken back. */
static int place(const lkdtree *tree, const range *box, unsigned cuts, uint64_t *keys, uint64_t *volume) {
  const uint64_t whole = box_key(tree, box->lo, box->hi);
  const int length = key_length(whole), axis = length % 3;
  keys[0] = whole;
  *volume = cell_volume(tree, whole);
  if (length == 3 * tree->bits || !(cuts >> axis & 1)) return 1;
  const int bit = tree->bits - 1 - length / 3;
  range lower = *box, upper = *box;
  upper.lo[axis] = box->hi[axis] >> bit << bit; /* the plane that halves the cell */
  lower.hi[axis] = upper.lo[axis] - 1;
  uint64_t lower_volume, upper_volume;
  int count = place(tree, &lower, cuts & ~(1u << axis), keys, &lower_volume);
  count += place(tree, &upper, cuts & ~(1u << axis), keys + count, &upper_volume);
  if (lower_volume + upper_volume < *volume) {
    *volume = lower_volume + upper_volume;
    return count;
  }
  keys[0] = whole;
  return 1;
}

static int place_element(const lkdtree *tree, const ipg_set *set, int64_t element, uint64_t keys[8]) {
  range box;
  uint64_t volume;
  quantise_point(tree, set->boxes[element].lo, box.lo);
  quantise_point(tree, set->boxes[element].hi, box.hi);
  return place(tree, &box, tree->split ? 7 : 0, keys, &volume);
}

/* ---------------------------------------------------------------------------------------------------- construction */

typedef struct placing {
  const lkdtree *tree;
  const ipg_set *set;
  int64_t *first; /* number of records of each element, then where they start */
  uint64_t *keys;
  ipg_id *elements;
} placing;

static void count_records(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const placing *p = arg;
  uint64_t keys[8];
  for (int64_t i = begin; i < end; ++i) p->first[i] = place_element(p->tree, p->set, i, keys);
}

static void write_records(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const placing *p = arg;
  uint64_t keys[8];
  for (int64_t i = begin; i < end; ++i) {
    const int count = place_element(p->tree, p->set, i, keys);
    for (int k = 0; k < count; ++k) {
      p->keys[p->first[i] + k] = keys[k];
      p->elements[p->first[i] + k] = (ipg_id)i;
    }
  }
}

/* Codes, then order. */
static ipg_status build(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const ipg_tasks *tasks = &search->config.tasks;
  r->count = 0;
  ipg_status status = ipg_buffer_reserve(&r->first_buffer, allocator, set->count, sizeof(int64_t), error);
  if (status) return status;
  placing p = {.tree = search->state, .set = set, .first = r->first_buffer.data};
  ipg_tasks_for(tasks, count_records, &p, 0, set->count, GRAIN);
  const int64_t count = ipg_scan_exclusive(p.first, set->count);
  status = ipg_buffer_reserve(&r->key_buffer, allocator, count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&r->element_buffer, allocator, count, sizeof(ipg_id), error);
  if (status) return status;
  r->keys = p.keys = r->key_buffer.data;
  r->elements = p.elements = r->element_buffer.data;
  ipg_tasks_for(tasks, write_records, &p, 0, set->count, GRAIN);
  status = ipg_sort_u64(&search->sorter, r->keys, r->elements, count, allocator, tasks, error);
  if (!status) r->count = count;
  return status;
}

/* The interest box is the box of the items; queries outside are clamped. A flat axis has a single cell. */
static void choose_interest_box(lkdtree *tree, const ipg_extent *extent) {
  for (int k = 0; k < 3; ++k) {
    const double scale = (double)(1u << tree->bits) / (extent->hi[k] - extent->lo[k]);
    tree->origin[k] = extent->lo[k];
    tree->scale[k] = isfinite(scale) ? scale : 0;
  }
}

static ipg_status set(ipg_search *search, ipg_error *error) {
  lkdtree *tree = search->state;
  tree->bits = search->config.lkdtree.bits ? search->config.lkdtree.bits : 19;
  tree->split = search->config.lkdtree.split != IPG_SPLIT_NONE;
  tree->items.count = search->counters.records = 0;
  if (!search->items.count) return IPG_OK;
  choose_interest_box(tree, &search->items.extent);
  const ipg_status status = build(search, &search->items, &tree->items, error);
  search->counters.records = tree->items.count;
  return status;
}

/* ----------------------------------------------------------------------------------------------------- prefix sweep */

/* Do these two records enclose the lowest corner of the overlap of their elements' boxes? */
static bool reports_the_pair(const lkdtree *tree, uint64_t key_a, const ipg_box *a, uint64_t key_b, const ipg_box *b) {
  uint32_t cell[3];
  for (int k = 0; k < 3; ++k) cell[k] = quantise(tree, k, a->lo[k] > b->lo[k] ? a->lo[k] : b->lo[k]);
  const uint64_t corner = point_key(tree, cell);
  return is_prefix(key_a, corner) && is_prefix(key_b, corner);
}

/* One candidate: a record of element `a` of `first` and one of item `b`. */
static void meet(ipg_search *search, const ipg_set *first, uint64_t key_a, ipg_id a, uint64_t key_b, ipg_id b,
                 int worker) {
  if (ipg_propose(search, first, a, b, worker) &&
      reports_the_pair(search->state, key_a, &first->boxes[a], key_b, &search->items.boxes[b]))
    ipg_send(search, first, a, b, worker);
}

/* Record i meets every following j while its code is a prefix of j's. */
static void sweep(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const records *r = &((lkdtree *)search->state)->items;
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = i + 1; j < r->count && is_prefix(r->keys[i], r->keys[j]); ++j) {
      const int64_t low = r->elements[i] < r->elements[j] ? i : j, high = i + j - low;
      if (r->elements[low] != r->elements[high])
        meet(search, &search->items, r->keys[low], r->elements[low], r->keys[high], r->elements[high], worker);
    }
}

static ipg_status self(ipg_search *search, ipg_error *error) {
  (void)error;
  const lkdtree *tree = search->state;
  ipg_tasks_for(&search->config.tasks, sweep, search, 0, tree->items.count, GRAIN);
  return IPG_OK;
}

/* The first record whose key is not below `key`. */
static int64_t lower_bound(const records *r, int64_t first, int64_t last, uint64_t key) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (r->keys[middle] < key) first = middle + 1;
    else last = middle;
  }
  return first;
}

/* Two sets, swept against each other: an item meets the queries in its cell and below ... */
static void sweep_queries_under_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const records *r = &tree->items, *q = &tree->queries;
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = lower_bound(q, 0, q->count, r->keys[i]); j < q->count && is_prefix(r->keys[i], q->keys[j]); ++j)
      meet(search, &search->queries, q->keys[j], q->elements[j], r->keys[i], r->elements[i], worker);
}

/* ... and a query the items strictly below its cell. */
static void sweep_items_under_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const records *r = &tree->items, *q = &tree->queries;
  for (int64_t j = begin; j < end; ++j)
    for (int64_t i = lower_bound(r, 0, r->count, q->keys[j] + 1); i < r->count && is_prefix(q->keys[j], r->keys[i]);
         ++i)
      meet(search, &search->queries, q->keys[j], q->elements[j], r->keys[i], r->elements[i], worker);
}

/* ----------------------------------------------------------------------------------------- orthogonal range query */

/* Records [first, last) are those of the cell `cell`, which lies `depth` cuts below the root. */
typedef struct descent {
  ipg_search *search;
  const lkdtree *tree;
  range wanted;
  ipg_id query;
  int worker;
} descent;

static void report_range(const descent *d, int64_t first, int64_t last) {
  const records *r = &d->tree->items;
  for (int64_t i = first; i < last; ++i)
    if (ipg_propose(d->search, &d->search->queries, d->query, r->elements[i], d->worker))
      ipg_send(d->search, &d->search->queries, d->query, r->elements[i], d->worker);
}

static bool encloses(const range *outer, const range *inner) {
  for (int k = 0; k < 3; ++k)
    if (inner->lo[k] < outer->lo[k] || inner->hi[k] > outer->hi[k]) return false;
  return true;
}

/* Halves the cell until it holds few points or lies inside the query. At most 57 deep. */
static void descend(const descent *d, int64_t first, int64_t last, range cell, int depth) {
  if (last - first <= LEAF || depth == 3 * d->tree->bits || encloses(&d->wanted, &cell)) {
    report_range(d, first, last);
    return;
  }
  const int axis = depth % 3;
  range lower = cell, upper = cell;
  upper.lo[axis] = cell.lo[axis] + (cell.hi[axis] - cell.lo[axis]) / 2 + 1;
  lower.hi[axis] = upper.lo[axis] - 1;
  const uint64_t upper_key = point_key(d->tree, upper.lo) & ~(uint64_t)((1 << LENGTH_BITS) - 1);
  const int64_t cut = lower_bound(&d->tree->items, first, last, upper_key);
  if (d->wanted.lo[axis] <= lower.hi[axis]) descend(d, first, cut, lower, depth + 1);
  if (d->wanted.hi[axis] >= upper.lo[axis]) descend(d, cut, last, upper, depth + 1);
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
    descend(&d, 0, tree->items.count, root, 0);
  }
}

static ipg_status query(ipg_search *search, ipg_error *error) {
  lkdtree *tree = search->state;
  const ipg_tasks *tasks = &search->config.tasks;
  if (search->items.points) {
    ipg_tasks_for(tasks, query_ranges, search, 0, search->queries.count, 64);
    return IPG_OK;
  }
  const ipg_status status = build(search, &search->queries, &tree->queries, error);
  if (status) return status;
  ipg_tasks_for(tasks, sweep_queries_under_items, search, 0, tree->items.count, GRAIN);
  ipg_tasks_for(tasks, sweep_items_under_queries, search, 0, tree->queries.count, GRAIN);
  return IPG_OK;
}

static void release(ipg_search *search) {
  lkdtree *tree = search->state;
  ipg_buffer *buffers[] = {&tree->items.key_buffer,   &tree->items.element_buffer,   &tree->items.first_buffer,
                           &tree->queries.key_buffer, &tree->queries.element_buffer, &tree->queries.first_buffer};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_free(buffers[i], &search->config.allocator);
}

const ipg_search_method ipg_search_lkdtree = {
    .name = "lkdtree", .state_bytes = sizeof(lkdtree), .set = set, .self = self, .query = query, .release = release};
