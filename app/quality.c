/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Measures edges, dihedral angles and volumes element by element. Among equally bad elements the first is reported. */
#include "quality.h"

#include <math.h>

static const double degrees = 57.295779513082321;

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void subtract_nodes(const ipg_mesh *mesh, ipg_id to, ipg_id from, double d[3]) {
  for (int k = 0; k < 3; k++) d[k] = mesh->x[3 * (int64_t)to + k] - mesh->x[3 * (int64_t)from + k];
}

static void compute_face_normal(const ipg_mesh *mesh, const ipg_id *tet, int side, double normal[3]) {
  double a[3], b[3];
  subtract_nodes(mesh, tet[ipg_tet_sides[side][1]], tet[ipg_tet_sides[side][0]], a);
  subtract_nodes(mesh, tet[ipg_tet_sides[side][2]], tet[ipg_tet_sides[side][0]], b);
  cross(a, b, normal);
}

/* Between two faces with outward normals; by atan2, because acos is inaccurate near 0 and 180 degrees. */
static double compute_dihedral_angle(const double a[3], const double b[3]) {
  double c[3];
  cross(a, b, c);
  return degrees * atan2(sqrt(dot(c, c)), -dot(a, b));
}

static void measure_edges(const ipg_mesh *mesh, ipg_id element, app_quality *quality) {
  const ipg_id *tet = mesh->tets + 4 * (int64_t)element;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      double d[3];
      subtract_nodes(mesh, tet[i], tet[j], d);
      double length = sqrt(dot(d, d));
      if (length < quality->shortest_edge) quality->shortest_edge = length, quality->shortest_edge_element = element;
    }
}

static void measure_angles(const ipg_mesh *mesh, ipg_id element, app_quality *quality) {
  double normals[4][3];
  for (int side = 0; side < 4; side++)
    compute_face_normal(mesh, mesh->tets + 4 * (int64_t)element, side, normals[side]);
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      double angle = compute_dihedral_angle(normals[i], normals[j]);
      if (angle < quality->smallest_angle) quality->smallest_angle = angle, quality->smallest_angle_element = element;
      if (angle > quality->largest_angle) quality->largest_angle = angle, quality->largest_angle_element = element;
    }
}

static double compute_volume(const ipg_mesh *mesh, int64_t element) {
  return ipg_tet_volume(mesh->x, mesh->tets + 4 * element);
}

static void count_flaw(const ipg_mesh *mesh, ipg_id element, app_quality *quality) {
  double volume = compute_volume(mesh, element);
  if (volume > 0 && isfinite(volume)) return;
  app_flawed *flawed = &quality->flawed[!isfinite(volume) ? APP_NOT_FINITE : volume < 0 ? APP_INVERTED : APP_FLAT];
  if (!flawed->count++) flawed->first = element;
}

double app_measure_volume(const ipg_mesh *mesh, int64_t first, int64_t count) {
  double sum = 0;
  for (int64_t e = first; e < first + count; e++) {
    double volume = compute_volume(mesh, e);
    if (isfinite(volume)) sum += volume;
  }
  return sum;
}

int64_t app_count_flawed_elements(const ipg_mesh *mesh, int64_t first, int64_t count) {
  int64_t flawed = 0;
  for (int64_t e = first; e < first + count; e++) {
    double volume = compute_volume(mesh, e);
    flawed += !(volume > 0 && isfinite(volume));
  }
  return flawed;
}

app_quality app_measure_quality(const ipg_mesh *mesh) {
  app_quality quality = {.volume = app_measure_volume(mesh, 0, mesh->element_count),
                         .shortest_edge = INFINITY,
                         .smallest_angle = 180,
                         .largest_angle = 0,
                         .shortest_edge_element = -1,
                         .smallest_angle_element = -1,
                         .largest_angle_element = -1,
                         .flawed = {{0, -1}, {0, -1}, {0, -1}}};
  for (ipg_id e = 0; e < mesh->element_count; e++) {
    measure_edges(mesh, e, &quality);
    measure_angles(mesh, e, &quality);
    count_flaw(mesh, e, &quality);
  }
  return quality;
}
