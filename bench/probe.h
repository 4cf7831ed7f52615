/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the tables of the papers are measured with: one search, asked step after step, with what it cost and found.
 * A probe stays where it was created: its search keeps account in it. One thread. */
#ifndef IMPINGE_BENCH_PROBE_H
#define IMPINGE_BENCH_PROBE_H

#include "measure.h"

typedef struct probe {
  char name[48]; /* what the table says */
  ipg_search *search;
  meter memory;
  ipg_sink *sink; /* where pairs go after they have been counted; NULL: nowhere */
  void *context;
  double set_ms, ask_ms; /* of the last answer, as all that follows */
  int64_t pairs;
  uint64_t checksum;
  ipg_search_counters counters;
} probe;

ipg_search_config config_of(const char *method);
bool has_method(const char *method);

ipg_status probe_create(probe *p, const char *name, const ipg_search_config *config, ipg_error *error);
void probe_destroy(probe *p);
/* Sets the scene, or moves it if it is the one of the last answer, moved; then asks for its pairs. */
ipg_status probe_answer(probe *p, const scene *asked, bool moved, ipg_error *error);
/* Fails, with a sentence, unless both found the same pairs. */
ipg_status probes_agree(const probe *a, const probe *b, ipg_error *error);

/* Numbers of one kind. */
typedef struct series {
  int count;
  double sum, squares, least;
} series;
void series_add(series *s, double value);
double series_mean(const series *s);
double series_deviation(const series *s); /* of a sample; 0 for a single one */

#endif
