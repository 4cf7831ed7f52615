/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* An Exodus file that is open for reading, with 64-bit integers and doubles whatever the file holds. */
#ifndef IMPINGE_MESHIO_EXODUS_FILE_H
#define IMPINGE_MESHIO_EXODUS_FILE_H

#include "exodus_traits.h"

#include <exodusII.h>

typedef struct ipg_exodus_file {
  int id;
  const char *path; /* its end, short enough for a message */
  ipg_exodus_traits traits;
} ipg_exodus_file;

/* The library's type of an element block or set, by label kind; of the owner of a field, by field kind. */
extern const ex_entity_type ipg_exodus_label_types[IPG_LABEL_KIND_COUNT];
extern const ex_entity_type ipg_exodus_field_types[IPG_FIELD_KIND_COUNT];

/* Checks the file (gates 1 and 2, exodus_check.h), then opens it with the Exodus library. */
ipg_status ipg_exodus_open(const char *path, const ipg_allocator *allocator, ipg_exodus_file *file, ipg_error *error);
/* Makes the library read names as long as they are in the file, which is `width` letters; without this it fails where
 * they are shorter than it would write them. False if there is no room for a name. */
bool ipg_exodus_set_name_width(const ipg_exodus_file *file, int64_t width);
/* Fails with a message that `what` cannot be read. */
ipg_status ipg_exodus_report_damage(const ipg_exodus_file *file, const char *what, ipg_error *error);

#endif
