/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge info FILE`: what a mesh or result file holds, as text that is easy to read and to grep.
 *
 * Any Exodus II file is described by its header. If it holds tetrahedra these are read whatever is wrong with them, and
 * everything that can be found out is, before the first line is printed. That a run would refuse the file is a warning
 * and no failure. */
#include "info.h"
#include "app.h"
#include "args.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <stdio.h>
#include <stdlib.h>

static const char command[] = "impinge info";

/* ------------------------------------------------------------------------------------------------------- find out */

static int64_t count_tetrahedra(const ipg_contents *contents) {
  int64_t count = 0;
  for (int b = 0; contents->dimensions == 3 && b < contents->block_count; b++)
    if (contents->blocks[b].tetrahedra) count += contents->blocks[b].count;
  return count;
}

static void mark(bool *used, const ipg_id *nodes, int64_t count) {
  for (int64_t k = 0; k < count; k++) used[nodes[k]] = true;
}

static ipg_status find_unattached(info *i, ipg_error *error) {
  const ipg_mesh *mesh = &i->mesh;
  bool *used = calloc((size_t)mesh->node_count + 1, sizeof *used);
  if (!used) return ipg_fail(error, IPG_ERROR_MEMORY, "no memory to look for nodes of no element");
  mark(used, mesh->tets, 4 * mesh->element_count);
  mark(used, mesh->middles, 6 * mesh->quadratic_count);
  for (int64_t n = mesh->node_count - 1; n >= 0; n--)
    if (!used[n]) i->unattached_count++, i->first_unattached = (ipg_id)n;
  free(used);
  return IPG_OK;
}

static void study_skin(info *i, const ipg_allocator *allocator) {
  ipg_tasks tasks = ipg_tasks_serial();
  i->has_skin = !ipg_skin_build(&i->mesh, allocator, &tasks, &i->skin, &i->skin_error);
  i->has_pinches = i->has_skin && !ipg_skin_find_pinches(&i->skin, allocator, &i->pinches, &i->other_error);
}

/* Leaving out takes every node of no tetrahedron with it: only where there are others, lest lonely nodes go unseen. */
static void study_mesh(info *i, const ipg_allocator *allocator) {
  bool has_others = count_tetrahedra(&i->contents) < i->contents.element_count;
  ipg_exodus_options options = {.leave_out_others = has_others, .keep_bad_elements = true};
  i->has_mesh = !ipg_exodus_read(i->path, &options, allocator, &i->mesh, &i->mesh_error);
  if (!i->has_mesh) return;
  i->quality = app_measure(&i->mesh);
  find_unattached(i, &i->other_error);
  study_skin(i, allocator);
  i->has_duplicates = !find_duplicates(&i->mesh, i->has_skin ? &i->skin : NULL, &i->duplicates, &i->other_error);
}

static ipg_status study(info *i, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_status status = ipg_exodus_describe(i->path, &allocator, &i->contents, error);
  if (!status && count_tetrahedra(&i->contents)) study_mesh(i, &allocator);
  return status;
}

static void forget(info *i) {
  ipg_skin_pinches_destroy(&i->pinches);
  ipg_skin_destroy(&i->skin);
  ipg_mesh_destroy(&i->mesh);
  ipg_contents_destroy(&i->contents);
}

/* ---------------------------------------------------------------------------------------------------- the command */

static int describe(const char *path) {
  ipg_error error;
  info i = {.path = path};
  ipg_status status = study(&i, &error);
  if (!status) {
    info_print_tables(&i);
    info_print_warnings(&i);
  }
  forget(&i);
  return status ? app_fail(command, &error) : 0;
}

int app_info(int argc, char **argv) {
  const char *path = NULL;
  args_word words[] = {{"FILE", "an Exodus II file", &path}};
  args_table table = {
      command,
      "Tells what a mesh or result file holds: blocks, sets, fields, steps; of its tetrahedra the volume,\n"
      "quality, bodies and skin; and at the end what a run would stumble over.\n"
      "Exit code: 0 described, with warnings or without, 1 failed, 2 misused.",
      "impinge info bar.exo",
      words,
      1,
      NULL,
      0};
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  return describe(path);
}

#endif
