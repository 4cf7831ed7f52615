/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The methods take turns on every scene, so that other load on the machine affects all of them alike. */
#include "method_group.h"
#include "table_output.h"

#include <string.h>

void method_group_choose(method_group *g, const char *const *names) {
  g->count = 0;
  for (; *names; ++names)
    if (!report_if_missing(*names)) g->methods[g->count++] = *names;
}

ipg_status method_group_create_searches(method_group *g, ipg_error *error) {
  ipg_status status = IPG_OK;
  memset(g->ms, 0, sizeof g->ms);
  for (int i = 0; i < g->count; ++i) g->timers[i] = (search_timer){0};
  for (int i = 0; !status && i < g->count; ++i) {
    const ipg_search_config config = make_search_config(g->methods[i]);
    status = search_timer_create(&g->timers[i], g->methods[i], &config, error);
  }
  return status;
}

ipg_status method_group_run(method_group *g, const scene *input, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < g->count; ++i) {
    status = search_timer_run(&g->timers[i], input, false, error);
    if (status) break;
    statistics_add(&g->ms[i], g->timers[i].build_ms + g->timers[i].query_ms);
    status = check_same_pairs(&g->timers[0], &g->timers[i], error);
  }
  return status;
}

void method_group_destroy_searches(method_group *g) {
  for (int i = 0; i < g->count; ++i) search_timer_destroy(&g->timers[i]);
}

int method_group_find(const method_group *g, const char *method) {
  for (int i = 0; i < g->count; ++i)
    if (!strcmp(g->methods[i], method)) return i;
  return -1;
}

void method_group_print_head(const method_group *g, const char *first, const char *last) {
  char columns[1024];
  size_t length = (size_t)snprintf(columns, sizeof columns, "%s", first);
  for (int i = 0; i < 2 * g->count && length < sizeof columns; ++i)
    length += (size_t)snprintf(columns + length, sizeof columns - length, " | %s %s", g->methods[i % g->count],
                               i < g->count ? "ms" : "MB");
  if (length < sizeof columns) snprintf(columns + length, sizeof columns - length, " | %s", last);
  print_table_head(columns);
}

static double choose_time(const method_group *g, int i) {
  return g->steps ? statistics_mean(&g->ms[i]) : g->ms[i].minimum;
}

void method_group_print_costs(const method_group *g) {
  for (int i = 0; i < g->count; ++i) printf(" %.1f |", choose_time(g, i));
  for (int i = 0; i < g->count; ++i) printf(" %.1f |", (double)g->timers[i].memory.peak / 1e6);
}

void method_group_print_ratios(const method_group *g, const char *a, const char *b) {
  const int i = method_group_find(g, a), k = method_group_find(g, b);
  if (i < 0 || k < 0) {
    fputs(" - | - |", stdout);
    return;
  }
  printf(" %.2f | %.2f |", choose_time(g, i) / choose_time(g, k),
         (double)g->timers[i].memory.peak / (double)g->timers[k].memory.peak);
}
