/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sequential scan: look at every record. The slowest method, and the oracle of every other.
 * After Aivazis 2010, algorithm 1: build nothing, store nothing, query O(N). */
#include "method.h"

enum { GRAIN = 64 };

static ipg_status set(ipg_search *search, ipg_error *error) {
  (void)error;
  search->counters.records = search->items.count;
  return IPG_OK;
}

static void scan_behind(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  for (ipg_id a = (ipg_id)begin; a < end; ++a)
    for (ipg_id b = a + 1; b < search->items.count; ++b)
      if (ipg_test_candidate(search, &search->items, a, b, worker))
        ipg_report_pair(search, &search->items, a, b, worker);
}

static void scan_all(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  for (ipg_id a = (ipg_id)begin; a < end; ++a)
    for (ipg_id b = 0; b < search->items.count; ++b)
      if (ipg_test_candidate(search, &search->queries, a, b, worker))
        ipg_report_pair(search, &search->queries, a, b, worker);
}

static ipg_status self(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, scan_behind, search, 0, search->items.count, GRAIN);
  return IPG_OK;
}

static ipg_status query(ipg_search *search, ipg_error *error) {
  (void)error;
  ipg_tasks_for(&search->config.tasks, scan_all, search, 0, search->queries.count, GRAIN);
  return IPG_OK;
}

static void release(ipg_search *search) { (void)search; }

const ipg_search_method ipg_search_brute_force = {
    .name = "brute_force", .state_bytes = 1, .set = set, .self = self, .query = query, .release = release};
