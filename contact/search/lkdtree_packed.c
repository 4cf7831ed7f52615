/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The linear kd-tree made fast: one record per box, sorted by locational code, and over the cells of the kd-tree, which
 * are pieces of the sorted array, their tight boxes (packed.h). Both questions are a join of two such trees; a question
 * about one set joins it with itself. What the sweep of the plain linear kd-tree finds by prefixes of codes is found
 * here by comparing boxes, 16 at a time: no box needs to be cut.
 *
 * When boxes move, the order of the step before is kept as long as it is still good (Poirrier 2009, open question 7.1):
 * cells are enclosed anew, which is exact whatever the order, and when the edges of the blocks have grown by a quarter
 * all is sorted again. */
#include "packed.h"
#include "support/vec.h"

static const double most_growth = 1.25;

typedef struct lkdtree_packed {
  ipg_packed items, queries;
  ipg_code_grid grid; /* of the codes of the set that comes in */
  bool has_codes;     /* in the scratch of the sort */
} lkdtree_packed;

enum { GRAIN = 4096, GROUPS = 16 };

static bool will_be_refitted(const lkdtree_packed *method, const ipg_search *search, const ipg_set *set) {
  return set == &search->queries && method->queries.count == set->count;
}

static ipg_status prepare(ipg_search *search, const ipg_set *set, ipg_error *error) {
  lkdtree_packed *method = search->state;
  method->has_codes = false;
  if (will_be_refitted(method, search, set)) return IPG_OK;
  const ipg_status status =
      ipg_buffer_reserve(&search->sorter.payload, &search->config.allocator, set->count, sizeof(uint32_t), error);
  if (status) return status;
  ipg_choose_cells(&method->grid, set);
  method->has_codes = true;
  return IPG_OK;
}

static void glance(ipg_search *search, const ipg_set *set, int64_t begin, int64_t end) {
  const lkdtree_packed *method = search->state;
  uint32_t *codes = search->sorter.payload.data;
  if (method->has_codes)
    ipg_packed_kernels_of(search)->write_codes(&method->grid, set->boxes + begin, end - begin, codes + begin);
}

/* Codes of a set that was to keep its order, and could not. */
typedef struct late_glance {
  ipg_search *search;
  const ipg_set *set;
} late_glance;

static void glance_late(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const late_glance *late = arg;
  glance(late->search, late->set, begin, end);
}

static ipg_status make_codes(ipg_search *search, const ipg_set *set, ipg_error *error) {
  late_glance late = {search, set};
  const ipg_status status = prepare(search, set, error);
  if (!status) ipg_tasks_for(&search->config.tasks, glance_late, &late, 0, set->count, GRAIN);
  return status;
}

static ipg_status build(ipg_search *search, ipg_packed *tree, const ipg_set *set, ipg_error *error) {
  lkdtree_packed *method = search->state;
  ipg_status status = IPG_OK;
  tree->count = 0;
  if (!method->has_codes) status = make_codes(search, set, error);
  if (status) return status;
  method->has_codes = false;
  tree->grid = method->grid, tree->grid.bounds = set->bounds;
  status = ipg_packed_sort(tree, search, set, search->sorter.payload.data, error);
  if (!status) status = ipg_packed_cut(tree, search, set->count, error);
  if (!status) status = ipg_packed_bring_exclusions(tree, search, set, error);
  if (status) return status;
  ipg_packed_fill(tree, search, false);
  tree->count = set->count;
  tree->spread_when_ordered = tree->spread;
  search->counters.ordered += set->count;
  return IPG_OK;
}

/* As build, but keeps the order if the boxes are not much more spread in it than when it was made. */
static ipg_status refit(ipg_search *search, ipg_packed *tree, const ipg_set *set, ipg_error *error) {
  const ipg_status status = ipg_packed_bring_exclusions(tree, search, set, error);
  if (status) return status;
  ipg_packed_bring_boxes(tree, search, set);
  ipg_packed_fill(tree, search, true);
  if (!(tree->spread <= most_growth * tree->spread_when_ordered)) return build(search, tree, set, error);
  search->counters.reused += set->count;
  return IPG_OK;
}

static ipg_status set(ipg_search *search, ipg_error *error) {
  lkdtree_packed *method = search->state;
  method->queries.count = 0;
  if (!search->items.count) return IPG_OK;
  search->counters.records = search->items.count;
  return build(search, &method->items, &search->items, error);
}

static ipg_status move(ipg_search *search, ipg_error *error) {
  lkdtree_packed *method = search->state;
  method->has_codes = false; /* of a set that was refused */
  if (!search->items.count) return IPG_OK;
  search->counters.records = search->items.count;
  return refit(search, &method->items, &search->items, error);
}

static void run_join(ipg_search *search, ipg_join *join) {
  ipg_tasks_for(&search->config.tasks, ipg_packed_kernels_of(search)->join, join, 0, join->first->group_count, GROUPS);
}

static ipg_status self(ipg_search *search, ipg_error *error) {
  (void)error;
  const lkdtree_packed *method = search->state;
  ipg_join join = {.search = search, .first = &method->items, .second = &method->items};
  run_join(search, &join);
  return IPG_OK;
}

static ipg_status query(ipg_search *search, ipg_error *error) {
  lkdtree_packed *method = search->state;
  const ipg_set *queries = &search->queries;
  const bool same = method->queries.count == queries->count;
  if (!queries->count) return IPG_OK;
  const ipg_status status = (same ? refit : build)(search, &method->queries, queries, error);
  method->queries.count = status ? 0 : queries->count; /* a tree that is half made is not refitted */
  if (status) return status;
  ipg_join join = {.search = search, .first = &method->queries, .second = &method->items};
  run_join(search, &join);
  return IPG_OK;
}

static void release(ipg_search *search) {
  lkdtree_packed *method = search->state;
  ipg_packed_destroy(&method->items, &search->config.allocator);
  ipg_packed_destroy(&method->queries, &search->config.allocator);
}

const ipg_search_method ipg_search_lkdtree_packed = {.name = "lkdtree_packed",
                                                     .state_bytes = sizeof(lkdtree_packed),
                                                     .copies_boxes = true,
                                                     .prepare = prepare,
                                                     .glance = glance,
                                                     .set = set,
                                                     .move = move,
                                                     .self = self,
                                                     .query = query,
                                                     .release = release};
