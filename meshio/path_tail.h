/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The end of a path: short enough for a message, and the part that tells files apart. */
#ifndef IMPINGE_MESHIO_PATH_TAIL_H
#define IMPINGE_MESHIO_PATH_TAIL_H

/* Points into `path`: its last 160 characters, or all of it. */
const char *ipg_path_tail(const char *path);

#endif
