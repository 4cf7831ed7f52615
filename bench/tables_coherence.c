/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Poirrier 2009, question 7.1: the time saved if the boxes have moved little. Each method is run twice at every step:
 * rebuilt, and with moved boxes. The idea of the paper is the linear kd-tree that always has 8 records, repaired by
 * insertion. */
#include "bodies.h"
#include "search_timer.h"
#include "table_output.h"
#include "tables.h"

#include <stdlib.h>

enum { STEPS = 20, SPEEDS = 4 };
static const double most_ms = 1500; /* time limit of a method for one scene and speed */

typedef struct form {
  const char *title, *method;
  ipg_split split;
} form;
static const form forms[] = {{"lkdtree, 1 to 8 records", "lkdtree", IPG_SPLIT_USEFUL},
                             {"lkdtree, always 8 records", "lkdtree", IPG_SPLIT_ALWAYS},
                             {"sorted", "sorted", IPG_SPLIT_USEFUL},
                             {"sap", "sap", IPG_SPLIT_USEFUL},
                             {"kdtree", "kdtree", IPG_SPLIT_USEFUL},
                             {"cells", "cells", IPG_SPLIT_USEFUL},
                             {"lkdtree_packed", "lkdtree_packed", IPG_SPLIT_USEFUL}};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct coherence_entrant {
  const form *form;
  search_timer rebuilt, moved;
  statistics rebuilt_ms, moved_ms, reused;
} coherence_entrant;

/* ----------------------------------------------------------------------------------------------------------- scenes */

/* Spheres that move along straight lines, or bodies. */
typedef struct moving_scene {
  const char *title;
  scene scene;
  double *velocities; /* of the spheres, 3 per sphere; NULL: bodies */
  bodies bodies;
} moving_scene;

static ipg_status create_spheres(moving_scene *m, int64_t count, double speed, ipg_error *error) {
  const workload_request request = {.name = "spheres", .size = count};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  random_source random = random_from(1);
  *m = (moving_scene){.title = "spheres", .scene.item_count = count};
  const ipg_status status = workload_create(&request, &serial, &w, error);
  if (status) return status;
  m->scene.items = malloc((size_t)count * sizeof *m->scene.items);
  m->velocities = malloc(3 * (size_t)count * sizeof *m->velocities);
  for (int64_t i = 0; m->scene.items && m->velocities && i < count; ++i) {
    const ipg_box box = m->scene.items[i] = workload_scene(w)->items[i];
    random_direction(&random, m->velocities + 3 * i);
    for (int k = 0; k < 3; ++k) m->velocities[3 * i + k] *= speed * (box.hi[k] - box.lo[k]);
  }
  workload_destroy(&w);
  if (m->scene.items && m->velocities) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld spheres", (long long)count);
}

static ipg_status create_bodies(moving_scene *m, int64_t count, double speed, ipg_error *error) {
  *m = (moving_scene){.title = "contact"};
  const ipg_status status = bodies_create(&m->bodies, count, speed, error);
  if (status) return status;
  scene *s = &m->scene;
  s->item_count = m->bodies.count * BODY_FACES, s->query_count = m->bodies.count * BODY_NODES;
  s->items = malloc((size_t)s->item_count * sizeof *s->items);
  s->queries = malloc((size_t)s->query_count * sizeof *s->queries);
  s->item_keys = malloc(4 * (size_t)s->item_count * sizeof *s->item_keys);
  s->query_keys = malloc(4 * (size_t)s->query_count * sizeof *s->query_keys);
  if (!s->items || !s->queries || !s->item_keys || !s->query_keys)
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld faces", (long long)s->item_count);
  bodies_start(&m->bodies, 0);
  bodies_fill_keys(&m->bodies, s);
  bodies_fill_boxes(&m->bodies, s);
  return IPG_OK;
}

static void move_scene(moving_scene *m) {
  if (!m->velocities) {
    bodies_step(&m->bodies);
    bodies_fill_boxes(&m->bodies, &m->scene);
    return;
  }
  for (int64_t i = 0; i < m->scene.item_count; ++i)
    for (int k = 0; k < 3; ++k) {
      m->scene.items[i].lo[k] += m->velocities[3 * i + k];
      m->scene.items[i].hi[k] += m->velocities[3 * i + k];
    }
}

static void destroy_moving_scene(moving_scene *m) {
  if (!m->velocities) bodies_destroy(&m->bodies);
  free(m->velocities);
  free(m->scene.items);
  free(m->scene.queries);
  free(m->scene.item_keys);
  free(m->scene.query_keys);
}

/* -------------------------------------------------------------------------------------------------------- entrants */

static ipg_status create_entrant(coherence_entrant *e, const form *f, ipg_error *error) {
  ipg_search_config config = make_search_config(f->method);
  config.lkdtree.split = f->split;
  *e = (coherence_entrant){.form = f};
  const ipg_status status = search_timer_create(&e->rebuilt, f->title, &config, error);
  return status ? status : search_timer_create(&e->moved, f->title, &config, error);
}

static void destroy_entrant(coherence_entrant *e) {
  search_timer_destroy(&e->rebuilt);
  search_timer_destroy(&e->moved);
}

static ipg_status run_entrant(coherence_entrant *e, const scene *input, bool first_step, ipg_error *error) {
  ipg_status status = search_timer_run(&e->rebuilt, input, false, error);
  if (!status) status = search_timer_run(&e->moved, input, !first_step, error);
  if (!status) status = check_same_pairs(&e->rebuilt, &e->moved, error);
  if (status || first_step) return status;
  const ipg_search_counters *c = &e->moved.counters;
  statistics_add(&e->rebuilt_ms, e->rebuilt.build_ms + e->rebuilt.query_ms);
  statistics_add(&e->moved_ms, e->moved.build_ms + e->moved.query_ms);
  statistics_add(&e->reused, c->reused ? (double)c->reused / (double)(c->reused + c->ordered) : 0);
  return IPG_OK;
}

/* Runs all entrants that are within the time limit; they must find the same pairs. */
static ipg_status run_all(coherence_entrant *entrants, const scene *input, bool first_step, ipg_error *error) {
  ipg_status status = IPG_OK;
  const search_timer *first = NULL;
  for (int i = 0; !status && i < FORMS; ++i) {
    coherence_entrant *e = &entrants[i];
    if (!e->form || e->rebuilt_ms.sum + e->moved_ms.sum > most_ms) continue;
    status = run_entrant(e, input, first_step, error);
    if (!first) first = &e->rebuilt;
    if (!status) status = check_same_pairs(first, &e->rebuilt, error);
  }
  return status;
}

static void print_entrants(const moving_scene *m, double speed, const coherence_entrant *entrants) {
  for (int i = 0; i < FORMS; ++i) {
    const coherence_entrant *e = &entrants[i];
    if (!e->form) continue;
    const double rebuilt = statistics_mean(&e->rebuilt_ms), moved = statistics_mean(&e->moved_ms);
    printf("| %s | %g %% | %s | %d | %.2f | %.2f | %.2f | %.0f %% |\n", m->title, 100 * speed, e->form->title,
           e->rebuilt_ms.count, rebuilt, moved, moved / rebuilt, 100 * statistics_mean(&e->reused));
  }
}

static ipg_status measure_speed(moving_scene *m, double speed, int steps, ipg_error *error) {
  coherence_entrant entrants[FORMS] = {0};
  ipg_status status = IPG_OK;
  print_progress("%s, %g %% of an edge per step", m->title, 100 * speed);
  for (int i = 0; !status && i < FORMS; ++i)
    if (has_search_method(forms[i].method)) status = create_entrant(&entrants[i], &forms[i], error);
  for (int step = 0; !status && step <= steps; ++step) {
    if (step) move_scene(m);
    status = run_all(entrants, &m->scene, step == 0, error);
  }
  if (!status) print_entrants(m, speed, entrants);
  for (int i = 0; i < FORMS; ++i) destroy_entrant(&entrants[i]);
  return status;
}

ipg_status print_coherence(bool quick, ipg_error *error) {
  static const double speeds[SPEEDS] = {0.001, 0.01, 0.05, 0.2};
  const int64_t count = quick ? 3000 : 100000;
  printf("\n## coherence: small motion between steps (Poirrier 2009, question 7.1)\n\n"
         "%lld spheres, and %lld faces with their nodes on bodies, that move by 0.1 to 20 %% of an edge per step:\n"
         "build and query time of a step, rebuilt at every step, or with the boxes of the step before moved; mean of\n"
         "up to %d steps. `reused` is the part of the sorted order taken over from the step before. The linear\n"
         "kd-tree with 1 to 8 records is rebuilt when it moves. The paper has no figures; its idea is always 8\n"
         "records, with repetitions, and insertion instead of the sort.\n",
         (long long)count, (long long)count, quick ? 3 : STEPS);
  (void)report_if_missing("cells");
  print_table_head("scene | motion | method | steps | rebuilt ms | moved ms | moved/rebuilt | reused");
  for (int i = 0; i < 2 * SPEEDS; ++i) {
    moving_scene m;
    const double speed = speeds[i % SPEEDS];
    ipg_status status = (i < SPEEDS ? create_spheres : create_bodies)(&m, count, speed, error);
    if (!status) status = measure_speed(&m, speed, quick ? 3 : STEPS, error);
    destroy_moving_scene(&m);
    if (status) return status;
  }
  return IPG_OK;
}
