/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Opening an Exodus file: the first bytes are looked at before the library is. */
#include "exodus_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SHOWN = 160, HEAD_BYTES = 52 };

const ex_entity_type ipg_exodus_label_types[IPG_LABEL_KINDS] = {EX_ELEM_BLOCK, EX_NODE_SET, EX_SIDE_SET};
const ex_entity_type ipg_exodus_field_types[IPG_FIELD_KINDS] = {EX_NODAL, EX_GLOBAL, EX_ELEM_BLOCK, EX_NODE_SET,
                                                                EX_SIDE_SET};

const char *ipg_path_tail(const char *path) {
  const size_t length = strlen(path);
  return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

ipg_status ipg_exodus_damaged(const ipg_exodus_file *file, const char *what, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s: cannot read %s: the file is damaged, write it again", file->path, what);
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

ipg_status ipg_exodus_open(const char *path, const ipg_allocator *allocator, ipg_exodus_file *file, ipg_error *error) {
  (void)allocator;
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
