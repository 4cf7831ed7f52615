/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/small_surface.h"

#include <string.h>

small_surface small_surface_of(int node_count, int face_count, const ipg_id *faces) {
  small_surface s = {.node_count = node_count, .face_count = face_count};
  for (int i = 0; i < node_count; ++i) s.gids[i] = i + 1, s.masses[i] = 1;
  for (int f = 0; f < face_count; ++f) s.elements[f] = f + 11, s.opposites[f] = -1;
  memcpy(s.faces, faces, 3 * (size_t)face_count * sizeof *faces);
  return s;
}

ipg_surface small_surface_view(const small_surface *s) {
  return (ipg_surface){.node_count = s->node_count,
                       .face_count = s->face_count,
                       .node_gids = s->gids,
                       .node_masses = s->masses,
                       .faces = s->faces,
                       .face_elements = s->elements,
                       .face_sides = s->sides,
                       .face_subs = s->subs,
                       .face_bodies = s->bodies,
                       .face_blocks = s->blocks,
                       .face_opposites = s->opposites};
}
