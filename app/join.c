/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge join A ... B ... -o FILE`: a scene put together from files that hold a body each.
 *
 * Each file is read, taken to a step, moved, renamed, checked and appended, in this order; nothing is written before
 * all of them are joined, and never over one of them. Every name of a renamed file carries the new one, so that --name
 * mends any clash. */
#include "app.h"
#include "args.h"
#include "transform.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char command[] = "impinge join";

typedef struct join_input {
  const char *path, *name; /* NULL: names stay */
  bool has_step;
  int step;
  transform moves;
} join_input;

typedef struct join {
  join_input *inputs;
  int input_count;
  const char *output;
  bool force, leave_out_others;
  /* What the parser read last. */
  const args_option *options;
  const char *path, *name;
  double shift[3], rotation[4], factor;
  int step;
} join;

/* The options of a file, in the order of their table. */
enum { TRANSLATE, ROTATE, SCALE, NAME, STEP };

/* ---------------------------------------------------------------------------------------------------------- names */

/* OLD becomes NEW, OLD_top becomes NEW_top, and anything else gets NEW_ in front. */
static ipg_status rename_label(ipg_name label, const char *old, const char *name, ipg_error *error) {
  ipg_name renamed;
  size_t length = strlen(old);
  bool carries = length && strncmp(label, old, length) == 0 && label[length] == '_';
  const char *tail = carries ? label + length + 1 : label;
  bool whole = strcmp(label, old) == 0;
  int needed = snprintf(renamed, sizeof renamed, "%s%s%s", name, whole ? "" : "_", whole ? "" : tail);
  if (needed >= (int)sizeof renamed)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "--name makes '%.80s' longer than %d letters: take a shorter one", label,
                    IPG_NAME_MAX - 1);
  memcpy(label, renamed, sizeof renamed);
  return IPG_OK;
}

static ipg_status rename_all(ipg_mesh *mesh, const char *name, ipg_error *error) {
  ipg_name old = "";
  ipg_status status = IPG_OK;
  if (!name[0]) return ipg_fail(error, IPG_ERROR_ARGUMENT, "--name is empty: give it a word");
  if (mesh->block_count == 1) memcpy(old, mesh->blocks[0].name, sizeof old);
  for (int i = 0; !status && i < mesh->block_count; i++) status = rename_label(mesh->blocks[i].name, old, name, error);
  for (int i = 0; !status && i < mesh->node_set_count; i++)
    status = rename_label(mesh->node_sets[i].name, old, name, error);
  for (int i = 0; !status && i < mesh->side_set_count; i++)
    status = rename_label(mesh->side_sets[i].name, old, name, error);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- inputs */

static void say(void *context, const char *line) {
  (void)context;
  fprintf(stderr, "%s: %s\n", command, line);
}

static ipg_status displace_to_step(const join_input *input, ipg_results_reader *results, ipg_mesh *mesh,
                                   ipg_error *error) {
  int64_t count = ipg_results_contents(results)->step_count;
  if (input->step > count || !count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "%s has %lld steps, so --step cannot be taken: choose one of them or leave it out",
                    args_tail(input->path), (long long)count);
  return ipg_mesh_displace(mesh, results, input->step == ARGS_LAST_STEP ? count - 1 : input->step - 1, 1, error);
}

static ipg_status displace(const join_input *input, ipg_mesh *mesh, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_results_reader *results = NULL;
  ipg_status status = ipg_results_open(input->path, &allocator, &results, error);
  if (!status) status = displace_to_step(input, results, mesh, error);
  ipg_results_reader_destroy(&results);
  return status;
}

/* A step may turn elements inside out, a scale may leave the range of numbers. */
static ipg_status check_volumes(const join_input *input, const ipg_mesh *mesh, ipg_error *error) {
  for (int64_t e = 0; e < mesh->element_count; e++) {
    double volume = ipg_tet_volume(mesh->x, mesh->tets + 4 * e);
    if (!(volume > 0 && isfinite(volume)))
      return ipg_fail(error, IPG_ERROR_NUMBER,
                      "%s: element %lld would have the volume %g: choose another --step or a milder --scale",
                      args_tail(input->path), (long long)mesh->element_gids[e], volume);
  }
  return IPG_OK;
}

static ipg_status read_input(const join *j, const join_input *input, ipg_mesh *mesh, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_exodus_options options = {.leave_out_others = j->leave_out_others, .report = say};
  ipg_status status = ipg_exodus_read(input->path, &options, &allocator, mesh, error);
  if (!status && input->has_step) status = displace(input, mesh, error);
  if (status) return status;
  transform_apply(&input->moves, mesh->x, mesh->node_count);
  if (input->name) status = rename_all(mesh, input->name, error);
  return status ? status : check_volumes(input, mesh, error);
}

static ipg_status append(const join_input *input, ipg_mesh *scene, const ipg_mesh *mesh, ipg_error *error) {
  ipg_error why;
  ipg_status status = ipg_mesh_append(scene, mesh, &why);
  if (status != IPG_ERROR_FORMAT) return status ? ipg_fail(error, status, "%s", why.message) : IPG_OK;
  return ipg_fail(error, status, "%s: %.300s; --name NEW behind a file does that", args_tail(input->path), why.message);
}

static ipg_status join_inputs(const join *j, ipg_mesh *scene, ipg_error *error) {
  ipg_status status = read_input(j, &j->inputs[0], scene, error);
  for (int i = 1; !status && i < j->input_count; i++) {
    ipg_mesh mesh = {0};
    status = read_input(j, &j->inputs[i], &mesh, error);
    if (!status) status = append(&j->inputs[i], scene, &mesh, error);
    ipg_mesh_destroy(&mesh);
  }
  if (j->input_count > 1) /* none of their titles is true of the whole */
    snprintf(scene->title, sizeof scene->title, "%d files put together", j->input_count);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- output */

static bool is_same_file(const char *a, const char *b) {
  struct stat of_a, of_b;
  return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

static ipg_status check_output(const join *j, ipg_error *error) {
  struct stat there;
  for (int i = 0; i < j->input_count; i++)
    if (is_same_file(j->output, j->inputs[i].path))
      return ipg_fail(error, IPG_ERROR_ARGUMENT, "'%s' is read and cannot be written as well: give another name",
                      args_tail(j->output));
  if (j->force || stat(j->output, &there) != 0) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FILE, "'%s' exists: give another name, or --force to overwrite it",
                  args_tail(j->output));
}

static int join_and_write(const join *j) {
  ipg_mesh scene = {0};
  ipg_error error;
  ipg_status status = check_output(j, &error);
  if (!status) status = join_inputs(j, &scene, &error);
  if (!status) status = ipg_exodus_write(j->output, &scene, &error);
  if (!status)
    printf("%s: %lld nodes, %lld elements, %d blocks\n", j->output, (long long)scene.node_count,
           (long long)scene.element_count, scene.block_count);
  ipg_mesh_destroy(&scene);
  return status ? app_fail(command, &error) : 0;
}

/* --------------------------------------------------------------------------------------------------- command line */

static void take(void *context, const args_option *option) {
  join *j = context;
  if (!option) {
    j->inputs[j->input_count++] = (join_input){.path = j->path, .moves = transform_none()};
    return;
  }
  join_input *input = &j->inputs[j->input_count - 1];
  switch (option - j->options) {
  case TRANSLATE: transform_shift(&input->moves, j->shift); break;
  case ROTATE: transform_turn(&input->moves, j->rotation, j->rotation[3]); break;
  case SCALE: transform_stretch(&input->moves, j->factor); break;
  case NAME: input->name = j->name; break;
  case STEP: input->has_step = true, input->step = j->step; break;
  }
}

static int parse_and_join(join *j, int argc, char **argv) {
  args_option of_file[] = {
      [TRANSLATE] = {"--translate", ARGS_VECTOR, j->shift, "X,Y,Z", "shift it", false, false},
      [ROTATE] = {"--rotate", ARGS_ROTATION, j->rotation, "X,Y,Z,DEGREES", "turn it about this axis through the origin",
                  false, false},
      [SCALE] = {"--scale", ARGS_POSITIVE, &j->factor, "S", "make it S times as large, from the origin", false, false},
      [NAME] = {"--name", ARGS_STRING, &j->name, "NEW",
                "of the block, and in front of set names; in front of block names if there are several", false, false},
      [STEP] = {"--step", ARGS_STEP, &j->step, "N",
                "where its nodes are at a step from 1 on, or last; before all moves", false, false},
  };
  args_option options[] = {
      {"-o", ARGS_STRING, &j->output, "FILE", "the Exodus II file to write", true, false},
      {"--force", ARGS_FLAG, &j->force, NULL, "overwrite FILE if it exists", false, false},
      {"--leave-out-others", ARGS_FLAG, &j->leave_out_others, NULL, "leave out blocks that hold no tetrahedra", false,
       false},
  };
  args_group group = {{"FILE", "an Exodus II file", &j->path}, of_file, sizeof of_file / sizeof of_file[0], take, j};
  args_table table = {
      command,
      "Puts meshes together into one scene. A file is moved in the order of its options, and each option\n"
      "holds for the file before it. Results stay behind. Exit code: 0 written, 1 failed, 2 misused.",
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
    ipg_fail(&error, IPG_ERROR_MEMORY, "no memory for %d words", argc);
    return app_fail(command, &error);
  }
  int code = parse_and_join(&j, argc, argv);
  free(j.inputs);
  return code;
}

#endif
