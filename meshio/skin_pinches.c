/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Non-manifold edges of a skin: the edges of its triangles, lower node first, are sorted, and an edge that occurs more
 * than twice is pinched. Empty slots of an eroded skin have no edges. */
#include "arrays.h"
#include "impinge/meshio.h"

/* Both nodes of an edge in one number: keys ascend as edges do. */
static uint64_t make_edge_key(ipg_id a, ipg_id b) {
  return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static int64_t list_edges(const ipg_skin *skin, uint64_t *keys) {
  int64_t count = 0;
  for (int64_t f = 0; f < skin->face_count; ++f) {
    const ipg_id *face = skin->faces + 3 * f;
    if (skin->elements[f] < 0) continue;
    for (int i = 0; i < 3; ++i) keys[count++] = make_edge_key(face[i], face[(i + 1) % 3]);
  }
  return count;
}

/* Keeps one key of each run of more than two equal ones; returns how many. */
static int64_t keep_pinched(uint64_t *keys, int64_t count) {
  int64_t kept = 0;
  for (int64_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count && keys[end] == keys[begin];) ++end;
    if (end - begin > 2) keys[kept++] = keys[begin];
  }
  return kept;
}

static ipg_status store_edges(ipg_skin_pinches *pinches, const uint64_t *keys, int64_t count, ipg_error *error) {
  pinches->edges = ipg_allocate_array(&pinches->allocator, count, 2 * sizeof(ipg_id), error);
  if (!pinches->edges) return IPG_ERROR_MEMORY;
  pinches->count = count;
  for (int64_t i = 0; i < count; ++i) {
    pinches->edges[2 * i] = (ipg_id)(keys[i] >> 32);
    pinches->edges[2 * i + 1] = (ipg_id)(keys[i] & UINT32_MAX);
  }
  return IPG_OK;
}

ipg_status ipg_skin_find_pinches(const ipg_skin *skin, const ipg_allocator *allocator, ipg_skin_pinches *pinches,
                                 ipg_error *error) {
  if (!pinches) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_skin_find_pinches needs a struct for the result");
  *pinches = (ipg_skin_pinches){0};
  if (!skin) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_skin_find_pinches needs a skin");
  const ipg_allocator a = ipg_choose_allocator(allocator);
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_skin_pinches found = {.allocator = a};
  ipg_buffer keys = {0};
  ipg_sorter sorter = {0};
  int64_t count = 0;
  ipg_status status = ipg_buffer_reserve(&keys, &a, 3 * skin->face_count, sizeof(uint64_t), error);
  if (!status) count = list_edges(skin, keys.data);
  if (!status) status = ipg_sort_u64(&sorter, keys.data, NULL, count, &a, &serial, error);
  if (!status) status = store_edges(&found, keys.data, keep_pinched(keys.data, count), error);
  ipg_sorter_destroy(&sorter, &a);
  ipg_buffer_destroy(&keys, &a);
  if (!status) *pinches = found;
  return status;
}

void ipg_skin_pinches_destroy(ipg_skin_pinches *pinches) {
  if (!pinches) return;
  ipg_release_array(&pinches->allocator, pinches->edges, pinches->count, 2 * sizeof(ipg_id));
  *pinches = (ipg_skin_pinches){0};
}
