/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge diff A B`: compares two mesh or result files.
 *
 * Differences go to stdout, errors to stderr, and the exit code is that of diff: 0 the same, 1 different, 2 trouble, so
 * that a script can distinguish a failure from a difference. Blocks without tetrahedra are left out of the meshes, with
 * a note on stderr. */
#include "app.h"
#include "args.h"
#include "compare.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <stdlib.h>

static const char command[] = "impinge diff";

enum { SAME, DIFFERENT, TROUBLE };

/* ----------------------------------------------------------------------------------------------------------- read */

/* Makes the map from positions in the file to local numbers, the inverse of `file_positions`. NULL stays NULL: both
 * numberings are the same. */
static ipg_status invert_map(const ipg_id *file_positions, int64_t count, int64_t file_count, ipg_id **local_at,
                             ipg_error *error) {
  if (!file_positions) return IPG_OK;
  *local_at = malloc((size_t)(file_count + 1) * sizeof **local_at);
  if (!*local_at) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the numbering of a file");
  for (int64_t i = 0; i < file_count; i++) (*local_at)[i] = -1;
  for (int64_t i = 0; i < count; i++) (*local_at)[file_positions[i]] = (ipg_id)i;
  return IPG_OK;
}

static bool has_other_blocks(const ipg_contents *contents) {
  for (int b = 0; b < contents->block_count; b++)
    if (!contents->blocks[b].tetrahedra) return true;
  return false;
}

static ipg_status read_side(compare_side *side, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_exodus_options options = {.keep_bad_elements = true, .report = app_print_note, .context = (void *)command};
  ipg_mesh *mesh = &side->mesh;
  ipg_status status = ipg_results_open(side->path, &allocator, &side->results, error);
  if (status) return status;
  side->contents = ipg_results_contents(side->results);
  options.leave_out_others = has_other_blocks(side->contents);
  status = ipg_exodus_read(side->path, &options, &allocator, mesh, error);
  if (!status) status = invert_map(mesh->file_nodes, mesh->node_count, mesh->file_node_count, &side->node_at, error);
  if (!status)
    status = invert_map(mesh->file_elements, mesh->element_count, mesh->file_element_count, &side->element_at, error);
  return status;
}

static void free_side(compare_side *side) {
  free(side->node_at);
  free(side->element_at);
  ipg_mesh_destroy(&side->mesh);
  ipg_results_reader_destroy(&side->results);
}

/* -------------------------------------------------------------------------------------------------------- compare */

static int64_t min_of_two(int64_t a, int64_t b) { return a < b ? a : b; }

static int print_summary(const compare *c) {
  if (c->difference_count)
    fprintf(c->to, "%s and %s differ: %lld difference%s\n", c->a.path, c->b.path, (long long)c->difference_count,
            c->difference_count > 1 ? "s" : "");
  else
    fprintf(c->to, "%s and %s agree: %lld steps, %lld fields\n", c->a.path, c->b.path,
            (long long)min_of_two(c->a.contents->step_count, c->b.contents->step_count), (long long)c->field_count);
  if (fflush(c->to) != 0 || ferror(c->to)) return TROUBLE;
  return c->difference_count ? DIFFERENT : SAME;
}

static int compare_files(compare *c) {
  ipg_error error;
  int code = TROUBLE;
  ipg_status status = read_side(&c->a, &error);
  if (!status) status = read_side(&c->b, &error);
  if (!status) compare_meshes(c);
  if (!status) status = compare_results(c, &error);
  if (status) app_fail(command, &error);
  else code = print_summary(c);
  free_side(&c->a);
  free_side(&c->b);
  return code;
}

int app_diff(int argc, char **argv) {
  compare c = {.relative = 1e-6, .to = stdout};
  args_option options[] = {
      {"--relative", ARGS_NOT_NEGATIVE, &c.relative, "R",
       "relative tolerance, a fraction of the larger of two numbers, default 1e-6", false, false},
      {"--floor", ARGS_NOT_NEGATIVE, &c.floor, "F", "absolute tolerance, default 0", false, false},
      {"--ignore", ARGS_STRING, &c.ignored, "VAR,...", "fields of any kind that are not compared", false, false},
  };
  args_word words[] = {{"A", "an Exodus II file", &c.a.path}, {"B", "another", &c.b.path}};
  args_table table = {
      command,
      "Compares mesh, blocks, sets, steps and every field of two files, and prints one line per difference,\n"
      "for a field with its largest difference. Nodes, elements, blocks and sets are compared in the order of\n"
      "the files, fields and properties by name. Title, QA and information records are not compared.\n"
      "Exit code: 0 the same, 1 different, 2 trouble.",
      "impinge diff yesterday.exo today.exo --relative 1e-9 --ignore contact_count",
      words,
      2,
      options,
      sizeof options / sizeof options[0]};
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  return compare_files(&c);
}

#endif
