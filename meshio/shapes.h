/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the shapes share: a shape is a plan, and one function builds the mesh from it.
 *
 * A plan has the numbers of nodes and elements, a function that writes them, and one that returns on which surfaces of
 * the body a node lies. All else is the same for every shape: one block, a node set and a side set for each surface, a
 * QA record, and the guarantee that the caller gets a complete mesh of elements with positive volume, or nothing.
 * Invariant of every plan: a side is on a surface exactly when its three nodes are. */
#ifndef IMPINGE_MESHIO_SHAPES_H
#define IMPINGE_MESHIO_SHAPES_H

#include "impinge/meshio.h"

enum { IPG_SHAPE_SURFACES_MAX = 8 };

typedef struct ipg_shape {
  const char *name; /* of the block */
  char title[81];
  int64_t node_count, element_count;
  int surface_count;
  const char *const *endings; /* of the names of the surfaces: "_top" */
  const void *plan;
  void (*fill)(const void *plan, ipg_mesh *mesh);            /* writes x and tets */
  unsigned (*find_surfaces)(const void *plan, int64_t node); /* bit s: the node lies on surface s */
} ipg_shape;

/* On failure *mesh is not changed. */
ipg_status ipg_shape_build(const ipg_shape *shape, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);

/* Checks of arguments before anything is allocated; `kind` is "box", `what` names the argument in messages. */
ipg_status ipg_shape_start(const char *kind, const char *name, ipg_mesh *mesh, ipg_error *error); /* zeroes the mesh */
ipg_status ipg_shape_check_centre(const char *kind, const double centre[3], ipg_error *error);
ipg_status ipg_shape_check_length(const char *kind, const char *what, double length, ipg_error *error);
ipg_status ipg_shape_check_cells(const char *kind, const char *what, int64_t count, int64_t least, ipg_error *error);
/* Multiplies four factors of at most 32 bits and refuses more elements than a mesh can hold. */
ipg_status ipg_shape_count_elements(const char *kind, const int64_t factors[4], int64_t *count, ipg_error *error);

void ipg_swap_ids(ipg_id *a, ipg_id *b);

#endif
