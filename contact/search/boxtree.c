/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A tree of boxes in one flat array: boxes fitted bottom-up, and the traversals of the two searches.
 *
 * Each pair once: a leaf is compared with itself and the leaves behind it. Because of the preorder, a traversal that
 * starts right behind the leaf finds exactly these; no self search starts at the root. */
#include "boxtree.h"

enum { ITEM_GRAIN = 4096, NODE_GRAIN = 256, QUERY_GRAIN = 256 };

typedef struct work {
  ipg_search *search;
  ipg_boxtree *tree;
} work;

/* --------------------------------------------------------------------------------------------------------- centres */

static void compute_centres(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const work *w = arg;
  for (int64_t i = begin; i < end; ++i) {
    const ipg_box *box = &w->search->items.boxes[i];
    w->tree->centres[i].item = (ipg_id)i;
    for (int k = 0; k < 3; ++k) w->tree->centres[i].x[k] = ipg_box_centre(box, k);
  }
}

ipg_status ipg_boxtree_clear(ipg_search *search, ipg_boxtree *tree, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const int64_t count = search->items.count;
  tree->node_count = 0;
  ipg_status status = ipg_buffer_reserve(&tree->centre_buffer, allocator, count, sizeof(ipg_boxtree_centre), error);
  if (!status) status = ipg_buffer_reserve(&tree->box_buffer, allocator, count, sizeof(ipg_box), error);
  if (status) return status;
  tree->centres = tree->centre_buffer.data;
  tree->boxes = tree->box_buffer.data;
  work w = {search, tree};
  ipg_tasks_for(&search->config.tasks, compute_centres, &w, 0, count, ITEM_GRAIN);
  return IPG_OK;
}

ipg_box ipg_boxtree_bound_centres(const ipg_boxtree *tree, ipg_id first, ipg_id last) {
  const double *x = tree->centres[first].x;
  ipg_box box = {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
  for (int64_t i = first + 1; i < last; ++i)
    for (int k = 0; k < 3; ++k) {
      box.lo[k] = smaller(tree->centres[i].x[k], box.lo[k]);
      box.hi[k] = larger(tree->centres[i].x[k], box.hi[k]);
    }
  return box;
}

/* ------------------------------------------------------------------------------------------------------------- fit */

static void fit_leaves(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const work *w = arg;
  ipg_boxtree *tree = w->tree;
  for (int64_t n = begin; n < end; ++n) {
    if (!ipg_boxtree_is_leaf(tree, n)) continue;
    ipg_boxtree_node *leaf = &tree->nodes[n];
    for (int64_t i = leaf->first; i < leaf->last; ++i) {
      tree->boxes[i] = w->search->items.boxes[tree->centres[i].item];
      if (i == leaf->first) leaf->box = tree->boxes[i];
      else ipg_box_include(&leaf->box, &tree->boxes[i]);
    }
  }
}

/* Backwards, so that the nodes below a node are fitted before it. */
static void fit_branches(ipg_boxtree *tree) {
  for (int64_t n = tree->node_count - 1; n >= 0; --n) {
    if (ipg_boxtree_is_leaf(tree, n)) continue;
    ipg_boxtree_node *branch = &tree->nodes[n];
    branch->box = tree->nodes[n + 1].box;
    for (int64_t below = tree->nodes[n + 1].next; below < branch->next; below = tree->nodes[below].next)
      ipg_box_include(&branch->box, &tree->nodes[below].box);
  }
}

void ipg_boxtree_fit(ipg_search *search, ipg_boxtree *tree) {
  work w = {search, tree};
  ipg_tasks_for(&search->config.tasks, fit_leaves, &w, 0, tree->node_count, NODE_GRAIN);
  fit_branches(tree);
}

/* ------------------------------------------------------------------------------------------------------ traversals */

/* The next leaf from node n on whose box overlaps `box`; the number of nodes if there is none. */
static int64_t next_leaf(const ipg_boxtree *tree, int64_t n, const ipg_box *box) {
  while (n < tree->node_count) {
    if (!ipg_boxes_overlap(&tree->nodes[n].box, box)) n = tree->nodes[n].next;
    else if (ipg_boxtree_is_leaf(tree, n)) return n;
    else ++n;
  }
  return n;
}

/* Compares box a of `first_set` with the items at positions [first, last). */
static void compare_run(const work *w, const ipg_set *first_set, ipg_id a, const ipg_box *box, int64_t first,
                        int64_t last, int worker) {
  const ipg_boxtree *tree = w->tree;
  ipg_count_candidates(w->search, last - first, worker);
  for (int64_t i = first; i < last; ++i)
    if (ipg_boxes_overlap(box, &tree->boxes[i]))
      ipg_report_unordered(w->search, first_set, a, tree->centres[i].item, worker);
}

static void compare_item(const work *w, int64_t position, int64_t first, int64_t last, int worker) {
  const ipg_boxtree *tree = w->tree;
  const ipg_id item = tree->centres[position].item;
  compare_run(w, &w->search->items, item, &tree->boxes[position], first, last, worker);
}

static void compare_leaf(const work *w, int64_t n, int worker) {
  const ipg_boxtree_node *leaf = &w->tree->nodes[n];
  for (int64_t i = leaf->first; i < leaf->last; ++i) compare_item(w, i, i + 1, leaf->last, worker);
  for (int64_t m = n; (m = next_leaf(w->tree, m + 1, &leaf->box)) < w->tree->node_count;) {
    const ipg_boxtree_node *other = &w->tree->nodes[m];
    for (int64_t i = leaf->first; i < leaf->last; ++i)
      if (ipg_boxes_overlap(&w->tree->boxes[i], &other->box)) compare_item(w, i, other->first, other->last, worker);
  }
}

static void compare_leaves(void *arg, int64_t begin, int64_t end, int worker) {
  const work *w = arg;
  for (int64_t n = begin; n < end; ++n)
    if (ipg_boxtree_is_leaf(w->tree, n)) compare_leaf(w, n, worker);
}

static void compare_queries(void *arg, int64_t begin, int64_t end, int worker) {
  const work *w = arg;
  const ipg_set *queries = &w->search->queries;
  for (int64_t q = begin; q < end; ++q) {
    const ipg_box *box = &queries->boxes[q];
    for (int64_t n = -1; (n = next_leaf(w->tree, n + 1, box)) < w->tree->node_count;) {
      const ipg_boxtree_node *leaf = &w->tree->nodes[n];
      compare_run(w, queries, (ipg_id)q, box, leaf->first, leaf->last, worker);
    }
  }
}

ipg_status ipg_boxtree_self(ipg_search *search, ipg_error *error) {
  (void)error;
  work w = {search, search->state};
  ipg_tasks_for(&search->config.tasks, compare_leaves, &w, 0, w.tree->node_count, NODE_GRAIN);
  return IPG_OK;
}

ipg_status ipg_boxtree_query(ipg_search *search, ipg_error *error) {
  (void)error;
  work w = {search, search->state};
  ipg_tasks_for(&search->config.tasks, compare_queries, &w, 0, search->queries.count, QUERY_GRAIN);
  return IPG_OK;
}

void ipg_boxtree_free(ipg_search *search) {
  ipg_boxtree *tree = search->state;
  ipg_destroy_buffers(search, (ipg_buffer *[]){&tree->node_buffer, &tree->centre_buffer, &tree->box_buffer, NULL});
}
