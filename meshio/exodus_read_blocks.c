/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Chooses the blocks to keep, allocates the mesh, and sets ids and names of blocks and sets. Names of blocks
 * must be unique, because decks name blocks by them. */
#include "exodus_reader.h"
#include "mesh_arrays.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- blocks */

static ipg_status check_sizes(const ipg_reader *r) {
  const ipg_contents *c = &r->contents;
  if (c->dimensions != 3)
    return ipg_fail(r->error, IPG_ERROR_UNSUPPORTED, "%s: the mesh has %d dimensions: give one with 3", r->file.path,
                    c->dimensions);
  if (c->node_count < 1 || c->element_count < 1 || c->block_count < 1)
    return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: it has no elements: give a mesh of tetrahedra", r->file.path);
  if (c->node_count <= IPG_ID_MAX && c->element_count <= IPG_ID_MAX) return IPG_OK;
  return ipg_fail(r->error, IPG_ERROR_TOO_MANY,
                  "%s: %lld nodes and %lld elements: at most %lld of each fit in one mesh: make it coarser",
                  r->file.path, (long long)c->node_count, (long long)c->element_count, (long long)IPG_ID_MAX);
}

static ipg_status keep_block(ipg_reader *r, int index, int *kept) {
  const ipg_contents_block *block = &r->contents.blocks[index];
  if (block->tetrahedra) {
    ((int *)r->kept_blocks.data)[(*kept)++] = index;
    r->mesh.element_count += block->count;
    if (block->nodes_per_element == 10) r->mesh.quadratic_count += block->count;
    return IPG_OK;
  }
  if (!r->options.leave_out_others)
    return ipg_fail(r->error, IPG_ERROR_UNSUPPORTED,
                    "%s: block %lld '%.80s' holds %s elements of %lld nodes; only tetrahedra of 4 or 10 nodes can be "
                    "read: remove the block, convert it, or set leave_out_others (impinge join: --leave-out-others)",
                    r->file.path, (long long)block->id, block->name, block->type, (long long)block->nodes_per_element);
  r->leaves_out = true;
  ipg_reader_report_left_out(r, "left out: block %lld '%.80s' of %lld %s elements of %lld nodes", (long long)block->id,
                             block->name, (long long)block->count, block->type, (long long)block->nodes_per_element);
  return IPG_OK;
}

static ipg_status choose_blocks(ipg_reader *r) {
  const ipg_contents *c = &r->contents;
  int kept = 0;
  ipg_status status = check_sizes(r);
  if (!status) status = ipg_buffer_reserve(&r->kept_blocks, &r->allocator, c->block_count, sizeof(int), r->error);
  for (int b = 0; !status && b < c->block_count; ++b) status = keep_block(r, b, &kept);
  if (!status && !r->mesh.element_count)
    status = ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: it has no tetrahedra: give a mesh of tetrahedra", r->file.path);
  r->mesh.block_count = kept;
  return status;
}

static ipg_status allocate_mesh(ipg_reader *r) {
  const ipg_contents *c = &r->contents;
  ipg_mesh *mesh = &r->mesh;
  mesh->node_count = c->node_count;
  mesh->node_set_count = c->node_set_count;
  mesh->side_set_count = c->side_set_count;
  mesh->qa_count = c->qa_count;
  mesh->info_count = c->info_count;
  memcpy(mesh->title, c->title, sizeof mesh->title);
  return ipg_mesh_allocate(mesh, &r->allocator, r->error);
}

static void set_blocks(ipg_reader *r) {
  int64_t first = 0, first_middle = 0;
  for (int b = 0; b < r->mesh.block_count; ++b) {
    const ipg_contents_block *from = &r->contents.blocks[((int *)r->kept_blocks.data)[b]];
    ipg_block *block = &r->mesh.blocks[b];
    *block = (ipg_block){.id = from->id,
                         .first = first,
                         .count = from->count,
                         .quadratic = from->nodes_per_element == 10,
                         .first_middle = first_middle};
    memcpy(block->name, from->name, sizeof block->name);
    memcpy(block->type, from->type, sizeof block->type);
    first += block->count;
    if (block->quadratic) first_middle += block->count;
  }
}

static void set_ids_and_names(ipg_reader *r) {
  for (int i = 0; i < r->mesh.node_set_count; ++i) {
    r->mesh.node_sets[i].id = r->contents.node_sets[i].id;
    memcpy(r->mesh.node_sets[i].name, r->contents.node_sets[i].name, sizeof(ipg_name));
  }
  for (int i = 0; i < r->mesh.side_set_count; ++i) {
    r->mesh.side_sets[i].id = r->contents.side_sets[i].id;
    memcpy(r->mesh.side_sets[i].name, r->contents.side_sets[i].name, sizeof(ipg_name));
  }
}

/* Sets the index in the mesh of each element of the file. */
static ipg_status renumber_elements(ipg_reader *r) {
  const ipg_contents *c = &r->contents;
  const ipg_status status =
      ipg_buffer_reserve(&r->renumbered, &r->allocator, c->element_count, sizeof(ipg_id), r->error);
  if (status) return status;
  ipg_id *index = r->renumbered.data, next = 0;
  for (int b = 0; b < c->block_count; ++b)
    for (int64_t i = 0; i < c->blocks[b].count; ++i) *index++ = c->blocks[b].tetrahedra ? next++ : -1;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------------ names */

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ipg_status check_block_names(ipg_reader *r) {
  const int count = r->mesh.block_count;
  const ipg_status status = ipg_reader_reserve_scratch(r, count, sizeof(char *));
  if (status) return status;
  const char **names = r->scratch.data;
  for (int b = 0; b < count; ++b) names[b] = r->mesh.blocks[b].name;
  if (count) qsort(names, (size_t)count, sizeof *names, compare_names);
  for (int i = 1; i < count; ++i)
    if (!strcmp(names[i - 1], names[i]))
      return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: two blocks are named '%.80s': rename one", r->file.path,
                      names[i]);
  return IPG_OK;
}

ipg_status ipg_reader_read_blocks(ipg_reader *r) {
  ipg_status status = choose_blocks(r);
  if (!status) status = allocate_mesh(r);
  if (status) return status;
  set_blocks(r);
  set_ids_and_names(r);
  status = renumber_elements(r);
  return status ? status : check_block_names(r);
}
