/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The program's nodes are sorted along x; those near a node of the mesh along x are looked through. */
#include "node_map.h"

#include <math.h>
#include <stdlib.h>

typedef struct sorted_node {
  double x;
  PetscInt node;
  int64_t mesh_node; /* found here; -1: none */
} sorted_node;

static int compare_along_x(const void *a, const void *b) {
  const sorted_node *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return (p->node > q->node) - (p->node < q->node);
}

static double tolerance_of(const ipg_mesh *mesh) {
  double size = 0;
  for (int k = 0; k < 3; ++k) {
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < mesh->node_count; ++i) lo = fmin(lo, mesh->x[3 * i + k]), hi = fmax(hi, mesh->x[3 * i + k]);
    size = fmax(size, hi - lo);
  }
  return 1e-6 * size / cbrt((double)mesh->node_count);
}

static bool is_same_position(const double *a, const double *b, double tolerance) {
  return fabs(a[0] - b[0]) <= tolerance && fabs(a[1] - b[1]) <= tolerance && fabs(a[2] - b[2]) <= tolerance;
}

static bool has_same_order(const ipg_mesh *mesh, PetscInt count, const double *coordinates, double tolerance) {
  if (count != mesh->node_count) return false;
  for (int64_t i = 0; i < mesh->node_count; ++i)
    if (!is_same_position(mesh->x + 3 * i, coordinates + 3 * i, tolerance)) return false;
  return true;
}

/* The first node at x or beyond. */
static PetscInt find_first(const sorted_node *sorted, PetscInt count, double x) {
  PetscInt low = 0, high = count;
  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;
    if (sorted[middle].x < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

static ipg_status refuse_node(const ipg_mesh *mesh, int64_t node, const char *what, ipg_error *error) {
  const double *x = mesh->x + 3 * node;
  return ipg_fail(error, IPG_ERROR_FORMAT, "node %lld of the mesh at (%g, %g, %g) %s", (long long)mesh->node_gids[node],
                  x[0], x[1], x[2], what);
}

static ipg_status find_node(const ipg_mesh *mesh, int64_t node, sorted_node *sorted, PetscInt count,
                            const double *coordinates, double tolerance, PetscInt *found, ipg_error *error) {
  const double *x = mesh->x + 3 * node;
  sorted_node *here = NULL;
  for (PetscInt i = find_first(sorted, count, x[0] - tolerance); i < count && sorted[i].x <= x[0] + tolerance; ++i) {
    if (!is_same_position(x, coordinates + 3 * (int64_t)sorted[i].node, tolerance)) continue;
    if (here)
      return refuse_node(mesh, node,
                         "is where two nodes of the program are: coordinates cannot tell them apart, number both alike",
                         error);
    here = &sorted[i];
  }
  if (!here)
    return refuse_node(mesh, node, "is where no node of the program is: give the mesh that the program computes",
                       error);
  if (here->mesh_node >= 0)
    return refuse_node(mesh, node,
                       "is where another one of the mesh is, and the program has one node there: give the mesh that "
                       "the program computes",
                       error);
  here->mesh_node = node;
  *found = here->node;
  return IPG_OK;
}

ipg_status ipg_map_nodes(const ipg_mesh *mesh, PetscInt count, const double *coordinates, PetscInt *nodes,
                         ipg_error *error) {
  const double tolerance = tolerance_of(mesh);
  ipg_status status = IPG_OK;
  if (has_same_order(mesh, count, coordinates, tolerance)) {
    for (PetscInt i = 0; i < count; ++i) nodes[i] = i;
    return IPG_OK;
  }
  sorted_node *sorted = malloc((size_t)(count ? count : 1) * sizeof *sorted);
  if (!sorted) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the map of %lld nodes", (long long)count);
  for (PetscInt i = 0; i < count; ++i) sorted[i] = (sorted_node){coordinates[3 * (int64_t)i], i, -1};
  qsort(sorted, (size_t)count, sizeof *sorted, compare_along_x);
  for (int64_t i = 0; i < mesh->node_count && !status; ++i)
    status = find_node(mesh, i, sorted, count, coordinates, tolerance, &nodes[i], error);
  free(sorted);
  return status;
}
