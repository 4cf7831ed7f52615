/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Bodies: the connected components of a mesh. Two elements are connected when they share a corner, directly or through
 * other elements. */
#ifndef IMPINGE_MESHIO_CONNECTED_COMPONENTS_H
#define IMPINGE_MESHIO_CONNECTED_COMPONENTS_H

#include "impinge/meshio.h"

/* Corners must be nodes of the mesh. body_of_element: one per element; bodies are numbered from 0 by their lowest
 * element. */
ipg_status ipg_find_connected_components(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks,
                                         ipg_id *body_of_element, int *body_count, ipg_error *error);

#endif
