/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Exodus files as other programs write them. Each is made byte by byte, in a way that the Exodus library never writes
 * but reads, or that a reader built on it reads: without a title, with properties that have no name, with dimensions of
 * no length, padded with something else than zeros. Each must be read with the right content, and what cannot be read
 * must be reported. Where `nccopy` is installed, the same as netCDF-4. */
#define _POSIX_C_SOURCE 200809L
#include "impinge/meshio.h"
#include "support/foreign_cdl.h"
#include "support/netcdf_image.h"
#include "support/suite.h"

#include <unistd.h>

static char path[64], copied[80];

/* ------------------------------------------------------------------------------------------------- a file to change */

enum { MOST = 48, NODES = 5 };

/* Two tetrahedra in two blocks, written as the Python package meshio writes them. */
typedef struct foreign {
  image_dimension dimensions[MOST];
  image_attribute attributes[MOST];
  image_variable variables[MOST];
  int dimension_count, attribute_count, variable_count;
  unsigned char padding;
} foreign;

static const double positions[3][NODES] = {{0, 1, 0, 0, 1}, {0, 0, 1, 0, 1}, {0, 0, 0, 1, 1}};
static const double corners[2][4] = {{1, 2, 3, 4}, {2, 3, 4, 5}};

static void set_dimension(foreign *f, const char *name, int64_t length) {
  int d = 0;
  while (d < f->dimension_count && strcmp(f->dimensions[d].name, name)) ++d;
  f->dimensions[d] = (image_dimension){name, length};
  if (d == f->dimension_count) ++f->dimension_count;
}

static void drop_dimension(foreign *f, const char *name) {
  int kept = 0;
  for (int d = 0; d < f->dimension_count; ++d)
    if (strcmp(f->dimensions[d].name, name)) f->dimensions[kept++] = f->dimensions[d];
  f->dimension_count = kept;
}

static void drop_variable(foreign *f, const char *name) {
  int kept = 0;
  for (int v = 0; v < f->variable_count; ++v)
    if (strcmp(f->variables[v].name, name)) f->variables[kept++] = f->variables[v];
  f->variable_count = kept;
}

/* Variables with steps stay last. */
static void set_variable(foreign *f, const char *name, int type, const char *first, const char *second) {
  drop_variable(f, name);
  const bool steps = first && !strcmp(first, "time_step");
  const image_variable added = {name, type, {first, second}};
  int at = f->variable_count++;
  for (; !steps && at > 0 && !strcmp(f->variables[at - 1].dimensions[0], "time_step"); --at)
    f->variables[at] = f->variables[at - 1];
  f->variables[at] = added;
}

static void drop_attribute(foreign *f, const char *name) {
  int kept = 0;
  for (int a = 0; a < f->attribute_count; ++a)
    if (strcmp(f->attributes[a].name, name)) f->attributes[kept++] = f->attributes[a];
  f->attribute_count = kept;
}

static void add_number(foreign *f, const char *name, int type, double value) {
  drop_attribute(f, name);
  f->attributes[f->attribute_count++] = (image_attribute){NULL, name, type, 1, value, NULL};
}

static void add_text(foreign *f, const char *variable, const char *name, const char *text) {
  f->attributes[f->attribute_count++] = (image_attribute){variable, name, IMAGE_CHAR, (int64_t)strlen(text), 0, text};
}

static void start(foreign *f) {
  static const image_dimension dimensions[] = {
      {"num_nodes", NODES},  {"num_dim", 3},         {"num_elem", 2},       {"num_el_blk", 2},
      {"len_string", 33},    {"len_line", 81},       {"four", 4},           {"time_step", 0},
      {"num_el_in_blk1", 1}, {"num_nod_per_el1", 4}, {"num_el_in_blk2", 1}, {"num_nod_per_el2", 4}};
  *f = (foreign){0};
  for (size_t d = 0; d < sizeof dimensions / sizeof *dimensions; ++d)
    set_dimension(f, dimensions[d].name, dimensions[d].length);
  add_text(f, NULL, "title", "Created by hand");
  add_number(f, "version", IMAGE_FLOAT, 5.1);
  add_number(f, "api_version", IMAGE_FLOAT, 5.1);
  add_number(f, "floating_point_word_size", IMAGE_INT, 8);
  add_text(f, "connect1", "elem_type", "TETRA");
  add_text(f, "connect2", "elem_type", "TETRA");
  set_variable(f, "coor_names", IMAGE_CHAR, "num_dim", "len_string");
  set_variable(f, "coord", IMAGE_DOUBLE, "num_dim", "num_nodes");
  set_variable(f, "eb_prop1", IMAGE_INT, "num_el_blk", NULL);
  set_variable(f, "connect1", IMAGE_INT, "num_el_in_blk1", "num_nod_per_el1");
  set_variable(f, "connect2", IMAGE_INT, "num_el_in_blk2", "num_nod_per_el2");
  set_variable(f, "time_whole", IMAGE_FLOAT, "time_step", NULL);
}

static bool has_variable(const foreign *f, const char *name) {
  int v = 0;
  while (v < f->variable_count && strcmp(f->variables[v].name, name)) ++v;
  return v < f->variable_count;
}

static void put(image *m, const foreign *f, const char *variable, const double *values, int count) {
  if (has_variable(f, variable)) image_put_numbers(m, variable, values, count);
}

static const double counted[] = {1, 2, 3, 4, 5, 6};

static void put_data(image *m, const foreign *f) {
  static const char *const axes[] = {"coordx", "coordy", "coordz"};
  put(m, f, "coord", positions[0], 3 * NODES);
  for (int d = 0; d < 3; ++d) put(m, f, axes[d], positions[d], NODES);
  put(m, f, "eb_prop1", (const double[]){0, 7}, 2);
  put(m, f, "connect1", corners[0], 4);
  put(m, f, "connect2", corners[1], 4);
  put(m, f, "node_ns1", counted, 3);
  put(m, f, "elem_ss1", counted, 2);
  put(m, f, "side_ss1", counted, 2);
  put(m, f, "ns_prop1", counted, 1);
  put(m, f, "ss_prop1", counted, 1);
}

/* ------------------------------------------------------------------------------------------------------------ reads */

typedef struct expectation {
  const char *name;
  void (*change)(foreign *f);
  const char *left_out; /* in the one line that is reported; NULL: nothing is */
  int node_sets, side_sets;
} expectation;

static char reported[1024];

static void note_line(void *context, const char *line) {
  ++*(int *)context;
  snprintf(reported, sizeof reported, "%s", line);
}

static void check_mesh(const ipg_mesh *mesh) {
  CU_ASSERT(mesh->node_count == NODES && mesh->element_count == 2 && mesh->block_count == 2);
  for (int n = 0; n < NODES; ++n)
    for (int d = 0; d < 3; ++d) CU_ASSERT_EQUAL(mesh->x[3 * n + d], positions[d][n]);
  for (int k = 0; k < 8; ++k) CU_ASSERT_EQUAL(mesh->tets[k], corners[k / 4][k % 4] - 1);
  CU_ASSERT(mesh->blocks[0].id == 0 && mesh->blocks[1].id == 7);
}

static void read_file(const char *file, const expectation *e) {
  int lines = 0;
  const ipg_exodus_options options = {.report = note_line, .context = &lines};
  ipg_error error = {0};
  ipg_mesh mesh;
  *reported = 0;
  const ipg_status status = ipg_exodus_read(file, &options, NULL, &mesh, &error);
  CU_ASSERT_EQUAL(status, IPG_OK);
  if (status) printf("\n    %s: unexpected: %s\n", e->name, error.message);
  if (status) return;
  check_mesh(&mesh);
  CU_ASSERT(mesh.node_set_count == e->node_sets && mesh.side_set_count == e->side_sets);
  const bool right = e->left_out ? lines == 1 && strstr(reported, e->left_out) : !lines;
  if (!right) printf("\n    %s: %d lines, the last: %s\n", e->name, lines, reported);
  CU_ASSERT(right);
  ipg_mesh_destroy(&mesh);
}

static void make_image(image *m, const foreign *f, int version, int64_t records) {
  *m = (image){.version = version, .record_count = records, .padding = f->padding};
  m->dimensions = f->dimensions, m->dimension_count = f->dimension_count;
  m->attributes = f->attributes, m->attribute_count = f->attribute_count;
  m->variables = f->variables, m->variable_count = f->variable_count;
  image_make(m);
  put_data(m, f);
}

static void write_file(const foreign *f, int version, int64_t records) {
  static image m;
  make_image(&m, f, version, records);
  CU_ASSERT_FATAL(image_write(&m, path, m.size));
}

static bool copy_as_netcdf4(void) {
  char command[200];
  snprintf(command, sizeof command, "nccopy -k 3 %s %s 2>/dev/null", path, copied);
  unlink(copied);
  return !system(command) && !access(copied, R_OK);
}

/* ---------------------------------------------------------------------------------------------------------- changes */

static void change_nothing(foreign *f) { (void)f; }
static void pad_with_zeros(foreign *f) { f->padding = '0'; }
static void pad_with_anything(foreign *f) { f->padding = 0xfe; }
static void drop_title(foreign *f) { drop_attribute(f, "title"); }
static void empty_title(foreign *f) { drop_title(f), add_text(f, NULL, "title", ""); }
static void make_title_a_number(foreign *f) { drop_title(f), add_number(f, "title", IMAGE_INT, 3); }

static void make_title_long(foreign *f) {
  static char title[301];
  memset(title, 't', sizeof title - 1);
  drop_title(f);
  add_text(f, NULL, "title", title);
}

/* As the Exodus library writes a title of its full length: with a closing zero. */
static void close_title(foreign *f) {
  static char title[81];
  memset(title, 't', sizeof title - 1);
  drop_title(f);
  f->attributes[f->attribute_count++] = (image_attribute){NULL, "title", IMAGE_CHAR, sizeof title, 0, title};
}

static void drop_api_version(foreign *f) { drop_attribute(f, "api_version"); }

static void use_old_words(foreign *f) {
  drop_attribute(f, "api_version");
  drop_attribute(f, "floating_point_word_size");
  add_number(f, "api version", IMAGE_FLOAT, 2.05);
  add_number(f, "floating point word size", IMAGE_INT, 8);
}

static void drop_axis_names(foreign *f) { drop_variable(f, "coor_names"); }
static void drop_time(foreign *f) { drop_variable(f, "time_whole"), drop_dimension(f, "time_step"); }
static void drop_times(foreign *f) { drop_variable(f, "time_whole"); }
static void drop_element_count(foreign *f) { drop_dimension(f, "num_elem"); }

/* Each says how many there are not. */
static void count_nothing(foreign *f) {
  static const char *const names[] = {"num_node_sets", "num_side_sets", "num_qa_rec",      "num_info",
                                      "num_nod_var",   "num_glo_var",   "num_elem_var",    "num_nset_var",
                                      "num_sset_var",  "num_edge_sets", "num_att_in_blk1", "num_att_in_blk2"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) set_dimension(f, names[i], 0);
}

/* The variables they announce are missing. */
static void count_what_is_missing(foreign *f) {
  set_dimension(f, "num_qa_rec", 2);
  set_dimension(f, "num_info", 3);
  set_dimension(f, "num_nod_var", 4);
}

static void use_axes(foreign *f) {
  drop_variable(f, "coord");
  set_variable(f, "coordx", IMAGE_DOUBLE, "num_nodes", NULL);
  set_variable(f, "coordy", IMAGE_DOUBLE, "num_nodes", NULL);
  set_variable(f, "coordz", IMAGE_FLOAT, "num_nodes", NULL);
  add_number(f, "file_size", IMAGE_INT, 1);
}

static void use_floats(foreign *f) { set_variable(f, "coord", IMAGE_FLOAT, "num_dim", "num_nodes"); }
static void name_property(foreign *f) { add_text(f, "eb_prop1", "name", "ID"); }

static void name_second_property(foreign *f) {
  set_variable(f, "eb_prop2", IMAGE_INT, "num_el_blk", NULL);
  add_text(f, "eb_prop2", "name", "material");
}

static void name_first_property(foreign *f) {
  name_property(f);
  set_variable(f, "eb_prop2", IMAGE_INT, "num_el_blk", NULL);
}

/* The library would write beyond its memory. */
static void name_property_long(foreign *f) {
  name_property(f);
  set_variable(f, "eb_prop2", IMAGE_INT, "num_el_blk", NULL);
  add_text(f, "eb_prop2", "name", "a property of more than thirty-two letters");
}

static void make_names_short(foreign *f) {
  set_dimension(f, "len_string", 12);
  set_variable(f, "eb_names", IMAGE_CHAR, "num_el_blk", "len_string");
}

/* len_name promises longer names than these are. */
static void make_names_shorter_than_told(foreign *f) {
  set_dimension(f, "len_name", 200);
  set_variable(f, "eb_names", IMAGE_CHAR, "num_el_blk", "len_string");
}

static void make_names_one_letter(foreign *f) {
  set_dimension(f, "len_string", 1);
  set_variable(f, "eb_names", IMAGE_CHAR, "num_el_blk", "len_string");
}

static void add_node_set(foreign *f) {
  set_dimension(f, "num_node_sets", 1);
  set_dimension(f, "num_nod_ns1", 3);
  set_variable(f, "ns_prop1", IMAGE_INT, "num_node_sets", NULL);
  set_variable(f, "node_ns1", IMAGE_INT, "num_nod_ns1", NULL);
}

static void add_node_set_without_factors(foreign *f) {
  add_node_set(f);
  set_dimension(f, "num_df_ns1", 3);
}

static void add_node_set_without_id(foreign *f) {
  add_node_set(f);
  drop_variable(f, "ns_prop1");
}

static void add_side_set(foreign *f) {
  set_dimension(f, "num_side_sets", 1);
  set_dimension(f, "num_side_ss1", 2);
  set_variable(f, "ss_prop1", IMAGE_INT, "num_side_sets", NULL);
  set_variable(f, "elem_ss1", IMAGE_INT, "num_side_ss1", NULL);
  set_variable(f, "side_ss1", IMAGE_INT, "num_side_ss1", NULL);
}

static void add_records(foreign *f, const char *width) {
  set_dimension(f, "num_info", 2);
  set_variable(f, "info_records", IMAGE_CHAR, "num_info", width);
}

static void add_short_records(foreign *f) { add_records(f, "len_string"); }
static void add_long_records(foreign *f) { set_dimension(f, "len_long", 300), add_records(f, "len_long"); }

static void add_attributes_of_one_axis(foreign *f) {
  set_dimension(f, "num_att_in_blk1", 2);
  set_variable(f, "attrib1", IMAGE_DOUBLE, "num_el_in_blk1", NULL);
}

static void count_attributes(foreign *f) { set_dimension(f, "num_att_in_blk2", 2); }
static void leave_node_map_empty(foreign *f) { set_variable(f, "node_num_map", IMAGE_INT, "num_nodes", NULL); }
static void leave_element_map_empty(foreign *f) { set_variable(f, "elem_num_map", IMAGE_INT, "num_elem", NULL); }

static void add_vector_field(foreign *f) {
  set_dimension(f, "num_nod_var", 1);
  set_variable(f, "name_nod_var", IMAGE_CHAR, "num_nod_var", "len_string");
  set_variable(f, "vals_nod_var1", IMAGE_DOUBLE, "time_step", "num_nodes");
  f->variables[f->variable_count - 1].dimensions[2] = "num_dim";
}

static void add_strangers(foreign *f) {
  set_dimension(f, "whatever", 9);
  set_variable(f, "stuff", IMAGE_CHAR, "whatever", "num_dim");
  set_variable(f, "more_stuff", IMAGE_FLOAT, "time_step", "whatever");
  add_text(f, "stuff", "units", "m");
  add_text(f, "coord", "name", "a text of any length, because the library never asks for it");
  add_text(f, NULL, "history", "none");
  add_number(f, "maximum_name_length", IMAGE_INT, 32);
}

static const expectation expectations[] = {
    {"as meshio writes it", change_nothing, NULL, 0, 0},
    {"padded with zeros", pad_with_zeros, NULL, 0, 0},
    {"padded with anything", pad_with_anything, NULL, 0, 0},
    {"no title", drop_title, NULL, 0, 0},
    {"an empty title", empty_title, NULL, 0, 0},
    {"a title that is a number", make_title_a_number, "the title, which is not text", 0, 0},
    {"a title of full length", close_title, NULL, 0, 0},
    {"a long title", make_title_long, "the end of the title, which has 300 letters", 0, 0},
    {"no api_version", drop_api_version, NULL, 0, 0},
    {"attributes with blanks", use_old_words, NULL, 0, 0},
    {"no names of axes", drop_axis_names, NULL, 0, 0},
    {"no time", drop_time, NULL, 0, 0},
    {"no times", drop_times, NULL, 0, 0},
    {"no number of elements", drop_element_count, NULL, 0, 0},
    {"dimensions of no length", count_nothing, NULL, 0, 0},
    {"dimensions without variables", count_what_is_missing, NULL, 0, 0},
    {"coordinates by axis", use_axes, NULL, 0, 0},
    {"coordinates as floats", use_floats, NULL, 0, 0},
    {"a named property", name_property, NULL, 0, 0},
    {"the second property named", name_second_property, "the properties of blocks", 0, 0},
    {"the second property not named", name_first_property, "the properties of blocks", 0, 0},
    {"a property with a long name", name_property_long, "the properties of blocks", 0, 0},
    {"short names", make_names_short, NULL, 0, 0},
    {"names shorter than len_name", make_names_shorter_than_told, NULL, 0, 0},
    {"names of one letter", make_names_one_letter, NULL, 0, 0},
    {"a node set", add_node_set, NULL, 1, 0},
    {"a node set without its factors", add_node_set_without_factors, NULL, 1, 0},
    {"a node set without an id", add_node_set_without_id, "the node sets, which have no ids", 0, 0},
    {"a side set", add_side_set, NULL, 0, 1},
    {"short information records", add_short_records, "the records of information", 0, 0},
    {"long information records", add_long_records, NULL, 0, 0},
    {"attributes of one axis", add_attributes_of_one_axis, "the attributes", 0, 0},
    {"attributes counted only", count_attributes, "the attributes", 0, 0},
    {"an empty node map", leave_node_map_empty, "the id map of nodes, which are all number 0", 0, 0},
    {"an empty element map", leave_element_map_empty, "the id map of elements, which are all number 0", 0, 0},
    {"a field of vectors", add_vector_field, NULL, 0, 0},
    {"what no one knows", add_strangers, NULL, 0, 0},
};

/* In every format; with a step where the library takes no dimension of no length for the number of steps. */
static void test_foreign_files(void) {
  static const int versions[] = {1, 2, 5};
  int copies = 0;
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; ++i) {
    const expectation *e = &expectations[i];
    foreign f;
    start(&f);
    e->change(&f);
    for (int v = 0; v < 3; ++v) {
      write_file(&f, versions[v], 0);
      read_file(path, e);
    }
    if (e->change != count_nothing && e->change != drop_time && e->change != drop_times) {
      write_file(&f, 2, 2);
      read_file(path, e);
    }
    if (!copy_as_netcdf4()) continue;
    ++copies;
    read_file(copied, e);
  }
  printf("\n    %d kinds of files, %d of them also as netCDF-4", (int)(sizeof expectations / sizeof *expectations),
         copies);
  if (!copies) printf("\n    SKIPPED: netCDF-4 copies: nccopy was not found");
}

/* A group may hold what would be refused outside of it, and its names are no duplicates of others. */
static void test_groups_and_types(void) {
  static const expectation expected = {"groups and types", change_nothing, "the title, which is not text", 0, 0};
  if (foreign_cdl_write(copied)) read_file(copied, &expected);
  else printf("\n    SKIPPED: groups and types: ncgen was not found");
}

/* -------------------------------------------------------------------------------------------------- their contents */

static void write_named(void (*change)(foreign *f), const char *first, const char *second) {
  static image m;
  foreign f;
  start(&f);
  change(&f);
  make_image(&m, &f, 2, 0);
  const int64_t width = change == make_names_short ? 12 : 33;
  image_put_text(&m, "coor_names", 0, "east");
  image_put_text(&m, "eb_names", 0, first);
  image_put_text(&m, "eb_names", width, second);
  CU_ASSERT_FATAL(image_write(&m, path, m.size));
}

static void test_names(void) {
  static void (*const changes[])(foreign * f) = {make_names_short, make_names_shorter_than_told};
  for (int i = 0; i < 2; ++i) {
    ipg_mesh mesh;
    write_named(changes[i], "left", "-Z_bottom");
    CU_ASSERT_EQUAL_FATAL(ipg_exodus_read(path, NULL, NULL, &mesh, NULL), IPG_OK);
    CU_ASSERT_STRING_EQUAL(mesh.blocks[0].name, "left");
    CU_ASSERT_STRING_EQUAL(mesh.blocks[1].name, "-Z_bottom");
    CU_ASSERT_STRING_EQUAL(mesh.axes[0], "east");
    ipg_mesh_destroy(&mesh);
  }
}

static void test_titles(void) {
  ipg_contents contents;
  foreign f;
  start(&f);
  write_file(&f, 2, 0);
  CU_ASSERT_EQUAL(ipg_exodus_describe(path, NULL, &contents, NULL), IPG_OK);
  CU_ASSERT_STRING_EQUAL(contents.title, "Created by hand");
  ipg_contents_destroy(&contents);
  make_title_long(&f);
  write_file(&f, 2, 0);
  CU_ASSERT_EQUAL(ipg_exodus_describe(path, NULL, &contents, NULL), IPG_OK);
  CU_ASSERT_EQUAL(strlen(contents.title), sizeof contents.title - 1);
  ipg_contents_destroy(&contents);
}

/* Numbers that stand for themselves, from zero. */
static void test_numbers_from_zero(void) {
  static image m;
  static const double from_zero[] = {0, 1, 2, 3, 4};
  ipg_mesh mesh;
  foreign f;
  start(&f);
  leave_node_map_empty(&f);
  leave_element_map_empty(&f);
  make_image(&m, &f, 2, 0);
  image_put_numbers(&m, "node_num_map", from_zero, NODES);
  image_put_numbers(&m, "elem_num_map", from_zero, 2);
  CU_ASSERT_FATAL(image_write(&m, path, m.size));
  CU_ASSERT_EQUAL_FATAL(ipg_exodus_read(path, NULL, NULL, &mesh, NULL), IPG_OK);
  for (int n = 0; n < NODES; ++n) CU_ASSERT_EQUAL(mesh.node_gids[n], n);
  CU_ASSERT(mesh.element_gids[0] == 0 && mesh.element_gids[1] == 1);
  ipg_mesh_destroy(&mesh);
}

/* Nodal values of three numbers cannot be read, and nothing else is hindered by them. */
static void test_vector_fields(void) {
  ipg_results_reader *reader;
  double values[NODES];
  ipg_error error;
  foreign f;
  start(&f);
  add_vector_field(&f);
  write_file(&f, 2, 1);
  CU_ASSERT_EQUAL_FATAL(ipg_results_open(path, NULL, &reader, &error), IPG_OK);
  CU_ASSERT_EQUAL(ipg_results_contents(reader)->fields[IPG_FIELD_NODAL].count, 1);
  CU_ASSERT_EQUAL(ipg_results_read(reader, 0, IPG_FIELD_NODAL, 0, values, &error), IPG_ERROR_FORMAT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "not all of its nodal fields have one number"));
  ipg_results_reader_destroy(&reader);
}

/* ---------------------------------------------------------------------------------------------- files to be refused */

static void drop_version(foreign *f) { drop_attribute(f, "version"); }
static void drop_word_size(foreign *f) { drop_attribute(f, "floating_point_word_size"); }
static void drop_ids(foreign *f) { drop_variable(f, "eb_prop1"); }
static void have_four_dimensions(foreign *f) { use_axes(f), set_dimension(f, "num_dim", 4); }
static void have_no_dimension(foreign *f) { use_axes(f), drop_axis_names(f), drop_dimension(f, "num_dim"); }
static void drop_connectivity(foreign *f) { drop_variable(f, "connect2"); }
static void swap_connectivity(foreign *f) {
  set_variable(f, "connect1", IMAGE_INT, "num_nod_per_el1", "num_el_in_blk1");
}
static void tell_wrong_size(foreign *f) { add_number(f, "file_size", IMAGE_INT, 1); }
static void tell_no_size(foreign *f) { use_axes(f), drop_attribute(f, "file_size"); }
static void make_type_a_number(foreign *f) {
  drop_attribute(f, "elem_type");
  f->attributes[f->attribute_count++] = (image_attribute){"connect1", "elem_type", IMAGE_INT, 1, 4, NULL};
}

static void test_refusals(void) {
  static const struct {
    void (*change)(foreign *f);
    const char *words;
  } refusals[] = {
      {drop_version, "it holds no Exodus II data: give an Exodus II file"},
      {drop_word_size, "it holds no Exodus II data: give an Exodus II file"},
      {drop_ids, "it has a dimension 'num_el_blk' but no variable for it"},
      {drop_connectivity, "it has a dimension 'num_el_in_blk2' but no variable for it"},
      {have_four_dimensions, "its space has 4 dimensions"},
      {have_no_dimension, "its space has 0 dimensions"},
      {swap_connectivity, "variable 'connect1' does not have the shape"},
      {tell_wrong_size, "its attribute file_size does not fit its coordinates: set it to 1"},
      {tell_no_size, "its attribute file_size does not fit its coordinates: set it to 1"},
      {make_type_a_number, "its attribute 'elem_type' is not text: write it as an array of letters"},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
    ipg_error error = {0};
    ipg_mesh mesh;
    foreign f;
    start(&f);
    refusals[i].change(&f);
    write_file(&f, 2, 0);
    CU_ASSERT_EQUAL(ipg_exodus_read(path, NULL, NULL, &mesh, &error), IPG_ERROR_FORMAT);
    const bool right = strstr(error.message, refusals[i].words);
    if (!right) printf("\n    expected \"%s\" in: %s\n", refusals[i].words, error.message);
    CU_ASSERT(right);
  }
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"files as others write them", test_foreign_files},
                         {"groups and types", test_groups_and_types},
                         {"names", test_names},
                         {"titles", test_titles},
                         {"numbers from zero", test_numbers_from_zero},
                         {"fields of vectors", test_vector_fields},
                         {"refusals", test_refusals},
                         CU_TEST_INFO_NULL};
  snprintf(path, sizeof path, "foreign.%ld.exo", (long)getpid());
  snprintf(copied, sizeof copied, "%s4", path);
  const int result = suite_main(argc, argv, "exodus_foreign", tests);
  unlink(path);
  unlink(copied);
  return result;
}
