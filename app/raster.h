/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Draws triangles into an image in memory: arrays in, pixels out.
 *
 * The view is orthographic and fitted to the picture. Colours come from one value per node or face, with a colour bar,
 * or from one group number per face, with a legend. The same input gives the same pixels. Text is never cut: it is
 * wrapped, and a picture too small for its text is refused. */
#ifndef IMPINGE_APP_RASTER_H
#define IMPINGE_APP_RASTER_H

#include "impinge/base.h"
#include "impinge/files.h"

#define RASTER_SIZE_MAX 16384 /* pixels along a side */

typedef struct raster_scene {
  int64_t node_count, face_count;
  const double *x;           /* 3 per node; must be finite where a face uses them */
  const ipg_id *faces;       /* 3 nodes per face */
  const double *values;      /* 1 per node; NaN is drawn grey; NULL: colour by group */
  const double *face_values; /* 1 per face, instead of `values` */
  double low, high;          /* the values at the ends of the colour bar */
  const char *value_name;
  const ipg_id *groups;           /* 1 per face; NULL: all in group 0; ignored if there are values */
  const char *const *group_names; /* group_count, for the legend; NULL: no legend */
  int group_count;
  double from[3]; /* towards the eye; z is up in the picture, y if from is along z */
  int width, height;
  const char *title, *footer; /* may be NULL or empty */
} raster_scene;

typedef struct raster_image {
  int width, height;
  uint8_t *rgb; /* 3 per pixel, rows from the top */
} raster_image;

ipg_status raster_draw_scene(const raster_scene *scene, raster_image *image, ipg_error *error);
void raster_free_image(raster_image *image);

/* Writes a PNG file that records the source of the output, and does not commit it; IPG_ERROR_UNSUPPORTED in a build
 * without libpng. */
ipg_status raster_write_png(const raster_image *image, const ipg_output *output, ipg_error *error);
/* Whether a file is a PNG that records this source. */
bool raster_records_source(const char *path, const char *source);

#endif
