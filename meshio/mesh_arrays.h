/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Allocates and frees the arrays of a mesh. What belongs to a block or a set is allocated apart, when its size is
 * known; ipg_mesh_destroy frees it with the mesh, also when only a part of it was allocated. */
#ifndef IMPINGE_MESHIO_MESH_ARRAYS_H
#define IMPINGE_MESHIO_MESH_ARRAYS_H

#include "impinge/meshio.h"

/* Allocates every array of a mesh whose counts are set. On failure the mesh is freed and zeroed. */
ipg_status ipg_mesh_allocate(ipg_mesh *mesh, const ipg_allocator *given, ipg_error *error);

ipg_status ipg_block_allocate_attributes(const ipg_mesh *mesh, ipg_block *block, int count, ipg_error *error);
ipg_status ipg_node_set_allocate(const ipg_mesh *mesh, ipg_node_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error);
ipg_status ipg_side_set_allocate(const ipg_mesh *mesh, ipg_side_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error);
ipg_status ipg_property_allocate(const ipg_mesh *mesh, ipg_property *property, ipg_error *error);

void ipg_node_set_destroy(const ipg_allocator *allocator, ipg_node_set *set);

#endif
