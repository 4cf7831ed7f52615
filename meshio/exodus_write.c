/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A mesh becomes an Exodus II file; a result file is the same with steps behind it.
 *
 * Everything is declared before anything is written, because declaring later makes the library move what is there. The
 * id maps come last in a mesh: a file that lost its tail reads zeros there, and no number is zero, so it is refused.
 * The same mesh gives the same bytes: no date is written. Classic 64-bit-offset files hold 32-bit numbers; only when an
 * id needs more is the file netCDF-4.
 * A step counts when the library has handed all of it to the system. After a failure (a full disk) netCDF has lost its
 * place in the file and would write the next bytes elsewhere, so that handle is closed and the next append opens anew.
 */
#include "internal.h"

#include <errno.h>
#include <exodusII.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
  int id;
  const char *path;
  const ipg_mesh *mesh;
  const ipg_results_layout *layout; /* NULL: a mesh only */
  ipg_allocator allocator;
  ipg_error *error;
  ipg_buffer scratch;
} writer;

static const ex_entity_type label_types[IPG_LABEL_KINDS] = {EX_ELEM_BLOCK, EX_NODE_SET, EX_SIDE_SET};

static ipg_status refused(const char *path, const char *what, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FILE, "cannot write %s to '%s': make sure that the disk has room, then write again",
                  what, path);
}

static ipg_status reserve(writer *w, int64_t count, size_t item_bytes) {
  return ipg_buffer_reserve(&w->scratch, &w->allocator, count, item_bytes, w->error);
}

/* -------------------------------------------------------------------------------------------------------- create */

static bool fits_32_bits(const int64_t *numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (numbers[i] < INT32_MIN || numbers[i] > INT32_MAX) return false;
  return true;
}

static bool ids_fit_32_bits(const ipg_mesh *mesh) {
  for (int kind = 0; kind < IPG_LABEL_KINDS; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(mesh, kind);
    for (int i = 0; i < labels.count; ++i)
      if (!fits_32_bits(ipg_label_id(&labels, i), 1)) return false;
  }
  return fits_32_bits(mesh->node_gids, mesh->node_count) && fits_32_bits(mesh->element_gids, mesh->element_count);
}

static int longest(int so_far, const char *name) {
  const size_t length = strlen(name);
  return length > (size_t)so_far ? (int)length : so_far;
}

static int longest_name(const writer *w) {
  int length = MAX_NAME_LENGTH;
  for (int kind = 0; kind < IPG_LABEL_KINDS; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(w->mesh, kind);
    for (int i = 0; i < labels.count; ++i) length = longest(length, ipg_label_name(&labels, i));
  }
  for (int i = 0; w->layout && i < w->layout->nodal_count; ++i) length = longest(length, w->layout->nodal_names[i]);
  for (int i = 0; w->layout && i < w->layout->global_count; ++i) length = longest(length, w->layout->global_names[i]);
  return length;
}

/* Opening the file ourselves first is the only way to learn why it cannot be. */
static ipg_status check_path(const char *path, ipg_error *error) {
  errno = 0;
  FILE *file = fopen(path, "ab");
  if (file && !fclose(file)) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': %s", ipg_path_tail(path), strerror(errno));
}

static ipg_status create(writer *w, const char *path) {
  const ipg_status status = check_path(path, w->error);
  if (status) return status;
  const int wide = EX_NETCDF4 | EX_MAPS_INT64_DB | EX_IDS_INT64_DB;
  const int mode = EX_CLOBBER | (ids_fit_32_bits(w->mesh) ? EX_LARGE_MODEL : wide);
  int here = sizeof(double), there = sizeof(double);
  ex_opts(0); /* errors come back, nothing is printed */
  errno = 0;  /* netCDF takes what is left there for an error of its own */
  w->path = ipg_path_tail(path);
  w->id = ex_create(path, mode | EX_MAPS_INT64_API | EX_IDS_INT64_API, &here, &there);
  if (w->id < 0) return ipg_fail(w->error, IPG_ERROR_FILE, "cannot create '%s': give a path to a file", w->path);
  ex_set_max_name_length(w->id, longest_name(w));
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- declare */

static ipg_status declare_mesh(writer *w) {
  const ipg_mesh *m = w->mesh;
  bool ok = ex_put_init(w->id, m->title, 3, m->node_count, m->element_count, m->block_count, m->node_set_count,
                        m->side_set_count) >= 0;
  for (int b = 0; ok && b < m->block_count; ++b)
    ok = ex_put_block(w->id, EX_ELEM_BLOCK, m->blocks[b].id, "TETRA", m->blocks[b].count, 4, 0, 0, 0) >= 0;
  for (int i = 0; ok && i < m->node_set_count; ++i)
    ok = ex_put_set_param(w->id, EX_NODE_SET, m->node_sets[i].id, m->node_sets[i].count, 0) >= 0;
  for (int i = 0; ok && i < m->side_set_count; ++i)
    ok = ex_put_set_param(w->id, EX_SIDE_SET, m->side_sets[i].id, m->side_sets[i].count, 0) >= 0;
  return ok ? IPG_OK : refused(w->path, "the header", w->error);
}

static ipg_status declare_origin(writer *w) {
  char program[] = "impinge", none[] = "";
  char *record[1][4] = {{program, none, none, none}}; /* no date: the same mesh gives the same bytes */
  return ex_put_qa(w->id, 1, record) < 0 ? refused(w->path, "the header", w->error) : IPG_OK;
}

static ipg_status declare_fields(writer *w, ex_entity_type type, const char *const *names, int count) {
  if (!count) return IPG_OK;
  const ipg_status status = reserve(w, count, sizeof(char *));
  if (status) return status;
  char **list = memcpy(w->scratch.data, names, (size_t)count * sizeof *names); /* the library does not know const */
  return ex_put_variable_param(w->id, type, count) < 0 || ex_put_variable_names(w->id, type, count, list) < 0
             ? refused(w->path, "the names of the fields", w->error)
             : IPG_OK;
}

static ipg_status declare_results(writer *w) {
  if (!w->layout) return IPG_OK;
  const ipg_status status = declare_fields(w, EX_NODAL, w->layout->nodal_names, w->layout->nodal_count);
  return status ? status : declare_fields(w, EX_GLOBAL, w->layout->global_names, w->layout->global_count);
}

/* ---------------------------------------------------------------------------------------------------------- fill */

static ipg_status fill_names(writer *w) {
  char x[] = "x", y[] = "y", z[] = "z";
  char *axes[3] = {x, y, z};
  if (ex_put_coord_names(w->id, axes) < 0) return refused(w->path, "the names", w->error);
  for (int kind = 0; kind < IPG_LABEL_KINDS; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(w->mesh, kind);
    const ipg_status status = reserve(w, labels.count, sizeof(char *));
    if (status) return status;
    char **names = w->scratch.data;
    for (int i = 0; i < labels.count; ++i) names[i] = ipg_label_name(&labels, i);
    if (labels.count && ex_put_names(w->id, label_types[kind], names) < 0)
      return refused(w->path, "the names", w->error);
  }
  return IPG_OK;
}

static ipg_status fill_coordinates(writer *w) {
  const ipg_status status = reserve(w, w->mesh->node_count, sizeof(double));
  if (status) return status;
  double *values = w->scratch.data;
  for (int d = 0; d < 3; ++d) {
    for (int64_t i = 0; i < w->mesh->node_count; ++i) values[i] = w->mesh->x[3 * i + d];
    if (ex_put_coord(w->id, d == 0 ? values : NULL, d == 1 ? values : NULL, d == 2 ? values : NULL) < 0)
      return refused(w->path, "the coordinates", w->error);
  }
  return IPG_OK;
}

/* Exodus counts from 1. */
static void from_one(const ipg_id *from, int64_t count, int *to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] + 1;
}

static ipg_status fill_blocks(writer *w) {
  for (int b = 0; b < w->mesh->block_count; ++b) {
    const ipg_block *block = &w->mesh->blocks[b];
    const ipg_status status = reserve(w, 4 * block->count, sizeof(int));
    if (status) return status;
    if (!block->count) continue;
    from_one(w->mesh->tets + 4 * block->first, 4 * block->count, w->scratch.data);
    if (ex_put_conn(w->id, EX_ELEM_BLOCK, block->id, w->scratch.data, NULL, NULL) < 0)
      return refused(w->path, "the elements", w->error);
  }
  return IPG_OK;
}

/* extra: the sides of a side set, NULL for a node set. */
static ipg_status fill_set(writer *w, ex_entity_type type, int64_t id, int64_t count, const ipg_id *entries,
                           const ipg_id *extra) {
  const ipg_status status = reserve(w, 2 * count, sizeof(int));
  if (status || !count) return status;
  int *first = w->scratch.data, *second = first + count;
  from_one(entries, count, first);
  if (extra) from_one(extra, count, second);
  return ex_put_set(w->id, type, id, first, extra ? second : NULL) < 0 ? refused(w->path, "a set", w->error) : IPG_OK;
}

static ipg_status fill_sets(writer *w) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < w->mesh->node_set_count; ++i) {
    const ipg_node_set *set = &w->mesh->node_sets[i];
    status = fill_set(w, EX_NODE_SET, set->id, set->count, set->nodes, NULL);
  }
  for (int i = 0; !status && i < w->mesh->side_set_count; ++i) {
    const ipg_side_set *set = &w->mesh->side_sets[i];
    status = fill_set(w, EX_SIDE_SET, set->id, set->count, set->elements, set->sides);
  }
  return status;
}

static ipg_status fill_id_maps(writer *w) {
  return ex_put_id_map(w->id, EX_NODE_MAP, w->mesh->node_gids) < 0 ||
                 ex_put_id_map(w->id, EX_ELEM_MAP, w->mesh->element_gids) < 0
             ? refused(w->path, "the node and element numbers", w->error)
             : IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- mesh */

static ipg_status write_all(writer *w) {
  static ipg_status (*const phases[])(writer *) = {declare_mesh, declare_origin,   declare_results, fill_id_maps,
                                                   fill_names,   fill_coordinates, fill_blocks,     fill_sets};
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof phases / sizeof *phases; ++i) status = phases[i](w);
  if (!status && ex_update(w->id) < 0) status = refused(w->path, "the mesh", w->error);
  return status;
}

/* On success the file is open; on failure it is not. */
static ipg_status start_file(writer *w, const char *path, const ipg_mesh *mesh, const ipg_results_layout *layout,
                             ipg_error *error) {
  *w = (writer){.mesh = mesh, .layout = layout, .error = error};
  w->allocator = ipg_allocator_or_malloc(&mesh->allocator);
  ipg_status status = create(w, path);
  if (status) return status;
  status = write_all(w);
  ipg_buffer_free(&w->scratch, &w->allocator);
  if (status) ex_close(w->id);
  return status;
}

static ipg_status check_request(const char *path, const ipg_mesh *mesh, ipg_error *error) {
  if (!path || !mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a path and a mesh are needed to write a file");
  if (mesh->node_count < 1 || mesh->element_count < 1 || mesh->block_count < 1)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a mesh without elements cannot be written to '%s'",
                    ipg_path_tail(path));
  return IPG_OK;
}

ipg_status ipg_exodus_write(const char *path, const ipg_mesh *mesh, ipg_error *error) {
  writer w;
  ipg_status status = check_request(path, mesh, error);
  if (!status) status = start_file(&w, path, mesh, NULL, error);
  if (!status && ex_close(w.id) < 0) status = refused(w.path, "the mesh", error);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- results */

struct ipg_results {
  int id;   /* -1 after a failure, until the next append */
  int step; /* complete ones in the file */
  int nodal_count, global_count;
  int64_t node_count;
  double time; /* of the last step */
  ipg_allocator allocator;
  size_t bytes; /* of this object */
  char path[];
};

static ipg_status check_layout(const ipg_results_layout *layout, ipg_error *error) {
  if (!layout || layout->nodal_count < 0 || layout->global_count < 0 || (layout->nodal_count && !layout->nodal_names) ||
      (layout->global_count && !layout->global_names))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a result file needs a layout with a name for each field");
  for (int i = 0; i < layout->nodal_count + layout->global_count; ++i) {
    const char *name = i < layout->nodal_count ? layout->nodal_names[i] : layout->global_names[i - layout->nodal_count];
    if (!name || !name[0] || strlen(name) >= IPG_NAME_MAX)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "the name of a result field needs 1 to %d letters", IPG_NAME_MAX - 1);
  }
  return IPG_OK;
}

static ipg_results *new_results(const char *path, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                ipg_error *error) {
  const ipg_allocator a = ipg_allocator_or_malloc(&mesh->allocator);
  const size_t bytes = sizeof(ipg_results) + strlen(path) + 1;
  ipg_results *r = ipg_take(&a, 1, bytes, error);
  if (!r) return NULL;
  *r = (ipg_results){.id = -1,
                     .nodal_count = layout->nodal_count,
                     .global_count = layout->global_count,
                     .node_count = mesh->node_count,
                     .allocator = a,
                     .bytes = bytes};
  memcpy(r->path, path, strlen(path) + 1);
  return r;
}

static void free_results(ipg_results *r) {
  const ipg_allocator a = r->allocator;
  ipg_give(&a, r, 1, r->bytes);
}

ipg_status ipg_results_create(const char *path, const ipg_mesh *mesh, const ipg_results_layout *layout,
                              ipg_results **results, ipg_error *error) {
  if (!results) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_results_create needs a place for the results");
  *results = NULL;
  ipg_status status = check_request(path, mesh, error);
  if (!status) status = check_layout(layout, error);
  if (status) return status;
  ipg_results *r = new_results(path, mesh, layout, error);
  if (!r) return IPG_ERROR_MEMORY;
  writer w;
  status = start_file(&w, path, mesh, layout, error);
  if (status) {
    free_results(r);
    return status;
  }
  r->id = w.id;
  *results = r;
  return IPG_OK;
}

static ipg_status check_step(const ipg_results *r, double time, const double *const *nodal, const double *globals,
                             ipg_error *error) {
  if (!r || (r->nodal_count && !nodal) || (r->global_count && !globals))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a result step needs an open file and all its fields");
  for (int f = 0; f < r->nodal_count; ++f)
    if (!nodal[f])
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "'%s': result field %d is missing", ipg_path_tail(r->path), f);
  if (!isfinite(time) || (r->step && !(time > r->time)))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "'%s': a step at time %g cannot follow one at %g: time must grow",
                    ipg_path_tail(r->path), time, r->time);
  return IPG_OK;
}

static ipg_status resume(ipg_results *r, ipg_error *error) {
  if (r->id >= 0) return IPG_OK;
  int here = sizeof(double), there = 0;
  float version;
  r->id = ex_open(r->path, EX_WRITE, &here, &there, &version);
  return r->id < 0 ? refused(ipg_path_tail(r->path), "another step", error) : IPG_OK;
}

static bool put_step(const ipg_results *r, int step, double time, const double *const *nodal, const double *globals) {
  bool ok = ex_put_time(r->id, step, &time) >= 0;
  for (int f = 0; ok && f < r->nodal_count; ++f)
    ok = ex_put_var(r->id, step, EX_NODAL, f + 1, 1, r->node_count, nodal[f]) >= 0;
  if (ok && r->global_count) ok = ex_put_var(r->id, step, EX_GLOBAL, 1, 0, r->global_count, globals) >= 0;
  return ok && ex_update(r->id) >= 0;
}

ipg_status ipg_results_append(ipg_results *results, double time, const double *const *nodal, const double *globals,
                              ipg_error *error) {
  ipg_results *r = results;
  ipg_status status = check_step(r, time, nodal, globals, error);
  if (status) return status;
  errno = 0; /* as in create */
  status = resume(r, error);
  if (status) return status;
  if (!put_step(r, r->step + 1, time, nodal, globals)) {
    ex_close(r->id);
    r->id = -1;
    return refused(ipg_path_tail(r->path), "a step", error);
  }
  r->step++;
  r->time = time;
  return IPG_OK;
}

ipg_status ipg_results_close(ipg_results **results, ipg_error *error) {
  if (!results || !*results) return IPG_OK;
  ipg_results *r = *results;
  ipg_status status = IPG_OK;
  *results = NULL;
  errno = 0; /* as in create */
  if (r->id >= 0 && ex_close(r->id) < 0) status = refused(ipg_path_tail(r->path), "the last step", error);
  free_results(r);
  return status;
}
