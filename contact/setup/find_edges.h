/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Finds the sharp convex edges of the surface. */
#ifndef IMPINGE_SETUP_FIND_EDGES_H
#define IMPINGE_SETUP_FIND_EDGES_H

#include "model/model.h"
#include "support/vec.h"

/* An edge of the surface between two faces that turns away from outside. */
typedef struct ipg_convex_edge {
  ipg_id face, other; /* on its left, on its right */
  int side;           /* of the face */
  ipg_id nodes[4];    /* ends, and third corners of the faces on its left and its right */
  vec axis;           /* out of the body, amid both normals */
  double cosine;      /* of half of the turn */
  double heights[2];  /* of the edge over the third corners */
  double seen;        /* what the axis sees of a third of both faces */
} ipg_convex_edge;

/* The edge at a side of a face, seen from the face at which its lower end comes first; false: there is none. */
bool ipg_find_convex_edge(const ipg_model *model, const double *x, ipg_id face, int side, ipg_convex_edge *edge);

/* The side of the face that goes from the node, one of its corners, to the next. */
int ipg_side_from(const ipg_model *model, ipg_id face, ipg_id node);

/* After the topology. x: positions at the start. */
ipg_status ipg_find_sharp_edges(ipg_model *model, const double *x, ipg_error *error);

#endif
