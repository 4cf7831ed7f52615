/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "hdf5_bytes.h"

#include <stddef.h>

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

uint64_t ipg_bytes_read_number(ipg_bytes *b, int width) {
  const unsigned char *at = ipg_bytes_skip(b, width);
  uint64_t number = 0;
  for (int i = at ? width - 1 : -1; i >= 0; --i) number = number << 8 | at[i];
  return number;
}

int64_t ipg_bytes_read_address(ipg_bytes *b) {
  const uint64_t number = ipg_bytes_read_number(b, 8);
  return number == UINT64_MAX ? IPG_HDF5_UNDEFINED : number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

ipg_bytes ipg_bytes_split(ipg_bytes *b, int64_t count) {
  const unsigned char *at = ipg_bytes_skip(b, count);
  return (ipg_bytes){at, at ? count : 0, !at};
}
