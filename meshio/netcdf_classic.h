/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads the header of a classic netCDF file: CDF-1, CDF-2 (64-bit offsets) or CDF-5. */
#ifndef IMPINGE_MESHIO_NETCDF_CLASSIC_H
#define IMPINGE_MESHIO_NETCDF_CLASSIC_H

#include "netcdf_header.h"

ipg_status ipg_netcdf_read_classic(ipg_view *view, ipg_netcdf_header *header, ipg_error *error);

#endif
