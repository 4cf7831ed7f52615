/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "labels.h"

#include <stddef.h>

_Static_assert(offsetof(ipg_block, name) == offsetof(ipg_node_set, name), "labels begin alike");
_Static_assert(offsetof(ipg_block, name) == offsetof(ipg_side_set, name), "labels begin alike");
_Static_assert(!offsetof(ipg_block, id) && !offsetof(ipg_node_set, id) && !offsetof(ipg_side_set, id), "id is first");

ipg_labels ipg_mesh_labels(const ipg_mesh *mesh, int kind) {
  switch (kind) {
  case IPG_LABEL_BLOCK: return (ipg_labels){(char *)mesh->blocks, sizeof(ipg_block), mesh->block_count, "block"};
  case IPG_LABEL_NODE_SET:
    return (ipg_labels){(char *)mesh->node_sets, sizeof(ipg_node_set), mesh->node_set_count, "node set"};
  default: return (ipg_labels){(char *)mesh->side_sets, sizeof(ipg_side_set), mesh->side_set_count, "side set"};
  }
}

int64_t *ipg_label_id(const ipg_labels *labels, int index) {
  return (int64_t *)(void *)(labels->first + labels->stride * (size_t)index);
}

char *ipg_label_name(const ipg_labels *labels, int index) {
  return labels->first + labels->stride * (size_t)index + offsetof(ipg_block, name);
}
