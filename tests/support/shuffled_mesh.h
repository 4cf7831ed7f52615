/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Meshes for tests of the boundary mesh: boxes and balls without some of their elements, nodes and elements shuffled
 * and cut into blocks at random, linear, quadratic or both. Arrays come from malloc, so tests may replace them. */
#ifndef IMPINGE_TESTS_SHUFFLED_MESH_H
#define IMPINGE_TESTS_SHUFFLED_MESH_H

#include "impinge/meshio.h"
#include "support/random.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHUFFLED_MESH_BLOCKS = 12 };

typedef struct shuffled_mesh {
  ipg_mesh mesh;
  ipg_block blocks[SHUFFLED_MESH_BLOCKS];
} shuffled_mesh;

typedef enum element_kind { LINEAR, QUADRATIC, BOTH } element_kind;

void shuffled_mesh_make(shuffled_mesh *w, rng *r, element_kind kind, int most_shapes);
void shuffled_mesh_free(shuffled_mesh *w);

/* To make a mesh by hand: nodes, elements in mesh.tets, middle nodes, blocks, ids. */
ipg_id add_node(ipg_mesh *m, const double x[3]);
/* Gives all elements from `first` on nodes in the middles of their edges. */
void add_middles(ipg_mesh *m, int64_t first);
/* The elements from `first` on. */
void add_block(shuffled_mesh *w, int64_t first, bool quadratic);
void shuffle_nodes(ipg_mesh *m, rng *r);
/* Global ids that differ from the indices; the mesh gets its blocks. */
void set_ids(shuffled_mesh *w);

/* A box of n x n x n cells, of the library's own arrays. */
ipg_mesh large_box(rng *r, int n, bool shuffled);

/* As realloc, but never NULL. */
void *grow_array(void *memory, int64_t count, size_t item_bytes);
/* The numbers 0 to count - 1 in random order. */
ipg_id *random_order(rng *r, int64_t count);

#endif
