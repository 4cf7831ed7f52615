/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Rigid walls, at rest and moving, against closed forms: bounces, friction, wall impulse and external work. Bodies are
 * rigid; velocities are those at the middles of steps. */
#include "support/contact_pairs.h"
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/scene.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>

static const double tilted[3] = {1. / 3, -2. / 3, 2. / 3};

static ipg_contact_wall wall_of(double nx, double ny, double nz) { return (ipg_contact_wall){.normal = {nx, ny, nz}}; }

/* The stiffness follows from the step. */
static ipg_contact_config config_with(const ipg_contact_wall *walls, int64_t count, double step) {
  ipg_contact_config config = ipg_contact_defaults();
  config.walls = walls, config.wall_count = count;
  config.penalty_scale = .1, config.reference_step = step;
  return config;
}

/* A ball of radius .5, its centre at height .6 above the tilted wall through the origin. */
static void make_ball_over_tilted_wall(scene *s) {
  ipg_mesh meshes[] = {scene_ball(.2, -.4, .4, .5, 4, "ball")};
  scene_make(s, meshes, 1, 1);
}

static double kinetic(const scene *s) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += .5 * s->body_mass[0] * s->velocity[0][k] * s->velocity[0][k];
  return sum;
}

/* Of all steps: the momentum gained against the wall impulse, over the momentum of speed 1 and the largest impulse. */
static double impulse_error;

/* A step, after which the wall impulse is the momentum gained until the end of the step: that of the middle of the next
 * step less half of its impulse. */
static void step_and_check_impulse(scene *s, ipg_contact *contact, double dt, int64_t step, const double start[3]) {
  double sum[3] = {0}, size = 0;
  CU_ASSERT_FATAL(scene_step(s, contact, dt, step));
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) sum[i % 3] += s->force[i], size += fabs(s->force[i]);
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  for (int k = 0; k < 3; ++k) {
    const double gained = s->body_mass[0] * (s->velocity[0][k] - start[k]) - .5 * dt * sum[k];
    impulse_error = suite_worst(impulse_error, (gained - l.wall_impulse[k]) / (s->body_mass[0] + dt * size));
  }
}

/* --------------------------------------------------------------------------------------------------------- bouncing */

static void test_bounce(void) {
  ipg_contact_wall wall = wall_of(5 * tilted[0], 5 * tilted[1], 5 * tilted[2]);
  const ipg_contact_config config = config_with(&wall, 1, 1e-3);
  scene s;
  make_ball_over_tilted_wall(&s);
  double start[3];
  for (int k = 0; k < 3; ++k) start[k] = s.velocity[0][k] = -tilted[k];
  ipg_contact *contact = scene_contact(&s, &config);
  int64_t most = 0;
  for (int64_t step = 1; step <= 800; ++step) {
    step_and_check_impulse(&s, contact, 1e-3, step, start);
    most = ipg_contact_get_counters(contact).contacts > most ? ipg_contact_get_counters(contact).contacts : most;
  }
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  double velocity_error = 0;
  for (int k = 0; k < 3; ++k) {
    velocity_error = suite_worst(velocity_error, s.velocity[0][k] - tilted[k]);
    CU_ASSERT_DOUBLE_EQUAL(l.wall_impulse[k], 2 * s.body_mass[0] * tilted[k], .01 * s.body_mass[0]);
    CU_ASSERT_EQUAL(l.angular_momentum_defect[k], 0);
  }
  suite_gate("face-face: a ball bounces off a tilted rigid wall: velocity", velocity_error, .01);
  CU_ASSERT(most >= 5 && l.activations >= most && l.deactivations == l.activations);
  CU_ASSERT(l.contact_energy == 0 && l.external_work == 0);
  CU_ASSERT(fabs(l.contact_work) < .01 * s.body_mass[0]);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A wall hits a ball at rest: the ball leaves with twice the speed of the wall, and all of its energy is external work.
 * The wall is at its point at the start time. */
static void test_moving_wall_hits(void) {
  ipg_contact_wall wall = wall_of(tilted[0], tilted[1], tilted[2]);
  for (int k = 0; k < 3; ++k) wall.velocity[k] = 2 * tilted[k];
  ipg_contact_config config = config_with(&wall, 1, 1e-3);
  config.start_time = 7;
  scene s;
  make_ball_over_tilted_wall(&s);
  const double start[3] = {0};
  double lowest = 1, open = 0, velocity_error = 0;
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i) lowest = fmin(lowest, vec3_dot(s.x + 3 * i, tilted));
  const int64_t arrival = (int64_t)ceil(lowest / 2e-3);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 400; ++step) {
    step_and_check_impulse(&s, contact, 1e-3, step, start);
    if (step <= arrival) CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts > 0, step == arrival);
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    const double sum = l.contact_work + l.contact_energy + l.spring_net_loss - l.external_work;
    open = suite_worst(open, sum / (8 * s.body_mass[0]));
  }
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  for (int k = 0; k < 3; ++k) velocity_error = suite_worst(velocity_error, s.velocity[0][k] / 4 - tilted[k]);
  suite_gate("face-face: a rigid wall hits a ball at rest: its velocity, of twice that of the wall", velocity_error,
             .01);
  suite_gate("face-face: a rigid wall hits a ball at rest: error of the energy balance, of the energy", open, .005);
  suite_gate("face-face: rigid walls, a bounce and a hit: momentum against wall_impulse", impulse_error, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(l.external_work, 8 * s.body_mass[0], .01 * 8 * s.body_mass[0]);
  CU_ASSERT_DOUBLE_EQUAL(kinetic(&s), l.external_work, .01 * l.external_work);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* --------------------------------------------------------------------------------------------------------- friction */

/* A cube of side 1 on the wall z = 0, under gravity. */
typedef struct sledge {
  scene s;
  ipg_contact *contact;
  ipg_contact_wall wall;
  double gravity[3], dt, start;
  int64_t step;
} sledge;

static void run_for(sledge *g, double time) {
  for (int64_t end = g->step + llround(time / g->dt); g->step < end;) {
    CU_ASSERT_FATAL(scene_step(&g->s, g->contact, g->dt, ++g->step));
    for (int k = 0; k < 3; ++k) g->s.velocity[0][k] += g->dt * g->gravity[k];
  }
}

static double travelled(const sledge *g) { return g->s.x[0] - g->start; }

/* A sledge that has come to rest under gz, on a wall that moves along x only; then gx is added. */
static void start_sledge(sledge *g, ipg_contact_law law, double gx, double gz, double belt) {
  ipg_mesh meshes[] = {scene_box(-.53, -.51, 0, .47, .49, 1, 2, 2, 2, "cube")};
  *g = (sledge){.dt = 5e-4, .gravity = {0, 0, gz}, .wall = wall_of(0, 0, 3)};
  g->wall.law = law, g->wall.velocity[0] = belt;
  ipg_contact_config config = config_with(&g->wall, 1, g->dt);
  config.penalty_scale = .5;
  scene_make(&g->s, meshes, 1, 1);
  g->s.velocity[0][0] = belt;
  g->contact = scene_contact(&g->s, &config);
  run_for(g, .3);
  g->gravity[0] = gx;
  g->start = g->s.x[0];
}

static void free_sledge(sledge *g) {
  ipg_contact_destroy(&g->contact);
  scene_free(&g->s);
}

static void test_stopping_distance(void) {
  const double v = 3, mu = .3, g = 10;
  sledge s;
  start_sledge(&s, (ipg_contact_law){mu, mu, 0, .5}, 0, -g, 0);
  const double before = ipg_contact_get_energy_balance(s.contact).friction_dissipation,
               energy = .5 * s.s.body_mass[0] * v * v;
  s.s.velocity[0][0] = v;
  run_for(&s, 1.5);
  CU_ASSERT(fabs(s.s.velocity[0][0]) < 1e-3 * v);
  suite_gate("face-face: rigid wall: stopping distance of a cube", travelled(&s) / (v * v / (2 * mu * g)) - 1, .01);
  suite_gate("face-face: rigid wall: friction dissipation against the kinetic energy lost",
             (ipg_contact_get_energy_balance(s.contact).friction_dissipation - before) / energy - 1, .005);
  free_sledge(&s);
}

/* Down an incline: g (sin - mu cos) above the static limit, nothing below it. */
static void test_incline(void) {
  const double g = 10, angles[] = {.4, .28};
  for (int i = 0; i < 2; ++i) {
    sledge s;
    start_sledge(&s, (ipg_contact_law){.3, .3, 0, .5}, g * sin(angles[i]), -g * cos(angles[i]), 0);
    run_for(&s, .1);
    const double early = s.s.velocity[0][0], slides = g * (sin(angles[i]) - .3 * cos(angles[i]));
    run_for(&s, .9);
    if (i == 0)
      suite_gate("face-face: incline, a rigid wall, above the static limit: acceleration",
                 (s.s.velocity[0][0] - early) / .9 / slides - 1, .01);
    if (i == 1)
      suite_gate("face-face: incline, a rigid wall, below the static limit: drift over the distance of free fall",
                 travelled(&s) / (.5 * g * sin(angles[i])), 1e-3);
    free_sledge(&s);
  }
}

/* A wall that moves tangentially takes the cube with it: mu m g v t is external work until the cube has the same
 * velocity, half of it is dissipated by friction. */
static void test_belt(void) {
  const double v = 2, mu = .4, g = 10;
  sledge s;
  start_sledge(&s, (ipg_contact_law){mu, mu, 0, .3}, 0, -g, v);
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(s.contact);
  const double energy = .5 * s.s.body_mass[0] * v * v;
  s.s.velocity[0][0] = 0;
  run_for(&s, 1.2);
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(s.contact);
  CU_ASSERT_DOUBLE_EQUAL(s.s.velocity[0][0], v, 2e-3 * v);
  suite_gate("face-face: a wall that moves along itself takes a cube with it: friction dissipation",
             (l.friction_dissipation - before.friction_dissipation) / energy - 1, .005);
  CU_ASSERT_DOUBLE_EQUAL(l.external_work - before.external_work, 2 * energy, .01 * 2 * energy);
  for (int k = 0; k < 3; ++k) CU_ASSERT_EQUAL(l.angular_momentum_defect[k], 0);
  CU_ASSERT_DOUBLE_EQUAL(l.wall_impulse[0] - before.wall_impulse[0], s.s.body_mass[0] * v, .002 * s.s.body_mass[0] * v);
  free_sledge(&s);
}

/* --------------------------------------------------------------------------------- the energy balance for every law */

/* The kinetic energy is computed with the velocities before and after each impulse, so that it equals the work to
 * rounding. */
static void test_energy_balance_closes(void) {
  double work_error = 0, open = 0;
  const ipg_contact_law laws[] = {{0, 0, 0, 0}, {.3, .3, 0, 0}, {0, 0, 0, .2}, {.4, .2, 1, .1}};
  for (int i = 0; i < 4; ++i) {
    ipg_contact_wall wall = wall_of(tilted[0], tilted[1], tilted[2]);
    wall.law = laws[i], wall.velocity[0] = .8, wall.velocity[1] = -.3, wall.velocity[2] = .5;
    const ipg_contact_config config = config_with(&wall, 1, 5e-4);
    scene s;
    make_ball_over_tilted_wall(&s);
    for (int k = 0; k < 3; ++k) s.velocity[0][k] = -tilted[k] + .2 * k;
    const double before = kinetic(&s), mass = s.body_mass[0];
    ipg_contact *contact = scene_contact(&s, &config);
    for (int64_t step = 1; step <= 600; ++step) {
      double old[3], middle = 0;
      memcpy(old, s.velocity[0], sizeof old);
      CU_ASSERT_FATAL(scene_step(&s, contact, 5e-4, step));
      for (int k = 0; k < 3; ++k) middle += .5 * mass * old[k] * s.velocity[0][k];
      const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
      const double booked = l.contact_energy + l.friction_dissipation + l.damping_dissipation + l.spring_net_loss;
      work_error = suite_worst(work_error, (middle - before - l.contact_work) / (before + middle));
      open = suite_worst(open, (l.contact_work + booked - l.external_work) / before);
    }
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    CU_ASSERT(l.activations > 3 && l.deactivations == l.activations && l.external_work > .1 * before);
    CU_ASSERT((l.friction_dissipation > .01 * before) == (i == 1 || i == 3));
    CU_ASSERT((l.damping_dissipation > .01 * before) == (i >= 2));
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("face-face: rigid walls that move, four laws: contact work against the change of kinetic energy",
             work_error, 1e-11);
  suite_gate("face-face: rigid walls that move, four laws: error of the energy balance with external_work", open, .005);
}

/* Given velocities that are those of the step change nothing: dampers use the velocity of the wall too. */
static void test_given_velocities(void) {
  ipg_contact_wall wall = wall_of(tilted[0], tilted[1], tilted[2]);
  wall.law.damping = .3, wall.velocity[2] = 1;
  const ipg_contact_config config = config_with(&wall, 1, 1e-3);
  scene s;
  make_ball_over_tilted_wall(&s);
  for (int k = 0; k < 3; ++k) s.velocity[0][k] = -tilted[k];
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  for (int64_t step = 1; step <= 120; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  const int64_t values = 3 * s.surface.surface.node_count;
  double *v = malloc((size_t)values * sizeof *v), *force = malloc((size_t)values * sizeof *force), size = 0;
  for (int64_t i = 0; i < values; ++i) v[i] = s.velocity[0][i % 3];
  scene_predict(&s, 1e-3);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, v, force, &error));
  for (int64_t i = 0; i < values; ++i) size = fmax(size, fabs(s.force[i]));
  CU_ASSERT(size > 0);
  for (int64_t i = 0; i < values; ++i) CU_ASSERT(fabs(force[i] - s.force[i]) <= 1e-9 * size);
  free(v), free(force);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* -------------------------------------------------------------------------------------- activation and deactivation */

/* A body that is a hundred times its size behind the wall after one step. */
static void test_fast_node(void) {
  ipg_contact_wall wall = wall_of(0, 0, 1);
  wall.point[2] = .25;
  const ipg_contact_config config = config_with(&wall, 1, .1);
  ipg_mesh meshes[] = {scene_box(.11, .07, .5, .21, .17, .6, 1, 1, 1, "pin")};
  scene s;
  scene_make(&s, meshes, 1, 3);
  s.velocity[0][2] = -100;
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  int64_t count;
  scene_predict(&s, .1);
  CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.trial, NULL, s.force, &error));
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, 8);
  for (int64_t i = 0; i < count; ++i) {
    const double before = s.x[3 * pairs[i].owner + 2] - .25;
    CU_ASSERT(pairs[i].kind == IPG_CONTACT_NODE_WALL && pairs[i].touched == 0 && pairs[i].activated &&
              pairs[i].owner == i);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].gap, before - 10, 1e-12);
    CU_ASSERT(pairs[i].time <= before / 10 && pairs[i].time > before / 10 - 1e-12);
    CU_ASSERT(pairs[i].time_through >= before / 10 && pairs[i].time_through < before / 10 + 1e-12);
    CU_ASSERT(pairs[i].history.stiffness > 0 && s.force[3 * i + 2] >= -.9 * pairs[i].history.stiffness * pairs[i].gap);
    CU_ASSERT(s.force[3 * i] == 0 && s.force[3 * i + 1] == 0);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Half of a box is behind the wall at the start: those nodes have no contact until they have been in front of it. */
static void test_starts_behind(void) {
  const ipg_contact_wall wall = wall_of(0, 0, 1);
  const ipg_contact_config config = config_with(&wall, 1, 1);
  ipg_mesh meshes[] = {scene_box(-.5, -.5, -.5, .5, .5, .5, 2, 2, 1, "box")};
  scene s;
  scene_make(&s, meshes, 1, 1);
  s.body_mass[0] = 1e12;
  ipg_contact *contact = scene_contact(&s, &config);
  const double velocities[] = {-.1, -.2, -.3, .2, .5, .5, -.7, -1.5, 3};
  const int64_t contacts[] = {0, 0, 9, 0, 0, 0, 9, 18, 0};
  for (int leg = 0; leg < 9; ++leg) { /* upper nodes at .4, .2, -.1, .1, .6, 1.1, .4, -1.1, 1.9 */
    s.velocity[0][2] = velocities[leg];
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, leg + 1));
    int64_t count;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    CU_ASSERT_EQUAL(count, contacts[leg]);
    for (int64_t i = 0; i < count; ++i) CU_ASSERT(s.x[3 * pairs[i].owner + 2] < 0);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A box stands on a tilted wall far from the wall's point: its lower nodes are in front or behind by rounding only, and
 * all of them are in contact. */
static void test_starts_on(void) {
  ipg_contact_wall wall = wall_of(tilted[0], tilted[1], tilted[2]);
  const ipg_contact_config config = config_with(&wall, 1, 1e-3);
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 4, 4, 4, "box")};
  const double along[3] = {2. / 3, 2. / 3, 1. / 3}, across[3] = {-2. / 3, 1. / 3, 2. / 3};
  for (int64_t i = 0; i < meshes[0].node_count; ++i) {
    double *x = meshes[0].x + 3 * i, y[3];
    for (int k = 0; k < 3; ++k) y[k] = (1000 + x[0]) * along[k] + (300 + x[1]) * across[k] + x[2] * tilted[k];
    memcpy(x, y, sizeof y);
  }
  scene s;
  scene_make(&s, meshes, 1, 1);
  int64_t behind = 0;
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i) behind += vec3_dot(s.x + 3 * i, tilted) < 0;
  CU_ASSERT(behind > 0 && behind < 25);
  for (int k = 0; k < 3; ++k) s.velocity[0][k] = -tilted[k];
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, 1));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 25);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A node that ends on the wall is not behind it; where it goes through, the time is never after the exact one. */
static void test_times_at_a_wall(void) {
  const ipg_contact_wall wall = wall_of(0, 0, 1);
  const ipg_contact_config config = config_with(&wall, 1, 1);
  for (int i = 0; i < 200; ++i) {
    const double above = .1 * i / 7, below = i ? -.3 / i : 0;
    ipg_mesh meshes[] = {scene_box(0, 0, above, 1, 1, above + 1, 1, 1, 1, "box")};
    scene s;
    ipg_error error = {0};
    int64_t count;
    scene_make(&s, meshes, 1, 1);
    ipg_contact *contact = scene_contact(&s, &config);
    memcpy(s.trial, s.x, 3 * (size_t)s.surface.surface.node_count * sizeof *s.x);
    for (int64_t n = 0; n < s.surface.surface.node_count; ++n)
      if (s.x[3 * n + 2] == above) s.trial[3 * n + 2] = below;
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    CU_ASSERT_EQUAL(count, i ? 4 : 0);
    const long double exact = i ? (long double)above / ((long double)above - below) : 0;
    for (int64_t k = 0; k < count; ++k)
      CU_ASSERT(pairs[k].time <= exact && pairs[k].time > exact - 1e-14L && pairs[k].time_through >= exact);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* A millionth behind the wall is behind, not on it. */
static void test_starts_just_behind(void) {
  const ipg_contact_wall wall = wall_of(0, 0, 1);
  const ipg_contact_config config = config_with(&wall, 1, 1);
  ipg_mesh meshes[] = {scene_box(1, 1, -1e-6, 2, 2, 1, 2, 2, 2, "box")};
  scene s;
  scene_make(&s, meshes, 1, 1);
  s.velocity[0][2] = -1e-3;
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Moves the body by `by` along the wall's normal z and returns the force on its lowest node. */
static double move_and_get_force(scene *s, ipg_contact *contact, double by, int64_t step) {
  ipg_error error = {0};
  ipg_id lowest = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    for (int k = 0; k < 3; ++k) s->trial[3 * i + k] = s->x[3 * i + k] + (k == 2 ? by : 0);
    if (s->trial[3 * i + 2] < s->trial[3 * lowest + 2]) lowest = (ipg_id)i;
  }
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s->trial, NULL, s->force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  memcpy(s->x, s->trial, 3 * (size_t)s->surface.surface.node_count * sizeof *s->x);
  return s->force[3 * lowest + 2];
}

/* The box's lower nodes start .1 behind the wall. Ignored: no force there, one of the added depth below, none while
 * coming out, and what has come out counts when the node goes in again. */
static void ignore_what_is_behind(ipg_contact_enforcement enforcement) {
  const ipg_contact_wall wall = wall_of(0, 0, 1);
  ipg_contact_config config = config_with(&wall, 1, 1);
  ipg_mesh meshes[] = {scene_box(0, 0, -.1, 1, 1, 1, 2, 2, 2, "box")};
  ipg_error error = {0};
  const ipg_contact_initial_penetration *found;
  int64_t count = -1;
  scene s;
  config.onset = enforcement == IPG_ENFORCEMENT_PENALTY ? .01 : 0, config.enforcement = enforcement;
  scene_make(&s, meshes, 1, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  CU_ASSERT_EQUAL_FATAL(count, 9);
  for (int64_t i = 0; i < count; ++i) {
    CU_ASSERT(found[i].wall == 0 && found[i].face == -1 && s.x[3 * found[i].node + 2] < 0);
    CU_ASSERT_DOUBLE_EQUAL(found[i].depth, .1, 1e-15);
  }
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(contact, &error));
  if (enforcement == IPG_ENFORCEMENT_PENALTY) {
    /* At -.1, -.15, -.07, -.09, .01, -.09: the last is a new contact, which starts at the wall. */
    const double moves[] = {0, -.05, .08, -.02, .1, -.1}, depths[] = {0, .05, 0, .02, 0, .09};
    const double left[] = {.1, .1, .07, .07, 0, 0};
    double stiffness = 0; /* beyond the onset */
    for (int i = 0; i < 6; ++i) {
      const double force = move_and_get_force(&s, contact, moves[i], i + 1);
      if (i == 1) CU_ASSERT((stiffness = force / (.05 - config.onset / 2)) > 0);
      CU_ASSERT_DOUBLE_EQUAL(force, depths[i] > 0 ? stiffness * (depths[i] - config.onset / 2) : 0, 1e-12 * stiffness);
      const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
      CU_ASSERT_EQUAL_FATAL(count, i == 4 ? 0 : 9);
      for (int64_t n = 0; n < count; ++n) CU_ASSERT_DOUBLE_EQUAL(pairs[n].history.initial_penetration, left[i], 1e-15);
    }
  } else {
    ipg_contact_projection projection;
    for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) s.trial[i] = s.x[i] - (i % 3 == 2 ? .05 : 0);
    CU_ASSERT_FATAL(!project_after(contact, 1, s.trial, NULL, s.force, &projection, &error));
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
      if (s.x[3 * i + 2] < 0) CU_ASSERT_DOUBLE_EQUAL(s.trial[3 * i + 2], -.1, 1e-12);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_ignored_behind(void) {
  ignore_what_is_behind(IPG_ENFORCEMENT_PENALTY);
  ignore_what_is_behind(IPG_ENFORCEMENT_KINEMATIC);
}

/* A box that starts behind the wall rocks: one side goes deeper while the other one comes out of its initial
 * penetration. Returns the largest energy that no term explains, over the largest that was stored. */
static double rock_behind_wall(const ipg_contact_config *config) {
  enum { STEPS = 400 };
  ipg_mesh meshes[] = {scene_box(-.5, 0, -.1, .5, 1, 1, 3, 2, 2, "box")};
  double open = 0, most = 0;
  ipg_error error = {0};
  scene s;
  scene_make(&s, meshes, 1, 1);
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  double *start = malloc(bytes);
  memcpy(start, s.x, bytes);
  ipg_contact *contact = scene_contact(&s, config);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(contact, &error));
  for (int step = 1; step <= STEPS; ++step) {
    const double tilt = .2 * sin(2 * M_PI * step / STEPS), down = .01 * step / STEPS;
    memcpy(s.trial, start, bytes);
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i) s.trial[3 * i + 2] += tilt * start[3 * i] - down;
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(contact);
    open = suite_worst(open, b.contact_work + b.contact_energy), most = fmax(most, b.contact_energy);
  }
  CU_ASSERT(most > 0);
  ipg_contact_destroy(&contact);
  free(start), scene_free(&s);
  return open / most;
}

static void test_rocks_behind_wall(void) {
  const ipg_contact_wall wall = wall_of(0, 0, 1);
  const ipg_contact_config config = config_with(&wall, 1, 1e-3);
  suite_gate("face-face: a box that starts behind a rigid wall rocks there: contact work that is not its energy",
             rock_behind_wall(&config), .001);
}

/* Nodes are moved onto a wall as deep as an edge and no deeper, the others stay. */
static void test_removed_from_behind(void) {
  ipg_contact_wall wall = wall_of(0, 0, 2);
  const ipg_contact_config config = config_with(&wall, 1, 1);
  ipg_mesh meshes[] = {scene_box(0, 0, -.1, 1, 1, 1, 2, 2, 2, "box")};
  ipg_error error = {0};
  int64_t moved = -1, count = -1;
  double farthest = 0;
  const ipg_contact_initial_penetration *found;
  scene s;
  scene_make(&s, meshes, 1, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(!ipg_contact_remove_initial_penetrations(contact, s.trial, &moved, &farthest, &error));
  CU_ASSERT_EQUAL(moved, 9);
  CU_ASSERT_DOUBLE_EQUAL(farthest, .1, 1e-15);
  for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i)
    CU_ASSERT_DOUBLE_EQUAL(s.trial[i], i % 3 == 2 && s.x[i] < 0 ? 0 : s.x[i], 1e-15);
  CU_ASSERT(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error) && count == 0);
  ipg_contact_destroy(&contact);
  wall.point[2] = 2;
  contact = scene_contact(&s, &config);
  CU_ASSERT_EQUAL(ipg_contact_remove_initial_penetrations(contact, s.trial, &moved, &farthest, &error),
                  IPG_ERROR_UNSUPPORTED);
  CU_ASSERT(moved == 0 && strstr(error.message, "cannot be removed by moving nodes") != NULL);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

enum { TABLE_WALLS = 3 };

/* Height above the wall at a time, with code of its own. */
static double height_at(const ipg_contact_wall *wall, const double *x, double time) {
  double height = 0, length2 = 0;
  for (int k = 0; k < 3; ++k) {
    height += wall->normal[k] * (x[k] - wall->point[k] - time * wall->velocity[k]);
    length2 += wall->normal[k] * wall->normal[k];
  }
  return height / sqrt(length2);
}

/* The contacts against a table of all nodes and walls, while a body moves at random. */
static void test_against_a_table(void) {
  ipg_contact_wall walls[TABLE_WALLS] = {wall_of(1, -2, 2), wall_of(0, 3, 4), wall_of(-1, 0, 0)};
  ipg_mesh meshes[] = {scene_box(-.5, -.5, -.5, .5, .5, .5, 16, 16, 16, "box")};
  rng random = rng_start(23);
  for (int p = 0; p < TABLE_WALLS; ++p)
    for (int k = 0; k < 3; ++k)
      walls[p].velocity[k] = .4 * rng_unit(&random) - .2, walls[p].point[k] = .4 * rng_unit(&random) - .2;
  const ipg_contact_config config = config_with(walls, TABLE_WALLS, .1);
  scene s;
  scene_make(&s, meshes, 1, 1);
  s.body_mass[0] = 1e12;
  const int64_t nodes = s.surface.surface.node_count;
  ipg_contact *contact = scene_contact(&s, &config);
  bool *table = calloc((size_t)nodes * TABLE_WALLS, sizeof *table);
  for (int64_t step = 1; step <= 40; ++step) {
    for (int k = 0; k < 3; ++k) s.velocity[0][k] = 8 * rng_unit(&random) - 4;
    for (int64_t i = 0; i < nodes * TABLE_WALLS; ++i) /* in front, or in contact */
      table[i] |= height_at(&walls[i % TABLE_WALLS], s.x + 3 * (i / TABLE_WALLS), .1 * (double)(step - 1)) >= 0;
    CU_ASSERT_FATAL(scene_step(&s, contact, .1, step));
    int64_t count, at = 0;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; i < nodes * TABLE_WALLS; ++i) {
      const double height = height_at(&walls[i % TABLE_WALLS], s.x + 3 * (i / TABLE_WALLS), .1 * (double)step);
      table[i] &= height < 0;
      if (!table[i]) continue;
      CU_ASSERT_FATAL(at < count && pairs[at].owner == i / TABLE_WALLS && pairs[at].touched == i % TABLE_WALLS);
      CU_ASSERT_DOUBLE_EQUAL(pairs[at].gap, height, 1e-12);
      ++at;
    }
    CU_ASSERT_EQUAL(at, count);
  }
  CU_ASSERT(ipg_contact_get_energy_balance(contact).activations > nodes &&
            ipg_contact_get_energy_balance(contact).deactivations > nodes);
  free(table);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A cube between a box and a wall, and in the corner of two more: contacts of all kinds stand in their order, and bear
 * the step that the rates of nodes tell. */
static void test_with_other_contacts(void) {
  ipg_contact_wall walls[] = {wall_of(0, 0, 1), wall_of(1, 0, 0), wall_of(1, 0, .01)};
  ipg_contact_config config = config_with(walls, 3, 1e-2);
  ipg_mesh meshes[] = {scene_box(.01, 0, .01, 1, 1, 1, 3, 3, 3, "cube"),
                       scene_box(-1, -1, 1.01, 2, 2, 1.5, 1, 1, 1, "lid")};
  scene s;
  config.penalty_scale = 1, walls[2].law.damping = .6;
  scene_make(&s, meshes, 2, 1);
  s.velocity[0][0] = -1, s.velocity[0][2] = -1, s.velocity[1][2] = -2;
  ipg_contact *contact = scene_contact(&s, &config);
  double *rates = calloc((size_t)s.surface.surface.node_count, sizeof *rates), largest = 0;
  int64_t kinds[IPG_CONTACT_KIND_COUNT] = {0}, faces = 0;
  ipg_contact_node_rates(contact, rates);
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i) largest = fmax(largest, rates[i]);
  for (int64_t step = 1; step <= 30; ++step) {
    int64_t count;
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-2, step));
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; i < count; ++i) {
      CU_ASSERT(i == 0 || contact_order(&pairs[i - 1], &pairs[i]) < 0);
      kinds[pairs[i].kind]++;
    }
    faces += ipg_contact_get_counters(contact).face_contacts;
    CU_ASSERT_DOUBLE_EQUAL(ipg_contact_stable_step(contact) * sqrt(largest), 2, 1e-12);
  }
  CU_ASSERT(kinds[IPG_CONTACT_NODE_FACE] > 0 && kinds[IPG_CONTACT_NODE_WALL] > 0 && faces > 0);
  free(rates);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ---------------------------------------------------------------------------------------------------- the same bits */

enum { MOST_VALUES = 6000 };

typedef struct outcome {
  double x[MOST_VALUES], force[MOST_VALUES];
  ipg_contact_energy_balance balance;
} outcome;

/* Two boxes fall into a moving corner of walls, all with friction; more nodes than one chunk of work has. */
static void fall_into_corner(outcome *o, int workers, double search_margin, double scale, bool evaluate_twice) {
  ipg_contact_wall walls[] = {wall_of(tilted[0], tilted[1], tilted[2]), wall_of(0, 3, 4), wall_of(-1, 0, 0)};
  ipg_mesh meshes[] = {scene_box(-.5, 1, .1, .5, 2, 1.1, 16, 16, 16, "a"),
                       scene_box(-.5, 1, 1.11, .5, 2, 1.5, 3, 3, 3, "b")};
  ipg_contact_config config = config_with(walls, 3, 1e-2);
  ipg_pool *pool = NULL;
  ipg_error error = {0};
  scene s;
  config.search_margin = search_margin;
  if (workers) CU_ASSERT_FATAL(!ipg_pool_create(workers, &pool, NULL));
  if (workers) config.tasks = ipg_pool_tasks(pool);
  scene_make(&s, meshes, 2, 1);
  CU_ASSERT_FATAL(s.surface.surface.node_count > 1024 && 3 * s.surface.surface.node_count < MOST_VALUES);
  for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) s.x[i] *= scale;
  for (int b = 0; b < 2; ++b) s.velocity[b][0] = .3 * scale, s.velocity[b][1] = -scale, s.velocity[b][2] = -scale;
  for (int p = 0; p < 3; ++p)
    for (int k = 0; k < 3; ++k) {
      walls[p].velocity[k] = .3 * scale * walls[p].normal[k], walls[p].point[k] = (p == 2) * (k == 0) * .6 * scale;
      walls[p].law = (ipg_contact_law){.3, .2, 1 / scale, .1};
    }
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 40; ++step) {
    if (evaluate_twice) CU_ASSERT_FATAL(!evaluate_after(contact, 3e-3, s.x, NULL, s.force, &error));
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-2, step));
    if (!evaluate_twice || step % 7) continue;
    CU_ASSERT_FATAL(!ipg_contact_revert(contact, &error));
    CU_ASSERT_FATAL(!evaluate_after(contact, 1e-2, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  }
  memset(o, 0, sizeof *o);
  memcpy(o->x, s.x, 3 * (size_t)s.surface.surface.node_count * sizeof(double));
  memcpy(o->force, s.force, 3 * (size_t)s.surface.surface.node_count * sizeof(double));
  o->balance = ipg_contact_get_energy_balance(contact);
  ipg_contact_destroy(&contact);
  ipg_pool_destroy(&pool);
  scene_free(&s);
}

static void test_same_bits(void) {
  static outcome reference, other;
  const int workers[] = {1, 2, 4};
  fall_into_corner(&reference, 0, .2, 1, false);
  CU_ASSERT(reference.balance.activations > 250 && reference.balance.friction_dissipation > 0 &&
            reference.balance.deactivations > 0);
  for (int i = 0; i < 3; ++i) {
    fall_into_corner(&other, workers[i], .1 * i, 1, i == 1);
    CU_ASSERT(!memcmp(&reference, &other, sizeof other));
  }
}

static void test_scaling_by_powers_of_two(void) {
  static outcome reference, other;
  const double scales[] = {1024, 1. / 1024};
  fall_into_corner(&reference, 0, .2, 1, false);
  for (int i = 0; i < 2; ++i) {
    fall_into_corner(&other, 0, .2, scales[i], false);
    for (int k = 0; k < MOST_VALUES; ++k) other.x[k] /= scales[i], other.force[k] /= scales[i];
    CU_ASSERT(!memcmp(reference.x, other.x, sizeof other.x));
    CU_ASSERT(!memcmp(reference.force, other.force, sizeof other.force));
    CU_ASSERT_EQUAL(reference.balance.external_work, other.balance.external_work / (scales[i] * scales[i]));
    CU_ASSERT_EQUAL(reference.balance.wall_impulse[1], other.balance.wall_impulse[1] / scales[i]);
  }
}

/* A cube of one element a side, in front of the walls of the two tests below. */
static void make_cube(scene *s) {
  ipg_mesh meshes[] = {scene_box(0, -.6, .2, .4, -.2, .6, 1, 1, 1, "cube")};
  scene_make(s, meshes, 1, 1);
}

/* The first contact of the body with the wall after it has moved so far against the wall's normal that all of it is
 * behind the wall. Its normal is the wall's, normalised. */
static ipg_contact_pair contact_with(scene *s, const ipg_contact_wall *wall) {
  const ipg_contact_config config = config_with(wall, 1, 1);
  double direction[3], largest = 0;
  int64_t count;
  ipg_error error = {0};
  for (int k = 0; k < 3; ++k) largest = fmax(largest, fabs(wall->normal[k]));
  for (int k = 0; k < 3; ++k) direction[k] = wall->normal[k] / largest;
  ipg_contact *contact = scene_contact(s, &config);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    vec3_add_scaled(s->x + 3 * i, -10, direction, s->trial + 3 * i);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s->trial, NULL, s->force, &error));
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, s->surface.surface.node_count);
  const ipg_contact_pair first = pairs[0];
  ipg_contact_destroy(&contact);
  return first;
}

/* The given normal may have any length, also near the ends of the range of doubles. */
static void test_length_of_normal(void) {
  const double lengths[] = {1, 3, 1e-200, 1e200, 4e-320};
  for (int i = 0; i < 5; ++i) {
    ipg_contact_wall wall = wall_of(0, .6 * lengths[i], -.8 * lengths[i]);
    wall.point[1] = -1, wall.point[2] = 1; /* the cube is in front */
    scene s;
    make_cube(&s);
    const ipg_contact_pair pair = contact_with(&s, &wall);
    const double *n = pair.normal, close = lengths[i] < 1e-300 ? 1e-3 : 1e-15;
    CU_ASSERT(fabs(n[0]) <= close && fabs(n[1] - .6) <= close && fabs(n[2] + .8) <= close);
    CU_ASSERT(fabs(vec3_dot(n, n) - 1) < 1e-15);
    scene_free(&s);
  }
}

/* A normal of length 1 is not changed, so that a replayed wall is the same wall. */
static void test_unit_normals_stay(void) {
  rng random = rng_start(29);
  scene s;
  make_cube(&s);
  for (int i = 0; i < 200; ++i) {
    ipg_contact_wall wall = wall_of(rng_unit(&random) - .5, rng_unit(&random) - .5, rng_unit(&random) - .5);
    vec3_add_scaled((double[]){.2, -.4, .4}, -2 / vec3_length(wall.normal), wall.normal, wall.point);
    const ipg_contact_pair once = contact_with(&s, &wall);
    memcpy(wall.normal, once.normal, sizeof once.normal);
    const ipg_contact_pair again = contact_with(&s, &wall);
    CU_ASSERT(!memcmp(once.normal, again.normal, sizeof once.normal));
  }
  scene_free(&s);
}

/* ----------------------------------------------------------------------------------------------------------- errors */

static void expect_refusal(const scene *s, const ipg_contact_wall *walls, int64_t count, ipg_status status,
                           const char *words) {
  const ipg_contact_config config = config_with(walls, count, 1);
  scene_expect_refusal(s, &config, status, words);
}

static void test_refusals(void) {
  scene s;
  make_ball_over_tilted_wall(&s);
  ipg_contact_wall walls[2] = {wall_of(0, 0, 1), wall_of(0, 0, 0)};
  expect_refusal(&s, walls, 2, IPG_ERROR_NUMBER, "contact wall 2: its normal is 0");
  expect_refusal(&s, walls, -1, IPG_ERROR_ARGUMENT, "the number of contact walls is negative");
  expect_refusal(&s, NULL, 1, IPG_ERROR_ARGUMENT, "contact walls is null");
  expect_refusal(&s, walls, IPG_ID_MAX, IPG_ERROR_TOO_MANY, "32-bit");
  double *numbers[] = {walls[0].point, walls[0].normal, walls[0].velocity};
  for (int i = 0; i < 6; ++i) {
    const double was = numbers[i / 2][i % 3];
    numbers[i / 2][i % 3] = i % 2 ? INFINITY : NAN;
    expect_refusal(&s, walls, 1, IPG_ERROR_NUMBER, "contact wall 1: its point, normal and velocity must be finite");
    numbers[i / 2][i % 3] = was;
  }
  walls[0].point[1] = 1e61;
  expect_refusal(&s, walls, 1, IPG_ERROR_NUMBER, "contact wall 1: its point lies beyond");
  walls[0].point[1] = 0;
  walls[0].law.damping = 2;
  expect_refusal(&s, walls, 1, IPG_ERROR_NUMBER, "contact wall 1: damping is 2");
  scene_free(&s);
}

static void test_failing_allocations(void) {
  const ipg_contact_wall wall = wall_of(tilted[0], tilted[1], tilted[2]);
  ipg_contact_config config = config_with(&wall, 1, 1e-3);
  scene s;
  make_ball_over_tilted_wall(&s);
  for (int k = 0; k < 3; ++k) s.velocity[0][k] = -500 * tilted[k];
  scene_predict(&s, 1e-3);
  scene_check_failing_allocations(&s, config, 1e-3);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a bounce, and the wall impulse", test_bounce},
      {"a moving wall hits a body", test_moving_wall_hits},
      {"stopping distance", test_stopping_distance},
      {"an incline, above and below the static limit", test_incline},
      {"a wall that moves tangentially", test_belt},
      {"the energy balance closes for every law", test_energy_balance_closes},
      {"given velocities", test_given_velocities},
      {"a fast node is detected", test_fast_node},
      {"a node that starts behind", test_starts_behind},
      {"times at a wall", test_times_at_a_wall},
      {"nodes that start on the wall", test_starts_on},
      {"nodes that start just behind", test_starts_just_behind},
      {"nodes that start behind and are ignored", test_ignored_behind},
      {"nodes that start behind and are moved", test_removed_from_behind},
      {"a box that starts behind rocks", test_rocks_behind_wall},
      {"all nodes and walls against a table", test_against_a_table},
      {"with other contacts", test_with_other_contacts},
      {"the same bits", test_same_bits},
      {"scaling by powers of two", test_scaling_by_powers_of_two},
      {"normals of any length", test_length_of_normal},
      {"unit normals stay", test_unit_normals_stay},
      {"what is refused", test_refusals},
      {"allocations that fail", test_failing_allocations},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "walls", tests);
}
