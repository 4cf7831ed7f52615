/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Drawing triangles into an image in memory: arrays in, pixels out.
 *
 * The view is orthographic and fitted to the picture. Colours come from one value per node and a colour bar tells what
 * they mean, or from one group number per face and a legend does. The same input gives the same pixels. Text is never
 * cut: it is wrapped, and a picture too small for its text is refused. */
#ifndef IMPINGE_APP_DRAW_H
#define IMPINGE_APP_DRAW_H

#include "impinge/base.h"

#define DRAW_SIZE_MAX 16384 /* pixels along a side */

typedef struct draw_scene {
  int64_t node_count, face_count;
  const double *x;           /* 3 per node; must be finite where a face uses them */
  const ipg_id *faces;       /* 3 nodes per face */
  const double *values;      /* 1 per node; what is not a number is drawn grey; NULL: colour by group */
  const double *face_values; /* 1 per face, instead of `values` */
  double low, high;          /* the values at the ends of the colour bar */
  const char *value_name;
  const ipg_id *groups;           /* 1 per face; NULL: all in group 0; used without values */
  const char *const *group_names; /* group_count, for the legend; NULL: no legend */
  int group_count;
  double from[3]; /* towards the eye; z is up in the picture, y if from is along z */
  int width, height;
  const char *title, *footer; /* may be NULL or empty */
} draw_scene;

typedef struct draw_image {
  int width, height;
  uint8_t *rgb; /* 3 per pixel, rows from the top */
} draw_image;

ipg_status draw_scene_image(const draw_scene *scene, draw_image *image, ipg_error *error);
void draw_image_free(draw_image *image);

/* Writes a PNG file; IPG_ERROR_UNSUPPORTED in a build without libpng. */
ipg_status draw_write_png(const draw_image *image, const char *path, ipg_error *error);

#endif
