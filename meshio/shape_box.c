/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes of tetrahedra by Kuhn's (Freudenthal's) subdivision of the cube: each of the six orders of the axes is a path
 * of edges from corner 000 to corner 111, and the four corners on it are a tetrahedron. Repeated cell by cell the mesh
 * conforms, because the order of the axes is the same in every cell. */
#include "shapes.h"

#include <math.h>
#include <stdio.h>

/* Tetrahedra of the first three paths have a positive volume, those of the others after swapping two corners. */
static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

typedef struct box {
  int64_t cells[3], nodes[3], stride[3]; /* node number = sum of index * stride */
  const double *lo, *hi;
} box;

static box make_box(const double lo[3], const double hi[3], const int n[3]) {
  box b = {.cells = {n[0], n[1], n[2]}, .lo = lo, .hi = hi};
  for (int d = 0; d < 3; ++d) {
    b.nodes[d] = b.cells[d] + 1;
    b.stride[d] = d ? b.stride[d - 1] * b.nodes[d - 1] : 1;
  }
  return b;
}

static int64_t get_index_along(const box *b, int64_t node, int axis) { return node / b->stride[axis] % b->nodes[axis]; }

static void set_node_positions(const box *b, ipg_mesh *mesh) {
  for (int64_t node = 0; node < mesh->node_count; ++node)
    for (int d = 0; d < 3; ++d) {
      const int64_t i = get_index_along(b, node, d);
      /* the far side is exactly hi, whatever the rounding */
      mesh->x[3 * node + d] =
          i == b->cells[d] ? b->hi[d] : b->lo[d] + (b->hi[d] - b->lo[d]) * ((double)i / (double)b->cells[d]);
    }
}

static void cut_cell(const box *b, int64_t corner, ipg_id *tets) {
  for (int p = 0; p < 6; ++p, tets += 4) {
    int64_t node = corner;
    tets[0] = (ipg_id)node;
    for (int step = 0; step < 3; ++step) tets[step + 1] = (ipg_id)(node += b->stride[paths[p][step]]);
    if (p >= 3) ipg_swap_ids(&tets[1], &tets[2]);
  }
}

static void fill_box(const void *plan, ipg_mesh *mesh) {
  const box *b = plan;
  ipg_id *tets = mesh->tets;
  set_node_positions(b, mesh);
  for (int64_t k = 0; k < b->cells[2]; ++k)
    for (int64_t j = 0; j < b->cells[1]; ++j)
      for (int64_t i = 0; i < b->cells[0]; ++i, tets += 24) cut_cell(b, i + j * b->stride[1] + k * b->stride[2], tets);
}

/* Low x, high x, low y ... */
static const char *const endings[6] = {"_left", "_right", "_front", "_back", "_bottom", "_top"};

static unsigned find_node_surfaces(const void *plan, int64_t node) {
  const box *b = plan;
  unsigned surfaces = 0;
  for (int d = 0; d < 3; ++d) {
    const int64_t i = get_index_along(b, node, d);
    surfaces |= (unsigned)(i == 0) << 2 * d | (unsigned)(i == b->cells[d]) << (2 * d + 1);
  }
  return surfaces;
}

static ipg_status check_arguments(const double lo[3], const double hi[3], const int n[3], ipg_error *error) {
  static const char *const cells_along[3] = {"cells along x", "cells along y", "cells along z"};
  if (!lo || !hi || !n) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_mesh_box needs lo, hi and n");
  for (int d = 0; d < 3; ++d) {
    const ipg_status status = ipg_shape_check_cells("box", cells_along[d], n[d], 1, error);
    if (status) return status;
    if (!isfinite(hi[d] - lo[d]) || !(lo[d] < hi[d]))
      return ipg_fail(error, IPG_ERROR_NUMBER, "a box along %c from %g to %g: the first must be lower, both finite",
                      'x' + d, lo[d], hi[d]);
  }
  return IPG_OK;
}

ipg_status ipg_mesh_box(const double lo[3], const double hi[3], const int n[3], const char *name,
                        const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  int64_t elements = 0;
  ipg_status status = ipg_shape_start("box", name, mesh, error);
  if (!status) status = check_arguments(lo, hi, n, error);
  if (!status) status = ipg_shape_count_elements("box", (const int64_t[]){6, n[0], n[1], n[2]}, &elements, error);
  if (status) return status;
  const box b = make_box(lo, hi, n);
  ipg_shape shape = {.name = name,
                     .node_count = b.nodes[0] * b.nodes[1] * b.nodes[2],
                     .element_count = elements,
                     .surface_count = 6,
                     .endings = endings,
                     .plan = &b,
                     .fill = fill_box,
                     .find_surfaces = find_node_surfaces};
  snprintf(shape.title, sizeof shape.title, "box of %d x %d x %d cells", n[0], n[1], n[2]);
  return ipg_shape_build(&shape, allocator, mesh, error);
}
