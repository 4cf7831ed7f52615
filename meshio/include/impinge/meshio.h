/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tetrahedral meshes: simple shapes, reading and writing of Exodus II files, the skin (boundary triangles) and its
 * erosion.
 *
 * A mesh is flat arrays. Elements are stored block by block, so a block is a range of elements. Local numbers start
 * at 0; `node_gids` and `element_gids` are the numbers of a file's id maps (1, 2, 3 ... without a map).
 * `tets` has the four corners of every element; `middles` has the six middle (mid-edge) nodes of the elements of
 * quadratic blocks. Everything else in a file (attributes, distribution factors, properties, records) is kept and
 * written again. Shapes and skins need no other library; reading and writing need libexodusii.
 *
 * Threads: two objects may be used from two threads at once, and calls that take the same object as const may run at
 * the same time. Exception: the Exodus, netCDF and HDF5 libraries are not thread-safe, not even for different files. Of
 * ipg_exodus_describe, ipg_exodus_read, ipg_exodus_read_provenance, ipg_exodus_records_deck, ipg_exodus_write,
 * ipg_exodus_write_output, ipg_results_create, ipg_results_create_output, ipg_results_append, ipg_results_destroy,
 * ipg_results_open, ipg_results_read, ipg_results_reader_destroy and ipg_mesh_displace only one may run at a time in a
 * process, and none while other code uses these libraries.
 */
#ifndef IMPINGE_MESHIO_H
#define IMPINGE_MESHIO_H

#include "impinge/base.h"
#include "impinge/files.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IPG_NAME_MAX 257 /* the longest name an Exodus file may hold, with its closing zero */
#define IPG_TYPE_MAX 33  /* the same for the type of a block's elements, and for a word of a QA record */
#define IPG_LINE_MAX 81  /* the same for an information record */

typedef char ipg_name[IPG_NAME_MAX];

typedef struct ipg_block {
  int64_t id;
  ipg_name name;
  int64_t first, count;    /* its elements */
  char type[IPG_TYPE_MAX]; /* as in the file; "" is written as TETRA or TETRA10 */
  bool quadratic;          /* ten nodes per element instead of four */
  int64_t first_middle; /* of a quadratic block: element first + i has the six nodes middles + 6 (first_middle + i) */
  int attribute_count;
  ipg_name *attribute_names; /* attribute_count; "" for an attribute without a name */
  double *attributes;        /* attribute_count per element */
} ipg_block;

typedef struct ipg_node_set {
  int64_t id;
  ipg_name name;
  int64_t count;
  ipg_id *nodes;
  int64_t factor_count; /* count or 0 */
  double *factors;      /* distribution factors */
} ipg_node_set;

typedef struct ipg_side_set {
  int64_t id;
  ipg_name name;
  int64_t count;
  ipg_id *elements;
  ipg_id *sides;        /* 0..3 in the order of ipg_tet_sides */
  int64_t factor_count; /* one for each node of each side, or 0 */
  double *factors;
} ipg_side_set;

/* Blocks, node sets and side sets have an id and a name in common, their label. The kinds of labels: */
typedef enum ipg_label_kind {
  IPG_LABEL_BLOCK,
  IPG_LABEL_NODE_SET,
  IPG_LABEL_SIDE_SET,
  IPG_LABEL_KIND_COUNT
} ipg_label_kind;

/* A named integer of each block, or of each set of a kind. The name has at most 32 letters. */
typedef struct ipg_property {
  ipg_label_kind kind;
  ipg_name name;
  int64_t *values; /* as many as there are blocks or sets of that kind */
} ipg_property;

typedef char ipg_qa_record[4][IPG_TYPE_MAX]; /* program, version, date, time */
typedef char ipg_info_line[IPG_LINE_MAX];

typedef struct ipg_mesh {
  char title[81];
  int64_t node_count, element_count;
  int64_t quadratic_count; /* elements with middle nodes */
  double *x;               /* 3 per node */
  ipg_id *tets;            /* 4 corners per element, positive volume */
  ipg_id *middles;         /* 6 per quadratic element, on the edges 01 12 02 03 13 23 */
  ipg_gid *node_gids;      /* 1 per node */
  ipg_gid *element_gids;   /* 1 per element */
  int block_count, node_set_count, side_set_count;
  ipg_block *blocks;
  ipg_node_set *node_sets;
  ipg_side_set *side_sets;
  ipg_name axes[3]; /* names of the coordinates */
  int property_count, qa_count, info_count;
  ipg_property *properties;
  ipg_qa_record *qa;
  ipg_info_line *info;
  /* The indices of nodes and elements in the file, if some of the file were left out; else NULL, and the counts 0. */
  int64_t file_node_count, file_element_count;
  ipg_id *file_nodes, *file_elements;
  ipg_allocator allocator;
} ipg_mesh;

/* The corners of side s of a tetrahedron, wound outward, in the side order of Exodus II; and the middle nodes (0..5 of
 * the element) between its corners 0-1, 1-2 and 2-0. */
IPG_API extern const int ipg_tet_sides[4][3];
IPG_API extern const int ipg_tet_side_middles[4][3];

/* Frees what the mesh holds and zeroes it. */
IPG_API void ipg_mesh_destroy(ipg_mesh *mesh);
/* The signed volume of the tetrahedron of four corners: positive for a valid element. */
IPG_API double ipg_tet_volume(const double *x, const ipg_id tet[4]);
/* The six middle nodes of an element; NULL if it is linear. */
IPG_API const ipg_id *ipg_mesh_middles(const ipg_mesh *mesh, int64_t element);
/* The index of the block with exactly this name; -1 if there is none. */
IPG_API int ipg_mesh_find_block(const ipg_mesh *mesh, const char *name);
/* Appends `more` to `mesh`. Names of blocks and of sets must differ: IPG_ERROR_FORMAT names the first that both have;
 * ids that both have are renumbered. The highest gid of `mesh` is added to the gids of `more`. Properties that only one
 * of them has are 0 for the other; records of both are kept. On failure `mesh` is not changed. */
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
/* A disc of six sectors of a hexagon, n rings of triangles, extruded along z in `layers` layers of prisms, each cut
 * into three tetrahedra: 18 n^2 elements a layer. Sets `name`_bottom, `name`_top, `name`_side. */
IPG_API ipg_status ipg_mesh_cylinder(const double centre[3], double radius, double length, int n, int layers,
                                     const char *name, const ipg_allocator *allocator, ipg_mesh *mesh,
                                     ipg_error *error);
/* A round tube along z: n[0] cells through the wall, n[1] around (three or more), n[2] along, six tetrahedra a cell.
 * Sets `name`_inside, `name`_outside, `name`_bottom, `name`_top. */
IPG_API ipg_status ipg_mesh_tube(const double centre[3], double inner, double outer, double length, const int n[3],
                                 const char *name, const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);
/* A prism over a triangle: an edge along y (size[1]) at the bottom, a roof of width size[0] along x at the height
 * size[2] above it. n rows of triangles, `layers` layers along y. `centre` is that of its bounding box. Sets
 * `name`_top, `name`_left, `name`_right (the two flanks), `name`_front, `name`_back. */
IPG_API ipg_status ipg_mesh_wedge(const double centre[3], const double size[3], int n, int layers, const char *name,
                                  const ipg_allocator *allocator, ipg_mesh *mesh, ipg_error *error);

/* ---------------------------------------------------------------------------------------------------------- skin */

/* The boundary of a mesh: the triangles that belong to exactly one tetrahedron, wound outward, sorted by (element,
 * side, sub); the nodes they use, sorted; and the bodies (connected components: elements that share a corner), numbered
 * by their lowest element. A side of a quadratic element is four flat triangles over its six nodes: three at the
 * corners, the fourth in the middle. A side between two blocks that share its nodes is inside and not on the skin. */
typedef struct ipg_skin {
  int64_t face_count, node_count;
  int64_t element_count; /* of the mesh: the length of body_of_element */
  int body_count;
  ipg_id *faces;    /* 3 mesh nodes per face */
  ipg_id *elements; /* owner of each face */
  ipg_id *sides;    /* 0..3 */
  ipg_id *subs;     /* 0 of a linear element, 0..3 of a quadratic one */
  ipg_id *opposite; /* the owner's fourth corner */
  ipg_id *nodes;    /* mesh node of each skin node */
  ipg_id *body_of_element;
  ipg_allocator allocator;
} ipg_skin;

/* A face of three or more elements, of two elements on the same side of it, or of a linear and a quadratic one is
 * IPG_ERROR_FORMAT: the message names the elements at the first such face and how many more there are.
 * tasks: NULL runs in the calling thread; the result does not depend on it. */
IPG_API ipg_status ipg_skin_build(const ipg_mesh *mesh, const ipg_allocator *allocator, const ipg_tasks *tasks,
                                  ipg_skin *skin, ipg_error *error);
IPG_API void ipg_skin_destroy(ipg_skin *skin);

/* Non-manifold edges: edges of the skin that belong to more than two of its triangles, where the body is pinched.
 * Allowed, but usually a mistake in the mesh. `edges` has 2 mesh nodes for each, sorted. */
typedef struct ipg_skin_pinches {
  int64_t count;
  ipg_id *edges;
  ipg_allocator allocator;
} ipg_skin_pinches;

IPG_API ipg_status ipg_skin_find_pinches(const ipg_skin *skin, const ipg_allocator *allocator,
                                         ipg_skin_pinches *pinches, ipg_error *error);
IPG_API void ipg_skin_pinches_destroy(ipg_skin_pinches *pinches);

/* Erosion: updates a skin when elements are deleted, in time proportional to the number deleted, not to the mesh.
 * Faces and nodes of the skin have slots: those that remain keep their slot, new ones take a free one. */
typedef struct ipg_erosion ipg_erosion;

typedef struct ipg_erosion_change {
  int64_t removed_face_count, added_face_count, removed_node_count, added_node_count;
  const ipg_id *removed_faces, *added_faces; /* slots, ascending; a slot that is reused is in both */
  const ipg_id *removed_nodes, *added_nodes; /* slots */
} ipg_erosion_change;

/* The slots are initially the indices of the skin. `mesh` must exist as long as the object. */
IPG_API ipg_status ipg_erosion_create(const ipg_mesh *mesh, const ipg_skin *skin, const ipg_tasks *tasks,
                                      ipg_erosion **erosion, ipg_error *error);
/* Deletes elements. An element that is deleted already or given twice is IPG_ERROR_ARGUMENT, and nothing is deleted.
 * The change is valid until the next call. */
IPG_API ipg_status ipg_erosion_delete(ipg_erosion *erosion, const ipg_id *elements, int64_t count,
                                      ipg_erosion_change *change, ipg_error *error);
/* The current skin: face_count and node_count count slots; an empty slot has element -1, or node -1. Bodies keep their
 * initial numbers, also when they separate. */
IPG_API const ipg_skin *ipg_erosion_skin(const ipg_erosion *erosion);
IPG_API void ipg_erosion_destroy(ipg_erosion **erosion);

/* ----------------------------------------------------------------------------------------------------- Exodus II */

/* The contents of a file by its header, also of a file whose mesh cannot be read. */
typedef struct ipg_contents_block {
  int64_t id, count, nodes_per_element, attribute_count;
  ipg_name name; /* "block_7" for block 7 without a name; sets likewise */
  char type[IPG_TYPE_MAX];
  bool tetrahedra; /* true if it can be read: tetrahedra, or empty */
} ipg_contents_block;

typedef struct ipg_contents_set {
  int64_t id, count, factor_count;
  ipg_name name;
} ipg_contents_set;

/* What a result field belongs to. Values of sets are stored set by set, in the order of the file. */
typedef enum ipg_field_kind {
  IPG_FIELD_NODAL,
  IPG_FIELD_GLOBAL,
  IPG_FIELD_ELEMENT,
  IPG_FIELD_NODE_SET,
  IPG_FIELD_SIDE_SET,
  IPG_FIELD_KIND_COUNT
} ipg_field_kind;

/* The fields of one kind. A block or set need not have every field of its kind. */
typedef struct ipg_contents_fields {
  int count;
  ipg_name *names;
  int64_t length; /* values of one field at one step, including blocks and sets that do not have it */
  int groups;     /* blocks or sets; 0 for nodal and global fields */
  bool *present;  /* for each field, one per block or set */
} ipg_contents_fields;

typedef struct ipg_contents {
  char title[81];
  int dimensions;
  int64_t node_count, element_count, step_count;
  int block_count, node_set_count, side_set_count, qa_count, info_count;
  ipg_contents_block *blocks;
  ipg_contents_set *node_sets, *side_sets;
  double *times; /* step_count */
  ipg_contents_fields fields[IPG_FIELD_KIND_COUNT];
  ipg_allocator allocator;
} ipg_contents;

/* Reads the contents; free them with ipg_contents_destroy. */
IPG_API ipg_status ipg_exodus_describe(const char *path, const ipg_allocator *allocator, ipg_contents *contents,
                                       ipg_error *error);
IPG_API void ipg_contents_destroy(ipg_contents *contents);

typedef struct ipg_exodus_options {
  bool leave_out_others;  /* blocks that hold no tetrahedra, and the nodes, sides and set entries only they have */
  bool keep_bad_elements; /* accept flat and inverted elements and nodes without a finite position, to examine them */
  void (*report)(void *context, const char *line); /* called with a line for everything left out; may be NULL */
  void *context;
} ipg_exodus_options;

/* Reads blocks of type TETRA, TETRA4, TETRA10, TET, TET4 and TET10, in upper or lower case. Other blocks are an error
 * that names the block and its type, unless options (NULL: none) leave them out. Checked are: the header of the file
 * against its size, before the Exodus library opens it; node numbers in range; unique ids, none negative; finite
 * coordinates; positive volumes. A file may lack a title, names, times, the number of elements and other things that a
 * mesh can do without, as those of other programs do; what the library could not read is left out and reported. Nodes
 * or elements that have all the same number in an id map, which was not filled, are counted from 1. */
IPG_API ipg_status ipg_exodus_read(const char *path, const ipg_exodus_options *options, const ipg_allocator *allocator,
                                   ipg_mesh *mesh, ipg_error *error);
/* Replaces any file; it is complete when it takes its name (files.h). */
IPG_API ipg_status ipg_exodus_write(const char *path, const ipg_mesh *mesh, ipg_error *error);
/* The same to a claimed file, and commits it. */
IPG_API ipg_status ipg_exodus_write_output(ipg_output *output, const ipg_mesh *mesh, ipg_error *error);

/* What a result file records about the run that wrote it. All of it is written before the first step, and nothing is
 * changed later: a run is complete if the last step of the file has reached the end time. */
typedef struct ipg_provenance {
  ipg_qa_record written_by; /* program, version, date, time */
  const char *deck_path;    /* as seen from the folder of the file (ipg_output_get_source) */
  const char *options;      /* of the command line; "" for none */
  double end_time;
  const char *deck; /* its text, which must not contain zeros; NULL: the file records no run */
  int64_t deck_bytes;
  char *memory; /* of the texts, if they were read */
  int64_t memory_bytes;
  ipg_allocator allocator;
} ipg_provenance;

/* Adds it to the records of a mesh that becomes a result file, in place of an earlier one; NULL: only takes away an
 * earlier one. */
IPG_API ipg_status ipg_mesh_set_provenance(ipg_mesh *mesh, const ipg_provenance *provenance, ipg_error *error);
/* Release it with ipg_provenance_destroy. */
IPG_API ipg_status ipg_exodus_read_provenance(const char *path, const ipg_allocator *allocator,
                                              ipg_provenance *provenance, ipg_error *error);
IPG_API void ipg_provenance_destroy(ipg_provenance *provenance);
/* Whether the file is the result of a run from this deck, written as in ipg_provenance: a rule for ipg_output_claim. */
IPG_API bool ipg_exodus_records_deck(const char *path, const char *deck_path);

/* A result file: the mesh, then one step after another. Each step is flushed before the call returns, so a killed run
 * leaves all completed steps. The format is 64-bit-offset classic, which can be read while it is written; netCDF-4,
 * which cannot, only if an id needs more than 32 bits or the nodes of the mesh or a block more than 4 GiB. Times must
 * increase. A step that failed (disk full) may be
 * appended again. */
typedef struct ipg_results ipg_results;

typedef struct ipg_results_fields {
  int count;
  const char *const *names; /* of scalar fields: disp_x, disp_y ... */
  const bool *present;      /* as in ipg_contents_fields; NULL: all blocks or sets have all fields */
} ipg_results_fields;

typedef struct ipg_results_layout {
  ipg_results_fields fields[IPG_FIELD_KIND_COUNT];
} ipg_results_layout;

/* Replaces any file, and locks it until the results are destroyed (files.h). */
IPG_API ipg_status ipg_results_create(const char *path, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                      ipg_results **results, ipg_error *error);
/* The same to a claimed file, which must exist as long as the results. It is committed by the first step. */
IPG_API ipg_status ipg_results_create_output(ipg_output *output, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                             ipg_results **results, ipg_error *error);
/* values[kind][field]: one value per node, element, or entry of each set; values[IPG_FIELD_GLOBAL][0] has all global
 * fields. A kind without fields may be NULL. */
IPG_API ipg_status ipg_results_append(ipg_results *results, double time,
                                      const double *const *const values[IPG_FIELD_KIND_COUNT], ipg_error *error);
/* Closes the file; can fail, unlike other _destroy functions, when the last bytes cannot be written. */
IPG_API ipg_status ipg_results_destroy(ipg_results **results, ipg_error *error);

/* Reads results: the steps that the file has when it is opened, also while a run is still writing it. */
typedef struct ipg_results_reader ipg_results_reader;

IPG_API ipg_status ipg_results_open(const char *path, const ipg_allocator *allocator, ipg_results_reader **reader,
                                    ipg_error *error);
IPG_API const ipg_contents *ipg_results_contents(const ipg_results_reader *reader);
/* step and field count from 0. values: contents.fields[kind].length of them, in the order of the file; quiet NaN where
 * a block or set does not have the field. For IPG_FIELD_GLOBAL, field is 0 and all globals of the step are read. */
IPG_API ipg_status ipg_results_read(const ipg_results_reader *reader, int64_t step, ipg_field_kind kind, int field,
                                    double *values, ipg_error *error);
IPG_API void ipg_results_reader_destroy(ipg_results_reader **reader);

/* Finds the nodal fields of a vector: base_x base_y base_z, or baseX ..., in upper or lower case. False if there is
 * none. */
IPG_API bool ipg_results_find_vector(const ipg_contents *contents, const char *base, int fields[3]);
/* Finds the vector named disp, displ or displacement. */
IPG_API bool ipg_results_find_displacement(const ipg_contents *contents, int fields[3]);
/* Copies values from the order of the file to that of a mesh read from it. */
IPG_API void ipg_mesh_pick_nodal(const ipg_mesh *mesh, const double *file_values, double *values);
IPG_API void ipg_mesh_pick_element(const ipg_mesh *mesh, const double *file_values, double *values);
/* Moves the nodes of a mesh by the displacement, times scale, at a step (from 0) of the file it was read from. */
IPG_API ipg_status ipg_mesh_displace(ipg_mesh *mesh, const ipg_results_reader *reader, int64_t step, double scale,
                                     ipg_error *error);

#ifdef __cplusplus
}
#endif
#endif
