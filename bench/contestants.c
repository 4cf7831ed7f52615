/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The clock runs from the input arrays to the last pair added to the tally, and is read once in between. What a method
 * can do is not known by its name but by what its counters say when it is tried. */
#include "contestants.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- search method */

typedef struct method_state {
  ipg_search *search;
  meter memory;
  tally tally;
  bool moves;
} method_state;

static ipg_status take_items(method_state *s, const scene *asked, int step, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = asked->item_keys};
  if (s->moves && step) return ipg_search_move_boxes(s->search, asked->items, asked->item_count, error);
  return ipg_search_set_boxes(s->search, asked->items, asked->item_count, &exclusion, error);
}

static ipg_status stream(method_state *s, const scene *asked, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = asked->query_keys};
  if (!asked->queries) return ipg_search_self(s->search, tally_add, &s->tally, error);
  return ipg_search_query(s->search, asked->queries, asked->query_count, &exclusion, tally_add, &s->tally, error);
}

static ipg_status answer(void *state, const scene *asked, int step, measurement *m, ipg_error *error) {
  method_state *s = state;
  s->tally = (tally){0};
  const double start = now_ms();
  ipg_status status = take_items(s, asked, step, error);
  const double built = now_ms();
  if (!status) status = stream(s, asked, error);
  const double end = now_ms();
  m->build_ms = built - start, m->query_ms = end - built, m->total_ms = end - start;
  m->memory_mb = (double)s->memory.most / 1e6;
  measurement_count(m, &s->tally);
  return status;
}

static ipg_status array(void *state, const scene *asked, int step, measurement *m, ipg_error *error) {
  method_state *s = state;
  const ipg_exclusion exclusion = {.keys = asked->query_keys};
  const ipg_pair *pairs;
  int64_t count;
  const double start = now_ms();
  ipg_status status = take_items(s, asked, step, error);
  if (!status)
    status = asked->queries ? ipg_search_query_array(s->search, asked->queries, asked->query_count, &exclusion, &pairs,
                                                     &count, error)
                            : ipg_search_self_array(s->search, &pairs, &count, error);
  m->array_ms = now_ms() - start;
  return status;
}

static void destroy_method(void *state) {
  method_state *s = state;
  ipg_search_destroy(&s->search);
  free(s);
}

ipg_status contest_method(const char *method, bool moves, const char *name, const ipg_tasks *tasks, contestant *out,
                          ipg_error *error) {
  method_state *s = calloc(1, sizeof *s);
  if (!s) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for method %s", method);
  s->moves = moves;
  ipg_search_config config = ipg_search_defaults();
  config.method = method;
  config.tasks = *tasks;
  config.allocator = meter_allocator(&s->memory);
  *out = (contestant){.threads = tasks->worker_count, .state = s, .answer = answer, .array = array};
  out->destroy = destroy_method;
  snprintf(out->name, sizeof out->name, "%s", name);
  const ipg_status status = ipg_search_create(&config, &s->search, error);
  if (status) free(s);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- peer */

typedef struct peer_state {
  const peer *peer;
  void *inner;
  tally tally;
} peer_state;

static ipg_status answer_by_peer(void *state, const scene *asked, int step, measurement *m, ipg_error *error) {
  (void)step;
  peer_state *s = state;
  s->tally = (tally){0};
  const double start = now_ms();
  bool done = s->peer->build(s->inner, asked);
  const double built = now_ms();
  done = done && s->peer->answer(s->inner, asked, tally_add, &s->tally);
  const double end = now_ms();
  m->build_ms = built - start, m->query_ms = end - built, m->total_ms = end - start;
  measurement_count(m, &s->tally);
  return done ? IPG_OK : ipg_fail(error, IPG_ERROR_MEMORY, "%s gave up, probably for want of memory", s->peer->name);
}

static void destroy_peer(void *state) {
  peer_state *s = state;
  s->peer->destroy(s->inner);
  free(s);
}

ipg_status contest_peer(const peer *other, int threads, contestant *out, ipg_error *error) {
  peer_state *s = calloc(1, sizeof *s);
  const int used = other->threaded ? threads : 1;
  if (s) s->peer = other, s->inner = other->create(used);
  if (!s || !s->inner) {
    free(s);
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %s", other->name);
  }
  *out = (contestant){.threads = used, .state = s, .answer = answer_by_peer, .destroy = destroy_peer};
  snprintf(out->name, sizeof out->name, "%s", other->name);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- radix sort */

typedef struct sort_state {
  ipg_tasks tasks;
  ipg_sorter sorter;
  ipg_buffer keys;
} sort_state;

static ipg_status sort_keys(void *state, const scene *asked, int step, measurement *m, ipg_error *error) {
  sort_state *s = state;
  const ipg_allocator allocator = ipg_allocator_malloc();
  const int64_t count = asked->item_count + asked->query_count;
  random_source random = random_from((uint64_t)step);
  ipg_status status = ipg_buffer_reserve(&s->keys, &allocator, count, sizeof(uint64_t), error);
  if (status) return status;
  uint64_t *keys = s->keys.data;
  for (int64_t i = 0; i < count; ++i) keys[i] = random_bits(&random);
  const double start = now_ms();
  status = ipg_sort_u64(&s->sorter, keys, NULL, count, &allocator, &s->tasks, error);
  m->total_ms = now_ms() - start;
  return status;
}

static void destroy_sort(void *state) {
  sort_state *s = state;
  const ipg_allocator allocator = ipg_allocator_malloc();
  ipg_sorter_destroy(&s->sorter, &allocator);
  ipg_buffer_destroy(&s->keys, &allocator);
  free(s);
}

ipg_status contest_radix_sort(const ipg_tasks *tasks, contestant *out, ipg_error *error) {
  sort_state *s = calloc(1, sizeof *s);
  if (!s) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a sort");
  s->tasks = *tasks;
  *out = (contestant){.name = "radix_sort", .threads = tasks->worker_count, .state = s, .answer = sort_keys};
  out->destroy = destroy_sort;
  return IPG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- trials */

ipg_status method_keeps_places(const char *method, workload *w, const ipg_tasks *tasks, bool *keeps, ipg_error *error) {
  contestant trial = {0};
  measurement m;
  ipg_status status = contest_method(method, true, method, tasks, &trial, error);
  if (status) return status;
  method_state *s = trial.state;
  workload_rewind(w);
  status = answer(s, workload_scene(w), 0, &m, error);
  workload_advance(w);
  if (!status) status = answer(s, workload_scene(w), 1, &m, error);
  *keeps = ipg_search_get_counters(s->search).reused > 0;
  destroy_method(s);
  return status;
}

ipg_status method_is_quadratic(const char *method, bool *quadratic, ipg_error *error) {
  const workload_request request = {.name = "spheres", .size = 500};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  contestant trial = {0};
  measurement m;
  ipg_status status = workload_create(&request, &serial, &w, error);
  if (status) return status;
  status = contest_method(method, false, method, &serial, &trial, error);
  if (!status) {
    method_state *s = trial.state;
    status = answer(s, workload_scene(w), 0, &m, error);
    *quadratic = ipg_search_get_counters(s->search).candidates >= request.size * (request.size - 1) / 4;
    destroy_method(s);
  }
  workload_destroy(&w);
  return status;
}
