/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Looks at a file before the Exodus library does.
 *
 * The libraries below us trust a file: damaged ones make them allocate gigabytes, write past what they were given, or
 * never return. A file that passes is whole as far as its header goes, and everything in it that Exodus reads has the
 * type and the size that Exodus makes room for. What stands in the variables is for the reader to check. */
#ifndef IMPINGE_MESHIO_EXODUS_CHECK_H
#define IMPINGE_MESHIO_EXODUS_CHECK_H

#include "impinge/base.h"

ipg_status ipg_exodus_check(const char *path, const ipg_allocator *allocator, ipg_error *error);

#endif
