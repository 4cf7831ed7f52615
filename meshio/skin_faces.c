/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All triangles are wound outward, as ipg_tet_sides is. */
#include "skin_faces.h"

static void write_linear_face(ipg_skin *skin, int64_t face, const ipg_id *tet, const int *corner) {
  for (int i = 0; i < 3; ++i) skin->faces[3 * face + i] = tet[corner[i]];
}

/* Triangles 0 to 2 each lie between a corner and the middles of the two edges that meet there; triangle 3 is the one
 * between the three middles. */
static void write_quadratic_face(ipg_skin *skin, int64_t face, const ipg_id *tet, const ipg_id *middles, int side,
                                 int sub) {
  const int *middle = ipg_tet_side_middles[side];
  for (int i = 0; i < 3; ++i) skin->faces[3 * face + i] = middles[middle[i]];
  if (sub == 3) return;
  skin->faces[3 * face] = tet[ipg_tet_sides[side][sub]];
  skin->faces[3 * face + 1] = middles[middle[sub]];
  skin->faces[3 * face + 2] = middles[middle[(sub + 2) % 3]];
}

void ipg_skin_write_face(ipg_skin *skin, int64_t face, const ipg_mesh *mesh, int64_t slot, int sub) {
  const int side = (int)(slot % 4), *corner = ipg_tet_sides[side];
  const ipg_id *tet = mesh->tets + slot - side;
  const ipg_id *middles = mesh->quadratic_count ? ipg_mesh_middles(mesh, slot / 4) : NULL;
  if (middles) write_quadratic_face(skin, face, tet, middles, side, sub);
  else write_linear_face(skin, face, tet, corner);
  skin->elements[face] = (ipg_id)(slot / 4);
  skin->sides[face] = side;
  skin->subs[face] = sub;
  skin->opposite[face] = tet[6 - corner[0] - corner[1] - corner[2]];
}
