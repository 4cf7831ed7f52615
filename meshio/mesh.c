/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The mesh as memory: allocate, free, look up.
 *
 * Invariant: an array of a mesh is as long as its count says, in every state that a caller can see. */
#include "internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const int ipg_tet_sides[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 2}, {0, 2, 1}};
const int ipg_tet_side_middles[4][3] = {{0, 4, 3}, {1, 5, 4}, {3, 5, 2}, {2, 1, 0}};

/* -------------------------------------------------------------------------------------------------------- memory */

ipg_allocator ipg_allocator_or_malloc(const ipg_allocator *given) {
  return given && given->allocate ? *given : ipg_allocator_malloc();
}

static size_t array_bytes(int64_t count, size_t item_bytes) { return (size_t)(count > 0 ? count : 1) * item_bytes; }

void *ipg_take(const ipg_allocator *allocator, int64_t count, size_t item_bytes, ipg_error *error) {
  void *memory = NULL;
  if (count >= 0 && (uint64_t)count <= SIZE_MAX / 2 / item_bytes)
    memory = allocator->allocate(allocator->context, array_bytes(count, item_bytes));
  if (memory) return memset(memory, 0, array_bytes(count, item_bytes));
  ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: %lld items of %zu bytes were asked for", (long long)count,
           item_bytes);
  return NULL;
}

void ipg_give(const ipg_allocator *allocator, void *memory, int64_t count, size_t item_bytes) {
  if (memory) allocator->release(allocator->context, memory, array_bytes(count, item_bytes));
}

ipg_status ipg_mesh_allocate(ipg_mesh *mesh, const ipg_allocator *given, ipg_error *error) {
  const ipg_allocator a = mesh->allocator = ipg_allocator_or_malloc(given);
  if (mesh->node_count > IPG_ID_MAX || mesh->element_count > IPG_ID_MAX) {
    const long long nodes = mesh->node_count, elements = mesh->element_count;
    *mesh = (ipg_mesh){0};
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "%lld nodes and %lld elements: at most %lld of each fit in one mesh",
                    nodes, elements, (long long)IPG_ID_MAX);
  }
  for (int d = 0; d < 3; ++d)
    if (!mesh->axes[d][0]) mesh->axes[d][0] = (char)('x' + d);
  if ((mesh->x = ipg_take(&a, mesh->node_count, 3 * sizeof(double), error)) &&
      (mesh->tets = ipg_take(&a, mesh->element_count, 4 * sizeof(ipg_id), error)) &&
      (mesh->middles = ipg_take(&a, mesh->quadratic_count, 6 * sizeof(ipg_id), error)) &&
      (mesh->node_gids = ipg_take(&a, mesh->node_count, sizeof(ipg_gid), error)) &&
      (mesh->element_gids = ipg_take(&a, mesh->element_count, sizeof(ipg_gid), error)) &&
      (mesh->blocks = ipg_take(&a, mesh->block_count, sizeof(ipg_block), error)) &&
      (mesh->node_sets = ipg_take(&a, mesh->node_set_count, sizeof(ipg_node_set), error)) &&
      (mesh->side_sets = ipg_take(&a, mesh->side_set_count, sizeof(ipg_side_set), error)) &&
      (mesh->properties = ipg_take(&a, mesh->property_count, sizeof(ipg_property), error)) &&
      (mesh->qa = ipg_take(&a, mesh->qa_count, sizeof(ipg_qa_record), error)) &&
      (mesh->info = ipg_take(&a, mesh->info_count, sizeof(ipg_info_line), error)))
    return IPG_OK;
  ipg_mesh_destroy(mesh);
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_block_allocate_attributes(const ipg_mesh *mesh, ipg_block *block, int count, ipg_error *error) {
  block->attribute_count = count;
  if (!count) return IPG_OK;
  if ((block->attribute_names = ipg_take(&mesh->allocator, count, sizeof(ipg_name), error)) &&
      (block->attributes = ipg_take(&mesh->allocator, block->count, (size_t)count * sizeof(double), error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_node_set_allocate(const ipg_mesh *mesh, ipg_node_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error) {
  set->count = count;
  set->factor_count = factor_count;
  if ((set->nodes = ipg_take(&mesh->allocator, count, sizeof(ipg_id), error)) &&
      (!factor_count || (set->factors = ipg_take(&mesh->allocator, factor_count, sizeof(double), error))))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_side_set_allocate(const ipg_mesh *mesh, ipg_side_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error) {
  set->count = count;
  set->factor_count = factor_count;
  if ((set->elements = ipg_take(&mesh->allocator, count, sizeof(ipg_id), error)) &&
      (set->sides = ipg_take(&mesh->allocator, count, sizeof(ipg_id), error)) &&
      (!factor_count || (set->factors = ipg_take(&mesh->allocator, factor_count, sizeof(double), error))))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_property_allocate(const ipg_mesh *mesh, ipg_property *property, ipg_error *error) {
  const ipg_labels labels = ipg_mesh_labels(mesh, property->kind);
  property->values = ipg_take(&mesh->allocator, labels.count, sizeof(int64_t), error);
  return property->values ? IPG_OK : IPG_ERROR_MEMORY;
}

static void free_block(const ipg_allocator *a, ipg_block *block) {
  ipg_give(a, block->attribute_names, block->attribute_count, sizeof(ipg_name));
  ipg_give(a, block->attributes, block->count, (size_t)block->attribute_count * sizeof(double));
}

void ipg_node_set_destroy(const ipg_allocator *a, ipg_node_set *set) {
  ipg_give(a, set->nodes, set->count, sizeof(ipg_id));
  ipg_give(a, set->factors, set->factor_count, sizeof(double));
}

void ipg_side_set_destroy(const ipg_allocator *a, ipg_side_set *set) {
  ipg_give(a, set->elements, set->count, sizeof(ipg_id));
  ipg_give(a, set->sides, set->count, sizeof(ipg_id));
  ipg_give(a, set->factors, set->factor_count, sizeof(double));
}

static void free_labelled(ipg_mesh *mesh) {
  const ipg_allocator *a = &mesh->allocator;
  for (int i = 0; mesh->properties && i < mesh->property_count; ++i)
    ipg_give(a, mesh->properties[i].values, ipg_mesh_labels(mesh, mesh->properties[i].kind).count, sizeof(int64_t));
  for (int b = 0; mesh->blocks && b < mesh->block_count; ++b) free_block(a, &mesh->blocks[b]);
  for (int i = 0; mesh->node_sets && i < mesh->node_set_count; ++i) ipg_node_set_destroy(a, &mesh->node_sets[i]);
  for (int i = 0; mesh->side_sets && i < mesh->side_set_count; ++i) ipg_side_set_destroy(a, &mesh->side_sets[i]);
  ipg_give(a, mesh->properties, mesh->property_count, sizeof(ipg_property));
  ipg_give(a, mesh->blocks, mesh->block_count, sizeof(ipg_block));
  ipg_give(a, mesh->node_sets, mesh->node_set_count, sizeof(ipg_node_set));
  ipg_give(a, mesh->side_sets, mesh->side_set_count, sizeof(ipg_side_set));
}

void ipg_mesh_destroy(ipg_mesh *mesh) {
  if (!mesh) return;
  const ipg_allocator a = mesh->allocator;
  free_labelled(mesh);
  ipg_give(&a, mesh->x, mesh->node_count, 3 * sizeof(double));
  ipg_give(&a, mesh->tets, mesh->element_count, 4 * sizeof(ipg_id));
  ipg_give(&a, mesh->middles, mesh->quadratic_count, 6 * sizeof(ipg_id));
  ipg_give(&a, mesh->node_gids, mesh->node_count, sizeof(ipg_gid));
  ipg_give(&a, mesh->element_gids, mesh->element_count, sizeof(ipg_gid));
  ipg_give(&a, mesh->qa, mesh->qa_count, sizeof(ipg_qa_record));
  ipg_give(&a, mesh->info, mesh->info_count, sizeof(ipg_info_line));
  ipg_give(&a, mesh->file_nodes, mesh->node_count, sizeof(ipg_id));
  ipg_give(&a, mesh->file_elements, mesh->element_count, sizeof(ipg_id));
  *mesh = (ipg_mesh){0};
}

/* ------------------------------------------------------------------------------------------------------- look up */

double ipg_tet_volume(const double *x, const ipg_id tet[4]) {
  const double *o = x + 3 * (ptrdiff_t)tet[0];
  double e[3][3];
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 3; ++d) e[k][d] = x[3 * (ptrdiff_t)tet[k + 1] + d] - o[d];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

int64_t ipg_mesh_first_flat(const ipg_mesh *mesh) {
  int64_t e = 0;
  for (; e < mesh->element_count; ++e) {
    const double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
    if (!(volume > 0 && isfinite(volume))) break;
  }
  return e;
}

/* The block that holds an element, or NULL. */
static const ipg_block *block_of(const ipg_mesh *mesh, int64_t element) {
  int below = 0, end = mesh->block_count; /* blocks before `below` begin at or before the element */
  while (below < end) {
    const int middle = below + (end - below) / 2;
    if (mesh->blocks[middle].first <= element) below = middle + 1;
    else end = middle;
  }
  const ipg_block *block = below ? &mesh->blocks[below - 1] : NULL;
  return block && element < block->first + block->count ? block : NULL;
}

int ipg_mesh_block_of(const ipg_mesh *mesh, int64_t element) {
  const ipg_block *block = block_of(mesh, element);
  return block ? (int)(block - mesh->blocks) : 0;
}

const char *ipg_mesh_block_name(const ipg_mesh *mesh, int64_t element) {
  const ipg_block *block = block_of(mesh, element);
  return block ? block->name : "";
}

const ipg_id *ipg_mesh_middles(const ipg_mesh *mesh, int64_t element) {
  if (!mesh->quadratic_count) return NULL;
  const ipg_block *block = block_of(mesh, element);
  return block && block->quadratic ? mesh->middles + 6 * (block->first_middle + element - block->first) : NULL;
}

int ipg_mesh_find_block(const ipg_mesh *mesh, const char *name) {
  for (int b = 0; b < mesh->block_count; ++b)
    if (!strcmp(mesh->blocks[b].name, name)) return b;
  return -1;
}

/* -------------------------------------------------------------------------------------------------------- labels */

_Static_assert(offsetof(ipg_block, name) == offsetof(ipg_node_set, name), "labels begin alike");
_Static_assert(offsetof(ipg_block, name) == offsetof(ipg_side_set, name), "labels begin alike");
_Static_assert(!offsetof(ipg_block, id) && !offsetof(ipg_node_set, id) && !offsetof(ipg_side_set, id), "id is first");

ipg_labels ipg_mesh_labels(const ipg_mesh *mesh, int kind) {
  switch (kind) {
  case IPG_LABEL_BLOCK:
    return (ipg_labels){(char *)mesh->blocks, sizeof(ipg_block), mesh->block_count, "block", "block"};
  case IPG_LABEL_NODE_SET:
    return (ipg_labels){(char *)mesh->node_sets, sizeof(ipg_node_set), mesh->node_set_count, "node set", "nodeset"};
  default:
    return (ipg_labels){(char *)mesh->side_sets, sizeof(ipg_side_set), mesh->side_set_count, "side set", "sideset"};
  }
}

int64_t *ipg_label_id(const ipg_labels *labels, int index) {
  return (int64_t *)(void *)(labels->first + labels->stride * (size_t)index);
}

char *ipg_label_name(const ipg_labels *labels, int index) {
  return labels->first + labels->stride * (size_t)index + offsetof(ipg_block, name);
}

/* --------------------------------------------------------------------------------------------------------- doubles */

static bool is_ascending(const int64_t *numbers, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (numbers[i - 1] >= numbers[i]) return false;
  return true;
}

ipg_status ipg_find_double(const int64_t *numbers, int64_t count, const ipg_allocator *allocator, bool *found,
                           int64_t *number, ipg_error *error) {
  *found = false;
  if (is_ascending(numbers, count)) return IPG_OK;
  ipg_buffer copy = {0};
  ipg_sorter sorter = {0};
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_status status = ipg_buffer_reserve(&copy, allocator, count, sizeof(uint64_t), error);
  uint64_t *sorted = copy.data;
  if (!status) memcpy(sorted, numbers, (size_t)count * sizeof *numbers);
  if (!status) status = ipg_sort_u64(&sorter, sorted, NULL, count, allocator, &serial, error);
  for (int64_t i = 1; !status && !*found && i < count; ++i)
    if (sorted[i - 1] == sorted[i]) *found = true, *number = (int64_t)sorted[i];
  ipg_sorter_destroy(&sorter, allocator);
  ipg_buffer_destroy(&copy, allocator);
  return status;
}
