/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The clock is read before the set, between set and question, and after the last pair was counted. */
#include "probe.h"

#include <math.h>
#include <string.h>

ipg_search_config config_of(const char *method) {
  ipg_search_config config = ipg_search_defaults();
  config.method = method;
  return config;
}

bool has_method(const char *method) {
  for (const char *const *name = ipg_search_methods(); *name; ++name)
    if (!strcmp(*name, method)) return true;
  return false;
}

ipg_status probe_create(probe *p, const char *name, const ipg_search_config *config, ipg_error *error) {
  *p = (probe){0};
  snprintf(p->name, sizeof p->name, "%s", name);
  ipg_search_config metered = *config;
  metered.allocator = meter_allocator(&p->memory);
  return ipg_search_create(&metered, &p->search, error);
}

void probe_destroy(probe *p) { ipg_search_destroy(&p->search); }

static void count_pairs(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  probe *p = context;
  p->pairs += count;
  p->checksum += ipg_pairs_checksum(pairs, count);
  if (p->sink) p->sink(p->context, pairs, count, worker);
}

static ipg_status take(probe *p, const scene *asked, bool moved, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = asked->item_keys};
  if (moved) return ipg_search_move_boxes(p->search, asked->items, asked->item_count, error);
  return ipg_search_set_boxes(p->search, asked->items, asked->item_count, &exclusion, error);
}

static ipg_status ask(probe *p, const scene *asked, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = asked->query_keys};
  if (!asked->queries) return ipg_search_self(p->search, count_pairs, p, error);
  return ipg_search_query(p->search, asked->queries, asked->query_count, &exclusion, count_pairs, p, error);
}

ipg_status probe_answer(probe *p, const scene *asked, bool moved, ipg_error *error) {
  p->pairs = 0, p->checksum = 0;
  const double start = now_ms();
  ipg_status status = take(p, asked, moved, error);
  const double taken = now_ms();
  if (!status) status = ask(p, asked, error);
  p->set_ms = taken - start, p->ask_ms = now_ms() - taken;
  p->counters = ipg_search_get_counters(p->search);
  return status;
}

ipg_status probes_agree(const probe *a, const probe *b, ipg_error *error) {
  if (a->pairs == b->pairs && a->checksum == b->checksum) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_BROKEN, "%s finds %lld pairs, checksum %016llx, but %s %lld, checksum %016llx",
                  b->name, (long long)b->pairs, (unsigned long long)b->checksum, a->name, (long long)a->pairs,
                  (unsigned long long)a->checksum);
}

void series_add(series *s, double value) {
  if (!s->count || value < s->least) s->least = value;
  s->count++;
  s->sum += value;
  s->squares += value * value;
}

double series_mean(const series *s) { return s->count ? s->sum / s->count : NAN; }

double series_deviation(const series *s) {
  if (s->count < 2) return 0;
  return sqrt(fmax(0, (s->squares - s->sum * s->sum / s->count) / (s->count - 1)));
}
