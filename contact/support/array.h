/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Typed arrays: a buffer that only grows (impinge/base.h), whose items have a type. Zero-initialise; items are at[i].
 */
#ifndef IMPINGE_SUPPORT_ARRAY_H
#define IMPINGE_SUPPORT_ARRAY_H

#include "impinge/base.h"

#define IPG_ARRAY(type)                                                                                                \
  union {                                                                                                              \
    type *at;                                                                                                          \
    ipg_buffer buffer;                                                                                                 \
  }

/* Number of items there is room for. */
#define ipg_array_capacity(array) ((int64_t)((array)->buffer.bytes / sizeof *(array)->at))

/* As the functions of the same names on buffers. */
#define ipg_array_reserve(array, allocator, count, error)                                                              \
  ipg_buffer_reserve(&(array)->buffer, allocator, count, sizeof *(array)->at, error)
#define ipg_array_reserve_ahead(array, allocator, count, error)                                                        \
  ipg_buffer_reserve_ahead(&(array)->buffer, allocator, count, sizeof *(array)->at, error)
#define ipg_array_grow(array, allocator, keep, count, error)                                                           \
  ipg_buffer_grow(&(array)->buffer, allocator, keep, count, sizeof *(array)->at, error)
#define ipg_array_destroy(array, allocator) ipg_buffer_destroy(&(array)->buffer, allocator)

#endif
