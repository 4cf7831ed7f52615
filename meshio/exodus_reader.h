/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The state of reading an Exodus file into a mesh, shared by the phases that exodus_read.c runs one after another.
 *
 * While it is read, the mesh has all nodes of the file; nodes that no kept element uses are dropped by the last phase
 * but one. */
#ifndef IMPINGE_MESHIO_EXODUS_READER_H
#define IMPINGE_MESHIO_EXODUS_READER_H

#include "exodus_file.h"

typedef struct ipg_reader {
  ipg_exodus_file file;
  ipg_exodus_options options;
  ipg_allocator allocator;
  ipg_error *error;
  ipg_contents contents;
  ipg_buffer scratch;     /* what the library returns is read into this */
  ipg_buffer kept_blocks; /* int: of each block of the mesh, its index in the file */
  ipg_buffer renumbered;  /* ipg_id: of each element of the file, its index in the mesh, or -1 */
  bool leaves_out;        /* some block of the file is not kept */
  ipg_mesh mesh;
} ipg_reader;

/* ---- helpers of all phases: exodus_reader.c */

/* Fails with a message that `what` cannot be read. */
ipg_status ipg_reader_report_damage(const ipg_reader *r, const char *what);
ipg_status ipg_reader_reserve_scratch(ipg_reader *r, int64_t count, size_t item_bytes);
/* Reports to the caller what is left out. */
void ipg_reader_report_left_out(const ipg_reader *r, const char *format, ...) IPG_PRINTF(2, 3);

/* ---- phases, in their order */

/* exodus_read_blocks.c: chooses the blocks to keep, allocates the mesh, and sets ids and names of blocks and sets. */
ipg_status ipg_reader_read_blocks(ipg_reader *r);
/* exodus_read_elements.c: coordinates, numbers of nodes and elements, connectivity. */
ipg_status ipg_reader_read_elements(ipg_reader *r);
/* exodus_read_sets.c: node and side sets with their distribution factors, without entries of elements not kept. */
ipg_status ipg_reader_read_sets(ipg_reader *r);
/* exodus_read_attributes.c: attributes, properties, names of axes, QA and information records. */
ipg_status ipg_reader_read_attributes(ipg_reader *r);
/* exodus_drop_nodes.c: if something may be left out, drops the nodes that no element uses. */
ipg_status ipg_reader_drop_nodes(ipg_reader *r);
/* exodus_check_geometry.c: finite positions and positive volumes. */
ipg_status ipg_reader_check_geometry(ipg_reader *r);

#endif
