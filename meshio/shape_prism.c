/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Pulls a base of triangles up and cuts every prism into three tetrahedra.
 *
 * Of a prism over the triangle a, b, c, cut in this order, the tetrahedra are the paths that climb one layer: at a, at
 * b or at c. So the wall over an edge is always cut from the foot of its first corner to the top of its second. The
 * angles are best when the middle corner is the widest: the slopes in the prism rise over the heights of the triangle
 * from a and c, and the shortest height is that from b. */
#include "shape_prism.h"

#include <string.h>

typedef struct prism_plan {
  const ipg_prism *prism;
  const ipg_prism_base *base;
} prism_plan;

static void place_layer(const prism_plan *plan, int layer, double *x) {
  const ipg_prism *prism = plan->prism;
  const int *axes = prism->axes;
  const double height = prism->length * ((double)layer / prism->layers - 0.5);
  for (int64_t i = 0; i < plan->base->node_count; ++i, x += 3) {
    for (int d = 0; d < 2; ++d) x[axes[d]] = prism->centre[axes[d]] + plan->base->x[2 * i + d];
    x[axes[2]] = prism->centre[axes[2]] + height;
  }
}

static bool turns_left(const double *x, const ipg_id *triangle) {
  const double *a = x + 2 * (int64_t)triangle[0], *b = x + 2 * (int64_t)triangle[1], *c = x + 2 * (int64_t)triangle[2];
  return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]);
}

static void cut_prism(const ipg_id foot[3], ipg_id rise, bool left, ipg_id *tets) {
  const ipg_id a = foot[0], b = foot[1], c = foot[2];
  const ipg_id cut[3][4] = {{a, b, c, c + rise}, {a, c + rise, b + rise, b}, {a, b + rise, c + rise, a + rise}};
  memcpy(tets, cut, sizeof cut);
  for (int k = 0; k < 3 && !left; ++k) ipg_swap_ids(&tets[4 * k + 1], &tets[4 * k + 2]);
}

static void fill_prism(const void *context, ipg_mesh *mesh) {
  const prism_plan *plan = context;
  const ipg_prism_base *base = plan->base;
  ipg_id *tets = mesh->tets;
  for (int layer = 0; layer <= plan->prism->layers; ++layer)
    place_layer(plan, layer, mesh->x + 3 * layer * base->node_count);
  for (int layer = 0; layer < plan->prism->layers; ++layer)
    for (int64_t t = 0; t < base->triangle_count; ++t, tets += 12) {
      const ipg_id *corner = base->triangles + 3 * t, first = (ipg_id)(layer * base->node_count);
      const ipg_id foot[3] = {first + corner[0], first + corner[1], first + corner[2]};
      cut_prism(foot, (ipg_id)base->node_count, turns_left(base->x, corner), tets);
    }
}

static unsigned surfaces_of_node(const void *context, int64_t node) {
  const prism_plan *plan = context;
  const int64_t layer = node / plan->base->node_count;
  unsigned surfaces = plan->base->surfaces[node % plan->base->node_count];
  if (layer == 0) surfaces |= 1U << plan->prism->ends[0];
  if (layer == plan->prism->layers) surfaces |= 1U << plan->prism->ends[1];
  return surfaces;
}

static ipg_status allocate_base(ipg_prism_base *base, const ipg_allocator *a, ipg_error *error) {
  if ((base->x = ipg_take(a, base->node_count, 2 * sizeof *base->x, error)) &&
      (base->triangles = ipg_take(a, base->triangle_count, 3 * sizeof *base->triangles, error)) &&
      (base->surfaces = ipg_take(a, base->node_count, sizeof *base->surfaces, error)))
    return IPG_OK;
  return IPG_ERROR_MEMORY;
}

static void free_base(ipg_prism_base *base, const ipg_allocator *a) {
  ipg_give(a, base->x, base->node_count, 2 * sizeof *base->x);
  ipg_give(a, base->triangles, base->triangle_count, 3 * sizeof *base->triangles);
  ipg_give(a, base->surfaces, base->node_count, sizeof *base->surfaces);
}

static ipg_status pull_up(const ipg_prism *prism, const ipg_prism_base *base, const ipg_allocator *a, ipg_mesh *mesh,
                          ipg_error *error) {
  const prism_plan plan = {prism, base};
  ipg_shape shape = {.name = prism->name,
                     .node_count = base->node_count * ((int64_t)prism->layers + 1),
                     .element_count = prism->element_count,
                     .surface_count = prism->surface_count,
                     .endings = prism->endings,
                     .plan = &plan,
                     .fill = fill_prism,
                     .surfaces_of = surfaces_of_node};
  memcpy(shape.title, prism->title, sizeof shape.title);
  return ipg_shape_make(&shape, a, mesh, error);
}

ipg_status ipg_prism_make(const ipg_prism *prism, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error) {
  const ipg_allocator a = ipg_allocator_or_malloc(allocator);
  ipg_prism_base base = {.node_count = prism->base_nodes, .triangle_count = prism->base_triangles};
  ipg_status status = allocate_base(&base, &a, error);
  if (!status) {
    prism->draw(prism->outline, &base);
    status = pull_up(prism, &base, &a, mesh, error);
  }
  free_base(&base, &a);
  return status;
}
