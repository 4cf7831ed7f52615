/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A number that is surely below, or above, a finite one, by a few units in the last place at most: what nextafter does,
 * but in arithmetic that a compiler can inline and do several of at once. */
#ifndef IMPINGE_SUPPORT_OUTWARD_H
#define IMPINGE_SUPPORT_OUTWARD_H

#include <float.h>
#include <math.h>

/* At least one unit in the last place; around 0, where units are too small for that product, DBL_MIN. */
static inline double ipg_below(double x) { return x - (fabs(x) * DBL_EPSILON + DBL_MIN); }
static inline double ipg_above(double x) { return x + (fabs(x) * DBL_EPSILON + DBL_MIN); }

#endif
