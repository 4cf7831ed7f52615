/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An Exodus II file becomes a mesh, or a sentence that says why not.
 *
 * Nothing in the file is trusted: the first bytes are looked at before the library opens it, every number is checked
 * before it is an index, every element before it is a volume. The library converts to 64-bit integers and doubles; one
 * scratch buffer takes what it hands over. Messages name things as the file does: path, block, gid.
 * Ids of nodes and elements must be positive and unique, because contact history is kept by them. */
#include "internal.h"

#include <ctype.h>
#include <errno.h>
#include <exodusII.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- open */

enum { PATH_SHOWN = 160, HEAD_BYTES = 52 };

const char *ipg_path_tail(const char *path) {
  const size_t length = strlen(path);
  return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

static uint64_t little_endian(const unsigned char *bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

static bool is_classic(const unsigned char *head) {
  return !memcmp(head, "CDF", 3) && (head[3] == 1 || head[3] == 2 || head[3] == 5);
}

/* An HDF5 file tells where it ends; the library would print if we let it find out that the end is missing. */
static bool is_whole_hdf5(const unsigned char *head, long size) {
  if (memcmp(head, "\211HDF\r\n\032\n", 8)) return false;
  const int version = head[8];
  return little_endian(head + (version >= 2 ? 28 : version == 1 ? 44 : 40)) <= (uint64_t)size;
}

static ipg_status check_head(const char *path, ipg_error *error) {
  unsigned char head[HEAD_BYTES] = {0};
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return ipg_fail(error, IPG_ERROR_FILE, "cannot open '%s': %s", ipg_path_tail(path), strerror(errno));
  const size_t got = fread(head, 1, sizeof head, file);
  const bool failed = ferror(file) || fseek(file, 0, SEEK_END);
  const long size = failed ? 0 : ftell(file);
  fclose(file);
  if (failed) return ipg_fail(error, IPG_ERROR_FILE, "cannot read '%s': %s", ipg_path_tail(path), strerror(errno));
  if (!got) return ipg_fail(error, IPG_ERROR_FORMAT, "'%s' is empty: no Exodus II file", ipg_path_tail(path));
  if (is_classic(head) || is_whole_hdf5(head, size)) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FORMAT, "'%s' is no Exodus II file, or was cut off: give one that is",
                  ipg_path_tail(path));
}

ipg_status ipg_exodus_open(const char *path, ipg_exodus_file *file, ipg_error *error) {
  if (!path) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a path is needed to read a file");
  const ipg_status status = check_head(path, error);
  if (status) return status;
  int here = sizeof(double), there = 0; /* doubles for us, whatever is in the file */
  float version;
  ex_opts(0); /* errors come back, nothing is printed */
  errno = 0;  /* netCDF takes what is left there for an error of its own */
  *file = (ipg_exodus_file){ex_open(path, EX_READ, &here, &there, &version), ipg_path_tail(path)};
  if (file->id < 0)
    return ipg_fail(error, IPG_ERROR_FORMAT, "'%s' is damaged or holds no Exodus II data: write it again", file->path);
  ex_set_int64_status(file->id, EX_ALL_INT64_API);
  ex_set_max_name_length(file->id, IPG_NAME_MAX - 1);
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- reader */

typedef struct reader {
  ipg_exodus_file file;
  ipg_allocator allocator;
  ipg_error *error;
  ipg_buffer scratch;
  ipg_sorter sorter;
  ipg_mesh mesh;
} reader;

static const ex_entity_type label_types[IPG_LABEL_KINDS] = {EX_ELEM_BLOCK, EX_NODE_SET, EX_SIDE_SET};

static ipg_status damaged(const reader *r, const char *what) {
  return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: cannot read %s: the file is damaged, write it again", r->file.path,
                  what);
}

static ipg_status reserve(reader *r, int64_t count, size_t item_bytes) {
  return ipg_buffer_reserve(&r->scratch, &r->allocator, count, item_bytes, r->error);
}

static ipg_status read_sizes(reader *r) {
  ex_init_params p = {0};
  if (ex_get_init_ext(r->file.id, &p) < 0) return damaged(r, "the sizes of the mesh");
  if (p.num_dim != 3)
    return ipg_fail(r->error, IPG_ERROR_UNSUPPORTED, "%s: the mesh has %lld dimensions; give one of 3", r->file.path,
                    (long long)p.num_dim);
  if (p.num_nodes < 1 || p.num_elem < 1 || p.num_elem_blk < 1)
    return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: there are no elements in it: give a mesh of tetrahedra",
                    r->file.path);
  if (p.num_elem_blk > INT_MAX || p.num_node_sets < 0 || p.num_node_sets > INT_MAX || p.num_side_sets < 0 ||
      p.num_side_sets > INT_MAX)
    return damaged(r, "the number of blocks and sets");
  r->mesh = (ipg_mesh){.node_count = p.num_nodes,
                       .element_count = p.num_elem,
                       .block_count = (int)p.num_elem_blk,
                       .node_set_count = (int)p.num_node_sets,
                       .side_set_count = (int)p.num_side_sets};
  memcpy(r->mesh.title, p.title, sizeof r->mesh.title - 1);
  return ipg_mesh_allocate(&r->mesh, &r->allocator, r->error);
}

/* --------------------------------------------------------------------------------- ids and names of blocks and sets */

static ipg_status read_ids(reader *r, int kind, const ipg_labels *labels) {
  const ipg_status status = reserve(r, labels->count, sizeof(int64_t));
  if (status) return status;
  const int64_t *ids = r->scratch.data;
  if (ex_get_ids(r->file.id, label_types[kind], r->scratch.data) < 0) return damaged(r, "the ids of blocks and sets");
  for (int i = 0; i < labels->count; ++i) {
    *ipg_label_id(labels, i) = ids[i];
    for (int k = 0; k < i; ++k)
      if (ids[k] == ids[i])
        return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: two %ss have the id %lld: give each its own", r->file.path,
                        labels->kind, (long long)ids[i]);
  }
  return IPG_OK;
}

static ipg_status read_names(reader *r, int kind, const ipg_labels *labels) {
  const ipg_status status = reserve(r, labels->count, sizeof(char *));
  if (status) return status;
  char **names = r->scratch.data;
  for (int i = 0; i < labels->count; ++i) names[i] = ipg_label_name(labels, i);
  if (ex_get_names(r->file.id, label_types[kind], names) < 0) return damaged(r, "the names of blocks and sets");
  for (int i = 0; i < labels->count; ++i)
    if (!names[i][0])
      snprintf(names[i], IPG_NAME_MAX, "%s_%lld", labels->default_name, (long long)*ipg_label_id(labels, i));
  return IPG_OK;
}

static ipg_status read_labels(reader *r) {
  ipg_status status = IPG_OK;
  for (int kind = 0; !status && kind < IPG_LABEL_KINDS; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(&r->mesh, kind);
    if (!labels.count) continue;
    status = read_ids(r, kind, &labels);
    if (!status) status = read_names(r, kind, &labels);
  }
  return status;
}

/* ----------------------------------------------------------------------------------------------- nodes and elements */

static ipg_status read_coordinates(reader *r) {
  const int64_t count = r->mesh.node_count;
  const ipg_status status = reserve(r, count, sizeof(double));
  if (status) return status;
  double *values = r->scratch.data;
  for (int d = 0; d < 3; ++d) {
    if (ex_get_coord(r->file.id, d == 0 ? values : NULL, d == 1 ? values : NULL, d == 2 ? values : NULL) < 0)
      return damaged(r, "the coordinates");
    for (int64_t i = 0; i < count; ++i) r->mesh.x[3 * i + d] = values[i];
  }
  return IPG_OK;
}

static ipg_status check_gids(reader *r, const ipg_gid *gids, int64_t count, const char *what) {
  bool ascending = true;
  for (int64_t i = 0; i < count; ++i) {
    if (gids[i] < 1)
      return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: the id map holds %s number %lld: numbers start at 1",
                      r->file.path, what, (long long)gids[i]);
    ascending = ascending && (!i || gids[i - 1] < gids[i]);
  }
  if (ascending) return IPG_OK;
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_status status = reserve(r, count, sizeof(uint64_t));
  if (status) return status;
  uint64_t *sorted = memcpy(r->scratch.data, gids, (size_t)count * sizeof *gids);
  status = ipg_sort_u64(&r->sorter, sorted, NULL, count, &r->allocator, &serial, r->error);
  for (int64_t i = 1; !status && i < count; ++i)
    if (sorted[i - 1] == sorted[i])
      status = ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: two %ss have the number %lld in the id map: renumber them",
                        r->file.path, what, (long long)sorted[i]);
  return status;
}

static ipg_status read_id_maps(reader *r) {
  if (ex_get_id_map(r->file.id, EX_NODE_MAP, r->mesh.node_gids) < 0) return damaged(r, "the node numbers");
  if (ex_get_id_map(r->file.id, EX_ELEM_MAP, r->mesh.element_gids) < 0) return damaged(r, "the element numbers");
  const ipg_status status = check_gids(r, r->mesh.node_gids, r->mesh.node_count, "node");
  return status ? status : check_gids(r, r->mesh.element_gids, r->mesh.element_count, "element");
}

static bool is_tetrahedron(const char *type) {
  static const char *const accepted[] = {"TETRA", "TETRA4", "TET", "TET4"};
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; ++i) {
    size_t k = 0;
    while (type[k] && toupper((unsigned char)type[k]) == accepted[i][k]) ++k;
    if (!type[k] && !accepted[i][k]) return true;
  }
  return false;
}

static ipg_status read_block(reader *r, ipg_block *block) {
  ex_block b = {.id = block->id, .type = EX_ELEM_BLOCK};
  if (ex_get_block_param(r->file.id, &b) < 0 || b.num_entry < 0 || b.num_entry > r->mesh.element_count - block->first)
    return damaged(r, "the element blocks");
  block->count = b.num_entry;
  if (!b.num_entry || (is_tetrahedron(b.topology) && b.num_nodes_per_entry == 4)) return IPG_OK;
  return ipg_fail(r->error, IPG_ERROR_UNSUPPORTED,
                  "%s: block %lld '%.80s' holds %s elements of %lld nodes; only 4-node tetrahedra can be read: remove "
                  "the block or convert it",
                  r->file.path, (long long)block->id, block->name, b.topology, (long long)b.num_nodes_per_entry);
}

static ipg_status read_blocks(reader *r) {
  int64_t first = 0;
  for (int b = 0; b < r->mesh.block_count; ++b) {
    ipg_block *block = &r->mesh.blocks[b];
    block->first = first;
    const ipg_status status = read_block(r, block);
    if (status) return status;
    first += block->count;
  }
  return first == r->mesh.element_count ? IPG_OK : damaged(r, "the element blocks: they do not hold all elements");
}

static ipg_status read_block_nodes(reader *r, const ipg_block *block) {
  const int64_t count = 4 * block->count;
  const ipg_status status = reserve(r, count, sizeof(int64_t));
  if (status || !count) return status;
  const int64_t *nodes = r->scratch.data;
  if (ex_get_conn(r->file.id, EX_ELEM_BLOCK, block->id, r->scratch.data, NULL, NULL) < 0)
    return damaged(r, "the nodes of the elements");
  for (int64_t i = 0; i < count; ++i) {
    if (nodes[i] < 1 || nodes[i] > r->mesh.node_count)
      return ipg_fail(r->error, IPG_ERROR_FORMAT,
                      "%s: element %lld of block '%.80s' has node %lld of %lld: the file is damaged, write it again",
                      r->file.path, (long long)r->mesh.element_gids[block->first + i / 4], block->name,
                      (long long)nodes[i], (long long)r->mesh.node_count);
    r->mesh.tets[4 * block->first + i] = (ipg_id)(nodes[i] - 1);
  }
  return IPG_OK;
}

static ipg_status read_connectivity(reader *r) {
  ipg_status status = IPG_OK;
  for (int b = 0; !status && b < r->mesh.block_count; ++b) status = read_block_nodes(r, &r->mesh.blocks[b]);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- sets */

/* 1-based numbers up to limit become 0-based ids. */
static ipg_status convert(const reader *r, const int64_t *from, int64_t count, int64_t limit, const char *kind,
                          const char *name, ipg_id *to) {
  for (int64_t i = 0; i < count; ++i) {
    if (from[i] < 1 || from[i] > limit)
      return ipg_fail(r->error, IPG_ERROR_FORMAT, "%s: %s '%.80s' holds number %lld of %lld: mend or remove the set",
                      r->file.path, kind, name, (long long)from[i], (long long)limit);
    to[i] = (ipg_id)(from[i] - 1);
  }
  return IPG_OK;
}

/* Entries, and behind them the sides if any, in the scratch. */
static ipg_status read_set(reader *r, ex_entity_type type, int64_t id, int64_t *count) {
  int64_t factors = 0;
  *count = 0;
  if (ex_get_set_param(r->file.id, type, id, count, &factors) < 0 || *count < 0) return damaged(r, "a set's size");
  if (*count > IPG_ID_MAX)
    return ipg_fail(r->error, IPG_ERROR_TOO_MANY, "%s: set %lld is too large", r->file.path, (long long)id);
  const ipg_status status = reserve(r, 2 * *count, sizeof(int64_t));
  if (status || !*count) return status;
  int64_t *entries = r->scratch.data;
  int64_t *sides = type == EX_SIDE_SET ? entries + *count : NULL;
  return ex_get_set(r->file.id, type, id, entries, sides) < 0 ? damaged(r, "a set") : IPG_OK;
}

static ipg_status read_node_set(reader *r, ipg_node_set *set) {
  int64_t count;
  ipg_status status = read_set(r, EX_NODE_SET, set->id, &count);
  if (!status) status = ipg_node_set_allocate(&r->mesh, set, count, r->error);
  if (!status) status = convert(r, r->scratch.data, count, r->mesh.node_count, "node set", set->name, set->nodes);
  return status;
}

static ipg_status read_side_set(reader *r, ipg_side_set *set) {
  int64_t count;
  ipg_status status = read_set(r, EX_SIDE_SET, set->id, &count);
  if (!status) status = ipg_side_set_allocate(&r->mesh, set, count, r->error);
  if (status || !count) return status;
  const int64_t *entries = r->scratch.data;
  status = convert(r, entries, count, r->mesh.element_count, "side set", set->name, set->elements);
  return status ? status : convert(r, entries + count, count, 4, "side set", set->name, set->sides);
}

static ipg_status read_sets(reader *r) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < r->mesh.node_set_count; ++i) status = read_node_set(r, &r->mesh.node_sets[i]);
  for (int i = 0; !status && i < r->mesh.side_set_count; ++i) status = read_side_set(r, &r->mesh.side_sets[i]);
  return status;
}

/* -------------------------------------------------------------------------------------------------------- geometry */

static bool is_finite_node(const double *x) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

/* The element that uses the node is what the user can find in a preprocessor. */
static ipg_status refuse_node(const reader *r, int64_t node) {
  const long long gid = r->mesh.node_gids[node];
  int64_t i = 0;
  while (i < 4 * r->mesh.element_count && r->mesh.tets[i] != node) ++i;
  if (i == 4 * r->mesh.element_count)
    return ipg_fail(r->error, IPG_ERROR_NUMBER, "%s: node %lld is not at a finite place: mend or remove it",
                    r->file.path, gid);
  return ipg_fail(r->error, IPG_ERROR_NUMBER, "%s: node %lld of element %lld in block '%.80s' is not at a finite place",
                  r->file.path, gid, (long long)r->mesh.element_gids[i / 4], ipg_mesh_block_name(&r->mesh, i / 4));
}

static ipg_status check_geometry(reader *r) {
  const ipg_mesh *mesh = &r->mesh;
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

/* -------------------------------------------------------------------------------------------------------- driver */

static ipg_status read_all(reader *r) {
  static ipg_status (*const phases[])(reader *) = {read_sizes,   read_labels,       read_blocks, read_coordinates,
                                                   read_id_maps, read_connectivity, read_sets,   check_geometry};
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof phases / sizeof *phases; ++i) status = phases[i](r);
  return status;
}

ipg_status ipg_exodus_read(const char *path, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_exodus_read needs a mesh to fill");
  *mesh = (ipg_mesh){0};
  reader r = {.allocator = ipg_allocator_or_malloc(allocator), .error = error};
  ipg_status status = ipg_exodus_open(path, &r.file, error);
  if (status) return status;
  status = read_all(&r);
  ex_close(r.file.id);
  ipg_buffer_free(&r.scratch, &r.allocator);
  ipg_sorter_free(&r.sorter, &r.allocator);
  if (status) ipg_mesh_free(&r.mesh);
  *mesh = r.mesh;
  return status;
}
