/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge diff A B`: do two meshes or result files say the same?
 *
 * Differences go to stdout, trouble to stderr, and the exit code is that of diff: 0 the same, 1 different, 2 trouble,
 * so that a script cannot take trouble for an answer. What holds no tetrahedra is left out of the meshes, and that is
 * said. */
#include "app.h"
#include "args.h"
#include "compare.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <stdlib.h>

static const char command[] = "impinge diff";

enum { SAME, DIFFERENT, TROUBLE };

/* ----------------------------------------------------------------------------------------------------------- read */

static void say(void *context, const char *line) {
  (void)context;
  fprintf(stderr, "%s: %s\n", command, line);
}

/* From places in the file to local numbers; without a map they are the same. */
static ipg_status invert(const ipg_id *file_places, int64_t count, int64_t file_count, ipg_id **local_at,
                         ipg_error *error) {
  if (!file_places) return IPG_OK;
  *local_at = malloc((size_t)(file_count + 1) * sizeof **local_at);
  if (!*local_at) return ipg_fail(error, IPG_ERROR_MEMORY, "no memory for the places of a file");
  for (int64_t i = 0; i < file_count; i++) (*local_at)[i] = -1;
  for (int64_t i = 0; i < count; i++) (*local_at)[file_places[i]] = (ipg_id)i;
  return IPG_OK;
}

static bool has_others(const ipg_contents *contents) {
  for (int b = 0; b < contents->block_count; b++)
    if (!contents->blocks[b].tetrahedra) return true;
  return false;
}

static ipg_status read_side(compare_side *side, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_exodus_options options = {.keep_bad_elements = true, .report = say};
  ipg_mesh *mesh = &side->mesh;
  ipg_status status = ipg_results_open(side->path, &allocator, &side->results, error);
  if (status) return status;
  side->contents = ipg_results_contents(side->results);
  options.leave_out_others = has_others(side->contents);
  status = ipg_exodus_read(side->path, &options, &allocator, mesh, error);
  if (!status) status = invert(mesh->file_nodes, mesh->node_count, mesh->file_node_count, &side->node_at, error);
  if (!status)
    status = invert(mesh->file_elements, mesh->element_count, mesh->file_element_count, &side->element_at, error);
  return status;
}

static void free_side(compare_side *side) {
  free(side->node_at);
  free(side->element_at);
  ipg_mesh_destroy(&side->mesh);
  ipg_results_reader_destroy(&side->results);
}

/* -------------------------------------------------------------------------------------------------------- compare */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int conclude(const compare *c) {
  if (c->difference_count)
    fprintf(c->to, "%s and %s differ: %lld difference%s\n", c->a.path, c->b.path, (long long)c->difference_count,
            c->difference_count > 1 ? "s" : "");
  else
    fprintf(c->to, "%s and %s agree: %lld steps, %lld fields\n", c->a.path, c->b.path,
            (long long)least(c->a.contents->step_count, c->b.contents->step_count), (long long)c->field_count);
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
  else code = conclude(c);
  free_side(&c->a);
  free_side(&c->b);
  return code;
}

int app_diff(int argc, char **argv) {
  compare c = {.relative = 1e-6, .to = stdout};
  args_option options[] = {
      {"--relative", ARGS_NOT_NEGATIVE, &c.relative, "R",
       "share of the larger number that two may be apart, default 1e-6", false, false},
      {"--floor", ARGS_NOT_NEGATIVE, &c.floor, "F", "what they may be apart in any case, default 0", false, false},
      {"--ignore", ARGS_STRING, &c.ignored, "VAR,...", "fields of any kind that do not count", false, false},
  };
  args_word words[] = {{"A", "an Exodus II file", &c.a.path}, {"B", "another", &c.b.path}};
  args_table table = {
      command,
      "Tells what two files say differently: mesh, blocks, sets, steps and every field of them, each as\n"
      "one line with the largest difference. Nodes, elements, blocks and sets are compared in the order\n"
      "of the files, fields and properties by name. Title, QA and information records are not compared.\n"
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
