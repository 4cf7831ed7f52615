/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads the header of a netCDF-4 file, which is an HDF5 file. */
#ifndef IMPINGE_MESHIO_NETCDF_HDF5_H
#define IMPINGE_MESHIO_NETCDF_HDF5_H

#include "netcdf_header.h"

ipg_status ipg_netcdf_read_hdf5(ipg_view *view, ipg_netcdf_header *header, ipg_error *error);

#endif
