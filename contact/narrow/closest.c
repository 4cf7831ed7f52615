/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The point of a triangle closest to a given point: inside if the foot of the perpendicular is inside, else on an edge.
 * The closest points of two segments: from the point where the lines are closest, to the closest point of the other
 * segment, and back. Nearly parallel lines make the first point inaccurate, but all their points are nearly as close.
 * Two triangles seen along a direction: a corner of one and the other, or two edges. */
#include "impinge/narrow.h"
#include "support/thresholds.h"
#include "support/vec.h"

#include <string.h>

/* The parameter, 0 to 1, of the point of segment ab closest to p. */
static double find_closest_on_segment(vec p, vec a, vec b) {
  const vec ab = vec_sub(b, a);
  const double length2 = vec_dot(ab, ab), along = vec_dot(vec_sub(p, a), ab);
  if (!(along > 0)) return 0;
  return along < length2 ? along / length2 : 1;
}

/* Computes the weights of the foot of the perpendicular; false if it is outside. */
static bool find_foot_inside(vec p, vec a, vec b, vec c, double weights[3]) {
  const vec ab = vec_sub(b, a), ac = vec_sub(c, a), normal = vec_cross(ab, ac);
  const double area2 = vec_dot(normal, normal), longest2 = larger(vec_dot(ab, ab), vec_dot(ac, ac));
  if (!(area2 > IPG_THIN_FACE * longest2 * longest2)) return false; /* so thin that the normal is mostly rounding */
  weights[0] = vec_dot(vec_cross(vec_sub(c, b), vec_sub(p, b)), normal) / area2;
  weights[1] = vec_dot(vec_cross(vec_sub(a, c), vec_sub(p, c)), normal) / area2;
  weights[2] = vec_dot(vec_cross(vec_sub(b, a), vec_sub(p, a)), normal) / area2;
  if (!(weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0)) return false;
  const double sum = weights[0] + weights[1] + weights[2];
  for (int i = 0; i < 3; ++i) weights[i] /= sum;
  return true;
}

void ipg_closest_on_triangle(const double p_[3], const double a_[3], const double b_[3], const double c_[3],
                             double weights[3]) {
  const vec p = vec_at(p_, 0), corner[3] = {vec_at(a_, 0), vec_at(b_, 0), vec_at(c_, 0)};
  if (find_foot_inside(p, corner[0], corner[1], corner[2], weights)) return;
  double best = INFINITY;
  weights[0] = 1, weights[1] = weights[2] = 0; /* stays where distances are NaN */
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const double s = find_closest_on_segment(p, corner[i], corner[j]);
    const vec foot = vec_add(corner[i], vec_scale(s, vec_sub(corner[j], corner[i]))), to = vec_sub(foot, p);
    const double distance2 = vec_dot(to, to);
    if (distance2 >= best) continue;
    best = distance2;
    memset(weights, 0, 3 * sizeof *weights);
    weights[i] = 1 - s;
    weights[j] = s;
  }
}

/* ---------------------------------------------------------------------------------------------------- two segments */

static vec point_on_segment(vec a, vec b, double s) { return vec_add(a, vec_scale(s, vec_sub(b, a))); }

/* The parameter of the point of segment ab closest to the line cd; any point if they are parallel. */
static double find_closest_to_line(vec a, vec b, vec c, vec d) {
  const vec along = vec_sub(d, c), across = vec_cross(vec_sub(b, a), along);
  const double part = vec_dot(vec_cross(vec_sub(c, a), along), across) / vec_dot(across, across);
  return part > 0 ? smaller(part, 1) : 0; /* also for NaN */
}

/* From the point of ab closest to the line cd to the closest point of segment cd, and back: the point on ab changes
 * only if an end of cd is closest, and then the way back is exact. */
void ipg_closest_on_segments(const double a_[3], const double b_[3], const double c_[3], const double d_[3],
                             double weights[2]) {
  const vec a = vec_at(a_, 0), b = vec_at(b_, 0), c = vec_at(c_, 0), d = vec_at(d_, 0);
  const vec from = point_on_segment(a, b, find_closest_to_line(a, b, c, d));
  weights[1] = find_closest_on_segment(from, c, d);
  weights[0] = find_closest_on_segment(point_on_segment(c, d, weights[1]), a, b);
}

/* ------------------------------------------------------------------------------------- two triangles seen from afar */

/* The corners, and as they are in the plane across the direction. */
typedef struct view {
  vec a[3], b[3], n;
  double flat_a[3][3], flat_b[3][3];
  double rounding2; /* squared distances in the plane up to this are 0 */
} view;

static view view_along(const double a[9], const double b[9], const double n[3]) {
  view v = {.n = vec_at(n, 0)};
  double size2 = 0;
  for (int k = 0; k < 3; ++k) {
    v.a[k] = vec_at(a, k), v.b[k] = vec_at(b, k);
    vec_store(v.flat_a[k], vec_across(v.a[k], v.n)), vec_store(v.flat_b[k], vec_across(v.b[k], v.n));
    const vec of_a = vec_sub(v.a[k], v.a[0]), of_b = vec_sub(v.b[k], v.a[0]);
    size2 = larger(size2, larger(vec_dot(of_a, of_a), vec_dot(of_b, of_b)));
  }
  v.rounding2 = IPG_SAME_POSITION * IPG_SAME_POSITION * size2;
  return v;
}

static void choose(const view *v, vec of_a, vec of_b, ipg_closest_seen *best) {
  const vec way = vec_sub(of_b, of_a), across = vec_across(way, v->n);
  const double across2 = vec_dot(across, across);
  const ipg_closest_seen here = {across2 > v->rounding2 ? sqrt(across2) : 0, vec_dot(way, v->n)};
  if (here.beside < best->beside || (here.beside == best->beside && here.over > best->over)) *best = here;
}

static vec point_on_triangle(const vec corner[3], const double weights[3]) {
  return vec_add(vec_scale(weights[0], corner[0]),
                 vec_add(vec_scale(weights[1], corner[1]), vec_scale(weights[2], corner[2])));
}

ipg_closest_seen ipg_closest_triangles_seen(const double a_[9], const double b_[9], const double n[3]) {
  static const int next[3] = {1, 2, 0};
  const view v = view_along(a_, b_, n);
  const double(*const a)[3] = v.flat_a, (*const b)[3] = v.flat_b;
  ipg_closest_seen best = {INFINITY, -INFINITY};
  double w[3];
  for (int k = 0; k < 3; ++k) {
    ipg_closest_on_triangle(a[k], b[0], b[1], b[2], w);
    choose(&v, v.a[k], point_on_triangle(v.b, w), &best);
    ipg_closest_on_triangle(b[k], a[0], a[1], a[2], w);
    choose(&v, point_on_triangle(v.a, w), v.b[k], &best);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      ipg_closest_on_segments(a[i], a[next[i]], b[j], b[next[j]], w);
      choose(&v, point_on_segment(v.a[i], v.a[next[i]], w[0]), point_on_segment(v.b[j], v.b[next[j]], w[1]), &best);
    }
  return best;
}
