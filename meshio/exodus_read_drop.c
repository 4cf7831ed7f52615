/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Nodes that no kept element uses are left out, when leaving out was asked for.
 *
 * The order of those that stay is kept. `file_nodes` and `file_elements` remember where they stood in the file, because
 * results have a value for each node and element of the file. */
#include "exodus_read.h"

#include <string.h>

/* place[i]: of node i of the file in the mesh, or -1. Returns how many stay. */
static int64_t find_places(const ipg_mesh *mesh, ipg_id *place) {
  int64_t kept = 0;
  for (int64_t i = 0; i < mesh->node_count; ++i) place[i] = -1;
  for (int64_t i = 0; i < 4 * mesh->element_count; ++i) place[mesh->tets[i]] = 0;
  for (int64_t i = 0; i < 6 * mesh->quadratic_count; ++i) place[mesh->middles[i]] = 0;
  for (int64_t i = 0; i < mesh->node_count; ++i)
    if (!place[i]) place[i] = (ipg_id)kept++;
  return kept;
}

static ipg_status filter_node_set(ipg_reader *r, ipg_node_set *set, const ipg_id *place) {
  ipg_node_set all = *set;
  int64_t count = 0, at = 0;
  for (int64_t i = 0; i < all.count; ++i) count += place[all.nodes[i]] >= 0;
  if (count < all.count)
    ipg_reader_say(r, "left out: %lld of the %lld nodes of node set '%.80s'", (long long)(all.count - count),
                   (long long)all.count, set->name);
  set->nodes = NULL, set->factors = NULL;
  const bool factors = all.factor_count == all.count;
  const ipg_status status = ipg_node_set_allocate(&r->mesh, set, count, factors ? count : 0, r->error);
  for (int64_t i = 0; !status && i < all.count; ++i) {
    if (place[all.nodes[i]] < 0) continue;
    if (factors && all.factors) set->factors[at] = all.factors[i];
    set->nodes[at++] = place[all.nodes[i]];
  }
  ipg_node_set_destroy(&r->allocator, &all);
  return status;
}

static void renumber(ipg_id *nodes, int64_t count, const ipg_id *place) {
  for (int64_t i = 0; i < count; ++i) nodes[i] = place[nodes[i]];
}

/* The new arrays in place of the old ones. */
static ipg_status shrink_nodes(ipg_reader *r, int64_t kept, const ipg_id *place) {
  ipg_mesh *mesh = &r->mesh;
  const ipg_allocator *a = &r->allocator;
  const int64_t all = mesh->node_count;
  double *x = ipg_take(a, kept, 3 * sizeof(double), r->error);
  ipg_gid *gids = x ? ipg_take(a, kept, sizeof(ipg_gid), r->error) : NULL;
  mesh->file_nodes = gids ? ipg_take(a, kept, sizeof(ipg_id), r->error) : NULL;
  if (!mesh->file_nodes) {
    ipg_give(a, x, kept, 3 * sizeof(double));
    ipg_give(a, gids, kept, sizeof(ipg_gid));
    return IPG_ERROR_MEMORY;
  }
  for (int64_t i = 0; i < all; ++i) {
    if (place[i] < 0) continue;
    memcpy(x + 3 * (int64_t)place[i], mesh->x + 3 * i, 3 * sizeof(double));
    gids[place[i]] = mesh->node_gids[i];
    mesh->file_nodes[place[i]] = (ipg_id)i;
  }
  ipg_give(a, mesh->x, all, 3 * sizeof(double));
  ipg_give(a, mesh->node_gids, all, sizeof(ipg_gid));
  mesh->x = x, mesh->node_gids = gids;
  mesh->node_count = kept, mesh->file_node_count = all;
  renumber(mesh->tets, 4 * mesh->element_count, place);
  renumber(mesh->middles, 6 * mesh->quadratic_count, place);
  return IPG_OK;
}

static ipg_status remember_elements(ipg_reader *r) {
  ipg_mesh *mesh = &r->mesh;
  const ipg_id *place = r->renumbered.data;
  mesh->file_elements = ipg_take(&r->allocator, mesh->element_count, sizeof(ipg_id), r->error);
  if (!mesh->file_elements) return IPG_ERROR_MEMORY;
  mesh->file_element_count = r->contents.element_count;
  for (int64_t i = 0; i < mesh->file_element_count; ++i)
    if (place[i] >= 0) mesh->file_elements[place[i]] = (ipg_id)i;
  return IPG_OK;
}

ipg_status ipg_reader_drop_nodes(ipg_reader *r) {
  if (!r->options.leave_out_others) return IPG_OK;
  const int64_t all = r->mesh.node_count;
  ipg_status status = ipg_reader_reserve(r, all, sizeof(ipg_id));
  if (status) return status;
  ipg_id *place = r->scratch.data;
  const int64_t kept = find_places(&r->mesh, place);
  if (r->leaves_out) status = remember_elements(r);
  if (status || kept == all) return status;
  ipg_reader_say(r, "left out: %lld of %lld nodes, which belong to no tetrahedron", (long long)(all - kept),
                 (long long)all);
  status = shrink_nodes(r, kept, place);
  for (int i = 0; !status && i < r->mesh.node_set_count; ++i) status = filter_node_set(r, &r->mesh.node_sets[i], place);
  return status;
}
