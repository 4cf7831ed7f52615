/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An ipg_allocator that counts allocations and live bytes, and refuses the n-th allocation (one refusal; the next one
 * succeeds again, so that a test sees whether the object is still usable).
 * Every block remembers its size, so a release that names another size is caught. Fresh memory is filled with a
 * pattern, so that code which relies on zeros fails. Not for use inside tasks, where Impinge does not allocate. */
#ifndef IMPINGE_TESTS_FAILING_ALLOCATOR_H
#define IMPINGE_TESTS_FAILING_ALLOCATOR_H

#include "impinge/base.h"

#include <stdlib.h>
#include <string.h>

typedef struct failing_allocator {
  int64_t fail_at; /* 1 is the first allocation; 0 refuses none */
  int64_t allocations, refusals, live_blocks, live_bytes, wrong_releases;
} failing_allocator;

ipg_allocator failing_allocator_of(failing_allocator *self);

/* The functions of that allocator; context is a failing_allocator. */
void *failing_allocate(void *context, size_t bytes);
void failing_release(void *context, void *memory, size_t bytes);

#endif
