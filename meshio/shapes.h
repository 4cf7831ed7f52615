/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the shapes share: a shape is a plan, and one function carries it out.
 *
 * A plan tells how many nodes and elements there are, fills them in, and says of each node on which surfaces of the
 * body it lies. The rest is the same for all: one block, a node set and a side set for each surface, a QA record, and
 * the promise that the caller gets a whole mesh of proper elements or nothing.
 * Invariant of every plan: a side is on a surface exactly when its three nodes are. */
#ifndef IMPINGE_MESHIO_SHAPES_H
#define IMPINGE_MESHIO_SHAPES_H

#include "internal.h"

enum { IPG_SHAPE_SURFACES_MAX = 8 };

typedef struct ipg_shape {
  const char *name; /* of the block */
  char title[81];
  int64_t node_count, element_count;
  int surface_count;
  const char *const *endings; /* of the names of the surfaces: "_top" */
  const void *plan;
  void (*fill)(const void *plan, ipg_mesh *mesh);          /* x and tets */
  unsigned (*surfaces_of)(const void *plan, int64_t node); /* bit s: it lies on surface s */
} ipg_shape;

ipg_status ipg_shape_make(const ipg_shape *shape, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);

/* What every shape checks before it allocates; `kind` is "box", `what` names the argument. */
ipg_status ipg_shape_start(const char *kind, const char *name, ipg_mesh *mesh, ipg_error *error); /* zeroes the mesh */
ipg_status ipg_shape_check_centre(const char *kind, const double centre[3], ipg_error *error);
ipg_status ipg_shape_check_length(const char *kind, const char *what, double length, ipg_error *error);
ipg_status ipg_shape_check_cells(const char *kind, const char *what, int64_t count, int64_t least, ipg_error *error);
/* Multiplies four factors of at most 32 bits and refuses more elements than a mesh can hold. */
ipg_status ipg_shape_count_elements(const char *kind, const int64_t factors[4], int64_t *count, ipg_error *error);

void ipg_swap_ids(ipg_id *a, ipg_id *b);

#endif
