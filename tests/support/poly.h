/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Polynomials with integer coefficients, their roots between 0 and 1, and the sign of another polynomial at such a
 * root, without rounding: roots are isolated by Sturm's theorem, signs there are found by Tarski's query. After Basu,
 * Pollack and Roy, "Algorithms in Real Algebraic Geometry", chapters 2 and 10. */
#ifndef IMPINGE_TESTS_POLY_H
#define IMPINGE_TESTS_POLY_H

#include "support/big.h"

#include <stdbool.h>

enum { POLY_TERMS = 9, POLY_MOST_ROOTS = 4 };

/* c[0] + c[1] t + ...; degree -1 is zero. */
typedef struct poly {
  int degree;
  big c[POLY_TERMS];
} poly;

/* Drops leading coefficients that are zero. */
void poly_trim(poly *p);
void poly_copy(poly *r, const poly *p);
/* r -= p. */
void poly_sub(poly *r, const poly *p);
/* r += p q; r is neither of them. */
void poly_add_product(poly *r, const poly *p, const poly *q);

/* at / 2^level. */
typedef struct dyadic {
  big at;
  int level;
} dyadic;

/* t is 0 to 1. */
void dyadic_from_double(dyadic *r, double t);

/* A root: `at` itself, or the only one between `at` and the next dyadic number of the same level. */
typedef struct moment {
  bool is_dyadic;
  dyadic at;
} moment;

/* All roots strictly between 0 and 1, each once; returns how many. p, not zero, is divided by its roots at 0 and 1 and
 * by those found to be dyadic; the other moments are roots of what is left of p. */
int poly_roots(poly *p, moment found[POLY_MOST_ROOTS]);
/* The sign of q at the moment, a root of p. */
int poly_sign_at_moment(const poly *q, const poly *p, const moment *m);
/* True if the moment, a root of p, is before x. */
bool moment_is_before(const moment *m, const poly *p, const dyadic *x);

#endif
