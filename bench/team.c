/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Within an answer the members take turns, so that a busy moment of the machine meets all of them alike. */
#include "team.h"
#include "tables.h"

#include <string.h>

void team_choose(team *t, const char *const *names) {
  t->count = 0;
  for (; *names; ++names)
    if (!left_out(*names)) t->methods[t->count++] = *names;
}

ipg_status team_start(team *t, ipg_error *error) {
  ipg_status status = IPG_OK;
  memset(t->ms, 0, sizeof t->ms);
  for (int i = 0; i < t->count; ++i) t->probes[i] = (probe){0};
  for (int i = 0; !status && i < t->count; ++i) {
    const ipg_search_config config = config_of(t->methods[i]);
    status = probe_create(&t->probes[i], t->methods[i], &config, error);
  }
  return status;
}

ipg_status team_answer(team *t, const scene *asked, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < t->count; ++i) {
    status = probe_answer(&t->probes[i], asked, false, error);
    if (status) break;
    series_add(&t->ms[i], t->probes[i].set_ms + t->probes[i].ask_ms);
    status = probes_agree(&t->probes[0], &t->probes[i], error);
  }
  return status;
}

void team_stop(team *t) {
  for (int i = 0; i < t->count; ++i) probe_destroy(&t->probes[i]);
}

int team_find(const team *t, const char *method) {
  for (int i = 0; i < t->count; ++i)
    if (!strcmp(t->methods[i], method)) return i;
  return -1;
}

void team_print_head(const team *t, const char *first, const char *last) {
  char columns[1024];
  size_t length = (size_t)snprintf(columns, sizeof columns, "%s", first);
  for (int i = 0; i < 2 * t->count && length < sizeof columns; ++i)
    length += (size_t)snprintf(columns + length, sizeof columns - length, " | %s %s", t->methods[i % t->count],
                               i < t->count ? "ms" : "MB");
  if (length < sizeof columns) snprintf(columns + length, sizeof columns - length, " | %s", last);
  print_head(columns);
}

static double time_of(const team *t, int i) { return t->steps ? series_mean(&t->ms[i]) : t->ms[i].least; }

void team_print_figures(const team *t) {
  for (int i = 0; i < t->count; ++i) printf(" %.1f |", time_of(t, i));
  for (int i = 0; i < t->count; ++i) printf(" %.1f |", (double)t->probes[i].memory.most / 1e6);
}

void team_print_ratios(const team *t, const char *a, const char *b) {
  const int i = team_find(t, a), k = team_find(t, b);
  if (i < 0 || k < 0) {
    fputs(" - | - |", stdout);
    return;
  }
  printf(" %.2f | %.2f |", time_of(t, i) / time_of(t, k),
         (double)t->probes[i].memory.most / (double)t->probes[k].memory.most);
}
