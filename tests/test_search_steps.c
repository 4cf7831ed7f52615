/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Use of a search over many steps, for every method: items that move, memory that is reused, allocations that fail one
 * by one, invalid input, several threads. After each of these the pairs are those of two loops. Methods are taken from
 * ipg_search_methods(), so a new one is tested as soon as it is listed. */
#include "support/failing_allocator.h"
#include "support/oracle_of_boxes.h"
#include "support/suite.h"

#include <pthread.h>

/* ------------------------------------------------------------------------------------------------------------ moves */

/* A search over many steps, and the pairs it should find. */
typedef struct run {
  rng r;
  const char *name; /* of the method */
  ipg_search *search;
  scene s;
  answers expected;
  bool points; /* the set is of points, which do not move */
  long step;
  int64_t wrong;
} run;

static void count_wrong(run *w, const char *question) { w->wrong += report_wrong(w->name, &w->s, w->step, question); }

/* The boxes that the search should hold now are in s.moved, the queries in s.moved_queries. */
static void check_self(run *w) {
  oracle_self(&w->s, w->points ? w->s.point_boxes : w->s.moved, &w->expected.self);
  if (!self_is_right(w->search, &w->expected.self)) count_wrong(w, "self");
}

static void check_queries(run *w) {
  const scene *s = &w->s;
  const ipg_box *items = w->points ? s->point_boxes : s->moved;
  oracle_query(s, s->moved_queries, s->moved_query_count, items, &w->expected.query);
  if (!query_is_right(w->search, s, s->moved_queries, s->moved_query_count, &w->expected.query))
    count_wrong(w, "query");
}

/* Sometimes no search, sometimes only one: no method may rely on an earlier search. */
static void check_some(run *w) {
  const int what = rng_int(&w->r, 0, 5);
  if (what > 0 && what != 1) check_self(w);
  if (what > 0 && what != 2) check_queries(w);
}

/* Sets a new scene of any kind, sometimes of points. */
static void set_new_scene(run *w) {
  fill_scene(&w->r, &scene_kinds[rng_int(&w->r, 0, SCENE_KINDS - 1)], &w->s);
  move_scene(&w->r, MOTION_NONE, &w->s);
  w->points = rng_int(&w->r, 0, 5) == 0;
  if (!(w->points ? set_points(w->search, &w->s) : set_boxes(w->search, &w->s))) count_wrong(w, "set");
}

/* Queries move with the items, or become others, fewer or more. */
static void change_queries(run *w, motion how) {
  scene *s = &w->s;
  const int what = rng_int(&w->r, 0, 3);
  if (what < 2) move_boxes(&w->r, how, s->moved_queries, s->moved_query_count);
  if (what == 2) s->moved_query_count = rng_int(&w->r, 0, (int)s->query_count);
  if (what == 3)
    for (int i = 0; i < s->moved_query_count; ++i) fill_dense(&w->r, &s->moved_queries[i], i);
}

static void move_items(run *w, motion how) {
  move_boxes(&w->r, how, w->s.moved, w->s.item_count);
  change_queries(w, how);
  if (ipg_search_move_boxes(w->search, w->s.moved, w->s.item_count, NULL)) count_wrong(w, "move");
}

static void take_step(run *w) {
  if (w->step % 12 == 0) set_new_scene(w);
  else if (!w->points) move_items(w, (motion)rng_int(&w->r, 0, MOTIONS - 1));
  check_some(w);
}

static void run_steps(const char *name, const ipg_search_config *config, uint64_t salt, long steps) {
  run w = {.r = rng_start(salt), .name = name, .search = new_search(config), .s = new_scene(MOST)};
  for (w.step = 0; w.step < steps; ++w.step) take_step(&w);
  CU_ASSERT_EQUAL(w.wrong, 0);
  ipg_search_destroy(&w.search);
  free_answers(&w.expected);
  free_scene(&w.s);
}

/* Scenes of any kind, eleven motions each, objects reused throughout. */
static void test_runs(void) {
  rng r = rng_start(20);
  draw_groups(&r);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const ipg_search_config config = config_of(*method);
    run_steps(*method, &config, 21, suite_scenes() / (suite_is_quick() ? 4 : 2));
  }
}

/* The variants of the linear kd-tree differ most in how they repair their order. */
static void test_runs_of_variants(void) {
  rng r = rng_start(22);
  draw_groups(&r);
  for (int form = 0; form < 12; ++form) {
    ipg_search_config config = config_of("lkdtree");
    config.lkdtree.code_width = form % 2 ? 32 : 64;
    config.lkdtree.split = (ipg_split)(form / 2 % 3);
    config.lkdtree.octree = form / 6;
    char name[64];
    snprintf(name, sizeof name, "lkdtree, %d-bit codes, split %d, octree %d", config.lkdtree.code_width, form / 2 % 3,
             form / 6);
    run_steps(name, &config, 23, suite_scenes() / (suite_is_quick() ? 20 : 8));
  }
}

/* Many small steps of a larger scene, where a method that repairs its order gains most and drifts longest. */
static void test_small_steps(void) {
  enum { COUNT = 400, STEPS = 40 };
  rng r = rng_start(27);
  draw_groups(&r);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const ipg_search_config config = config_of(*method);
    run w = {.r = rng_start(24), .name = *method, .search = new_search(&config), .s = new_scene(COUNT)};
    fill_uniform_scene(&w.r, &w.s, COUNT, 0.15);
    move_scene(&w.r, MOTION_NONE, &w.s);
    CU_ASSERT(set_boxes(w.search, &w.s));
    for (w.step = 0; w.step < STEPS; ++w.step) {
      move_boxes(&w.r, w.step % 8 == 7 ? MOTION_FEW : MOTION_SMALL, w.s.moved, COUNT);
      move_boxes(&w.r, MOTION_SMALL, w.s.moved_queries, w.s.moved_query_count);
      CU_ASSERT_EQUAL(ipg_search_move_boxes(w.search, w.s.moved, COUNT, NULL), IPG_OK);
      check_self(&w), check_queries(&w);
    }
    CU_ASSERT_EQUAL(w.wrong, 0);
    ipg_search_destroy(&w.search);
    free_answers(&w.expected);
    free_scene(&w.s);
  }
}

/* A query that holds some large items and many specks finds each once, and does not examine all empty cells of the
 * sizes between: with a table too small for the cells that contain others, hierarchical hashing examines millions of
 * millions of them. */
static void test_large_query_among_specks(void) {
  enum { COUNT = 500 };
  rng r = rng_start(30);
  ipg_box items[COUNT];
  const ipg_box query = {{-4, -1, -5}, {5, 2, 3}};
  for (int i = 0; i < COUNT; ++i) {
    const double size = i < 10 ? 2 : 1e-9;
    for (int k = 0; k < 3; ++k) items[i].lo[k] = rng_between(&r, -1, 1), items[i].hi[k] = items[i].lo[k] + size;
  }
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const ipg_search_config config = config_of(*method);
    ipg_search *search = new_search(&config);
    tally t = {0};
    CU_ASSERT_EQUAL(ipg_search_set_boxes(search, items, COUNT, NULL, NULL), IPG_OK);
    CU_ASSERT_EQUAL(ipg_search_query(search, &query, 1, NULL, add_batch, &t, NULL), IPG_OK);
    CU_ASSERT_EQUAL(tally_count(&t), COUNT);
    CU_ASSERT(ipg_search_get_counters(search).candidates <= 8 * COUNT);
    ipg_search_destroy(&search);
  }
}

/* Where nothing moves, every step has the same counters: no method sorts again in every other step. */
static void test_no_motion(void) {
  rng r = rng_start(29);
  draw_groups(&r);
  scene s = new_scene(MOST);
  fill_uniform_scene(&r, &s, MOST, 0.1);
  const ipg_exclusion exclusion = query_exclusion(&s);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const ipg_search_config config = config_of(*method);
    ipg_search *search = new_search(&config);
    ipg_search_counters before = {0};
    CU_ASSERT(set_boxes(search, &s));
    for (int step = 0; step < 6; ++step) {
      tally t = {0};
      CU_ASSERT_EQUAL(ipg_search_move_boxes(search, s.items, s.item_count, NULL), IPG_OK);
      CU_ASSERT_EQUAL(ipg_search_query(search, s.queries, s.query_count, &exclusion, add_batch, &t, NULL), IPG_OK);
      const ipg_search_counters now = ipg_search_get_counters(search);
      CU_ASSERT(now.records >= s.item_count);
      const bool same = now.ordered == before.ordered && now.reused == before.reused && now.records == before.records;
      CU_ASSERT_FALSE(report_wrong(*method, &s, step, step > 2 && !same ? "cost without motion" : NULL));
      before = now;
    }
    ipg_search_destroy(&search);
  }
  free_scene(&s);
}

/* Queries with other exclusions than last time, and none: those of the previous step must not remain. */
static void test_exclusions_of_queries_change(void) {
  rng r = rng_start(25);
  draw_groups(&r);
  scene s = new_scene(MOST);
  answers expected = {0};
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const ipg_search_config config = config_of(*method);
    ipg_search *search = new_search(&config);
    fill_uniform_scene(&r, &s, 100, 0.4);
    CU_ASSERT(set_boxes(search, &s));
    for (int i = 0; i < 6; ++i) {
      ipg_exclusion items = item_exclusion(&s);
      s.with_keys = i % 2, s.with_groups = i / 2 % 2;
      if (i == 3) CU_ASSERT_EQUAL(ipg_search_move_boxes(search, s.items, s.item_count, NULL), IPG_OK);
      if (i == 5) CU_ASSERT_EQUAL(ipg_search_set_boxes(search, s.items, s.item_count, &items, NULL), IPG_OK);
      oracle_query(&s, s.queries, s.query_count, s.items, &expected.query);
      const char *question = query_is_right(search, &s, s.queries, s.query_count, &expected.query) ? NULL : "query";
      CU_ASSERT_FALSE(report_wrong(*method, &s, i, i == 5 ? NULL : question));
    }
    ipg_search_destroy(&search);
  }
  free_answers(&expected);
  free_scene(&s);
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static void check_high_water_mark(const char *method, scene *s, answers *expected) {
  failing_allocator watch = {0};
  ipg_search_config config = config_of(method);
  config.allocator = failing_allocator_of(&watch);
  ipg_search *search = new_search(&config);
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  const int64_t allocations = watch.allocations;
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  if (watch.allocations != allocations) printf("\n    %s allocates below its high-water mark", method);
  CU_ASSERT_EQUAL(watch.allocations, allocations);
  const scene whole = *s; /* a part of the same scene needs less memory */
  s->item_count /= 2, s->query_count /= 3, s->moved_query_count /= 3;
  oracle_answers(s, expected);
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  CU_ASSERT_EQUAL(watch.allocations, allocations);
  *s = whole;
  oracle_answers(s, expected);
  ipg_search_destroy(&search);
  CU_ASSERT_PTR_NULL(search);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
  CU_ASSERT_EQUAL(watch.live_blocks, 0);
  CU_ASSERT_EQUAL(watch.wrong_releases, 0);
}

static void test_high_water_mark(void) {
  rng r = rng_start(3);
  draw_groups(&r);
  scene s = new_scene(1000);
  answers expected = {0};
  fill_uniform_scene(&r, &s, 1000, 0.12);
  oracle_answers(&s, &expected);
  for (const char *const *method = ipg_search_methods(); *method; ++method)
    check_high_water_mark(*method, &s, &expected);
  free_answers(&expected);
  free_scene(&s);
}

/* A chain of boxes, one longer each time: the array has to grow by a single pair. */
static void check_growing_chain(const char *method) {
  failing_allocator watch = {0};
  ipg_search_config config = config_of(method);
  config.allocator = failing_allocator_of(&watch);
  ipg_search *search = new_search(&config);
  ipg_box boxes[SOME];
  int64_t wrong = 0;
  for (int i = 0; i < SOME; ++i) {
    const ipg_pair *pairs = NULL;
    int64_t count = -1;
    boxes[i] = (ipg_box){{i, 0, 0}, {i + 1, 1, 1}};
    wrong += ipg_search_set_boxes(search, boxes, i + 1, NULL, NULL) != IPG_OK;
    wrong += ipg_search_self_array(search, &pairs, &count, NULL) != IPG_OK || count != i;
    for (int64_t k = 0; k < count; ++k) wrong += pairs[k].a != k || pairs[k].b != k + 1;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  ipg_search_destroy(&search);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
}

static void test_arrays_grow_by_one(void) {
  for (const char *const *method = ipg_search_methods(); *method; ++method) check_growing_chain(*method);
}

/* -------------------------------------------------------------------------------------------- allocations that fail */

/* After a failed allocation the item set is the previous one, or empty if the method could not store the new one. */
static bool is_set_old_or_empty(ipg_search *search, const answer *old) {
  const ipg_pair *pairs = NULL;
  int64_t count = -1;
  if (ipg_search_self_array(search, &pairs, &count, NULL)) return false;
  return count == 0 || array_equals(pairs, count, old);
}

/* One call; if an allocation fails in it, it reports that and succeeds the second time. */
#define FAILS_OR_SUCCEEDS(call)                                                                                        \
  do {                                                                                                                 \
    const int64_t refusals = watch->refusals;                                                                          \
    ipg_error error = {0};                                                                                             \
    const ipg_status status = (call);                                                                                  \
    CU_ASSERT_EQUAL(status, watch->refusals > refusals ? IPG_ERROR_MEMORY : IPG_OK);                                   \
    CU_ASSERT_EQUAL(error.status, status);                                                                             \
    CU_ASSERT_EQUAL(error.message[0] != 0, status != IPG_OK);                                                          \
    if (status) CU_ASSERT_EQUAL_FATAL((call), IPG_OK);                                                                 \
  } while (0)

/* A move that fails for lack of memory leaves the set before it or none; then a set and the move succeed. */
static void move_or_set_again(failing_allocator *watch, ipg_search *search, const scene *s, const answers *expected) {
  const int64_t refusals = watch->refusals;
  ipg_error error = {0};
  const ipg_status status = ipg_search_move_boxes(search, s->moved, s->item_count, &error);
  CU_ASSERT_EQUAL(status, watch->refusals > refusals ? IPG_ERROR_MEMORY : IPG_OK);
  if (!status) return;
  CU_ASSERT(is_set_old_or_empty(search, &expected->self));
  CU_ASSERT(set_boxes(search, s));
  CU_ASSERT_EQUAL(ipg_search_move_boxes(search, s->moved, s->item_count, NULL), IPG_OK);
}

static void check_failing_run(failing_allocator *watch, const char *method, const scene *s, const answers *expected) {
  ipg_search_config config = config_of(method);
  config.allocator = failing_allocator_of(watch);
  const ipg_exclusion items = item_exclusion(s), queries = query_exclusion(s);
  ipg_search *search = NULL;
  const ipg_pair *pairs;
  int64_t count;
  tally t = {0};
  FAILS_OR_SUCCEEDS(ipg_search_create(&config, &search, &error));
  FAILS_OR_SUCCEEDS(ipg_search_set_boxes(search, s->items, s->item_count, &items, &error));
  FAILS_OR_SUCCEEDS((t = (tally){0}, ipg_search_self(search, add_batch, &t, &error)));
  CU_ASSERT(tally_equals(&t, &expected->self));
  FAILS_OR_SUCCEEDS(ipg_search_self_array(search, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->self));
  FAILS_OR_SUCCEEDS(
      (t = (tally){0}, ipg_search_query(search, s->queries, s->query_count, &queries, add_batch, &t, &error)));
  CU_ASSERT(tally_equals(&t, &expected->query));
  FAILS_OR_SUCCEEDS(ipg_search_query_array(search, s->queries, s->query_count, &queries, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->query));
  move_or_set_again(watch, search, s, expected);
  FAILS_OR_SUCCEEDS(ipg_search_self_array(search, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->moved_self));
  FAILS_OR_SUCCEEDS(
      ipg_search_query_array(search, s->moved_queries, s->moved_query_count, &queries, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->moved_query));
  FAILS_OR_SUCCEEDS(ipg_search_set_points(search, s->points, s->item_count, &items, &error));
  FAILS_OR_SUCCEEDS(ipg_search_query_array(search, s->queries, s->query_count, &queries, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->point_query));
  CU_ASSERT_FALSE(report_wrong(method, s, 0, first_wrong(search, s, expected)));
  ipg_search_destroy(&search);
}

static void check_failing_runs(const char *method, const scene *s, const answers *expected) {
  for (int64_t n = 1;; ++n) {
    failing_allocator watch = {.fail_at = n};
    check_failing_run(&watch, method, s, expected);
    CU_ASSERT_EQUAL(watch.live_bytes, 0);
    CU_ASSERT_EQUAL(watch.live_blocks, 0);
    CU_ASSERT_EQUAL(watch.wrong_releases, 0);
    if (!watch.refusals) break;
    CU_ASSERT_FATAL(n < 1000);
  }
}

/* Calls that can fail while a small set of boxes is stored. */
typedef enum attempt { SET_MORE, SET_POINTS, MOVE, ATTEMPTS } attempt;

static ipg_status run_attempt(attempt what, ipg_search *search, const scene *more, int64_t held, ipg_error *error) {
  const ipg_exclusion items = item_exclusion(more);
  if (what == SET_MORE) return ipg_search_set_boxes(search, more->items, more->item_count, &items, error);
  if (what == SET_POINTS) return ipg_search_set_points(search, more->points, more->item_count, &items, error);
  return ipg_search_move_boxes(search, more->moved, held, error);
}

/* Once the set is lost nothing can be moved; the search reports that, and accepts the next set. */
static void check_held_or_empty(ipg_search *search, const scene *held, const answers *expected) {
  const ipg_pair *pairs = NULL;
  int64_t count = -1;
  CU_ASSERT(is_set_old_or_empty(search, &expected->self));
  CU_ASSERT_EQUAL(ipg_search_self_array(search, &pairs, &count, NULL), IPG_OK);
  const ipg_status moved = ipg_search_move_boxes(search, held->items, held->item_count, NULL);
  CU_ASSERT_EQUAL(moved, count ? IPG_OK : IPG_ERROR_ARGUMENT);
}

/* True if the attempt failed at its n-th allocation. */
static bool fails_at(attempt what, const char *method, const scene *more, const scene *held, const answers *expected,
                     int64_t n) {
  failing_allocator watch = {0};
  ipg_search_config config = config_of(method);
  config.allocator = failing_allocator_of(&watch);
  ipg_search *search = new_search(&config);
  CU_ASSERT(set_boxes(search, held));
  watch.fail_at = watch.allocations + n;
  const ipg_status status = run_attempt(what, search, more, held->item_count, NULL);
  CU_ASSERT_EQUAL(status, watch.refusals ? IPG_ERROR_MEMORY : IPG_OK);
  watch.fail_at = 0;
  if (status) check_held_or_empty(search, held, expected);
  CU_ASSERT_FALSE(report_wrong(method, held, n, first_wrong(search, held, expected)));
  ipg_search_destroy(&search);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
  return status != IPG_OK;
}

/* More means so many that every buffer has to grow. */
static void test_allocation_failures(void) {
  enum { MORE = 5000 };
  rng r = rng_start(4);
  draw_groups(&r);
  scene more = new_scene(MORE);
  answers expected = {0};
  fill_uniform_scene(&r, &more, MORE, 0.1);
  scene held = more;
  held.item_count = held.query_count = held.moved_query_count = 150;
  oracle_answers(&held, &expected);
  CU_ASSERT(expected.self.count > 0 && expected.query.count > 0);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    check_failing_runs(*method, &held, &expected);
    for (attempt what = 0; what < ATTEMPTS; ++what)
      for (int64_t n = 1; fails_at(what, *method, &more, &held, &expected, n); ++n) CU_ASSERT_FATAL(n < 1000);
  }
  free_answers(&expected);
  free_scene(&more);
}

/* -------------------------------------------------------------------------------------------------------- bad input */

static bool has_message(const ipg_error *error, ipg_status status, const char *words) {
  const bool found = error->status == status && strstr(error->message, words);
  if (!found) printf("\n    expected %s, \"%s\": %s", ipg_status_name(status), words, error->message);
  return found;
}

static void check_bad_config(ipg_search_config config, const char *words) {
  ipg_error error = {0};
  ipg_search *search = NULL;
  CU_ASSERT_EQUAL(ipg_search_create(&config, &search, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(has_message(&error, IPG_ERROR_ARGUMENT, words));
  CU_ASSERT_PTR_NULL(search);
}

static void test_bad_configs(void) {
  const ipg_search_config good = ipg_search_defaults();
  ipg_search_config bad = good;
  bad.method = "quadtree", check_bad_config(bad, "quadtree");
  bad.method = "quadtree", check_bad_config(bad, good.method);
  bad.method = NULL, check_bad_config(bad, "null");
  bad.method = "", check_bad_config(bad, "''");
  bad = good;
  bad.lkdtree.bits = 20, check_bad_config(bad, "bits per axis is 20");
  bad.lkdtree.bits = -1, check_bad_config(bad, "-1");
  bad.lkdtree.code_width = 32, bad.lkdtree.bits = 10, check_bad_config(bad, "1 to 9");
  bad = good, bad.lkdtree.code_width = 16, check_bad_config(bad, "16 bits");
  bad = good, bad.group_count = -2, check_bad_config(bad, "-2");
  bad = good, bad.tasks.worker_count = 0, check_bad_config(bad, "workers is 0");
  ipg_search *none = NULL;
  ipg_search_destroy(&none);
}

/* A search that holds a known set, for attempts with invalid input. */
typedef struct bad_input {
  ipg_search *search;
  scene s;
  answers expected;
} bad_input;

/* The call fails as wanted, the set is still there, and searches find the same pairs. */
static void expect_failure(bad_input *in, ipg_status status, const ipg_error *error, ipg_status wanted,
                           const char *words) {
  CU_ASSERT_EQUAL(status, wanted);
  CU_ASSERT(has_message(error, wanted, words));
  CU_ASSERT(self_is_right(in->search, &in->expected.self));
  CU_ASSERT(query_is_right(in->search, &in->s, in->s.queries, in->s.query_count, &in->expected.query));
}

static void check_bad_queries(bad_input *in, const ipg_box boxes[3]) {
  ipg_error error = {0};
  tally t = {0};
  ipg_status status = ipg_search_query(in->search, boxes, 3, NULL, add_batch, &t, &error);
  expect_failure(in, status, &error, IPG_ERROR_NUMBER, "query box 2 ");
  CU_ASSERT_EQUAL(t.of[0].count, 0);
  const ipg_pair *pairs;
  int64_t count;
  error = (ipg_error){0};
  status = ipg_search_query_array(in->search, boxes, 3, NULL, &pairs, &count, &error);
  expect_failure(in, status, &error, IPG_ERROR_NUMBER, "query box 2 ");
}

static void check_bad_box(bad_input *in, double lo, double hi, int axis) {
  ipg_box boxes[SOME];
  memcpy(boxes, in->s.items, (size_t)in->s.item_count * sizeof *boxes);
  boxes[2].lo[axis] = lo, boxes[2].hi[axis] = hi;
  ipg_error error = {0};
  ipg_status status = ipg_search_set_boxes(in->search, boxes, 3, NULL, &error);
  expect_failure(in, status, &error, IPG_ERROR_NUMBER, "box 2 ");
  error = (ipg_error){0};
  status = ipg_search_move_boxes(in->search, boxes, in->s.item_count, &error);
  expect_failure(in, status, &error, IPG_ERROR_NUMBER, "box 2 ");
  check_bad_queries(in, boxes);
  CU_ASSERT_EQUAL(ipg_search_set_boxes(in->search, boxes, 3, NULL, NULL), IPG_ERROR_NUMBER);
  CU_ASSERT_EQUAL(ipg_search_move_boxes(in->search, boxes, in->s.item_count, NULL), IPG_ERROR_NUMBER);
}

static void check_bad_boxes(bad_input *in) {
  for (int axis = 0; axis < 3; ++axis) {
    check_bad_box(in, NAN, 1, axis);
    check_bad_box(in, 0, NAN, axis);
    check_bad_box(in, NAN, NAN, axis);
    check_bad_box(in, -INFINITY, 1, axis);
    check_bad_box(in, 0, INFINITY, axis);
    check_bad_box(in, INFINITY, INFINITY, axis);
    check_bad_box(in, -INFINITY, -INFINITY, axis);
    check_bad_box(in, 1, nextafter(1, 0), axis);
    check_bad_box(in, DBL_MAX, -DBL_MAX, axis);
  }
}

static void check_bad_points(bad_input *in) {
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 9; ++i) {
    double points[9] = {0};
    points[3 + i / 3] = bad[i % 3];
    ipg_error error = {0};
    const ipg_status status = ipg_search_set_points(in->search, points, 3, NULL, &error);
    expect_failure(in, status, &error, IPG_ERROR_NUMBER, "point 1 ");
  }
}

static void check_bad_count(bad_input *in, const ipg_box *boxes, const double *points, int64_t announced,
                            ipg_status wanted, const char *words) {
  const ipg_pair *pairs;
  int64_t count;
  ipg_error error = {0};
  ipg_status status = ipg_search_set_boxes(in->search, boxes, announced, NULL, &error);
  expect_failure(in, status, &error, wanted, words);
  error = (ipg_error){0};
  status = ipg_search_set_points(in->search, points, announced, NULL, &error);
  expect_failure(in, status, &error, wanted, words);
  error = (ipg_error){0};
  status = ipg_search_move_boxes(in->search, boxes, announced, &error);
  expect_failure(in, status, &error, wanted, words);
  error = (ipg_error){0};
  status = ipg_search_query_array(in->search, boxes, announced, NULL, &pairs, &count, &error);
  expect_failure(in, status, &error, wanted, words);
}

static void check_bad_counts(bad_input *in) {
  check_bad_count(in, NULL, NULL, 1, IPG_ERROR_ARGUMENT, "null");
  check_bad_count(in, in->s.items, in->s.points, -1, IPG_ERROR_ARGUMENT, "-1");
  check_bad_count(in, NULL, NULL, INT64_MIN, IPG_ERROR_ARGUMENT, "negative");
  check_bad_count(in, in->s.items, in->s.points, IPG_ID_MAX, IPG_ERROR_TOO_MANY, "2147483647");
  check_bad_count(in, in->s.items, in->s.points, INT64_MAX, IPG_ERROR_TOO_MANY, "32-bit");
}

static void check_bad_groups(bad_input *in) {
  static const ipg_id bad[] = {-1, GROUPS, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; ++i) {
    const ipg_id groups[] = {0, GROUPS - 1, bad[i]};
    const ipg_exclusion exclusion = {NULL, groups};
    ipg_error error = {0};
    tally t = {0};
    ipg_status status = ipg_search_set_boxes(in->search, in->s.items, 3, &exclusion, &error);
    expect_failure(in, status, &error, IPG_ERROR_ARGUMENT, "item 2 ");
    status = ipg_search_set_points(in->search, in->s.points, 3, &exclusion, &error);
    expect_failure(in, status, &error, IPG_ERROR_ARGUMENT, "item 2 ");
    status = ipg_search_query(in->search, in->s.items, 3, &exclusion, add_batch, &t, &error);
    expect_failure(in, status, &error, IPG_ERROR_ARGUMENT, "item 2 ");
    CU_ASSERT_EQUAL(tally_count(&t), 0);
  }
}

/* Only the stored set can be moved: after a failure the set, with its boxes, is what it was. */
static void check_bad_moves(bad_input *in) {
  const int64_t count = in->s.item_count;
  const int64_t other[] = {0, count - 1, count + 1};
  for (int i = 0; i < 3; ++i) {
    ipg_error error = {0};
    const ipg_status status = ipg_search_move_boxes(in->search, in->s.items, other[i], &error);
    expect_failure(in, status, &error, IPG_ERROR_ARGUMENT, "set the boxes first");
  }
  CU_ASSERT_EQUAL(ipg_search_move_boxes(in->search, in->s.items, count, NULL), IPG_OK);
}

static void check_moves_without_boxes(const char *method, const scene *s) {
  const ipg_search_config config = config_of(method);
  ipg_search *search = new_search(&config);
  for (int64_t count = 0; count < 2; ++count) {
    ipg_error error = {0};
    CU_ASSERT_EQUAL(ipg_search_move_boxes(search, s->items, count, &error), IPG_ERROR_ARGUMENT);
    CU_ASSERT(has_message(&error, IPG_ERROR_ARGUMENT, "set the boxes first"));
  }
  ipg_error error = {0};
  CU_ASSERT(set_points(search, s));
  CU_ASSERT_EQUAL(ipg_search_move_boxes(search, s->items, s->item_count, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(has_message(&error, IPG_ERROR_ARGUMENT, "points"));
  CU_ASSERT_EQUAL(ipg_search_set_boxes(search, NULL, 0, NULL, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_search_move_boxes(search, NULL, 0, NULL), IPG_OK); /* an empty set, moved */
  ipg_search_destroy(&search);
}

static void test_bad_input(void) {
  rng r = rng_start(5);
  draw_groups(&r);
  bad_input in = {.s = new_scene(MOST)};
  fill_uniform_scene(&r, &in.s, 30, 0.8);
  in.s.with_keys = in.s.with_groups = false;
  in.s.query_count = in.s.moved_query_count = 4;
  oracle_answers(&in.s, &in.expected);
  CU_ASSERT(in.expected.self.count > 0 && in.expected.query.count > 0);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const ipg_search_config config = config_of(*method);
    in.search = new_search(&config);
    CU_ASSERT(set_boxes(in.search, &in.s));
    check_bad_boxes(&in);
    check_bad_points(&in);
    check_bad_counts(&in);
    check_bad_groups(&in);
    check_bad_moves(&in);
    CU_ASSERT_FALSE(report_wrong(*method, &in.s, 0, first_wrong(in.search, &in.s, &in.expected)));
    ipg_search_destroy(&in.search);
    check_moves_without_boxes(*method, &in.s);
  }
  free_answers(&in.expected);
  free_scene(&in.s);
}

/* Half an exclusion excludes nothing: keys or groups on one side only, groups without a matrix. */
static void check_partial_exclusion(const char *method) {
  const ipg_box boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
  const ipg_id all_keys[8] = {7, 7, 7, 7, 7, 7, 7, 7}, far_groups[2] = {1000, -5};
  ipg_search_config config = ipg_search_defaults();
  config.method = method;
  ipg_search *search = new_search(&config);
  const ipg_pair *pairs;
  int64_t count = 0;
  CU_ASSERT_EQUAL(ipg_search_set_boxes(search, boxes, 2, &(ipg_exclusion){all_keys, far_groups}, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_search_self_array(search, &pairs, &count, NULL), IPG_OK);
  CU_ASSERT_EQUAL(count, 0);
  CU_ASSERT_EQUAL(ipg_search_query_array(search, boxes, 2, NULL, &pairs, &count, NULL), IPG_OK);
  CU_ASSERT_EQUAL(count, 4);
  CU_ASSERT_EQUAL(ipg_search_set_boxes(search, boxes, 2, &(ipg_exclusion){NULL, far_groups}, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_search_self_array(search, &pairs, &count, NULL), IPG_OK);
  CU_ASSERT_EQUAL(count, 1);
  ipg_search_destroy(&search);
}

static void test_partial_exclusion(void) {
  for (const char *const *method = ipg_search_methods(); *method; ++method) check_partial_exclusion(*method);
}

/* ---------------------------------------------------------------------------------------------------------- workers */

/* Steps of a scene of several chunks, by seven workers. */
static void test_steps_of_many_workers(void) {
  enum { COUNT = SUITE_IS_SLOW ? 800 : 1500, STEPS = 6 };
  rng r = rng_start(28);
  draw_groups(&r);
  ipg_pool *pool = NULL;
  CU_ASSERT_EQUAL_FATAL(ipg_pool_create(MOST_WORKERS, &pool, NULL), IPG_OK);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    ipg_search_config config = config_of(*method);
    config.tasks = ipg_pool_tasks(pool);
    run w = {.r = rng_start(26), .name = *method, .search = new_search(&config), .s = new_scene(COUNT)};
    fill_uniform_scene(&w.r, &w.s, COUNT, 0.1);
    move_scene(&w.r, MOTION_NONE, &w.s);
    CU_ASSERT(set_boxes(w.search, &w.s));
    for (w.step = 0; w.step < STEPS; ++w.step) {
      move_items(&w, w.step == 4 ? MOTION_EXCHANGE : w.step % 2 ? MOTION_FEW : MOTION_SMALL);
      check_self(&w), check_queries(&w);
    }
    CU_ASSERT_EQUAL(w.wrong, 0);
    ipg_search_destroy(&w.search);
    free_answers(&w.expected);
    free_scene(&w.s);
  }
  ipg_pool_destroy(&pool);
}

/* One search of the pair that runs at once: its thread, its scene, and the pairs it should find. */
typedef struct thread_run {
  pthread_t thread;
  ipg_search_config config;
  const scene *s;
  const answers *expected;
  int64_t wrong;
} thread_run;

static void *run_thread(void *arg) {
  thread_run *t = arg;
  ipg_search *search = NULL;
  t->wrong += ipg_search_create(&t->config, &search, NULL) != IPG_OK;
  for (int i = 0; i < 3 && !t->wrong; ++i) t->wrong += first_wrong(search, t->s, t->expected) != NULL;
  ipg_search_destroy(&search);
  return NULL;
}

/* Two objects may be used from two threads at once, with the tasks of one pool or serially. */
static void test_two_threads(void) {
  enum { COUNT = 600 };
  rng r = rng_start(30);
  draw_groups(&r);
  scene scenes[2] = {new_scene(COUNT), new_scene(COUNT)};
  answers expected[2] = {0};
  ipg_pool *pool = NULL;
  CU_ASSERT_EQUAL_FATAL(ipg_pool_create(3, &pool, NULL), IPG_OK);
  for (int i = 0; i < 2; ++i) fill_uniform_scene(&r, &scenes[i], COUNT, 0.15), oracle_answers(&scenes[i], &expected[i]);
  for (const char *const *method = ipg_search_methods(); *method; ++method)
    for (int pooled = 0; pooled < 2; ++pooled) {
      thread_run runs[2];
      for (int i = 0; i < 2; ++i) {
        runs[i] = (thread_run){.config = config_of(*method), .s = &scenes[i], .expected = &expected[i]};
        if (pooled) runs[i].config.tasks = ipg_pool_tasks(pool);
        CU_ASSERT_EQUAL_FATAL(pthread_create(&runs[i].thread, NULL, run_thread, &runs[i]), 0);
      }
      for (int i = 0; i < 2; ++i) pthread_join(runs[i].thread, NULL);
      CU_ASSERT_EQUAL(runs[0].wrong + runs[1].wrong, 0);
    }
  for (int i = 0; i < 2; ++i) free_answers(&expected[i]), free_scene(&scenes[i]);
  ipg_pool_destroy(&pool);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"runs of scenes and motions", test_runs},
                         {"runs of the variants of the linear kd-tree", test_runs_of_variants},
                         {"many small steps", test_small_steps},
                         {"a large query among specks", test_large_query_among_specks},
                         {"no motion", test_no_motion},
                         {"exclusions of queries change", test_exclusions_of_queries_change},
                         {"no allocation below the high-water mark", test_high_water_mark},
                         {"arrays grow by one pair", test_arrays_grow_by_one},
                         {"every allocation fails once", test_allocation_failures},
                         {"bad configurations", test_bad_configs},
                         {"bad input", test_bad_input},
                         {"partial exclusions", test_partial_exclusion},
                         {"steps of many workers", test_steps_of_many_workers},
                         {"two searches on two threads", test_two_threads},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "search_steps", tests);
}
