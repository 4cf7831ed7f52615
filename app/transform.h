/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Translations, rotations and scalings, one after the other, as one affine map: the images of the three unit vectors
 * and of the origin.
 *
 * A translation alone, and a rotation by a multiple of 90 degrees about a coordinate axis, add no rounding errors. */
#ifndef IMPINGE_APP_TRANSFORM_H
#define IMPINGE_APP_TRANSFORM_H

#include <stdint.h>

typedef struct transform {
  double unit[3][3], origin[3];
} transform;

transform transform_identity(void);
/* Each appends one move to those already in the map. */
void transform_translate(transform *t, const double by[3]);
void transform_rotate(transform *t, const double axis[3], double degrees); /* about the origin, right-handed */
void transform_scale(transform *t, double factor);                         /* about the origin */
/* Moves `count` points of three coordinates each. */
void transform_points(const transform *t, double *x, int64_t count);

#endif
