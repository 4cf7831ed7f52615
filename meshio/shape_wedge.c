/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The base of a wedge is a triangle, seen from the front: its tip points down, and row r of nodes, counted from the
 * tip, has r + 1 nodes. All small triangles are similar to the whole one, so the same one of their three angles is the
 * largest everywhere: the one at the tip when the roof is wider than a flank is long, else one at the roof. Edges are
 * directed so that the corner with this angle is the middle one. */
#include "shape_prism.h"

#include <math.h>
#include <stdio.h>

typedef struct triangle {
  double width, height;
  int64_t rows;
} triangle;

enum { TOP, LEFT, RIGHT, FRONT, BACK, SURFACES };
static const char *const endings[SURFACES] = {
    [TOP] = "_top", [LEFT] = "_left", [RIGHT] = "_right", [FRONT] = "_front", [BACK] = "_back"};

static ipg_id get_node(int64_t row, int64_t k) { return (ipg_id)(row * (row + 1) / 2 + k); }

static void set_row_positions(const triangle *t, int64_t row, ipg_prism_base *base) {
  const double rows = (double)t->rows;
  for (int64_t k = 0; k <= row; ++k) {
    const int64_t node = get_node(row, k);
    base->x[2 * node] = t->height * ((double)row / rows - 0.5);
    base->x[2 * node + 1] = t->width * ((double)(2 * k - row) / (2 * rows));
    base->surfaces[node] =
        (uint8_t)((unsigned)(row == t->rows) << TOP | (unsigned)(k == 0) << LEFT | (unsigned)(k == row) << RIGHT);
  }
}

/* The triangle with its tip, pointing down, at node k of `row`; then, except at the end of the row, the triangle
 * between it and the next one. */
static ipg_id *cut_pair(const triangle *t, int64_t row, int64_t k, ipg_id *corner) {
  const ipg_id tip = get_node(row, k), left = get_node(row + 1, k), right = get_node(row + 1, k + 1);
  const bool wide = t->width > hypot(t->width / 2, t->height);
  corner[0] = wide ? left : tip;
  corner[1] = wide ? tip : left;
  corner[2] = right;
  if (k == row) return corner + 3;
  corner[3] = tip;
  corner[4] = wide ? right : tip + 1;
  corner[5] = wide ? tip + 1 : right;
  return corner + 6;
}

static void fill_triangle(const void *outline, ipg_prism_base *base) {
  const triangle *t = outline;
  ipg_id *corner = base->triangles;
  for (int64_t row = 0; row <= t->rows; ++row) set_row_positions(t, row, base);
  for (int64_t row = 0; row < t->rows; ++row)
    for (int64_t k = 0; k <= row; ++k) corner = cut_pair(t, row, k, corner);
}

static ipg_status check_arguments(const double centre[3], const double size[3], int n, int layers, int64_t *elements,
                                  ipg_error *error) {
  static const char *const names[3] = {"size along x", "size along y", "size along z"};
  if (!size) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_wedge needs a size");
  ipg_status status = ipg_shape_check_centre("wedge", centre, error);
  for (int d = 0; d < 3 && !status; ++d) status = ipg_shape_check_length("wedge", names[d], size[d], error);
  if (!status) status = ipg_shape_check_cells("wedge", "rows", n, 1, error);
  if (!status) status = ipg_shape_check_cells("wedge", "layers", layers, 1, error);
  if (status) return status;
  return ipg_shape_count_elements("wedge", (const int64_t[]){3, n, n, layers}, elements, error);
}

ipg_status ipg_mesh_wedge(const double centre[3], const double size[3], int n, int layers, const char *name,
                          const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  int64_t elements = 0;
  ipg_status status = ipg_shape_start("wedge", name, mesh, error);
  if (!status) status = check_arguments(centre, size, n, layers, &elements, error);
  if (status) return status;
  const triangle outline = {size[0], size[2], n};
  ipg_prism prism = {.name = name,
                     .base_nodes = ((int64_t)n + 1) * ((int64_t)n + 2) / 2,
                     .base_triangles = (int64_t)n * n,
                     .element_count = elements,
                     .layers = layers,
                     .centre = centre,
                     .length = size[1],
                     .axes = {2, 0, 1}, /* up, to the right, to the back */
                     .surface_count = SURFACES,
                     .endings = endings,
                     .ends = {FRONT, BACK},
                     .outline = &outline,
                     .fill_base = fill_triangle};
  snprintf(prism.title, sizeof prism.title, "wedge of %d rows, %d layers", n, layers);
  return ipg_prism_build(&prism, allocator, mesh, error);
}
