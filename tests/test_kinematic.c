/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Kinematic projection against closed forms and conservation laws. The host code moves every node by itself, joined by
 * springs or not, and takes the projected positions as they are. */
#include "support/contact_pairs.h"
#include "support/evaluate.h"
#include "support/random_scenes.h"
#include "support/suite.h"
#include "support/surface_oracle.h"

#include <math.h>

typedef struct host {
  scene *s;
  spring_host *springs;
  ipg_contact *contact;
  ipg_contact_law law;
  int64_t wall_count;
  ipg_contact_projection last;
  double dt, gravity[3];     /* on body 1 and above */
  double mean_edge;          /* of the surface at the start */
  double *velocity;          /* of the last motion; 3 per mesh node */
  double *surface_velocity;  /* the same, of surface nodes */
  double largest_coordinate; /* of the last prediction */
  int32_t *has_gravity;
  double kinetic, work; /* of the last motion; of the kicks, so far */
  double gained;        /* the most kinetic energy that a projection gave a prediction, less than 0 if none did */
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

static void host_make(host *h, scene *s, spring_host *springs, const ipg_contact_config *config, double dt) {
  const size_t bytes = 3 * (size_t)s->mesh.node_count * sizeof(double);
  *h = (host){
      .s = s, .springs = springs, .dt = dt, .law = config->law, .wall_count = config->wall_count, .gained = -INFINITY};
  h->contact = scene_contact(s, config);
  h->mean_edge = surface_mean_edge(&s->surface.surface, s->x);
  h->velocity = malloc(bytes), h->surface_velocity = malloc(bytes);
  h->has_gravity = calloc((size_t)s->mesh.node_count, sizeof *h->has_gravity);
  memcpy(h->velocity, springs->velocity, bytes);
  h->kinetic = kinetic_of(s, h->velocity);
}

static void host_free(host *h) {
  ipg_contact_destroy(&h->contact);
  free(h->velocity), free(h->surface_velocity), free(h->has_gravity);
}

/* The velocities and energies of the host code after the projection. */
static void take_projection(host *h) {
  scene *s = h->s;
  double *v = h->springs->velocity;
  double *force = calloc(3 * (size_t)s->mesh.node_count, sizeof *force);
  const double predicted = kinetic_of(s, v);
  ipg_mesh_surface_add(&s->surface, s->force, force);
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) {
    const double mass = s->masses[i / 3], before = v[i];
    v[i] += h->dt * force[i] / mass;
    h->work += .5 * mass * (before - h->velocity[i]) * (h->velocity[i] + v[i]);
  }
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) h->springs->trial[3 * s->surface.mesh_nodes[i] + k] = s->trial[3 * i + k];
  h->kinetic = kinetic_of(s, v);
  if (h->last.iterations > 0) h->gained = suite_highest(h->gained, h->kinetic - predicted);
  memcpy(h->velocity, v, 3 * (size_t)s->mesh.node_count * sizeof *v);
  free(force);
}

/* The impulses of springs and gravity; then the trial positions are accepted. */
static void kick_nodes(host *h) {
  scene *s = h->s;
  spring_host_set_forces(h->springs, s->mesh.node_count);
  for (int64_t i = 0; i < 3 * s->mesh.node_count; ++i) {
    h->springs->velocity[i] += h->dt * h->springs->force[i] / s->masses[i / 3];
    if (h->has_gravity[i / 3]) h->springs->velocity[i] += h->dt * h->gravity[i % 3];
  }
  memcpy(s->mesh.x, h->springs->trial, 3 * (size_t)s->mesh.node_count * sizeof(double));
  memcpy(s->x, s->trial, 3 * (size_t)s->surface.surface.node_count * sizeof(double));
}

static void host_project(host *h) {
  ipg_error error = {0};
  spring_host_predict(h->springs, h->s, h->dt);
  ipg_mesh_surface_gather(&h->s->surface, h->velocity, h->surface_velocity);
  h->largest_coordinate = 0;
  for (int64_t i = 0; i < 3 * h->s->surface.surface.node_count; ++i)
    h->largest_coordinate = fmax(h->largest_coordinate, fabs(h->s->trial[i]));
  const ipg_status status =
      project_after(h->contact, h->dt, h->s->trial, h->surface_velocity, h->s->force, &h->last, &error);
  if (status) printf("\n    %s", error.message);
  CU_ASSERT_FATAL(!status);
}

static void host_step(host *h) {
  ipg_error error = {0};
  host_project(h);
  CU_ASSERT_FATAL(!ipg_contact_accept(h->contact, ++h->step, &error));
  take_projection(h);
  kick_nodes(h);
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
    const int32_t body = body_of_mesh_node(t->ends, i);
    t->s.masses[i] = masses[body];
    for (int k = 0; k < 3; ++k) v[3 * i + k] = velocities[body][k];
  }
  ipg_mesh_surface_destroy(&t->s.surface);
  CU_ASSERT_FATAL(!ipg_mesh_surface_build(&t->s.mesh, &t->s.skin, t->s.masses, NULL, &t->s.surface, &error));
  spring_host_make(&t->springs, &t->s, v, stiffness, dt);
  host_make(&t->h, &t->s, &t->springs, config, dt);
  for (int64_t i = t->ends[0]; i < t->s.mesh.node_count; ++i) t->h.has_gravity[i] = 1;
}

static void stage_free(stage *t) {
  host_free(&t->h);
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
  host_project(h);
  expect_clean_audit(h);
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_accept(h->contact, ++h->step, &error));
  take_projection(h);
  kick_nodes(h);
}

/* ---------------------------------------------------------------------------------------------------- closed forms */

/* Two cubes face to face: the faces have their common velocity after one step, and the energy lost is that of a plastic
 * hit. */
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
    CU_ASSERT_DOUBLE_EQUAL(t.h.velocity[3 * i], expected, 1e-13);
    momentum += t.s.masses[i] * t.h.velocity[3 * i];
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

/* v^2 / (2 mu g), and friction dissipates all of the kinetic energy. */
static void test_stopping_distance(void) {
  const double mu = .3, g = 10, v = 3, stops = v * v / (2 * mu * g);
  stage t;
  if (suite_is_quick()) return;
  start_sledge(&t, mu, v, 0, g);
  const double start = mean_of(&t, t.s.mesh.x, 1, 0), mass = (double)(t.ends[1] - t.ends[0]);
  while (t.h.step < 1500) host_step(&t.h);
  suite_gate("kinematic: stopping distance of a cube", (mean_of(&t, t.s.mesh.x, 1, 0) - start) / stops - 1, .01);
  CU_ASSERT(fabs(mean_of(&t, t.h.velocity, 1, 0)) < .01 * v); /* its springs vibrate */
  suite_gate("kinematic: friction dissipation of a cube against the kinetic energy lost",
             ipg_contact_get_energy_balance(t.h.contact).friction_dissipation / (.5 * mass * v * v) - 1, .005);
  CU_ASSERT(largest_residual(&t.h) <= 1e-6 * t.h.mean_edge);
  stage_free(&t);
}

/* The smallest gap is the least of all contacts so far. */
static void test_smallest_gap(void) {
  double smallest = 0;
  stage t;
  start_sledge(&t, .3, 3, -.5, 10);
  for (int i = 0; i < 100; ++i) {
    int64_t count;
    host_step(&t.h);
    const ipg_contact_pair *pairs = ipg_contact_pairs(t.h.contact, &count);
    for (int64_t k = 0; k < count; ++k) smallest = fmin(smallest, pairs[k].gap);
    CU_ASSERT(ipg_contact_get_energy_balance(t.h.contact).smallest_gap == smallest);
  }
  CU_ASSERT(smallest < 0);
  stage_free(&t);
}

/* As long as it slides, the tangential impulse is mu times the normal one. */
static void test_oblique_hit(void) {
  stage t;
  start_sledge(&t, .2, 5, -1, 0);
  for (int i = 0; i < 20; ++i) host_step(&t.h);
  const double normal = mean_of(&t, t.h.velocity, 1, 2) + 1, tangential = 5 - mean_of(&t, t.h.velocity, 1, 0);
  CU_ASSERT(normal > .1);
  suite_gate("kinematic: tangential impulse over friction times normal impulse", tangential / (.2 * normal) - 1, 1e-3);
  stage_free(&t);
}

/* Blocks that lie unevenly on each other come to rest and do not sink. */
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
  for (int body = 1; body < 4 && steps > 1000; ++body) CU_ASSERT(fabs(mean_of(&t, t.h.velocity, body, 2)) < .02);
  CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.s.mesh.x, 3, 2), .995, .01);
  CU_ASSERT(largest_residual(&t.h) <= 1e-6 * t.h.mean_edge);
  stage_free(&t);
}

/* Thousands of steps at rest and sliding over borders of faces, every node within rounding of a surface: no
 * penetration. */
static void test_no_penetration_in_long_runs(void) {
  for (int slides = 0; slides < 2; ++slides) {
    stage t;
    start_sledge(&t, slides ? 0 : .5, slides ? 1 : 0, 0, 10);
    const double height = mean_of(&t, t.s.mesh.x, 1, 2);
    for (int i = 0; i < (suite_is_quick() ? 1200 : 4000); ++i) i % 100 ? host_step(&t.h) : audited_step(&t.h);
    CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.s.mesh.x, 1, 2), height, .01);
    CU_ASSERT(largest_residual(&t.h) <= 1e-9);
    if (slides) CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.h.velocity, 1, 0), 1, 1e-4);
    stage_free(&t);
  }
}

/* Sliding over the nodes of a floor without pressing on it: they support the cube and do not stop it. */
static void test_slides_over_nodes(void) {
  const double heights[] = {0, -1e-15, 1e-15, -1e-12};
  for (int i = 0; i < 4; ++i) {
    stage t;
    start_sledge(&t, 0, 5, heights[i] / 1e-3, 0);
    while (t.h.step < 600) host_step(&t.h);
    CU_ASSERT_DOUBLE_EQUAL(mean_of(&t, t.h.velocity, 1, 0), 5, 1e-6);
    stage_free(&t);
  }
}

/* A grain that would be far behind a thin plate after one step stays in front of it, and the plate gets its momentum.
 */
static void test_fast_through_thin_plate(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, 0, 1, 1, .01, 4, 4, 1, "plate"),
                       scene_box(.13, .11, .5, .15, .13, .52, 1, 1, 1, "grain")};
  /* no two nodes end at the same point, where springs have no direction */
  for (int64_t i = 0; i < meshes[1].node_count; ++i) meshes[1].x[3 * i] += .37 * (meshes[1].x[3 * i + 2] - .5);
  const ipg_contact_config config = kinematic(0);
  stage t = {0};
  stage_make(&t, meshes, 2, (double[]){1, 1e-6}, (double[][3]){{0, 0, 0}, {0, 0, -3000}}, .1, &config, 1e-3);
  const double momentum = -3000 * 1e-6 * (double)(t.ends[1] - t.ends[0]);
  for (int i = 0; i < 20; ++i) audited_step(&t.h);
  double sum = 0;
  for (int64_t i = 0; i < t.s.mesh.node_count; ++i) sum += t.s.masses[i] * t.h.velocity[3 * i + 2];
  CU_ASSERT(ipg_contact_get_energy_balance(t.h.contact).activations > 0);
  CU_ASSERT(mean_of(&t, t.s.mesh.x, 1, 2) > mean_of(&t, t.s.mesh.x, 0, 2));
  CU_ASSERT_DOUBLE_EQUAL(sum, momentum, 1e-12 * fabs(momentum));
  stage_free(&t);
}

/* A brick that flies into the corner. */
static void start_in_corner(stage *t) {
  ipg_mesh meshes[] = {scene_corner(), scene_box(.01, -.33, .01, .41, .31, .43, 2, 2, 2, "brick")};
  const ipg_contact_config config = kinematic(0);
  *t = (stage){0};
  stage_make(t, meshes, 2, (double[]){1e12, 1}, (double[][3]){{0, 0, 0}, {-1, 0, -1}}, .5, &config, 1e-3);
  t->h.gravity[0] = -10, t->h.gravity[2] = -10;
}

/* Nodes on the inner edge are in contact with the floor and with the upright side at once. */
static void test_corner(void) {
  stage t;
  start_in_corner(&t);
  for (int i = 0; i < 400; ++i) i % 20 ? host_step(&t.h) : audited_step(&t.h);
  const double deepest = 1e-6 * t.h.mean_edge;
  for (int64_t i = t.ends[0]; i < t.s.mesh.node_count; ++i)
    CU_ASSERT(t.s.mesh.x[3 * i] >= -deepest && t.s.mesh.x[3 * i + 2] >= -deepest);
  CU_ASSERT(largest_residual(&t.h) <= deepest);
  stage_free(&t);
}

/* The counters add up the iterations of all projections and keep the largest residual; contacts of a node with one body
 * come in the order of faces. */
static void test_counters_and_order(void) {
  stage t;
  int64_t iterations = 0, at_two_faces = 0;
  double residual = 0;
  start_in_corner(&t);
  for (int i = 0; i < 60; ++i) {
    host_step(&t.h);
    iterations += t.h.last.iterations, residual = fmax(residual, t.h.last.residual);
    int64_t count;
    const ipg_contact_pair *pairs = ipg_contact_pairs(t.h.contact, &count);
    for (int64_t k = 1; k < count; ++k) {
      if (contact_order(&pairs[k - 1], &pairs[k])) continue;
      CU_ASSERT(pairs[k - 1].face < pairs[k].face);
      ++at_two_faces;
    }
  }
  const ipg_contact_counters counters = ipg_contact_get_counters(t.h.contact);
  CU_ASSERT(counters.iterations == iterations && iterations > t.h.last.iterations && at_two_faces > 0);
  CU_ASSERT(counters.residual == residual && residual > t.h.last.residual);
  stage_free(&t);
}

/* ------------------------------------------------------------------------------------------------------------ walls */

static ipg_contact_wall wall_at(double z, double speed, double friction) {
  return (ipg_contact_wall){
      .point = {0, 0, z}, .normal = {0, 0, 2}, .velocity = {0, 0, speed}, .law = {friction, friction, 0, 0}};
}

static void start_at_wall(stage *t, const ipg_contact_wall *wall, double vx, double vz, double stiffness) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "cube")};
  ipg_contact_config config = kinematic(0);
  config.walls = wall, config.wall_count = 1;
  *t = (stage){0};
  stage_make(t, meshes, 1, (double[]){2}, (double[][3]){{vx, 0, vz}}, stiffness, &config, 1e-3);
}

/* Four free nodes fall onto a wall and stay; or the wall hits them from below and moves on with them, and its external
 * work covers the energy of the hit too. */
static void test_hit_at_wall(void) {
  const double v = 1.5, u = .5;
  for (int moves = 0; moves < 2; ++moves) {
    const ipg_contact_wall wall = wall_at(-.25e-3, moves ? u : 0, 0);
    stage t;
    start_at_wall(&t, &wall, .1, moves ? 0 : -v, 0);
    for (int i = 0; i < 3; ++i) host_step(&t.h);
    for (int64_t i = 0; i < t.s.mesh.node_count; ++i) {
      const bool touches = t.s.mesh.x[3 * i + 2] < .5;
      CU_ASSERT_DOUBLE_EQUAL(t.h.velocity[3 * i + 2], moves ? (touches ? u : 0) : touches ? 0 : -v, 1e-12);
      CU_ASSERT_DOUBLE_EQUAL(t.h.velocity[3 * i], .1, 1e-13);
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

static double deepest_at_walls(const ipg_contact *contact) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  double deepest = 0;
  for (int64_t i = 0; i < count; ++i)
    if (pairs[i].kind == IPG_CONTACT_NODE_WALL) deepest = fmax(deepest, -pairs[i].gap);
  return deepest;
}

/* A wall that lifts one cube makes energy, which is none that contacts give, of this cube or of another: they take back
 * what rounding lets the cubes sink into wall and floor, as they do where the wall rests. */
static void test_rest_beside_a_lift(void) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 8, 2, 0, 10, 4, 1, "floor"),
                       scene_box(-.53, -.51, 0, .47, .49, 1, 2, 2, 2, "cube"),
                       scene_box(0, 0, -10, 1, 1, -9, 1, 1, 1, "lifted")};
  const ipg_contact_wall wall = wall_at(-10, 1, 0);
  ipg_contact_config config = kinematic(.5);
  stage t = {0};
  config.walls = &wall, config.wall_count = 1;
  stage_make(&t, meshes, 3, (double[]){1e12, 1, 1e3}, (double[][3]){{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}, .5, &config,
             1e-3);
  t.h.gravity[2] = -10;
  while (t.h.step < 1200) host_step(&t.h);
  CU_ASSERT(deepest_at_walls(t.h.contact) <= 1e-14);
  CU_ASSERT(mean_of(&t, t.s.mesh.x, 2, 2) > -9);
  CU_ASSERT(largest_residual(&t.h) <= 1e-9);
  stage_free(&t);
}

/* As on a floor of faces. */
static void test_stopping_distance_on_wall(void) {
  const double mu = .3, g = 10, v = 3, stops = v * v / (2 * mu * g);
  const ipg_contact_wall wall = wall_at(0, 0, mu);
  stage t;
  start_at_wall(&t, &wall, v, 0, .5);
  t.h.gravity[2] = -g;
  for (int64_t i = 0; i < t.s.mesh.node_count; ++i) t.h.has_gravity[i] = 1;
  const double start = mean_of(&t, t.s.mesh.x, 0, 0), mass = 2 * (double)t.s.mesh.node_count;
  while (t.h.step < 1500) host_step(&t.h);
  suite_gate("kinematic, on a rigid wall: stopping distance of a cube",
             (mean_of(&t, t.s.mesh.x, 0, 0) - start) / stops - 1, .01);
  suite_gate("kinematic, on a rigid wall: friction dissipation against the kinetic energy lost",
             ipg_contact_get_energy_balance(t.h.contact).friction_dissipation / (.5 * mass * v * v) - 1, .005);
  CU_ASSERT(largest_residual(&t.h) <= 1e-12);
  stage_free(&t);
}

/* An initial penetration that is ignored stays as it is, gets no deeper in a hit, and gives no energy as it opens. */
static void test_ignored_initial_penetration(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 2, 2, 2, "a"), scene_box(.1, .1, .9, .8, .8, 1.5, 2, 2, 2, "b")};
  const ipg_contact_config config = kinematic(0);
  ipg_error error = {0};
  stage t = {0};
  stage_make(&t, meshes, 2, (double[]){1, 1}, (double[2][3]){{0}}, 0, &config, 1e-3);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(t.h.contact, &error));
  for (int i = 0; i < 3; ++i) host_step(&t.h);
  CU_ASSERT(t.h.kinetic == 0 && ipg_contact_get_energy_balance(t.h.contact).activations > 8);
  CU_ASSERT(largest_residual(&t.h) <= 1e-12);
  for (int sign = -1; sign <= 1; sign += 2) {
    const double before = t.h.kinetic;
    for (int64_t i = t.ends[0]; i < t.s.mesh.node_count; ++i) t.springs.velocity[3 * i + 2] = .01 * sign;
    for (int i = 0; i < 20; ++i) host_step(&t.h);
    CU_ASSERT(t.h.kinetic > before && t.h.gained <= 1e-15);
    CU_ASSERT(largest_residual(&t.h) <= 1e-12);
  }
  stage_free(&t);
}

/* -------------------------------------------------------------------------------------------------- the same answer */

enum { OUTCOME_VALUES = 6 };

/* Two soft bricks hit each other obliquely; `swapped` exchanges their numbers. unit: of length. */
static void run_oblique_hit(bool swapped, double unit, const ipg_contact_config *config, int steps, stage *t) {
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

/* A node of the floor enters under the end of a block with an initial penetration, and the block is then pressed on
 * from rest: the projection has dissipated nothing that could be given back, so the block is stopped and not pushed
 * out.
 */
static void test_pressed_on_from_rest(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 2, 2, 1, "floor"),
                       scene_box(-.9, -.3, -5e-4, -.001, .3, .4, 1, 1, 1, "block")};
  const ipg_contact_config config = kinematic(0);
  const double motion[3] = {2e-3, 0, -1e-3};
  ipg_contact_projection projection;
  ipg_error error = {0};
  scene s;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  const int64_t values = 3 * s.surface.surface.node_count;
  double *v = calloc((size_t)values, sizeof *v);
  for (int64_t step = 1; step <= 3; ++step) {
    for (int64_t i = 0; i < values; ++i) s.trial[i] = s.x[i] + (s.body_of_node[i / 3] ? motion[i % 3] : 0);
    CU_ASSERT_FATAL(!project_after(contact, .01, s.trial, v, s.force, &projection, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 1);
    memcpy(s.x, s.trial, (size_t)values * sizeof *s.x);
  }
  CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(contact).kinematic_dissipation, 0, 1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  free(v);
}

/* The same motion of every node, whichever of the bodies comes first: there is no master side. */
static void test_swap(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t, u;
  run_oblique_hit(false, 1, &config, 40, &t);
  run_oblique_hit(true, 1, &config, 40, &u);
  CU_ASSERT(ipg_contact_get_energy_balance(t.h.contact).activations > 4);
  const int64_t first = t.ends[0], second = t.s.mesh.node_count - first;
  double worst = 0;
  for (int64_t i = 0; i < 3 * t.s.mesh.node_count; ++i) {
    const int64_t j = i < 3 * first ? i + 3 * second : i - 3 * first;
    worst = suite_worst(worst, t.h.velocity[i] - u.h.velocity[j]);
  }
  suite_gate("kinematic: velocities with the bodies swapped", worst, 1e-9);
  stage_free(&t), stage_free(&u);
}

static void test_same_bits(void) {
  const char *const methods[] = {"lkdtree_packed", "brute_force", "hash", "sap"};
  stage t;
  ipg_contact_config config = kinematic(.3);
  run_oblique_hit(false, 1, &config, 40, &t);
  for (int i = 0; i < 4; ++i) {
    stage u;
    ipg_pool *pool = NULL;
    CU_ASSERT_FATAL(!ipg_pool_create(1 << i % 3, &pool, NULL));
    config.tasks = ipg_pool_tasks(pool), config.search_margin = .15 * i, config.search_method = methods[i];
    run_oblique_hit(false, 1, &config, 40, &u);
    CU_ASSERT(!memcmp(t.h.velocity, u.h.velocity, 3 * (size_t)t.s.mesh.node_count * sizeof(double)));
    const ipg_contact_energy_balance a = ipg_contact_get_energy_balance(t.h.contact),
                                     b = ipg_contact_get_energy_balance(u.h.contact);
    CU_ASSERT(!memcmp(&a, &b, sizeof a));
    stage_free(&u);
    ipg_pool_destroy(&pool);
  }
  stage_free(&t);
}

/* The two bricks of an oblique hit, alone, or with a harder hit of larger and finer blocks 100 lengths away, whose
 * bodies come behind them or in front of them. Returns the first node of the bricks. */
static int64_t run_beside(int others, bool in_front, const ipg_contact_config *config, stage *t) {
  ipg_mesh bricks[] = {scene_box(0, 0, 0, 1, 1, .5, 3, 2, 2, "a"), scene_box(.3, .25, .505, 1.2, 1.1, .9, 2, 3, 1, "b"),
                       scene_box(100, 0, 0, 103, 3, 1, 7, 7, 1, "c"),
                       scene_box(100.1, .2, 1.001, 103.2, 3.1, 2, 8, 7, 1, "d")};
  double velocities[][3] = {{.1, 0, .3}, {-.2, .1, -.5}, {.2, 0, 2}, {-.3, .1, -3}};
  const double masses[] = {1, 2, 3, .5};
  ipg_mesh meshes[4];
  double v[4][3], m[4];
  for (int b = 0; b < 2 + others; ++b) {
    const int to = !in_front ? b : b < 2 ? b + others : b - 2;
    meshes[to] = bricks[b], m[to] = masses[b], memcpy(v[to], velocities[b], sizeof v[to]);
  }
  for (int b = 2 + others; b < 4; ++b) ipg_mesh_destroy(&bricks[b]);
  *t = (stage){0};
  stage_make(t, meshes, 2 + others, m, v, .3, config, 1e-2);
  for (int i = 0; i < 40; ++i) host_step(&t->h);
  return in_front ? t->ends[1] : 0;
}

/* Contact of two bodies does not know what other bodies do out of reach, nor how many workers there are. */
static void test_beside_others(void) {
  ipg_contact_config config = kinematic(.3);
  stage alone, serial;
  run_beside(0, false, &config, &alone);
  run_beside(2, false, &config, &serial);
  CU_ASSERT(ipg_contact_get_energy_balance(serial.h.contact).activations > 2 * 64); /* more than one task */
  for (int i = 0; i < 3; ++i) {
    stage t;
    ipg_pool *pool = NULL;
    CU_ASSERT_FATAL(!ipg_pool_create(1 + i, &pool, NULL));
    config.tasks = ipg_pool_tasks(pool);
    const int64_t first = run_beside(2, i == 2, &config, &t), bricks = 3 * alone.s.mesh.node_count;
    CU_ASSERT(!memcmp(alone.h.velocity, t.h.velocity + 3 * first, (size_t)bricks * sizeof(double)));
    const int64_t all = i < 2 ? 3 * t.s.mesh.node_count : 0;
    CU_ASSERT(!memcmp(serial.h.velocity, t.h.velocity, (size_t)all * sizeof(double)));
    stage_free(&t);
    ipg_pool_destroy(&pool);
  }
  stage_free(&alone), stage_free(&serial);
}

static void test_scaling(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t;
  run_oblique_hit(false, 1, &config, 40, &t);
  for (int sign = -1; sign <= 1; sign += 2) {
    stage u;
    const double unit = ldexp(1, 10 * sign);
    run_oblique_hit(false, unit, &config, 40, &u);
    int64_t same = 0;
    for (int64_t i = 0; i < 3 * t.s.mesh.node_count; ++i) same += u.h.velocity[i] == unit * t.h.velocity[i];
    CU_ASSERT_EQUAL(same, 3 * t.s.mesh.node_count);
    CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(u.h.contact).friction_dissipation,
                    unit * unit * ipg_contact_get_energy_balance(t.h.contact).friction_dissipation);
    stage_free(&u);
  }
  stage_free(&t);
}

/* Projecting again, reverting and repeating give the same bits, and the caller's positions change only on success. */
static void test_repeated_projections(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t;
  ipg_error error = {0};
  run_oblique_hit(false, 1, &config, 12, &t);
  const int64_t values = 3 * t.s.surface.surface.node_count;
  const size_t bytes = (size_t)values * sizeof(double);
  double *first = malloc(bytes);
  host_project(&t.h);
  memcpy(first, t.s.trial, bytes);
  CU_ASSERT(memcmp(t.s.trial, t.s.x, bytes));
  host_project(&t.h);
  CU_ASSERT(!memcmp(first, t.s.trial, bytes));
  CU_ASSERT_FATAL(!ipg_contact_accept(t.h.contact, 100, &error));
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(t.h.contact);
  CU_ASSERT_FATAL(!ipg_contact_revert(t.h.contact, &error));
  host_project(&t.h);
  CU_ASSERT(!memcmp(first, t.s.trial, bytes));
  CU_ASSERT_FATAL(!ipg_contact_accept(t.h.contact, 100, &error));
  const ipg_contact_energy_balance again = ipg_contact_get_energy_balance(t.h.contact);
  CU_ASSERT(!memcmp(&balance, &again, sizeof again));
  first[4] = (double)NAN;
  t.s.force[0] = 77;
  CU_ASSERT_EQUAL(project_after(t.h.contact, .1, first, NULL, t.s.force, &t.h.last, &error), IPG_ERROR_NUMBER);
  CU_ASSERT(t.s.force[0] == 77 && !memcmp(first + 5, t.s.trial + 5, bytes - 5 * sizeof *first));
  free(first);
  stage_free(&t);
}

/* The same surface again, between two steps: nothing changes, also for nodes in contact with two faces of a body. */
static void test_same_surface(void) {
  ipg_error error = {0};
  int64_t count, twice = 0;
  stage t, u;
  start_in_corner(&t), start_in_corner(&u);
  for (int i = 0; i < 20; ++i) host_step(&t.h), host_step(&u.h);
  const ipg_contact_pair *pairs = ipg_contact_pairs(u.h.contact, &count);
  for (int64_t i = 1; i < count; ++i) twice += contact_order(&pairs[i - 1], &pairs[i]) == 0;
  CU_ASSERT(twice > 0);
  CU_ASSERT_FATAL(!ipg_contact_update_surface(u.h.contact, &u.s.surface.surface, u.s.x, &error));
  for (int i = 0; i < 20; ++i) host_step(&t.h), host_step(&u.h);
  CU_ASSERT(!memcmp(t.h.velocity, u.h.velocity, 3 * (size_t)t.s.mesh.node_count * sizeof(double)));
  const ipg_contact_energy_balance a = ipg_contact_get_energy_balance(t.h.contact),
                                   b = ipg_contact_get_energy_balance(u.h.contact);
  CU_ASSERT(!memcmp(&a, &b, sizeof a));
  stage_free(&t), stage_free(&u);
}

/* --------------------------------------------------------------------------------------------------- random scenes */

/* The worst of all random scenes: sums of forces over their size, the two ways to close the energy balance and the
 * energy that projections gave to predictions, over that of the start. */
static struct { double forces, energy, work, given; } worst_of_scenes = {.given = -INFINITY};

typedef struct energies {
  double kinetic, work;
  ipg_contact_energy_balance balance;
} energies;

static energies energies_of(const host *h) {
  return (energies){h->kinetic, h->work, ipg_contact_get_energy_balance(h->contact)};
}

/* Each term is summed on its own: the kinetic energy of the host code, the work of its impulses, friction, projection,
 * contact work at the nodes. */
static void check_energies(const host *h, const energies *before, double scale) {
  const energies now = energies_of(h);
  const double external = now.balance.external_work - before->balance.external_work;
  const double lost = now.balance.friction_dissipation + now.balance.kinematic_dissipation -
                      before->balance.friction_dissipation - before->balance.kinematic_dissipation - external;
  const double work = now.balance.contact_work - before->balance.contact_work;
  const double open = now.kinetic - before->kinetic - (now.work - before->work) + lost;
  worst_of_scenes.energy = suite_worst(worst_of_scenes.energy, open / scale);
  worst_of_scenes.work = suite_worst(worst_of_scenes.work, (work + lost) / scale);
  if (!h->wall_count) worst_of_scenes.given = suite_highest(worst_of_scenes.given, h->gained / scale);
}

/* Forces sum to the impulse of walls; without walls their moments about the positions before the step are the
 * angular-momentum defect. */
static void check_forces(const host *h, const double *x0, const energies *before) {
  const ipg_contact_energy_balance now = ipg_contact_get_energy_balance(h->contact);
  double sum[3] = {0}, moment[3] = {0}, size = 0;
  for (int64_t i = 0; i < h->s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *f = h->s->force + 3 * i, *x = x0 + 3 * i;
      sum[k] += f[k], size += fabs(f[k]);
      moment[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
    }
  for (int k = 0; k < 3; ++k) {
    const double impulse = now.wall_impulse[k] - before->balance.wall_impulse[k];
    const double rounding = 1e-15 * fabs(now.wall_impulse[k]), open = fabs(h->dt * sum[k] - impulse) - rounding;
    if (!(open <= 0)) worst_of_scenes.forces = suite_worst(worst_of_scenes.forces, open / (h->dt * size));
    if (h->wall_count) continue;
    CU_ASSERT(fabs(h->dt * moment[k] - (now.angular_momentum_defect[k] - before->balance.angular_momentum_defect[k])) <=
              1e-11 * h->dt * size + 1e-15 * fabs(now.angular_momentum_defect[k]));
  }
}

/* No penetration but for the residual and what the projection takes for 0. */
static void check_pairs(const host *h) {
  const double close_enough = 1e-13 * h->mean_edge + 1e-15 * h->largest_coordinate;
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(h->contact, &count);
  const ipg_contact_law *law = &h->law; /* of walls too */
  for (int64_t i = 0; i < count; ++i) {
    const double *f = pairs[i].response.friction;
    const double along = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    CU_ASSERT(pairs[i].response.normal_force >= 0 && pairs[i].history.stiffness == 0);
    CU_ASSERT(along <= law->friction_static * pairs[i].response.normal_force * (1 + 1e-12));
    CU_ASSERT(pairs[i].gap >= -h->last.residual - close_enough);
  }
}

/* Nodes inside are not checked: bodies of springs may be inverted and have no inside. */
static void check_audit(const host *h) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(h->contact, &report, &error));
  CU_ASSERT_EQUAL(report.missed_candidates + report.wrong_contacts, 0);
}

static void checked_step(host *h, double *x0, double scale) {
  ipg_error error = {0};
  const energies before = energies_of(h);
  memcpy(x0, h->s->x, 3 * (size_t)h->s->surface.surface.node_count * sizeof *x0);
  host_project(h);
  if (h->step % 5 == 0) check_audit(h);
  CU_ASSERT_FATAL(!ipg_contact_accept(h->contact, ++h->step, &error));
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(h->contact);
  CU_ASSERT_EQUAL(after.activations - after.deactivations, ipg_contact_get_counters(h->contact).contacts);
  take_projection(h);
  kick_nodes(h);
  check_energies(h, &before, scale + fabs(h->work));
  check_forces(h, x0, &before);
  check_pairs(h);
}

/* Through the middle of the scene, in any direction, moving as fast as the bodies. */
static ipg_contact_wall random_wall(const random_scene *w) {
  rng r = rng_start(~(uint64_t)w->number);
  ipg_contact_wall wall = {.law = w->config.law};
  const double speed = sqrt(2 * w->start / (double)w->s.mesh.node_count / w->s.masses[0]);
  for (int k = 0; k < 3; ++k) {
    wall.point[k] = rng_between(&r, -.5, .5) * w->unit;
    wall.normal[k] = rng_between(&r, -1, 1), wall.velocity[k] = rng_between(&r, -1, 1) * speed;
  }
  return wall;
}

/* Of the slow scenes, where bodies move by less than an element in a step: steps that projected, and what is left in
 * those that used all iterations up, in edges. */
typedef struct residuals {
  int64_t projected, used_up;
  double *left;
} residuals;

static void take_residual(residuals *r, const host *h) {
  r->projected += h->last.iterations > 0;
  if (h->last.iterations < 20) return;
  r->left = realloc(r->left, ((size_t)r->used_up + 1) * sizeof *r->left);
  r->left[r->used_up++] = h->last.residual / h->mean_edge;
}

static int compare_doubles(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void print_residuals(const residuals *r) {
  if (!r->used_up) return;
  qsort(r->left, (size_t)r->used_up, sizeof *r->left, compare_doubles);
  suite_figure("kinematic, where all iterations are used up: penetration left, in edges, median",
               r->left[r->used_up / 2]);
  suite_figure("kinematic, where all iterations are used up: penetration left, in edges, largest",
               r->left[r->used_up - 1]);
}

static void run_random_scene(long number, residuals *r) {
  random_scene w;
  random_scene_make(&w, number, 1);
  if (w.is_soft) {
    w.config.enforcement = IPG_ENFORCEMENT_KINEMATIC;
    w.config.thickness_count = 0, w.config.law.damping = 0;
    const ipg_contact_wall wall = random_wall(&w);
    if (number % 4 == 0) w.config.walls = &wall, w.config.wall_count = 1;
    host h;
    host_make(&h, &w.s, &w.springs, &w.config, w.dt);
    double *x0 = malloc(3 * (size_t)w.s.surface.surface.node_count * sizeof *x0);
    for (int64_t step = 0; step < w.steps; ++step) {
      checked_step(&h, x0, w.start);
      if (!w.is_fast) take_residual(r, &h);
      CU_ASSERT(h.last.iterations <= 20);
    }
    free(x0);
    host_free(&h);
  }
  random_scene_free(&w);
}

static void test_random_scenes(void) {
  const long all = suite_is_quick() ? 40 : suite_scenes() / 20;
  residuals r = {0};
  for (long number = 0; number < all; ++number) run_random_scene(number, &r);
  CU_ASSERT(r.projected > all);
  suite_gate("kinematic random scenes: sum of the forces, of their size", worst_of_scenes.forces, 1e-12);
  suite_gate("kinematic random scenes: error of the energy balance in a step", worst_of_scenes.energy, 1e-10);
  suite_gate("kinematic random scenes: contact work against the energy booked", worst_of_scenes.work, 1e-10);
  suite_gate_above("kinematic random scenes: energy given to the prediction, the most", worst_of_scenes.given, 1e-12);
  suite_gate("kinematic, slow random scenes: steps with pushes that use up all 20 iterations",
             (double)r.used_up / (double)r.projected, 1. / 3);
  print_residuals(&r);
  free(r.left);
}

/* ------------------------------------------------------------------------------------------------------- replay */

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

static void test_replay(void) {
  const ipg_contact_config config = kinematic(.3);
  stage t;
  file f = {0};
  ipg_error error = {0};
  ipg_contact_replay r;
  ipg_contact_projection projection;
  run_oblique_hit(false, 1, &config, 12, &t);
  const size_t bytes = 3 * (size_t)t.s.surface.surface.node_count * sizeof(double);
  spring_host_predict(&t.springs, &t.s, t.h.dt);
  double *x = malloc(bytes), *force = malloc(bytes);
  CU_ASSERT_FATAL(!ipg_contact_record(t.h.contact, ipg_contact_get_time(t.h.contact) + t.h.dt, t.s.trial, NULL,
                                      write_bytes, &f, &error));
  CU_ASSERT_FATAL(!open_replay(NULL, f.bytes, f.count, &r, &error));
  CU_ASSERT_EQUAL(r.enforcement, IPG_ENFORCEMENT_KINEMATIC);
  memcpy(x, r.x, bytes);
  CU_ASSERT_FATAL(!ipg_contact_project(r.contact, r.time, x, r.v, force, &projection, &error));
  host_project(&t.h);
  CU_ASSERT(projection.iterations > 0 && projection.iterations == t.h.last.iterations &&
            projection.residual == t.h.last.residual);
  CU_ASSERT(!memcmp(x, t.s.trial, bytes) && !memcmp(force, t.s.force, bytes));
  ipg_contact_destroy(&r.contact);
  free(x), free(force), free(f.bytes);
  stage_free(&t);
}

/* ------------------------------------------------------------------------------------------------------ wrong calls */

static void test_wrong_calls(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "a")};
  ipg_contact_config config = kinematic(0);
  ipg_contact_projection projection;
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  scene s;
  scene_make(&s, meshes, 1, 1);
  contact = scene_contact(&s, &config);
  CU_ASSERT_EQUAL(evaluate_after(contact, 1, s.x, NULL, s.force, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "ipg_contact_project"));
  CU_ASSERT_EQUAL(ipg_contact_enforce(contact, NULL, s.force, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "ipg_contact_project"));
  CU_ASSERT_EQUAL(project_after(contact, 0, s.x, NULL, s.force, &projection, &error), IPG_ERROR_NUMBER);
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 1, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_EQUAL(project_after(contact, 1, s.x, NULL, s.force, &projection, &error), IPG_OK);
  CU_ASSERT(projection.iterations == 0 && projection.residual == 0);
  CU_ASSERT(isinf(ipg_contact_stable_step(contact)));
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 1, &error), IPG_OK);
  ipg_contact_destroy(&contact);
  config.enforcement = IPG_ENFORCEMENT_PENALTY, config.reference_step = 1;
  contact = scene_contact(&s, &config);
  CU_ASSERT_EQUAL(project_after(contact, 1, s.x, NULL, s.force, &projection, &error), IPG_ERROR_ARGUMENT);
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
  CU_ASSERT(!strncmp(error.message, what, strlen(what)) && strstr(error.message, " belongs to enforcement by "));
  CU_ASSERT_PTR_NULL(contact);
}

/* Everything that needs springs. */
static void test_refusals(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "a"), scene_box(2, 0, 0, 3, 1, 1, 1, 1, 1, "b")};
  ipg_contact_config config;
  ipg_error error = {0};
  const double moduli[] = {1, 1}, thicknesses[] = {0, .1};
  ipg_contact_wall wall = wall_at(-1, 0, 0);
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  scene s;
  scene_make(&s, meshes, 2, 1);
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&s.surface, &s.mesh, &s.skin, moduli, &error));
  config = kinematic(0), config.law.damping = .1;
  expect_refusal(&s, &config, "damping");
  wall.law.damping = .1;
  config = kinematic(0), config.walls = &wall, config.wall_count = 1;
  expect_refusal(&s, &config, "damping");
  rule.law.damping = .1;
  config = kinematic(0), config.rules = &rule, config.rule_count = 1;
  expect_refusal(&s, &config, "damping");
  rule.law.damping = 0;
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
      {"the smallest gap", test_smallest_gap},
      {"an oblique hit", test_oblique_hit},
      {"stacked blocks", test_stacked_blocks},
      {"no penetration in thousands of steps", test_no_penetration_in_long_runs},
      {"over nodes of the floor", test_slides_over_nodes},
      {"fast through a thin plate", test_fast_through_thin_plate},
      {"a corner", test_corner},
      {"counters, and the order of contacts", test_counters_and_order},
      {"a hit at a wall", test_hit_at_wall},
      {"at rest beside a lift", test_rest_beside_a_lift},
      {"stopping distance on a wall", test_stopping_distance_on_wall},
      {"an ignored initial penetration", test_ignored_initial_penetration},
      {"pressed on from rest", test_pressed_on_from_rest},
      {"bodies swapped", test_swap},
      {"the same bits", test_same_bits},
      {"beside others", test_beside_others},
      {"scaling", test_scaling},
      {"repeated projections", test_repeated_projections},
      {"the same surface again", test_same_surface},
      {"random scenes", test_random_scenes},
      {"a recorded step", test_replay},
      {"wrong calls", test_wrong_calls},
      {"refusals", test_refusals},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "kinematic", tests);
}
