/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes results step by step into the file of the mesh they belong to.
 *
 * A step is complete when the library has passed all of it to the operating system. After a failure (a full disk) the
 * position of netCDF in the file is wrong and it would write the next bytes to another offset, so the file is closed
 * and the next append opens it again; the number of steps in the header, which the library has increased by then, is
 * reset. The data of a step is written before that number, so a run that is killed leaves no incomplete step that is
 * counted. A claimed file takes its name with the first step, so until then an earlier file of that name stays as it
 * was. The layout of a step is computed when the file is created: the object keeps a list of pieces, one for each
 * field of each block or set that has it, and needs the mesh no longer. */
#include "exodus_write.h"

#include "arrays.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The values of a field in one block or set, or all of a nodal or global field. */
typedef struct piece {
  ex_entity_type type;
  int kind, field;
  int64_t id, first, count;
} piece;

struct ipg_results {
  int id;         /* -1 after a failure, until the next append */
  int step_count; /* complete steps in the file */
  int counts[IPG_FIELD_KIND_COUNT];
  int64_t piece_count;
  piece *pieces;
  double time; /* of the last step */
  ipg_allocator allocator;
  ipg_output *output, *own_output; /* own_output: claimed here, and released with this object; or NULL */
};

/* --------------------------------------------------------------------------------------------------------- layout */

static ipg_status check_fields(const ipg_mesh *mesh, int kind, const ipg_results_fields *fields, ipg_error *error) {
  if (fields->count < 0 || (fields->count && !fields->names))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "a result file needs a layout with a name for each field");
  for (int f = 0; f < fields->count; ++f)
    if (!fields->names[f] || !fields->names[f][0] || strlen(fields->names[f]) >= IPG_NAME_MAX)
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "the name of a result field needs 1 to %d letters", IPG_NAME_MAX - 1);
  if (fields->count && kind > IPG_FIELD_GLOBAL && !ipg_mesh_labels(mesh, ipg_field_label_kind(kind)).count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "result field '%.80s' belongs to sets, and the mesh has none",
                    fields->names[0]);
  return IPG_OK;
}

static ipg_status check_layout(const ipg_mesh *mesh, const ipg_results_layout *layout, ipg_error *error) {
  ipg_status status = IPG_OK;
  if (!layout || !mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a result file needs a mesh and a layout");
  for (int kind = 0; !status && kind < IPG_FIELD_KIND_COUNT; ++kind)
    status = check_fields(mesh, kind, &layout->fields[kind], error);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- pieces */

/* Lists the pieces of a kind; pieces == NULL: only counts them. */
static int64_t list_group_pieces(const ipg_mesh *mesh, int kind, const ipg_results_fields *fields, piece *pieces) {
  const ipg_labels groups = ipg_mesh_labels(mesh, ipg_field_label_kind(kind));
  int64_t made = 0;
  for (int f = 0; f < fields->count; ++f) {
    int64_t first = 0;
    for (int g = 0; g < groups.count; first += ipg_field_value_count(mesh, kind, g++)) {
      if (!ipg_field_is_present(mesh, fields, kind, f, g)) continue;
      if (pieces)
        pieces[made] = (piece){.type = ipg_exodus_field_types[kind],
                               .kind = kind,
                               .field = f,
                               .id = *ipg_label_id(&groups, g),
                               .first = first,
                               .count = ipg_field_value_count(mesh, kind, g)};
      ++made;
    }
  }
  return made;
}

static int64_t list_whole_pieces(const ipg_mesh *mesh, int kind, const ipg_results_fields *fields, piece *pieces) {
  const int made = kind == IPG_FIELD_GLOBAL ? fields->count > 0 : fields->count;
  for (int f = 0; pieces && f < made; ++f)
    pieces[f] = (piece){.type = ipg_exodus_field_types[kind],
                        .kind = kind,
                        .field = f,
                        .id = 1,
                        .count = kind == IPG_FIELD_GLOBAL ? fields->count : mesh->node_count};
  return made;
}

static int64_t list_pieces(const ipg_mesh *mesh, const ipg_results_layout *layout, piece *pieces) {
  int64_t made = 0;
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind)
    made += (kind > IPG_FIELD_GLOBAL ? list_group_pieces : list_whole_pieces)(mesh, kind, &layout->fields[kind],
                                                                              pieces ? pieces + made : NULL);
  return made;
}

/* ------------------------------------------------------------------------------------------------------------ life */

static void release_results(ipg_results *r) {
  const ipg_allocator a = r->allocator;
  ipg_release_array(&a, r->pieces, r->piece_count, sizeof(piece));
  ipg_release_array(&a, r, 1, sizeof *r);
}

static ipg_results *allocate_results(ipg_output *output, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                     ipg_error *error) {
  const ipg_allocator a = ipg_choose_allocator(&mesh->allocator);
  ipg_results *r = ipg_allocate_array(&a, 1, sizeof *r, error);
  if (!r) return NULL;
  *r = (ipg_results){.id = -1, .piece_count = list_pieces(mesh, layout, NULL), .allocator = a, .output = output};
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) r->counts[kind] = layout->fields[kind].count;
  r->pieces = ipg_allocate_array(&a, r->piece_count, sizeof(piece), error);
  if (!r->pieces) {
    release_results(r);
    return NULL;
  }
  list_pieces(mesh, layout, r->pieces);
  return r;
}

ipg_status ipg_results_create_output(ipg_output *output, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                     ipg_results **results, ipg_error *error) {
  if (!results) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_results_create needs a pointer for the results");
  *results = NULL;
  if (!output) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a claimed file is needed to write results");
  ipg_status status = check_layout(mesh, layout, error);
  if (!status) status = ipg_exodus_check_mesh(ipg_output_get_name(output), mesh, error);
  if (status) return status;
  ipg_results *r = allocate_results(output, mesh, layout, error);
  if (!r) return IPG_ERROR_MEMORY;
  status = ipg_exodus_write_mesh(output, mesh, layout, &r->id, error);
  if (status) release_results(r);
  else *results = r;
  return status;
}

/* The file takes its name before the first step. */
ipg_status ipg_results_create(const char *path, const ipg_mesh *mesh, const ipg_results_layout *layout,
                              ipg_results **results, ipg_error *error) {
  ipg_output *output;
  if (!results) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_results_create needs a pointer for the results");
  *results = NULL;
  ipg_status status = ipg_output_claim(path, NULL, &output, error);
  if (status) return status;
  status = ipg_results_create_output(output, mesh, layout, results, error);
  if (!status) status = ipg_output_commit(output, error);
  if (*results) (*results)->own_output = output;
  else ipg_output_destroy(&output);
  if (status) (void)ipg_results_destroy(results, NULL);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- append */

static ipg_status check_step(const ipg_results *r, double time, const double *const *const values[IPG_FIELD_KIND_COUNT],
                             ipg_error *error) {
  if (!r || !values) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a result step needs an open file and all its fields");
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) {
    const int arrays = kind == IPG_FIELD_GLOBAL ? r->counts[kind] > 0 : r->counts[kind];
    for (int f = 0; f < arrays; ++f)
      if (!values[kind] || !values[kind][f])
        return ipg_fail(error, IPG_ERROR_ARGUMENT, "'%s': result field %d is missing", ipg_output_get_name(r->output),
                        f);
  }
  if (!isfinite(time) || (r->step_count && !(time > r->time)))
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "'%s': a step at time %g cannot follow one at %g: time must grow",
                    ipg_output_get_name(r->output), time, r->time);
  return IPG_OK;
}

/* Resets the number of records, which follows the first four bytes of a classic file; netCDF-4 has none. */
static void reset_step_count(const ipg_results *r) {
  unsigned char head[8], steps[4];
  for (int i = 0; i < 4; ++i) steps[i] = (unsigned char)((uint32_t)r->step_count >> (24 - 8 * i));
  FILE *file = fopen(ipg_output_get_path(r->output), "r+b");
  if (!file) return;
  if (fread(head, sizeof head, 1, file) && !memcmp(head, "CDF\2", 4) && !fseek(file, 4, SEEK_SET))
    fwrite(steps, sizeof steps, 1, file);
  fclose(file);
}

static ipg_status reopen_file(ipg_results *r, ipg_error *error) {
  if (r->id >= 0) return IPG_OK;
  int word = sizeof(double), file_word = 0;
  float version;
  r->id = ex_open(ipg_output_get_path(r->output), EX_WRITE, &word, &file_word, &version);
  return r->id < 0 ? ipg_exodus_report_write_error(ipg_output_get_name(r->output), "another step", error) : IPG_OK;
}

static bool put_step(const ipg_results *r, int step, double time,
                     const double *const *const values[IPG_FIELD_KIND_COUNT]) {
  bool ok = ex_put_time(r->id, step, &time) >= 0;
  for (int64_t i = 0; ok && i < r->piece_count; ++i) {
    const piece *p = &r->pieces[i];
    ok = ex_put_var(r->id, step, p->type, p->field + 1, p->id, p->count, values[p->kind][p->field] + p->first) >= 0;
  }
  return ok && ex_update(r->id) >= 0;
}

ipg_status ipg_results_append(ipg_results *results, double time,
                              const double *const *const values[IPG_FIELD_KIND_COUNT], ipg_error *error) {
  ipg_results *r = results;
  ipg_status status = check_step(r, time, values, error);
  if (status) return status;
  errno = 0; /* netCDF takes an old value for an error of its own */
  status = reopen_file(r, error);
  if (status) return status;
  if (!put_step(r, r->step_count + 1, time, values)) {
    ex_close(r->id);
    r->id = -1;
    reset_step_count(r);
    return ipg_exodus_report_write_error(ipg_output_get_name(r->output), "a step", error);
  }
  r->step_count++;
  r->time = time;
  return ipg_output_commit(r->output, error);
}

ipg_status ipg_results_destroy(ipg_results **results, ipg_error *error) {
  if (!results || !*results) return IPG_OK;
  ipg_results *r = *results;
  ipg_status status = IPG_OK;
  *results = NULL;
  errno = 0; /* as in append */
  if (r->id >= 0 && ex_close(r->id) < 0)
    status = ipg_exodus_report_write_error(ipg_output_get_name(r->output), "the last step", error);
  ipg_output_destroy(&r->own_output);
  release_results(r);
  return status;
}
