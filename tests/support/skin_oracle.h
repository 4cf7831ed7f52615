/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The boundary mesh by brute force, every side against every element, and comparisons with that of the library. */
#ifndef IMPINGE_TESTS_SKIN_ORACLE_H
#define IMPINGE_TESTS_SKIN_ORACLE_H

#include "support/shuffled_mesh.h"

/* ----------------------------------------------------------------------------------------------------------- oracle */

typedef struct face {
  ipg_id element, side, sub, opposite, nodes[3];
} face;

typedef struct face_list {
  face *faces;
  int64_t count;
} face_list;

/* The sides of elements that are in no other element, in order; without the elements marked in `dead`, which may be
 * NULL. The caller frees the faces. */
face_list oracle_skin(const ipg_mesh *m, const bool *dead);
/* One flag per node: is it on a face? The caller frees it. */
bool *used_nodes(const ipg_mesh *m, const face_list *list);

void corners_of(const ipg_mesh *m, int64_t element, int side, ipg_id corners[3]);
bool has_corners(const ipg_mesh *m, int64_t element, const ipg_id corners[3]);
/* The six middle nodes of an element; NULL: it is linear. */
const ipg_id *middles_of(const ipg_mesh *m, int64_t element);
ipg_id middle_between(const ipg_mesh *m, int64_t element, ipg_id a, ipg_id b);

/* ------------------------------------------------------------------------------------------------------- comparison */

face face_at(const ipg_skin *s, int64_t i);
bool same_face(const face *a, const face *b);
/* The same nodes up to a cyclic shift. */
bool same_triangle(const ipg_id a[3], const ipg_id b[3]);
bool same_ids(const ipg_id *a, const ipg_id *b, int64_t count);
bool same_skin(const ipg_skin *a, const ipg_skin *b);

/* ------------------------------------------------------------------------------------------------------- assertions */

ipg_skin skin_of(const ipg_mesh *mesh);
/* Prints the message of an unexpected error. */
void expect_ok(ipg_status status, const ipg_error *error);
/* True if the message contains the words; else prints it. */
bool error_contains(const ipg_error *error, const char *words);

#endif
