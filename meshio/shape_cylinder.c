/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The base of a cylinder is a disc: a hexagon of triangles whose rings are projected onto circles. Ring i has 6 i nodes
 * at equal angles, so edges along it are nearly as long as the distance to the next ring.
 *
 * At the borders of the six sectors the triangles have a right angle, and half-way between they are isosceles. An edge
 * between rings is directed outward, and an edge along a ring away from the nearer border of its sector: then the
 * middle corner of each triangle is the one with the largest angle. */
#include "shape_prism.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

typedef struct disc {
  double radius;
  int64_t rings;
} disc;

enum { BOTTOM, TOP, SIDE, SURFACES };
static const char *const endings[SURFACES] = {[BOTTOM] = "_bottom", [TOP] = "_top", [SIDE] = "_side"};

/* The nodes of all rings inside `ring`. */
static int64_t count_nodes_within(int64_t ring) { return 1 + 3 * ring * (ring - 1); }

/* Node k of a ring in a sector; k == ring is the first node of the next sector. */
static ipg_id get_node(int64_t ring, int64_t sector, int64_t k) {
  return (ipg_id)(ring ? count_nodes_within(ring) + (sector * ring + k) % (6 * ring) : 0);
}

static void set_ring_positions(const disc *d, int64_t ring, ipg_prism_base *base) {
  const double radius = d->radius * ((double)ring / (double)d->rings);
  for (int64_t k = 0; k < 6 * ring; ++k) {
    const int64_t node = count_nodes_within(ring) + k;
    const double angle = PI * (double)k / (3 * (double)ring);
    base->x[2 * node] = radius * cos(angle);
    base->x[2 * node + 1] = radius * sin(angle);
    base->surfaces[node] = ring == d->rings ? 1U << SIDE : 0;
  }
}

/* The edge between nodes k and k + 1 of a ring, in its direction. */
static void get_ring_edge(int64_t ring, int64_t sector, int64_t k, ipg_id edge[2]) {
  const bool forward = 2 * k + 1 <= ring;
  edge[0] = get_node(ring, sector, forward ? k : k + 1);
  edge[1] = get_node(ring, sector, forward ? k + 1 : k);
}

/* The triangles of a sector between a ring and the next. */
static ipg_id *cut_strip(int64_t ring, int64_t sector, ipg_id *triangle) {
  for (int64_t k = 0; k <= ring; ++k, triangle += 3) {
    triangle[0] = get_node(ring, sector, k);
    get_ring_edge(ring + 1, sector, k, triangle + 1);
  }
  for (int64_t k = 0; k < ring; ++k, triangle += 3) {
    get_ring_edge(ring, sector, k, triangle);
    triangle[2] = get_node(ring + 1, sector, k + 1);
  }
  return triangle;
}

static void fill_disc(const void *outline, ipg_prism_base *base) {
  const disc *d = outline;
  ipg_id *triangle = base->triangles;
  for (int64_t ring = 1; ring <= d->rings; ++ring) set_ring_positions(d, ring, base); /* node 0 is the centre: zeros */
  for (int64_t ring = 0; ring < d->rings; ++ring)
    for (int64_t sector = 0; sector < 6; ++sector) triangle = cut_strip(ring, sector, triangle);
}

static ipg_status check_arguments(const double centre[3], double radius, double length, int n, int layers,
                                  int64_t *elements, ipg_error *error) {
  ipg_status status = ipg_shape_check_centre("cylinder", centre, error);
  if (!status) status = ipg_shape_check_length("cylinder", "radius", radius, error);
  if (!status) status = ipg_shape_check_length("cylinder", "length", length, error);
  if (!status) status = ipg_shape_check_cells("cylinder", "rings", n, 1, error);
  if (!status) status = ipg_shape_check_cells("cylinder", "layers", layers, 1, error);
  if (status) return status;
  return ipg_shape_count_elements("cylinder", (const int64_t[]){18, n, n, layers}, elements, error);
}

ipg_status ipg_mesh_cylinder(const double centre[3], double radius, double length, int n, int layers, const char *name,
                             const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  int64_t elements = 0;
  ipg_status status = ipg_shape_start("cylinder", name, mesh, error);
  if (!status) status = check_arguments(centre, radius, length, n, layers, &elements, error);
  if (status) return status;
  const disc outline = {radius, n};
  ipg_prism prism = {.name = name,
                     .base_nodes = count_nodes_within((int64_t)n + 1),
                     .base_triangles = 6 * (int64_t)n * n,
                     .element_count = elements,
                     .layers = layers,
                     .centre = centre,
                     .length = length,
                     .axes = {0, 1, 2},
                     .surface_count = SURFACES,
                     .endings = endings,
                     .ends = {BOTTOM, TOP},
                     .outline = &outline,
                     .fill_base = fill_disc};
  snprintf(prism.title, sizeof prism.title, "cylinder of %d rings, %d layers", n, layers);
  return ipg_prism_build(&prism, allocator, mesh, error);
}
