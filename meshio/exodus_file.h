/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An Exodus file open for reading, with 64-bit numbers and doubles whatever it holds, and what its header says. */
#ifndef IMPINGE_MESHIO_EXODUS_FILE_H
#define IMPINGE_MESHIO_EXODUS_FILE_H

#include "internal.h"

#include <exodusII.h>

typedef struct ipg_exodus_file {
  int id;
  const char *path; /* its end, short enough for a message */
} ipg_exodus_file;

/* The type of an element block or set in the library, by label kind; of the owner of a field, by field kind. */
extern const ex_entity_type ipg_exodus_label_types[IPG_LABEL_KIND_COUNT];
extern const ex_entity_type ipg_exodus_field_types[IPG_FIELD_KIND_COUNT];

const char *ipg_path_tail(const char *path);
ipg_status ipg_exodus_open(const char *path, const ipg_allocator *allocator, ipg_exodus_file *file, ipg_error *error);
ipg_status ipg_exodus_damaged(const ipg_exodus_file *file, const char *what, ipg_error *error);
/* On failure nothing is left to free. */
ipg_status ipg_exodus_read_contents(const ipg_exodus_file *file, const ipg_allocator *allocator, ipg_contents *contents,
                                    ipg_error *error);

#endif
