/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What writing a mesh and writing results share. */
#ifndef IMPINGE_MESHIO_EXODUS_WRITE_H
#define IMPINGE_MESHIO_EXODUS_WRITE_H

#include "exodus_file.h"

/* Writes the mesh, declares the fields of a layout (NULL: none) and flushes. On success the file is open under *id; on
 * failure it is not. */
ipg_status ipg_exodus_start(const char *path, const ipg_mesh *mesh, const ipg_results_layout *layout, int *id,
                            ipg_error *error);
ipg_status ipg_exodus_refused(const char *path, const char *what, ipg_error *error);

/* The blocks or sets that a kind of field is given for. Only for kinds after IPG_FIELD_GLOBAL. */
static inline int ipg_field_groups(int kind) {
  return kind == IPG_FIELD_ELEMENT    ? IPG_LABEL_BLOCK
         : kind == IPG_FIELD_NODE_SET ? IPG_LABEL_NODE_SET
                                      : IPG_LABEL_SIDE_SET;
}

/* How many values a field has in a block or set. */
static inline int64_t ipg_group_count(const ipg_mesh *mesh, int kind, int group) {
  return kind == IPG_FIELD_ELEMENT    ? mesh->blocks[group].count
         : kind == IPG_FIELD_NODE_SET ? mesh->node_sets[group].count
                                      : mesh->side_sets[group].count;
}

/* An empty block has no fields: the library would define a variable of no length. */
static inline bool ipg_field_is_present(const ipg_mesh *mesh, const ipg_results_fields *fields, int kind, int field,
                                        int group) {
  const int groups = ipg_mesh_labels(mesh, ipg_field_groups(kind)).count;
  return ipg_group_count(mesh, kind, group) && (!fields->present || fields->present[field * groups + group]);
}

#endif
