/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Shifts, turns and stretches, one after the other, as one map of places: where the three unit vectors go as
 * directions, and where the origin goes.
 *
 * A shift alone, and a turn by a multiple of 90 degrees about an axis of coordinates, round nothing away. */
#ifndef IMPINGE_APP_TRANSFORM_H
#define IMPINGE_APP_TRANSFORM_H

#include <stdint.h>

typedef struct transform {
  double unit[3][3], origin[3];
} transform;

transform transform_none(void);
/* Each adds one more behind those that are in it already. */
void transform_shift(transform *t, const double by[3]);
void transform_turn(transform *t, const double axis[3], double degrees); /* about the origin, right-handed */
void transform_stretch(transform *t, double factor);                     /* from the origin */
/* Moves `count` places of three coordinates each. */
void transform_apply(const transform *t, double *x, int64_t count);

#endif
