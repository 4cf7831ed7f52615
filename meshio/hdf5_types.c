/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "hdf5_types.h"

bool ipg_hdf5_read_space(ipg_bytes b, ipg_hdf5_space *s) {
  enum { HAS_MAXIMA = 1, NULL_SPACE = 2 };
  const int version = (int)ipg_bytes_read_number(&b, 1);
  *s = (ipg_hdf5_space){.rank = (int)ipg_bytes_read_number(&b, 1), .values = 1};
  const bool maxima = ipg_bytes_read_number(&b, 1) & HAS_MAXIMA;
  const int kind = version == 2 ? (int)ipg_bytes_read_number(&b, 1) : (ipg_bytes_skip(&b, 5), 0);
  if (version < 1 || version > 2 || s->rank > IPG_HDF5_MAX_RANK) return false;
  if (kind == NULL_SPACE) s->values = 0;
  for (int d = 0; d < s->rank; ++d) {
    const int64_t n = s->extents[d] = ipg_bytes_read_address(&b);
    if (n < 0) return false;
    s->values = n && s->values > INT64_MAX / n ? INT64_MAX : s->values * n;
  }
  for (int d = 0; d < s->rank && maxima; ++d) s->unlimited[d] = ipg_bytes_read_number(&b, 8) == UINT64_MAX;
  return !b.ended;
}

bool ipg_hdf5_read_type(ipg_bytes b, ipg_hdf5_type *t) {
  const int head = (int)ipg_bytes_read_number(&b, 1);
  *t = (ipg_hdf5_type){.class = head & 15, .base = IPG_HDF5_UNKNOWN, .big_endian = ipg_bytes_read_number(&b, 3) & 1};
  t->bytes = (int64_t)ipg_bytes_read_number(&b, 4);
  if (t->class == IPG_HDF5_VARIABLE_LENGTH) {
    t->base = (int)ipg_bytes_read_number(&b, 1) & 15;
    ipg_bytes_skip(&b, 3);
    t->base_bytes = (int64_t)ipg_bytes_read_number(&b, 4);
  }
  return !b.ended;
}
