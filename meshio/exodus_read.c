/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Reads an Exodus II file into a mesh, phase by phase, or fails with a message that says what is wrong with the file.
 *
 * Gate 4: every number of the file is checked before it is used as an index, and every element has a volume. The Exodus
 * library converts to 64-bit integers and doubles. Messages name path, block, node and element as the file does. */
#include "arrays.h"
#include "exodus_contents.h"
#include "exodus_reader.h"

static ipg_status read_contents(ipg_reader *r) {
  return ipg_exodus_read_contents(&r->file, &r->allocator, &r->contents, r->error);
}

static ipg_status run_phases(ipg_reader *r) {
  static ipg_status (*const phases[])(ipg_reader *) = {read_contents,
                                                       ipg_reader_read_blocks,
                                                       ipg_reader_read_elements,
                                                       ipg_reader_read_sets,
                                                       ipg_reader_read_attributes,
                                                       ipg_reader_drop_nodes,
                                                       ipg_reader_check_geometry};
  ipg_status status = IPG_OK;
  for (size_t i = 0; !status && i < sizeof phases / sizeof *phases; ++i) status = phases[i](r);
  return status;
}

ipg_status ipg_exodus_read(const char *path, const ipg_exodus_options *options, const ipg_allocator *allocator,
                           ipg_mesh *mesh, ipg_error *error) {
  if (!mesh) return ipg_fail(error, IPG_ERROR_ARGUMENT, "ipg_exodus_read needs a mesh for the result");
  *mesh = (ipg_mesh){0};
  ipg_reader r = {.allocator = ipg_choose_allocator(allocator), .error = error};
  if (options) r.options = *options;
  ipg_status status = ipg_exodus_open(path, &r.allocator, &r.file, error);
  if (status) return status;
  status = run_phases(&r);
  ex_close(r.file.id);
  ipg_contents_destroy(&r.contents);
  ipg_buffer_destroy(&r.scratch, &r.allocator);
  ipg_buffer_destroy(&r.kept_blocks, &r.allocator);
  ipg_buffer_destroy(&r.renumbered, &r.allocator);
  if (status) ipg_mesh_destroy(&r.mesh);
  *mesh = r.mesh;
  return status;
}
