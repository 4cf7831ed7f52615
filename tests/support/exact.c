/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Coordinates become integers in units of their finest common power of two. The differences of the points, corner by
 * corner, span a triangle or a parallelogram; the two touch when it contains the origin. With n its normal and
 * f = n . corner:  touch at t  <=>  f = 0, and either n != 0 and the origin is on the inner side of every edge, or the
 * origin is on the segment between two corners, because a polygon without area consists of segments. All of these are
 * signs of polynomials in t. If f is not identically zero, only its roots are candidates. If it is, the first touch,
 * unless at the start, is where one of the conditions becomes true: at a root of one of their polynomials. */
#include "support/exact.h"

/* -------------------------------------------------------------------------------------------------- the polynomials */

static void poly_zero(poly *p) { p->degree = -1; }

static void poly_dot(poly *r, const poly a[3], const poly b[3]) {
  poly_zero(r);
  for (int k = 0; k < 3; ++k) poly_add_product(r, &a[k], &b[k]);
}

static void poly_cross(poly r[3], const poly a[3], const poly b[3]) {
  for (int k = 0; k < 3; ++k) {
    poly other;
    poly_zero(&r[k]), poly_zero(&other);
    poly_add_product(&r[k], &a[(k + 1) % 3], &b[(k + 2) % 3]);
    poly_add_product(&other, &a[(k + 2) % 3], &b[(k + 1) % 3]);
    poly_sub(&r[k], &other);
  }
}

static void poly_edge(poly r[3], const exact_question *q, int from, int to) {
  for (int k = 0; k < 3; ++k) {
    poly_copy(&r[k], &q->corner[to][k]);
    poly_sub(&r[k], &q->corner[from][k]);
  }
}

/* How far the origin is on the inner side of the edge from corner i to the next, times lengths. */
static void poly_inner_side(poly *r, const exact_question *q, int i) {
  poly edge[3], across[3];
  poly_edge(edge, q, i, (i + 1) % q->corners);
  poly_cross(across, q->corner[i], edge);
  poly_dot(r, q->normal, across);
}

/* ----------------------------------------------------------------------------------------------------- the question */

int last_bit(double x) {
  int exponent;
  const int64_t bits = (int64_t)ldexp(frexp(x, &exponent), 53);
  return bits ? exponent - 53 + __builtin_ctzll((unsigned long long)bits) : INT32_MAX;
}

/* The coordinate from a to b, each moving from its `from` to its `to`, as a polynomial in t. */
static void linear_difference(poly *r, const double from[2], const double to[2], int unit) {
  big a, b, at[2];
  for (int end = 0; end < 2; ++end) {
    big_from_double(&a, from[end], unit), big_from_double(&b, to[end], unit);
    big_sub(&at[end], &b, &a);
  }
  r->degree = 1;
  big_copy(&r->c[0], &at[0]);
  big_sub(&r->c[1], &at[1], &at[0]);
  poly_trim(r);
}

void exact_ask(exact_question *q, exact_kind kind, const double start[12], const double end[12]) {
  static const int pairs[2][EXACT_CORNERS][2] = {{{0, 1}, {0, 2}, {0, 3}, {0, 0}}, {{0, 2}, {0, 3}, {1, 3}, {1, 2}}};
  poly edge[2][3];
  int unit = INT32_MAX;
  for (int i = 0; i < 12; ++i) {
    if (last_bit(start[i]) < unit) unit = last_bit(start[i]);
    if (last_bit(end[i]) < unit) unit = last_bit(end[i]);
  }
  if (unit == INT32_MAX) unit = 0;
  q->corners = kind == EXACT_NODE_FACE ? 3 : 4;
  for (int i = 0; i < q->corners; ++i)
    for (int k = 0; k < 3; ++k) {
      const int a = 3 * pairs[kind][i][0] + k, b = 3 * pairs[kind][i][1] + k;
      linear_difference(&q->corner[i][k], (double[2]){start[a], end[a]}, (double[2]){start[b], end[b]}, unit);
    }
  poly_edge(edge[0], q, 0, 1), poly_edge(edge[1], q, 0, 2);
  poly_cross(q->normal, edge[0], edge[1]);
  poly_dot(&q->front, q->normal, q->corner[0]);
}

/* -------------------------------------------------------------------------------------------------- touch at a time */

/* All three components are zero. */
static bool sign_is_zero(const poly p[3], const poly *of, const moment *m) {
  for (int k = 0; k < 3; ++k)
    if (poly_sign_at_moment(&p[k], of, m)) return false;
  return true;
}

/* True if the origin is on the segment between two corners, which may be one. */
static bool exact_on_segment(const exact_question *q, int i, int j, const poly *of, const moment *m) {
  poly cross[3], dot;
  poly_dot(&dot, q->corner[i], q->corner[j]);
  if (poly_sign_at_moment(&dot, of, m) > 0) return false;
  poly_cross(cross, q->corner[i], q->corner[j]);
  return sign_is_zero(cross, of, m);
}

static bool exact_on_segments(const exact_question *q, const poly *of, const moment *m) {
  for (int i = 0; i < q->corners; ++i)
    for (int j = i; j < q->corners; ++j)
      if (exact_on_segment(q, i, j, of, m)) return true;
  return false;
}

/* The moment is a root of `of`, or dyadic. */
static bool exact_touch_at(const exact_question *q, const poly *of, const moment *m) {
  if (poly_sign_at_moment(&q->front, of, m)) return false;
  if (sign_is_zero(q->normal, of, m)) return exact_on_segments(q, of, m);
  for (int i = 0; i < q->corners; ++i) {
    poly side;
    poly_inner_side(&side, q, i);
    if (poly_sign_at_moment(&side, of, m) < 0) return false;
  }
  return true;
}

static bool exact_touch_at_time(const exact_question *q, const dyadic *t) {
  const moment m = {true, *t};
  return exact_touch_at(q, &q->front, &m);
}

/* True if they touch at a root of p strictly between 0 and t. */
static bool exact_touch_at_root(const exact_question *q, const poly *p, const dyadic *t) {
  poly left;
  moment found[POLY_MOST_ROOTS];
  if (p->degree < 1) return false;
  poly_copy(&left, p);
  const int count = poly_roots(&left, found);
  for (int i = 0; i < count; ++i)
    if (moment_is_before(&found[i], &left, t) && exact_touch_at(q, &left, &found[i])) return true;
  return false;
}

/* Where f is identically zero: at a root of a condition. */
static bool exact_touch_in_plane(const exact_question *q, const dyadic *t) {
  for (int i = 0; i < q->corners; ++i) {
    poly side;
    poly_inner_side(&side, q, i);
    if (exact_touch_at_root(q, &side, t)) return true;
  }
  const bool has_area = q->normal[0].degree >= 0 || q->normal[1].degree >= 0 || q->normal[2].degree >= 0;
  for (int i = 0; i < q->corners && !has_area; ++i)
    for (int j = i; j < q->corners; ++j) {
      poly p[4];
      poly_cross(p, q->corner[i], q->corner[j]), poly_dot(&p[3], q->corner[i], q->corner[j]);
      for (int k = 0; k < 4; ++k)
        if (exact_touch_at_root(q, &p[k], t)) return true;
    }
  return false;
}

/* True if the four Bernstein coefficients of f, times a positive number, have one sign: then f has no root. */
static bool has_no_root(const poly *f) {
  static const int factor[4][4] = {{1, 0, 0, 0}, {3, 1, 0, 0}, {3, 2, 1, 0}, {1, 1, 1, 1}};
  int signs = 0;
  for (int i = 0; i < 4; ++i) {
    big sum, term, times;
    big_set(&sum, 0);
    for (int j = 0; j <= f->degree; ++j) {
      big_set(&times, factor[i][j]);
      big_mul(&term, &f->c[j], &times);
      big_add(&sum, &sum, &term);
    }
    signs += sum.sign;
  }
  return signs == 4 || signs == -4;
}

bool exact_touch(const exact_question *q, double t, bool at_t_too) {
  dyadic start, end;
  if (has_no_root(&q->front)) return false;
  dyadic_from_double(&start, 0), dyadic_from_double(&end, t);
  if (at_t_too && exact_touch_at_time(q, &end)) return true;
  if (t > 0 && exact_touch_at_time(q, &start)) return true;
  return q->front.degree >= 0 ? exact_touch_at_root(q, &q->front, &end) : exact_touch_in_plane(q, &end);
}
