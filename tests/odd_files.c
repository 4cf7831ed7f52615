/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Writes unusual files for the tests of the program:
 *
 *     odd_files KIND FILE
 *
 * bad, nowhere, pinch, mixed, fourteen and plane are meshes with something wrong, signs is one with odd names.
 * `results` is two boxes with fields of every kind over two steps; results-WORD, such as results-nodal, is the same
 * with one thing changed. */
#include "impinge/meshio.h"

#include <exodusII.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what) {
  fprintf(stderr, "odd_files: %s\n", what);
  return 1;
}

/* ------------------------------------------------------------------------------------ meshes written by the library */

typedef struct raw_block {
  const char *name, *type;
  int count, nodes_per_element;
  const int *nodes; /* from 1 */
} raw_block;

static int put_block(int file, int id, const raw_block *block) {
  if (ex_put_block(file, EX_ELEM_BLOCK, id, block->type, block->count, block->nodes_per_element, 0, 0, 0) < 0) return 1;
  if (ex_put_name(file, EX_ELEM_BLOCK, id, block->name) < 0) return 1;
  return ex_put_conn(file, EX_ELEM_BLOCK, id, block->nodes, NULL, NULL) < 0;
}

static int write_raw(const char *path, int dimensions, int node_count, const double *x, const double *y,
                     const double *z, const raw_block *blocks, int block_count) {
  int word = sizeof(double), bad = 0, elements = 0;
  for (int b = 0; b < block_count; b++) elements += blocks[b].count;
  int file = ex_create(path, EX_CLOBBER, &word, &word);
  if (file < 0) return fail("cannot create the file");
  bad |= ex_put_init(file, "odd", dimensions, node_count, elements, block_count, 0, 0) < 0;
  bad |= ex_put_coord(file, x, y, z) < 0;
  for (int b = 0; b < block_count; b++) bad |= put_block(file, b + 1, &blocks[b]);
  bad |= ex_close(file) < 0;
  return bad ? fail("cannot write the file") : 0;
}

/* Element 1 is valid, 2 is flat, 3 is inverted; node 6 belongs to no element. */
static int write_bad(const char *path) {
  const double x[] = {0, 1, 0, 0, 1, 9}, y[] = {0, 0, 1, 0, 1, 9}, z[] = {0, 0, 0, 1, 0, 9};
  const int nodes[] = {1, 2, 3, 4, 1, 2, 5, 3, 2, 3, 5, 4};
  const raw_block block = {"bad", "TETRA", 3, 4, nodes};
  return write_raw(path, 3, 6, x, y, z, &block, 1);
}

static int write_nowhere(const char *path) {
  const double x[] = {0, 1, 0, 0, NAN}, y[] = {0, 0, 1, 0, 1}, z[] = {0, 0, 0, 1, 1};
  const int nodes[] = {1, 2, 3, 4, 2, 3, 4, 5};
  const raw_block block = {"nowhere", "TETRA", 2, 4, nodes};
  return write_raw(path, 3, 5, x, y, z, &block, 1);
}

/* Two elements that have only the edge from node 1 to node 2 in common. */
static int write_pinch(const char *path) {
  const double x[] = {0, 0, 1, 1, -1, -1}, y[] = {0, 0, 0, 1, 0, -1}, z[] = {0, 1, 0, 0, 0, 0};
  const int nodes[] = {1, 3, 4, 2, 1, 5, 6, 2};
  const raw_block block = {"pinched", "tetra4", 2, 4, nodes};
  return write_raw(path, 3, 6, x, y, z, &block, 1);
}

/* A hexahedron, and two tetrahedra whose blocks have names that are the same option in a deck. */
static int write_mixed(const char *path) {
  const double x[] = {0, 1, 1, 0, 0, 1, 1, 0, 3, 4, 3, 3, 6, 7, 6, 6};
  const double y[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0};
  const double z[] = {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int nodes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const raw_block blocks[] = {
      {"brick", "HEX8", 1, 8, nodes}, {"tet.one", "TETRA", 1, 4, nodes + 8}, {"Tet one", "TET4", 1, 4, nodes + 12}};
  return write_raw(path, 3, 16, x, y, z, blocks, 3);
}

/* A tetrahedron with ten nodes more than corners, and one with its corners only. */
static int write_fourteen(const char *path) {
  const double x[15] = {0, 1, 0, 0, .5, .5, 0, 0, .5, 0, .3, .3, .3, 0, 0};
  const double y[15] = {0, 0, 1, 0, 0, .5, .5, 0, 0, .5, .3, 0, .3, .3, 0};
  const double z[15] = {0, 0, 0, 1, 0, 0, 0, .5, .5, .5, 0, .3, .3, .3, 2};
  const int nodes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1, 2, 3, 15};
  const raw_block blocks[] = {{"fine", "TETRA14", 1, 14, nodes}, {"coarse", "TETRA", 1, 4, nodes + 14}};
  return write_raw(path, 3, 15, x, y, z, blocks, 2);
}

/* A box with node sets and side sets whose names differ by their signs only. */
static int write_signs(const char *path) {
  const double lo[3] = {0, 0, 0}, hi[3] = {1, 2, 3};
  const int n[3] = {1, 2, 3};
  ipg_error error = {0};
  ipg_mesh mesh;
  ipg_status status = ipg_mesh_box(lo, hi, n, "box", NULL, &mesh, &error);
  if (status) return fail(error.message);
  strcpy(mesh.node_sets[0].name, "-Z_bottom"), strcpy(mesh.node_sets[1].name, "+Z_bottom");
  strcpy(mesh.side_sets[0].name, "-Z.bottom"), strcpy(mesh.side_sets[1].name, "+Z.bottom");
  status = ipg_exodus_write(path, &mesh, &error);
  ipg_mesh_destroy(&mesh);
  return status ? fail(error.message) : 0;
}

static int write_plane(const char *path) {
  const double x[] = {0, 1, 0}, y[] = {0, 0, 1};
  const int nodes[] = {1, 2, 3};
  const raw_block block = {"sheet", "TRI3", 1, 3, nodes};
  return write_raw(path, 2, 3, x, y, NULL, &block, 1);
}

/* -------------------------------------------------------------------------------------------------------- results */

enum { STEPS = 2, FIELDS_MOST = 3 };

/* Two boxes, with what the word `change` names changed. */
typedef struct scene {
  ipg_mesh mesh;
  const char *change;
  int64_t lengths[IPG_FIELD_KIND_COUNT];
  double *values[IPG_FIELD_KIND_COUNT][FIELDS_MOST];
} scene;

static const char *const nodal[] = {"disp_x", "disp_y", "disp_z"}, *const global[] = {"energy", "momentum"},
                         *const element[] = {"stress", "strain"}, *const of_node_sets[] = {"heat"},
                         *const of_side_sets[] = {"pressure"};

static bool has_change(const scene *s, const char *word) { return strcmp(s->change, word) == 0; }

static ipg_status make_mesh(scene *s, ipg_error *error) {
  const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, far_lo[3] = {3, 0, 0}, far_hi[3] = {4, 1, 1};
  const int n[3] = {1, 1, 1};
  const ipg_allocator allocator = ipg_allocator_malloc();
  ipg_mesh other = {0};
  ipg_status status = ipg_mesh_box(lo, hi, n, "near", &allocator, &s->mesh, error);
  if (!status)
    status = ipg_mesh_box(far_lo, far_hi, n, has_change(s, "name") ? "away" : "far", &allocator, &other, error);
  if (!status) status = ipg_mesh_append(&s->mesh, &other, error);
  ipg_mesh_destroy(&other);
  if (status) return status;
  if (has_change(s, "coordinate")) s->mesh.x[4] += 1e-3;
  if (has_change(s, "number")) s->mesh.node_gids[s->mesh.node_count - 1] += 7;
  if (has_change(s, "entry")) s->mesh.node_sets[0].nodes[0] = s->mesh.node_sets[0].nodes[1];
  return IPG_OK;
}

static int64_t count_entries(const ipg_mesh *mesh, int kind) {
  int64_t count = 0;
  for (int i = 0; kind == IPG_FIELD_NODE_SET && i < mesh->node_set_count; i++) count += mesh->node_sets[i].count;
  for (int i = 0; kind == IPG_FIELD_SIDE_SET && i < mesh->side_set_count; i++) count += mesh->side_sets[i].count;
  return count;
}

static void make_values(scene *s, int64_t step) {
  static const char *const words[IPG_FIELD_KIND_COUNT] = {"nodal", "global", "element", "nodeset", "sideset"};
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; kind++)
    for (int f = 0; f < FIELDS_MOST; f++)
      for (int64_t i = 0; i < s->lengths[kind]; i++)
        s->values[kind][f][i] = 0.125 * (double)(kind + 1) * (double)(step + 1) * (double)(f + i % 7 + 1);
  for (int f = 0; f < 3; f++)
    for (int64_t i = 0; i < s->lengths[IPG_FIELD_NODAL]; i++)
      s->values[IPG_FIELD_NODAL][f][i] = f == 0 ? (double)(step + 1) : 0;
  s->values[IPG_FIELD_GLOBAL][0][1] = has_change(s, "momentum") ? 3 : NAN;
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; kind++)
    if (has_change(s, words[kind]) && step == 1) s->values[kind][0][kind == IPG_FIELD_GLOBAL ? 0 : 3] += 1e-3;
  if (has_change(s, "nan") && step == 0) s->values[IPG_FIELD_NODAL][0][2] = NAN;
}

static ipg_status append_step(scene *s, ipg_results *results, int64_t step, ipg_error *error) {
  const double *pointers[IPG_FIELD_KIND_COUNT][FIELDS_MOST];
  const double *const *values[IPG_FIELD_KIND_COUNT];
  make_values(s, step);
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; kind++) {
    for (int f = 0; f < FIELDS_MOST; f++) pointers[kind][f] = s->values[kind][f];
    values[kind] = pointers[kind];
  }
  const double time = (double)(step + 1) * (has_change(s, "time") ? 1.001 : 1);
  return ipg_results_append(results, time, values, error);
}

static ipg_status write_steps(scene *s, const char *path, ipg_error *error) {
  const bool first_only[] = {true, false, true, true}, all[] = {true, true, true, true};
  const ipg_results_layout layout = {{{has_change(s, "field") ? 2 : 3, nodal, NULL},
                                      {2, global, NULL},
                                      {2, element, has_change(s, "presence") ? all : first_only},
                                      {1, of_node_sets, NULL},
                                      {1, of_side_sets, NULL}}};
  ipg_results *results = NULL;
  ipg_status status = ipg_results_create(path, &s->mesh, &layout, &results, error);
  for (int64_t step = 0; !status && step < STEPS + has_change(s, "step"); step++)
    status = append_step(s, results, step, error);
  const ipg_status closed = results ? ipg_results_destroy(&results, status ? NULL : error) : IPG_OK;
  return status ? status : closed;
}

static int write_results(const char *path, const char *change) {
  ipg_error error = {0};
  scene s = {.change = change};
  ipg_status status = make_mesh(&s, &error);
  const int64_t lengths[IPG_FIELD_KIND_COUNT] = {s.mesh.node_count, 2, s.mesh.element_count,
                                                 count_entries(&s.mesh, IPG_FIELD_NODE_SET),
                                                 count_entries(&s.mesh, IPG_FIELD_SIDE_SET)};
  memcpy(s.lengths, lengths, sizeof lengths);
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; kind++)
    for (int f = 0; f < FIELDS_MOST; f++)
      if (!(s.values[kind][f] = calloc((size_t)lengths[kind] + 1, sizeof(double)))) return fail("no memory");
  if (!status) status = write_steps(&s, path, &error);
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; kind++)
    for (int f = 0; f < FIELDS_MOST; f++) free(s.values[kind][f]);
  ipg_mesh_destroy(&s.mesh);
  return status ? fail(error.message) : 0;
}

/* ------------------------------------------------------------------------------------------------------------- main */

int main(int argc, char **argv) {
  static const struct {
    const char *kind;
    int (*write)(const char *path);
  } meshes[] = {{"bad", write_bad},     {"nowhere", write_nowhere},   {"pinch", write_pinch},
                {"mixed", write_mixed}, {"fourteen", write_fourteen}, {"signs", write_signs},
                {"plane", write_plane}};
  if (argc != 3) return fail("usage: odd_files KIND FILE");
  for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
    if (strcmp(argv[1], meshes[i].kind) == 0) return meshes[i].write(argv[2]);
  if (strcmp(argv[1], "results") == 0) return write_results(argv[2], "");
  if (strncmp(argv[1], "results-", 8) == 0) return write_results(argv[2], argv[1] + 8);
  return fail("there is no such kind");
}
