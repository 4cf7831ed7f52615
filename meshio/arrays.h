/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Arrays from the caller's allocator.
 *
 * An array is released with the count it was allocated with, because an allocator receives the size of what it frees.
 * An empty array has an address too, so NULL always means that there is no memory. */
#ifndef IMPINGE_MESHIO_ARRAYS_H
#define IMPINGE_MESHIO_ARRAYS_H

#include "impinge/base.h"

/* The given allocator, or malloc for NULL or an empty one. */
ipg_allocator ipg_choose_allocator(const ipg_allocator *given);

/* Zeroed memory for count items; NULL and a message when there is none. */
void *ipg_allocate_array(const ipg_allocator *allocator, int64_t count, size_t item_bytes, ipg_error *error);
void ipg_release_array(const ipg_allocator *allocator, void *array, int64_t count, size_t item_bytes);

#endif
