/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Crossing of a node's path through a face's path, from front to back.
 *
 * f(t) = (node - a) . ((b - a) x (c - a)) is a cubic in time, positive in front of the face's plane. Between the zeros
 * of f' it is monotone, so each crossing from plus to minus lies in one piece. There the crossing is bracketed by the
 * times at which f is surely positive and surely negative, up to rounding; the node crosses the face if it can be on
 * the inner side of all edges between these times.
 *
 * f at t = 0 and t = 1 is computed only from the positions at these times, so the end of one step and the start of the
 * next give the same bits: a node cannot get behind a face between two steps. */
#include "impinge/narrow.h"
#include "support/thresholds.h"
#include "support/vec.h"

enum { MOST_HALVINGS = 20 };

/* Positions relative to corner a. A difference of positions has one rounding, wherever the model is, so everything else
 * is computed from differences: far from the origin the positions themselves are too coarse to interpolate. */
typedef struct relative {
  vec p, b, c;
} relative;

typedef struct motion {
  relative start, end;
} motion;

static relative subtract_corner(const double node[3], const double face[3][3]) {
  const vec a = vec_at(face[0], 0);
  return (relative){vec_sub(vec_at(node, 0), a), vec_sub(vec_at(face[1], 0), a), vec_sub(vec_at(face[2], 0), a)};
}

static vec interpolate_vec(vec from, vec to, double t) { return vec_add(from, vec_scale(t, vec_sub(to, from))); }

static relative interpolate_motion(const motion *m, double t) {
  if (t == 0) return m->start;
  if (t == 1) return m->end;
  return (relative){interpolate_vec(m->start.p, m->end.p, t), interpolate_vec(m->start.b, m->end.b, t),
                    interpolate_vec(m->start.c, m->end.c, t)};
}

static double compute_front(const relative *v) { return vec_dot(v->p, vec_cross(v->b, v->c)); }

static double compute_front_at(const motion *m, double t) {
  const relative v = interpolate_motion(m, t);
  return compute_front(&v);
}

static double largest_coordinate(double bound, vec v) {
  return larger(bound, larger(fabs(v.x), larger(fabs(v.y), fabs(v.z))));
}

static double largest_of_positions(double bound, const relative *v) {
  return largest_coordinate(largest_coordinate(largest_coordinate(bound, v->p), v->b), v->c);
}

static double compute_size(const motion *m) {
  return largest_of_positions(largest_of_positions(0, &m->start), &m->end);
}

/* More than the rounding error of f anywhere in the step. */
static double compute_front_rounding(const motion *m) {
  const double size = compute_size(m);
  return IPG_CROSSING_ROUNDING * size * size * size;
}

/* By one power of two, so that their squares neither overflow nor underflow in any unit of length. */
static void scale_coefficients(double *a, double *b, double *c) {
  int exponent;
  frexp(larger(fabs(*a), larger(fabs(*b), fabs(*c))), &exponent);
  *a = ldexp(*a, -exponent), *b = ldexp(*b, -exponent), *c = ldexp(*c, -exponent);
}

/* Zeros of f' in (0, 1), ascending; returns how many. */
static int find_turning_points(const motion *m, double times[2]) {
  const vec p = m->start.p, b = m->start.b, c = m->start.c;
  const vec dp = vec_sub(m->end.p, p), db = vec_sub(m->end.b, b), dc = vec_sub(m->end.c, c);
  const vec n0 = vec_cross(b, c), n1 = vec_add(vec_cross(db, c), vec_cross(b, dc)), n2 = vec_cross(db, dc);
  double f1 = vec_dot(dp, n0) + vec_dot(p, n1), f2 = vec_dot(dp, n1) + vec_dot(p, n2), f3 = vec_dot(dp, n2);
  scale_coefficients(&f1, &f2, &f3);
  const double discriminant = f2 * f2 - 3 * f1 * f3; /* f' = f1 + 2 f2 t + 3 f3 t^2 */
  if (!(discriminant >= 0)) return 0;
  const double q = -(f2 + copysign(sqrt(discriminant), f2)); /* no cancellation */
  const double zeros[2] = {q / (3 * f3), f1 / q};
  int count = 0;
  for (int i = 0; i < 2; ++i)
    if (zeros[i] > 0 && zeros[i] < 1) times[count++] = zeros[i];
  if (count == 2 && times[0] > times[1]) {
    const double swap = times[0];
    times[0] = times[1], times[1] = swap;
  }
  return count;
}

/* For f that falls from above `level` at lo to below it at hi: the last time known to be above, to 2^-50 of the piece.
 */
static double find_last_above(const motion *m, double level, double lo, double hi) {
  for (int i = 0; i < 50; ++i) {
    const double middle = lo + (hi - lo) / 2;
    if (middle <= lo || middle >= hi) break;
    if (compute_front_at(m, middle) > level) lo = middle;
    else hi = middle;
  }
  return lo;
}

/* The distance of the node on the inner side of each edge, relative to the face. NaN counts as inside. */
static void compute_inner_sides(const motion *m, double t, double sides[3]) {
  const relative v = interpolate_motion(m, t);
  const vec n = vec_cross(v.b, v.c);
  const double area2 = vec_dot(n, n);
  sides[0] = vec_dot(vec_cross(vec_sub(v.c, v.b), vec_sub(v.p, v.b)), n) / area2;
  sides[1] = vec_dot(vec_cross(v.p, v.c), n) / area2;
  sides[2] = vec_dot(vec_cross(v.b, v.p), n) / area2;
}

/* True unless the node is proven to be outside of some edge at every time between lo and hi. Halving the time
 * distinguishes a node that slides past a corner, inside each edge at some time but never inside all, from one that
 * hits. */
static bool may_be_within_borders(const motion *m, double lo, double hi, int halvings) {
  double first[3], second[3];
  compute_inner_sides(m, lo, first);
  compute_inner_sides(m, hi, second);
  bool surely = true;
  for (int i = 0; i < 3; ++i) {
    const bool out_before = first[i] < -IPG_BORDER_TOLERANCE, out_after = second[i] < -IPG_BORDER_TOLERANCE;
    if (out_before && out_after) return false;
    surely = surely && !(out_before || out_after);
  }
  if (surely || !halvings) return true;
  const double middle = lo + (hi - lo) / 2;
  if (middle <= lo || middle >= hi) return true;
  return may_be_within_borders(m, lo, middle, halvings - 1) || may_be_within_borders(m, middle, hi, halvings - 1);
}

static double compute_distance_at(const motion *m, double t) {
  const relative v = interpolate_motion(m, t);
  const double p[3] = {v.p.x, v.p.y, v.p.z}, a[3] = {0}, b[3] = {v.b.x, v.b.y, v.b.z}, c[3] = {v.c.x, v.c.y, v.c.z};
  double weights[3];
  ipg_closest_on_triangle(p, a, b, c, weights);
  return vec_length(vec_sub(v.p, vec_add(vec_scale(weights[1], v.b), vec_scale(weights[2], v.c))));
}

/* A bound of the change of the distance of node and face in the step: that of the node and a corner. */
static double compute_travel(const motion *m) {
  const vec p = vec_sub(m->end.p, m->start.p);
  const vec from_b = vec_sub(p, vec_sub(m->end.b, m->start.b)), from_c = vec_sub(p, vec_sub(m->end.c, m->start.c));
  return larger(vec_length(p), larger(vec_length(from_b), vec_length(from_c)));
}

/* True unless the node is proven to be far from the face at every time between lo and hi. The plane of a face that
 * collapses or turns over in the step passes through nodes far away, and its borders are meaningless at that time: such
 * nodes are not hit. */
static bool may_be_near(const motion *m, double near, double travel, double lo, double hi, int halvings) {
  const double middle = lo + (hi - lo) / 2, change = travel * (hi - lo) / 2;
  if (compute_distance_at(m, middle) > near + change) return false;
  if (change <= near || !halvings) return true;
  return may_be_near(m, near, travel, lo, middle, halvings - 1) ||
         may_be_near(m, near, travel, middle, hi, halvings - 1);
}

/* For a piece [lo, hi] in which f falls from plus to minus: true if the node crosses the face. */
static bool crosses_in_piece(const motion *m, double rounding, double lo, double hi, ipg_crossing *crossing) {
  const double before = compute_front_at(m, lo) > rounding ? find_last_above(m, rounding, lo, hi) : lo;
  const double after = compute_front_at(m, hi) < -rounding ? find_last_above(m, -rounding, lo, hi) : hi;
  *crossing = (ipg_crossing){before, larger(before, after)};
  return may_be_within_borders(m, crossing->earliest, crossing->latest, MOST_HALVINGS) &&
         may_be_near(m, IPG_NEAR_DISTANCE * compute_size(m), compute_travel(m), crossing->earliest, crossing->latest,
                     MOST_HALVINGS);
}

/* True if the node is behind the plane at the start by no more than the rounding of coordinates in a mesh file. */
static bool starts_on_face(const relative *start, double front_start) {
  const vec n = vec_cross(start->b, start->c);
  const double area = vec_length(n);
  return front_start >= -IPG_START_TOLERANCE * area * sqrt(area);
}

static void compute_face_path_box(const ipg_node_face_path *path, double lo[3], double hi[3]) {
  for (int k = 0; k < 3; ++k) {
    lo[k] = hi[k] = path->face[0][0][k];
    for (int i = 1; i < 6; ++i) {
      lo[k] = smaller(lo[k], path->face[i / 3][i % 3][k]);
      hi[k] = larger(hi[k], path->face[i / 3][i % 3][k]);
    }
  }
}

/* True if the boxes of the two paths are apart by more than all margins. This rejects most pairs. */
static bool are_boxes_apart(const ipg_node_face_path *path) {
  double lo[3], hi[3];
  compute_face_path_box(path, lo, hi);
  const double margin = IPG_BOX_MARGIN * (hi[0] - lo[0] + (hi[1] - lo[1]) + (hi[2] - lo[2]));
  for (int k = 0; k < 3; ++k) {
    if (smaller(path->node[0][k], path->node[1][k]) > hi[k] + margin) return true;
    if (larger(path->node[0][k], path->node[1][k]) < lo[k] - margin) return true;
  }
  return false;
}

bool ipg_node_enters_face(const ipg_node_face_path *path, ipg_crossing *crossing) {
  if (are_boxes_apart(path)) return false;
  const motion m = {subtract_corner(path->node[0], path->face[0]), subtract_corner(path->node[1], path->face[1])};
  const double front_start = compute_front(&m.start), front_end = compute_front(&m.end),
               rounding = compute_front_rounding(&m);
  double times[4] = {0}, fronts[4] = {front_start};
  const int turns = find_turning_points(&m, times + 1);
  for (int i = 1; i <= turns; ++i) fronts[i] = compute_front_at(&m, times[i]);
  times[turns + 1] = 1;
  fronts[turns + 1] = front_end;
  for (int i = 0; i <= turns; ++i) {
    const bool was_outside =
        fronts[i] >= (i ? -rounding : 0) || (fronts[i] >= front_start && starts_on_face(&m.start, front_start));
    if (was_outside && fronts[i + 1] < 0 && fronts[i + 1] < fronts[i] &&
        crosses_in_piece(&m, rounding, times[i], times[i + 1], crossing))
      return true;
  }
  return false;
}
