/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge picture FILE`: the skin of a mesh, deformed and coloured by a step of a result file, as PNG.
 *
 * The mesh is read anew for every picture, so the displacement is added to its coordinates in place. A variable is
 * looked up as a scalar first; failing that, as the base name of NAME_x, NAME_y, NAME_z, whose length is drawn. The
 * colour range is that of the skin: what cannot be seen does not stretch it. */
#include "app.h"
#include "args.h"
#include "draw.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "impinge picture";

static const char *const suffixes[3] = {"_x", "_y", "_z"};

enum { FOOTER_SIZE = 160 }; /* its words and its three numbers at their longest */

typedef struct picture {
  const app_picture_job *job;
  ipg_mesh mesh;
  ipg_skin skin;
  ipg_results_info info;
  int64_t step;                      /* from 0; -1: the mesh as it is */
  double *values;                    /* of the nodes; NULL: by block */
  char value_name[IPG_NAME_MAX + 2]; /* |name| for a length */
  ipg_id *block_of_face;
  const char **block_names;
  char footer[FOOTER_SIZE];
  draw_image image;
} picture;

app_picture_job app_picture_defaults(void) {
  return (app_picture_job){.step = "last", .from = {2, -3, 1.5}, .scale = 1, .width = 1200, .height = 900};
}

static ipg_status no_memory(ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_MEMORY, "no memory for the picture's arrays");
}

/* --------------------------------------------------------------------------------------------------------- fields */

static int find_field(const ipg_results_info *info, const char *base, const char *suffix) {
  size_t length = strlen(base);
  for (int i = 0; i < info->nodal_count; i++)
    if (strncmp(info->nodal_names[i], base, length) == 0 && strcmp(info->nodal_names[i] + length, suffix) == 0)
      return i;
  return -1;
}

static bool find_vector(const ipg_results_info *info, const char *base, int fields[3]) {
  for (int k = 0; k < 3; k++)
    if ((fields[k] = find_field(info, base, suffixes[k])) < 0) return false;
  return true;
}

static ipg_status read_field(const picture *p, int field, double *values, ipg_error *error) {
  return ipg_results_read_nodal(p->job->file, p->step, field, p->mesh.node_count, values, error);
}

static ipg_status read_length(picture *p, const int fields[3], ipg_error *error) {
  int64_t count = p->mesh.node_count;
  double *component = malloc((size_t)count * sizeof *component);
  ipg_status status = component ? IPG_OK : no_memory(error);
  for (int64_t i = 0; i < count; i++) p->values[i] = 0;
  for (int k = 0; k < 3 && !status; k++) {
    status = read_field(p, fields[k], component, error);
    for (int64_t i = 0; i < count && !status; i++) p->values[i] = hypot(p->values[i], component[i]);
  }
  free(component);
  return status;
}

static ipg_status displace(picture *p, ipg_error *error) {
  int fields[3];
  if (p->step < 0 || !find_vector(&p->info, "disp", fields)) return IPG_OK;
  int64_t count = p->mesh.node_count;
  double *component = malloc((size_t)count * sizeof *component);
  ipg_status status = component ? IPG_OK : no_memory(error);
  for (int k = 0; k < 3 && !status; k++) {
    status = read_field(p, fields[k], component, error);
    for (int64_t i = 0; i < count && !status; i++) p->mesh.x[3 * i + k] += p->job->scale * component[i];
  }
  free(component);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- colour */

static ipg_status unknown_variable(const picture *p, const char *name, ipg_error *error) {
  const char **names = calloc((size_t)p->info.nodal_count + 1, sizeof *names);
  if (!names) return no_memory(error);
  for (int i = 0; i < p->info.nodal_count; i++) names[i] = p->info.nodal_names[i];
  const char *nearest = args_nearest(name, names, p->info.nodal_count, (int)sizeof *names);
  free(names);
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s has no nodal variable '%s'%s%s; impinge info lists them",
                  args_tail(p->job->file), args_tail(name), nearest ? ", did you mean " : "", nearest ? nearest : "");
}

static ipg_status colour_by_value(picture *p, const char *name, ipg_error *error) {
  int fields[3], field = find_field(&p->info, name, "");
  bool vector = field < 0 && find_vector(&p->info, name, fields);
  if (p->step < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s has no steps to colour by %s", args_tail(p->job->file),
                    args_tail(name));
  if (field < 0 && !vector) return unknown_variable(p, name, error);
  p->values = malloc((size_t)p->mesh.node_count * sizeof *p->values);
  if (!p->values) return no_memory(error);
  snprintf(p->value_name, sizeof p->value_name, vector ? "|%s|" : "%s", name);
  return vector ? read_length(p, fields, error) : read_field(p, field, p->values, error);
}

/* Faces are sorted by element and blocks are ranges of elements, so both are walked once. */
static ipg_status colour_by_block(picture *p, ipg_error *error) {
  const ipg_block *blocks = p->mesh.blocks;
  p->block_of_face = malloc((size_t)p->skin.face_count * sizeof *p->block_of_face);
  p->block_names = malloc((size_t)p->mesh.block_count * sizeof *p->block_names);
  if (!p->block_of_face || !p->block_names) return no_memory(error);
  for (int i = 0; i < p->mesh.block_count; i++) p->block_names[i] = blocks[i].name;
  ipg_id block = 0;
  for (int64_t f = 0; f < p->skin.face_count; f++) {
    while (p->skin.elements[f] >= blocks[block].first + blocks[block].count) block++;
    p->block_of_face[f] = block;
  }
  return IPG_OK;
}

static ipg_status choose_colour(picture *p, ipg_error *error) {
  int fields[3];
  const char *colour = p->job->colour;
  if (!colour && p->step >= 0 && find_vector(&p->info, "vel", fields)) colour = "vel";
  if (colour && strcmp(colour, "none") != 0) return colour_by_value(p, colour, error);
  return colour_by_block(p, error);
}

static void find_range(const picture *p, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int64_t i = 0; p->values && i < p->skin.node_count; i++) {
    double value = p->values[p->skin.nodes[i]];
    if (isfinite(value)) *low = fmin(*low, value), *high = fmax(*high, value);
  }
  if (*low > *high) *low = *high = 0;
}

/* --------------------------------------------------------------------------------------------------------- phases */

static ipg_status read_skin(picture *p, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_tasks tasks = ipg_tasks_serial();
  ipg_status status = ipg_exodus_read(p->job->file, &allocator, &p->mesh, error);
  if (status) return status;
  if ((status = ipg_skin_build(&p->mesh, &allocator, &tasks, &p->skin, error))) return status;
  if (p->skin.face_count > 0) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_FORMAT, "%s has no elements to draw", args_tail(p->job->file));
}

static ipg_status choose_step(picture *p, ipg_error *error) {
  int number;
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_status status = ipg_results_inspect(p->job->file, &allocator, &p->info, error);
  if (status) return status;
  p->step = p->info.step_count - 1;
  if (strcmp(p->job->step, "last") == 0) return IPG_OK;
  if (!args_integer(p->job->step, &number) || number < 1 || number > p->info.step_count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s has %lld steps, and --step %s is none of them",
                    args_tail(p->job->file), (long long)p->info.step_count, args_tail(p->job->step));
  p->step = number - 1;
  return IPG_OK;
}

static void write_footer(picture *p) {
  if (p->step < 0)
    snprintf(p->footer, sizeof p->footer, "%lld nodes, %lld elements", (long long)p->mesh.node_count,
             (long long)p->mesh.element_count);
  else
    snprintf(p->footer, sizeof p->footer, "t = %.6g, step %lld of %lld, displacement x%g", p->info.times[p->step],
             (long long)p->step + 1, (long long)p->info.step_count, p->job->scale);
}

static const char *title_of(const picture *p) {
  if (p->job->title) return p->job->title;
  return p->mesh.title[0] ? p->mesh.title : p->job->file;
}

static ipg_status draw(picture *p, ipg_error *error) {
  draw_scene scene = {.node_count = p->mesh.node_count,
                      .face_count = p->skin.face_count,
                      .x = p->mesh.x,
                      .faces = p->skin.faces,
                      .values = p->values,
                      .value_name = p->value_name,
                      .groups = p->block_of_face,
                      .group_names = p->block_names,
                      .group_count = p->mesh.block_count,
                      .width = p->job->width,
                      .height = p->job->height,
                      .title = title_of(p),
                      .footer = p->footer};
  memcpy(scene.from, p->job->from, sizeof scene.from);
  find_range(p, &scene.low, &scene.high);
  return draw_scene_image(&scene, &p->image, error);
}

static ipg_status make_picture(picture *p, ipg_error *error) {
  ipg_status status;
  if ((status = read_skin(p, error))) return status;
  if ((status = choose_step(p, error))) return status;
  if ((status = displace(p, error))) return status;
  if ((status = choose_colour(p, error))) return status;
  write_footer(p);
  if ((status = draw(p, error))) return status;
  return draw_write_png(&p->image, p->job->output, error);
}

ipg_status app_picture_file(const app_picture_job *job, ipg_error *error) {
  picture p = {.job = job};
  ipg_status status = make_picture(&p, error);
  draw_image_free(&p.image);
  free(p.values);
  free(p.block_of_face);
  free(p.block_names);
  ipg_results_info_free(&p.info);
  ipg_skin_free(&p.skin);
  ipg_mesh_free(&p.mesh);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- subcommand */

/* WIDTHxHEIGHT, both from 1 to DRAW_SIZE_MAX. */
static bool read_size(const char *text, int *width, int *height) {
  char *end;
  long wide = strtol(text, &end, 10);
  if (end == text || *end != 'x' || wide < 1 || wide > DRAW_SIZE_MAX) return false;
  *width = (int)wide;
  return args_integer(end + 1, height) && *height >= 1 && *height <= DRAW_SIZE_MAX;
}

static int draw_file(const app_picture_job *job) {
  ipg_error error;
  if (app_picture_file(job, &error)) return app_fail(command, &error);
  printf("%s: %d x %d pixels\n", job->output, job->width, job->height);
  return 0;
}

int app_picture(int argc, char **argv) {
  app_picture_job job = app_picture_defaults();
  const char *size = "1200x900";
  args_option options[] = {
      {"--step", ARGS_STRING, &job.step, "N", "a step from 1 on, or last (the default)", false, false},
      {"--colour", ARGS_STRING, &job.colour, "VAR",
       "a nodal variable, a vector's base name (its length), or none: by block; default vel if there", false, false},
      {"--from", ARGS_VECTOR, job.from, "X,Y,Z", "direction towards the eye, default 2,-3,1.5", false, false},
      {"--title", ARGS_STRING, &job.title, "TEXT", "default: the mesh's title, else the file's name", false, false},
      {"--size", ARGS_STRING, &size, "WxH", "in pixels, default 1200x900", false, false},
      {"--scale", ARGS_DOUBLE, &job.scale, "S", "of the displacement, default 1", false, false},
      {"-o", ARGS_STRING, &job.output, "PNG", "the picture to write", true, false},
  };
  args_word words[] = {{"FILE", "an Exodus II file", &job.file}};
  args_table table = {command,
                      "Draws the skin of a mesh, deformed and coloured by a step of its results.",
                      "impinge picture impact.exo --colour vel --from 1,-2,0.5 -o impact.png",
                      words,
                      1,
                      options,
                      sizeof options / sizeof options[0]};
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  if (!read_size(size, &job.width, &job.height))
    return (int)args_complain(command, "--size must be WIDTHxHEIGHT in pixels up to %d, not '%s'", DRAW_SIZE_MAX, size);
  return draw_file(&job);
}

#endif
