/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The subcommands of the program, one file each, and what they share.
 *
 * A subcommand gets its own name as argv[0] and returns the exit code: 0, 1 for a failure, 2 for a misuse. */
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

/* "impinge mesh: what failed" as one line on stderr; returns 1, the exit code of a failure. */
int app_fail(const char *command, const ipg_error *error);

/* A drawing of a mesh or result file, written as PNG. */
typedef struct app_picture_job {
  const char *file, *output;
  const char *step;   /* "last", or a number from 1 */
  const char *colour; /* a nodal variable, a vector's base name, or "none": by block; NULL: vel if there, else none */
  const char *title;  /* NULL: the mesh's own, else the file's name */
  double from[3];     /* towards the eye */
  double scale;       /* of the displacement */
  int width, height;
} app_picture_job;

app_picture_job app_picture_defaults(void);
ipg_status app_picture_file(const app_picture_job *job, ipg_error *error);

#endif
