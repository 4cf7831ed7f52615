/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* HDF5's dataspace and datatype messages: the shape and the type of a dataset or an attribute. */
#ifndef IMPINGE_MESHIO_HDF5_TYPES_H
#define IMPINGE_MESHIO_HDF5_TYPES_H

#include "hdf5_chunks.h"

typedef struct ipg_hdf5_space {
  int rank;
  int64_t extents[IPG_HDF5_MAX_RANK];
  bool unlimited[IPG_HDF5_MAX_RANK];
  int64_t values; /* their number; INT64_MAX if it is larger than that */
} ipg_hdf5_space;

/* HDF5's numbers of datatype classes. */
enum {
  IPG_HDF5_UNKNOWN = -1,
  IPG_HDF5_FIXED = 0,
  IPG_HDF5_FLOATING = 1,
  IPG_HDF5_STRING = 3,
  IPG_HDF5_REFERENCE = 7,
  IPG_HDF5_VARIABLE_LENGTH = 9
};

typedef struct ipg_hdf5_type {
  int class, base; /* base: the class of the entries of a variable length */
  bool big_endian;
  int64_t bytes, base_bytes;
} ipg_hdf5_type;

/* Both return false for a message that is damaged or not of a kind that netCDF-4 writes. */
bool ipg_hdf5_read_space(ipg_bytes message, ipg_hdf5_space *space);
bool ipg_hdf5_read_type(ipg_bytes message, ipg_hdf5_type *type);

#endif
