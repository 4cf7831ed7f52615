/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Corrections against closed forms and conservation laws. The host moves every node by itself, joined by springs or
 * not, and takes the corrected places as they are. */
#include "state.h"
#include "support/random_scenes.h"
#include "support/suite.h"

#include <math.h>

typedef struct host {
  scene *s;
  spring_host *springs;
  ipg_contact *contact;
  ipg_contact_projection last;
  double dt, gravity[3]; /* on body 1 and above */
  double *came, *kicked; /* velocities of the last motion, and with the kick after it; 3 per mesh node */
  double *surface_came;
  int32_t *is_pulled;   /* by gravity */
  double kinetic, work; /* of the last motion; of the kicks, so far */
  double gained;        /* the most kinetic energy that a correction gave a prediction */
  int64_t step;
} host;

static double kinetic_of(const scene *s, const double *v) {
  double sum = 0;
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) sum += .5 * s->masses[i / 3] * v[i] * v[i];
  return sum;
}

static ipg_contact_config kinematic(double friction) {
  ipg_contact_config config = ipg_contact_defaults();
  config.enforcement = IPG_ENFORCEMENT_KINEMATIC;
  config.law.friction_static = config.law.friction_dynamic = friction;
  return config;
}

static void host_join(host *h, scene *s, spring_host *springs, const ipg_contact_config *config, double dt) {
  const size_t bytes = 3 * (size_t)s->mesh.node_count * sizeof(double);
  *h = (host){.s = s, .springs = springs, .dt = dt, .contact = scene_contact(s, config)};
  h->came = malloc(bytes), h->kicked = malloc(bytes), h->surface_came = malloc(bytes);
  h->is_pulled = calloc((size_t)s->mesh.node_count, sizeof *h->is_pulled);
  memcpy(h->came, springs->velocity, bytes);
  memcpy(h->kicked, springs->velocity, bytes);
  h->kinetic = kinetic_of(s, h->came);
}

static void host_leave(host *h) {
  ipg_contact_destroy(&h->contact);
  free(h->came), free(h->kicked), free(h->surface_came), free(h->is_pulled);
}

/* What the correction did to nodes, and the books of the host. */
static void take_correction(host *h) {
  scene *s = h->s;
  double *v = h->springs->velocity;
  double *force = calloc(3 * (size_t)s->mesh.node_count, sizeof *force);
  const double predicted = kinetic_of(s, v);
  ipg_mesh_surface_add(&s->surface, s->force, force);
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) {
    const double mass = s->masses[i / 3], before = v[i];
    v[i] += h->dt * force[i] / mass;
    h->work += .5 * mass * (before - h->came[i]) * (h->came[i] + v[i]);
  }
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) h->springs->trial[3 * s->surface.mesh_nodes[i] + k] = s->trial[3 * i + k];
  h->kinetic = kinetic_of(s, v);
  h->gained = fmax(h->gained, h->kinetic - predicted);
  memcpy(h->came, v, 3 * (size_t)s->mesh.node_count * sizeof *v);
  free(force);
}

static void kick(host *h) {
  scene *s = h->s;
  spring_host_pull(h->springs, s->mesh.node_count);
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) {
    h->springs->velocity[i] += h->dt * h->springs->pull[i] / s->masses[i / 3];
    if (h->is_pulled[i / 3]) h->springs->velocity[i] += h->dt * h->gravity[i % 3];
  }
  memcpy(s->mesh.x, h->springs->trial, 3 * (size_t)s->mesh.node_count * sizeof(double));
  memcpy(s->x, s->trial, 3 * (size_t)s->surface.surface.node_count * sizeof(double));
}

static void host_correct(host *h) {
  ipg_error error = {0};
  spring_host_predict(h->springs, h->s, h->dt);
  ipg_mesh_surface_gather(&h->s->surface, h->came, h->surface_came);
  const ipg_status status =
      ipg_contact_project(h->contact, h->s->trial, h->surface_came, h->dt, h->s->force, &h->last, &error);
  if (status) printf("\n    %s", error.message);
  CU_ASSERT_FATAL(!status);
}

static void host_step(host *h) {
  ipg_error error = {0};
  host_correct(h);
  CU_ASSERT_FATAL(!ipg_contact_accept(h->contact, ++h->step, &error));
  take_correction(h);
  kick(h);
}

/* ------------------------------------------------------------------------------------------------- scenes of boxes */

/* Bodies as given, each node of body b with masses[b], moving at velocities[b]. */
typedef struct stage {
  scene s;
  spring_host springs;
  host h;
  int64_t ends[SCENE_BODIES];
} stage;

static void stage_make(stage *t, ipg_mesh *meshes, int count, const double *masses, double velocities[][3],
                       double stiffness, const ipg_contact_config *config, double dt) {
  ipg_error error = {0};
  for (int b = 0; b < count; ++b) t->ends[b] = meshes[b].node_count + (b ? t->ends[b - 1] : 0);
  scene_make(&t->s, meshes, count, 1);
  double *v = calloc(3 * (size_t)t->s.mesh.node_count, sizeof *v);
  for (int64_t i = 0; i < t->s.mesh.node_count; ++i) {
    const int32_t body = random_scene_body_of(t->ends, i);
    t->s.masses[i] = masses[body];
    for (int k = 0; k < 3; ++k) v[3 * i + k] = velocities[body][k];
  }
  ipg_mesh_surface_destroy(&t->s.surface);
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&t->s.mesh, &t->s.skin, t->s.masses, NULL, &t->s.surface, &error));
  spring_host_make(&t->springs, &t->s, v, stiffness, dt);
  host_join(&t->h, &t->s, &t->springs, config, dt);
  for (int64_t i = t->ends[0]; i < t->s.mesh.node_count; ++i) t->h.is_pulled[i] = 1;
}

static void stage_free(stage *t) {
  host_leave(&t->h);
  spring_host_free(&t->springs);
  scene_free(&t->s);
}

static double largest_residual(const host *h) { return ipg_contact_get_counters(h->contact).residual; }

static double mean_of(const stage *t, const double *values, int body, int k) {
  const int64_t from = body ? t->ends[body - 1] : 0;
  double sum = 0;
  for (int64_t i = from; i < t->ends[body]; ++i) sum += values[3 * i + k];
  return sum / (double)(t->ends[body] - from);
}

static void expect_clean_audit(const host *h) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(h->contact, &report, &error));
  CU_ASSERT_EQUAL(report.missed_candidates + report.wrong_contacts + report.nodes_inside, 0);
  if (report.message[0]) printf("\n    %s", report.message);
}

/* As host_step, with the audit before the step is accepted. */
static void audited_step(host *h) {
  host_correct(h);
  expect_clean_audit(h);
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_accept(h->contact, ++h->step, &error));
  take_correction(h);
  kick(h);
}

/* ---------------------------------------------------------------------------------------------------- closed forms */

/* Two cubes face to face: the faces have their common velocity at once, what they lost is what plastic bodies lose. */
static void test_plastic_hit(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "a"), scene_box(1, 0, 0, 2, 1, 1, 1, 1, 1, "b")};
  const ipg_contact_config config = kinematic(0);
  stage t = {0};
  stage_make(&t, meshes, 2, (double[]){2, 3}, (double[][3]){{1, 0, 0}, {-.5, 0, 0}}, 0, &config, 1e-3);
  host_step(&t.h);
  double momentum = 0;
  for (int64_t i = 0; i < t.s.mesh.node_count; ++i) {
    const bool touches = t.s.mesh.x[3 * i] > .5 && t.s.mesh.x[3 * i] < 1.5;
    const double expected = touches ? (2 * 1 - 3 * .5) / 5 : i < t.ends[0] ? 1 : -.5;
    CU_ASSERT_DOUBLE_EQUAL(t.h.came[3 * i], expected, 1e-13);
    momentum += t.s.masses[i] * t.h.came[3 * i];
  }
  CU_ASSERT_DOUBLE_EQUAL(momentum, 8 * (2 * 1 - 3 * .5), 1e-14 * 8 * (2 + 1.5));
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(t.h.contact);
  CU_ASSERT_DOUBLE_EQUAL(l.kinematic_dissipation, 4 * .5 * (2. * 3 / 5) * 1.5 * 1.5, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(l.contact_work, -l.kinematic_dissipation, 1e-12);
  CU_ASSERT(l.friction_dissipation == 0 && l.contact_energy == 0 && l.damping_dissipation == 0 &&
            l.spring_net_loss == 0);
  CU_ASSERT(t.h.last.iterations >= 1 && t.h.last.residual <= 1e-12);
  stage_free(&t);
}

static void start_sledge(stage *t, double friction, double vx, double vz, double g) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 8, 2, 0, 10, 4, 1, "floor"),
                       scene_box(-.53, -.51, 0, .47, .49, 1, 2, 2, 2, "cube")};
  const ipg_contact_config config = kinematic(friction);
  *t = (stage){0};
  stage_make(t, meshes, 2, (double[]){1e12, 1}, (double[][3]){{0, 0, 0}, {vx, 0, vz}}, .5, &config, 1e-3);
  t->h.gravity[2] = -g;
}

/* v^2 / (2 mu g), and friction has all of the kinetic energy. */
static void test_stopping_distance(void) {
  const double mu = .3, g = 10, v = 3;
  stage t;
  start_sledge(&t, mu, v, 0, g);
  const double start = mean_of(&t, t.s.mesh.x, 1, 0), mass = (double)(t.ends[1] - t.ends[0]);
  while (t.h.step < 1500) host_step(&t.h);
  CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.s.mesh.x, 1, 0) - start, v * v / (2 * mu * g), .01 * v * v / (2 * mu * g));
  CU_ASSERT(fabs(mean_of(&t, t.h.came, 1, 0)) < .01 * v); /* its springs ring */
  CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(t.h.contact).friction_dissipation, .5 * mass * v * v,
                         .01 * .5 * mass * v * v);
  CU_ASSERT(largest_residual(&t.h) <= 1e-6 * t.h.contact->mean_edge);
  stage_free(&t);
}

/* As long as it slides, the impulse along the floor is mu times that across. */
static void test_oblique_hit(void) {
  stage t;
  start_sledge(&t, .2, 5, -1, 0);
  for (int i = 0; i < 20; ++i) host_step(&t.h);
  const double normal = mean_of(&t, t.h.came, 1, 2) + 1, tangential = 5 - mean_of(&t, t.h.came, 1, 0);
  CU_ASSERT(normal > .1);
  CU_ASSERT_DOUBLE_EQUAL(tangential, .2 * normal, 1e-3 * .2 * normal);
  stage_free(&t);
}

/* Bricks that lie unevenly on each other come to rest and do not sink. */
static void test_stacked_blocks(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 3, 3, 1, "floor"),
                       scene_box(-.53, -.51, .001, .47, .49, .4, 2, 2, 1, "low"),
                       scene_box(-.43, -.41, .402, .37, .37, .8, 3, 3, 1, "middle"),
                       scene_box(-.31, -.28, .803, .29, .23, 1.2, 2, 2, 1, "high")};
  const ipg_contact_config config = kinematic(.4);
  stage t = {0};
  stage_make(&t, meshes, 4, (double[]){1e9, 1, 1, 1}, (double[4][3]){{0}}, .5, &config, 1e-3);
  t.h.gravity[2] = -10;
  const int steps = suite_is_quick() ? 100 : 1200;
  for (int i = 0; i < steps; ++i) i % 50 ? host_step(&t.h) : audited_step(&t.h);
  for (int body = 1; body < 4 && steps > 1000; ++body) CU_ASSERT(fabs(mean_of(&t, t.h.came, body, 2)) < .02);
  CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.s.mesh.x, 3, 2), .995, .01);
  CU_ASSERT(largest_residual(&t.h) <= 1e-6 * t.h.contact->mean_edge);
  stage_free(&t);
}

/* Thousands of steps at rest and sliding over borders of faces, every node within rounding of a surface. */
static void test_nothing_slips_through(void) {
  for (int slides = 0; slides < 2; ++slides) {
    stage t;
    start_sledge(&t, slides ? 0 : .5, slides ? 1 : 0, 0, 10);
    const double height = mean_of(&t, t.s.mesh.x, 1, 2);
    for (int i = 0; i < (suite_is_quick() ? 1200 : 4000); ++i) i % 100 ? host_step(&t.h) : audited_step(&t.h);
    CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.s.mesh.x, 1, 2), height, .01);
    CU_ASSERT(largest_residual(&t.h) <= 1e-9);
    if (slides) CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.h.came, 1, 0), 1, 1e-4);
    stage_free(&t);
  }
}

/* Sliding on a floor without pressing on it, over its nodes: they bear the cube and do not stand in its way. */
static void test_rolls_over_nodes(void) {
  const double heights[] = {0, -1e-15, 1e-15, -1e-12};
  for (int i = 0; i < 4; ++i) {
    stage t;
    start_sledge(&t, 0, 5, heights[i] / 1e-3, 0);
    while (t.h.step < 600) host_step(&t.h);
    CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.h.came, 1, 0), 5, 1e-6);
    stage_free(&t);
  }
}

/* A grain that would be far behind a thin plate after one step stays in front of it, and the plate gets its momentum.
 */
static void test_fast_through_thin_plate(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, 0, 1, 1, .01, 4, 4, 1, "plate"),
                       scene_box(.13, .11, .5, .15, .13, .52, 1, 1, 1, "grain")};
  for (int64_t i = 0; i < meshes[1].node_count; ++i) /* no two nodes end in the same place, or springs have no way */
    meshes[1].x[3 * i] += .37 * (meshes[1].x[3 * i + 2] - .5);
  const ipg_contact_config config = kinematic(0);
  stage t = {0};
  stage_make(&t, meshes, 2, (double[]){1, 1e-6}, (double[][3]){{0, 0, 0}, {0, 0, -3000}}, .1, &config, 1e-3);
  const double momentum = -3000 * 1e-6 * (double)(t.ends[1] - t.ends[0]);
  for (int i = 0; i < 20; ++i) audited_step(&t.h);
  double sum = 0;
  for (int64_t i = 0; i < t.s.mesh.node_count; ++i) sum += t.s.masses[i] * t.h.came[3 * i + 2];
  CU_ASSERT(ipg_contact_get_energy_balance(t.h.contact).activations > 0);
  CU_ASSERT(mean_of(&t, t.s.mesh.x, 1, 2) > mean_of(&t, t.s.mesh.x, 0, 2));
  CU_ASSERT_DOUBLE_EQUAL(sum, momentum, 1e-12 * fabs(momentum));
  stage_free(&t);
}

/* A floor and a wall behind it, of one body: a block without a quarter. */
static ipg_mesh corner_of_one_body(void) {
  ipg_mesh mesh = scene_box(-1, -1, -1, 1, 1, 1, 2, 2, 2, "corner");
  int64_t kept = 0;
  for (int64_t e = 0; e < mesh.element_count; ++e) {
    double x = 0, z = 0;
    for (int i = 0; i < 4; ++i) x += mesh.x[3 * mesh.tets[4 * e + i]], z += mesh.x[3 * mesh.tets[4 * e + i] + 2];
    if (x < 0 || z < 0) memmove(mesh.tets + 4 * kept++, mesh.tets + 4 * e, 4 * sizeof *mesh.tets);
  }
  mesh.element_count = mesh.blocks[0].count = kept;
  return mesh;
}

/* A brick flies into it. */
static void start_in_corner(stage *t) {
  ipg_mesh meshes[] = {corner_of_one_body(), scene_box(.01, -.33, .01, .41, .31, .43, 2, 2, 2, "brick")};
  const ipg_contact_config config = kinematic(0);
  *t = (stage){0};
  stage_make(t, meshes, 2, (double[]){1e12, 1}, (double[][3]){{0, 0, 0}, {-1, 0, -1}}, .5, &config, 1e-3);
  t->h.gravity[0] = -10, t->h.gravity[2] = -10;
}

/* Nodes on the inner edge stand on the floor and lean on the wall at once. */
static void test_corner(void) {
  stage t;
  start_in_corner(&t);
  for (int i = 0; i < 400; ++i) i % 20 ? host_step(&t.h) : audited_step(&t.h);
  const double deepest = 1e-6 * t.h.contact->mean_edge;
  for (int64_t i = t.ends[0]; i < t.s.mesh.node_count; ++i)
    CU_ASSERT(t.s.mesh.x[3 * i] >= -deepest && t.s.mesh.x[3 * i + 2] >= -deepest);
  CU_ASSERT(largest_residual(&t.h) <= deepest);
  stage_free(&t);
}

/* -------------------------------------------------------------------------------------------------------- planes */

static ipg_contact_wall plane_at(double z, double speed, double friction) {
  return (ipg_contact_wall){
      .point = {0, 0, z}, .normal = {0, 0, 2}, .velocity = {0, 0, speed}, .law = {friction, friction, 0, 0}};
}

static void start_at_plane(stage *t, const ipg_contact_wall *plane, double vx, double vz, double stiffness) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "cube")};
  ipg_contact_config config = kinematic(0);
  config.walls = plane, config.wall_count = 1;
  *t = (stage){0};
  stage_make(t, meshes, 1, (double[]){2}, (double[][3]){{vx, 0, vz}}, stiffness, &config, 1e-3);
}

/* Four free nodes fall onto a plane and stay; or it comes up to them and takes them with it, paying for the hit too. */
static void test_hit_at_plane(void) {
  const double v = 1.5, u = .5;
  for (int moves = 0; moves < 2; ++moves) {
    const ipg_contact_wall plane = plane_at(-.25e-3, moves ? u : 0, 0);
    stage t;
    start_at_plane(&t, &plane, .1, moves ? 0 : -v, 0);
    for (int i = 0; i < 3; ++i) host_step(&t.h);
    for (int64_t i = 0; i < t.s.mesh.node_count; ++i) {
      const bool touches = t.s.mesh.x[3 * i + 2] < .5;
      CU_ASSERT_DOUBLE_EQUAL(t.h.came[3 * i + 2], moves ? (touches ? u : 0) : touches ? 0 : -v, 1e-12);
      CU_ASSERT_DOUBLE_EQUAL(t.h.came[3 * i], .1, 1e-13);
      if (touches) CU_ASSERT_DOUBLE_EQUAL(t.s.mesh.x[3 * i + 2], moves ? 3e-3 * u - .25e-3 : -.25e-3, 1e-14);
    }
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(t.h.contact);
    const double mass = 4 * 2;
    CU_ASSERT_DOUBLE_EQUAL(l.wall_impulse[2], mass * (moves ? u : v), 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(l.external_work, moves ? mass * u * u : 0, 1e-12);
    CU_ASSERT(l.activations >= 4 && l.friction_dissipation == 0 && largest_residual(&t.h) <= 1e-13);
    if (!moves) CU_ASSERT_DOUBLE_EQUAL(l.kinematic_dissipation, .5 * mass * v * v, 1e-12);
    stage_free(&t);
  }
}

/* As on a floor of faces. */
static void test_stopping_distance_on_plane(void) {
  const double mu = .3, g = 10, v = 3;
  const ipg_contact_wall plane = plane_at(0, 0, mu);
  stage t;
  start_at_plane(&t, &plane, v, 0, .5);
  t.h.gravity[2] = -g;
  for (int64_t i = 0; i < t.s.mesh.node_count; ++i) t.h.is_pulled[i] = 1;
  const double start = mean_of(&t, t.s.mesh.x, 0, 0), mass = 2 * (double)t.s.mesh.node_count;
  while (t.h.step < 1500) host_step(&t.h);
  CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.s.mesh.x, 0, 0) - start, v * v / (2 * mu * g), .01 * v * v / (2 * mu * g));
  CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(t.h.contact).friction_dissipation, .5 * mass * v * v,
                         .01 * .5 * mass * v * v);
  CU_ASSERT(largest_residual(&t.h) <= 1e-12);
  stage_free(&t);
}

/* What overlaps from the start and is ignored stays as it is, is no deeper after a hit, and comes out for nothing. */
static void test_ignored_overlap(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 2, 2, 2, "a"), scene_box(.1, .1, .9, .8, .8, 1.5, 2, 2, 2, "b")};
  const ipg_contact_config config = kinematic(0);
  ipg_error error = {0};
  stage t = {0};
  stage_make(&t, meshes, 2, (double[]){1, 1}, (double[2][3]){{0}}, 0, &config, 1e-3);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(t.h.contact, &error));
  for (int i = 0; i < 3; ++i) host_step(&t.h);
  CU_ASSERT(t.h.kinetic == 0 && ipg_contact_get_energy_balance(t.h.contact).activations > 8);
  CU_ASSERT(largest_residual(&t.h) <= 1e-12);
  for (int way = -1; way <= 1; way += 2) {
    const double before = t.h.kinetic;
    for (int64_t i = t.ends[0]; i < t.s.mesh.node_count; ++i) t.springs.velocity[3 * i + 2] = .01 * way;
    for (int i = 0; i < 20; ++i) host_step(&t.h);
    CU_ASSERT(t.h.kinetic > before && t.h.gained <= 1e-15);
    CU_ASSERT(largest_residual(&t.h) <= 1e-12);
  }
  stage_free(&t);
}

/* -------------------------------------------------------------------------------------------- what must not matter */

enum { OUTCOME_VALUES = 6 };

/* Two soft bricks meet at a slant; which is body 0 is `swapped`. unit: of length. */
static void slant_hit(bool swapped, double unit, const ipg_contact_config *config, int steps, stage *t) {
  ipg_mesh a = scene_box(0, 0, 0, unit, unit, .5 * unit, 3, 2, 2, "a");
  ipg_mesh b = scene_box(.3 * unit, .25 * unit, .505 * unit, 1.2 * unit, 1.1 * unit, .9 * unit, 2, 3, 1, "b");
  ipg_mesh meshes[2] = {swapped ? b : a, swapped ? a : b};
  double velocities[2][3] = {{.1 * unit, 0, .3 * unit}, {-.2 * unit, .1 * unit, -.5 * unit}};
  double masses[2] = {1, 2};
  if (swapped) {
    double v[3];
    memcpy(v, velocities[0], sizeof v), memcpy(velocities[0], velocities[1], sizeof v);
    memcpy(velocities[1], v, sizeof v);
    masses[0] = 2, masses[1] = 1;
  }
  *t = (stage){0};
  stage_make(t, meshes, 2, masses, velocities, .3, config, 1e-2);
  for (int i = 0; i < steps; ++i) host_step(&t->h);
}

/* A node of the floor comes in under the end of a block that has overlapped it from the start, and the block is then
 * pressed on from rest: nothing was taken that could be given back, so it is stopped, not thrown out. */
static void test_pressed_on_from_rest(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 2, 2, 1, "floor"),
                       scene_box(-.9, -.3, -5e-4, -.001, .3, .4, 1, 1, 1, "block")};
  const ipg_contact_config config = kinematic(0);
  const double way[3] = {2e-3, 0, -1e-3};
  ipg_contact_projection correction;
  ipg_error error = {0};
  scene s;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  const int64_t values = 3 * s.surface.surface.node_count;
  double *v = calloc((size_t)values, sizeof *v);
  for (int64_t step = 1; step <= 3; ++step) {
    for (int64_t i = 0; i < values; ++i) s.trial[i] = s.x[i] + (s.body_of_node[i / 3] ? way[i % 3] : 0);
    CU_ASSERT_FATAL(!ipg_contact_project(contact, s.trial, v, .01, s.force, &correction, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 1);
    memcpy(s.x, s.trial, (size_t)values * sizeof *s.x);
  }
  CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(contact).kinematic_dissipation, 0, 1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(v);
}

/* No body is master: whichever comes first, every node goes the same way. */
static void test_swap(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t, u;
  slant_hit(false, 1, &config, 40, &t);
  slant_hit(true, 1, &config, 40, &u);
  CU_ASSERT(ipg_contact_get_energy_balance(t.h.contact).activations > 4);
  const int64_t first = t.ends[0], second = t.s.mesh.node_count - first;
  double worst = 0;
  for (int64_t i = 0; i < 3 * t.s.mesh.node_count; ++i) {
    const int64_t j = i < 3 * first ? i + 3 * second : i - 3 * first;
    worst = fmax(worst, fabs(t.h.came[i] - u.h.came[j]));
  }
  CU_ASSERT(worst <= 1e-9);
  if (worst > 1e-9) printf("\n    swapped bodies differ by %g", worst);
  stage_free(&t), stage_free(&u);
}

static void test_same_bits(void) {
  const char *const methods[] = {"lkdtree_packed", "brute_force", "hash", "sap"};
  stage t;
  ipg_contact_config config = kinematic(.3);
  slant_hit(false, 1, &config, 40, &t);
  for (int i = 0; i < 4; ++i) {
    stage u;
    ipg_pool *pool = NULL;
    CU_ASSERT_FATAL(!ipg_pool_create(1 << i % 3, &pool, NULL));
    config.tasks = ipg_pool_tasks(pool), config.search_margin = .15 * i, config.search_method = methods[i];
    slant_hit(false, 1, &config, 40, &u);
    CU_ASSERT(!memcmp(t.h.came, u.h.came, 3 * (size_t)t.s.mesh.node_count * sizeof(double)));
    const ipg_contact_energy_balance a = ipg_contact_get_energy_balance(t.h.contact),
                                     b = ipg_contact_get_energy_balance(u.h.contact);
    CU_ASSERT(!memcmp(&a, &b, sizeof a));
    stage_free(&u);
    ipg_pool_destroy(&pool);
  }
  stage_free(&t);
}

static void test_scaling(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t;
  slant_hit(false, 1, &config, 40, &t);
  for (int sign = -1; sign <= 1; sign += 2) {
    stage u;
    const double unit = ldexp(1, 10 * sign);
    slant_hit(false, unit, &config, 40, &u);
    int64_t same = 0;
    for (int64_t i = 0; i < 3 * t.s.mesh.node_count; ++i) same += u.h.came[i] == unit * t.h.came[i];
    CU_ASSERT_EQUAL(same, 3 * t.s.mesh.node_count);
    CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(u.h.contact).friction_dissipation,
                    unit * unit * ipg_contact_get_energy_balance(t.h.contact).friction_dissipation);
    stage_free(&u);
  }
  stage_free(&t);
}

/* Look again, elsewhere, take back and repeat: the same bits, and the caller's places move only on success. */
static void test_looks_change_nothing(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t;
  ipg_error error = {0};
  slant_hit(false, 1, &config, 12, &t);
  const int64_t values = 3 * t.s.surface.surface.node_count;
  const size_t bytes = (size_t)values * sizeof(double);
  double *first = malloc(bytes);
  host_correct(&t.h);
  memcpy(first, t.s.trial, bytes);
  CU_ASSERT(memcmp(t.s.trial, t.s.x, bytes));
  host_correct(&t.h);
  CU_ASSERT(!memcmp(first, t.s.trial, bytes));
  CU_ASSERT_FATAL(!ipg_contact_accept(t.h.contact, 100, &error));
  const ipg_contact_energy_balance ledger = ipg_contact_get_energy_balance(t.h.contact);
  CU_ASSERT_FATAL(!ipg_contact_revert(t.h.contact, &error));
  host_correct(&t.h);
  CU_ASSERT(!memcmp(first, t.s.trial, bytes));
  CU_ASSERT_FATAL(!ipg_contact_accept(t.h.contact, 100, &error));
  const ipg_contact_energy_balance again = ipg_contact_get_energy_balance(t.h.contact);
  CU_ASSERT(!memcmp(&ledger, &again, sizeof again));
  first[4] = (double)NAN;
  t.s.force[0] = 77;
  CU_ASSERT_EQUAL(ipg_contact_project(t.h.contact, first, NULL, .1, t.s.force, &t.h.last, &error), IPG_ERROR_NUMBER);
  CU_ASSERT(t.s.force[0] == 77 && !memcmp(first + 5, t.s.trial + 5, bytes - 5 * sizeof *first));
  free(first);
  stage_free(&t);
}

/* The same surface again, between two steps: nothing has changed, though nodes are held at two faces of a body. */
static void test_same_surface(void) {
  ipg_error error = {0};
  int64_t count, twice = 0;
  stage t, u;
  start_in_corner(&t), start_in_corner(&u);
  for (int i = 0; i < 20; ++i) host_step(&t.h), host_step(&u.h);
  const ipg_contact_pair *pairs = ipg_contact_pairs(u.h.contact, &count);
  for (int64_t i = 1; i < count; ++i) twice += ipg_contact_order(&pairs[i - 1], &pairs[i]) == 0;
  CU_ASSERT(twice > 0);
  CU_ASSERT_FATAL(!ipg_contact_update_surface(u.h.contact, &u.s.surface.surface, u.s.x, &error));
  for (int i = 0; i < 20; ++i) host_step(&t.h), host_step(&u.h);
  CU_ASSERT(!memcmp(t.h.came, u.h.came, 3 * (size_t)t.s.mesh.node_count * sizeof(double)));
  const ipg_contact_energy_balance a = ipg_contact_get_energy_balance(t.h.contact),
                                   b = ipg_contact_get_energy_balance(u.h.contact);
  CU_ASSERT(!memcmp(&a, &b, sizeof a));
  stage_free(&t), stage_free(&u);
}

/* --------------------------------------------------------------------------------------------------- random scenes */

typedef struct books {
  double kinetic, work;
  ipg_contact_energy_balance ledger;
} books;

static books books_of(const host *h) {
  return (books){h->kinetic, h->work, ipg_contact_get_energy_balance(h->contact)};
}

/* Each term is summed on its own: the host's kinetic energy, the work of its kicks, friction, pushes, work by nodes. */
static void check_books(const host *h, const books *before, double scale) {
  const books now = books_of(h);
  const double driven = now.ledger.external_work - before->ledger.external_work;
  const double lost = now.ledger.friction_dissipation + now.ledger.kinematic_dissipation -
                      before->ledger.friction_dissipation - before->ledger.kinematic_dissipation - driven;
  const double work = now.ledger.contact_work - before->ledger.contact_work;
  CU_ASSERT(fabs(now.kinetic - before->kinetic - (now.work - before->work) + lost) <= 1e-10 * scale);
  CU_ASSERT(fabs(work + lost) <= 1e-10 * scale);
  CU_ASSERT(h->contact->config.wall_count || h->gained <= 1e-12 * scale);
}

/* Forces sum to what planes gave; without planes their moments about the places before the step are the couple. */
static void check_forces(const host *h, const double *x0, const books *before) {
  const ipg_contact_energy_balance now = ipg_contact_get_energy_balance(h->contact);
  double sum[3] = {0}, moment[3] = {0}, size = 0;
  for (int64_t i = 0; i < h->s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *f = h->s->force + 3 * i, *x = x0 + 3 * i;
      sum[k] += f[k], size += fabs(f[k]);
      moment[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
    }
  for (int k = 0; k < 3; ++k) {
    const double given = now.wall_impulse[k] - before->ledger.wall_impulse[k];
    CU_ASSERT(fabs(h->dt * sum[k] - given) <= 1e-12 * h->dt * size + 1e-15 * fabs(now.wall_impulse[k]));
    if (h->contact->config.wall_count) continue;
    CU_ASSERT(fabs(h->dt * moment[k] - (now.angular_momentum_defect[k] - before->ledger.angular_momentum_defect[k])) <=
              1e-11 * h->dt * size + 1e-15 * fabs(now.angular_momentum_defect[k]));
  }
}

static void check_pairs(const host *h) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(h->contact, &count);
  const ipg_contact_law *law = &h->contact->config.law; /* planes have the same */
  for (int64_t i = 0; i < count; ++i) {
    const double *f = pairs[i].friction;
    const double along = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    CU_ASSERT(pairs[i].normal_force >= 0 && pairs[i].stiffness == 0);
    CU_ASSERT(along <= law->friction_static * pairs[i].normal_force * (1 + 1e-12));
    CU_ASSERT(pairs[i].gap >= -h->last.residual - h->contact->close_enough);
  }
}

/* Springs whose bodies turned inside out have no inside to ask for. */
static void check_audit(const host *h) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(h->contact, &report, &error));
  CU_ASSERT_EQUAL(report.missed_candidates + report.wrong_contacts, 0);
}

static void checked_step(host *h, double *x0, double scale) {
  ipg_error error = {0};
  const books before = books_of(h);
  memcpy(x0, h->s->x, 3 * (size_t)h->s->surface.surface.node_count * sizeof *x0);
  host_correct(h);
  if (h->step % 5 == 0) check_audit(h);
  CU_ASSERT_FATAL(!ipg_contact_accept(h->contact, ++h->step, &error));
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(h->contact);
  CU_ASSERT_EQUAL(after.activations - after.deactivations, ipg_contact_get_counters(h->contact).contacts);
  take_correction(h);
  kick(h);
  check_books(h, &before, scale + fabs(h->work));
  check_forces(h, x0, &before);
  check_pairs(h);
}

/* Through the middle of the scene, any way, and moving as fast as bodies do. */
static ipg_contact_wall random_plane(const random_scene *w) {
  rng r = rng_start(~(uint64_t)w->number);
  ipg_contact_wall plane = {.law = w->config.law};
  const double speed = sqrt(2 * w->start / (double)w->s.mesh.node_count / w->s.masses[0]);
  for (int k = 0; k < 3; ++k) {
    plane.point[k] = rng_between(&r, -.5, .5) * w->unit;
    plane.normal[k] = rng_between(&r, -1, 1), plane.velocity[k] = rng_between(&r, -1, 1) * speed;
  }
  return plane;
}

static void run_random_scene(long number, int64_t *pushed, int64_t *used_up) {
  random_scene w;
  random_scene_make(&w, number, 1);
  if (w.is_soft) {
    w.config.enforcement = IPG_ENFORCEMENT_KINEMATIC, w.config.stiffness = IPG_STIFFNESS_MASS_BASED;
    w.config.edges = false, w.config.thickness_count = 0, w.config.law.damping = 0;
    const ipg_contact_wall plane = random_plane(&w);
    if (number % 4 == 0) w.config.walls = &plane, w.config.wall_count = 1;
    host h;
    host_join(&h, &w.s, &w.springs, &w.config, w.dt);
    double *x0 = malloc(3 * (size_t)w.s.surface.surface.node_count * sizeof *x0);
    for (int64_t step = 0; step < w.steps; ++step) {
      checked_step(&h, x0, w.start);
      *pushed += !w.is_fast && h.last.iterations > 0, *used_up += !w.is_fast && h.last.iterations == 20;
      CU_ASSERT(h.last.iterations <= 20);
    }
    free(x0);
    host_leave(&h);
  }
  random_scene_free(&w);
}

static void test_random_scenes(void) {
  const long all = suite_is_quick() ? 40 : suite_scenes() / 20;
  int64_t pushed = 0, used_up = 0;
  for (long number = 0; number < all; ++number) run_random_scene(number, &pushed, &used_up);
  CU_ASSERT(pushed > all);
  CU_ASSERT(used_up < pushed / 3); /* of those where bodies move by less than an element in a step */
  printf("%lld slow steps pushed, %lld used all iterations up ", (long long)pushed, (long long)used_up);
}

/* ------------------------------------------------------------------------------------------------------- recording */

typedef struct file {
  char *bytes;
  int64_t count;
} file;

static bool write_bytes(void *context, const void *bytes, size_t count) {
  file *f = context;
  f->bytes = realloc(f->bytes, (size_t)f->count + count);
  memcpy(f->bytes + f->count, bytes, count);
  f->count += (int64_t)count;
  return true;
}

static void test_recording(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t;
  file f = {0};
  ipg_error error = {0};
  ipg_contact_replay r;
  ipg_contact_projection correction;
  slant_hit(false, 1, &config, 12, &t);
  const size_t bytes = 3 * (size_t)t.s.surface.surface.node_count * sizeof(double);
  spring_host_predict(&t.springs, &t.s, t.h.dt);
  double *x = malloc(bytes), *force = malloc(bytes);
  CU_ASSERT_FATAL(!ipg_contact_record(t.h.contact, t.s.trial, NULL, t.h.dt, write_bytes, &f, &error));
  CU_ASSERT_FATAL(!ipg_contact_replay_open(f.bytes, f.count, NULL, &r, &error));
  CU_ASSERT_EQUAL(r.enforcement, IPG_ENFORCEMENT_KINEMATIC);
  memcpy(x, r.x, bytes);
  CU_ASSERT_FATAL(!ipg_contact_project(r.contact, x, r.v, r.dt, force, &correction, &error));
  host_correct(&t.h);
  CU_ASSERT(correction.iterations > 0 && correction.iterations == t.h.last.iterations &&
            correction.residual == t.h.last.residual);
  CU_ASSERT(!memcmp(x, t.s.trial, bytes) && !memcmp(force, t.s.force, bytes));
  ipg_contact_destroy(&r.contact);
  free(x), free(force), free(f.bytes);
  stage_free(&t);
}

/* ---------------------------------------------------------------------------------------------------------- misuse */

static void test_misuse(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "a")};
  ipg_contact_config config = kinematic(0);
  ipg_contact_projection correction;
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  scene s;
  scene_make(&s, meshes, 1, 1);
  contact = scene_contact(&s, &config);
  CU_ASSERT_EQUAL(ipg_contact_evaluate(contact, s.x, NULL, 1, s.force, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "ipg_contact_project"));
  CU_ASSERT_EQUAL(ipg_contact_project(contact, s.x, NULL, 0, s.force, &correction, &error), IPG_ERROR_NUMBER);
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 1, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(ipg_contact_project(contact, s.x, NULL, 1, s.force, &correction, &error), IPG_OK);
  CU_ASSERT(correction.iterations == 0 && correction.residual == 0);
  CU_ASSERT(isinf(ipg_contact_stable_step(contact)));
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 1, &error), IPG_OK);
  ipg_contact_destroy(&contact);
  config.enforcement = IPG_ENFORCEMENT_PENALTY;
  contact = scene_contact(&s, &config);
  CU_ASSERT_EQUAL(ipg_contact_project(contact, s.x, NULL, 1, s.force, &correction, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "ipg_contact_evaluate"));
  ipg_contact_destroy(&contact);
  config.law.damping = 0, config.enforcement = (ipg_contact_enforcement)7;
  CU_ASSERT_EQUAL(ipg_contact_create(&config, &s.surface.surface, s.x, &contact, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NULL(contact);
  scene_free(&s);
}

static void expect_refusal(const scene *s, const ipg_contact_config *config, const char *what) {
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_contact_create(config, &s->surface.surface, s->x, &contact, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(!strncmp(error.message, what, strlen(what)) && strstr(error.message, " belongs to penalty contact: "));
  CU_ASSERT_PTR_NULL(contact);
}

/* All that needs springs. */
static void test_refusals(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "a"), scene_box(2, 0, 0, 3, 1, 1, 1, 1, 1, "b")};
  ipg_contact_config config;
  ipg_error error = {0};
  const double moduli[] = {1, 1}, thicknesses[] = {0, .1};
  ipg_contact_wall plane = plane_at(-1, 0, 0);
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  scene s;
  scene_make(&s, meshes, 2, 1);
  CU_ASSERT_FATAL(!ipg_mesh_surface_stiffen(&s.surface, &s.mesh, &s.skin, moduli, &error));
  config = kinematic(0), config.law.damping = .1;
  expect_refusal(&s, &config, "damping");
  plane.law.damping = .1;
  config = kinematic(0), config.walls = &plane, config.wall_count = 1;
  expect_refusal(&s, &config, "damping");
  config = kinematic(0), config.stiffness = IPG_STIFFNESS_MATERIAL_BASED;
  expect_refusal(&s, &config, "stiffness of the material");
  config = kinematic(0), config.edges = true;
  expect_refusal(&s, &config, "contact of edges");
  config = kinematic(0), config.thicknesses = thicknesses, config.thickness_count = 2;
  expect_refusal(&s, &config, "a thickness");
  rule.tied = true, rule.blocks[0] = 0, rule.blocks[1] = 1;
  config = kinematic(0), config.rules = &rule, config.rule_count = 1;
  expect_refusal(&s, &config, "a tie");
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a plastic hit", test_plastic_hit},
      {"stopping distance", test_stopping_distance},
      {"an oblique hit", test_oblique_hit},
      {"stacked blocks", test_stacked_blocks},
      {"nothing slips through in thousands of steps", test_nothing_slips_through},
      {"over nodes of the floor", test_rolls_over_nodes},
      {"fast through a thin plate", test_fast_through_thin_plate},
      {"a corner", test_corner},
      {"a hit at a plane", test_hit_at_plane},
      {"stopping distance on a plane", test_stopping_distance_on_plane},
      {"an ignored overlap", test_ignored_overlap},
      {"pressed on from rest", test_pressed_on_from_rest},
      {"bodies swapped", test_swap},
      {"the same bits", test_same_bits},
      {"scaling", test_scaling},
      {"looks change nothing", test_looks_change_nothing},
      {"the same surface again", test_same_surface},
      {"random scenes", test_random_scenes},
      {"a recorded step", test_recording},
      {"misuse", test_misuse},
      {"refusals", test_refusals},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "kinematic", tests);
}
