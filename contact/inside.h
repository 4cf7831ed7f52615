/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Is a node inside a body, and how deep? Asked of any places, for many nodes: trees of the bodies' faces. */
#ifndef IMPINGE_CONTACT_INSIDE_H
#define IMPINGE_CONTACT_INSIDE_H

#include "state.h"

/* A branch and all below it stand one after another. */
typedef struct ipg_branch {
  ipg_box box;
  int64_t end;         /* behind the last branch below */
  int64_t first, last; /* faces of a leaf, in `order`; none: no leaf */
} ipg_branch;

typedef struct ipg_face_trees {
  const ipg_contact *contact;
  const double *x;
  int64_t branch_count;
  ipg_buffer order, roots, branches, keys; /* faces by body and place; where the branches of each body begin */
  ipg_sorter sorter;
} ipg_face_trees;

/* Of the contact's faces at the places x, which both must outlive the trees. */
ipg_status ipg_face_trees_build(ipg_face_trees *trees, const ipg_contact *contact, const double *x, ipg_error *error);
void ipg_face_trees_destroy(ipg_face_trees *trees);
/* The box of a body's faces; a point at 0 if it has none. */
ipg_box ipg_face_trees_box(const ipg_face_trees *trees, int32_t body);
/* Is the node inside the body, by more than 1e-10 of its size, and may the two touch? Then also where and how deep. */
bool ipg_face_trees_overlap(const ipg_face_trees *trees, ipg_id node, int32_t body,
                            ipg_contact_initial_penetration *overlap);

#endif
