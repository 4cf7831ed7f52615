/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Lasting contact keeps energy: bodies between walls and between each other at gap 0, for 20,000 steps, elastic and
 * rigid, in the longest step that elements and contact bear together, at a safety of 0.9.
 *
 * Velocity Verlet with step dt keeps H + dt^2 / 12 v . V'' v - dt^2 / 24 a . m a to fourth order, not the energy H of
 * positions and velocities: the difference is no error of contact. The gates are for the former; the plain H, and H
 * with the kinetic energy m v(n-1/2) . v(n+1/2) / 2, are figures beside it. */
#include "support/elastic_host.h"
#include "support/evaluate.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 20000, SAMPLE = 5, PARTS = 10 };

/* Of the total at the start. */
typedef enum measure { OF_SCHEME, PLAIN, PRODUCT, MEASURES } measure;

typedef struct ledger {
  int64_t steps;
  double start, worst[MEASURES];
  double sum[PARTS]; /* of the errors OF_SCHEME in each part of the run */
  long count[PARTS];
} ledger;

/* ---------------------------------------------------------------------------------------------------------- energies
 */

/* Of n degrees of freedom: mass, velocities half a step before and after, acceleration a step before. */
static void add_kinetic(double mass, double before, double after, double previous, double dt,
                        double kinetic[MEASURES]) {
  const double v = .5 * (before + after), a = (after - before) / dt;
  kinetic[PLAIN] += .5 * mass * v * v;
  kinetic[PRODUCT] += .5 * mass * before * after;
  kinetic[OF_SCHEME] += mass * (.5 * v * v - dt * dt / 24 * a * a - dt / 12 * before * (a - previous));
}

static void book(ledger *l, int64_t step, const double kinetic[MEASURES], double potential) {
  for (int i = 0; i < MEASURES; ++i) l->worst[i] = suite_worst(l->worst[i], (kinetic[i] + potential) / l->start - 1);
  const int64_t part = (step - 1) * PARTS / l->steps;
  l->sum[part] += (kinetic[OF_SCHEME] + potential) / l->start - 1, ++l->count[part];
}

/* The mean error of the last tenth of the run less that of the first. */
static double trend_of(const ledger *l) { return l->sum[PARTS - 1] / l->count[PARTS - 1] - l->sum[0] / l->count[0]; }

/* ------------------------------------------------------------------------------------------------------------ scenes
 */

typedef enum arrangement {
  CUBE_BETWEEN_WALLS,
  BLOCKS_BETWEEN_WALLS,
  LIGHT_BETWEEN_HEAVY,
  CUBE_BEFORE_WALL,
  BLOCKS
} arrangement;

enum { MOST_BODIES = 3 };

/* Bodies along z, one on the other at gap 0, each with a velocity of its own; the speed of sound is about 1. */
typedef struct stack {
  int count;
  ipg_mesh meshes[MOST_BODIES];
  elastic_material materials[MOST_BODIES];
  double velocities[MOST_BODIES][3];
  ipg_contact_wall walls[2];
  int wall_count;
} stack;

static void put_walls(stack *t, double bottom, double top) {
  t->walls[0] = (ipg_contact_wall){.point = {0, 0, bottom}, .normal = {0, 0, 1}};
  t->walls[1] = (ipg_contact_wall){.point = {0, 0, top}, .normal = {0, 0, -1}};
  t->wall_count = 2;
}

static void put_cube(stack *t, double speed) {
  t->count = 1;
  t->meshes[0] = scene_box(0, 0, 0, 1, 1, 1, 2, 2, 2, "cube");
  t->velocities[0][2] = -speed;
}

static void put_blocks(stack *t, double gap, double speed) {
  t->count = 2;
  t->meshes[0] = scene_box(0, 0, 0, 1, 1, .5, 2, 2, 1, "lower");
  t->meshes[1] = scene_box(.1, .1, .5 + gap, .9, .9, 1 + gap, 2, 2, 1, "upper");
  t->velocities[1][2] = -speed;
}

/* 200 times lighter. */
static void put_light_block(stack *t, double speed) {
  t->count = 3;
  t->meshes[0] = scene_box(0, 0, 0, 1, 1, .4, 2, 2, 1, "lower");
  t->meshes[1] = scene_box(.1, .1, .4, .9, .9, .7, 1, 1, 1, "light");
  t->meshes[2] = scene_box(0, 0, .7, 1, 1, 1.1, 2, 2, 1, "upper");
  t->materials[0].density = t->materials[2].density = 100;
  t->velocities[0][2] = .1 * speed, t->velocities[1][2] = speed, t->velocities[2][2] = -.1 * speed;
}

static stack make_stack(arrangement what, double speed) {
  static const double apart = 3e-3;
  const elastic_material material = {1, .3, 1};
  stack t = {.materials = {material, material, material}};
  switch (what) {
  case CUBE_BETWEEN_WALLS: put_cube(&t, speed), put_walls(&t, 0, 1); break;
  case BLOCKS_BETWEEN_WALLS: put_blocks(&t, 0, speed), put_walls(&t, 0, 1); break;
  case LIGHT_BETWEEN_HEAVY: put_light_block(&t, speed), put_walls(&t, 0, 1.1); break;
  case CUBE_BEFORE_WALL: put_cube(&t, speed), put_walls(&t, -apart, 10); break;
  case BLOCKS: put_blocks(&t, apart, speed); break;
  }
  return t;
}

/* ------------------------------------------------------------------------------------------------------------ motion
 */

typedef struct motion {
  stack t;
  scene s;
  elastic_host h;
  ipg_contact *contact;
  bool is_rigid;
  int64_t ends[MOST_BODIES]; /* the first mesh node behind each body */
  int64_t step;
  double *before, *previous; /* velocities half a step before, accelerations a step before; 3 per mesh node */
} motion;

static ipg_contact_config config_of(const motion *m, double onset) {
  ipg_contact_config config = ipg_contact_defaults();
  config.walls = m->t.walls, config.wall_count = m->t.wall_count;
  config.onset = onset;
  config.reference_velocities = m->t.velocities[0], config.reference_velocity_count = m->t.count;
  return config;
}

static double stable_step_of_contact(const motion *m) {
  ipg_contact_config config = config_of(m, 0);
  config.enforcement = IPG_ENFORCEMENT_PENALTY, config.penalty_scale = 1;
  ipg_contact *contact = scene_contact(&m->s, &config);
  const double step = ipg_contact_stable_step(contact);
  ipg_contact_destroy(&contact);
  return step;
}

static void give_stiffnesses(motion *m) {
  ipg_error error = {0};
  double moduli[MOST_BODIES];
  for (int b = 0; b < m->t.count; ++b) moduli[b] = m->t.materials[b].young / (3 * (1 - 2 * m->t.materials[b].poisson));
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&m->s.surface, &m->s.mesh, &m->s.skin, moduli, &error));
}

/* onset 0: the default. safety: of the step that contact and elements bear together. */
static void start_motion(motion *m, const stack *t, bool is_rigid, double onset, double safety) {
  *m = (motion){.t = *t, .is_rigid = is_rigid};
  for (int b = 0; b < t->count; ++b) m->ends[b] = t->meshes[b].node_count + (b ? m->ends[b - 1] : 0);
  scene_make(&m->s, m->t.meshes, t->count, 1);
  elastic_host_make_blocks(&m->h, &m->s, t->materials);
  give_stiffnesses(m);
  const ipg_contact_config config = config_of(m, onset);
  m->contact = scene_contact(&m->s, &config);
  const double of_elements = is_rigid ? INFINITY : m->h.dt / .9;
  m->h.dt = safety / hypot(1 / of_elements, 1 / stable_step_of_contact(m));
  const size_t values = 3 * (size_t)m->s.mesh.node_count;
  m->before = calloc(values, sizeof(double)), m->previous = calloc(values, sizeof(double));
  for (int b = 0; b < t->count; ++b)
    for (int64_t i = b ? m->ends[b - 1] : 0; i < m->ends[b]; ++i)
      memcpy(m->h.velocity + 3 * i, t->velocities[b], sizeof t->velocities[b]);
}

static void end_motion(motion *m) {
  free(m->before), free(m->previous);
  ipg_contact_destroy(&m->contact);
  elastic_host_free(&m->h);
  scene_free(&m->s);
}

/* The velocity of all nodes of a body changes by that of its centre of mass. */
static void kick_rigid_body(motion *m, int64_t begin, int64_t end) {
  double force[3] = {0, 0, 0}, mass = 0;
  for (int64_t i = begin; i < end; ++i) {
    mass += m->s.masses[i];
    for (int k = 0; k < 3; ++k) force[k] += m->h.force[3 * i + k];
  }
  for (int64_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) m->h.velocity[3 * i + k] += m->h.dt * force[k] / mass;
}

/* Bodies move without turning. */
static void step_rigid_bodies(motion *m) {
  ipg_error error = {0};
  const int64_t values = 3 * m->s.mesh.node_count;
  for (int64_t i = 0; i < values; ++i) m->h.trial[i] += m->h.dt * m->h.velocity[i], m->h.force[i] = 0;
  ipg_mesh_surface_gather(&m->s.surface, m->h.trial, m->s.trial);
  CU_ASSERT_FATAL(!evaluate_after(m->contact, m->h.dt, m->s.trial, NULL, m->s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(m->contact, m->step, &error));
  ipg_mesh_surface_add(&m->s.surface, m->s.force, m->h.force);
  for (int b = 0; b < m->t.count; ++b) kick_rigid_body(m, b ? m->ends[b - 1] : 0, m->ends[b]);
}

static void step_motion(motion *m) {
  const int64_t values = 3 * m->s.mesh.node_count;
  for (int64_t i = 0; i < values && m->step; ++i) m->previous[i] = (m->h.velocity[i] - m->before[i]) / m->h.dt;
  memcpy(m->before, m->h.velocity, (size_t)values * sizeof *m->before);
  ++m->step;
  if (m->is_rigid) step_rigid_bodies(m);
  else elastic_host_step(&m->h, &m->s, m->contact, m->step);
}

static void find_kinetic(const motion *m, double kinetic[MEASURES]) {
  for (int i = 0; i < MEASURES; ++i) kinetic[i] = 0;
  for (int64_t i = 0; i < 3 * m->s.mesh.node_count; ++i)
    add_kinetic(m->s.masses[i / 3], m->before[i], m->h.velocity[i], m->previous[i], m->h.dt, kinetic);
}

static double potential_of(const motion *m) {
  return (m->is_rigid ? 0 : elastic_host_energy(&m->h)) + ipg_contact_get_energy_balance(m->contact).contact_energy;
}

static double energy_at_start(const motion *m) {
  double sum = 0;
  for (int64_t i = 0; i < 3 * m->s.mesh.node_count; ++i)
    sum += .5 * m->s.masses[i / 3] * m->h.velocity[i] * m->h.velocity[i];
  return sum;
}

/* ------------------------------------------------------------------------------------------------- lasting contact */

typedef struct lasting {
  double energy, trend, plain, product;
} lasting;

/* The worst of two. */
static lasting worst_of(lasting a, lasting b) {
  return (lasting){suite_worst(a.energy, b.energy), suite_worst(a.trend, b.trend), suite_worst(a.plain, b.plain),
                   suite_worst(a.product, b.product)};
}

/* A quick run is a tenth as long. */
static lasting run_lasting(arrangement what, double speed, bool is_rigid, double safety) {
  motion m;
  const stack t = make_stack(what, speed);
  start_motion(&m, &t, is_rigid, 0, safety);
  ledger l = {.start = energy_at_start(&m), .steps = suite_is_quick() ? STEPS / 10 : STEPS};
  while (m.step < l.steps) {
    step_motion(&m);
    if (m.step % SAMPLE) continue;
    double kinetic[MEASURES];
    find_kinetic(&m, kinetic);
    book(&l, m.step, kinetic, potential_of(&m));
  }
  const lasting r = {l.worst[OF_SCHEME], trend_of(&l), l.worst[PLAIN], l.worst[PRODUCT]};
  printf("\n    speed %g, safety %g: energy error %.2g, trend %.2g; plain %.2g, product %.2g; deepest %.2g", speed,
         safety, r.energy, r.trend, r.plain, r.product, -ipg_contact_get_energy_balance(m.contact).smallest_gap);
  end_motion(&m);
  return r;
}

/* speeds: of the bodies, in speeds of sound; .0002 is 1 m/s in steel. */
static lasting run_speeds(arrangement what, bool is_rigid, double safety) {
  return worst_of(run_lasting(what, .0002, is_rigid, safety), run_lasting(what, .01, is_rigid, safety));
}

/* In the few steps of quick tests a trend is chance. */
static void report(const char *what, const lasting *r) {
  char name[160];
  snprintf(name, sizeof name, "%s, 20,000 steps: energy error", what);
  suite_gate(name, r->energy, .01);
  snprintf(name, sizeof name, "%s, 20,000 steps: trend of the energy", what);
  if (suite_is_quick()) suite_expect_missed(name, r->trend, .001, .01);
  else suite_gate(name, r->trend, .001);
}

/* Of all: beside the gates. */
static lasting all_errors;

static void test_cube(void) {
  const lasting elastic = run_speeds(CUBE_BETWEEN_WALLS, false, .9), rigid = run_speeds(CUBE_BETWEEN_WALLS, true, .9),
                half = worst_of(run_speeds(CUBE_BETWEEN_WALLS, false, .45), run_speeds(CUBE_BETWEEN_WALLS, true, .45));
  all_errors = worst_of(all_errors, worst_of(elastic, rigid));
  report("an elastic cube between two walls", &elastic);
  report("a rigid cube between two walls", &rigid);
  report("an elastic and a rigid cube between two walls, half the step", &half);
}

static void test_blocks(void) {
  const lasting slow = run_lasting(BLOCKS_BETWEEN_WALLS, .0002, false, .9),
                fast = run_lasting(BLOCKS_BETWEEN_WALLS, .01, false, .9),
                rigid = run_lasting(BLOCKS_BETWEEN_WALLS, .01, true, .9),
                half = run_lasting(BLOCKS_BETWEEN_WALLS, .01, true, .45);
  all_errors = worst_of(all_errors, worst_of(slow, rigid));
  report("two elastic blocks between two walls", &slow);
  report("two elastic blocks between two walls, until one slides off", &fast);
  report("two rigid blocks between two walls", &rigid);
  report("two rigid blocks between two walls, half the step", &half);
}

static void test_light_block(void) {
  const lasting elastic = run_lasting(LIGHT_BETWEEN_HEAVY, .0002, false, .9),
                rigid = run_lasting(LIGHT_BETWEEN_HEAVY, .01, true, .9);
  all_errors = worst_of(all_errors, worst_of(elastic, rigid));
  report("a light elastic block between two heavy ones", &elastic);
  report("a light rigid block between two heavy ones", &rigid);
  suite_figure("all of these with the energy of positions and velocities: energy error", all_errors.plain);
  suite_figure("all of these with kinetic energy m v(n-1/2) v(n+1/2) / 2: energy error", all_errors.product);
}

/* -------------------------------------------------------------------------------------------------- a smooth contact
 */

enum { LEVELS = 4 };

/* What a hit is in steps of dt, dt / 2, dt / 4 ...: the position of the body that moves in the middle of contact, and
 * the largest energy error, of the energy of positions and velocities. */
typedef struct hit {
  double position, energy;
} hit;

static double centre_of_last_body(const motion *m) {
  double sum = 0, mass = 0;
  for (int64_t i = m->t.count > 1 ? m->ends[m->t.count - 2] : 0; i < m->s.mesh.node_count; ++i)
    sum += m->s.masses[i] * m->h.trial[3 * i + 2], mass += m->s.masses[i];
  return sum / mass;
}

static hit run_hit(arrangement what, bool is_rigid, double onset, int parts) {
  static const double speed = .005, way = .003;
  motion m;
  hit r = {0, 0};
  const stack t = make_stack(what, speed);
  start_motion(&m, &t, is_rigid, onset, .45);
  const int64_t touch = (int64_t)ceil(way / speed / m.h.dt), middle = (touch + 3) * parts, end = (touch + 40) * parts;
  const double start = energy_at_start(&m);
  m.h.dt /= parts;
  while (m.step < end) {
    double kinetic[MEASURES];
    step_motion(&m), find_kinetic(&m, kinetic);
    r.energy = suite_worst(r.energy, (kinetic[PLAIN] + potential_of(&m)) / start - 1);
    if (m.step == middle) r.position = centre_of_last_body(&m);
  }
  const double depth = -ipg_contact_get_energy_balance(m.contact).smallest_gap;
  CU_ASSERT(onset > .01 ? depth > 0 && depth < onset : depth > 1.5 * onset);
  end_motion(&m);
  return r;
}

/* By how much the ratio of the errors of two steps differs from four. */
static hit run_halvings(arrangement what, bool is_rigid, double onset) {
  hit h[LEVELS];
  for (int i = 0; i < LEVELS; ++i) h[i] = run_hit(what, is_rigid, onset, 1 << i);
  const hit r = {(h[1].position - h[2].position) / (h[2].position - h[3].position), h[2].energy / h[3].energy};
  printf("\n    %s, onset %g: energy error %.2g, at half the step by %.3g less; position %.3g",
         is_rigid ? "rigid" : "elastic", onset, h[2].energy, r.energy, r.position);
  return (hit){r.position / 4 - 1, r.energy / 4 - 1};
}

static hit run_hits(double onset) {
  hit worst = {0, 0};
  for (int i = 0; i < 4; ++i) {
    const hit r = run_halvings(i / 2 ? BLOCKS : CUBE_BEFORE_WALL, i % 2, onset);
    worst.position = suite_worst(worst.position, r.position), worst.energy = suite_worst(worst.energy, r.energy);
  }
  return worst;
}

static void test_halvings(void) {
  const hit within = run_hits(.02), across = run_hits(.001);
  suite_gate("a hit within the onset, half the step: energy error over a quarter, less 1", within.energy, .1);
  suite_gate("a hit within the onset, half the step: error of the position over a quarter, less 1", within.position,
             .1);
  suite_gate("a hit across the onset, half the step: energy error over a quarter, less 1", across.energy, .1);
  suite_gate("a hit across the onset, half the step: error of the position over a quarter, less 1", across.position,
             .1);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a cube between two walls", test_cube},
      {"two blocks between two walls", test_blocks},
      {"a light block between two heavy ones", test_light_block},
      {"half the step", test_halvings},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "face_energy", tests);
}
