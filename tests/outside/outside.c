/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Uses two rooms of an installed Impinge: the skin of a box has twelve triangles per cell side of one. */
#include <impinge/meshio.h>
#include <stdio.h>

int main(void) {
  ipg_mesh mesh = {0};
  ipg_skin skin = {0};
  ipg_error error = {0};
  const ipg_tasks tasks = ipg_tasks_serial();
  if (ipg_mesh_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){1, 1, 1}, "box", NULL, &mesh, &error) ||
      ipg_skin_build(&mesh, NULL, &tasks, &skin, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%lld triangles\n", (long long)skin.face_count);
  const int wrong = skin.face_count != 12;
  ipg_skin_destroy(&skin);
  ipg_mesh_destroy(&mesh);
  return wrong;
}
