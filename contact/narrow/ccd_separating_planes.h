/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Is a flat polygon surely clear of the origin all through a span of time? Text for any kind of number.
 *
 * Its corners move on straight lines from their places c at the span's start to c' at its end. Proofs:
 *
 * A fixed plane. For any vector n, if n . c > 0 for all corners at both ends, then n . q > 0 for every point q of the
 * polygon at every time between: it is a mean of these. n need not be computed well, it only decides whether the proof
 * succeeds. At one moment the planes across to the line from the origin to the nearest corner, edge or face are enough,
 * and a span short enough is like a moment.
 *
 * The polygon's own plane, which turns with it. n(t) = (c1 - c0) x (c2 - c0) is quadratic and f(t) = n(t) . c0(t)
 * cubic, zero whenever the plane contains the origin; f has no zero if its Bernstein coefficients have one sign.
 *
 * A plane through an edge, which turns too. g(t) = n(t) . w(t), where w(t) = c(t) x e(t) and e is the edge from corner
 * c, is quartic and says how far the origin is on the inner side of the edge. Where they touch g is not below zero, for
 * n is 0 or the origin in the polygon, and f is zero. So there is no touch where g + a f < 0, whatever a. The a that
 * takes the slope out of g + a f tilts the plane along the motion: a gap is told in a span as long as its square root.
 *
 * A plane about an edge. A polygon without area has no plane of its own, and of a sliver rounding takes most. So one
 * more that turns: its normal is e(t) x m with a fixed m, best across to edge and origin, and goes on a straight line
 * from n to n'. Heights of corners are quadratic, with coefficients n . c, (n . c' + n' . c) / 2 and n' . c'; again n
 * and n' need not be computed well. What glides along an edge, or turns with it, is parted from it by few such planes.
 *
 * A separation d. A gap of a plane with normal n must be larger than d |n|; of planes that turn, d times the largest
 * |n(t)|, or |n(t)| sqrt(e(t)^2 + a^2) for one through an edge. What changes its length while it turns loses by that,
 * so two proofs more: the polygon's plane is farther than d if f^2 > d^2 n^2; the line of an edge is if w^2 > d^2 e^2,
 * and the polygon behind it, seen from the origin, if its next corner is, k from c: k . (e x w) > 0.
 *
 * Rounding. Let u bound the relative error of plus, minus and times, and M the size of all coordinates at both ends of
 * the step, so everywhere between. All below is to first order, each figure with room for the rest.
 * - A corner within the step is a mean, w c + w' c' with exact weights, of corners that are right to u: right to 3 u M.
 * - Fixed plane: each of three products n_k c_k is right to (3 + 1) u |n_k| M, and two sums add 2 u more: the height
 *   of a corner is right to 6.1 u M |n|, where |n| is the sum of the components. 8 is used. Plane about an edge: half
 *   the sum of two heights is right to 7.2 u M times the larger |n|.
 * - Own plane: an edge is right to 8.1 u M (6 from its ends, 2 from its own rounding) and smaller than 2 M; a component
 *   of the cross product of two to 81 u M^2 (twice 2 x 2 x 8.1 + 4, and 8 from the difference) and smaller than 8 M^2;
 *   the sum of two of them to 178 u M^2. A dot product of a corner with the former is right to 380 u M^3, with the
 *   latter to 810: 3 f1 is right to 1260 u M^3, f1 itself, divided, to 470. 512 is used.
 * - Edge: a component of w is right to 37 u M^2 and smaller than 4 M^2, the sum of two to 82 u M^2. Dot products of
 *   first, middle and last coefficients are right to 2120, 4430 or 9240 u M^4, so the five of g, which are one, two,
 *   three, two and one of these, divided by 1, 4, 6, 4, 1, to 2400 u M^4; those of f, as a quartic, to 450 u M^3. They
 *   are smaller than 96 M^4 and 24 M^3; product, sum and division add 300 u M^4 and 100 u |a| M^3. 4096 u M^4 and
 *   1024 u |a| M^3 are used for g + a f.
 * - Separation: f^2 is right to 2 x 24 x 470 u M^6 and roundings, 32768 u M^6 in all; n^2 to 3 x 2 x 8 x 89 u M^4 and
 *   roundings, 8192 u M^4. w^2 is right to 3 x 2 x 4 x 41 u M^4 and roundings, 2048 u M^4; e^2 to 256 u M^2. e x w is
 *   right to 320 u M^3 and smaller than 16 M^3, k to 8.1 u M: their product to 4096 u M^4. Bernstein vectors of n are
 *   right to 154 u M^2 < 2^-45 M^2, those of e to less, so the square of the longest n is below (1 + 2^-30) times what
 *   is computed and (1 + 2^30) 2^-90 M^4 more, and so that of e. d^2 carries a factor 1 + 2^-45 for the roundings of
 *   comparisons.
 * What underflows is less than 2^-1070 each time; gaps count only above 2^-400, where the room left above is larger,
 * and which is more than d |n| for a d whose square is nothing.
 * For pairs of doubles only the first double is compared: it is right to 2^-53 of itself, less than any room above.
 *
 * The including file brings `number` (plus, minus, times, right to UNIT), `real` (what a number is rounded to for
 * comparisons: value, number_of, r_of, r_plus, r_minus, r_times, r_over, r_least, r_most, r_abs) and `mask` (above,
 * not_below, both, either, everywhere). */

#define TINY 0x1p-400
#define STEEPEST 0x1p40

typedef struct vector {
  number x, y, z;
} vector;

/* The corners at the ends of a span; size and separation as in ipg_flat. */
typedef struct stretch {
  vector corner[2][IPG_FLAT_CORNERS];
  real size, separation2;
} stretch;

static inline vector v_plus(vector a, vector b) { return (vector){plus(a.x, b.x), plus(a.y, b.y), plus(a.z, b.z)}; }
static inline vector v_minus(vector a, vector b) { return (vector){minus(a.x, b.x), minus(a.y, b.y), minus(a.z, b.z)}; }
static inline number v_dot(vector a, vector b) { return plus(plus(times(a.x, b.x), times(a.y, b.y)), times(a.z, b.z)); }
static inline vector v_cross(vector a, vector b) {
  return (vector){minus(times(a.y, b.z), times(a.z, b.y)), minus(times(a.z, b.x), times(a.x, b.z)),
                  minus(times(a.x, b.y), times(a.y, b.x))};
}
static inline real square(vector a) { return value(v_dot(a, a)); }

static inline real power_of_size(const stretch *s, int power) {
  real result = s->size;
  for (int i = 1; i < power; ++i) result = r_times(result, s->size);
  return result;
}

/* Is the gap more than rounding, and than separation times a length? */
static inline mask is_gap(const stretch *s, real gap, real length2) {
  return both(above(gap, r_of(TINY)), not_below(r_times(gap, gap), r_times(s->separation2, length2)));
}

static inline real lowest_of(const real *f, int count) {
  real lowest = f[0];
  for (int i = 1; i < count; ++i) lowest = r_least(f[i], lowest);
  return lowest;
}

static inline real highest_of(const real *f, int count) {
  real highest = f[0];
  for (int i = 1; i < count; ++i) highest = r_most(f[i], highest);
  return highest;
}

/* ----------------------------------------------------------------------------------------------------- fixed planes */

static inline real sum_of_components(vector n) {
  return r_plus(r_plus(r_abs(value(n.x)), r_abs(value(n.y))), r_abs(value(n.z)));
}

static inline real error_of_height(const stretch *s, real sum) {
  return r_times(r_times(r_of(8 * UNIT), s->size), sum);
}

static inline mask apart_along(const stretch *s, int corners, vector n) {
  real lowest = r_of(INFINITY), highest = r_of(-INFINITY);
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < corners; ++i) {
      const real height = value(v_dot(n, s->corner[end][i]));
      lowest = r_least(height, lowest), highest = r_most(height, highest);
    }
  const real error = error_of_height(s, sum_of_components(n));
  const real gap = r_minus(r_most(lowest, r_minus(r_of(0), highest)), error);
  return is_gap(s, gap, square(n));
}

/* Corners that planes are laid by. */
typedef struct outline {
  vector corner[IPG_FLAT_CORNERS];
} outline;

/* In the middle of the span, twice as large: only directions are taken from it. */
static inline outline in_the_middle(const stretch *s, int corners) {
  outline o;
  for (int i = 0; i < corners; ++i) o.corner[i] = v_plus(s->corner[0][i], s->corner[1][i]);
  return o;
}

static inline outline at_the_end(const stretch *s, int corners) {
  outline o;
  for (int i = 0; i < corners; ++i) o.corner[i] = s->corner[1][i];
  return o;
}

static inline mask apart_along_normal(const stretch *s, int corners, const outline *o) {
  const vector *c = o->corner;
  return apart_along(s, corners, v_cross(v_minus(c[1], c[0]), v_minus(c[2], c[0])));
}

/* The planes that are right for that outline, those that cost least first. */
static inline mask apart_by(const stretch *s, int corners, const outline *o, mask found) {
  const vector *c = o->corner;
  for (int i = 0; i < corners && !everywhere(found); ++i) found = either(found, apart_along(s, corners, c[i]));
  for (int i = 0; i < corners && !everywhere(found); ++i) {
    const vector edge = v_minus(c[(i + 1) % corners], c[i]);
    found = either(found, apart_along(s, corners, v_cross(edge, v_cross(c[i], edge))));
  }
  return everywhere(found) ? found : either(found, apart_along_normal(s, corners, o));
}

/* -------------------------------------------------------------------------------------------------------- own plane */

/* A vector that moves on a straight line, and one that is (1-t)^2 of[0] + t (1-t) of[1] + t^2 of[2]. */
typedef struct line {
  vector of[2];
} line;

typedef struct parabola {
  vector of[3];
} parabola;

static inline line corner_path(const stretch *s, int i) { return (line){{s->corner[0][i], s->corner[1][i]}}; }

static inline line edge_path(const stretch *s, int from, int to) {
  return (line){{v_minus(s->corner[0][to], s->corner[0][from]), v_minus(s->corner[1][to], s->corner[1][from])}};
}

static inline parabola cross_path(const line *a, const line *b) {
  return (parabola){{v_cross(a->of[0], b->of[0]), v_plus(v_cross(a->of[0], b->of[1]), v_cross(a->of[1], b->of[0])),
                     v_cross(a->of[1], b->of[1])}};
}

/* Not less than the squares of the lengths they ever have. */
static inline real longest_normal2(const stretch *s, const parabola *n) {
  const real middle = r_times(r_of(0.25), square(n->of[1])), longest = r_most(square(n->of[0]), square(n->of[2]));
  return r_plus(r_times(r_of(1 + 0x1p-29), r_most(longest, middle)), r_times(r_of(0x1p-59), power_of_size(s, 4)));
}

static inline real longest_edge2(const stretch *s, const line *e) {
  const real longest = r_most(square(e->of[0]), square(e->of[1]));
  return r_plus(r_times(r_of(1 + 0x1p-29), longest), r_times(r_of(0x1p-59), power_of_size(s, 2)));
}

/* n and, in four Bernstein coefficients times 1, 3, 3, 1, f. */
typedef struct own_plane {
  parabola n;
  number f[4];
  real longest2;
} own_plane;

static inline own_plane own_plane_of(const stretch *s) {
  const line first = edge_path(s, 0, 1), second = edge_path(s, 0, 2);
  const vector from = s->corner[0][0], to = s->corner[1][0];
  own_plane own = {.n = cross_path(&first, &second)};
  own.f[0] = v_dot(from, own.n.of[0]);
  own.f[1] = plus(v_dot(from, own.n.of[1]), v_dot(to, own.n.of[0]));
  own.f[2] = plus(v_dot(from, own.n.of[2]), v_dot(to, own.n.of[1]));
  own.f[3] = v_dot(to, own.n.of[2]);
  own.longest2 = longest_normal2(s, &own.n);
  return own;
}

static inline real error_of_front(const stretch *s) { return r_times(r_of(512 * UNIT), power_of_size(s, 3)); }

static inline mask on_one_side(const stretch *s, const own_plane *own) {
  const real third = r_of(1.0 / 3);
  const real f[4] = {value(own->f[0]), r_times(third, value(own->f[1])), r_times(third, value(own->f[2])),
                     value(own->f[3])};
  const real gap = r_most(lowest_of(f, 4), r_minus(r_of(0), highest_of(f, 4)));
  return is_gap(s, r_minus(gap, error_of_front(s)), own->longest2);
}

/* Does f surely change its sign? */
static inline mask changes_sides(const stretch *s, const own_plane *own) {
  const real f0 = value(own->f[0]), f3 = value(own->f[3]), error = error_of_front(s);
  return both(above(r_minus(r_of(0), r_least(f0, f3)), error), above(r_most(f0, f3), error));
}

/* ------------------------------------------------------------------------------------------- planes through an edge */

/* f and g as quartics, in five Bernstein coefficients times 1, 4, 6, 4, 1. */
typedef struct edge_view {
  number f[5], g[5];
  real longest_normal2, longest_edge2;
} edge_view;

static inline edge_view view_of_edge(const stretch *s, int corners, const own_plane *own, int i) {
  const line c = corner_path(s, i), edge = edge_path(s, i, (i + 1) % corners);
  const parabola w = cross_path(&c, &edge);
  const vector *n = own->n.of;
  const number *f = own->f;
  return (edge_view){
      .f = {f[0], plus(f[0], f[1]), plus(f[1], f[2]), plus(f[2], f[3]), f[3]},
      .g = {v_dot(n[0], w.of[0]), plus(v_dot(n[0], w.of[1]), v_dot(n[1], w.of[0])),
            plus(plus(v_dot(n[0], w.of[2]), v_dot(n[2], w.of[0])), v_dot(n[1], w.of[1])),
            plus(v_dot(n[1], w.of[2]), v_dot(n[2], w.of[1])), v_dot(n[2], w.of[2])},
      .longest_normal2 = own->longest2,
      .longest_edge2 = longest_edge2(s, &edge),
  };
}

/* The tilt that makes g + tilt f equal at both ends; within limits, for f may be equal. */
static inline real best_tilt(const edge_view *v) {
  const real rise = value(minus(v->g[0], v->g[4])), run = value(minus(v->f[4], v->f[0]));
  return r_least(r_most(r_over(rise, run), r_of(-STEEPEST)), r_of(STEEPEST));
}

/* What is told of a span: surely apart; or surely touching at some time, or as good as that. */
typedef struct verdict {
  mask apart, touching;
} verdict;

/* Of one edge: the origin is outside all through; or inside, but for `slack` in parts of the size, whenever f is 0. */
static inline verdict judge_edge(const stretch *s, const edge_view *v, real tilt, double slack) {
  static const double weight[5] = {1, 0.25, 1.0 / 6, 0.25, 1};
  const real per_tilt = r_times(r_of(1024 * UNIT), power_of_size(s, 3)), size4 = power_of_size(s, 4);
  const real error = r_plus(r_times(r_of(4096 * UNIT), size4), r_times(per_tilt, r_abs(tilt)));
  real h[5];
  for (int i = 0; i < 5; ++i) h[i] = r_times(r_of(weight[i]), value(plus(v->g[i], times(number_of(tilt), v->f[i]))));
  const real longest2 = r_times(v->longest_normal2, r_plus(v->longest_edge2, r_times(tilt, tilt)));
  const real inside = r_minus(lowest_of(h, 5), error), room = r_times(r_of(slack), s->size);
  const real room2 = r_times(r_times(room, room), r_times(v->longest_normal2, v->longest_edge2));
  return (verdict){is_gap(s, r_minus(r_minus(r_of(0), highest_of(h, 5)), error), longest2),
                   either(above(inside, r_of(0)), above(room2, r_times(inside, inside)))};
}

/* ------------------------------------------------------------------------------------------- planes about an edge */

static inline mask apart_along_turning(const stretch *s, int corners, const line *n) {
  real lowest = r_of(INFINITY), highest = r_of(-INFINITY), longest = r_of(0);
  for (int i = 0; i < corners; ++i) {
    const vector from = s->corner[0][i], to = s->corner[1][i];
    const number twice = plus(v_dot(n->of[0], to), v_dot(n->of[1], from));
    const real height[3] = {value(v_dot(n->of[0], from)), r_times(r_of(0.5), value(twice)), value(v_dot(n->of[1], to))};
    lowest = r_least(lowest_of(height, 3), lowest), highest = r_most(highest_of(height, 3), highest);
  }
  for (int end = 0; end < 2; ++end) longest = r_most(sum_of_components(n->of[end]), longest);
  const real gap = r_minus(r_most(lowest, r_minus(r_of(0), highest)), error_of_height(s, longest));
  return is_gap(s, gap, r_most(square(n->of[0]), square(n->of[1])));
}

/* About every edge, square in the middle of the span to the plane of edge and origin. */
static inline mask apart_about_edges(const stretch *s, int corners, const outline *middle, mask found) {
  const vector *c = middle->corner;
  for (int i = 0; i < corners && !everywhere(found); ++i) {
    const int next = (i + 1) % corners;
    const vector across = v_cross(c[i], v_minus(c[next], c[i]));
    const line edge = edge_path(s, i, next);
    const line n = {{v_cross(edge.of[0], across), v_cross(edge.of[1], across)}};
    found = either(found, apart_along_turning(s, corners, &n));
  }
  return found;
}

/* ------------------------------------------------------------------------------------------------ with a separation */

/* p . p in five coefficients times 1, 4, 6, 4, 1. */
static inline void square_path(const parabola *p, real p2[5]) {
  const vector *v = p->of;
  p2[0] = square(v[0]);
  p2[1] = r_times(r_of(2), value(v_dot(v[0], v[1])));
  p2[2] = r_plus(r_times(r_of(2), value(v_dot(v[0], v[2]))), square(v[1]));
  p2[3] = r_times(r_of(2), value(v_dot(v[1], v[2])));
  p2[4] = square(v[2]);
}

/* Coefficients that carry their binomials, as of a polynomial of a degree two higher. */
static inline void raise_degree(const real *from, int count, real *to) {
  for (int k = 0; k < count + 2; ++k) {
    const real here = k < count ? from[k] : r_of(0), before = k >= 1 && k <= count ? from[k - 1] : r_of(0);
    to[k] = r_plus(r_plus(here, r_times(r_of(2), before)), k >= 2 ? from[k - 2] : r_of(0));
  }
}

/* Is f^2 > d^2 n^2? */
static inline mask plane_is_beyond(const stretch *s, const own_plane *own) {
  static const double weight[7] = {1, 1.0 / 6, 1.0 / 15, 1.0 / 20, 1.0 / 15, 1.0 / 6, 1};
  real n2[5], raised[7], excess[7];
  square_path(&own->n, n2);
  raise_degree(n2, 5, raised);
  for (int k = 0; k < 7; ++k) {
    real f2 = r_of(0);
    for (int i = k < 4 ? 0 : k - 3; i < 4 && i <= k; ++i)
      f2 = r_plus(f2, r_times(value(own->f[i]), value(own->f[k - i])));
    excess[k] = r_times(r_of(weight[k]), r_minus(f2, r_times(s->separation2, raised[k])));
  }
  const real of_f = r_times(r_of(32768 * UNIT), power_of_size(s, 6));
  const real of_n = r_times(r_times(r_of(8192 * UNIT), power_of_size(s, 4)), s->separation2);
  return above(lowest_of(excess, 7), r_plus(of_f, of_n));
}

/* Is w^2 > d^2 e^2? */
static inline mask line_is_beyond(const stretch *s, const line *e, const parabola *w) {
  static const double weight[5] = {1, 0.25, 1.0 / 6, 0.25, 1};
  const real e2[3] = {square(e->of[0]), r_times(r_of(2), value(v_dot(e->of[0], e->of[1]))), square(e->of[1])};
  real w2[5], raised[5], excess[5];
  square_path(w, w2);
  raise_degree(e2, 3, raised);
  for (int k = 0; k < 5; ++k) excess[k] = r_times(r_of(weight[k]), r_minus(w2[k], r_times(s->separation2, raised[k])));
  const real of_w = r_times(r_of(2048 * UNIT), power_of_size(s, 4));
  const real of_e = r_times(r_times(r_of(256 * UNIT), power_of_size(s, 2)), s->separation2);
  return above(lowest_of(excess, 5), r_plus(of_w, of_e));
}

/* Is k . (e x w) > 0? */
static inline mask is_behind(const stretch *s, const line *k, const line *e, const parabola *w) {
  const vector *a = e->of, *b = w->of;
  const vector u[4] = {v_cross(a[0], b[0]), v_plus(v_cross(a[0], b[1]), v_cross(a[1], b[0])),
                       v_plus(v_cross(a[0], b[2]), v_cross(a[1], b[1])), v_cross(a[1], b[2])};
  const vector from = k->of[0], to = k->of[1];
  const real quarter = r_of(0.25), sixth = r_of(1.0 / 6);
  const real behind[5] = {value(v_dot(from, u[0])), r_times(quarter, value(plus(v_dot(from, u[1]), v_dot(to, u[0])))),
                          r_times(sixth, value(plus(v_dot(from, u[2]), v_dot(to, u[1])))),
                          r_times(quarter, value(plus(v_dot(from, u[3]), v_dot(to, u[2])))), value(v_dot(to, u[3]))};
  return above(lowest_of(behind, 5), r_times(r_of(4096 * UNIT), power_of_size(s, 4)));
}

/* Of a parallelogram, what is behind an edge's line with one corner next to it is so with the other. */
static inline mask beyond_an_edge(const stretch *s, int corners, mask found) {
  for (int i = 0; i < corners && !everywhere(found); ++i) {
    const line c = corner_path(s, i), e = edge_path(s, i, (i + 1) % corners),
               k = edge_path(s, i, (i + corners - 1) % corners);
    const parabola w = cross_path(&c, &e);
    found = either(found, both(line_is_beyond(s, &e, &w), is_behind(s, &k, &e, &w)));
  }
  return found;
}

/* ----------------------------------------------------------------------------------------------------- all together */

/* Most pairs of a search end here. */
static inline mask soon_apart(const stretch *s, int corners) {
  const own_plane own = own_plane_of(s);
  const outline middle = in_the_middle(s, corners);
  return apart_by(s, corners, &middle, on_one_side(s, &own));
}

/* What a separation needs more. */
static inline mask apart_by_squares(const stretch *s, int corners, mask found) {
  const own_plane own = own_plane_of(s);
  return beyond_an_edge(s, corners, either(found, plane_is_beyond(s, &own)));
}

/* Touching, no matter what separation: f surely changes its sign, and the origin is then inside of every edge. */
static inline verdict judge(const stretch *s, int corners, double slack) {
  const own_plane own = own_plane_of(s);
  const outline middle = in_the_middle(s, corners);
  verdict all = {apart_by(s, corners, &middle, on_one_side(s, &own)), changes_sides(s, &own)};
  for (int i = 0; i < corners && !everywhere(all.apart); ++i) {
    const edge_view view = view_of_edge(s, corners, &own, i);
    const verdict straight = judge_edge(s, &view, r_of(0), slack);
    const verdict tilted = judge_edge(s, &view, best_tilt(&view), slack);
    all.apart = either(all.apart, either(straight.apart, tilted.apart));
    all.touching = both(all.touching, either(straight.touching, tilted.touching));
  }
  if (!everywhere(either(all.apart, all.touching))) all.apart = apart_about_edges(s, corners, &middle, all.apart);
  return all;
}

/* For a single pair: the outcome by name. */
static inline ipg_verdict name_of(verdict v) {
  return everywhere(v.apart) ? IPG_APART : everywhere(v.touching) ? IPG_TOUCHING : IPG_OPEN;
}

/* Of the polygon's plane alone. */
static inline ipg_verdict judge_plane(const stretch *s, int corners) {
  const own_plane own = own_plane_of(s);
  const outline middle = in_the_middle(s, corners);
  const mask apart = on_one_side(s, &own);
  return name_of((verdict){everywhere(apart) ? apart : either(apart, apart_along_normal(s, corners, &middle)),
                           changes_sides(s, &own)});
}
