/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* With the ends a, b of e and a', b' of f: t = b - a, m = t x t', n = m / |m| up to its sign. The nearest points q = a
 * + s t and q' = a' + s' t' differ by d n. Let v be the motion of q against q' with s and s' as they are; then
 *
 *   dd  = n . v            dn = -(n . dt) u - (n . dt') u'            u = t' x m / m^2,  u' = m x t / m^2
 *   ds  = u . (d dn - v)   ds' = u' . (v - d dn)
 *
 * (u and u' are dual to t and t'). So the gradient follows from the derivatives of E by d, s, s', n, t, t' and by the
 * third corners: `derivatives`. */
#include "enforce/edge_overlap.h"

#include "enforce/polygon.h"

/* ---------------------------------------------------------------------------------------------------------- factors */

/* A factor of the energy between 0 and 1, and its slope. */
typedef struct factor {
  double value, slope;
} factor;

/* From 0 at -1 to 1 at 1, with a slope that has no jump. */
static factor rise(double z) {
  if (z <= -1) return (factor){0, 0};
  if (z >= 1) return (factor){1, 0};
  return (factor){0.5 + 0.25 * z * (3 - z * z), 0.75 * (1 - z * z)};
}

/* From 0 at `none` to 1 at `all`. */
static factor rise_between(double none, double all, double x) {
  const double half = 0.5 * (all - none);
  const factor f = rise((x - none) / half - 1);
  return (factor){f.value, f.slope / half};
}

enum { PARALLEL, WEDGES = 1, ENDS = 5, FACTORS = 9 }; /* two of wedges and two of ends for each edge */

/* One edge. */
typedef struct side {
  const ipg_overlap_edge *edge;
  vec along;               /* from end to end: t */
  vec outward;             /* n, out of this edge */
  double length, fraction; /* of t; s */
} side;

typedef struct crossing {
  side of[2];
  vec across, normal, duals[2]; /* m, n, u and u' */
  double across_length, sine, depth;
  factor factors[FACTORS];
} crossing;

/* How far the third corner of a face lies behind the edge along n, in heights of the face at the start: about the sine
 * of the angle between n and the face, and no more than that if the face collapses. */
static double lean_over(const side *s, int corner, vec *to_edge) {
  *to_edge = vec_sub(s->edge->points[0], s->edge->points[2 + corner]);
  return vec_dot(s->outward, *to_edge) / s->edge->heights[corner];
}

/* False: the two do not cross. */
static bool find_perpendicular(const ipg_overlap_edge *e, const ipg_overlap_edge *f, crossing *k) {
  for (int i = 0; i < 2; ++i) {
    side *s = &k->of[i];
    s->edge = i ? f : e;
    s->along = vec_sub(s->edge->points[1], s->edge->points[0]), s->length = vec_length(s->along);
  }
  k->across = vec_cross(k->of[0].along, k->of[1].along);
  k->across_length = vec_length(k->across);
  k->sine = k->across_length / (k->of[0].length * k->of[1].length);
  if (!(k->sine > IPG_EDGE_NO_CROSSING)) return false;
  const bool is_inward = vec_dot(k->across, vec_sub(e->points[0], e->points[2])) < 0;
  k->normal = vec_scale((is_inward ? -1 : 1) / k->across_length, k->across);
  k->of[0].outward = k->normal, k->of[1].outward = vec_scale(-1, k->normal);
  k->depth = vec_dot(k->normal, vec_sub(e->points[0], f->points[0]));
  return true;
}

/* False: no contact. */
static bool find_factors(crossing *k) {
  const double per_square = 1 / (k->across_length * k->across_length);
  const vec between = vec_sub(k->of[0].edge->points[0], k->of[1].edge->points[0]);
  vec to_edge;
  k->factors[PARALLEL] = rise_between(IPG_EDGE_NO_CROSSING, IPG_EDGE_ALL_CROSSING, k->sine);
  for (int i = 0; i < 4; ++i) {
    k->factors[WEDGES + i] =
        rise_between(IPG_EDGE_NO_LEAN, IPG_EDGE_ALL_LEAN, lean_over(&k->of[i / 2], i % 2, &to_edge));
    if (!(k->factors[WEDGES + i].value > 0)) return false;
  }
  k->duals[0] = vec_scale(per_square, vec_cross(k->of[1].along, k->across));
  k->duals[1] = vec_scale(per_square, vec_cross(k->across, k->of[0].along));
  k->of[0].fraction = -vec_dot(between, k->duals[0]), k->of[1].fraction = vec_dot(between, k->duals[1]);
  for (int i = 0; i < 4; ++i) {
    const side *s = &k->of[i / 2];
    const double from_end = s->length * (i % 2 ? 1 - s->fraction : s->fraction);
    k->factors[ENDS + i] = rise((from_end - s->edge->starts[i % 2]) / s->edge->widths[i % 2]);
    if (!(k->factors[ENDS + i].value > 0)) return false;
  }
  return true;
}

static double all_factors_but(const crossing *k, int left_out) {
  double product = 1;
  for (int i = 0; i < FACTORS; ++i)
    if (i != left_out) product *= k->factors[i].value;
  return product;
}

/* ----------------------------------------------------------------------------------------------------- the gradient */

typedef struct derivatives {
  double depth, fractions[2]; /* by d, s, s' with n and t as they are */
  vec normal, along[2], corners[2][2];
} derivatives;

static void add_to(vec *sum, double s, vec a) { *sum = vec_add(*sum, vec_scale(s, a)); }

/* `energy`: without the factor. */
static void add_parallel(const crossing *k, double energy, derivatives *to) {
  const double by_sine = energy * k->factors[PARALLEL].slope;
  const vec unit = vec_scale(1 / k->across_length, k->across);
  for (int i = 0; i < 2; ++i) {
    const vec other = k->of[!i].along, by_across = i ? vec_cross(unit, other) : vec_cross(other, unit);
    add_to(&to->along[i], by_sine / (k->of[0].length * k->of[1].length), by_across);
    add_to(&to->along[i], -by_sine * k->sine / (k->of[i].length * k->of[i].length), k->of[i].along);
  }
}

static void add_wedge(const crossing *k, int i, double energy, derivatives *to) {
  const side *s = &k->of[i / 2];
  const double scale = energy * k->factors[WEDGES + i].slope / s->edge->heights[i % 2];
  vec to_edge;
  (void)lean_over(s, i % 2, &to_edge);
  add_to(&to->normal, i / 2 ? -scale : scale, to_edge);
  to->corners[i / 2][i % 2] = vec_scale(scale, s->outward);
}

static void add_end(const crossing *k, int i, double energy, derivatives *to) {
  const side *s = &k->of[i / 2];
  const double by_way = energy * k->factors[ENDS + i].slope / s->edge->widths[i % 2];
  to->fractions[i / 2] += (i % 2 ? -1 : 1) * by_way * s->length;
  add_to(&to->along[i / 2], by_way * (i % 2 ? 1 - s->fraction : s->fraction) / s->length, s->along);
}

static void store_forces(const crossing *k, const derivatives *d, ipg_overlap *overlap) {
  const double *s = d->fractions;
  const vec on_points =
      vec_sub(vec_add(vec_scale(d->depth, k->normal), vec_scale(s[1], k->duals[1])), vec_scale(s[0], k->duals[0]));
  const vec by_normal =
      vec_add(d->normal, vec_scale(k->depth, vec_sub(vec_scale(s[0], k->duals[0]), vec_scale(s[1], k->duals[1]))));
  for (int i = 0; i < 2; ++i) {
    const double fraction = k->of[i].fraction, sign = i ? 1 : -1;
    const vec by_along = vec_sub(d->along[i], vec_scale(vec_dot(by_normal, k->duals[i]), k->normal));
    vec *forces = overlap->forces[i];
    forces[0] = vec_add(vec_scale(sign * (1 - fraction), on_points), by_along);
    forces[1] = vec_sub(vec_scale(sign * fraction, on_points), by_along);
    forces[2] = (vec){0, 0, 0};
    for (int corner = 0; corner < 2; ++corner) {
      forces[0] = vec_sub(forces[0], d->corners[i][corner]);
      forces[3 + corner] = d->corners[i][corner];
    }
    overlap->point_counts[i] = 5;
  }
}

/* ------------------------------------------------------------------------------------------------------- the energy */

/* Beyond an end that of the end: no line through two offsets below 0 may rise above it there. */
static double offset_at(const side *s) {
  const double fraction = larger(0, smaller(1, s->fraction));
  return (1 - fraction) * s->edge->offsets[0] + fraction * s->edge->offsets[1];
}

static double slope_of_offset(const side *s) {
  return s->fraction > 0 && s->fraction < 1 ? s->edge->offsets[1] - s->edge->offsets[0] : 0;
}

/* Beyond an end it is that end that bears. */
static void store_pressures(const crossing *k, double force, ipg_overlap *overlap) {
  for (int i = 0; i < 2; ++i) {
    const double fraction = larger(0, smaller(1, k->of[i].fraction));
    overlap->pressures[i][0] = force * (1 - fraction), overlap->pressures[i][1] = force * fraction;
    overlap->pressures[i][2] = 0;
  }
}

bool ipg_edge_overlap(const ipg_overlap_edge *e, const ipg_overlap_edge *f, const ipg_overlap_law *law,
                      ipg_overlap *overlap) {
  crossing k;
  derivatives d = {0};
  if (!find_perpendicular(e, f, &k) || !find_factors(&k)) return false;
  const double c = all_factors_but(&k, FACTORS), offset = offset_at(&k.of[0]) + offset_at(&k.of[1]);
  const double through = (1 + IPG_PASSING) * law->thickness - IPG_PASSING * k.depth;
  const double p = offset + smaller(k.depth, through);
  if (!(p > IPG_NO_DEPTH * larger(k.of[0].length, k.of[1].length))) return false;
  const bool is_through = through < k.depth;
  const double energy = law->stiffness * ipg_onset_energy(p, law->onset);
  const double force = c * law->stiffness * ipg_onset_pressure(p, law->onset);
  d.depth = is_through ? -IPG_PASSING * force : force;
  for (int i = 0; i < 2; ++i) d.fractions[i] = force * slope_of_offset(&k.of[i]);
  add_parallel(&k, energy * all_factors_but(&k, PARALLEL), &d);
  for (int i = 0; i < 4; ++i) add_wedge(&k, i, energy * all_factors_but(&k, WEDGES + i), &d);
  for (int i = 0; i < 4; ++i) add_end(&k, i, energy * all_factors_but(&k, ENDS + i), &d);
  overlap->energy = c * energy;
  overlap->depth = k.depth + offset;
  store_pressures(&k, force, overlap);
  store_forces(&k, &d, overlap);
  return true;
}

/* --------------------------------------------------------------------------------------------------------- friction */

vec ipg_normal_of_edges(const vec e[2], const vec f[2], vec sense) {
  const vec across = vec_unit(vec_cross(vec_sub(e[1], e[0]), vec_sub(f[1], f[0])));
  return vec_scale(vec_dot(across, sense) < 0 ? -1 : 1, across);
}

void ipg_nearest_on_edges(const vec e[2], const vec f[2], double fractions[2]) {
  const vec along[2] = {vec_sub(e[1], e[0]), vec_sub(f[1], f[0])}, across = vec_cross(along[0], along[1]);
  const vec between = vec_sub(e[0], f[0]);
  const double per_square = 1 / vec_dot(across, across);
  fractions[0] = -per_square * vec_dot(between, vec_cross(along[1], across));
  fractions[1] = per_square * vec_dot(between, vec_cross(across, along[0]));
}

void ipg_add_turning_of_edges(const vec e[2], const vec f[2], vec by_normal, vec normal, vec forces[2][2]) {
  const vec along[2] = {vec_sub(e[1], e[0]), vec_sub(f[1], f[0])}, across = vec_cross(along[0], along[1]);
  const double per_square = 1 / vec_dot(across, across);
  const vec duals[2] = {vec_cross(along[1], across), vec_cross(across, along[0])};
  for (int i = 0; i < 2; ++i) {
    const vec more = vec_scale(per_square * vec_dot(by_normal, duals[i]), normal);
    forces[i][0] = vec_sub(forces[i][0], more), forces[i][1] = vec_add(forces[i][1], more);
  }
}
