/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "candidates/back_to_back.h"

#include "impinge/narrow.h"
#include "surface/face_geometry.h"

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

  double of_f[9], of_g[9], n[3];
  for (int k = 0; k < 3; ++k) {
    vec_store(of_f + 3 * k, vec_sub(vec_at(x, f[k]), vec_at(x, f[0])));
    vec_store(of_g + 3 * k, vec_sub(vec_at(x, g[k]), vec_at(x, f[0])));
  }
  vec_store(n, vec_unit(along));
  const ipg_closest_seen at = ipg_closest_triangles_seen(of_f, of_g, n);
  return at.over > touching && (are_behind || at.beside < at.over);
}
