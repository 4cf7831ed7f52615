/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the files of this room share and nobody else sees.
 *
 * Arrays are allocated by count and released by the same count, so that an allocator is told the truth; an empty array
 * still has an address. Blocks, node sets and side sets begin alike (id, name): as "labels" they are checked, named
 * and written by one piece of code. */
#ifndef IMPINGE_MESHIO_INTERNAL_H
#define IMPINGE_MESHIO_INTERNAL_H

#include "impinge/meshio.h"

/* The given allocator, or malloc when there is none. */
ipg_allocator ipg_allocator_or_malloc(const ipg_allocator *given);

/* Zeroed memory for count items; NULL and a message when there is none. */
void *ipg_take(const ipg_allocator *allocator, int64_t count, size_t item_bytes, ipg_error *error);
void ipg_give(const ipg_allocator *allocator, void *memory, int64_t count, size_t item_bytes);

/* Allocates every array of a mesh whose counts are set. On failure the mesh is freed and zeroed. */
ipg_status ipg_mesh_allocate(ipg_mesh *mesh, const ipg_allocator *given, ipg_error *error);
/* What hangs on blocks and sets is freed with the mesh, also when only a part of it was allocated. */
ipg_status ipg_block_allocate_attributes(const ipg_mesh *mesh, ipg_block *block, int count, ipg_error *error);
ipg_status ipg_node_set_allocate(const ipg_mesh *mesh, ipg_node_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error);
ipg_status ipg_side_set_allocate(const ipg_mesh *mesh, ipg_side_set *set, int64_t count, int64_t factor_count,
                                 ipg_error *error);
ipg_status ipg_property_allocate(const ipg_mesh *mesh, ipg_property *property, ipg_error *error);
void ipg_node_set_destroy(const ipg_allocator *allocator, ipg_node_set *set);
void ipg_side_set_destroy(const ipg_allocator *allocator, ipg_side_set *set);

/* The first element without a finite positive volume; element_count when all are proper. */
int64_t ipg_mesh_first_flat(const ipg_mesh *mesh);
/* The block that holds an element: its index, 0 if the element is in none; and its name. */
int ipg_mesh_block_of(const ipg_mesh *mesh, int64_t element);
const char *ipg_mesh_block_name(const ipg_mesh *mesh, int64_t element);

typedef struct ipg_labels {
  char *first;
  size_t stride;
  int count;
  const char *kind;         /* for messages: "block" */
  const char *default_name; /* "block" in "block_7" */
} ipg_labels;

ipg_labels ipg_mesh_labels(const ipg_mesh *mesh, int kind);
int64_t *ipg_label_id(const ipg_labels *labels, int index);
char *ipg_label_name(const ipg_labels *labels, int index); /* IPG_NAME_MAX bytes */

/* The first number that stands twice among count; false if none does. Fails only for want of memory. */
ipg_status ipg_find_double(const int64_t *numbers, int64_t count, const ipg_allocator *allocator, bool *found,
                           int64_t *number, ipg_error *error);

#endif
