/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The borders of the surface about a face: what penalty contact knows of the body beside a column through the face.
 */
#ifndef IMPINGE_MODEL_FACE_SHAPE_H
#define IMPINGE_MODEL_FACE_SHAPE_H

#include <stdint.h>

enum {
  IPG_FACE_BORDERS = 6, /* two at each corner: where the smooth part of the surface about it ends */
  IPG_FACE_POINTS = 9,  /* the corners, and of each border an end */
};

/* A line at which the surface turns away sharply, by numbers of points: an edge, or, where the face only touches an
 * almost straight border, the line through that corner along the way from the border's node before to the next one. */
typedef struct ipg_face_border {
  uint8_t origin; /* of an edge the first end */
  uint8_t
      ends[2]; /* the face lies on the left of the line that goes through the origin as from the first to the second */
} ipg_face_border;

typedef struct ipg_face_shape {
  uint8_t point_count, border_count; /* the corners are the first three points */
  ipg_face_border borders[IPG_FACE_BORDERS];
} ipg_face_shape;

#endif
