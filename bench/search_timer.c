/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The clock is read before the build, between build and query, and after the last pair was counted. */
#include "search_timer.h"

#include <math.h>
#include <string.h>

ipg_search_config make_search_config(const char *method) {
  ipg_search_config config = ipg_search_defaults();
  config.method = method;
  return config;
}

bool has_search_method(const char *method) {
  for (const char *const *name = ipg_search_methods(); *name; ++name)
    if (!strcmp(*name, method)) return true;
  return false;
}

ipg_status search_timer_create(search_timer *t, const char *name, const ipg_search_config *config, ipg_error *error) {
  *t = (search_timer){0};
  snprintf(t->name, sizeof t->name, "%s", name);
  ipg_search_config metered = *config;
  metered.allocator = memory_meter_allocator(&t->memory);
  return ipg_search_create(&metered, &t->search, error);
}

void search_timer_destroy(search_timer *t) { ipg_search_destroy(&t->search); }

static void count_pairs(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  search_timer *t = context;
  t->pairs += count;
  t->checksum += ipg_pairs_checksum(pairs, count);
  if (t->sink) t->sink(t->context, pairs, count, worker);
}

static ipg_status build_search(search_timer *t, const scene *input, bool moved, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = input->item_keys};
  if (moved) return ipg_search_move_boxes(t->search, input->items, input->item_count, error);
  return ipg_search_set_boxes(t->search, input->items, input->item_count, &exclusion, error);
}

static ipg_status query_pairs(search_timer *t, const scene *input, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = input->query_keys};
  if (!input->queries) return ipg_search_self(t->search, count_pairs, t, error);
  return ipg_search_query(t->search, input->queries, input->query_count, &exclusion, count_pairs, t, error);
}

ipg_status search_timer_run(search_timer *t, const scene *input, bool moved, ipg_error *error) {
  t->pairs = 0, t->checksum = 0;
  const double start = now_ms();
  ipg_status status = build_search(t, input, moved, error);
  const double built = now_ms();
  if (!status) status = query_pairs(t, input, error);
  t->build_ms = built - start, t->query_ms = now_ms() - built;
  t->counters = ipg_search_get_counters(t->search);
  return status;
}

ipg_status check_same_pairs(const search_timer *a, const search_timer *b, ipg_error *error) {
  if (a->pairs == b->pairs && a->checksum == b->checksum) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_BROKEN, "%s finds %lld pairs, checksum %016llx, but %s %lld, checksum %016llx",
                  b->name, (long long)b->pairs, (unsigned long long)b->checksum, a->name, (long long)a->pairs,
                  (unsigned long long)a->checksum);
}

/* ------------------------------------------------------------------------------------------------------- statistics */

void statistics_add(statistics *s, double value) {
  if (!s->count || value < s->minimum) s->minimum = value;
  s->count++;
  s->sum += value;
  s->squares += value * value;
}

double statistics_mean(const statistics *s) { return s->count ? s->sum / s->count : NAN; }

double statistics_deviation(const statistics *s) {
  if (s->count < 2) return 0;
  return sqrt(fmax(0, (s->squares - s->sum * s->sum / s->count) / (s->count - 1)));
}
