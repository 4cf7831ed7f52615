/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A cursor over bytes in memory: numbers and addresses of an HDF5 file are read one after another.
 *
 * When too few bytes are left, the value read is 0 and `ended` is set and stays set, so a sequence of reads needs one
 * check at its end. Numbers are little-endian; addresses and lengths have eight bytes, as in all files of netCDF. */
#ifndef IMPINGE_MESHIO_HDF5_BYTES_H
#define IMPINGE_MESHIO_HDF5_BYTES_H

#include <stdbool.h>
#include <stdint.h>

enum { IPG_HDF5_UNDEFINED = -1 }; /* HDF5's undefined address: all bits set */

typedef struct ipg_bytes {
  const unsigned char *at;
  int64_t left;
  bool ended;
} ipg_bytes;

uint64_t ipg_bytes_read_number(ipg_bytes *bytes, int width);
/* IPG_HDF5_UNDEFINED for the undefined address; INT64_MAX for one beyond the end of any file. */
int64_t ipg_bytes_read_address(ipg_bytes *bytes);
/* Returns where the skipped bytes start. */
const unsigned char *ipg_bytes_skip(ipg_bytes *bytes, int64_t count);
/* Skips `count` bytes and returns a cursor over them. */
ipg_bytes ipg_bytes_split(ipg_bytes *bytes, int64_t count);

#endif
