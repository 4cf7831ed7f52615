/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All but the triangulation are searches with different configurations. kd-tree-1 streams all pairs of the sweep,
 * repetitions included; kd-tree-2 takes each pair once, rejects it if the spheres do not overlap, and stores the others
 * in a list, as in the paper. */
#include "settling_methods.h"
#include "peers/delaunay.h"

#include <stdlib.h>

static const struct settling_kind {
  const char *title, *method;
  bool moves, raw, lists_overlaps;
} kinds[SETTLING_METHODS] = {
    [QUADRATIC] = {.title = "quadratic", .method = "brute_force"},
    [SWEEP_AND_PRUNE] = {.title = "sweep & prune", .method = "sap", .moves = true},
    [DELAUNAY] = {.title = "Delaunay"},
    [KD_TREE_1] = {.title = "kd-tree-1", .method = "lkdtree", .raw = true},
    [KD_TREE_2] = {.title = "kd-tree-2", .method = "lkdtree", .lists_overlaps = true},
    [PACKED] = {.title = "lkdtree_packed", .method = "lkdtree_packed", .moves = true},
    [CELLS] = {.title = "cells", .method = "cells", .moves = true},
};

const char *settling_method_title(enum settling_method_name name) { return kinds[name].title; }

bool settling_method_exists(enum settling_method_name name) {
#ifdef IMPINGE_BENCH_delaunay
  if (name == DELAUNAY) return true;
#endif
  return name != DELAUNAY && has_search_method(kinds[name].method);
}

bool settling_method_is_exact(enum settling_method_name name) { return name != DELAUNAY && name != KD_TREE_1; }

/* ------------------------------------------------------------------------------------------------------------ pairs */

static bool spheres_overlap(const settling_scene *s, ipg_pair pair) {
  const double *a = s->positions + 3 * (int64_t)pair.a, *b = s->positions + 3 * (int64_t)pair.b;
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 4 * s->radius * s->radius;
}

static bool reserve_pairs(overlap_list *list, int64_t count) {
  if (list->count + count <= list->capacity) return true;
  const int64_t capacity = 2 * list->capacity + count;
  ipg_pair *pairs = realloc(list->pairs, (size_t)capacity * sizeof *pairs);
  if (pairs) list->pairs = pairs, list->capacity = capacity;
  else list->out_of_memory = true;
  return pairs;
}

static void list_overlaps(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  overlap_list *list = context;
  if (!reserve_pairs(list, count)) return;
  for (int64_t i = 0; i < count; ++i) {
    list->pairs[list->count] = pairs[i];
    list->count += spheres_overlap(list->spheres, pairs[i]);
  }
}

/* ------------------------------------------------------------------------------------------------------------- runs */

static ipg_status run_search(settling_method *m, const settling_scene *spheres, ipg_error *error) {
  const struct settling_kind *kind = &kinds[m->name];
  const scene input = {.items = spheres->boxes, .item_count = spheres->count};
  m->timer.sink = kind->lists_overlaps ? list_overlaps : NULL, m->timer.context = &m->list;
  const ipg_status status = search_timer_run(&m->timer, &input, kind->moves && m->started, error);
  if (status) return status;
  if (m->list.out_of_memory) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a list of pairs");
  statistics_add(&m->ms, m->timer.build_ms + m->timer.query_ms);
  statistics_add(&m->compared, (double)m->timer.counters.candidates);
  statistics_add(&m->passed, (double)(kind->lists_overlaps ? m->list.count : m->timer.pairs));
  if (kind->lists_overlaps) statistics_add(&m->overlaps, (double)m->list.count);
  m->extra_bytes = (size_t)m->list.capacity * sizeof(ipg_pair);
  return IPG_OK;
}

#ifdef IMPINGE_BENCH_delaunay
typedef struct edges {
  const settling_scene *spheres;
  int64_t count, overlaps;
} edges;

static void count_edges(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  edges *e = context;
  e->count += count;
  for (int64_t i = 0; i < count; ++i) e->overlaps += spheres_overlap(e->spheres, pairs[i]);
}

static ipg_status run_triangulation(settling_method *m, const settling_scene *spheres, ipg_error *error) {
  edges e = {.spheres = spheres};
  const double start = now_ms();
  if (!delaunay_edges(spheres->positions, spheres->count, count_edges, &e, &m->extra_bytes))
    return ipg_fail(error, IPG_ERROR_MEMORY, "the triangulation failed, probably out of memory");
  statistics_add(&m->ms, now_ms() - start);
  statistics_add(&m->compared, (double)e.count);
  statistics_add(&m->passed, (double)e.count);
  statistics_add(&m->overlaps, (double)e.overlaps);
  return IPG_OK;
}
#else
static ipg_status run_triangulation(settling_method *m, const settling_scene *spheres, ipg_error *error) {
  (void)m, (void)spheres;
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED, "this build has no triangulation");
}
#endif

ipg_status settling_method_run(settling_method *m, const settling_scene *spheres, ipg_error *error) {
  m->list.spheres = spheres;
  m->list.count = 0;
  const ipg_status status = (m->name == DELAUNAY ? run_triangulation : run_search)(m, spheres, error);
  m->started = !status;
  return status;
}

/* ------------------------------------------------------------------------------------------------------- life cycle */

ipg_status settling_method_create(settling_method *m, enum settling_method_name name, ipg_error *error) {
  *m = (settling_method){.name = name};
  if (name == DELAUNAY) return IPG_OK;
  ipg_search_config config = make_search_config(kinds[name].method);
  config.lkdtree.raw = kinds[name].raw;
  return search_timer_create(&m->timer, kinds[name].title, &config, error);
}

void settling_method_restart(settling_method *m) { m->started = false; }

double settling_method_megabytes(const settling_method *m) {
  return (double)(m->timer.memory.peak + m->extra_bytes) / 1e6;
}

void settling_method_destroy(settling_method *m) {
  search_timer_destroy(&m->timer);
  free(m->list.pairs);
  m->list.pairs = NULL;
}
