/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Pouchol 2009, figures 4 and 5: segments against flat objects of three sizes, and neighbours of points in a circle.
 * What was hit and who has how many neighbours is counted in an answer of its own, which is not timed. */
#include "random.h"
#include "tables.h"
#include "team.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 2 };
static const double most_ms = 4000; /* no other run after so long */

static ipg_status answer_runs(team *t, const scene *asked, ipg_error *error) {
  ipg_status status = team_start(t, error);
  const double start = now_ms();
  for (int run = 0; !status && run < RUNS && now_ms() - start < most_ms; ++run) status = team_answer(t, asked, error);
  return status;
}

/* Streams all pairs of the scene to the sink. */
static ipg_status look(const scene *asked, ipg_sink *sink, void *context, ipg_error *error) {
  const ipg_search_config config = ipg_search_defaults();
  probe p;
  ipg_status status = probe_create(&p, config.method, &config, error);
  if (status) return status;
  p.sink = sink, p.context = context;
  status = probe_answer(&p, asked, false, error);
  probe_destroy(&p);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- figure 4 */

static void mark_queries(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  char *hit = context;
  for (int64_t i = 0; i < count; ++i) hit[pairs[i].a] = 1;
}

static ipg_status share_that_hits(const scene *asked, double *share, ipg_error *error) {
  char *hit = calloc((size_t)asked->query_count, 1);
  if (!hit) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld marks", (long long)asked->query_count);
  const ipg_status status = look(asked, mark_queries, hit, error);
  int64_t hits = 0;
  for (int64_t i = 0; i < asked->query_count; ++i) hits += hit[i];
  *share = (double)hits / (double)asked->query_count;
  free(hit);
  return status;
}

static ipg_status print_objects(team *t, int64_t count, int64_t segments, ipg_error *error) {
  const workload_request request = {.name = "pouchol", .size = count, .queries = segments};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  double share = 0;
  progress("%lld objects", (long long)count);
  ipg_status status = workload_create(&request, &serial, &w, error);
  if (!status) status = share_that_hits(workload_scene(w), &share, error);
  if (!status) status = answer_runs(t, workload_scene(w), error);
  if (!status) {
    printf("| %lld | %.1f %% |", (long long)count, 100 * share);
    team_print_figures(t);
    team_print_ratios(t, "hhash", "mlhash");
    putchar('\n');
  }
  team_stop(t);
  workload_destroy(&w);
  return status;
}

ipg_status print_pouchol4(bool quick, ipg_error *error) {
  static const int64_t counts[] = {20, 50, 100, 200, 500, 1000, 2000, 5000};
  const int64_t segments = quick ? 5000 : 1000000;
  team t = {0};
  printf(
      "\n## pouchol4: segments against objects (Pouchol 2009, figure 4)\n\n"
      "N objects in a flat square of 2^13, a tenth of them of mean edge 2^10, a quarter 2^6, the others 2^3; %lld\n"
      "segments up to 2^4 long, and the share of them that hits something; set and question, best of up to %d runs.\n"
      "The paper shows curves, on an i686 at 2.66 GHz: hhash takes at most half the time of mlhash everywhere and at "
      "most\n"
      "1.10 times its memory; both are faster than the kd-tree.\n",
      (long long)segments, RUNS);
  team_choose(&t, (const char *const[]){"kdtree", "mlhash", "hhash", "lkdtree_packed", NULL});
  team_print_head(&t, "N | hit", "hhash/mlhash ms | MB");
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    const ipg_status status = print_objects(&t, counts[i], segments, error);
    if (status) return status;
  }
  return IPG_OK;
}

/* --------------------------------------------------------------------------------------------------------- figure 5 */

static const double side = 1048576;

/* Two points are neighbours if they are not farther apart than the radius; then their boxes overlap. */
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

static void choose_radius(neighbourhood *n, double radius) {
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

static int32_t most_neighbours(const neighbourhood *n) {
  int32_t most = 0;
  for (int64_t i = 0; i < n->scene.item_count; ++i) most = n->neighbours[i] > most ? n->neighbours[i] : most;
  return most;
}

static ipg_status print_radius(team *t, neighbourhood *n, double radius, ipg_error *error) {
  progress("radius %g", radius);
  choose_radius(n, radius);
  ipg_status status = look(&n->scene, count_neighbours, n, error);
  if (!status) status = answer_runs(t, &n->scene, error);
  if (!status) {
    printf("| %.0f | %d | %.3f |", radius, (int)most_neighbours(n), 2 * (double)n->pairs / (double)n->scene.item_count);
    team_print_figures(t);
    team_print_ratios(t, "hhash", "hash");
    putchar('\n');
  }
  team_stop(t);
  return status;
}

ipg_status print_pouchol5(bool quick, ipg_error *error) {
  static const double radii[] = {10, 100, 250, 500, 750, 1000, 1400, 2000};
  const int64_t count = quick ? 5000 : 1000000;
  team t = {0};
  neighbourhood n;
  printf(
      "\n## pouchol5: neighbours in a circle (Pouchol 2009, figure 5)\n\n"
      "%lld points in a flat square of 2^20 and, for each, those within radius r: squares of edge r around the\n"
      "points, their overlaps, and the distance; each pair once. Set and question, best of up to %d runs. The paper\n"
      "shows curves, on an i686 at 2.66 GHz: below five neighbours at most hhash is as good as hash, with 1.10 to "
      "1.25\n"
      "times the memory; with more neighbours the kd-tree is the fastest.\n",
      (long long)count, RUNS);
  team_choose(&t, (const char *const[]){"kdtree", "hash", "hhash", "lkdtree_packed", NULL});
  team_print_head(&t, "r | most neighbours | mean", "hhash/hash ms | MB");
  ipg_status status = create_neighbourhood(&n, count, error);
  for (size_t i = 0; !status && i < sizeof radii / sizeof *radii; ++i)
    status = print_radius(&t, &n, radii[i] * sqrt(1e6 / (double)count), error);
  destroy_neighbourhood(&n);
  return status;
}
