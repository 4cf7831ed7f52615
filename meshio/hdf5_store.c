/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Dense storage of links and attributes: a fractal heap holds them, two B-trees (version 2) point at them, one by name
 * and one by age. Both trees are walked, for the library uses either; what the first points at is visited.
 *
 * The heap is a table of blocks that double: rows of `width` entries, the first two rows of blocks of the starting
 * size, each further row of blocks twice as large; rows of blocks too large to hold objects hold tables in turn. All
 * blocks of objects are listed, in the order of the heap's addresses, before an object is looked for. */
#include "hdf5_blocks.h"

enum { MAX_DEPTH = 16, LARGEST_OBJECT = IPG_VIEW_BYTES * 16 };

typedef struct heap_block {
  int64_t start, bytes; /* in the addresses of the heap */
  int64_t at;           /* in the file */
} heap_block;

typedef struct heap {
  ipg_hdf5 *h;
  int64_t at;
  int id_bytes, start_bytes, length_bytes; /* of an object's id, and of the numbers in it */
  bool checked;                            /* blocks of objects have a checksum */
  int64_t width, first_bytes, largest_bytes, root;
  int root_rows; /* 0: the root is a block of objects */
  ipg_buffer blocks;
  int64_t block_count;
} heap;

/* Bytes it takes to store a number up to this. */
static int bytes_for(uint64_t number) {
  int bytes = 1;
  while (number >>= 8) ++bytes;
  return bytes;
}

static bool is_power_of_two(int64_t number) { return number > 0 && !(number & (number - 1)); }

/* ----------------------------------------------------------------------------------------------------------- heap */

static ipg_status check_heap_header(heap *p, ipg_bytes *b) {
  enum { BITS = 64, CHECKED = 2 };
  ipg_bytes_skip(b, 1);
  p->id_bytes = (int)ipg_bytes_number(b, 2);
  const uint64_t filters = ipg_bytes_number(b, 2);
  p->checked = ipg_bytes_number(b, 1) & CHECKED;
  const uint64_t largest_object = ipg_bytes_number(b, 4);
  ipg_bytes_skip(b, 96); /* statistics, and places of objects too large and of free space */
  p->width = (int64_t)ipg_bytes_number(b, 2);
  p->first_bytes = ipg_bytes_address(b);
  p->largest_bytes = ipg_bytes_address(b);
  const int bits = (int)ipg_bytes_number(b, 2);
  ipg_bytes_skip(b, 2);
  p->root = ipg_bytes_address(b);
  p->root_rows = (int)ipg_bytes_number(b, 2);
  p->start_bytes = (bits + 7) / 8;
  const int longest = bytes_for((uint64_t)p->largest_bytes - 1), shortest = bytes_for(largest_object);
  p->length_bytes = longest < shortest ? longest : shortest;
  const bool proper = !filters && is_power_of_two(p->width) && is_power_of_two(p->first_bytes) &&
                      is_power_of_two(p->largest_bytes) && p->first_bytes <= p->largest_bytes &&
                      p->largest_bytes <= INT32_MAX && bits > 0 && bits < BITS && p->root_rows < BITS &&
                      1 + p->start_bytes + p->length_bytes <= p->id_bytes && p->id_bytes <= IPG_VIEW_BYTES;
  return proper ? IPG_OK : ipg_hdf5_damaged(p->h, "a heap of it is not one that netCDF-4 writes");
}

static ipg_status read_heap_header(heap *p) {
  enum { HEADER_BYTES = 146 };
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load_checked(p->h, p->at, HEADER_BYTES, "FRHP", &buffer, &b);
  if (!status) status = check_heap_header(p, &b);
  ipg_buffer_destroy(&buffer, &p->h->allocator);
  return status;
}

/* Its checksum is taken as if the place where it stands were zero. */
static ipg_status check_block(heap *p, const heap_block *block) {
  ipg_hdf5 *h = p->h;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load(h, block->at, block->bytes, "FHDB", &buffer, &b);
  ipg_bytes_skip(&b, status ? 0 : 1 + 8 + p->start_bytes);
  if (!status && p->checked) {
    unsigned char *place = (unsigned char *)buffer.data + (block->bytes - b.left);
    const uint64_t sum = ipg_bytes_number(&b, 4);
    for (int i = 0; i < 4 && !b.ended; ++i) place[i] = 0;
    if (b.ended || sum != ipg_hdf5_checksum(buffer.data, block->bytes))
      status = ipg_hdf5_damaged(h, "a checksum is not that of its block");
  }
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

static ipg_status add_block(heap *p, int64_t start, int64_t bytes, int64_t at) {
  ipg_hdf5 *h = p->h;
  const heap_block block = {start, bytes, at};
  ipg_status status = check_block(p, &block);
  if (!status)
    status = ipg_buffer_grow(&p->blocks, &h->allocator, p->block_count, p->block_count + 1, sizeof block, h->error);
  if (status) return status;
  ((heap_block *)p->blocks.data)[p->block_count++] = block;
  return IPG_OK;
}

static int64_t row_bytes(const heap *p, int row) {
  const int doublings = row < 2 ? 0 : row - 1;
  return doublings > 40 ? INT64_MAX : p->first_bytes > INT64_MAX >> doublings ? INT64_MAX : p->first_bytes << doublings;
}

/* A table as large as a block of that size has rows until they hold as much. */
static int rows_within(const heap *p, int64_t bytes) {
  int rows = 1;
  for (int64_t held = p->width * p->first_bytes; held < bytes; held *= 2) ++rows;
  return rows;
}

static ipg_status add_table(heap *p, int64_t start, int rows, int64_t at, int depth);

static ipg_status add_entry(heap *p, int64_t start, int row, int64_t at, int depth) {
  const int64_t bytes = row_bytes(p, row);
  if (at == IPG_HDF5_NOWHERE) return IPG_OK;
  if (bytes <= p->largest_bytes) return add_block(p, start, bytes, at);
  return add_table(p, start, rows_within(p, bytes), at, depth + 1);
}

static ipg_status add_entries(heap *p, int64_t start, int rows, ipg_bytes b, int depth) {
  ipg_bytes_skip(&b, 1 + 8 + p->start_bytes);
  for (int row = 0; row < rows; ++row)
    for (int64_t column = 0; column < p->width; ++column) {
      const int64_t bytes = row_bytes(p, row);
      const int64_t at = ipg_bytes_address(&b);
      if (b.ended || bytes > INT64_MAX / 2 - start)
        return ipg_hdf5_damaged(p->h, "a heap of it is larger than any file");
      const ipg_status status = add_entry(p, start, row, at, depth);
      if (status) return status;
      start += bytes;
    }
  return IPG_OK;
}

static ipg_status add_table(heap *p, int64_t start, int rows, int64_t at, int depth) {
  ipg_hdf5 *h = p->h;
  if (depth > MAX_DEPTH) return ipg_hdf5_damaged(h, "its blocks lie over each other");
  ipg_buffer buffer = {0};
  ipg_bytes b;
  const int64_t bytes = 4 + 1 + 8 + p->start_bytes + rows * p->width * 8 + 4;
  ipg_status status = ipg_hdf5_load_checked(h, at, bytes, "FHIB", &buffer, &b);
  if (!status) status = add_entries(p, start, rows, b, depth);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

static ipg_status read_heap(heap *p) {
  const ipg_status status = read_heap_header(p);
  if (status || p->root == IPG_HDF5_NOWHERE) return status;
  return p->root_rows ? add_table(p, 0, p->root_rows, p->root, 0) : add_block(p, 0, p->first_bytes, p->root);
}

static const heap_block *find_block(const heap *p, int64_t start) {
  const heap_block *blocks = p->blocks.data;
  int64_t low = 0, high = p->block_count; /* the first block behind the place */
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (blocks[middle].start <= start) low = middle + 1;
    else high = middle;
  }
  return low && start - blocks[low - 1].start < blocks[low - 1].bytes ? &blocks[low - 1] : NULL;
}

/* ---------------------------------------------------------------------------------------------------------- trees */

typedef struct tree {
  heap *heap;
  int id_place;          /* of the heap's id in a record */
  int type;              /* of the messages */
  ipg_hdf5_visit *visit; /* NULL: only the tree itself is looked at */
  void *context;
  int node_type;
  int64_t node_bytes, record_bytes;
  int count_bytes;
  int total_bytes[MAX_DEPTH + 1]; /* of the number of records below a node, by depth */
} tree;

static ipg_status visit_object(const tree *t, ipg_bytes id) {
  enum { KIND = 0x30 };
  const heap *p = t->heap;
  if (ipg_bytes_number(&id, 1) & KIND) return IPG_OK; /* too large for the blocks, or in the id: neither is a link */
  const int64_t start = (int64_t)(ipg_bytes_number(&id, p->start_bytes) & INT64_MAX);
  const int64_t bytes = (int64_t)ipg_bytes_number(&id, p->length_bytes);
  const heap_block *block = find_block(p, start);
  if (id.ended || !block || bytes > block->bytes - (start - block->start) || bytes > LARGEST_OBJECT)
    return ipg_hdf5_damaged(p->h, "a name in it leads nowhere");
  ipg_buffer buffer = {0};
  ipg_bytes message;
  ipg_status status = ipg_hdf5_load(p->h, block->at + (start - block->start), bytes, "", &buffer, &message);
  if (!status) status = t->visit(t->context, t->type, message);
  ipg_buffer_destroy(&buffer, &p->h->allocator);
  return status;
}

static ipg_status visit_records(const tree *t, ipg_bytes *b, int64_t count) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i < count; ++i) {
    ipg_bytes record = ipg_bytes_part(b, t->record_bytes);
    ipg_bytes_skip(&record, t->id_place);
    if (record.ended) return ipg_hdf5_damaged(t->heap->h, "a tree of it is not all there");
    if (t->visit) status = visit_object(t, record);
  }
  return status;
}

static ipg_status visit_node(const tree *t, int64_t at, int64_t count, int depth);

static ipg_status visit_children(const tree *t, ipg_bytes *b, int64_t count, int depth) {
  ipg_status status = IPG_OK;
  for (int64_t i = 0; !status && i <= count; ++i) {
    const int64_t at = ipg_bytes_address(b);
    const int64_t records = (int64_t)ipg_bytes_number(b, t->count_bytes);
    ipg_bytes_skip(b, depth > 1 ? t->total_bytes[depth - 1] : 0);
    if (b->ended) return ipg_hdf5_damaged(t->heap->h, "a tree of it is not all there");
    status = visit_node(t, at, records, depth - 1);
  }
  return status;
}

static int64_t child_bytes(const tree *t, int depth) {
  return 8 + t->count_bytes + (depth > 1 ? t->total_bytes[depth - 1] : 0);
}

/* Depth 0 is a leaf: it has no children. A node's checksum follows its last record or child. */
static ipg_status visit_node(const tree *t, int64_t at, int64_t count, int depth) {
  ipg_hdf5 *h = t->heap->h;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  const int64_t bytes = 4 + 2 + count * t->record_bytes + (depth ? (count + 1) * child_bytes(t, depth) : 0) + 4;
  if (count > UINT16_MAX || bytes > t->node_bytes) return ipg_hdf5_damaged(h, "a tree of it has too large a node");
  ipg_status status = ipg_hdf5_load_checked(h, at, bytes, depth ? "BTIN" : "BTLF", &buffer, &b);
  if (!status) {
    ipg_bytes_skip(&b, 1);
    if ((int)ipg_bytes_number(&b, 1) != t->node_type) status = ipg_hdf5_damaged(h, "a tree of it is another's");
  }
  if (!status) status = visit_records(t, &b, count);
  if (!status && depth) status = visit_children(t, &b, count, depth);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

/* How wide the counts in nodes are follows from how many records a node, and all below it, can hold at most. */
static void measure_counts(tree *t, int depth) {
  enum { FRAME = 4 + 2 + 4 };
  int64_t most = (t->node_bytes - FRAME) / t->record_bytes;
  uint64_t total = (uint64_t)most;
  t->count_bytes = bytes_for(total);
  t->total_bytes[0] = 0;
  for (int d = 1; d <= depth; ++d) {
    const int64_t pointer = child_bytes(t, d);
    most = (t->node_bytes - FRAME - pointer) / (t->record_bytes + pointer);
    total = (uint64_t)(most + 1) * total + (uint64_t)most;
    t->total_bytes[d] = bytes_for(total);
  }
}

static ipg_status visit_tree_header(tree *t, ipg_bytes b) {
  enum { LEAST_NODE = 64, LEAST_RECORD = 4 };
  ipg_bytes_skip(&b, 1);
  t->node_type = (int)ipg_bytes_number(&b, 1);
  t->node_bytes = (int64_t)ipg_bytes_number(&b, 4);
  t->record_bytes = (int64_t)ipg_bytes_number(&b, 2);
  const int depth = (int)ipg_bytes_number(&b, 2);
  ipg_bytes_skip(&b, 2);
  const int64_t root = ipg_bytes_address(&b);
  const int64_t count = (int64_t)ipg_bytes_number(&b, 2);
  if (depth > MAX_DEPTH || t->record_bytes < t->id_place + t->heap->id_bytes || t->node_bytes < LEAST_NODE ||
      t->record_bytes < LEAST_RECORD || t->record_bytes > t->node_bytes / 4)
    return ipg_hdf5_damaged(t->heap->h, "a tree of it is not one that netCDF-4 writes");
  measure_counts(t, depth);
  return root == IPG_HDF5_NOWHERE ? IPG_OK : visit_node(t, root, count, depth);
}

static ipg_status visit_tree(tree *t, int64_t at) {
  enum { HEADER_BYTES = 38 };
  ipg_hdf5 *h = t->heap->h;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load_checked(h, at, HEADER_BYTES, "BTHD", &buffer, &b);
  if (!status) status = visit_tree_header(t, b);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- driver */

/* Links: a hash, or an age of eight bytes, then the id. Attributes: the id comes first. */
ipg_status ipg_hdf5_each_stored(ipg_hdf5 *h, const ipg_hdf5_store *store, int type, ipg_hdf5_visit *visit,
                                void *context) {
  if (store->heap == IPG_HDF5_NOWHERE) return IPG_OK;
  const bool links = type == IPG_HDF5_LINK;
  heap p = {.h = h, .at = store->heap};
  tree named = {.heap = &p, .id_place = links ? 4 : 0, .type = type, .visit = visit, .context = context};
  tree aged = {.heap = &p, .id_place = links ? 8 : 0};
  ipg_status status = read_heap(&p);
  if (!status) status = visit_tree(&named, store->by_name);
  if (!status && store->by_order != IPG_HDF5_NOWHERE) status = visit_tree(&aged, store->by_order);
  ipg_buffer_destroy(&p.blocks, &h->allocator);
  return status;
}
