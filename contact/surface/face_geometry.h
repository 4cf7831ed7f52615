/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Normal and area of a face at positions x. Written once and in one order, so that every phase sees the same bits. */
#ifndef IMPINGE_SURFACE_FACE_GEOMETRY_H
#define IMPINGE_SURFACE_FACE_GEOMETRY_H

#include "impinge/contact.h"
#include "support/vec.h"

static inline ipg_contact_face_id ipg_contact_face_id_of(const ipg_surface *s, ipg_id face) {
  return (ipg_contact_face_id){s->face_elements[face], s->face_sides[face], s->face_subs ? s->face_subs[face] : 0};
}

/* The outward normal of triangle abc times twice its area. */
static inline vec ipg_triangle_area_vector(vec a, vec b, vec c) { return vec_cross(vec_sub(b, a), vec_sub(c, a)); }

static inline const ipg_id *ipg_face_corners(const ipg_surface *s, ipg_id face) { return s->faces + 3 * (int64_t)face; }

static inline vec ipg_face_area_vector(const ipg_surface *s, const double *x, ipg_id face) {
  const ipg_id *corner = ipg_face_corners(s, face);
  return ipg_triangle_area_vector(vec_at(x, corner[0]), vec_at(x, corner[1]), vec_at(x, corner[2]));
}

static inline vec ipg_face_normal(const ipg_surface *s, const double *x, ipg_id face) {
  return vec_unit(ipg_face_area_vector(s, x, face));
}

/* Square root of twice the area: the size that thresholds refer to. */
static inline double ipg_face_size(const ipg_surface *s, const double *x, ipg_id face) {
  return sqrt(vec_length(ipg_face_area_vector(s, x, face)));
}

static inline bool ipg_is_corner(const ipg_surface *s, ipg_id face, ipg_id node) {
  const ipg_id *corner = ipg_face_corners(s, face);
  return corner[0] == node || corner[1] == node || corner[2] == node;
}

/* Self-contact exclusion: a node has no contact with its own faces, nor with those of its own tetrahedra. */
static inline bool ipg_is_own_face(const ipg_surface *s, ipg_id node, ipg_id face) {
  return ipg_is_corner(s, face, node) || s->face_opposites[face] == node;
}

#endif
