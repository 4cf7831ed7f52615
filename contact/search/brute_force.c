/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Brute force: every box is compared with every other. The slowest method, and the oracle of all others.
 * After Aivazis 2010, algorithm 1 (sequential scan): build nothing, store nothing, query O(N). */
#include "method.h"

static ipg_status set_items(ipg_search *search, ipg_error *error) {
  (void)error;
  search->counters.records = search->items.count;
  return IPG_OK;
}

static void compare_items(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  for (ipg_id a = (ipg_id)begin; a < end; ++a)
    for (ipg_id b = a + 1; b < search->items.count; ++b) ipg_compare_boxes(search, &search->items, a, b, worker);
}

static void compare_queries(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_search *search = arg;
  for (ipg_id a = (ipg_id)begin; a < end; ++a)
    for (ipg_id b = 0; b < search->items.count; ++b) ipg_compare_boxes(search, &search->queries, a, b, worker);
}

const ipg_search_method ipg_search_brute_force = {.name = "brute_force",
                                                  .state_bytes = 1,
                                                  .set = set_items,
                                                  .self_task = compare_items,
                                                  .query_task = compare_queries,
                                                  .grain = 64};
