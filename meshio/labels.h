/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Labels: the id and the name that blocks, node sets and side sets have in common.
 *
 * The three structs begin with the same two members, so ids and names are checked, compared and written by one piece of
 * code for all three kinds. */
#ifndef IMPINGE_MESHIO_LABELS_H
#define IMPINGE_MESHIO_LABELS_H

#include "impinge/meshio.h"

typedef struct ipg_labels {
  char *first;
  size_t stride; /* bytes from one block or set to the next */
  int count;
  const char *kind; /* for messages: "block" */
} ipg_labels;

/* kind: an ipg_label_kind. */
ipg_labels ipg_mesh_labels(const ipg_mesh *mesh, int kind);
int64_t *ipg_label_id(const ipg_labels *labels, int index);
char *ipg_label_name(const ipg_labels *labels, int index); /* IPG_NAME_MAX bytes */

#endif
