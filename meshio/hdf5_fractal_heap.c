/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The heap is a table of blocks whose sizes double: rows of `width` entries, the first two rows for blocks of the
 * starting size, each further row for blocks twice as large. Blocks up to the largest size hold objects (direct
 * blocks); the rows beyond hold tables again (indirect blocks). All direct blocks are listed in the order of the heap's
 * addresses before an object is looked up. */
#include "hdf5_fractal_heap.h"

enum { LARGEST_OBJECT = IPG_VIEW_BYTES * 16 };

typedef struct heap_block {
  int64_t start, bytes; /* in the address space of the heap */
  int64_t at;           /* in the file */
} heap_block;

int ipg_hdf5_count_bytes(uint64_t number) {
  int bytes = 1;
  while (number >>= 8) ++bytes;
  return bytes;
}

static bool is_power_of_two(int64_t number) { return number > 0 && !(number & (number - 1)); }

/* ----------------------------------------------------------------------------------------------------------- blocks */

static ipg_status check_heap_header(ipg_fractal_heap *p, ipg_bytes *b) {
  enum { BITS = 64, CHECKED = 2 };
  ipg_bytes_skip(b, 1);
  p->id_bytes = (int)ipg_bytes_read_number(b, 2);
  const uint64_t filters = ipg_bytes_read_number(b, 2);
  p->checked = ipg_bytes_read_number(b, 1) & CHECKED;
  const uint64_t largest_object = ipg_bytes_read_number(b, 4);
  ipg_bytes_skip(b, 96); /* statistics, and addresses of huge objects and of free space */
  p->width = (int64_t)ipg_bytes_read_number(b, 2);
  p->first_bytes = ipg_bytes_read_address(b);
  p->largest_bytes = ipg_bytes_read_address(b);
  const int bits = (int)ipg_bytes_read_number(b, 2);
  ipg_bytes_skip(b, 2);
  p->root = ipg_bytes_read_address(b);
  p->root_rows = (int)ipg_bytes_read_number(b, 2);
  p->start_bytes = (bits + 7) / 8;
  const int longest = ipg_hdf5_count_bytes((uint64_t)p->largest_bytes - 1),
            shortest = ipg_hdf5_count_bytes(largest_object);
  p->length_bytes = longest < shortest ? longest : shortest;
  const bool proper = !filters && is_power_of_two(p->width) && is_power_of_two(p->first_bytes) &&
                      is_power_of_two(p->largest_bytes) && p->first_bytes <= p->largest_bytes &&
                      p->largest_bytes <= INT32_MAX && bits > 0 && bits < BITS && p->root_rows < BITS &&
                      1 + p->start_bytes + p->length_bytes <= p->id_bytes && p->id_bytes <= IPG_VIEW_BYTES;
  return proper ? IPG_OK : ipg_hdf5_report_damage(p->h, "a heap of it is not one that netCDF-4 writes");
}

static ipg_status read_heap_header(ipg_fractal_heap *p) {
  enum { HEADER_BYTES = 146 };
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load_checked_block(p->h, p->at, HEADER_BYTES, "FRHP", &buffer, &b);
  if (!status) status = check_heap_header(p, &b);
  ipg_buffer_destroy(&buffer, &p->h->allocator);
  return status;
}

/* The checksum is computed with zeros in its own place. */
static ipg_status check_direct_block(ipg_fractal_heap *p, const heap_block *block) {
  ipg_hdf5 *h = p->h;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  ipg_status status = ipg_hdf5_load_block(h, block->at, block->bytes, "FHDB", &buffer, &b);
  ipg_bytes_skip(&b, status ? 0 : 1 + 8 + p->start_bytes);
  if (!status && p->checked) {
    unsigned char *stored = (unsigned char *)buffer.data + (block->bytes - b.left);
    const uint64_t sum = ipg_bytes_read_number(&b, 4);
    for (int i = 0; i < 4 && !b.ended; ++i) stored[i] = 0;
    if (b.ended || sum != ipg_hdf5_checksum(buffer.data, block->bytes))
      status = ipg_hdf5_report_damage(h, "a checksum is wrong");
  }
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

static ipg_status add_direct_block(ipg_fractal_heap *p, int64_t start, int64_t bytes, int64_t at) {
  ipg_hdf5 *h = p->h;
  const heap_block block = {start, bytes, at};
  ipg_status status = check_direct_block(p, &block);
  if (!status)
    status = ipg_buffer_grow(&p->blocks, &h->allocator, p->block_count, p->block_count + 1, sizeof block, h->error);
  if (status) return status;
  ((heap_block *)p->blocks.data)[p->block_count++] = block;
  return IPG_OK;
}

static int64_t get_block_bytes(const ipg_fractal_heap *p, int row) {
  const int doublings = row < 2 ? 0 : row - 1;
  return doublings > 40 ? INT64_MAX : p->first_bytes > INT64_MAX >> doublings ? INT64_MAX : p->first_bytes << doublings;
}

/* The rows of an indirect block that covers so many bytes of the heap. */
static int count_rows(const ipg_fractal_heap *p, int64_t bytes) {
  int rows = 1;
  for (int64_t held = p->width * p->first_bytes; held < bytes; held *= 2) ++rows;
  return rows;
}

static ipg_status add_indirect_block(ipg_fractal_heap *p, int64_t start, int rows, int64_t at);

/* The table that an entry is has fewer rows than the table it is in, so tables end. */
static ipg_status add_entry(ipg_fractal_heap *p, int64_t start, int row, int64_t at) {
  const int64_t bytes = get_block_bytes(p, row);
  if (at == IPG_HDF5_UNDEFINED) return IPG_OK;
  if (bytes <= p->largest_bytes) return add_direct_block(p, start, bytes, at);
  return add_indirect_block(p, start, count_rows(p, bytes), at);
}

static ipg_status add_entries(ipg_fractal_heap *p, int64_t start, int rows, ipg_bytes b) {
  ipg_bytes_skip(&b, 1 + 8 + p->start_bytes);
  for (int row = 0; row < rows; ++row)
    for (int64_t column = 0; column < p->width; ++column) {
      const int64_t bytes = get_block_bytes(p, row);
      const int64_t at = ipg_bytes_read_address(&b);
      if (b.ended || bytes > INT64_MAX / 2 - start)
        return ipg_hdf5_report_damage(p->h, "a heap of it is larger than any file");
      const ipg_status status = add_entry(p, start, row, at);
      if (status) return status;
      start += bytes;
    }
  return IPG_OK;
}

static ipg_status add_indirect_block(ipg_fractal_heap *p, int64_t start, int rows, int64_t at) {
  ipg_hdf5 *h = p->h;
  ipg_buffer buffer = {0};
  ipg_bytes b;
  const int64_t bytes = 4 + 1 + 8 + p->start_bytes + rows * p->width * 8 + 4;
  ipg_status status = ipg_hdf5_load_checked_block(h, at, bytes, "FHIB", &buffer, &b);
  if (!status) status = add_entries(p, start, rows, b);
  ipg_buffer_destroy(&buffer, &h->allocator);
  return status;
}

ipg_status ipg_fractal_heap_read(ipg_fractal_heap *p) {
  const ipg_status status = read_heap_header(p);
  if (status || p->root == IPG_HDF5_UNDEFINED) return status;
  return p->root_rows ? add_indirect_block(p, 0, p->root_rows, p->root)
                      : add_direct_block(p, 0, p->first_bytes, p->root);
}

static const heap_block *find_block(const ipg_fractal_heap *p, int64_t start) {
  const heap_block *blocks = p->blocks.data;
  int64_t low = 0, high = p->block_count; /* the first block that starts after `start` */
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (blocks[middle].start <= start) low = middle + 1;
    else high = middle;
  }
  return low && start - blocks[low - 1].start < blocks[low - 1].bytes ? &blocks[low - 1] : NULL;
}

/* ---------------------------------------------------------------------------------------------------------- objects */

ipg_status ipg_fractal_heap_load_object(const ipg_fractal_heap *p, ipg_bytes id, ipg_buffer *buffer, ipg_bytes *object,
                                        bool *found) {
  enum { KIND = 0x30 };
  *found = !(ipg_bytes_read_number(&id, 1) & KIND);
  if (!*found) return IPG_OK;
  const int64_t start = (int64_t)(ipg_bytes_read_number(&id, p->start_bytes) & INT64_MAX);
  const int64_t bytes = (int64_t)ipg_bytes_read_number(&id, p->length_bytes);
  const heap_block *block = find_block(p, start);
  if (id.ended || !block || bytes > block->bytes - (start - block->start) || bytes > LARGEST_OBJECT)
    return ipg_hdf5_report_damage(p->h, "a name in it has no target");
  return ipg_hdf5_load_block(p->h, block->at + (start - block->start), bytes, "", buffer, object);
}
