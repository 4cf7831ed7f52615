/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Poirrier 2009, tables 2 and 3 and figures 11 and 12: the methods of settlers.h on spheres that settle.
 * Whoever takes long is asked at fewer steps than the others: the tables tell at how many. */
#include "random.h"
#include "settlers.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_STEP = 50, LAST_STEP = 60, PHASE_STEPS = 11, MOVERS = 2 };
static const double density = 0.1, radius_of_one = 0.6203504908994; /* of a sphere of volume 1 */

/* -------------------------------------------------------------------------------------------------------- the crowd */

/* How the spheres move is not measured: it may use any tasks, with the same outcome. */
static ipg_status create_crowd(settling *spheres, int64_t count, uint64_t seed, const ipg_tasks *tasks,
                               ipg_error *error) {
  random_source random = random_from(seed);
  double *centres = malloc(3 * (size_t)count * sizeof *centres);
  if (!centres) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld spheres", (long long)count);
  for (int64_t i = 0; i < 3 * count; ++i) centres[i] = random_unit(&random);
  const double radius = radius_of_one * cbrt(density / (double)count);
  const ipg_status status = settling_create(spheres, centres, count, radius, tasks, error);
  free(centres);
  return status;
}

static ipg_status settle(settling *spheres, int steps, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < steps; ++i) status = settling_step(spheres, error);
  return status;
}

/* Those who took part in a row. */
typedef struct field {
  settler settlers[SETTLERS];
  bool present[SETTLERS];
} field;

static ipg_status create_field(field *f, int64_t count, const int64_t most[SETTLERS], ipg_error *error) {
  ipg_status status = IPG_OK;
  *f = (field){0};
  for (int i = 0; !status && i < SETTLERS; ++i) {
    f->present[i] = count <= most[i] && settler_exists((enum settler_name)i);
    if (f->present[i]) status = settler_create(&f->settlers[i], (enum settler_name)i, error);
  }
  return status;
}

static void destroy_field(field *f) {
  for (int i = 0; i < SETTLERS; ++i) settler_destroy(&f->settlers[i]);
}

/* All who have not used up their time answer, and must agree. */
static ipg_status ask_field(field *f, const settling *spheres, double most_ms, ipg_error *error) {
  const probe *first = NULL;
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < SETTLERS; ++i) {
    settler *s = &f->settlers[i];
    if (!f->present[i] || s->ms.sum > most_ms) continue;
    status = settler_answer(s, spheres, error);
    if (status || !settler_is_exact(s->name)) continue;
    if (first) status = probes_agree(first, &s->probe, error);
    else first = &s->probe;
  }
  return status;
}

static bool has_time_left(const field *f, double most_ms) {
  for (int i = 0; i < SETTLERS; ++i)
    if (f->present[i] && f->settlers[i].ms.sum <= most_ms) return true;
  return false;
}

static void say_who_is_absent(void) {
  for (int i = 0; i < SETTLERS; ++i)
    if (!settler_exists((enum settler_name)i))
      printf("\n%s is left out: this build does not have it.\n", settler_title((enum settler_name)i));
}

/* --------------------------------------------------------------------------------------------------- tables 2 and 3 */

enum { SIZES = 5 };
static const int64_t sizes[SIZES] = {50000, 100000, 500000, 1000000, 5000000};
static const int64_t quick_sizes[SIZES] = {500, 1000, 2000, 3000, 5000};
static const int64_t most_in_tables[SETTLERS] = {100000, 100000, 1000000, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
static const double most_ms_in_tables = 3000;

/* The paper's; 0 where it has none. */
typedef struct theirs {
  double ms, pairs, megabytes;
} theirs;
static const theirs nothing_of_theirs[SETTLERS];
static const theirs tables_2_and_3[SIZES][SETTLERS] = {
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

static void print_known(double value, const char *format) {
  fputs(" ", stdout);
  if (value > 0) printf(format, value);
  else fputs("-", stdout);
  fputs(" |", stdout);
}

static void print_settler(int64_t count, const settler *s, const theirs *paper) {
  printf("| %lld | %s | %d |", (long long)count, settler_title(s->name), s->ms.count);
  print_known(series_mean(&s->ms), "%.1f");
  print_known(paper->ms, "%.0f");
  print_known(series_mean(&s->compared), "%.4g");
  print_known(series_mean(&s->passed), "%.4g");
  print_known(paper->pairs, "%.4g");
  print_known(settler_megabytes(s), "%.1f");
  print_known(paper->megabytes, "%.0f");
  putchar('\n');
}

/* Of the true pairs, those that are edges. */
static double share_of_truths(const field *f) {
  return series_mean(&f->settlers[DELAUNAY].truths) / series_mean(&f->settlers[KD_TREE_2].truths);
}

static ipg_status run_row(field *f, settling *spheres, ipg_error *error) {
  progress("%lld spheres", (long long)spheres->count);
  ipg_status status = settle(spheres, FIRST_STEP, error);
  for (int step = FIRST_STEP; !status && step <= LAST_STEP && has_time_left(f, most_ms_in_tables); ++step) {
    if (step > FIRST_STEP) status = settling_step(spheres, error);
    if (!status) status = ask_field(f, spheres, most_ms_in_tables, error);
  }
  return status;
}

static ipg_status print_size(int64_t count, const theirs paper[SETTLERS], const ipg_tasks *tasks, double *share,
                             ipg_error *error) {
  settling spheres;
  field f;
  ipg_status status = create_crowd(&spheres, count, 0, tasks, error);
  if (status) return status;
  status = create_field(&f, count, most_in_tables, error);
  if (!status) status = run_row(&f, &spheres, error);
  for (int i = 0; !status && i < SETTLERS; ++i)
    if (f.present[i]) print_settler(count, &f.settlers[i], &paper[i]);
  if (f.present[DELAUNAY]) *share = fmin(*share, share_of_truths(&f));
  destroy_field(&f);
  settling_destroy(&spheres);
  return status;
}

static void introduce_tables(void) {
  printf(
      "\n## poirrier2_3: large N (Poirrier 2009, tables 2 and 3)\n\n"
      "N equal spheres, d = 0.1, that fall and are parted pairwise; steps %d to %d, mean time of a step. The paper:\n"
      "4 runs on an Intel E2180 at 2 GHz, one core. Here: 1 run; `steps` tells at how many a method was asked (it\n"
      "stops after %g s). `compared` are pairs of boxes looked at, `passed on` those handed to what follows: for\n"
      "quadratic and sweep & prune, lkdtree_packed and cells the overlapping boxes, for kd-tree-1 all that the sweep\n"
      "meets, repetitions too, for kd-tree-2 the overlapping spheres, each once and kept in a list, for Delaunay the\n"
      "edges. The paper's quadratic method passes everything on. Memory includes a copy of the boxes where a method\n"
      "needs one, and the list; sweep & prune, lkdtree_packed and cells move from step to step.\n",
      FIRST_STEP, LAST_STEP, most_ms_in_tables / 1e3);
  say_who_is_absent();
}

static void explain_tables(double share) {
  puts("\nWhere candidates differ by more than 30 %: our spheres fall the same way in parts of the cube for every N,\n"
       "and the smaller they are the deeper they are pressed into each other, from some 3 overlapping pairs for each\n"
       "sphere at 50000 to some 9 at 5000000; the paper's crowd has some 6 throughout. Its sweep & prune passes on "
       "boxes that\n"
       "overlap along three axes, as ours; its memory is that of the whole program.");
  if (settler_exists(DELAUNAY))
    printf("\nWhere the crowd is densest %.0f %% of the overlapping spheres share an edge of the triangulation. It\n"
           "misses the others: a third sphere lies in between.\n",
           100 * share);
}

ipg_status print_poirrier2_3(bool quick, ipg_error *error) {
  double share = 1;
  introduce_tables();
  print_head("N | method | steps | ms | paper | compared | passed on | paper | MB | paper");
  ipg_pool *pool = NULL;
  ipg_status status = ipg_pool_create(MOVERS, &pool, error);
  for (int i = 0; !status && i < SIZES; ++i) {
    const ipg_tasks tasks = ipg_pool_tasks(pool);
    status = print_size((quick ? quick_sizes : sizes)[i], quick ? nothing_of_theirs : tables_2_and_3[i], &tasks, &share,
                        error);
  }
  ipg_pool_destroy(&pool);
  if (!status) explain_tables(share);
  return status;
}

/* ------------------------------------------------------------------------------------------------ figures 11 and 12 */

enum { SMALL_SIZES = 6, SEEDS = 4 };
static const int64_t small_sizes[SMALL_SIZES] = {1000, 2000, 5000, 10000, 20000, 30000};
static const int64_t quick_small_sizes[SMALL_SIZES] = {100, 200, 300, 400, 500, 600};
static const int64_t most_in_figures[SETTLERS] = {[QUADRATIC] = INT64_MAX,
                                                  [SWEEP_AND_PRUNE] = INT64_MAX,
                                                  [DELAUNAY] = INT64_MAX,
                                                  [KD_TREE_1] = INT64_MAX,
                                                  [PACKED] = INT64_MAX}; /* the others: never */
static const double most_ms_in_figures = 2000;

/* The field of this phase answers at the steps from here on. */
static ipg_status run_phase(field *f, settling *spheres, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; i < SETTLERS; ++i) settler_restart(&f->settlers[i]);
  for (int step = 0; !status && step < PHASE_STEPS; ++step) {
    if (step) status = settling_step(spheres, error);
    if (!status) status = ask_field(f, spheres, most_ms_in_figures, error);
  }
  return status;
}

static ipg_status run_seed(field phases[2], int64_t count, uint64_t seed, ipg_error *error) {
  settling spheres;
  const ipg_tasks serial = ipg_tasks_serial();
  ipg_status status = create_crowd(&spheres, count, seed, &serial, error);
  if (status) return status;
  status = run_phase(&phases[0], &spheres, error);
  if (!status) status = settle(&spheres, FIRST_STEP - PHASE_STEPS + 1, error);
  if (!status) status = run_phase(&phases[1], &spheres, error);
  settling_destroy(&spheres);
  return status;
}

static void print_phase(int64_t count, const char *steps, const field *f) {
  printf("| %lld | %s |", (long long)count, steps);
  for (int i = 0; i < SETTLERS; ++i) {
    const series *ms = &f->settlers[i].ms;
    if (f->present[i]) printf(" %.3f ± %.3f (%d) |", series_mean(ms), series_deviation(ms), ms->count);
  }
  putchar('\n');
}

static ipg_status print_small_size(int64_t count, ipg_error *error) {
  field phases[2] = {0};
  progress("%lld spheres", (long long)count);
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < 2; ++i) status = create_field(&phases[i], count, most_in_figures, error);
  for (uint64_t seed = 0; !status && seed < SEEDS; ++seed) { status = run_seed(phases, count, seed, error); }
  if (!status) print_phase(count, "0-10", &phases[0]);
  if (!status) print_phase(count, "50-60", &phases[1]);
  for (int i = 0; i < 2; ++i) destroy_field(&phases[i]);
  return status;
}

static void introduce_figures(void) {
  printf(
      "\n## poirrier11_12: small N (Poirrier 2009, figures 11 and 12)\n\n"
      "The same spheres, early and late: mean and deviation of the time of a step over %d runs of 11 steps. A method\n"
      "that takes long is not asked at all of them: in brackets, at how many. The paper shows curves, on an Intel "
      "E2180 at 2 GHz:\n"
      "quadratic grows with the square of N, Delaunay nearly linearly, neither cares for the step; sweep & prune is\n"
      "good at the first steps and worse with N and time; the kd-tree lies on the axis. Their sweep & prune mends\n"
      "three axes and keeps a set of pairs; ours mends one and sweeps it anew.\n",
      SEEDS);
}

ipg_status print_poirrier11_12(bool quick, ipg_error *error) {
  introduce_figures();
  if (!settler_exists(DELAUNAY)) puts("\nDelaunay is left out: this build does not have it.");
  print_head(settler_exists(DELAUNAY) ? "N | steps | quadratic | sweep & prune | Delaunay | kd-tree-1 | lkdtree_packed"
                                      : "N | steps | quadratic | sweep & prune | kd-tree-1 | lkdtree_packed");
  for (int i = 0; i < SMALL_SIZES; ++i) {
    const ipg_status status = print_small_size((quick ? quick_small_sizes : small_sizes)[i], error);
    if (status) return status;
  }
  return IPG_OK;
}
