/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The search against an oracle of its own: two loops and a comparison, written here and nowhere else.
 * Thousands of small scenes, most of them unkind (borders, flat, far away, tiny, huge), are asked both questions by
 * every method and compared bit by bit. Objects are reused from scene to scene, as a time step does it. Then: the same
 * bits for any number of threads, no allocation below the high-water mark, bad input, each allocation failing once,
 * and the linear kd-tree's own numbers beside those of Poirrier 2009, table 1. */
#include "impinge/search.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

#include <float.h>
#include <math.h>

/* --------------------------------------------------------------------------------------------------------- scenes */

enum { MOST = 96, GROUPS = 4, BIG = 5000 };

/* Items, queries, and what is excluded; the points are the items' lower corners. */
typedef struct scene {
  const char *kind;
  ipg_box *items, *queries;
  double *points;
  int64_t item_count, query_count;
  ipg_id *item_keys, *query_keys, *item_groups, *query_groups;
  bool with_keys, with_groups;
} scene;

static uint8_t group_excluded[GROUPS * GROUPS];

static double in_turn(double a, double b, bool second) { return second ? b : a; }

static void put_box(ipg_box *box, const double centre[3], const double half[3]) {
  for (int k = 0; k < 3; ++k) box->lo[k] = centre[k] - half[k], box->hi[k] = centre[k] + half[k];
}

/* A box in the unit cube, each edge up to `size`. */
static void random_box(rng *r, ipg_box *box, double size) {
  double centre[3], half[3];
  for (int k = 0; k < 3; ++k) centre[k] = rng_unit(r), half[k] = 0.5 * size * rng_unit(r);
  put_box(box, centre, half);
}

static void scale_box(ipg_box *box, double scale, double shift) {
  for (int k = 0; k < 3; ++k) box->lo[k] = box->lo[k] * scale + shift, box->hi[k] = box->hi[k] * scale + shift;
}

/* Corners drawn from lo/n, ..., hi/n. */
static void lattice_box(rng *r, ipg_box *box, int n, int most_cells) {
  for (int k = 0; k < 3; ++k) {
    const int lo = rng_int(r, 0, n), hi = lo + rng_int(r, 0, most_cells);
    box->lo[k] = (double)lo / n, box->hi[k] = (double)(hi < n ? hi : n) / n;
  }
}

static void flatten(ipg_box *box, int axis, double at) { box->lo[axis] = box->hi[axis] = at; }

static double power_of_ten(rng *r, double lo, double hi) { return pow(10, rng_between(r, lo, hi)); }

static void fill_equal(rng *r, ipg_box *box, int i) {
  (void)r, (void)i;
  *box = (ipg_box){{0.25, -1, 3}, {0.75, 2, 3}};
}
static void fill_sparse(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, 0.05); }
static void fill_medium(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, 0.3); }
static void fill_dense(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, 1); }
/* The first box spans the cube, so that k/2^m are the borders of cells. */
static void fill_borders(rng *r, ipg_box *box, int i) {
  lattice_box(r, box, 1 << rng_int(r, 0, 6), 2);
  if (i == 0) *box = (ipg_box){{0, 0, 0}, {1, 1, 1}};
}
static void fill_touching(rng *r, ipg_box *box, int i) {
  (void)i;
  for (int k = 0; k < 3; ++k) box->lo[k] = rng_int(r, -2, 2), box->hi[k] = box->lo[k] + 1;
}
/* Faces that coincide or miss each other by the last bit. */
static void fill_last_bit(rng *r, ipg_box *box, int i) {
  fill_touching(r, box, i);
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = nextafter(box->lo[k], rng_int(r, 0, 1) ? -9 : box->lo[k]);
    box->hi[k] = nextafter(box->hi[k], rng_int(r, 0, 1) ? 9 : box->hi[k]);
    if (rng_int(r, 0, 2) == 0) box->hi[k] = nextafter(box->hi[k], box->lo[k]);
  }
}
static void fill_flat_x(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), flatten(box, 0, 0.3); }
static void fill_flat_y(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), flatten(box, 1, -7); }
static void fill_flat_z(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), flatten(box, 2, 0); }
static void fill_line(rng *r, ipg_box *box, int i) { fill_flat_x(r, box, i), flatten(box, 2, 1e9); }
static void fill_sheets(rng *r, ipg_box *box, int i) {
  (void)i;
  lattice_box(r, box, 8, 4);
  const int axis = rng_int(r, 0, 2);
  flatten(box, axis, box->lo[axis]);
}
static void fill_points(rng *r, ipg_box *box, int i) {
  lattice_box(r, box, i % 2 ? 4 : 1 << 20, 0);
  for (int k = 0; k < 3; ++k) flatten(box, k, box->lo[k]);
}
static void fill_sizes_3(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, power_of_ten(r, -3, 0)); }
static void fill_sizes_6(rng *r, ipg_box *box, int i) { (void)i, random_box(r, box, power_of_ten(r, -6, 0)); }
static void fill_giant(rng *r, ipg_box *box, int i) {
  random_box(r, box, 0.1);
  if (i == 3) *box = (ipg_box){{-100, -100, -100}, {100, 100, 100}};
}
static void fill_micro(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e-6, 0); }
static void fill_mega(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e6, 0); }
static void fill_1e_300(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e-300, 0); }
static void fill_denormal(rng *r, ipg_box *box, int i) {
  (void)i, lattice_box(r, box, 8, 3), scale_box(box, 4e-323, 0);
}
static void fill_1e300(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e300, 0); }
static void fill_all_doubles(rng *r, ipg_box *box, int i) {
  lattice_box(r, box, 4, 2);
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = (2 * box->lo[k] - 1) * DBL_MAX, box->hi[k] = (2 * box->hi[k] - 1) * DBL_MAX;
    if (i % 3 == 0) box->lo[k] = in_turn(0, 1e-310, i % 2), box->hi[k] = in_turn(2e-310, 1, i % 2);
  }
}
static void fill_far(rng *r, ipg_box *box, int i) { fill_medium(r, box, i), scale_box(box, 1e-5, 1e9); }
static void fill_far_corner(rng *r, ipg_box *box, int i) {
  fill_medium(r, box, i), scale_box(box, 1e-5, i % 2 ? 1e9 : -1e9);
}
static void fill_needles(rng *r, ipg_box *box, int i) {
  double centre[3], half[3];
  for (int k = 0; k < 3; ++k) centre[k] = rng_unit(r), half[k] = k == i % 3 ? rng_between(r, 0, 100) : 1e-4;
  put_box(box, centre, half);
}
static void fill_plates(rng *r, ipg_box *box, int i) {
  fill_dense(r, box, i);
  for (int k = 0; k < 3; ++k) {
    const double scale = in_turn(1e-9, in_turn(1, 1e9, k == 2), k > 0);
    box->lo[k] *= scale, box->hi[k] *= scale;
  }
}
static void fill_signed_zero(rng *r, ipg_box *box, int i) {
  (void)i;
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = in_turn(0.0, in_turn(-0.0, -1, rng_int(r, 0, 1)), rng_int(r, 0, 1));
    box->hi[k] = in_turn(0.0, in_turn(-0.0, 1, rng_int(r, 0, 1)), rng_int(r, 0, 1));
  }
}

typedef struct scene_kind {
  const char *name;
  void (*fill)(rng *r, ipg_box *box, int i);
  int least, most;
  double query_shift; /* queries lie that far outside */
} scene_kind;

static const scene_kind scene_kinds[] = {
    {"empty", fill_dense, 0, 0, 0},
    {"one", fill_dense, 1, 1, 0},
    {"two", fill_dense, 2, 2, 0},
    {"all equal", fill_equal, 2, 40, 0},
    {"sparse", fill_sparse, 20, MOST, 0},
    {"medium", fill_medium, 5, MOST, 0},
    {"dense", fill_dense, 2, 50, 0},
    {"cell borders", fill_borders, 10, MOST, 0},
    {"touching", fill_touching, 10, MOST, 0},
    {"touching or not by the last bit", fill_last_bit, 10, MOST, 0},
    {"flat in x", fill_flat_x, 5, MOST, 0},
    {"flat in y", fill_flat_y, 5, MOST, 0},
    {"flat in z", fill_flat_z, 5, MOST, 0},
    {"collinear", fill_line, 5, 60, 0},
    {"flat boxes", fill_sheets, 10, MOST, 0},
    {"points", fill_points, 10, MOST, 0},
    {"sizes 1 to 1000", fill_sizes_3, 10, MOST, 0},
    {"sizes 1 to a million", fill_sizes_6, 10, MOST, 0},
    {"one giant", fill_giant, 5, MOST, 0},
    {"scale 1e-6", fill_micro, 5, MOST, 0},
    {"scale 1e6", fill_mega, 5, MOST, 0},
    {"scale 1e-300", fill_1e_300, 5, MOST, 0},
    {"denormal", fill_denormal, 5, MOST, 0},
    {"scale 1e300", fill_1e300, 5, MOST, 0},
    {"all doubles", fill_all_doubles, 5, MOST, 0},
    {"far from the origin", fill_far, 5, MOST, 0},
    {"small, far from each other", fill_far_corner, 5, MOST, 0},
    {"needles", fill_needles, 5, MOST, 0},
    {"scales differ by axis", fill_plates, 5, MOST, 0},
    {"negative zero", fill_signed_zero, 5, 60, 0},
    {"queries outside", fill_medium, 5, MOST, 50},
    {"queries outside, below", fill_medium, 5, MOST, -1e200},
    {"queries half outside", fill_borders, 5, MOST, 0.5},
};
enum { SCENE_KINDS = sizeof scene_kinds / sizeof *scene_kinds };

static scene new_scene(int64_t most) {
  const size_t n = (size_t)most;
  return (scene){.items = calloc(n, sizeof(ipg_box)),
                 .queries = calloc(n, sizeof(ipg_box)),
                 .points = calloc(3 * n, sizeof(double)),
                 .item_keys = calloc(4 * n, sizeof(ipg_id)),
                 .query_keys = calloc(4 * n, sizeof(ipg_id)),
                 .item_groups = calloc(n, sizeof(ipg_id)),
                 .query_groups = calloc(n, sizeof(ipg_id))};
}

static void free_scene(scene *s) {
  free(s->items), free(s->queries), free(s->points);
  free(s->item_keys), free(s->query_keys), free(s->item_groups), free(s->query_groups);
}

/* Few different keys, so that many pairs share one; some are absent. */
static void fill_exclusion(rng *r, ipg_id *keys, ipg_id *groups, int64_t count) {
  for (int64_t i = 0; i < 4 * count; ++i) keys[i] = rng_int(r, 0, 2) ? rng_int(r, 0, 60) : -1 - rng_int(r, 0, 1);
  for (int64_t i = 0; i < count; ++i) groups[i] = rng_int(r, 0, GROUPS - 1);
}

static void fill_queries(rng *r, const scene_kind *kind, scene *s) {
  for (int i = 0; i < s->query_count; ++i) {
    if (kind->most) kind->fill(r, &s->queries[i], rng_int(r, 0, 1) ? i : i + 1);
    else fill_dense(r, &s->queries[i], i);
    scale_box(&s->queries[i], 1, kind->query_shift);
  }
}

static void fill_scene(rng *r, const scene_kind *kind, scene *s) {
  s->kind = kind->name;
  s->item_count = rng_int(r, kind->least, kind->most);
  s->query_count = rng_int(r, 0, 15) ? rng_int(r, 1, kind->most > 20 ? kind->most : 20) : 0;
  for (int i = 0; i < s->item_count; ++i) {
    kind->fill(r, &s->items[i], i);
    memcpy(s->points + 3 * i, i % 2 ? s->items[i].lo : s->items[i].hi, 3 * sizeof(double));
  }
  fill_queries(r, kind, s);
  s->with_keys = rng_int(r, 0, 2) == 0;
  s->with_groups = rng_int(r, 0, 2) == 0;
  fill_exclusion(r, s->item_keys, s->item_groups, s->item_count);
  fill_exclusion(r, s->query_keys, s->query_groups, s->query_count);
}

static ipg_exclusion item_exclusion(const scene *s) {
  return (ipg_exclusion){s->with_keys ? s->item_keys : NULL, s->with_groups ? s->item_groups : NULL};
}

static ipg_exclusion query_exclusion(const scene *s) {
  return (ipg_exclusion){s->with_keys ? s->query_keys : NULL, s->with_groups ? s->query_groups : NULL};
}

/* --------------------------------------------------------------------------------------------------------- oracle */

typedef struct answer {
  ipg_pair *pairs;
  int64_t count, capacity;
} answer;

static void append(answer *to, int64_t a, int64_t b) {
  if (to->count == to->capacity) {
    to->capacity = 2 * to->capacity + 1000;
    to->pairs = realloc(to->pairs, (size_t)to->capacity * sizeof *to->pairs);
  }
  to->pairs[to->count++] = (ipg_pair){(ipg_id)a, (ipg_id)b};
}

static bool are_apart(const double *lo1, const double *hi1, const double *lo2, const double *hi2) {
  for (int k = 0; k < 3; ++k)
    if (hi1[k] < lo2[k] || hi2[k] < lo1[k]) return true;
  return false;
}

static bool oracle_excludes(const scene *s, const ipg_id *keys1, ipg_id group1, const ipg_id *keys2, ipg_id group2) {
  if (s->with_groups && group_excluded[GROUPS * group2 + group1]) return true;
  for (int i = 0; s->with_keys && i < 16; ++i)
    if (keys1[i % 4] == keys2[i / 4] && keys1[i % 4] >= 0) return true;
  return false;
}

static void oracle_self(const scene *s, answer *to) {
  to->count = 0;
  for (int64_t a = 0; a < s->item_count; ++a)
    for (int64_t b = a + 1; b < s->item_count; ++b)
      if (!are_apart(s->items[a].lo, s->items[a].hi, s->items[b].lo, s->items[b].hi) &&
          !oracle_excludes(s, s->item_keys + 4 * a, s->item_groups[a], s->item_keys + 4 * b, s->item_groups[b]))
        append(to, a, b);
}

static void oracle_query(const scene *s, bool points, answer *to) {
  to->count = 0;
  for (int64_t a = 0; a < s->query_count; ++a)
    for (int64_t b = 0; b < s->item_count; ++b) {
      const double *lo = points ? s->points + 3 * b : s->items[b].lo, *hi = points ? lo : s->items[b].hi;
      if (!are_apart(s->queries[a].lo, s->queries[a].hi, lo, hi) &&
          !oracle_excludes(s, s->query_keys + 4 * a, s->query_groups[a], s->item_keys + 4 * b, s->item_groups[b]))
        append(to, a, b);
    }
}

typedef struct answers {
  answer self, boxes, points;
} answers;

static void ask_oracle(const scene *s, answers *to) {
  oracle_self(s, &to->self);
  oracle_query(s, false, &to->boxes);
  oracle_query(s, true, &to->points);
}

static void free_answers(answers *to) { free(to->self.pairs), free(to->boxes.pairs), free(to->points.pairs); }

/* ----------------------------------------------------------------------------------------------------- comparison */

enum { MOST_WORKERS = 4 };

/* Streams, added up per worker. */
typedef struct tally {
  struct {
    uint64_t checksum;
    int64_t count;
    char padding[48];
  } of[MOST_WORKERS];
} tally;

static void add_batch(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  tally *t = context;
  t->of[worker].checksum += ipg_pairs_checksum(pairs, count);
  t->of[worker].count += count;
}

static bool tally_equals(const tally *t, const answer *expected) {
  uint64_t checksum = 0;
  int64_t count = 0;
  for (int i = 0; i < MOST_WORKERS; ++i) checksum += t->of[i].checksum, count += t->of[i].count;
  return count == expected->count && checksum == ipg_pairs_checksum(expected->pairs, expected->count);
}

static bool array_equals(const ipg_pair *pairs, int64_t count, const answer *expected) {
  return count == expected->count && (!count || !memcmp(pairs, expected->pairs, (size_t)count * sizeof *pairs));
}

static bool counters_are_sane(const ipg_search *search, const answer *expected) {
  const ipg_search_counters counters = ipg_search_count(search);
  return counters.pairs == expected->count && counters.candidates >= counters.pairs;
}

/* Each returns whether array, stream and counters are what the oracle says. */
static bool self_is_right(ipg_search *search, const answer *expected) {
  const ipg_pair *pairs = NULL;
  int64_t count = -1;
  tally t = {0};
  if (ipg_search_self_array(search, &pairs, &count, NULL) || !array_equals(pairs, count, expected)) return false;
  if (ipg_search_self(search, add_batch, &t, NULL) || !tally_equals(&t, expected)) return false;
  return counters_are_sane(search, expected);
}

static bool query_is_right(ipg_search *search, const scene *s, const answer *expected) {
  const ipg_exclusion exclusion = query_exclusion(s);
  const ipg_pair *pairs = NULL;
  int64_t count = -1;
  tally t = {0};
  if (ipg_search_query_array(search, s->queries, s->query_count, &exclusion, &pairs, &count, NULL) ||
      !array_equals(pairs, count, expected))
    return false;
  if (ipg_search_query(search, s->queries, s->query_count, &exclusion, add_batch, &t, NULL) ||
      !tally_equals(&t, expected))
    return false;
  return counters_are_sane(search, expected);
}

static bool set_boxes(ipg_search *search, const scene *s) {
  const ipg_exclusion exclusion = item_exclusion(s);
  return !ipg_search_set_boxes(search, s->items, s->item_count, &exclusion, NULL);
}

static bool set_points(ipg_search *search, const scene *s) {
  const ipg_exclusion exclusion = item_exclusion(s);
  return !ipg_search_set_points(search, s->points, s->item_count, &exclusion, NULL);
}

/* The first question that is answered wrongly, or NULL. */
static const char *first_wrong(ipg_search *search, const scene *s, const answers *expected) {
  if (!set_boxes(search, s)) return "set boxes";
  if (!self_is_right(search, &expected->self)) return "self";
  if (!query_is_right(search, s, &expected->boxes)) return "query boxes";
  if (!set_points(search, s)) return "set points";
  if (!query_is_right(search, s, &expected->points)) return "query points";
  return NULL;
}

static ipg_search *new_search(const char *method, int bits, bool split, const ipg_allocator *allocator,
                              const ipg_tasks *tasks) {
  ipg_search_config config = ipg_search_defaults();
  config.method = method, config.lkdtree.bits = bits;
  config.lkdtree.split = split ? IPG_SPLIT_USEFUL : IPG_SPLIT_NONE;
  config.group_excluded = group_excluded, config.group_count = GROUPS;
  if (allocator) config.allocator = *allocator;
  if (tasks) config.tasks = *tasks;
  ipg_search *search = NULL;
  ipg_error error;
  CU_ASSERT_EQUAL_FATAL(ipg_search_create(&config, &search, &error), IPG_OK);
  return search;
}

static void draw_groups(rng *r) {
  for (int g = 0; g < GROUPS; ++g)
    for (int h = 0; h <= g; ++h)
      group_excluded[g * GROUPS + h] = group_excluded[h * GROUPS + g] = rng_int(r, 0, 3) == 0;
}

/* --------------------------------------------------------------------------------------------------- random scenes */

static const int bits_tried[] = {1, 2, 5, 10, 19};
enum { BITS_TRIED = sizeof bits_tried / sizeof *bits_tried };

static void complain(const char *method, int bits, bool split, const scene *s, long number, const char *question) {
  static int complaints;
  if (complaints++ < 10)
    printf("\n    scene %ld (%s, %lld items, %lld queries): %s, bits %d, split %d: %s is wrong", number, s->kind,
           (long long)s->item_count, (long long)s->query_count, method, bits, split, question);
}

typedef struct contestants {
  ipg_search *scan, *trees[BITS_TRIED][2];
} contestants;

/* All methods on one scene; whether to split changes from scene to scene. Returns the number of wrong ones. */
static int try_scene(const contestants *c, const scene *s, const answers *expected, long number) {
  int wrong = 0;
  const char *question = first_wrong(c->scan, s, expected);
  if (question) wrong++, complain("scan", 0, false, s, number, question);
  for (int b = 0; b < BITS_TRIED; ++b) {
    const bool split = (number / SCENE_KINDS + b) % 2;
    question = first_wrong(c->trees[b][split], s, expected);
    if (question) wrong++, complain("lkdtree", bits_tried[b], split, s, number, question);
  }
  return wrong;
}

static void test_scenes(void) {
  rng r = rng_start(1);
  draw_groups(&r);
  contestants c = {.scan = new_search("scan", 19, true, NULL, NULL)};
  for (int b = 0; b < BITS_TRIED; ++b)
    for (int split = 0; split < 2; ++split) c.trees[b][split] = new_search("lkdtree", bits_tried[b], split, NULL, NULL);
  scene s = new_scene(MOST);
  answers expected = {0};
  int64_t wrong = 0, pairs = 0;
  const long scenes = suite_scenes();
  for (long i = 0; i < scenes; ++i) {
    fill_scene(&r, &scene_kinds[i % SCENE_KINDS], &s);
    ask_oracle(&s, &expected);
    pairs += expected.self.count + expected.boxes.count + expected.points.count;
    wrong += try_scene(&c, &s, &expected, i);
  }
  printf("\n    %ld scenes of %d kinds, %lld pairs, by scan and 5 linear kd-trees ... ", scenes, SCENE_KINDS,
         (long long)pairs);
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT(pairs > 100 * scenes);
  free_answers(&expected);
  free_scene(&s);
  ipg_search_destroy(&c.scan);
  for (int b = 0; b < BITS_TRIED; ++b) ipg_search_destroy(&c.trees[b][0]), ipg_search_destroy(&c.trees[b][1]);
}

/* -------------------------------------------------------------------------------------------- threads and methods */

static void fill_big_scene(rng *r, scene *s, double size) {
  s->kind = "big";
  s->item_count = s->query_count = BIG;
  s->with_keys = s->with_groups = true;
  for (int i = 0; i < BIG; ++i) {
    random_box(r, &s->items[i], rng_int(r, 0, 100) ? size : 10 * size);
    random_box(r, &s->queries[i], size);
    memcpy(s->points + 3 * i, s->items[i].lo, 3 * sizeof(double));
  }
  fill_exclusion(r, s->item_keys, s->item_groups, BIG);
  fill_exclusion(r, s->query_keys, s->query_groups, BIG);
  for (int i = 0; i < 4 * BIG; ++i) s->item_keys[i] *= 1 + rng_int(r, 0, 99), s->query_keys[i] *= 1 + rng_int(r, 0, 99);
}

static void check_threads(const char *method, int bits, bool split, const scene *s, const answers *expected,
                          const ipg_tasks *tasks) {
  ipg_search *search = new_search(method, bits, split, NULL, tasks);
  const char *question = first_wrong(search, s, expected);
  if (question) complain(method, bits, split, s, tasks->worker_count, question);
  CU_ASSERT_PTR_NULL(question);
  ipg_search_destroy(&search);
}

/* The slower ones get fewer items, in several chunks still. */
static void check_methods(const scene *large, const answers *large_expected, const scene *small,
                          const answers *small_expected, const ipg_tasks *tasks) {
  check_threads("scan", 19, true, small, small_expected, tasks);
  check_threads("lkdtree", 19, true, large, large_expected, tasks);
  check_threads("lkdtree", 19, false, small, small_expected, tasks);
  check_threads("lkdtree", 5, true, small, small_expected, tasks);
}

/* Large enough for several chunks and batches; every answer is the oracle's, so all are the same bits. */
static void test_threads(void) {
  rng r = rng_start(2);
  draw_groups(&r);
  scene large = new_scene(BIG);
  answers large_expected = {0}, small_expected = {0};
  fill_big_scene(&r, &large, 0.14);
  scene small = large;
  small.item_count = small.query_count = 1200;
  ask_oracle(&large, &large_expected);
  ask_oracle(&small, &small_expected);
  CU_ASSERT(large_expected.self.count > 1024 && large_expected.points.count > 1024);
  const ipg_tasks serial = ipg_tasks_serial();
  check_methods(&large, &large_expected, &small, &small_expected, &serial);
  for (int workers = 2; workers <= MOST_WORKERS; workers *= 2) {
    ipg_pool *pool = NULL;
    CU_ASSERT_EQUAL_FATAL(ipg_pool_create(workers, &pool, NULL), IPG_OK);
    const ipg_tasks tasks = ipg_pool_tasks(pool);
    check_methods(&large, &large_expected, &small, &small_expected, &tasks);
    ipg_pool_destroy(&pool);
  }
  free_answers(&large_expected), free_answers(&small_expected);
  free_scene(&large);
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

/* -------------------------------------------------------------------------------------------------------- memory */

static void check_high_water_mark(const char *method, scene *s, answers *expected) {
  failing_allocator watch = {0};
  const ipg_allocator allocator = failing_allocator_of(&watch);
  ipg_search *search = new_search(method, 19, true, &allocator, NULL);
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  const int64_t allocations = watch.allocations;
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  CU_ASSERT_EQUAL(watch.allocations, allocations);
  const scene whole = *s; /* fewer of the same need less of everything */
  s->item_count /= 2, s->query_count /= 3;
  ask_oracle(s, expected);
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  CU_ASSERT_EQUAL(watch.allocations, allocations);
  *s = whole;
  ask_oracle(s, expected);
  ipg_search_destroy(&search);
  CU_ASSERT_PTR_NULL(search);
  CU_ASSERT_EQUAL(watch.live_bytes, 0);
  CU_ASSERT_EQUAL(watch.live_blocks, 0);
  CU_ASSERT_EQUAL(watch.wrong_releases, 0);
}

static void test_high_water_mark(void) {
  rng r = rng_start(3);
  scene s = new_scene(BIG);
  answers expected = {0};
  fill_big_scene(&r, &s, 0.12);
  s.item_count = s.query_count = 1000;
  ask_oracle(&s, &expected);
  for (const char *const *method = ipg_search_methods(); *method; ++method)
    check_high_water_mark(*method, &s, &expected);
  free_answers(&expected);
  free_scene(&s);
}

/* A chain of boxes, one longer each time: the array has to grow by a single pair. */
static void test_arrays_grow_by_one(void) {
  failing_allocator watch = {0};
  const ipg_allocator allocator = failing_allocator_of(&watch);
  ipg_search *search = new_search("lkdtree", 19, true, &allocator, NULL);
  ipg_box boxes[MOST];
  int64_t wrong = 0;
  for (int i = 0; i < MOST; ++i) {
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

/* After a refusal the item set is the previous one, or empty where the method could not store the new one. */
static bool set_is_old_or_empty(ipg_search *search, const answer *old) {
  const ipg_pair *pairs = NULL;
  int64_t count = -1;
  if (ipg_search_self_array(search, &pairs, &count, NULL)) return false;
  return count == 0 || array_equals(pairs, count, old);
}

/* One step of a life; when it is refused, it says so and works the second time. */
#define REFUSED_OR_DONE(call)                                                                                          \
  do {                                                                                                                 \
    const int64_t refusals = watch->refusals;                                                                          \
    ipg_error error = {0};                                                                                             \
    const ipg_status status = (call);                                                                                  \
    CU_ASSERT_EQUAL(status, watch->refusals > refusals ? IPG_ERROR_MEMORY : IPG_OK);                                   \
    CU_ASSERT_EQUAL(error.status, status);                                                                             \
    if (status) CU_ASSERT_EQUAL_FATAL((call), IPG_OK);                                                                 \
  } while (0)

static void live_and_fail(failing_allocator *watch, const char *method, const scene *s, const answers *expected) {
  ipg_search_config config = ipg_search_defaults();
  config.method = method, config.allocator = failing_allocator_of(watch);
  config.group_excluded = group_excluded, config.group_count = GROUPS;
  const ipg_exclusion items = item_exclusion(s), queries = query_exclusion(s);
  ipg_search *search = NULL;
  const ipg_pair *pairs;
  int64_t count;
  REFUSED_OR_DONE(ipg_search_create(&config, &search, &error));
  REFUSED_OR_DONE(ipg_search_set_boxes(search, s->items, s->item_count, &items, &error));
  REFUSED_OR_DONE(ipg_search_self_array(search, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->self));
  REFUSED_OR_DONE(ipg_search_query_array(search, s->queries, s->query_count, &queries, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->boxes));
  REFUSED_OR_DONE(ipg_search_set_points(search, s->points, s->item_count, &items, &error));
  REFUSED_OR_DONE(ipg_search_query_array(search, s->queries, s->query_count, &queries, &pairs, &count, &error));
  CU_ASSERT(array_equals(pairs, count, &expected->points));
  CU_ASSERT_PTR_NULL(first_wrong(search, s, expected));
  ipg_search_destroy(&search);
}

static void check_failing_lives(const char *method, const scene *s, const answers *expected) {
  for (int64_t n = 1;; ++n) {
    failing_allocator watch = {.fail_at = n};
    live_and_fail(&watch, method, s, expected);
    CU_ASSERT_EQUAL(watch.live_bytes, 0);
    CU_ASSERT_EQUAL(watch.live_blocks, 0);
    CU_ASSERT_EQUAL(watch.wrong_releases, 0);
    if (!watch.refusals) break;
    CU_ASSERT_FATAL(n < 1000);
  }
}

/* A larger set that is refused, at its n-th allocation, must not leave half of itself behind. */
static void check_refused_sets(const char *method, scene *s, const answer *old) {
  const ipg_exclusion items = item_exclusion(s);
  const int64_t whole = s->item_count;
  for (int64_t n = 1;; ++n) {
    failing_allocator watch = {0};
    const ipg_allocator allocator = failing_allocator_of(&watch);
    ipg_search *search = new_search(method, 10, true, &allocator, NULL);
    s->item_count = whole / 4;
    CU_ASSERT(set_boxes(search, s));
    s->item_count = whole;
    watch.fail_at = watch.allocations + n;
    const ipg_status status = ipg_search_set_boxes(search, s->items, whole, &items, NULL);
    CU_ASSERT_EQUAL(status, watch.refusals ? IPG_ERROR_MEMORY : IPG_OK);
    if (status) CU_ASSERT(set_is_old_or_empty(search, old));
    ipg_search_destroy(&search);
    CU_ASSERT_EQUAL(watch.live_bytes, 0);
    if (!status) break;
  }
}

static void test_allocation_failures(void) {
  rng r = rng_start(4);
  draw_groups(&r);
  scene s = new_scene(BIG);
  answers expected = {0}, old = {0};
  fill_big_scene(&r, &s, 0.2);
  s.item_count = s.query_count = 200;
  ask_oracle(&s, &expected);
  scene quarter = s;
  quarter.item_count = 50;
  ask_oracle(&quarter, &old);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    check_failing_lives(*method, &s, &expected);
    check_refused_sets(*method, &s, &old.self);
  }
  free_answers(&expected);
  free_answers(&old);
  free_scene(&s);
}

/* ----------------------------------------------------------------------------------------------------- bad input */

static bool says(const ipg_error *error, ipg_status status, const char *words) {
  const bool found = error->status == status && strstr(error->message, words);
  if (!found) printf("\n    expected %s, \"%s\": %s", ipg_status_name(status), words, error->message);
  return found;
}

static void check_bad_config(ipg_search_config config, const char *words) {
  ipg_error error = {0};
  ipg_search *search = NULL;
  CU_ASSERT_EQUAL(ipg_search_create(&config, &search, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(says(&error, IPG_ERROR_ARGUMENT, words));
  CU_ASSERT_PTR_NULL(search);
}

static void test_bad_configs(void) {
  const ipg_search_config good = ipg_search_defaults();
  ipg_search_config bad = good;
  bad.method = "octree", check_bad_config(bad, "octree");
  bad.method = NULL, check_bad_config(bad, "null");
  bad.method = "", check_bad_config(bad, "''");
  bad = good;
  bad.lkdtree.bits = 20, check_bad_config(bad, "bits per axis is 20");
  bad.lkdtree.bits = -1, check_bad_config(bad, "-1");
  bad = good, bad.group_count = -2, check_bad_config(bad, "-2");
  bad = good, bad.tasks.worker_count = 0, check_bad_config(bad, "workers is 0");
  ipg_search *none = NULL;
  ipg_search_destroy(&none);
}

/* A search that holds a known set, and a bad box or point to put in. */
typedef struct bad_input {
  ipg_search *search;
  scene s;
  answers expected;
} bad_input;

static void expect_refused(bad_input *in, ipg_status status, const ipg_error *error, ipg_status wanted,
                           const char *words) {
  CU_ASSERT_EQUAL(status, wanted);
  CU_ASSERT(says(error, wanted, words));
  CU_ASSERT(self_is_right(in->search, &in->expected.self)); /* the previous set is still there */
  CU_ASSERT(query_is_right(in->search, &in->s, &in->expected.boxes));
}

static void check_bad_box(bad_input *in, double lo, double hi, int axis) {
  ipg_box boxes[3] = {in->s.items[0], in->s.items[1], in->s.items[2]};
  boxes[2].lo[axis] = lo, boxes[2].hi[axis] = hi;
  ipg_error error = {0};
  ipg_status status = ipg_search_set_boxes(in->search, boxes, 3, NULL, &error);
  expect_refused(in, status, &error, IPG_ERROR_NUMBER, "box 2 ");
  tally t = {0};
  status = ipg_search_query(in->search, boxes, 3, NULL, add_batch, &t, &error);
  expect_refused(in, status, &error, IPG_ERROR_NUMBER, "query box 2 ");
  CU_ASSERT_EQUAL(t.of[0].count, 0);
  const ipg_pair *pairs;
  int64_t count;
  status = ipg_search_query_array(in->search, boxes, 3, NULL, &pairs, &count, &error);
  expect_refused(in, status, &error, IPG_ERROR_NUMBER, "query box 2 ");
  CU_ASSERT_EQUAL(ipg_search_set_boxes(in->search, boxes, 3, NULL, NULL), IPG_ERROR_NUMBER);
}

static void check_bad_boxes(bad_input *in) {
  for (int axis = 0; axis < 3; ++axis) {
    check_bad_box(in, NAN, 1, axis);
    check_bad_box(in, 0, NAN, axis);
    check_bad_box(in, -INFINITY, 1, axis);
    check_bad_box(in, 0, INFINITY, axis);
    check_bad_box(in, INFINITY, INFINITY, axis);
    check_bad_box(in, 1, nextafter(1, 0), axis);
  }
}

static void check_bad_points(bad_input *in) {
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 9; ++i) {
    double points[9] = {0};
    points[3 + i / 3] = bad[i % 3];
    ipg_error error = {0};
    const ipg_status status = ipg_search_set_points(in->search, points, 3, NULL, &error);
    expect_refused(in, status, &error, IPG_ERROR_NUMBER, "point 1 ");
  }
}

static void check_bad_counts(bad_input *in) {
  static const struct {
    int64_t count;
    bool null;
    ipg_status status;
    const char *words;
  } tried[] = {{1, true, IPG_ERROR_ARGUMENT, "null"},
               {-1, false, IPG_ERROR_ARGUMENT, "-1"},
               {INT64_MIN, true, IPG_ERROR_ARGUMENT, "negative"},
               {IPG_ID_MAX, false, IPG_ERROR_TOO_MANY, "2147483647"},
               {INT64_MAX, false, IPG_ERROR_TOO_MANY, "32-bit"}};
  const ipg_pair *pairs;
  int64_t count;
  for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i) {
    const ipg_box *boxes = tried[i].null ? NULL : in->s.items;
    const double *points = tried[i].null ? NULL : in->s.points;
    ipg_error error = {0};
    ipg_status status = ipg_search_set_boxes(in->search, boxes, tried[i].count, NULL, &error);
    expect_refused(in, status, &error, tried[i].status, tried[i].words);
    status = ipg_search_set_points(in->search, points, tried[i].count, NULL, &error);
    expect_refused(in, status, &error, tried[i].status, tried[i].words);
    status = ipg_search_query_array(in->search, boxes, tried[i].count, NULL, &pairs, &count, &error);
    expect_refused(in, status, &error, tried[i].status, tried[i].words);
  }
}

static void check_bad_groups(bad_input *in) {
  static const ipg_id bad[] = {-1, GROUPS, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; ++i) {
    const ipg_id groups[] = {0, GROUPS - 1, bad[i]};
    const ipg_exclusion exclusion = {NULL, groups};
    ipg_error error = {0};
    tally t = {0};
    ipg_status status = ipg_search_set_boxes(in->search, in->s.items, 3, &exclusion, &error);
    expect_refused(in, status, &error, IPG_ERROR_ARGUMENT, "item 2 ");
    status = ipg_search_set_points(in->search, in->s.points, 3, &exclusion, &error);
    expect_refused(in, status, &error, IPG_ERROR_ARGUMENT, "item 2 ");
    status = ipg_search_query(in->search, in->s.items, 3, &exclusion, add_batch, &t, &error);
    expect_refused(in, status, &error, IPG_ERROR_ARGUMENT, "item 2 ");
  }
}

static void test_bad_input(void) {
  rng r = rng_start(5);
  draw_groups(&r);
  bad_input in = {.s = new_scene(MOST)};
  fill_scene(&r, &scene_kinds[5], &in.s);
  in.s.item_count = 30, in.s.query_count = 4;
  for (int i = 0; i < 30; ++i) fill_dense(&r, &in.s.items[i], i), fill_dense(&r, &in.s.queries[i], i);
  in.s.with_keys = in.s.with_groups = false;
  ask_oracle(&in.s, &in.expected);
  CU_ASSERT(in.expected.self.count > 0 && in.expected.boxes.count > 0);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    in.search = new_search(*method, 19, true, NULL, NULL);
    CU_ASSERT(set_boxes(in.search, &in.s));
    check_bad_boxes(&in);
    check_bad_points(&in);
    check_bad_counts(&in);
    check_bad_groups(&in);
    CU_ASSERT_PTR_NULL(first_wrong(in.search, &in.s, &in.expected));
    ipg_search_destroy(&in.search);
  }
  free_answers(&in.expected);
  free_scene(&in.s);
}

/* Half an exclusion excludes nothing: keys or groups on one side only, groups without a matrix. */
static void test_partial_exclusion(void) {
  const ipg_box boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
  const ipg_id all_keys[8] = {7, 7, 7, 7, 7, 7, 7, 7}, far_groups[2] = {1000, -5};
  ipg_search_config config = ipg_search_defaults();
  ipg_search *search = NULL;
  const ipg_pair *pairs;
  int64_t count = 0;
  CU_ASSERT_EQUAL_FATAL(ipg_search_create(&config, &search, NULL), IPG_OK);
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

static ipg_search_counters cost_of(const ipg_box *boxes, bool split) {
  ipg_search *search = new_search("lkdtree", 19, split, NULL, NULL);
  tally t = {0};
  CU_ASSERT_EQUAL(ipg_search_set_boxes(search, boxes, SPHERES, NULL, NULL), IPG_OK);
  CU_ASSERT_EQUAL(ipg_search_self(search, add_batch, &t, NULL), IPG_OK);
  const ipg_search_counters counters = ipg_search_count(search);
  ipg_search_destroy(&search);
  return counters;
}

static void compare_row(const table_row *row, const ipg_box *boxes) {
  const ipg_search_counters with = cost_of(boxes, true), without = cost_of(boxes, false);
  printf("\n    %5.2f  %5.2f N (%.2f N)  %8lld (%6.0f)  %9lld (%7.0f)  %8lld", row->density,
         (double)with.records / SPHERES, row->records, (long long)with.candidates, row->selected,
         (long long)without.candidates, row->selected_without, (long long)with.pairs);
  CU_ASSERT_EQUAL(without.records, SPHERES);
  CU_ASSERT(with.records >= SPHERES && with.records <= 8 * SPHERES);
  CU_ASSERT(with.candidates < without.candidates / 5);
  CU_ASSERT_EQUAL(with.pairs, without.pairs);
}

static void test_table_1(void) {
  rng r = rng_start(6);
  ipg_box *boxes = calloc(SPHERES, sizeof *boxes);
  printf("\n    ours (Poirrier 2009, table 1), N = %d spheres", SPHERES);
  printf("\n    d      records           candidates         without splitting    overlapping boxes");
  for (size_t i = 0; i < (SUITE_IS_SLOW ? 1 : sizeof table_1 / sizeof *table_1); ++i) {
    fill_spheres(&r, boxes, table_1[i].density);
    compare_row(&table_1[i], boxes);
  }
  printf("\n    ");
  free(boxes);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"scenes against the oracle", test_scenes},
                         {"the same bits for every number of threads", test_threads},
                         {"checksum of pairs", test_checksum},
                         {"no allocation below the high-water mark", test_high_water_mark},
                         {"arrays grow by one pair", test_arrays_grow_by_one},
                         {"every allocation fails once", test_allocation_failures},
                         {"bad configurations", test_bad_configs},
                         {"bad input", test_bad_input},
                         {"partial exclusions", test_partial_exclusion},
                         {"Poirrier's table 1", test_table_1},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "search", tests);
}
