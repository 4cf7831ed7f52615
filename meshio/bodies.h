/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Connected bodies: elements that share a corner, directly or through others. */
#ifndef IMPINGE_MESHIO_BODIES_H
#define IMPINGE_MESHIO_BODIES_H

#include "internal.h"

/* Corners must be nodes of the mesh. body_of_element: one per element, numbered from 0 by their lowest element. */
ipg_status ipg_bodies_find(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks,
                           ipg_id *body_of_element, int *body_count, ipg_error *error);

#endif
