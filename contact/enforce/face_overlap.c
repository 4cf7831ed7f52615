/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Everything in the common plane is a polygon or a linear function of the place y = (u, v):
 *
 *   lines    l(y) >= 0 inside: the edges of F and of G, and where either face leaves the other body beyond a border
 *   depths   d and s_j; the least of them is penetrated
 *
 * The polygon P is cut by all lines, then into the parts where one depth is least and below or above the onset. On a
 * part psi is a polynomial, and its integrals are exact. The energy changes with a linear function f by
 *
 *   a depth:  integral over the parts of psi' df dA        a line:  integral along its piece of the border of psi df /
 * |grad f| ds
 *
 * which is linear in df: three numbers hold it (`functional`). Then follow df for each corner by hand, and last the
 * change with n: E is the same in every frame, so dE/dn follows from the moment of the other derivatives.
 *
 * Shared borders of two parts, and the border at d = 0 where psi is 0, contribute nothing. At the border d = reach
 * contact ends and its energy is lost: this border is taken to lie still on the faces, half on either, so that depth
 * alone moves nothing across it and momentum is kept. */
#include "enforce/face_overlap.h"

#include "support/thresholds.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ linear functions */

/* c[0] u + c[1] v + c[2] */
typedef struct linear {
  double c[3];
} linear;

/* Of a linear function: its integral against some weight, as the integrals of u, v and 1. */
typedef struct functional {
  double c[3];
} functional;

static inline double value_at(const linear *f, double u, double v) { return f->c[0] * u + f->c[1] * v + f->c[2]; }

static inline double apply(const functional *g, const linear *f) {
  return g->c[0] * f->c[0] + g->c[1] * f->c[1] + g->c[2] * f->c[2];
}

static linear combine(double s, const linear *f, double t, const linear *g) {
  return (linear){{s * f->c[0] + t * g->c[0], s * f->c[1] + t * g->c[1], s * f->c[2] + t * g->c[2]}};
}

/* Positive on the left of the line from a to b; its gradient is as long as ab. */
static linear left_of(vec a, vec b) {
  const double u = b.x - a.x, v = b.y - a.y;
  return (linear){{-v, u, v * a.x - u * a.y}};
}

/* ----------------------------------------------------------------------------------------------------- the geometry */

enum {
  REACH = 12, /* before it the lines of 3 edges of F, 3 of G, 3 borders of F, 3 of G */
  LINES,
  FREE = LINES,  /* a piece of the polygon's border that brings no force */
  DEPTHS = 10,   /* d, and a pair of borders each */
  VERTICES = 32, /* 3, and one more for each line and each other depth; rounding may bring a few */
};

/* A face in the frame of the common plane: z is the height. */
typedef struct flat_face {
  vec corners[3], beyond[3];
  bool borders[3];
  linear shapes[3]; /* 1 at a corner, 0 at the others */
  linear height;    /* of the plane through the corners */
  linear surface;   /* the same with the offsets: above it for G, below it for F */
  linear offset;    /* what they add to every penetration */
  vec normal;       /* of the face, in the frame */
  double area2;     /* twice its area */
  int turn;         /* 1: counter-clockwise seen from above, -1: clockwise */
} flat_face;

/* Which borders make the way out sideways of a depth. */
typedef struct border_pair {
  int f, g;
  double width2; /* the sum of the ways to both is width2 times the way out */
} border_pair;

typedef struct common_plane {
  vec e1, e2, n;
  double n_length; /* of n_G - n_F */
  flat_face face[2];
  linear lines[LINES];
  bool has_line[REACH];
  linear depths[DEPTHS];
  border_pair pairs[DEPTHS]; /* from 1 */
  int depth_count;
} common_plane;

/* What the integrals bring. */
typedef struct integrals {
  double energy, area, depth;
  functional lines[LINES], depths[DEPTHS];
} integrals;

static vec in_frame(const common_plane *p, vec a) {
  return (vec){vec_dot(p->e1, a), vec_dot(p->e2, a), vec_dot(p->n, a)};
}

static vec out_of_frame(const common_plane *p, vec a) {
  return vec_add(vec_scale(a.x, p->e1), vec_add(vec_scale(a.y, p->e2), vec_scale(a.z, p->n)));
}

static vec area_vector(const vec corners[3]) {
  return vec_cross(vec_sub(corners[1], corners[0]), vec_sub(corners[2], corners[0]));
}

/* sign: 1 for G, whose surface is its upper side; -1 for F. */
static void flatten(const common_plane *p, const ipg_overlap_face *face, vec origin, int sign, flat_face *flat) {
  double doubled = 0;
  flat->turn = sign;
  for (int k = 0; k < 3; ++k) {
    flat->corners[k] = in_frame(p, vec_sub(face->corners[k], origin));
    flat->borders[k] = face->borders[k];
    flat->beyond[k] = face->borders[k] ? in_frame(p, vec_sub(face->beyond[k], origin)) : (vec){0, 0, 0};
  }
  const vec area = area_vector(flat->corners);
  flat->area2 = vec_length(area), flat->normal = vec_scale(1 / flat->area2, area);
  doubled = area.z;
  flat->height = flat->offset = (linear){{0, 0, 0}};
  for (int k = 0; k < 3; ++k) {
    const linear edge = left_of(flat->corners[(k + 1) % 3], flat->corners[(k + 2) % 3]);
    flat->shapes[k] = combine(1 / doubled, &edge, 0, &edge);
    flat->height = combine(1, &flat->height, flat->corners[k].z, &flat->shapes[k]);
    flat->offset = combine(1, &flat->offset, face->offsets[k], &flat->shapes[k]);
  }
  flat->surface = combine(1, &flat->height, sign, &flat->offset);
}

/* Edge k, so that the face is on its left. */
static void ends_of_edge(const flat_face *face, int k, vec *a, vec *b) {
  const int next = (k + 1) % 3;
  *a = face->corners[face->turn > 0 ? k : next], *b = face->corners[face->turn > 0 ? next : k];
}

/* Positive where `other` lies behind the face across border k of `face`. */
static linear behind_border(const flat_face *face, int k, const flat_face *other) {
  const vec a = face->corners[k], b = face->corners[(k + 1) % 3], t = face->beyond[k];
  const vec m = vec_cross(vec_sub(a, b), vec_sub(t, b));
  linear l = combine(-m.z, &other->height, 0, &other->height);
  l.c[0] -= m.x, l.c[1] -= m.y, l.c[2] += vec_dot(m, b);
  return l;
}

static void find_lines(common_plane *p) {
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      vec a, b;
      ends_of_edge(&p->face[side], k, &a, &b);
      p->lines[3 * side + k] = left_of(a, b);
      p->has_line[3 * side + k] = true;
      p->has_line[6 + 3 * side + k] = p->face[side].borders[k];
      if (p->face[side].borders[k]) p->lines[6 + 3 * side + k] = behind_border(&p->face[side], k, &p->face[1 - side]);
    }
}

static double length_of(const linear *l) { return sqrt(l->c[0] * l->c[0] + l->c[1] * l->c[1]); }

/* Minus the cosine between two lines: 1 where their outward directions are opposite. */
static double opposition(const linear *f, const linear *g) {
  return -(f->c[0] * g->c[0] + f->c[1] * g->c[1]) / (length_of(f) * length_of(g));
}

static void find_depths(common_plane *p, double reach) {
  const linear offset = combine(1, &p->face[0].offset, 1, &p->face[1].offset);
  p->depths[0] = combine(1, &p->face[1].surface, -1, &p->face[0].surface);
  p->lines[REACH] = combine(-1, &p->depths[0], 0, &p->depths[0]);
  p->lines[REACH].c[2] += reach;
  p->depth_count = 1;
  for (int f = 0; f < 3; ++f)
    for (int g = 0; g < 3; ++g) {
      if (!p->face[0].borders[f] || !p->face[1].borders[g]) continue;
      const linear *of = &p->lines[f], *og = &p->lines[3 + g];
      const double width2 = 2 * opposition(of, og) - 1;
      if (!(width2 > 0)) continue;
      p->pairs[p->depth_count] = (border_pair){f, g, width2};
      const linear way = combine(1 / (width2 * length_of(of)), of, 1 / (width2 * length_of(og)), og);
      p->depths[p->depth_count++] = combine(1, &way, 1, &offset);
    }
}

/* ------------------------------------------------------------------------------------------------------ the polygon */

typedef struct vertex {
  double u, v;
  int line; /* that the piece of border to the next vertex lies on */
} vertex;

typedef struct polygon {
  vertex at[VERTICES];
  int count;
} polygon;

/* Keeps what lies where f >= 0. */
static void cut(polygon *p, const linear *f, int line) {
  polygon kept;
  double values[VERTICES];
  int inside = 0;
  for (int i = 0; i < p->count; ++i) {
    values[i] = value_at(f, p->at[i].u, p->at[i].v);
    inside += values[i] >= 0;
  }
  if (inside == p->count) return;
  kept.count = 0;
  for (int i = 0; inside && i < p->count && kept.count + 2 <= VERTICES; ++i) {
    const int next = i + 1 < p->count ? i + 1 : 0;
    const vertex *a = &p->at[i], *b = &p->at[next];
    if (values[i] >= 0) kept.at[kept.count++] = *a;
    if ((values[i] >= 0) == (values[next] >= 0)) continue;
    const double t = values[i] / (values[i] - values[next]);
    kept.at[kept.count++] =
        (vertex){a->u + t * (b->u - a->u), a->v + t * (b->v - a->v), values[i] >= 0 ? line : a->line};
  }
  p->count = kept.count > 2 ? kept.count : 0;
  memcpy(p->at, kept.at, (size_t)p->count * sizeof *p->at);
}

static void cut_by_value(polygon *p, const linear *f, double least, int sign) {
  const linear g = {{sign * f->c[0], sign * f->c[1], sign * (f->c[2] - least)}};
  cut(p, &g, FREE);
}

/* The part of both faces that penetrates. */
static void cut_overlap(const common_plane *p, polygon *overlap) {
  overlap->count = 3;
  for (int i = 0; i < 3; ++i) { /* the corners of F, counter-clockwise: 0, 2, 1 */
    const vec corner = p->face[0].corners[(3 - i) % 3];
    overlap->at[i] = (vertex){corner.x, corner.y, 2 - i};
  }
  for (int line = 3; line < 6 && overlap->count; ++line) cut(overlap, &p->lines[line], line);
  if (overlap->count) cut(overlap, &p->depths[0], FREE);
  if (overlap->count) cut(overlap, &p->lines[REACH], REACH);
  for (int line = 6; line < REACH && overlap->count; ++line)
    if (p->has_line[line]) cut(overlap, &p->lines[line], line);
}

/* ---------------------------------------------------------------------------------------------------- the integrals */

double ipg_onset_energy(double d, double onset) {
  const double r = d - onset / 2;
  return d < onset ? d * d * d / (6 * onset) : r * r / 2 + onset * onset / 24;
}

double ipg_onset_pressure(double d, double onset) { return d < onset ? d * d / (2 * onset) : d - onset / 2; }

/* Integral of the product of three linear functions over a triangle of area 1, from their values at the vertices. */
static double mean_of_product(const double a[3], const double b[3], const double c[3]) {
  const double sum_a = a[0] + a[1] + a[2], sum_b = b[0] + b[1] + b[2], sum_c = c[0] + c[1] + c[2];
  double ab = 0, bc = 0, ca = 0, abc = 0;
  for (int i = 0; i < 3; ++i) ab += a[i] * b[i], bc += b[i] * c[i], ca += c[i] * a[i], abc += a[i] * b[i] * c[i];
  return (sum_a * (sum_b * sum_c + bc) + sum_b * ca + sum_c * ab + 2 * abc) / 60;
}

/* Of psi and of psi' times u, v and 1. Below the onset psi' = d^2 / (2 w), above it d - w/2. */
static void integrate_triangle(const vertex *const at[3], const linear *depth, double onset, bool is_below, int of,
                               integrals *sums) {
  const double ones[3] = {1, 1, 1};
  double u[3], v[3], d[3];
  for (int i = 0; i < 3; ++i) u[i] = at[i]->u, v[i] = at[i]->v, d[i] = value_at(depth, u[i], v[i]);
  const double area = 0.5 * ((u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]));
  double *g = sums->depths[of].c;
  sums->area += area;
  if (is_below) {
    const double s = area / (2 * onset);
    g[0] += s * mean_of_product(d, d, u), g[1] += s * mean_of_product(d, d, v), g[2] += s * mean_of_product(d, d, ones);
    sums->energy += s / 3 * mean_of_product(d, d, d);
  } else {
    for (int i = 0; i < 3; ++i) d[i] -= onset / 2;
    g[0] += area * mean_of_product(d, u, ones), g[1] += area * mean_of_product(d, v, ones);
    g[2] += area * (d[0] + d[1] + d[2]) / 3;
    sums->energy += area * (mean_of_product(d, d, ones) / 2 + onset * onset / 24);
  }
}

/* Of psi times u, v and 1 over |grad line|, by Gauss' rule with three points: exact for a polynomial of degree 5. */
static void integrate_border(const vertex *a, const vertex *b, const linear *line, const linear *depth, double onset,
                             functional *g) {
  static const double points[3] = {0.1127016653792583, 0.5, 0.8872983346207417}; /* (1 -+ sqrt(3/5)) / 2 */
  static const double weights[3] = {5. / 18, 8. / 18, 5. / 18};
  const double du = b->u - a->u, dv = b->v - a->v, scale = sqrt(du * du + dv * dv) / length_of(line);
  for (int i = 0; i < 3; ++i) {
    const double u = a->u + points[i] * du, v = a->v + points[i] * dv;
    const double w = scale * weights[i] * ipg_onset_energy(value_at(depth, u, v), onset);
    g->c[0] += w * u, g->c[1] += w * v, g->c[2] += w;
  }
}

/* A part on which depth `of` is least, and all below or all above the onset. */
static void integrate_part(const common_plane *p, const polygon *part, int of, double onset, bool is_below,
                           integrals *sums) {
  const linear *depth = &p->depths[of];
  for (int i = 1; i + 1 < part->count; ++i) {
    const vertex *const triangle[3] = {&part->at[0], &part->at[i], &part->at[i + 1]};
    integrate_triangle(triangle, depth, onset, is_below, of, sums);
  }
  for (int i = 0; i < part->count; ++i) {
    const vertex *a = &part->at[i], *b = &part->at[i + 1 < part->count ? i + 1 : 0];
    if (a->line != FREE) integrate_border(a, b, &p->lines[a->line], depth, onset, &sums->lines[a->line]);
    sums->depth = larger(sums->depth, value_at(depth, a->u, a->v));
  }
}

static void integrate_depth(const common_plane *p, const polygon *overlap, int of, double onset, integrals *sums) {
  polygon least = *overlap;
  cut(&least, &p->depths[of], FREE); /* offsets may leave nothing of a way out */
  for (int other = 0; other < p->depth_count && least.count; ++other) {
    const linear more = combine(1, &p->depths[other], -1, &p->depths[of]);
    if (other != of) cut(&least, &more, FREE);
  }
  if (!least.count) return;
  polygon part = least;
  cut_by_value(&part, &p->depths[of], onset, -1);
  integrate_part(p, &part, of, onset, true, sums);
  part = least;
  cut_by_value(&part, &p->depths[of], onset, 1);
  integrate_part(p, &part, of, onset, false, sums);
}

/* ----------------------------------------------------------------------------------------------------- the gradient */

/* dE/dx with n as it is, in the frame. */
typedef struct gradient {
  vec corners[3], beyond[3];
} gradient;

/* What is interpolated between the corners moves with them: df = -sum of shapes[i] slope . dy_i. */
static void change_of_shapes(const flat_face *face, const linear *interpolated, const functional *g, double sign,
                             gradient *to) {
  for (int i = 0; i < 3; ++i) {
    const double w = sign * apply(g, &face->shapes[i]);
    to->corners[i].x -= w * interpolated->c[0], to->corners[i].y -= w * interpolated->c[1];
  }
}

/* A plane through the corners: its heights change too, df = sum of shapes[i] (dz_i - slope . dy_i). */
static void change_of_plane(const flat_face *face, const linear *plane, const functional *g, double sign,
                            gradient *to) {
  change_of_shapes(face, plane, g, sign, to);
  for (int i = 0; i < 3; ++i) to->corners[i].z += sign * apply(g, &face->shapes[i]);
}

/* An edge from a to b: l = (b - a) x (y - a). */
static void change_of_edge(const functional *g, vec a, vec b, vec *to_a, vec *to_b) {
  to_a->x += b.y * g->c[2] - g->c[1], to_a->y += g->c[0] - b.x * g->c[2];
  to_b->x += g->c[1] - a.y * g->c[2], to_b->y += a.x * g->c[2] - g->c[0];
}

static void change_of_edge_of(const flat_face *face, int k, const functional *g, gradient *to) {
  const int first = face->turn > 0 ? k : (k + 1) % 3, second = face->turn > 0 ? (k + 1) % 3 : k;
  change_of_edge(g, face->corners[first], face->corners[second], &to->corners[first], &to->corners[second]);
}

/* See behind_border: l = -m . (x - b), x on the other face. */
static void change_behind_border(const flat_face *face, int k, const flat_face *other, const functional *g,
                                 gradient *to, gradient *to_other) {
  const int next = (k + 1) % 3;
  const vec a = face->corners[k], b = face->corners[next], t = face->beyond[k];
  const vec ab = vec_sub(a, b), tb = vec_sub(t, b), m = vec_cross(ab, tb);
  const vec x = {g->c[0] - b.x * g->c[2], g->c[1] - b.y * g->c[2], apply(g, &other->height) - b.z * g->c[2]};
  const vec for_a = vec_cross(tb, x), for_t = vec_cross(x, ab);
  to->corners[k] = vec_sub(to->corners[k], for_a);
  to->beyond[k] = vec_sub(to->beyond[k], for_t);
  to->corners[next] = vec_add(to->corners[next], vec_add(vec_add(for_a, for_t), vec_scale(g->c[2], m)));
  change_of_plane(other, &other->height, g, -m.z, to_other);
}

/* The way to an edge, l / |e|, and its direction; s = (l_f / |e_f| + l_g / |e_g|) / width2. */
static void change_of_way_out(const common_plane *p, int depth, const functional *g, gradient to[2]) {
  const border_pair *pair = &p->pairs[depth];
  const int line[2] = {pair->f, 3 + pair->g}, edge[2] = {pair->f, pair->g};
  const linear *offset[2] = {&p->face[0].offset, &p->face[1].offset};
  const double way = apply(g, &p->depths[depth]) - apply(g, offset[0]) - apply(g, offset[1]);
  const double turning = -2 * way / pair->width2; /* dE/d(opposition) */
  for (int side = 0; side < 2; ++side) {
    const linear *l = &p->lines[line[side]], *other = &p->lines[line[1 - side]];
    const double length = length_of(l), other_length = length_of(other), s = 1 / (pair->width2 * length);
    const functional scaled = {{s * g->c[0], s * g->c[1], s * g->c[2]}};
    const double shortening = -apply(&scaled, l) / length; /* dE/d|e| */
    /* unit directions of the edges: the gradients of their lines, turned back */
    const double du = l->c[1] / length, dv = -l->c[0] / length;
    const double ou = other->c[1] / other_length, ov = -other->c[0] / other_length;
    const double along = du * ou + dv * ov; /* minus the opposition */
    const vec e = {shortening * du - turning * (ou - along * du) / length,
                   shortening * dv - turning * (ov - along * dv) / length, 0};
    const flat_face *face = &p->face[side];
    const int k = edge[side], first = face->turn > 0 ? k : (k + 1) % 3, second = face->turn > 0 ? (k + 1) % 3 : k;
    change_of_edge_of(face, k, &scaled, &to[side]);
    to[side].corners[first] = vec_sub(to[side].corners[first], e);
    to[side].corners[second] = vec_add(to[side].corners[second], e);
    change_of_shapes(face, offset[side], g, 1, &to[side]);
  }
}

/* The border at the reach goes with the faces. */
static void change_at_reach(const common_plane *p, const functional *g, gradient to[2]) {
  const linear *depth = &p->depths[0];
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      const double w = 0.5 * apply(g, &p->face[side].shapes[k]);
      to[side].corners[k] = vec_add(to[side].corners[k], (vec){w * depth->c[0], w * depth->c[1], 0});
    }
}

/* Of the integral over P, with n as it is. */
static void gradient_of_integral(const common_plane *p, const integrals *sums, gradient to[2]) {
  change_of_plane(&p->face[0], &p->face[0].surface, &sums->depths[0], -1, &to[0]);
  change_of_plane(&p->face[1], &p->face[1].surface, &sums->depths[0], 1, &to[1]);
  for (int depth = 1; depth < p->depth_count; ++depth) change_of_way_out(p, depth, &sums->depths[depth], to);
  change_at_reach(p, &sums->lines[REACH], to);
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      change_of_edge_of(&p->face[side], k, &sums->lines[3 * side + k], &to[side]);
      if (p->face[side].borders[k])
        change_behind_border(&p->face[side], k, &p->face[1 - side], &sums->lines[6 + 3 * side + k], &to[side],
                             &to[1 - side]);
    }
}

/* dE/dn, across n, from the moment of dE/dx: E is the same in every frame. */
static vec gradient_of_normal(const common_plane *p, const gradient to[2]) {
  const vec n = {0, 0, 1};
  vec moment = {0, 0, 0};
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      moment = vec_add(moment, vec_cross(p->face[side].corners[k], to[side].corners[k]));
      moment = vec_add(moment, vec_cross(p->face[side].beyond[k], to[side].beyond[k]));
    }
  return vec_cross(n, moment);
}

/* The normal of a face, of which dE is `by_normal`. */
static void change_of_normal(const flat_face *face, vec by_normal, gradient *to) {
  const vec across = vec_scale(1 / face->area2, vec_across(by_normal, face->normal));
  const vec b = vec_sub(face->corners[1], face->corners[0]), c = vec_sub(face->corners[2], face->corners[0]);
  const vec for_b = vec_cross(c, across), for_c = vec_cross(across, b);
  to->corners[0] = vec_sub(to->corners[0], vec_add(for_b, for_c));
  to->corners[1] = vec_add(to->corners[1], for_b);
  to->corners[2] = vec_add(to->corners[2], for_c);
}

/* ------------------------------------------------------------------------------------------------------- the energy */

/* c: 0 below cosine 0.3, 1 above 0.7, and its derivative. */
static double facing(double cosine, double *slope) {
  const double t = (cosine - IPG_FACING_COSINE) / 0.4;
  *slope = t > 0 && t < 1 ? 6 * t * (1 - t) / 0.4 : 0;
  return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t);
}

static bool find_frame(const ipg_overlap_face *f, const ipg_overlap_face *g, common_plane *p, double *cosine) {
  const vec area_f = area_vector(f->corners), area_g = area_vector(g->corners);
  *cosine = -vec_dot(area_f, area_g) / (vec_length(area_f) * vec_length(area_g));
  if (!(*cosine > IPG_FACING_COSINE)) return false;
  const vec sum = vec_sub(vec_unit(area_g), vec_unit(area_f));
  p->n_length = vec_length(sum), p->n = vec_scale(1 / p->n_length, sum);
  p->e1 = vec_unit(vec_across(vec_sub(f->corners[1], f->corners[0]), p->n)), p->e2 = vec_cross(p->n, p->e1);
  return true;
}

/* Along the sum of the normals G must reach above F, and in the common plane no edge of F may part the two: neither the
 * frame nor a root is needed. */
bool ipg_may_overlap(const ipg_overlap_sketch *f, const ipg_overlap_sketch *g, double offset) {
  const vec n = vec_sub(g->normal, f->normal), *a = f->corners, *b = g->corners;
  if (!(-vec_dot(f->normal, g->normal) > 0.99 * IPG_FACING_COSINE)) return false;
  const double lowest = smaller(vec_dot(n, a[0]), smaller(vec_dot(n, a[1]), vec_dot(n, a[2])));
  const double highest = larger(vec_dot(n, b[0]), larger(vec_dot(n, b[1]), vec_dot(n, b[2])));
  if (highest + 2 * offset + IPG_DEPTH_ROUNDING * (fabs(highest) + fabs(lowest)) < lowest) return false;
  for (int k = 0; k < 3; ++k) {
    const vec out = vec_cross(n, vec_sub(a[(k + 1) % 3], a[k])); /* F is seen from behind */
    const vec to[3] = {vec_sub(b[0], a[k]), vec_sub(b[1], a[k]), vec_sub(b[2], a[k])};
    if (vec_dot(out, to[0]) > 0 && vec_dot(out, to[1]) > 0 && vec_dot(out, to[2]) > 0) return false;
  }
  return true;
}

static void store_result(const common_plane *p, const integrals *sums, double scale, const gradient to[2],
                         ipg_overlap *overlap) {
  overlap->area = sums->area, overlap->depth = sums->depth, overlap->normal = p->n;
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      overlap->forces[side][k] = out_of_frame(p, vec_scale(-1, to[side].corners[k]));
      overlap->forces[side][3 + k] = out_of_frame(p, vec_scale(-1, to[side].beyond[k]));
      overlap->pressures[side][k] = scale * apply(&sums->depths[0], &p->face[side].shapes[k]);
    }
}

bool ipg_face_overlap(const ipg_overlap_face *f, const ipg_overlap_face *g, const ipg_overlap_law *law,
                      ipg_overlap *overlap) {
  common_plane p;
  polygon part;
  integrals sums = {0};
  gradient to[2] = {0};
  double cosine, slope;
  if (!find_frame(f, g, &p, &cosine)) return false;
  flatten(&p, f, f->corners[0], -1, &p.face[0]);
  flatten(&p, g, f->corners[0], 1, &p.face[1]);
  find_lines(&p);
  find_depths(&p, law->reach);
  cut_overlap(&p, &part);
  if (!part.count) return false;
  for (int depth = 0; depth < p.depth_count; ++depth) integrate_depth(&p, &part, depth, law->onset, &sums);
  if (!(sums.energy > 0)) return false;

  const double weight = facing(cosine, &slope), scale = law->stiffness * weight;
  gradient_of_integral(&p, &sums, to);
  const vec by_n = vec_scale(1 / p.n_length, gradient_of_normal(&p, to));
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      to[side].corners[k] = vec_scale(scale, to[side].corners[k]);
      to[side].beyond[k] = vec_scale(scale, to[side].beyond[k]);
    }
  const double by_cosine = law->stiffness * slope * sums.energy;
  change_of_normal(&p.face[0], vec_sub(vec_scale(-scale, by_n), vec_scale(by_cosine, p.face[1].normal)), &to[0]);
  change_of_normal(&p.face[1], vec_sub(vec_scale(scale, by_n), vec_scale(by_cosine, p.face[0].normal)), &to[1]);
  overlap->energy = scale * sums.energy;
  store_result(&p, &sums, scale, to, overlap);
  return true;
}
