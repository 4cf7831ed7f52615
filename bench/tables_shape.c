/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Poirrier 2009, question 7.3: how bits per axis, length of codes, cuts and the form of cells suit scenes of different
 * shape and scale. One thing is changed at a time, from 64-bit codes of 19 bits per axis with useful cuts. */
#include "probe.h"
#include "random.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>

enum { SCENES = 4, RUNS = 2 };
static const double slow_ms = 500; /* who takes longer runs once */

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
             {"19 bits, no cuts", "lkdtree", {.code_width = 64, .bits = 19, .split = IPG_SPLIT_NONE}},
             {"19 bits, always 8 records", "lkdtree", {.code_width = 64, .bits = 19, .split = IPG_SPLIT_ALWAYS}},
             {"19 bits, octree", "lkdtree", {.code_width = 64, .bits = 19, .split = IPG_SPLIT_USEFUL, .octree = true}},
             {"9 bits, octree, 32-bit codes", "lkdtree", {.code_width = 32, .split = IPG_SPLIT_USEFUL, .octree = true}},
             {"lkdtree_packed", "lkdtree_packed", {.code_width = 64, .split = IPG_SPLIT_USEFUL}}};
enum { FORMS = sizeof forms / sizeof *forms };

/* ----------------------------------------------------------------------------------------------------------- scenes */

static const struct shape {
  const char *title;
  double edges[3]; /* of the space the spheres lie in; 0: the workload of that name */
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

/* The workload of that name, taken over. */
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

/* The probe is left for others to agree with. */
static ipg_status print_figures(const struct form *form, const scene *asked, probe *p, ipg_error *error) {
  ipg_search_config config = config_of(form->method);
  series ms = {0};
  config.lkdtree = form->config;
  ipg_status status = probe_create(p, form->title, &config, error);
  for (int run = 0; !status && run < RUNS && !(ms.sum > slow_ms); ++run) {
    status = probe_answer(p, asked, false, error);
    series_add(&ms, p->set_ms + p->ask_ms);
  }
  if (!status) printf(" %.1f | %.1f |", ms.least, (double)p->counters.candidates / (double)asked->item_count);
  probe_destroy(p);
  return status;
}

static ipg_status print_form(const struct form *form, const scene scenes[SCENES], probe first[SCENES],
                             ipg_error *error) {
  progress("%s", form->title);
  printf("| %s |", form->title);
  for (int i = 0; i < SCENES; ++i) {
    probe p;
    const ipg_status status = print_figures(form, &scenes[i], &p, error);
    if (status) return status;
    if (form == forms) first[i] = p;
    const ipg_status agreed = probes_agree(&first[i], &p, error);
    if (agreed) return agreed;
  }
  putchar('\n');
  return IPG_OK;
}

static ipg_status print_forms(const scene scenes[SCENES], ipg_error *error) {
  probe first[SCENES];
  ipg_status status = IPG_OK;
  print_head("form | spheres ms | cand./item | flat ms | cand./item | long ms | cand./item | graded ms | cand./item");
  for (int i = 0; !status && i < FORMS; ++i) status = print_form(&forms[i], scenes, first, error);
  return status;
}

ipg_status print_shape(bool quick, ipg_error *error) {
  scene scenes[SCENES] = {0};
  ipg_status status = IPG_OK;
  puts("\n## shape: scale and anisotropy (Poirrier 2009, question 7.3)\n\n"
       "Equal spheres, d = 0.1: 100000 in a cube, 30000 in a flat (1:1:0.001) and 100000 in a long (1:0.01:0.01) "
       "space;\n"
       "and 100000 boxes of edges 1 to 1000 in shells. All pairs: set and question, best of 2 runs or, above half a\n"
       "second, of 1; and pairs of boxes compared for each item. Forms of the linear kd-tree: 64-bit codes, useful\n"
       "cuts and the cells of a kd-tree unless it says otherwise; each axis has the same number of bits across the box "
       "of\n"
       "all boxes. lkdtree_packed chooses for itself; it compares 16 boxes at once, and counts 16. The flat space is "
       "as\n"
       "thin as a sphere: cut into halves again and again along that axis, all spheres straddle, and hardly any is "
       "placed\n"
       "below the first cells. Fewer are taken there, because candidates grow with their square. The paper has no\n"
       "figures.");
  for (int i = 0; !status && i < SCENES; ++i)
    status = make_scene(&scenes[i], &shapes[i], quick ? 1000 : shapes[i].count, error);
  if (!status) status = print_forms(scenes, error);
  for (int i = 0; i < SCENES; ++i) free(scenes[i].items);
  return status;
}
