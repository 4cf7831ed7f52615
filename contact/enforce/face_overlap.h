/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact energy of two faces F and G, and its exact gradient.
 *
 *     E(F, G) = k c(-n_F . n_G) * integral over P of psi(p) dA
 *     p       = min(d, 3 c L - 2 d, 2 s_1 - d, 2 s_2 - d, ...)
 *
 * n      = unit(n_G - n_F): the common normal; heights are along n, areas in the plane across it (the common plane)
 * P      the overlap of the two faces in the common plane
 * p      the penetration: the shortest way out. With
 *   d    height of G less height of F: the way back
 *   L    the thickness of the material behind both faces, of which the column through faces that lean has less: who has
 *        gone through by more comes out on the other side
 *   s_j  the way out sideways at a pair of borders that face each other, where the surface turns away sharply. Where it
 *        is shorter than d, p becomes smaller with d, and from 2 s_j on the faces on the other side of the borders are
 *        those in contact
 * psi    = p^3 / (6 w) up to the onset width w, then (p - w/2)^2 / 2 + w^2 / 24: pressure k psi', continuous and C1
 * c      rises smoothly from 0 to 1 as the faces turn towards each other (cosines from 0.3 to 0.7)
 *
 * E depends on the present positions alone, and on k, w and the thicknesses, which stay the same. It is continuous
 * wherever the faces are, so the forces -dE/dx do no work round any closed path; and since E is the same in every
 * frame, they have neither a resultant nor a moment. */
#ifndef IMPINGE_ENFORCE_FACE_OVERLAP_H
#define IMPINGE_ENFORCE_FACE_OVERLAP_H

#include <stdbool.h>

#include "model/face_shape.h"
#include "support/thresholds.h"
#include "support/vec.h"

typedef struct ipg_overlap_face {
  ipg_face_shape shape;
  vec points[IPG_FACE_POINTS]; /* the corners first */
  double offsets[3];           /* by which the surface lies above each corner: initial penetration below 0 */
} ipg_overlap_face;

typedef struct ipg_overlap_law {
  double stiffness; /* k: pressure per penetration */
  double onset;     /* w, above 0 */
  double thickness; /* of the material behind both faces, above 0 */
} ipg_overlap_law;

typedef struct ipg_overlap {
  double energy;
  double depth;           /* the largest way out, back or sideways: also where the way through is shorter */
  double pressures[2][3]; /* the resultant of the pressure in weights on the corners of F and of G */
  int point_counts[2];
  vec forces[2][IPG_FACE_POINTS]; /* -dE/dx of F, then of G */
} ipg_overlap;

/* False: no contact. The three corners of a face must not lie on one line. */
bool ipg_face_overlap(const ipg_overlap_face *f, const ipg_overlap_face *g, const ipg_overlap_law *law,
                      ipg_overlap *overlap);

/* What the quick test needs of a face. */
typedef struct ipg_overlap_sketch {
  vec corners[3], normal; /* of length 1 */
} ipg_overlap_sketch;

/* Whether the corners b lie beyond an edge of a, seen along n, along which a is clockwise. */
static inline bool ipg_is_beside(const vec a[3], const vec b[3], vec n) {
  for (int k = 0; k < 3; ++k) {
    const vec out = vec_cross(n, vec_sub(a[k < 2 ? k + 1 : 0], a[k]));
    const double beyond = vec_dot(out, a[k]);
    if (vec_dot(out, b[0]) > beyond && vec_dot(out, b[1]) > beyond && vec_dot(out, b[2]) > beyond) return true;
  }
  return false;
}

/* Whether three heights over the plane of a face are above both offsets. */
static inline bool ipg_is_in_front(double h0, double h1, double h2, double offset) {
  const double least = smaller(h0, smaller(h1, h2)), most = larger(h0, larger(h1, h2));
  return least > 2 * offset + IPG_DEPTH_ROUNDING * most;
}

/* The quick test: false only where ipg_face_overlap is. offset: the largest of all offsets, or 0. A point of one face
 * that is above one of the other is behind its plane, so a corner is. In the common plane no edge may part the two:
 * neither the frame nor a root is needed. Inline, for most pairs end here. */
static inline bool ipg_may_overlap(const ipg_overlap_sketch *f, const ipg_overlap_sketch *g, double offset) {
  if (!(-vec_dot(f->normal, g->normal) > 0.99 * IPG_FACING_COSINE)) return false;
  const vec n = vec_sub(g->normal, f->normal), origin = f->corners[0];
  const vec a[3] = {{0, 0, 0}, vec_sub(f->corners[1], origin), vec_sub(f->corners[2], origin)};
  const vec b[3] = {vec_sub(g->corners[0], origin), vec_sub(g->corners[1], origin), vec_sub(g->corners[2], origin)};
  const double at = vec_dot(g->normal, b[0]);
  if (ipg_is_in_front(vec_dot(f->normal, b[0]), vec_dot(f->normal, b[1]), vec_dot(f->normal, b[2]), offset) ||
      ipg_is_in_front(-at, vec_dot(g->normal, a[1]) - at, vec_dot(g->normal, a[2]) - at, offset))
    return false;
  return !ipg_is_beside(a, b, n) && !ipg_is_beside(b, a, vec_scale(-1, n));
}

#endif
