/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Gate 2: everything in a netCDF header that the Exodus library reads has the type and the shape that it assumes. */
#ifndef IMPINGE_MESHIO_EXODUS_SCHEMA_H
#define IMPINGE_MESHIO_EXODUS_SCHEMA_H

#include "exodus_traits.h"

/* Finds the traits of the file too. */
ipg_status ipg_exodus_check_schema(const ipg_view *view, const ipg_netcdf_header *header, ipg_exodus_traits *traits,
                                   ipg_error *error);

#endif
