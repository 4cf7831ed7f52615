/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Integers of up to 65,536 bits, for tests that must not round. Sign and magnitude, limbs of 64 bits, no allocation;
 * only limbs in use are touched, so small numbers stay cheap. An overflow aborts the program: a test cannot go on with
 * a wrong number. A result may be the same object as an operand except in big_mul. */
#ifndef IMPINGE_TESTS_BIG_H
#define IMPINGE_TESTS_BIG_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIG_LIMBS = 1024 };

typedef struct big {
  int sign; /* -1, 0, 1 */
  int size; /* limbs in use; the last is not 0; 0 for zero */
  uint64_t limb[BIG_LIMBS];
} big;

void big_copy(big *r, const big *a);
void big_set(big *r, int64_t value);
/* r = x / 2^unit, which must be an integer. */
void big_from_double(big *r, double x, int unit);
void big_negate(big *a);
void big_add(big *r, const big *a, const big *b);
void big_sub(big *r, const big *a, const big *b);
void big_mul(big *r, const big *a, const big *b);
/* r = a * 2^bits. */
void big_shift(big *r, const big *a, int bits);
/* a /= 2^bits, without remainder. */
void big_unshift(big *a, int bits);
/* How often 2 divides a, which is not 0. */
int big_twos(const big *a);
/* -1, 0, 1: a is less than, equal to, greater than b. */
int big_compare(const big *a, const big *b);

#endif
