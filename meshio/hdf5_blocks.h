/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The blocks of an HDF5 file, as far as netCDF-4 uses them: enough to find out that the file is complete before the
 * HDF5 library reads it.
 *
 * Nearly every block ends in a checksum, which is verified. Blocks without one (global heaps, trees of chunks) are
 * checked against the bounds of what they describe. A budget of bytes ends the walk through blocks that contain each
 * other. Only new-style groups with 64-bit addresses are supported: netCDF writes no others. */
#ifndef IMPINGE_MESHIO_HDF5_BLOCKS_H
#define IMPINGE_MESHIO_HDF5_BLOCKS_H

#include "file_view.h"
#include "hdf5_bytes.h"

typedef struct ipg_hdf5 {
  ipg_view *view;
  ipg_allocator allocator;
  ipg_error *error;
  int64_t budget; /* bytes of blocks that may still be loaded */
} ipg_hdf5;

/* Fails with a message that the file is damaged. */
ipg_status ipg_hdf5_report_damage(const ipg_hdf5 *h, const char *what);

/* Loads a block that starts with a signature; `body` is what follows the signature. */
ipg_status ipg_hdf5_load_block(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature, ipg_buffer *buffer,
                               ipg_bytes *body);
/* The same for a block that ends in its checksum; `body` ends before it. */
ipg_status ipg_hdf5_load_checked_block(ipg_hdf5 *h, int64_t at, int64_t bytes, const char *signature,
                                       ipg_buffer *buffer, ipg_bytes *body);
uint32_t ipg_hdf5_checksum(const unsigned char *bytes, int64_t count);

/* Reads the superblock: the address of the root group's header. */
ipg_status ipg_hdf5_find_root_group(ipg_hdf5 *h, int64_t *root);

#endif
