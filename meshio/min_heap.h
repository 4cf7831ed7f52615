/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A min-heap of ids: free slots of which the lowest is used first, or a few ids that are needed in ascending order.
 * Memory is reserved ahead, so that push and pop cannot fail. Zero-initialise; free with
 * ipg_buffer_destroy(&heap.ids). */
#ifndef IMPINGE_MESHIO_MIN_HEAP_H
#define IMPINGE_MESHIO_MIN_HEAP_H

#include "impinge/base.h"

typedef struct ipg_min_heap {
  ipg_buffer ids; /* ipg_id */
  int64_t count;
} ipg_min_heap;

/* Room for `more` ids beyond those in the heap. */
ipg_status ipg_min_heap_reserve(ipg_min_heap *heap, const ipg_allocator *allocator, int64_t more, ipg_error *error);
void ipg_min_heap_push(ipg_min_heap *heap, ipg_id id); /* room must have been reserved */
ipg_id ipg_min_heap_pop(ipg_min_heap *heap);           /* the heap must not be empty */

#endif
