/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Poirrier 2009, question 7.1: what is saved when little has moved. Each method answers every step twice, set anew and
 * moved along, side by side. The paper's own idea is the linear kd-tree with always 8 records, mended by insertion. */
#include "bodies.h"
#include "probe.h"
#include "tables.h"

#include <stdlib.h>

enum { STEPS = 20, SPEEDS = 4 };
static const double most_ms = 1500; /* for each method, scene and speed */

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

typedef struct rival {
  const form *form;
  probe anew, moved;
  series anew_ms, moved_ms, kept;
} rival;

/* ----------------------------------------------------------------------------------------------------------- scenes */

/* Something that moves: spheres that drift straight on, or bodies. */
typedef struct motion {
  const char *title;
  scene scene;
  double *velocities; /* of the spheres, 3 each; NULL: bodies */
  bodies bodies;
} motion;

static ipg_status start_spheres(motion *m, int64_t count, double speed, ipg_error *error) {
  const workload_request request = {.name = "spheres", .size = count};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  random_source random = random_from(1);
  *m = (motion){.title = "spheres", .scene.item_count = count};
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

static ipg_status start_bodies(motion *m, int64_t count, double speed, ipg_error *error) {
  *m = (motion){.title = "contact"};
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

static void advance(motion *m) {
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

static void stop(motion *m) {
  if (!m->velocities) bodies_destroy(&m->bodies);
  free(m->velocities);
  free(m->scene.items);
  free(m->scene.queries);
  free(m->scene.item_keys);
  free(m->scene.query_keys);
}

/* ----------------------------------------------------------------------------------------------------------- rivals */

static ipg_status create_rival(rival *r, const form *f, ipg_error *error) {
  ipg_search_config config = config_of(f->method);
  config.lkdtree.split = f->split;
  *r = (rival){.form = f};
  const ipg_status status = probe_create(&r->anew, f->title, &config, error);
  return status ? status : probe_create(&r->moved, f->title, &config, error);
}

static void destroy_rival(rival *r) {
  probe_destroy(&r->anew);
  probe_destroy(&r->moved);
}

static ipg_status answer(rival *r, const scene *asked, bool first_step, ipg_error *error) {
  ipg_status status = probe_answer(&r->anew, asked, false, error);
  if (!status) status = probe_answer(&r->moved, asked, !first_step, error);
  if (!status) status = probes_agree(&r->anew, &r->moved, error);
  if (status || first_step) return status;
  const ipg_search_counters *c = &r->moved.counters;
  series_add(&r->anew_ms, r->anew.set_ms + r->anew.ask_ms);
  series_add(&r->moved_ms, r->moved.set_ms + r->moved.ask_ms);
  series_add(&r->kept, c->reused ? (double)c->reused / (double)(c->reused + c->ordered) : 0);
  return IPG_OK;
}

/* All whose time is not up answer this step, and agree. */
static ipg_status answer_all(rival *rivals, const scene *asked, bool first_step, ipg_error *error) {
  ipg_status status = IPG_OK;
  const probe *first = NULL;
  for (int i = 0; !status && i < FORMS; ++i) {
    rival *r = &rivals[i];
    if (!r->form || r->anew_ms.sum + r->moved_ms.sum > most_ms) continue;
    status = answer(r, asked, first_step, error);
    if (!first) first = &r->anew;
    if (!status) status = probes_agree(first, &r->anew, error);
  }
  return status;
}

static void print_rivals(const motion *m, double speed, const rival *rivals) {
  for (int i = 0; i < FORMS; ++i) {
    const rival *r = &rivals[i];
    if (!r->form) continue;
    const double anew = series_mean(&r->anew_ms), moved = series_mean(&r->moved_ms);
    printf("| %s | %g %% | %s | %d | %.2f | %.2f | %.2f | %.0f %% |\n", m->title, 100 * speed, r->form->title,
           r->anew_ms.count, anew, moved, moved / anew, 100 * series_mean(&r->kept));
  }
}

static ipg_status run(motion *m, double speed, int steps, ipg_error *error) {
  rival rivals[FORMS] = {0};
  ipg_status status = IPG_OK;
  progress("%s, %g %% of an edge per step", m->title, 100 * speed);
  for (int i = 0; !status && i < FORMS; ++i)
    if (has_method(forms[i].method)) status = create_rival(&rivals[i], &forms[i], error);
  for (int step = 0; !status && step <= steps; ++step) {
    if (step) advance(m);
    status = answer_all(rivals, &m->scene, step == 0, error);
  }
  if (!status) print_rivals(m, speed, rivals);
  for (int i = 0; i < FORMS; ++i) destroy_rival(&rivals[i]);
  return status;
}

ipg_status print_coherence(bool quick, ipg_error *error) {
  static const double speeds[SPEEDS] = {0.001, 0.01, 0.05, 0.2};
  const int64_t count = quick ? 3000 : 100000;
  printf("\n## coherence: when little has moved (Poirrier 2009, question 7.1)\n\n"
         "%lld spheres that drift, and %lld faces with their nodes on bodies that drift, by 0.1 to 20 %% of an edge\n"
         "per step: set and question of a step, anew and moved along from the step before, mean of up to %d steps; "
         "`kept`\n"
         "are places taken over from the step before. A move of the linear kd-tree with 1 to 8 records is a new set.\n"
         "The paper has no figures; its idea is always 8 records, some twice, and insertion in place of the sort.\n",
         (long long)count, (long long)count, quick ? 3 : STEPS);
  (void)left_out("cells");
  print_head("scene | motion | method | steps | anew ms | moved ms | moved/anew | kept");
  for (int i = 0; i < 2 * SPEEDS; ++i) {
    motion m;
    const double speed = speeds[i % SPEEDS];
    ipg_status status = (i < SPEEDS ? start_spheres : start_bodies)(&m, count, speed, error);
    if (!status) status = run(&m, speed, quick ? 3 : STEPS, error);
    stop(&m);
    if (status) return status;
  }
  return IPG_OK;
}
