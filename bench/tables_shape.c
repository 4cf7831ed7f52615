/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Poirrier 2009, question 7.3: the effect of bits per axis, code length, splits and the shape of cells on scenes of
 * different shape and scale. One parameter is changed at a time, from 64-bit codes of 19 bits per axis with useful
 * splits. */
#include "random.h"
#include "search_timer.h"
#include "table_output.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>

enum { SCENES = 4, RUNS = 2 };
static const double slow_ms = 500; /* slower methods are run once */

static const struct form {
  const char *title, *method;
  ipg_lkdtree_config config;
} forms[] = {{"19 bits", "lkdtree", {.code_width = 64, .bits = 19, .split = IPG_SPLIT_USEFUL}},
             {"12 bits", "lkdtree", {.code_width = 64, .bits = 12, .split = IPG_SPLIT_USEFUL}},
             {"9 bits", "lkdtree", {.code_width = 64, .bits = 9, .split = IPG_SPLIT_USEFUL}},
             {"7 bits", "lkdtree", {.code_width = 64, .bits = 7, .split = IPG_SPLIT_USEFUL}},
             {"5 bits", "lkdtree", {.code_width = 64, .bits = 5, .split = IPG_SPLIT_USEFUL}},
             {"9 bits, 32-bit codes", "lkdtree", {.code_width = 32, .bits = 9, .split = IPG_SPLIT_USEFUL}},
             {"7 bits, 32-bit codes", "lkdtree", {.code_width = 32, .bits = 7, .split = IPG_SPLIT_USEFUL}},
             {"5 bits, 32-bit codes", "lkdtree", {.code_width = 32, .bits = 5, .split = IPG_SPLIT_USEFUL}},
             {"19 bits, no splits", "lkdtree", {.code_width = 64, .bits = 19, .split = IPG_SPLIT_NONE}},
             {"19 bits, always 8 records", "lkdtree", {.code_width = 64, .bits = 19, .split = IPG_SPLIT_ALWAYS}},
             {"19 bits, octree", "lkdtree", {.code_width = 64, .bits = 19, .split = IPG_SPLIT_USEFUL, .octree = true}},
             {"9 bits, octree, 32-bit codes", "lkdtree", {.code_width = 32, .split = IPG_SPLIT_USEFUL, .octree = true}},
             {"lkdtree_packed", "lkdtree_packed", {.code_width = 64, .split = IPG_SPLIT_USEFUL}}};
enum { FORMS = sizeof forms / sizeof *forms };

/* ----------------------------------------------------------------------------------------------------------- scenes */

static const struct shape {
  const char *title;
  double edges[3]; /* of the domain of the spheres; 0: the workload of that name */
  int64_t count;
} shapes[SCENES] = {{"spheres", {1, 1, 1}, 100000},
                    {"flat", {1, 1, 0.001}, 30000},
                    {"long", {1, 0.01, 0.01}, 100000},
                    {"graded", {0, 0, 0}, 100000}};

static ipg_status make_spheres(scene *s, const double edges[3], int64_t count, ipg_error *error) {
  const double density = 0.1, pi = 3.14159265358979323846;
  const double radius = cbrt(3 * density * edges[0] * edges[1] * edges[2] / (4 * pi * (double)count));
  random_source random = random_from(0);
  s->item_count = count;
  s->items = malloc((size_t)count * sizeof *s->items);
  if (!s->items) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld spheres", (long long)count);
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double centre = edges[k] * random_unit(&random);
      s->items[i].lo[k] = centre - radius;
      s->items[i].hi[k] = centre + radius;
    }
  return IPG_OK;
}

/* A copy of the items of the workload of that name. */
static ipg_status make_graded(scene *s, int64_t count, ipg_error *error) {
  const workload_request request = {.name = "graded", .size = count};
  const ipg_tasks serial = ipg_tasks_serial();
  workload *w = NULL;
  ipg_status status = workload_create(&request, &serial, &w, error);
  if (status) return status;
  s->item_count = count;
  s->items = malloc((size_t)count * sizeof *s->items);
  if (!s->items) status = ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld boxes", (long long)count);
  for (int64_t i = 0; !status && i < count; ++i) s->items[i] = workload_scene(w)->items[i];
  workload_destroy(&w);
  return status;
}

static ipg_status make_scene(scene *s, const struct shape *shape, int64_t count, ipg_error *error) {
  return shape->edges[0] > 0 ? make_spheres(s, shape->edges, count, error) : make_graded(s, count, error);
}

/* ------------------------------------------------------------------------------------------------------------ table */

/* Leaves the counts of pairs in the timer, for comparison with the other forms. */
static ipg_status print_figures(const struct form *form, const scene *input, search_timer *t, ipg_error *error) {
  ipg_search_config config = make_search_config(form->method);
  statistics ms = {0};
  config.lkdtree = form->config;
  ipg_status status = search_timer_create(t, form->title, &config, error);
  for (int run = 0; !status && run < RUNS && !(ms.sum > slow_ms); ++run) {
    status = search_timer_run(t, input, false, error);
    statistics_add(&ms, t->build_ms + t->query_ms);
  }
  if (!status) printf(" %.1f | %.1f |", ms.minimum, (double)t->counters.candidates / (double)input->item_count);
  search_timer_destroy(t);
  return status;
}

static ipg_status print_form(const struct form *form, const scene scenes[SCENES], search_timer first[SCENES],
                             ipg_error *error) {
  print_progress("%s", form->title);
  printf("| %s |", form->title);
  for (int i = 0; i < SCENES; ++i) {
    search_timer timer;
    const ipg_status status = print_figures(form, &scenes[i], &timer, error);
    if (status) return status;
    if (form == forms) first[i] = timer;
    const ipg_status agreed = check_same_pairs(&first[i], &timer, error);
    if (agreed) return agreed;
  }
  putchar('\n');
  return IPG_OK;
}

static ipg_status print_forms(const scene scenes[SCENES], ipg_error *error) {
  search_timer first[SCENES];
  ipg_status status = IPG_OK;
  print_table_head(
      "form | spheres ms | cand./item | flat ms | cand./item | long ms | cand./item | graded ms | cand./item");
  for (int i = 0; !status && i < FORMS; ++i) status = print_form(&forms[i], scenes, first, error);
  return status;
}

ipg_status print_shape(bool quick, ipg_error *error) {
  scene scenes[SCENES] = {0};
  ipg_status status = IPG_OK;
  puts("\n## shape: scale and anisotropy (Poirrier 2009, question 7.3)\n\n"
       "Equal spheres, d = 0.1: 100000 in a cube, 30000 in a flat (1:1:0.001) and 100000 in a long (1:0.01:0.01)\n"
       "domain; and 100000 boxes of edges 1 to 1000 in shells. All pairs: build and query, best of 2 runs or,\n"
       "above half a second, of 1; and compared pairs of boxes per item. Forms of the linear kd-tree: 64-bit\n"
       "codes, useful splits and the cells of a kd-tree unless named otherwise; each axis has the same number of\n"
       "bits across the bounding box of all boxes. lkdtree_packed chooses its own parameters; it compares 16 boxes\n"
       "at once, and 16 are counted. The flat domain is as thin as a sphere: every cell is halved along that axis\n"
       "too, all spheres are on the planes between cells, and hardly any is stored below the first cells. There\n"
       "are fewer spheres in it, because candidates grow with the square of their number. The paper has no\n"
       "figures.");
  for (int i = 0; !status && i < SCENES; ++i)
    status = make_scene(&scenes[i], &shapes[i], quick ? 1000 : shapes[i].count, error);
  if (!status) status = print_forms(scenes, error);
  for (int i = 0; i < SCENES; ++i) free(scenes[i].items);
  return status;
}
