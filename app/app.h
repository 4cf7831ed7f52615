/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The subcommands of the program, one file each, and the functions they share.
 *
 * argv[0] is the name of the subcommand. The result is the exit code: 0, 1 for a failure, 2 for a wrong command line.
 */
#ifndef IMPINGE_APP_APP_H
#define IMPINGE_APP_APP_H

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

/* A drawing of a mesh or result file, written as PNG. */
typedef struct app_picture_job {
  const char *file, *output;
  const char *step;   /* "last", or a number from 1 */
  const char *colour; /* a variable or a vector's base name; "none": colour by block; NULL: vel if present, else none */
  const char *title;  /* NULL: the title of the mesh, or the file name if it has none */
  double from[3];     /* direction towards the eye */
  double scale;       /* of the displacement */
  int width, height;
} app_picture_job;

app_picture_job app_picture_defaults(void);
ipg_status app_picture_file(const app_picture_job *job, ipg_error *error);

#endif
