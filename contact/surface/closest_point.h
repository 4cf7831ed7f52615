/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The point of a face that is closest to a node, and on which side of the face the node is. */
#ifndef IMPINGE_SURFACE_CLOSEST_POINT_H
#define IMPINGE_SURFACE_CLOSEST_POINT_H

#include "impinge/narrow.h"
#include "support/thresholds.h"
#include "surface/face_geometry.h"

typedef struct ipg_closest_point {
  ipg_id face;
  double weights[3]; /* barycentric coordinates */
  double distance2;  /* squared distance from the node */
  double height;     /* of the face's plane above the node: positive if the node is behind the face */
  vec to_surface;    /* from the node to the closest point */
  vec normal;        /* of the face */
} ipg_closest_point;

static inline ipg_closest_point ipg_closest_point_on_face(const ipg_surface *s, const double *x, ipg_id node,
                                                          ipg_id face) {
  const ipg_id *corner = ipg_face_corners(s, face);
  const vec p = vec_at(x, node), a = vec_at(x, corner[0]), b = vec_at(x, corner[1]), c = vec_at(x, corner[2]);
  ipg_closest_point q = {.face = face};
  ipg_closest_on_triangle(x + 3 * (int64_t)node, x + 3 * (int64_t)corner[0], x + 3 * (int64_t)corner[1],
                          x + 3 * (int64_t)corner[2], q.weights);
  /* differences first: near the surface, far from the origin, nothing cancels */
  q.to_surface = vec_add(vec_add(vec_scale(q.weights[0], vec_sub(a, p)), vec_scale(q.weights[1], vec_sub(b, p))),
                         vec_scale(q.weights[2], vec_sub(c, p)));
  q.normal = vec_unit(ipg_triangle_area_vector(a, b, c));
  q.distance2 = vec_dot(q.to_surface, q.to_surface);
  q.height = vec_dot(q.to_surface, q.normal);
  return q;
}

/* Squared distance of the node from the face, along its plane. */
static inline double ipg_distance_beside2(const ipg_closest_point *q) { return q->distance2 - q->height * q->height; }

/* Barycentric coordinates of the node's projection onto the face's plane: negative beside the face. */
static inline void ipg_project_on_plane(const ipg_surface *s, const double *x, ipg_id node, ipg_id face,
                                        double weights[3]) {
  const ipg_id *corner = ipg_face_corners(s, face);
  const vec a = vec_at(x, corner[0]), p = vec_sub(vec_at(x, node), a);
  const vec b = vec_sub(vec_at(x, corner[1]), a), c = vec_sub(vec_at(x, corner[2]), a), area = vec_cross(b, c);
  const double area2 = vec_dot(area, area);
  weights[1] = vec_dot(vec_cross(p, c), area) / area2, weights[2] = vec_dot(vec_cross(b, p), area) / area2;
  weights[0] = 1 - weights[1] - weights[2];
}

/* Closer; or equally close, as an edge or node shared by two faces is, and of higher priority; or of the same priority
 * too, as two parts of one flat side are, and first in order. Rounding does not decide. */
static inline bool ipg_is_closer(const ipg_closest_point *q, const ipg_closest_point *best, double priority,
                                 double priority_of_best) {
  const double same = IPG_SAME_DISTANCE, noise = same * (fabs(priority) + fabs(priority_of_best));
  if (q->distance2 * (1 + same) < best->distance2) return true;
  if (q->distance2 > best->distance2 * (1 + same) || priority < priority_of_best - noise) return false;
  return priority > priority_of_best + noise || q->face < best->face;
}

/* Of faces equally close, the one that the node is deepest behind. */
static inline bool ipg_is_closer_or_deeper(const ipg_closest_point *q, const ipg_closest_point *best) {
  return ipg_is_closer(q, best, q->height, best->height);
}

/* Of faces equally close, the one whose normal points most straight at the node: beyond an edge only this one decides
 * on which side of the body the node is. */
static inline bool ipg_is_closer_or_straighter(const ipg_closest_point *q, const ipg_closest_point *best) {
  return ipg_is_closer(q, best, fabs(q->height), fabs(best->height));
}

#endif
