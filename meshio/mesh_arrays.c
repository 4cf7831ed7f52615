/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Invariant: an array of a mesh is as long as its count says, in every state that a caller can see. */
#include "mesh_arrays.h"

#include "arrays.h"
#include "labels.h"

ipg_status ipg_mesh_allocate(ipg_mesh *mesh, const ipg_allocator *given, ipg_error *error) {
  const ipg_allocator a = mesh->allocator = ipg_choose_allocator(given);
  if (mesh->node_count > IPG_ID_MAX || mesh->element_count > IPG_ID_MAX) {
    const long long nodes = mesh->node_count, elements = mesh->element_count;
    *mesh = (ipg_mesh){0};
    return ipg_fail(error, IPG_ERROR_TOO_MANY,
                    "%lld nodes and %lld elements: at most %lld of each fit in one mesh: make it coarser", nodes,
                    elements, (long long)IPG_ID_MAX);
  }
  for (int d = 0; d < 3; ++d)
    if (!mesh->axes[d][0]) mesh->axes[d][0] = (char)('x' + d);
  if ((mesh->x = ipg_allocate_array(&a, mesh->node_count, 3 * sizeof(double), error)) &&
      (mesh->tets = ipg_allocate_array(&a, mesh->element_count, 4 * sizeof(ipg_id), error)) &&
      (mesh->middles = ipg_allocate_array(&a, mesh->quadratic_count, 6 * sizeof(ipg_id), error)) &&
      (mesh->node_gids = ipg_allocate_array(&a, mesh->node_count, sizeof(ipg_gid), error)) &&
      (mesh->element_gids = ipg_allocate_array(&a, mesh->element_count, sizeof(ipg_gid), error)) &&
      (mesh->blocks = ipg_allocate_array(&a, mesh->block_count, sizeof(ipg_block), error)) &&
      (mesh->node_sets = ipg_allocate_array(&a, mesh->node_set_count, sizeof(ipg_node_set), error)) &&
      (mesh->side_sets = ipg_allocate_array(&a, mesh->side_set_count, sizeof(ipg_side_set), error)) &&
      (mesh->properties = ipg_allocate_array(&a, mesh->property_count, sizeof(ipg_property), error)) &&
      (mesh->qa = ipg_allocate_array(&a, mesh->qa_count, sizeof(ipg_qa_record), error)) &&
      (mesh->info = ipg_allocate_array(&a, mesh->info_count, sizeof(ipg_info_line), error)))
    return IPG_OK;
  ipg_mesh_destroy(mesh);
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_block_allocate_attributes(const ipg_mesh *mesh, ipg_block *block, int count, ipg_error *error) {
  block->attribute_count = count;
  if (!count) return IPG_OK;
  if ((block->attribute_names = ipg_allocate_array(&mesh->allocator, count, sizeof(ipg_name), error)) &&
      (block->attributes = ipg_allocate_array(&mesh->allocator, block->count, (size_t)count * sizeof(double), error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_node_set_allocate(const ipg_mesh *mesh, ipg_node_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error) {
  set->count = count;
  set->factor_count = factor_count;
  if ((set->nodes = ipg_allocate_array(&mesh->allocator, count, sizeof(ipg_id), error)) &&
      (!factor_count || (set->factors = ipg_allocate_array(&mesh->allocator, factor_count, sizeof(double), error))))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_side_set_allocate(const ipg_mesh *mesh, ipg_side_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error) {
  set->count = count;
  set->factor_count = factor_count;
  if ((set->elements = ipg_allocate_array(&mesh->allocator, count, sizeof(ipg_id), error)) &&
      (set->sides = ipg_allocate_array(&mesh->allocator, count, sizeof(ipg_id), error)) &&
      (!factor_count || (set->factors = ipg_allocate_array(&mesh->allocator, factor_count, sizeof(double), error))))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_property_allocate(const ipg_mesh *mesh, ipg_property *property, ipg_error *error) {
  const ipg_labels labels = ipg_mesh_labels(mesh, property->kind);
  property->values = ipg_allocate_array(&mesh->allocator, labels.count, sizeof(int64_t), error);
  return property->values ? IPG_OK : IPG_ERROR_MEMORY;
}

static void destroy_block(const ipg_allocator *a, ipg_block *block) {
  ipg_release_array(a, block->attribute_names, block->attribute_count, sizeof(ipg_name));
  ipg_release_array(a, block->attributes, block->count, (size_t)block->attribute_count * sizeof(double));
}

void ipg_node_set_destroy(const ipg_allocator *a, ipg_node_set *set) {
  ipg_release_array(a, set->nodes, set->count, sizeof(ipg_id));
  ipg_release_array(a, set->factors, set->factor_count, sizeof(double));
}

static void destroy_side_set(const ipg_allocator *a, ipg_side_set *set) {
  ipg_release_array(a, set->elements, set->count, sizeof(ipg_id));
  ipg_release_array(a, set->sides, set->count, sizeof(ipg_id));
  ipg_release_array(a, set->factors, set->factor_count, sizeof(double));
}

static void destroy_blocks_and_sets(ipg_mesh *mesh) {
  const ipg_allocator *a = &mesh->allocator;
  for (int i = 0; mesh->properties && i < mesh->property_count; ++i)
    ipg_release_array(a, mesh->properties[i].values, ipg_mesh_labels(mesh, mesh->properties[i].kind).count,
                      sizeof(int64_t));
  for (int b = 0; mesh->blocks && b < mesh->block_count; ++b) destroy_block(a, &mesh->blocks[b]);
  for (int i = 0; mesh->node_sets && i < mesh->node_set_count; ++i) ipg_node_set_destroy(a, &mesh->node_sets[i]);
  for (int i = 0; mesh->side_sets && i < mesh->side_set_count; ++i) destroy_side_set(a, &mesh->side_sets[i]);
  ipg_release_array(a, mesh->properties, mesh->property_count, sizeof(ipg_property));
  ipg_release_array(a, mesh->blocks, mesh->block_count, sizeof(ipg_block));
  ipg_release_array(a, mesh->node_sets, mesh->node_set_count, sizeof(ipg_node_set));
  ipg_release_array(a, mesh->side_sets, mesh->side_set_count, sizeof(ipg_side_set));
}

void ipg_mesh_destroy(ipg_mesh *mesh) {
  if (!mesh) return;
  const ipg_allocator a = mesh->allocator;
  destroy_blocks_and_sets(mesh);
  ipg_release_array(&a, mesh->x, mesh->node_count, 3 * sizeof(double));
  ipg_release_array(&a, mesh->tets, mesh->element_count, 4 * sizeof(ipg_id));
  ipg_release_array(&a, mesh->middles, mesh->quadratic_count, 6 * sizeof(ipg_id));
  ipg_release_array(&a, mesh->node_gids, mesh->node_count, sizeof(ipg_gid));
  ipg_release_array(&a, mesh->element_gids, mesh->element_count, sizeof(ipg_gid));
  ipg_release_array(&a, mesh->qa, mesh->qa_count, sizeof(ipg_qa_record));
  ipg_release_array(&a, mesh->info, mesh->info_count, sizeof(ipg_info_line));
  ipg_release_array(&a, mesh->file_nodes, mesh->node_count, sizeof(ipg_id));
  ipg_release_array(&a, mesh->file_elements, mesh->element_count, sizeof(ipg_id));
  *mesh = (ipg_mesh){0};
}
