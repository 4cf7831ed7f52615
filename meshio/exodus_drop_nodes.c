/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Drops the nodes that no kept element uses, if the option leave_out_others is set.
 *
 * The other nodes keep their order. `file_nodes` and `file_elements` store their indices in the file, because results
 * have a value for each node and element of the file. */
#include "arrays.h"
#include "exodus_reader.h"
#include "mesh_arrays.h"

#include <string.h>

/* new_index[i]: of node i of the file in the mesh, or -1. Returns how many nodes are kept. */
static int64_t number_kept_nodes(const ipg_mesh *mesh, ipg_id *new_index) {
  int64_t kept = 0;
  for (int64_t i = 0; i < mesh->node_count; ++i) new_index[i] = -1;
  for (int64_t i = 0; i < 4 * mesh->element_count; ++i) new_index[mesh->tets[i]] = 0;
  for (int64_t i = 0; i < 6 * mesh->quadratic_count; ++i) new_index[mesh->middles[i]] = 0;
  for (int64_t i = 0; i < mesh->node_count; ++i)
    if (!new_index[i]) new_index[i] = (ipg_id)kept++;
  return kept;
}

static ipg_status filter_node_set(ipg_reader *r, ipg_node_set *set, const ipg_id *new_index) {
  ipg_node_set all = *set;
  int64_t count = 0, at = 0;
  for (int64_t i = 0; i < all.count; ++i) count += new_index[all.nodes[i]] >= 0;
  if (count < all.count)
    ipg_reader_report_left_out(r, "left out: %lld of the %lld nodes of node set '%.80s'",
                               (long long)(all.count - count), (long long)all.count, set->name);
  set->nodes = NULL, set->factors = NULL;
  const bool factors = all.factor_count == all.count;
  const ipg_status status = ipg_node_set_allocate(&r->mesh, set, count, factors ? count : 0, r->error);
  for (int64_t i = 0; !status && i < all.count; ++i) {
    if (new_index[all.nodes[i]] < 0) continue;
    if (factors && all.factors) set->factors[at] = all.factors[i];
    set->nodes[at++] = new_index[all.nodes[i]];
  }
  ipg_node_set_destroy(&r->allocator, &all);
  return status;
}

static void renumber_nodes(ipg_id *nodes, int64_t count, const ipg_id *new_index) {
  for (int64_t i = 0; i < count; ++i) nodes[i] = new_index[nodes[i]];
}

/* Replaces the arrays of nodes by smaller ones, and renumbers the connectivity. */
static ipg_status shrink_nodes(ipg_reader *r, int64_t kept, const ipg_id *new_index) {
  ipg_mesh *mesh = &r->mesh;
  const ipg_allocator *a = &r->allocator;
  const int64_t all = mesh->node_count;
  double *x = ipg_allocate_array(a, kept, 3 * sizeof(double), r->error);
  ipg_gid *gids = x ? ipg_allocate_array(a, kept, sizeof(ipg_gid), r->error) : NULL;
  mesh->file_nodes = gids ? ipg_allocate_array(a, kept, sizeof(ipg_id), r->error) : NULL;
  if (!mesh->file_nodes) {
    ipg_release_array(a, x, kept, 3 * sizeof(double));
    ipg_release_array(a, gids, kept, sizeof(ipg_gid));
    return IPG_ERROR_MEMORY;
  }
  for (int64_t i = 0; i < all; ++i) {
    if (new_index[i] < 0) continue;
    memcpy(x + 3 * (int64_t)new_index[i], mesh->x + 3 * i, 3 * sizeof(double));
    gids[new_index[i]] = mesh->node_gids[i];
    mesh->file_nodes[new_index[i]] = (ipg_id)i;
  }
  ipg_release_array(a, mesh->x, all, 3 * sizeof(double));
  ipg_release_array(a, mesh->node_gids, all, sizeof(ipg_gid));
  mesh->x = x, mesh->node_gids = gids;
  mesh->node_count = kept, mesh->file_node_count = all;
  renumber_nodes(mesh->tets, 4 * mesh->element_count, new_index);
  renumber_nodes(mesh->middles, 6 * mesh->quadratic_count, new_index);
  return IPG_OK;
}

static ipg_status store_file_elements(ipg_reader *r) {
  ipg_mesh *mesh = &r->mesh;
  const ipg_id *renumbered = r->renumbered.data;
  mesh->file_elements = ipg_allocate_array(&r->allocator, mesh->element_count, sizeof(ipg_id), r->error);
  if (!mesh->file_elements) return IPG_ERROR_MEMORY;
  mesh->file_element_count = r->contents.element_count;
  for (int64_t i = 0; i < mesh->file_element_count; ++i)
    if (renumbered[i] >= 0) mesh->file_elements[renumbered[i]] = (ipg_id)i;
  return IPG_OK;
}

ipg_status ipg_reader_drop_nodes(ipg_reader *r) {
  if (!r->options.leave_out_others) return IPG_OK;
  const int64_t all = r->mesh.node_count;
  ipg_status status = ipg_reader_reserve_scratch(r, all, sizeof(ipg_id));
  if (status) return status;
  ipg_id *new_index = r->scratch.data;
  const int64_t kept = number_kept_nodes(&r->mesh, new_index);
  if (r->leaves_out) status = store_file_elements(r);
  if (status || kept == all) return status;
  ipg_reader_report_left_out(r, "left out: %lld of %lld nodes, which belong to no tetrahedron", (long long)(all - kept),
                             (long long)all);
  status = shrink_nodes(r, kept, new_index);
  for (int i = 0; !status && i < r->mesh.node_set_count; ++i)
    status = filter_node_set(r, &r->mesh.node_sets[i], new_index);
  return status;
}
