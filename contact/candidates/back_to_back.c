/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "candidates/back_to_back.h"

#include "impinge/narrow.h"
#include "surface/face_geometry.h"

/* The corners of two triangles and what they are seen along; and these corners in the plane across it. */
typedef struct triangle_pair {
  vec a[3], b[3], normal;
  double flat_a[3][3], flat_b[3][3];
  double same2; /* squares of distances in the plane up to this are rounding */
} triangle_pair;

/* Two points, one of each triangle: how far the second is behind the first, and how far beside it, squared. */
typedef struct meeting {
  double behind, beside2;
} meeting;

static triangle_pair make_triangle_pair(const double *x, const ipg_id *f, const ipg_id *g, vec normal) {
  const vec origin = vec_at(x, f[0]);
  triangle_pair p = {.normal = normal};
  double size2 = 0;
  for (int k = 0; k < 3; ++k) {
    p.a[k] = vec_sub(vec_at(x, f[k]), origin), p.b[k] = vec_sub(vec_at(x, g[k]), origin);
    vec_store(p.flat_a[k], vec_across(p.a[k], normal)), vec_store(p.flat_b[k], vec_across(p.b[k], normal));
    size2 = larger(size2, larger(vec_dot(p.a[k], p.a[k]), vec_dot(p.b[k], p.b[k])));
  }
  p.same2 = IPG_SAME_PLACE * IPG_SAME_PLACE * size2;
  return p;
}

/* Where they lie over each other, the points that are farthest behind each other. */
static void choose(const triangle_pair *p, vec of_a, vec of_b, meeting *best) {
  const vec way = vec_sub(of_b, of_a), beside = vec_across(way, p->normal);
  const double behind = vec_dot(way, p->normal), beside2 = vec_dot(beside, beside);
  const meeting here = {behind, beside2 > p->same2 ? beside2 : 0};
  if (here.beside2 < best->beside2 || (here.beside2 == best->beside2 && behind > best->behind)) *best = here;
}

static vec point_of_triangle(const vec corners[3], const double weights[3]) {
  return vec_add(vec_scale(weights[0], corners[0]),
                 vec_add(vec_scale(weights[1], corners[1]), vec_scale(weights[2], corners[2])));
}

static vec point_of_edge(const vec corners[3], int edge, double part) {
  const vec from = corners[edge], to = corners[edge < 2 ? edge + 1 : 0];
  return vec_add(from, vec_scale(part, vec_sub(to, from)));
}

/* A corner and the other triangle, or two edges. */
static meeting find_meeting(const triangle_pair *p) {
  const double(*const a)[3] = p->flat_a, (*const b)[3] = p->flat_b;
  meeting best = {0, INFINITY};
  double weights[3];
  for (int k = 0; k < 3; ++k) {
    ipg_closest_on_triangle(a[k], b[0], b[1], b[2], weights);
    choose(p, p->a[k], point_of_triangle(p->b, weights), &best);
    ipg_closest_on_triangle(b[k], a[0], a[1], a[2], weights);
    choose(p, point_of_triangle(p->a, weights), p->b[k], &best);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      ipg_closest_on_segments(a[i], a[i < 2 ? i + 1 : 0], b[j], b[j < 2 ? j + 1 : 0], weights);
      choose(p, point_of_edge(p->a, i, weights[0]), point_of_edge(p->b, j, weights[1]), &best);
    }
  return best;
}

static vec middle_of_face(const double *x, const ipg_id corner[3]) {
  return vec_scale(1. / 3, vec_add(vec_at(x, corner[0]), vec_add(vec_at(x, corner[1]), vec_at(x, corner[2]))));
}

/* Faces beside each other are sides where they are farther behind than beside, or their middles are behind each other:
 * a body that is sheared brings such faces over each other. */
bool ipg_are_back_to_back(const ipg_model *m, ipg_id first, ipg_id second) {
  const double *x = m->faces.reference.at, *thicknesses = m->faces.thicknesses.at, *sizes = m->faces.sizes.at;
  const ipg_surface *s = &m->surface;
  if (s->face_bodies[first] != s->face_bodies[second]) return false;
  const ipg_id *f = ipg_face_corners(s, first), *g = ipg_face_corners(s, second);
  const vec between = vec_sub(middle_of_face(x, g), middle_of_face(x, f));
  const double near = 2 * (larger(thicknesses[first], thicknesses[second]) + sizes[first] + sizes[second]);
  const vec a = ipg_face_normal(s, x, first), b = ipg_face_normal(s, x, second);
  if (vec_dot(between, between) >= near * near || vec_dot(a, b) >= IPG_APART_COSINE) return false;
  const double touching = IPG_TOUCHING * smaller(thicknesses[first], thicknesses[second]), cosine = vec_dot(a, b);
  const bool are_behind = vec_dot(between, a) < 0 && vec_dot(between, b) > 0;
  /* The quick answer, along b - a: corners are within a size of the middle, and faces lean by half of their angle. */
  const vec along = vec_sub(b, a);
  const double least = touching * sqrt(2 * (1 - cosine)), behind = vec_dot(between, along);
  const double spread = sqrt(larger(0, 1 - cosine * cosine)) * (sizes[first] + sizes[second]);
  if (behind + spread <= least) return false;
  if (behind - spread > least && are_behind) return true;
  const triangle_pair pair = make_triangle_pair(x, f, g, vec_unit(along));
  const meeting at = find_meeting(&pair);
  return at.behind > touching && (are_behind || at.beside2 < at.behind * at.behind);
}
