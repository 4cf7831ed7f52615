/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The mesh as memory: allocate, free, join, look up.
 *
 * Invariant: an array of a mesh is as long as its count says, in every state that a caller can see. Joining builds the
 * whole new mesh first and only then gives up the old one, so a failure leaves it as it was. */
#include "internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const int ipg_tet_sides[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 2}, {0, 2, 1}};

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
  if ((mesh->x = ipg_take(&a, mesh->node_count, 3 * sizeof(double), error)) &&
      (mesh->tets = ipg_take(&a, mesh->element_count, 4 * sizeof(ipg_id), error)) &&
      (mesh->node_gids = ipg_take(&a, mesh->node_count, sizeof(ipg_gid), error)) &&
      (mesh->element_gids = ipg_take(&a, mesh->element_count, sizeof(ipg_gid), error)) &&
      (mesh->blocks = ipg_take(&a, mesh->block_count, sizeof(ipg_block), error)) &&
      (mesh->node_sets = ipg_take(&a, mesh->node_set_count, sizeof(ipg_node_set), error)) &&
      (mesh->side_sets = ipg_take(&a, mesh->side_set_count, sizeof(ipg_side_set), error)))
    return IPG_OK;
  ipg_mesh_free(mesh);
  return IPG_ERROR_MEMORY;
}

ipg_status ipg_node_set_allocate(const ipg_mesh *mesh, ipg_node_set *set, int64_t count, ipg_error *error) {
  set->count = count;
  set->nodes = ipg_take(&mesh->allocator, count, sizeof(ipg_id), error);
  return set->nodes ? IPG_OK : IPG_ERROR_MEMORY;
}

ipg_status ipg_side_set_allocate(const ipg_mesh *mesh, ipg_side_set *set, int64_t count, ipg_error *error) {
  set->count = count;
  if ((set->elements = ipg_take(&mesh->allocator, count, sizeof(ipg_id), error)) &&
      (set->sides = ipg_take(&mesh->allocator, count, sizeof(ipg_id), error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

static void free_sets(ipg_mesh *mesh) {
  for (int i = 0; mesh->node_sets && i < mesh->node_set_count; ++i)
    ipg_give(&mesh->allocator, mesh->node_sets[i].nodes, mesh->node_sets[i].count, sizeof(ipg_id));
  for (int i = 0; mesh->side_sets && i < mesh->side_set_count; ++i) {
    ipg_give(&mesh->allocator, mesh->side_sets[i].elements, mesh->side_sets[i].count, sizeof(ipg_id));
    ipg_give(&mesh->allocator, mesh->side_sets[i].sides, mesh->side_sets[i].count, sizeof(ipg_id));
  }
  ipg_give(&mesh->allocator, mesh->node_sets, mesh->node_set_count, sizeof(ipg_node_set));
  ipg_give(&mesh->allocator, mesh->side_sets, mesh->side_set_count, sizeof(ipg_side_set));
}

void ipg_mesh_free(ipg_mesh *mesh) {
  if (!mesh) return;
  const ipg_allocator a = mesh->allocator;
  free_sets(mesh);
  ipg_give(&a, mesh->x, mesh->node_count, 3 * sizeof(double));
  ipg_give(&a, mesh->tets, mesh->element_count, 4 * sizeof(ipg_id));
  ipg_give(&a, mesh->node_gids, mesh->node_count, sizeof(ipg_gid));
  ipg_give(&a, mesh->element_gids, mesh->element_count, sizeof(ipg_gid));
  ipg_give(&a, mesh->blocks, mesh->block_count, sizeof(ipg_block));
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

const char *ipg_mesh_block_name(const ipg_mesh *mesh, int64_t element) {
  for (int b = 0; b < mesh->block_count; ++b)
    if (element >= mesh->blocks[b].first && element < mesh->blocks[b].first + mesh->blocks[b].count)
      return mesh->blocks[b].name;
  return "";
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
  case IPG_BLOCKS: return (ipg_labels){(char *)mesh->blocks, sizeof(ipg_block), mesh->block_count, "block", "block"};
  case IPG_NODE_SETS:
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

/* -------------------------------------------------------------------------------------------------------- append */

static ipg_status check_names(const ipg_mesh *mesh, const ipg_mesh *more, ipg_error *error) {
  for (int kind = 0; kind < IPG_LABEL_KINDS; ++kind) {
    const ipg_labels a = ipg_mesh_labels(mesh, kind), b = ipg_mesh_labels(more, kind);
    for (int i = 0; i < a.count; ++i)
      for (int j = 0; j < b.count; ++j)
        if (!strcmp(ipg_label_name(&a, i), ipg_label_name(&b, j)))
          return ipg_fail(error, IPG_ERROR_FORMAT, "both meshes have a %s named '%.80s': rename one of them", a.kind,
                          ipg_label_name(&a, i));
  }
  return IPG_OK;
}

static bool id_is_used(const ipg_labels *labels, int count, int64_t id) {
  for (int i = 0; i < count; ++i)
    if (*ipg_label_id(labels, i) == id) return true;
  return false;
}

/* Ids from `from` on that clash with an earlier one become the lowest that nobody has. */
static void renumber_clashes(const ipg_mesh *joined, int kind, int from) {
  const ipg_labels labels = ipg_mesh_labels(joined, kind);
  for (int i = from; i < labels.count; ++i) {
    if (!id_is_used(&labels, from, *ipg_label_id(&labels, i))) continue;
    int64_t id = 1;
    while (id_is_used(&labels, labels.count, id)) ++id;
    *ipg_label_id(&labels, i) = id;
  }
}

static ipg_gid highest_gid(const ipg_gid *gids, int64_t count) {
  ipg_gid highest = 0;
  for (int64_t i = 0; i < count; ++i) highest = gids[i] > highest ? gids[i] : highest;
  return highest;
}

/* Where a mesh goes in a larger one: counts of what stands before it, and what its gids are shifted by. */
typedef struct place {
  int64_t nodes, elements;
  int blocks, node_sets, side_sets;
  ipg_gid node_shift, element_shift;
} place;

static void copy_flat(ipg_mesh *to, const ipg_mesh *from, const place *at) {
  if (from->node_count) memcpy(to->x + 3 * at->nodes, from->x, (size_t)from->node_count * 3 * sizeof(double));
  for (int64_t i = 0; i < from->node_count; ++i) to->node_gids[at->nodes + i] = from->node_gids[i] + at->node_shift;
  for (int64_t i = 0; i < 4 * from->element_count; ++i)
    to->tets[4 * at->elements + i] = from->tets[i] + (ipg_id)at->nodes;
  for (int64_t i = 0; i < from->element_count; ++i)
    to->element_gids[at->elements + i] = from->element_gids[i] + at->element_shift;
  for (int b = 0; b < from->block_count; ++b) {
    to->blocks[at->blocks + b] = from->blocks[b];
    to->blocks[at->blocks + b].first += at->elements;
  }
}

static ipg_status copy_node_set(ipg_mesh *to, ipg_node_set *set, const ipg_node_set *from, const place *at,
                                ipg_error *error) {
  set->id = from->id;
  memcpy(set->name, from->name, sizeof set->name);
  const ipg_status status = ipg_node_set_allocate(to, set, from->count, error);
  for (int64_t k = 0; !status && k < from->count; ++k) set->nodes[k] = from->nodes[k] + (ipg_id)at->nodes;
  return status;
}

static ipg_status copy_side_set(ipg_mesh *to, ipg_side_set *set, const ipg_side_set *from, const place *at,
                                ipg_error *error) {
  set->id = from->id;
  memcpy(set->name, from->name, sizeof set->name);
  const ipg_status status = ipg_side_set_allocate(to, set, from->count, error);
  for (int64_t k = 0; !status && k < from->count; ++k) {
    set->elements[k] = from->elements[k] + (ipg_id)at->elements;
    set->sides[k] = from->sides[k];
  }
  return status;
}

static ipg_status copy_mesh(ipg_mesh *to, const ipg_mesh *from, const place *at, ipg_error *error) {
  ipg_status status = IPG_OK;
  copy_flat(to, from, at);
  for (int i = 0; !status && i < from->node_set_count; ++i)
    status = copy_node_set(to, &to->node_sets[at->node_sets + i], &from->node_sets[i], at, error);
  for (int i = 0; !status && i < from->side_set_count; ++i)
    status = copy_side_set(to, &to->side_sets[at->side_sets + i], &from->side_sets[i], at, error);
  return status;
}

static ipg_status place_behind(const ipg_mesh *mesh, const ipg_mesh *more, place *behind, ipg_error *error) {
  *behind = (place){mesh->node_count,
                    mesh->element_count,
                    mesh->block_count,
                    mesh->node_set_count,
                    mesh->side_set_count,
                    highest_gid(mesh->node_gids, mesh->node_count),
                    highest_gid(mesh->element_gids, mesh->element_count)};
  if (highest_gid(more->node_gids, more->node_count) <= INT64_MAX - behind->node_shift &&
      highest_gid(more->element_gids, more->element_count) <= INT64_MAX - behind->element_shift)
    return IPG_OK;
  return ipg_fail(error, IPG_ERROR_TOO_MANY, "the node or element numbers of the joined mesh pass 64 bits: renumber");
}

ipg_status ipg_mesh_append(ipg_mesh *mesh, const ipg_mesh *more, ipg_error *error) {
  if (!mesh || !more) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_append needs two meshes");
  const place front = {0};
  place behind;
  ipg_status status = check_names(mesh, more, error);
  if (!status) status = place_behind(mesh, more, &behind, error);
  if (status) return status;
  ipg_mesh joined = {.node_count = mesh->node_count + more->node_count,
                     .element_count = mesh->element_count + more->element_count,
                     .block_count = mesh->block_count + more->block_count,
                     .node_set_count = mesh->node_set_count + more->node_set_count,
                     .side_set_count = mesh->side_set_count + more->side_set_count};
  memcpy(joined.title, mesh->title[0] ? mesh->title : more->title, sizeof joined.title);
  status = ipg_mesh_allocate(&joined, &mesh->allocator, error);
  if (!status) status = copy_mesh(&joined, mesh, &front, error);
  if (!status) status = copy_mesh(&joined, more, &behind, error);
  if (status) {
    ipg_mesh_free(&joined);
    return status;
  }
  renumber_clashes(&joined, IPG_BLOCKS, mesh->block_count);
  renumber_clashes(&joined, IPG_NODE_SETS, mesh->node_set_count);
  renumber_clashes(&joined, IPG_SIDE_SETS, mesh->side_set_count);
  ipg_mesh_free(mesh);
  *mesh = joined;
  return IPG_OK;
}
