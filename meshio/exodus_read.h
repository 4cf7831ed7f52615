/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the files share that turn an Exodus file into a mesh: the file, what its header says, what of it is kept, and
 * the mesh so far. While it is read, a mesh has all nodes of the file; those that nothing kept uses go last. */
#ifndef IMPINGE_MESHIO_EXODUS_READ_H
#define IMPINGE_MESHIO_EXODUS_READ_H

#include "exodus_file.h"

typedef struct ipg_reader {
  ipg_exodus_file file;
  ipg_exodus_options options;
  ipg_allocator allocator;
  ipg_error *error;
  ipg_contents contents;
  ipg_buffer scratch;
  ipg_buffer kept_blocks; /* int: of each block of the mesh, its place in the file */
  ipg_buffer renumbered;  /* ipg_id: of each element of the file, its place in the mesh, or -1 */
  bool leaves_out;        /* some block of the file is not kept */
  ipg_mesh mesh;
} ipg_reader;

ipg_status ipg_reader_damaged(const ipg_reader *r, const char *what);
ipg_status ipg_reader_reserve(ipg_reader *r, int64_t count, size_t item_bytes);
/* Tells whoever listens what is left out. */
void ipg_reader_say(const ipg_reader *r, const char *format, ...) IPG_PRINTF(2, 3);

/* Sets with their factors, without what belongs to elements that are not kept. */
ipg_status ipg_reader_read_sets(ipg_reader *r);
/* Attributes, properties, names of axes, records. */
ipg_status ipg_reader_read_extras(ipg_reader *r);
/* Leaves out the nodes that no element uses, if anything was left out. */
ipg_status ipg_reader_drop_nodes(ipg_reader *r);

#endif
