/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Finds duplicates: nodes with the same coordinates, elements over the same four positions, whole bodies made of the
 * same elements.
 *
 * The original is the lowest number of its kind, all others with the same geometry are its duplicates. Duplicate nodes
 * are usual where two bodies touch; duplicate elements and bodies are mistakes in the mesh. */
#ifndef IMPINGE_APP_DUPLICATE_NODES_H
#define IMPINGE_APP_DUPLICATE_NODES_H

#include "impinge/meshio.h"

typedef struct duplicate_count {
  int64_t count;   /* originals are not counted */
  ipg_id first[2]; /* the original and the duplicate with the lowest number */
} duplicate_count;

typedef struct duplicates {
  duplicate_count nodes, elements, bodies;
} duplicates;

/* Bodies are not compared if `skin` is NULL. */
ipg_status find_duplicates(const ipg_mesh *mesh, const ipg_skin *skin, duplicates *found, ipg_error *error);

#endif
