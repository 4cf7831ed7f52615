/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Claims of output files.
 *
 * The file beside the target is the lock as long as it exists: whoever finds it locked is second. After the commit it
 * is the target itself that is locked. A claim takes the first lock and then looks at the second, and a commit turns
 * one into the other in one step, so no two claims of a target can succeed. A file that was left by a killed process is
 * not locked and is used again. */
#define _GNU_SOURCE /* F_OFD_SETLK: a lock that other code of this process cannot end by closing the file */

#include "file_open.h"
#include "impinge/files.h"
#include "path_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef F_OFD_SETLK
enum { SET_LOCK = F_OFD_SETLK, GET_LOCK = F_OFD_GETLK };
#else
enum { SET_LOCK = F_SETLK, GET_LOCK = F_GETLK };
#endif

struct ipg_output {
  int descriptor; /* of the file beside the target, locked */
  bool committed;
  char *name;
  char target[PATH_MAX], part[PATH_MAX], source[3 * PATH_MAX];
};

static ipg_status refuse(const char *path, const char *reason, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': %s", ipg_path_tail(path), reason);
}

/* --------------------------------------------------------------------------------------------------------- paths */

/* The full path of a file that need not exist: only its folder must. */
static bool resolve_path(const char *path, char full[PATH_MAX]) {
  char folder[PATH_MAX];
  if (realpath(path, full)) return true;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const size_t length = slash ? (size_t)(slash - path) : 0;
  if (errno != ENOENT || length >= sizeof folder) return false;
  memcpy(folder, path, length);
  folder[length] = 0;
  if (!realpath(slash ? (length ? folder : "/") : ".", full)) return false;
  if (!*name) errno = EISDIR;
  if (strlen(full) + strlen(name) + 2 > PATH_MAX) errno = ENAMETOOLONG, name = "";
  if (full[1]) strcat(full, "/");
  strcat(full, name);
  return *name != 0;
}

/* Writes `full` as seen from the folder of `from`; both are full paths. */
static void write_relative(const char *from, const char *full, char relative[3 * PATH_MAX]) {
  size_t common = 0;
  for (size_t i = 0; from[i] && from[i] == full[i]; ++i)
    if (from[i] == '/') common = i + 1;
  char *to = relative;
  for (const char *rest = strchr(from + common, '/'); rest; rest = strchr(rest + 1, '/')) to = stpcpy(to, "../");
  strcpy(to, full + common);
  for (; *to; ++to)
    if ((unsigned char)*to < ' ') *to = '?';
}

static void find_source(ipg_output *o, const char *source) {
  char full[PATH_MAX];
  if (source && resolve_path(source, full)) write_relative(o->target, full, o->source);
}

/* ---------------------------------------------------------------------------------------------------------- claim */

static ipg_status find_target(ipg_output *o, const char *path, ipg_error *error) {
  struct stat status;
  if (!resolve_path(path, o->target)) return refuse(path, strerror(errno), error);
  const char *kind = stat(o->target, &status) ? NULL : ipg_file_describe_kind(status.st_mode);
  if (kind)
    return ipg_fail(error, IPG_ERROR_FILE, "cannot write '%s': it is %s: give the name of a file", ipg_path_tail(path),
                    kind);
  if (lstat(o->target, &status) == 0 && S_ISLNK(status.st_mode))
    return refuse(path, "it is a link to a file that does not exist: remove it or give another name", error);
  const size_t folder = (size_t)(strrchr(o->target, '/') + 1 - o->target);
  if (strlen(o->target) + sizeof "..impinge-part" > sizeof o->part) return refuse(path, strerror(ENAMETOOLONG), error);
  memcpy(o->part, o->target, folder);
  strcpy(stpcpy(stpcpy(o->part + folder, "."), o->target + folder), ".impinge-part");
  return IPG_OK;
}

static ipg_status refuse_busy(const ipg_output *o, ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_FILE,
                  "'%s' is being written by another process: wait until it has ended, or give another name", o->name);
}

static bool is_locked_by_other(int descriptor, int command) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (command == GET_LOCK) return fcntl(descriptor, command, &lock) == 0 && lock.l_type != F_UNLCK;
  return fcntl(descriptor, command, &lock) && (errno == EAGAIN || errno == EACCES);
}

/* Whether the open file still has the name: another process may have committed or removed it before it was locked. */
static bool has_name(int descriptor, const char *path) {
  struct stat opened, named;
  return !fstat(descriptor, &opened) && !lstat(path, &named) && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

static bool has_other_name(int descriptor) {
  struct stat status;
  return !fstat(descriptor, &status) && status.st_nlink > 1;
}

static ipg_status lock_part(ipg_output *o, ipg_error *error) {
  enum { MOST_TRIALS = 1000 };
  for (int trial = 0; trial < MOST_TRIALS; ++trial) {
    const int descriptor = open(o->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor < 0) return refuse(o->name, strerror(errno), error);
    const bool busy = is_locked_by_other(descriptor, SET_LOCK), named = has_name(descriptor, o->part);
    if (!busy && named && has_other_name(descriptor)) { /* a copy of a folder made by links: not ours to write into */
      unlink(o->part);
      close(descriptor);
      continue;
    }
    if (!busy && named) {
      o->descriptor = descriptor;
      return IPG_OK;
    }
    close(descriptor);
    if (busy && named) break;
  }
  return refuse_busy(o, error);
}

bool ipg_file_is_being_written(const char *path) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool busy = descriptor >= 0 && is_locked_by_other(descriptor, GET_LOCK);
  if (descriptor >= 0) close(descriptor);
  return busy;
}

static ipg_status check_rule(const ipg_output *o, const ipg_output_rule *rule, ipg_error *error) {
  struct stat status;
  if (!rule || rule->force || stat(o->target, &status) || !status.st_size) return IPG_OK;
  if (!rule->source)
    return ipg_fail(error, IPG_ERROR_FILE, "'%s' exists: give another name, or --force to overwrite it", o->name);
  if (rule->records_source(o->target, o->source)) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FILE,
                  "'%s' exists and was not made from '%s': give another name, or --force to overwrite it", o->name,
                  ipg_path_tail(rule->source));
}

ipg_status ipg_output_claim(const char *path, const ipg_output_rule *rule, ipg_output **output, ipg_error *error) {
  *output = NULL;
  if (!path || !*path) return ipg_fail(error, IPG_ERROR_ARGUMENT, "a path is needed to write a file");
  ipg_output *o = calloc(1, sizeof *o);
  if (!o || !(o->name = strdup(ipg_path_tail(path)))) {
    free(o);
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the path of a file");
  }
  o->descriptor = -1;
  ipg_status status = find_target(o, path, error);
  if (!status) find_source(o, rule ? rule->source : NULL);
  if (!status) status = lock_part(o, error);
  if (!status && ipg_file_is_being_written(o->target)) status = refuse_busy(o, error);
  if (!status) status = check_rule(o, rule, error);
  if (status) ipg_output_destroy(&o);
  *output = o;
  return status;
}

/* ----------------------------------------------------------------------------------------------------------- after */

const char *ipg_output_get_path(const ipg_output *output) { return output->committed ? output->target : output->part; }
const char *ipg_output_get_name(const ipg_output *output) { return output->name; }
const char *ipg_output_get_source(const ipg_output *output) { return output->source; }

bool ipg_output_is(const ipg_output *output, const char *path) {
  char full[PATH_MAX];
  return ipg_file_is_same(output->target, path) || (resolve_path(path, full) && !strcmp(full, output->target));
}

/* A file that is replaced hands on who may read and write it. */
ipg_status ipg_output_commit(ipg_output *output, ipg_error *error) {
  ipg_output *o = output;
  struct stat replaced;
  if (o->committed) return IPG_OK;
  if (!stat(o->target, &replaced)) (void)fchmod(o->descriptor, replaced.st_mode & 07777);
  if (rename(o->part, o->target)) return refuse(o->name, strerror(errno), error);
  o->committed = true;
  return IPG_OK;
}

bool ipg_output_is_in_place(const ipg_output *output) {
  return output->committed && has_name(output->descriptor, output->target);
}

void ipg_output_destroy(ipg_output **output) {
  ipg_output *o = *output;
  *output = NULL;
  if (!o) return;
  if (o->descriptor >= 0 && !o->committed) unlink(o->part);
  if (o->descriptor >= 0) close(o->descriptor);
  free(o->name);
  free(o);
}
