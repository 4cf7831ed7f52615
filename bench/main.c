/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* impinge-bench: measures the search methods on the same work, beside each other.
 *
 * One line per method, tab-separated under a header. Timed is everything from the input boxes to the last pair added to
 * an order-free checksum; the minimum of several runs, methods taking turns. All methods must agree on pairs and
 * checksum, or the exit code is 1: a time without the right answer says nothing. */
#include "impinge/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct request {
  int64_t size;
  double density;
  const char *method; /* or "all" */
  int threads, runs;
} request;

typedef struct measurement {
  double build_ms, query_ms, total_ms, array_ms, memory_mb;
  int64_t pairs;
  uint64_t checksum;
} measurement;

/* ---------------------------------------------------------------------------------------------------------- measuring
 */

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* An allocator that remembers the most it held. */
typedef struct meter {
  size_t live, most;
} meter;

static void *meter_allocate(void *context, size_t bytes) {
  meter *m = context;
  m->live += bytes;
  if (m->live > m->most) m->most = m->live;
  return malloc(bytes);
}

static void meter_release(void *context, void *memory, size_t bytes) {
  meter *m = context;
  m->live -= bytes;
  free(memory);
}

/* Where pairs go: one sum per worker, a cache line apart. */
enum { MOST_WORKERS = 64 };
typedef struct tally {
  struct {
    uint64_t checksum;
    int64_t pairs;
    char padding[112];
  } worker[MOST_WORKERS];
} tally;

static void add_up(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  tally *t = context;
  t->worker[worker].checksum += ipg_pairs_checksum(pairs, count);
  t->worker[worker].pairs += count;
}

static int fail(const ipg_error *error) {
  fprintf(stderr, "impinge-bench: %s\n", error->message);
  return 1;
}

static int measure_stream(ipg_search *search, const ipg_box *boxes, int64_t count, measurement *m) {
  static tally t;
  ipg_error error = {0};
  memset(&t, 0, sizeof t);
  const double start = now_ms();
  if (ipg_search_set_boxes(search, boxes, count, NULL, &error)) return fail(&error);
  const double built = now_ms();
  if (ipg_search_self(search, add_up, &t, &error)) return fail(&error);
  const double end = now_ms();
  m->build_ms = built - start, m->query_ms = end - built, m->total_ms = end - start;
  m->pairs = 0, m->checksum = 0;
  for (int i = 0; i < MOST_WORKERS; ++i) m->pairs += t.worker[i].pairs, m->checksum += t.worker[i].checksum;
  return 0;
}

static int measure_array(ipg_search *search, const ipg_box *boxes, int64_t count, measurement *m) {
  const ipg_pair *pairs;
  int64_t pair_count;
  ipg_error error = {0};
  const double start = now_ms();
  if (ipg_search_set_boxes(search, boxes, count, NULL, &error)) return fail(&error);
  if (ipg_search_self_array(search, &pairs, &pair_count, &error)) return fail(&error);
  m->array_ms = now_ms() - start;
  return 0;
}

static int measure_once(const request *r, const char *method, const ipg_tasks *tasks, const ipg_box *boxes,
                        measurement *m) {
  meter memory = {0};
  ipg_error error = {0};
  ipg_search *search = NULL;
  ipg_search_config config = ipg_search_defaults();
  config.method = method;
  config.tasks = *tasks;
  config.allocator = (ipg_allocator){meter_allocate, meter_release, &memory};
  if (ipg_search_create(&config, &search, &error)) return fail(&error);
  int failed = measure_stream(search, boxes, r->size, m); /* the first call finds cold memory, the second is warm */
  m->memory_mb = (double)memory.most / 1e6;
  if (!failed) failed = measure_stream(search, boxes, r->size, m);
  if (!failed) failed = measure_array(search, boxes, r->size, m);
  ipg_search_destroy(&search);
  return failed;
}

static void keep_smaller(measurement *best, const measurement *m) {
  if (m->array_ms < best->array_ms) best->array_ms = m->array_ms;
  if (m->total_ms >= best->total_ms) return;
  best->build_ms = m->build_ms, best->query_ms = m->query_ms, best->total_ms = m->total_ms;
}

/* ----------------------------------------------------------------------------------------------------------- workload
 */

static uint64_t random_state = 88172645463325252u;

static double random_unit(void) {
  random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
  return (double)(random_state >> 11) / 9007199254740992.0;
}

/* Equal spheres in a unit cube, `density` their volume in parts of the cube's: the setting of Poirrier 2009. */
static ipg_box *make_spheres(const request *r) {
  const double radius = cbrt(3 * r->density / (4 * 3.14159265358979323846 * (double)r->size));
  ipg_box *boxes = malloc((size_t)r->size * sizeof *boxes);
  for (int64_t i = 0; boxes && i < r->size; ++i)
    for (int k = 0; k < 3; ++k) {
      const double centre = random_unit();
      boxes[i].lo[k] = centre - radius;
      boxes[i].hi[k] = centre + radius;
    }
  return boxes;
}

/* -------------------------------------------------------------------------------------------------------------- table
 */

static void print_line(const request *r, const char *method, const measurement *m) {
  printf("spheres\t%lld\t%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%lld\t%016llx\t%.1f\n", (long long)r->size, method, r->threads,
         m->build_ms, m->query_ms, m->total_ms, m->array_ms, (long long)m->pairs, (unsigned long long)m->checksum,
         m->memory_mb);
}

static int bench_search(const request *r, const ipg_tasks *tasks, const ipg_box *boxes) {
  enum { MOST_METHODS = 32 };
  const char *const *methods = ipg_search_methods();
  measurement best[MOST_METHODS], m;
  int failed = 0, first = -1;
  for (int run = 0; run < r->runs; ++run)
    for (int i = 0; methods[i]; ++i) {
      if (strcmp(r->method, "all") && strcmp(r->method, methods[i])) continue;
      if (measure_once(r, methods[i], tasks, boxes, &m)) return 1;
      if (run == 0) best[i] = m;
      else keep_smaller(&best[i], &m);
    }
  printf("workload\tsize\tmethod\tthreads\tbuild_ms\tquery_ms\ttotal_ms\tarray_ms\tpairs\tchecksum\tmemory_mb\n");
  for (int i = 0; methods[i]; ++i) {
    if (strcmp(r->method, "all") && strcmp(r->method, methods[i])) continue;
    print_line(r, methods[i], &best[i]);
    if (first < 0) first = i;
    failed |= best[i].pairs != best[first].pairs || best[i].checksum != best[first].checksum;
  }
  if (failed) fprintf(stderr, "impinge-bench: the methods do not agree\n");
  return failed;
}

static int usage(FILE *to) {
  fprintf(to, "usage: impinge-bench search [--size N] [--density D] [--method NAME|all] [--threads T] [--runs R]\n\n"
              "Equal spheres, all pairs of overlapping boxes. Methods:");
  for (const char *const *name = ipg_search_methods(); *name; ++name) fprintf(to, " %s", *name);
  fprintf(to, "\n\nexample:\n  impinge-bench search --size 10000 --method all --threads 2\n");
  return to == stdout ? 0 : 2;
}

static bool is_method(const char *name) {
  for (const char *const *method = ipg_search_methods(); *method; ++method)
    if (!strcmp(*method, name)) return true;
  return !strcmp(name, "all");
}

static bool read_count(const char *text, int64_t most, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return !errno && end != text && !*end && *value >= 1 && *value <= most;
}

/* NULL, or the sentence that says what is wrong with an option. */
static const char *read_option(request *r, const char *name, const char *value) {
  int64_t number = 0;
  char *end;
  if (!strcmp(name, "--size"))
    return read_count(value, IPG_ID_MAX - 1, &r->size) ? NULL : "--size must be a whole number above 0";
  if (!strcmp(name, "--threads")) {
    const bool ok = read_count(value, MOST_WORKERS, &number);
    r->threads = (int)number;
    return ok ? NULL : "--threads must be 1 to 64";
  }
  if (!strcmp(name, "--runs")) {
    const bool ok = read_count(value, 1000, &number);
    r->runs = (int)number;
    return ok ? NULL : "--runs must be 1 to 1000";
  }
  if (!strcmp(name, "--density")) {
    r->density = strtod(value, &end);
    return end != value && !*end && r->density > 0 && isfinite(r->density) ? NULL : "--density must be above 0";
  }
  if (!strcmp(name, "--method")) {
    r->method = value;
    return is_method(value) ? NULL : "--method names no method; --help lists them";
  }
  return "unknown option; --help lists them";
}

static int run_search(const request *r) {
  ipg_error error = {0};
  ipg_pool *pool = NULL;
  if (ipg_pool_create(r->threads, &pool, &error)) return fail(&error);
  const ipg_tasks tasks = ipg_pool_tasks(pool);
  ipg_box *boxes = make_spheres(r);
  if (!boxes) fprintf(stderr, "impinge-bench: out of memory for %lld boxes\n", (long long)r->size);
  const int failed = boxes ? bench_search(r, &tasks, boxes) : 1;
  free(boxes);
  ipg_pool_destroy(&pool);
  return failed;
}

int main(int argc, char **argv) {
  request r = {.size = 10000, .density = 0.1, .method = "all", .threads = 1, .runs = 3};
  if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) return usage(stdout);
  if (argc < 2 || strcmp(argv[1], "search")) return usage(stderr);
  for (int i = 2; i < argc; i += 2) {
    if (!strcmp(argv[i], "--help")) return usage(stdout);
    const char *wrong = i + 1 < argc ? read_option(&r, argv[i], argv[i + 1]) : "the last option has no value";
    if (wrong) {
      fprintf(stderr, "impinge-bench: %s: %s\n", argv[i], wrong);
      return 2;
    }
  }
  return run_search(&r);
}
