/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes a mesh as an Exodus II file; a result file is the same with fields declared.
 *
 * Everything is declared before anything is written, because a later declaration makes the library move the data.
 * The same mesh gives the same bytes: no date is written. Files are 64-bit-offset classic, which hold 32-bit integers;
 * a mesh with an id or number that needs more becomes a netCDF-4 file. */
#include "exodus_write.h"

#include "arrays.h"
#include "path_tail.h"

#include <errno.h>
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

ipg_status ipg_exodus_report_write_error(const char *path, const char *what, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FILE, "cannot write %s to '%s': make sure that the disk has room, then write again",
                  what, path);
}

static ipg_status report_write_error(const writer *w, const char *what) {
  return ipg_exodus_report_write_error(w->path, what, w->error);
}

static ipg_status reserve_scratch(writer *w, int64_t count, size_t item_bytes) {
  return ipg_buffer_reserve(&w->scratch, &w->allocator, count, item_bytes, w->error);
}

/* Makes the table of pointers to texts that the library reads; its type is not const. */
static ipg_status make_pointers(writer *w, const char *text, int count, size_t stride, char ***pointers) {
  const ipg_status status = reserve_scratch(w, count, sizeof(char *));
  if (status) return status;
  *pointers = w->scratch.data;
  for (int i = 0; i < count; ++i) (*pointers)[i] = (char *)text + stride * (size_t)i;
  return IPG_OK;
}

/* --------------------------------------------------------------------------------------------------------- create */

static bool fits_32_bits(const int64_t *numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (numbers[i] < INT32_MIN || numbers[i] > INT32_MAX) return false;
  return true;
}

static bool all_fit_32_bits(const ipg_mesh *mesh) {
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(mesh, kind);
    for (int i = 0; i < labels.count; ++i)
      if (!fits_32_bits(ipg_label_id(&labels, i), 1)) return false;
  }
  for (int i = 0; i < mesh->property_count; ++i)
    if (!fits_32_bits(mesh->properties[i].values, ipg_mesh_labels(mesh, mesh->properties[i].kind).count)) return false;
  return fits_32_bits(mesh->node_gids, mesh->node_count) && fits_32_bits(mesh->element_gids, mesh->element_count);
}

/* With 64-bit offsets a variable has less than 4 GiB; coordinates and connectivity are the largest ones. */
static bool all_fit_64_bit_offsets(const ipg_mesh *mesh) {
  const int64_t most = UINT32_MAX - 3;
  bool fit = mesh->node_count <= most / (int64_t)sizeof(double);
  for (int b = 0; b < mesh->block_count; ++b)
    fit = fit && mesh->blocks[b].count <= most / ((mesh->blocks[b].quadratic ? 10 : 4) * (int64_t)sizeof(int));
  return fit;
}

static int max_length(int so_far, const char *name) {
  const size_t length = strlen(name);
  return length > (size_t)so_far ? (int)length : so_far;
}

static int find_longest_name(const writer *w) {
  const ipg_mesh *m = w->mesh;
  int length = MAX_NAME_LENGTH;
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(m, kind);
    for (int i = 0; i < labels.count; ++i) length = max_length(length, ipg_label_name(&labels, i));
  }
  for (int d = 0; d < 3; ++d) length = max_length(length, m->axes[d]);
  for (int i = 0; i < m->property_count; ++i) length = max_length(length, m->properties[i].name);
  for (int b = 0; b < m->block_count; ++b)
    for (int i = 0; i < m->blocks[b].attribute_count; ++i) length = max_length(length, m->blocks[b].attribute_names[i]);
  for (int kind = 0; w->layout && kind < IPG_FIELD_KIND_COUNT; ++kind)
    for (int f = 0; f < w->layout->fields[kind].count; ++f)
      length = max_length(length, w->layout->fields[kind].names[f]);
  return length;
}

static ipg_status create_file(writer *w, const char *path) {
  const int wide = EX_NETCDF4 | EX_MAPS_INT64_DB | EX_IDS_INT64_DB;
  const int mode = EX_CLOBBER | (all_fit_64_bit_offsets(w->mesh) && all_fit_32_bits(w->mesh) ? EX_LARGE_MODEL : wide);
  int word = sizeof(double), file_word = sizeof(double);
  ex_opts(0); /* the library returns errors and prints nothing */
  errno = 0;  /* netCDF takes an old value for an error of its own */
  w->id = ex_create(path, mode | EX_MAPS_INT64_API | EX_IDS_INT64_API, &word, &file_word);
  if (w->id < 0) return report_write_error(w, "the header");
  ex_set_max_name_length(w->id, find_longest_name(w));
  return IPG_OK;
}

/* -------------------------------------------------------------------------------------------------------- declare */

static bool declare_block(const writer *w, const ipg_block *block) {
  const char *const type = block->type[0] ? block->type : block->quadratic ? "TETRA10" : "TETRA";
  return ex_put_block(w->id, EX_ELEM_BLOCK, block->id, type, block->count, block->quadratic ? 10 : 4, 0, 0,
                      block->attribute_count) >= 0;
}

/* All in one call: each declaration of its own copies the whole header, which has some thousand entries where bodies
 * are many. */
static ipg_status declare_sets(writer *w) {
  const ipg_mesh *m = w->mesh;
  const int count = m->node_set_count + m->side_set_count;
  const ipg_status status = reserve_scratch(w, count, sizeof(ex_set));
  if (status || !count) return status;
  ex_set *sets = w->scratch.data;
  for (int i = 0; i < m->node_set_count; ++i) {
    const ipg_node_set *set = &m->node_sets[i];
    sets[i] = (ex_set){set->id, EX_NODE_SET, .num_entry = set->count, .num_distribution_factor = set->factor_count};
  }
  for (int i = 0; i < m->side_set_count; ++i) {
    const ipg_side_set *set = &m->side_sets[i];
    sets[m->node_set_count + i] =
        (ex_set){set->id, EX_SIDE_SET, .num_entry = set->count, .num_distribution_factor = set->factor_count};
  }
  return ex_put_sets(w->id, (size_t)count, sets) < 0 ? report_write_error(w, "the header") : IPG_OK;
}

static ipg_status declare_mesh(writer *w) {
  const ipg_mesh *m = w->mesh;
  bool ok = ex_put_init(w->id, m->title, 3, m->node_count, m->element_count, m->block_count, m->node_set_count,
                        m->side_set_count) >= 0;
  for (int b = 0; ok && b < m->block_count; ++b) ok = declare_block(w, &m->blocks[b]);
  return ok ? declare_sets(w) : report_write_error(w, "the header");
}

static ipg_status declare_properties(writer *w) {
  for (int kind = 0; kind < IPG_LABEL_KIND_COUNT; ++kind) {
    const ipg_status status = reserve_scratch(w, w->mesh->property_count, sizeof(char *));
    if (status) return status;
    char **names = w->scratch.data;
    int count = 0;
    for (int i = 0; i < w->mesh->property_count; ++i)
      if ((int)w->mesh->properties[i].kind == kind) names[count++] = w->mesh->properties[i].name;
    if (count && ex_put_prop_names(w->id, ipg_exodus_label_types[kind], count, names) < 0)
      return report_write_error(w, "the names of properties");
  }
  return IPG_OK;
}

/* Copies texts and fills them with blanks to their full width, which readers remove again. Without that the library
 * writes old bytes of its buffer after the end of a shorter text. */
static ipg_status pad_lines(writer *w, const char *text, int count, size_t stride, char ***lines) {
  const ipg_status status = reserve_scratch(w, count, sizeof(char *) + stride);
  if (status) return status;
  *lines = w->scratch.data;
  char *copy = (char *)(*lines + count);
  for (int i = 0; i < count; ++i, copy += stride) {
    (*lines)[i] = copy;
    snprintf(copy, stride, "%-*s", (int)stride - 1, text + stride * (size_t)i);
  }
  return IPG_OK;
}

static ipg_status declare_records(writer *w) {
  const ipg_mesh *m = w->mesh;
  char **lines;
  ipg_status status = pad_lines(w, m->qa_count ? m->qa[0][0] : NULL, 4 * m->qa_count, IPG_TYPE_MAX, &lines);
  if (!status && m->qa_count && ex_put_qa(w->id, m->qa_count, (char *(*)[4])(void *)lines) < 0)
    status = report_write_error(w, "the QA records");
  if (!status) status = pad_lines(w, m->info_count ? m->info[0] : NULL, m->info_count, IPG_LINE_MAX, &lines);
  if (!status && m->info_count && ex_put_info(w->id, m->info_count, lines) < 0)
    status = report_write_error(w, "the information records");
  return status;
}

static ipg_status declare_truth_table(writer *w, int kind, const ipg_results_fields *fields) {
  const ipg_labels groups = ipg_mesh_labels(w->mesh, ipg_field_label_kind(kind));
  const ipg_status status = reserve_scratch(w, (int64_t)fields->count * groups.count, sizeof(int));
  if (status) return status;
  int *table = w->scratch.data;
  for (int f = 0; f < fields->count; ++f)
    for (int g = 0; g < groups.count; ++g)
      table[g * fields->count + f] = ipg_field_is_present(w->mesh, fields, kind, f, g);
  return ex_put_truth_table(w->id, ipg_exodus_field_types[kind], groups.count, fields->count, table) < 0
             ? report_write_error(w, "the table of fields")
             : IPG_OK;
}

static ipg_status declare_fields(writer *w, int kind) {
  const ipg_results_fields *fields = &w->layout->fields[kind];
  if (!fields->count) return IPG_OK;
  const ipg_status status = reserve_scratch(w, fields->count, sizeof(char *));
  if (status) return status;
  char **names = memcpy(w->scratch.data, fields->names, (size_t)fields->count * sizeof *fields->names);
  if (ex_put_variable_param(w->id, ipg_exodus_field_types[kind], fields->count) < 0 ||
      ex_put_variable_names(w->id, ipg_exodus_field_types[kind], fields->count, names) < 0)
    return report_write_error(w, "the names of the fields");
  return kind > IPG_FIELD_GLOBAL ? declare_truth_table(w, kind, fields) : IPG_OK;
}

static ipg_status declare_results(writer *w) {
  ipg_status status = IPG_OK;
  for (int kind = 0; w->layout && !status && kind < IPG_FIELD_KIND_COUNT; ++kind) status = declare_fields(w, kind);
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- write */

static ipg_status write_names(writer *w) {
  char **names;
  ipg_status status = make_pointers(w, w->mesh->axes[0], 3, sizeof(ipg_name), &names);
  if (!status && ex_put_coord_names(w->id, names) < 0) status = report_write_error(w, "the names");
  for (int kind = 0; !status && kind < IPG_LABEL_KIND_COUNT; ++kind) {
    const ipg_labels labels = ipg_mesh_labels(w->mesh, kind);
    if (!labels.count) continue;
    status = make_pointers(w, ipg_label_name(&labels, 0), labels.count, labels.stride, &names);
    if (!status && ex_put_names(w->id, ipg_exodus_label_types[kind], names) < 0)
      status = report_write_error(w, "the names");
  }
  return status;
}

static ipg_status write_coordinates(writer *w) {
  const ipg_status status = reserve_scratch(w, w->mesh->node_count, sizeof(double));
  if (status) return status;
  double *values = w->scratch.data;
  for (int d = 0; d < 3; ++d) {
    for (int64_t i = 0; i < w->mesh->node_count; ++i) values[i] = w->mesh->x[3 * i + d];
    if (ex_put_coord(w->id, d == 0 ? values : NULL, d == 1 ? values : NULL, d == 2 ? values : NULL) < 0)
      return report_write_error(w, "the coordinates");
  }
  return IPG_OK;
}

/* Exodus counts from 1, and stores corners and middle nodes together. */
static void copy_connectivity(const ipg_mesh *mesh, const ipg_block *block, int *to) {
  for (int64_t i = 0; i < block->count; ++i) {
    const ipg_id *corners = mesh->tets + 4 * (block->first + i);
    const ipg_id *middles = mesh->middles + 6 * (block->first_middle + i);
    for (int k = 0; k < 4; ++k) *to++ = corners[k] + 1;
    for (int k = 0; block->quadratic && k < 6; ++k) *to++ = middles[k] + 1;
  }
}

static ipg_status write_block(writer *w, const ipg_block *block) {
  char **names;
  ipg_status status = reserve_scratch(w, (block->quadratic ? 10 : 4) * block->count, sizeof(int));
  if (status || !block->count) return status;
  copy_connectivity(w->mesh, block, w->scratch.data);
  if (ex_put_conn(w->id, EX_ELEM_BLOCK, block->id, w->scratch.data, NULL, NULL) < 0)
    return report_write_error(w, "the elements");
  if (!block->attribute_count) return IPG_OK;
  status = make_pointers(w, block->attribute_names[0], block->attribute_count, sizeof(ipg_name), &names);
  if (status) return status;
  return ex_put_attr_names(w->id, EX_ELEM_BLOCK, block->id, names) < 0 ||
                 ex_put_attr(w->id, EX_ELEM_BLOCK, block->id, block->attributes) < 0
             ? report_write_error(w, "the attributes")
             : IPG_OK;
}

static ipg_status write_blocks(writer *w) {
  ipg_status status = IPG_OK;
  for (int b = 0; !status && b < w->mesh->block_count; ++b) status = write_block(w, &w->mesh->blocks[b]);
  return status;
}

static void count_from_one(const ipg_id *from, int64_t count, int *to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] + 1;
}

typedef struct set_entries {
  int64_t id, count, factor_count;
  const ipg_id *first, *second; /* second: the sides of a side set, else NULL */
  const double *factors;
} set_entries;

static ipg_status write_set(writer *w, ex_entity_type type, const set_entries *set) {
  const ipg_status status = reserve_scratch(w, 2 * set->count, sizeof(int));
  if (status || !set->count) return status;
  int *first = w->scratch.data, *second = first + set->count;
  count_from_one(set->first, set->count, first);
  if (set->second) count_from_one(set->second, set->count, second);
  return ex_put_set(w->id, type, set->id, first, set->second ? second : NULL) < 0 ||
                 (set->factor_count && ex_put_set_dist_fact(w->id, type, set->id, set->factors) < 0)
             ? report_write_error(w, "a set")
             : IPG_OK;
}

static ipg_status write_sets(writer *w) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < w->mesh->node_set_count; ++i) {
    const ipg_node_set *s = &w->mesh->node_sets[i];
    const set_entries set = {s->id, s->count, s->factor_count, s->nodes, NULL, s->factors};
    status = write_set(w, EX_NODE_SET, &set);
  }
  for (int i = 0; !status && i < w->mesh->side_set_count; ++i) {
    const ipg_side_set *s = &w->mesh->side_sets[i];
    const set_entries set = {s->id, s->count, s->factor_count, s->elements, s->sides, s->factors};
    status = write_set(w, EX_SIDE_SET, &set);
  }
  return status;
}

static ipg_status write_properties(writer *w) {
  for (int i = 0; i < w->mesh->property_count; ++i) {
    const ipg_property *property = &w->mesh->properties[i];
    if (ipg_mesh_labels(w->mesh, property->kind).count &&
        ex_put_prop_array(w->id, ipg_exodus_label_types[property->kind], property->name, property->values) < 0)
      return report_write_error(w, "the properties");
  }
  return IPG_OK;
}

static ipg_status write_id_maps(writer *w) {
  return ex_put_id_map(w->id, EX_NODE_MAP, w->mesh->node_gids) < 0 ||
                 ex_put_id_map(w->id, EX_ELEM_MAP, w->mesh->element_gids) < 0
             ? report_write_error(w, "the node and element numbers")
             : IPG_OK;
}

/* --------------------------------------------------------------------------------------------------------- driver */

static ipg_status run_phases(writer *w) {
  static ipg_status (*const phases[])(writer *) = {
      declare_mesh, declare_properties, declare_records, declare_results, write_id_maps,
      write_names,  write_coordinates,  write_blocks,    write_sets,      write_properties};
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof phases / sizeof *phases; ++i) status = phases[i](w);
  if (!status && ex_update(w->id) < 0) status = report_write_error(w, "the mesh");
  return status;
}

/* The library reads the name of a property into memory for 32 letters, whatever its length. */
static ipg_status check_property_names(const ipg_mesh *mesh, ipg_error *error) {
  for (int i = 0; i < mesh->property_count; ++i)
    if (strlen(mesh->properties[i].name) > MAX_STR_LENGTH)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "property '%.80s' has more than %d letters: choose a shorter name",
                      mesh->properties[i].name, (int)MAX_STR_LENGTH);
  return IPG_OK;
}

ipg_status ipg_exodus_check_mesh(const char *path, const ipg_mesh *mesh, ipg_error *error) {
  if (!path || !mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a path and a mesh are needed to write a file");
  if (mesh->node_count < 1 || mesh->element_count < 1 || mesh->block_count < 1)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "a mesh without elements cannot be written to '%s': give one that has elements",
                    ipg_path_tail(path));
  return check_property_names(mesh, error);
}

ipg_status ipg_exodus_write_mesh(const ipg_output *output, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                 int *id, ipg_error *error) {
  writer w = {.path = ipg_output_get_name(output),
              .mesh = mesh,
              .layout = layout,
              .error = error,
              .allocator = ipg_choose_allocator(&mesh->allocator)};
  ipg_status status = create_file(&w, ipg_output_get_path(output));
  if (status) return status;
  status = run_phases(&w);
  ipg_buffer_destroy(&w.scratch, &w.allocator);
  if (status) ex_close(w.id);
  else *id = w.id;
  return status;
}

ipg_status ipg_exodus_write_output(ipg_output *output, const ipg_mesh *mesh, ipg_error *error) {
  int id;
  if (!output) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a claimed file is needed to write a mesh");
  ipg_status status = ipg_exodus_check_mesh(ipg_output_get_name(output), mesh, error);
  if (!status) status = ipg_exodus_write_mesh(output, mesh, NULL, &id, error);
  if (!status && ex_close(id) < 0)
    status = ipg_exodus_report_write_error(ipg_output_get_name(output), "the mesh", error);
  return status ? status : ipg_output_commit(output, error);
}

ipg_status ipg_exodus_write(const char *path, const ipg_mesh *mesh, ipg_error *error) {
  ipg_output *output = NULL;
  ipg_status status = ipg_exodus_check_mesh(path, mesh, error);
  if (!status) status = ipg_output_claim(path, NULL, &output, error);
  if (!status) status = ipg_exodus_write_output(output, mesh, error);
  ipg_output_destroy(&output);
  return status;
}
