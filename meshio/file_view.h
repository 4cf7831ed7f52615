/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A file looked at through a small window.
 *
 * Whoever parses a file asks for bytes by place and gets a pointer to them, or NULL where the file has none: no offset
 * that a damaged file holds can lead outside. The size is the one at opening; a file that grows meanwhile is fine. */
#ifndef IMPINGE_MESHIO_FILE_VIEW_H
#define IMPINGE_MESHIO_FILE_VIEW_H

#include "impinge/base.h"

#include <stdio.h>

enum { IPG_VIEW_BYTES = 4096 };

typedef struct ipg_view {
  FILE *file;
  const char *path; /* its end, short enough for a message */
  int64_t size;
  int64_t start, filled; /* what the window shows */
  unsigned char window[IPG_VIEW_BYTES];
} ipg_view;

/* An empty file is opened too. */
ipg_status ipg_view_open(const char *path, ipg_view *view, ipg_error *error);
/* At most IPG_VIEW_BYTES; they stay where they are until the next call. */
const unsigned char *ipg_view_at(ipg_view *view, int64_t at, int64_t count);
/* Any number of bytes into memory of the caller; false where the file has none. */
bool ipg_view_copy(ipg_view *view, int64_t at, int64_t count, void *to);
void ipg_view_close(ipg_view *view);

/* "path: <what>: the file is damaged or was cut off, write it again", or that it cannot be read if that was the cause.
 */
ipg_status ipg_view_damaged(const ipg_view *view, ipg_error *error, const char *format, ...) IPG_PRINTF(3, 4);

#endif
