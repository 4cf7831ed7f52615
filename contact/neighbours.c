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
