/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Proves that a flat polygon stays clear of the origin during a span of time. Compiled for several kinds of numbers.
 *
 * Its corners move on straight lines from their positions c at the start of the span to c' at its end. The proofs:
 *
 * Fixed plane. For any vector n, if n . c > 0 for all corners at both ends, then n . q > 0 for every point q of the
 * polygon at every time between, because q is a mean of these. n need not be accurate, it only decides whether the
 * proof succeeds. At one moment it is enough to test the planes normal to the line from the origin to the nearest
 * corner, edge or face, and a span short enough is like a moment.
 *
 * Plane of the polygon, which turns with it. n(t) = (c1 - c0) x (c2 - c0) is quadratic and f(t) = n(t) . c0(t) cubic,
 * zero whenever the plane contains the origin; f has no zero if its Bernstein coefficients have one sign.
 *
 * Plane through an edge, which turns too. g(t) = n(t) . w(t), where w(t) = c(t) x e(t) and e is the edge from corner c,
 * is quartic and measures how far the origin is on the inner side of the edge. At a touch g is not below zero, since n
 * is 0 or the origin is in the polygon, and f is zero. So there is no touch where g + a f < 0, for any a. The a that
 * removes the slope from g + a f tilts the plane along the motion: it proves a gap over a span as long as the square
 * root of the gap.
 *
 * Turning plane about an edge. A polygon without area has no plane of its own, and for a sliver rounding spoils most of
 * it. So one more plane turns: its normal is e(t) x m with a fixed m, best chosen perpendicular to edge and origin, and
 * moves on a straight line from n to n'. Heights of corners are quadratic, with coefficients n . c, (n . c' + n' . c) /
 * 2 and n' . c'; again n and n' need not be accurate. A polygon that glides along an edge, or turns with it, is
 * separated by few such planes.
 *
 * With a separation d. A gap of a plane with normal n must be larger than d |n|; for planes that turn, than d times the
 * largest |n(t)|, or |n(t)| sqrt(e(t)^2 + a^2) for one through an edge. Planes whose normal changes its length while it
 * turns lose by that, so there are two more proofs: the polygon's plane is farther than d if f^2 > d^2 n^2; the line of
 * an edge is if w^2 > d^2 e^2, and the polygon behind it, seen from the origin, if its next corner is, k from c:
 * k . (e x w) > 0.
 *
 * Rounding. Let u bound the relative error of add, sub and mul, and M the size of all coordinates at both ends of the
 * step, so at every time between. All bounds are to first order, each constant with room for the higher orders.
 * - A corner within the step is a mean, w c + w' c' with exact weights, of corners with error u: its error is 3 u M.
 * - Fixed plane: each of three products n_k c_k has error (3 + 1) u |n_k| M, and two sums add 2 u more: the height of a
 *   corner has error 6.1 u M |n|, where |n| is the sum of the components. 8 is used. Plane about an edge: half the sum
 * of two heights has error 7.2 u M times the larger |n|.
 * - Plane of the polygon: an edge has error 8.1 u M (6 from its ends, 2 from its own rounding) and is smaller than 2 M;
 * a component of the cross product of two has error 81 u M^2 (twice 2 x 2 x 8.1 + 4, and 8 from the difference) and is
 *   smaller than 8 M^2; the sum of two of them has error 178 u M^2. A dot product of a corner with the former has error
 *   380 u M^3, with the latter 810: 3 f1 has error 1260 u M^3, f1 itself, divided, 470. 512 is used.
 * - Edge: a component of w has error 37 u M^2 and is smaller than 4 M^2, the sum of two has error 82 u M^2. Dot
 * products of first, middle and last coefficients have errors 2120, 4430 and 9240 u M^4, so the five of g, which are
 * one, two, three, two and one of these, divided by 1, 4, 6, 4, 1, have error 2400 u M^4; those of f, as a quartic, 450
 * u M^3. They are smaller than 96 M^4 and 24 M^3; product, sum and division add 300 u M^4 and 100 u |a| M^3. 4096 u M^4
 * and 1024 u |a| M^3 are used for g + a f.
 * - Separation: f^2 has error 2 x 24 x 470 u M^6 and roundings, 32768 u M^6 in all; n^2 has 3 x 2 x 8 x 89 u M^4 and
 *   roundings, 8192 u M^4. w^2 has error 3 x 2 x 4 x 41 u M^4 and roundings, 2048 u M^4; e^2 has 256 u M^2. e x w has
 *   error 320 u M^3 and is smaller than 16 M^3, k has error 8.1 u M: their product 4096 u M^4. Bernstein vectors of n
 *   have error 154 u M^2 < 2^-45 M^2, those of e less, so the square of the longest n is below (1 + 2^-30) times the
 *   computed one plus (1 + 2^30) 2^-90 M^4, and likewise that of e. d^2 carries a factor 1 + 2^-45 for the roundings of
 *   comparisons.
 * Underflow loses less than 2^-1070 each time; gaps count only above 2^-400, where the room left above is larger than
 * that, and which exceeds d |n| for a d whose square underflows.
 * For pairs of doubles only the first double is compared: its relative error is 2^-53, less than any room above.
 *
 * The including file defines `number`, `real`, `mask` and their operations (ccd_arithmetic.h), and UNIT, the bound u.
 */

#define TINY 0x1p-400
#define STEEPEST 0x1p40

typedef struct vector {
  number x, y, z;
} vector;

/* The corners at the ends of a span; size and separation as in ipg_ccd_polygon. */
typedef struct moving_polygon {
  vector corner[2][IPG_CCD_CORNERS];
  real size, separation2;
} moving_polygon;

static inline vector vector_add(vector a, vector b) {
  return (vector){number_add(a.x, b.x), number_add(a.y, b.y), number_add(a.z, b.z)};
}
static inline vector vector_sub(vector a, vector b) {
  return (vector){number_sub(a.x, b.x), number_sub(a.y, b.y), number_sub(a.z, b.z)};
}
static inline number vector_dot(vector a, vector b) {
  return number_add(number_add(number_mul(a.x, b.x), number_mul(a.y, b.y)), number_mul(a.z, b.z));
}
static inline vector vector_cross(vector a, vector b) {
  return (vector){number_sub(number_mul(a.y, b.z), number_mul(a.z, b.y)),
                  number_sub(number_mul(a.z, b.x), number_mul(a.x, b.z)),
                  number_sub(number_mul(a.x, b.y), number_mul(a.y, b.x))};
}
static inline real vector_square(vector a) { return number_value(vector_dot(a, a)); }

static inline real power_of_size(const moving_polygon *s, int power) {
  real result = s->size;
  for (int i = 1; i < power; ++i) result = real_mul(result, s->size);
  return result;
}

/* True if the gap is larger than rounding, and than separation times a length. */
static inline mask is_gap(const moving_polygon *s, real gap, real length2) {
  return mask_and(is_above(gap, real_of(TINY)), is_not_below(real_mul(gap, gap), real_mul(s->separation2, length2)));
}

static inline real find_lowest(const real *f, int count) {
  real lowest = f[0];
  for (int i = 1; i < count; ++i) lowest = real_min(f[i], lowest);
  return lowest;
}

static inline real find_highest(const real *f, int count) {
  real highest = f[0];
  for (int i = 1; i < count; ++i) highest = real_max(f[i], highest);
  return highest;
}

/* ----------------------------------------------------------------------------------------------------- fixed planes */

static inline real sum_of_components(vector n) {
  return real_add(real_add(real_abs(number_value(n.x)), real_abs(number_value(n.y))), real_abs(number_value(n.z)));
}

static inline real height_error(const moving_polygon *s, real sum) {
  return real_mul(real_mul(real_of(8 * UNIT), s->size), sum);
}

static inline mask test_fixed_plane(const moving_polygon *s, int corners, vector n) {
  real lowest = real_of(INFINITY), highest = real_of(-INFINITY);
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < corners; ++i) {
      const real height = number_value(vector_dot(n, s->corner[end][i]));
      lowest = real_min(height, lowest), highest = real_max(height, highest);
    }
  const real error = height_error(s, sum_of_components(n));
  const real gap = real_sub(real_max(lowest, real_sub(real_of(0), highest)), error);
  return is_gap(s, gap, vector_square(n));
}

/* The corners at one time, from which the normals of planes are computed. */
typedef struct still_polygon {
  vector corner[IPG_CCD_CORNERS];
} still_polygon;

/* In the middle of the span, twice as large: only directions are computed from it. */
static inline still_polygon polygon_in_middle(const moving_polygon *s, int corners) {
  still_polygon o;
  for (int i = 0; i < corners; ++i) o.corner[i] = vector_add(s->corner[0][i], s->corner[1][i]);
  return o;
}

static inline still_polygon polygon_at_end(const moving_polygon *s, int corners) {
  still_polygon o;
  for (int i = 0; i < corners; ++i) o.corner[i] = s->corner[1][i];
  return o;
}

static inline mask test_parallel_plane(const moving_polygon *s, int corners, const still_polygon *o) {
  const vector *c = o->corner;
  return test_fixed_plane(s, corners, vector_cross(vector_sub(c[1], c[0]), vector_sub(c[2], c[0])));
}

/* Tests the planes that fit the corners at that time, the cheapest first. */
static inline mask test_fixed_planes(const moving_polygon *s, int corners, const still_polygon *o, mask found) {
  const vector *c = o->corner;
  for (int i = 0; i < corners && !is_all_true(found); ++i) found = mask_or(found, test_fixed_plane(s, corners, c[i]));
  for (int i = 0; i < corners && !is_all_true(found); ++i) {
    const vector edge = vector_sub(c[(i + 1) % corners], c[i]);
    found = mask_or(found, test_fixed_plane(s, corners, vector_cross(edge, vector_cross(c[i], edge))));
  }
  return is_all_true(found) ? found : mask_or(found, test_parallel_plane(s, corners, o));
}

/* --------------------------------------------------------------------------------------------- plane of the polygon */

/* A vector that is linear in time, and one that is (1-t)^2 of[0] + t (1-t) of[1] + t^2 of[2]. */
typedef struct linear_vector {
  vector of[2];
} linear_vector;

typedef struct quadratic_vector {
  vector of[3];
} quadratic_vector;

static inline linear_vector corner_motion(const moving_polygon *s, int i) {
  return (linear_vector){{s->corner[0][i], s->corner[1][i]}};
}

static inline linear_vector edge_motion(const moving_polygon *s, int from, int to) {
  return (linear_vector){
      {vector_sub(s->corner[0][to], s->corner[0][from]), vector_sub(s->corner[1][to], s->corner[1][from])}};
}

static inline quadratic_vector cross_motion(const linear_vector *a, const linear_vector *b) {
  return (quadratic_vector){{vector_cross(a->of[0], b->of[0]),
                             vector_add(vector_cross(a->of[0], b->of[1]), vector_cross(a->of[1], b->of[0])),
                             vector_cross(a->of[1], b->of[1])}};
}

/* Upper bounds of the squared lengths during the span. */
static inline real max_normal2(const moving_polygon *s, const quadratic_vector *n) {
  const real middle = real_mul(real_of(0.25), vector_square(n->of[1])),
             longest = real_max(vector_square(n->of[0]), vector_square(n->of[2]));
  return real_add(real_mul(real_of(1 + 0x1p-29), real_max(longest, middle)),
                  real_mul(real_of(0x1p-59), power_of_size(s, 4)));
}

static inline real max_edge2(const moving_polygon *s, const linear_vector *e) {
  const real longest = real_max(vector_square(e->of[0]), vector_square(e->of[1]));
  return real_add(real_mul(real_of(1 + 0x1p-29), longest), real_mul(real_of(0x1p-59), power_of_size(s, 2)));
}

/* n, and f in four Bernstein coefficients times 1, 3, 3, 1. */
typedef struct polygon_plane {
  quadratic_vector n;
  number f[4];
  real max_length2;
} polygon_plane;

static inline polygon_plane make_polygon_plane(const moving_polygon *s) {
  const linear_vector first = edge_motion(s, 0, 1), second = edge_motion(s, 0, 2);
  const vector from = s->corner[0][0], to = s->corner[1][0];
  polygon_plane own = {.n = cross_motion(&first, &second)};
  own.f[0] = vector_dot(from, own.n.of[0]);
  own.f[1] = number_add(vector_dot(from, own.n.of[1]), vector_dot(to, own.n.of[0]));
  own.f[2] = number_add(vector_dot(from, own.n.of[2]), vector_dot(to, own.n.of[1]));
  own.f[3] = vector_dot(to, own.n.of[2]);
  own.max_length2 = max_normal2(s, &own.n);
  return own;
}

static inline real front_error(const moving_polygon *s) { return real_mul(real_of(512 * UNIT), power_of_size(s, 3)); }

static inline mask test_polygon_plane(const moving_polygon *s, const polygon_plane *own) {
  const real third = real_of(1.0 / 3);
  const real f[4] = {number_value(own->f[0]), real_mul(third, number_value(own->f[1])),
                     real_mul(third, number_value(own->f[2])), number_value(own->f[3])};
  const real gap = real_max(find_lowest(f, 4), real_sub(real_of(0), find_highest(f, 4)));
  return is_gap(s, real_sub(gap, front_error(s)), own->max_length2);
}

/* True if f surely changes its sign. */
static inline mask test_crosses_plane(const moving_polygon *s, const polygon_plane *own) {
  const real f0 = number_value(own->f[0]), f3 = number_value(own->f[3]), error = front_error(s);
  return mask_and(is_above(real_sub(real_of(0), real_min(f0, f3)), error), is_above(real_max(f0, f3), error));
}

/* ------------------------------------------------------------------------------------------- planes through an edge */

/* f and g as quartics, in five Bernstein coefficients times 1, 4, 6, 4, 1. */
typedef struct edge_plane {
  number f[5], g[5];
  real max_normal2, max_edge2;
} edge_plane;

static inline edge_plane make_edge_plane(const moving_polygon *s, int corners, const polygon_plane *own, int i) {
  const linear_vector c = corner_motion(s, i), edge = edge_motion(s, i, (i + 1) % corners);
  const quadratic_vector w = cross_motion(&c, &edge);
  const vector *n = own->n.of;
  const number *f = own->f;
  return (edge_plane){
      .f = {f[0], number_add(f[0], f[1]), number_add(f[1], f[2]), number_add(f[2], f[3]), f[3]},
      .g = {vector_dot(n[0], w.of[0]), number_add(vector_dot(n[0], w.of[1]), vector_dot(n[1], w.of[0])),
            number_add(number_add(vector_dot(n[0], w.of[2]), vector_dot(n[2], w.of[0])), vector_dot(n[1], w.of[1])),
            number_add(vector_dot(n[1], w.of[2]), vector_dot(n[2], w.of[1])), vector_dot(n[2], w.of[2])},
      .max_normal2 = own->max_length2,
      .max_edge2 = max_edge2(s, &edge),
  };
}

/* The tilt that makes g + tilt f equal at both ends; limited, since f may be equal there. */
static inline real choose_tilt(const edge_plane *v) {
  const real rise = number_value(number_sub(v->g[0], v->g[4])), run = number_value(number_sub(v->f[4], v->f[0]));
  return real_min(real_max(real_div(rise, run), real_of(-STEEPEST)), real_of(STEEPEST));
}

/* What is proven of a span: separated throughout; or touching at some time, up to rounding. */
typedef struct proof {
  mask separated, touching;
} proof;

/* For one edge: the origin is outside throughout; or inside, within `slack` relative to the size, whenever f is 0. */
static inline proof test_edge_plane(const moving_polygon *s, const edge_plane *v, real tilt, double slack) {
  static const double weight[5] = {1, 0.25, 1.0 / 6, 0.25, 1};
  const real per_tilt = real_mul(real_of(1024 * UNIT), power_of_size(s, 3)), size4 = power_of_size(s, 4);
  const real error = real_add(real_mul(real_of(4096 * UNIT), size4), real_mul(per_tilt, real_abs(tilt)));
  real h[5];
  for (int i = 0; i < 5; ++i)
    h[i] = real_mul(real_of(weight[i]), number_value(number_add(v->g[i], number_mul(number_of(tilt), v->f[i]))));
  const real max_length2 = real_mul(v->max_normal2, real_add(v->max_edge2, real_mul(tilt, tilt)));
  const real inside = real_sub(find_lowest(h, 5), error), room = real_mul(real_of(slack), s->size);
  const real room2 = real_mul(real_mul(room, room), real_mul(v->max_normal2, v->max_edge2));
  return (proof){is_gap(s, real_sub(real_sub(real_of(0), find_highest(h, 5)), error), max_length2),
                 mask_or(is_above(inside, real_of(0)), is_above(room2, real_mul(inside, inside)))};
}

/* ----------------------------------------------------------------------------------- turning planes about an edge */

static inline mask test_turning_plane(const moving_polygon *s, int corners, const linear_vector *n) {
  real lowest = real_of(INFINITY), highest = real_of(-INFINITY), longest = real_of(0);
  for (int i = 0; i < corners; ++i) {
    const vector from = s->corner[0][i], to = s->corner[1][i];
    const number twice = number_add(vector_dot(n->of[0], to), vector_dot(n->of[1], from));
    const real height[3] = {number_value(vector_dot(n->of[0], from)), real_mul(real_of(0.5), number_value(twice)),
                            number_value(vector_dot(n->of[1], to))};
    lowest = real_min(find_lowest(height, 3), lowest), highest = real_max(find_highest(height, 3), highest);
  }
  for (int end = 0; end < 2; ++end) longest = real_max(sum_of_components(n->of[end]), longest);
  const real gap = real_sub(real_max(lowest, real_sub(real_of(0), highest)), height_error(s, longest));
  return is_gap(s, gap, real_max(vector_square(n->of[0]), vector_square(n->of[1])));
}

/* About every edge, in the middle of the span perpendicular to the plane of edge and origin. */
static inline mask test_turning_planes(const moving_polygon *s, int corners, const still_polygon *middle, mask found) {
  const vector *c = middle->corner;
  for (int i = 0; i < corners && !is_all_true(found); ++i) {
    const int next = (i + 1) % corners;
    const vector across = vector_cross(c[i], vector_sub(c[next], c[i]));
    const linear_vector edge = edge_motion(s, i, next);
    const linear_vector n = {{vector_cross(edge.of[0], across), vector_cross(edge.of[1], across)}};
    found = mask_or(found, test_turning_plane(s, corners, &n));
  }
  return found;
}

/* ------------------------------------------------------------------------------------------------ with a separation */

/* p . p in five coefficients times 1, 4, 6, 4, 1. */
static inline void square_motion(const quadratic_vector *p, real p2[5]) {
  const vector *v = p->of;
  p2[0] = vector_square(v[0]);
  p2[1] = real_mul(real_of(2), number_value(vector_dot(v[0], v[1])));
  p2[2] = real_add(real_mul(real_of(2), number_value(vector_dot(v[0], v[2]))), vector_square(v[1]));
  p2[3] = real_mul(real_of(2), number_value(vector_dot(v[1], v[2])));
  p2[4] = vector_square(v[2]);
}

/* Coefficients, multiplied by their binomials, of the same polynomial written with a degree two higher. */
static inline void raise_degree(const real *from, int count, real *to) {
  for (int k = 0; k < count + 2; ++k) {
    const real here = k < count ? from[k] : real_of(0), before = k >= 1 && k <= count ? from[k - 1] : real_of(0);
    to[k] = real_add(real_add(here, real_mul(real_of(2), before)), k >= 2 ? from[k - 2] : real_of(0));
  }
}

/* True if f^2 > d^2 n^2. */
static inline mask test_plane_distance(const moving_polygon *s, const polygon_plane *own) {
  static const double weight[7] = {1, 1.0 / 6, 1.0 / 15, 1.0 / 20, 1.0 / 15, 1.0 / 6, 1};
  real n2[5], raised[7], excess[7];
  square_motion(&own->n, n2);
  raise_degree(n2, 5, raised);
  for (int k = 0; k < 7; ++k) {
    real f2 = real_of(0);
    for (int i = k < 4 ? 0 : k - 3; i < 4 && i <= k; ++i)
      f2 = real_add(f2, real_mul(number_value(own->f[i]), number_value(own->f[k - i])));
    excess[k] = real_mul(real_of(weight[k]), real_sub(f2, real_mul(s->separation2, raised[k])));
  }
  const real of_f = real_mul(real_of(32768 * UNIT), power_of_size(s, 6));
  const real of_n = real_mul(real_mul(real_of(8192 * UNIT), power_of_size(s, 4)), s->separation2);
  return is_above(find_lowest(excess, 7), real_add(of_f, of_n));
}

/* True if w^2 > d^2 e^2. */
static inline mask test_line_distance(const moving_polygon *s, const linear_vector *e, const quadratic_vector *w) {
  static const double weight[5] = {1, 0.25, 1.0 / 6, 0.25, 1};
  const real e2[3] = {vector_square(e->of[0]), real_mul(real_of(2), number_value(vector_dot(e->of[0], e->of[1]))),
                      vector_square(e->of[1])};
  real w2[5], raised[5], excess[5];
  square_motion(w, w2);
  raise_degree(e2, 3, raised);
  for (int k = 0; k < 5; ++k)
    excess[k] = real_mul(real_of(weight[k]), real_sub(w2[k], real_mul(s->separation2, raised[k])));
  const real of_w = real_mul(real_of(2048 * UNIT), power_of_size(s, 4));
  const real of_e = real_mul(real_mul(real_of(256 * UNIT), power_of_size(s, 2)), s->separation2);
  return is_above(find_lowest(excess, 5), real_add(of_w, of_e));
}

/* True if k . (e x w) > 0. */
static inline mask test_behind_line(const moving_polygon *s, const linear_vector *k, const linear_vector *e,
                                    const quadratic_vector *w) {
  const vector *a = e->of, *b = w->of;
  const vector u[4] = {vector_cross(a[0], b[0]), vector_add(vector_cross(a[0], b[1]), vector_cross(a[1], b[0])),
                       vector_add(vector_cross(a[0], b[2]), vector_cross(a[1], b[1])), vector_cross(a[1], b[2])};
  const vector from = k->of[0], to = k->of[1];
  const real quarter = real_of(0.25), sixth = real_of(1.0 / 6);
  const real behind[5] = {number_value(vector_dot(from, u[0])),
                          real_mul(quarter, number_value(number_add(vector_dot(from, u[1]), vector_dot(to, u[0])))),
                          real_mul(sixth, number_value(number_add(vector_dot(from, u[2]), vector_dot(to, u[1])))),
                          real_mul(quarter, number_value(number_add(vector_dot(from, u[3]), vector_dot(to, u[2])))),
                          number_value(vector_dot(to, u[3]))};
  return is_above(find_lowest(behind, 5), real_mul(real_of(4096 * UNIT), power_of_size(s, 4)));
}

/* If one corner of a parallelogram next to an edge is behind the edge's line, so is the other. */
static inline mask test_edge_distances(const moving_polygon *s, int corners, mask found) {
  for (int i = 0; i < corners && !is_all_true(found); ++i) {
    const linear_vector c = corner_motion(s, i), e = edge_motion(s, i, (i + 1) % corners),
                        k = edge_motion(s, i, (i + corners - 1) % corners);
    const quadratic_vector w = cross_motion(&c, &e);
    found = mask_or(found, mask_and(test_line_distance(s, &e, &w), test_behind_line(s, &k, &e, &w)));
  }
  return found;
}

/* ------------------------------------------------------------------------------------------------------- all proofs */

/* Separates most pairs of a search. */
static inline mask test_cheap_planes(const moving_polygon *s, int corners) {
  const polygon_plane own = make_polygon_plane(s);
  const still_polygon middle = polygon_in_middle(s, corners);
  return test_fixed_planes(s, corners, &middle, test_polygon_plane(s, &own));
}

/* The additional proofs with a separation. */
static inline mask test_distances(const moving_polygon *s, int corners, mask found) {
  const polygon_plane own = make_polygon_plane(s);
  return test_edge_distances(s, corners, mask_or(found, test_plane_distance(s, &own)));
}

/* Touching with any separation: f surely changes its sign, and the origin is then inside of every edge. */
static inline proof test_all_planes(const moving_polygon *s, int corners, double slack) {
  const polygon_plane own = make_polygon_plane(s);
  const still_polygon middle = polygon_in_middle(s, corners);
  proof all = {test_fixed_planes(s, corners, &middle, test_polygon_plane(s, &own)), test_crosses_plane(s, &own)};
  for (int i = 0; i < corners && !is_all_true(all.separated); ++i) {
    const edge_plane view = make_edge_plane(s, corners, &own, i);
    const proof straight = test_edge_plane(s, &view, real_of(0), slack);
    const proof tilted = test_edge_plane(s, &view, choose_tilt(&view), slack);
    all.separated = mask_or(all.separated, mask_or(straight.separated, tilted.separated));
    all.touching = mask_and(all.touching, mask_or(straight.touching, tilted.touching));
  }
  if (!is_all_true(mask_or(all.separated, all.touching)))
    all.separated = test_turning_planes(s, corners, &middle, all.separated);
  return all;
}

/* For a single pair. */
static inline ipg_ccd_verdict to_verdict(proof v) {
  return is_all_true(v.separated)  ? IPG_VERDICT_SEPARATED
         : is_all_true(v.touching) ? IPG_VERDICT_TOUCHING
                                   : IPG_VERDICT_UNDECIDED;
}

/* Tests only the plane of the polygon. */
static inline ipg_ccd_verdict test_polygon_plane_alone(const moving_polygon *s, int corners) {
  const polygon_plane own = make_polygon_plane(s);
  const still_polygon middle = polygon_in_middle(s, corners);
  const mask separated = test_polygon_plane(s, &own);
  return to_verdict(
      (proof){is_all_true(separated) ? separated : mask_or(separated, test_parallel_plane(s, corners, &middle)),
              test_crosses_plane(s, &own)});
}
