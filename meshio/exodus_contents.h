/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Gate 3: the counts in an Exodus file fit each other. */
#ifndef IMPINGE_MESHIO_EXODUS_CONTENTS_H
#define IMPINGE_MESHIO_EXODUS_CONTENTS_H

#include "exodus_file.h"

/* Reads sizes, blocks, sets, fields and times. On failure nothing is left to free. */
ipg_status ipg_exodus_read_contents(const ipg_exodus_file *file, const ipg_allocator *allocator, ipg_contents *contents,
                                    ipg_error *error);

#endif
