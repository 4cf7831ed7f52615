/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The check of a file before the library opens it: headers made field by field and damaged one field at a time, each
 * refused with the right message; cut files and flipped bits are handled with little memory; valid files pass, also one
 * that a killed run left. netCDF-4 files are written by the library, and bits are flipped in them too. */
#define _POSIX_C_SOURCE 200809L
#include "exodus_check.h"
#include "hdf5_blocks.h"
#include "hdf5_types.h"
#include "support/failing_allocator.h"
#include "support/netcdf_image.h"
#include "support/suite.h"

#include <errno.h>
#include <exodusII.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static bool message_contains(const ipg_error *error, const char *words) {
  const bool found = strstr(error->message, words);
  if (!found) printf("\n    expected \"%s\" in: %s\n", words, error->message);
  return found;
}

static ipg_exodus_traits traits; /* of the file checked last */

static ipg_status check(ipg_error *error) { return ipg_exodus_check(path, NULL, &traits, error); }

static void expect_pass(const image *m, int64_t size) {
  ipg_error error = {0};
  CU_ASSERT(image_write(m, path, size));
  CU_ASSERT_EQUAL(check(&error), IPG_OK);
  if (error.status) printf("\n    unexpected: %s\n", error.message);
}

static void expect_refusal(const image *m, int64_t size, const char *words) {
  ipg_error error = {0};
  CU_ASSERT(image_write(m, path, size));
  CU_ASSERT_EQUAL(check(&error), IPG_ERROR_FORMAT);
  CU_ASSERT(message_contains(&error, words));
  CU_ASSERT(message_contains(&error, path));
}

/* ----------------------------------------------------------------------------------------------------- a small file */

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static const image_dimension dimensions[] = {
    {"len_string", 33},     {"len_name", 33},     {"four", 4},        {"time_step", 0},      {"num_dim", 3},
    {"num_nodes", 5},       {"num_elem", 2},      {"num_el_blk", 1},  {"num_el_in_blk1", 2}, {"num_nod_per_el1", 4},
    {"num_att_in_blk1", 1}, {"num_node_sets", 1}, {"num_nod_ns1", 3}, {"num_side_sets", 1},  {"num_side_ss1", 2},
    {"num_df_ss1", 6},      {"num_nod_var", 1},   {"num_glo_var", 1}, {"num_elem_var", 1},   {"num_qa_rec", 1}};

static const image_attribute attributes[] = {
    {NULL, "api_version", IMAGE_FLOAT, 1, 0, NULL}, {NULL, "version", IMAGE_FLOAT, 1, 8.03, NULL},
    {NULL, "file_size", IMAGE_INT, 1, 0, NULL},     {NULL, "floating_point_word_size", IMAGE_INT, 1, 8, NULL},
    {NULL, "title", IMAGE_CHAR, 5, 0, NULL},        {"connect1", "elem_type", IMAGE_CHAR, 6, 0, NULL},
    {"eb_prop1", "name", IMAGE_CHAR, 3, 0, NULL}};

static const image_variable variables[] = {{"time_whole", IMAGE_DOUBLE, {"time_step"}},
                                           {"eb_status", IMAGE_INT, {"num_el_blk"}},
                                           {"eb_prop1", IMAGE_INT, {"num_el_blk"}},
                                           {"ns_prop1", IMAGE_INT, {"num_node_sets"}},
                                           {"ss_prop1", IMAGE_INT, {"num_side_sets"}},
                                           {"coordx", IMAGE_DOUBLE, {"num_nodes"}},
                                           {"coordy", IMAGE_DOUBLE, {"num_nodes"}},
                                           {"coordz", IMAGE_DOUBLE, {"num_nodes"}},
                                           {"eb_names", IMAGE_CHAR, {"num_el_blk", "len_name"}},
                                           {"connect1", IMAGE_INT, {"num_el_in_blk1", "num_nod_per_el1"}},
                                           {"attrib1", IMAGE_DOUBLE, {"num_el_in_blk1", "num_att_in_blk1"}},
                                           {"node_ns1", IMAGE_INT, {"num_nod_ns1"}},
                                           {"dist_fact_ns1", IMAGE_DOUBLE, {"num_nod_ns1"}},
                                           {"elem_ss1", IMAGE_INT, {"num_side_ss1"}},
                                           {"side_ss1", IMAGE_INT, {"num_side_ss1"}},
                                           {"dist_fact_ss1", IMAGE_DOUBLE, {"num_df_ss1"}},
                                           {"qa_records", IMAGE_CHAR, {"num_qa_rec", "four", "len_string"}},
                                           {"name_nod_var", IMAGE_CHAR, {"num_nod_var", "len_name"}},
                                           {"name_glo_var", IMAGE_CHAR, {"num_glo_var", "len_name"}},
                                           {"name_elem_var", IMAGE_CHAR, {"num_elem_var", "len_name"}},
                                           {"elem_var_tab", IMAGE_INT, {"num_el_blk", "num_elem_var"}},
                                           {"node_num_map", IMAGE_INT, {"num_nodes"}},
                                           {"vals_nod_var1", IMAGE_DOUBLE, {"time_step", "num_nodes"}},
                                           {"vals_glo_var", IMAGE_DOUBLE, {"time_step", "num_glo_var"}},
                                           {"vals_elem_var1eb1", IMAGE_FLOAT, {"time_step", "num_el_in_blk1"}},
                                           {"something_else", IMAGE_CHAR, {"len_string", "num_dim", "four"}}};

enum { RECORD_BYTES = 8 + 40 + 8 + 8 };

static void start(image *m, int version) {
  *m = (image){.version = version, .record_count = 3};
  m->dimensions = dimensions, m->dimension_count = COUNT(dimensions);
  m->attributes = attributes, m->attribute_count = COUNT(attributes);
  m->variables = variables, m->variable_count = COUNT(variables);
  image_make(m);
}

static const int versions[] = {1, 2, 5};

static void test_valid_files(void) {
  static image m;
  for (int v = 0; v < COUNT(versions); ++v) {
    start(&m, versions[v]);
    expect_pass(&m, m.size);
    expect_pass(&m, m.size + 1000);
  }
}

/* The count of steps is written before the values, or after them. */
static void test_killed_run(void) {
  static image m;
  for (int v = 0; v < COUNT(versions); ++v) {
    start(&m, versions[v]);
    for (int64_t lost = 0; lost <= RECORD_BYTES; ++lost) expect_pass(&m, m.size - lost);
    expect_refusal(&m, m.size - RECORD_BYTES - 1, "counts 3 steps, but there are only 1");
    image_set(&m, "numrecs", 2);
    expect_pass(&m, m.size);
    image_set(&m, "numrecs", 0);
    expect_pass(&m, m.size);
    expect_pass(&m, m.size - 3 * RECORD_BYTES);
    expect_refusal(&m, m.size - 3 * RECORD_BYTES - 1, "variable 'something_else' lies beyond the end of the file");
    image_set(&m, "numrecs", 5);
    expect_refusal(&m, m.size, "counts 5 steps, but there are only 3");
    image_set(&m, "numrecs", -1);
    expect_refusal(&m, m.size, "does not have the number of steps");
  }
}

/* The records of a single variable are not padded. */
static void test_lone_record_variable(void) {
  static const image_dimension few[] = {{"time_step", 0}, {"num_dim", 3}, {"three", 3}};
  static const image_variable lone[] = {{"odd", IMAGE_CHAR, {"time_step", "three"}}};
  static image m;
  start(&m, 2);
  m.dimensions = few, m.dimension_count = COUNT(few);
  m.variables = lone, m.variable_count = COUNT(lone);
  m.record_count = 5;
  image_make(&m);
  m.dimension_count = 3;
  expect_refusal(&m, m.size, "a dimension 'time_step' but no variable for it");
  expect_refusal(&m, m.size - 3, "a dimension 'time_step' but no variable for it");
  expect_refusal(&m, m.size - 4, "counts 5 steps, but there are only 3");
}

/* ---------------------------------------------------------------------------------------------------------- damage */

static void test_damaged_headers(void) {
  static const struct {
    const char *spot;
    int64_t value;
    const char *words;
  } damages[] = {
      {"dimensions.tag", 11, "no list of dimensions"},
      {"dimensions.count", 1 << 30, "has a count of 1073741824 dimensions"},
      {"dimensions.count", 0, "no list of attributes"},
      {"file.tag", 0, "no list of attributes"},
      {"file.count", 1 << 20, "has a count of 1048576 attributes"},
      {"variables.tag", 12, "no list of variables"},
      {"variables.count", 0x7fffffff, "has a count of 2147483647 variables"},
      {"num_elem.letters", 0, "a name in its header has 0 letters"},
      {"num_elem.letters", 257, "has 257 letters"},
      {"num_el_blk.letters", 9, "variable 'eb_status' does not have the shape"}, /* the padding is the last letter */
      {"num_elem.name", '\n', "is not text"},
      {"num_elem.name", '/', "is not text"},
      {"num_elem.length", 0, "do not add up to its 3 elements"}, /* as many as steps */
      {"num_elem.length", 3, "do not add up to its 3 elements"},
      {"num_nodes.length", 4, "variable 'coordx' has a size that does not fit its dimensions"},
      {"num_nodes.length", 1 << 20, "variable 'coordx' has a size that does not fit its dimensions"},
      {"title.type", 0, "the data type 0, which does not exist"},
      {"title.type", 12, "the data type 12, which does not exist"},
      {"title.values", 1 << 24, "attribute 'title' has 16777216 values"},
      {"title.values", 0x7fffffff, "attribute 'title' has 2147483647 values"},
      {"coordx.rank", 2000, "variable 'coordx' has more dimensions"},
      {"coordx.shape", 99, "variable 'coordx' has a dimension that is not in the header"},
      {"connect1.shape", 3, "variable 'connect1' has a size that does not fit its dimensions"},
      {"coordx.type", IMAGE_INT, "variable 'coordx' has a size that does not fit its dimensions"},
      {"coordx.size", 44, "variable 'coordx' has a size that does not fit its dimensions"},
      {"coordx.begin", 0, "variable 'coordx' overlaps another"},
      {"coordx.begin", 0x7fffff00, "variable 'coordx' lies beyond the end of the file"},
      {"eb_status.begin", 8, "its variables start within its header"},
      {"vals_nod_var1.begin", 3000, "variable 'vals_nod_var1' overlaps another"},
      {"vals_glo_var.begin", 0x7fffff00, "variable 'vals_glo_var' overlaps another"},
      {"numrecs", 0x7fffffff, "counts 2147483647 steps"},
  };
  static image m;
  for (int v = 0; v < COUNT(versions); ++v)
    for (int i = 0; i < COUNT(damages); ++i) {
      start(&m, versions[v]);
      CU_ASSERT(image_set(&m, damages[i].spot, damages[i].value));
      expect_refusal(&m, m.size, damages[i].words);
    }
}

/* A variable may begin later than its predecessor ends, as long as it does not overlap the next one. */
static void test_places(void) {
  static image m;
  for (int v = 0; v < COUNT(versions); ++v) {
    start(&m, versions[v]);
    image_set(&m, "coordy.begin", image_get(&m, "coordz.begin"));
    expect_refusal(&m, m.size, "variable 'coordz' overlaps another");
    start(&m, versions[v]);
    image_set(&m, "something_else.begin", image_get(&m, "something_else.begin") + 4);
    expect_refusal(&m, m.size, "its steps overlap the mesh");
  }
}

static void test_double_names(void) {
  static image m;
  start(&m, 2);
  m.bytes[image_find_field(&m, "coordy.name")->at + 5] = 'x';
  expect_refusal(&m, m.size, "names 'coordx' twice");
  start(&m, 2);
  memcpy(m.bytes + image_find_field(&m, "num_node_sets.name")->at, "num_side_sets", 13);
  expect_refusal(&m, m.size, "names 'num_side_sets' twice");
  start(&m, 2);
  memcpy(m.bytes + image_find_field(&m, "file_size.name")->at, "elem_type", 9); /* that of a block has this name too */
  expect_pass(&m, m.size);
}

/* A record dimension must come first, and only new files have the newer types. */
static void test_rules_of_the_format(void) {
  static const image_dimension few[] = {{"time_step", 0}, {"num_dim", 3}};
  static const image_variable swapped[] = {{"odd", IMAGE_CHAR, {"num_dim", "time_step"}}};
  static image m;
  start(&m, 2);
  m.dimensions = few, m.dimension_count = COUNT(few);
  m.variables = swapped, m.variable_count = COUNT(swapped);
  image_make(&m);
  expect_refusal(&m, m.size, "variable 'odd' has the unlimited dimension, but not as its first");
  start(&m, 2);
  image_set(&m, "something_else.type", 7);
  expect_refusal(&m, m.size, "the data type 7, which does not exist");
  start(&m, 5);
  image_set(&m, "something_else.type", 7);
  expect_pass(&m, m.size);
}

/* A 64-bit count whose product overflows. */
static void test_huge_counts(void) {
  static image m;
  start(&m, 5);
  image_set(&m, "num_nodes.length", INT64_MAX);
  expect_refusal(&m, m.size, "variable 'coordx' has a size that does not fit its dimensions");
  start(&m, 5);
  image_set(&m, "num_nodes.length", (INT64_C(1) << 62) + 5); /* as many bytes as 5, if only the last 64 bits count */
  expect_refusal(&m, m.size, "variable 'coordx' has a size that does not fit its dimensions");
  start(&m, 5);
  image_set(&m, "file_size.values", (INT64_C(1) << 62) + 1);
  expect_refusal(&m, m.size, "values, more than the file has room for");
  start(&m, 5);
  image_set(&m, "num_nodes.length", -2);
  expect_refusal(&m, m.size, "a count in its header is negative");
  start(&m, 5);
  image_set(&m, "title.values", INT64_MAX);
  expect_refusal(&m, m.size, "attribute 'title' has");
  start(&m, 5);
  image_set(&m, "time_whole.begin", INT64_MAX);
  expect_refusal(&m, m.size, "variable 'time_whole' is larger than any file");
}

static void test_cuts(void) {
  static image m;
  ipg_error error;
  for (int v = 0; v < COUNT(versions); ++v) {
    start(&m, versions[v]);
    for (int64_t size = 0; size < m.size - RECORD_BYTES; size += versions[v] == 2 ? 1 : 7) {
      CU_ASSERT_FATAL(image_write(&m, path, size));
      CU_ASSERT_EQUAL(check(&error), IPG_ERROR_FORMAT);
    }
  }
}

/* All memory is released again, whatever bit is flipped. */
static void test_flipped_bits(void) {
  static image m;
  failing_allocator memory = {0};
  const ipg_allocator allocator = failing_allocator_of(&memory);
  ipg_error error;
  int64_t refused = 0, passed = 0;
  start(&m, 2);
  for (int64_t bit = 0; bit < 8 * m.header_bytes; bit += suite_is_quick() ? 41 : 3) {
    m.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    CU_ASSERT_FATAL(image_write(&m, path, m.size));
    *(ipg_exodus_check(path, &allocator, &traits, &error) ? &refused : &passed) += 1;
    m.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    CU_ASSERT_FATAL(!memory.live_blocks && !memory.wrong_releases);
  }
  printf("\n    %lld bits flipped in a header: %lld refused, %lld passed", (long long)(refused + passed),
         (long long)refused, (long long)passed);
  CU_ASSERT(refused > 2 * passed);
}

static void fail_each_allocation(void) {
  ipg_error error;
  for (int64_t at = 1;; ++at) {
    failing_allocator memory = {.fail_at = at};
    const ipg_allocator allocator = failing_allocator_of(&memory);
    const ipg_status status = ipg_exodus_check(path, &allocator, &traits, &error);
    CU_ASSERT_FATAL(!memory.live_blocks && !memory.wrong_releases);
    CU_ASSERT_EQUAL_FATAL(status, memory.refusals ? IPG_ERROR_MEMORY : IPG_OK);
    if (!memory.refusals) break;
  }
}

static void test_refused_memory(void) {
  static image m;
  start(&m, 5);
  expect_pass(&m, m.size);
  fail_each_allocation();
}

/* ---------------------------------------------------------------------------------------------------------- schema */

typedef struct wrong {
  const char *variable; /* gets another type or other dimensions */
  image_variable becomes;
  const char *words;
} wrong;

static void start_changed(image *m, const char *variable, image_variable becomes) {
  static image_variable changed[COUNT(variables)];
  memcpy(changed, variables, sizeof changed);
  for (int v = 0; v < COUNT(variables); ++v)
    if (!strcmp(changed[v].name, variable)) changed[v] = becomes;
  start(m, 2);
  m->variables = changed;
  image_make(m);
}

static void test_shapes(void) {
  static const wrong wrongs[] = {
      {"coordy", {"coordy", IMAGE_DOUBLE, {"num_elem"}}, "variable 'coordy' does not have the shape"},
      {"coordy", {"coordy", IMAGE_CHAR, {"num_nodes"}}, "variable 'coordy' does not have the shape"},
      {"coordy", {"coordy", IMAGE_DOUBLE, {"num_dim", "num_nodes"}}, "variable 'coordy' does not have the shape"},
      {"coordy", {"coordy", IMAGE_DOUBLE, {NULL}}, "variable 'coordy' does not have the shape"},
      {"eb_prop1", {"eb_prop1", IMAGE_INT, {"num_nodes"}}, "variable 'eb_prop1' does not have the shape"},
      {"eb_prop1", {"eb_prop2", IMAGE_INT, {"num_el_blk"}}, "dimension 'num_el_blk' but no variable"},
      {"eb_prop1", {"eb_prop01", IMAGE_INT, {"num_el_blk"}}, "dimension 'num_el_blk' but no variable"},
      {"eb_status", {"eb_status", IMAGE_INT, {"num_nodes"}}, "variable 'eb_status' does not have the shape"},
      {"eb_names", {"eb_names", IMAGE_CHAR, {"len_name"}}, "variable 'eb_names' does not have the shape"},
      {"connect1", {"connect1", IMAGE_INT, {"num_nodes", "num_nod_per_el1"}}, "'connect1' does not have the shape"},
      {"connect1", {"connect2", IMAGE_INT, {"num_el_in_blk1"}}, "dimension 'num_el_in_blk1' but no variable"},
      {"dist_fact_ns1", {"dist_fact_ns1", IMAGE_DOUBLE, {"num_df_ss1"}}, "'dist_fact_ns1' does not have the shape"},
      {"dist_fact_ss1", {"dist_fact_ss1", IMAGE_DOUBLE, {"num_nodes"}}, "'dist_fact_ss1' does not have the shape"},
      {"dist_fact_ss1", {"nothing", IMAGE_DOUBLE, {"num_nodes"}}, "dimension 'num_df_ss1' but no variable"},
      {"side_ss1", {"side_ss1", IMAGE_INT, {"num_nodes"}}, "variable 'side_ss1' does not have the shape"},
      {"qa_records", {"qa_records", IMAGE_CHAR, {"num_qa_rec", "len_string"}}, "'qa_records' does not have the shape"},
      {"elem_var_tab", {"elem_var_tab", IMAGE_INT, {"num_nodes"}}, "variable 'elem_var_tab' does not have the shape"},
      {"time_whole", {"time_whole", IMAGE_DOUBLE, {"num_nodes"}}, "variable 'time_whole' does not have the shape"},
      {"name_nod_var", {"name_nod_var", IMAGE_CHAR, {"len_name"}}, "'name_nod_var' does not have the shape"},
      {"node_num_map", {"node_num_map", IMAGE_INT, {"num_elem"}}, "'node_num_map' does not have the shape"},
  };
  static image m;
  for (int i = 0; i < COUNT(wrongs); ++i) {
    start_changed(&m, wrongs[i].variable, wrongs[i].becomes);
    expect_refusal(&m, m.size, wrongs[i].words);
  }
}

/* What a mesh can do without may have any shape: it is not asked for. Numbers with zeros before them are other names.
 */
static void test_optional_parts(void) {
  static image m;
  start(&m, 2);
  expect_pass(&m, m.size);
  CU_ASSERT(traits.title == IPG_PART_READABLE && traits.title_letters == 5 && traits.attributes == IPG_PART_READABLE);
  CU_ASSERT(traits.fields[IPG_FIELD_NODAL] == IPG_PART_READABLE && traits.label_widths[IPG_LABEL_BLOCK] == 33);
  CU_ASSERT(traits.qa == IPG_PART_READABLE && traits.info == IPG_PART_ABSENT && traits.steps == IPG_PART_READABLE);
  CU_ASSERT(traits.properties[IPG_LABEL_BLOCK] == IPG_PART_READABLE);
  CU_ASSERT(traits.properties[IPG_LABEL_NODE_SET] == IPG_PART_ABSENT); /* its name is missing */
  CU_ASSERT(traits.sets[IPG_LABEL_NODE_SET] == IPG_PART_READABLE && traits.axis_width == 0);
  start_changed(&m, "attrib1", (image_variable){"attrib1", IMAGE_DOUBLE, {"num_nodes"}});
  expect_pass(&m, m.size);
  CU_ASSERT_EQUAL(traits.attributes, IPG_PART_ODD);
  start_changed(&m, "vals_nod_var1", (image_variable){"vals_nod_var1", IMAGE_DOUBLE, {"time_step"}});
  expect_pass(&m, m.size);
  CU_ASSERT_EQUAL(traits.fields[IPG_FIELD_NODAL], IPG_PART_ODD);
  CU_ASSERT_EQUAL(traits.fields[IPG_FIELD_ELEMENT], IPG_PART_READABLE);
  start_changed(&m, "vals_elem_var1eb1", (image_variable){"vals_elem_var1eb2", IMAGE_FLOAT, {"time_step"}});
  expect_pass(&m, m.size);
  CU_ASSERT_EQUAL(traits.fields[IPG_FIELD_ELEMENT], IPG_PART_ODD);
  start_changed(&m, "name_nod_var", (image_variable){"names_nod_var", IMAGE_CHAR, {"num_nod_var"}});
  expect_pass(&m, m.size);
  CU_ASSERT_EQUAL(traits.fields[IPG_FIELD_NODAL], IPG_PART_ABSENT);
  start_changed(&m, "ns_prop1", (image_variable){"ns_prop01", IMAGE_INT, {"num_elem"}});
  expect_pass(&m, m.size);
  CU_ASSERT_EQUAL(traits.sets[IPG_LABEL_NODE_SET], IPG_PART_ODD);
}

/* The records of the only variable that has any are not padded, and some writers do not pad their size either. */
static void test_sizes(void) {
  static const image_dimension few[] = {{"time_step", 0}, {"num_dim", 3}, {"three", 3}};
  static const image_variable lone[] = {{"odd", IMAGE_CHAR, {"time_step", "three"}}};
  static const int64_t sizes[] = {4, 3, 0};
  static image m;
  for (int i = 0; i < COUNT(sizes); ++i) {
    start(&m, 2);
    m.dimensions = few, m.dimension_count = COUNT(few);
    m.variables = lone, m.variable_count = COUNT(lone);
    image_make(&m);
    image_set(&m, "odd.size", sizes[i]);
    expect_refusal(&m, m.size, "a dimension 'time_step' but no variable for it");
    image_set(&m, "odd.size", 8);
    expect_refusal(&m, m.size, "variable 'odd' has a size that does not fit its dimensions");
  }
}

static void test_attributes(void) {
  static const image_attribute wrongs[] = {
      {NULL, "version", IMAGE_FLOAT, 2, 0, NULL},      {NULL, "version", IMAGE_FLOAT, 0, 0, NULL},
      {NULL, "version", IMAGE_CHAR, 1, 0, NULL},       {NULL, "floating_point_word_size", IMAGE_INT, 100, 0, NULL},
      {NULL, "file_size", IMAGE_INT, 2, 0, NULL},      {"connect1", "elem_type", IMAGE_CHAR, 34, 0, NULL},
      {"connect1", "elem_type", IMAGE_INT, 1, 0, NULL}};
  for (int i = 0; i < COUNT(wrongs); ++i) {
    static image m;
    char words[64];
    image_attribute changed[COUNT(attributes)];
    memcpy(changed, attributes, sizeof changed);
    for (int a = 0; a < COUNT(attributes); ++a)
      if (!strcmp(changed[a].name, wrongs[i].name)) changed[a] = wrongs[i];
    start(&m, 1);
    m.attributes = changed;
    image_make(&m);
    const bool text = wrongs[i].type == IMAGE_CHAR, meant = !strcmp(wrongs[i].name, "elem_type");
    const char *const form = text != meant ? "its attribute '%s' is not" : text ? "its text '%s' has" : "'%s' has";
    snprintf(words, sizeof words, form, wrongs[i].name);
    expect_refusal(&m, m.size, words);
  }
}

/* Attributes that the library checks when it opens a file: one that it refuses there stays open. */
static void test_version_attributes(void) {
  static const struct wrong {
    image_attribute becomes;
    const char *words;
  } wrongs[] = {{{NULL, "version", IMAGE_FLOAT, 1, 1.9, NULL}, "its Exodus version is 1.9"},
                {{NULL, "version", IMAGE_FLOAT, 1, (double)NAN, NULL}, "its Exodus version is"},
                {{NULL, "version", IMAGE_INT, 1, -8, NULL}, "its Exodus version is -8"},
                {{NULL, "floating_point_word_size", IMAGE_INT, 1, 5, NULL}, "have 5 bytes, not 4 or 8"},
                {{NULL, "floating_point_word_size", IMAGE_FLOAT, 1, 0, NULL}, "have 0 bytes, not 4 or 8"}};
  static image m;
  for (int i = 0; i < COUNT(wrongs); ++i) {
    image_attribute changed[COUNT(attributes)];
    memcpy(changed, attributes, sizeof changed);
    for (int a = 0; a < COUNT(attributes); ++a)
      if (!strcmp(changed[a].name, wrongs[i].becomes.name)) changed[a] = wrongs[i].becomes;
    start(&m, 1);
    m.attributes = changed;
    image_make(&m);
    expect_refusal(&m, m.size, wrongs[i].words);
  }
  static const char *const needed[] = {"version", "floating_point_word_size"};
  for (int i = 0; i < COUNT(needed); ++i) {
    char spot[48];
    start(&m, 1);
    snprintf(spot, sizeof spot, "%s.name", needed[i]);
    m.bytes[image_find_field(&m, spot)->at] ^= 1;
    expect_refusal(&m, m.size, "holds no Exodus II data");
  }
  start(&m, 1);
  m.attribute_count = 1;
  image_make(&m);
  expect_refusal(&m, m.size, "holds no Exodus II data");
}

/* --------------------------------------------------------------------------------------------------------- netCDF-4 */

enum { BLOCKS = 3, NODES = 4, NAME = 200 };

/* Enough variables for trees of links with two levels, attributes in a heap, and steps in chunks. */
static void write_netcdf4(int fields) {
  int here = 8, there = 8;
  double x[NODES] = {0, 1, 0, 0}, y[NODES] = {0, 0, 1, 0}, z[NODES] = {0, 0, 0, 1}, time = 1, values[NODES] = {0};
  const int id = ex_create(path, EX_CLOBBER | EX_NETCDF4, &here, &there);
  CU_ASSERT_FATAL(id >= 0);
  ex_set_max_name_length(id, NAME);
  ex_put_init(id, "netCDF-4", 3, NODES, BLOCKS, BLOCKS, 1, 0);
  for (int b = 1; b <= BLOCKS; ++b) {
    int nodes[4] = {1, 2, 3, 4};
    ex_put_block(id, EX_ELEM_BLOCK, b, "TETRA", 1, 4, 0, 0, 0);
    ex_put_conn(id, EX_ELEM_BLOCK, b, nodes, NULL, NULL);
  }
  int node = 2;
  ex_put_set_param(id, EX_NODE_SET, 7, 1, 0);
  ex_put_set(id, EX_NODE_SET, 7, &node, NULL);
  ex_put_coord(id, x, y, z);
  ex_put_variable_param(id, EX_NODAL, fields);
  for (int f = 1; f <= fields; ++f) {
    char name[32];
    snprintf(name, sizeof name, "field_%d", f);
    ex_put_variable_name(id, EX_NODAL, f, name);
  }
  for (int step = 1; step <= 3; ++step) {
    ex_put_time(id, step, &time);
    for (int f = 1; f <= fields; ++f) ex_put_var(id, step, EX_NODAL, f, 1, NODES, values);
  }
  CU_ASSERT_EQUAL(ex_close(id), 0);
}

static void test_netcdf4(void) {
  ipg_error error = {0};
  for (int fields = 1; fields <= 1000; fields = 3 * fields + 1) {
    write_netcdf4(fields);
    CU_ASSERT_EQUAL(check(&error), IPG_OK);
    if (error.status) printf("\n    unexpected with %d fields: %s\n", fields, error.message);
  }
  write_netcdf4(20);
  fail_each_allocation();
}

static unsigned char bytes[1 << 20];

static int64_t read_back(void) {
  FILE *file = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  const int64_t size = (int64_t)fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return size;
}

static void write_again(int64_t size) {
  FILE *file = fopen(path, "wb");
  CU_ASSERT_FATAL(file && fwrite(bytes, 1, (size_t)size, file) == (size_t)size && !fclose(file));
}

static void test_netcdf4_damage(void) {
  ipg_error error;
  int64_t refused = 0, passed = 0;
  write_netcdf4(2);
  const int64_t size = read_back();
  for (int64_t cut = 0; cut < size; cut += 331) {
    write_again(cut);
    CU_ASSERT_EQUAL(check(&error), IPG_ERROR_FORMAT);
  }
  rng r = rng_start(77);
  for (int64_t i = 0; i < (suite_is_quick() ? 500 : 4000); ++i) {
    const int64_t bit = (int64_t)(rng_next(&r) % (uint64_t)(8 * size));
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    write_again(size);
    *(check(&error) ? &refused : &passed) += 1;
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  printf("\n    %lld bits flipped in a netCDF-4 file: %lld refused, %lld passed", (long long)(refused + passed),
         (long long)refused, (long long)passed);
  CU_ASSERT(refused > passed);
}

/* The offset of the n-th block with that signature; -1 if there are fewer. */
static int64_t find_block(int64_t size, const char *signature, int n) {
  for (int64_t i = 0; i + 4 <= size; ++i)
    if (!memcmp(bytes + i, signature, 4) && !n--) return i;
  return -1;
}

/* A file is refused if any bit changes in a block with a checksum, except for a few blocks that the library no longer
 * uses. */
static void test_blocks_with_checksums(void) {
  static const struct {
    const char *signature;
    int64_t bytes; /* that surely belong to it */
  } kinds[] = {{"OHDR", 40},  {"OCHK", 12}, {"FRHP", 146}, {"FHIB", 54},
               {"FHDB", 512}, {"BTHD", 38}, {"BTIN", 32},  {"BTLF", 24}};
  rng r = rng_start(78);
  ipg_error error;
  write_netcdf4(20);
  const int64_t size = read_back();
  for (int k = 0; k < COUNT(kinds); ++k) {
    int n = 0, refused = 0;
    for (int64_t at; (at = find_block(size, kinds[k].signature, n)) >= 0; ++n) {
      const int64_t byte = at + (int64_t)(rng_next(&r) % (uint64_t)kinds[k].bytes);
      const unsigned char before = bytes[byte];
      bytes[byte] ^= (unsigned char)(1 << rng_int(&r, 0, 7));
      write_again(size);
      refused += check(&error) == IPG_ERROR_FORMAT;
      bytes[byte] = before;
    }
    printf("\n    %s: %d of %d refused", kinds[k].signature, refused, n);
    CU_ASSERT(refused > 0 && 10 * refused >= 9 * n);
  }
}

static void put_little(int64_t at, int width, uint64_t value) {
  for (int i = 0; i < width; ++i) bytes[at + i] = (unsigned char)(value >> 8 * i);
}

/* Writes a number into a block without checksum. */
static void expect_refused_number(int64_t at, int width, uint64_t value, int64_t size, const char *words) {
  unsigned char before[8];
  ipg_error error = {0};
  memcpy(before, bytes + at, sizeof before);
  put_little(at, width, value);
  write_again(size);
  CU_ASSERT_EQUAL(check(&error), IPG_ERROR_FORMAT);
  CU_ASSERT(message_contains(&error, words));
  memcpy(bytes + at, before, sizeof before);
}

/* Objects of 8 bytes: index, reference count, size, an address; then the next object. */
static void test_global_heaps(void) {
  static const char words[] = "a global heap of it is wrong";
  write_netcdf4(2);
  const int64_t size = read_back(), heap = find_block(size, "GCOL", 0);
  CU_ASSERT_FATAL(heap > 0);
  expect_refused_number(heap + 4, 1, 2, size, words);
  expect_refused_number(heap + 8, 8, 0, size, words);
  expect_refused_number(heap + 8, 8, 128, size, words);
  expect_refused_number(heap + 8, 8, UINT64_MAX / 2, size, "a block of it is incomplete");
  expect_refused_number(heap + 16, 2, 2, size, words);
  expect_refused_number(heap + 16, 2, 0, size, words);
  expect_refused_number(heap + 24, 8, 9, size, words); /* the library would write beyond its memory */
  expect_refused_number(heap + 24, 8, 1 << 20, size, words);
  expect_refused_number(heap + 32, 8, UINT64_MAX, size, words);
  expect_refused_number(heap + 32, 8, (uint64_t)heap, size, "has a dimension that is not in the file");
  int64_t free_space = heap + 16;
  while (bytes[free_space] || bytes[free_space + 1]) free_space += 24;
  expect_refused_number(free_space + 8, 8, 0, size, words); /* the library would loop for ever */
  expect_refused_number(free_space + 8, 8, 4096, size, words);
  const int64_t left = heap + 4096 - free_space; /* the last object takes 8 bytes of it */
  memmove(bytes + free_space + 8, bytes + free_space, 16);
  put_little(free_space - 16, 8, 16);
  expect_refused_number(free_space + 16, 8, (uint64_t)left - 8, size, words);
}

/* A node of three chunks: type, level, count, neighbours; for each chunk its size, position and address. */
static void test_trees_of_chunks(void) {
  static const char words[] = "the index of a variable's steps is wrong";
  write_netcdf4(1);
  const int64_t size = read_back();
  int64_t node = 0;
  for (int n = 0; node >= 0 && bytes[node + 6] != 3; ++n) node = find_block(size, "TREE", n);
  CU_ASSERT_FATAL(node > 0); /* a chunk for each step */
  const int axes = bytes[node + 24] == 8 * NODES && !bytes[node + 25] ? 3 : 2;
  const int64_t address = node + 24 + 8 + 8 * axes;
  expect_refused_number(node + 4, 1, 0, size, words);
  expect_refused_number(node + 5, 1, 1, size, "");
  expect_refused_number(node + 5, 1, 200, size, words);
  expect_refused_number(node + 6, 2, 0, size, "steps of a variable are missing");
  expect_refused_number(node + 6, 2, 60000, size, "a block of it is incomplete");
  expect_refused_number(node + 24, 4, 0x7fffffff, size, words);
  expect_refused_number(node + 24, 4, 3, size, words);
  expect_refused_number(node + 32, 8, UINT64_MAX, size, words);
  expect_refused_number(address, 8, UINT64_MAX, size, words);
  expect_refused_number(address, 8, (uint64_t)size, size, words);
  const int64_t second = address + 8 + 8; /* the position of the second chunk */
  expect_refused_number(second, 8, 0, size, words);
  expect_refused_number(second, 8, 2, size, words);
  expect_refused_number(second + 8, 8, 1, size, words); /* not where a chunk begins */
  put_little(node + 5, 1, 1);
  expect_refused_number(address, 8, (uint64_t)node, size, words); /* its own parent */
}

/* ----------------------------------------------------------------------------------- blocks with the right checksum */

/* The messages of an object: from `first` to `end`, where the checksum is; each has a head of `head` bytes. */
typedef struct messages {
  int64_t start, first, end;
  int head;
} messages;

static int64_t get_little(int64_t at, int width) {
  uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i) value = value << 8 | bytes[at + i];
  return (int64_t)value;
}

static void correct_checksum(int64_t start, int64_t end) {
  put_little(end, 4, ipg_hdf5_checksum(bytes + start, end - start));
}

static messages find_messages(int64_t header) {
  const int flags = bytes[header + 5], width = 1 << (flags & 3);
  const int64_t at = header + 6 + (flags & 32 ? 16 : 0) + (flags & 16 ? 4 : 0);
  return (messages){header, at + width, at + width + get_little(at, width), flags & 4 ? 6 : 4};
}

/* The head of the first message of a type; -1 if there is none. */
static int64_t find_message(const messages *m, int type) {
  for (int64_t at = m->first; at + m->head <= m->end; at += m->head + get_little(at + 1, 2))
    if (bytes[at] == type) return at;
  return -1;
}

/* The messages of the n-th object; false if there are fewer. */
static bool find_object(int64_t size, int n, messages *m) {
  const int64_t header = find_block(size, "OHDR", n);
  if (header >= 0) *m = find_messages(header);
  return header >= 0;
}

static int64_t find_object_with(int64_t size, int type, messages *m) {
  int64_t at = -1;
  for (int n = 0; at < 0 && find_object(size, n, m); ++n) at = find_message(m, type);
  CU_ASSERT_FATAL(at > 0);
  return at;
}

static void expect_refused_file(int64_t size, const char *words) {
  ipg_error error = {0};
  write_again(size);
  alarm(60); /* a walk that never ends is a failure */
  CU_ASSERT_EQUAL(check(&error), IPG_ERROR_FORMAT);
  alarm(0);
  CU_ASSERT(message_contains(&error, words));
}

/* A shared message is somewhere else in the file: nothing that netCDF-4 writes but a type. */
static void test_shared_messages(void) {
  enum { DATASPACE = 1, SHARED = 2 };
  write_netcdf4(2);
  const int64_t size = read_back();
  messages m;
  const int64_t message = find_object_with(size, DATASPACE, &m), place = message + m.head;
  bytes[message + 3] |= SHARED;
  put_little(place, 2, 0x203); /* version 3, in an object */
  put_little(place + 2, 8, (uint64_t)m.start);
  correct_checksum(m.start, m.end);
  expect_refused_file(size, "a header message of it is not one that netCDF-4 writes");
}

/* Every variable of as many values as nodes, and every dimension of this length, one shorter or longer than before. No
 * variable has the dimension `four`, so this one may have any length. */
static void test_lengths_of_variables(void) {
  enum { DATASPACE = 1, FIRST_LENGTH = 4 };
  write_netcdf4(1);
  const int64_t size = read_back();
  messages m;
  int changed = 0, refused = 0;
  for (int n = 0; find_object(size, n, &m); ++n) {
    const int64_t space = find_message(&m, DATASPACE) + m.head;
    if (space < m.head || bytes[space + 1] != 1 || get_little(space + FIRST_LENGTH, 8) != NODES) continue;
    for (int more = -1; more <= 1; more += 2) {
      put_little(space + FIRST_LENGTH, 8, (uint64_t)(NODES + more));
      correct_checksum(m.start, m.end);
      write_again(size);
      ipg_error error = {0};
      refused += check(&error) && strstr(error.message, "a variable has another length than its dimension");
      ++changed;
    }
    put_little(space + FIRST_LENGTH, 8, NODES);
    correct_checksum(m.start, m.end);
  }
  CU_ASSERT(refused > 6 && refused == changed - 2);
}

static void test_variables_beyond_the_end(void) {
  enum { LAYOUT = 8, CONTIGUOUS = 1 };
  write_netcdf4(1);
  const int64_t size = read_back();
  messages m;
  int changed = 0;
  for (int n = 0; find_object(size, n, &m); ++n) {
    const int64_t layout = find_message(&m, LAYOUT) + m.head;
    if (layout < m.head || bytes[layout + 1] != CONTIGUOUS || get_little(layout + 2, 8) < 0) continue;
    const int64_t at = get_little(layout + 2, 8), count = get_little(layout + 10, 8);
    put_little(layout + 2, 8, (uint64_t)(size - count + 1));
    correct_checksum(m.start, m.end);
    expect_refused_file(size, "a variable lies beyond the end of the file");
    put_little(layout + 2, 8, (uint64_t)at);
    correct_checksum(m.start, m.end);
    ++changed;
  }
  CU_ASSERT(changed > 3);
}

/* The dimensions of a variable are references into a global heap, each a count, an address and an index. */
static void test_references_without_target(void) {
  enum { ATTRIBUTE = 12, REFERENCE = 16 };
  static const char list[] = "DIMENSION_LIST";
  write_netcdf4(1);
  const int64_t size = read_back();
  messages m;
  int changed = 0;
  for (int n = 0; find_object(size, n, &m); ++n) {
    for (int64_t at = m.first; at + m.head <= m.end; at += m.head + get_little(at + 1, 2)) {
      const int64_t end = at + m.head + get_little(at + 1, 2);
      if (bytes[at] != ATTRIBUTE || memcmp(bytes + at + m.head + 9, list, sizeof list)) continue;
      const int64_t heap = get_little(end - REFERENCE + 4, 8);
      put_little(end - REFERENCE + 4, 8, (uint64_t)size + 1);
      correct_checksum(m.start, m.end);
      expect_refused_file(size, "an attribute of it has no target");
      put_little(end - REFERENCE + 4, 8, (uint64_t)heap);
      correct_checksum(m.start, m.end);
      ++changed;
    }
  }
  CU_ASSERT(changed > 3);
}

/* What every reader of a block relies on. */
static void test_bytes(void) {
  static const unsigned char addresses[] = {1,   0,   0,   0,   0,   0,   0,   128, 255, 255, 255, 255,
                                            255, 255, 255, 255, 254, 255, 255, 255, 255, 255, 255, 127};
  static const unsigned char space_of_no_version[] = {3, 0, 0, 0, 0, 0, 0, 0}, scalar[] = {1, 0, 0, 0, 0, 0, 0, 0};
  ipg_bytes b = {addresses, sizeof addresses, false};
  CU_ASSERT_EQUAL(ipg_bytes_read_address(&b), INT64_MAX); /* beyond any file, and not negative */
  CU_ASSERT_EQUAL(ipg_bytes_read_address(&b), IPG_HDF5_UNDEFINED);
  CU_ASSERT_EQUAL(ipg_bytes_read_address(&b), INT64_MAX - 1);
  CU_ASSERT(!b.ended && !b.left);
  ipg_bytes_read_address(&b);
  CU_ASSERT(b.ended);
  ipg_hdf5_space space;
  CU_ASSERT(ipg_hdf5_read_space((ipg_bytes){scalar, sizeof scalar, false}, &space));
  CU_ASSERT(!ipg_hdf5_read_space((ipg_bytes){space_of_no_version, sizeof space_of_no_version, false}, &space));
}

static void test_view(void) {
  ipg_view view;
  write_again(10);
  CU_ASSERT_EQUAL_FATAL(ipg_view_open(path, &view, NULL), IPG_OK);
  CU_ASSERT_EQUAL(view.size, 10);
  CU_ASSERT_PTR_NOT_NULL(ipg_view_get_bytes(&view, 6, 4));
  CU_ASSERT_PTR_NULL(ipg_view_get_bytes(&view, 7, 4));
  CU_ASSERT_PTR_NULL(ipg_view_get_bytes(&view, 11, 0));
  CU_ASSERT_PTR_NULL(ipg_view_get_bytes(&view, -1, 1));
  CU_ASSERT_PTR_NULL(ipg_view_get_bytes(&view, 1, INT64_MAX));
  ipg_view_close(&view);
}

/* A continuation of a header that says it is continued by itself. */
static void test_endless_headers(void) {
  enum { CONTINUATION = 16 };
  write_netcdf4(2);
  const int64_t size = read_back();
  messages m;
  const int64_t message = find_object_with(size, CONTINUATION, &m) + m.head;
  const int64_t chunk = get_little(message, 8), length = get_little(message + 8, 8),
                rest = length - 8 - 16 - 2 * m.head;
  CU_ASSERT_FATAL(rest >= 0 && chunk + length <= size);
  memset(bytes + chunk + 4, 0, (size_t)length - 4);
  put_little(chunk + 4, 1, CONTINUATION);
  put_little(chunk + 5, 2, 16);
  put_little(chunk + 4 + m.head, 8, (uint64_t)chunk);
  put_little(chunk + 12 + m.head, 8, (uint64_t)length);
  put_little(chunk + 20 + m.head + 1, 2, (uint64_t)rest);
  correct_checksum(chunk, chunk + length - 4);
  expect_refused_file(size, "its blocks overlap");
}

static void test_missing_end(void) {
  enum { END = 28, SUPERBLOCK = 44 };
  write_netcdf4(1);
  const int64_t size = read_back();
  CU_ASSERT_FATAL(bytes[8] == 2 && get_little(END, 8) == size);
  put_little(END, 8, (uint64_t)size + 1);
  correct_checksum(0, SUPERBLOCK);
  expect_refused_file(size, "its end is missing");
}

/* The header of the first tree of that type. */
static int64_t find_tree(int64_t size, int type) {
  int64_t tree;
  int n = 0;
  do tree = find_block(size, "BTHD", n++);
  while (tree >= 0 && bytes[tree + 5] != type);
  CU_ASSERT_FATAL(tree > 0);
  return tree;
}

enum { LINKS_BY_NAME = 5, TREE_HEADER = 34, HEAP_ID = 7 };

static void test_deep_trees(void) {
  write_netcdf4(2);
  const int64_t size = read_back(), tree = find_tree(size, LINKS_BY_NAME);
  put_little(tree + 12, 2, 17);
  correct_checksum(tree, tree + TREE_HEADER);
  expect_refused_file(size, "a tree of it is not one that netCDF-4 writes");
}

/* A link that is longer than what is left of its block in the heap. */
static void test_objects_beyond_their_blocks(void) {
  write_netcdf4(1);
  const int64_t size = read_back(), tree = find_tree(size, LINKS_BY_NAME);
  const int64_t record = get_little(tree + 10, 2), leaf = get_little(tree + 16, 8), records = get_little(tree + 24, 2);
  CU_ASSERT_FATAL(!get_little(tree + 12, 2) && record == 4 + HEAP_ID && !memcmp(bytes + leaf, "BTLF", 4));
  put_little(leaf + 6 + record - 2, 2, 4000);
  correct_checksum(leaf, leaf + 6 + records * record);
  expect_refused_file(size, "a name in it has no target");
}

/* Values from the description of lookup3. */
static void test_checksum(void) {
  CU_ASSERT_EQUAL(ipg_hdf5_checksum((const unsigned char *)"", 0), 0xdeadbeef);
  CU_ASSERT_EQUAL(ipg_hdf5_checksum((const unsigned char *)"Four score and seven years ago", 30), 0x17770551);
}

static void test_real_files(void) {
  static const char *const names[] = {
      "moose_close_tet_out.e",  "moose_continuity_tet10_out.e", "moose_mixed_mesh.e",     "moose_tet_non_mesh.e",
      "moose_waveguide_2blk.g", "norma_cuboid-tet10-1.g",       "norma_cuboid-tet10-2.g", "norma_tet4_cube.g",
      "norma_tube.g",           "petsc_FourBrickTet-large.exo", "meshio_noset.e",         "meshio_sets.e",
      "padded_with_zeros.e"};
  const char *data = getenv("IMPINGE_DATA");
  char folder[500];
  snprintf(folder, sizeof folder, "%s/exodus", data ? data : "");
  if (!data || access(folder, R_OK)) {
    printf("\n    SKIPPED: real Exodus files: %s was not found (IMPINGE_DATA)", folder);
    return;
  }
  for (int i = 0; i < COUNT(names); ++i) {
    char real[600];
    ipg_error error = {0};
    snprintf(real, sizeof real, "%s/%s", folder, names[i]);
    CU_ASSERT_EQUAL(ipg_exodus_check(real, NULL, &traits, &error), IPG_OK);
    if (error.status) printf("\n    unexpected: %s\n", error.message);
  }
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"valid files", test_valid_files},
                         {"files of killed runs", test_killed_run},
                         {"a lone record variable", test_lone_record_variable},
                         {"headers damaged field by field", test_damaged_headers},
                         {"positions of variables", test_places},
                         {"duplicate names", test_double_names},
                         {"rules of the format", test_rules_of_the_format},
                         {"huge counts", test_huge_counts},
                         {"files cut short", test_cuts},
                         {"flipped bits", test_flipped_bits},
                         {"every allocation fails once", test_refused_memory},
                         {"shapes that Exodus assumes", test_shapes},
                         {"parts that may be odd", test_optional_parts},
                         {"sizes of variables", test_sizes},
                         {"attributes that Exodus assumes", test_attributes},
                         {"attributes that the library checks first", test_version_attributes},
                         {"checksum", test_checksum},
                         {"netCDF-4 files", test_netcdf4},
                         {"damaged netCDF-4 files", test_netcdf4_damage},
                         {"blocks with checksums", test_blocks_with_checksums},
                         {"global heaps", test_global_heaps},
                         {"trees of chunks", test_trees_of_chunks},
                         {"shared messages", test_shared_messages},
                         {"references without a target", test_references_without_target},
                         {"bytes", test_bytes},
                         {"views of files", test_view},
                         {"lengths of variables", test_lengths_of_variables},
                         {"variables beyond the end", test_variables_beyond_the_end},
                         {"headers without end", test_endless_headers},
                         {"a missing end", test_missing_end},
                         {"deep trees", test_deep_trees},
                         {"objects beyond their blocks", test_objects_beyond_their_blocks},
                         {"real files", test_real_files},
                         CU_TEST_INFO_NULL};
  snprintf(path, sizeof path, "check.%ld.exo", (long)getpid());
  const int result = suite_main(argc, argv, "exodus_check", tests);
  unlink(path);
  return result;
}
