/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* For small integer coordinates the cubic f(t), which is the volume of node and face, and the sides of the node with
 * respect to the edges are polynomials with integer coefficients. Sign changes of f are isolated by Bernstein
 * subdivision, and the sign of a side at a root of f is found by reducing it modulo f: nothing is ever rounded. */
#include "support/exact_crossing.h"

#include <math.h>

typedef struct quartic3 {
  quartic of[3];
} quartic3;

static quartic quartic_combine(quartic a, wide_int factor, quartic b) {
  for (int i = 0; i < 5; ++i) a.c[i] += factor * b.c[i];
  return a;
}

static quartic quartic_times(quartic a, quartic b) {
  quartic r = {0};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; i + j < 5; ++j) r.c[i + j] += a.c[i] * b.c[j];
  return r;
}

static quartic3 quartic3_sub(quartic3 a, quartic3 b) {
  for (int k = 0; k < 3; ++k) a.of[k] = quartic_combine(a.of[k], -1, b.of[k]);
  return a;
}

static quartic quartic3_dot(quartic3 a, quartic3 b) {
  quartic r = {0};
  for (int k = 0; k < 3; ++k) r = quartic_combine(r, 1, quartic_times(a.of[k], b.of[k]));
  return r;
}

static quartic3 quartic3_cross(quartic3 a, quartic3 b) {
  quartic3 r;
  for (int k = 0; k < 3; ++k)
    r.of[k] = quartic_combine(quartic_times(a.of[(k + 1) % 3], b.of[(k + 2) % 3]), -1,
                              quartic_times(a.of[(k + 2) % 3], b.of[(k + 1) % 3]));
  return r;
}

static quartic3 quartic3_of_path(const double from[3], const double to[3]) {
  quartic3 r = {0};
  for (int k = 0; k < 3; ++k) r.of[k].c[0] = (wide_int)from[k], r.of[k].c[1] = (wide_int)to[k] - (wide_int)from[k];
  return r;
}

static int quartic_degree(const quartic *p) {
  int degree = 4;
  while (degree > 0 && !p->c[degree]) --degree;
  return degree;
}

static int sign_of(wide_int v) { return (v > 0) - (v < 0); }

/* p modulo f times a positive factor: it has the same sign at every root of f. */
static quartic reduced(quartic p, const quartic *f) {
  const int degree = quartic_degree(f);
  const wide_int lead = f->c[degree];
  for (int k = 4; k >= degree; --k) {
    const wide_int factor = lead < 0 ? -p.c[k] : p.c[k];
    for (int i = 0; i < 5; ++i) p.c[i] *= lead < 0 ? -lead : lead;
    for (int i = 0; i <= degree; ++i) p.c[i + k - degree] -= factor * f->c[i];
  }
  return p;
}

/* --------------------------------------------------------------------------------------- sign changes of the cubic */

enum { DEPTH = 35, MOST_SIGN_CHANGES = sizeof((sign_changes *)NULL)->list / sizeof(sign_change) };

/* Bernstein coefficients of a cubic over one dyadic interval, times a positive number. */
typedef struct bernstein {
  wide_int b[4];
} bernstein;

static bernstein bernstein_of(const quartic *f) {
  const wide_int *c = f->c;
  return (bernstein){{3 * c[0], 3 * c[0] + c[1], 3 * c[0] + 2 * c[1] + c[2], 3 * (c[0] + c[1] + c[2] + c[3])}};
}

static bernstein left_half(bernstein f) {
  const wide_int *b = f.b;
  return (bernstein){{8 * b[0], 4 * (b[0] + b[1]), 2 * (b[0] + 2 * b[1] + b[2]), b[0] + 3 * b[1] + 3 * b[2] + b[3]}};
}

static bernstein mirrored(bernstein f) { return (bernstein){{f.b[3], f.b[2], f.b[1], f.b[0]}}; }
static bernstein right_half(bernstein f) { return mirrored(left_half(mirrored(f))); }

/* The sign just after the left end of the interval. */
static int sign_after_left(bernstein f) {
  for (int i = 0; i < 4; ++i)
    if (f.b[i]) return sign_of(f.b[i]);
  return 0;
}
static int sign_before_right(bernstein f) { return sign_after_left(mirrored(f)); }

/* The number of roots in the open interval, or more than that by an even number (Descartes). */
static int variations(bernstein f) {
  int count = 0, last = 0;
  for (int i = 0; i < 4; ++i) {
    const int sign = sign_of(f.b[i]);
    if (sign && last && sign != last) ++count;
    if (sign) last = sign;
  }
  return count;
}

static void add_sign_change(sign_changes *to, wide_int at, int width) {
  if (to->count < MOST_SIGN_CHANGES) to->list[to->count++] = (sign_change){at, width};
}

/* Interval `at` of 2^depth. The coefficients of f are so small that different roots are farther apart than an interval
 * of full depth, so there a change between its ends is one sign change. */
static void isolate(bernstein f, wide_int at, int depth, sign_changes *to) {
  const int roots = variations(f);
  if (!roots) return;
  if (depth == DEPTH) {
    if (sign_after_left(f) > 0 && sign_before_right(f) < 0) add_sign_change(to, at, 1);
    return;
  }
  const bernstein left = left_half(f), right = right_half(f);
  isolate(left, 2 * at, depth + 1, to);
  if (!right.b[0] && sign_before_right(left) > 0 && sign_after_left(right) < 0)
    add_sign_change(to, (2 * at + 1) << (DEPTH - depth - 1), 0);
  isolate(right, 2 * at + 1, depth + 1, to);
}

sign_changes find_sign_changes(const quartic *f) {
  sign_changes found = {0};
  const bernstein whole = bernstein_of(f);
  if (!whole.b[0] && sign_after_left(whole) < 0) add_sign_change(&found, 0, 0);
  isolate(whole, 0, 0, &found);
  return found;
}

int sign_at(quartic p, const quartic *f, sign_change at) {
  const quartic g = reduced(p, f);
  const wide_int one = (wide_int)1 << DEPTH, a = at.at, b = at.at + at.width;
  const wide_int g0 = g.c[0] * one * one, g1 = g.c[1] * one;
  const int left = sign_of(g0 + g1 * a + g.c[2] * a * a), right = sign_of(g0 + g1 * b + g.c[2] * b * b);
  const int middle = sign_of(2 * g0 + g1 * (a + b) + 2 * g.c[2] * a * b);
  return left == right && left == middle ? left : 0;
}

/* ----------------------------------------------------------------------------------------------------- the crossing */

/* Whether the node is inside the face at a sign change. */
static void judge_sign_change(const quartic *f, const quartic sides[3], const quartic *area2, sign_change at,
                              exact_crossing *answer) {
  if (sign_at(*area2, f, at) <= 0) {
    answer->collapses = true;
    return;
  }
  int smallest = 1;
  for (int i = 0; i < 3; ++i) {
    const int side = sign_at(sides[i], f, at);
    if (side < smallest) smallest = side;
  }
  if (smallest < 0 || answer->enters) return;
  answer->enters = true;
  answer->on_border = smallest == 0;
  answer->time = ldexp((double)(at.at + at.width), -DEPTH);
}

exact_crossing find_exact_crossing(const ipg_node_face_path *path) {
  const quartic3 p = quartic3_of_path(path->node[0], path->node[1]);
  quartic3 corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = quartic3_of_path(path->face[0][i], path->face[1][i]);
  const quartic3 n = quartic3_cross(quartic3_sub(corner[1], corner[0]), quartic3_sub(corner[2], corner[0]));
  const quartic f = quartic3_dot(quartic3_sub(p, corner[0]), n), area2 = quartic3_dot(n, n);
  quartic sides[3];
  for (int i = 0; i < 3; ++i) {
    const quartic3 a = corner[(i + 1) % 3], b = corner[(i + 2) % 3];
    sides[i] = quartic3_dot(quartic3_cross(quartic3_sub(b, a), quartic3_sub(p, a)), n);
  }
  const sign_changes found = find_sign_changes(&f);
  exact_crossing answer = {0};
  for (int i = 0; i < found.count; ++i) judge_sign_change(&f, sides, &area2, found.list[i], &answer);
  return answer;
}
