/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The subcommands of the program, one file each, and the functions they share.
 *
 * argv[0] is the name of the subcommand. The result is the exit code: 0, 1 for a failure, 2 for a wrong command line.
 */
#ifndef IMPINGE_APP_APP_H
#define IMPINGE_APP_APP_H

#include "impinge/files.h"
#include "impinge/meshio.h"
#include "quality.h"

int app_mesh(int argc, char **argv);
int app_info(int argc, char **argv);
int app_join(int argc, char **argv);
int app_diff(int argc, char **argv);
int app_replay(int argc, char **argv);
int app_picture(int argc, char **argv);
int app_run(int argc, char **argv);

/* Prints "COMMAND: message" as one line on stderr; returns 1, the exit code of a failure. */
int app_fail(const char *command, const ipg_error *error);
/* Prints "COMMAND: line" on stderr; `command` is a string. Has the type of the callback in ipg_exodus_options. */
void app_print_note(void *command, const char *line);

/* Claims the file of -o by the rule of all subcommands: what exists is replaced with --force only, or if it was made
 * from the same source (`rule`, see files.h). An input file is never replaced. */
ipg_status app_claim_output(const char *path, const ipg_output_rule *rule, const char *input, ipg_output **output,
                            ipg_error *error);
/* The line of --force in the help. */
#define APP_FORCE_HELP "overwrite FILE if it exists"

/* A drawing of a mesh or result file, written as PNG. */
typedef struct app_picture_job {
  const char *file, *output;
  ipg_output *claim;  /* of the output */
  const char *step;   /* "last", or a number from 1 */
  const char *colour; /* a variable or a vector's base name; "none": colour by block; NULL: vel if present, else none */
  const char *title;  /* NULL: the title of the mesh, or the file name if it has none */
  double from[3];     /* direction towards the eye */
  double scale;       /* of the displacement */
  int width, height;
} app_picture_job;

app_picture_job app_picture_defaults(void);
/* Claims job->output. An earlier picture of results of the same deck (NULL: the one that the file records), or of the
 * same file if there is no deck, is replaced. */
ipg_status app_picture_claim(app_picture_job *job, const char *deck, bool force, ipg_error *error);
/* Draws and commits; the claim stays to be destroyed by the caller. */
ipg_status app_picture_file(const app_picture_job *job, ipg_error *error);

#endif
