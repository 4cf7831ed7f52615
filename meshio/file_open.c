/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Opens what is a file and nothing else. It is opened without waiting, and looked at once it is open, so that nobody
 * can put a pipe in its place in between. */
#include "file_open.h"

#include "impinge/files.h"
#include "path_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *ipg_file_describe_kind(mode_t mode) {
  if (S_ISREG(mode)) return NULL;
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

static ipg_status refuse_to_open(const char *path, int descriptor, ipg_error *error) {
  const int cause = errno;
  if (descriptor >= 0) close(descriptor);
  return ipg_fail(error, IPG_ERROR_FILE, "cannot open '%s': %s", ipg_path_tail(path), strerror(cause));
}

ipg_status ipg_file_open(const char *path, FILE **file, ipg_error *error) {
  struct stat status;
  *file = NULL;
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0 || fstat(descriptor, &status)) return refuse_to_open(path, descriptor, error);
  const char *kind = ipg_file_describe_kind(status.st_mode);
  if (kind) {
    close(descriptor);
    return ipg_fail(error, IPG_ERROR_FILE, "'%s' is %s: give the name of a file", ipg_path_tail(path), kind);
  }
  *file = fdopen(descriptor, "rb");
  return *file ? IPG_OK : refuse_to_open(path, descriptor, error);
}

static ipg_status read_bytes(FILE *file, const char *path, int64_t most, char **bytes, int64_t *count,
                             ipg_error *error) {
  errno = 0;
  if (fseeko(file, 0, SEEK_END) || (*count = ftello(file)) < 0 || fseeko(file, 0, SEEK_SET))
    return refuse_to_open(path, -1, error);
  if (*count > most)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "'%s' has %lld bytes, and %lld are allowed: give a smaller file",
                    ipg_path_tail(path), (long long)*count, (long long)most);
  char *made = malloc((size_t)*count + 1);
  if (!made) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for '%s'", ipg_path_tail(path));
  if (fread(made, 1, (size_t)*count, file) != (size_t)*count) {
    free(made);
    return ipg_fail(error, IPG_ERROR_FILE, "cannot read '%s': %s", ipg_path_tail(path),
                    errno ? strerror(errno) : "it became shorter while it was read, try again");
  }
  made[*count] = 0;
  *bytes = made;
  return IPG_OK;
}

ipg_status ipg_file_read(const char *path, int64_t most, char **bytes, int64_t *count, ipg_error *error) {
  FILE *file;
  *bytes = NULL;
  ipg_status status = ipg_file_open(path, &file, error);
  if (status) return status;
  status = read_bytes(file, path, most, bytes, count, error);
  fclose(file);
  return status;
}

bool ipg_file_is_same(const char *a, const char *b) {
  struct stat of_a, of_b;
  return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}
