/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/failing_allocator.h"

enum { HEADER_BYTES = 64 }; /* keeps the alignment of malloc */

void *failing_allocate(void *context, size_t bytes) {
  failing_allocator *self = context;
  if (++self->allocations == self->fail_at) {
    self->refusals++;
    return NULL;
  }
  char *block = malloc(bytes + HEADER_BYTES);
  if (!block) return NULL;
  memcpy(block, &bytes, sizeof bytes);
  memset(block + HEADER_BYTES, 0xa5, bytes);
  self->live_blocks++;
  self->live_bytes += (int64_t)bytes;
  return block + HEADER_BYTES;
}

void failing_release(void *context, void *memory, size_t bytes) {
  failing_allocator *self = context;
  char *block = (char *)memory - HEADER_BYTES;
  size_t size;
  memcpy(&size, block, sizeof size);
  self->wrong_releases += size != bytes;
  self->live_blocks--;
  self->live_bytes -= (int64_t)size;
  free(block);
}

ipg_allocator failing_allocator_of(failing_allocator *self) {
  return (ipg_allocator){failing_allocate, failing_release, self};
}
