/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Random meshes with everything that a file can hold, and a comparison that finds any loss.
 * Arrays come from malloc, so tests may replace them. */
#ifndef IMPINGE_TESTS_MESHES_H
#define IMPINGE_TESTS_MESHES_H

#include "impinge/meshio.h"
#include "support/random.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed, never NULL. */
void *meshes_take(int64_t count, size_t item_bytes);

ipg_mesh meshes_box(int nx, int ny, int nz, double x0, const char *name);
ipg_mesh meshes_ball(int n, const char *name);
/* Up to three bodies and sometimes an empty block; ids, numbers and everything else are random. */
ipg_mesh meshes_random(rng *r);

/* Gives the blocks that are marked quadratic a node in the middle of each edge, shared where elements share the edge.
 */
void meshes_add_middles(ipg_mesh *mesh);
void meshes_add_attributes(rng *r, ipg_block *block);
/* Distribution factors of node sets and side sets. */
void meshes_add_factors(rng *r, ipg_mesh *mesh);
void meshes_add_properties(rng *r, ipg_mesh *mesh);
/* Number of blocks, node sets or side sets: kind is an ipg_label_kind. */
int meshes_label_count(const ipg_mesh *mesh, int kind);

/* True if the arrays are equal to the bit. */
bool meshes_same(const void *a, const void *b, int64_t count, size_t item_bytes);
/* True if everything in the meshes is equal to the bit. */
bool meshes_equal(const ipg_mesh *a, const ipg_mesh *b);

#endif
