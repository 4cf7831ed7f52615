/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The flat triangles of one side of an element: one of a linear element, four of a quadratic one. */
#ifndef IMPINGE_MESHIO_SKIN_FACES_H
#define IMPINGE_MESHIO_SKIN_FACES_H

#include "impinge/meshio.h"

/* How many flat triangles a side of the element has. */
static inline int ipg_triangles_per_side(const ipg_mesh *mesh, int64_t element) {
  return mesh->quadratic_count && ipg_mesh_middles(mesh, element) ? 4 : 1;
}

/* Writes triangle `sub` of slot 4 * element + side as face `face` of a skin that has room for it. */
void ipg_skin_write_face(ipg_skin *skin, int64_t face, const ipg_mesh *mesh, int64_t slot, int sub);

#endif
