/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The files that the fuzz test damages, in memory: small files that together have everything that we read from Exodus
 * files, in every format. Files written with the Exodus library represent those of other programs; `nccopy`, if it is
 * installed, makes the formats that this library cannot write. */
#ifndef IMPINGE_TESTS_FUZZ_CORPUS_H
#define IMPINGE_TESTS_FUZZ_CORPUS_H

#include "impinge/meshio.h"
#include "support/foreign_cdl.h"
#include "support/netcdf_image.h"

#include <exodusII.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORPUS_MOST = 24, CORPUS_MARKS = 4096, CORPUS_SPARE = 4096 };

typedef struct corpus_file {
  char name[32];
  unsigned char *bytes;
  int64_t size;
  int64_t header_bytes;        /* of a classic file */
  int64_t marks[CORPUS_MARKS]; /* where blocks of an HDF5 file start */
  int64_t mark_count;
} corpus_file;

typedef struct corpus {
  corpus_file *files;
  long count;
  int64_t largest;
} corpus;

static inline void corpus_require(bool proper, const char *what) {
  if (proper) return;
  fprintf(stderr, "fuzz_exodus: cannot make the corpus: %s\n", what);
  exit(2);
}

/* ------------------------------------------------------------------------------------------------------------- load */

/* An estimate: a little after the last name of a variable. */
static inline int64_t corpus_header_bytes(const unsigned char *bytes, int64_t size) {
  static const char last[] = "elem_num_map";
  int64_t end = 512;
  for (int64_t i = 0; i + (int64_t)sizeof last < size; ++i) {
    if (!memcmp(bytes + i, last, sizeof last - 1) || !memcmp(bytes + i, "vals_", 5)) end = i + 80;
  }
  return end < size ? end : size;
}

static inline void corpus_find_marks(corpus_file *f) {
  static const char *const names[] = {"OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTIN", "BTLF", "TREE", "GCOL"};
  if (memcmp(f->bytes, "\211HDF", 4)) return;
  f->marks[f->mark_count++] = 0;
  for (int64_t i = 0; i + 4 <= f->size; ++i)
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
      if (!memcmp(f->bytes + i, names[k], 4) && f->mark_count < CORPUS_MARKS) f->marks[f->mark_count++] = i;
}

static inline bool corpus_add(corpus *c, const char *path, const char *name) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  corpus_require(c->count < CORPUS_MOST, "too many files");
  corpus_file *f = &c->files[c->count++];
  fseek(file, 0, SEEK_END);
  f->size = ftell(file);
  rewind(file);
  f->bytes = malloc((size_t)f->size + 1);
  corpus_require(f->bytes && fread(f->bytes, 1, (size_t)f->size, file) == (size_t)f->size, path);
  fclose(file);
  snprintf(f->name, sizeof f->name, "%s", name);
  f->header_bytes = corpus_header_bytes(f->bytes, f->size);
  corpus_find_marks(f);
  if (f->size > c->largest) c->largest = f->size;
  return true;
}

/* ------------------------------------------------------------------------------------------------- files of our own */

static inline void corpus_write_ours(const char *path, bool large_ids) {
  const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, centre[3] = {5, 0, 0};
  const int n[3] = {1, 2, 1};
  ipg_mesh mesh, more;
  corpus_require(!ipg_mesh_box(lo, hi, n, "box", NULL, &mesh, NULL) &&
                     !ipg_mesh_ball(centre, 1, 1, "ball", NULL, &more, NULL) && !ipg_mesh_append(&mesh, &more, NULL),
                 "shapes");
  if (large_ids) mesh.node_gids[0] = INT64_C(1) << 40;
  corpus_require(!ipg_exodus_write(path, &mesh, NULL), path);
  ipg_mesh_destroy(&more);
  ipg_mesh_destroy(&mesh);
}

static inline void corpus_write_results(const char *path) {
  static const char *const names[] = {"disp_x", "disp_y", "disp_z"};
  static double zeros[256];
  const double centre[3] = {0, 0, 0}, *const values[] = {zeros, zeros, zeros};
  const double *const *const all[IPG_FIELD_KIND_COUNT] = {values, values, values, values, values};
  ipg_results_layout layout;
  for (int kind = 0; kind < IPG_FIELD_KIND_COUNT; ++kind) layout.fields[kind] = (ipg_results_fields){3, names, NULL};
  ipg_mesh mesh;
  ipg_results *results;
  corpus_require(!ipg_mesh_ball(centre, 1, 1, "ball", NULL, &mesh, NULL), "ball");
  corpus_require(!ipg_results_create(path, &mesh, &layout, &results, NULL), path);
  for (int step = 0; step < 3; ++step) corpus_require(!ipg_results_append(results, step, all, NULL), path);
  corpus_require(!ipg_results_destroy(&results, NULL), path);
  ipg_mesh_destroy(&mesh);
}

/* ------------------------------------------------------------------------------------------- files of the library's */

enum { CORPUS_NODES = 18, CORPUS_STEPS = 3 };

/* Nodes 1 to 8 are a cube, 9 to 18 a quadratic tetrahedron, four of the cube's a linear one. */
static inline void corpus_put_nodes(int id, int dimensions) {
  double x[CORPUS_NODES] = {0, 1, 1, 0, 0, 1, 1, 0, 5, 6, 5, 5}, y[CORPUS_NODES] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  double z[CORPUS_NODES] = {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1};
  static const int edges[6][2] = {{8, 9}, {9, 10}, {8, 10}, {8, 11}, {9, 11}, {10, 11}};
  char *names[3] = {(char[]){"east"}, (char[]){"north"}, (char[]){"up"}};
  for (int k = 0; k < 6; ++k) {
    x[12 + k] = 0.5 * (x[edges[k][0]] + x[edges[k][1]]);
    y[12 + k] = 0.5 * (y[edges[k][0]] + y[edges[k][1]]);
    z[12 + k] = 0.5 * (z[edges[k][0]] + z[edges[k][1]]);
  }
  ex_put_coord(id, x, y, dimensions == 3 ? z : NULL);
  ex_put_coord_names(id, names);
}

static inline void corpus_put_blocks(int id, bool hexahedron) {
  int64_t linear[4] = {1, 2, 4, 5}, quadratic[10] = {9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  int64_t cube[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  double values[2] = {0.5, 2};
  char *names[2] = {(char[]){"thickness"}, (char[]){"density"}};
  ex_put_block(id, EX_ELEM_BLOCK, 10, "TETRA", 1, 4, 0, 0, 2);
  ex_put_block(id, EX_ELEM_BLOCK, 20, "TETRA10", 1, 10, 0, 0, 0);
  if (hexahedron) ex_put_block(id, EX_ELEM_BLOCK, 30, "HEX8", 1, 8, 0, 0, 0);
  ex_put_conn(id, EX_ELEM_BLOCK, 10, linear, NULL, NULL);
  ex_put_conn(id, EX_ELEM_BLOCK, 20, quadratic, NULL, NULL);
  if (hexahedron) ex_put_conn(id, EX_ELEM_BLOCK, 30, cube, NULL, NULL);
  ex_put_attr(id, EX_ELEM_BLOCK, 10, values);
  ex_put_attr_names(id, EX_ELEM_BLOCK, 10, names);
}

static inline void corpus_put_sets(int id) {
  int64_t nodes[3] = {1, 9, 12}, elements[2] = {1, 2}, sides[2] = {4, 2};
  double factors[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  char *names[1] = {(char[]){"clamped"}};
  ex_put_set_param(id, EX_NODE_SET, 3, 3, 3);
  ex_put_set_param(id, EX_SIDE_SET, 5, 2, 9);
  ex_put_set(id, EX_NODE_SET, 3, nodes, NULL);
  ex_put_set(id, EX_SIDE_SET, 5, elements, sides);
  ex_put_set_dist_fact(id, EX_NODE_SET, 3, factors);
  ex_put_set_dist_fact(id, EX_SIDE_SET, 5, factors);
  ex_put_names(id, EX_NODE_SET, names);
  ex_put_names(id, EX_SIDE_SET, names);
}

static inline void corpus_put_records(int id) {
  int64_t numbers[CORPUS_NODES], values[3] = {7, 8, 9};
  char program[] = "program", *qa[1][4] = {{program, program, program, program}}, *info[1] = {program};
  char *properties[1] = {(char[]){"colour"}}, *names[3] = {(char[]){"a"}, (char[]){"b"}, (char[]){"c"}};
  for (int i = 0; i < CORPUS_NODES; ++i) numbers[i] = 100 + i;
  ex_put_qa(id, 1, qa);
  ex_put_info(id, 1, info);
  ex_put_prop_names(id, EX_ELEM_BLOCK, 1, properties);
  ex_put_prop_array(id, EX_ELEM_BLOCK, properties[0], values);
  ex_put_names(id, EX_ELEM_BLOCK, names);
  ex_put_id_map(id, EX_NODE_MAP, numbers);
  ex_put_id_map(id, EX_ELEM_MAP, numbers);
}

static inline void corpus_put_steps(int id, int blocks) {
  static const ex_entity_type types[] = {EX_NODAL, EX_GLOBAL, EX_ELEM_BLOCK, EX_NODE_SET, EX_SIDE_SET};
  static const int ids[] = {1, 1, 10, 3, 5}, counts[] = {CORPUS_NODES, 2, 1, 3, 2};
  char *names[2] = {(char[]){"first"}, (char[]){"second"}};
  int table[6] = {1, 0, 1, 1, 0, 1}; /* of blocks and fields: the hole is in the first block */
  double values[CORPUS_NODES] = {1, 2, 3};
  for (int k = 0; k < 5; ++k) {
    ex_put_variable_param(id, types[k], 2);
    ex_put_variable_names(id, types[k], 2, names);
  }
  ex_put_truth_table(id, EX_ELEM_BLOCK, blocks, 2, table);
  for (int step = 1; step <= CORPUS_STEPS; ++step) {
    const double time = 0.25 * step;
    ex_put_time(id, step, &time);
    for (int k = 0; k < 5; ++k)
      for (int f = 1; f <= (k == 1 ? 1 : 2); ++f)
        if (k != 2 || f == 1) ex_put_var(id, step, types[k], f, ids[k], counts[k], values);
  }
}

/* False if the library does not support the format; its messages are turned off. */
static inline bool corpus_write_theirs(const char *path, int mode, int word, bool hexahedron, bool steps) {
  int here = 8, there = word;
  const int blocks = hexahedron ? 3 : 2;
  ex_opts(0);
  const int id = ex_create(path, EX_CLOBBER | EX_ALL_INT64_API | mode, &here, &there);
  if (id < 0) return false;
  ex_put_init(id, "made by the library", 3, CORPUS_NODES, blocks, blocks, 1, 1);
  corpus_put_blocks(id, hexahedron);
  corpus_put_sets(id);
  corpus_put_nodes(id, 3);
  corpus_put_records(id);
  if (steps) corpus_put_steps(id, blocks);
  return ex_close(id) >= 0;
}

static inline void corpus_write_flat(const char *path) {
  int here = 8, there = 4;
  int nodes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int id = ex_create(path, EX_CLOBBER, &here, &there);
  ex_put_init(id, "flat", 2, CORPUS_NODES, 2, 1, 0, 0);
  ex_put_block(id, EX_ELEM_BLOCK, 1, "QUAD4", 2, 4, 0, 0, 0);
  ex_put_conn(id, EX_ELEM_BLOCK, 1, nodes, NULL, NULL);
  corpus_put_nodes(id, 2);
  corpus_require(ex_close(id) >= 0, path);
}

/* So many links that their tree has inner nodes. */
static inline void corpus_write_many_fields(const char *path) {
  enum { FIELDS = 150 };
  int here = 8, there = 8;
  int64_t nodes[10] = {9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  double values[CORPUS_NODES] = {0}, time = 1;
  const int id = ex_create(path, EX_CLOBBER | EX_NETCDF4 | EX_ALL_INT64_API, &here, &there);
  ex_put_init(id, "many", 3, CORPUS_NODES, 1, 1, 0, 0);
  ex_put_block(id, EX_ELEM_BLOCK, 1, "TETRA10", 1, 10, 0, 0, 0);
  ex_put_conn(id, EX_ELEM_BLOCK, 1, nodes, NULL, NULL);
  corpus_put_nodes(id, 3);
  ex_put_variable_param(id, EX_NODAL, FIELDS);
  ex_put_time(id, 1, &time);
  for (int f = 1; f <= FIELDS; ++f) ex_put_var(id, 1, EX_NODAL, f, 1, CORPUS_NODES, values);
  corpus_require(ex_close(id) >= 0, path);
}

/* ------------------------------------------------------------------------------------------ files of other programs */

/* Without a title, with properties that have no name, names that are shorter than told, dimensions of no length, an
 * empty map and a field of vectors, padded with the letter 0. */
static inline void corpus_write_foreign(const char *path) {
  static const image_dimension dimensions[] = {
      {"time_step", 0},     {"num_nodes", 5},       {"num_dim", 3},        {"num_elem", 2},        {"num_el_blk", 1},
      {"len_string", 12},   {"len_name", 65},       {"num_el_in_blk1", 2}, {"num_nod_per_el1", 4}, {"num_qa_rec", 1},
      {"num_node_sets", 2}, {"num_att_in_blk1", 1}, {"num_nod_var", 1}};
  static const image_attribute attributes[] = {{NULL, "version", IMAGE_FLOAT, 1, 5.1, NULL},
                                               {NULL, "floating point word size", IMAGE_INT, 1, 8, NULL},
                                               {"connect1", "elem_type", IMAGE_CHAR, 5, 0, "TETRA"},
                                               {"eb_prop2", "name", IMAGE_CHAR, 3, 0, "ply"}};
  static const image_variable variables[] = {{"coord", IMAGE_DOUBLE, {"num_dim", "num_nodes"}},
                                             {"eb_prop1", IMAGE_INT, {"num_el_blk"}},
                                             {"eb_prop2", IMAGE_INT, {"num_el_blk"}},
                                             {"eb_names", IMAGE_CHAR, {"num_el_blk", "len_string"}},
                                             {"name_nod_var", IMAGE_CHAR, {"num_nod_var", "len_string"}},
                                             {"node_num_map", IMAGE_INT, {"num_nodes"}},
                                             {"connect1", IMAGE_INT, {"num_el_in_blk1", "num_nod_per_el1"}},
                                             {"time_whole", IMAGE_FLOAT, {"time_step"}},
                                             {"vals_nod_var1", IMAGE_FLOAT, {"time_step", "num_nodes", "num_dim"}}};
  static const double positions[] = {0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1}, nodes[] = {1, 2, 3, 4, 2, 3, 4, 5};
  static image m;
  m = (image){.version = 2, .padding = '0', .record_count = 2, .dimensions = dimensions, .variables = variables};
  m.attributes = attributes;
  m.dimension_count = sizeof dimensions / sizeof *dimensions;
  m.attribute_count = sizeof attributes / sizeof *attributes;
  m.variable_count = sizeof variables / sizeof *variables;
  image_make(&m);
  image_put_numbers(&m, "coord", positions, 15);
  image_put_numbers(&m, "connect1", nodes, 8);
  image_put_text(&m, "eb_names", 0, "two");
  corpus_require(image_write(&m, path, m.size), path);
}

/* ----------------------------------------------------------------------------------------------------------- driver */

static inline bool corpus_copy_as(const char *how, const char *from, const char *to) {
  char command[256];
  snprintf(command, sizeof command, "nccopy %s %s %s 2>/dev/null", how, from, to);
  return !system(command);
}

static inline void corpus_add_theirs(corpus *c, const char *path) {
  static const struct {
    const char *name;
    int mode, word;
    bool hexahedron, steps;
  } kinds[] = {{"theirs, classic", EX_NORMAL_MODEL, 8, false, true},
               {"theirs, classic, hex", EX_NORMAL_MODEL, 4, true, false},
               {"theirs, 64-bit offsets", EX_LARGE_MODEL, 8, true, true},
               {"theirs, floats", EX_LARGE_MODEL, 4, false, true},
               {"theirs, netCDF-4", EX_NETCDF4, 8, false, true},
               {"theirs, netCDF-4, hex", EX_NETCDF4, 4, true, false},
               {"theirs, netCDF-4, 64 bits", EX_NETCDF4 | EX_NOCLASSIC | EX_ALL_INT64_DB, 8, false, true}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (corpus_write_theirs(path, kinds[i].mode, kinds[i].word, kinds[i].hexahedron, kinds[i].steps))
      corpus_add(c, path, kinds[i].name);
}

static inline void corpus_add_copies(corpus *c, const char *path, const char *copy) {
  corpus_write_theirs(path, EX_LARGE_MODEL, 8, false, true);
  if (corpus_copy_as("-k cdf5", path, copy)) corpus_add(c, copy, "copied, CDF-5");
  if (corpus_copy_as("-k nc4 -d 1 -s", path, copy)) corpus_add(c, copy, "copied, netCDF-4 deflated");
  if (corpus_copy_as("-k nc7", path, copy)) corpus_add(c, copy, "copied, netCDF-4 classic");
  corpus_write_foreign(path);
  corpus_add(c, path, "of another program");
  if (corpus_copy_as("-k nc4", path, copy)) corpus_add(c, copy, "of another program, netCDF-4");
  if (foreign_cdl_write(copy)) corpus_add(c, copy, "groups and types");
}

static inline corpus corpus_make(void) {
  corpus c = {.files = calloc(CORPUS_MOST, sizeof(corpus_file))};
  char path[64], copy[64];
  corpus_require(c.files != NULL, "memory");
  snprintf(path, sizeof path, "corpus.%ld.exo", (long)getpid());
  snprintf(copy, sizeof copy, "corpus.%ld.copy.exo", (long)getpid());
  corpus_write_ours(path, false);
  corpus_add(&c, path, "ours");
  corpus_write_ours(path, true);
  corpus_add(&c, path, "ours, netCDF-4");
  corpus_write_results(path);
  corpus_add(&c, path, "our results");
  corpus_add_theirs(&c, path);
  corpus_write_flat(path);
  corpus_add(&c, path, "flat");
  corpus_write_many_fields(path);
  corpus_add(&c, path, "many fields");
  corpus_add_copies(&c, path, copy);
  unlink(path);
  unlink(copy);
  return c;
}

static inline void corpus_free(corpus *c) {
  for (long i = 0; i < c->count; ++i) free(c->files[i].bytes);
  free(c->files);
}

#endif
