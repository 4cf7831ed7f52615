/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All but the triangulation are searches with another configuration. kd-tree-1 streams what the sweep meets; kd-tree-2
 * takes each pair once, rejects it if the spheres do not overlap, and keeps the others in a list, as in the paper. */
#include "settlers.h"
#include "peers/delaunay.h"

#include <stdlib.h>

static const struct kind {
  const char *title, *method;
  bool moves, raw, keeps;
} kinds[SETTLERS] = {
    [QUADRATIC] = {.title = "quadratic", .method = "brute_force"},
    [SWEEP_AND_PRUNE] = {.title = "sweep & prune", .method = "sap", .moves = true},
    [DELAUNAY] = {.title = "Delaunay"},
    [KD_TREE_1] = {.title = "kd-tree-1", .method = "lkdtree", .raw = true},
    [KD_TREE_2] = {.title = "kd-tree-2", .method = "lkdtree", .keeps = true},
    [PACKED] = {.title = "lkdtree_packed", .method = "lkdtree_packed", .moves = true},
    [CELLS] = {.title = "cells", .method = "cells", .moves = true},
};

const char *settler_title(enum settler_name name) { return kinds[name].title; }

bool settler_exists(enum settler_name name) {
#ifdef IMPINGE_BENCH_delaunay
  if (name == DELAUNAY) return true;
#endif
  return name != DELAUNAY && has_method(kinds[name].method);
}

bool settler_is_exact(enum settler_name name) { return name != DELAUNAY && name != KD_TREE_1; }

/* ------------------------------------------------------------------------------------------------------------ pairs */

static bool overlap(const settling *s, ipg_pair pair) {
  const double *a = s->positions + 3 * (int64_t)pair.a, *b = s->positions + 3 * (int64_t)pair.b;
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 4 * s->radius * s->radius;
}

static bool make_room(sphere_list *list, int64_t count) {
  if (list->count + count <= list->capacity) return true;
  const int64_t capacity = 2 * list->capacity + count;
  ipg_pair *pairs = realloc(list->pairs, (size_t)capacity * sizeof *pairs);
  if (pairs) list->pairs = pairs, list->capacity = capacity;
  else list->full = true;
  return pairs;
}

static void reject_and_keep(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  sphere_list *list = context;
  if (!make_room(list, count)) return;
  for (int64_t i = 0; i < count; ++i) {
    list->pairs[list->count] = pairs[i];
    list->count += overlap(list->spheres, pairs[i]);
  }
}

/* ---------------------------------------------------------------------------------------------------------- answers */

static ipg_status answer_by_search(settler *s, const settling *spheres, ipg_error *error) {
  const struct kind *kind = &kinds[s->name];
  const scene asked = {.items = spheres->boxes, .item_count = spheres->count};
  s->probe.sink = kind->keeps ? reject_and_keep : NULL, s->probe.context = &s->list;
  const ipg_status status = probe_answer(&s->probe, &asked, kind->moves && s->started, error);
  if (status) return status;
  if (s->list.full) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a list of pairs");
  series_add(&s->ms, s->probe.set_ms + s->probe.ask_ms);
  series_add(&s->compared, (double)s->probe.counters.candidates);
  series_add(&s->passed, (double)(kind->keeps ? s->list.count : s->probe.pairs));
  if (kind->keeps) series_add(&s->truths, (double)s->list.count);
  s->extra_bytes = (size_t)s->list.capacity * sizeof(ipg_pair);
  return IPG_OK;
}

#ifdef IMPINGE_BENCH_delaunay
typedef struct edges {
  const settling *spheres;
  int64_t count, truths;
} edges;

static void count_edges(void *context, const ipg_pair *pairs, int64_t count, int worker) {
  (void)worker;
  edges *e = context;
  e->count += count;
  for (int64_t i = 0; i < count; ++i) e->truths += overlap(e->spheres, pairs[i]);
}

static ipg_status answer_by_triangulation(settler *s, const settling *spheres, ipg_error *error) {
  edges e = {.spheres = spheres};
  const double start = now_ms();
  if (!delaunay_edges(spheres->positions, spheres->count, count_edges, &e, &s->extra_bytes))
    return ipg_fail(error, IPG_ERROR_MEMORY, "the triangulation gave up, probably for want of memory");
  series_add(&s->ms, now_ms() - start);
  series_add(&s->compared, (double)e.count);
  series_add(&s->passed, (double)e.count);
  series_add(&s->truths, (double)e.truths);
  return IPG_OK;
}
#else
static ipg_status answer_by_triangulation(settler *s, const settling *spheres, ipg_error *error) {
  (void)s, (void)spheres;
  return ipg_fail(error, IPG_ERROR_UNSUPPORTED, "this build has no triangulation");
}
#endif

ipg_status settler_answer(settler *s, const settling *spheres, ipg_error *error) {
  s->list.spheres = spheres;
  s->list.count = 0;
  const ipg_status status = (s->name == DELAUNAY ? answer_by_triangulation : answer_by_search)(s, spheres, error);
  s->started = !status;
  return status;
}

/* ------------------------------------------------------------------------------------------------------------- life */

ipg_status settler_create(settler *s, enum settler_name name, ipg_error *error) {
  *s = (settler){.name = name};
  if (name == DELAUNAY) return IPG_OK;
  ipg_search_config config = config_of(kinds[name].method);
  config.lkdtree.raw = kinds[name].raw;
  return probe_create(&s->probe, kinds[name].title, &config, error);
}

void settler_restart(settler *s) { s->started = false; }

double settler_megabytes(const settler *s) { return (double)(s->probe.memory.most + s->extra_bytes) / 1e6; }

void settler_destroy(settler *s) {
  probe_destroy(&s->probe);
  free(s->list.pairs);
  s->list.pairs = NULL;
}
