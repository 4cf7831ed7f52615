/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The kd-tree: each node divides its items at the median, across the longest side of the box of their centres.
 *
 * Depth and layout depend on the number of items alone: all leaves lie on one level, and the index of a node follows
 * from its number on its level. So the nodes of a level are divided in parallel, into positions known beforehand.
 * When the items have moved, the order is kept and boxes are fitted again. That is always correct but gets slow as
 * neighbours separate, so the tree is rebuilt when its leaves have grown to twice their size.
 *
 * Aivazis 2010, algorithms 3 and 4, median split: build O(N log N), fit O(N), store O(N), query O(log N + n). */
#include "boxtree.h"

enum { LEAF = 8, GRAIN = 4096 };

typedef struct kdtree {
  ipg_boxtree tree;
  int depth;         /* of the leaves; the root's is 0 */
  double leaf_edges; /* summed, when last divided */
} kdtree;

/* ---------------------------------------------------------------------------------------------------------- median */

static void swap_centres(ipg_boxtree_centre *a, ipg_boxtree_centre *b) {
  const ipg_boxtree_centre c = *a;
  *a = *b, *b = c;
}

/* Puts the centre that belongs at `middle` there, those not above it before and those not below it behind. Pivots are
 * pseudo-random, always the same sequence, so that no pattern makes it slow; the loops stop at equal centres, so that
 * these are halved too. */
static void select_middle(ipg_boxtree_centre *c, int64_t first, int64_t last, int64_t middle, int axis) {
  uint64_t random = (uint64_t)last;
  while (last - first > 1) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const double pivot = c[first + (int64_t)((random >> 33) % (uint64_t)(last - first))].x[axis];
    int64_t i = first, j = last - 1;
    while (i <= j) {
      while (c[i].x[axis] < pivot) ++i;
      while (c[j].x[axis] > pivot) --j;
      if (i <= j) swap_centres(&c[i++], &c[j--]);
    }
    if (middle <= j) last = j + 1;
    else if (middle >= i) first = i;
    else return;
  }
}

/* Halves, since lengths may overflow. */
static int longest_axis(const ipg_box *box) {
  double length[3];
  for (int k = 0; k < 3; ++k) length[k] = 0.5 * box->hi[k] - 0.5 * box->lo[k];
  const int longer = length[1] > length[0];
  return length[2] > length[longer] ? 2 : longer;
}

/* ---------------------------------------------------------------------------------------------------------- layout */

/* The smallest depth at which no leaf holds more than LEAF items. */
static int choose_depth(int64_t items) {
  int depth = 0;
  while (ipg_chunk_count(items, (int64_t)1 << depth) > LEAF) ++depth;
  return depth;
}

/* Nodes in a subtree whose root is `level` deep, itself included. */
static int64_t subtree_size(const kdtree *t, int level) { return ((int64_t)2 << (t->depth - level)) - 1; }

/* The index of node `number` of a level: the bits of its number are the way to it, 0 left and 1 right. */
static int64_t index_of_node(const kdtree *t, int level, int64_t number) {
  int64_t node = 0;
  for (int below = 1; below <= level; ++below) node += 1 + (number >> (level - below) & 1) * subtree_size(t, below);
  return node;
}

static void put_node(const kdtree *t, int64_t node, int level, ipg_id first, ipg_id last) {
  t->tree.nodes[node] = (ipg_boxtree_node){.next = node + subtree_size(t, level), .first = first, .last = last};
}

typedef struct dividing {
  kdtree *t;
  int level;
} dividing;

static void divide_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const dividing *d = arg;
  const kdtree *t = d->t;
  for (int64_t number = begin; number < end; ++number) {
    const int64_t node = index_of_node(t, d->level, number), left = node + 1,
                  right = left + subtree_size(t, d->level + 1);
    const ipg_id first = t->tree.nodes[node].first, last = t->tree.nodes[node].last;
    const ipg_id middle = first + (last - first) / 2;
    const ipg_box around = ipg_boxtree_bound_centres(&t->tree, first, last);
    select_middle(t->tree.centres, first, last, middle, longest_axis(&around));
    put_node(t, left, d->level + 1, first, middle);
    put_node(t, right, d->level + 1, middle, last);
  }
}

/* Level by level; a chunk is nodes of GRAIN items together. */
static void divide_levels(ipg_search *search, kdtree *t) {
  const int64_t count = search->items.count;
  put_node(t, 0, 0, 0, (ipg_id)count);
  for (dividing d = {t, 0}; d.level < t->depth; ++d.level)
    ipg_tasks_for(&search->config.tasks, divide_nodes, &d, 0, (int64_t)1 << d.level,
                  1 + ((int64_t)GRAIN << d.level) / count);
}

/* ---------------------------------------------------------------------------------------------------- set and move */

static double sum_leaf_edges(const ipg_boxtree *tree) {
  double sum = 0;
  for (int64_t n = 0; n < tree->node_count; ++n)
    for (int k = 0; k < 3 && ipg_boxtree_is_leaf(tree, n); ++k)
      sum += tree->nodes[n].box.hi[k] - tree->nodes[n].box.lo[k];
  return sum;
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  kdtree *t = search->state;
  const int64_t count = search->items.count;
  ipg_status status = ipg_boxtree_clear(search, &t->tree, error);
  if (status || !count) return status;
  t->depth = choose_depth(count);
  const int64_t nodes = subtree_size(t, 0);
  status = ipg_buffer_reserve(&t->tree.node_buffer, &search->config.allocator, nodes, sizeof(ipg_boxtree_node), error);
  if (status) return status;
  t->tree.nodes = t->tree.node_buffer.data;
  t->tree.node_count = nodes;
  divide_levels(search, t);
  ipg_boxtree_fit(search, &t->tree);
  t->leaf_edges = sum_leaf_edges(&t->tree);
  search->counters.records = search->counters.ordered = count;
  return IPG_OK;
}

static ipg_status move_items(ipg_search *search, ipg_error *error) {
  kdtree *t = search->state;
  ipg_boxtree_fit(search, &t->tree);
  if (sum_leaf_edges(&t->tree) > 2 * t->leaf_edges) return set_items(search, error);
  search->counters.records = search->counters.reused = search->items.count;
  return IPG_OK;
}

const ipg_search_method ipg_search_kdtree = {.name = "kdtree",
                                             .state_bytes = sizeof(kdtree),
                                             .set = set_items,
                                             .move = move_items,
                                             .self = ipg_boxtree_self,
                                             .query = ipg_boxtree_query,
                                             .release = ipg_boxtree_free};
