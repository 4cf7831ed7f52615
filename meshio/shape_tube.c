/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The base of a tube is a ring of cells, each cut into two triangles along the diagonal from the inner node to the
 * outer node of the next angle. Both triangles follow one edge through the wall and one edge around, so their middle
 * corner is the one with the nearly right angle. */
#include "shape_prism.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

typedef struct annulus {
  double inner, outer;
  int64_t through, around; /* cells */
} annulus;

enum { INSIDE, OUTSIDE, BOTTOM, TOP, SURFACES };
static const char *const endings[SURFACES] = {
    [INSIDE] = "_inside", [OUTSIDE] = "_outside", [BOTTOM] = "_bottom", [TOP] = "_top"};

static ipg_id get_node(const annulus *a, int64_t i, int64_t j) { return (ipg_id)(i * a->around + j % a->around); }

static double get_radius(const annulus *a, int64_t i) {
  return i == a->through ? a->outer : a->inner + (a->outer - a->inner) * ((double)i / (double)a->through);
}

static void set_circle_positions(const annulus *a, int64_t i, ipg_prism_base *base) {
  const double radius = get_radius(a, i);
  for (int64_t j = 0; j < a->around; ++j) {
    const int64_t node = get_node(a, i, j);
    const double angle = 2 * PI * (double)j / (double)a->around;
    base->x[2 * node] = radius * cos(angle);
    base->x[2 * node + 1] = radius * sin(angle);
    base->surfaces[node] = (uint8_t)((unsigned)(i == 0) << INSIDE | (unsigned)(i == a->through) << OUTSIDE);
  }
}

static void cut_cell(const annulus *a, int64_t i, int64_t j, ipg_id triangles[6]) {
  triangles[0] = triangles[3] = get_node(a, i, j);
  triangles[1] = get_node(a, i + 1, j);
  triangles[4] = get_node(a, i, j + 1);
  triangles[2] = triangles[5] = get_node(a, i + 1, j + 1);
}

static void fill_annulus(const void *outline, ipg_prism_base *base) {
  const annulus *a = outline;
  ipg_id *triangles = base->triangles;
  for (int64_t i = 0; i <= a->through; ++i) set_circle_positions(a, i, base);
  for (int64_t i = 0; i < a->through; ++i)
    for (int64_t j = 0; j < a->around; ++j, triangles += 6) cut_cell(a, i, j, triangles);
}

static ipg_status check_arguments(const double centre[3], double inner, double outer, double length, const int n[3],
                                  int64_t *elements, ipg_error *error) {
  if (!n) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_tube needs n");
  ipg_status status = ipg_shape_check_centre("tube", centre, error);
  if (!status) status = ipg_shape_check_length("tube", "inner radius", inner, error);
  if (!status) status = ipg_shape_check_length("tube", "outer radius", outer, error);
  if (!status) status = ipg_shape_check_length("tube", "length", length, error);
  if (!status && inner >= outer)
    status = ipg_fail(error, IPG_ERROR_NUMBER,
                      "a tube of inner radius %g and outer radius %g: the outer must be larger", inner, outer);
  if (!status) status = ipg_shape_check_cells("tube", "cells through its wall", n[0], 1, error);
  if (!status) status = ipg_shape_check_cells("tube", "cells around", n[1], 3, error);
  if (!status) status = ipg_shape_check_cells("tube", "cells along", n[2], 1, error);
  if (status) return status;
  return ipg_shape_count_elements("tube", (const int64_t[]){6, n[0], n[1], n[2]}, elements, error);
}

ipg_status ipg_mesh_tube(const double centre[3], double inner, double outer, double length, const int n[3],
                         const char *name, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  int64_t elements = 0;
  ipg_status status = ipg_shape_start("tube", name, mesh, error);
  if (!status) status = check_arguments(centre, inner, outer, length, n, &elements, error);
  if (status) return status;
  const annulus outline = {inner, outer, n[0], n[1]};
  ipg_prism prism = {.name = name,
                     .base_nodes = ((int64_t)n[0] + 1) * n[1],
                     .base_triangles = 2 * (int64_t)n[0] * n[1],
                     .element_count = elements,
                     .layers = n[2],
                     .centre = centre,
                     .length = length,
                     .axes = {0, 1, 2},
                     .surface_count = SURFACES,
                     .endings = endings,
                     .ends = {BOTTOM, TOP},
                     .outline = &outline,
                     .fill_base = fill_annulus};
  snprintf(prism.title, sizeof prism.title, "tube of %d x %d x %d cells", n[0], n[1], n[2]);
  return ipg_prism_build(&prism, allocator, mesh, error);
}
