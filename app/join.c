/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge join A ... B ... -o FILE`: joins mesh files into one.
 *
 * Each file is read, displaced to a result step, moved, renamed, checked and appended, in this order. The output is
 * written after all files are joined, and never over an input file. --name renames all blocks and sets of a file, so
 * that it resolves every clash of names. */
#include "app.h"
#include "args.h"
#include "transform.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "impinge join";

/* The options of a file, in the order of their table. */
enum { TRANSLATE, ROTATE, SCALE, NAME, STEP, FILE_OPTIONS };

typedef struct join_input {
  const char *path, *name; /* NULL: names stay */
  bool given[FILE_OPTIONS];
  int step;
  transform moves;
} join_input;

typedef struct join {
  join_input *inputs;
  int input_count;
  const char *output;
  bool force, leave_out_others;
  /* The values read last by the parser. */
  const args_option *options;
  const char *path, *name;
  double translation[3], rotation[4], factor;
  int step;
} join;

/* ---------------------------------------------------------------------------------------------------------- names */

/* OLD becomes NEW, OLD_top becomes NEW_top, every other label gets the prefix NEW_. */
static ipg_status rename_label(ipg_name label, const char *old, const char *name, ipg_error *error) {
  ipg_name renamed;
  size_t length = strlen(old);
  bool carries = length && strncmp(label, old, length) == 0 && label[length] == '_';
  const char *tail = carries ? label + length + 1 : label;
  bool whole = strcmp(label, old) == 0;
  int needed = snprintf(renamed, sizeof renamed, "%s%s%s", name, whole ? "" : "_", whole ? "" : tail);
  if (needed >= (int)sizeof renamed)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "--name makes '%.80s' longer than %d characters: give a shorter one",
                    label, IPG_NAME_MAX - 1);
  memcpy(label, renamed, sizeof renamed);
  return IPG_OK;
}

static ipg_status rename_all(ipg_mesh *mesh, const char *name, ipg_error *error) {
  ipg_name old = "";
  ipg_status status = IPG_OK;
  if (!name[0]) return ipg_fail(error, IPG_ERROR_ARGUMENT, "--name is empty: give a name");
  if (mesh->block_count == 1) memcpy(old, mesh->blocks[0].name, sizeof old);
  for (int i = 0; !status && i < mesh->block_count; i++) status = rename_label(mesh->blocks[i].name, old, name, error);
  for (int i = 0; !status && i < mesh->node_set_count; i++)
    status = rename_label(mesh->node_sets[i].name, old, name, error);
  for (int i = 0; !status && i < mesh->side_set_count; i++)
    status = rename_label(mesh->side_sets[i].name, old, name, error);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- inputs */

static ipg_status add_displacement(const join_input *input, ipg_results_reader *results, ipg_mesh *mesh,
                                   ipg_error *error) {
  int64_t count = ipg_results_contents(results)->step_count;
  if (input->step > count || !count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s has %lld steps: give one of them to --step, or leave --step out",
                    args_tail(input->path), (long long)count);
  return ipg_mesh_displace(mesh, results, input->step == ARGS_LAST_STEP ? count - 1 : input->step - 1, 1, error);
}

static ipg_status displace_to_step(const join_input *input, ipg_mesh *mesh, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_results_reader *results = NULL;
  ipg_status status = ipg_results_open(input->path, &allocator, &results, error);
  if (!status) status = add_displacement(input, results, mesh, error);
  ipg_results_reader_destroy(&results);
  return status;
}

/* What can spoil the volumes of a file whose elements were good: "--step", "--translate or --scale". */
static void list_moves(const join_input *input, char text[64]) {
  static const char *const names[FILE_OPTIONS] = {
      [TRANSLATE] = "--translate", [ROTATE] = "--rotate", [SCALE] = "--scale", [STEP] = "--step"};
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < FILE_OPTIONS; i++)
    if (input->given[i] && names[i])
      used += (size_t)snprintf(text + used, 64 - used, "%s%s", used ? " or " : "", names[i]);
}

/* A displacement may invert elements, a scaling may overflow or underflow, and far away all corners round to one. */
static ipg_status check_volumes(const join_input *input, const ipg_mesh *mesh, ipg_error *error) {
  char moves[64];
  list_moves(input, moves);
  for (int64_t e = 0; e < mesh->element_count; e++) {
    double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
    if (!(volume > 0 && isfinite(volume)))
      return ipg_fail(error, IPG_ERROR_NUMBER, "%s: element %lld would have the volume %g: give another %s",
                      args_tail(input->path), (long long)mesh->element_gids[e], volume, moves);
  }
  return IPG_OK;
}

static ipg_status read_input(const join *j, const join_input *input, ipg_mesh *mesh, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_exodus_options options = {
      .leave_out_others = j->leave_out_others, .report = app_print_note, .context = (void *)command};
  ipg_status status = ipg_exodus_read(input->path, &options, &allocator, mesh, error);
  if (!status && input->given[STEP]) status = displace_to_step(input, mesh, error);
  if (status) return status;
  if ((status = ipg_mesh_set_provenance(mesh, NULL, error)))
    return status; /* what is written is no result of that run */
  transform_points(&input->moves, mesh->x, mesh->node_count);
  if (input->name) status = rename_all(mesh, input->name, error);
  return status ? status : check_volumes(input, mesh, error);
}

static ipg_status append_mesh(const join_input *input, ipg_mesh *scene, const ipg_mesh *mesh, ipg_error *error) {
  ipg_error why;
  ipg_status status = ipg_mesh_append(scene, mesh, &why);
  if (status != IPG_ERROR_FORMAT) return status ? ipg_fail(error, status, "%s", why.message) : IPG_OK;
  return ipg_fail(error, status, "%s: %.300s (--name NEW after a file does that)", args_tail(input->path), why.message);
}

static ipg_status join_inputs(const join *j, ipg_mesh *scene, ipg_error *error) {
  ipg_status status = read_input(j, &j->inputs[0], scene, error);
  for (int i = 1; !status && i < j->input_count; i++) {
    ipg_mesh mesh = {0};
    status = read_input(j, &j->inputs[i], &mesh, error);
    if (!status) status = append_mesh(&j->inputs[i], scene, &mesh, error);
    ipg_mesh_destroy(&mesh);
  }
  if (j->input_count > 1) /* no input's title describes the whole */
    snprintf(scene->title, sizeof scene->title, "%d files put together", j->input_count);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- output */

/* Every file of the inputs is refused as the output; the last claim is the one that counts. */
static ipg_status claim_output(const join *j, ipg_output **output, ipg_error *error) {
  const ipg_output_rule rule = {.force = j->force};
  ipg_status status = IPG_OK;
  *output = NULL;
  for (int i = 0; !status && i < j->input_count; i++) {
    ipg_output_destroy(output);
    status = app_claim_output(j->output, &rule, j->inputs[i].path, output, error);
  }
  return status;
}

static int join_and_write(const join *j) {
  ipg_mesh scene = {0};
  ipg_output *output;
  ipg_error error;
  ipg_status status = claim_output(j, &output, &error);
  if (!status) status = join_inputs(j, &scene, &error);
  if (!status) status = ipg_exodus_write_output(output, &scene, &error);
  if (!status)
    printf("%s: %lld nodes, %lld elements, %d blocks\n", j->output, (long long)scene.node_count,
           (long long)scene.element_count, scene.block_count);
  ipg_output_destroy(&output);
  ipg_mesh_destroy(&scene);
  return status ? app_fail(command, &error) : 0;
}

/* --------------------------------------------------------------------------------------------------- command line */

/* Called by the parser: without an option for a file, with an option for the file before it. */
static bool add_argument(void *context, const args_option *option) {
  join *j = context;
  if (!option) {
    j->inputs[j->input_count++] = (join_input){.path = j->path, .moves = transform_identity()};
    return true;
  }
  join_input *input = &j->inputs[j->input_count - 1];
  const ptrdiff_t which = option - j->options;
  if (input->given[which] && (which == NAME || which == STEP)) return false; /* moves follow each other */
  input->given[which] = true;
  switch (which) {
  case TRANSLATE: transform_translate(&input->moves, j->translation); break;
  case ROTATE: transform_rotate(&input->moves, j->rotation, j->rotation[3]); break;
  case SCALE: transform_scale(&input->moves, j->factor); break;
  case NAME: input->name = j->name; break;
  case STEP: input->step = j->step; break;
  }
  return true;
}

static int parse_and_join(join *j, int argc, char **argv) {
  args_option of_file[] = {
      [TRANSLATE] = {"--translate", ARGS_VECTOR, j->translation, "X,Y,Z", "translate it", false, false},
      [ROTATE] = {"--rotate", ARGS_ROTATION, j->rotation, "X,Y,Z,DEGREES",
                  "rotate it about this axis through the origin", false, false},
      [SCALE] = {"--scale", ARGS_POSITIVE, &j->factor, "S", "scale it by S about the origin", false, false},
      [NAME] = {"--name", ARGS_STRING, &j->name, "NEW",
                "rename the block; prefix of the sets, and of the blocks if there are several", false, false},
      [STEP] = {"--step", ARGS_STEP, &j->step, "N",
                "add the displacement of this result step, from 1 on, or last; before all moves", false, false},
  };
  args_option options[] = {
      {"-o", ARGS_EXODUS, &j->output, "FILE", "the Exodus II file to write", true, false},
      {"--force", ARGS_FLAG, &j->force, NULL, APP_FORCE_HELP, false, false},
      {"--leave-out-others", ARGS_FLAG, &j->leave_out_others, NULL, "leave out blocks that hold no tetrahedra", false,
       false},
  };
  args_group group = {
      {"FILE", "an Exodus II file", &j->path}, of_file, sizeof of_file / sizeof of_file[0], add_argument, j};
  args_table table = {
      command,
      "Joins mesh files into one. An option applies to the file before it, and moves are done in the order\n"
      "in which they are given, any number of them. Results are not copied.\n"
      "Exit code: 0 written, 1 failed, 2 wrong command line.",
      "impinge join ball.exo --translate 0,0,0.012 plate.exo --rotate 1,0,0,5 --name floor -o scene.exo",
      NULL,
      0,
      options,
      sizeof options / sizeof options[0]};
  j->options = of_file;
  args_outcome outcome = args_parse_group(&table, &group, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  return join_and_write(j);
}

int app_join(int argc, char **argv) {
  ipg_error error = {0};
  join j = {.inputs = calloc((size_t)argc, sizeof *j.inputs)};
  if (!j.inputs) {
    ipg_fail(&error, IPG_ERROR_MEMORY, "out of memory for %d arguments", argc);
    return app_fail(command, &error);
  }
  int code = parse_and_join(&j, argc, argv);
  free(j.inputs);
  return code;
}

#endif
