/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From a mesh and its skin to what contact.h takes: the surface's nodes in the order of their gids, its faces in the
 * order of (element gid, side), and the way back from surface nodes to mesh nodes. */
#ifndef IMPINGE_SURFACE_H
#define IMPINGE_SURFACE_H

#include "impinge/contact.h"
#include "impinge/meshio.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipg_mesh_surface {
  ipg_surface surface; /* points into this object */
  ipg_id *mesh_nodes;  /* of each surface node */
  void *memory;
  size_t memory_bytes;
  double *face_stiffnesses; /* NULL, or what ipg_mesh_surface_stiffen has made */
  ipg_allocator allocator;
} ipg_mesh_surface;

/* masses: one per mesh node. The skin may be one that erodes, with empty slots. Twice the same gid is
 * IPG_ERROR_FORMAT. */
IPG_API ipg_status ipg_mesh_surface_build(const ipg_mesh *mesh, const ipg_skin *skin, const double *masses,
                                          const ipg_allocator *allocator, ipg_mesh_surface *surface, ipg_error *error);
/* Gives the surface the face_stiffnesses that contacts with the stiffness of the material ask for. moduli: one per
 * block of the mesh, bulk moduli. The layer of elements behind a block's skin counts as equally thick everywhere, its
 * volume over its area: else the same gap would press unevenly. */
IPG_API ipg_status ipg_mesh_surface_stiffen(ipg_mesh_surface *surface, const ipg_mesh *mesh, const ipg_skin *skin,
                                            const double *moduli, ipg_error *error);
IPG_API void ipg_mesh_surface_destroy(ipg_mesh_surface *surface);

/* Places (or any three values per node) of the mesh's nodes, gathered for the surface's; and back, added. */
IPG_API void ipg_mesh_surface_gather(const ipg_mesh_surface *surface, const double *mesh_values, double *values);
IPG_API void ipg_mesh_surface_add(const ipg_mesh_surface *surface, const double *values, double *mesh_values);

#ifdef __cplusplus
}
#endif
#endif
