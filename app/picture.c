/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge picture FILE`: draws the skin of a mesh, deformed and coloured by a result step, as PNG.
 *
 * The mesh is read for one picture only, so the displacement is added to its coordinates in place. A variable is looked
 * up as a nodal scalar, then as the base name of a nodal vector, whose magnitude is drawn, then as an element field,
 * which colours whole faces. The colour range is that of the skin, not of invisible nodes inside. Elements other than
 * tetrahedra are left out, with a note on stderr. */
#include "app.h"
#include "args.h"
#include "raster.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "impinge picture";

enum { FOOTER_SIZE = 160 }; /* enough for the words and three numbers of any size */

typedef struct picture {
  const app_picture_job *job;
  ipg_mesh mesh;
  ipg_skin skin;
  ipg_results_reader *results;
  const ipg_contents *contents;
  int64_t step;                      /* from 0; -1: the undeformed mesh */
  double *values;                    /* of the nodes; NULL: see face_values */
  double *face_values;               /* of the faces; both NULL: colour by block */
  char value_name[IPG_NAME_MAX + 2]; /* |name| for a magnitude */
  ipg_id *block_of_face;
  const char **block_names;
  char footer[FOOTER_SIZE];
  raster_image image;
} picture;

app_picture_job app_picture_defaults(void) {
  return (app_picture_job){.step = "last", .from = {2, -3, 1.5}, .scale = 1, .width = 1200, .height = 900};
}

static ipg_status fail_for_memory(ipg_error *error) {
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a picture");
}

/* --------------------------------------------------------------------------------------------------------- fields */

static int find_field(const picture *p, ipg_field_kind kind, const char *name) {
  const ipg_contents_fields *fields = &p->contents->fields[kind];
  for (int i = 0; i < fields->count; i++)
    if (strcmp(fields->names[i], name) == 0) return i;
  return -1;
}

/* Reads a nodal field of the file and picks the nodes of the mesh. */
static ipg_status read_nodal(const picture *p, int field, double *values, ipg_error *error) {
  double *all = malloc((size_t)p->contents->node_count * sizeof *all);
  if (!all) return fail_for_memory(error);
  ipg_status status = ipg_results_read(p->results, p->step, IPG_FIELD_NODAL, field, all, error);
  if (!status) ipg_mesh_pick_nodal(&p->mesh, all, values);
  free(all);
  return status;
}

static ipg_status read_magnitude(const picture *p, const int fields[3], double *values, ipg_error *error) {
  int64_t count = p->mesh.node_count;
  double *component = calloc((size_t)count, sizeof *component);
  ipg_status status = component ? IPG_OK : fail_for_memory(error);
  for (int64_t i = 0; i < count; i++) values[i] = 0;
  for (int k = 0; k < 3 && !status; k++) {
    status = read_nodal(p, fields[k], component, error);
    for (int64_t i = 0; i < count && !status; i++) values[i] = hypot(values[i], component[i]);
  }
  free(component);
  return status;
}

/* Reads an element field of the file and picks the elements of the faces. */
static ipg_status read_face_values(const picture *p, int field, double *values, ipg_error *error) {
  double *all = malloc((size_t)p->contents->element_count * sizeof *all);
  if (!all) return fail_for_memory(error);
  ipg_status status = ipg_results_read(p->results, p->step, IPG_FIELD_ELEMENT, field, all, error);
  for (int64_t f = 0; f < p->skin.face_count && !status; f++) {
    ipg_id element = p->skin.elements[f];
    values[f] = all[p->mesh.file_elements ? p->mesh.file_elements[element] : element];
  }
  free(all);
  return status;
}

static ipg_status displace_mesh(picture *p, ipg_error *error) {
  if (p->step < 0 || !ipg_results_find_displacement(p->contents, (int[3]){0})) return IPG_OK;
  return ipg_mesh_displace(&p->mesh, p->results, p->step, p->job->scale, error);
}

/* --------------------------------------------------------------------------------------------------------- colour */

static ipg_status refuse_variable(const picture *p, const char *name, ipg_error *error) {
  const ipg_contents_fields *nodal = &p->contents->fields[IPG_FIELD_NODAL],
                            *element = &p->contents->fields[IPG_FIELD_ELEMENT];
  int count = nodal->count + element->count;
  const char **names = calloc((size_t)count + 1, sizeof *names);
  if (!names) return fail_for_memory(error);
  for (int i = 0; i < count; i++) names[i] = i < nodal->count ? nodal->names[i] : element->names[i - nodal->count];
  const char *nearest = args_nearest(name, names, count, (int)sizeof *names);
  free(names);
  return ipg_fail(error, IPG_ERROR_ARGUMENT,
                  "%s has no variable '%s' of nodes or elements%s%s; impinge info lists them", args_tail(p->job->file),
                  args_tail(name), nearest ? ", did you mean " : "", nearest ? nearest : "");
}

static double *allocate_values(int64_t count, ipg_error *error) {
  double *values = malloc((size_t)count * sizeof *values);
  if (!values) fail_for_memory(error);
  return values;
}

static ipg_status colour_by_value(picture *p, const char *name, ipg_error *error) {
  int vector[3], scalar = find_field(p, IPG_FIELD_NODAL, name), element = find_field(p, IPG_FIELD_ELEMENT, name);
  bool has_vector = scalar < 0 && ipg_results_find_vector(p->contents, name, vector);
  if (p->step < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s has no result steps to colour by %s", args_tail(p->job->file),
                    args_tail(name));
  snprintf(p->value_name, sizeof p->value_name, has_vector ? "|%s|" : "%s", name);
  if (scalar >= 0 || has_vector) {
    if (!(p->values = allocate_values(p->mesh.node_count, error))) return IPG_ERROR_MEMORY;
    return has_vector ? read_magnitude(p, vector, p->values, error) : read_nodal(p, scalar, p->values, error);
  }
  if (element < 0) return refuse_variable(p, name, error);
  if (!(p->face_values = allocate_values(p->skin.face_count, error))) return IPG_ERROR_MEMORY;
  return read_face_values(p, element, p->face_values, error);
}

/* Faces are sorted by element and blocks are ranges of elements, so one pass over both is enough. */
static ipg_status colour_by_block(picture *p, ipg_error *error) {
  const ipg_block *blocks = p->mesh.blocks;
  p->block_of_face = malloc((size_t)p->skin.face_count * sizeof *p->block_of_face);
  p->block_names = malloc((size_t)p->mesh.block_count * sizeof *p->block_names);
  if (!p->block_of_face || !p->block_names) return fail_for_memory(error);
  for (int i = 0; i < p->mesh.block_count; i++) p->block_names[i] = blocks[i].name;
  ipg_id block = 0;
  for (int64_t f = 0; f < p->skin.face_count; f++) {
    while (p->skin.elements[f] >= blocks[block].first + blocks[block].count) block++;
    p->block_of_face[f] = block;
  }
  return IPG_OK;
}

static ipg_status choose_colour(picture *p, ipg_error *error) {
  const char *colour = p->job->colour;
  if (!colour && p->step >= 0 && ipg_results_find_vector(p->contents, "vel", (int[3]){0})) colour = "vel";
  if (colour && strcmp(colour, "none") != 0) return colour_by_value(p, colour, error);
  return colour_by_block(p, error);
}

static void find_range(const picture *p, double *low, double *high) {
  int64_t count = p->values ? p->skin.node_count : p->face_values ? p->skin.face_count : 0;
  *low = INFINITY, *high = -INFINITY;
  for (int64_t i = 0; i < count; i++) {
    double value = p->values ? p->values[p->skin.nodes[i]] : p->face_values[i];
    if (isfinite(value)) *low = fmin(*low, value), *high = fmax(*high, value);
  }
  if (*low > *high) *low = *high = 0;
}

/* --------------------------------------------------------------------------------------------------------- phases */

static ipg_status read_skin(picture *p, ipg_error *error) {
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_tasks tasks = ipg_tasks_serial();
  ipg_exodus_options options = {.leave_out_others = true, .report = app_print_note, .context = (void *)command};
  ipg_status status = ipg_exodus_read(p->job->file, &options, &allocator, &p->mesh, error);
  return status ? status : ipg_skin_build(&p->mesh, &allocator, &tasks, &p->skin, error);
}

static ipg_status choose_step(picture *p, ipg_error *error) {
  int number;
  ipg_allocator allocator = ipg_allocator_malloc();
  ipg_status status = ipg_results_open(p->job->file, &allocator, &p->results, error);
  if (status) return status;
  p->contents = ipg_results_contents(p->results);
  p->step = p->contents->step_count - 1;
  if (strcmp(p->job->step, "last") == 0) return IPG_OK;
  if (!args_integer(p->job->step, &number) || number < 1 || number > p->contents->step_count)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "%s has %lld steps: --step %s is not one of them",
                    args_tail(p->job->file), (long long)p->contents->step_count, args_tail(p->job->step));
  p->step = number - 1;
  return IPG_OK;
}

static void write_footer(picture *p) {
  if (p->step < 0)
    snprintf(p->footer, sizeof p->footer, "%lld nodes, %lld elements", (long long)p->mesh.node_count,
             (long long)p->mesh.element_count);
  else
    snprintf(p->footer, sizeof p->footer, "t = %.6g, step %lld of %lld, displacement x%g", p->contents->times[p->step],
             (long long)p->step + 1, (long long)p->contents->step_count, p->job->scale);
}

static const char *choose_title(const picture *p) {
  if (p->job->title) return p->job->title;
  return p->mesh.title[0] ? p->mesh.title : p->job->file;
}

static ipg_status draw_mesh(picture *p, ipg_error *error) {
  raster_scene scene = {.node_count = p->mesh.node_count,
                        .face_count = p->skin.face_count,
                        .x = p->mesh.x,
                        .faces = p->skin.faces,
                        .values = p->values,
                        .face_values = p->face_values,
                        .value_name = p->value_name,
                        .groups = p->block_of_face,
                        .group_names = p->block_names,
                        .group_count = p->mesh.block_count,
                        .width = p->job->width,
                        .height = p->job->height,
                        .title = choose_title(p),
                        .footer = p->footer};
  memcpy(scene.from, p->job->from, sizeof scene.from);
  find_range(p, &scene.low, &scene.high);
  return raster_draw_scene(&scene, &p->image, error);
}

static ipg_status make_picture(picture *p, ipg_error *error) {
  ipg_status status;
  if ((status = read_skin(p, error))) return status;
  if ((status = choose_step(p, error))) return status;
  if ((status = displace_mesh(p, error))) return status;
  if ((status = choose_colour(p, error))) return status;
  write_footer(p);
  if ((status = draw_mesh(p, error))) return status;
  if ((status = raster_write_png(&p->image, p->job->claim, error))) return status;
  return ipg_output_commit(p->job->claim, error);
}

/* The deck of the run that wrote the file, by a path that leads to it from here; false if the file records none. */
static bool find_deck(const char *file, char *path, size_t bytes) {
  ipg_provenance provenance;
  const char *slash = strrchr(file, '/');
  const int folder = slash ? (int)(slash + 1 - file) : 0;
  if (ipg_exodus_read_provenance(file, NULL, &provenance, NULL)) return false;
  const bool found =
      provenance.deck && snprintf(path, bytes, "%.*s%s", folder, file, provenance.deck_path) < (int)bytes;
  ipg_provenance_destroy(&provenance);
  return found;
}

ipg_status app_picture_claim(app_picture_job *job, const char *deck, bool force, ipg_error *error) {
  char path[4096];
  ipg_output_rule rule = {force, deck ? deck : job->file, raster_records_source};
  if (!deck && find_deck(job->file, path, sizeof path)) rule.source = path;
  return app_claim_output(job->output, &rule, job->file, &job->claim, error);
}

ipg_status app_picture_file(const app_picture_job *job, ipg_error *error) {
  picture p = {.job = job};
  ipg_status status = make_picture(&p, error);
  raster_free_image(&p.image);
  free(p.values);
  free(p.face_values);
  free(p.block_of_face);
  free(p.block_names);
  ipg_results_reader_destroy(&p.results);
  ipg_skin_destroy(&p.skin);
  ipg_mesh_destroy(&p.mesh);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- subcommand */

/* WIDTHxHEIGHT, both from 1 to RASTER_SIZE_MAX. */
static bool read_size(const char *text, int *width, int *height) {
  char *end;
  long wide = strtol(text, &end, 10);
  if (end == text || *end != 'x' || wide < 1 || wide > RASTER_SIZE_MAX) return false;
  *width = (int)wide;
  return args_integer(end + 1, height) && *height >= 1 && *height <= RASTER_SIZE_MAX;
}

static int draw_picture(app_picture_job *job, bool force) {
  ipg_error error;
  ipg_status status = app_picture_claim(job, NULL, force, &error);
  if (!status) status = app_picture_file(job, &error);
  ipg_output_destroy(&job->claim);
  if (status) return app_fail(command, &error);
  printf("%s: %d x %d pixels\n", job->output, job->width, job->height);
  return 0;
}

int app_picture(int argc, char **argv) {
  app_picture_job job = app_picture_defaults();
  const char *size = "1200x900";
  bool force = false;
  args_option options[] = {
      {"--step", ARGS_STRING, &job.step, "N", "a result step from 1 on, or last (the default)", false, false},
      {"--colour", ARGS_STRING, &job.colour, "VAR",
       "nodal or element variable, base name of a vector (magnitude), or none (by block); default vel if present",
       false, false},
      {"--from", ARGS_VECTOR, job.from, "X,Y,Z", "direction towards the eye, default 2,-3,1.5", false, false},
      {"--title", ARGS_STRING, &job.title, "TEXT", "default: the title of the mesh, or the name of the file", false,
       false},
      {"--size", ARGS_STRING, &size, "WxH", "size in pixels, default 1200x900", false, false},
      {"--scale", ARGS_DOUBLE, &job.scale, "S", "scale factor of the displacement, default 1", false, false},
      {"-o", ARGS_STRING, &job.output, "PNG", "the picture to write", true, false},
      {"--force", ARGS_FLAG, &force, NULL, "overwrite PNG if it exists and was drawn from something else", false,
       false},
  };
  args_word words[] = {{"FILE", "an Exodus II file", &job.file}};
  args_table table = {command,
                      "Draws the skin of a mesh, deformed and coloured by a result step.\n"
                      "Exit code: 0 drawn, 1 failed, 2 wrong command line.",
                      "impinge picture impact.exo --colour vel --from 1,-2,0.5 -o impact.png",
                      words,
                      1,
                      options,
                      sizeof options / sizeof options[0]};
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  if (!read_size(size, &job.width, &job.height))
    return (int)args_complain(command, "--size must be WIDTHxHEIGHT in pixels up to %d, not '%s'", RASTER_SIZE_MAX,
                              size);
  return draw_picture(&job, force);
}

#endif
