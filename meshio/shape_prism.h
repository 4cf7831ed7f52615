/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A prism: a flat base of triangles, extruded in layers; the cylinder, the tube and the wedge are prisms.
 *
 * A triangle lists its corners in the order in which its prisms are cut, and may have either orientation. Invariant: an
 * edge of two triangles has the same direction in both lists, so neighbouring prisms cut the wall between them along
 * the same diagonal. */
#ifndef IMPINGE_MESHIO_SHAPE_PRISM_H
#define IMPINGE_MESHIO_SHAPE_PRISM_H

#include "shapes.h"

typedef struct ipg_prism_base {
  int64_t node_count, triangle_count;
  double *x;         /* 2 per node, relative to the axis of the prism */
  ipg_id *triangles; /* 3 per triangle */
  uint8_t *surfaces; /* 1 per node; bit s: the wall above the node is in surface s */
} ipg_prism_base;

typedef struct ipg_prism {
  const char *name;
  char title[81];
  int64_t base_nodes, base_triangles;
  int64_t element_count; /* three for each triangle and layer */
  int layers;
  const double *centre;
  double length;
  int axes[3]; /* of the two directions of the base, and of that of the layers; right-handed */
  int surface_count;
  const char *const *endings;
  int ends[2]; /* the surfaces at the lower and the upper end */
  const void *outline;
  void (*fill_base)(const void *outline, ipg_prism_base *base);
} ipg_prism;

ipg_status ipg_prism_build(const ipg_prism *prism, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);

#endif
