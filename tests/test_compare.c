/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tests the comparison of `impinge diff`: when two numbers differ, and that every single change of a mesh is found.
 * Meshes with everything that a file can contain are written twice, once with one change; the comparison must print
 * this difference and no other. */
#include "compare.h"
#include "support/meshes.h"
#include "support/suite.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------------- differences */

static void test_when_numbers_differ(void) {
  const compare c = {.relative = 1e-3, .floor = 1e-6};
  CU_ASSERT_FALSE(compare_numbers_differ(&c, 1, 1));
  CU_ASSERT_FALSE(compare_numbers_differ(&c, 1, 1.0009));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, 1, 1.0011));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, -1, 1));
  CU_ASSERT_FALSE(compare_numbers_differ(&c, 0, 9e-7));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, 0, 2e-6));
  CU_ASSERT_FALSE(compare_numbers_differ(&c, 0.0, -0.0));
  CU_ASSERT_FALSE(compare_numbers_differ(&c, NAN, NAN));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, NAN, 0));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, 0, NAN));
  CU_ASSERT_FALSE(compare_numbers_differ(&c, INFINITY, INFINITY));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, INFINITY, -INFINITY));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, INFINITY, 1e308));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, NAN, INFINITY));
  CU_ASSERT_TRUE(compare_numbers_differ(&c, 1.7e308, -1.7e308));
}

static void test_worst_difference(void) {
  const compare c = {.relative = 1e-3};
  const double a[] = {1, 2, 3, 4, NAN, 6}, b[] = {1, 2.5, 3, 5, 0, NAN};
  compare_worst worst = {0};
  compare_values(&c, &worst, a, b, 4, 10, 2);
  CU_ASSERT_EQUAL(worst.count, 2);
  CU_ASSERT(worst.index == 13 && worst.step == 2 && worst.size == 1 && worst.a == 4 && worst.b == 5);
  compare_values(&c, &worst, a, b, 3, 20, 3);
  CU_ASSERT(worst.count == 3 && worst.index == 13);
  compare_values(&c, &worst, a + 4, b + 4, 2, 30, 4);
  CU_ASSERT(worst.count == 5 && worst.index == 30 && isinf(worst.size));
}

static void test_pairs_show_the_difference(void) {
  char pair[COMPARE_PAIR_BYTES];
  compare_format_pair(1, 2, pair);
  CU_ASSERT_STRING_EQUAL(pair, "1 and 2");
  compare_format_pair(1, 1 + 1e-9, pair);
  CU_ASSERT_STRING_EQUAL(pair, "1 and 1.000000001");
  compare_format_pair(1, 1 + 0x1p-52, pair);
  CU_ASSERT_STRING_EQUAL(pair, "1 and 1.0000000000000002");
  compare_format_pair(-1.7976931348623157e308, -1.7976931348623155e308, pair);
  CU_ASSERT_STRING_EQUAL(pair, "-1.7976931348623157e+308 and -1.7976931348623155e+308");
}

/* --------------------------------------------------------------------------------------------------------- changes */

/* Each function makes one change at a random position and returns the number of lines the comparison must print; 0 if
 * the mesh has nothing to change. */

static int pick(rng *r, int64_t count) { return rng_int(r, 0, (int)count - 1); }

static int change_nothing(rng *r, ipg_mesh *mesh) {
  (void)r, (void)mesh;
  return 0;
}

static int change_coordinate(rng *r, ipg_mesh *mesh) {
  mesh->x[pick(r, 3 * mesh->node_count)] += 0.5;
  return 1;
}

static int change_node_number(rng *r, ipg_mesh *mesh) {
  mesh->node_gids[pick(r, mesh->node_count)] = 123456789;
  return 1;
}

static int change_element_number(rng *r, ipg_mesh *mesh) {
  mesh->element_gids[pick(r, mesh->element_count)] = 123456789;
  return 1;
}

/* Replaces a node by another one. */
static void change_id(rng *r, const ipg_mesh *mesh, ipg_id *node) {
  *node = (ipg_id)((*node + 1 + pick(r, mesh->node_count - 1)) % mesh->node_count);
}

static int change_corner(rng *r, ipg_mesh *mesh) {
  change_id(r, mesh, &mesh->tets[pick(r, 4 * mesh->element_count)]);
  return 1;
}

static int change_middle(rng *r, ipg_mesh *mesh) {
  if (!mesh->quadratic_count) return 0;
  change_id(r, mesh, &mesh->middles[pick(r, 6 * mesh->quadratic_count)]);
  return 1;
}

static int change_block_name(rng *r, ipg_mesh *mesh) {
  strcpy(mesh->blocks[pick(r, mesh->block_count)].name, "another");
  return 1;
}

static int change_block_id(rng *r, ipg_mesh *mesh) {
  mesh->blocks[pick(r, mesh->block_count)].id = 123456789;
  return 1;
}

static int change_block_type(rng *r, ipg_mesh *mesh) {
  ipg_block *block = &mesh->blocks[pick(r, mesh->block_count)];
  if (!block->count) return 0;
  strcpy(block->type, block->quadratic ? "Tet10" : "Tet");
  return 1;
}

static ipg_block *with_attributes(rng *r, ipg_mesh *mesh) {
  ipg_block *block = &mesh->blocks[pick(r, mesh->block_count)];
  return block->attribute_count ? block : NULL;
}

static int change_attribute(rng *r, ipg_mesh *mesh) {
  ipg_block *block = with_attributes(r, mesh);
  if (!block) return 0;
  block->attributes[pick(r, block->attribute_count * block->count)] = 1e6;
  return 1;
}

static int change_attribute_name(rng *r, ipg_mesh *mesh) {
  ipg_block *block = with_attributes(r, mesh);
  if (!block) return 0;
  strcpy(block->attribute_names[pick(r, block->attribute_count)], "another");
  return 1;
}

static int change_node_set_entry(rng *r, ipg_mesh *mesh) {
  ipg_node_set *set = &mesh->node_sets[pick(r, mesh->node_set_count)];
  change_id(r, mesh, &set->nodes[pick(r, set->count)]);
  return 1;
}

static int change_node_set_name(rng *r, ipg_mesh *mesh) {
  strcpy(mesh->node_sets[pick(r, mesh->node_set_count)].name, "another");
  return 1;
}

static int change_node_set_factor(rng *r, ipg_mesh *mesh) {
  ipg_node_set *set = &mesh->node_sets[pick(r, mesh->node_set_count)];
  if (!set->factor_count) return 0;
  set->factors[pick(r, set->factor_count)] = 1e6;
  return 1;
}

static int change_side(rng *r, ipg_mesh *mesh) {
  ipg_side_set *set = &mesh->side_sets[pick(r, mesh->side_set_count)];
  ipg_id *side = &set->sides[pick(r, set->count)];
  *side = (*side + rng_int(r, 1, 3)) % 4;
  return 1;
}

static int change_side_set_id(rng *r, ipg_mesh *mesh) {
  mesh->side_sets[pick(r, mesh->side_set_count)].id = 123456789;
  return 1;
}

static int change_side_set_factor(rng *r, ipg_mesh *mesh) {
  ipg_side_set *set = &mesh->side_sets[pick(r, mesh->side_set_count)];
  if (!set->factor_count) return 0;
  set->factors[pick(r, set->factor_count)] = 1e6;
  return 1;
}

static int change_property(rng *r, ipg_mesh *mesh) {
  if (!mesh->property_count) return 0;
  ipg_property *property = &mesh->properties[pick(r, mesh->property_count)];
  property->values[pick(r, meshes_label_count(mesh, (int)property->kind))] += 1;
  return 1;
}

static int change_property_name(rng *r, ipg_mesh *mesh) {
  if (!mesh->property_count) return 0;
  strcpy(mesh->properties[pick(r, mesh->property_count)].name, "another");
  return 2; /* one property is missing in each file */
}

static int change_axis(rng *r, ipg_mesh *mesh) {
  strcpy(mesh->axes[pick(r, 3)], "another");
  return 1;
}

typedef struct named_change {
  int (*make)(rng *r, ipg_mesh *mesh);
  const char *line_start;
} named_change;

static const named_change changes[] = {{change_nothing, ""},
                                       {change_coordinate, "coordinates: 1 differ, "},
                                       {change_node_number, "numbers of nodes: 1 differ, "},
                                       {change_element_number, "numbers of elements: 1 differ, "},
                                       {change_corner, "nodes of elements: those of 1 differ, "},
                                       {change_middle, "nodes of elements: those of 1 differ, "},
                                       {change_block_name, "name of block "},
                                       {change_block_id, "id of block "},
                                       {change_block_type, "element type of block "},
                                       {change_attribute, "attribute "},
                                       {change_attribute_name, "name of an attribute of block "},
                                       {change_node_set_entry, "nodes of node set "},
                                       {change_node_set_name, "name of node set "},
                                       {change_node_set_factor, "factors of node set "},
                                       {change_side, "sides of side set "},
                                       {change_side_set_id, "id of side set "},
                                       {change_side_set_factor, "factors of side set "},
                                       {change_property, "property "},
                                       {change_property_name, "property "},
                                       {change_axis, "name of an axis: "}};

enum { CHANGES = sizeof changes / sizeof *changes };

/* The Exodus library keeps 32 characters of the name of a property. */
static void cut_property_names(ipg_mesh *mesh) {
  for (int i = 0; i < mesh->property_count; i++) mesh->properties[i].name[IPG_TYPE_MAX - 1] = '\0';
}

/* Returns the number of lines the comparison must print. */
static int write_changed(rng r, const named_change *change, rng *change_rng, const char *path) {
  ipg_mesh mesh = meshes_random(&r);
  ipg_error error = {0};
  cut_property_names(&mesh);
  const int lines = change->make(change_rng, &mesh);
  const ipg_status status = ipg_exodus_write(path, &mesh, &error);
  if (status) printf("\n%s\n", error.message);
  CU_ASSERT_EQUAL_FATAL(status, IPG_OK);
  ipg_mesh_destroy(&mesh);
  return lines;
}

static void open_side(compare_side *side, const char *path) {
  const ipg_exodus_options options = {.keep_bad_elements = true};
  ipg_error error = {0};
  side->path = path;
  CU_ASSERT_EQUAL_FATAL(ipg_results_open(path, NULL, &side->results, &error), IPG_OK);
  side->contents = ipg_results_contents(side->results);
  CU_ASSERT_EQUAL_FATAL(ipg_exodus_read(path, &options, NULL, &side->mesh, &error), IPG_OK);
}

static void close_side(compare_side *side) {
  ipg_mesh_destroy(&side->mesh);
  ipg_results_reader_destroy(&side->results);
}

static void check_difference(const named_change *change, int lines) {
  char line[1024] = "";
  compare c = {.relative = 1e-6, .to = tmpfile()};
  CU_ASSERT_PTR_NOT_NULL_FATAL(c.to);
  open_side(&c.a, "plain.exo");
  open_side(&c.b, "changed.exo");
  compare_meshes(&c);
  CU_ASSERT_EQUAL(compare_results(&c, NULL), IPG_OK);
  rewind(c.to);
  const bool has_line = fgets(line, sizeof line, c.to);
  const bool right = c.difference_count == lines && has_line == (lines > 0) &&
                     (!lines || strncmp(line, change->line_start, strlen(change->line_start)) == 0);
  if (!right) printf("\n%d lines of '%s', not %d: %s\n", (int)c.difference_count, change->line_start, lines, line);
  CU_ASSERT_TRUE(right);
  fclose(c.to);
  close_side(&c.a);
  close_side(&c.b);
}

/* Returns whether the mesh had something to change. */
static bool try_change(const named_change *change, rng *r) {
  const rng body = rng_start(rng_next(r));
  write_changed(body, &changes[0], r, "plain.exo");
  const int lines = write_changed(body, change, r, "changed.exo");
  check_difference(change, lines);
  return lines > 0;
}

static void test_every_change_is_found(void) {
  rng r = rng_start(3);
  const int wanted = suite_is_quick() ? 1 : 10;
  try_change(&changes[0], &r);
  for (int k = 1; k < CHANGES; k++) {
    int found = 0;
    for (int attempt = 0; found < wanted && attempt < 20 * wanted; attempt++) found += try_change(&changes[k], &r);
    CU_ASSERT_EQUAL(found, wanted);
  }
}

/* --------------------------------------------------------------------------------------------------------- results */

enum { RESULT_BLOCKS = 3 };

/* Three blocks, and steps of one field of elements: element e has the value e, and one of them another. */
static void write_steps(const char *path, int steps, const bool present[RESULT_BLOCKS], int64_t other) {
  static const char *const name = "stress";
  ipg_mesh mesh = {0};
  ipg_results *results = NULL;
  ipg_error error = {0};
  for (int b = 0; b < RESULT_BLOCKS; b++) {
    ipg_mesh more = {0};
    const char *names[RESULT_BLOCKS] = {"one", "two", "three"};
    CU_ASSERT_FATAL(!ipg_mesh_box((double[]){2. * b, 0, 0}, (double[]){2. * b + 1, 1, 1}, (int[]){1, 1, 1}, names[b],
                                  NULL, b ? &more : &mesh, &error));
    CU_ASSERT_FATAL(!b || !ipg_mesh_append(&mesh, &more, &error));
    ipg_mesh_destroy(&more);
  }
  double values[6 * RESULT_BLOCKS];
  for (int64_t e = 0; e < mesh.element_count; e++) values[e] = (double)e + (e == other ? .5 : 0);
  const double *const fields[] = {values}, *const *const all[IPG_FIELD_KIND_COUNT] = {[IPG_FIELD_ELEMENT] = fields};
  const ipg_results_layout layout = {.fields = {[IPG_FIELD_ELEMENT] = {1, &name, present}}};
  CU_ASSERT_FATAL(!ipg_results_create(path, &mesh, &layout, &results, &error));
  for (int i = 0; i < steps; i++) CU_ASSERT_FATAL(!ipg_results_append(results, i, all, &error));
  CU_ASSERT_FATAL(!ipg_results_destroy(&results, &error));
  ipg_mesh_destroy(&mesh);
}

/* The only line that the comparison of the files prints. */
static void expect_line(const char *a, const char *b, const char *wanted) {
  char line[1024] = "";
  compare c = {.relative = 1e-6, .to = tmpfile()};
  CU_ASSERT_PTR_NOT_NULL_FATAL(c.to);
  open_side(&c.a, a);
  open_side(&c.b, b);
  CU_ASSERT_EQUAL(compare_results(&c, NULL), IPG_OK);
  rewind(c.to);
  CU_ASSERT(c.difference_count == 1 && fgets(line, sizeof line, c.to) && strncmp(line, wanted, strlen(wanted)) == 0);
  if (strncmp(line, wanted, strlen(wanted)) != 0) printf("\n    %s    is not '%s'", line, wanted);
  fclose(c.to);
  close_side(&c.a);
  close_side(&c.b);
}

static void test_results_that_differ(void) {
  static const bool everywhere[RESULT_BLOCKS] = {true, true, true}, not_on_two[RESULT_BLOCKS] = {true, false, true};
  write_steps("three.exo", 3, everywhere, -1);
  write_steps("four.exo", 4, everywhere, -1);
  write_steps("less.exo", 3, not_on_two, -1);
  write_steps("last.exo", 3, everywhere, 6 * RESULT_BLOCKS - 1);
  write_steps("second.exo", 3, everywhere, 7);
  expect_line("three.exo", "four.exo", "steps: 3 and 4");
  expect_line("four.exo", "three.exo", "steps: 4 and 3");
  expect_line("three.exo", "less.exo", "element stress: on two only in three.exo");
  expect_line("less.exo", "three.exo", "element stress: on two only in three.exo");
  expect_line("three.exo", "last.exo", "element stress: 3 values differ, most by 0.5, in step 1 at element 18: 17 and");
  expect_line("second.exo", "three.exo",
              "element stress: 3 values differ, most by 0.5, in step 1 at element 8: 7.5 and 7");
}

int main(int argc, char **argv) {
  static CU_TestInfo tests[] = {{"when numbers differ", test_when_numbers_differ},
                                {"the worst difference", test_worst_difference},
                                {"pairs show the difference", test_pairs_show_the_difference},
                                {"every change of a mesh is found, and nothing else", test_every_change_is_found},
                                {"results that differ", test_results_that_differ},
                                CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "compare", tests);
}
