/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Exact geometry on what the search leaves: closest points, and a node's path against a face's path.
 * Stateless: points in, answers out. A point is three doubles; faces are wound so that (b - a) x (c - a) points out. */
#ifndef IMPINGE_NARROW_H
#define IMPINGE_NARROW_H

#include "impinge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Weights (sum 1, none negative) of the point of triangle abc that is closest to p. A triangle without area counts as
 * its edges. */
IPG_API void ipg_closest_on_triangle(const double p[3], const double a[3], const double b[3], const double c[3],
                                     double weights[3]);

/* A node and the three nodes of a face at the start and at the end of a step. Between, each moves on a straight line
 * with constant speed. */
typedef struct ipg_node_face_path {
  double node[2][3];
  double face[2][3][3];
} ipg_node_face_path;

/* When a node passes through a face, in parts of the step: not before `earliest`, surely done by `latest` (1 if the
 * node never gets behind the face by more than rounding). */
typedef struct ipg_passage {
  double earliest, latest;
} ipg_passage;

/* Does the node pass through the face from its front to its back? True with its first passage. Borders belong to the
 * face, with a margin of 1e-8 of its size, so that no path slips between two faces; a node up to 1e-9 of the face's
 * size behind it at the start counts as being in front. Where rounding leaves the answer open it is "true". */
IPG_API bool ipg_node_enters_face(const ipg_node_face_path *path, ipg_passage *passage);

#ifdef __cplusplus
}
#endif
#endif
