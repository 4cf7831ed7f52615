/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Buffers that only grow, from the caller's allocator.
 * Invariant: a buffer's `bytes` is the requested size, which release needs. */
#include "impinge/base.h"

#include <stdlib.h>
#include <string.h>

static void *malloc_allocate(void *context, size_t bytes) {
  (void)context;
  return malloc(bytes);
}

static void malloc_release(void *context, void *memory, size_t bytes) {
  (void)context, (void)bytes;
  free(memory);
}

ipg_allocator ipg_allocator_malloc(void) { return (ipg_allocator){malloc_allocate, malloc_release, NULL}; }

static ipg_status fail_without_memory(ipg_error *error, size_t bytes) {
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: %zu bytes were requested", bytes);
}

/* Moves the first `keep_bytes` to a new block of `bytes`. */
static ipg_status replace_memory(ipg_buffer *buffer, const ipg_allocator *allocator, size_t keep_bytes, size_t bytes,
                                 ipg_error *error) {
  void *data = allocator->allocate(allocator->context, bytes);
  if (!data) return fail_without_memory(error, bytes);
  if (keep_bytes) memcpy(data, buffer->data, keep_bytes);
  ipg_buffer_destroy(buffer, allocator);
  *buffer = (ipg_buffer){data, bytes};
  return IPG_OK;
}

ipg_status ipg_buffer_grow(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t keep, int64_t count,
                           size_t item_bytes, ipg_error *error) {
  if (count < 0 || (uint64_t)count > SIZE_MAX / 2 / item_bytes) return fail_without_memory(error, SIZE_MAX);
  const size_t bytes = (size_t)count * item_bytes;
  if (bytes <= buffer->bytes) return IPG_OK;
  const size_t doubled = keep ? 2 * buffer->bytes : 0;
  return replace_memory(buffer, allocator, (size_t)keep * item_bytes, bytes > doubled ? bytes : doubled, error);
}

ipg_status ipg_buffer_reserve(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t count, size_t item_bytes,
                              ipg_error *error) {
  return ipg_buffer_grow(buffer, allocator, 0, count, item_bytes, error);
}

ipg_status ipg_buffer_reserve_ahead(ipg_buffer *buffer, const ipg_allocator *allocator, int64_t count,
                                    size_t item_bytes, ipg_error *error) {
  const int64_t capacity = (int64_t)(buffer->bytes / item_bytes);
  return ipg_buffer_reserve(buffer, allocator, count > capacity ? count + count / 2 : capacity, item_bytes, error);
}

void ipg_buffer_destroy(ipg_buffer *buffer, const ipg_allocator *allocator) {
  if (buffer->data) allocator->release(allocator->context, buffer->data, buffer->bytes);
  *buffer = (ipg_buffer){0};
}
