/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact energy of two faces F and G, and its exact gradient.
 *
 *     E(F, G) = k c(-n_F . n_G) * integral over P of psi(min(d, s_1, s_2, ...)) dA
 *
 * n     = unit(n_G - n_F): the common normal; heights are along n, areas in the plane across it (the common plane)
 * P     the overlap of the two faces in the common plane, without what lies beyond a border of either body
 * d     = height of G less height of F: the penetration, from 0 to the reach; beyond the reach there is no contact
 * s_j   the way out sideways at a pair of borders that face each other
 * psi   = d^3 / (6 w) up to the onset width w, then (d - w/2)^2 / 2 + w^2 / 24: pressure k psi', continuous and C1
 * c     rises smoothly from 0 to 1 as the faces turn towards each other (cosines from 0.3 to 0.7)
 *
 * E depends on the present positions alone, and on k, w and the reach, which stay the same. So the forces -dE/dx do no
 * work round a closed path; since E is the same in every frame, they have neither a resultant nor a moment. */
#ifndef IMPINGE_ENFORCE_FACE_OVERLAP_H
#define IMPINGE_ENFORCE_FACE_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "support/vec.h"

/* A face, and what its body does behind its edges. */
typedef struct ipg_overlap_face {
  vec corners[3];
  vec beyond[3];     /* the third corner of the face across edge k, which goes from corner k to the next */
  bool borders[3];   /* whether edge k is a border: the surface turns away sharply there. Else beyond[k] is not read */
  double offsets[3]; /* by which the surface lies above each corner: thickness above 0, initial penetration below */
} ipg_overlap_face;

typedef struct ipg_overlap_law {
  double stiffness; /* k: pressure per penetration */
  double onset;     /* w, above 0 */
  double reach;     /* the largest penetration */
} ipg_overlap_law;

typedef struct ipg_overlap {
  double energy;
  double area;            /* of the part of P that penetrates */
  double depth;           /* the largest penetration there, min(d, s_1, ...) */
  vec normal;             /* n */
  vec forces[2][6];       /* -dE/dx of F, then of G: on the corners, then on beyond[], 0 where there is no border */
  double pressures[2][3]; /* the resultant of the pressure in weights on the corners of F and of G */
} ipg_overlap;

/* False, and nothing else: no contact. The three corners of a face must not lie on one line. */
bool ipg_face_overlap(const ipg_overlap_face *f, const ipg_overlap_face *g, const ipg_overlap_law *law,
                      ipg_overlap *overlap);

/* What the quick test needs of a face. */
typedef struct ipg_overlap_sketch {
  vec corners[3], normal; /* of length 1 */
} ipg_overlap_sketch;

/* The quick test: false only where ipg_face_overlap is. offset: the largest of all offsets, or 0. */
bool ipg_may_overlap(const ipg_overlap_sketch *f, const ipg_overlap_sketch *g, double offset);

/* psi and psi' at a penetration of 0 or more. */
double ipg_onset_energy(double depth, double onset);
double ipg_onset_pressure(double depth, double onset);

#endif
