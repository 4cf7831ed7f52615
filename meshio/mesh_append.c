/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Appends a mesh to another.
 *
 * The joined mesh is built completely before the old one is freed, so a failure leaves the old one unchanged. The
 * joined mesh has no file_nodes and file_elements, because it belongs to no file. */
#include "labels.h"
#include "mesh_arrays.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- labels */

static ipg_status check_names(const ipg_mesh *mesh, const ipg_mesh *more, ipg_error *error) {
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) {
    const ipg_labels a = ipg_mesh_labels(mesh, kind), b = ipg_mesh_labels(more, kind);
    for (int i = 0; i < a.count; ++i)
      for (int j = 0; j < b.count; ++j)
        if (!strcmp(ipg_label_name(&a, i), ipg_label_name(&b, j)))
          return ipg_fail(error, IPG_ERROR_FORMAT, "both meshes have a %s named '%.80s': rename one of them", a.kind,
                          ipg_label_name(&a, i));
  }
  return IPG_OK;
}

static bool is_id_used(const ipg_labels *labels, int count, int64_t id) {
  for (int i = 0; i < count; ++i)
    if (*ipg_label_id(labels, i) == id) return true;
  return false;
}

/* Ids from index `from` on that clash with an earlier one become the lowest unused id. */
static void renumber_clashes(const ipg_mesh *joined, int kind, int from) {
  const ipg_labels labels = ipg_mesh_labels(joined, kind);
  for (int i = from; i < labels.count; ++i) {
    if (!is_id_used(&labels, from, *ipg_label_id(&labels, i))) continue;
    int64_t id = 1;
    while (is_id_used(&labels, labels.count, id)) ++id;
    *ipg_label_id(&labels, i) = id;
  }
}

static ipg_gid find_highest_gid(const ipg_gid *gids, int64_t count) {
  ipg_gid highest = 0;
  for (int64_t i = 0; i < count; ++i) highest = gids[i] > highest ? gids[i] : highest;
  return highest;
}

/* ----------------------------------------------------------------------------------------------------------- copy */

/* The position of a mesh in the joined one: counts of what comes before it, and what is added to its gids. */
typedef struct mesh_offset {
  int64_t nodes, elements, quadratic;
  int labels[IPG_LABEL_KIND_COUNT];
  int qa, info;
  ipg_gid node_shift, element_shift;
} mesh_offset;

static void copy_ids(ipg_id *to, const ipg_id *from, int64_t count, int64_t shift) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] + (ipg_id)shift;
}

static void copy_doubles(double *to, const double *from, int64_t count) {
  if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

static void copy_arrays(ipg_mesh *to, const ipg_mesh *from, const mesh_offset *at) {
  copy_doubles(to->x + 3 * at->nodes, from->x, 3 * from->node_count);
  for (int64_t i = 0; i < from->node_count; ++i) to->node_gids[at->nodes + i] = from->node_gids[i] + at->node_shift;
  copy_ids(to->tets + 4 * at->elements, from->tets, 4 * from->element_count, at->nodes);
  copy_ids(to->middles + 6 * at->quadratic, from->middles, 6 * from->quadratic_count, at->nodes);
  for (int64_t i = 0; i < from->element_count; ++i)
    to->element_gids[at->elements + i] = from->element_gids[i] + at->element_shift;
  if (from->qa_count) memcpy(to->qa + at->qa, from->qa, (size_t)from->qa_count * sizeof *from->qa);
  if (from->info_count) memcpy(to->info + at->info, from->info, (size_t)from->info_count * sizeof *from->info);
}

static ipg_status copy_block(ipg_mesh *to, ipg_block *block, const ipg_block *from, const mesh_offset *at,
                             ipg_error *error) {
  *block = *from;
  block->first += at->elements;
  block->first_middle += at->quadratic;
  block->attribute_names = NULL, block->attributes = NULL;
  const ipg_status status = ipg_block_allocate_attributes(to, block, from->attribute_count, error);
  if (status || !from->attribute_count) return status;
  memcpy(block->attribute_names, from->attribute_names, (size_t)from->attribute_count * sizeof(ipg_name));
  copy_doubles(block->attributes, from->attributes, from->count * from->attribute_count);
  return IPG_OK;
}

static ipg_status copy_node_set(ipg_mesh *to, ipg_node_set *set, const ipg_node_set *from, const mesh_offset *at,
                                ipg_error *error) {
  set->id = from->id;
  memcpy(set->name, from->name, sizeof set->name);
  const ipg_status status = ipg_node_set_allocate(to, set, from->count, from->factor_count, error);
  if (status) return status;
  copy_ids(set->nodes, from->nodes, from->count, at->nodes);
  copy_doubles(set->factors, from->factors, from->factor_count);
  return IPG_OK;
}

static ipg_status copy_side_set(ipg_mesh *to, ipg_side_set *set, const ipg_side_set *from, const mesh_offset *at,
                                ipg_error *error) {
  set->id = from->id;
  memcpy(set->name, from->name, sizeof set->name);
  const ipg_status status = ipg_side_set_allocate(to, set, from->count, from->factor_count, error);
  if (status) return status;
  copy_ids(set->elements, from->elements, from->count, at->elements);
  copy_ids(set->sides, from->sides, from->count, 0);
  copy_doubles(set->factors, from->factors, from->factor_count);
  return IPG_OK;
}

static ipg_status copy_mesh(ipg_mesh *to, const ipg_mesh *from, const mesh_offset *at, ipg_error *error) {
  ipg_status status = IPG_OK;
  copy_arrays(to, from, at);
  for (int i = 0; !status && i < from->block_count; ++i)
    status = copy_block(to, &to->blocks[at->labels[IPG_LABEL_BLOCK] + i], &from->blocks[i], at, error);
  for (int i = 0; !status && i < from->node_set_count; ++i)
    status = copy_node_set(to, &to->node_sets[at->labels[IPG_LABEL_NODE_SET] + i], &from->node_sets[i], at, error);
  for (int i = 0; !status && i < from->side_set_count; ++i)
    status = copy_side_set(to, &to->side_sets[at->labels[IPG_LABEL_SIDE_SET] + i], &from->side_sets[i], at, error);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- properties */

static const ipg_property *find_property(const ipg_mesh *mesh, const ipg_property *like) {
  for (int i = 0; i < mesh->property_count; ++i)
    if (mesh->properties[i].kind == like->kind && !strcmp(mesh->properties[i].name, like->name))
      return &mesh->properties[i];
  return NULL;
}

/* The properties of `mesh`, and those that only `more` has. */
static int count_properties(const ipg_mesh *mesh, const ipg_mesh *more) {
  int count = mesh->property_count;
  for (int i = 0; i < more->property_count; ++i) count += !find_property(mesh, &more->properties[i]);
  return count;
}

static void copy_values(ipg_property *to, const ipg_mesh *from, int at) {
  const ipg_property *property = find_property(from, to);
  const int count = ipg_mesh_labels(from, to->kind).count;
  for (int i = 0; property && i < count; ++i) to->values[at + i] = property->values[i];
}

static ipg_status join_properties(ipg_mesh *joined, const ipg_mesh *mesh, const ipg_mesh *more,
                                  const mesh_offset *behind, ipg_error *error) {
  int made = 0;
  for (int i = 0; i < mesh->property_count; ++i) joined->properties[made++] = mesh->properties[i];
  for (int i = 0; i < more->property_count; ++i)
    if (!find_property(mesh, &more->properties[i])) joined->properties[made++] = more->properties[i];
  for (int i = 0; i < made; ++i) joined->properties[i].values = NULL;
  for (int i = 0; i < made; ++i) {
    ipg_property *property = &joined->properties[i];
    const ipg_status status = ipg_property_allocate(joined, property, error);
    if (status) return status;
    copy_values(property, mesh, 0);
    copy_values(property, more, behind->labels[property->kind]);
  }
  return IPG_OK;
}

/* --------------------------------------------------------------------------------------------------------- append */

static ipg_status find_offset(const ipg_mesh *mesh, const ipg_mesh *more, mesh_offset *behind, ipg_error *error) {
  *behind = (mesh_offset){.nodes = mesh->node_count,
                          .elements = mesh->element_count,
                          .quadratic = mesh->quadratic_count,
                          .labels = {mesh->block_count, mesh->node_set_count, mesh->side_set_count},
                          .qa = mesh->qa_count,
                          .info = mesh->info_count,
                          .node_shift = find_highest_gid(mesh->node_gids, mesh->node_count),
                          .element_shift = find_highest_gid(mesh->element_gids, mesh->element_count)};
  if (find_highest_gid(more->node_gids, more->node_count) <= INT64_MAX - behind->node_shift &&
      find_highest_gid(more->element_gids, more->element_count) <= INT64_MAX - behind->element_shift)
    return IPG_OK;
  return ipg_fail(error, IPG_ERROR_TOO_MANY,
                  "the node or element numbers of the joined mesh do not fit into 64 bits: renumber the "
                  "meshes");
}

static ipg_status allocate_joined(ipg_mesh *joined, const ipg_mesh *mesh, const ipg_mesh *more, ipg_error *error) {
  *joined = (ipg_mesh){.node_count = mesh->node_count + more->node_count,
                       .element_count = mesh->element_count + more->element_count,
                       .quadratic_count = mesh->quadratic_count + more->quadratic_count,
                       .block_count = mesh->block_count + more->block_count,
                       .node_set_count = mesh->node_set_count + more->node_set_count,
                       .side_set_count = mesh->side_set_count + more->side_set_count,
                       .property_count = count_properties(mesh, more),
                       .qa_count = mesh->qa_count + more->qa_count,
                       .info_count = mesh->info_count + more->info_count};
  memcpy(joined->title, mesh->title[0] ? mesh->title : more->title, sizeof joined->title);
  memcpy(joined->axes, mesh->axes, sizeof joined->axes);
  return ipg_mesh_allocate(joined, &mesh->allocator, error);
}

ipg_status ipg_mesh_append(ipg_mesh *mesh, const ipg_mesh *more, ipg_error *error) {
  if (!mesh || !more) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_append needs two meshes");
  const mesh_offset front = {0};
  mesh_offset behind;
  ipg_mesh joined;
  ipg_status status = check_names(mesh, more, error);
  if (!status) status = find_offset(mesh, more, &behind, error);
  if (!status) status = allocate_joined(&joined, mesh, more, error);
  if (status) return status;
  status = copy_mesh(&joined, mesh, &front, error);
  if (!status) status = copy_mesh(&joined, more, &behind, error);
  if (!status) status = join_properties(&joined, mesh, more, &behind, error);
  if (status) {
    ipg_mesh_destroy(&joined);
    return status;
  }
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) renumber_clashes(&joined, kind, behind.labels[kind]);
  ipg_mesh_destroy(mesh);
  *mesh = joined;
  return IPG_OK;
}
