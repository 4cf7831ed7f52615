/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Checks whether a run accepts a block. The table of blocks and the warnings print the same verdict. */
#define _POSIX_C_SOURCE 200809L
#include "info.h"

#include <stdio.h>
#include <strings.h>

static int64_t count_flawed_elements(const info *i, int64_t block_id) {
  int64_t flawed = 0;
  for (int k = 0; i->has_mesh && k < i->mesh.block_count; k++)
    if (i->mesh.blocks[k].id == block_id)
      flawed = app_count_flawed_elements(&i->mesh, i->mesh.blocks[k].first, i->mesh.blocks[k].count);
  return flawed;
}

/* TETRA14 and others that cannot be read, but are no other shape. */
static bool is_called_tetrahedron(const char *type) { return !strncasecmp(type, "TET", 3); }

void info_check_block(const info *i, int block, char verdict[INFO_VERDICT_BYTES]) {
  const ipg_contents_block *b = &i->contents.blocks[block];
  int64_t flawed = count_flawed_elements(i, b->id);
  if (i->contents.dimensions != 3)
    snprintf(verdict, INFO_VERDICT_BYTES, "no: the mesh has %d dimensions", i->contents.dimensions);
  else if (!b->tetrahedra && is_called_tetrahedron(b->type))
    snprintf(verdict, INFO_VERDICT_BYTES, "no: tetrahedra of %lld nodes, the solver takes 4 nodes only",
             (long long)b->nodes_per_element);
  else if (!b->tetrahedra) snprintf(verdict, INFO_VERDICT_BYTES, "no: not tetrahedra");
  else if (flawed) snprintf(verdict, INFO_VERDICT_BYTES, "no: %lld bad elements", (long long)flawed);
  else if (b->nodes_per_element == 10 && b->count)
    snprintf(verdict, INFO_VERDICT_BYTES, "no: the solver takes 4 nodes only");
  else snprintf(verdict, INFO_VERDICT_BYTES, b->count ? "ok" : "ok, but empty");
}
