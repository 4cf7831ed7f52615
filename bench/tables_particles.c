/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Pouchol 2009, section 4.2: particles that fall over fixed spheres and bounce until they lie on the floor. Spheres and
 * paths are hashed again at every step, as in the paper. The particles are moved by a separate search, which is not
 * timed and returns its pairs in canonical order. */
#include "method_group.h"
#include "random.h"
#include "table_output.h"
#include "tables.h"

#include <math.h>
#include <stdlib.h>

enum { SPHERES = 2000, WINDOWS = 10 };
/* In a box of edge 1, 2000 such spheres would fill it several times over; here they fill a twelfth. */
static const double edge = 4, fall_per_step = 5e-5, bounce = 0.5, particle_radius = 1.0 / 128;

typedef struct particle_scene {
  double spheres[SPHERES][4]; /* centre and radius */
  double *positions, *velocities;
  scene scene;              /* the spheres, and the paths of the particles */
  ipg_search *mover_search; /* finds the spheres that particles bounce off */
} particle_scene;

static void make_spheres(particle_scene *p, random_source *random) {
  for (int i = 0; i < SPHERES; ++i) {
    for (int k = 0; k < 3; ++k) p->spheres[i][k] = random_between(random, 0, edge);
    p->spheres[i][3] = random_between(random, 1.0 / 32, 1.0 / 8); /* 2^-4 to 2^-2 across */
    for (int k = 0; k < 3; ++k) {
      p->scene.items[i].lo[k] = p->spheres[i][k] - p->spheres[i][3];
      p->scene.items[i].hi[k] = p->spheres[i][k] + p->spheres[i][3];
    }
  }
}

static ipg_status create_particle_scene(particle_scene *p, int64_t particles, ipg_error *error) {
  random_source random = random_from(0);
  const ipg_search_config config = ipg_search_defaults();
  *p = (particle_scene){.scene.item_count = SPHERES, .scene.query_count = particles};
  p->positions = calloc(3 * (size_t)particles, sizeof *p->positions);
  p->velocities = calloc(3 * (size_t)particles, sizeof *p->velocities);
  p->scene.items = malloc(SPHERES * sizeof *p->scene.items);
  p->scene.queries = malloc((size_t)particles * sizeof *p->scene.queries);
  if (!p->positions || !p->velocities || !p->scene.items || !p->scene.queries)
    return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for %lld particles", (long long)particles);
  make_spheres(p, &random);
  for (int64_t i = 0; i < 3 * particles; ++i) p->positions[i] = random_between(&random, 0, edge);
  return ipg_search_create(&config, &p->mover_search, error);
}

static void destroy_particle_scene(particle_scene *p) {
  ipg_search_destroy(&p->mover_search);
  free(p->positions);
  free(p->velocities);
  free(p->scene.items);
  free(p->scene.queries);
}

/* Moves the particles as if there were no spheres, and sets the boxes of their paths. */
static void move_particles(particle_scene *p) {
  for (int64_t i = 0; i < p->scene.query_count; ++i) {
    p->velocities[3 * i + 2] -= fall_per_step;
    for (int k = 0; k < 3; ++k) {
      const double from = p->positions[3 * i + k], to = from + p->velocities[3 * i + k];
      p->scene.queries[i].lo[k] = fmin(from, to) - particle_radius;
      p->scene.queries[i].hi[k] = fmax(from, to) + particle_radius;
      p->positions[3 * i + k] = to;
    }
  }
}

static void bounce_off_sphere(particle_scene *p, ipg_pair pair) {
  double *x = p->positions + 3 * (int64_t)pair.a, *v = p->velocities + 3 * (int64_t)pair.a, normal[3];
  const double *sphere = p->spheres[pair.b], reach = sphere[3] + particle_radius;
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

static void bounce_off_walls(particle_scene *p) {
  for (int64_t i = 0; i < 3 * p->scene.query_count; ++i) {
    double *x = &p->positions[i], *v = &p->velocities[i];
    if ((*x < 0 && *v < 0) || (*x > edge && *v > 0)) *v *= -bounce;
    *x = fmin(fmax(*x, 0), edge);
  }
}

static ipg_status bounce_particles(particle_scene *p, ipg_error *error) {
  const ipg_pair *pairs;
  int64_t count;
  ipg_status status = ipg_search_set_boxes(p->mover_search, p->scene.items, p->scene.item_count, NULL, error);
  if (!status)
    status =
        ipg_search_query_array(p->mover_search, p->scene.queries, p->scene.query_count, NULL, &pairs, &count, error);
  if (status) return status;
  for (int64_t i = 0; i < count; ++i) bounce_off_sphere(p, pairs[i]);
  bounce_off_walls(p);
  return IPG_OK;
}

static ipg_status run_window(method_group *g, particle_scene *p, int first, int last, ipg_error *error) {
  double pairs = 0;
  ipg_status status = method_group_create_searches(g, error);
  for (int step = first; !status && step < last; ++step) {
    move_particles(p);
    status = method_group_run(g, &p->scene, error);
    if (!status) status = bounce_particles(p, error);
    pairs += (double)g->timers[0].pairs;
  }
  if (!status) {
    printf("| %d-%d | %.0f |", first, last - 1, pairs / (last - first));
    method_group_print_costs(g);
    method_group_print_ratios(g, "hhash", "mlhash");
    putchar('\n');
  }
  method_group_destroy_searches(g);
  return status;
}

ipg_status print_pouchol42(bool quick, ipg_error *error) {
  const int steps = quick ? 30 : 1000;
  const int64_t particles = quick ? 500 : 20000;
  method_group g = {.steps = true};
  particle_scene p;
  printf("\n## pouchol42: particles over spheres (Pouchol 2009, section 4.2)\n\n"
         "%lld particles of diameter 2^-6 fall over %d fixed spheres of diameter 2^-4 to 2^-2 and bounce, %d steps;\n"
         "the task is to find the spheres whose boxes overlap the box of each particle's path: build and query, mean\n"
         "time of a step. The domain has edge %g: in one of edge 1 the spheres would fill everything. The paper, on\n"
         "an i686 at 2.66 GHz: hhash is some 25 %% faster than mlhash (its times include the exact test) and takes\n"
         "at most 1.20 times its memory.\n",
         (long long)particles, SPHERES, steps, edge);
  method_group_choose(&g, (const char *const[]){"mlhash", "hhash", "kdtree", "lkdtree_packed", NULL});
  method_group_print_head(&g, "steps | pairs", "hhash/mlhash ms | MB");
  ipg_status status = create_particle_scene(&p, particles, error);
  for (int i = 0; !status && i < WINDOWS; ++i) {
    print_progress("step %d", steps / WINDOWS * i);
    status = run_window(&g, &p, steps / WINDOWS * i, steps / WINDOWS * (i + 1), error);
  }
  destroy_particle_scene(&p);
  return status;
}
