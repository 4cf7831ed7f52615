/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A workload is a scene and, if it moves, the bodies it is made from. Each kind is one function that fills the scene.
 * Spheres and settling after Poirrier 2009, section 6; flat objects and segments after Pouchol 2009, section 4.1. */
#include "workloads.h"
#include "bodies.h"
#include "random.h"
#include "settling_scene.h"

#include <stdlib.h>
#include <string.h>

enum { SETTLING_STEPS = 55 };

struct workload {
  workload_request request;
  scene scene;
  bodies bodies;
  bool moves;
};

typedef struct kind {
  const char *name;
  ipg_status (*make)(workload *w, const ipg_tasks *tasks, ipg_error *error);
  bool has_density, has_queries, has_steps;
} kind;

static ipg_status allocate_boxes(scene *s, int64_t items, int64_t queries, ipg_error *error) {
  s->item_count = items, s->query_count = queries;
  s->items = malloc((size_t)items * sizeof *s->items);
  if (queries) s->queries = malloc((size_t)queries * sizeof *s->queries);
  if (s->items && (s->queries || !queries)) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld boxes", (long long)items + (long long)queries);
}

static ipg_status allocate_keys(scene *s, ipg_error *error) {
  s->item_keys = malloc(4 * (size_t)s->item_count * sizeof *s->item_keys);
  s->query_keys = malloc(4 * (size_t)s->query_count * sizeof *s->query_keys);
  if (s->item_keys && s->query_keys) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for the keys of %lld boxes",
                  (long long)s->item_count + (long long)s->query_count);
}

/* ------------------------------------------------------------------------------------------------- spheres, settled */

static double compute_radius(const workload_request *r) {
  return cbrt(3 * r->density / (4 * 3.14159265358979323846 * (double)r->size));
}

static ipg_status make_spheres(workload *w, const ipg_tasks *tasks, ipg_error *error) {
  (void)tasks;
  const double radius = compute_radius(&w->request);
  random_source random = random_from(w->request.seed);
  const ipg_status status = allocate_boxes(&w->scene, w->request.size, 0, error);
  if (status) return status;
  for (int64_t i = 0; i < w->scene.item_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double centre = random_unit(&random);
      w->scene.items[i].lo[k] = centre - radius;
      w->scene.items[i].hi[k] = centre + radius;
    }
  return IPG_OK;
}

static ipg_status settle_spheres(settling_scene *spheres, ipg_error *error) {
  ipg_status status = IPG_OK;
  for (int i = 0; !status && i < SETTLING_STEPS; ++i) status = settling_scene_step(spheres, error);
  return status;
}

static ipg_status make_settled(workload *w, const ipg_tasks *tasks, ipg_error *error) {
  settling_scene spheres;
  random_source random = random_from(w->request.seed);
  double *centres = malloc(3 * (size_t)w->request.size * sizeof *centres);
  if (!centres) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld spheres", (long long)w->request.size);
  for (int64_t i = 0; i < 3 * w->request.size; ++i) centres[i] = random_unit(&random);
  ipg_status status =
      settling_scene_create(&spheres, centres, w->request.size, compute_radius(&w->request), tasks, error);
  free(centres);
  if (status) return status;
  status = settle_spheres(&spheres, error);
  w->scene.items = spheres.boxes, w->scene.item_count = spheres.count;
  spheres.boxes = NULL;
  settling_scene_destroy(&spheres);
  return status;
}

/* ------------------------------------------------------------------------------------------------ contact, coherent */

static const double speed = 0.2; /* of the bodies, in mean edges per step */

static ipg_status make_contact(workload *w, const ipg_tasks *tasks, ipg_error *error) {
  (void)tasks;
  ipg_status status = bodies_create(&w->bodies, w->request.size, speed, error);
  w->moves = !status;
  if (!status) status = allocate_boxes(&w->scene, w->bodies.count * BODY_FACES, w->bodies.count * BODY_NODES, error);
  if (!status) status = allocate_keys(&w->scene, error);
  if (status) return status;
  bodies_fill_keys(&w->bodies, &w->scene);
  workload_rewind(w);
  return IPG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- graded */

/* A box of size s has a distance from the corner of s times a length that grows with the number of boxes, so that each
 * overlaps some ten others whatever their number: shells of the same ratio of sizes have equal numbers of boxes and
 * differ only in scale. */
static ipg_status make_graded(workload *w, const ipg_tasks *tasks, ipg_error *error) {
  (void)tasks;
  random_source random = random_from(w->request.seed);
  const double distance = cbrt(0.08 * (double)w->request.size);
  const ipg_status status = allocate_boxes(&w->scene, w->request.size, 0, error);
  if (status) return status;
  for (int64_t i = 0; i < w->scene.item_count; ++i) {
    double direction[3];
    const double size = exp(random_between(&random, 0, log(1000)));
    random_direction(&random, direction);
    for (int k = 0; k < 3; ++k) {
      const double centre = size * distance * fabs(direction[k]);
      w->scene.items[i].lo[k] = centre - size / 2;
      w->scene.items[i].hi[k] = centre + size / 2;
    }
  }
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- pouchol */

static const double square = 8192, longest_segment = 16;

static ipg_box make_object(random_source *random) {
  ipg_box box = {{0}, {0}};
  const double which = random_unit(random), mean = which < 0.1 ? 1024 : which < 0.35 ? 64 : 8;
  for (int k = 0; k < 2; ++k) {
    const double edge = mean * random_between(random, 0.5, 1.5), centre = random_between(random, 0, square);
    box.lo[k] = centre - edge / 2;
    box.hi[k] = centre + edge / 2;
  }
  return box;
}

static ipg_box make_segment(random_source *random) {
  ipg_box box = {{0}, {0}};
  const double length = random_between(random, 0, longest_segment),
               angle = random_between(random, 0, 6.283185307179586);
  const double step[2] = {length * cos(angle), length * sin(angle)};
  for (int k = 0; k < 2; ++k) {
    const double start = random_between(random, 0, square);
    box.lo[k] = fmin(start, start + step[k]);
    box.hi[k] = fmax(start, start + step[k]);
  }
  return box;
}

static ipg_status make_pouchol(workload *w, const ipg_tasks *tasks, ipg_error *error) {
  (void)tasks;
  random_source random = random_from(w->request.seed);
  const ipg_status status = allocate_boxes(&w->scene, w->request.size, w->request.queries, error);
  if (status) return status;
  for (int64_t i = 0; i < w->scene.item_count; ++i) w->scene.items[i] = make_object(&random);
  for (int64_t i = 0; i < w->scene.query_count; ++i) w->scene.queries[i] = make_segment(&random);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------ all of them */

static const kind kinds[] = {{.name = "spheres", .make = make_spheres, .has_density = true},
                             {.name = "settled", .make = make_settled, .has_density = true},
                             {.name = "contact", .make = make_contact},
                             {.name = "graded", .make = make_graded},
                             {.name = "pouchol", .make = make_pouchol, .has_queries = true},
                             {.name = "coherent", .make = make_contact, .has_steps = true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *const *workload_names(void) {
  static const char *const names[] = {"spheres", "settled", "contact", "graded", "pouchol", "coherent", NULL};
  return names;
}

static const kind *find_kind(const char *name) {
  for (int i = 0; i < KINDS; ++i)
    if (!strcmp(kinds[i].name, name)) return &kinds[i];
  return NULL;
}

const char *check_workload_request(const workload_request *request) {
  const kind *found = find_kind(request->name);
  if (!found) return "--workload is not the name of a workload; --help lists them";
  if (request->density > 0 && !found->has_density) return "--density is for spheres and settled only";
  if (request->queries && !found->has_queries) return "--queries is for pouchol only";
  if (request->steps && !found->has_steps) return "--steps is for coherent only";
  return NULL;
}

static workload_request fill_in_defaults(workload_request request, const kind *of) {
  if (!request.size) request.size = 10000;
  if (!(request.density > 0)) request.density = 0.1;
  if (!request.queries) request.queries = 100 * request.size;
  if (!of->has_steps) request.steps = 1;
  else if (!request.steps) request.steps = 50;
  return request;
}

ipg_status workload_create(const workload_request *request, const ipg_tasks *tasks, workload **out, ipg_error *error) {
  *out = NULL;
  const kind *found = find_kind(request->name);
  if (!found) return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is no workload '%s'", request->name);
  workload *w = calloc(1, sizeof *w);
  if (!w) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a workload");
  w->request = fill_in_defaults(*request, found);
  const ipg_status status = found->make(w, tasks, error);
  if (status) workload_destroy(&w);
  *out = w;
  return status;
}

void workload_destroy(workload **pointer) {
  workload *w = *pointer;
  if (!w) return;
  free(w->scene.items);
  free(w->scene.queries);
  free(w->scene.item_keys);
  free(w->scene.query_keys);
  if (w->moves) bodies_destroy(&w->bodies);
  free(w);
  *pointer = NULL;
}

const scene *workload_scene(const workload *w) { return &w->scene; }
int workload_steps(const workload *w) { return w->request.steps; }

void workload_rewind(workload *w) {
  if (!w->moves) return;
  bodies_start(&w->bodies, w->request.seed);
  bodies_fill_boxes(&w->bodies, &w->scene);
}

void workload_advance(workload *w) {
  if (!w->moves) return;
  bodies_step(&w->bodies);
  bodies_fill_boxes(&w->bodies, &w->scene);
}
