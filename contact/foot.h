/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The foot of a node on a face: the place of the face that is nearest to it, and on which side of it the node is. */
#ifndef IMPINGE_CONTACT_FOOT_H
#define IMPINGE_CONTACT_FOOT_H

#include "impinge/contact.h"
#include "impinge/narrow.h"
#include "support/vec.h"

typedef struct foot {
  ipg_id face;
  double weights[3], distance2;
  double height; /* of the face above the node: positive if the node is behind it */
  vec to_surface, normal;
} foot;

static inline foot ipg_foot_on_face(const ipg_surface *s, const double *x, ipg_id node, ipg_id face) {
  const ipg_id *corner = s->faces + 3 * (int64_t)face;
  const vec p = vec_at(x, node), a = vec_at(x, corner[0]), b = vec_at(x, corner[1]), d = vec_at(x, corner[2]);
  foot f = {.face = face};
  ipg_closest_on_triangle(x + 3 * (int64_t)node, x + 3 * (int64_t)corner[0], x + 3 * (int64_t)corner[1],
                          x + 3 * (int64_t)corner[2], f.weights);
  /* differences first: near the surface, far from the origin, nothing cancels */
  f.to_surface = vec_add(vec_add(vec_scale(f.weights[0], vec_sub(a, p)), vec_scale(f.weights[1], vec_sub(b, p))),
                         vec_scale(f.weights[2], vec_sub(d, p)));
  f.normal = vec_unit(vec_cross(vec_sub(b, a), vec_sub(d, a)));
  f.distance2 = vec_dot(f.to_surface, f.to_surface);
  f.height = vec_dot(f.to_surface, f.normal);
  return f;
}

/* The square of how far the node is beside the face. */
static inline double ipg_foot_beside2(const foot *f) { return f->distance2 - f->height * f->height; }

/* The foot of the perpendicular on the face's plane, as weights of the corners: below 0 beside the face. */
static inline void ipg_foot_on_plane(const ipg_surface *s, const double *x, ipg_id node, ipg_id face,
                                     double weights[3]) {
  const ipg_id *corner = s->faces + 3 * (int64_t)face;
  const vec a = vec_at(x, corner[0]), p = vec_sub(vec_at(x, node), a);
  const vec b = vec_sub(vec_at(x, corner[1]), a), d = vec_sub(vec_at(x, corner[2]), a), area = vec_cross(b, d);
  const double area2 = vec_dot(area, area);
  weights[1] = vec_dot(vec_cross(p, d), area) / area2, weights[2] = vec_dot(vec_cross(b, p), area) / area2;
  weights[0] = 1 - weights[1] - weights[2];
}

/* Nearer; or equally near, as the same edge or node seen from two faces is, and of more worth; or of the same worth
 * too, as two parts of one flat side are, and first in order: rounding has no say. */
static inline bool ipg_foot_is_nearer(const foot *f, const foot *best, double worth, double worth_of_best) {
  const double same = 1e-10, noise = same * (fabs(worth) + fabs(worth_of_best));
  if (f->distance2 * (1 + same) < best->distance2) return true;
  if (f->distance2 > best->distance2 * (1 + same) || worth < worth_of_best - noise) return false;
  return worth > worth_of_best + noise || f->face < best->face;
}

/* Of those equally near, the one more in the way of the node. */
static inline bool ipg_foot_is_better(const foot *f, const foot *best) {
  return ipg_foot_is_nearer(f, best, f->height, best->height);
}

/* Of those equally near, the one that the node is most straight before or behind: beyond an edge only this one tells on
 * which side of the body the node is. */
static inline bool ipg_foot_is_truer(const foot *f, const foot *best) {
  return ipg_foot_is_nearer(f, best, fabs(f->height), fabs(best->height));
}

/* The node's own faces, and those of its own tetrahedra, are no obstacle to it. */
static inline bool ipg_is_own_face(const ipg_surface *s, ipg_id node, ipg_id face) {
  const ipg_id *corner = s->faces + 3 * (int64_t)face;
  return corner[0] == node || corner[1] == node || corner[2] == node || s->face_opposites[face] == node;
}

#endif
