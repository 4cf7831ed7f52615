/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What a path leads to. */
#ifndef IMPINGE_MESHIO_FILE_OPEN_H
#define IMPINGE_MESHIO_FILE_OPEN_H

#include <sys/stat.h>

/* "a folder", "a pipe" ...; NULL for a file. */
const char *ipg_file_describe_kind(mode_t mode);

#endif
