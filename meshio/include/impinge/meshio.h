/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tetrahedral meshes: made, read from and written to Exodus II files, and skinned.
 *
 * A mesh is flat arrays. Elements are stored block by block, so a block is a range of elements. Local numbers start
 * at 0; `node_gids` and `element_gids` are the numbers a file's id maps give (1, 2, 3 ... without a map).
 * Shapes and skins need no library; reading and writing need libexodusii.
 */
#ifndef IMPINGE_MESHIO_H
#define IMPINGE_MESHIO_H

#include "impinge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IPG_NAME_MAX 257 /* the longest name an Exodus file may hold, with its closing zero */

typedef struct ipg_block {
  int64_t id;
  char name[IPG_NAME_MAX];
  int64_t first, count; /* its elements */
} ipg_block;

typedef struct ipg_node_set {
  int64_t id;
  char name[IPG_NAME_MAX];
  int64_t count;
  ipg_id *nodes;
} ipg_node_set;

typedef struct ipg_side_set {
  int64_t id;
  char name[IPG_NAME_MAX];
  int64_t count;
  ipg_id *elements;
  ipg_id *sides; /* 0..3 in the order of ipg_tet_sides */
} ipg_side_set;

typedef struct ipg_mesh {
  char title[81];
  int64_t node_count, element_count;
  double *x;             /* 3 per node */
  ipg_id *tets;          /* 4 nodes per element, positive volume */
  ipg_gid *node_gids;    /* 1 per node */
  ipg_gid *element_gids; /* 1 per element */
  int block_count, node_set_count, side_set_count;
  ipg_block *blocks;
  ipg_node_set *node_sets;
  ipg_side_set *side_sets;
  ipg_allocator allocator;
} ipg_mesh;

/* The corners of side s of a tetrahedron, wound outward, in the side order of Exodus II. */
IPG_API extern const int ipg_tet_sides[4][3];

/* Frees what the mesh holds and zeroes it. */
IPG_API void ipg_mesh_free(ipg_mesh *mesh);
/* Six times the volume is the determinant; positive for a proper element. */
IPG_API double ipg_tet_volume(const double *x, const ipg_id tet[4]);
/* Finds a block by its name verbatim; -1 if there is none. */
IPG_API int ipg_mesh_find_block(const ipg_mesh *mesh, const char *name);
/* Puts `more` behind `mesh`. Block and set ids and names must differ: IPG_ERROR_FORMAT names the first that clashes
 * (an id that clashes is renumbered, a name is not). gids of `more` are shifted past those of `mesh`. */
IPG_API ipg_status ipg_mesh_append(ipg_mesh *mesh, const ipg_mesh *more, ipg_error *error);

/* -------------------------------------------------------------------------------------------------------- shapes */

/* A box of n[0] x n[1] x n[2] cells, each cut into six tetrahedra. One block `name`; node and side sets
 * `name`_left/right (x), `name`_front/back (y), `name`_bottom/top (z). */
IPG_API ipg_status ipg_mesh_box(const double lo[3], const double hi[3], const int n[3], const char *name,
                                const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);
/* A ball of 20 cones of an icosahedron, each cut into n^3 tetrahedra: 20 n^3 elements. One block, node and side set
 * `name`_surface. */
IPG_API ipg_status ipg_mesh_ball(const double centre[3], double radius, int n, const char *name,
                                 const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);

/* ---------------------------------------------------------------------------------------------------------- skin */

/* The triangles that belong to exactly one tetrahedron, wound outward, sorted by (element, side); the nodes they use,
 * sorted; and connected bodies (elements that share a node), numbered by their lowest element. */
typedef struct ipg_skin {
  int64_t face_count, node_count;
  int64_t element_count; /* of the mesh: the length of body_of_element */
  int body_count;
  ipg_id *faces;    /* 3 mesh nodes per face */
  ipg_id *elements; /* owner of each face */
  ipg_id *sides;    /* 0..3 */
  ipg_id *opposite; /* the owner's fourth node */
  ipg_id *nodes;    /* mesh node of each skin node */
  ipg_id *body_of_element;
  ipg_allocator allocator;
} ipg_skin;

/* A face with three or more owners, or with two on the same side of it, is IPG_ERROR_FORMAT and names the elements. */
IPG_API ipg_status ipg_skin_build(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks,
                                  ipg_skin *skin, ipg_error *error);
IPG_API void ipg_skin_free(ipg_skin *skin);

/* ----------------------------------------------------------------------------------------------------- Exodus II */

/* Reads TETRA / TETRA4 / TET / TET4 blocks in any case. Anything else is refused by block and type. Checked: node
 * numbers in range, ids positive and unique, finite coordinates, positive volumes. */
IPG_API ipg_status ipg_exodus_read(const char *path, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);
IPG_API ipg_status ipg_exodus_write(const char *path, const ipg_mesh *mesh, ipg_error *error);

/* A result file: the mesh, then one step after another, each flushed before the call returns, so that a killed run
 * leaves every completed step. 64-bit-offset classic format, readable while it is written; netCDF-4, which is not, only
 * if an id needs more than 32 bits. Times must grow. A step that failed (disk full) may be appended again. */
typedef struct ipg_results ipg_results;

typedef struct ipg_results_layout {
  int nodal_count, global_count;
  const char *const *nodal_names; /* one scalar field each: disp_x, disp_y ... */
  const char *const *global_names;
} ipg_results_layout;

IPG_API ipg_status ipg_results_create(const char *path, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                      ipg_results **results, ipg_error *error);
/* nodal: nodal_count arrays of node_count values; globals: global_count values. */
IPG_API ipg_status ipg_results_append(ipg_results *results, double time, const double *const *nodal,
                                      const double *globals, ipg_error *error);
IPG_API ipg_status ipg_results_close(ipg_results **results, ipg_error *error);

/* What steps a file holds, and one nodal field of one step. */
typedef struct ipg_results_info {
  int64_t step_count;
  int nodal_count, global_count;
  double *times;                      /* step_count */
  char (*nodal_names)[IPG_NAME_MAX];  /* nodal_count */
  char (*global_names)[IPG_NAME_MAX]; /* global_count */
  ipg_allocator allocator;
} ipg_results_info;

IPG_API ipg_status ipg_results_inspect(const char *path, const ipg_allocator *allocator, ipg_results_info *info,
                                       ipg_error *error);
IPG_API void ipg_results_info_free(ipg_results_info *info);
/* step and field count from 0; values has room for the mesh's node_count. */
IPG_API ipg_status ipg_results_read_nodal(const char *path, int64_t step, int field, int64_t node_count, double *values,
                                          ipg_error *error);
IPG_API ipg_status ipg_results_read_globals(const char *path, int64_t step, int global_count, double *values,
                                            ipg_error *error);

#ifdef __cplusplus
}
#endif
#endif
