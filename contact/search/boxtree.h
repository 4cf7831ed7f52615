/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A tree of boxes in one flat array: what the methods `orthotree` and `kdtree` share. They differ in how they divide.
 *
 * Nodes stand in preorder: a node, then its whole subtree, then `next`. So a traversal is one loop: where the box
 * overlaps, go to the node right behind, else to `next`. Items are assigned to leaves by their centres and stand in the
 * order of the leaves; a node's box is the tight box of the items below, so a large item is stored only once. */
#ifndef IMPINGE_SEARCH_BOXTREE_H
#define IMPINGE_SEARCH_BOXTREE_H

#include "method.h"

typedef struct ipg_boxtree_centre {
  double x[3];
  ipg_id item;
} ipg_boxtree_centre;

typedef struct ipg_boxtree_node {
  ipg_box box;
  int64_t next;       /* a leaf's is the node right behind it */
  ipg_id first, last; /* its items stand at positions [first, last) */
} ipg_boxtree_node;

/* The first member of the state of both methods. */
typedef struct ipg_boxtree {
  ipg_boxtree_node *nodes;
  ipg_boxtree_centre *centres; /* of the items, in the order of the leaves */
  ipg_box *boxes;              /* likewise */
  int64_t node_count;
  ipg_buffer node_buffer, centre_buffer, box_buffer;
} ipg_boxtree;

/* Makes a tree without nodes, its centres in the order of the items. */
ipg_status ipg_boxtree_clear(ipg_search *search, ipg_boxtree *tree, ipg_error *error);

/* Fits the boxes of all nodes to the items of the search, bottom-up. */
void ipg_boxtree_fit(ipg_search *search, ipg_boxtree *tree);

ipg_status ipg_boxtree_self(ipg_search *search, ipg_error *error);
ipg_status ipg_boxtree_query(ipg_search *search, ipg_error *error);
void ipg_boxtree_free(ipg_search *search);

static inline bool ipg_boxtree_is_leaf(const ipg_boxtree *tree, int64_t node) {
  return tree->nodes[node].next == node + 1;
}

/* The box of the centres at positions [first, last). */
ipg_box ipg_boxtree_bound_centres(const ipg_boxtree *tree, ipg_id first, ipg_id last);

#endif
