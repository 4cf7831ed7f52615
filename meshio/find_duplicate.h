/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Finds a number that occurs twice: ids of blocks and sets, numbers of nodes and elements must be unique. */
#ifndef IMPINGE_MESHIO_FIND_DUPLICATE_H
#define IMPINGE_MESHIO_FIND_DUPLICATE_H

#include "impinge/base.h"

/* Sets *found, and *number to the duplicate if there is one. Fails only for want of memory. */
ipg_status ipg_find_duplicate(const int64_t *numbers, int64_t count, const ipg_allocator *allocator, bool *found,
                              int64_t *number, ipg_error *error);

#endif
