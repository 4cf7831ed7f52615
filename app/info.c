/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge info FILE`: prints the contents of a mesh or result file as text that is easy to read and to grep.
 *
 * Any Exodus II file is described by its header. If it has tetrahedra, these are read even if they are bad, and all
 * facts are collected before the first line is printed. A file that a run would refuse is a warning, not a failure. */
#include "info.h"
#include "app.h"
#include "args.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <stdio.h>
#include <stdlib.h>

static const char command[] = "impinge info";

/* ------------------------------------------------------------------------------------------------------- collect */

static int64_t count_tetrahedra(const ipg_contents *contents) {
  int64_t count = 0;
  for (int b = 0; contents->dimensions == 3 && b < contents->block_count; b++)
    if (contents->blocks[b].tetrahedra) count += contents->blocks[b].count;
  return count;
}

static void mark_nodes(bool *used, const ipg_id *nodes, int64_t count) {
  for (int64_t k = 0; k < count; k++) used[nodes[k]] = true;
}

static ipg_status find_unattached_nodes(info *i, ipg_error *error) {
  const ipg_mesh *mesh = &i->mesh;
  bool *used = calloc((size_t)mesh->node_count + 1, sizeof *used);
  if (!used) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory while looking for nodes without an element");
  mark_nodes(used, mesh->tets, 4 * mesh->element_count);
  mark_nodes(used, mesh->middles, 6 * mesh->quadratic_count);
  for (int64_t n = mesh->node_count - 1; n >= 0; n--)
    if (!used[n]) i->unattached_count++, i->first_unattached = (ipg_id)n;
  free(used);
  return IPG_OK;
}

static void collect_skin(info *i, const ipg_allocator *allocator) {
  ipg_tasks tasks = ipg_tasks_serial();
  i->has_skin = !ipg_skin_build(&i->mesh, allocator, &tasks, &i->skin, &i->skin_error);
  i->has_pinches = i->has_skin && !ipg_skin_find_pinches(&i->skin, allocator, &i->pinches, &i->other_error);
}

/* leave_out_others also removes every node without a tetrahedron. It is set only if the file has other elements, so
 * that nodes without an element are found and counted. */
static void collect_mesh(info *i, const ipg_allocator *allocator) {
  bool has_others = count_tetrahedra(&i->contents) < i->contents.element_count;
  ipg_exodus_options options = {.leave_out_others = has_others, .keep_bad_elements = true};
  i->has_mesh = !ipg_exodus_read(i->path, &options, allocator, &i->mesh, &i->mesh_error);
  if (!i->has_mesh) return;
  i->quality = app_measure_quality(&i->mesh);
  find_unattached_nodes(i, &i->other_error);
  collect_skin(i, allocator);
  i->has_duplicates = !find_duplicates(&i->mesh, i->has_skin ? &i->skin : NULL, &i->duplicates, &i->other_error);
}

static ipg_status collect_info(info *i, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_status status = ipg_exodus_describe(i->path, &allocator, &i->contents, error);
  if (!status) status = ipg_exodus_read_provenance(i->path, &allocator, &i->provenance, error);
  if (!status && count_tetrahedra(&i->contents)) collect_mesh(i, &allocator);
  return status;
}

static void free_info(info *i) {
  ipg_skin_pinches_destroy(&i->pinches);
  ipg_skin_destroy(&i->skin);
  ipg_mesh_destroy(&i->mesh);
  ipg_provenance_destroy(&i->provenance);
  ipg_contents_destroy(&i->contents);
}

/* ---------------------------------------------------------------------------------------------------- the command */

static int describe_file(const char *path) {
  ipg_error error;
  info i = {.path = path};
  ipg_status status = collect_info(&i, &error);
  if (!status) {
    info_print_tables(&i);
    info_print_warnings(&i);
  }
  free_info(&i);
  return status ? app_fail(command, &error) : 0;
}

static ipg_status write_deck(const ipg_provenance *p, const char *path, ipg_error *error) {
  if (!p->deck)
    return ipg_fail(error, IPG_ERROR_FORMAT, "%s records no deck: give the result file of impinge run",
                    args_tail(path));
  fwrite(p->deck, 1, (size_t)p->deck_bytes, stdout);
  return IPG_OK;
}

static int print_deck(const char *path) {
  ipg_error error;
  ipg_provenance provenance;
  ipg_status status = ipg_exodus_read_provenance(path, NULL, &provenance, &error);
  if (!status) status = write_deck(&provenance, path, &error);
  ipg_provenance_destroy(&provenance);
  return status ? app_fail(command, &error) : 0;
}

int app_info(int argc, char **argv) {
  const char *path = NULL;
  bool deck = false;
  args_option options[] = {
      {"--deck", ARGS_FLAG, &deck, NULL, "print nothing but the deck of the run that wrote FILE, byte for byte", false,
       false},
  };
  args_word words[] = {{"FILE", "an Exodus II file", &path}};
  args_table table = {
      command,
      "Prints the contents of a mesh or result file: which program wrote it, from which deck, and whether the\n"
      "run is complete; blocks, sets, fields, steps; volume, quality, bodies and skin of its tetrahedra; and\n"
      "at the end warnings of what a run would refuse.\n"
      "Exit code: 0 printed, with warnings or without, 1 failed, 2 wrong command line.",
      "impinge info bar.exo",
      words,
      1,
      options,
      sizeof options / sizeof options[0]};
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  return deck ? print_deck(path) : describe_file(path);
}

#endif
