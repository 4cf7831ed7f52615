/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What is wrong with sides that lie on each other: the question, and the sentences. */
#ifndef IMPINGE_MESHIO_SIDES_REFUSE_H
#define IMPINGE_MESHIO_SIDES_REFUSE_H

#include "internal.h"

/* Two slots with the same corners: have they the same nodes in between, or both none? */
bool ipg_sides_agree(const ipg_mesh *mesh, int64_t slot, int64_t other);
/* `count` elements have nodes that cannot be, this one first. */
ipg_status ipg_sides_refuse_element(const ipg_mesh *mesh, int64_t element, int64_t count, ipg_error *error);
/* There are `count` triangles whose owners do not fit together; this slot is the lowest owner of the first. */
ipg_status ipg_sides_refuse(const ipg_mesh *mesh, int64_t slot, int64_t count, ipg_error *error);

#endif
