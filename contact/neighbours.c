/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which faces, or edges, does a node belong to? Those of a node stand in ascending order, so whoever walks over them
 * walks the same way everywhere. */
#include "state.h"

void ipg_list_by_node(const ipg_id *nodes, int per_item, int64_t item_count, int64_t node_count, int64_t *first,
                      ipg_id *items) {
  const int64_t corners = per_item * item_count;
  for (int64_t i = 0; i <= node_count; ++i) first[i] = 0;
  for (int64_t i = 0; i < corners; ++i) first[nodes[i] + 1]++;
  for (int64_t i = 0; i < node_count; ++i) first[i + 1] += first[i];
  for (int64_t i = 0; i < corners; ++i) items[first[nodes[i]]++] = (ipg_id)(i / per_item);
  for (int64_t i = node_count; i > 0; --i) first[i] = first[i - 1]; /* filling moved each start to its end */
  if (node_count) first[0] = 0;
}

vec ipg_contact_normal_of_node(const ipg_contact *c, const double *x, ipg_id node) {
  const int64_t *first = c->buffers[NODE_FACES_FIRST].data;
  const ipg_id *faces = c->buffers[NODE_FACES].data;
  vec sum = {0, 0, 0};
  for (int64_t i = first[node]; i < first[node + 1]; ++i) {
    const ipg_id *corner = c->surface.faces + 3 * (int64_t)faces[i];
    const vec a = vec_at(x, corner[0]), b = vec_at(x, corner[1]);
    sum = vec_add(sum, vec_cross(vec_sub(b, a), vec_sub(vec_at(x, corner[2]), a)));
  }
  return vec_unit(sum);
}
