/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Messages of subcommands on stderr, one line each, all in the form "impinge SUBCOMMAND: message". */
#include "app.h"

#include <stdio.h>

int app_fail(const char *command, const ipg_error *error) {
  fprintf(stderr, "%s: %s\n", command, error->message);
  return 1;
}

void app_print_note(void *command, const char *line) { fprintf(stderr, "%s: %s\n", (const char *)command, line); }
