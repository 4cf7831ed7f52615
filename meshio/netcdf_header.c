/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The directory is sorted by a hash of kind, owner and name. Two items with the same hash are treated as two of the
 * same name: a file has that by chance so rarely that only one made on purpose is refused wrongly, and neither building
 * the directory nor a lookup can ever be slow. */
#include "netcdf_header.h"

#include <math.h>
#include <string.h>

/* FNV-1a. Kind and owner are multiplied before the name: else they and a first letter that differs as much cancel out.
 */
static uint64_t compute_hash(ipg_netcdf_kind kind, ipg_id owner, const char *name) {
  uint64_t h = (0xcbf29ce484222325u ^ (uint64_t)kind ^ (uint64_t)(uint32_t)owner << 8) * 0x100000001b3u;
  for (; *name; ++name) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
  return h ^ h >> 29;
}

double ipg_netcdf_decode_value(const unsigned char *bytes, int64_t count, bool is_real, bool little_endian) {
  uint64_t bits = 0;
  if (count < 1 || count > 8) return NAN;
  for (int64_t i = 0; i < count; ++i) bits |= (uint64_t)bytes[i] << 8 * (little_endian ? i : count - 1 - i);
  if (!is_real) { /* the highest bit is the sign */
    const uint64_t sign = (uint64_t)1 << (8 * count - 1);
    return (double)(int64_t)((bits ^ sign) - sign);
  }
  const uint32_t half = (uint32_t)bits;
  float number;
  double wide;
  memcpy(&number, &half, sizeof number);
  memcpy(&wide, &bits, sizeof wide);
  return count == 8 ? wide : count == 4 ? (double)number : NAN;
}

static ipg_status store_name(ipg_netcdf_header *h, const char *name, int64_t letters, ipg_error *error) {
  const int64_t bytes = h->name_bytes + letters + 1;
  const ipg_status status = ipg_buffer_grow(&h->names, &h->allocator, h->name_bytes, bytes, 1, error);
  if (status) return status;
  char *to = (char *)h->names.data + h->name_bytes;
  memcpy(to, name, (size_t)letters);
  to[letters] = 0;
  h->name_bytes = bytes;
  return IPG_OK;
}

ipg_status ipg_netcdf_add_item(ipg_netcdf_header *h, ipg_netcdf_item item, const char *name, int64_t letters,
                               ipg_error *error) {
  if (h->count == IPG_ID_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "the header of a file holds more than %lld names: write fewer fields",
                    (long long)IPG_ID_MAX);
  item.name = h->name_bytes;
  item.lengths = h->length_count;
  ipg_status status = store_name(h, name, letters, error);
  if (!status) status = ipg_buffer_grow(&h->items, &h->allocator, h->count, h->count + 1, sizeof item, error);
  if (status) return status;
  ((ipg_netcdf_item *)h->items.data)[h->count++] = item;
  return IPG_OK;
}

ipg_status ipg_netcdf_add_length(ipg_netcdf_header *h, int64_t length, ipg_error *error) {
  const int64_t count = h->length_count + 1;
  const ipg_status status = ipg_buffer_grow(&h->lengths, &h->allocator, count - 1, count, sizeof length, error);
  if (status) return status;
  ((int64_t *)h->lengths.data)[h->length_count++] = length;
  return IPG_OK;
}

ipg_status ipg_netcdf_sort_items(ipg_netcdf_header *h, const ipg_view *view, ipg_error *error) {
  ipg_status status = ipg_buffer_reserve(&h->keys, &h->allocator, h->count, sizeof(uint64_t), error);
  if (!status) status = ipg_buffer_reserve(&h->order, &h->allocator, h->count, sizeof(ipg_id), error);
  if (status) return status;
  uint64_t *keys = h->keys.data;
  ipg_id *order = h->order.data;
  for (ipg_id i = 0; i < h->count; ++i) {
    const ipg_netcdf_item *item = ipg_netcdf_item_at(h, i);
    keys[i] = compute_hash(item->kind, item->owner, ipg_netcdf_name(h, item));
    order[i] = i;
  }
  const ipg_tasks serial = ipg_tasks_serial();
  status = ipg_sort_u64(&h->sorter, keys, order, h->count, &h->allocator, &serial, error);
  for (ipg_id i = 1; !status && i < h->count; ++i)
    if (keys[i - 1] == keys[i])
      status = ipg_view_report_damage(view, error, "its header names '%.80s' twice",
                                      ipg_netcdf_name(h, ipg_netcdf_item_at(h, order[i])));
  return status;
}

void ipg_netcdf_destroy(ipg_netcdf_header *h) {
  ipg_buffer *const buffers[] = {&h->items, &h->lengths, &h->names, &h->keys, &h->order};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) ipg_buffer_destroy(buffers[i], &h->allocator);
  ipg_sorter_destroy(&h->sorter, &h->allocator);
}

ipg_netcdf_item *ipg_netcdf_item_at(const ipg_netcdf_header *h, ipg_id index) {
  return (ipg_netcdf_item *)h->items.data + index;
}

const char *ipg_netcdf_name(const ipg_netcdf_header *h, const ipg_netcdf_item *item) {
  return (const char *)h->names.data + item->name;
}

const int64_t *ipg_netcdf_lengths(const ipg_netcdf_header *h, const ipg_netcdf_item *variable) {
  return (const int64_t *)h->lengths.data + variable->lengths;
}

const ipg_netcdf_item *ipg_netcdf_find_item(const ipg_netcdf_header *h, ipg_netcdf_kind kind, ipg_id owner,
                                            const char *name) {
  const uint64_t key = compute_hash(kind, owner, name), *keys = h->keys.data;
  ipg_id low = 0, high = h->count;
  while (low < high) {
    const ipg_id middle = low + (high - low) / 2;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  if (low == h->count || keys[low] != key) return NULL;
  const ipg_netcdf_item *item = ipg_netcdf_item_at(h, ((const ipg_id *)h->order.data)[low]);
  const bool same = item->kind == kind && item->owner == owner && !strcmp(ipg_netcdf_name(h, item), name);
  return same ? item : NULL;
}
