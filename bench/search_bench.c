/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Creates the entrants, measures them in turns, prints the table, and checks that all found the same pairs: without
 * this check the times are meaningless. */
#include "search_bench.h"
#include "entrants.h"
#include "peers/peer.h"

#include <string.h>

enum { MOST_ENTRANTS = 64, MOST_BOXES_FOR_QUADRATIC = 50000 };

typedef struct comparison {
  const search_request *request;
  ipg_tasks tasks;
  workload *workload;
  entrant entrants[MOST_ENTRANTS];
  int count;
} comparison;

/* --------------------------------------------------------------------------------------------------------- entrants */

/* True if `name` is in a list separated by commas. */
static bool is_listed(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (const char *word = list; word; word = strchr(word, ',')) {
    word += *word == ',';
    if (!strncmp(word, name, length) && (word[length] == ',' || !word[length])) return true;
  }
  return false;
}

static bool is_method(const char *word, size_t length) {
  for (const char *const *method = ipg_search_methods(); *method; ++method)
    if (strlen(*method) == length && !strncmp(*method, word, length)) return true;
  return false;
}

const char *check_search_request(const search_request *request) {
  if (request->peers && !bench_peers()[0]) return "--peers: this build has no peers";
  if (!strcmp(request->methods, "all")) return NULL;
  for (const char *word = request->methods;; ++word) {
    const size_t length = strcspn(word, ",");
    if (!is_method(word, length)) return "--method has a name that is no method; --help lists them";
    word += length;
    if (!*word) return NULL;
  }
}

static bool is_too_slow(const comparison *c, const char *method, bool quadratic) {
  const scene *input = workload_scene(c->workload);
  if (!quadratic || input->item_count + input->query_count <= MOST_BOXES_FOR_QUADRATIC) return false;
  fprintf(stderr, "impinge-bench: %s is left out above %d boxes; --method %s includes it\n", method,
          MOST_BOXES_FOR_QUADRATIC, method);
  return true;
}

static ipg_status add_method(comparison *c, const char *method, ipg_error *error) {
  bool reuses = false;
  char rebuilt[48];
  ipg_status status = IPG_OK;
  if (workload_steps(c->workload) > 1) status = find_method_reuse(method, c->workload, &c->tasks, &reuses, error);
  if (!status) status = create_method_entrant(method, reuses, method, &c->tasks, &c->entrants[c->count], error);
  if (status) return status;
  c->count++;
  if (!reuses) return IPG_OK;
  snprintf(rebuilt, sizeof rebuilt, "%s(rebuilt)", method);
  status = create_method_entrant(method, false, rebuilt, &c->tasks, &c->entrants[c->count], error);
  c->count += !status;
  return status;
}

static ipg_status add_methods(comparison *c, ipg_error *error) {
  const bool all = !strcmp(c->request->methods, "all");
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    bool quadratic = false;
    ipg_status status = IPG_OK;
    if (!all && !is_listed(c->request->methods, *method)) continue;
    if (all) status = find_method_quadratic(*method, &quadratic, error);
    if (!status && is_too_slow(c, *method, quadratic)) continue;
    if (!status) status = add_method(c, *method, error);
    if (status) return status;
  }
  return IPG_OK;
}

static ipg_status add_peers(comparison *c, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (const peer *const *other = bench_peers(); !status && *other; ++other) {
    status = create_peer_entrant(*other, c->request->threads, &c->entrants[c->count], error);
    c->count += !status;
  }
  return status;
}

static ipg_status add_entrants(comparison *c, ipg_error *error) {
  ipg_status status = add_methods(c, error);
  if (!status && c->request->peers) status = add_peers(c, error);
  if (!status) status = create_sort_entrant(&c->tasks, &c->entrants[c->count], error);
  c->count += !status;
  return status;
}

/* ---------------------------------------------------------------------------------------------------------- results */

static bool have_same_pairs(const entrant *a, const entrant *b) {
  return a->best.pairs < 0 || b->best.pairs < 0 ||
         (a->best.pairs == b->best.pairs && a->best.checksum == b->best.checksum);
}

/* Returns the exit code. */
static int print_results(const comparison *c) {
  int failed = 0;
  const entrant *first = &c->entrants[0];
  print_measurement_columns(stdout);
  for (int i = 0; i < c->count; ++i)
    print_measurement(stdout, c->request->workload.name, workload_scene(c->workload)->item_count, &c->entrants[i]);
  for (int i = 1; i < c->count; ++i) {
    const entrant *other = &c->entrants[i];
    if (have_same_pairs(first, other)) continue;
    failed = 1;
    fprintf(stderr, "impinge-bench: %s differs from %s: %lld pairs, checksum %016llx\n", other->name, first->name,
            (long long)other->best.pairs, (unsigned long long)other->best.checksum);
  }
  return failed;
}

static ipg_status run_comparison(comparison *c, ipg_error *error) {
  ipg_status status = workload_create(&c->request->workload, &c->tasks, &c->workload, error);
  if (!status) status = add_entrants(c, error);
  if (!status) status = measure_in_turns(c->entrants, c->count, c->workload, c->request->runs, error);
  return status;
}

int search_bench(const search_request *request) {
  ipg_error error = {0};
  ipg_pool *pool = NULL;
  comparison c = {.request = request};
  ipg_status status = ipg_pool_create(request->threads, &pool, &error);
  if (!status) {
    c.tasks = ipg_pool_tasks(pool);
    status = run_comparison(&c, &error);
  }
  if (status) fprintf(stderr, "impinge-bench: %s\n", error.message);
  const int code = status ? 1 : print_results(&c);
  for (int i = 0; i < c.count; ++i) c.entrants[i].destroy(c.entrants[i].state);
  workload_destroy(&c.workload);
  ipg_pool_destroy(&pool);
  return code;
}
