/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge mesh KIND`: makes a shape and writes it as Exodus II.
 *
 * A kind is a row of a table: which size options it needs (all others are refused, so that none is silently ignored)
 * and the function that makes it. Cells are counted, not measured: at least one along an axis, the nearest whole
 * number otherwise, and the body keeps its size. */
#include "app.h"
#include "args.h"

#ifdef IMPINGE_HAVE_EXODUS

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char command[] = "impinge mesh";

typedef struct mesh_shape {
  const char *name, *output;
  double at[3], size[3], length, width, radius, cell;
} mesh_shape;

static ipg_status count_cells(double size, double cell, int *count, ipg_error *error) {
  double cells = fmax(1, round(size / cell));
  if (cells > INT_MAX)
    return ipg_fail(error, IPG_ERROR_TOO_MANY, "--cell %g would cut a length of %g into %.3g cells", cell, size, cells);
  *count = (int)cells;
  return IPG_OK;
}

static ipg_status make_box(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  double lo[3], hi[3];
  int n[3];
  for (int k = 0; k < 3; k++) {
    ipg_status status = count_cells(shape->size[k], shape->cell, &n[k], error);
    if (status) return status;
    lo[k] = shape->at[k] - 0.5 * shape->size[k];
    hi[k] = shape->at[k] + 0.5 * shape->size[k];
  }
  ipg_allocator allocator = ipg_allocator_malloc();
  return ipg_mesh_box(lo, hi, n, shape->name, &allocator, mesh, error);
}

static ipg_status make_bar(const mesh_shape *bar, ipg_mesh *mesh, ipg_error *error) {
  mesh_shape box = *bar;
  box.size[0] = box.size[1] = bar->width;
  box.size[2] = bar->length;
  return make_box(&box, mesh, error);
}

static ipg_status make_ball(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error) {
  int n = 0;
  ipg_status status = count_cells(shape->radius, shape->cell, &n, error);
  if (status) return status;
  ipg_allocator allocator = ipg_allocator_malloc();
  return ipg_mesh_ball(shape->at, shape->radius, n, shape->name, &allocator, mesh, error);
}

/* The options that only some kinds have come first in the option table, in this order. */
enum { SIZE, LENGTH, WIDTH, RADIUS, SIZE_OPTIONS };

typedef struct mesh_kind {
  const char *name;
  bool needs[SIZE_OPTIONS];
  ipg_status (*make)(const mesh_shape *shape, ipg_mesh *mesh, ipg_error *error);
} mesh_kind;

static const mesh_kind kinds[] = {
    {"box", {[SIZE] = true}, make_box},
    {"bar", {[LENGTH] = true, [WIDTH] = true}, make_bar},
    {"ball", {[RADIUS] = true}, make_ball},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static const mesh_kind *find_kind(const char *name) {
  for (int i = 0; i < KIND_COUNT; i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  const char *nearest = args_nearest(name, kinds, KIND_COUNT, (int)sizeof kinds[0]);
  args_complain(command, "unknown kind '%s'%s%s", name, nearest ? ", did you mean " : "", nearest ? nearest : "");
  return NULL;
}

static args_outcome check_sizes(const mesh_kind *kind, const args_option *options) {
  for (int i = 0; i < SIZE_OPTIONS; i++) {
    if (kind->needs[i] && !options[i].given)
      return args_complain(command, "a %s needs %s", kind->name, options[i].name);
    if (!kind->needs[i] && options[i].given)
      return args_complain(command, "a %s has no %s", kind->name, options[i].name);
  }
  return ARGS_GO;
}

static void report(const char *output, const ipg_mesh *mesh) {
  app_quality quality = app_measure(mesh);
  printf("%s: %lld nodes, %lld elements, block %s, %d node sets, %d side sets, volume %.6g, smallest dihedral angle "
         "%.4g degrees\n",
         output, (long long)mesh->node_count, (long long)mesh->element_count, mesh->blocks[0].name,
         mesh->node_set_count, mesh->side_set_count, quality.volume, quality.smallest_angle);
}

static int make_and_write(const mesh_kind *kind, const mesh_shape *shape) {
  ipg_mesh mesh = {0};
  ipg_error error;
  ipg_status status = kind->make(shape, &mesh, &error);
  if (!status) status = ipg_exodus_write(shape->output, &mesh, &error);
  if (!status) report(shape->output, &mesh);
  ipg_mesh_free(&mesh);
  return status ? app_fail(command, &error) : 0;
}

int app_mesh(int argc, char **argv) {
  const char *kind_name = NULL;
  mesh_shape shape = {0};
  args_option options[] = {
      {"--size", ARGS_SIZES, shape.size, "X,Y,Z", "box: lengths of its edges", false, false},
      {"--length", ARGS_POSITIVE, &shape.length, "L", "bar: its length, along z", false, false},
      {"--width", ARGS_POSITIVE, &shape.width, "W", "bar: its width, along x and y", false, false},
      {"--radius", ARGS_POSITIVE, &shape.radius, "R", "ball: its radius", false, false},
      {"--cell", ARGS_POSITIVE, &shape.cell, "H", "the edge length to aim at", true, false},
      {"--at", ARGS_VECTOR, shape.at, "X,Y,Z", "the centre, default 0,0,0", false, false},
      {"--name", ARGS_STRING, &shape.name, "NAME", "of the block, default the kind; sets are NAME_...", false, false},
      {"-o", ARGS_STRING, &shape.output, "FILE", "the Exodus II file to write", true, false},
  };
  args_word words[] = {{"KIND", "box, bar or ball", &kind_name}};
  args_table table = {command,
                      "Makes one body of tetrahedra and writes it as an Exodus II file.",
                      "impinge mesh bar --length 0.0324 --width 0.0064 --cell 0.0008 -o bar.exo",
                      words,
                      1,
                      options,
                      sizeof options / sizeof options[0]};
  args_outcome outcome = args_parse(&table, argc, argv);
  if (outcome) return outcome == ARGS_HELP ? 0 : (int)outcome;
  const mesh_kind *kind = find_kind(kind_name);
  if (!kind || check_sizes(kind, options)) return (int)ARGS_WRONG;
  if (!shape.name) shape.name = kind->name;
  return make_and_write(kind, &shape);
}

#endif
