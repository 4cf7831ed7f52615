/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An ipg_allocator that watches: it counts, knows how many bytes live, and refuses the n-th allocation (one refusal;
 * the next one succeeds again, so that a test sees whether the object is still usable).
 * Every block remembers its size, so a release that names another size is caught. Fresh memory is filled with a
 * pattern, so that nobody relies on zeros. Not for use inside tasks, where Impinge promises not to allocate. */
#ifndef IMPINGE_TESTS_FAILING_ALLOCATOR_H
#define IMPINGE_TESTS_FAILING_ALLOCATOR_H

#include "impinge/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct failing_allocator {
  int64_t fail_at; /* 1 is the first allocation; 0 refuses none */
  int64_t allocations, refusals, live_blocks, live_bytes, wrong_releases;
} failing_allocator;

enum { FAILING_HEADER = 64 }; /* keeps the alignment of malloc */

static inline void *failing_allocate(void *context, size_t bytes) {
  failing_allocator *self = context;
  if (++self->allocations == self->fail_at) {
    self->refusals++;
    return NULL;
  }
  char *block = malloc(bytes + FAILING_HEADER);
  if (!block) return NULL;
  memcpy(block, &bytes, sizeof bytes);
  memset(block + FAILING_HEADER, 0xa5, bytes);
  self->live_blocks++;
  self->live_bytes += (int64_t)bytes;
  return block + FAILING_HEADER;
}

static inline void failing_release(void *context, void *memory, size_t bytes) {
  failing_allocator *self = context;
  char *block = (char *)memory - FAILING_HEADER;
  size_t asked;
  memcpy(&asked, block, sizeof asked);
  self->wrong_releases += asked != bytes;
  self->live_blocks--;
  self->live_bytes -= (int64_t)asked;
  free(block);
}

static inline ipg_allocator failing_allocator_of(failing_allocator *self) {
  return (ipg_allocator){failing_allocate, failing_release, self};
}

#endif
