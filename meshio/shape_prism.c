/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Extrudes a base of triangles and cuts every prism into three tetrahedra.
 *
 * The tetrahedra of a prism over the triangle a, b, c, cut in this order, are the three paths from a to b to c that
 * rise by one layer at a, at b or at c. So the wall over an edge is always cut from the lower end of its first corner
 * to the upper end of its second. The dihedral angles are best when the angle of the triangle at b is the largest: the
 * inclined faces rise over the heights of the triangle from a and c, and the shortest height is the one from b. */
#include "shape_prism.h"

#include "arrays.h"

#include <string.h>

typedef struct prism_plan {
  const ipg_prism *prism;
  const ipg_prism_base *base;
} prism_plan;

static void set_layer_positions(const prism_plan *plan, int layer, double *x) {
  const ipg_prism *prism = plan->prism;
  const int *axes = prism->axes;
  const double height = prism->length * ((double)layer / prism->layers - 0.5);
  for (int64_t i = 0; i < plan->base->node_count; ++i, x += 3) {
    for (int d = 0; d < 2; ++d) x[axes[d]] = prism->centre[axes[d]] + plan->base->x[2 * i + d];
    x[axes[2]] = prism->centre[axes[2]] + height;
  }
}

static bool is_counterclockwise(const double *x, const ipg_id *triangle) {
  const double *a = x + 2 * (int64_t)triangle[0], *b = x + 2 * (int64_t)triangle[1], *c = x + 2 * (int64_t)triangle[2];
  return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]);
}

static void cut_prism(const ipg_id lower[3], ipg_id rise, bool counterclockwise, ipg_id *tets) {
  const ipg_id a = lower[0], b = lower[1], c = lower[2];
  const ipg_id cut[3][4] = {{a, b, c, c + rise}, {a, c + rise, b + rise, b}, {a, b + rise, c + rise, a + rise}};
  memcpy(tets, cut, sizeof cut);
  for (int k = 0; k < 3 && !counterclockwise; ++k) ipg_swap_ids(&tets[4 * k + 1], &tets[4 * k + 2]);
}

static void fill_prism(const void *context, ipg_mesh *mesh) {
  const prism_plan *plan = context;
  const ipg_prism_base *base = plan->base;
  ipg_id *tets = mesh->tets;
  for (int layer = 0; layer <= plan->prism->layers; ++layer)
    set_layer_positions(plan, layer, mesh->x + 3 * layer * base->node_count);
  for (int layer = 0; layer < plan->prism->layers; ++layer)
    for (int64_t t = 0; t < base->triangle_count; ++t, tets += 12) {
      const ipg_id *corner = base->triangles + 3 * t, first = (ipg_id)(layer * base->node_count);
      const ipg_id lower[3] = {first + corner[0], first + corner[1], first + corner[2]};
      cut_prism(lower, (ipg_id)base->node_count, is_counterclockwise(base->x, corner), tets);
    }
}

static unsigned find_node_surfaces(const void *context, int64_t node) {
  const prism_plan *plan = context;
  const int64_t layer = node / plan->base->node_count;
  unsigned surfaces = plan->base->surfaces[node % plan->base->node_count];
  if (layer == 0) surfaces |= 1U << plan->prism->ends[0];
  if (layer == plan->prism->layers) surfaces |= 1U << plan->prism->ends[1];
  return surfaces;
}

static ipg_status allocate_base(ipg_prism_base *base, const ipg_allocator *a, ipg_error *error) {
  if ((base->x = ipg_allocate_array(a, base->node_count, 2 * sizeof *base->x, error)) &&
      (base->triangles = ipg_allocate_array(a, base->triangle_count, 3 * sizeof *base->triangles, error)) &&
      (base->surfaces = ipg_allocate_array(a, base->node_count, sizeof *base->surfaces, error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

static void free_base(ipg_prism_base *base, const ipg_allocator *a) {
  ipg_release_array(a, base->x, base->node_count, 2 * sizeof *base->x);
  ipg_release_array(a, base->triangles, base->triangle_count, 3 * sizeof *base->triangles);
  ipg_release_array(a, base->surfaces, base->node_count, sizeof *base->surfaces);
}

static ipg_status extrude_base(const ipg_prism *prism, const ipg_prism_base *base, const ipg_allocator *a,
                               ipg_mesh *mesh, ipg_error *error) {
  const prism_plan plan = {prism, base};
  ipg_shape shape = {.name = prism->name,
                     .node_count = base->node_count * ((int64_t)prism->layers + 1),
                     .element_count = prism->element_count,
                     .surface_count = prism->surface_count,
                     .endings = prism->endings,
                     .plan = &plan,
                     .fill = fill_prism,
                     .find_surfaces = find_node_surfaces};
  memcpy(shape.title, prism->title, sizeof shape.title);
  return ipg_shape_build(&shape, a, mesh, error);
}

ipg_status ipg_prism_build(const ipg_prism *prism, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  const ipg_allocator a = ipg_choose_allocator(allocator);
  ipg_prism_base base = {.node_count = prism->base_nodes, .triangle_count = prism->base_triangles};
  ipg_status status = allocate_base(&base, &a, error);
  if (!status) {
    prism->fill_base(prism->outline, &base);
    status = extrude_base(prism, &base, &a, mesh, error);
  }
  free_base(&base, &a);
  return status;
}
