/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Blocks ascend by their first element, so the block of an element is found by bisection. */
#include "mesh_lookup.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const int ipg_tet_sides[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 2}, {0, 2, 1}};
const int ipg_tet_side_middles[4][3] = {{0, 4, 3}, {1, 5, 4}, {3, 5, 2}, {2, 1, 0}};

double ipg_tet_volume(const double *x, const ipg_id tet[4]) {
  const double *o = x + 3 * (ptrdiff_t)tet[0];
  double e[3][3];
  for (int k = 0; k < 3; ++k)
    for (int d = 0; d < 3; ++d) e[k][d] = x[3 * (ptrdiff_t)tet[k + 1] + d] - o[d];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

int64_t ipg_mesh_find_bad_element(const ipg_mesh *mesh) {
  int64_t e = 0;
  for (; e < mesh->element_count; ++e) {
    const double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
    if (!(volume > 0 && isfinite(volume))) break;
  }
  return e;
}

/* The block that holds an element, or NULL. */
static const ipg_block *find_block_of_element(const ipg_mesh *mesh, int64_t element) {
  int below = 0, end = mesh->block_count; /* blocks before `below` begin at or before the element */
  while (below < end) {
    const int middle = below + (end - below) / 2;
    if (mesh->blocks[middle].first <= element) below = middle + 1;
    else end = middle;
  }
  const ipg_block *block = below ? &mesh->blocks[below - 1] : NULL;
  return block && element < block->first + block->count ? block : NULL;
}

int ipg_mesh_block_of_element(const ipg_mesh *mesh, int64_t element) {
  const ipg_block *block = find_block_of_element(mesh, element);
  return block ? (int)(block - mesh->blocks) : 0;
}

const char *ipg_mesh_block_name(const ipg_mesh *mesh, int64_t element) {
  const ipg_block *block = find_block_of_element(mesh, element);
  return block ? block->name : "";
}

const ipg_id *ipg_mesh_middles(const ipg_mesh *mesh, int64_t element) {
  if (!mesh->quadratic_count) return NULL;
  const ipg_block *block = find_block_of_element(mesh, element);
  return block && block->quadratic ? mesh->middles + 6 * (block->first_middle + element - block->first) : NULL;
}

int ipg_mesh_find_block(const ipg_mesh *mesh, const char *name) {
  for (int b = 0; b < mesh->block_count; ++b)
    if (!strcmp(mesh->blocks[b].name, name)) return b;
  return -1;
}
