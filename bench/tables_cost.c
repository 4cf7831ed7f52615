/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The cost model of Aivazis 2010: b(N) to build the structure, r(N) to rebuild it after a small motion, s(N) to store
 * it, q(N, n) for one query with n results. The growth of each is fitted in log-log by least squares, over the same N
 * as the theoretical growth. There are as many queries as items, as in a contact search. */
#include "random.h"
#include "search_timer.h"
#include "table_output.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 16, RUNS = 3, RESULTS = 8 };
static const double slow_ms = 500, motion = 0.01;

/* ----------------------------------------------------------------------------------------------- theoretical growth */

/* N^power * log2(N)^logs + constant */
typedef struct growth {
  const char *text;
  double power, logs, constant;
} growth;

#define LINEAR                                                                                                         \
  { "N", 1, 0, 0 }
#define LINEAR_LOG                                                                                                     \
  { "N log N", 1, 1, 0 }
#define DEPTH                                                                                                          \
  { "(D+1) N", 1, 1, 0 }
#define CELLS                                                                                                          \
  { "N + M", 1, 0, 0 }
#define SLAB                                                                                                           \
  { "N^(2/3) + n", 2.0 / 3, 0, RESULTS }
#define LOG                                                                                                            \
  { "log N + n", 0, 1, RESULTS }
#define CONSTANT                                                                                                       \
  { "n", 0, 0, RESULTS }

static const struct theory {
  const char *method;
  growth build, rebuild, store, query;
  const char *worst;
} theories[] = {{"brute_force", LINEAR, LINEAR, LINEAR, LINEAR, "N"},
                {"sorted", LINEAR_LOG, LINEAR, LINEAR, SLAB, "N"},
                {"orthotree", DEPTH, DEPTH, DEPTH, {"D + n", 0, 1, RESULTS}, "N"},
                {"kdtree", LINEAR_LOG, LINEAR, LINEAR, LOG, "N^(2/3) + n"},
                {"sap", LINEAR_LOG, LINEAR, LINEAR, SLAB, "N"},
                {"lkdtree", LINEAR_LOG, LINEAR_LOG, LINEAR, LOG, "N"},
                {"lkdtree_packed", LINEAR, LINEAR, LINEAR, LOG, "N"},
                {"cells", CELLS, CELLS, CELLS, CONSTANT, "J + n"},
                {"cells_sparse", CELLS, CELLS, CELLS, CONSTANT, "J + n"},
                {"hash", LINEAR, LINEAR, LINEAR, CONSTANT, "N"},
                {"mlhash", LINEAR, LINEAR, LINEAR, CONSTANT, "N"},
                {"hhash", LINEAR, LINEAR, LINEAR, CONSTANT, "N"}};
enum { METHODS = sizeof theories / sizeof *theories };

static const struct theory *find_theory(const char *method) {
  static const struct theory unknown = {NULL, {"-", 0, 0, 0}, {"-", 0, 0, 0}, {"-", 0, 0, 0}, {"-", 0, 0, 0}, "-"};
  for (int i = 0; i < METHODS; ++i)
    if (!strcmp(theories[i].method, method)) return &theories[i];
  return &unknown;
}

static double evaluate_growth(const growth *g, double n) {
  return pow(n, g->power) * pow(log2(n), g->logs) + g->constant;
}

/* The slope of log y over log x. */
static double fit_exponent(const double *x, const double *y, int count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; ++i) {
    const double u = log(x[i]), v = log(y[i]);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

/* ----------------------------------------------------------------------------------------------------- measurements */

/* Boxes with an edge such that each query overlaps about RESULTS items, or points and queries twice as large. */
typedef struct box_set {
  bool points;
  int64_t count;
  double edge;
  double *centres, *moved;
  ipg_box *items, *moved_items, *queries;
} box_set;

static void make_boxes(ipg_box *boxes, const double *centres, int64_t count, double edge) {
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      boxes[i].lo[k] = centres[3 * i + k] - edge / 2;
      boxes[i].hi[k] = centres[3 * i + k] + edge / 2;
    }
}

static void fill_box_set(box_set *b) {
  random_source random = random_from(0);
  for (int64_t i = 0; i < 3 * b->count; ++i) b->moved[i] = random_unit(&random);
  make_boxes(b->queries, b->moved, b->count, (b->points ? 2 : 1) * b->edge);
  for (int64_t i = 0; i < b->count; ++i) {
    double direction[3];
    random_direction(&random, direction);
    for (int k = 0; k < 3; ++k) {
      b->centres[3 * i + k] = random_unit(&random);
      b->moved[3 * i + k] = b->centres[3 * i + k] + motion * b->edge * direction[k];
    }
  }
  make_boxes(b->items, b->centres, b->count, b->edge);
  make_boxes(b->moved_items, b->moved, b->count, b->edge);
}

static void destroy_box_set(box_set *b) {
  free(b->centres);
  free(b->moved);
  free(b->items);
  free(b->moved_items);
  free(b->queries);
  *b = (box_set){0};
}

static ipg_status create_box_set(box_set *b, int64_t count, bool points, ipg_error *error) {
  const size_t n = (size_t)count;
  *b = (box_set){.points = points, .count = count, .edge = cbrt(RESULTS / 8.0 / (double)count)};
  b->centres = malloc(3 * n * sizeof(double)), b->moved = malloc(3 * n * sizeof(double));
  b->items = malloc(n * sizeof(ipg_box)), b->moved_items = malloc(n * sizeof(ipg_box));
  b->queries = malloc(n * sizeof(ipg_box));
  if (b->centres && b->moved && b->items && b->moved_items && b->queries) {
    fill_box_set(b);
    return IPG_OK;
  }
  destroy_box_set(b);
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld boxes", (long long)count);
}

enum { BUILD, REBUILD, STORE, QUERY, COSTS };

/* The costs of a method for all sizes. */
typedef struct costs {
  int sizes;
  double n[MOST_SIZES], of[COSTS][MOST_SIZES]; /* ms, ms, MB, ms for each query */
  double results;
} costs;

static ipg_status set_items(ipg_search *search, const box_set *b, bool moved, ipg_error *error) {
  if (b->points) return ipg_search_set_points(search, moved ? b->moved : b->centres, b->count, NULL, error);
  if (moved) return ipg_search_move_boxes(search, b->moved_items, b->count, error);
  return ipg_search_set_boxes(search, b->items, b->count, NULL, error);
}

/* Builds, queries and moves. A tree over the queries, which some methods keep, is built within the query time. */
static ipg_status run_once(ipg_search *search, const box_set *b, pair_counter *found, const memory_meter *memory,
                           double cost[COSTS], ipg_error *error) {
  const double start = now_ms();
  ipg_status status = set_items(search, b, false, error);
  const double built = now_ms();
  cost[STORE] = (double)memory->in_use / 1e6;
  if (!status) status = ipg_search_query(search, b->queries, b->count, NULL, pair_counter_add, found, error);
  const double queried = now_ms();
  if (!status) status = set_items(search, b, true, error);
  cost[BUILD] = built - start, cost[REBUILD] = now_ms() - queried, cost[QUERY] = (queried - built) / (double)b->count;
  return status;
}

static bool is_slow(const double cost[COSTS], int64_t count) {
  return cost[BUILD] + cost[QUERY] * (double)count > slow_ms;
}

/* The minimum of all runs. Memory is that of the first run, which allocates it; later runs reuse it. */
static ipg_status measure_size(const char *method, const box_set *b, double minimum[COSTS], measurement *m,
                               ipg_error *error) {
  memory_meter memory = {0};
  ipg_search *search = NULL;
  ipg_search_config config = make_search_config(method);
  config.allocator = memory_meter_allocator(&memory);
  ipg_status status = ipg_search_create(&config, &search, error);
  for (int run = 0; !status && run < RUNS; ++run) {
    double cost[COSTS];
    pair_counter found = {0};
    status = run_once(search, b, &found, &memory, cost, error);
    for (int i = 0; i < COSTS; ++i)
      if (run == 0 || (i != STORE && cost[i] < minimum[i])) minimum[i] = cost[i];
    measurement_set_pairs(m, &found);
    if (is_slow(cost, b->count)) break;
  }
  ipg_search_destroy(&search);
  return status;
}

/* The pairs found by the first method at each size; all others must find the same. */
typedef struct agreement {
  const char *method[MOST_SIZES];
  measurement found[MOST_SIZES];
} agreement;

static ipg_status check_agreement(agreement *all, int i, const char *method, const measurement *m, ipg_error *error) {
  if (!all->method[i]) {
    all->method[i] = method, all->found[i] = *m;
    return IPG_OK;
  }
  if (all->found[i].pairs == m->pairs && all->found[i].checksum == m->checksum) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_BROKEN, "%s finds %lld pairs, but %s %lld", method, (long long)m->pairs,
                  all->method[i], (long long)all->found[i].pairs);
}

/* ----------------------------------------------------------------------------------------------------------- tables */

static void print_cost_columns(const costs *c, int which, double factor, int digits, const growth *theory) {
  double expected[MOST_SIZES];
  for (int i = 0; i < c->sizes; ++i) expected[i] = evaluate_growth(theory, c->n[i]);
  printf(" %.*f | %.*f | %.2f | %s", digits, factor * c->of[which][0], digits, factor * c->of[which][c->sizes - 1],
         fit_exponent(c->n, c->of[which], c->sizes), theory->text);
  if (theory->text[0] != '-') printf(" (%.2f)", fabs(fit_exponent(c->n, expected, c->sizes)));
  fputs(" |", stdout);
}

static void print_costs(const char *method, const costs *c) {
  const struct theory *theory = find_theory(method);
  printf("| %s | 2^%.0f |", method, log2(c->n[c->sizes - 1]));
  print_cost_columns(c, BUILD, 1, 2, &theory->build);
  print_cost_columns(c, REBUILD, 1, 2, &theory->rebuild);
  print_cost_columns(c, STORE, 1, 2, &theory->store);
  print_cost_columns(c, QUERY, 1000, 3, &theory->query);
  printf(" %s | %.2f |\n", theory->worst, c->results);
}

static ipg_status measure_method(const char *method, const box_set *box_sets, int sizes, agreement *all,
                                 ipg_error *error) {
  costs c = {0};
  bool slow = false;
  for (int i = 0; i < sizes && !slow; ++i) {
    double cost[COSTS];
    measurement m;
    ipg_status status = measure_size(method, &box_sets[i], cost, &m, error);
    if (!status) status = check_agreement(all, i, method, &m, error);
    if (status) return status;
    c.n[i] = (double)box_sets[i].count, c.sizes = i + 1;
    for (int k = 0; k < COSTS; ++k) c.of[k][i] = cost[k];
    c.results = (double)m.pairs / (double)box_sets[i].count;
    slow = is_slow(cost, box_sets[i].count);
  }
  print_costs(method, &c);
  return IPG_OK;
}

static ipg_status print_cost_table(bool quick, bool points, ipg_error *error) {
  const int first = quick ? 6 : 10, sizes = quick ? 4 : 9;
  box_set box_sets[MOST_SIZES] = {0};
  agreement all = {0};
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < sizes; ++i)
    status = create_box_set(&box_sets[i], (int64_t)1 << (first + i), points, error);
  printf("\n%s, from N = 2^%d to the N of the second column:\n", points ? "Points" : "Boxes", first);
  print_table_head("method | N to | b ms from | to | exponent | theory | r ms from | to | exponent | theory | "
                   "s MB from | to | exponent | theory | q µs from | to | exponent | theory | worst | n");
  for (const char *const *method = ipg_search_methods(); !status && *method; ++method) {
    print_progress("%s of %s", *method, points ? "points" : "boxes");
    status = measure_method(*method, box_sets, sizes, &all, error);
  }
  for (int i = 0; i < sizes; ++i) destroy_box_set(&box_sets[i]);
  return status;
}

ipg_status print_cost(bool quick, ipg_error *error) {
  printf("\n## cost: the cost model (Aivazis 2010)\n\n"
         "Uniform in a unit cube, in three dimensions: b is the time to build, r the time to rebuild after all items\n"
         "moved by %g of an edge (points are built again), s the memory, with a copy of the boxes where a method\n"
         "keeps one and the buffers of its sorts, q the mean time of one of N queries, each with n results.\n"
         "`exponent` is the e of N^e that fits best; `theory` is the growth in the lecture (for methods it does not\n"
         "have, in their papers), and in brackets the exponent that fits this growth over the same N. The lecture's\n"
         "log N + n of the kd-tree is the average; the worst case in three dimensions is N^(2/3) + n. With items\n"
         "sorted along one axis, a query in three dimensions compares all items of a slab: N^(2/3). Best of %d runs;\n"
         "an N that takes more than %g s is the last one and is measured once.\n",
         motion, RUNS, slow_ms / 1e3);
  const ipg_status status = print_cost_table(quick, false, error);
  return status ? status : print_cost_table(quick, true, error);
}
