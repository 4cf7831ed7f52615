/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge mesh KIND`: makes a body of tetrahedra and writes it as Exodus II.
 *
 * A kind is a row of a table: its required and optional sizes (all other options are refused, so that none is silently
 * ignored) and the function that makes it. --cell is rounded to a whole number of cells along an edge, so that the body
 * keeps its size. The number of layers follows from the rounded cells, so that elements are as high as wide. An
 * existing file is overwritten only with --force. */
#include "app.h"
#include "args.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char command[] = "impinge mesh";

#define PI 3.14159265358979323846

typedef struct mesh_shape {
  const char *name, *output;
  double at[3], size[3], length, width, radius, inner, cell;
  int layers; /* 0: by --cell */
  bool force;
} mesh_shape;

/* One layer of elements through the thickness is far too stiff in bending. */
enum { LEAST_LAYERS = 2, LEAST_AROUND = 8 };

/* -------------------------------------------------------------------------------------------------------- counting */

static ipg_status count_cells(double size, double cell, int least, int *count, ipg_error *error) {
  double cells = fmax(least, round(size / cell));
  if (cells > INT_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "--cell %g cuts a length of %g into %.3g cells: give fewer cells", cell,
                    size, cells);
  *count = (int)cells;
  return IPG_OK;
}

static ipg_status count_layers(const mesh_shape *shape, double thickness, int *count, ipg_error *error) {
  *count = shape->layers;
  return *count ? IPG_OK : count_cells(thickness, shape->cell, LEAST_LAYERS, count, error);
}

/* ---------------------------------------------------------------------------------------------------------- making */

static ipg_status make_cells(const mesh_shape *shape, const int n[3], ipg_mesh *mesh, ipg_error *error) {
  double lo[3], hi[3];
  ipg_allocator allocator = ipg_allocator_malloc();
  for (int k = 0; k < 3; k++) {
    lo[k] = shape->at[k] - 0.5 * shape->size[k];
    hi[k] = shape->at[k] + 0.5 * shape->size[k];
  }
  return ipg_mesh_box(lo, hi, n, shape->name, &allocator, mesh, error);
}

static ipg_status make_box(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  int n[3];
  ipg_status status = IPG_OK;
  for (int k = 0; k < 3 && !status; k++) status = count_cells(shape->size[k], shape->cell, 1, &n[k], error);
  return status ? status : make_cells(shape, n, mesh, error);
}

static ipg_status make_plate(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  int n[3];
  ipg_status status = count_layers(shape, shape->size[2], &n[2], error);
  for (int k = 0; k < 2 && !status; k++) status = count_cells(shape->size[k], shape->cell, 1, &n[k], error);
  return status ? status : make_cells(shape, n, mesh, error);
}

static ipg_status make_bar(const mesh_shape *bar, ipg_mesh *mesh, ipg_error *error) {
  mesh_shape box = *bar;
  box.size[0] = box.size[1] = bar->width;
  box.size[2] = bar->length;
  return make_box(&box, mesh, error);
}

static ipg_status make_ball(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  int n = 0;
  ipg_status status = count_cells(shape->radius, shape->cell, 1, &n, error);
  if (status) return status;
  ipg_allocator allocator = ipg_allocator_malloc();
  return ipg_mesh_ball(shape->at, shape->radius, n, shape->name, &allocator, mesh, error);
}

static ipg_status make_cylinder(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  int n = 0, layers = 0;
  ipg_status status = count_cells(shape->radius, shape->cell, 1, &n, error);
  if (!status) status = count_cells(shape->length, shape->radius / n, 1, &layers, error);
  if (status) return status;
  ipg_allocator allocator = ipg_allocator_malloc();
  return ipg_mesh_cylinder(shape->at, shape->radius, shape->length, n, layers, shape->name, &allocator, mesh, error);
}

/* Cells along the circumference are counted at the geometric mean of the radii, so that the edges at the inner radius
 * are shorter by the same factor by which the edges at the outer radius are longer. */
static ipg_status make_tube(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  double around = 2 * PI * sqrt(shape->inner) * sqrt(shape->radius);
  int n[3] = {0};
  if (shape->inner >= shape->radius)
    return ipg_fail(error, IPG_ERROR_NUMBER, "--inner %g must be less than --radius %g", shape->inner, shape->radius);
  ipg_status status = count_layers(shape, shape->radius - shape->inner, &n[0], error);
  if (!status) status = count_cells(around, shape->cell, LEAST_AROUND, &n[1], error);
  if (!status) status = count_cells(shape->length, shape->cell, 1, &n[2], error);
  if (status) return status;
  ipg_allocator allocator = ipg_allocator_malloc();
  return ipg_mesh_tube(shape->at, shape->inner, shape->radius, shape->length, n, shape->name, &allocator, mesh, error);
}

/* The number of rows makes the mean edge of a triangle one cell long. The height of a layer is the geometric mean of
 * the heights of such a triangle over its two shorter edges. */
static ipg_status make_wedge(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  double roof = shape->size[0], flank = hypot(roof / 2, shape->size[2]), shorter = fmin(roof, flank);
  double height = roof * shape->size[2] / sqrt(shorter * flank);
  int n = 0, layers = 0;
  ipg_status status = count_cells((roof + 2 * flank) / 3, shape->cell, 1, &n, error);
  if (!status) status = count_cells(shape->size[1], height / n, 1, &layers, error);
  if (status) return status;
  ipg_allocator allocator = ipg_allocator_malloc();
  return ipg_mesh_wedge(shape->at, shape->size, n, layers, shape->name, &allocator, mesh, error);
}

/* ----------------------------------------------------------------------------------------------------------- kinds */

/* The size options are the first of the option table, in this order. Not every kind has all of them. */
enum { SIZE, LENGTH, WIDTH, RADIUS, INNER, LAYERS, SIZE_OPTIONS };

typedef enum mesh_use { REFUSED, OPTIONAL, REQUIRED } mesh_use;

typedef struct mesh_kind {
  const char *name;
  mesh_use sizes[SIZE_OPTIONS];
  ipg_status (*make)(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error);
} mesh_kind;

static const mesh_kind kinds[] = {
    {"box", {[SIZE] = REQUIRED}, make_box},
    {"plate", {[SIZE] = REQUIRED, [LAYERS] = OPTIONAL}, make_plate},
    {"bar", {[LENGTH] = REQUIRED, [WIDTH] = REQUIRED}, make_bar},
    {"ball", {[RADIUS] = REQUIRED}, make_ball},
    {"cylinder", {[RADIUS] = REQUIRED, [LENGTH] = REQUIRED}, make_cylinder},
    {"tube", {[RADIUS] = REQUIRED, [INNER] = REQUIRED, [LENGTH] = REQUIRED, [LAYERS] = OPTIONAL}, make_tube},
    {"wedge", {[SIZE] = REQUIRED}, make_wedge},
};

#define KIND_NAMES "box, plate, bar, ball, cylinder, tube or wedge"

static const char examples[] =
    "impinge mesh box --size 0.02,0.02,0.01 --cell 0.002 -o box.exo\n"
    "  impinge mesh plate --size 0.04,0.04,0.004 --cell 0.002 -o plate.exo\n"
    "  impinge mesh bar --length 0.0324 --width 0.0064 --cell 0.0008 -o bar.exo\n"
    "  impinge mesh ball --radius 0.01 --cell 0.002 -o ball.exo\n"
    "  impinge mesh cylinder --radius 0.0032 --length 0.0324 --cell 0.0008 -o cylinder.exo\n"
    "  impinge mesh tube --radius 0.02 --inner 0.016 --length 0.06 --cell 0.002 -o tube.exo\n"
    "  impinge mesh wedge --size 0.02,0.03,0.02 --cell 0.002 -o wedge.exo";

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static const mesh_kind *find_kind(const char *name) {
  for (int i = 0; i < KIND_COUNT; i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  const char *nearest = args_nearest(name, kinds, KIND_COUNT, (int)sizeof kinds[0]);
  if (nearest) args_complain(command, "unknown kind '%s', did you mean %s?", name, nearest);
  else args_complain(command, "unknown kind '%s': give " KIND_NAMES, name);
  return NULL;
}

static args_outcome check_sizes(const mesh_kind *kind, const mesh_shape *shape, const args_option *options) {
  for (int i = 0; i < SIZE_OPTIONS; i++) {
    if (kind->sizes[i] == REQUIRED && !options[i].given)
      return args_complain(command, "a %s needs %s", kind->name, options[i].name);
    if (kind->sizes[i] == REFUSED && options[i].given)
      return args_complain(command, "a %s has no %s", kind->name, options[i].name);
  }
  if (options[LAYERS].given && shape->layers < 1)
    return args_complain(command, "--layers must be 1 or more, not %d", shape->layers);
  return ARGS_GO;
}

static args_outcome check_cell(const mesh_kind *kind, const mesh_shape *shape) {
  double longest = fmax(fmax(shape->length, shape->width), 2 * shape->radius);
  for (int k = 0; k < 3; k++) longest = fmax(longest, shape->size[k]);
  if (shape->cell <= longest) return ARGS_GO;
  return args_complain(command, "--cell %g is larger than the %s, which is %g at its longest: give a smaller --cell",
                       shape->cell, kind->name, longest);
}

/* --------------------------------------------------------------------------------------------------------- writing */

/* The node sets and side sets of a shape have the same names. */
static void print_summary(const char *output, const ipg_mesh *mesh) {
  app_quality quality = app_measure_quality(mesh);
  printf("%s: %lld nodes, %lld elements, block %s, node and side sets", output, (long long)mesh->node_count,
         (long long)mesh->element_count, mesh->blocks[0].name);
  for (int i = 0; i < mesh->side_set_count; i++) printf(" %s", mesh->side_sets[i].name);
  printf(", volume %.6g, smallest dihedral angle %.4g degrees, largest %.4g\n", quality.volume, quality.smallest_angle,
         quality.largest_angle);
}

/* Those who make a mesh know cells and no options. */
static ipg_status make_shape(const mesh_kind *kind, const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  ipg_error why = {0};
  const ipg_status status = kind->make(shape, mesh, &why);
  const char *const how = shape->layers ? ", by fewer --layers or a larger --cell" : ", by a larger --cell";
  return status ? ipg_fail(error, status, "%s%s", why.message, status == IPG_ERROR_TOO_MANY ? how : "") : IPG_OK;
}

static int make_and_write(const mesh_kind *kind, const mesh_shape *shape) {
  const ipg_output_rule rule = {.force = shape->force};
  ipg_mesh mesh = {0};
  ipg_output *output;
  ipg_error error;
  ipg_status status = app_claim_output(shape->output, &rule, NULL, &output, &error);
  if (!status) status = make_shape(kind, shape, &mesh, &error);
  if (!status) status = ipg_exodus_write_output(output, &mesh, &error);
  if (!status) print_summary(shape->output, &mesh);
  ipg_output_destroy(&output);
  ipg_mesh_destroy(&mesh);
  return status ? app_fail(command, &error) : 0;
}

int app_mesh(int argc, char **argv) {
  const char *kind_name = NULL;
  mesh_shape shape = {0};
  args_option options[] = {
      {"--size", ARGS_SIZES, shape.size, "X,Y,Z", "box, plate, wedge: lengths along the axes", false, false},
      {"--length", ARGS_POSITIVE, &shape.length, "L", "bar, cylinder, tube: length, along z", false, false},
      {"--width", ARGS_POSITIVE, &shape.width, "W", "bar: width, along x and y", false, false},
      {"--radius", ARGS_POSITIVE, &shape.radius, "R", "ball, cylinder, tube: radius", false, false},
      {"--inner", ARGS_POSITIVE, &shape.inner, "R", "tube: radius of the hole", false, false},
      {"--layers", ARGS_INT, &shape.layers, "N",
       "plate, tube: elements through the thickness, default by --cell, at least 2", false, false},
      {"--cell", ARGS_POSITIVE, &shape.cell, "H", "target edge length of the elements", true, false},
      {"--at", ARGS_VECTOR, shape.at, "X,Y,Z", "centre of the body, default 0,0,0", false, false},
      {"--name", ARGS_STRING, &shape.name, "NAME", "name of the block, default the kind; sets are named NAME_...",
       false, false},
      {"-o", ARGS_EXODUS, &shape.output, "FILE", "the Exodus II file to write", true, false},
      {"--force", ARGS_FLAG, &shape.force, NULL, APP_FORCE_HELP, false, false},
  };
  args_word words[] = {{"KIND", KIND_NAMES, &kind_name}};
  args_table table = {command,
                      "Makes one body of tetrahedra and writes it as an Exodus II file.\n"
                      "Exit code: 0 written, 1 failed, 2 wrong command line.",
                      examples,
                      words,
                      1,
                      options,
                      sizeof options / sizeof options[0]};
  const char *word = args_find_word(&table, argc, argv);
  const mesh_kind *kind = word ? find_kind(word) : NULL; /* options depend on the kind, so it is checked first */
  if (word && !kind) return (int)ARGS_WRONG;
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  if (check_sizes(kind, &shape, options) || check_cell(kind, &shape)) return (int)ARGS_WRONG;
  if (!shape.name) shape.name = kind->name;
  return make_and_write(kind, &shape);
}

#endif
