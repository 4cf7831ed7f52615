/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Directed rounding: a number below, or above, a finite one, by a few units in the last place at most. As nextafter,
 * but in arithmetic that a compiler can inline and vectorise. */
#ifndef IMPINGE_SUPPORT_DIRECTED_ROUNDING_H
#define IMPINGE_SUPPORT_DIRECTED_ROUNDING_H

#include <float.h>
#include <math.h>

/* At least one unit in the last place; around 0, where units are too small for that product, DBL_MIN. */
static inline double ipg_below(double x) { return x - (fabs(x) * DBL_EPSILON + DBL_MIN); }
static inline double ipg_above(double x) { return x + (fabs(x) * DBL_EPSILON + DBL_MIN); }

#endif
