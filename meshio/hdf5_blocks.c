/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Bytes, blocks, the superblock, and the headers of objects. Numbers are little-endian; addresses and lengths have
 * eight bytes, or the file is none of netCDF's. */
#include "hdf5_blocks.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- bytes */

const unsigned char *ipg_bytes_skip(ipg_bytes *b, int64_t count) {
  if (b->ended || count < 0 || count > b->left) {
    b->ended = true;
    return NULL;
  }
  const unsigned char *at = b->at;
  b->at += count;
  b->left -= count;
  return at;
}

uint64_t ipg_bytes_number(ipg_bytes *b, int width) {
  const unsigned char *at = ipg_bytes_skip(b, width);
  uint64_t number = 0;
  for (int i = at ? width - 1 : -1; i >= 0; --i) number = number << 8 | at[i];
  return number;
}

int64_t ipg_bytes_address(ipg_bytes *b) {
  const uint64_t number = ipg_bytes_number(b, 8);
  return number == UINT64_MAX ? IPG_HDF5_NOWHERE : number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

ipg_bytes ipg_bytes_part(ipg_bytes *b, int64_t count) {
  const unsigned char *at = ipg_bytes_skip(b, count);
  return (ipg_bytes){at, at ? count : 0, !at};
}

/* Bob Jenkins' lookup3 ("hashlittle"), byte by byte. */
static uint32_t turn(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void mix(uint32_t s[3]) {
  static const int by[] = {4, 6, 8, 16, 19, 4};
  for (int i = 0; i < 6; ++i) {
    uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
    *a -= *c;
    *a ^= turn(*c, by[i]);
    *c += *b;
  }
}

static void mix_last(uint32_t s[3]) {
  static const int by[] = {14, 11, 25, 16, 4, 14, 24};
  for (int i = 0; i < 7; ++i) {
    uint32_t *to = &s[(i + 2) % 3], *from = &s[(i + 1) % 3];
    *to ^= *from;
    *to -= turn(*from, by[i]);
  }
}

uint32_t ipg_hdf5_checksum(const unsigned char *bytes, int64_t count) {
  const uint32_t start = 0xdeadbeefu + (uint32_t)count;
  uint32_t s[3] = {start, start, start};
  if (!count) return s[2];
  for (; count > 12; count -= 12, bytes += 12) {
    for (int i = 0; i < 12; ++i) s[i / 4] += (uint32_t)bytes[i] << i % 4 * 8;
    mix(s);
  }
  for (int i = 0; i < count; ++i) s[i / 4] += (uint32_t)bytes[i] << i % 4 * 8;
  mix_last(s);
  return s[2];
}

/* --------------------------------------------------------------------------------------------------------- blocks */

ipg_status ipg_hdf5_damaged(const ipg_hdf5 *h, const char *what) {
  return ipg_view_damaged(h->view, h->error, "%s", what);
}

ipg_status ipg_hdf5_load(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature, ipg_buffer *buffer,
                         ipg_bytes *body) {
  const int64_t letters = (int64_t)strlen(signature);
  *body = (ipg_bytes){.ended = true}; /* until there is one */
  if (at < 0 || bytes < letters || at > h->view->size || bytes > h->view->size - at)
    return ipg_hdf5_damaged(h, "a block of it is not all there");
  if ((h->budget -= bytes) < 0) return ipg_hdf5_damaged(h, "its blocks lie over each other");
  const ipg_status status = ipg_buffer_reserve(buffer, &h->allocator, bytes, 1, h->error);
  if (status) return status;
  if (!ipg_view_copy(h->view, at, bytes, buffer->data)) return ipg_hdf5_damaged(h, "a block of it cannot be read");
  if (memcmp(buffer->data, signature, (size_t)letters)) return ipg_hdf5_damaged(h, "a block of it is another's");
  *body = (ipg_bytes){(const unsigned char *)buffer->data + letters, bytes - letters, false};
  return IPG_OK;
}

ipg_status ipg_hdf5_load_checked(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature, ipg_buffer *buffer,
                                 ipg_bytes *body) {
  enum { CHECKSUM = 4 };
  const ipg_status status = ipg_hdf5_load(h, at, bytes, signature, buffer, body);
  if (status) return status;
  ipg_bytes sum = {(const unsigned char *)buffer->data + bytes - CHECKSUM, CHECKSUM, false};
  body->left -= CHECKSUM;
  if (body->left < 0 || ipg_bytes_number(&sum, CHECKSUM) != ipg_hdf5_checksum(buffer->data, bytes - CHECKSUM))
    return ipg_hdf5_damaged(h, "a checksum is not that of its block");
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------ superblock */

enum { SIGNATURE_BYTES = 8, OLD_BYTES = 100, NEW_BYTES = 48 };

/* What both kinds of superblock tell, in the same order. */
typedef struct superblock {
  int64_t base, extension, end, root;
  bool known;
} superblock;

static superblock read_old(const unsigned char *at, int version) {
  ipg_bytes b = {at + SIGNATURE_BYTES + 1, OLD_BYTES - SIGNATURE_BYTES - 1, false};
  superblock s = {0};
  ipg_bytes_skip(&b, 4);
  s.known = ipg_bytes_number(&b, 2) == 0x0808; /* bytes of addresses, of lengths */
  ipg_bytes_skip(&b, version == 1 ? 13 : 9);
  s.base = ipg_bytes_address(&b);
  ipg_bytes_address(&b); /* free space */
  s.end = ipg_bytes_address(&b);
  s.extension = ipg_bytes_address(&b); /* of a driver */
  ipg_bytes_address(&b);               /* the root group's name */
  s.root = ipg_bytes_address(&b);
  s.known = s.known && !ipg_bytes_number(&b, 4); /* nothing cached: a new-style group */
  return s;
}

static superblock read_new(const unsigned char *at) {
  ipg_bytes b = {at + SIGNATURE_BYTES + 1, NEW_BYTES - SIGNATURE_BYTES - 1, false};
  superblock s = {.known = ipg_bytes_number(&b, 2) == 0x0808};
  ipg_bytes_skip(&b, 1);
  s.base = ipg_bytes_address(&b);
  s.extension = ipg_bytes_address(&b);
  s.end = ipg_bytes_address(&b);
  s.root = ipg_bytes_address(&b);
  const uint64_t sum = ipg_bytes_number(&b, 4);
  s.known = s.known && sum == ipg_hdf5_checksum(at, NEW_BYTES - 4);
  return s;
}

ipg_status ipg_hdf5_find_root(ipg_hdf5 *h, int64_t *root) {
  const unsigned char *at = ipg_view_at(h->view, 0, OLD_BYTES);
  if (!at) return ipg_hdf5_damaged(h, "its header is not all there");
  const int version = at[SIGNATURE_BYTES];
  const superblock s = version < 2 ? read_old(at, version) : read_new(at);
  if (version > 3 || !s.known || s.base || s.extension != IPG_HDF5_NOWHERE)
    return ipg_hdf5_damaged(h, "its header is not one that netCDF-4 writes");
  if (s.end < 0 || s.end > h->view->size) return ipg_hdf5_damaged(h, "its end is missing");
  *root = s.root;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------ headers of objects
 */

enum { CONTINUATION = 16, SHARED = 2 };

typedef struct walk {
  ipg_hdf5 *h;
  ipg_hdf5_visit *visit;
  void *context;
  bool ordered;       /* each message tells when it was made */
  ipg_buffer chunk;   /* the one that is looked at */
  ipg_buffer pending; /* places and sizes of those to come */
  int64_t pending_count;
} walk;

static ipg_status put_off(walk *w, ipg_bytes message) {
  ipg_hdf5 *h = w->h;
  const int64_t count = w->pending_count + 2;
  const ipg_status status =
      ipg_buffer_grow(&w->pending, &h->allocator, w->pending_count, count, sizeof(int64_t), h->error);
  if (status) return status;
  int64_t *pending = w->pending.data;
  pending[w->pending_count] = ipg_bytes_address(&message);
  pending[w->pending_count + 1] = ipg_bytes_address(&message);
  w->pending_count = count;
  return IPG_OK;
}

static ipg_status visit_messages(walk *w, ipg_bytes chunk) {
  const int head = w->ordered ? 6 : 4;
  while (chunk.left >= head) {
    const int type = (int)ipg_bytes_number(&chunk, 1);
    const int64_t bytes = (int64_t)ipg_bytes_number(&chunk, 2);
    const bool shared = ipg_bytes_number(&chunk, 1) & SHARED;
    ipg_bytes_skip(&chunk, head - 4);
    const ipg_bytes message = ipg_bytes_part(&chunk, bytes);
    if (message.ended || shared) return ipg_hdf5_damaged(w->h, "a message of it is not one that netCDF-4 writes");
    const ipg_status status = type == CONTINUATION ? put_off(w, message) : w->visit(w->context, type, message);
    if (status) return status;
  }
  return IPG_OK;
}

/* How long the first chunk is stands in it, behind parts that may be missing. */
static ipg_status visit_first(walk *w, int64_t object) {
  enum { SHORTEST = 12, TIMES = 32, LIMITS = 16, ORDER = 4, WIDTH = 3 };
  ipg_hdf5 *h = w->h;
  const int64_t left = object < 0 || object > h->view->size ? 0 : h->view->size - object;
  ipg_bytes b = {ipg_view_at(h->view, object, left < 40 ? left : 40), left < 40 ? left : 40, left < SHORTEST};
  ipg_bytes_skip(&b, 4);
  const uint64_t version = ipg_bytes_number(&b, 1), flags = ipg_bytes_number(&b, 1);
  ipg_bytes_skip(&b, (flags & TIMES ? 16 : 0) + (flags & LIMITS ? 4 : 0));
  const int64_t bytes = (int64_t)(ipg_bytes_number(&b, 1 << (flags & WIDTH)) & INT64_MAX);
  if (b.ended || version != 2 || bytes > left) return ipg_hdf5_damaged(h, "an object of it has no proper header");
  const int64_t head = b.at - ipg_view_at(h->view, object, 0);
  ipg_bytes chunk;
  const ipg_status status = ipg_hdf5_load_checked(h, object, head + bytes + 4, "OHDR", &w->chunk, &chunk);
  if (status) return status;
  w->ordered = flags & ORDER;
  ipg_bytes_skip(&chunk, head - 4);
  return visit_messages(w, chunk);
}

static ipg_status visit_pending(walk *w) {
  ipg_status status = IPG_OK;
  while (!status && w->pending_count) {
    const int64_t *last = (const int64_t *)w->pending.data + (w->pending_count -= 2);
    ipg_bytes chunk;
    status = ipg_hdf5_load_checked(w->h, last[0], last[1], "OCHK", &w->chunk, &chunk);
    if (!status) status = visit_messages(w, chunk);
  }
  return status;
}

ipg_status ipg_hdf5_each_message(ipg_hdf5 *h, int64_t object, ipg_hdf5_visit *visit, void *context) {
  walk w = {.h = h, .visit = visit, .context = context};
  ipg_status status = visit_first(&w, object);
  if (!status) status = visit_pending(&w);
  ipg_buffer_destroy(&w.chunk, &h->allocator);
  ipg_buffer_destroy(&w.pending, &h->allocator);
  return status;
}
