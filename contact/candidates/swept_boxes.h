/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes around the paths of nodes and faces, and the drift of nodes since the boxes were made. */
#ifndef IMPINGE_CANDIDATES_SWEPT_BOXES_H
#define IMPINGE_CANDIDATES_SWEPT_BOXES_H

#include "impinge/search.h"
#include "model/step.h"

/* How far the farthest of some nodes is beyond the upper borders of their boxes, and below the lower ones; negative
 * within. */
typedef struct ipg_overshoot {
  double above[3], below[3];
} ipg_overshoot;

typedef struct ipg_swept_boxes {
  IPG_ARRAY(ipg_box) nodes;
  IPG_ARRAY(ipg_box) faces;
  IPG_ARRAY(ipg_overshoot) overshoots; /* of each chunk of nodes */
  /* The farthest that any node has left the path of the last search, as a fraction of the search margin; never
   * decreases until the next search. */
  double drift;
} ipg_swept_boxes;

ipg_status ipg_swept_boxes_reserve(ipg_swept_boxes *boxes, const ipg_model *model, ipg_error *error);
void ipg_swept_boxes_destroy(ipg_swept_boxes *boxes, const ipg_allocator *allocator);

/* Boxes around all paths of the step and a margin around them. */
void ipg_sweep_boxes(ipg_swept_boxes *boxes, const ipg_step *step);
/* Copies x into trial. False if some node is outside of its box, or x is not finite; then a new search is needed. Else
 * drift is updated. */
bool ipg_take_positions(ipg_swept_boxes *boxes, const ipg_model *model, const double *x, double *trial);

/* Boxes of the nodes at positions x enlarged by a distance, and of the faces as they are: pairs within that distance
 * overlap, whatever rounding does. */
void ipg_box_positions(ipg_swept_boxes *boxes, const ipg_model *model, const double *x, double distance);

#endif
