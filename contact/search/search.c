/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What all search methods share: checks the input, stores the set, batches the pairs that go out.
 * Invariant: a call that fails leaves the set as it was, or empty if the method could not store the new one. */
#include "method.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const ipg_search_method *const methods[] = {
    &ipg_search_brute_force, &ipg_search_sorted,       &ipg_search_orthotree, &ipg_search_kdtree,
    &ipg_search_cells,       &ipg_search_cells_sparse, &ipg_search_hash,      &ipg_search_mlhash,
    &ipg_search_hhash,       &ipg_search_sap,          &ipg_search_lkdtree,   &ipg_search_lkdtree_packed};
static const char *const method_names[] = {"brute_force",  "sorted",         "orthotree", "kdtree", "cells",
                                           "cells_sparse", "hash",           "mlhash",    "hhash",  "sap",
                                           "lkdtree",      "lkdtree_packed", NULL};
enum { METHODS = sizeof methods / sizeof *methods };

const char *const *ipg_search_methods(void) { return method_names; }

ipg_search_config ipg_search_defaults(void) {
  return (ipg_search_config){.method = "lkdtree_packed",
                             .lkdtree = {.code_width = 64, .split = IPG_SPLIT_USEFUL},
                             .allocator = ipg_allocator_malloc(),
                             .tasks = ipg_tasks_serial()};
}

/* ------------------------------------------------------------------------------------------- create and destroy */

static const ipg_search_method *find_method(const char *name) {
  for (int i = 0; i < METHODS; ++i)
    if (name && !strcmp(methods[i]->name, name)) return methods[i];
  return NULL;
}

static ipg_status report_unknown_method(const char *name, ipg_error *error) {
  char list[256] = "";
  for (int i = 0; i < METHODS; ++i) {
    strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
    strncat(list, methods[i]->name, sizeof list - strlen(list) - 1);
  }
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is no search method '%s'; take one of %s", name ? name : "(null)",
                  list);
}

static ipg_status check_lkdtree(const ipg_lkdtree_config *config, ipg_error *error) {
  if (config->code_width != 32 && config->code_width != 64)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "codes of %d bits do not exist; take 32 or 64", config->code_width);
  const int most = config->code_width == 64 ? 19 : 9;
  if (config->bits < 0 || config->bits > most)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "bits per axis is %d; with codes of %d bits it must be 1 to %d, or 0 for the most", config->bits,
                    config->code_width, most);
  return IPG_OK;
}

static ipg_status check_config(const ipg_search_config *config, ipg_error *error) {
  if (!find_method(config->method)) return report_unknown_method(config->method, error);
  if (config->group_count < 0 || config->group_count > 46340)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of groups is %d; it must be 0 to 46340",
                    config->group_count);
  if (config->tasks.worker_count < 1)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of workers is %d; it must be at least 1",
                    config->tasks.worker_count);
  return check_lkdtree(&config->lkdtree, error);
}

/* All memory that a search needs before its first set. */
static ipg_status allocate_state(ipg_search *search, const ipg_search_config *config, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const int64_t workers = config->tasks.worker_count, groups = config->group_excluded ? config->group_count : 0;
  search->state = allocator->allocate(allocator->context, search->method->state_bytes);
  if (!search->state) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for search method %s", config->method);
  memset(search->state, 0, search->method->state_bytes);
  ipg_status status = ipg_buffer_reserve(&search->pair_buffers, allocator, workers, sizeof(ipg_pair_buffer), error);
  if (!status) status = ipg_buffer_reserve(&search->batches, allocator, workers * IPG_BATCH, sizeof(ipg_pair), error);
  if (!status) status = ipg_buffer_reserve(&search->matrix, allocator, groups * groups, 1, error);
  if (status) return status;
  if (groups) memcpy(search->matrix.data, config->group_excluded, (size_t)(groups * groups));
  search->config.group_excluded = search->matrix.data;
  memset(search->pair_buffers.data, 0, search->pair_buffers.bytes);
  ipg_pair_buffer *buffers = search->pair_buffers.data;
  for (int64_t i = 0; i < workers; ++i) buffers[i].pairs = (ipg_pair *)search->batches.data + i * IPG_BATCH;
  return IPG_OK;
}

ipg_status ipg_search_create(const ipg_search_config *config, ipg_search **out, ipg_error *error) {
  *out = NULL;
  ipg_simd simd = IPG_SIMD_SCALAR;
  ipg_status status = check_config(config, error);
  if (!status) status = ipg_simd_choose(&simd, error);
  if (status) return status;
  const ipg_allocator *allocator = &config->allocator;
  ipg_search *search = allocator->allocate(allocator->context, sizeof *search);
  if (!search) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a search");
  *search = (ipg_search){.config = *config, .method = find_method(config->method), .simd = simd};
  status = allocate_state(search, config, error);
  if (status) ipg_search_destroy(&search);
  *out = search;
  return status;
}

void ipg_destroy_buffers(ipg_search *search, ipg_buffer *const *buffers) {
  for (; *buffers; ++buffers) ipg_buffer_destroy(*buffers, &search->config.allocator);
}

void ipg_search_destroy(ipg_search **search_pointer) {
  ipg_search *search = *search_pointer;
  if (!search) return;
  const ipg_allocator allocator = search->config.allocator;
  if (search->state) {
    if (search->method->release) search->method->release(search);
    allocator.release(allocator.context, search->state, search->method->state_bytes);
  }
  ipg_destroy_buffers(search, (ipg_buffer *[]){&search->item_boxes, &search->item_keys, &search->item_groups,
                                               &search->matrix, &search->pair_buffers, &search->batches,
                                               &search->chunk_bounds, &search->array_keys, &search->array_pairs, NULL});
  ipg_sorter_destroy(&search->sorter, &allocator);
  allocator.release(allocator.context, search, sizeof *search);
  *search_pointer = NULL;
}

/* ----------------------------------------------------------------------------------------------------------- input */

static ipg_status check_count(const char *what, const void *items, int64_t count, ipg_error *error) {
  if (count < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of %s is %lld; it must not be negative", what,
                    (long long)count);
  if (count && !items)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the array of %lld %s is null; give an array, or a number of 0",
                    (long long)count, what);
  if (count >= IPG_ID_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "%lld %s are more than 32-bit ids can name", (long long)count, what);
  return IPG_OK;
}

static ipg_status check_groups(const ipg_search *search, const ipg_exclusion *exclusion, int64_t count,
                               ipg_error *error) {
  if (!exclusion || !exclusion->groups || !search->config.group_excluded) return IPG_OK;
  for (int64_t i = 0; i < count; ++i)
    if (exclusion->groups[i] < 0 || exclusion->groups[i] >= search->config.group_count)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "item %lld is in group %d; groups are 0 to %d", (long long)i,
                      (int)exclusion->groups[i], search->config.group_count - 1);
  return IPG_OK;
}

/* Copies count ids of the caller into a buffer of the search; NULL stays NULL. */
static ipg_status copy_ids(ipg_search *search, ipg_buffer *buffer, const ipg_id *from, int64_t count,
                           const ipg_id **copy, ipg_error *error) {
  *copy = NULL;
  if (!from || !count) return IPG_OK;
  const ipg_status status = ipg_buffer_reserve(buffer, &search->config.allocator, count, sizeof *from, error);
  if (status) return status;
  memcpy(buffer->data, from, (size_t)count * sizeof *from);
  *copy = buffer->data;
  return IPG_OK;
}

static ipg_status copy_boxes(ipg_search *search, const ipg_box *boxes, int64_t count, ipg_error *error) {
  if (search->item_boxes.data == boxes) return IPG_OK;
  const ipg_status status =
      ipg_buffer_reserve(&search->item_boxes, &search->config.allocator, count, sizeof *boxes, error);
  if (!status && count) memcpy(search->item_boxes.data, boxes, (size_t)count * sizeof *boxes);
  return status;
}

/* Drops the old set: its memory is about to be overwritten. */
static void clear_items(ipg_search *search, bool points) {
  search->items = (ipg_set){.points = points};
  search->movable = false;
  search->counters = (ipg_search_counters){0};
}

/* Gives the method its set: in the caller's memory if the method copies boxes, else in a copy that the search owns. */
static ipg_status store_items(ipg_search *search, ipg_set *set, bool moved, ipg_error *error) {
  clear_items(search, set->points);
  ipg_status status = IPG_OK;
  if (!search->method->copies_boxes) {
    status = copy_boxes(search, set->boxes, set->count, error);
    set->boxes = search->item_boxes.data;
  }
  if (!status && !moved) status = copy_ids(search, &search->item_keys, set->keys, 4 * set->count, &set->keys, error);
  if (!status && !moved) status = copy_ids(search, &search->item_groups, set->groups, set->count, &set->groups, error);
  if (status) return status;
  search->items = *set;
  status = moved && search->method->move ? search->method->move(search, error) : search->method->set(search, error);
  if (status) search->items = (ipg_set){.points = set->points};
  search->movable = !status;
  return status;
}

static ipg_status set_items(ipg_search *search, const ipg_box *boxes, int64_t count, bool points,
                            const ipg_exclusion *exclusion, ipg_error *error) {
  ipg_set set = {.boxes = boxes, .count = count, .points = points};
  if (exclusion) set.keys = exclusion->keys, set.groups = exclusion->groups;
  ipg_status status = check_groups(search, exclusion, count, error);
  if (!status) status = ipg_compute_bounds(search, points ? "point" : "box", &set, true, error);
  return status ? status : store_items(search, &set, false, error);
}

ipg_status ipg_search_set_boxes(ipg_search *search, const ipg_box *boxes, int64_t count, const ipg_exclusion *exclusion,
                                ipg_error *error) {
  const ipg_status status = check_count("boxes", boxes, count, error);
  return status ? status : set_items(search, boxes, count, false, exclusion, error);
}

ipg_status ipg_search_set_points(ipg_search *search, const double *points, int64_t count,
                                 const ipg_exclusion *exclusion, ipg_error *error) {
  ipg_status status = check_count("points", points, count, error);
  for (int64_t i = 0; !status && i < 3 * count; ++i)
    if (!isfinite(points[i]))
      status = ipg_fail(error, IPG_ERROR_NUMBER, "point %lld is not finite", (long long)(i / 3));
  if (!status) status = check_groups(search, exclusion, count, error);
  if (!status)
    status = ipg_buffer_reserve(&search->item_boxes, &search->config.allocator, count, sizeof(ipg_box), error);
  if (status) return status;
  clear_items(search, true);
  ipg_box *boxes = search->item_boxes.data;
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) boxes[i].lo[k] = boxes[i].hi[k] = points[3 * i + k];
  return set_items(search, boxes, count, true, exclusion, error);
}

ipg_status ipg_search_move_boxes(ipg_search *search, const ipg_box *boxes, int64_t count, ipg_error *error) {
  ipg_status status = check_count("boxes", boxes, count, error);
  if (status) return status;
  if (!search->movable || search->items.points || count != search->items.count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "%lld boxes cannot be moved: the search holds %lld %s; set the boxes first", (long long)count,
                    (long long)search->items.count, search->items.points ? "points" : "boxes");
  ipg_set set = search->items;
  set.boxes = boxes;
  status = ipg_compute_bounds(search, "box", &set, false, error);
  return status ? status : store_items(search, &set, true, error);
}

/* ---------------------------------------------------------------------------------------------------------- output */

static bool is_excluded(const ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b) {
  const ipg_set *items = &search->items;
  if (first->keys && items->keys && ipg_have_common_key(first->keys + 4 * (int64_t)a, items->keys + 4 * (int64_t)b))
    return true;
  return search->config.group_excluded && first->groups && items->groups &&
         search->config.group_excluded[first->groups[a] * search->config.group_count + items->groups[b]];
}

void ipg_flush_pairs(ipg_search *search, int worker) {
  ipg_pair_buffer *buffer = (ipg_pair_buffer *)search->pair_buffers.data + worker;
  if (buffer->count) search->sink(search->sink_context, buffer->pairs, buffer->count, worker);
  buffer->sent += buffer->count;
  buffer->count = 0;
}

void ipg_report_pair(ipg_search *search, const ipg_set *first, ipg_id a, ipg_id b, int worker) {
  if (is_excluded(search, first, a, b)) return;
  ipg_pair_buffer *buffer = (ipg_pair_buffer *)search->pair_buffers.data + worker;
  buffer->pairs[buffer->count++] = (ipg_pair){a, b};
  if (buffer->count == IPG_BATCH) ipg_flush_pairs(search, worker);
}

static ipg_status run_self(ipg_search *search, ipg_error *error) {
  const ipg_search_method *method = search->method;
  if (method->self) return method->self(search, error);
  ipg_tasks_for(&search->config.tasks, method->self_task, search, 0, search->items.count, method->grain);
  return IPG_OK;
}

static ipg_status run_query(ipg_search *search, ipg_error *error) {
  const ipg_search_method *method = search->method;
  if (method->query) return method->query(search, error);
  ipg_tasks_for(&search->config.tasks, method->query_task, search, 0, search->queries.count, method->grain);
  return IPG_OK;
}

typedef ipg_status run_function(ipg_search *search, ipg_error *error);

/* Runs a self search or a query and adds up what its workers counted. */
static ipg_status stream_pairs(ipg_search *search, run_function *run, ipg_sink *sink, void *context, ipg_error *error) {
  ipg_pair_buffer *buffers = search->pair_buffers.data;
  search->sink = sink, search->sink_context = context;
  search->counters.candidates = search->counters.pairs = 0;
  for (int i = 0; i < search->config.tasks.worker_count; ++i)
    buffers[i].count = buffers[i].candidates = buffers[i].sent = 0;
  const ipg_status status = search->items.count ? run(search, error) : IPG_OK;
  if (status) return status;
  for (int i = 0; i < search->config.tasks.worker_count; ++i) {
    ipg_flush_pairs(search, i);
    search->counters.candidates += buffers[i].candidates;
    search->counters.pairs += buffers[i].sent;
  }
  return IPG_OK;
}

ipg_status ipg_search_self(ipg_search *search, ipg_sink *sink, void *context, ipg_error *error) {
  return stream_pairs(search, run_self, sink, context, error);
}

/* Queries are not copied: they stay in the caller's memory during the call. */
static ipg_status set_queries(ipg_search *search, const ipg_box *boxes, int64_t count, const ipg_exclusion *exclusion,
                              ipg_error *error) {
  search->queries = (ipg_set){0};
  ipg_status status = check_count("query boxes", boxes, count, error);
  if (!status) status = check_groups(search, exclusion, count, error);
  if (status) return status;
  search->queries = (ipg_set){.boxes = boxes, .count = count};
  status = ipg_compute_bounds(search, "query box", &search->queries, true, error);
  if (status) return status;
  if (exclusion) search->queries.keys = exclusion->keys, search->queries.groups = exclusion->groups;
  return IPG_OK;
}

ipg_status ipg_search_query(ipg_search *search, const ipg_box *queries, int64_t count, const ipg_exclusion *exclusion,
                            ipg_sink *sink, void *context, ipg_error *error) {
  const ipg_status status = set_queries(search, queries, count, exclusion, error);
  return status ? status : stream_pairs(search, run_query, sink, context, error);
}

ipg_search_counters ipg_search_get_counters(const ipg_search *search) { return search->counters; }

/* --------------------------------------------------------------------------------------------------- sorted arrays */

/* Collects pairs as sort keys. Pairs that do not fit are only counted; the search is then run again with room for all.
 */
typedef struct collector {
  uint64_t *keys;
  int64_t capacity;
  _Atomic int64_t count;
} collector;

static void collect_pairs(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  collector *c = context;
  const int64_t at = atomic_fetch_add_explicit(&c->count, count, memory_order_relaxed);
  for (int64_t i = 0; i < count && at + i < c->capacity; ++i)
    c->keys[at + i] = (uint64_t)pairs[i].a << 32 | (uint32_t)pairs[i].b;
}

static ipg_status sort_array(ipg_search *search, int64_t count, const ipg_pair **out, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  uint64_t *keys = search->array_keys.data;
  const int64_t room = (int64_t)(search->array_keys.bytes / sizeof(uint64_t));
  ipg_status status = ipg_buffer_reserve(&search->array_pairs, allocator, room, sizeof(ipg_pair), error);
  if (!status) status = ipg_sort_u64(&search->sorter, keys, NULL, count, allocator, &search->config.tasks, error);
  if (status) return status;
  ipg_pair *pairs = search->array_pairs.data;
  for (int64_t i = 0; i < count; ++i) pairs[i] = (ipg_pair){(ipg_id)(keys[i] >> 32), (ipg_id)(uint32_t)keys[i]};
  *out = pairs;
  return IPG_OK;
}

static ipg_status collect_array(ipg_search *search, run_function *run, const ipg_pair **pairs, int64_t *pair_count,
                                ipg_error *error) {
  for (;;) {
    collector c = {search->array_keys.data, (int64_t)(search->array_keys.bytes / sizeof(uint64_t)), 0};
    ipg_status status = stream_pairs(search, run, collect_pairs, &c, error);
    if (status) return status;
    const int64_t count = atomic_load(&c.count);
    if (count <= c.capacity) {
      *pair_count = count;
      return sort_array(search, count, pairs, error);
    }
    status =
        ipg_buffer_reserve(&search->array_keys, &search->config.allocator, count + count / 2, sizeof(uint64_t), error);
    if (status) return status;
  }
}

ipg_status ipg_search_self_array(ipg_search *search, const ipg_pair **pairs, int64_t *pair_count, ipg_error *error) {
  return collect_array(search, run_self, pairs, pair_count, error);
}

ipg_status ipg_search_query_array(ipg_search *search, const ipg_box *queries, int64_t count,
                                  const ipg_exclusion *exclusion, const ipg_pair **pairs, int64_t *pair_count,
                                  ipg_error *error) {
  const ipg_status status = set_queries(search, queries, count, exclusion, error);
  return status ? status : collect_array(search, run_query, pairs, pair_count, error);
}

/* Each pair is hashed on its own and the hashes are added, so order and batches do not matter. */
uint64_t ipg_pairs_checksum(const ipg_pair *pairs, int64_t count) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t h = (uint64_t)(uint32_t)pairs[i].a << 32 | (uint32_t)pairs[i].b;
    h = (h ^ h >> 31) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xd6e8feb86659fd93u;
    sum += h ^ h >> 32;
  }
  return sum;
}
