/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A binary heap in an array: the children of index i are at 2 i + 1 and 2 i + 2, and none is lower than its parent. */
#include "min_heap.h"

ipg_status ipg_min_heap_reserve(ipg_min_heap *heap, const ipg_allocator *allocator, int64_t more, ipg_error *error) {
  return ipg_buffer_grow(&heap->ids, allocator, heap->count, heap->count + more, sizeof(ipg_id), error);
}

void ipg_min_heap_push(ipg_min_heap *heap, ipg_id id) {
  ipg_id *ids = heap->ids.data;
  int64_t at = heap->count++;
  for (; at && ids[(at - 1) / 2] > id; at = (at - 1) / 2) ids[at] = ids[(at - 1) / 2];
  ids[at] = id;
}

ipg_id ipg_min_heap_pop(ipg_min_heap *heap) {
  ipg_id *ids = heap->ids.data;
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
