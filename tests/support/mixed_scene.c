/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/mixed_scene.h"

#include "impinge/meshio.h"

/* One tetrahedron with its tip below. */
static ipg_mesh make_needle(double x, double y, double tip) {
  ipg_mesh mesh = scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "needle");
  const double corners[4][3] = {
      {x, y, tip}, {x + .1, y, tip + .2}, {x - .05, y + .08, tip + .2}, {x - .05, y - .08, tip + .2}};
  memcpy(mesh.x, corners, sizeof corners);
  memcpy(mesh.tets, (ipg_id[]){0, 1, 2, 3}, 4 * sizeof *mesh.tets);
  mesh.node_count = 4, mesh.element_count = mesh.blocks[0].count = 1;
  return mesh;
}

/* A floor on a wall, a block tied to it, and above it a ball, a blade and a needle, which move down and along. */
void mixed_scene_make(scene *s) {
  ipg_error error = {0};
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 5, 5, 2, "floor"),
                       scene_box(-.93, -.91, 0, -.6, -.5, .4, 2, 2, 2, "block"),
                       scene_ball(.33, .31, .402, .4, 3, "ball"),
                       {.node_count = 0},
                       make_needle(.7, -.6, .002)};
  CU_ASSERT_FATAL(
      !ipg_mesh_wedge((double[]){-.1, -.2, .252}, (double[]){.15, .5, .5}, 2, 2, "blade", NULL, &meshes[3], &error));
  scene_make(s, meshes, 5, 1);
  for (int body = 0; body < 5; ++body) s->velocity[body][2] = body < 2 ? -.02 : -1;
  for (int body = 2; body < 5; ++body) s->velocity[body][0] = .3;
}
