/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/surface_oracle.h"

#include "impinge/narrow.h"
#include "support/vec3.h"

#include <math.h>

/* Differences from the node come first: close to the surface and far from the origin nothing cancels, so that distances
 * can be compared to the bit. */
closest_point closest_point_of(const ipg_surface *surface, const double *x, ipg_id node, ipg_id face) {
  const double *p = x + 3 * (int64_t)node, *corner[3];
  double to_corner[3][3], to_face[3], area2;
  closest_point c;
  for (int i = 0; i < 3; ++i) {
    corner[i] = x + 3 * (int64_t)surface->faces[3 * (int64_t)face + i];
    vec3_sub(corner[i], p, to_corner[i]);
  }
  ipg_closest_on_triangle(p, corner[0], corner[1], corner[2], c.weights);
  for (int k = 0; k < 3; ++k)
    to_face[k] = c.weights[0] * to_corner[0][k] + c.weights[1] * to_corner[1][k] + c.weights[2] * to_corner[2][k];
  vec3_normal(corner[0], corner[1], corner[2], c.normal);
  area2 = vec3_length(c.normal);
  for (int k = 0; k < 3 && area2 > 0; ++k) c.normal[k] *= 1 / area2;
  c.distance = vec3_length(to_face);
  c.height = -vec3_dot(to_face, c.normal);
  return c;
}

int32_t surface_body_count(const ipg_surface *surface) {
  int32_t count = 0;
  for (int64_t f = 0; f < surface->face_count; ++f)
    if (surface->face_bodies[f] >= count) count = surface->face_bodies[f] + 1;
  return count;
}

double surface_mean_edge(const ipg_surface *surface, const double *x) {
  double sum = 0;
  for (int64_t i = 0; i < 3 * surface->face_count; ++i) {
    const ipg_id a = surface->faces[i], b = surface->faces[i % 3 == 2 ? i - 2 : i + 1];
    sum += vec3_distance(x + 3 * (int64_t)a, x + 3 * (int64_t)b);
  }
  return sum / (double)(3 * surface->face_count);
}

bool is_own_face(const ipg_surface *surface, ipg_id node, ipg_id face) {
  const ipg_id *corner = surface->faces + 3 * (int64_t)face;
  return corner[0] == node || corner[1] == node || corner[2] == node || surface->face_opposites[face] == node;
}
