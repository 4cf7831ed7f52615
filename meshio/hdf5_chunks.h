/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* HDF5's B-tree (version 1) of the chunks of a dataset, the older of the two kinds of chunk index. It has no checksums;
 * the newer kinds have. */
#ifndef IMPINGE_MESHIO_HDF5_CHUNKS_H
#define IMPINGE_MESHIO_HDF5_CHUNKS_H

#include "hdf5_blocks.h"

enum { IPG_HDF5_MAX_RANK = 32 };

typedef struct ipg_hdf5_chunks {
  int64_t tree;
  bool filtered;
  int64_t steps;  /* the length of an unlimited first axis, which the chunks must reach; else 0 */
  int dimensions; /* the rank plus one: the last is the size of a value; 0: not in chunks */
  int64_t lengths[IPG_HDF5_MAX_RANK + 1];
} ipg_hdf5_chunks;

ipg_status ipg_hdf5_check_chunks(ipg_hdf5 *h, const ipg_hdf5_chunks *chunks);

#endif
