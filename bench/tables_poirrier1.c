/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Poirrier 2009, table 1: what cutting boxes does for the linear kd-tree. The volume of the cells is read off the
 * records inside the search; candidates are those of the raw sweep, which meets a pair up to eight times. */
#include "probe.h"
#include "search/lkdtree.h"
#include "tables.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

typedef struct figures {
  double records, volume;
  int64_t candidates, truths; /* truths: spheres that overlap, as often as their pair is met */
} figures;

static const struct table_row {
  double density;
  figures without, with;
} rows[] = {{0.01, {1, 8.0275e6, 1261197, 389}, {6.37, 10.9362, 4928, 429}},
            {0.05, {1, 1.5836e6, 1834155, 1901}, {6.67, 10.8227, 25643, 2660}},
            {0.1, {1, 1.3439e6, 2300212, 3715}, {6.24, 13.4065, 62148, 6235}},
            {0.5, {1, 2.9324e6, 4193598, 16227}, {6.35, 13.4745, 280736, 63454}},
            {1.0, {1, 4.0032e6, 5552230, 28144}, {6.01, 12.5170, 492790, 72176}}};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct overlaps {
  const scene *asked;
  int64_t count;
} overlaps;

/* Equal spheres overlap if their centres are nearer than an edge of their boxes. */
static void count_overlaps(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  overlaps *o = context;
  for (int64_t i = 0; i < count; ++i) {
    const ipg_box *a = &o->asked->items[pairs[i].a], *b = &o->asked->items[pairs[i].b];
    const double edge = a->hi[0] - a->lo[0];
    double square = 0;
    for (int k = 0; k < 3; ++k) square += (a->lo[k] - b->lo[k]) * (a->lo[k] - b->lo[k]);
    o->count += square < edge * edge;
  }
}

/* Of all cells of all records, in parts of the volume of all spheres. */
static double volume_ratio(const ipg_search *search, const scene *asked) {
  const lkdtree *tree = search->state;
  const ipg_bounds *bounds = &search->items.bounds;
  const double radius = (asked->items[0].hi[0] - asked->items[0].lo[0]) / 2;
  double cells = 0, root = 1;
  for (int k = 0; k < 3; ++k) root *= bounds->hi[k] - bounds->lo[k];
  for (int64_t i = 0; i < tree->items.count; ++i) cells += ldexp(root, -key_length(key_at(&tree->items, i)));
  return cells / ((double)asked->item_count * 4 / 3 * pi * radius * radius * radius);
}

static ipg_status measure(const scene *asked, ipg_split split, bool raw, figures *out, ipg_error *error) {
  ipg_search_config config = config_of("lkdtree");
  config.lkdtree.split = split, config.lkdtree.raw = raw;
  overlaps found = {.asked = asked};
  probe p;
  ipg_status status = probe_create(&p, "lkdtree", &config, error);
  if (status) return status;
  p.sink = count_overlaps, p.context = &found;
  status = probe_answer(&p, asked, false, error);
  *out = (figures){.records = (double)p.counters.records / (double)asked->item_count,
                   .volume = volume_ratio(p.search, asked),
                   .candidates = p.pairs,
                   .truths = found.count};
  probe_destroy(&p);
  return status;
}

static double farthest_off(const figures *ours, const figures *theirs) {
  double most = 0;
  const double a[] = {ours->records, ours->volume, (double)ours->candidates, (double)ours->truths};
  const double b[] = {theirs->records, theirs->volume, (double)theirs->candidates, (double)theirs->truths};
  for (int i = 0; i < 4; ++i) most = fmax(most, fabs(a[i] / b[i] - 1));
  return most;
}

static bool print_row(double density, const char *cut, const figures *ours, const figures *theirs) {
  const bool off = farthest_off(ours, theirs) > 0.3;
  printf("| %g | %s%s | %.2f | %.2f | %.4g | %.4g | %lld | %lld | %lld | %lld |\n", density, cut, off ? " *" : "",
         ours->records, theirs->records, ours->volume, theirs->volume, (long long)ours->candidates,
         (long long)theirs->candidates, (long long)ours->truths, (long long)theirs->truths);
  return off;
}

/* Each pair once, cut or not, must be the spheres that overlap. */
static ipg_status check_once(const scene *asked, const figures *without, ipg_error *error) {
  figures once;
  const ipg_status status = measure(asked, IPG_SPLIT_USEFUL, false, &once, error);
  if (status || once.truths == without->truths) return status;
  return ipg_fail(error, IPG_ERROR_BROKEN, "of %lld pairs of spheres %lld are found when boxes are cut",
                  (long long)without->truths, (long long)once.truths);
}

static ipg_status measure_row(const struct table_row *row, int64_t count, bool *off, ipg_error *error) {
  const workload_request request = {.name = "spheres", .size = count, .density = row->density, .seed = 1};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  figures without, with;
  ipg_status status = workload_create(&request, &serial, &w, error);
  if (status) return status;
  status = measure(workload_scene(w), IPG_SPLIT_NONE, true, &without, error);
  if (!status) status = measure(workload_scene(w), IPG_SPLIT_USEFUL, true, &with, error);
  if (!status) status = check_once(workload_scene(w), &without, error);
  workload_destroy(&w);
  if (status) return status;
  *off |= print_row(row->density, "no", &without, &row->without);
  *off |= print_row(row->density, "yes", &with, &row->with);
  return IPG_OK;
}

static void explain(void) {
  puts("\n`*` Some figure is more than 30 % from the paper's; what is known of the reasons:\n\n"
       "- Interest box: ours is the box of all boxes, so V_n/V_e cannot be more than about N/d. The paper's figures\n"
       "  without cuts are 8 to 400 times that: its root cell must have been as many times larger than the cloud.\n"
       "- Placement: the planes of the largest cells then meet the cloud elsewhere, and what straddles them decides\n"
       "the   candidates without cuts. Here they halve the cloud, so that as many spheres as can be straddle them.\n"
       "- Code length: ours has 57 bits, so that no small cell is clipped; the paper does not give its own.\n"
       "- True pairs without cuts: some 4 d N less what the rim loses; the paper's spheres lie in some cuboid.\n"
       "- True pairs with cuts: a pair is met once for each two records whose cells enclose each other, up to eight\n"
       "  times; that depends on where boxes were cut. The search itself reports each once: the row without cuts.");
}

ipg_status print_poirrier1(bool quick, ipg_error *error) {
  const int64_t count = quick ? 1000 : 10000;
  bool off = false;
  printf(
      "\n## poirrier1: cutting boxes (Poirrier 2009, table 1)\n\n"
      "N = %lld equal spheres (the paper: 10000) with centres anywhere in a cube, d their volume in parts of the\n"
      "cube's; a linear kd-tree without and with cuts. Records in parts of N; V_n/V_e is the volume of the cells of\n"
      "all records by that of all spheres; candidates and overlapping spheres as the raw sweep meets them.\n",
      (long long)count);
  print_head("d | cuts | records | paper | V_n/V_e | paper | candidates | paper | true | paper");
  for (int i = 0; i < ROWS; ++i) {
    const ipg_status status = measure_row(&rows[i], count, &off, error);
    if (status) return status;
  }
  if (off) explain();
  return IPG_OK;
}
