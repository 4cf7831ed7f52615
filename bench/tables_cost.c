/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The cost model of Aivazis 2010: b(N) to fill the structure, r(N) to mend it after a small motion, s(N) to store it,
 * q(N, n) to ask once when n answers are there. How each grows is fitted in log-log by least squares, over the same N
 * as the growth that is claimed. Questions come as many at a time as there are items, as in a contact search. */
#include "probe.h"
#include "random.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 16, RUNS = 3, ANSWERS = 8 };
static const double slow_ms = 500, motion = 0.01;

/* -------------------------------------------------------------------------------------------------- what is claimed */

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
  { "N^(2/3) + n", 2.0 / 3, 0, ANSWERS }
#define LOG                                                                                                            \
  { "log N + n", 0, 1, ANSWERS }
#define CONSTANT                                                                                                       \
  { "n", 0, 0, ANSWERS }

static const struct claim {
  const char *method;
  growth build, rebuild, store, ask;
  const char *worst;
} claims[] = {{"brute_force", LINEAR, LINEAR, LINEAR, LINEAR, "N"},
              {"sorted", LINEAR_LOG, LINEAR, LINEAR, SLAB, "N"},
              {"orthotree", DEPTH, DEPTH, DEPTH, {"D + n", 0, 1, ANSWERS}, "N"},
              {"kdtree", LINEAR_LOG, LINEAR, LINEAR, LOG, "N^(2/3) + n"},
              {"sap", LINEAR_LOG, LINEAR, LINEAR, SLAB, "N"},
              {"lkdtree", LINEAR_LOG, LINEAR_LOG, LINEAR, LOG, "N"},
              {"lkdtree_packed", LINEAR, LINEAR, LINEAR, LOG, "N"},
              {"cells", CELLS, CELLS, CELLS, CONSTANT, "J + n"},
              {"cells_sparse", CELLS, CELLS, CELLS, CONSTANT, "J + n"},
              {"hash", LINEAR, LINEAR, LINEAR, CONSTANT, "N"},
              {"mlhash", LINEAR, LINEAR, LINEAR, CONSTANT, "N"},
              {"hhash", LINEAR, LINEAR, LINEAR, CONSTANT, "N"}};
enum { CLAIMS = sizeof claims / sizeof *claims };

static const struct claim *claim_of(const char *method) {
  static const struct claim unknown = {NULL, {"-", 0, 0, 0}, {"-", 0, 0, 0}, {"-", 0, 0, 0}, {"-", 0, 0, 0}, "-"};
  for (int i = 0; i < CLAIMS; ++i)
    if (!strcmp(claims[i].method, method)) return &claims[i];
  return &unknown;
}

static double grown(const growth *g, double n) { return pow(n, g->power) * pow(log2(n), g->logs) + g->constant; }

/* The slope of log y over log x. */
static double exponent(const double *x, const double *y, int count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; ++i) {
    const double u = log(x[i]), v = log(y[i]);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

/* ------------------------------------------------------------------------------------------------- what is measured */

/* Boxes of an edge at which each query meets some ANSWERS items, or points and queries twice as large. */
typedef struct crowd {
  bool points;
  int64_t count;
  double edge;
  double *centres, *moved;
  ipg_box *items, *moved_items, *queries;
} crowd;

static void put_boxes(ipg_box *boxes, const double *centres, int64_t count, double edge) {
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      boxes[i].lo[k] = centres[3 * i + k] - edge / 2;
      boxes[i].hi[k] = centres[3 * i + k] + edge / 2;
    }
}

static void fill_crowd(crowd *c) {
  random_source random = random_from(0);
  for (int64_t i = 0; i < 3 * c->count; ++i) c->moved[i] = random_unit(&random);
  put_boxes(c->queries, c->moved, c->count, (c->points ? 2 : 1) * c->edge);
  for (int64_t i = 0; i < c->count; ++i) {
    double direction[3];
    random_direction(&random, direction);
    for (int k = 0; k < 3; ++k) {
      c->centres[3 * i + k] = random_unit(&random);
      c->moved[3 * i + k] = c->centres[3 * i + k] + motion * c->edge * direction[k];
    }
  }
  put_boxes(c->items, c->centres, c->count, c->edge);
  put_boxes(c->moved_items, c->moved, c->count, c->edge);
}

static void destroy_crowd(crowd *c) {
  free(c->centres);
  free(c->moved);
  free(c->items);
  free(c->moved_items);
  free(c->queries);
  *c = (crowd){0};
}

static ipg_status create_crowd(crowd *c, int64_t count, bool points, ipg_error *error) {
  const size_t n = (size_t)count;
  *c = (crowd){.points = points, .count = count, .edge = cbrt(ANSWERS / 8.0 / (double)count)};
  c->centres = malloc(3 * n * sizeof(double)), c->moved = malloc(3 * n * sizeof(double));
  c->items = malloc(n * sizeof(ipg_box)), c->moved_items = malloc(n * sizeof(ipg_box));
  c->queries = malloc(n * sizeof(ipg_box));
  if (c->centres && c->moved && c->items && c->moved_items && c->queries) {
    fill_crowd(c);
    return IPG_OK;
  }
  destroy_crowd(c);
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld boxes", (long long)count);
}

enum { BUILD, REBUILD, STORE, ASK, COSTS };

/* By size. */
typedef struct costs {
  int sizes;
  double n[MOST_SIZES], of[COSTS][MOST_SIZES]; /* ms, ms, MB, ms for each query */
  double answers;
} costs;

static ipg_status set(ipg_search *search, const crowd *c, bool moved, ipg_error *error) {
  if (c->points) return ipg_search_set_points(search, moved ? c->moved : c->centres, c->count, NULL, error);
  if (moved) return ipg_search_move_boxes(search, c->moved_items, c->count, error);
  return ipg_search_set_boxes(search, c->items, c->count, NULL, error);
}

/* Set, ask, and move: the tree of queries that a method may keep is made for this question. */
static ipg_status run_once(ipg_search *search, const crowd *c, tally *found, const meter *memory, double cost[COSTS],
                           ipg_error *error) {
  const double start = now_ms();
  ipg_status status = set(search, c, false, error);
  const double built = now_ms();
  cost[STORE] = (double)memory->live / 1e6;
  if (!status) status = ipg_search_query(search, c->queries, c->count, NULL, tally_add, found, error);
  const double asked = now_ms();
  if (!status) status = set(search, c, true, error);
  cost[BUILD] = built - start, cost[REBUILD] = now_ms() - asked, cost[ASK] = (asked - built) / (double)c->count;
  return status;
}

static bool is_slow(const double cost[COSTS], int64_t count) {
  return cost[BUILD] + cost[ASK] * (double)count > slow_ms;
}

/* The least of all runs; the first finds new memory, which is stored but not timed again. */
static ipg_status measure(const char *method, const crowd *c, double least[COSTS], measurement *answer,
                          ipg_error *error) {
  meter memory = {0};
  ipg_search *search = NULL;
  ipg_search_config config = config_of(method);
  config.allocator = meter_allocator(&memory);
  ipg_status status = ipg_search_create(&config, &search, error);
  for (int run = 0; !status && run < RUNS; ++run) {
    double cost[COSTS];
    tally found = {0};
    status = run_once(search, c, &found, &memory, cost, error);
    for (int i = 0; i < COSTS; ++i)
      if (run == 0 || (i != STORE && cost[i] < least[i])) least[i] = cost[i];
    measurement_count(answer, &found);
    if (is_slow(cost, c->count)) break;
  }
  ipg_search_destroy(&search);
  return status;
}

/* What the first method found at each size; all others must find it too. */
typedef struct agreement {
  const char *method[MOST_SIZES];
  measurement found[MOST_SIZES];
} agreement;

static ipg_status check(agreement *all, int i, const char *method, const measurement *m, ipg_error *error) {
  if (!all->method[i]) {
    all->method[i] = method, all->found[i] = *m;
    return IPG_OK;
  }
  if (all->found[i].pairs == m->pairs && all->found[i].checksum == m->checksum) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_BROKEN, "%s finds %lld pairs, but %s %lld", method, (long long)m->pairs,
                  all->method[i], (long long)all->found[i].pairs);
}

/* ----------------------------------------------------------------------------------------------------------- tables */

static void print_one(const costs *c, int which, double factor, int digits, const growth *claimed) {
  double theirs[MOST_SIZES];
  for (int i = 0; i < c->sizes; ++i) theirs[i] = grown(claimed, c->n[i]);
  printf(" %.*f | %.*f | %.2f | %s", digits, factor * c->of[which][0], digits, factor * c->of[which][c->sizes - 1],
         exponent(c->n, c->of[which], c->sizes), claimed->text);
  if (claimed->text[0] != '-') printf(" (%.2f)", fabs(exponent(c->n, theirs, c->sizes)));
  fputs(" |", stdout);
}

static void print_costs(const char *method, const costs *c) {
  const struct claim *claim = claim_of(method);
  printf("| %s | 2^%.0f |", method, log2(c->n[c->sizes - 1]));
  print_one(c, BUILD, 1, 2, &claim->build);
  print_one(c, REBUILD, 1, 2, &claim->rebuild);
  print_one(c, STORE, 1, 2, &claim->store);
  print_one(c, ASK, 1000, 3, &claim->ask);
  printf(" %s | %.2f |\n", claim->worst, c->answers);
}

static ipg_status measure_method(const char *method, const crowd *crowds, int sizes, agreement *all, ipg_error *error) {
  costs c = {0};
  bool slow = false;
  for (int i = 0; i < sizes && !slow; ++i) {
    double cost[COSTS];
    measurement m;
    ipg_status status = measure(method, &crowds[i], cost, &m, error);
    if (!status) status = check(all, i, method, &m, error);
    if (status) return status;
    c.n[i] = (double)crowds[i].count, c.sizes = i + 1;
    for (int k = 0; k < COSTS; ++k) c.of[k][i] = cost[k];
    c.answers = (double)m.pairs / (double)crowds[i].count;
    slow = is_slow(cost, crowds[i].count);
  }
  print_costs(method, &c);
  return IPG_OK;
}

static ipg_status print_kind(bool quick, bool points, ipg_error *error) {
  const int first = quick ? 6 : 10, sizes = quick ? 4 : 9;
  crowd crowds[MOST_SIZES] = {0};
  agreement all = {0};
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < sizes; ++i)
    status = create_crowd(&crowds[i], (int64_t)1 << (first + i), points, error);
  printf("\n%s, from N = 2^%d to the N of the second column:\n", points ? "Points" : "Boxes", first);
  print_head("method | N to | b ms from | to | grows | claimed | r ms from | to | grows | claimed | s MB from | to | "
             "grows | claimed | q µs from | to | grows | claimed | worst | n");
  for (const char *const *method = ipg_search_methods(); !status && *method; ++method) {
    progress("%s of %s", *method, points ? "points" : "boxes");
    status = measure_method(*method, crowds, sizes, &all, error);
  }
  for (int i = 0; i < sizes; ++i) destroy_crowd(&crowds[i]);
  return status;
}

ipg_status print_cost(bool quick, ipg_error *error) {
  printf(
      "\n## cost: the cost model (Aivazis 2010)\n\n"
      "Uniform in a unit cube, in three dimensions: b the time to build, r to build again after everything moved by\n"
      "%g of an edge (points are set anew), s what is stored, with a copy of the boxes where a method keeps one and\n"
      "the scratch of its sorts, q the mean time of one of N queries asked together, each with n answers. `grows` is\n"
      "the exponent e of N^e that fits best; `claimed` is the lecture's growth (for methods it does not have, that\n"
      "of their papers), and in brackets the exponent that fits it over the same N. The lecture's log N + n of the\n"
      "kd-tree is its average; in three dimensions the worst is N^(2/3) + n. Sorted along one axis, a query in three\n"
      "dimensions meets all of a slab: N^(2/3). Best of %d runs; an N that takes more than %g s is measured once, and "
      "last.\n",
      motion, RUNS, slow_ms / 1e3);
  const ipg_status status = print_kind(quick, false, error);
  return status ? status : print_kind(quick, true, error);
}
