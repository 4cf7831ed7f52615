/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writing a mesh: shared by mesh files and result files, which are a mesh with fields declared. */
#ifndef IMPINGE_MESHIO_EXODUS_WRITE_H
#define IMPINGE_MESHIO_EXODUS_WRITE_H

#include "exodus_file.h"
#include "impinge/files.h"
#include "labels.h"

/* Writes the mesh to a claimed file, declares the fields of a layout (NULL: none) and flushes. On success the file is
 * open as *id; on failure it is closed. It is not committed. */
ipg_status ipg_exodus_write_mesh(const ipg_output *output, const ipg_mesh *mesh, const ipg_results_layout *layout,
                                 int *id, ipg_error *error);
/* Fails if the mesh cannot be written to any file. */
ipg_status ipg_exodus_check_mesh(const char *path, const ipg_mesh *mesh, ipg_error *error);
/* Fails with a message that `what` cannot be written. */
ipg_status ipg_exodus_report_write_error(const char *path, const char *what, ipg_error *error);

/* The label kind of the blocks or sets that have fields of this kind. Only for kinds after IPG_FIELD_GLOBAL. */
static inline int ipg_field_label_kind(int kind) {
  return kind == IPG_FIELD_ELEMENT    ? IPG_LABEL_BLOCK
         : kind == IPG_FIELD_NODE_SET ? IPG_LABEL_NODE_SET
                                      : IPG_LABEL_SIDE_SET;
}

/* The number of values of a field in a block or set. */
static inline int64_t ipg_field_value_count(const ipg_mesh *mesh, int kind, int group) {
  return kind == IPG_FIELD_ELEMENT    ? mesh->blocks[group].count
         : kind == IPG_FIELD_NODE_SET ? mesh->node_sets[group].count
                                      : mesh->side_sets[group].count;
}

/* An empty block or set has no fields: the library would define a variable of length 0. */
static inline bool ipg_field_is_present(const ipg_mesh *mesh, const ipg_results_fields *fields, int kind, int field,
                                        int group) {
  const int groups = ipg_mesh_labels(mesh, ipg_field_label_kind(kind)).count;
  return ipg_field_value_count(mesh, kind, group) && (!fields->present || fields->present[field * groups + group]);
}

#endif
