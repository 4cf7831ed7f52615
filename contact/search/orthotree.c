/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The orthotree: each node halves the box of its centres along every axis; in 3-D it is an octree.
 *
 * The box that is halved is the tight one, so every division separates items, and far-off items or empty space cost one
 * level, not many. An axis less than half as long as the longest is not halved: cells tend to cubes.
 * Few items, coincident centres or a large depth end in a leaf. Every branch has at least two nodes below it, so there
 * are fewer nodes than twice the items. The depth depends on how the items lie, and nothing can be kept when they move.
 *
 * Aivazis 2010, algorithms 3 and 4, midpoint split: build and store O((D+1) N) with depth D, query O(D + n). */
#include "boxtree.h"

#include <string.h>

enum { LEAF = 12, DEEPEST = 64, OCTANTS = 8 };

typedef struct orthotree {
  ipg_boxtree tree;
  ipg_boxtree_centre *scratch;
  ipg_buffer scratch_buffer;
} orthotree;

/* Centres above the middle lie in the upper half. An axis that is not halved has its end as its middle. Half-lengths,
 * since lengths may overflow; between neighbouring doubles the middle must not round to the upper one. */
static void find_middle(const ipg_box *box, double middle[3]) {
  double half[3], longest = 0;
  for (int k = 0; k < 3; ++k) {
    half[k] = 0.5 * box->hi[k] - 0.5 * box->lo[k];
    longest = half[k] > longest ? half[k] : longest;
  }
  for (int k = 0; k < 3; ++k) {
    middle[k] = box->lo[k] + half[k];
    if (half[k] < 0.5 * longest) middle[k] = box->hi[k];
    else if (middle[k] >= box->hi[k]) middle[k] = box->lo[k];
  }
}

static int octant_of(const double x[3], const double middle[3]) {
  return (x[0] > middle[0]) | (x[1] > middle[1]) << 1 | (x[2] > middle[2]) << 2;
}

/* Sorts the positions [first, last) by octant, stably; ends[o] is where octant o ends. */
static void sort_octants(orthotree *t, ipg_id first, ipg_id last, const double middle[3], ipg_id ends[OCTANTS]) {
  ipg_boxtree_centre *centres = t->tree.centres;
  ipg_id counts[OCTANTS] = {0}, end = first;
  for (int64_t i = first; i < last; ++i) counts[octant_of(centres[i].x, middle)]++;
  for (int o = 0; o < OCTANTS; ++o) ends[o] = end, end += counts[o];
  memcpy(t->scratch + first, centres + first, (size_t)(last - first) * sizeof *centres);
  for (int64_t i = first; i < last; ++i) centres[ends[octant_of(t->scratch[i].x, middle)]++] = t->scratch[i];
}

static ipg_status append_node(ipg_search *search, ipg_boxtree *tree, ipg_id first, ipg_id last, ipg_error *error) {
  const int64_t count = tree->node_count;
  const ipg_status status =
      ipg_buffer_grow(&tree->node_buffer, &search->config.allocator, count, count + 1, sizeof(ipg_boxtree_node), error);
  if (status) return status;
  tree->nodes = tree->node_buffer.data;
  tree->nodes[tree->node_count++] = (ipg_boxtree_node){.next = count + 1, .first = first, .last = last};
  return IPG_OK;
}

static bool is_point(const ipg_box *box) {
  return box->lo[0] == box->hi[0] && box->lo[1] == box->hi[1] && box->lo[2] == box->hi[2];
}

static ipg_status divide_node(ipg_search *search, orthotree *t, ipg_id first, ipg_id last, int depth,
                              ipg_error *error) {
  const int64_t node = t->tree.node_count;
  ipg_status status = append_node(search, &t->tree, first, last, error);
  if (status || last - first <= LEAF || depth == DEEPEST) return status;
  const ipg_box box = ipg_boxtree_bound_centres(&t->tree, first, last);
  if (is_point(&box)) return IPG_OK;
  double middle[3];
  ipg_id ends[OCTANTS];
  find_middle(&box, middle);
  sort_octants(t, first, last, middle, ends);
  for (int o = 0; o < OCTANTS && !status; first = ends[o++])
    if (ends[o] > first) status = divide_node(search, t, first, ends[o], depth + 1, error);
  if (!status) t->tree.nodes[node].next = t->tree.node_count;
  return status;
}

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  orthotree *t = search->state;
  const int64_t count = search->items.count;
  ipg_status status = ipg_boxtree_clear(search, &t->tree, error);
  if (!status)
    status =
        ipg_buffer_reserve(&t->scratch_buffer, &search->config.allocator, count, sizeof(ipg_boxtree_centre), error);
  t->scratch = t->scratch_buffer.data;
  if (!status && count) status = divide_node(search, t, 0, (ipg_id)count, 0, error);
  if (status) return status;
  ipg_boxtree_fit(search, &t->tree);
  search->counters.records = search->counters.ordered = count;
  return IPG_OK;
}

static void free_state(ipg_search *search) {
  orthotree *t = search->state;
  ipg_boxtree_free(search);
  ipg_buffer_destroy(&t->scratch_buffer, &search->config.allocator);
}

const ipg_search_method ipg_search_orthotree = {.name = "orthotree",
                                                .state_bytes = sizeof(orthotree),
                                                .set = set_items,
                                                .self = ipg_boxtree_self,
                                                .query = ipg_boxtree_query,
                                                .release = free_state};
