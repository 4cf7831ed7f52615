/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Invariant of a valid heap: an object ends before the next one starts. The addresses in objects are not checked here:
 * the caller compares them with those of real datasets. */
#include "hdf5_global_heap.h"

enum { OBJECT_HEAD = 16 };

static ipg_status report_wrong_heap(const ipg_hdf5 *h) {
  return ipg_hdf5_report_damage(h, "a global heap of it is wrong");
}

static int64_t get_heap(const ipg_hdf5_reference *reference) { return (int64_t)(reference->object >> 16); }

/* The references to one heap, and how many of them have no target yet. */
typedef struct heap_references {
  ipg_hdf5_reference *first;
  int64_t count, open;
} heap_references;

/* Sets the targets of all references to an object; false if one expects another size or has a target already. */
static bool set_targets(heap_references *r, int64_t index, ipg_bytes object) {
  int64_t low = 0, high = r->count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if ((int64_t)(r->first[middle].object & 0xffff) < index) low = middle + 1;
    else high = middle;
  }
  const int64_t bytes = object.left, target = bytes >= 8 ? ipg_bytes_read_address(&object) : 0;
  for (; low < r->count && (int64_t)(r->first[low].object & 0xffff) == index; ++low) {
    if (r->first[low].bytes != bytes || r->first[low].target != IPG_HDF5_UNDEFINED || target < 0) return false;
    r->first[low].target = target;
    r->open--;
  }
  return true;
}

/* Object 0 is the free space at the end of the heap. The HDF5 library would loop for ever if it did not end there. */
static ipg_status read_objects(const ipg_hdf5 *h, heap_references *r, ipg_bytes b) {
  while (b.left >= OBJECT_HEAD) {
    const int64_t all = b.left, index = (int64_t)ipg_bytes_read_number(&b, 2);
    ipg_bytes_skip(&b, 6);
    const int64_t bytes = ipg_bytes_read_address(&b);
    if (!index && bytes == all) break;
    if (!index || bytes < 0 || bytes > b.left) return report_wrong_heap(h);
    const ipg_bytes object = ipg_bytes_split(&b, bytes);
    const int64_t padding = -bytes & 7;
    ipg_bytes_skip(&b, padding < b.left ? padding : b.left);
    if (!set_targets(r, index, object)) return report_wrong_heap(h);
  }
  return r->open ? report_wrong_heap(h) : IPG_OK;
}

static ipg_status read_heap(ipg_hdf5 *h, heap_references *r) {
  const int64_t at = get_heap(r->first);
  const unsigned char *head = ipg_view_get_bytes(h->view, at, OBJECT_HEAD);
  if (!head) return report_wrong_heap(h);
  ipg_bytes b = {head + 4, OBJECT_HEAD - 4, false};
  const uint64_t version = ipg_bytes_read_number(&b, 4); /* and three bytes of zeros */
  const int64_t bytes = ipg_bytes_read_address(&b);
  if (version != 1 || bytes < OBJECT_HEAD) return report_wrong_heap(h);
  ipg_buffer buffer = {0};
  ipg_status status = ipg_hdf5_load_block(h, at, bytes, "GCOL", &buffer, &b);
  ipg_bytes_skip(&b, status ? 0 : OBJECT_HEAD - 4);
  if (!status) status = read_objects(h, r, b);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

ipg_status ipg_hdf5_resolve_references(ipg_hdf5 *h, ipg_hdf5_reference *references, int64_t count) {
  ipg_status status = IPG_OK;
  for (int64_t first = 0, end; !status && first < count; first = end) {
    for (end = first; end < count && get_heap(&references[end]) == get_heap(&references[first]); ++end)
      references[end].target = IPG_HDF5_UNDEFINED;
    heap_references r = {references + first, end - first, end - first};
    status = read_heap(h, &r);
  }
  return status;
}
