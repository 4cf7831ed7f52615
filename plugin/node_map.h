/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which of a program's nodes are those of a mesh, by their coordinates. */
#ifndef IMPINGE_PLUGIN_NODE_MAP_H
#define IMPINGE_PLUGIN_NODE_MAP_H

#include "impinge/meshio.h"
#include <petscsys.h>

/* nodes: of the mesh's nodes, the number of the program's node at the same position, to a millionth of the mesh's size
 * per cube root of its nodes. coordinates: 3 for each of `count` nodes of the program, which may have more than the
 * mesh. Where two are at one position, or none is, an error names the node; the same order settles all. */
ipg_status ipg_map_nodes(const ipg_mesh *mesh, PetscInt count, const double *coordinates, PetscInt *nodes,
                         ipg_error *error);

#endif
