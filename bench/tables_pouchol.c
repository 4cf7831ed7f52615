/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Pouchol 2009, figures 4 and 5: segments against flat objects of three sizes, and neighbours of points in a circle.
 * Hits and neighbours are counted in a separate search, which is not timed. */
#include "method_group.h"
#include "random.h"
#include "table_output.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 2 };
static const double most_ms = 4000; /* no further run after this time */

static ipg_status run_methods(method_group *g, const scene *input, ipg_error *error) {
  ipg_status status = method_group_create_searches(g, error);
  const double start = now_ms();
  for (int run = 0; !status && run < RUNS && now_ms() - start < most_ms; ++run)
    status = method_group_run(g, input, error);
  return status;
}

/* Streams all pairs of the scene to the sink. */
static ipg_status stream_all_pairs(const scene *input, ipg_sink *sink, void *context, ipg_error *error) {
  const ipg_search_config config = ipg_search_defaults();
  search_timer timer;
  ipg_status status = search_timer_create(&timer, config.method, &config, error);
  if (status) return status;
  timer.sink = sink, timer.context = context;
  status = search_timer_run(&timer, input, false, error);
  search_timer_destroy(&timer);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- figure 4 */

static void mark_queries(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  char *hit = context;
  for (int64_t i = 0; i < count; ++i) hit[pairs[i].a] = 1;
}

static ipg_status measure_hits(const scene *input, double *fraction, ipg_error *error) {
  char *hit = calloc((size_t)input->query_count, 1);
  if (!hit) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld marks", (long long)input->query_count);
  const ipg_status status = stream_all_pairs(input, mark_queries, hit, error);
  int64_t hits = 0;
  for (int64_t i = 0; i < input->query_count; ++i) hits += hit[i];
  *fraction = (double)hits / (double)input->query_count;
  free(hit);
  return status;
}

static ipg_status print_objects(method_group *g, int64_t count, int64_t segments, ipg_error *error) {
  const workload_request request = {.name = "pouchol", .size = count, .queries = segments};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  double fraction = 0;
  print_progress("%lld objects", (long long)count);
  ipg_status status = workload_create(&request, &serial, &w, error);
  if (!status) status = measure_hits(workload_scene(w), &fraction, error);
  if (!status) status = run_methods(g, workload_scene(w), error);
  if (!status) {
    printf("| %lld | %.1f %% |", (long long)count, 100 * fraction);
    method_group_print_costs(g);
    method_group_print_ratios(g, "hhash", "mlhash");
    putchar('\n');
  }
  method_group_destroy_searches(g);
  workload_destroy(&w);
  return status;
}

ipg_status print_pouchol4(bool quick, ipg_error *error) {
  static const int64_t counts[] = {20, 50, 100, 200, 500, 1000, 2000, 5000};
  const int64_t segments = quick ? 5000 : 1000000;
  method_group g = {0};
  printf("\n## pouchol4: segments against objects (Pouchol 2009, figure 4)\n\n"
         "N objects in a flat square of edge 2^13, a tenth of them of mean edge 2^10, a quarter 2^6, the others 2^3;\n"
         "%lld segments up to 2^4 long, and the fraction of them that hits an object; build and query, best of up to\n"
         "%d runs. The paper shows curves, on an i686 at 2.66 GHz: hhash takes at most half the time of mlhash\n"
         "everywhere and at most 1.10 times its memory; both are faster than the kd-tree.\n",
         (long long)segments, RUNS);
  method_group_choose(&g, (const char *const[]){"kdtree", "mlhash", "hhash", "lkdtree_packed", NULL});
  method_group_print_head(&g, "N | hit", "hhash/mlhash ms | MB");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    const ipg_status status = print_objects(&g, counts[i], segments, error);
    if (status) return status;
  }
  return IPG_OK;
}

/* --------------------------------------------------------------------------------------------------------- figure 5 */

static const double side = 1048576;

/* Two points are neighbours if their distance is not larger than the radius; then their boxes overlap. */
typedef struct neighbourhood {
  scene scene;
  double *points; /* 2 each */
  double radius;
  int32_t *neighbours; /* of each point */
  int64_t pairs;
} neighbourhood;

static void count_neighbours(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  neighbourhood *n = context;
  for (int64_t i = 0; i < count; ++i) {
    const double *a = n->points + 2 * (int64_t)pairs[i].a, *b = n->points + 2 * (int64_t)pairs[i].b;
    const double d[2] = {a[0] - b[0], a[1] - b[1]};
    if (d[0] * d[0] + d[1] * d[1] > n->radius * n->radius) continue;
    n->neighbours[pairs[i].a]++, n->neighbours[pairs[i].b]++;
    n->pairs++;
  }
}

static void set_radius(neighbourhood *n, double radius) {
  n->radius = radius, n->pairs = 0;
  for (int64_t i = 0; i < n->scene.item_count; ++i) {
    n->neighbours[i] = 0;
    for (int k = 0; k < 2; ++k) {
      n->scene.items[i].lo[k] = n->points[2 * i + k] - radius / 2;
      n->scene.items[i].hi[k] = n->points[2 * i + k] + radius / 2;
    }
  }
}

static ipg_status create_neighbourhood(neighbourhood *n, int64_t count, ipg_error *error) {
  random_source random = random_from(0);
  *n = (neighbourhood){.scene.item_count = count};
  n->scene.items = calloc((size_t)count, sizeof *n->scene.items);
  n->points = calloc(2 * (size_t)count, sizeof *n->points);
  n->neighbours = malloc((size_t)count * sizeof *n->neighbours);
  if (!n->scene.items || !n->points || !n->neighbours)
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld points", (long long)count);
  for (int64_t i = 0; i < 2 * count; ++i) n->points[i] = random_between(&random, 0, side);
  return IPG_OK;
}

static void destroy_neighbourhood(neighbourhood *n) {
  free(n->scene.items);
  free(n->points);
  free(n->neighbours);
}

static int32_t find_most_neighbours(const neighbourhood *n) {
  int32_t most = 0;
  for (int64_t i = 0; i < n->scene.item_count; ++i) most = n->neighbours[i] > most ? n->neighbours[i] : most;
  return most;
}

static ipg_status print_radius(method_group *g, neighbourhood *n, double radius, ipg_error *error) {
  print_progress("radius %g", radius);
  set_radius(n, radius);
  ipg_status status = stream_all_pairs(&n->scene, count_neighbours, n, error);
  if (!status) status = run_methods(g, &n->scene, error);
  if (!status) {
    printf("| %.0f | %d | %.3f |", radius, (int)find_most_neighbours(n),
           2 * (double)n->pairs / (double)n->scene.item_count);
    method_group_print_costs(g);
    method_group_print_ratios(g, "hhash", "hash");
    putchar('\n');
  }
  method_group_destroy_searches(g);
  return status;
}

ipg_status print_pouchol5(bool quick, ipg_error *error) {
  static const double radii[] = {10, 100, 250, 500, 750, 1000, 1400, 2000};
  const int64_t count = quick ? 5000 : 1000000;
  method_group g = {0};
  neighbourhood n;
  printf("\n## pouchol5: neighbours in a circle (Pouchol 2009, figure 5)\n\n"
         "%lld points in a flat square of edge 2^20 and, for each, the points within radius r: overlaps of squares\n"
         "of edge r around the points, then the distance; each pair once. Build and query, best of up to %d runs.\n"
         "The paper shows curves, on an i686 at 2.66 GHz: if no point has five or more neighbours, hhash is as good\n"
         "as hash, with 1.10 to 1.25 times the memory; with more neighbours the kd-tree is the fastest.\n",
         (long long)count, RUNS);
  method_group_choose(&g, (const char *const[]){"kdtree", "hash", "hhash", "lkdtree_packed", NULL});
  method_group_print_head(&g, "r | most neighbours | mean", "hhash/hash ms | MB");
  ipg_status status = create_neighbourhood(&n, count, error);
  for (size_t i = 0; !status && i < sizeof radii / sizeof *radii; ++i)
    status = print_radius(&g, &n, radii[i] * sqrt(1e6 / (double)count), error);
  destroy_neighbourhood(&n);
  return status;
}
