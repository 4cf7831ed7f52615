/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Exact geometry, compared with exact arithmetic.
 * Closest points: a dense sampling gives an upper bound of the distance, and the condition that holds at the closest
 * point of a convex set (no corner lies on the near side of the plane through it) confirms the point. Node against
 * face: for small-integer coordinates the cubic f(t) and the sides of the edges are polynomials with integer
 * coefficients; crossings are isolated by Bernstein subdivision, and the sign of a side at a root of f is found by
 * reducing it modulo f: nothing is ever rounded. The code may find too many crossings, never too few. */
#include "impinge/narrow.h"
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ small vectors */

static void sub(const double a[3], const double b[3], double r[3]) {
  for (int k = 0; k < 3; ++k) r[k] = a[k] - b[k];
}
static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double length(const double a[3]) { return sqrt(dot(a, a)); }
static void cross(const double a[3], const double b[3], double r[3]) {
  for (int k = 0; k < 3; ++k) r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static void normal(double f[3][3], double n[3]) {
  double u[3], v[3];
  sub(f[1], f[0], u), sub(f[2], f[0], v), cross(u, v, n);
}
static void mix(double f[3][3], const double w[3], double r[3]) {
  for (int k = 0; k < 3; ++k) r[k] = w[0] * f[0][k] + w[1] * f[1][k] + w[2] * f[2][k];
}
static void along(const double from[3], double s, const double direction[3], double r[3]) {
  for (int k = 0; k < 3; ++k) r[k] = from[k] + s * direction[k];
}
static void random_point(rng *r, double size, double p[3]) {
  for (int k = 0; k < 3; ++k) p[k] = rng_between(r, -size, size);
}
/* Corner weights of a point inside, sometimes on an edge or at a corner. */
static void random_weights(rng *r, double w[3]) {
  const int zero = rng_int(r, 0, 15);
  double sum = 0;
  for (int i = 0; i < 3; ++i) w[i] = zero == i || zero == (i + 1) % 3 + 3 || zero == (i + 2) % 3 + 3 ? 0 : rng_unit(r);
  for (int i = 0; i < 3; ++i) sum += w[i];
  for (int i = 0; i < 3; ++i) w[i] = sum > 0 ? w[i] / sum : 1. / 3;
}
static double power_of_ten(rng *r, double lo, double hi) { return pow(10, rng_between(r, lo, hi)); }

/* ------------------------------------------------------------------------------------------------- closest points */

static double compute_distance(const double p[3], double f[3][3], const double w[3]) {
  double q[3], to[3];
  mix(f, w, q), sub(p, q, to);
  return length(to);
}

static double sample_distance(const double p[3], double f[3][3]) {
  enum { STEPS = 16 };
  double best = INFINITY;
  for (int i = 0; i <= STEPS; ++i)
    for (int j = 0; i + j <= STEPS; ++j) {
      const double w[3] = {(double)i / STEPS, (double)j / STEPS, (double)(STEPS - i - j) / STEPS};
      best = fmin(best, compute_distance(p, f, w));
    }
  return best;
}

/* The largest height of a corner over the plane through q normal to p - q; not above zero at the closest point. */
static double find_overreach(const double p[3], double f[3][3], const double w[3]) {
  double q[3], to[3], worst = -INFINITY;
  mix(f, w, q), sub(p, q, to);
  for (int i = 0; i < 3; ++i) {
    double corner[3];
    sub(f[i], q, corner);
    worst = fmax(worst, dot(to, corner));
  }
  return worst;
}

static double compute_size(const double p[3], double f[3][3]) {
  double size = 0, to[3];
  for (int i = 0; i < 3; ++i) {
    sub(p, f[i], to), size = fmax(size, length(to));
    sub(f[(i + 1) % 3], f[i], to), size = fmax(size, length(to));
  }
  return size;
}

typedef struct closest_count {
  int64_t tested, weights, farther, conditions;
  double worst;
} closest_count;

static void check_closest(closest_count *c, const double p[3], double f[3][3], double tolerance) {
  double w[3];
  ipg_closest_on_triangle(p, f[0], f[1], f[2], w);
  const double size = compute_size(p, f), excess = compute_distance(p, f, w) - sample_distance(p, f);
  c->tested++;
  c->weights += !(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabs(w[0] + w[1] + w[2] - 1) <= 1e-15);
  c->farther += !(excess <= tolerance * size);
  c->conditions += !(find_overreach(p, f, w) <= 10 * tolerance * size * size);
  c->worst = fmax(c->worst, size > 0 ? excess / size : 0);
}

static void check_closest_count(const char *what, const closest_count *c) {
  printf("\n    %s: %lld, at most %.1e farther than the sampling ... ", what, (long long)c->tested, c->worst);
  CU_ASSERT_EQUAL(c->weights, 0);
  CU_ASSERT_EQUAL(c->farther, 0);
  CU_ASSERT_EQUAL(c->conditions, 0);
}

static void test_closest_regions(void) {
  static const double f[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  static const struct {
    double p[3], w[3];
  } cases[] = {
      {{1, 1, 0}, {.5, .25, .25}}, {{1, 1, 7}, {.5, .25, .25}}, {{1, 2, -3}, {.25, .25, .5}}, /* interior */
      {{-1, -2, 5}, {1, 0, 0}},    {{9, 0, 0}, {0, 1, 0}},      {{9, -1, 1}, {0, 1, 0}},      /* corners */
      {{-1, 12, 0}, {0, 0, 1}},    {{0, 0, 0}, {1, 0, 0}},      {{4, 0, 0}, {0, 1, 0}},
      {{1, -3, 2}, {.75, .25, 0}}, {{-2, 3, 1}, {.25, 0, .75}}, {{3, 3, 1}, {0, .5, .5}}, /* edges */
      {{4, 2, 0}, {0, .75, .25}},  {{2, 2, 0}, {0, .5, .5}},    {{0, 1, -9}, {.75, 0, .25}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double w[3];
    ipg_closest_on_triangle(cases[i].p, f[0], f[1], f[2], w);
    for (int k = 0; k < 3; ++k) CU_ASSERT_EQUAL(w[k], cases[i].w[k]);
  }
}

/* In any unit of length: the same result, to the bit. */
static void test_units_of_length(void) {
  const double units[] = {0x1p190, 0x1p-190};
  rng r = rng_start(77);
  long hits = 0;
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    ipg_node_face_path path, scaled;
    double *at = (double *)&path;
    ipg_crossing here = {0, 0}, there = {0, 0};
    for (size_t k = 0; k < sizeof path / sizeof(double); ++k) at[k] = rng_between(&r, -1, 1);
    const bool enters = ipg_node_enters_face(&path, &here);
    for (int u = 0; u < 2; ++u) {
      for (size_t k = 0; k < sizeof path / sizeof(double); ++k) ((double *)&scaled)[k] = units[u] * at[k];
      CU_ASSERT_EQUAL(ipg_node_enters_face(&scaled, &there), enters);
      CU_ASSERT(!enters || (here.earliest == there.earliest && here.latest == there.latest));
    }
    hits += enters;
  }
  CU_ASSERT(hits > suite_scenes() / 4);
}

static void test_closest_random(void) {
  rng r = rng_start(1);
  closest_count c = {0};
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    double f[3][3], p[3];
    for (int k = 0; k < 3; ++k) random_point(&r, 1, f[k]);
    random_point(&r, i % 3 ? 2 : 100, p);
    check_closest(&c, p, f, 1e-9);
  }
  check_closest_count("random", &c);
}

/* Triangles of any height down to zero, in any direction, as needles (a short edge) or caps (a flat corner). */
static void random_sliver(rng *r, double height, double f[3][3]) {
  double axis[3], side[3], other[3];
  random_point(r, 1, f[0]), random_point(r, 1, axis), random_point(r, 1, other), cross(axis, other, side);
  const double scale = height / length(side);
  along(f[0], 1, axis, f[1]);
  along(f[0], rng_int(r, 0, 1) ? rng_unit(r) : 1, axis, f[2]);
  along(f[2], scale, side, f[2]);
}

static void test_closest_slivers(void) {
  rng r = rng_start(2);
  closest_count c = {0};
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    double f[3][3], p[3], w[3];
    random_sliver(&r, i % 5 ? power_of_ten(&r, -18, 0) : 0, f);
    random_point(&r, 2, p);
    if (i % 4 == 0) random_weights(&r, w), mix(f, w, p);
    if (i % 8 == 0) along(p, power_of_ten(&r, -12, 0), (double[3]){1, 1, 1}, p);
    check_closest(&c, p, f, 1e-7);
  }
  check_closest_count("slivers", &c);
}

/* The smallest area that is not zero, and a node on it: the weights are valid. */
static void test_closest_tiny(void) {
  closest_count c = {0};
  for (int e = -1074; e <= 0; e += 3) {
    double f[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, ldexp(1, e), 0}}, g[3][3], p[3] = {0.25, 0, 0};
    check_closest(&c, p, f, 1e-9);
    p[1] = ldexp(1, e - 1), check_closest(&c, p, f, 1e-9);
    for (int i = 0; i < 9; ++i) g[i / 3][i % 3] = ldexp(f[i / 3][i % 3], e < -500 ? -500 : e);
    check_closest(&c, p, g, 1e-9);
    check_closest(&c, g[1], g, 1e-9);
  }
  check_closest_count("tiny", &c);
}

/* No area at all, in small integers, where that is exact: segments and points. */
static void test_closest_degenerate(void) {
  rng r = rng_start(3);
  closest_count c = {0};
  for (long i = 0; i < 2 * suite_scenes(); ++i) {
    double f[3][3], p[3], step[3];
    for (int k = 0; k < 3; ++k) {
      f[0][k] = rng_int(&r, -3, 3), p[k] = rng_int(&r, -9, 9);
      step[k] = i % 3 ? rng_int(&r, -2, 2) : 0;
    }
    along(f[0], rng_int(&r, -2, 2), step, f[1]);
    along(f[0], rng_int(&r, -2, 2), step, f[2]);
    check_closest(&c, p, f, 1e-12);
  }
  check_closest_count("no area", &c);
}

/* --------------------------------------------------------------------------------------- closest points of segments */

static double compute_segment_distance(const double x[12], const double w[2]) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double p = x[k] + w[0] * (x[3 + k] - x[k]), q = x[6 + k] + w[1] * (x[9 + k] - x[6 + k]);
    sum += (p - q) * (p - q);
  }
  return sqrt(sum);
}

static double sample_segment_distance(const double x[12]) {
  enum { STEPS = 24 };
  double best = INFINITY;
  for (int i = 0; i <= STEPS; ++i)
    for (int j = 0; j <= STEPS; ++j)
      best = fmin(best, compute_segment_distance(x, (double[2]){(double)i / STEPS, (double)j / STEPS}));
  return best;
}

/* The decrease of the distance by a small step along either segment; zero at the minimum, since the distance is convex.
 */
static double find_gain_nearby(const double x[12], const double w[2]) {
  double gain = 0;
  for (int i = 0; i < 8; ++i) {
    static const double steps[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    double v[2];
    for (int k = 0; k < 2; ++k) v[k] = fmin(1, fmax(0, w[k] + 1e-3 * steps[i][k]));
    gain = fmax(gain, compute_segment_distance(x, w) - compute_segment_distance(x, v));
  }
  return gain;
}

/* Any two segments; parallel, or nearly so; degenerate to points; crossing, or sharing an end. */
static void random_segments(rng *r, int which, double x[12]) {
  for (int i = 0; i < 12; ++i) x[i] = rng_between(r, -1, 1);
  const double angle = which % 6 == 1 ? 0 : pow(10, rng_between(r, -17, -1)), s = rng_between(r, -2, 2);
  for (int k = 0; k < 3; ++k) {
    if (which % 6 == 1 || which % 6 == 2) x[9 + k] = x[6 + k] + s * (x[3 + k] - x[k]) + angle * x[9 + k];
    if (which % 6 == 3) x[3 + k] = x[k] + (which % 12 == 3 ? 0 : angle * x[3 + k]);
    if (which % 18 == 3) x[9 + k] = x[6 + k];
    if (which % 6 == 4) x[9 + k] = 2 * (0.3 * x[k] + 0.7 * x[3 + k]) - x[6 + k];
    if (which % 6 == 5) x[6 + k] = x[k];
  }
}

static void test_closest_segments(void) {
  rng r = rng_start(12);
  int64_t outside = 0, farther = 0, gains = 0;
  double worst = 0;
  for (int i = 0; i < 10 * suite_scenes(); ++i) {
    double x[12], w[2];
    random_segments(&r, i, x);
    ipg_closest_on_segments(x, x + 3, x + 6, x + 9, w);
    outside += !(w[0] >= 0 && w[0] <= 1 && w[1] >= 0 && w[1] <= 1);
    const double excess = compute_segment_distance(x, w) - sample_segment_distance(x);
    farther += !(excess <= 1e-12), gains += !(find_gain_nearby(x, w) <= 1e-12);
    worst = fmax(worst, fmax(excess, find_gain_nearby(x, w)));
  }
  printf("\n    at most %.1e farther than necessary ", worst);
  CU_ASSERT_EQUAL(outside, 0);
  CU_ASSERT_EQUAL(farther, 0);
  CU_ASSERT_EQUAL(gains, 0);
}

/* ----------------------------------------------------------------------------------------- polynomials in integers */

__extension__ typedef __int128 wide;

/* c[0] + c[1] t + ... + c[4] t^4. */
typedef struct poly {
  wide c[5];
} poly;

typedef struct pvec {
  poly of[3];
} pvec;

static poly poly_combine(poly a, wide factor, poly b) {
  for (int i = 0; i < 5; ++i) a.c[i] += factor * b.c[i];
  return a;
}

static poly poly_multiply(poly a, poly b) {
  poly r = {0};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; i + j < 5; ++j) r.c[i + j] += a.c[i] * b.c[j];
  return r;
}

static pvec pvec_subtract(pvec a, pvec b) {
  for (int k = 0; k < 3; ++k) a.of[k] = poly_combine(a.of[k], -1, b.of[k]);
  return a;
}

static poly pvec_dot(pvec a, pvec b) {
  poly r = {0};
  for (int k = 0; k < 3; ++k) r = poly_combine(r, 1, poly_multiply(a.of[k], b.of[k]));
  return r;
}

static pvec pvec_cross(pvec a, pvec b) {
  pvec r;
  for (int k = 0; k < 3; ++k)
    r.of[k] = poly_combine(poly_multiply(a.of[(k + 1) % 3], b.of[(k + 2) % 3]), -1,
                           poly_multiply(a.of[(k + 2) % 3], b.of[(k + 1) % 3]));
  return r;
}

static pvec make_pvec(const double from[3], const double to[3]) {
  pvec r = {0};
  for (int k = 0; k < 3; ++k) r.of[k].c[0] = (wide)from[k], r.of[k].c[1] = (wide)to[k] - (wide)from[k];
  return r;
}

static int poly_degree(const poly *p) {
  int degree = 4;
  while (degree > 0 && !p->c[degree]) --degree;
  return degree;
}

static int sign_of(wide v) { return (v > 0) - (v < 0); }

/* p modulo f, up to a positive factor: the same sign at every root of f. */
static poly reduce_poly(poly p, const poly *f) {
  const int degree = poly_degree(f);
  const wide lead = f->c[degree];
  for (int k = 4; k >= degree; --k) {
    const wide factor = lead < 0 ? -p.c[k] : p.c[k];
    for (int i = 0; i < 5; ++i) p.c[i] *= lead < 0 ? -lead : lead;
    for (int i = 0; i <= degree; ++i) p.c[i + k - degree] -= factor * f->c[i];
  }
  return p;
}

/* -------------------------------------------------------------------------------------- crossings, exactly isolated */

/* A time when f goes from positive (or from zero at the start) to negative: in [at, at + width] / 2^DEPTH. */
enum { DEPTH = 35, MOST_CROSSINGS = 4 };

typedef struct crossing {
  wide at;
  int width;
} crossing;

typedef struct crossings {
  crossing list[MOST_CROSSINGS];
  int count;
} crossings;

/* Bernstein coefficients of a cubic over one dyadic interval, times a positive number. */
typedef struct bernstein {
  wide b[4];
} bernstein;

static bernstein make_bernstein(const poly *f) {
  const wide *c = f->c;
  return (bernstein){{3 * c[0], 3 * c[0] + c[1], 3 * c[0] + 2 * c[1] + c[2], 3 * (c[0] + c[1] + c[2] + c[3])}};
}

static bernstein take_left_half(bernstein f) {
  const wide *b = f.b;
  return (bernstein){{8 * b[0], 4 * (b[0] + b[1]), 2 * (b[0] + 2 * b[1] + b[2]), b[0] + 3 * b[1] + 3 * b[2] + b[3]}};
}

static bernstein mirror(bernstein f) { return (bernstein){{f.b[3], f.b[2], f.b[1], f.b[0]}}; }
static bernstein take_right_half(bernstein f) { return mirror(take_left_half(mirror(f))); }

/* The sign right after the left end of the interval. */
static int sign_after_left(bernstein f) {
  for (int i = 0; i < 4; ++i)
    if (f.b[i]) return sign_of(f.b[i]);
  return 0;
}
static int sign_before_right(bernstein f) { return sign_after_left(mirror(f)); }

/* The number of roots in the open interval, or larger by an even number (Descartes). */
static int count_variations(bernstein f) {
  int count = 0, last = 0;
  for (int i = 0; i < 4; ++i) {
    const int sign = sign_of(f.b[i]);
    if (sign && last && sign != last) ++count;
    if (sign) last = sign;
  }
  return count;
}

static void add_crossing(crossings *to, wide at, int width) {
  if (to->count < MOST_CROSSINGS) to->list[to->count++] = (crossing){at, width};
}

/* Interval `at` of 2^depth. At full depth only equal roots share an interval (the coefficients of f are so small that
 * different ones lie farther apart), so a change of sign is a crossing. */
static void isolate_crossings(bernstein f, wide at, int depth, crossings *to) {
  const int roots = count_variations(f);
  if (!roots) return;
  if (depth == DEPTH) {
    if (sign_after_left(f) > 0 && sign_before_right(f) < 0) add_crossing(to, at, 1);
    return;
  }
  const bernstein left = take_left_half(f), right = take_right_half(f);
  isolate_crossings(left, 2 * at, depth + 1, to);
  if (!right.b[0] && sign_before_right(left) > 0 && sign_after_left(right) < 0)
    add_crossing(to, (2 * at + 1) << (DEPTH - depth - 1), 0);
  isolate_crossings(right, 2 * at + 1, depth + 1, to);
}

static crossings find_crossings(const poly *f) {
  crossings found = {0};
  const bernstein whole = make_bernstein(f);
  if (!whole.b[0] && sign_after_left(whole) < 0) add_crossing(&found, 0, 0);
  isolate_crossings(whole, 0, 0, &found);
  return found;
}

/* The sign of p at the crossing; 0 if it is zero there or too close to zero for the isolation. */
static int find_sign_at(poly p, const poly *f, crossing at) {
  const poly g = reduce_poly(p, f);
  const wide one = (wide)1 << DEPTH, a = at.at, b = at.at + at.width;
  const wide g0 = g.c[0] * one * one, g1 = g.c[1] * one;
  const int left = sign_of(g0 + g1 * a + g.c[2] * a * a), right = sign_of(g0 + g1 * b + g.c[2] * b * b);
  const int middle = sign_of(2 * g0 + g1 * (a + b) + 2 * g.c[2] * a * b);
  return left == right && left == middle ? left : 0;
}

/* ------------------------------------------------------------------------------------------------- the exact result */

typedef struct exact_result {
  bool enters;    /* through the closed interior, while the face has area */
  bool collapses; /* a crossing at which the face has no area: any result of the code is accepted */
  bool on_border; /* the first entry is on an edge or at a corner */
  double time;    /* not before the first entry, by less than 2^-35 */
} exact_result;

static void classify_crossing(const poly *f, const poly sides[3], const poly *area2, crossing at,
                              exact_result *result) {
  if (find_sign_at(*area2, f, at) <= 0) {
    result->collapses = true;
    return;
  }
  int smallest = 1;
  for (int i = 0; i < 3; ++i) {
    const int side = find_sign_at(sides[i], f, at);
    if (side < smallest) smallest = side;
  }
  if (smallest < 0 || result->enters) return;
  result->enters = true;
  result->on_border = smallest == 0;
  result->time = ldexp((double)(at.at + at.width), -DEPTH);
}

static exact_result compute_exactly(const ipg_node_face_path *path) {
  const pvec p = make_pvec(path->node[0], path->node[1]);
  pvec corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = make_pvec(path->face[0][i], path->face[1][i]);
  const pvec n = pvec_cross(pvec_subtract(corner[1], corner[0]), pvec_subtract(corner[2], corner[0]));
  const poly f = pvec_dot(pvec_subtract(p, corner[0]), n), area2 = pvec_dot(n, n);
  poly sides[3];
  for (int i = 0; i < 3; ++i) {
    const pvec a = corner[(i + 1) % 3], b = corner[(i + 2) % 3];
    sides[i] = pvec_dot(pvec_cross(pvec_subtract(b, a), pvec_subtract(p, a)), n);
  }
  const crossings found = find_crossings(&f);
  exact_result result = {0};
  for (int i = 0; i < found.count; ++i) classify_crossing(&f, sides, &area2, found.list[i], &result);
  return result;
}

/* ---------------------------------------------------------------------------- integer paths, compared with exact */

static void draw_integer_point(rng *r, int most, double p[3]) {
  for (int k = 0; k < 3; ++k) p[k] = rng_int(r, -most, most);
}

static void aim_at_face(rng *r, ipg_node_face_path *path) {
  for (int k = 0; k < 3; ++k) {
    const double middle = path->face[0][0][k] + path->face[0][1][k] + path->face[0][2][k] + path->face[1][0][k] +
                          path->face[1][1][k] + path->face[1][2][k];
    path->node[1][k] = round(middle / 3 - path->node[0][k]) + rng_int(r, -1, 1);
    path->node[1][k] = fmin(3, fmax(-3, path->node[1][k]));
  }
}

/* Kinds of paths: arbitrary; a fixed face; few positions (many coincide); all move together; aimed at the face; from a
 * point of the face. */
static ipg_node_face_path draw_integer_path(rng *r, long number) {
  const int kind = (int)(number % 6), most = kind == 2 ? 1 : 3;
  ipg_node_face_path path;
  for (int end = 0; end < 2; ++end) {
    draw_integer_point(r, most, path.node[end]);
    for (int i = 0; i < 3; ++i) draw_integer_point(r, most, path.face[end][i]);
  }
  if (kind == 1 || kind == 3) memcpy(path.face[1], path.face[0], sizeof path.face[0]);
  if (kind == 3)
    for (int i = 0; i < 9; ++i) path.face[1][i / 3][i % 3] += (double)(number / 6 % 7 - 3) * (i % 3 == 1);
  if (kind == 4) aim_at_face(r, &path);
  if (kind == 5) memcpy(path.node[0], path.face[0][number / 6 % 3], sizeof path.node[0]);
  return path;
}

static void print_path(const char *what, const ipg_node_face_path *path) {
  printf("\n    %s: node", what);
  for (int end = 0; end < 2; ++end)
    printf(" (%.17g %.17g %.17g)", path->node[end][0], path->node[end][1], path->node[end][2]);
  for (int i = 0; i < 3; ++i) {
    printf(" %c", 'a' + i);
    for (int end = 0; end < 2; ++end)
      printf(" (%.17g %.17g %.17g)", path->face[end][i][0], path->face[end][i][1], path->face[end][i][2]);
  }
}

typedef struct score {
  int64_t tested, entries, on_border, collapses, collapses_not_found, misses, false_hits, late;
} score;

static bool is_in_step(ipg_crossing at) { return at.earliest >= 0 && at.earliest <= at.latest && at.latest <= 1; }

static void compare_with_exact(const ipg_node_face_path *path, score *s) {
  ipg_crossing at = {-1, -1};
  const bool found = ipg_node_enters_face(path, &at);
  const exact_result exact = compute_exactly(path);
  const bool missed = exact.enters && !found, late = found && exact.enters && !(at.earliest <= exact.time + 1e-14);
  if ((missed || late) && s->misses + s->late < 5) print_path(missed ? "missed" : "late", path);
  s->tested++;
  s->entries += exact.enters;
  s->on_border += exact.on_border;
  s->collapses += exact.collapses && !exact.enters;
  s->collapses_not_found += exact.collapses && !exact.enters && !found;
  s->misses += missed;
  s->late += late || (found && !is_in_step(at));
  s->false_hits += found && !exact.enters && !exact.collapses;
}

static void test_integer_paths(void) {
  rng r = rng_start(4);
  score s = {0};
  for (long i = 0; i < 30 * suite_scenes(); ++i) {
    const ipg_node_face_path path = draw_integer_path(&r, i);
    compare_with_exact(&path, &s);
  }
  printf("\n    %lld paths, %lld enter (%lld on a border): %lld missed, %lld late, %lld false", (long long)s.tested,
         (long long)s.entries, (long long)s.on_border, (long long)s.misses, (long long)s.late, (long long)s.false_hits);
  printf("\n    %lld cross the plane as the face collapses, %lld of them not found ... ", (long long)s.collapses,
         (long long)s.collapses_not_found);
  CU_ASSERT(s.entries > s.tested / 50 && s.on_border > s.tested / 500);
  CU_ASSERT_EQUAL(s.misses, 0);
  CU_ASSERT_EQUAL(s.late, 0);
}

/* The exact computation on simple cases. */
static void test_exact_oracle(void) {
  ipg_node_face_path path = {.node = {{1, 1, 1}, {1, 1, -3}},
                             .face = {{{0, 0, 0}, {3, 0, 0}, {0, 3, 0}}, {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}}}};
  exact_result result = compute_exactly(&path);
  CU_ASSERT(result.enters && result.time == 0.25 && !result.on_border && !result.collapses);
  path.node[0][0] = path.node[1][0] = 2;
  result = compute_exactly(&path);
  CU_ASSERT(result.enters && result.on_border);
  path.node[0][0] = path.node[1][0] = 3;
  CU_ASSERT(!compute_exactly(&path).enters);
  path.node[0][0] = path.node[1][0] = 1, path.node[0][2] = 0;
  result = compute_exactly(&path);
  CU_ASSERT(result.enters && result.time == 0);
  path.node[1][2] = 3;
  CU_ASSERT(!compute_exactly(&path).enters);
  path.node[0][2] = -1;
  CU_ASSERT(!compute_exactly(&path).enters);
  const poly twice = {{1, -4, 4, 0, 0}}, thrice = {{1, -6, 12, -8, 0}}, third = {{1, -3, 0, 0, 0}};
  CU_ASSERT_EQUAL(find_crossings(&twice).count, 0);
  CU_ASSERT_EQUAL(find_crossings(&thrice).count, 1);
  const crossings at_third = find_crossings(&third);
  CU_ASSERT_EQUAL(at_third.count, 1);
  CU_ASSERT_EQUAL(find_sign_at((poly){{-1, 3, 0, 0, 0}}, &third, at_third.list[0]), 0);
  CU_ASSERT_EQUAL(find_sign_at((poly){{-1, 0, 9, 1, 0}}, &third, at_third.list[0]), 1);
  CU_ASSERT_EQUAL(find_sign_at((poly){{-1, 0, 9, 0, -1}}, &third, at_third.list[0]), -1);
}

/* ----------------------------------------------------------------------------------------------------- direct cases */

static ipg_node_face_path make_path_over_face(double x, double y, double from, double to) {
  return (ipg_node_face_path){.node = {{x, y, from}, {x, y, to}},
                              .face = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}};
}

static void check_entry(const ipg_node_face_path *path, double at) {
  ipg_crossing found = {-1, -1};
  CU_ASSERT(ipg_node_enters_face(path, &found));
  CU_ASSERT(found.earliest <= at && found.earliest >= at - 1e-9 && is_in_step(found));
  CU_ASSERT(found.latest >= at - 4 * DBL_EPSILON && found.latest <= at + 1e-9);
}

static void check_no_entry(const ipg_node_face_path *path) {
  ipg_crossing found;
  CU_ASSERT(!ipg_node_enters_face(path, &found));
}

static void test_direct_cases(void) {
  ipg_node_face_path path = make_path_over_face(0.2, 0.3, 1, -1);
  check_entry(&path, 0.5);
  path = make_path_over_face(0.2, 0.3, 10, -30), check_entry(&path, 0.25); /* fast */
  path = make_path_over_face(0.2, 0.3, 0, -1e-3), check_entry(&path, 0);   /* from the face */
  path = make_path_over_face(0.2, 0.3, -1e-12, -1), check_entry(&path, 0); /* from behind it, by rounding */
  path = make_path_over_face(0, 0, 1, -1), check_entry(&path, 0.5);        /* corner */
  path = make_path_over_face(0.5, 0.5, 1, -1), check_entry(&path, 0.5);    /* edge */
  path = make_path_over_face(0.2, 0.3, 1, 0), check_no_entry(&path);       /* just arrives */
  path = make_path_over_face(0.2, 0.3, 0, 0), check_no_entry(&path);       /* rests */
  path = make_path_over_face(0.2, 0.3, -1, 1), check_no_entry(&path);      /* leaves from the back */
  path = make_path_over_face(0.2, 0.3, 0, 1), check_no_entry(&path);       /* lifts off */
  path = make_path_over_face(0.2, 0.3, -1e-3, -1), check_no_entry(&path);  /* is behind and stays */
  path = make_path_over_face(0.2, 0.3, 1e-3, 1), check_no_entry(&path);
  path = make_path_over_face(0.7, 0.7, 1, -1), check_no_entry(&path); /* outside */
  path = make_path_over_face(-0.01, 0.5, 1, -1), check_no_entry(&path);
  path = make_path_over_face(0.2, 0.3, 0, 0), path.node[1][0] = 5, check_no_entry(&path); /* slides along */
  path = make_path_over_face(0.2, 0.3, 0, 0), path.node[1][0] = 0.4, check_no_entry(&path);
}

/* The faster the node relative to the face, the wider the bracket; it still contains the time. */
static void test_fast_nodes(void) {
  for (double speed = 1; speed < 1e9; speed *= 10) {
    const ipg_node_face_path path = make_path_over_face(0.2, 0.3, speed, -3 * speed);
    ipg_crossing found;
    CU_ASSERT(ipg_node_enters_face(&path, &found));
    CU_ASSERT(found.earliest <= 0.25 && found.latest >= 0.25 - 4 * DBL_EPSILON && is_in_step(found));
  }
}

/* A node that starts behind the face by 1e-12 of its size counts as being in front; relative to the turning face it
 * first rises, though not up to the plane, and is then overtaken: f(t) = -1e-12 + rise t - t^2 / 2. */
static void test_start_behind(void) {
  for (double rise = 1e-16; rise < 1; rise *= 10) {
    const ipg_node_face_path path = {.node = {{0.25, 0.25, -1e-12}, {0.75, 0.25, 0.25 + rise - 1e-12}},
                                     .face = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 1}, {0, 1, 0}}}};
    ipg_crossing found;
    CU_ASSERT(ipg_node_enters_face(&path, &found));
  }
}

/* Both sides of a wall as thin as 1e-6: the far side is crossed from its back, so it is not entered. */
static void test_thin_wall(void) {
  ipg_node_face_path near_side = make_path_over_face(0.25, 0.25, 10, -10), far_side = near_side;
  for (int end = 0; end < 2; ++end) {
    const double corners[3][3] = {{0, 0, -1e-6}, {0, 1, -1e-6}, {1, 0, -1e-6}};
    memcpy(far_side.face[end], corners, sizeof corners);
  }
  check_entry(&near_side, 0.5);
  check_no_entry(&far_side);
}

/* The node is at rest and the face turns through it; the reverse motion is no entry. */
static void test_turning_face(void) {
  ipg_node_face_path path = {.node = {{1, 0, 0.5}, {1, 0, 0.5}},
                             .face = {{{0, -1, 0}, {9, -1, 0}, {0, 9, 0}}, {{0, -1, 0}, {9, -1, 9}, {0, 9, 0}}}};
  ipg_crossing found;
  CU_ASSERT(ipg_node_enters_face(&path, &found));
  CU_ASSERT(found.earliest > 0 && found.latest < 1 && found.earliest <= found.latest);
  const ipg_node_face_path back = {.node = {{1, 0, 0.5}, {1, 0, 0.5}},
                                   .face = {{{0, -1, 0}, {9, -1, 9}, {0, 9, 0}}, {{0, -1, 0}, {9, -1, 0}, {0, 9, 0}}}};
  check_no_entry(&back);
}

/* Faces without area, coincident points, coordinates far too large or small: any result, but within the step. */
static void test_degenerate_faces(void) {
  rng r = rng_start(5);
  int64_t strange = 0;
  for (long i = 0; i < suite_scenes(); ++i) {
    ipg_node_face_path path = draw_integer_path(&r, 2);
    const double scale = i % 3 == 0 ? 1 : i % 3 == 1 ? 1e150 : 1e-150;
    memcpy(path.face[0][i % 2], path.face[0][2], sizeof path.face[0][2]);
    if (i % 5) memcpy(path.face[1][i % 2], path.face[1][2], sizeof path.face[1][2]);
    if (i % 7 == 0) memcpy(path.face[0][0], path.face[0][1], sizeof path.face[0][1]);
    for (int k = 0; k < 6; ++k) path.node[k / 3][k % 3] *= scale;
    for (int k = 0; k < 18; ++k) path.face[k / 9][k / 3 % 3][k % 3] *= scale;
    ipg_crossing found;
    if (ipg_node_enters_face(&path, &found)) strange += !is_in_step(found);
  }
  CU_ASSERT_EQUAL(strange, 0);
}

/* ----------------------------------------------------------------------------- entry times of straight, fixed cases */

/* A node crosses a fixed face of any size, at any point of it, in any direction that is not along it. */
static bool random_crossing(rng *r, ipg_node_face_path *path) {
  double w[3], q[3], direction[3], n[3];
  const double size = power_of_ten(r, -6, 6);
  for (int i = 0; i < 3; ++i) random_point(r, size, path->face[0][i]);
  memcpy(path->face[1], path->face[0], sizeof path->face[0]);
  random_weights(r, w), mix(path->face[0], w, q);
  random_point(r, 3 * size, direction), normal(path->face[0], n);
  if (fabs(dot(direction, n)) < 0.01 * length(direction) * length(n) || length(n) < 1e-3 * size * size) return false;
  const double at = rng_unit(r), sign = dot(direction, n) > 0 ? -1 : 1;
  along(q, -sign * at, direction, path->node[0]);
  along(q, sign * (1 - at), direction, path->node[1]);
  return true;
}

static long double compute_exact_front(const double p[3], double f[3][3]) {
  long double u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k)
    u[k] = (long double)f[1][k] - f[0][k], v[k] = (long double)f[2][k] - f[0][k], w[k] = (long double)p[k] - f[0][k];
  return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static void test_crossing_times(void) {
  rng r = rng_start(6);
  int64_t tested = 0, missed = 0, outside = 0, wide_bracket = 0;
  double worst = 0;
  for (long i = 0; i < 20 * suite_scenes(); ++i) {
    ipg_node_face_path path;
    if (!random_crossing(&r, &path)) continue;
    const long double before = compute_exact_front(path.node[0], path.face[0]),
                      after = compute_exact_front(path.node[1], path.face[0]);
    if (before < 0 || after >= 0) continue;
    const double exact = (double)(before / (before - after));
    ipg_crossing found;
    tested++;
    if (!ipg_node_enters_face(&path, &found)) {
      missed++;
      continue;
    }
    outside += found.earliest > exact + 4 * DBL_EPSILON || found.latest < exact - 4 * DBL_EPSILON;
    wide_bracket += found.earliest < exact - 1e-9 || found.latest > exact + 1e-9;
    worst = fmax(worst, found.latest - found.earliest);
  }
  printf("\n    %lld crossings, bracketed to %.1e of the step ... ", (long long)tested, worst);
  CU_ASSERT(tested > 10 * suite_scenes());
  CU_ASSERT_EQUAL(missed, 0);
  CU_ASSERT_EQUAL(outside, 0);
  CU_ASSERT_EQUAL(wide_bracket, 0);
}

/* --------------------------------------------------------------------------------- no path slips between two faces */

/* Two faces that share an edge and a node that crosses it: the smallest height of the faces (power of ten), the bend of
 * the hinge (0: any angle), the slope of the node's motion (0: any), the distance from the origin, and whether corners
 * move. */
typedef struct hinge_kind {
  double thinnest, bend, slope, distance;
  bool moving;
} hinge_kind;

/* The corners at the time of the crossing: a and b of the edge, and the third corner (wing) of each face. */
typedef struct hinge {
  double corner[4][3];
} hinge;

static const int hinge_faces[2][3] = {{0, 1, 2}, {1, 0, 3}};

static void get_hinge_face(const hinge *h, int side, double f[3][3]) {
  for (int i = 0; i < 3; ++i) memcpy(f[i], h->corner[hinge_faces[side][i]], sizeof f[i]);
}

/* Puts the second wing opposite the first, off its plane by `bend` at most. */
static void flatten_hinge(rng *r, double bend, const double middle[3], hinge *h) {
  double f[3][3], wing[3], n[3];
  get_hinge_face(h, 0, f), normal(f, n);
  sub(middle, h->corner[2], wing);
  along(middle, rng_between(r, 0.5, 1.5), wing, h->corner[3]);
  along(h->corner[3], bend * rng_between(r, -1, 1) / length(n), n, h->corner[3]);
}

static hinge random_hinge(rng *r, const hinge_kind *kind) {
  hinge h;
  double edge[3], middle[3], wing[3];
  random_point(r, 1, h.corner[0]), random_point(r, 1, h.corner[1]);
  sub(h.corner[1], h.corner[0], edge);
  for (int side = 0; side < 2; ++side) {
    along(h.corner[0], rng_unit(r), edge, middle), random_point(r, 1, wing);
    along(middle, power_of_ten(r, kind->thinnest, 0), wing, h.corner[2 + side]);
    if (side == 0 && kind->bend > 0) flatten_hinge(r, kind->bend, middle, &h);
    if (side == 0 && kind->bend > 0) break;
  }
  for (int i = 0; i < 4; ++i) along(h.corner[i], kind->distance, (double[3]){1, -1, 1}, h.corner[i]);
  return h;
}

/* The path of one corner that is at `position` at time `at`. Coincident corners get the same velocity. */
static void make_path(const double position[3], double at, const double velocity[3], double from[3], double to[3]) {
  along(position, -at, velocity, from);
  along(position, 1 - at, velocity, to);
}

/* The node's motion relative to the edge; false unless it goes clearly to the back of both faces. */
static bool draw_motion_to_back(rng *r, const hinge_kind *kind, const hinge *h, double relative[3]) {
  double f[2][3][3], n[2][3], any[3];
  for (int side = 0; side < 2; ++side) get_hinge_face(h, side, f[side]), normal(f[side], n[side]);
  random_point(r, 3, relative);
  if (kind->slope > 0) {
    random_point(r, 3, any), cross(any, n[0], relative);
    along(relative, -kind->slope * rng_between(r, 1, 2) * length(relative) / length(n[0]), n[0], relative);
  }
  const double least = kind->slope > 0 ? 0.1 * kind->slope : 1e-5;
  for (int side = 0; side < 2; ++side)
    if (!(dot(relative, n[side]) < -least * length(relative) * length(n[side]))) return false;
  return true;
}

/* A common velocity plus a small one of each corner; larger ones would end a grazing crossing, or collapse a thin face,
 * before the node is behind it by more than rounding. */
static void draw_corner_velocities(rng *r, const hinge_kind *kind, double velocity[4][3]) {
  const double limit = fmin(1, 10 * pow(10, kind->thinnest)), size = kind->slope > 0 ? 0.01 * kind->slope : limit;
  double common[3], own[3];
  random_point(r, 1, common);
  for (int i = 0; i < 4; ++i) {
    random_point(r, size, own);
    for (int k = 0; k < 3; ++k) velocity[i][k] = kind->moving ? common[k] + own[k] : 0;
  }
}

/* Paths of a node that crosses a point of the shared edge (or very close to it), to the back of both faces. */
static bool random_edge_crossing(rng *r, const hinge_kind *kind, ipg_node_face_path path[2]) {
  const hinge h = random_hinge(r, kind);
  const bool coarse = kind->slope > 0 || kind->distance > 0; /* an offset would move it past the end of the edge */
  const double at = rng_unit(r), s = coarse ? rng_between(r, 0.01, 0.99) : fmin(1, fmax(0, rng_between(r, -0.1, 1.1)));
  const double offset = !coarse && s > 0 && s < 1 && rng_int(r, 0, 1) ? power_of_ten(r, -18, -12) : 0;
  double velocity[4][3], node_velocity[3], edge[3], q[3];
  if (!draw_motion_to_back(r, kind, &h, node_velocity)) return false;
  draw_corner_velocities(r, kind, velocity);
  sub(h.corner[1], h.corner[0], edge), along(h.corner[0], s, edge, q);
  along(node_velocity, 1 - s, velocity[0], node_velocity), along(node_velocity, s, velocity[1], node_velocity);
  for (int k = 0; k < 3; ++k) q[k] += offset * rng_between(r, -1, 1);
  for (int side = 0; side < 2; ++side) {
    make_path(q, at, node_velocity, path[side].node[0], path[side].node[1]);
    for (int i = 0; i < 3; ++i) {
      const int corner = hinge_faces[side][i];
      make_path(h.corner[corner], at, velocity[corner], path[side].face[0][i], path[side].face[1][i]);
    }
  }
  return true;
}

static int64_t count_slips(rng *r, long wanted, const hinge_kind *kind) {
  int64_t slips = 0;
  for (long done = 0; done < wanted;) {
    ipg_node_face_path path[2];
    ipg_crossing found;
    if (!random_edge_crossing(r, kind, path)) continue;
    done++;
    if (ipg_node_enters_face(&path[0], &found) || ipg_node_enters_face(&path[1], &found)) continue;
    if (slips++ < 1) print_path("slipped, first face", &path[0]), print_path("second face", &path[1]);
  }
  if (slips)
    printf("\n    %lld of %ld slip: thinnest 1e%g, bend %g, slope %g, distance %g, moving %d ", (long long)slips,
           wanted, kind->thinnest, kind->bend, kind->slope, kind->distance, kind->moving);
  return slips;
}

static void test_shared_edges(void) {
  static const hinge_kind kinds[] = {
      {-1, 0, 0, 0, false}, {-1, 0, 0, 0, true}, {-6, 0, 0, 0, false}, {-6, 0, 0, 0, true}};
  rng r = rng_start(7);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    CU_ASSERT_EQUAL(count_slips(&r, 5 * suite_scenes(), &kinds[i]), 0);
}

/* Nearly flat surfaces, nodes that arrive at a small angle, and models far from the origin, where positions are coarse.
 */
static void test_grazed_edges(void) {
  static const hinge_kind kinds[] = {{-1, 1e-2, 1e-2, 0, false},
                                     {-1, 1e-5, 1e-5, 0, false},
                                     {-1, 1e-7, 1e-7, 0, true},
                                     {-1, 1e-2, 1e-2, 1e2, true},
                                     {-1, 1e-5, 1e-5, 1e2, false}};
  rng r = rng_start(10);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    CU_ASSERT_EQUAL(count_slips(&r, 10 * suite_scenes(), &kinds[i]), 0);
}

static void test_edges_far_from_origin(void) {
  static const hinge_kind kinds[] = {{-1, 1e-5, 1e-5, 1e4, false}, {-1, 1e-5, 1e-5, 1e4, true},
                                     {-1, 1e-2, 1e-2, 1e6, false}, {-1, 1e-3, 1e-3, 1e6, true},
                                     {-3, 0, 0, 1e6, false},       {-3, 0, 0, 1e6, true}};
  rng r = rng_start(11);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    CU_ASSERT_EQUAL(count_slips(&r, 10 * suite_scenes(), &kinds[i]), 0);
}

/* A closed tetrahedron whose corners move randomly, and a node that moves around it in steps of any length. A step in
 * which the node enters is undone, so the node must never be inside. */
typedef struct scene {
  double corner[4][3], node[3];
} scene;

static const int tetrahedron_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static double compute_depth(const scene *w) {
  double deepest = -INFINITY;
  for (int i = 0; i < 4; ++i) {
    double f[3][3], n[3], to[3];
    for (int k = 0; k < 3; ++k) memcpy(f[k], w->corner[tetrahedron_faces[i][k]], sizeof f[k]);
    normal(f, n), sub(w->node, f[0], to);
    deepest = fmax(deepest, dot(to, n) / length(n));
  }
  return -deepest;
}

static bool enters_in_step(const scene *from, const scene *to) {
  for (int i = 0; i < 4; ++i) {
    ipg_node_face_path path;
    ipg_crossing found;
    memcpy(path.node[0], from->node, sizeof from->node), memcpy(path.node[1], to->node, sizeof to->node);
    for (int k = 0; k < 3; ++k) {
      memcpy(path.face[0][k], from->corner[tetrahedron_faces[i][k]], sizeof path.face[0][k]);
      memcpy(path.face[1][k], to->corner[tetrahedron_faces[i][k]], sizeof path.face[1][k]);
    }
    if (ipg_node_enters_face(&path, &found)) return true;
  }
  return false;
}

static void move_corners(rng *r, const scene *home, scene *w) {
  const double size = rng_int(r, 0, 1) ? power_of_ten(r, -17, -1) : 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k)
      w->corner[i][k] += size * rng_between(r, -1, 1) + 0.01 * size * (home->corner[i][k] - w->corner[i][k]);
  for (int i = 0; i < 12; ++i)
    if (fabs(w->corner[i / 3][i % 3] - home->corner[i / 3][i % 3]) > 0.1) *w = (scene){0};
}

/* Moves the node toward the tetrahedron from near or far; often to an edge or a corner. */
static void move_node(rng *r, scene *w) {
  double target[3] = {0}, sum = 0;
  const int corners = rng_int(r, 1, 4), first = rng_int(r, 0, 3);
  for (int i = 0; i < corners; ++i) {
    const double weight = rng_unit(r) + 1e-9;
    for (int k = 0; k < 3; ++k) target[k] += weight * w->corner[(first + i) % 4][k];
    sum += weight;
  }
  const double share = rng_int(r, 0, 3) ? 1 - power_of_ten(r, -17, 0) : rng_between(r, -1, 2);
  for (int k = 0; k < 3; ++k) w->node[k] += share * (target[k] / sum - w->node[k]);
  if (rng_int(r, 0, 2) == 0)
    along(w->node, power_of_ten(r, -18, 0), (double[3]){rng_between(r, -1, 1), 1, -1}, w->node);
}

static void test_steps_around_tetrahedron(void) {
  rng r = rng_start(8);
  const scene home = {{{0, 0, 0}, {1, 0.1, 0}, {0.2, 1, 0.1}, {0.1, 0.3, 1}}, {3, 3, 3}};
  scene now = home;
  CU_ASSERT(compute_depth(&(scene){{{0, 0, 0}, {1, 0.1, 0}, {0.2, 1, 0.1}, {0.1, 0.3, 1}}, {0.3, 0.3, 0.3}}) > 0);
  int64_t inside = 0, stopped = 0, moved = 0;
  double deepest = -INFINITY;
  for (long i = 0; i < 100 * suite_scenes(); ++i) {
    scene next = now;
    move_corners(&r, &home, &next);
    if (next.corner[1][0] == 0) memcpy(next.corner, now.corner, sizeof now.corner); /* too far from home */
    move_node(&r, &next);
    if (enters_in_step(&now, &next)) {
      if (++stopped % 20 == 0) now = home; /* restart, far away */
      continue;
    }
    moved++;
    now = next;
    const double depth = compute_depth(&now);
    deepest = fmax(deepest, depth);
    if (depth > 1e-15) inside++, now = home;
  }
  printf("\n    %lld steps, %lld stopped, depth at most %.1e ... ", (long long)moved, (long long)stopped, deepest);
  CU_ASSERT_EQUAL(inside, 0);
  CU_ASSERT(moved > 0 && stopped > 0);
}

/* ------------------------------------------------------------------------------------------------------------ scale */

static ipg_node_face_path scale_path(const ipg_node_face_path *path, double scale) {
  ipg_node_face_path result;
  for (int i = 0; i < 6; ++i) result.node[i / 3][i % 3] = scale * path->node[i / 3][i % 3];
  for (int i = 0; i < 18; ++i) result.face[i / 9][i / 3 % 3][i % 3] = scale * path->face[i / 9][i / 3 % 3][i % 3];
  return result;
}

static bool has_same_bits_at_scale(const ipg_node_face_path *path, double scale) {
  const ipg_node_face_path other = scale_path(path, scale);
  ipg_crossing at = {0}, other_at = {0};
  double w[3], other_w[3];
  if (ipg_node_enters_face(path, &at) != ipg_node_enters_face(&other, &other_at)) return false;
  ipg_closest_on_triangle(path->node[0], path->face[0][0], path->face[0][1], path->face[0][2], w);
  ipg_closest_on_triangle(other.node[0], other.face[0][0], other.face[0][1], other.face[0][2], other_w);
  return !memcmp(w, other_w, sizeof w) && !memcmp(&at, &other_at, sizeof at);
}

static void test_scale(void) {
  rng r = rng_start(9);
  int64_t different = 0;
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    ipg_node_face_path path = draw_integer_path(&r, i);
    if (i % 2)
      for (int k = 0; k < 18; ++k) path.face[k / 9][k / 3 % 3][k % 3] += rng_unit(&r);
    different += !has_same_bits_at_scale(&path, 0x1p10) || !has_same_bits_at_scale(&path, 0x1p-10);
  }
  CU_ASSERT_EQUAL(different, 0);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"closest point: all regions", test_closest_regions},
                         {"closest point: random", test_closest_random},
                         {"closest point: slivers", test_closest_slivers},
                         {"closest point: tiny", test_closest_tiny},
                         {"closest point: no area", test_closest_degenerate},
                         {"closest points of segments", test_closest_segments},
                         {"the exact oracle", test_exact_oracle},
                         {"integer paths, compared with exact", test_integer_paths},
                         {"units of length", test_units_of_length},
                         {"direct cases", test_direct_cases},
                         {"fast nodes", test_fast_nodes},
                         {"thin wall", test_thin_wall},
                         {"turning face", test_turning_face},
                         {"degenerate faces", test_degenerate_faces},
                         {"times of crossings", test_crossing_times},
                         {"shared edges", test_shared_edges},
                         {"shared edges, grazed", test_grazed_edges},
                         {"shared edges far from the origin", test_edges_far_from_origin},
                         {"start barely behind the face", test_start_behind},
                         {"steps around a tetrahedron", test_steps_around_tetrahedron},
                         {"scale by powers of two", test_scale},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "narrow", tests);
}
