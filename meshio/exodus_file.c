/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "exodus_file.h"

#include "exodus_check.h"
#include "path_tail.h"

#include <errno.h>

const ex_entity_type ipg_exodus_label_types[IPG_LABEL_KIND_COUNT] = {EX_ELEM_BLOCK, EX_NODE_SET, EX_SIDE_SET};
const ex_entity_type ipg_exodus_field_types[IPG_FIELD_KIND_COUNT] = {EX_NODAL, EX_GLOBAL, EX_ELEM_BLOCK, EX_NODE_SET,
                                                                     EX_SIDE_SET};

ipg_status ipg_exodus_report_damage(const ipg_exodus_file *file, const char *what, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s: cannot read %s: the file is damaged, write it again", file->path, what);
}

ipg_status ipg_exodus_open(const char *path, const ipg_allocator *allocator, ipg_exodus_file *file, ipg_error *error) {
  if (!path) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a path is needed to read a file");
  ipg_exodus_traits traits;
  const ipg_status status = ipg_exodus_check(path, allocator, &traits, error);
  if (status) return status;
  int word = sizeof(double), file_word = 0; /* doubles in memory, whatever the file holds */
  float version;
  ex_opts(0); /* the library returns errors and prints nothing */
  errno = 0;  /* netCDF takes an old value for an error of its own */
  *file = (ipg_exodus_file){ex_open(path, EX_READ, &word, &file_word, &version), ipg_path_tail(path), traits};
  if (file->id < 0)
    return ipg_fail(error, IPG_ERROR_FORMAT, "'%s' is damaged or holds no Exodus II data: write it again", file->path);
  ex_set_int64_status(file->id, EX_ALL_INT64_API);
  ipg_exodus_set_name_width(file, IPG_NAME_MAX);
  return IPG_OK;
}

bool ipg_exodus_set_name_width(const ipg_exodus_file *file, int64_t width) {
  enum { LEAST = 2 };
  const int64_t most = width < IPG_NAME_MAX ? width : IPG_NAME_MAX;
  if (width >= LEAST) ex_set_max_name_length(file->id, (int)most - 1);
  return width >= LEAST;
}
