/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Closest points of a triangle, of two segments, and of two triangles seen along a direction. A dense sampling finds
 * results that are too far, and the optimality condition of convex sets decides whether a result is the closest point.
 */
#include "impinge/narrow.h"
#include "support/random_points.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- closest points of triangles */

static double distance_at(const double p[3], double f[3][3], const double w[3]) {
  double q[3], to[3];
  weighted_point(f, w, q), vec3_sub(p, q, to);
  return vec3_length(to);
}

static double sampled_distance(const double p[3], double f[3][3]) {
  enum { STEPS = 16 };
  double best = INFINITY;
  for (int i = 0; i <= STEPS; ++i)
    for (int j = 0; i + j <= STEPS; ++j) {
      const double w[3] = {(double)i / STEPS, (double)j / STEPS, (double)(STEPS - i - j) / STEPS};
      best = fmin(best, distance_at(p, f, w));
    }
  return best;
}

/* The optimality condition: the largest (p - q) . (corner - q), which is not above zero at the closest point q of a
 * convex set. */
static double optimality_error(const double p[3], double f[3][3], const double w[3]) {
  double q[3], to[3], worst = -INFINITY;
  weighted_point(f, w, q), vec3_sub(p, q, to);
  for (int i = 0; i < 3; ++i) {
    double corner[3];
    vec3_sub(f[i], q, corner);
    worst = fmax(worst, vec3_dot(to, corner));
  }
  return worst;
}

static double size_of(const double p[3], double f[3][3]) {
  double size = 0, to[3];
  for (int i = 0; i < 3; ++i) {
    vec3_sub(p, f[i], to), size = fmax(size, vec3_length(to));
    vec3_sub(f[(i + 1) % 3], f[i], to), size = fmax(size, vec3_length(to));
  }
  return size;
}

typedef struct closest_count {
  int64_t queries, weights, farther, conditions;
  double worst;
} closest_count;

static void check_closest(closest_count *c, const double p[3], double f[3][3], double tolerance) {
  double w[3];
  ipg_closest_on_triangle(p, f[0], f[1], f[2], w);
  const double size = size_of(p, f), excess = distance_at(p, f, w) - sampled_distance(p, f);
  c->queries++;
  c->weights += !(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabs(w[0] + w[1] + w[2] - 1) <= 1e-15);
  c->farther += !(excess <= tolerance * size);
  c->conditions += !(optimality_error(p, f, w) <= 10 * tolerance * size * size);
  c->worst = fmax(c->worst, size > 0 ? excess / size : 0);
}

static void expect_closest(const char *what, const closest_count *c) {
  printf("\n    %s: %lld, at most %.1e farther than the sampling ... ", what, (long long)c->queries, c->worst);
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

static void test_closest_random(void) {
  rng r = rng_start(1);
  closest_count c = {0};
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    double f[3][3], p[3];
    for (int k = 0; k < 3; ++k) random_point(&r, 1, f[k]);
    random_point(&r, i % 3 ? 2 : 100, p);
    check_closest(&c, p, f, 1e-9);
  }
  expect_closest("random", &c);
}

/* Triangles of any height down to nothing, in any direction, as needles (a short edge) or caps (a flat corner). */
static void random_sliver(rng *r, double height, double f[3][3]) {
  double axis[3], side[3], other[3];
  random_point(r, 1, f[0]), random_point(r, 1, axis), random_point(r, 1, other), vec3_cross(axis, other, side);
  const double scale = height / vec3_length(side);
  vec3_add_scaled(f[0], 1, axis, f[1]);
  vec3_add_scaled(f[0], rng_int(r, 0, 1) ? rng_unit(r) : 1, axis, f[2]);
  vec3_add_scaled(f[2], scale, side, f[2]);
}

static void test_closest_slivers(void) {
  rng r = rng_start(2);
  closest_count c = {0};
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    double f[3][3], p[3], w[3];
    random_sliver(&r, i % 5 ? random_power_of_ten(&r, -18, 0) : 0, f);
    random_point(&r, 2, p);
    if (i % 4 == 0) random_weights(&r, w), weighted_point(f, w, p);
    if (i % 8 == 0) vec3_add_scaled(p, random_power_of_ten(&r, -12, 0), (double[3]){1, 1, 1}, p);
    check_closest(&c, p, f, 1e-7);
  }
  expect_closest("slivers", &c);
}

/* The smallest area that is not zero, and a node on the face: valid weights. */
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
  expect_closest("tiny", &c);
}

/* Faces without area: segments and points, in small integers, where that is exact. */
static void test_closest_degenerate(void) {
  rng r = rng_start(3);
  closest_count c = {0};
  for (long i = 0; i < 2 * suite_scenes(); ++i) {
    double f[3][3], p[3], step[3];
    for (int k = 0; k < 3; ++k) {
      f[0][k] = rng_int(&r, -3, 3), p[k] = rng_int(&r, -9, 9);
      step[k] = i % 3 ? rng_int(&r, -2, 2) : 0;
    }
    vec3_add_scaled(f[0], rng_int(&r, -2, 2), step, f[1]);
    vec3_add_scaled(f[0], rng_int(&r, -2, 2), step, f[2]);
    check_closest(&c, p, f, 1e-12);
  }
  expect_closest("no area", &c);
}

/* --------------------------------------------------------------------------------------- closest points of segments */

static double segment_distance(const double x[12], const double w[2]) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double p = x[k] + w[0] * (x[3 + k] - x[k]), q = x[6 + k] + w[1] * (x[9 + k] - x[6 + k]);
    sum += (p - q) * (p - q);
  }
  return sqrt(sum);
}

static double sampled_segment_distance(const double x[12]) {
  enum { STEPS = 24 };
  double best = INFINITY;
  for (int i = 0; i <= STEPS; ++i)
    for (int j = 0; j <= STEPS; ++j)
      best = fmin(best, segment_distance(x, (double[2]){(double)i / STEPS, (double)j / STEPS}));
  return best;
}

/* By how much a small step along either segment reduces the distance: not at all at the closest points, because
 * distance is convex. */
static double gain_of_small_steps(const double x[12], const double w[2]) {
  double gain = 0;
  for (int i = 0; i < 8; ++i) {
    static const double steps[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    double v[2];
    for (int k = 0; k < 2; ++k) v[k] = fmin(1, fmax(0, w[k] + 1e-3 * steps[i][k]));
    gain = fmax(gain, segment_distance(x, w) - segment_distance(x, v));
  }
  return gain;
}

/* Kinds of segments: any; parallel or nearly so; without length; crossing, or with a shared end. */
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
    const double excess = segment_distance(x, w) - sampled_segment_distance(x);
    farther += !(excess <= 1e-12), gains += !(gain_of_small_steps(x, w) <= 1e-12);
    worst = fmax(worst, fmax(excess, gain_of_small_steps(x, w)));
  }
  printf("\n    at most %.1e farther than the closest points ", worst);
  CU_ASSERT_EQUAL(outside, 0);
  CU_ASSERT_EQUAL(farther, 0);
  CU_ASSERT_EQUAL(gains, 0);
}

/* ------------------------------------------------------------------------------------------ triangles along a line */

/* Two triangles in axes across a direction and along it. */
typedef struct seen_pair {
  double a[3][3], b[3][3];
} seen_pair;

static double cross_of(const double p[3], const double q[3], const double x[3]) {
  return (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0]);
}

/* The height of the plane of a triangle at a position. */
static double height_at(double f[3][3], const double x[3]) {
  double normal[3];
  vec3_normal(f[0], f[1], f[2], normal);
  return f[0][2] - (normal[0] * (x[0] - f[0][0]) + normal[1] * (x[1] - f[0][1])) / normal[2];
}

/* Cuts a polygon by the side of the line pq on which r lies. */
static int cut(double polygon[][3], int count, const double p[3], const double q[3], const double r[3]) {
  const double side = cross_of(p, q, r) > 0 ? 1 : -1;
  double old[12][3];
  int kept = 0;
  memcpy(old, polygon, (size_t)count * sizeof *old);
  for (int i = 0; i < count; ++i) {
    const double *x = old[i], *y = old[(i + 1) % count];
    const double at_x = side * cross_of(p, q, x), at_y = side * cross_of(p, q, y);
    if (at_x >= 0) memcpy(polygon[kept++], x, sizeof *old);
    if ((at_x >= 0) == (at_y >= 0)) continue;
    for (int k = 0; k < 2; ++k) polygon[kept][k] = x[k] + at_x / (at_x - at_y) * (y[k] - x[k]);
    ++kept;
  }
  return kept;
}

/* The largest distance over the corners of the part where they lie over each other; -INFINITY: there is none. */
static double highest_over(seen_pair *s) {
  double polygon[12][3], most = -INFINITY;
  memcpy(polygon, s->a, sizeof s->a);
  int count = 3;
  for (int k = 0; k < 3; ++k) count = cut(polygon, count, s->b[k], s->b[(k + 1) % 3], s->b[(k + 2) % 3]);
  for (int i = 0; i < count; ++i) most = fmax(most, height_at(s->b, polygon[i]) - height_at(s->a, polygon[i]));
  return most;
}

static double sampled_beside(seen_pair *s) {
  enum { STEPS = 24 };
  double best = INFINITY;
  for (int edges = 0; edges < 9; ++edges)
    for (int steps = 0; steps <= STEPS * (STEPS + 2); ++steps) {
      const double u = steps / (STEPS + 1) / (double)STEPS, v = steps % (STEPS + 1) / (double)STEPS;
      const double *a = s->a[edges / 3], *to_a = s->a[(edges / 3 + 1) % 3];
      const double *b = s->b[edges % 3], *to_b = s->b[(edges % 3 + 1) % 3];
      const double x = (1 - u) * a[0] + u * to_a[0] - (1 - v) * b[0] - v * to_b[0];
      const double y = (1 - u) * a[1] + u * to_a[1] - (1 - v) * b[1] - v * to_b[1];
      best = fmin(best, hypot(x, y));
    }
  return best;
}

static void in_axes(double from[3][3], double axes[3][3], double to[9]) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      to[3 * i + k] = from[i][0] * axes[0][k] + from[i][1] * axes[1][k] + from[i][2] * axes[2][k];
}

static void random_axes(rng *r, double axes[3][3]) {
  double other[3];
  random_point(r, 1, axes[2]), random_point(r, 1, other);
  vec3_cross(axes[2], other, axes[0]), vec3_cross(axes[2], axes[0], axes[1]);
  for (int i = 0; i < 3; ++i) {
    const double length = vec3_length(axes[i]);
    for (int k = 0; k < 3; ++k) axes[i][k] /= length;
  }
}

/* The second is as large, or smaller, so that it lies over the inside of the first. */
static void test_closest_seen(void) {
  rng r = rng_start(4);
  long over = 0, beside = 0, wrong_side = 0;
  double worst_over = 0, worst_beside = 0, farther = 0;
  for (long i = 0; i < 2 * suite_scenes(); ++i) {
    seen_pair s;
    double axes[3][3], a[9], b[9], middle[3];
    random_point(&r, i % 2 ? .2 : 1.5, middle), random_axes(&r, axes);
    for (int k = 0; k < 3; ++k) {
      random_point(&r, 1, s.a[k]), random_point(&r, i % 3 ? 1 : .2, s.b[k]);
      vec3_add_scaled(s.b[k], 1, middle, s.b[k]);
    }
    in_axes(s.a, axes, a), in_axes(s.b, axes, b);
    const ipg_closest_seen at = ipg_closest_triangles_seen(a, b, axes[2]);
    const double expected = highest_over(&s), sampled = sampled_beside(&s);
    if (isfinite(expected)) {
      ++over, wrong_side += at.beside != 0;
      worst_over = fmax(worst_over, fabs(at.over - expected) / fmax(1, fabs(expected)));
    } else {
      ++beside, wrong_side += !(at.beside > 0);
      worst_beside = fmax(worst_beside, at.beside - sampled), farther = fmax(farther, sampled - at.beside);
    }
  }
  printf("\n    %ld over each other, to %.1e; %ld beside, to %.1e, of a sampling to %.1e ", over, worst_over, beside,
         worst_beside, farther);
  CU_ASSERT(over > suite_scenes() / 2 && beside > suite_scenes() / 4);
  CU_ASSERT_EQUAL(wrong_side, 0);
  CU_ASSERT(worst_over <= 1e-6);
  CU_ASSERT(worst_beside <= 1e-12 && farther <= .1);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"triangle: all regions", test_closest_regions}, {"triangle: random", test_closest_random},
                         {"triangle: slivers", test_closest_slivers},     {"triangle: tiny", test_closest_tiny},
                         {"triangle: no area", test_closest_degenerate},  {"segments", test_closest_segments},
                         {"triangles along a line", test_closest_seen},   CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "closest_points", tests);
}
