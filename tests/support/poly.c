/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/poly.h"

enum { CHAIN_LENGTH = 8 };

void poly_trim(poly *p) {
  while (p->degree >= 0 && !p->c[p->degree].sign) p->degree--;
}

void poly_copy(poly *r, const poly *p) {
  if (r == p) return;
  r->degree = p->degree;
  for (int i = 0; i <= p->degree; ++i) big_copy(&r->c[i], &p->c[i]);
}

/* Adds leading zeros up to the degree. */
static void poly_extend(poly *p, int degree) {
  while (p->degree < degree) big_set(&p->c[++p->degree], 0);
}

void poly_sub(poly *r, const poly *p) {
  poly_extend(r, p->degree);
  for (int i = 0; i <= p->degree; ++i) big_sub(&r->c[i], &r->c[i], &p->c[i]);
  poly_trim(r);
}

void poly_add_product(poly *r, const poly *p, const poly *q) {
  big product;
  if (p->degree < 0 || q->degree < 0) return;
  poly_extend(r, p->degree + q->degree);
  for (int i = 0; i <= p->degree; ++i)
    for (int j = 0; j <= q->degree; ++j) {
      big_mul(&product, &p->c[i], &q->c[j]);
      big_add(&r->c[i + j], &r->c[i + j], &product);
    }
  poly_trim(r);
}

static void poly_negate(poly *p) {
  for (int i = 0; i <= p->degree; ++i) big_negate(&p->c[i]);
}

static void poly_derivative(poly *r, const poly *p) {
  big factor;
  r->degree = -1;
  for (int i = 1; i <= p->degree; ++i) {
    big_set(&factor, i);
    big_mul(&r->c[i - 1], &p->c[i], &factor);
    r->degree = i - 1;
  }
}

/* Divides by the powers of two that all coefficients share. */
static void poly_reduce(poly *p) {
  int twos = INT32_MAX;
  for (int i = 0; i <= p->degree; ++i)
    if (p->c[i].sign && big_twos(&p->c[i]) < twos) twos = big_twos(&p->c[i]);
  for (int i = 0; twos && i <= p->degree; ++i) big_unshift(&p->c[i], twos);
}

/* r modulo p, times a positive number. */
static void poly_remainder(poly *r, const poly *p) {
  big a, b;
  const big *lead = &p->c[p->degree];
  while (r->degree >= p->degree) {
    big top;
    const int shift = r->degree - p->degree;
    big_copy(&top, &r->c[r->degree]);
    top.sign *= lead->sign;
    for (int i = 0; i <= r->degree; ++i) {
      big_mul(&a, &r->c[i], lead);
      a.sign *= lead->sign;
      big_set(&b, 0);
      if (i >= shift) big_mul(&b, &top, &p->c[i - shift]);
      big_sub(&r->c[i], &a, &b);
    }
    poly_trim(r);
  }
  poly_reduce(r);
}

/* --------------------------------------------------------------------------------------------------- dyadic numbers */

void dyadic_from_double(dyadic *r, double t) {
  int exponent;
  (void)frexp(t, &exponent);
  r->level = t == 0 ? 0 : 53 - exponent;
  big_from_double(&r->at, t, -r->level);
}

static int dyadic_compare(const dyadic *a, const dyadic *b) {
  big x, y;
  big_shift(&x, &a->at, b->level);
  big_shift(&y, &b->at, a->level);
  return big_compare(&x, &y);
}

/* The sign of p at x. */
static int poly_sign_at(const poly *p, const dyadic *x) {
  big sum, product;
  big_set(&sum, 0);
  for (int i = p->degree; i >= 0; --i) {
    big shifted;
    big_mul(&product, &sum, &x->at);
    big_shift(&shifted, &p->c[i], x->level * (p->degree - i));
    big_add(&sum, &product, &shifted);
  }
  return sum.sign;
}

/* Removes all roots at x: p is divided by 2^level t - at as often as that leaves no remainder. */
static void poly_deflate(poly *p, const dyadic *x) {
  while (p->degree > 0 && !poly_sign_at(p, x)) {
    big carry, product;
    big_set(&carry, 0);
    for (int i = p->degree; i > 0; --i) { /* coefficient i - 1 of the quotient, stored at i */
      big_mul(&product, &carry, &x->at);
      big_add(&p->c[i], &p->c[i], &product);
      big_unshift(&p->c[i], x->level);
      big_copy(&carry, &p->c[i]);
    }
    for (int i = 0; i < p->degree; ++i) big_copy(&p->c[i], &p->c[i + 1]);
    p->degree--;
  }
}

/* The next dyadic number of the same level. */
static void moment_end(const moment *m, dyadic *end) {
  big one;
  big_set(&one, 1);
  end->level = m->at.level;
  big_add(&end->at, &m->at.at, &one);
}

/* -------------------------------------------------------------------------------------------------- chains of signs */

/* p, q modulo p, and minus each remainder after that. */
typedef struct poly_chain {
  int count;
  poly p[CHAIN_LENGTH];
} poly_chain;

static void chain_make(poly_chain *chain, const poly *p, const poly *q) {
  poly_copy(&chain->p[0], p);
  poly_copy(&chain->p[1], q);
  poly_remainder(&chain->p[1], p);
  chain->count = 1;
  while (chain->p[chain->count].degree >= 0) {
    poly *next = &chain->p[++chain->count];
    poly_copy(next, next - 2);
    poly_remainder(next, next - 1);
    poly_negate(next);
  }
}

/* How often the sign changes along the chain at x. */
static int chain_variations(const poly_chain *chain, const dyadic *x) {
  int count = 0, last = 0;
  for (int i = 0; i < chain->count; ++i) {
    const int sign = poly_sign_at(&chain->p[i], x);
    count += sign && last && sign != last;
    if (sign) last = sign;
  }
  return count;
}

/* By Sturm and Tarski: the roots of p in the interval of the moment, each counted with the sign of the query. */
static int chain_between(const poly_chain *chain, const moment *m) {
  dyadic end;
  moment_end(m, &end);
  return chain_variations(chain, &m->at) - chain_variations(chain, &end);
}

int poly_sign_at_moment(const poly *q, const poly *p, const moment *m) {
  poly derivative, product;
  poly_chain chain;
  product.degree = -1;
  if (m->is_dyadic) return poly_sign_at(q, &m->at);
  poly_derivative(&derivative, p);
  poly_add_product(&product, &derivative, q);
  chain_make(&chain, p, &product);
  return chain_between(&chain, m);
}

bool moment_is_before(const moment *m, const poly *p, const dyadic *x) {
  dyadic end;
  poly derivative;
  poly_chain chain;
  moment_end(m, &end);
  if (m->is_dyadic || dyadic_compare(x, &m->at) <= 0) return dyadic_compare(&m->at, x) < 0;
  if (dyadic_compare(&end, x) <= 0) return true;
  if (!poly_sign_at(p, x)) return false;
  poly_derivative(&derivative, p);
  chain_make(&chain, p, &derivative);
  return chain_variations(&chain, &m->at) > chain_variations(&chain, x);
}

/* ------------------------------------------------------------------------------------------------------------ roots */

/* The first or the second half of an interval. */
static void moment_half(moment *half, const moment *whole, int which) {
  big one;
  big_set(&one, which);
  half->is_dyadic = false;
  half->at.level = whole->at.level + 1;
  big_shift(&half->at.at, &whole->at.at, 1);
  big_add(&half->at.at, &half->at.at, &one);
}

/* Isolates the roots of p between 0 and 1; 0 and 1 are no roots. False if a point of bisection is a root, which is then
 * left in `root`. */
static bool poly_isolate(const poly *p, moment *found, int *count, dyadic *root) {
  poly derivative;
  poly_chain chain;
  moment open[POLY_MOST_ROOTS]; /* each contains two roots or more */
  poly_derivative(&derivative, p);
  chain_make(&chain, p, &derivative);
  *count = 0;
  open[0].is_dyadic = false, open[0].at.level = 0, big_set(&open[0].at.at, 0);
  int opened = chain_between(&chain, &open[0]) > 0; /* the first may contain one */
  while (opened) {
    const moment here = open[--opened];
    for (int which = 0; which < 2; ++which) {
      moment half;
      moment_half(&half, &here, which);
      if (which == 0) moment_end(&half, root);
      if (which == 0 && !poly_sign_at(p, root)) return false;
      const int roots = chain_between(&chain, &half);
      if (roots == 1) found[(*count)++] = half;
      else if (roots > 1) open[opened++] = half;
    }
  }
  return true;
}

int poly_roots(poly *p, moment found[POLY_MOST_ROOTS]) {
  dyadic end;
  moment exact[POLY_MOST_ROOTS];
  int exact_count = 0, count = 0;
  for (int i = 0; i < 2; ++i) end.level = 0, big_set(&end.at, i), poly_deflate(p, &end);
  while (!poly_isolate(p, found, &count, &end)) {
    exact[exact_count].is_dyadic = true;
    exact[exact_count++].at = end;
    poly_deflate(p, &end);
  }
  for (int i = 0; i < exact_count; ++i) found[count++] = exact[i];
  return count;
}
