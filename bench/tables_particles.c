/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Pouchol 2009, section 4.2: particles that fall over fixed spheres and bounce until they lie on the floor. Spheres and
 * paths are hashed anew in every step, as in the paper. Who drives the particles is not timed: a search of its own,
 * whose pairs come in canonical order. */
#include "random.h"
#include "tables.h"
#include "team.h"

#include <math.h>
#include <stdlib.h>

enum { SPHERES = 2000, WINDOWS = 10 };
/* In a box of edge 1, 2000 such spheres would fill it several times over; here they fill a twelfth. */
static const double edge = 4, fall_per_step = 5e-5, bounce = 0.5, particle_radius = 1.0 / 128;

typedef struct rain {
  double spheres[SPHERES][4]; /* centre and radius */
  double *positions, *velocities;
  scene scene; /* spheres, and the particles' paths */
  ipg_search *driver;
} rain;

static void place_spheres(rain *r, random_source *random) {
  for (int i = 0; i < SPHERES; ++i) {
    for (int k = 0; k < 3; ++k) r->spheres[i][k] = random_between(random, 0, edge);
    r->spheres[i][3] = random_between(random, 1.0 / 32, 1.0 / 8); /* 2^-4 to 2^-2 across */
    for (int k = 0; k < 3; ++k) {
      r->scene.items[i].lo[k] = r->spheres[i][k] - r->spheres[i][3];
      r->scene.items[i].hi[k] = r->spheres[i][k] + r->spheres[i][3];
    }
  }
}

static ipg_status create_rain(rain *r, int64_t particles, ipg_error *error) {
  random_source random = random_from(0);
  const ipg_search_config config = ipg_search_defaults();
  *r = (rain){.scene.item_count = SPHERES, .scene.query_count = particles};
  r->positions = calloc(3 * (size_t)particles, sizeof *r->positions);
  r->velocities = calloc(3 * (size_t)particles, sizeof *r->velocities);
  r->scene.items = malloc(SPHERES * sizeof *r->scene.items);
  r->scene.queries = malloc((size_t)particles * sizeof *r->scene.queries);
  if (!r->positions || !r->velocities || !r->scene.items || !r->scene.queries)
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld particles", (long long)particles);
  place_spheres(r, &random);
  for (int64_t i = 0; i < 3 * particles; ++i) r->positions[i] = random_between(&random, 0, edge);
  return ipg_search_create(&config, &r->driver, error);
}

static void destroy_rain(rain *r) {
  ipg_search_destroy(&r->driver);
  free(r->positions);
  free(r->velocities);
  free(r->scene.items);
  free(r->scene.queries);
}

/* The boxes of the paths from here to where everybody would be without spheres. */
static void fall(rain *r) {
  for (int64_t i = 0; i < r->scene.query_count; ++i) {
    r->velocities[3 * i + 2] -= fall_per_step;
    for (int k = 0; k < 3; ++k) {
      const double from = r->positions[3 * i + k], to = from + r->velocities[3 * i + k];
      r->scene.queries[i].lo[k] = fmin(from, to) - particle_radius;
      r->scene.queries[i].hi[k] = fmax(from, to) + particle_radius;
      r->positions[3 * i + k] = to;
    }
  }
}

static void bounce_off_sphere(rain *r, ipg_pair pair) {
  double *x = r->positions + 3 * (int64_t)pair.a, *v = r->velocities + 3 * (int64_t)pair.a, normal[3];
  const double *sphere = r->spheres[pair.b], reach = sphere[3] + particle_radius;
  for (int k = 0; k < 3; ++k) normal[k] = x[k] - sphere[k];
  const double distance = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  if (distance >= reach || distance == 0) return;
  for (int k = 0; k < 3; ++k) normal[k] /= distance;
  const double approach = fmin(0, v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2]);
  for (int k = 0; k < 3; ++k) {
    x[k] = sphere[k] + reach * normal[k];
    v[k] -= (1 + bounce) * approach * normal[k];
  }
}

static void bounce_off_walls(rain *r) {
  for (int64_t i = 0; i < 3 * r->scene.query_count; ++i) {
    double *x = &r->positions[i], *v = &r->velocities[i];
    if ((*x < 0 && *v < 0) || (*x > edge && *v > 0)) *v *= -bounce;
    *x = fmin(fmax(*x, 0), edge);
  }
}

static ipg_status bounce_all(rain *r, ipg_error *error) {
  const ipg_pair *pairs;
  int64_t count;
  ipg_status status = ipg_search_set_boxes(r->driver, r->scene.items, r->scene.item_count, NULL, error);
  if (!status)
    status = ipg_search_query_array(r->driver, r->scene.queries, r->scene.query_count, NULL, &pairs, &count, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) bounce_off_sphere(r, pairs[i]);
  bounce_off_walls(r);
  return IPG_OK;
}

static ipg_status run_window(team *t, rain *r, int first, int last, ipg_error *error) {
  double pairs = 0;
  ipg_status status = team_start(t, error);
  for (int step = first; !status && step < last; ++step) {
    fall(r);
    status = team_answer(t, &r->scene, error);
    if (!status) status = bounce_all(r, error);
    pairs += (double)t->probes[0].pairs;
  }
  if (!status) {
    printf("| %d-%d | %.0f |", first, last - 1, pairs / (last - first));
    team_print_figures(t);
    team_print_ratios(t, "hhash", "mlhash");
    putchar('\n');
  }
  team_stop(t);
  return status;
}

ipg_status print_pouchol42(bool quick, ipg_error *error) {
  const int steps = quick ? 30 : 1000;
  const int64_t particles = quick ? 500 : 20000;
  team t = {.steps = true};
  rain r;
  printf(
      "\n## pouchol42: particles over spheres (Pouchol 2009, section 4.2)\n\n"
      "%lld particles of 2^-6 fall over %d fixed spheres of 2^-4 to 2^-2 and bounce, %d steps; candidate spheres for\n"
      "the box of each particle's path: set and question, mean of a step. The box has edge %g: in one of edge 1 the\n"
      "spheres would leave no room. The paper, an i686 at 2.66 GHz: hhash is some 25 %% faster than mlhash (its times\n"
      "include the exact test) and takes at most 1.20 times its memory.\n",
      (long long)particles, SPHERES, steps, edge);
  team_choose(&t, (const char *const[]){"mlhash", "hhash", "kdtree", "lkdtree_packed", NULL});
  team_print_head(&t, "steps | pairs", "hhash/mlhash ms | MB");
  ipg_status status = create_rain(&r, particles, error);
  for (int i = 0; !status && i < WINDOWS; ++i) {
    progress("step %d", steps / WINDOWS * i);
    status = run_window(&t, &r, steps / WINDOWS * i, steps / WINDOWS * (i + 1), error);
  }
  destroy_rain(&r);
  return status;
}
