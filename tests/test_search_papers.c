/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The linear kd-tree against Poirrier 2009: the numbers of table 1, and the bounds of the candidates of a sweep that
 * follow from property 1 (boxes cut once along each axis span more than half of their cell along some axis); and the
 * default method in the wide scenes of open question 7.3. */
#include "support/oracle_of_boxes.h"
#include "support/suite.h"

/* ------------------------------------------------------------------------------------------- Poirrier 2009, table 1 */

typedef struct table_row {
  double density, records, selected, selected_without;
} table_row;

static const table_row table_1[] = {{0.01, 6.37, 4928, 1261197},
                                    {0.05, 6.67, 25643, 1834155},
                                    {0.1, 6.24, 62148, 2300212},
                                    {0.5, 6.35, 280736, 4193598},
                                    {1.0, 6.01, 492790, 5552230}};
enum { SPHERES = 10000 };

/* Boxes around equal spheres, centres uniform in the unit cube, whose volumes add up to the density. */
static void fill_spheres(rng *r, ipg_box *boxes, double density) {
  const double pi = 3.14159265358979323846, radius = cbrt(density / SPHERES / (4 * pi / 3));
  for (int i = 0; i < SPHERES; ++i) {
    const double centre[3] = {rng_unit(r), rng_unit(r), rng_unit(r)};
    put_box(&boxes[i], centre, (double[3]){radius, radius, radius});
  }
}

static ipg_search_counters measure_cost(const ipg_search_config *config, const ipg_box *boxes, int64_t count) {
  ipg_search *search = new_search(config);
  tally t = {0};
  CU_ASSERT_EQUAL(ipg_search_set_boxes(search, boxes, count, NULL, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_search_self(search, add_batch, &t, NULL), IPG_OK);
  const ipg_search_counters counters = ipg_search_get_counters(search);
  ipg_search_destroy(&search);
  return counters;
}

static ipg_search_counters measure_split_cost(ipg_split split, const ipg_box *boxes, int64_t count) {
  ipg_search_config config = config_of("lkdtree");
  config.lkdtree.split = split;
  return measure_cost(&config, boxes, count);
}

/* The worst difference of all rows, relative to the reference. */
typedef struct table_error {
  double records, selected, without, without_paper;
} table_error;

/* Without splitting, a sphere that a plane cuts stays in the cell and is compared with all others there. The first
 * plane cuts 2 r N of them: 2 r N^2 candidates. The next two planes of the same depth cut as many in cells of half and
 * a quarter of the spheres, and so does each further round with a quarter of that: 7/3 of the first plane in all. The
 * figures of the paper are those of its first plane alone. */
static double candidates_of_first_plane(double density) {
  const double pi = 3.14159265358979323846, n = SPHERES;
  return 2 * cbrt(density / n / (4 * pi / 3)) * n * n;
}

static void compare_row(const table_row *row, const ipg_box *boxes, table_error *e) {
  const ipg_search_counters with = measure_split_cost(IPG_SPLIT_USEFUL, boxes, SPHERES);
  const ipg_search_counters without = measure_split_cost(IPG_SPLIT_NONE, boxes, SPHERES);
  const double first_plane = candidates_of_first_plane(row->density);
  printf("\n    %5.2f  %5.2f N (%.2f N)  %8lld (%6.0f)  %9lld (%7.0f, %.2f of the first plane)  %8lld", row->density,
         (double)with.records / SPHERES, row->records, (long long)with.candidates, row->selected,
         (long long)without.candidates, row->selected_without, row->selected_without / first_plane,
         (long long)with.pairs);
  CU_ASSERT_EQUAL(without.records, SPHERES);
  CU_ASSERT(with.records >= SPHERES && with.records <= 8 * SPHERES);
  CU_ASSERT(with.candidates < without.candidates / 5);
  e->records = suite_worst(e->records, (double)with.records / SPHERES / row->records - 1);
  e->selected = suite_worst(e->selected, (double)with.candidates / row->selected - 1);
  e->without = suite_worst(e->without, (double)without.candidates / (7. / 3 * first_plane) - 1);
  e->without_paper = suite_worst(e->without_paper, (double)without.candidates / row->selected_without - 1);
  CU_ASSERT_EQUAL(with.pairs, without.pairs);
}

static void test_table_1(void) {
  rng r = rng_start(6);
  table_error e = {0};
  ipg_box *boxes = calloc(SPHERES, sizeof *boxes);
  printf("\n    ours (Poirrier 2009, table 1), N = %d spheres", SPHERES);
  printf("\n    d      records           candidates         without splitting    overlapping boxes");
  for (size_t i = 0; i < (SUITE_IS_SLOW ? 1 : sizeof table_1 / sizeof *table_1); ++i) {
    fill_spheres(&r, boxes, table_1[i].density);
    compare_row(&table_1[i], boxes, &e);
  }
  suite_gate("Poirrier's table 1: records", e.records, .3);
  suite_gate("Poirrier's table 1: candidates", e.selected, .3);
  suite_expect_missed("Poirrier's table 1: candidates without splitting", e.without_paper, .3, 3);
  suite_gate("candidates without splitting: ours, against 7/3 of those of the first plane", e.without, .3);
  free(boxes);
}

/* ------------------------------------------------------------------------------------------------------- property 1 */

enum { ACROSS = 1500 };
static const double edge = 1.0 / 256; /* of cubes in a unit cube */

/* Two points fix the interest box; the cubes straddle the middle plane, so that without cuts all are in the root. */
static void fill_across(rng *r, ipg_box *boxes) {
  boxes[0] = (ipg_box){{0, 0, 0}, {0, 0, 0}}, boxes[1] = (ipg_box){{1, 1, 1}, {1, 1, 1}};
  for (int i = 2; i < ACROSS; ++i) {
    const double centre[3] = {0.5 + 0.4 * edge * rng_between(r, -1, 1), rng_between(r, 0.01, 0.99),
                              rng_between(r, 0.01, 0.99)};
    put_box(&boxes[i], centre, (double[3]){0.5 * edge, 0.5 * edge, 0.5 * edge});
  }
}

static double compute_gap(const ipg_box *a, const ipg_box *b) {
  double most = 0;
  for (int k = 0; k < 3; ++k) most = fmax(most, fmax(a->lo[k] - b->hi[k], b->lo[k] - a->hi[k]));
  return most;
}

/* A box of a cut cube spans more than half of its cell along one axis, so the cell is shorter than two cubes there;
 * axes are halved in turn, so it is shorter than four along any axis. A cut that does not shrink the cells is undone,
 * which may double that. Both boxes of a candidate are in one cell: pairs farther apart are never compared. */
static const double farthest = 8 * edge;

static int64_t count_near(const ipg_box *boxes) {
  int64_t near = 0;
  for (int i = 0; i < ACROSS; ++i)
    for (int j = i + 1; j < ACROSS; ++j) near += compute_gap(&boxes[i], &boxes[j]) < farthest;
  return near;
}

static void test_property_1(void) {
  rng r = rng_start(31);
  ipg_box *boxes = calloc(ACROSS, sizeof *boxes);
  fill_across(&r, boxes);
  const int64_t near = count_near(boxes), cubes = ACROSS - 2, all = cubes * (cubes - 1) / 2;
  const ipg_search_counters without = measure_split_cost(IPG_SPLIT_NONE, boxes, ACROSS);
  CU_ASSERT_EQUAL(without.records, ACROSS);
  CU_ASSERT(without.candidates >= all);
  for (ipg_split split = IPG_SPLIT_USEFUL; split <= IPG_SPLIT_ALWAYS; ++split) {
    const ipg_search_counters with = measure_split_cost(split, boxes, ACROSS);
    printf("\n    split %d: %lld records, %lld candidates (%lld without), %lld pairs near", (int)split,
           (long long)with.records, (long long)with.candidates, (long long)without.candidates, (long long)near);
    CU_ASSERT(with.records <= 8 * ACROSS);
    CU_ASSERT(with.candidates <= 64 * near);
    CU_ASSERT(with.candidates < without.candidates / 20);
    CU_ASSERT_EQUAL(with.pairs, without.pairs);
  }
  printf("\n    ");
  free(boxes);
}

/* A raw stream is the candidates of the sweep. */
typedef struct raw_watch {
  const ipg_box *boxes;
  int64_t count;
  double farthest;
} raw_watch;

static void watch_batch(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  raw_watch *w = context;
  w->count += count;
  for (int64_t i = 0; i < count; ++i)
    w->farthest = fmax(w->farthest, compute_gap(&w->boxes[pairs[i].a], &w->boxes[pairs[i].b]));
}

static void test_property_1_raw(void) {
  rng r = rng_start(32);
  ipg_box *boxes = calloc(ACROSS, sizeof *boxes);
  fill_across(&r, boxes);
  for (ipg_split split = IPG_SPLIT_USEFUL; split <= IPG_SPLIT_ALWAYS; ++split) {
    ipg_search_config config = config_of("lkdtree");
    config.lkdtree.split = split, config.lkdtree.raw = true;
    ipg_search *search = new_search(&config);
    raw_watch watch = {.boxes = boxes};
    CU_ASSERT_EQUAL(ipg_search_set_boxes(search, boxes, ACROSS, NULL, NULL), IPG_OK);
    CU_ASSERT_EQUAL(ipg_search_self(search, watch_batch, &watch, NULL), IPG_OK);
    CU_ASSERT(watch.count > 0);
    CU_ASSERT(watch.farthest < farthest);
    ipg_search_destroy(&search);
  }
  free(boxes);
}

/* A box has 1 to 8 records, and exactly one where it may not be cut. */
static void test_records(void) {
  rng r = rng_start(33);
  scene s = new_scene(MOST);
  for (long i = 0; i < suite_scenes() / 4; ++i) {
    fill_scene(&r, &scene_kinds[i % SCENE_KINDS], &s);
    const int64_t n = s.item_count;
    CU_ASSERT_EQUAL(measure_split_cost(IPG_SPLIT_NONE, s.items, n).records, n);
    const int64_t records = measure_split_cost(IPG_SPLIT_USEFUL, s.items, n).records;
    CU_ASSERT(n <= records && records <= 8 * n);
  }
  free_scene(&s);
}

/* --------------------------------------------------------------------------------------------- open question 7.3 */

static void shift_box(ipg_box *box, double shift) {
  for (int k = 0; k < 3; ++k) box->lo[k] += shift, box->hi[k] += shift;
}

static void fill_wide(rng *r, ipg_box *boxes, int kind) {
  fill_spheres(r, boxes, kind == 2 ? 1e-16 : 0.1);
  for (int i = 0; i < SPHERES; ++i)
    if (kind == 0) shift_box(&boxes[i], i % 2 ? 1e6 : 0);
    else if (kind == 1 && i % 50 == 0) shift_box(&boxes[i], 1e6 * rng_unit(r));
}

/* The default method compares few boxes, however wide the scene is relative to its boxes. Bad cells would cost only
 * time, so the test counts comparisons. In a compact scene a sphere is compared with about 50; brute force compares
 * 10,000. */
static void test_wide_scenes(void) {
  static const char *const kinds[] = {"two clusters", "fragments far away", "specks"};
  rng r = rng_start(34);
  ipg_box *boxes = calloc(SPHERES, sizeof *boxes);
  const ipg_search_config config = config_of("lkdtree_packed");
  for (int kind = 0; kind < 3; ++kind) {
    fill_wide(&r, boxes, kind);
    const double candidates = (double)measure_cost(&config, boxes, SPHERES).candidates / SPHERES;
    printf("\n    %-20s %5.1f boxes compared with each", kinds[kind], candidates);
    CU_ASSERT(candidates < 100);
  }
  free(boxes);
}

/* Long boxes lie in blocks of their own, and do not make those of short ones long: half of the comparisons and more
 * would be lost. */
static void test_mixed_sizes(void) {
  rng r = rng_start(35);
  ipg_box *boxes = calloc(SPHERES, sizeof *boxes);
  const ipg_search_config config = config_of("lkdtree_packed");
  fill_spheres(&r, boxes, 0.01);
  for (int i = 0; i < SPHERES; i += 10)
    for (int k = 0; k < 3; ++k) boxes[i].hi[k] = boxes[i].lo[k] + 0.81;
  const ipg_search_counters c = measure_cost(&config, boxes, SPHERES);
  printf("\n    %.2f boxes compared for each pair", (double)c.candidates / (double)c.pairs);
  CU_ASSERT(c.candidates < 4 * c.pairs);
  free(boxes);
}

/* Returns the comparisons after `steps` moves of all boxes by up to `most` along each axis, of those of a new set, at
 * the worst step. */
static double compare_moved(rng *r, ipg_box *boxes, double most, int steps) {
  const ipg_search_config config = config_of("lkdtree_packed");
  ipg_search *search = new_search(&config);
  tally t = {0};
  double worst = 0;
  fill_spheres(r, boxes, 0.1);
  CU_ASSERT_EQUAL(ipg_search_set_boxes(search, boxes, SPHERES, NULL, NULL), IPG_OK);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < SPHERES; ++i) {
      const double shift[3] = {rng_between(r, -most, most), rng_between(r, -most, most), rng_between(r, -most, most)};
      for (int k = 0; k < 3; ++k) boxes[i].lo[k] += shift[k], boxes[i].hi[k] += shift[k];
    }
    CU_ASSERT_EQUAL(ipg_search_move_boxes(search, boxes, SPHERES, NULL), IPG_OK);
    CU_ASSERT_EQUAL(ipg_search_self(search, add_batch, &t, NULL), IPG_OK);
    const int64_t moved = ipg_search_get_counters(search).candidates;
    worst = fmax(worst, (double)moved / (double)measure_cost(&config, boxes, SPHERES).candidates);
  }
  ipg_search_destroy(&search);
  return worst;
}

/* Boxes that leave their neighbours, at once or little by little: an order that is no longer any good is made anew. */
static void test_moved_apart(void) {
  rng r = rng_start(36);
  ipg_box *boxes = calloc(SPHERES, sizeof *boxes);
  const double at_once = compare_moved(&r, boxes, 0.05, 3), slowly = compare_moved(&r, boxes, 0.01, 40);
  printf("\n    at once %.2f, little by little %.2f times the comparisons of a new set", at_once, slowly);
  CU_ASSERT(at_once < 1.8 && slowly < 1.8);
  free(boxes);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"Poirrier's table 1", test_table_1},
                         {"property 1 bounds the candidates", test_property_1},
                         {"property 1 bounds the distance of candidates", test_property_1_raw},
                         {"number of records", test_records},
                         {"wide scenes cost no more than others", test_wide_scenes},
                         {"large boxes among small ones", test_mixed_sizes},
                         {"an order that is no longer any good", test_moved_apart},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "search_papers", tests);
}
