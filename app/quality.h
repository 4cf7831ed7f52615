/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Mesh quality: the volume, the worst elements, and the elements that a run refuses.
 *
 * Elements are local numbers, -1 for none. Quadratic elements are measured by their four corners too. */
#ifndef IMPINGE_APP_QUALITY_H
#define IMPINGE_APP_QUALITY_H

#include "impinge/meshio.h"

/* Not finite: a corner has coordinates that are not finite. */
typedef enum app_flaw { APP_FLAT, APP_INVERTED, APP_NOT_FINITE, APP_FLAWS } app_flaw;

typedef struct app_flawed {
  int64_t count;
  ipg_id first;
} app_flawed;

typedef struct app_quality {
  double volume, shortest_edge, smallest_angle, largest_angle; /* dihedral angles in degrees */
  ipg_id shortest_edge_element, smallest_angle_element, largest_angle_element;
  app_flawed flawed[APP_FLAWS];
} app_quality;

/* Lengths and angles that are not finite are left out. */
app_quality app_measure_quality(const ipg_mesh *mesh);
/* The volume of `count` elements from `first` on, without those that are not finite. */
double app_measure_volume(const ipg_mesh *mesh, int64_t first, int64_t count);
/* The number of these elements that have a flaw. */
int64_t app_count_flawed_elements(const ipg_mesh *mesh, int64_t first, int64_t count);

#endif
