/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Entrants take turns within each step, so that other load on the machine affects all of them alike. Streams and arrays
 * are measured in separate passes over the steps, so that a search keeps its data from one step to the next. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void *meter_allocate(void *context, size_t bytes) {
  memory_meter *m = context;
  void *memory = malloc(bytes);
  m->allocations++;
  if (memory) m->in_use += bytes;
  if (m->in_use > m->peak) m->peak = m->in_use;
  return memory;
}

static void meter_release(void *context, void *memory, size_t bytes) {
  memory_meter *m = context;
  m->in_use -= bytes;
  free(memory);
}

ipg_allocator memory_meter_allocator(memory_meter *m) { return (ipg_allocator){meter_allocate, meter_release, m}; }

void pair_counter_add(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  pair_counter *c = context;
  c->worker[worker].checksum += ipg_pairs_checksum(pairs, count);
  c->worker[worker].pairs += count;
}

/* ----------------------------------------------------------------------------------------------------- measurements */

const measurement nothing_measured = {NAN, NAN, NAN, NAN, NAN, -1, 0};

void measurement_set_pairs(measurement *m, const pair_counter *c) {
  m->pairs = 0, m->checksum = 0;
  for (int i = 0; i < MOST_WORKERS; ++i) m->pairs += c->worker[i].pairs, m->checksum += c->worker[i].checksum;
}

static void add_step(measurement *sum, const measurement *m) {
  sum->build_ms += m->build_ms, sum->query_ms += m->query_ms, sum->total_ms += m->total_ms;
  sum->array_ms += m->array_ms;
  sum->pairs += m->pairs, sum->checksum += m->checksum;
  if (m->memory_mb > sum->memory_mb) sum->memory_mb = m->memory_mb;
}

static void divide_by_steps(measurement *sum, int steps) {
  sum->build_ms /= steps, sum->query_ms /= steps, sum->total_ms /= steps, sum->array_ms /= steps;
}

static void keep_better_stream(measurement *best, const measurement *m) {
  if (m->total_ms >= best->total_ms) return;
  best->build_ms = m->build_ms, best->query_ms = m->query_ms, best->total_ms = m->total_ms;
}

/* ------------------------------------------------------------------------------------------------------------- runs */

static ipg_status measure_step(entrant *e, const scene *input, int step, bool arrays, ipg_error *error) {
  measurement m = nothing_measured;
  if (arrays && !e->collect_pairs) return IPG_OK;
  const ipg_status status = (arrays ? e->collect_pairs : e->stream_pairs)(e->state, input, step, &m, error);
  if (step == 0) e->now = m;
  else add_step(&e->now, &m);
  return status;
}

static ipg_status measure_all_steps(entrant *entrants, int count, workload *w, bool arrays, ipg_error *error) {
  ipg_status status = IPG_OK;
  workload_rewind(w);
  for (int step = 0; step < workload_steps(w); ++step) {
    if (step) workload_advance(w);
    for (int i = 0; !status && i < count; ++i)
      status = measure_step(&entrants[i], workload_scene(w), step, arrays, error);
  }
  for (int i = 0; i < count; ++i) divide_by_steps(&entrants[i].now, workload_steps(w));
  return status;
}

ipg_status measure_in_turns(entrant *entrants, int count, workload *w, int runs, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int run = 0; !status && run < runs; ++run) {
    status = measure_all_steps(entrants, count, w, false, error);
    for (int i = 0; i < count; ++i)
      if (run == 0) entrants[i].best = entrants[i].now;
      else keep_better_stream(&entrants[i].best, &entrants[i].now);
    if (!status) status = measure_all_steps(entrants, count, w, true, error);
    for (int i = 0; i < count; ++i)
      if (entrants[i].collect_pairs)
        entrants[i].best.array_ms = fmin(entrants[i].best.array_ms, entrants[i].now.array_ms);
  }
  return status;
}

/* ------------------------------------------------------------------------------------------------------------ table */

static void print_number(FILE *to, double value, int digits) {
  if (isnan(value)) fputs("\t-", to);
  else fprintf(to, "\t%.*f", digits, value);
}

void print_measurement_columns(FILE *to) {
  fputs("workload\tsize\tmethod\tthreads\tbuild_ms\tquery_ms\ttotal_ms\tarray_ms\tpairs\tchecksum\tmemory_mb\n", to);
}

void print_measurement(FILE *to, const char *scene_name, int64_t size, const entrant *e) {
  const measurement *m = &e->best;
  fprintf(to, "%s\t%lld\t%s\t%d", scene_name, (long long)size, e->name, e->threads);
  print_number(to, m->build_ms, 3);
  print_number(to, m->query_ms, 3);
  print_number(to, m->total_ms, 3);
  print_number(to, m->array_ms, 3);
  if (m->pairs < 0) fputs("\t-\t-", to);
  else fprintf(to, "\t%lld\t%016llx", (long long)m->pairs, (unsigned long long)m->checksum);
  print_number(to, m->memory_mb, 1);
  fputc('\n', to);
}
