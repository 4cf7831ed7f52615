/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A binary heap in an array: the children of place i are at 2 i + 1 and 2 i + 2, and none is below its parent. */
#include "heap.h"

ipg_status ipg_heap_reserve(ipg_heap *heap, const ipg_allocator *allocator, int64_t more, ipg_error *error) {
  return ipg_buffer_grow(&heap->room, allocator, heap->count, heap->count + more, sizeof(ipg_id), error);
}

void ipg_heap_push(ipg_heap *heap, ipg_id id) {
  ipg_id *ids = heap->room.data;
  int64_t at = heap->count++;
  for (; at && ids[(at - 1) / 2] > id; at = (at - 1) / 2) ids[at] = ids[(at - 1) / 2];
  ids[at] = id;
}

ipg_id ipg_heap_pop(ipg_heap *heap) {
  ipg_id *ids = heap->room.data;
  const ipg_id lowest = ids[0], last = ids[--heap->count];
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < heap->count; at = child) {
    child += child + 1 < heap->count && ids[child + 1] < ids[child];
    if (ids[child] >= last) break;
    ids[at] = ids[child];
  }
  ids[at] = last;
  return lowest;
}
