/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Gathers the contestants, lets them take turns, prints the table, and checks that all found the same pairs: a time
 * without the right answer says nothing. */
#include "search_bench.h"
#include "contestants.h"
#include "peers/peer.h"

#include <string.h>

enum { MOST_CONTESTANTS = 64, MOST_BOXES_FOR_QUADRATIC = 50000 };

typedef struct contest {
  const search_request *request;
  ipg_tasks tasks;
  workload *workload;
  contestant contestants[MOST_CONTESTANTS];
  int count;
} contest;

/* --------------------------------------------------------------------------------------------------- who takes part */

/* Is `name` one of the words of a list with commas between? */
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

const char *search_bench_refuses(const search_request *request) {
  if (request->peers && !bench_peers()[0]) return "--peers: there are none in this build";
  if (!strcmp(request->methods, "all")) return NULL;
  for (const char *word = request->methods;; ++word) {
    const size_t length = strcspn(word, ",");
    if (!is_method(word, length)) return "--method names something that is no method; --help lists them";
    word += length;
    if (!*word) return NULL;
  }
}

static bool would_take_for_ever(const contest *c, const char *method, bool quadratic) {
  const scene *asked = workload_scene(c->workload);
  if (!quadratic || asked->item_count + asked->query_count <= MOST_BOXES_FOR_QUADRATIC) return false;
  fprintf(stderr, "impinge-bench: %s is left out above %d boxes; --method %s measures it all the same\n", method,
          MOST_BOXES_FOR_QUADRATIC, method);
  return true;
}

static ipg_status add_method(contest *c, const char *method, ipg_error *error) {
  bool keeps = false;
  char anew[48];
  ipg_status status = IPG_OK;
  if (workload_steps(c->workload) > 1) status = method_keeps_places(method, c->workload, &c->tasks, &keeps, error);
  if (!status) status = contest_method(method, keeps, method, &c->tasks, &c->contestants[c->count], error);
  if (status) return status;
  c->count++;
  if (!keeps) return IPG_OK;
  snprintf(anew, sizeof anew, "%s(anew)", method);
  status = contest_method(method, false, anew, &c->tasks, &c->contestants[c->count], error);
  c->count += !status;
  return status;
}

static ipg_status add_methods(contest *c, ipg_error *error) {
  const bool all = !strcmp(c->request->methods, "all");
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    bool quadratic = false;
    ipg_status status = IPG_OK;
    if (!all && !is_listed(c->request->methods, *method)) continue;
    if (all) status = method_is_quadratic(*method, &quadratic, error);
    if (!status && would_take_for_ever(c, *method, quadratic)) continue;
    if (!status) status = add_method(c, *method, error);
    if (status) return status;
  }
  return IPG_OK;
}

static ipg_status add_peers(contest *c, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (const peer *const *other = bench_peers(); !status && *other; ++other) {
    status = contest_peer(*other, c->request->threads, &c->contestants[c->count], error);
    c->count += !status;
  }
  return status;
}

static ipg_status gather(contest *c, ipg_error *error) {
  ipg_status status = add_methods(c, error);
  if (!status && c->request->peers) status = add_peers(c, error);
  if (!status) status = contest_radix_sort(&c->tasks, &c->contestants[c->count], error);
  c->count += !status;
  return status;
}

/* -------------------------------------------------------------------------------------------------------- judgement */

static bool agree(const contestant *a, const contestant *b) {
  return a->best.pairs < 0 || b->best.pairs < 0 ||
         (a->best.pairs == b->best.pairs && a->best.checksum == b->best.checksum);
}

static int judge(const contest *c) {
  int failed = 0;
  const contestant *first = &c->contestants[0];
  print_header(stdout);
  for (int i = 0; i < c->count; ++i)
    print_line(stdout, c->request->workload.name, workload_scene(c->workload)->item_count, &c->contestants[i]);
  for (int i = 1; i < c->count; ++i) {
    const contestant *other = &c->contestants[i];
    if (agree(first, other)) continue;
    failed = 1;
    fprintf(stderr, "impinge-bench: %s differs from %s: %lld pairs, checksum %016llx\n", other->name, first->name,
            (long long)other->best.pairs, (unsigned long long)other->best.checksum);
  }
  return failed;
}

static ipg_status compete(contest *c, ipg_error *error) {
  ipg_status status = workload_create(&c->request->workload, &c->tasks, &c->workload, error);
  if (!status) status = gather(c, error);
  if (!status) status = measure_in_turns(c->contestants, c->count, c->workload, c->request->runs, error);
  return status;
}

int search_bench(const search_request *request) {
  ipg_error error = {0};
  ipg_pool *pool = NULL;
  contest c = {.request = request};
  ipg_status status = ipg_pool_create(request->threads, &pool, &error);
  if (!status) {
    c.tasks = ipg_pool_tasks(pool);
    status = compete(&c, &error);
  }
  if (status) fprintf(stderr, "impinge-bench: %s\n", error.message);
  const int code = status ? 1 : judge(&c);
  for (int i = 0; i < c.count; ++i) c.contestants[i].destroy(c.contestants[i].state);
  workload_destroy(&c.workload);
  ipg_pool_destroy(&pool);
  return code;
}
