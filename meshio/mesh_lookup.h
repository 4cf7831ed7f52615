/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Lookups by element that several files of this folder need; the public ones are in meshio.h. */
#ifndef IMPINGE_MESHIO_MESH_LOOKUP_H
#define IMPINGE_MESHIO_MESH_LOOKUP_H

#include "impinge/meshio.h"

/* The first element without a finite positive volume; element_count when there is none. */
int64_t ipg_mesh_find_bad_element(const ipg_mesh *mesh);

/* The block that holds an element: its index (0 if the element is in no block), or its name (then ""). */
int ipg_mesh_block_of_element(const ipg_mesh *mesh, int64_t element);
const char *ipg_mesh_block_name(const ipg_mesh *mesh, int64_t element);

#endif
