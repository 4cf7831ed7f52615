/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "hdf5_blocks.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- checksum */

/* The checksum of HDF5 is Bob Jenkins' lookup3 ("hashlittle"); this version reads single bytes. */
static uint32_t rotate_left(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void mix_state(uint32_t s[3]) {
  static const int by[] = {4, 6, 8, 16, 19, 4};
  for (int i = 0; i < 6; ++i) {
    uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
    *a -= *c;
    *a ^= rotate_left(*c, by[i]);
    *c += *b;
  }
}

static void mix_final_state(uint32_t s[3]) {
  static const int by[] = {14, 11, 25, 16, 4, 14, 24};
  for (int i = 0; i < 7; ++i) {
    uint32_t *to = &s[(i + 2) % 3], *from = &s[(i + 1) % 3];
    *to ^= *from;
    *to -= rotate_left(*from, by[i]);
  }
}

uint32_t ipg_hdf5_checksum(const unsigned char *bytes, int64_t count) {
  const uint32_t start = 0xdeadbeefu + (uint32_t)count;
  uint32_t s[3] = {start, start, start};
  if (!count) return s[2];
  for (; count > 12; count -= 12, bytes += 12) {
    for (int i = 0; i < 12; ++i) s[i / 4] += (uint32_t)bytes[i] << i % 4 * 8;
    mix_state(s);
  }
  for (int i = 0; i < count; ++i) s[i / 4] += (uint32_t)bytes[i] << i % 4 * 8;
  mix_final_state(s);
  return s[2];
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

ipg_status ipg_hdf5_report_damage(const ipg_hdf5 *h, const char *what) {
  return ipg_view_report_damage(h->view, h->error, "%s", what);
}

ipg_status ipg_hdf5_load_block(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature, ipg_buffer *buffer,
                               ipg_bytes *body) {
  const int64_t letters = (int64_t)strlen(signature);
  *body = (ipg_bytes){.ended = true}; /* in case of failure */
  if (at < 0 || bytes < letters || at > h->view->size || bytes > h->view->size - at)
    return ipg_hdf5_report_damage(h, "a block of it is incomplete");
  if ((h->budget -= bytes) < 0) return ipg_hdf5_report_damage(h, "its blocks overlap");
  const ipg_status status = ipg_buffer_reserve(buffer, &h->allocator, bytes, 1, h->error);
  if (status) return status;
  if (!ipg_view_copy_bytes(h->view, at, bytes, buffer->data))
    return ipg_hdf5_report_damage(h, "a block of it cannot be read");
  if (memcmp(buffer->data, signature, (size_t)letters))
    return ipg_hdf5_report_damage(h, "a block of it has the wrong signature");
  *body = (ipg_bytes){(const unsigned char *)buffer->data + letters, bytes - letters, false};
  return IPG_OK;
}

ipg_status ipg_hdf5_load_checked_block(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature,
                                       ipg_buffer *buffer, ipg_bytes *body) {
  enum { CHECKSUM = 4 };
  const ipg_status status = ipg_hdf5_load_block(h, at, bytes, signature, buffer, body);
  if (status) return status;
  ipg_bytes sum = {(const unsigned char *)buffer->data + bytes - CHECKSUM, CHECKSUM, false};
  body->left -= CHECKSUM;
  if (body->left < 0 || ipg_bytes_read_number(&sum, CHECKSUM) != ipg_hdf5_checksum(buffer->data, bytes - CHECKSUM))
    return ipg_hdf5_report_damage(h, "a checksum is wrong");
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- superblock */

enum { SIGNATURE_BYTES = 8, OLD_BYTES = 100, NEW_BYTES = 48 };

/* The contents of both kinds of superblock. */
typedef struct superblock {
  int64_t base, extension, end, root;
  bool supported;
} superblock;

static superblock read_old_superblock(const unsigned char *at, int version) {
  ipg_bytes b = {at + SIGNATURE_BYTES + 1, OLD_BYTES - SIGNATURE_BYTES - 1, false};
  superblock s = {0};
  ipg_bytes_skip(&b, 4);
  s.supported = ipg_bytes_read_number(&b, 2) == 0x0808; /* 8 bytes for addresses, 8 for lengths */
  ipg_bytes_skip(&b, version == 1 ? 13 : 9);
  s.base = ipg_bytes_read_address(&b);
  ipg_bytes_read_address(&b); /* free space */
  s.end = ipg_bytes_read_address(&b);
  s.extension = ipg_bytes_read_address(&b); /* the driver information block */
  ipg_bytes_read_address(&b);               /* the root group's name */
  s.root = ipg_bytes_read_address(&b);
  s.supported = s.supported && !ipg_bytes_read_number(&b, 4); /* no cached entry: a new-style group */
  return s;
}

static superblock read_new_superblock(const unsigned char *at) {
  ipg_bytes b = {at + SIGNATURE_BYTES + 1, NEW_BYTES - SIGNATURE_BYTES - 1, false};
  superblock s = {.supported = ipg_bytes_read_number(&b, 2) == 0x0808};
  ipg_bytes_skip(&b, 1);
  s.base = ipg_bytes_read_address(&b);
  s.extension = ipg_bytes_read_address(&b);
  s.end = ipg_bytes_read_address(&b);
  s.root = ipg_bytes_read_address(&b);
  const uint64_t sum = ipg_bytes_read_number(&b, 4);
  s.supported = s.supported && sum == ipg_hdf5_checksum(at, NEW_BYTES - 4);
  return s;
}

ipg_status ipg_hdf5_find_root_group(ipg_hdf5 *h, int64_t *root) {
  const unsigned char *at = ipg_view_get_bytes(h->view, 0, OLD_BYTES);
  if (!at) return ipg_hdf5_report_damage(h, "its header is incomplete");
  const int version = at[SIGNATURE_BYTES];
  const superblock s = version < 2 ? read_old_superblock(at, version) : read_new_superblock(at);
  if (version > 3 || !s.supported || s.base || s.extension != IPG_HDF5_UNDEFINED)
    return ipg_hdf5_report_damage(h, "its header is not one that netCDF-4 writes");
  if (s.end < 0 || s.end > h->view->size) return ipg_hdf5_report_damage(h, "its end is missing");
  *root = s.root;
  return IPG_OK;
}
