/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* HDF5's dense storage: links or attributes that are too many for the object header, in a fractal heap with B-trees. */
#ifndef IMPINGE_MESHIO_HDF5_DENSE_STORAGE_H
#define IMPINGE_MESHIO_HDF5_DENSE_STORAGE_H

#include "hdf5_messages.h"

/* Addresses of the heap and of its B-trees; IPG_HDF5_UNDEFINED where there is none. */
typedef struct ipg_hdf5_storage {
  int64_t heap, by_name, by_order;
} ipg_hdf5_storage;

/* Calls `read` for every message of the storage, with this type; those too large for the heap's blocks are left out. */
ipg_status ipg_hdf5_read_storage(ipg_hdf5 *h, const ipg_hdf5_storage *storage, int type, ipg_hdf5_message_reader *read,
                                 void *context);

#endif
