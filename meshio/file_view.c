/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The window moves only when it does not hold the requested bytes; then it starts at them. Sums of offsets cannot
 * overflow, because an offset is compared with the size before anything is added to it. */
#include "file_view.h"

#include "impinge/files.h"
#include "path_tail.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

ipg_status ipg_view_open(const char *path, ipg_view *view, ipg_error *error) {
  *view = (ipg_view){.path = ipg_path_tail(path)};
  const ipg_status refused = ipg_file_open(path, &view->file, error);
  if (refused) return refused;
  errno = 0;
  const bool failed = fseeko(view->file, 0, SEEK_END) || (view->size = ftello(view->file)) < 0;
  if (!failed && (!view->size || ipg_view_get_bytes(view, 0, 1))) return IPG_OK;
  const int cause = errno;
  ipg_view_close(view);
  return ipg_fail(error, IPG_ERROR_FILE, "cannot read '%s': %s", view->path, strerror(cause));
}

bool ipg_view_copy_bytes(ipg_view *view, int64_t at, int64_t count, void *to) {
  if (at < 0 || count < 0 || at > view->size || count > view->size - at) return false;
  return !fseeko(view->file, (off_t)at, SEEK_SET) && fread(to, 1, (size_t)count, view->file) == (size_t)count;
}

const unsigned char *ipg_view_get_bytes(ipg_view *view, int64_t at, int64_t count) {
  if (at < 0 || count < 0 || count > IPG_VIEW_BYTES || at > view->size || count > view->size - at) return NULL;
  if (at < view->start || at - view->start > view->filled - count) {
    const int64_t left = view->size - at;
    view->start = at;
    view->filled = left < IPG_VIEW_BYTES ? left : IPG_VIEW_BYTES;
    if (!ipg_view_copy_bytes(view, at, view->filled, view->window)) {
      view->filled = 0;
      return NULL;
    }
  }
  return view->window + (at - view->start);
}

void ipg_view_close(ipg_view *view) {
  if (view->file) fclose(view->file);
  view->file = NULL;
}

ipg_status ipg_view_report_damage(const ipg_view *view, ipg_error *error, const char *format, ...) {
  if (ferror(view->file)) return ipg_fail(error, IPG_ERROR_FILE, "cannot read '%s': try again", view->path);
  char what[240];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s: %s: the file is damaged or was cut off, write it again", view->path,
                  what);
}
