/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a mesh is worth: its volume, its worst elements, and those that no run can use.
 *
 * Elements are local numbers and judged by their four corners, quadratic ones too; -1 where there is none. */
#ifndef IMPINGE_APP_QUALITY_H
#define IMPINGE_APP_QUALITY_H

#include "impinge/meshio.h"

typedef enum app_flaw { APP_FLAT, APP_INVERTED, APP_NOWHERE, APP_FLAWS } app_flaw; /* nowhere: a corner not finite */

typedef struct app_flawed {
  int64_t count;
  ipg_id first;
} app_flawed;

typedef struct app_quality {
  double volume, shortest_edge, smallest_angle, largest_angle; /* dihedral angles in degrees */
  ipg_id shortest_element, smallest_element, largest_element;
  app_flawed flawed[APP_FLAWS];
} app_quality;

/* Lengths and angles of elements that are nowhere count as none. */
app_quality app_measure(const ipg_mesh *mesh);
/* The volume of `count` elements from `first` on, without those that are nowhere. */
double app_measure_volume(const ipg_mesh *mesh, int64_t first, int64_t count);
/* How many of them have a flaw. */
int64_t app_count_flawed(const ipg_mesh *mesh, int64_t first, int64_t count);

#endif
