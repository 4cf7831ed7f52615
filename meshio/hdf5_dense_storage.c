/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A fractal heap holds the messages; two B-trees (version 2) point at them, one sorted by name, one by creation order.
 * Both trees are checked, because the HDF5 library uses either; messages are read through the first. */
#include "hdf5_dense_storage.h"

#include "hdf5_fractal_heap.h"

enum { MAX_DEPTH = 16 };

typedef struct tree {
  ipg_fractal_heap *heap;
  int id_offset;                 /* of the object's heap id in a record */
  int type;                      /* of the messages */
  ipg_hdf5_message_reader *read; /* NULL: only the tree itself is checked */
  void *context;
  int node_type;
  int64_t node_bytes, record_bytes;
  int count_bytes;
  int total_bytes[MAX_DEPTH + 1]; /* of the number of records below a node, by depth */
} tree;

static ipg_status read_object(const tree *t, ipg_bytes id) {
  ipg_buffer buffer = {0};
  ipg_bytes message;
  bool found;
  ipg_status status = ipg_fractal_heap_load_object(t->heap, id, &buffer, &message, &found);
  if (!status && found) status = t->read(t->context, t->type, message);
  ipg_buffer_destroy(&buffer, &t->heap->h->allocator);
  return status;
}

static ipg_status read_records(const tree *t, ipg_bytes *b, int64_t count) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i < count; ++i) {
    ipg_bytes record = ipg_bytes_split(b, t->record_bytes);
    ipg_bytes_skip(&record, t->id_offset);
    if (record.ended) return ipg_hdf5_report_damage(t->heap->h, "a tree of it is incomplete");
    if (t->read) status = read_object(t, record);
  }
  return status;
}

static ipg_status read_node(const tree *t, int64_t at, int64_t count, int depth);

static ipg_status read_children(const tree *t, ipg_bytes *b, int64_t count, int depth) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i <= count; ++i) {
    const int64_t at = ipg_bytes_read_address(b);
    const int64_t records = (int64_t)ipg_bytes_read_number(b, t->count_bytes);
    ipg_bytes_skip(b, depth > 1 ? t->total_bytes[depth - 1] : 0);
    if (b->ended) return ipg_hdf5_report_damage(t->heap->h, "a tree of it is incomplete");
    status = read_node(t, at, records, depth - 1);
  }
  return status;
}

static int64_t get_child_bytes(const tree *t, int depth) {
  return 8 + t->count_bytes + (depth > 1 ? t->total_bytes[depth - 1] : 0);
}

/* Depth 0 is a leaf: it has no children. The checksum of a node follows its last record or child. */
static ipg_status read_node(const tree *t, int64_t at, int64_t count, int depth) {
  ipg_hdf5 *h = t->heap->h;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  const int64_t bytes = 4 + 2 + count * t->record_bytes + (depth ? (count + 1) * get_child_bytes(t, depth) : 0) + 4;
  if (count > UINT16_MAX || bytes > t->node_bytes)
    return ipg_hdf5_report_damage(h, "a tree of it has too large a node");
  ipg_status status = ipg_hdf5_load_checked_block(h, at, bytes, depth ? "BTIN" : "BTLF", &buffer, &b);
  if (!status) {
    ipg_bytes_skip(&b, 1);
    if ((int)ipg_bytes_read_number(&b, 1) != t->node_type)
      status = ipg_hdf5_report_damage(h, "a tree of it has a node of another tree");
  }
  if (!status) status = read_records(t, &b, count);
  if (!status && depth) status = read_children(t, &b, count, depth);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

/* The widths of the counts in nodes follow from the most records that a node, and all nodes below it, can hold. */
static void compute_count_widths(tree *t, int depth) {
  enum { FRAME = 4 + 2 + 4 };
  int64_t most = (t->node_bytes - FRAME) / t->record_bytes;
  uint64_t total = (uint64_t)most;
  t->count_bytes = ipg_hdf5_count_bytes(total);
  t->total_bytes[0] = 0;
  for (int d = 1; d <= depth; ++d) {
    const int64_t pointer = get_child_bytes(t, d);
    most = (t->node_bytes - FRAME - pointer) / (t->record_bytes + pointer);
    total = (uint64_t)(most + 1) * total + (uint64_t)most;
    t->total_bytes[d] = ipg_hdf5_count_bytes(total);
  }
}

static ipg_status read_root(tree *t, ipg_bytes b) {
  enum { LEAST_NODE = 64, LEAST_RECORD = 4 };
  ipg_bytes_skip(&b, 1);
  t->node_type = (int)ipg_bytes_read_number(&b, 1);
  t->node_bytes = (int64_t)ipg_bytes_read_number(&b, 4);
  t->record_bytes = (int64_t)ipg_bytes_read_number(&b, 2);
  const int depth = (int)ipg_bytes_read_number(&b, 2);
  ipg_bytes_skip(&b, 2);
  const int64_t root = ipg_bytes_read_address(&b);
  const int64_t count = (int64_t)ipg_bytes_read_number(&b, 2);
  if (depth > MAX_DEPTH || t->record_bytes < t->id_offset + t->heap->id_bytes || t->node_bytes < LEAST_NODE ||
      t->record_bytes < LEAST_RECORD || t->record_bytes > t->node_bytes / 4)
    return ipg_hdf5_report_damage(t->heap->h, "a tree of it is not one that netCDF-4 writes");
  compute_count_widths(t, depth);
  return root == IPG_HDF5_UNDEFINED ? IPG_OK : read_node(t, root, count, depth);
}

static ipg_status read_tree(tree *t, int64_t at) {
  enum { HEADER_BYTES = 38 };
  ipg_hdf5 *h = t->heap->h;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load_checked_block(h, at, HEADER_BYTES, "BTHD", &buffer, &b);
  if (!status) status = read_root(t, b);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

/* Records of links are a hash, or a creation order of eight bytes, and the id. Records of attributes start with the
 * id. */
ipg_status ipg_hdf5_read_storage(ipg_hdf5 *h, const ipg_hdf5_storage *storage, int type, ipg_hdf5_message_reader *read,
                                 void *context) {
  if (storage->heap == IPG_HDF5_UNDEFINED) return IPG_OK;
  const bool links = type == IPG_HDF5_LINK;
  ipg_fractal_heap heap = {.h = h, .at = storage->heap};
  tree by_name = {.heap = &heap, .id_offset = links ? 4 : 0, .type = type, .read = read, .context = context};
  tree by_order = {.heap = &heap, .id_offset = links ? 8 : 0};
  ipg_status status = ipg_fractal_heap_read(&heap);
  if (!status) status = read_tree(&by_name, storage->by_name);
  if (!status && storage->by_order != IPG_HDF5_UNDEFINED) status = read_tree(&by_order, storage->by_order);
  ipg_buffer_destroy(&heap.blocks, &h->allocator);
  return status;
}
