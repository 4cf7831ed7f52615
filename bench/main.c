/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The command line of impinge-bench, which measures methods and libraries on the same work. A wrong option is refused
 * with one line on stderr and exit code 2. */
#include "ccd_bench.h"
#include "contact_bench.h"
#include "peers/peer.h"
#include "search_bench.h"
#include "skin_bench.h"
#include "tables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64, MOST_RUNS = 1000, MOST_STEPS = 100000 };

static void print_search_help(void) {
  fputs(
      "search: all pairs of overlapping boxes, found by several methods that must find the same; times in ms, best of\n"
      "the runs.\n\n"
      "  --workload NAME     scene, default spheres; one of:",
      stdout);
  for (const char *const *name = workload_names(); *name; ++name) printf(" %s", *name);
  fputs("\n  --size N            number of boxes, default 10000\n"
        "  --method LIST       all, the default, or names separated by commas, of:",
        stdout);
  for (const char *const *name = ipg_search_methods(); *name; ++name) printf(" %s", *name);
  fputs("\n  --threads T         default 1\n"
        "  --runs R            default 3\n"
        "  --density D         spheres, settled: their volume over that of the cube, default 0.1\n"
        "  --queries Q         pouchol: number of segments, default 100 per object\n"
        "  --steps S           coherent: number of steps, default 50; times are means per step\n"
        "  --seed X            seed of the random numbers, default 0\n"
        "  --peers             measure other libraries too; in this build:",
        stdout);
  for (const peer *const *other = bench_peers(); *other; ++other) printf(" %s", (*other)->name);
  fputs(bench_peers()[0] ? "\n" : " none\n", stdout);
}

static void print_tables_help(void) {
  fputs("\ntables: the tables and figures of the papers, measured again, beside the published figures, as Markdown.\n\n"
        "  --only NAME         one table, of:",
        stdout);
  for (const char *const *name = table_names(); *name; ++name) printf(" %s", *name);
  fputs("\n  --quick             tiny sizes, to check that everything works\n", stdout);
}

static void print_skin_help(void) {
  fputs(
      "\nskin: the time to build the skin of a box of tetrahedra, compared with a qsort of all sides: as the box was\n"
      "made, with shuffled nodes, and with shuffled elements too; and the time to read the box from a file. Times in\n"
      "ms, best of the runs; peak memory.\n\n"
      "  --size N            number of elements, about, default 1000000\n"
      "  --threads T         default 1\n"
      "  --runs R            default 3\n",
      stdout);
}

static void print_contact_help(void) {
  fputs("\ncontact: the time of the whole contact step on a pile of balls and boxes that move on small circles, with\n"
        "candidate pairs reused from step to step, and with a search at every step; ns per face and step, best of the\n"
        "runs.\n\n"
        "  --faces N           number of faces, about, default 20000\n"
        "  --motion M          motion of each body per step, in edges, default 0.02\n"
        "  --search-margin S   search margin, in edges, 0 to 10; default: that of the library\n"
        "  --steps S           steps per run, default 50\n"
        "  --threads T         default 1\n"
        "  --runs R            default 3\n",
        stdout);
}

static void print_ccd_help(void) {
  fputs("\nccd: the time of continuous collision detection on all pairs that a search finds; microseconds per pair,\n"
        "best of the runs.\n\n"
        "  --data FOLDER       the published scenes in FOLDER/ccd; default: generated bodies that touch\n"
        "  --size N            generated bodies: number of faces, default 100000\n"
        "  --separation S      distance that counts as a touch, in mean edges, default 0\n"
        "  --runs R            default 3\n"
        "  --seed X            generated bodies: seed of the random numbers, default 0\n",
        stdout);
}

/* Returns 0, the exit code. */
static int print_help(void) {
  fputs("usage: impinge-bench search [options]\n"
        "       impinge-bench tables [--only NAME] [--quick]\n"
        "       impinge-bench skin [--size N] [--threads T] [--runs R]\n"
        "       impinge-bench contact [--faces N] [--motion M] [--search-margin S] [--steps N] "
        "[--threads T] [--runs R]\n"
        "       impinge-bench ccd [options]\n\n",
        stdout);
  print_search_help();
  print_tables_help();
  print_skin_help();
  print_contact_help();
  print_ccd_help();
  fputs("\nexamples:\n"
        "  impinge-bench search --workload contact --size 100000 --method all --threads 2\n"
        "  impinge-bench tables --only shape --quick\n"
        "  impinge-bench skin --size 1000000 --threads 2\n"
        "  impinge-bench contact --faces 200000 --threads 2\n"
        "  impinge-bench ccd --size 100000\n",
        stdout);
  return 0;
}

static bool read_count(const char *text, int64_t least, int64_t most, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return !errno && end != text && !*end && *value >= least && *value <= most;
}

static bool read_small_count(const char *text, int most, int *value) {
  int64_t number;
  const bool ok = read_count(text, 1, most, &number);
  *value = (int)number;
  return ok;
}

static bool read_positive(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && !*end && *value > 0 && isfinite(*value);
}

/* Reads an option with a value; returns NULL or an error message. */
static const char *read_option(search_request *r, const char *name, const char *value) {
  int64_t seed = 0;
  if (!strcmp(name, "--workload")) return r->workload.name = value, NULL;
  if (!strcmp(name, "--method")) return r->methods = value, NULL;
  if (!strcmp(name, "--size"))
    return read_count(value, 1, IPG_ID_MAX - 1, &r->workload.size) ? NULL : "must be a whole number above 0";
  if (!strcmp(name, "--queries"))
    return read_count(value, 1, IPG_ID_MAX - 1, &r->workload.queries) ? NULL : "must be a whole number above 0";
  if (!strcmp(name, "--threads")) return read_small_count(value, MOST_THREADS, &r->threads) ? NULL : "must be 1 to 64";
  if (!strcmp(name, "--runs")) return read_small_count(value, MOST_RUNS, &r->runs) ? NULL : "must be 1 to 1000";
  if (!strcmp(name, "--steps"))
    return read_small_count(value, MOST_STEPS, &r->workload.steps) ? NULL : "must be 1 to 100000";
  if (!strcmp(name, "--density")) return read_positive(value, &r->workload.density) ? NULL : "must be above 0";
  if (!strcmp(name, "--seed")) {
    const bool ok = read_count(value, 0, INT64_MAX, &seed);
    r->workload.seed = (uint64_t)seed;
    return ok ? NULL : "must be a whole number";
  }
  return "is not an option; --help lists them";
}

/* Prints "impinge-bench: what why" on stderr; returns 2, the exit code. */
static int refuse_argument(const char *what, const char *why) {
  fprintf(stderr, "impinge-bench: %s%s%s\n", what, *what ? " " : "", why);
  return 2;
}

static int search_command(int argc, char **argv) {
  search_request r = {.workload.name = "spheres", .methods = "all", .threads = 1, .runs = 3};
  for (int i = 2; i < argc; ++i) {
    if (!strcmp(argv[i], "--help")) return print_help();
    if (!strcmp(argv[i], "--peers")) {
      r.peers = true;
      continue;
    }
    const char *wrong = read_option(&r, argv[i], i + 1 < argc ? argv[i + 1] : "");
    if (wrong) return refuse_argument(argv[i], wrong);
    ++i;
  }
  const char *wrong = check_workload_request(&r.workload);
  if (!wrong) wrong = check_search_request(&r);
  return wrong ? refuse_argument("", wrong) : search_bench(&r);
}

#ifdef IMPINGE_BENCH_MESHES
/* Reads an option; returns NULL or an error message. */
static const char *read_skin_option(skin_request *r, const char *name, const char *value) {
  if (!strcmp(name, "--size")) return read_count(value, 1, IPG_ID_MAX / 8, &r->size) ? NULL : "must be 1 to 268435455";
  if (!strcmp(name, "--threads")) return read_small_count(value, MOST_THREADS, &r->threads) ? NULL : "must be 1 to 64";
  if (!strcmp(name, "--runs")) return read_small_count(value, MOST_RUNS, &r->runs) ? NULL : "must be 1 to 1000";
  return "is not an option; --help lists them";
}

static int skin_command(int argc, char **argv) {
  skin_request r = {.size = 1000000, .threads = 1, .runs = 3};
  for (int i = 2; i < argc; i += 2) {
    if (!strcmp(argv[i], "--help")) return print_help();
    const char *wrong = read_skin_option(&r, argv[i], i + 1 < argc ? argv[i + 1] : "");
    if (wrong) return refuse_argument(argv[i], wrong);
  }
  return skin_bench(&r);
}

static bool read_number(const char *text, double least, double most, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && !*end && *value >= least && *value <= most;
}

/* Reads an option; returns NULL or an error message. */
static const char *read_contact_option(contact_request *r, const char *name, const char *value) {
  if (!strcmp(name, "--faces"))
    return read_count(value, 1, IPG_ID_MAX / 8, &r->faces) ? NULL : "must be 1 to 268435455";
  if (!strcmp(name, "--motion")) return read_number(value, 0, 10, &r->motion) ? NULL : "must be 0 to 10";
  if (!strcmp(name, "--search-margin")) return read_number(value, 0, 10, &r->search_margin) ? NULL : "must be 0 to 10";
  if (!strcmp(name, "--skin")) return "is now --search-margin";
  if (!strcmp(name, "--steps")) return read_small_count(value, MOST_STEPS, &r->steps) ? NULL : "must be 1 to 100000";
  if (!strcmp(name, "--threads")) return read_small_count(value, MOST_THREADS, &r->threads) ? NULL : "must be 1 to 64";
  if (!strcmp(name, "--runs")) return read_small_count(value, MOST_RUNS, &r->runs) ? NULL : "must be 1 to 1000";
  return "is not an option; --help lists them";
}

static int contact_command(int argc, char **argv) {
  contact_request r = {.faces = 20000, .motion = 0.02, .search_margin = -1, .threads = 1, .steps = 50, .runs = 3};
  for (int i = 2; i < argc; i += 2) {
    if (!strcmp(argv[i], "--help")) return print_help();
    const char *wrong = read_contact_option(&r, argv[i], i + 1 < argc ? argv[i + 1] : "");
    if (wrong) return refuse_argument(argv[i], wrong);
  }
  return contact_bench(&r);
}
#else
static int skin_command(int argc, char **argv) {
  (void)argc;
  return refuse_argument(argv[1], "is not in this build, because libexodusii was not found");
}

static int contact_command(int argc, char **argv) { return skin_command(argc, argv); }
#endif

static bool is_table(const char *name) {
  for (const char *const *table = table_names(); *table; ++table)
    if (!strcmp(*table, name)) return true;
  return false;
}

static int tables_command(int argc, char **argv) {
  tables_request r = {0};
  for (int i = 2; i < argc; ++i) {
    if (!strcmp(argv[i], "--help")) return print_help();
    if (!strcmp(argv[i], "--quick")) {
      r.quick = true;
    } else if (strcmp(argv[i], "--only")) {
      return refuse_argument(argv[i], "is not an option; --help lists them");
    } else {
      r.only = i + 1 < argc ? argv[++i] : "";
      if (!is_table(r.only)) return refuse_argument("--only", "is not the name of a table; --help lists them");
    }
  }
  return tables_bench(&r);
}

/* Reads an option; returns NULL or an error message. */
static const char *read_ccd_option(ccd_request *r, const char *name, const char *value) {
  int64_t seed = 0;
  if (!strcmp(name, "--data")) return r->data = value, *value ? NULL : "must name a folder";
  if (!strcmp(name, "--size")) return read_count(value, 1, IPG_ID_MAX / 8, &r->size) ? NULL : "must be above 0";
  if (!strcmp(name, "--runs")) return read_small_count(value, MOST_RUNS, &r->runs) ? NULL : "must be 1 to 1000";
  if (!strcmp(name, "--separation"))
    return read_positive(value, &r->separation) || !strcmp(value, "0") ? NULL : "must be 0 or more";
  if (strcmp(name, "--seed")) return "is not an option; --help lists them";
  const bool ok = read_count(value, 0, INT64_MAX, &seed);
  r->seed = (uint64_t)seed;
  return ok ? NULL : "must be a whole number";
}

static int ccd_command(int argc, char **argv) {
  ccd_request r = {.size = 100000, .runs = 3};
  for (int i = 2; i < argc; i += 2) {
    if (!strcmp(argv[i], "--help")) return print_help();
    const char *wrong = read_ccd_option(&r, argv[i], i + 1 < argc ? argv[i + 1] : "");
    if (wrong) return refuse_argument(argv[i], wrong);
  }
  return ccd_bench(&r);
}

int main(int argc, char **argv) {
  if (argc < 2) return refuse_argument("", "give a subcommand: search, tables, skin, contact or ccd; see --help");
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return print_help();
  if (!strcmp(argv[1], "search")) return search_command(argc, argv);
  if (!strcmp(argv[1], "tables")) return tables_command(argc, argv);
  if (!strcmp(argv[1], "skin")) return skin_command(argc, argv);
  if (!strcmp(argv[1], "contact")) return contact_command(argc, argv);
  if (!strcmp(argv[1], "ccd")) return ccd_command(argc, argv);
  return refuse_argument(argv[1], "is not a subcommand: give search, tables, skin, contact or ccd");
}
