/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The messages of an HDF5 object header (version 2). */
#ifndef IMPINGE_MESHIO_HDF5_MESSAGES_H
#define IMPINGE_MESHIO_HDF5_MESSAGES_H

#include "hdf5_blocks.h"

/* HDF5's message types. */
enum {
  IPG_HDF5_DATASPACE = 1,
  IPG_HDF5_LINK_INFO = 2,
  IPG_HDF5_DATATYPE = 3,
  IPG_HDF5_LINK = 6,
  IPG_HDF5_LAYOUT = 8,
  IPG_HDF5_FILTERS = 11,
  IPG_HDF5_ATTRIBUTE = 12,
  IPG_HDF5_ATTRIBUTE_INFO = 21,
  IPG_HDF5_SHARED_DATATYPE = 256 /* not HDF5's: a message that says where the type is */
};

typedef ipg_status ipg_hdf5_message_reader(void *context, int type, ipg_bytes message);

/* Calls `read` for every message of an object's header. Shared messages other than types are refused:
 * netCDF-4 writes none. */
ipg_status ipg_hdf5_read_messages(ipg_hdf5 *h, int64_t object, ipg_hdf5_message_reader *read, void *context);

#endif
