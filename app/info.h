/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The facts that `impinge info` collects about a file. Each part may fail without the others: then its has_... flag is
 * false and its error gives the reason. */
#ifndef IMPINGE_APP_INFO_H
#define IMPINGE_APP_INFO_H

#include "duplicate_nodes.h"
#include "quality.h"

typedef struct info {
  const char *path;
  ipg_contents contents;
  ipg_provenance provenance; /* deck NULL: of no run */
  bool has_mesh, has_skin, has_pinches, has_duplicates;
  ipg_mesh mesh; /* the tetrahedra, including bad ones */
  app_quality quality;
  int64_t unattached_count; /* nodes of no element */
  ipg_id first_unattached;
  ipg_skin skin;
  ipg_skin_pinches pinches;
  duplicates duplicates;
  ipg_error mesh_error, skin_error, other_error; /* status IPG_OK: nothing failed */
} info;

/* Writes "ok", or "no: " and the reason why a run would refuse the block. */
enum { INFO_VERDICT_BYTES = 96 };
void info_check_block(const info *i, int block, char verdict[INFO_VERDICT_BYTES]);

void info_print_tables(const info *i);
void info_print_warnings(const info *i);

#endif
