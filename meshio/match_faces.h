/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Matches the faces (sides) of elements: two sides match when they have the same three corners.
 *
 * A side is known by its slot: side s of element e is slot 4 e + s. The skin and its erosion are built on this. */
#ifndef IMPINGE_MESHIO_MATCH_FACES_H
#define IMPINGE_MESHIO_MATCH_FACES_H

#include "impinge/meshio.h"

/* Fails if the mesh has too many nodes or elements for its sides to be numbered. */
ipg_status ipg_match_faces_check_counts(const ipg_mesh *mesh, ipg_error *error);
/* Checks the counts and that the nodes of an element are nodes of the mesh, each once, and that a side belongs to one
 * element, or to two elements on opposite sides of it with the same nodes; the message names the first that does not.
 * Then, as far as not NULL: open[slot], which must be zeros before the call, becomes 1 where the slot has no partner;
 * partners[slot] becomes the slot on the other side, or -1. */
ipg_status ipg_match_faces(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks, uint8_t *open,
                           ipg_id *partners, ipg_error *error);

#endif
