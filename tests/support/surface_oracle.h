/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Geometry of a surface by brute force, for tests that compare contact with all nodes against all faces. */
#ifndef IMPINGE_TESTS_SURFACE_ORACLE_H
#define IMPINGE_TESTS_SURFACE_ORACLE_H

#include "impinge/contact.h"

/* The closest point of a face to a node, in long double and by other means than the library's: its distance is right to
 * rounding, and compared with a tolerance of some 1e-14 of the size of the face. */
typedef struct closest_point {
  double weights[3], distance;
  double normal[3]; /* of the face, of length 1 */
  double height;    /* of the node above the face's plane: negative behind the face */
} closest_point;

closest_point closest_point_of(const ipg_surface *surface, const double *x, ipg_id node, ipg_id face);

/* How many bodies the faces name. */
int32_t surface_body_count(const ipg_surface *surface);
/* The mean of the three edges of all faces: the unit of the search margin. */
double surface_mean_edge(const ipg_surface *surface, const double *x);
/* True if the node is a corner of the face, or of the tetrahedron behind it. */
bool is_own_face(const ipg_surface *surface, ipg_id node, ipg_id face);

#endif
