/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a result file holds, read step by step; also while a run is still writing it.
 *
 * Each call opens and closes the file, so it sees every step that is complete by then and keeps nothing. What is asked
 * for is compared with what is there before the library is asked. */
#include "internal.h"

#include <exodusII.h>
#include <limits.h>

static ipg_status damaged(const ipg_exodus_file *file, const char *what, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s: cannot read %s: the file is damaged, write it again", file->path, what);
}

/* ------------------------------------------------------------------------------------------------------- inspect */

static ipg_status read_counts(const ipg_exodus_file *file, ipg_results_info *info, ipg_error *error) {
  info->step_count = ex_inquire_int(file->id, EX_INQ_TIME);
  if (info->step_count < 0 || info->step_count > INT_MAX ||
      ex_get_variable_param(file->id, EX_NODAL, &info->nodal_count) < 0 || info->nodal_count < 0 ||
      ex_get_variable_param(file->id, EX_GLOBAL, &info->global_count) < 0 || info->global_count < 0) {
    info->step_count = info->nodal_count = info->global_count = 0;
    return damaged(file, "the number of steps and fields", error);
  }
  return IPG_OK;
}

static ipg_status allocate_info(ipg_results_info *info, ipg_error *error) {
  const ipg_allocator *a = &info->allocator;
  if ((info->times = ipg_take(a, info->step_count, sizeof(double), error)) &&
      (info->nodal_names = ipg_take(a, info->nodal_count, IPG_NAME_MAX, error)) &&
      (info->global_names = ipg_take(a, info->global_count, IPG_NAME_MAX, error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

static ipg_status read_field_names(const ipg_exodus_file *file, ex_entity_type type, int count,
                                   char (*names)[IPG_NAME_MAX], ipg_error *error) {
  for (int f = 0; f < count; ++f)
    if (ex_get_variable_name(file->id, type, f + 1, names[f]) < 0)
      return damaged(file, "the names of the fields", error);
  return IPG_OK;
}

static ipg_status read_info(const ipg_exodus_file *file, ipg_results_info *info, ipg_error *error) {
  ipg_status status = read_counts(file, info, error);
  if (!status) status = allocate_info(info, error);
  if (!status && info->step_count && ex_get_all_times(file->id, info->times) < 0)
    status = damaged(file, "the times of the steps", error);
  if (!status) status = read_field_names(file, EX_NODAL, info->nodal_count, info->nodal_names, error);
  if (!status) status = read_field_names(file, EX_GLOBAL, info->global_count, info->global_names, error);
  return status;
}

ipg_status ipg_results_inspect(const char *path, const ipg_allocator *allocator, ipg_results_info *info,
                               ipg_error *error) {
  if (!info) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_results_inspect needs an info to fill");
  *info = (ipg_results_info){0};
  ipg_exodus_file file;
  ipg_status status = ipg_exodus_open(path, &file, error);
  if (status) return status;
  info->allocator = ipg_allocator_or_malloc(allocator);
  status = read_info(&file, info, error);
  ex_close(file.id);
  if (status) ipg_results_info_free(info);
  return status;
}

void ipg_results_info_free(ipg_results_info *info) {
  if (!info) return;
  const ipg_allocator a = info->allocator;
  ipg_give(&a, info->times, info->step_count, sizeof(double));
  ipg_give(&a, info->nodal_names, info->nodal_count, IPG_NAME_MAX);
  ipg_give(&a, info->global_names, info->global_count, IPG_NAME_MAX);
  *info = (ipg_results_info){0};
}

/* --------------------------------------------------------------------------------------------------------- values */

typedef struct request {
  ex_entity_type type;
  int64_t step, field, count; /* field and step from 0 */
} request;

static ipg_status check_request(const ipg_exodus_file *file, const request *want, ipg_error *error) {
  const int64_t steps = ex_inquire_int(file->id, EX_INQ_TIME), nodes = ex_inquire_int(file->id, EX_INQ_NODES);
  int fields = 0;
  if (steps < 0 || nodes < 0 || ex_get_variable_param(file->id, want->type, &fields) < 0)
    return damaged(file, "the number of steps and fields", error);
  const int64_t count = want->type == EX_NODAL ? nodes : fields;
  if (want->step < 0 || want->step >= steps || want->step >= INT_MAX)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s: step %lld (from 0) was asked for; there are %lld", file->path,
                    (long long)want->step, (long long)steps);
  if (want->field < 0 || want->field >= fields)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s: field %lld (from 0) was asked for; there are %d", file->path,
                    (long long)want->field, fields);
  if (want->count != count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s: a field holds %lld values; %lld were asked for", file->path,
                    (long long)count, (long long)want->count);
  return IPG_OK;
}

static ipg_status read_values(const char *path, const request *want, double *values, ipg_error *error) {
  if (!values) return ipg_fail(error, IPG_ERROR_ARGUMENT, "there must be room for the values of a field");
  ipg_exodus_file file;
  ipg_status status = ipg_exodus_open(path, &file, error);
  if (status) return status;
  status = check_request(&file, want, error);
  if (!status && ex_get_var(file.id, (int)want->step + 1, want->type, (int)want->field + 1, 1, want->count, values) < 0)
    status = damaged(&file, "a field", error);
  ex_close(file.id);
  return status;
}

ipg_status ipg_results_read_nodal(const char *path, int64_t step, int field, int64_t node_count, double *values,
                                  ipg_error *error) {
  const request want = {EX_NODAL, step, field, node_count};
  return read_values(path, &want, values, error);
}

ipg_status ipg_results_read_globals(const char *path, int64_t step, int global_count, double *values,
                                    ipg_error *error) {
  const request want = {EX_GLOBAL, step, 0, global_count};
  return read_values(path, &want, values, error);
}
