/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "arrays.h"

#include <string.h>

ipg_allocator ipg_choose_allocator(const ipg_allocator *given) {
  return given && given->allocate ? *given : ipg_allocator_malloc();
}

static size_t array_bytes(int64_t count, size_t item_bytes) { return (size_t)(count > 0 ? count : 1) * item_bytes; }

void *ipg_allocate_array(const ipg_allocator *allocator, int64_t count, size_t item_bytes, ipg_error *error) {
  void *array = NULL;
  if (count >= 0 && (uint64_t)count <= SIZE_MAX / 2 / item_bytes)
    array = allocator->allocate(allocator->context, array_bytes(count, item_bytes));
  if (array) return memset(array, 0, array_bytes(count, item_bytes));
  ipg_fail(error, IPG_ERROR_MEMORY, "out of memory: %lld items of %zu bytes were requested", (long long)count,
           item_bytes);
  return NULL;
}

void ipg_release_array(const ipg_allocator *allocator, void *array, int64_t count, size_t item_bytes) {
  if (array) allocator->release(allocator->context, array, array_bytes(count, item_bytes));
}
