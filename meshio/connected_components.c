/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Union-find on a forest of nodes: every element joins the trees of its corners.
 *
 * Several workers join trees at once. Invariant: a node's parent never has a higher number than the node and, once it
 * is another node, only ever moves towards the root; a root becomes the child of another one by a compare-and-exchange
 * that fails if another worker was first. Therefore a tree's root is its lowest node in the end, in whatever order the
 * joins happened. The result does not depend on the order of accesses to different nodes, so relaxed atomics are
 * enough. */
#include "connected_components.h"

#include <stdatomic.h>

enum { ELEMENT_GRAIN = 1 << 14 };

typedef struct forest {
  const ipg_mesh *mesh;
  ipg_id *body_of_element;
  _Atomic ipg_id *parents; /* 1 per node */
} forest;

static ipg_id parent_of(const forest *f, ipg_id node) {
  return atomic_load_explicit(&f->parents[node], memory_order_relaxed);
}

/* Path halving: every step shortens the path for later calls. */
static ipg_id find_root(const forest *f, ipg_id node) {
  for (;;) {
    const ipg_id parent = parent_of(f, node), above = parent_of(f, parent);
    if (parent == above) return parent;
    atomic_store_explicit(&f->parents[node], above, memory_order_relaxed);
    node = above;
  }
}

static void join_nodes(const forest *f, ipg_id a, ipg_id b) {
  for (;;) {
    a = find_root(f, a), b = find_root(f, b);
    if (a == b) return;
    const ipg_id high = a > b ? a : b, low = a > b ? b : a;
    ipg_id expected = high;
    if (atomic_compare_exchange_strong_explicit(&f->parents[high], &expected, low, memory_order_relaxed,
                                                memory_order_relaxed))
      return;
  }
}

/* The common case is an element whose corners have the same parent already. */
static void join_corners(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const forest *f = arg;
  for (int64_t e = begin; e < end; ++e) {
    const ipg_id *tet = f->mesh->tets + 4 * e, parent = parent_of(f, tet[0]);
    bool joined = true; /* all three are compared: no branch to mispredict */
    for (int c = 1; c < 4; ++c) joined &= parent == parent_of(f, tet[c]);
    if (joined) continue;
    for (int c = 1; c < 4; ++c) join_nodes(f, tet[0], tet[c]);
  }
}

static void store_roots(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const forest *f = arg;
  for (int64_t e = begin; e < end; ++e) f->body_of_element[e] = parent_of(f, f->mesh->tets[4 * e]);
}

/* Parents have lower numbers, so in ascending order the parent of a node points at its root already. */
static void flatten_trees(const forest *f) {
  for (ipg_id node = 0; node < f->mesh->node_count; ++node)
    atomic_store_explicit(&f->parents[node], parent_of(f, parent_of(f, node)), memory_order_relaxed);
}

/* Numbers the roots in the order of elements. */
static int number_bodies(const forest *f, ipg_id *number_of_root) {
  int count = 0;
  for (int64_t node = 0; node < f->mesh->node_count; ++node) number_of_root[node] = -1;
  for (int64_t e = 0; e < f->mesh->element_count; ++e) {
    ipg_id *number = &number_of_root[f->body_of_element[e]];
    if (*number < 0) *number = count++;
    f->body_of_element[e] = *number;
  }
  return count;
}

ipg_status ipg_find_connected_components(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks,
                                         ipg_id *body_of_element, int *body_count, ipg_error *error) {
  ipg_buffer parents = {0}, numbers = {0};
  ipg_status status = ipg_buffer_reserve(&parents, allocator, mesh->node_count, sizeof(_Atomic ipg_id), error);
  if (!status) status = ipg_buffer_reserve(&numbers, allocator, mesh->node_count, sizeof(ipg_id), error);
  if (!status) {
    forest f = {mesh, body_of_element, parents.data};
    for (ipg_id node = 0; node < mesh->node_count; ++node) atomic_init(&f.parents[node], node);
    ipg_tasks_for(tasks, join_corners, &f, 0, mesh->element_count, ELEMENT_GRAIN);
    flatten_trees(&f);
    ipg_tasks_for(tasks, store_roots, &f, 0, mesh->element_count, ELEMENT_GRAIN);
    *body_count = number_bodies(&f, numbers.data);
  }
  ipg_buffer_destroy(&parents, allocator);
  ipg_buffer_destroy(&numbers, allocator);
  return status;
}
