/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The records of the linear kd-tree: boxes are cut and assigned to cells, then sorted. */
#include "lkdtree.h"
#include "support/sort.h"

enum { SHIFTS_PER_RECORD = 64 };

/* ------------------------------------------------------------------------------------------------------------ cuts */

static uint64_t cell_volume(const lkdtree *tree, uint64_t key) {
  return (uint64_t)1 << (3 * tree->bits - key_length(key));
}

/* Writes the keys (at most 8) of a box that may still be cut along the axes in `cuts`; returns their number, and in
 * `volume` the volume of their cells. A cut that does not shrink the volume is undone. */
static int cut_box(const lkdtree *tree, const range *box, unsigned cuts, uint64_t *keys, uint64_t *volume) {
  const uint64_t tight = box_key(tree, box->lo, box->hi);
  const int length = key_length(tight), axis = length % 3;
  const uint64_t whole = tree->octree ? shorten_key(tight, length - axis) : tight;
  keys[0] = whole;
  *volume = cell_volume(tree, whole);
  if (length == 3 * tree->bits || !(cuts >> axis & 1)) return 1;
  const int bit = tree->bits - 1 - length / 3;
  range lower = *box, upper = *box;
  upper.lo[axis] = box->hi[axis] >> bit << bit; /* the plane that halves the cell */
  lower.hi[axis] = upper.lo[axis] - 1;
  uint64_t lower_volume, upper_volume;
  int count = cut_box(tree, &lower, cuts & ~(1u << axis), keys, &lower_volume);
  count += cut_box(tree, &upper, cuts & ~(1u << axis), keys + count, &upper_volume);
  if (lower_volume + upper_volume < *volume) {
    *volume = lower_volume + upper_volume;
    return count;
  }
  keys[0] = whole;
  return 1;
}

static int cut_element(const lkdtree *tree, const ipg_set *set, int64_t element, uint64_t keys[MOST_RECORDS]) {
  range box;
  uint64_t volume;
  quantise_point(tree, set->boxes[element].lo, box.lo);
  quantise_point(tree, set->boxes[element].hi, box.hi);
  return cut_box(tree, &box, tree->split == IPG_SPLIT_NONE ? 0 : 7, keys, &volume);
}

/* ---------------------------------------------------------------------------------------------------- construction */

typedef struct building {
  const lkdtree *tree;
  const ipg_set *set;
  records *records;
} building;

static void count_records(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const building *b = arg;
  uint64_t keys[MOST_RECORDS];
  for (int64_t i = begin; i < end; ++i) b->records->first[i] = cut_element(b->tree, b->set, i, keys);
}

static void write_records(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const building *b = arg;
  uint64_t keys[MOST_RECORDS];
  for (int64_t i = begin; i < end; ++i) {
    const int count = cut_element(b->tree, b->set, i, keys);
    for (int k = 0; k < count; ++k) put_record(b->records, b->records->first[i] + k, keys[k], (ipg_id)i);
  }
}

/* IPG_SPLIT_ALWAYS: writes 8 keys for each element, and to first[i] how many of them are not copies. */
static void write_eight_keys(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const building *b = arg;
  for (int64_t i = begin; i < end; ++i) {
    uint64_t *keys = b->records->unsorted + MOST_RECORDS * i;
    const int count = cut_element(b->tree, b->set, i, keys);
    for (int k = count; k < MOST_RECORDS; ++k) keys[k] = keys[0];
    b->records->first[i] = count;
  }
}

static ipg_status reserve_records(ipg_search *search, records *r, int64_t count, ipg_error *error) {
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

static ipg_status sort_records(ipg_search *search, records *r, int64_t count, ipg_error *error) {
  return ipg_sort_from_bit(&search->sorter, r->keys, r->owners, count, r->owners ? 0 : 32, &search->config.allocator,
                           &search->config.tasks, error);
}

/* Writes the records, then sorts them. */
static ipg_status build_records(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const ipg_tasks *tasks = &search->config.tasks;
  building b = {search->state, set, r};
  ipg_tasks_for(tasks, count_records, &b, 0, set->count, GRAIN);
  const int64_t count = ipg_prefix_sum(r->first, set->count);
  ipg_status status = reserve_records(search, r, count, error);
  if (status) return status;
  ipg_tasks_for(tasks, write_records, &b, 0, set->count, GRAIN);
  status = sort_records(search, r, count, error);
  if (!status) r->count = count;
  return status;
}

static ipg_status write_all_eight(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const ipg_status status = ipg_buffer_reserve(&r->unsorted_buffer, &search->config.allocator,
                                               MOST_RECORDS * set->count, sizeof(uint64_t), error);
  if (status) return status;
  r->unsorted = r->unsorted_buffer.data;
  building b = {search->state, set, r};
  ipg_tasks_for(&search->config.tasks, write_eight_keys, &b, 0, set->count, GRAIN);
  return IPG_OK;
}

static ipg_status build_eight_records(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const int64_t count = MOST_RECORDS * set->count;
  ipg_status status = reserve_records(search, r, count, error);
  if (!status) status = write_all_eight(search, set, r, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) put_record(r, i, r->unsorted[i], (ipg_id)i);
  status = sort_records(search, r, count, error);
  if (!status) r->count = count;
  return status;
}

ipg_status ipg_lkdtree_build(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  r->count = 0;
  const ipg_status status =
      ipg_buffer_reserve(&r->first_buffer, &search->config.allocator, set->count, sizeof(int64_t), error);
  if (status) return status;
  r->first = r->first_buffer.data;
  search->counters.ordered += set->count;
  const bool eight = ((const lkdtree *)search->state)->split == IPG_SPLIT_ALWAYS;
  return (eight ? build_eight_records : build_records)(search, set, r, error);
}

ipg_status ipg_lkdtree_update(ipg_search *search, const ipg_set *set, records *r, ipg_error *error) {
  const ipg_status status = write_all_eight(search, set, r, error);
  if (status) return status;
  for (int64_t i = 0; i < r->count; ++i) {
    const ipg_id owner = r->owners ? r->owners[i] : (ipg_id)(uint32_t)r->keys[i];
    put_record(r, i, r->unsorted[owner], owner);
  }
  if (ipg_repair_order(r->keys, r->owners, r->count, SHIFTS_PER_RECORD)) {
    search->counters.reused += set->count;
    return IPG_OK;
  }
  search->counters.ordered += set->count;
  return sort_records(search, r, r->count, error);
}
