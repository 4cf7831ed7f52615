/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes a mesh to an Exodus file and reads it again: with static libraries this links only if the Exodus library is
 * linked too. */
#include <impinge/meshio.h>
#include <stdio.h>

int main(void) {
  const double centre[3] = {0, 0, 0};
  ipg_mesh mesh = {0}, back = {0};
  ipg_error error = {0};
  if (ipg_mesh_ball(centre, 1, 2, "ball", NULL, &mesh, &error) || ipg_exodus_write("ball.exo", &mesh, &error) ||
      ipg_exodus_read("ball.exo", NULL, NULL, &back, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%lld elements\n", (long long)back.element_count);
  const int wrong = back.element_count != mesh.element_count;
  ipg_mesh_destroy(&back);
  ipg_mesh_destroy(&mesh);
  return wrong;
}
