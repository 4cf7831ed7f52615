/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Bounds-checked reading of a file through a small window.
 *
 * A parser requests bytes by their offset and gets a pointer to them, or NULL where the file has none, so no offset in
 * a damaged file can lead outside it. The size is the one at opening; the file may grow meanwhile. */
#ifndef IMPINGE_MESHIO_FILE_VIEW_H
#define IMPINGE_MESHIO_FILE_VIEW_H

#include "impinge/base.h"

#include <stdio.h>

enum { IPG_VIEW_BYTES = 4096 };

typedef struct ipg_view {
  FILE *file;
  const char *path; /* its end, short enough for a message */
  int64_t size;
  int64_t start, filled; /* the bytes of the file that the window holds */
  unsigned char window[IPG_VIEW_BYTES];
} ipg_view;

/* An empty file can be opened. */
ipg_status ipg_view_open(const char *path, ipg_view *view, ipg_error *error);
/* At most IPG_VIEW_BYTES bytes; the pointer is valid until the next call. NULL where the file has no such bytes. */
const unsigned char *ipg_view_get_bytes(ipg_view *view, int64_t at, int64_t count);
/* Copies any number of bytes; false where the file has no such bytes. */
bool ipg_view_copy_bytes(ipg_view *view, int64_t at, int64_t count, void *to);
void ipg_view_close(ipg_view *view);

/* Fails with "path: <what>: the file is damaged or was cut off, write it again", or, if reading failed, with a message
 * that it cannot be read. */
ipg_status ipg_view_report_damage(const ipg_view *view, ipg_error *error, const char *format, ...) IPG_PRINTF(3, 4);

#endif
