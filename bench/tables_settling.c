/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Poirrier 2009, tables 2 and 3 and figures 11 and 12: the methods of settling_methods.h on spheres that settle.
 * Slow methods are run at fewer steps than the others; the tables have the number of steps. */
#include "random.h"
#include "settling_methods.h"
#include "table_output.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_STEP = 50, LAST_STEP = 60, PHASE_STEPS = 11, MOVERS = 2 };
static const double density = 0.1, radius_of_one = 0.6203504908994; /* of a sphere of volume 1 */

/* ----------------------------------------------------------------------------------------------------- the spheres */

/* The motion of the spheres is not timed, so it may use any tasks, with the same result. */
static ipg_status create_spheres(settling_scene *spheres, int64_t count, uint64_t seed, const ipg_tasks *tasks,
                                 ipg_error *error) {
  random_source random = random_from(seed);
  double *centres = malloc(3 * (size_t)count * sizeof *centres);
  if (!centres) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld spheres", (long long)count);
  for (int64_t i = 0; i < 3 * count; ++i) centres[i] = random_unit(&random);
  const double radius = radius_of_one * cbrt(density / (double)count);
  const ipg_status status = settling_scene_create(spheres, centres, count, radius, tasks, error);
  free(centres);
  return status;
}

static ipg_status settle_spheres(settling_scene *spheres, int steps, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < steps; ++i) status = settling_scene_step(spheres, error);
  return status;
}

/* The methods of a row of the table. */
typedef struct method_set {
  settling_method methods[SETTLING_METHODS];
  bool present[SETTLING_METHODS];
} method_set;

static ipg_status create_method_set(method_set *s, int64_t count, const int64_t most[SETTLING_METHODS],
                                    ipg_error *error) {
  ipg_status status = IPG_OK;
  *s = (method_set){0};
  for (int i = 0; !status && i < SETTLING_METHODS; ++i) {
    s->present[i] = count <= most[i] && settling_method_exists((enum settling_method_name)i);
    if (s->present[i]) status = settling_method_create(&s->methods[i], (enum settling_method_name)i, error);
  }
  return status;
}

static void destroy_method_set(method_set *s) {
  for (int i = 0; i < SETTLING_METHODS; ++i) settling_method_destroy(&s->methods[i]);
}

/* Runs all methods that are within the time limit; the exact ones must find the same pairs. */
static ipg_status run_method_set(method_set *s, const settling_scene *spheres, double most_ms, ipg_error *error) {
  const search_timer *first = NULL;
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < SETTLING_METHODS; ++i) {
    settling_method *m = &s->methods[i];
    if (!s->present[i] || m->ms.sum > most_ms) continue;
    status = settling_method_run(m, spheres, error);
    if (status || !settling_method_is_exact(m->name)) continue;
    if (first) status = check_same_pairs(first, &m->timer, error);
    else first = &m->timer;
  }
  return status;
}

static bool has_time_left(const method_set *s, double most_ms) {
  for (int i = 0; i < SETTLING_METHODS; ++i)
    if (s->present[i] && s->methods[i].ms.sum <= most_ms) return true;
  return false;
}

static void report_missing_methods(void) {
  for (int i = 0; i < SETTLING_METHODS; ++i)
    if (!settling_method_exists((enum settling_method_name)i))
      printf("\n%s is left out: this build does not have it.\n", settling_method_title((enum settling_method_name)i));
}

/* --------------------------------------------------------------------------------------------------- tables 2 and 3 */

enum { SIZES = 5 };
static const int64_t sizes[SIZES] = {50000, 100000, 500000, 1000000, 5000000};
static const int64_t quick_sizes[SIZES] = {500, 1000, 2000, 3000, 5000};
static const int64_t most_in_tables[SETTLING_METHODS] = {100000,    100000,    1000000,  INT64_MAX,
                                                         INT64_MAX, INT64_MAX, INT64_MAX};
static const double most_ms_in_tables = 3000;

/* The figures of the paper; 0 where it has none. */
typedef struct paper_figures {
  double ms, pairs, megabytes;
} paper_figures;
static const paper_figures no_paper_figures[SETTLING_METHODS];
static const paper_figures tables_2_and_3[SIZES][SETTLING_METHODS] = {
    {[QUADRATIC] = {23818, 1.25e9, 0},
     [SWEEP_AND_PRUNE] = {64662, 471044, 0},
     [DELAUNAY] = {11350, 365396, 32},
     [KD_TREE_1] = {211, 3.30e6, 9},
     [KD_TREE_2] = {297, 277806, 18}},
    {[QUADRATIC] = {94813, 5e9, 0},
     [SWEEP_AND_PRUNE] = {266840, 972680, 0},
     [DELAUNAY] = {23616, 732000, 76},
     [KD_TREE_1] = {434, 5.84e6, 17},
     [KD_TREE_2] = {620, 565180, 35}},
    {[DELAUNAY] = {118408, 3.67e6, 312}, [KD_TREE_1] = {2261, 35.8e6, 82}, [KD_TREE_2] = {3288, 3.01e6, 193}},
    {[DELAUNAY] = {240563, 7.34e6, 623}, [KD_TREE_1] = {4194, 78.9e6, 144}, [KD_TREE_2] = {6153, 6.01e6, 353}},
    {[KD_TREE_1] = {18885, 518e6, 558}, [KD_TREE_2] = {24205, 30.4e6, 1500}}};

static void print_if_known(double value, const char *format) {
  fputs(" ", stdout);
  if (value > 0) printf(format, value);
  else fputs("-", stdout);
  fputs(" |", stdout);
}

static void print_method(int64_t count, const settling_method *m, const paper_figures *paper) {
  printf("| %lld | %s | %d |", (long long)count, settling_method_title(m->name), m->ms.count);
  print_if_known(statistics_mean(&m->ms), "%.1f");
  print_if_known(paper->ms, "%.0f");
  print_if_known(statistics_mean(&m->compared), "%.4g");
  print_if_known(statistics_mean(&m->passed), "%.4g");
  print_if_known(paper->pairs, "%.4g");
  print_if_known(settling_method_megabytes(m), "%.1f");
  print_if_known(paper->megabytes, "%.0f");
  putchar('\n');
}

/* The fraction of the overlapping spheres that share an edge of the triangulation. */
static double measure_edge_fraction(const method_set *s) {
  return statistics_mean(&s->methods[DELAUNAY].overlaps) / statistics_mean(&s->methods[KD_TREE_2].overlaps);
}

static ipg_status run_row(method_set *s, settling_scene *spheres, ipg_error *error) {
  print_progress("%lld spheres", (long long)spheres->count);
  ipg_status status = settle_spheres(spheres, FIRST_STEP, error);
  for (int step = FIRST_STEP; !status && step <= LAST_STEP && has_time_left(s, most_ms_in_tables); ++step) {
    if (step > FIRST_STEP) status = settling_scene_step(spheres, error);
    if (!status) status = run_method_set(s, spheres, most_ms_in_tables, error);
  }
  return status;
}

static ipg_status print_size(int64_t count, const paper_figures paper[SETTLING_METHODS], const ipg_tasks *tasks,
                             double *fraction, ipg_error *error) {
  settling_scene spheres;
  method_set set;
  ipg_status status = create_spheres(&spheres, count, 0, tasks, error);
  if (status) return status;
  status = create_method_set(&set, count, most_in_tables, error);
  if (!status) status = run_row(&set, &spheres, error);
  for (int i = 0; !status && i < SETTLING_METHODS; ++i)
    if (set.present[i]) print_method(count, &set.methods[i], &paper[i]);
  if (set.present[DELAUNAY]) *fraction = fmin(*fraction, measure_edge_fraction(&set));
  destroy_method_set(&set);
  settling_scene_destroy(&spheres);
  return status;
}

static void print_tables_intro(void) {
  printf("\n## poirrier2_3: large N (Poirrier 2009, tables 2 and 3)\n\n"
         "N equal spheres, d = 0.1, that fall and are separated pairwise; steps %d to %d, mean time of a step. The\n"
         "paper: 4 runs on an Intel E2180 at 2 GHz, one core. Here: 1 run; `steps` is the number of steps at which a\n"
         "method was run (it stops after %g s). `compared` is the number of compared pairs of boxes, `passed on` the\n"
         "number of candidate pairs in the result: for quadratic and sweep & prune, lkdtree_packed and cells the\n"
         "overlapping boxes, for kd-tree-1 all pairs of the sweep, repetitions included, for kd-tree-2 the\n"
         "overlapping spheres, each once and stored in a list, for Delaunay the edges. The paper's quadratic method\n"
         "passes everything on. Memory includes a copy of the boxes where a method needs one, and the list; sweep &\n"
         "prune, lkdtree_packed and cells move their boxes from step to step.\n",
         FIRST_STEP, LAST_STEP, most_ms_in_tables / 1e3);
  report_missing_methods();
}

static void print_tables_explanation(double fraction) {
  puts("\nWhere candidates differ by more than 30 %: our spheres fall the same fraction of the cube for every N, so\n"
       "that smaller spheres overlap more, from about 3 overlapping pairs per sphere at 50000 to about 9 at\n"
       "5000000; in the paper it is about 6 throughout. Its sweep & prune passes on boxes that overlap along three\n"
       "axes, like ours; its memory is that of the whole program.");
  if (settling_method_exists(DELAUNAY))
    printf("\nIn the densest packing %.0f %% of the overlapping spheres share an edge of the triangulation. It misses\n"
           "the others because a third sphere is between them.\n",
           100 * fraction);
}

ipg_status print_poirrier2_3(bool quick, ipg_error *error) {
  double fraction = 1;
  print_tables_intro();
  print_table_head("N | method | steps | ms | paper | compared | passed on | paper | MB | paper");
  ipg_pool *pool = NULL;
  ipg_status status = ipg_pool_create(MOVERS, &pool, error);
  for (int i = 0; !status && i < SIZES; ++i) {
    const ipg_tasks tasks = ipg_pool_tasks(pool);
    status = print_size((quick ? quick_sizes : sizes)[i], quick ? no_paper_figures : tables_2_and_3[i], &tasks,
                        &fraction, error);
  }
  ipg_pool_destroy(&pool);
  if (!status) print_tables_explanation(fraction);
  return status;
}

/* ------------------------------------------------------------------------------------------------ figures 11 and 12 */

enum { SMALL_SIZES = 6, SEEDS = 4 };
static const int64_t small_sizes[SMALL_SIZES] = {1000, 2000, 5000, 10000, 20000, 30000};
static const int64_t quick_small_sizes[SMALL_SIZES] = {100, 200, 300, 400, 500, 600};
static const int64_t most_in_figures[SETTLING_METHODS] = {[QUADRATIC] = INT64_MAX,
                                                          [SWEEP_AND_PRUNE] = INT64_MAX,
                                                          [DELAUNAY] = INT64_MAX,
                                                          [KD_TREE_1] = INT64_MAX,
                                                          [PACKED] = INT64_MAX}; /* the others are not run */
static const double most_ms_in_figures = 2000;

/* Runs the methods of this phase at the following steps. */
static ipg_status run_phase(method_set *s, settling_scene *spheres, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; i < SETTLING_METHODS; ++i) settling_method_restart(&s->methods[i]);
  for (int step = 0; !status && step < PHASE_STEPS; ++step) {
    if (step) status = settling_scene_step(spheres, error);
    if (!status) status = run_method_set(s, spheres, most_ms_in_figures, error);
  }
  return status;
}

static ipg_status run_seed(method_set phases[2], int64_t count, uint64_t seed, ipg_error *error) {
  settling_scene spheres;
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_status status = create_spheres(&spheres, count, seed, &serial, error);
  if (status) return status;
  status = run_phase(&phases[0], &spheres, error);
  if (!status) status = settle_spheres(&spheres, FIRST_STEP - PHASE_STEPS + 1, error);
  if (!status) status = run_phase(&phases[1], &spheres, error);
  settling_scene_destroy(&spheres);
  return status;
}

static void print_phase(int64_t count, const char *steps, const method_set *s) {
  printf("| %lld | %s |", (long long)count, steps);
  for (int i = 0; i < SETTLING_METHODS; ++i) {
    const statistics *ms = &s->methods[i].ms;
    if (s->present[i]) printf(" %.3f ± %.3f (%d) |", statistics_mean(ms), statistics_deviation(ms), ms->count);
  }
  putchar('\n');
}

static ipg_status print_small_size(int64_t count, ipg_error *error) {
  method_set phases[2] = {0};
  print_progress("%lld spheres", (long long)count);
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < 2; ++i) status = create_method_set(&phases[i], count, most_in_figures, error);
  for (uint64_t seed = 0; !status && seed < SEEDS; ++seed) { status = run_seed(phases, count, seed, error); }
  if (!status) print_phase(count, "0-10", &phases[0]);
  if (!status) print_phase(count, "50-60", &phases[1]);
  for (int i = 0; i < 2; ++i) destroy_method_set(&phases[i]);
  return status;
}

static void print_figures_intro(void) {
  printf("\n## poirrier11_12: small N (Poirrier 2009, figures 11 and 12)\n\n"
         "The same spheres at early and late steps: mean and standard deviation of the time of a step over %d runs\n"
         "of 11 steps. A slow method is not run at all of them: the number of steps is in brackets. The paper shows\n"
         "curves, on an Intel E2180 at 2 GHz: quadratic grows with the square of N, Delaunay nearly linearly, both\n"
         "independent of the step; sweep & prune is fast at the first steps and slower with N and time; the kd-tree\n"
         "is close to zero. Their sweep & prune updates the order along three axes and keeps a set of pairs; ours\n"
         "updates one axis and sweeps it again.\n",
         SEEDS);
}

ipg_status print_poirrier11_12(bool quick, ipg_error *error) {
  print_figures_intro();
  if (!settling_method_exists(DELAUNAY)) puts("\nDelaunay is left out: this build does not have it.");
  print_table_head(settling_method_exists(DELAUNAY)
                       ? "N | steps | quadratic | sweep & prune | Delaunay | kd-tree-1 | lkdtree_packed"
                       : "N | steps | quadratic | sweep & prune | kd-tree-1 | lkdtree_packed");
  for (int i = 0; i < SMALL_SIZES; ++i) {
    const ipg_status status = print_small_size((quick ? quick_small_sizes : small_sizes)[i], error);
    if (status) return status;
  }
  return IPG_OK;
}
