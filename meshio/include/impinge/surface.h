/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Converts a mesh and its skin to the surface that contact.h takes: nodes in the order of their gids, faces in the
 * order of (element gid, side, sub), and for each surface node its mesh node.
 *
 * Threads: two objects may be used from two threads at once, and calls that take the same object as const may run at
 * the same time. */
#ifndef IMPINGE_SURFACE_H
#define IMPINGE_SURFACE_H

#include "impinge/contact.h"
#include "impinge/meshio.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ipg_mesh_surface {
  ipg_surface surface; /* points into this object */
  ipg_id *mesh_nodes;  /* the mesh node of each surface node */
  void *memory;
  size_t memory_bytes;
  double *face_stiffnesses; /* NULL before ipg_mesh_surface_set_stiffness */
  ipg_allocator allocator;
} ipg_mesh_surface;

/* masses: one per mesh node. The skin may be an eroded one, with empty slots. Two nodes with the same gid are
 * IPG_ERROR_FORMAT. */
IPG_API ipg_status ipg_mesh_surface_build(const ipg_mesh *mesh, const ipg_skin *skin, const double *masses,
                                          const ipg_allocator *allocator, ipg_mesh_surface *surface, ipg_error *error);
/* Sets the face_stiffnesses of the surface, from which the stiffness of penalty contact follows. moduli: one bulk
 * modulus per block of the mesh. The layer of elements behind the skin of a block is taken to have the same thickness
 * everywhere, its volume over its area; otherwise the same gap would give an uneven contact pressure. */
IPG_API ipg_status ipg_mesh_surface_set_stiffness(ipg_mesh_surface *surface, const ipg_mesh *mesh, const ipg_skin *skin,
                                                  const double *moduli, ipg_error *error);
IPG_API void ipg_mesh_surface_destroy(ipg_mesh_surface *surface);

/* Copies three values per node (positions, velocities) from mesh nodes to surface nodes; adds them (forces) back. */
IPG_API void ipg_mesh_surface_gather(const ipg_mesh_surface *surface, const double *mesh_values, double *values);
IPG_API void ipg_mesh_surface_add(const ipg_mesh_surface *surface, const double *values, double *mesh_values);

#ifdef __cplusplus
}
#endif
#endif
