/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Messages of subcommands on stderr, one line each, all in the form "impinge SUBCOMMAND: message"; the refusal of
 * output files. */
#include "app.h"
#include "args.h"

#include <stdio.h>

int app_fail(const char *command, const ipg_error *error) {
  fprintf(stderr, "%s: %s\n", command, error->message);
  return 1;
}

void app_print_note(void *command, const char *line) { fprintf(stderr, "%s: %s\n", (const char *)command, line); }

ipg_status app_claim_output(const char *path, const ipg_output_rule *rule, const char *input, ipg_output **output,
                            ipg_error *error) {
  *output = NULL;
  if (!input || !ipg_file_is_same(path, input)) return ipg_output_claim(path, rule, output, error);
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "'%s' is an input file and cannot be the output: give another name",
                  args_tail(path));
}
