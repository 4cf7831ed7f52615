/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads the steps of a result file, field by field, also while a run is still writing it.
 *
 * A request is checked against the contents at the time of opening before the library is called. Fields of elements and
 * sets are stored block by block in the file; here they are one array, with NaN where a block has no such field. */
#include "exodus_contents.h"

#include "arrays.h"
#include "path_tail.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

struct ipg_results_reader {
  ipg_exodus_file file;
  ipg_allocator allocator;
  ipg_contents contents;
  size_t bytes; /* of this object */
  char path[];
};

/* ----------------------------------------------------------------------------------------------------------- life */

static void release_reader(ipg_results_reader *r) {
  const ipg_allocator a = r->allocator;
  ipg_contents_destroy(&r->contents);
  ipg_release_array(&a, r, 1, r->bytes);
}

ipg_status ipg_results_open(const char *path, const ipg_allocator *allocator, ipg_results_reader **reader,
                            ipg_error *error) {
  if (!reader) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_results_open needs a pointer for the reader");
  *reader = NULL;
  if (!path) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a path is needed to read a file");
  const ipg_allocator a = ipg_choose_allocator(allocator);
  const char *const shown = ipg_path_tail(path);
  const size_t bytes = sizeof(ipg_results_reader) + strlen(shown) + 1;
  ipg_results_reader *r = ipg_allocate_array(&a, 1, bytes, error);
  if (!r) return IPG_ERROR_MEMORY;
  r->allocator = a, r->bytes = bytes;
  ipg_status status = ipg_exodus_open(path, &a, &r->file, error);
  if (!status) {
    r->file.path = strcpy(r->path, shown);
    status = ipg_exodus_read_contents(&r->file, &a, &r->contents, error);
    if (status) ex_close(r->file.id);
  }
  if (status) release_reader(r);
  else *reader = r;
  return status;
}

const ipg_contents *ipg_results_contents(const ipg_results_reader *reader) { return &reader->contents; }

void ipg_results_reader_destroy(ipg_results_reader **reader) {
  if (!reader || !*reader) return;
  ex_close((*reader)->file.id);
  release_reader(*reader);
  *reader = NULL;
}

/* --------------------------------------------------------------------------------------------------------- values */

static ipg_status check_request(const ipg_results_reader *r, int64_t step, int kind, int field, ipg_error *error) {
  static const char *const kinds[IPG_FIELD_KIND_COUNT] = {"nodal", "global", "element", "node set", "side set"};
  if (kind < 0 || kind >= IPG_FIELD_KIND_COUNT)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s: there are no fields of kind %d: give an ipg_field_kind",
                    r->file.path, kind);
  if (r->file.traits.fields[kind] == IPG_PART_ODD)
    return ipg_fail(error, IPG_ERROR_FORMAT,
                    "%s: not all of its %s fields have one number per step and place: write every component of a "
                    "vector as a field of its own",
                    r->file.path, kinds[kind]);
  const int count = kind == IPG_FIELD_GLOBAL ? r->contents.fields[kind].count > 0 : r->contents.fields[kind].count;
  if (step < 0 || step >= r->contents.step_count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s: step %lld was requested, but it has %lld steps, counted from 0",
                    r->file.path, (long long)step, (long long)r->contents.step_count);
  if (field < 0 || field >= count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "%s: field %d was requested, but it has %d fields of this kind, counted from 0", r->file.path,
                    field, count);
  return IPG_OK;
}

static int64_t group_id(const ipg_contents *c, int kind, int group, int64_t *count) {
  if (kind == IPG_FIELD_ELEMENT) {
    *count = c->blocks[group].count;
    return c->blocks[group].id;
  }
  const ipg_contents_set *set = (kind == IPG_FIELD_NODE_SET ? c->node_sets : c->side_sets) + group;
  *count = set->count;
  return set->id;
}

static bool read_values(const ipg_results_reader *r, int64_t step, int kind, int field, int64_t id, int64_t count,
                        double *values) {
  errno = 0; /* netCDF takes an old value for an error of its own */
  return !count ||
         ex_get_var(r->file.id, (int)step + 1, ipg_exodus_field_types[kind], field + 1, id, count, values) >= 0;
}

static bool read_groups(const ipg_results_reader *r, int64_t step, int kind, int field, double *values) {
  const ipg_contents_fields *fields = &r->contents.fields[kind];
  bool ok = true;
  for (int g = 0; ok && g < fields->groups; ++g) {
    int64_t count;
    const int64_t id = group_id(&r->contents, kind, g, &count);
    const bool present = fields->present[field * fields->groups + g];
    for (int64_t i = 0; !present && i < count; ++i) values[i] = NAN;
    if (present) ok = read_values(r, step, kind, field, id, count, values);
    values += count;
  }
  return ok;
}

ipg_status ipg_results_read(const ipg_results_reader *reader, int64_t step, ipg_field_kind kind, int field,
                            double *values, ipg_error *error) {
  const ipg_results_reader *r = reader;
  if (!r || !values)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_results_read needs an open file and memory for the values");
  const ipg_status status = check_request(r, step, (int)kind, field, error);
  if (status) return status;
  const bool ok = kind > IPG_FIELD_GLOBAL
                      ? read_groups(r, step, (int)kind, field, values)
                      : read_values(r, step, (int)kind, field, 1, r->contents.fields[kind].length, values);
  return ok ? IPG_OK : ipg_exodus_report_damage(&r->file, "a field", error);
}

/* ------------------------------------------------------------------------------------------------ from file to mesh */

static bool is_component(const char *name, const char *base, char axis) {
  const size_t length = strlen(base);
  for (size_t i = 0; i < length; ++i)
    if (tolower((unsigned char)name[i]) != tolower((unsigned char)base[i])) return false;
  name += length;
  if (*name == '_') ++name;
  return tolower((unsigned char)name[0]) == axis && !name[1];
}

bool ipg_results_find_vector(const ipg_contents *contents, const char *base, int fields[3]) {
  const ipg_contents_fields *nodal = &contents->fields[IPG_FIELD_NODAL];
  for (int d = 0; d < 3; ++d) {
    fields[d] = -1;
    for (int f = 0; f < nodal->count && fields[d] < 0; ++f)
      if (is_component(nodal->names[f], base, (char)('x' + d))) fields[d] = f;
    if (fields[d] < 0) return false;
  }
  return true;
}

static void pick_values(const double *from, const ipg_id *indices, int64_t count, double *to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[indices ? indices[i] : i];
}

void ipg_mesh_pick_nodal(const ipg_mesh *mesh, const double *file_values, double *values) {
  pick_values(file_values, mesh->file_nodes, mesh->node_count, values);
}

void ipg_mesh_pick_element(const ipg_mesh *mesh, const double *file_values, double *values) {
  pick_values(file_values, mesh->file_elements, mesh->element_count, values);
}

bool ipg_results_find_displacement(const ipg_contents *contents, int fields[3]) {
  return ipg_results_find_vector(contents, "disp", fields) || ipg_results_find_vector(contents, "displ", fields) ||
         ipg_results_find_vector(contents, "displacement", fields);
}

static ipg_status read_displacement(const ipg_results_reader *r, int64_t step, const int fields[3], double *values,
                                    ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int d = 0; !status && d < 3; ++d)
    status = ipg_results_read(r, step, IPG_FIELD_NODAL, fields[d], values + d * r->contents.node_count, error);
  return status;
}

ipg_status ipg_mesh_displace(ipg_mesh *mesh, const ipg_results_reader *reader, int64_t step, double scale,
                             ipg_error *error) {
  int fields[3];
  if (!mesh || !reader) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_displace needs a mesh and an open file");
  const int64_t all = reader->contents.node_count;
  if ((mesh->file_nodes ? mesh->file_node_count : mesh->node_count) != all)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s: the mesh is not that of the file: read it from this file",
                    reader->file.path);
  if (!ipg_results_find_displacement(&reader->contents, fields))
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s: it has no displacement (nodal fields disp_x, disp_y, disp_z)",
                    reader->file.path);
  double *values = ipg_allocate_array(&reader->allocator, all, 3 * sizeof(double), error);
  if (!values) return IPG_ERROR_MEMORY;
  const ipg_status status = read_displacement(reader, step, fields, values, error);
  for (int64_t i = 0; !status && i < mesh->node_count; ++i)
    for (int d = 0; d < 3; ++d)
      mesh->x[3 * i + d] += scale * values[d * all + (mesh->file_nodes ? mesh->file_nodes[i] : i)];
  ipg_release_array(&reader->allocator, values, all, 3 * sizeof(double));
  return status;
}
