/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The operations in which ccd_separating_planes.h is written.
 *
 * `real` is the type of comparisons and error bounds: double, or with CCD_WIDE a vector of doubles. `number` is the
 * type of coordinates: `real`, or with CCD_DOUBLE_DOUBLE a pair of doubles. `mask` is the outcome of comparisons. The
 * including file defines the types, and whatever is not defined here. Every lane of a vector gets the bits that a
 * double gets. */

static inline real real_add(real a, real b) { return a + b; }
static inline real real_sub(real a, real b) { return a - b; }
static inline real real_mul(real a, real b) { return a * b; }
static inline real real_div(real a, real b) { return a / b; }

#ifndef CCD_DOUBLE_DOUBLE
static inline number number_add(number a, number b) { return a + b; }
static inline number number_sub(number a, number b) { return a - b; }
static inline number number_mul(number a, number b) { return a * b; }
static inline real number_value(number a) { return a; }
static inline number number_of(real a) { return a; }
#endif

#ifndef CCD_WIDE
static inline real real_of(double a) { return a; }
static inline real real_min(real a, real b) { return a < b ? a : b; }
static inline real real_max(real a, real b) { return a > b ? a : b; }
static inline real real_abs(real a) { return fabs(a); }
static inline mask is_above(real a, real b) { return a > b; }
static inline mask is_not_below(real a, real b) { return a >= b; }
static inline mask mask_and(mask a, mask b) { return a && b; }
static inline mask mask_or(mask a, mask b) { return a || b; }
static inline bool is_all_true(mask a) { return a; }
#endif
