/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The clock runs from the input arrays to the last counted pair, and is read once in between. The properties of a
 * method are not derived from its name but from its counters in a trial run. */
#include "entrants.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- search method */

typedef struct method_state {
  ipg_search *search;
  memory_meter memory;
  pair_counter counter;
  bool moves;
} method_state;

static ipg_status build_search(method_state *s, const scene *input, int step, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = input->item_keys};
  if (s->moves && step) return ipg_search_move_boxes(s->search, input->items, input->item_count, error);
  return ipg_search_set_boxes(s->search, input->items, input->item_count, &exclusion, error);
}

static ipg_status query_pairs(method_state *s, const scene *input, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = input->query_keys};
  if (!input->queries) return ipg_search_self(s->search, pair_counter_add, &s->counter, error);
  return ipg_search_query(s->search, input->queries, input->query_count, &exclusion, pair_counter_add, &s->counter,
                          error);
}

static ipg_status stream_by_method(void *state, const scene *input, int step, measurement *m, ipg_error *error) {
  method_state *s = state;
  s->counter = (pair_counter){0};
  const double start = now_ms();
  ipg_status status = build_search(s, input, step, error);
  const double built = now_ms();
  if (!status) status = query_pairs(s, input, error);
  const double end = now_ms();
  m->build_ms = built - start, m->query_ms = end - built, m->total_ms = end - start;
  m->memory_mb = (double)s->memory.peak / 1e6;
  measurement_set_pairs(m, &s->counter);
  return status;
}

static ipg_status collect_by_method(void *state, const scene *input, int step, measurement *m, ipg_error *error) {
  method_state *s = state;
  const ipg_exclusion exclusion = {.keys = input->query_keys};
  const ipg_pair *pairs;
  int64_t count;
  const double start = now_ms();
  ipg_status status = build_search(s, input, step, error);
  if (!status)
    status = input->queries ? ipg_search_query_array(s->search, input->queries, input->query_count, &exclusion, &pairs,
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

ipg_status create_method_entrant(const char *method, bool moves, const char *name, const ipg_tasks *tasks, entrant *out,
                                 ipg_error *error) {
  method_state *s = calloc(1, sizeof *s);
  if (!s) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for method %s", method);
  s->moves = moves;
  ipg_search_config config = ipg_search_defaults();
  config.method = method;
  config.tasks = *tasks;
  config.allocator = memory_meter_allocator(&s->memory);
  *out = (entrant){.threads = tasks->worker_count,
                   .state = s,
                   .stream_pairs = stream_by_method,
                   .collect_pairs = collect_by_method,
                   .destroy = destroy_method};
  snprintf(out->name, sizeof out->name, "%s", name);
  const ipg_status status = ipg_search_create(&config, &s->search, error);
  if (status) free(s);
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- peer */

typedef struct peer_state {
  const peer *peer;
  void *state_of_peer;
  pair_counter counter;
} peer_state;

static ipg_status stream_by_peer(void *state, const scene *input, int step, measurement *m, ipg_error *error) {
  (void)step;
  peer_state *s = state;
  s->counter = (pair_counter){0};
  const double start = now_ms();
  bool done = s->peer->build(s->state_of_peer, input);
  const double built = now_ms();
  done = done && s->peer->query(s->state_of_peer, input, pair_counter_add, &s->counter);
  const double end = now_ms();
  m->build_ms = built - start, m->query_ms = end - built, m->total_ms = end - start;
  measurement_set_pairs(m, &s->counter);
  return done ? IPG_OK : ipg_fail(error, IPG_ERROR_MEMORY, "%s failed, probably out of memory", s->peer->name);
}

static void destroy_peer(void *state) {
  peer_state *s = state;
  s->peer->destroy(s->state_of_peer);
  free(s);
}

ipg_status create_peer_entrant(const peer *other, int threads, entrant *out, ipg_error *error) {
  peer_state *s = calloc(1, sizeof *s);
  const int used = other->threaded ? threads : 1;
  if (s) s->peer = other, s->state_of_peer = other->create(used);
  if (!s || !s->state_of_peer) {
    free(s);
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %s", other->name);
  }
  *out = (entrant){.threads = used, .state = s, .stream_pairs = stream_by_peer, .destroy = destroy_peer};
  snprintf(out->name, sizeof out->name, "%s", other->name);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------- radix sort */

typedef struct sort_state {
  ipg_tasks tasks;
  ipg_sorter sorter;
  ipg_buffer keys;
} sort_state;

static ipg_status sort_keys(void *state, const scene *input, int step, measurement *m, ipg_error *error) {
  sort_state *s = state;
  const ipg_allocator allocator = ipg_allocator_malloc();
  const int64_t count = input->item_count + input->query_count;
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

ipg_status create_sort_entrant(const ipg_tasks *tasks, entrant *out, ipg_error *error) {
  sort_state *s = calloc(1, sizeof *s);
  if (!s) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a sort");
  s->tasks = *tasks;
  *out = (entrant){.name = "radix_sort",
                   .threads = tasks->worker_count,
                   .state = s,
                   .stream_pairs = sort_keys,
                   .destroy = destroy_sort};
  return IPG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- trials */

ipg_status find_method_reuse(const char *method, workload *w, const ipg_tasks *tasks, bool *reuses, ipg_error *error) {
  entrant trial = {0};
  measurement m;
  ipg_status status = create_method_entrant(method, true, method, tasks, &trial, error);
  if (status) return status;
  method_state *s = trial.state;
  workload_rewind(w);
  status = stream_by_method(s, workload_scene(w), 0, &m, error);
  workload_advance(w);
  if (!status) status = stream_by_method(s, workload_scene(w), 1, &m, error);
  *reuses = ipg_search_get_counters(s->search).reused > 0;
  destroy_method(s);
  return status;
}

ipg_status find_method_quadratic(const char *method, bool *quadratic, ipg_error *error) {
  const workload_request request = {.name = "spheres", .size = 500};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  entrant trial = {0};
  measurement m;
  ipg_status status = workload_create(&request, &serial, &w, error);
  if (status) return status;
  status = create_method_entrant(method, false, method, &serial, &trial, error);
  if (!status) {
    method_state *s = trial.state;
    status = stream_by_method(s, workload_scene(w), 0, &m, error);
    *quadratic = ipg_search_get_counters(s->search).candidates >= request.size * (request.size - 1) / 4;
    destroy_method(s);
  }
  workload_destroy(&w);
  return status;
}
