/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A header is a first chunk and continuation chunks, which are listed while the current chunk is read. */
#include "hdf5_messages.h"

enum { CONTINUATION = 16, SHARED = 2 };

typedef struct header_reader {
  ipg_hdf5 *h;
  ipg_hdf5_message_reader *read;
  void *context;
  bool ordered;       /* each message has a creation order */
  ipg_buffer chunk;   /* the current one */
  ipg_buffer pending; /* int64_t: addresses and sizes of chunks that are not read yet */
  int64_t pending_count;
} header_reader;

static ipg_status add_pending_chunk(header_reader *r, ipg_bytes message) {
  ipg_hdf5 *h = r->h;
  const int64_t count = r->pending_count + 2;
  const ipg_status status =
      ipg_buffer_grow(&r->pending, &h->allocator, r->pending_count, count, sizeof(int64_t), h->error);
  if (status) return status;
  int64_t *pending = r->pending.data;
  pending[r->pending_count] = ipg_bytes_read_address(&message);
  pending[r->pending_count + 1] = ipg_bytes_read_address(&message);
  r->pending_count = count;
  return IPG_OK;
}

static ipg_status read_chunk_messages(header_reader *r, ipg_bytes chunk) {
  const int head = r->ordered ? 6 : 4;
  while (chunk.left >= head) {
    const int type = (int)ipg_bytes_read_number(&chunk, 1);
    const int64_t bytes = (int64_t)ipg_bytes_read_number(&chunk, 2);
    const bool shared = ipg_bytes_read_number(&chunk, 1) & SHARED;
    ipg_bytes_skip(&chunk, head - 4);
    const ipg_bytes message = ipg_bytes_split(&chunk, bytes);
    if (message.ended || (shared && type != IPG_HDF5_DATATYPE))
      return ipg_hdf5_report_damage(r->h, "a header message of it is not one that netCDF-4 writes");
    const ipg_status status = type == CONTINUATION
                                  ? add_pending_chunk(r, message)
                                  : r->read(r->context, shared ? IPG_HDF5_SHARED_DATATYPE : type, message);
    if (status) return status;
  }
  return IPG_OK;
}

/* The size of the first chunk is stored in it, after parts that are optional. */
static ipg_status read_first_chunk(header_reader *r, int64_t object) {
  enum { SHORTEST = 12, TIMES = 32, LIMITS = 16, ORDER = 4, WIDTH = 3 };
  ipg_hdf5 *h = r->h;
  const int64_t left = object < 0 || object > h->view->size ? 0 : h->view->size - object;
  ipg_bytes b = {ipg_view_get_bytes(h->view, object, left < 40 ? left : 40), left < 40 ? left : 40, left < SHORTEST};
  ipg_bytes_skip(&b, 4);
  const uint64_t version = ipg_bytes_read_number(&b, 1), flags = ipg_bytes_read_number(&b, 1);
  ipg_bytes_skip(&b, (flags & TIMES ? 16 : 0) + (flags & LIMITS ? 4 : 0));
  const int64_t bytes = (int64_t)(ipg_bytes_read_number(&b, 1 << (flags & WIDTH)) & INT64_MAX);
  if (b.ended || version != 2 || bytes > left) return ipg_hdf5_report_damage(h, "an object of it has no valid header");
  const int64_t head = b.at - ipg_view_get_bytes(h->view, object, 0);
  ipg_bytes chunk;
  const ipg_status status = ipg_hdf5_load_checked_block(h, object, head + bytes + 4, "OHDR", &r->chunk, &chunk);
  if (status) return status;
  r->ordered = flags & ORDER;
  ipg_bytes_skip(&chunk, head - 4);
  return read_chunk_messages(r, chunk);
}

static ipg_status read_pending_chunks(header_reader *r) {
  ipg_status status = IPG_OK;
  while (!status && r->pending_count) {
    const int64_t *last = (const int64_t *)r->pending.data + (r->pending_count -= 2);
    ipg_bytes chunk;
    status = ipg_hdf5_load_checked_block(r->h, last[0], last[1], "OCHK", &r->chunk, &chunk);
    if (!status) status = read_chunk_messages(r, chunk);
  }
  return status;
}

ipg_status ipg_hdf5_read_messages(ipg_hdf5 *h, int64_t object, ipg_hdf5_message_reader *read, void *context) {
  header_reader r = {.h = h, .read = read, .context = context};
  ipg_status status = read_first_chunk(&r, object);
  if (!status) status = read_pending_chunks(&r);
  ipg_buffer_destroy(&r.chunk, &h->allocator);
  ipg_buffer_destroy(&r.pending, &h->allocator);
  return status;
}
