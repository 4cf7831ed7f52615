/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Ids of which the lowest is taken first: free slots, or a few ids that are to come out in order. Room is made ahead,
 * so that what follows cannot fail. Zero-initialise; free with ipg_buffer_destroy(&heap.room). */
#ifndef IMPINGE_MESHIO_HEAP_H
#define IMPINGE_MESHIO_HEAP_H

#include "impinge/base.h"

typedef struct ipg_heap {
  ipg_buffer room; /* ipg_id */
  int64_t count;
} ipg_heap;

ipg_status ipg_heap_reserve(ipg_heap *heap, const ipg_allocator *allocator, int64_t more, ipg_error *error);
void ipg_heap_push(ipg_heap *heap, ipg_id id); /* there must be room */
ipg_id ipg_heap_pop(ipg_heap *heap);           /* there must be one */

#endif
