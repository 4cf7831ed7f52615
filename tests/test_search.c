/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Every search method against an independent oracle, two loops: thousands of scenes, most of them hard, six searches
 * each, compared bit by bit. Objects are reused from scene to scene, as in a simulation. Then the variants of the
 * linear kd-tree, the same bits for any number of workers and any width of registers, and golden constants that no
 * change may touch. Methods are taken from ipg_search_methods(), so a new one is tested as soon as it is listed. */
#include "support/oracle_of_boxes.h"
#include "support/suite.h"

enum { MOST_METHODS = 64 };

/* The requested number of scenes, or half of it where everything is several times slower. */
static long search_scenes(void) { return suite_is_quick() ? suite_scenes() / 2 : suite_scenes(); }

/* --------------------------------------------------------------------------------------------------- random scenes */

static int create_all_methods(ipg_search **searches) {
  int count = 0;
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    CU_ASSERT_FATAL(count < MOST_METHODS);
    const ipg_search_config config = config_of(*method);
    searches[count++] = new_search(&config);
  }
  return count;
}

static void destroy_all(ipg_search **searches, int count) {
  for (int i = 0; i < count; ++i) ipg_search_destroy(&searches[i]);
}

static void test_scenes(void) {
  rng r = rng_start(1);
  draw_groups(&r);
  ipg_search *searches[MOST_METHODS];
  const int methods = create_all_methods(searches);
  scene s = new_scene(MOST);
  answers expected = {0};
  int64_t wrong = 0, pairs = 0;
  const long scenes = search_scenes();
  for (long i = 0; i < scenes; ++i) {
    fill_scene(&r, &scene_kinds[i % SCENE_KINDS], &s);
    pairs += oracle_answers(&s, &expected);
    for (int m = 0; m < methods; ++m)
      wrong += report_wrong(ipg_search_methods()[m], &s, i, first_wrong(searches[m], &s, &expected));
  }
  printf("\n    %ld configurations (%ld scenes of %d kinds, %d questions), %lld pairs, by each of %d methods ... ",
         QUESTIONS * scenes, scenes, SCENE_KINDS, QUESTIONS, (long long)pairs, methods);
  suite_gate("every method, 12,000 queries in 2,000 random and degenerate scenes", (double)wrong, 0);
  CU_ASSERT(pairs > 100 * scenes);
  free_answers(&expected);
  free_scene(&s);
  destroy_all(searches, methods);
}

/* ----------------------------------------------------------------------------------- variants of the linear kd-tree */

static const struct {
  int width, bits;
} codes[] = {{64, 0}, {64, 1}, {64, 2}, {64, 5}, {64, 10}, {64, 18}, {32, 0}, {32, 1}, {32, 4}, {32, 8}};

enum { CODES = sizeof codes / sizeof *codes, SPLITS = 3, VARIANTS = CODES * SPLITS * 2, VARIANTS_PER_SCENE = 2 };

static ipg_search_config config_of_variant(int variant, bool raw) {
  ipg_search_config config = config_of("lkdtree");
  config.lkdtree = (ipg_lkdtree_config){.code_width = codes[variant % CODES].width,
                                        .bits = codes[variant % CODES].bits,
                                        .split = (ipg_split)(variant / CODES % SPLITS),
                                        .octree = variant / CODES / SPLITS == 1,
                                        .raw = raw};
  return config;
}

static const char *name_variant(int variant, char name[128]) {
  const ipg_lkdtree_config c = config_of_variant(variant, false).lkdtree;
  snprintf(name, 128, "lkdtree, %d-bit codes, bits %d, split %d, octree %d", c.code_width, c.bits, (int)c.split,
           c.octree);
  return name;
}

/* The variants of each scene are random; over all scenes, each variant gets each kind many times. */
static void test_variants(void) {
  rng r = rng_start(7);
  draw_groups(&r);
  ipg_search *variants[VARIANTS];
  for (int v = 0; v < VARIANTS; ++v) {
    const ipg_search_config config = config_of_variant(v, false);
    variants[v] = new_search(&config);
  }
  scene s = new_scene(MOST);
  answers expected = {0};
  int64_t wrong = 0;
  char name[128];
  for (long i = 0; i < search_scenes(); ++i) {
    fill_scene(&r, &scene_kinds[i % SCENE_KINDS], &s);
    oracle_answers(&s, &expected);
    for (int k = 0; k < VARIANTS_PER_SCENE; ++k) {
      const int v = rng_int(&r, 0, VARIANTS - 1);
      wrong += report_wrong(name_variant(v, name), &s, i, first_wrong(variants[v], &s, &expected));
    }
  }
  printf("\n    %d variants, %d of them on each of %ld scenes ... ", VARIANTS, VARIANTS_PER_SCENE, search_scenes());
  suite_gate("forms of the linear kd-tree (64 and 32 bits, three ways to cut, octree)", (double)wrong, 0);
  free_answers(&expected);
  free_scene(&s);
  destroy_all(variants, VARIANTS);
}

/* A raw stream: every pair reported, by one worker. */
static void append_batch(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  for (int64_t i = 0; i < count; ++i) append(context, pairs[i].a, pairs[i].b);
}

static int compare_pairs(const void *p, const void *q) {
  const ipg_pair *a = p, *b = q;
  return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* Sorts, and drops repeated pairs and pairs that do not overlap. */
static void filter_raw(answer *raw, const ipg_box *first, const ipg_box *second) {
  if (raw->count) qsort(raw->pairs, (size_t)raw->count, sizeof *raw->pairs, compare_pairs);
  int64_t kept = 0;
  for (int64_t i = 0; i < raw->count; ++i) {
    const ipg_pair pair = raw->pairs[i];
    const bool again = kept && !compare_pairs(&raw->pairs[kept - 1], &pair);
    if (!again && !are_apart(&first[pair.a], &second[pair.b])) raw->pairs[kept++] = pair;
  }
  raw->count = kept;
}

static bool are_ids_valid(const answer *raw, bool self, int64_t first_count, int64_t second_count) {
  for (int64_t i = 0; i < raw->count; ++i) {
    const ipg_pair pair = raw->pairs[i];
    if (pair.a < 0 || pair.b < 0 || pair.a >= first_count || pair.b >= second_count) return false;
    if (self && pair.a >= pair.b) return false;
  }
  return true;
}

/* The first search whose stream does not contain the expected pairs, or NULL. */
static const char *first_wrong_raw(ipg_search *search, const scene *s, const answers *expected, answer *raw) {
  const ipg_exclusion exclusion = query_exclusion(s);
  if (!set_boxes(search, s)) return "set boxes";
  raw->count = 0;
  if (ipg_search_self(search, append_batch, raw, NULL)) return "raw self failed";
  if (!are_ids_valid(raw, true, s->item_count, s->item_count)) return "ids of raw self";
  filter_raw(raw, s->items, s->items);
  if (!array_equals(raw->pairs, raw->count, &expected->self)) return "raw self";
  raw->count = 0;
  if (ipg_search_query(search, s->queries, s->query_count, &exclusion, append_batch, raw, NULL))
    return "raw query failed";
  if (!are_ids_valid(raw, false, s->query_count, s->item_count)) return "ids of raw query";
  filter_raw(raw, s->queries, s->items);
  return array_equals(raw->pairs, raw->count, &expected->query) ? NULL : "raw query";
}

static void test_raw_variants(void) {
  rng r = rng_start(8);
  draw_groups(&r);
  scene s = new_scene(MOST);
  answers expected = {0};
  answer raw = {0};
  int64_t wrong = 0;
  char name[128];
  for (long i = 0; i < search_scenes() / 4; ++i) {
    fill_scene(&r, &scene_kinds[i % SCENE_KINDS], &s);
    oracle_answers(&s, &expected);
    const int v = rng_int(&r, 0, VARIANTS - 1);
    const ipg_search_config config = config_of_variant(v, true);
    ipg_search *search = new_search(&config);
    wrong += report_wrong(name_variant(v, name), &s, i, first_wrong_raw(search, &s, &expected, &raw));
    ipg_search_destroy(&search);
  }
  CU_ASSERT_EQUAL(wrong, 0);
  free(raw.pairs);
  free_answers(&expected);
  free_scene(&s);
}

/* ----------------------------------------------------------------------------------------------- workers and widths */

static const int worker_counts[] = {1, 2, 4, MOST_WORKERS};
enum { WORKER_COUNTS = sizeof worker_counts / sizeof *worker_counts };

static void check_workers(const scene *s, const answers *expected, const ipg_tasks *tasks) {
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    ipg_search_config config = config_of(*method);
    config.tasks = *tasks;
    ipg_search *search = new_search(&config);
    CU_ASSERT_FALSE(report_wrong(*method, s, tasks->worker_count, first_wrong(search, s, expected)));
    ipg_search_destroy(&search);
  }
}

/* Large enough for several chunks and batches; every result equals the oracle's, so all are the same bits. */
static void test_workers(void) {
  rng r = rng_start(2);
  draw_groups(&r);
  const int64_t count = SUITE_IS_SLOW ? 1000 : 1800;
  scene s = new_scene(count);
  answers expected = {0};
  fill_uniform_scene(&r, &s, count, SUITE_IS_SLOW ? 0.36 : 0.22);
  oracle_answers(&s, &expected);
  CU_ASSERT(expected.self.count > 1024 && expected.point_query.count > 1024);
  for (int i = 0; i < WORKER_COUNTS; ++i) {
    ipg_pool *pool = NULL;
    CU_ASSERT_EQUAL_FATAL(ipg_pool_create(worker_counts[i], &pool, NULL), IPG_OK);
    const ipg_tasks tasks = ipg_pool_tasks(pool);
    check_workers(&s, &expected, &tasks);
    ipg_pool_destroy(&pool);
  }
  free_answers(&expected);
  free_scene(&s);
}

/* Lists the widths that this build and processor have. */
static int list_widths(const char *widths[2]) {
  const ipg_search_config config = ipg_search_defaults();
  ipg_search *search = NULL;
  int count = 0;
  widths[count++] = "scalar";
  setenv("IMPINGE_SIMD", "avx2", 1);
  if (!ipg_search_create(&config, &search, NULL)) widths[count++] = "avx2";
  unsetenv("IMPINGE_SIMD");
  ipg_search_destroy(&search);
  return count;
}

static void test_unknown_widths(void) {
  static const char *const unknown[] = {"sse9", "AVX2", "avx2 ", "no"};
  const ipg_search_config config = ipg_search_defaults();
  for (int i = 0; i < 4; ++i) {
    ipg_search *search = NULL;
    ipg_error error = {0};
    setenv("IMPINGE_SIMD", unknown[i], 1);
    CU_ASSERT_EQUAL(ipg_search_create(&config, &search, &error), IPG_ERROR_ARGUMENT);
    unsetenv("IMPINGE_SIMD");
    CU_ASSERT_PTR_NULL(search);
    CU_ASSERT(strstr(error.message, "IMPINGE_SIMD") && strstr(error.message, unknown[i]));
  }
}

static void test_widths(void) {
  rng r = rng_start(9);
  draw_groups(&r);
  const char *widths[2];
  const int width_count = list_widths(widths);
  scene s = new_scene(MOST);
  answers expected = {0};
  for (int w = 0; w < width_count; ++w) {
    ipg_search *searches[MOST_METHODS];
    setenv("IMPINGE_SIMD", widths[w], 1);
    const int methods = create_all_methods(searches);
    unsetenv("IMPINGE_SIMD");
    for (long i = 0; i < search_scenes() / 12; ++i) {
      fill_scene(&r, &scene_kinds[i % SCENE_KINDS], &s);
      oracle_answers(&s, &expected);
      for (int m = 0; m < methods; ++m)
        CU_ASSERT_FALSE(report_wrong(ipg_search_methods()[m], &s, i, first_wrong(searches[m], &s, &expected)));
    }
    destroy_all(searches, methods);
  }
  if (width_count < 2) printf("\n    SKIPPED: wide loops of the search: this build or processor has no AVX2");
  free_answers(&expected);
  free_scene(&s);
}

/* ---------------------------------------------------------------------------------------------------------- golden */

/* The result for one fixed scene: random with a fixed seed, made by additions and multiplications only, so that every
 * machine makes the same bits. */
typedef struct golden {
  int64_t items, queries;
  int64_t self_count, query_count;
  uint64_t checksum, hash; /* of both streams in any order; of both sorted arrays */
} golden;

static const golden golden_large = {16000, 4000, 25251, 13029, 0x180c8a00897d33e8, 0x8a463d326d9ba53f};
static const golden golden_small = {3000, 1000, 892, 592, 0x464202472572821f, 0xbd26af729f777b5c};

/* A third clustered, a third graded towards a corner, a third flat. */
static void golden_box(rng *r, ipg_box *box, int64_t i) {
  const double u = rng_unit(r), graded = u * u * u + 1e-3;
  rng cluster = {1 + (uint64_t)i / 3 % 40};
  for (int k = 0; k < 4; ++k) rng_next(&cluster);
  for (int k = 0; k < 3; ++k) {
    const double home = i % 3 == 0 ? rng_unit(&cluster) + 0.02 * rng_unit(r) : i % 3 == 1 ? graded * rng_unit(r) : 0;
    const double size = i % 3 == 0 ? 4e-3 : i % 3 == 1 ? 0.02 * graded : 0;
    box->lo[k] = i % 3 == 2 ? rng_unit(r) : home;
    box->hi[k] = box->lo[k] + (i % 3 == 2 ? 0.03 * rng_unit(r) : size);
  }
  if (i % 3 == 2) box->lo[2] = box->hi[2] = 0.25;
}

static void fill_golden_scene(scene *s, const golden *g) {
  rng r = {0x1f0e3dad99908345u};
  draw_groups(&r);
  s->item_count = g->items, s->query_count = g->queries;
  s->with_keys = s->with_groups = true;
  for (int64_t i = 0; i < g->items; ++i) golden_box(&r, &s->items[i], i);
  for (int64_t i = 0; i < g->queries; ++i) golden_box(&r, &s->queries[i], i);
  fill_exclusion(&r, s->item_keys, s->item_groups, g->items);
  fill_exclusion(&r, s->query_keys, s->query_groups, g->queries);
  for (int64_t i = 0; i < 4 * g->items; ++i) s->item_keys[i] += (ipg_id)(i / 64) * 61 * (s->item_keys[i] >= 0);
  for (int64_t i = 0; i < 4 * g->queries; ++i) s->query_keys[i] += (ipg_id)(i / 64) * 61 * (s->query_keys[i] >= 0);
}

/* FNV-1a over the numbers, not the bytes: the same for any byte order. */
static uint64_t hash_pairs(uint64_t hash, const ipg_pair *pairs, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    hash = (hash ^ (uint32_t)pairs[i].a) * 0x100000001b3u;
    hash = (hash ^ (uint32_t)pairs[i].b) * 0x100000001b3u;
  }
  return hash;
}

static golden compute_golden(const ipg_search_config *config, const scene *s) {
  golden g = {.items = s->item_count, .queries = s->query_count, .hash = 0xcbf29ce484222325u};
  const ipg_exclusion exclusion = query_exclusion(s);
  const ipg_pair *pairs = NULL;
  tally streams = {0};
  ipg_search *search = new_search(config);
  CU_ASSERT(set_boxes(search, s));
  CU_ASSERT_EQUAL(ipg_search_self(search, add_batch, &streams, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_search_query(search, s->queries, s->query_count, &exclusion, add_batch, &streams, NULL), IPG_OK);
  g.checksum = tally_checksum(&streams);
  CU_ASSERT_EQUAL(ipg_search_self_array(search, &pairs, &g.self_count, NULL), IPG_OK);
  g.hash = hash_pairs(g.hash, pairs, g.self_count);
  CU_ASSERT_EQUAL(ipg_search_query_array(search, s->queries, s->query_count, &exclusion, &pairs, &g.query_count, NULL),
                  IPG_OK);
  g.hash = hash_pairs(g.hash, pairs, g.query_count);
  ipg_search_destroy(&search);
  return g;
}

static void check_golden(const char *method, const char *width, const ipg_tasks *tasks, const scene *s,
                         const golden *expected) {
  ipg_search_config config = config_of(method);
  config.tasks = *tasks;
  setenv("IMPINGE_SIMD", width, 1);
  const golden got = compute_golden(&config, s);
  unsetenv("IMPINGE_SIMD");
  const bool right = !memcmp(&got, expected, sizeof got);
  CU_ASSERT(right);
  if (!right)
    printf("\n    %s, %s, %d workers: {%lld, %lld, %lld, %lld, 0x%llx, 0x%llx}", method, width, tasks->worker_count,
           (long long)got.items, (long long)got.queries, (long long)got.self_count, (long long)got.query_count,
           (unsigned long long)got.checksum, (unsigned long long)got.hash);
}

/* True if the method compares one in ten of all pairs, or more. Such a method runs only once. */
static bool is_slow(const char *method, const scene *s) {
  const ipg_search_config config = config_of(method);
  ipg_search *search = new_search(&config);
  tally t = {0};
  CU_ASSERT_EQUAL(ipg_search_set_boxes(search, s->items, 1000, NULL, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_search_self(search, add_batch, &t, NULL), IPG_OK);
  const bool slow = ipg_search_get_counters(search).candidates >= 1000 * 999 / 2 / 10;
  ipg_search_destroy(&search);
  return slow;
}

static void check_golden_workers(const ipg_tasks *tasks, const scene *s, const golden *expected) {
  const char *widths[2];
  const int width_count = list_widths(widths);
  const bool most = tasks->worker_count == MOST_WORKERS;
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const bool once = !suite_is_full() && is_slow(*method, s);
    for (int w = once ? width_count - 1 : 0; w < width_count; ++w)
      if (most || !once) check_golden(*method, widths[w], tasks, s, expected);
  }
}

static void test_golden(void) {
  const golden *expected = suite_is_quick() ? &golden_small : &golden_large;
  scene s = new_scene(expected->items);
  fill_golden_scene(&s, expected);
  for (int i = 0; i < WORKER_COUNTS; ++i) {
    ipg_pool *pool = NULL;
    CU_ASSERT_EQUAL_FATAL(ipg_pool_create(worker_counts[i], &pool, NULL), IPG_OK);
    const ipg_tasks tasks = ipg_pool_tasks(pool);
    check_golden_workers(&tasks, &s, expected);
    ipg_pool_destroy(&pool);
  }
  free_scene(&s);
}

static void test_checksum(void) {
  const ipg_pair pairs[] = {{1, 2}, {2, 1}, {0, 3}, {3, 3}}, turned[] = {{3, 3}, {0, 3}, {2, 1}, {1, 2}};
  const uint64_t whole = ipg_pairs_checksum(pairs, 4);
  CU_ASSERT_EQUAL(ipg_pairs_checksum(pairs, 0), 0);
  CU_ASSERT_EQUAL(ipg_pairs_checksum(turned, 4), whole);
  CU_ASSERT_EQUAL(ipg_pairs_checksum(pairs, 1) + ipg_pairs_checksum(pairs + 1, 3), whole);
  CU_ASSERT_NOT_EQUAL(ipg_pairs_checksum(pairs, 1), ipg_pairs_checksum(pairs + 1, 1));
  CU_ASSERT_NOT_EQUAL(ipg_pairs_checksum(pairs, 3), whole);
}

/* What a search compares and finds is counted for that search alone, and what it leaves out is told once: the caller's
 * keys may change after the set. */
static void test_searches_of_one_set(void) {
  enum { COUNT = 40 };
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    const ipg_search_config config = config_of(*method);
    ipg_search *search = new_search(&config);
    ipg_box boxes[COUNT];
    ipg_id keys[4 * COUNT];
    const ipg_exclusion exclusion = {.keys = keys};
    for (int i = 0; i < COUNT; ++i) {
      boxes[i] = (ipg_box){{i, 0, 0}, {i + 1.5, 1, 1}};
      for (int k = 0; k < 4; ++k) keys[4 * i + k] = k ? -1 : i / 2;
    }
    CU_ASSERT_FATAL(!ipg_search_set_boxes(search, boxes, COUNT, &exclusion, NULL));
    for (int i = 0; i < 4 * COUNT; ++i) keys[i] = 7;
    ipg_search_counters counters[2];
    for (int i = 0; i < 2; ++i) {
      const ipg_pair *pairs;
      int64_t count;
      CU_ASSERT_FATAL(!ipg_search_self_array(search, &pairs, &count, NULL));
      CU_ASSERT_EQUAL(count, COUNT / 2 - 1);
      counters[i] = ipg_search_get_counters(search);
    }
    CU_ASSERT(counters[0].candidates == counters[1].candidates && counters[1].pairs == COUNT / 2 - 1);
    ipg_search_destroy(&search);
  }
}

/* Eight records for each box are the same from step to step: their order is repaired, not made anew. */
static void test_repaired_order(void) {
  enum { COUNT = 200 };
  ipg_search_config config = config_of("lkdtree");
  config.lkdtree.split = IPG_SPLIT_ALWAYS;
  ipg_search *search = new_search(&config);
  ipg_box boxes[COUNT];
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < COUNT; ++i) {
      const double x = i % 10 + .01 * step, y = i / 10;
      boxes[i] = (ipg_box){{x, y, 0}, {x + .7, y + .7, 1}};
    }
    CU_ASSERT_FATAL(!(step ? ipg_search_move_boxes(search, boxes, COUNT, NULL)
                           : ipg_search_set_boxes(search, boxes, COUNT, NULL, NULL)));
    const ipg_search_counters counters = ipg_search_get_counters(search);
    CU_ASSERT(counters.reused == (step ? COUNT : 0) && counters.ordered == (step ? 0 : COUNT));
  }
  ipg_search_destroy(&search);
}

/* The longest box among thousands is met by a query at its far end, wherever it stands. */
static void test_one_long_box(void) {
  enum { COUNT = 10000 };
  const int places[] = {0, 3, 5003};
  ipg_box *boxes = malloc(COUNT * sizeof *boxes);
  const ipg_box query = {{COUNT - .25, .2, .2}, {COUNT - .1, .8, .8}};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < COUNT; ++i) boxes[i] = (ipg_box){{i, 0, 0}, {i == places[k] ? COUNT : i + .5, 1, 1}};
    for (const char *const *method = ipg_search_methods(); *method; ++method) {
      const ipg_search_config config = config_of(*method);
      ipg_search *search = new_search(&config);
      const ipg_pair *pairs;
      int64_t count;
      CU_ASSERT_FATAL(!ipg_search_set_boxes(search, boxes, COUNT, NULL, NULL));
      CU_ASSERT_FATAL(!ipg_search_query_array(search, &query, 1, NULL, &pairs, &count, NULL));
      CU_ASSERT(count == 1 && pairs[0].a == 0 && pairs[0].b == places[k]);
      ipg_search_destroy(&search);
    }
  }
  free(boxes);
}

/* Needles along all axes: the boxes of cells overlap each other almost all, the needles seldom. A method that lists the
 * cells near to one has to go on when its list is full. */
static void test_needles(void) {
  enum { COUNT = 8000 };
  rng r = rng_start(11);
  ipg_box *boxes = malloc(COUNT * sizeof *boxes);
  uint64_t checksum = 0;
  int64_t expected = 0;
  for (int i = 0; i < COUNT; ++i)
    for (int k = 0; k < 3; ++k) {
      boxes[i].lo[k] = rng_between(&r, 0, .2);
      boxes[i].hi[k] = boxes[i].lo[k] + (k == i % 3 ? .8 : 1e-3);
    }
  const char *const methods[] = {"brute_force", "lkdtree_packed", "lkdtree"};
  for (int m = 0; m < 3; ++m) {
    const ipg_search_config config = config_of(methods[m]);
    ipg_search *search = new_search(&config);
    const ipg_pair *pairs;
    int64_t count;
    CU_ASSERT_FATAL(!ipg_search_set_boxes(search, boxes, COUNT, NULL, NULL));
    CU_ASSERT_FATAL(!ipg_search_self_array(search, &pairs, &count, NULL));
    if (m == 0) expected = count, checksum = ipg_pairs_checksum(pairs, count);
    CU_ASSERT(count == expected && ipg_pairs_checksum(pairs, count) == checksum && count > COUNT);
    ipg_search_destroy(&search);
  }
  free(boxes);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"scenes against the oracle", test_scenes},
                         {"variants of the linear kd-tree", test_variants},
                         {"raw variants contain all pairs", test_raw_variants},
                         {"the same bits for every number of workers", test_workers},
                         {"scalar and wide registers", test_widths},
                         {"widths that do not exist", test_unknown_widths},
                         {"the golden scene", test_golden},
                         {"searches of one set", test_searches_of_one_set},
                         {"one long box", test_one_long_box},
                         {"needles", test_needles},
                         {"a repaired order", test_repaired_order},
                         {"checksum of pairs", test_checksum},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "search", tests);
}
