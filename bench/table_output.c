/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* stdout is flushed before progress goes to stderr, so that both appear in order on a terminal. */
#include "table_output.h"
#include "search_timer.h"

#include <stdarg.h>
#include <string.h>

void print_progress(const char *format, ...) {
  va_list arguments;
  fflush(stdout);
  va_start(arguments, format);
  fputs("impinge-bench: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

void print_table_head(const char *columns) {
  printf("\n| %s |\n|", columns);
  for (const char *c = columns; c; c = strchr(c + 1, '|')) fputs(" ---: |", stdout);
  fputc('\n', stdout);
}

bool report_if_missing(const char *method) {
  if (has_search_method(method)) return false;
  printf("\nMethod %s is left out: this build does not have it.\n", method);
  return true;
}
