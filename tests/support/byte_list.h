/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Bytes that grow as they are written: a recorded step in memory. The caller frees the data. */
#ifndef IMPINGE_TESTS_BYTE_LIST_H
#define IMPINGE_TESTS_BYTE_LIST_H

#include "support/suite.h"

typedef struct byte_list {
  unsigned char *data;
  size_t count, room;
} byte_list;

/* An ipg_write. */
static inline bool append_bytes(void *context, const void *from, size_t count) {
  byte_list *b = context;
  if (b->count + count > b->room) {
    b->room = 2 * (b->count + count);
    b->data = realloc(b->data, b->room);
    CU_ASSERT_FATAL(b->data != NULL);
  }
  memcpy(b->data + b->count, from, count);
  b->count += count;
  return true;
}

#endif
