/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Is everything in a netCDF header that Exodus reads what Exodus takes it for? */
#ifndef IMPINGE_MESHIO_EXODUS_SCHEMA_H
#define IMPINGE_MESHIO_EXODUS_SCHEMA_H

#include "netcdf_header.h"

ipg_status ipg_exodus_check_schema(const ipg_view *view, const ipg_netcdf_header *header, ipg_error *error);

#endif
