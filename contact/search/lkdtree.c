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
 * numbers is the order of the paper: a prefix first, then "0" before "1". The 32-bit form keeps 27 bits of prefix and 5
 * of length, and stands in one word with the element.
 *
 * Each pair once, without a list: the records of one element lie in disjoint cells (they were cut along cell borders),
 * so exactly one record of each element encloses the lowest corner of the overlap of the two boxes. The pair is
 * reported by these two records and by no others.
 *
 * With IPG_SPLIT_ALWAYS every element has 8 records, copies of its first filling up: the records are then the same from
 * step to step, and the order is mended by insertion. Copies are in the order but meet nobody.
 *
 * Why nothing is missed: coordinates are turned into cells by a monotone function, clamped at the borders of the
 * interest box, so boxes that overlap as doubles overlap as ranges of cells.
 *
 * Poirrier 2009, "An efficient space partitioning technique based on linear kd-trees". */
#include "method.h"
#include "support/morton.h"
#include "support/sort.h"

#include <math.h>
#include <string.h>

enum { CODE_BITS = 57, LENGTH_BITS = 6, SHORT_CODE_BITS = 27, SHORT_LENGTH_BITS = 5 };
enum { MOST_RECORDS = 8, LEAF = 8, GRAIN = 1024, MOST_SHIFTS = 64 };

/* Records sorted by key: one set of elements as a linear kd-tree. */
typedef struct records {
  uint64_t *keys; /* 64-bit keys, or short keys << 32 | owner */
  ipg_id *owners; /* of 64-bit keys; NULL where codes are short */
  int64_t count;
  int64_t *first;     /* of each element: the number of its records, then where they start before the sort */
  uint64_t *unsorted; /* IPG_SPLIT_ALWAYS: keys by element, for the step after */
  ipg_buffer key_buffer, owner_buffer, first_buffer, unsorted_buffer;
} records;

/* The owner of a record is its element; with IPG_SPLIT_ALWAYS, the element * 8 + the number of the record. */
typedef struct lkdtree {
  int bits;
  ipg_split split;
  bool octree, short_codes, raw;
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

/* A key cut to its first `length` bits. */
static uint64_t shorten(uint64_t key, int length) {
  return (key & ~(uint64_t)0 << (CODE_BITS + LENGTH_BITS - length)) | (uint64_t)length;
}

/* The key of the smallest cell around [lo, hi]: the longest common prefix, by one XOR and one count of zeros. */
static uint64_t box_key(const lkdtree *tree, const uint32_t lo[3], const uint32_t hi[3]) {
  const uint64_t low = point_key(tree, lo), differ = low ^ point_key(tree, hi);
  return differ ? shorten(low, __builtin_clzll(differ) - 1) : low; /* bit 63 is never used */
}

static uint64_t to_short(uint64_t key) {
  return key >> (CODE_BITS + LENGTH_BITS - SHORT_CODE_BITS) << SHORT_LENGTH_BITS | (uint64_t)key_length(key);
}

static uint64_t from_short(uint64_t key) {
  const uint64_t length = key & ((1 << SHORT_LENGTH_BITS) - 1);
  return key >> SHORT_LENGTH_BITS << (CODE_BITS + LENGTH_BITS - SHORT_CODE_BITS) | length;
}

static uint64_t key_at(const records *r, int64_t i) { return r->owners ? r->keys[i] : from_short(r->keys[i] >> 32); }

static void put_record(const records *r, int64_t i, uint64_t key, ipg_id owner) {
  if (r->owners) r->keys[i] = key, r->owners[i] = owner;
  else r->keys[i] = to_short(key) << 32 | (uint32_t)owner;
}

/* The element of a record; -1 for a copy, which meets nobody. */
static ipg_id element_at(const lkdtree *tree, const records *r, int64_t i) {
  const ipg_id owner = r->owners ? r->owners[i] : (ipg_id)(uint32_t)r->keys[i];
  if (tree->split != IPG_SPLIT_ALWAYS) return owner;
  return owner % MOST_RECORDS < r->first[owner / MOST_RECORDS] ? owner / MOST_RECORDS : -1;
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
  const uint64_t tight = box_key(tree, box->lo, box->hi);
  const int length = key_length(tight), axis = length % 3;
  const uint64_t whole = tree->octree ? shorten(tight, length - axis) : tight;
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

static int place_element(const lkdtree *tree, const ipg_set *set, int64_t element, uint64_t keys[MOST_RECORDS]) {
  range box;
  uint64_t volume;
  quantise_point(tree, set->boxes[element].lo, box.lo);
  quantise_point(tree, set->boxes[element].hi, box.hi);
  return place(tree, &box, tree->split == IPG_SPLIT_NONE ? 0 : 7, keys, &volume);
}

/* ---------------------------------------------------------------------------------------------------- construction */

typedef struct placing {
  const lkdtree *tree;
  const ipg_set *set;
  records *records;
} placing;

static void count_records(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const placing *p = arg;
  uint64_t keys[MOST_RECORDS];
  for (int64_t i = begin; i < end; ++i) p->records->first[i] = place_element(p->tree, p->set, i, keys);
}

static void write_records(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const placing *p = arg;
  uint64_t keys[MOST_RECORDS];
  for (int64_t i = begin; i < end; ++i) {
    const int count = place_element(p->tree, p->set, i, keys);
    for (int k = 0; k < count; ++k) put_record(p->records, p->records->first[i] + k, keys[k], (ipg_id)i);
  }
}

/* IPG_SPLIT_ALWAYS: 8 keys for each element, and how many of them are no copies. */
static void write_eight_keys(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const placing *p = arg;
  for (int64_t i = begin; i < end; ++i) {
    uint64_t *keys = p->records->unsorted + MOST_RECORDS * i;
    const int count = place_element(p->tree, p->set, i, keys);
    for (int k = count; k < MOST_RECORDS; ++k) keys[k] = keys[0];
    p->records->first[i] = count;
  }
}

static ipg_status reserve(ipg_search *search, records *r, int64_t count, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const bool short_codes = ((const lkdtree *)search->state)->short_codes;
  if (count >= IPG_ID_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "%lld records of the linear kd-tree are more than 32 bits can number",
                    (long long)count);
  ipg_status status = ipg_buffer_reserve(&r->key_buffer, allocator, count, sizeof(uint64_t), error);
  if (!status && !short_codes) status = ipg_buffer_reserve(&r->owner_buffer, allocator, count, sizeof(ipg_id), error);
  r->keys = r->key_buffer.data, r->owners = short_codes ? NULL : r->owner_buffer.data;
  return status;
}

static ipg_status sort(ipg_search *search, records *r, int64_t count, ipg_error *error) {
  return ipg_sort_from_bit(&search->sorter, r->keys, r->owners, count, r->owners ? 0 : 32, &search->config.allocator,
                           &search->config.tasks, error);
}

/* Codes, then order. */
static ipg_status build_records(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const ipg_tasks *tasks = &search->config.tasks;
  placing p = {search->state, set, r};
  ipg_tasks_for(tasks, count_records, &p, 0, set->count, GRAIN);
  const int64_t count = ipg_scan_exclusive(r->first, set->count);
  ipg_status status = reserve(search, r, count, error);
  if (status) return status;
  ipg_tasks_for(tasks, write_records, &p, 0, set->count, GRAIN);
  status = sort(search, r, count, error);
  if (!status) r->count = count;
  return status;
}

static ipg_status write_all_eight(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const ipg_status status = ipg_buffer_reserve(&r->unsorted_buffer, &search->config.allocator,
                                               MOST_RECORDS * set->count, sizeof(uint64_t), error);
  if (status) return status;
  r->unsorted = r->unsorted_buffer.data;
  placing p = {search->state, set, r};
  ipg_tasks_for(&search->config.tasks, write_eight_keys, &p, 0, set->count, GRAIN);
  return IPG_OK;
}

static ipg_status build_eight(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const int64_t count = MOST_RECORDS * set->count;
  ipg_status status = reserve(search, r, count, error);
  if (!status) status = write_all_eight(search, set, r, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) put_record(r, i, r->unsorted[i], (ipg_id)i);
  status = sort(search, r, count, error);
  if (!status) r->count = count;
  return status;
}

static ipg_status build(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  r->count = 0;
  const ipg_status status =
      ipg_buffer_reserve(&r->first_buffer, &search->config.allocator, set->count, sizeof(int64_t), error);
  if (status) return status;
  r->first = r->first_buffer.data;
  search->counters.ordered += set->count;
  const bool eight = ((const lkdtree *)search->state)->split == IPG_SPLIT_ALWAYS;
  return (eight ? build_eight : build_records)(search, set, r, error);
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
  const ipg_lkdtree_config *config = &search->config.lkdtree;
  tree->short_codes = config->code_width == 32;
  tree->bits = config->bits ? config->bits : (tree->short_codes ? SHORT_CODE_BITS : CODE_BITS) / 3;
  tree->split = config->split, tree->octree = config->octree, tree->raw = config->raw;
  tree->items.count = 0;
  if (!search->items.count) return IPG_OK;
  choose_interest_box(tree, &search->items.extent);
  const ipg_status status = build(search, &search->items, &tree->items, error);
  search->counters.records = tree->items.count;
  return status;
}

/* Insertion sort of records whose order is that of the step before. Gives up, leaving the records as they are, when it
 * has shifted 64 times as many. */
static bool mend_order(records *r) {
  int64_t shifts = 0;
  for (int64_t i = 1; i < r->count && shifts <= MOST_SHIFTS * r->count; ++i) {
    const uint64_t key = r->keys[i];
    const ipg_id owner = r->owners ? r->owners[i] : 0;
    int64_t j = i;
    for (; j > 0 && r->keys[j - 1] > key; --j) {
      r->keys[j] = r->keys[j - 1];
      if (r->owners) r->owners[j] = r->owners[j - 1];
    }
    r->keys[j] = key;
    if (r->owners) r->owners[j] = owner;
    shifts += i - j;
  }
  return shifts <= MOST_SHIFTS * r->count;
}

/* Only 8 records for each element stay the same records from step to step; else the move is a new set. The interest box
 * stays, so that keys change no more than boxes do; what has left it is clamped. */
static ipg_status move(ipg_search *search, ipg_error *error) {
  lkdtree *tree = search->state;
  records *r = &tree->items;
  if (tree->split != IPG_SPLIT_ALWAYS || r->count != MOST_RECORDS * search->items.count) return set(search, error);
  ipg_status status = write_all_eight(search, &search->items, r, error);
  if (status) return status;
  for (int64_t i = 0; i < r->count; ++i) {
    const ipg_id owner = r->owners ? r->owners[i] : (ipg_id)(uint32_t)r->keys[i];
    put_record(r, i, r->unsorted[owner], owner);
  }
  if (mend_order(r)) search->counters.reused = search->items.count;
  else {
    search->counters.ordered = search->items.count;
    status = sort(search, r, r->count, error);
  }
  search->counters.records = r->count;
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
  const lkdtree *tree = search->state;
  const bool overlap = ipg_propose(search, first, a, b, worker);
  if (tree->raw || (overlap && reports_the_pair(tree, key_a, &first->boxes[a], key_b, &search->items.boxes[b])))
    ipg_send(search, first, a, b, worker);
}

/* Record i meets every following j while its code is a prefix of j's. */
static void sweep(void *arg, int64_t begin, int64_t end, int worker) {
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
      if (element < other) meet(search, &search->items, key, element, key_at(r, j), other, worker);
      else meet(search, &search->items, key_at(r, j), other, key, element, worker);
    }
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
    if (key_at(r, middle) < key) first = middle + 1;
    else last = middle;
  }
  return first;
}

/* Two sets, swept against each other: an item meets the queries in its cell and below ... */
static void sweep_queries_under_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const records *r = &tree->items, *q = &tree->queries;
  for (int64_t i = begin; i < end; ++i) {
    const uint64_t key = key_at(r, i);
    const ipg_id item = element_at(tree, r, i);
    for (int64_t j = lower_bound(q, 0, q->count, key); j < q->count && is_prefix(key, key_at(q, j)); ++j) {
      const ipg_id query = element_at(tree, q, j);
      if (item >= 0 && query >= 0) meet(search, &search->queries, key_at(q, j), query, key, item, worker);
    }
  }
}

/* ... and a query the items strictly below its cell. */
static void sweep_items_under_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  const lkdtree *tree = search->state;
  const records *r = &tree->items, *q = &tree->queries;
  for (int64_t j = begin; j < end; ++j) {
    const uint64_t key = key_at(q, j);
    const ipg_id query = element_at(tree, q, j);
    for (int64_t i = lower_bound(r, 0, r->count, key + 1); i < r->count && is_prefix(key, key_at(r, i)); ++i) {
      const ipg_id item = element_at(tree, r, i);
      if (item >= 0 && query >= 0) meet(search, &search->queries, key, query, key_at(r, i), item, worker);
    }
  }
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
  for (int64_t i = first; i < last; ++i) {
    const ipg_id item = element_at(d->tree, &d->tree->items, i);
    if (item >= 0 && ipg_propose(d->search, &d->search->queries, d->query, item, d->worker))
      ipg_send(d->search, &d->search->queries, d->query, item, d->worker);
  }
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
  records *both[] = {&tree->items, &tree->queries};
  for (int i = 0; i < 2; ++i) {
    ipg_buffer_free(&both[i]->key_buffer, &search->config.allocator);
    ipg_buffer_free(&both[i]->owner_buffer, &search->config.allocator);
    ipg_buffer_free(&both[i]->first_buffer, &search->config.allocator);
    ipg_buffer_free(&both[i]->unsorted_buffer, &search->config.allocator);
  }
}

const ipg_search_method ipg_search_lkdtree = {.name = "lkdtree",
                                              .state_bytes = sizeof(lkdtree),
                                              .set = set,
                                              .move = move,
                                              .self = self,
                                              .query = query,
                                              .release = release};
