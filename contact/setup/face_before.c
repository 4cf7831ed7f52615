/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "setup/face_before.h"

#include "model/bevels.h"
#include "model/sharp_edges.h"
#include "surface/face_geometry.h"
#include "surface/topology.h"

#include <string.h>

static void gids_of(const ipg_model *m, const ipg_id nodes[4], ipg_gid gids[4]) {
  for (int k = 0; k < 4; ++k) gids[k] = m->surface.node_gids[nodes[k]];
}

/* Of `nodes`, four each from `low` to `high`, in the order of the first: the first whose first node is not below gid.
 */
static int64_t first_of_node(const ipg_model *m, const ipg_id *nodes, int64_t low, int64_t high, ipg_gid gid) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (m->surface.node_gids[nodes[4 * middle]] < gid) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* From `low` to `high`; -1: none has these nodes. */
static int64_t find_nodes(const ipg_model *m, const ipg_id *nodes, int64_t low, int64_t high, const ipg_gid wanted[4]) {
  for (int64_t i = first_of_node(m, nodes, low, high, wanted[0]); i < high; ++i) {
    ipg_gid gids[4];
    gids_of(m, nodes + 4 * i, gids);
    if (gids[0] != wanted[0]) return -1;
    if (!memcmp(gids, wanted, sizeof gids)) return i;
  }
  return -1;
}

/* The first bevel with these nodes; -1: there is none. */
static int64_t find_bevel(const ipg_model *m, const ipg_gid nodes[4]) {
  const ipg_bevels *b = &m->bevels;
  const int64_t corner = find_nodes(m, b->keys.at, 0, b->corner_count, nodes);
  return corner >= 0 ? corner : find_nodes(m, b->keys.at, b->corner_count, b->face_count, nodes);
}

/* Both bevels of an edge have its nodes: the second is behind the first. */
static int64_t bevel_before(const ipg_model *from, const ipg_model *m, int64_t bevel) {
  ipg_gid nodes[4], others[4];
  gids_of(m, m->bevels.keys.at + 4 * bevel, nodes);
  const int64_t found = find_bevel(from, nodes), before = found + bevel - find_bevel(m, nodes);
  if (found < 0 || before >= from->bevels.face_count) return -1;
  gids_of(from, from->bevels.keys.at + 4 * before, others);
  return memcmp(nodes, others, sizeof nodes) ? -1 : before;
}

/* Between the same faces, with ends that are as they were; -1: there is none. */
static int64_t find_edge(const ipg_model *m, const ipg_gid nodes[4], const ipg_sharp_edge *edge) {
  const int64_t i = find_nodes(m, m->sharp_edges.nodes.at, 0, m->sharp_edges.count, nodes);
  if (i < 0) return -1;
  const ipg_sharp_edge *found = &m->sharp_edges.edges.at[i];
  const bool is_same = !memcmp(found->starts, edge->starts, sizeof found->starts) &&
                       !memcmp(found->widths, edge->widths, sizeof found->widths);
  return is_same ? i : -1;
}

static int64_t edge_before(const ipg_model *from, const ipg_model *m, ipg_id face) {
  ipg_gid nodes[4];
  gids_of(m, ipg_sharp_edge_nodes(m, face), nodes);
  return find_edge(from, nodes, ipg_sharp_edge_at(m, face));
}

ipg_id ipg_face_before(const ipg_model *from, const ipg_model *m, ipg_id face) {
  if (ipg_is_sharp_edge(m, face)) {
    const int64_t edge = edge_before(from, m, face);
    return edge < 0 ? -1 : (ipg_id)(ipg_first_sharp_edge(from) + edge);
  }
  if (!ipg_is_bevel(m, face)) return ipg_find_face(&from->surface, ipg_contact_face_id_of(&m->surface, face));
  const int64_t bevel = bevel_before(from, m, face - m->surface.face_count);
  return bevel < 0 ? -1 : (ipg_id)(from->surface.face_count + bevel);
}
