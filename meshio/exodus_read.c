/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An Exodus II file becomes a mesh, or a sentence that says why not.
 *
 * Nothing in the file is trusted: its header is checked before the library opens it, every number before it is an
 * index, every element before it is a volume. The library converts to 64-bit integers and doubles; one scratch buffer
 * takes what it hands over. Messages name things as the file does: path, block, gid. Ids of nodes and elements must be
 * positive and unique, because contact history is kept by them. */
#include "exodus_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- helpers */

ipg_status ipg_reader_damaged(const ipg_reader *r, const char *what) {
  return ipg_exodus_damaged(&r->file, what, r->error);
}

ipg_status ipg_reader_reserve(ipg_reader *r, int64_t count, size_t item_bytes) {
  return ipg_buffer_reserve(&r->scratch, &r->allocator, count, item_bytes, r->error);
}

void ipg_reader_say(const ipg_reader *r, const char *format, ...) {
  char line[600];
  if (!r->options.say) return;
  const int head = snprintf(line, sizeof line, "%s: ", r->file.path);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line + head, sizeof line - (size_t)head, format, arguments);
  va_end(arguments);
  r->options.say(r->options.context, line);
}

/* ---------------------------------------------------------------------------------------------------------- blocks */

static ipg_status check_sizes(const ipg_reader *r) {
  const ipg_contents *c = &r->contents;
  if (c->dimensions != 3)
    return ipg_fail(r->error, IPG_ERROR_UNSUPPORTED, "%s: the mesh has %d dimensions; give one of 3", r->file.path,
                    c->dimensions);
  if (c->node_count < 1 || c->element_count < 1 || c->block_count < 1)
    return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: there are no elements in it: give a mesh of tetrahedra",
                    r->file.path);
  if (c->node_count <= IPG_ID_MAX && c->element_count <= IPG_ID_MAX) return IPG_OK;
  return ipg_fail(r->error, IPG_ERROR_TOO_MANY,
                  "%s: %lld nodes and %lld elements: at most %lld of each fit in one mesh", r->file.path,
                  (long long)c->node_count, (long long)c->element_count, (long long)IPG_ID_MAX);
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
                    "read: remove the block, convert it, or ask to leave other elements out",
                    r->file.path, (long long)block->id, block->name, block->type, (long long)block->nodes_per_element);
  r->leaves_out = true;
  ipg_reader_say(r, "left out: block %lld '%.80s' of %lld %s elements of %lld nodes", (long long)block->id, block->name,
                 (long long)block->count, block->type, (long long)block->nodes_per_element);
  return IPG_OK;
}

static ipg_status choose_blocks(ipg_reader *r) {
  const ipg_contents *c = &r->contents;
  int kept = 0;
  ipg_status status = check_sizes(r);
  if (!status) status = ipg_buffer_reserve(&r->kept_blocks, &r->allocator, c->block_count, sizeof(int), r->error);
  for (int b = 0; !status && b < c->block_count; ++b) status = keep_block(r, b, &kept);
  if (!status && !r->mesh.element_count)
    status = ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: there are no tetrahedra in it", r->file.path);
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

static void fill_blocks(ipg_reader *r) {
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

static void fill_sets(ipg_reader *r) {
  for (int i = 0; i < r->mesh.node_set_count; ++i) {
    r->mesh.node_sets[i].id = r->contents.node_sets[i].id;
    memcpy(r->mesh.node_sets[i].name, r->contents.node_sets[i].name, sizeof(ipg_name));
  }
  for (int i = 0; i < r->mesh.side_set_count; ++i) {
    r->mesh.side_sets[i].id = r->contents.side_sets[i].id;
    memcpy(r->mesh.side_sets[i].name, r->contents.side_sets[i].name, sizeof(ipg_name));
  }
}

/* Where each element of the file went. */
static ipg_status renumber_elements(ipg_reader *r) {
  const ipg_contents *c = &r->contents;
  const ipg_status status =
      ipg_buffer_reserve(&r->renumbered, &r->allocator, c->element_count, sizeof(ipg_id), r->error);
  if (status) return status;
  ipg_id *place = r->renumbered.data, next = 0;
  for (int b = 0; b < c->block_count; ++b)
    for (int64_t i = 0; i < c->blocks[b].count; ++i) *place++ = c->blocks[b].tetrahedra ? next++ : -1;
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------- ids and names */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static ipg_status check_names(ipg_reader *r, const ipg_labels *labels) {
  const ipg_status status = ipg_reader_reserve(r, labels->count, sizeof(char *));
  if (status) return status;
  const char **names = r->scratch.data;
  for (int i = 0; i < labels->count; ++i) names[i] = ipg_label_name(labels, i);
  if (labels->count) qsort(names, (size_t)labels->count, sizeof *names, by_text);
  for (int i = 1; i < labels->count; ++i)
    if (!strcmp(names[i - 1], names[i]))
      return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: two %ss are named '%.80s': rename one", r->file.path,
                      labels->kind, names[i]);
  return IPG_OK;
}

static ipg_status check_labels(ipg_reader *r) {
  ipg_status status = IPG_OK;
  for (int kind = 0; !status && kind < IPG_LABEL_KIND_COUNT; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(&r->mesh, kind);
    status = check_names(r, &labels);
  }
  return status;
}

static ipg_status make_mesh(ipg_reader *r) {
  ipg_status status = choose_blocks(r);
  if (!status) status = allocate_mesh(r);
  if (status) return status;
  fill_blocks(r);
  fill_sets(r);
  status = renumber_elements(r);
  return status ? status : check_labels(r);
}

/* ----------------------------------------------------------------------------------------------- nodes and elements */

static ipg_status read_coordinates(ipg_reader *r) {
  const int64_t count = r->mesh.node_count;
  const ipg_status status = ipg_reader_reserve(r, count, sizeof(double));
  if (status) return status;
  double *values = r->scratch.data;
  for (int d = 0; d < 3; ++d) {
    if (ex_get_coord(r->file.id, d == 0 ? values : NULL, d == 1 ? values : NULL, d == 2 ? values : NULL) < 0)
      return ipg_reader_damaged(r, "the coordinates");
    for (int64_t i = 0; i < count; ++i) r->mesh.x[3 * i + d] = values[i];
  }
  return IPG_OK;
}

static ipg_status check_gids(const ipg_reader *r, const ipg_gid *gids, int64_t count, const char *what) {
  bool twice;
  int64_t gid;
  for (int64_t i = 0; i < count; ++i)
    if (gids[i] < 1)
      return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: the id map holds %s number %lld: numbers start at 1",
                      r->file.path, what, (long long)gids[i]);
  const ipg_status status = ipg_find_double(gids, count, &r->allocator, &twice, &gid, r->error);
  if (status || !twice) return status;
  return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: two %ss have the number %lld in the id map: renumber them",
                  r->file.path, what, (long long)gid);
}

static ipg_status read_element_gids(ipg_reader *r) {
  const int64_t count = r->contents.element_count;
  const ipg_status status = ipg_reader_reserve(r, count, sizeof(ipg_gid));
  if (status) return status;
  const ipg_gid *gids = r->scratch.data;
  const ipg_id *place = r->renumbered.data;
  if (ex_get_id_map(r->file.id, EX_ELEM_MAP, r->scratch.data) < 0) return ipg_reader_damaged(r, "the element numbers");
  for (int64_t i = 0; i < count; ++i)
    if (place[i] >= 0) r->mesh.element_gids[place[i]] = gids[i];
  return check_gids(r, r->mesh.element_gids, r->mesh.element_count, "element");
}

static ipg_status read_id_maps(ipg_reader *r) {
  if (ex_get_id_map(r->file.id, EX_NODE_MAP, r->mesh.node_gids) < 0) return ipg_reader_damaged(r, "the node numbers");
  const ipg_status status = check_gids(r, r->mesh.node_gids, r->mesh.node_count, "node");
  return status ? status : read_element_gids(r);
}

static ipg_status refuse_node_number(const ipg_reader *r, const ipg_block *block, int64_t element, int64_t node) {
  return ipg_fail(r->error, IPG_ERROR_FORMAT,
                  "%s: element %lld of block '%.80s' has node %lld of %lld: the file is damaged, write it again",
                  r->file.path, (long long)r->mesh.element_gids[element], block->name, (long long)node,
                  (long long)r->mesh.node_count);
}

/* Corners and middle nodes go their own ways. */
static ipg_status read_block_nodes(ipg_reader *r, const ipg_block *block) {
  const int width = block->quadratic ? 10 : 4;
  const ipg_status status = ipg_reader_reserve(r, width * block->count, sizeof(int64_t));
  if (status || !block->count) return status;
  const int64_t *nodes = r->scratch.data;
  if (ex_get_conn(r->file.id, EX_ELEM_BLOCK, block->id, r->scratch.data, NULL, NULL) < 0)
    return ipg_reader_damaged(r, "the nodes of the elements");
  for (int64_t i = 0; i < block->count; ++i, nodes += width) {
    ipg_id *corners = r->mesh.tets + 4 * (block->first + i);
    ipg_id *middles = r->mesh.middles + 6 * (block->first_middle + i);
    for (int k = 0; k < width; ++k) {
      if (nodes[k] < 1 || nodes[k] > r->mesh.node_count)
        return refuse_node_number(r, block, block->first + i, nodes[k]);
      *(k < 4 ? corners + k : middles + k - 4) = (ipg_id)(nodes[k] - 1);
    }
  }
  return IPG_OK;
}

static ipg_status read_connectivity(ipg_reader *r) {
  ipg_status status = IPG_OK;
  for (int b = 0; !status && b < r->mesh.block_count; ++b) status = read_block_nodes(r, &r->mesh.blocks[b]);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- geometry */

static bool is_finite_node(const double *x) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

/* The element that uses the node is what the user can find in a preprocessor. */
static ipg_status refuse_node(const ipg_reader *r, int64_t node) {
  const long long gid = r->mesh.node_gids[node];
  int64_t i = 0;
  while (i < 4 * r->mesh.element_count && r->mesh.tets[i] != node) ++i;
  if (i == 4 * r->mesh.element_count)
    return ipg_fail(r->error, IPG_ERROR_NUMBER, "%s: node %lld is not at a finite place: mend or remove it",
                    r->file.path, gid);
  return ipg_fail(r->error, IPG_ERROR_NUMBER, "%s: node %lld of element %lld in block '%.80s' is not at a finite place",
                  r->file.path, gid, (long long)r->mesh.element_gids[i / 4], ipg_mesh_block_name(&r->mesh, i / 4));
}

static ipg_status check_geometry(ipg_reader *r) {
  const ipg_mesh *mesh = &r->mesh;
  if (r->options.keep_bad_elements) return IPG_OK;
  for (int64_t i = 0; i < mesh->node_count; ++i)
    if (!is_finite_node(mesh->x + 3 * i)) return refuse_node(r, i);
  const int64_t e = ipg_mesh_first_flat(mesh);
  if (e == mesh->element_count) return IPG_OK;
  const double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
  return ipg_fail(r->error, IPG_ERROR_NUMBER, "%s: element %lld of block '%.80s' has the volume %g: %s", r->file.path,
                  (long long)mesh->element_gids[e], ipg_mesh_block_name(mesh, e), volume,
                  volume < 0 ? "it is inside out, swap two of its nodes"
                             : "it must be positive and finite, mesh that place again");
}

/* --------------------------------------------------------------------------------------------------------- driver */

static ipg_status read_contents(ipg_reader *r) {
  return ipg_exodus_read_contents(&r->file, &r->allocator, &r->contents, r->error);
}

static ipg_status read_all(ipg_reader *r) {
  static ipg_status (*const phases[])(ipg_reader *) = {read_contents,          make_mesh,
                                                       read_coordinates,       read_id_maps,
                                                       read_connectivity,      ipg_reader_read_sets,
                                                       ipg_reader_read_extras, ipg_reader_drop_nodes,
                                                       check_geometry};
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof phases / sizeof *phases; ++i) status = phases[i](r);
  return status;
}

ipg_status ipg_exodus_read(const char *path, const ipg_exodus_options *options, const ipg_allocator *allocator,
                           ipg_mesh *mesh, ipg_error *error) {
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_exodus_read needs a mesh to fill");
  *mesh = (ipg_mesh){0};
  ipg_reader r = {.allocator = ipg_allocator_or_malloc(allocator), .error = error};
  if (options) r.options = *options;
  ipg_status status = ipg_exodus_open(path, &r.allocator, &r.file, error);
  if (status) return status;
  status = read_all(&r);
  ex_close(r.file.id);
  ipg_contents_destroy(&r.contents);
  ipg_buffer_destroy(&r.scratch, &r.allocator);
  ipg_buffer_destroy(&r.kept_blocks, &r.allocator);
  ipg_buffer_destroy(&r.renumbered, &r.allocator);
  if (status) ipg_mesh_destroy(&r.mesh);
  *mesh = r.mesh;
  return status;
}
