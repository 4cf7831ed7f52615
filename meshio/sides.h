/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sides of elements as slots: side s of element e is slot 4 e + s. Which slots lie on each other, and the flat
 * triangles of a slot: one of a linear element, four of a quadratic one. Skins and their erosion stand on this. */
#ifndef IMPINGE_MESHIO_SIDES_H
#define IMPINGE_MESHIO_SIDES_H

#include "internal.h"

/* Checks that elements have nodes of the mesh, each once, and that a side has one owner, or two on opposite sides of it
 * with the same nodes; names the first that has not. Then, as far as not NULL:
 * open[slot], zeros when it is called, becomes 1 where the slot has no partner;
 * partners[slot] is the slot on the other side, or -1. */
ipg_status ipg_sides_match(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks, uint8_t *open,
                           ipg_id *partners, ipg_error *error);

/* How many flat triangles the sides of an element have. */
static inline int ipg_subs_of(const ipg_mesh *mesh, int64_t element) {
  return mesh->quadratic_count && ipg_mesh_middles(mesh, element) ? 4 : 1;
}

/* Writes triangle `sub` of a slot as face `face` of a skin that has room for it. */
void ipg_skin_put_face(ipg_skin *skin, int64_t face, const ipg_mesh *mesh, int64_t slot, int sub);

#endif
