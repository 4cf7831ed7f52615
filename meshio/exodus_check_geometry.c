/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Gate 4, positions and volumes: every node has a finite position and every element a positive volume. */
#include "exodus_reader.h"
#include "mesh_lookup.h"

#include <math.h>

static bool is_finite_position(const double *x) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

/* Names an element that uses the node, because users find elements in a preprocessor more easily. */
static ipg_status report_bad_node(const ipg_reader *r, int64_t node) {
  const long long gid = r->mesh.node_gids[node];
  int64_t i = 0;
  while (i < 4 * r->mesh.element_count && r->mesh.tets[i] != node) ++i;
  if (i == 4 * r->mesh.element_count)
    return ipg_fail(r->error, IPG_ERROR_NUMBER, "%s: node %lld has no finite position: correct or remove it",
                    r->file.path, gid);
  return ipg_fail(r->error, IPG_ERROR_NUMBER,
                  "%s: node %lld of element %lld in block '%.80s' has no finite position: correct it", r->file.path,
                  gid, (long long)r->mesh.element_gids[i / 4], ipg_mesh_block_name(&r->mesh, i / 4));
}

ipg_status ipg_reader_check_geometry(ipg_reader *r) {
  const ipg_mesh *mesh = &r->mesh;
  if (r->options.keep_bad_elements) return IPG_OK;
  for (int64_t i = 0; i < mesh->node_count; ++i)
    if (!is_finite_position(mesh->x + 3 * i)) return report_bad_node(r, i);
  const int64_t e = ipg_mesh_find_bad_element(mesh);
  if (e == mesh->element_count) return IPG_OK;
  const double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
  return ipg_fail(r->error, IPG_ERROR_NUMBER, "%s: element %lld of block '%.80s' has the volume %g: %s", r->file.path,
                  (long long)mesh->element_gids[e], ipg_mesh_block_name(mesh, e), volume,
                  volume < 0 ? "it is inverted, swap two of its nodes"
                             : "it must be positive and finite, remesh around it");
}
