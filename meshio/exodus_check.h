/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Checks a file before the Exodus library opens it.
 *
 * The Exodus, netCDF and HDF5 libraries trust a file: a damaged one makes them allocate gigabytes, write beyond their
 * memory, or never return. So a file passes four gates, each of which relies on the ones before:
 * 1. the bytes of its header fit the size of the file (netcdf_classic.c, netcdf_hdf5.c and hdf5_*.c);
 * 2. its variables have the types and shapes that the Exodus library assumes (exodus_schema.c);
 * then the library opens it (exodus_file.c), and
 * 3. the counts fit each other (exodus_contents.c);
 * 4. the numbers are indices, volumes and positions (exodus_read.c).
 * This file is gates 1 and 2. */
#ifndef IMPINGE_MESHIO_EXODUS_CHECK_H
#define IMPINGE_MESHIO_EXODUS_CHECK_H

#include "exodus_traits.h"

ipg_status ipg_exodus_check(const char *path, const ipg_allocator *allocator, ipg_exodus_traits *traits,
                            ipg_error *error);

#endif
