/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The fast linear kd-tree: one record per box, sorted by locational code, and the tight boxes of the cells of the
 * kd-tree, which are pieces of the sorted array (packed.h). Both searches are a join of two such trees; a self search
 * joins the tree with itself. What the sweep of the plain linear kd-tree finds by prefixes of codes is found here by
 * comparing boxes, 16 at a time: no box needs to be cut.
 *
 * When boxes move, the order of the previous step is kept as long as it is good (Poirrier 2009, open question 7.1): the
 * boxes of the cells are computed again, which is exact for any order, and when the edges of the blocks have grown by a
 * quarter everything is sorted again. */
#include "packed.h"

static const double most_growth = 1.25;

typedef struct lkdtree_packed {
  ipg_packed items, queries;
  ipg_code_grid grid; /* of the codes of the incoming set */
  bool has_codes;     /* in the scratch memory of the sort */
} lkdtree_packed;

enum { GRAIN = 4096, GROUPS = 16 };

static bool will_refit(const lkdtree_packed *method, const ipg_search *search, const ipg_set *set) {
  return set == &search->queries && method->queries.count == set->count;
}

static ipg_status start_preprocess(ipg_search *search, const ipg_set *set, ipg_error *error) {
  lkdtree_packed *method = search->state;
  method->has_codes = false;
  if (will_refit(method, search, set)) return IPG_OK;
  const ipg_status status =
      ipg_buffer_reserve(&search->sorter.payload, &search->config.allocator, set->count, sizeof(uint32_t), error);
  if (status) return status;
  ipg_choose_code_grid(&method->grid, set);
  method->has_codes = true;
  return IPG_OK;
}

static void preprocess_chunk(ipg_search *search, const ipg_set *set, int64_t begin, int64_t end) {
  const lkdtree_packed *method = search->state;
  uint32_t *codes = search->sorter.payload.data;
  if (method->has_codes)
    ipg_choose_packed_kernels(search)->write_codes(&method->grid, set->boxes + begin, end - begin, codes + begin);
}

typedef struct coding {
  ipg_search *search;
  const ipg_set *set;
} coding;

static void write_codes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const coding *c = arg;
  preprocess_chunk(c->search, c->set, begin, end);
}

/* For a set whose order was to be kept but became too bad: there are no codes yet. */
static ipg_status make_codes(ipg_search *search, const ipg_set *set, ipg_error *error) {
  coding c = {search, set};
  const ipg_status status = start_preprocess(search, set, error);
  if (!status) ipg_tasks_for(&search->config.tasks, write_codes, &c, 0, set->count, GRAIN);
  return status;
}

static ipg_status build_tree(ipg_search *search, ipg_packed *tree, const ipg_set *set, ipg_error *error) {
  lkdtree_packed *method = search->state;
  ipg_status status = IPG_OK;
  tree->count = 0;
  if (!method->has_codes) status = make_codes(search, set, error);
  if (status) return status;
  method->has_codes = false;
  tree->grid = method->grid, tree->grid.bounds = set->bounds;
  status = ipg_packed_sort(tree, search, set, search->sorter.payload.data, error);
  if (!status) status = ipg_packed_cut(tree, search, set->count, error);
  if (!status) status = ipg_packed_copy_exclusions(tree, search, set, error);
  if (status) return status;
  ipg_packed_fill(tree, search, false);
  tree->count = set->count;
  tree->edge_sum_when_sorted = tree->edge_sum;
  search->counters.ordered += set->count;
  return IPG_OK;
}

/* As build_tree, but keeps the order if the blocks have not grown much since the boxes were sorted. */
static ipg_status refit_tree(ipg_search *search, ipg_packed *tree, const ipg_set *set, ipg_error *error) {
  const ipg_status status = ipg_packed_copy_exclusions(tree, search, set, error);
  if (status) return status;
  ipg_packed_update_boxes(tree, search, set);
  ipg_packed_fill(tree, search, true);
  if (!(tree->edge_sum <= most_growth * tree->edge_sum_when_sorted)) return build_tree(search, tree, set, error);
  search->counters.reused += set->count;
  return IPG_OK;
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  lkdtree_packed *method = search->state;
  method->queries.count = 0;
  if (!search->items.count) return IPG_OK;
  search->counters.records = search->items.count;
  return build_tree(search, &method->items, &search->items, error);
}

static ipg_status move_items(ipg_search *search, ipg_error *error) {
  lkdtree_packed *method = search->state;
  method->has_codes = false; /* those of a rejected set */
  if (!search->items.count) return IPG_OK;
  search->counters.records = search->items.count;
  return refit_tree(search, &method->items, &search->items, error);
}

static void run_join(ipg_search *search, ipg_join *join) {
  ipg_tasks_for(&search->config.tasks, ipg_choose_packed_kernels(search)->join, join, 0, join->first->group_count,
                GROUPS);
}

static ipg_status search_self(ipg_search *search, ipg_error *error) {
  (void)error;
  const lkdtree_packed *method = search->state;
  ipg_join join = {.search = search, .first = &method->items, .second = &method->items};
  run_join(search, &join);
  return IPG_OK;
}

static ipg_status search_query(ipg_search *search, ipg_error *error) {
  lkdtree_packed *method = search->state;
  const ipg_set *queries = &search->queries;
  const bool same = method->queries.count == queries->count;
  if (!queries->count) return IPG_OK;
  const ipg_status status = (same ? refit_tree : build_tree)(search, &method->queries, queries, error);
  method->queries.count = status ? 0 : queries->count; /* an incomplete tree is not refitted */
  if (status) return status;
  ipg_join join = {.search = search, .first = &method->queries, .second = &method->items};
  run_join(search, &join);
  return IPG_OK;
}

static void free_state(ipg_search *search) {
  lkdtree_packed *method = search->state;
  ipg_packed_destroy(&method->items, search);
  ipg_packed_destroy(&method->queries, search);
}

const ipg_search_method ipg_search_lkdtree_packed = {.name = "lkdtree_packed",
                                                     .state_bytes = sizeof(lkdtree_packed),
                                                     .copies_boxes = true,
                                                     .start_preprocess = start_preprocess,
                                                     .preprocess_chunk = preprocess_chunk,
                                                     .set = set_items,
                                                     .move = move_items,
                                                     .self = search_self,
                                                     .query = search_query,
                                                     .release = free_state};
