/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tests the computing parts of the program: transforms, duplicates, mesh quality.
 * Duplicates are compared with brute force over every pair of nodes, elements and bodies. */
#include "duplicate_nodes.h"
#include "quality.h"
#include "support/suite.h"
#include "transform.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------- transforms */

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void check_point(const transform *t, double x, double y, double z, double to_x, double to_y, double to_z) {
  double p[3] = {x, y, z};
  transform_points(t, p, 1);
  CU_ASSERT(p[0] == to_x && p[1] == to_y && p[2] == to_z);
}

static void test_moves_in_order(void) {
  const double by[3] = {1, 2, 3}, z[3] = {0, 0, 5}, x[3] = {-2, 0, 0};
  transform t = transform_identity();
  check_point(&t, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3);
  transform_translate(&t, by);
  check_point(&t, 1, 1, 1, 2, 3, 4);
  transform_scale(&t, 2);
  check_point(&t, 1, 1, 1, 4, 6, 8);
  transform_rotate(&t, z, 90);
  check_point(&t, 1, 1, 1, -6, 4, 8);
  transform_rotate(&t, z, -450);
  check_point(&t, 1, 1, 1, 4, 6, 8);
  transform_rotate(&t, x, 180);
  check_point(&t, 1, 1, 1, 4, -6, -8);
}

static void random_point(rng *r, double p[3]) {
  for (int k = 0; k < 3; k++) p[k] = rng_between(r, -1, 1);
}

/* A rotation keeps distances and the axis, and `parts` rotations by 360 / parts degrees are the identity. */
static void test_rotations(void) {
  rng r = rng_start(1);
  for (long scene = 0; scene < suite_scenes(); scene++) {
    double axis[3], p[3], q[3], start[3], points[6];
    const int parts = rng_int(&r, 1, 12);
    const double size = pow(10, rng_between(&r, -300, 300));
    random_point(&r, axis);
    for (int k = 0; k < 3; k++) axis[k] *= size;
    random_point(&r, p);
    random_point(&r, q);
    memcpy(start, p, sizeof p);
    transform t = transform_identity();
    transform_rotate(&t, axis, 360.0 / parts);
    memcpy(points, p, sizeof p), memcpy(points + 3, q, sizeof q);
    transform_points(&t, points, 2);
    CU_ASSERT_DOUBLE_EQUAL(distance(points, points + 3), distance(p, q), 1e-14);
    for (int i = 0; i < parts; i++) transform_points(&t, p, 1);
    CU_ASSERT(distance(p, start) < 1e-13);
    for (int k = 0; k < 3; k++) p[k] = q[k] = axis[k] / size;
    transform_points(&t, q, 1);
    CU_ASSERT(distance(p, q) < 1e-14);
  }
}

/* Right-handed: a third of a turn about x + y + z takes x to y. */
static void test_third_of_a_turn(void) {
  const double diagonal[3] = {1, 1, 1};
  double p[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  transform t = transform_identity();
  transform_rotate(&t, diagonal, 120);
  transform_points(&t, p, 1);
  CU_ASSERT(distance(p, y) < 1e-15);
}

/* ------------------------------------------------------------------------------------------------------- duplicates */

enum { NODES = 40, ELEMENTS = 30, BODIES = 8 };

/* A random mesh with few different positions, so that duplicates are common; elements get random bodies. */
typedef struct random_mesh {
  double x[3 * NODES];
  ipg_id tets[4 * ELEMENTS], body_of_element[ELEMENTS];
  ipg_mesh mesh;
  ipg_skin skin;
} random_mesh;

static void make_random_mesh(rng *r, random_mesh *s) {
  const int wide = rng_int(r, 0, 3), bodies = rng_int(r, 1, BODIES);
  static const double zeros[2] = {0.0, -0.0};
  s->mesh = (ipg_mesh){.node_count = rng_int(r, 4, NODES), .element_count = rng_int(r, 1, ELEMENTS)};
  s->mesh.x = s->x, s->mesh.tets = s->tets;
  s->skin = (ipg_skin){.body_count = bodies, .body_of_element = s->body_of_element};
  for (int i = 0; i < 3 * NODES; i++) {
    const int at = rng_int(r, 0, wide);
    s->x[i] = at ? (double)at : zeros[rng_int(r, 0, 1)];
  }
  if (rng_int(r, 0, 3) == 0) s->x[rng_int(r, 0, 11)] = NAN;
  for (int i = 0; i < 4 * ELEMENTS; i++) s->tets[i] = rng_int(r, 0, (int)s->mesh.node_count - 1);
  for (int e = 0; e < ELEMENTS; e++) s->body_of_element[e] = rng_int(r, 0, bodies - 1);
  for (int e = 1; e < ELEMENTS; e++) /* the element before, its corners rotated */
    if (rng_int(r, 0, 1))
      for (int k = 0; k < 4; k++) s->tets[4 * e + k] = s->tets[4 * (e - 1) + (k + 1) % 4];
}

static bool nodes_equal(const random_mesh *s, ipg_id a, ipg_id b) {
  for (int k = 0; k < 3; k++)
    if (a != b && s->x[3 * a + k] != s->x[3 * b + k]) return false;
  return true;
}

/* Compares the corners as multisets of positions. */
static bool elements_equal(const random_mesh *s, int a, int b) {
  bool taken[4] = {false};
  for (int i = 0; i < 4; i++) {
    int j = 0;
    while (j < 4 && (taken[j] || !nodes_equal(s, s->tets[4 * a + i], s->tets[4 * b + j]))) j++;
    if (j == 4) return false;
    taken[j] = true;
  }
  return true;
}

static int count_in_body(const random_mesh *s, int element, int body) {
  int count = 0;
  for (int e = 0; e < s->mesh.element_count; e++)
    count += s->body_of_element[e] == body && elements_equal(s, element, e);
  return count;
}

static bool bodies_equal(const random_mesh *s, int a, int b) {
  for (int e = 0; e < s->mesh.element_count; e++)
    if (count_in_body(s, e, a) != count_in_body(s, e, b)) return false;
  return true;
}

static bool nodes_equal_by_int(const random_mesh *s, int a, int b) { return nodes_equal(s, (ipg_id)a, (ipg_id)b); }

static duplicate_count find_by_brute_force(const random_mesh *s, int count,
                                           bool (*equal)(const random_mesh *s, int a, int b)) {
  duplicate_count kind = {0};
  for (int duplicate = 1; duplicate < count; duplicate++) {
    int lowest = 0;
    while (lowest < duplicate && !equal(s, lowest, duplicate)) lowest++;
    if (lowest < duplicate && !kind.count++) kind.first[0] = (ipg_id)lowest, kind.first[1] = (ipg_id)duplicate;
  }
  return kind;
}

static bool same_kind(const duplicate_count *a, const duplicate_count *b) {
  return a->count == b->count && (!a->count || (a->first[0] == b->first[0] && a->first[1] == b->first[1]));
}

static void test_duplicates(void) {
  rng r = rng_start(2);
  int64_t bodies_found = 0;
  for (long scene = 0; scene < suite_scenes(); scene++) {
    random_mesh s;
    duplicates found;
    make_random_mesh(&r, &s);
    CU_ASSERT_EQUAL(find_duplicates(&s.mesh, &s.skin, &found, NULL), IPG_OK);
    const duplicate_count nodes = find_by_brute_force(&s, (int)s.mesh.node_count, nodes_equal_by_int);
    const duplicate_count elements = find_by_brute_force(&s, (int)s.mesh.element_count, elements_equal);
    const duplicate_count bodies = find_by_brute_force(&s, s.skin.body_count, bodies_equal);
    CU_ASSERT_TRUE(same_kind(&found.nodes, &nodes));
    CU_ASSERT_TRUE(same_kind(&found.elements, &elements));
    CU_ASSERT_TRUE(!elements.count || same_kind(&found.bodies, &bodies));
    bodies_found += found.bodies.count;
  }
  CU_ASSERT(bodies_found > suite_scenes() / 10);
}

/* ------------------------------------------------------------------------------------------------------------ flaws */

static void test_flaws(void) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, NAN, 0, 0, 1, 1, 0};
  ipg_id tets[] = {0, 1, 2, 3, 0, 1, 2, 5, 0, 2, 1, 3, 4, 1, 2, 3, 1, 0, 2, 3};
  const ipg_mesh mesh = {.node_count = 6, .element_count = 5, .x = x, .tets = tets};
  const app_quality quality = app_measure_quality(&mesh);
  CU_ASSERT(quality.flawed[APP_FLAT].count == 1 && quality.flawed[APP_FLAT].first == 1);
  CU_ASSERT(quality.flawed[APP_INVERTED].count == 2 && quality.flawed[APP_INVERTED].first == 2);
  CU_ASSERT(quality.flawed[APP_NOT_FINITE].count == 1 && quality.flawed[APP_NOT_FINITE].first == 3);
  CU_ASSERT_EQUAL(app_count_flawed_elements(&mesh, 0, 5), 4);
  CU_ASSERT_DOUBLE_EQUAL(quality.volume, -1.0 / 6, 1e-15);
  CU_ASSERT(quality.shortest_edge == 1 && quality.shortest_edge_element == 0);
}

/* Each edge of a tetrahedron in turn is the shortest one. */
static void test_shortest_edge(void) {
  const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  const ipg_mesh regular = {.node_count = 4, .element_count = 1};
  for (int e = 0; e < 6; e++) {
    double x[] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    ipg_id tets[] = {0, 1, 2, 3};
    ipg_mesh mesh = regular;
    mesh.x = x, mesh.tets = tets;
    for (int k = 0; k < 3; k++) x[3 * edges[e][0] + k] += .25 * (x[3 * edges[e][1] + k] - x[3 * edges[e][0] + k]);
    CU_ASSERT_DOUBLE_EQUAL(app_measure_quality(&mesh).shortest_edge, .75 * sqrt(8), 1e-14);
  }
}

/* A regular tetrahedron: every dihedral angle is acos(1/3). */
static void test_angles(void) {
  double x[] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  ipg_id tets[] = {0, 1, 2, 3};
  const ipg_mesh mesh = {.node_count = 4, .element_count = 1, .x = x, .tets = tets};
  const app_quality quality = app_measure_quality(&mesh);
  CU_ASSERT_DOUBLE_EQUAL(quality.smallest_angle, 70.528779365509308, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(quality.largest_angle, 70.528779365509308, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(fabs(quality.volume), 8.0 / 3, 1e-14);
}

int main(int argc, char **argv) {
  static CU_TestInfo tests[] = {{"moves are done in order", test_moves_in_order},
                                {"rotations", test_rotations},
                                {"a third of a turn", test_third_of_a_turn},
                                {"duplicates by brute force", test_duplicates},
                                {"flaws", test_flaws},
                                {"the shortest edge", test_shortest_edge},
                                {"angles", test_angles},
                                CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "tools", tests);
}
