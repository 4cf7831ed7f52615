/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The solid angle of a closed body, as seen from a point, is the full sphere inside and 0 outside (van Oosterom and
 * Strackee 1983). From a node of the body itself, without its own faces, it is the angle of the corner at the node,
 * from 0 to the full sphere, and a full sphere more where another part of the body is around the node. */
#include "surface/solid_angle.h"

#include "support/box.h"
#include "surface/closest_point.h"

/* Positive as seen from inside. */
static double solid_angle_of_triangle(vec p, vec a, vec b, vec c) {
  a = vec_sub(a, p), b = vec_sub(b, p), c = vec_sub(c, p);
  const double la = vec_length(a), lb = vec_length(b), lc = vec_length(c);
  const double above = vec_dot(a, vec_cross(b, c));
  const double below = la * lb * lc + vec_dot(a, b) * lc + vec_dot(b, c) * la + vec_dot(c, a) * lb;
  return 2 * atan2(above, below);
}

static bool is_surrounded(const ipg_surface *s, const double *x, ipg_id node, int32_t body) {
  double angle = 0;
  bool is_own = false;
  for (ipg_id f = 0; f < s->face_count; ++f) {
    const ipg_id *corner = ipg_face_corners(s, f);
    if (s->face_bodies[f] != body) continue;
    if (ipg_is_corner(s, f, node)) is_own = true;
    else
      angle +=
          solid_angle_of_triangle(vec_at(x, node), vec_at(x, corner[0]), vec_at(x, corner[1]), vec_at(x, corner[2]));
  }
  return angle > 4 * 3.14159265358979323846 * (is_own ? IPG_INSIDE_OWN_ANGLE : IPG_INSIDE_ANGLE);
}

static double distance_to_body(const ipg_surface *s, const double *x, ipg_id node, int32_t body) {
  double closest2 = INFINITY;
  for (ipg_id f = 0; f < s->face_count; ++f)
    if (s->face_bodies[f] == body && !ipg_is_corner(s, f, node))
      closest2 = smaller(closest2, ipg_closest_point_on_face(s, x, node, f).distance2);
  return sqrt(closest2);
}

static ipg_box box_of_body(const ipg_surface *s, const double *x, int32_t body) {
  ipg_box box = ipg_empty_box();
  for (int64_t i = 0; i < 3 * s->face_count; ++i)
    if (s->face_bodies[i / 3] == body) ipg_box_include_point(&box, x + 3 * (int64_t)s->faces[i]);
  return box;
}

bool ipg_is_inside_by_solid_angle(const ipg_surface *s, const double *x, ipg_id node, int32_t body, double *depth) {
  if (!is_surrounded(s, x, node, body)) return false;
  *depth = distance_to_body(s, x, node, body);
  const ipg_box box = box_of_body(s, x, body);
  return *depth > IPG_ON_SURFACE * ipg_box_extent(&box);
}
