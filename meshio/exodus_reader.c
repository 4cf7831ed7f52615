/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "exodus_reader.h"

#include <stdarg.h>
#include <stdio.h>

ipg_status ipg_reader_report_damage(const ipg_reader *r, const char *what) {
  return ipg_exodus_report_damage(&r->file, what, r->error);
}

ipg_status ipg_reader_reserve_scratch(ipg_reader *r, int64_t count, size_t item_bytes) {
  return ipg_buffer_reserve(&r->scratch, &r->allocator, count, item_bytes, r->error);
}

void ipg_reader_report_left_out(const ipg_reader *r, const char *format, ...) {
  char line[600];
  if (!r->options.report) return;
  const int head = snprintf(line, sizeof line, "%s: ", r->file.path);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line + head, sizeof line - (size_t)head, format, arguments);
  va_end(arguments);
  r->options.report(r->options.context, line);
}
