/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact forces against closed forms: friction, damping, the stiffness bound of several contacts at one node. Bodies
 * are rigid. */
#include "support/evaluate.h"
#include "support/node_springs.h"
#include "support/scene.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>

/* A cube of side 1 on a floor that does not move, under gravity. */
typedef struct sledge {
  scene s;
  ipg_contact *contact;
  double gravity[3], dt, start_x;
  int64_t step;
} sledge;

static ipg_contact_config law_of(double friction_static, double friction_dynamic, double damping) {
  ipg_contact_config config = node_spring_defaults();
  config.penalty_scale = .5;
  config.law = (ipg_contact_law){friction_static, friction_dynamic, 0, damping};
  return config;
}

static double position_of(const sledge *g) {
  int64_t node = 0;
  while (g->s.body_of_node[node] != 1) ++node;
  return g->s.x[3 * node];
}

static double travelled(const sledge *g) { return position_of(g) - g->start_x; }

static void run_for(sledge *g, double time) {
  for (int64_t end = g->step + llround(time / g->dt); g->step < end;) {
    CU_ASSERT_FATAL(scene_step(&g->s, g->contact, g->dt, ++g->step));
    for (int k = 0; k < 3; ++k) g->s.velocity[1][k] += g->dt * g->gravity[k];
  }
}

/* A sledge that has come to rest under gz; then gx is added. */
static void start_sledge(sledge *g, const ipg_contact_config *config, double gx, double gz) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 8, 2, 0, 10, 4, 1, "floor"),
                       scene_box(-.53, -.51, 0, .47, .49, 1, 2, 2, 2, "cube")};
  *g = (sledge){.dt = 5e-4, .gravity = {0, 0, gz}};
  scene_make(&g->s, meshes, 2, 1);
  g->s.body_mass[0] = 1e12;
  g->contact = scene_contact(&g->s, config);
  run_for(g, .3);
  g->gravity[0] = gx;
  g->start_x = position_of(g);
}

static void free_sledge(sledge *g) {
  ipg_contact_destroy(&g->contact);
  scene_free(&g->s);
}

/* --------------------------------------------------------------------------------------------------------- friction */

/* v^2 / (2 mu g), and all of the kinetic energy is dissipated by friction. */
static void test_stopping_distance(void) {
  const ipg_contact_config config = law_of(.3, .3, .5);
  const double v = 3, mu = .3, g = 10;
  sledge s;
  start_sledge(&s, &config, 0, -g);
  const double before = ipg_contact_get_energy_balance(s.contact).friction_dissipation, mass = s.s.body_mass[1];
  s.s.velocity[1][0] = v;
  run_for(&s, 1.5);
  CU_ASSERT(fabs(s.s.velocity[1][0]) < 1e-3 * v);
  const double distance = v * v / (2 * mu * g), lost = .5 * mass * v * v;
  suite_gate("friction: stopping distance of a rigid cube", travelled(&s) / distance - 1, .01);
  suite_gate("friction: dissipation against the kinetic energy lost",
             (ipg_contact_get_energy_balance(s.contact).friction_dissipation - before) / lost - 1, .005);
  free_sledge(&s);
}

/* Down an incline: a = g (sin - mu cos) after the elastic slip; no motion below the static limit. */
static void test_incline(void) {
  const double g = 10, angles[] = {.4, .28, .1};
  const ipg_contact_config config = law_of(.3, .2, .5); /* atan .3 is .291 */
  double drift = 0;
  for (int i = 0; i < 3; ++i) {
    sledge s;
    start_sledge(&s, &config, g * sin(angles[i]), -g * cos(angles[i]));
    run_for(&s, .1);
    const double early = s.s.velocity[1][0];
    run_for(&s, .9);
    const double slides = g * (sin(angles[i]) - .3 * cos(angles[i])), free = .5 * g * sin(angles[i]);
    if (i == 0)
      suite_gate("incline above the static limit: acceleration", (s.s.velocity[1][0] - early) / .9 / slides - 1, .01);
    else drift = suite_worst(drift, travelled(&s) / free);
    free_sledge(&s);
  }
  suite_gate("incline below the static limit: drift over the distance of free fall along it", drift, 1e-3);
}

/* With friction decay, the coefficient at high speed is the dynamic one. */
static void test_decay_to_dynamic(void) {
  ipg_contact_config config = law_of(.5, .2, .5);
  config.law.friction_decay = 100;
  sledge s;
  start_sledge(&s, &config, 0, -10);
  s.s.velocity[1][0] = 4;
  run_for(&s, 1);
  CU_ASSERT_DOUBLE_EQUAL(s.s.velocity[1][0], 4 - .2 * 10, .01 * 2);
  free_sledge(&s);
}

/* A cube hits the floor obliquely and slides all the time: the tangential impulse is mu times the normal one. */
static void test_oblique_hit(void) {
  const ipg_contact_config config = law_of(.2, .2, 0);
  sledge s;
  start_sledge(&s, &config, 0, -1e-9);
  const double vz = s.s.velocity[1][2];
  s.s.velocity[1][0] = 5, s.s.velocity[1][2] = -1;
  run_for(&s, 1);
  const double normal = s.s.velocity[1][2] + 1, tangential = 5 - s.s.velocity[1][0];
  CU_ASSERT(fabs(vz) < 1e-6 && normal > 1.9);
  suite_gate("oblique impact with gross slip: tangential impulse over friction times normal impulse",
             tangential / (.2 * normal) - 1, 1e-3);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(s.contact).contacts, 0);
  free_sledge(&s);
}

/* A cube pressed onto a rigid wall, to be moved along it from there. */
static ipg_contact *press_on_wall(scene *s, ipg_contact_law law) {
  const ipg_contact_wall wall = {.normal = {0, 0, 1}, .law = law};
  ipg_contact_config config = node_spring_defaults();
  ipg_mesh mesh = scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "cube");
  config.walls = &wall, config.wall_count = 1;
  scene_make(s, &mesh, 1, 1);
  s->body_mass[0] = 1e30; /* moves as prescribed */
  s->velocity[0][2] = -1e-3;
  ipg_contact *contact = scene_contact(s, &config);
  CU_ASSERT_FATAL(scene_step(s, contact, 1, 1));
  s->velocity[0][2] = 0;
  return contact;
}

/* The friction coefficient of a node that slips at the speed. */
static double coefficient_at(scene *s, ipg_contact *contact, double speed) {
  int64_t count;
  ipg_error error = {0};
  s->velocity[0][0] = speed;
  scene_predict(s, 1);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s->trial, NULL, s->force, &error));
  const ipg_contact_pair *pair = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, 4);
  return vec3_length(pair->response.friction) / pair->response.normal_force;
}

/* dynamic + (static - dynamic) exp(-decay * speed): to 1e-13 in exp(-x), 1 at 0, and 0 from 64 on. */
static void test_friction_decay(void) {
  const double speed = 5, decays[] = {1, 1e300};
  double coefficients[2];
  scene s;
  for (int i = 0; i < 2; ++i) {
    ipg_contact *contact = press_on_wall(&s, (ipg_contact_law){1, i ? 1 : 0, 0, 0});
    coefficients[i] = coefficient_at(&s, contact, speed);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  CU_ASSERT_EQUAL(coefficients[0], coefficients[1]);
  CU_ASSERT_DOUBLE_EQUAL(coefficients[0], 1, 1e-15);
  for (int i = 0; i < 2; ++i) {
    ipg_contact *contact = press_on_wall(&s, (ipg_contact_law){1, 0, decays[i], 0});
    for (double x = .01; x < 63 && i == 0; x += .01)
      CU_ASSERT(fabs(coefficient_at(&s, contact, x) - exp(-x)) <= 1e-13 * exp(-x));
    CU_ASSERT_EQUAL(coefficient_at(&s, contact, i ? 1e10 : 64), 0);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Moves the cube as prescribed in one step. */
static void move_cube(scene *s, ipg_contact *contact, int64_t step, double x, double z) {
  s->velocity[0][0] = x, s->velocity[0][2] = z;
  CU_ASSERT_FATAL(scene_step(s, contact, 1, step));
}

/* The deepest penetration of a run stays known, however little is left of it. */
static void test_deepest_penetration(void) {
  scene s;
  ipg_contact *contact = press_on_wall(&s, (ipg_contact_law){0});
  CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(contact).smallest_gap, -1e-3, 1e-15);
  move_cube(&s, contact, 2, 0, -2e-3);
  move_cube(&s, contact, 3, 0, 2.5e-3);
  CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(contact).smallest_gap, -3e-3, 1e-15);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A contact that opens gives back the energy of its normal spring, however far it opens in the step; what the friction
 * spring holds is lost. */
static void test_loss_of_opened_contacts(void) {
  for (int sticks = 0; sticks < 2; ++sticks) {
    scene s;
    int64_t count;
    double held = 0;
    ipg_contact *contact = press_on_wall(&s, (ipg_contact_law){1, 1, 0, 0});
    if (sticks) move_cube(&s, contact, 2, 5e-4, 0);
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    CU_ASSERT_EQUAL_FATAL(count, 4);
    for (int64_t i = 0; i < count; ++i) held += sticks * .5 * pairs[i].history.stiffness * 5e-4 * 5e-4;
    CU_ASSERT_EQUAL(held > 0, sticks);
    move_cube(&s, contact, 3, 0, 6e-3);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
    CU_ASSERT_DOUBLE_EQUAL(ipg_contact_get_energy_balance(contact).spring_net_loss, held, 1e-9 * held);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* While a contact slips back against its stretch the damper takes from the spring; what slip dissipates is the spring's
 * work. The coefficient is that of the tangential speed, however fast the normal motion is. */
static void test_slip_with_damper(void) {
  scene s;
  int64_t count;
  ipg_contact *contact = press_on_wall(&s, (ipg_contact_law){1, 1, 0, .02});
  move_cube(&s, contact, 2, 4e-4, 0);
  move_cube(&s, contact, 3, -5e-5, 7.5e-4);
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, 4);
  for (int64_t i = 0; i < count; ++i) {
    const double most = pairs[i].response.normal_force, slipped = 3.5e-4 - most / pairs[i].history.stiffness;
    CU_ASSERT(slipped > 1e-4 && vec3_length(pairs[i].response.friction) < .99 * most);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].response.friction_dissipation, most * slipped, 1e-9 * most * slipped);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
  contact = press_on_wall(&s, (ipg_contact_law){1, 0, 1000, 0});
  move_cube(&s, contact, 2, 2e-3, -2e-3);
  pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, 4);
  for (int64_t i = 0; i < count; ++i)
    CU_ASSERT_DOUBLE_EQUAL(vec3_length(pairs[i].response.friction), exp(-2) * pairs[i].response.normal_force,
                           1e-9 * pairs[i].response.normal_force);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ----------------------------------------------------------------------------------------------------- conservation */

static void make_oblique_hit(scene *s) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .52, .5, 4, "ball")};
  scene_make(s, meshes, 2, 1);
  s->velocity[1][0] = .7, s->velocity[1][1] = -.3, s->velocity[1][2] = -1;
}

static double kinetic_energy(const scene *s) {
  double sum = 0;
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 3; ++k) sum += .5 * s->body_mass[b] * s->velocity[b][k] * s->velocity[b][k];
  return sum;
}

/* Each term of the energy balance is summed on its own, and their sum is the kinetic energy that the bodies lost. */
static void test_energy_balance_closes(void) {
  const ipg_contact_config laws[] = {law_of(0, 0, 0), law_of(.3, .3, 0), law_of(0, 0, .2), law_of(.4, .2, .1)};
  double open = 0, work_error = 0;
  for (int i = 0; i < 4; ++i) {
    scene s;
    make_oblique_hit(&s);
    ipg_contact *contact = scene_contact(&s, &laws[i]);
    const double before = kinetic_energy(&s);
    for (int64_t step = 1; step <= 900; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 5e-4, step));
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    const double after = kinetic_energy(&s);
    CU_ASSERT(l.activations > 0);
    const double booked = l.contact_energy + l.friction_dissipation + l.damping_dissipation + l.spring_net_loss;
    open = suite_worst(open, (after + booked - before) / before);
    work_error = suite_worst(work_error, (after - before - l.contact_work) / before);
    CU_ASSERT((l.friction_dissipation > .01 * before) == (i == 1 || i == 3));
    CU_ASSERT((l.damping_dissipation > .01 * before) == (i >= 2));
    CU_ASSERT(l.friction_dissipation >= 0 && l.damping_dissipation >= -1e-12 * before);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("energy balance for four laws: energy that no term explains", open, .005);
  suite_gate("energy balance for four laws: contact work against the change of kinetic energy", work_error, .005);
}

/* Linear momentum is conserved; the moment of all forces is that of friction at a finite depth, which the energy
 * balance has as the angular-momentum defect. */
static void check_momentum_with_friction(double thickness) {
  const double thicknesses[] = {thickness, thickness};
  ipg_contact_config config = law_of(.4, .3, .1);
  config.thicknesses = thicknesses, config.thickness_count = 2;
  scene s;
  make_oblique_hit(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  double defect[3] = {0}, largest = 0, force_error = 0, moment_error = 0;
  for (int64_t step = 1; step <= 200; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    double sum[3] = {0}, moment[3] = {0}, size = 0;
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
      for (int k = 0; k < 3; ++k) {
        const double *f = s.force + 3 * i, *x = s.x + 3 * i;
        sum[k] += f[k], size += fabs(f[k]);
        moment[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
      }
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    for (int k = 0; k < 3; ++k) {
      const double error = moment[k] - (l.angular_momentum_defect[k] - defect[k]) / 1e-3;
      if (size != 0) force_error = suite_worst(force_error, sum[k] / size);
      if (size != 0) moment_error = suite_worst(moment_error, error / size);
      defect[k] = l.angular_momentum_defect[k], largest = fmax(largest, fabs(defect[k]));
    }
  }
  CU_ASSERT(largest > 0);
  suite_gate("friction and damping: sum of the contact forces", force_error, 1e-12);
  suite_gate("friction and damping: moment of the contact forces against the angular-momentum defect", moment_error,
             1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_momentum_with_friction(void) {
  check_momentum_with_friction(0);
  check_momentum_with_friction(.004);
}

static void sum_of_friction(const ipg_contact *contact, double sum[2]) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  sum[0] = sum[1] = 0;
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 2; ++k) sum[k] += (pairs[i].normal[2] > 0 ? 1 : -1) * pairs[i].response.friction[k];
}

/* Pressed and sheared, then both rotated together about the normal: the friction of what sticks rotates with them. */
static void test_friction_rotates_with_bodies(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 4, 4, 1, "floor"),
                       scene_box(-.3, -.3, .001, .3, .3, .4, 2, 2, 1, "block")};
  ipg_contact_config config = node_spring_defaults();
  config.law = (ipg_contact_law){.5, .5, 0, 0};
  scene s;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  double before[2], after[2];
  s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
  s.velocity[1][2] = -.011;
  CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
  s.velocity[1][0] = .002, s.velocity[1][2] = 0;
  CU_ASSERT_FATAL(scene_step(&s, contact, 1, 2));
  sum_of_friction(contact, before);
  CU_ASSERT(before[0] < 0 && fabs(before[1]) < 1e-3 * fabs(before[0]));
  for (int64_t step = 3; step < 93; ++step) {
    const double co = cos(M_PI / 180), si = sin(M_PI / 180);
    for (int64_t i = 0; i < 3 * s.surface.surface.node_count; i += 3) {
      s.trial[i] = co * s.x[i] - si * s.x[i + 1], s.trial[i + 1] = si * s.x[i] + co * s.x[i + 1];
      s.trial[i + 2] = s.x[i + 2];
    }
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    memcpy(s.x, s.trial, 3 * (size_t)s.surface.surface.node_count * sizeof *s.x);
  }
  sum_of_friction(contact, after);
  suite_gate("pressed, sheared, and turned together by 90 degrees: direction of friction",
             hypot(after[1] - before[0], after[0] + before[1]) / fabs(before[0]), 1e-6);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static double sum_of_normal_forces(const ipg_contact *contact) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += pairs[i].response.normal_force;
  return sum;
}

/* A fine ball is lowered onto one coarse face: contacts activated one after another have the same sum of normal forces
 * as if they had been activated at once. */
static void test_several_contacts_at_one_node(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 1, 1, 1, "floor"), scene_ball(.3, -.3, .501, .5, 8, "ball")};
  const double dt = 2e-4, advance = 1e-4;
  ipg_contact_config config = node_spring_defaults();
  config.penalty_scale = 1;
  scene s;
  ipg_error error = {0};
  scene_make(&s, meshes, 2, 1);
  ipg_contact *slow = scene_contact(&s, &config), *at_once = scene_contact(&s, &config);
  s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
  s.velocity[1][2] = -advance / dt;
  for (int64_t step = 1; step <= 400; ++step) CU_ASSERT_FATAL(scene_step(&s, slow, dt, step));
  CU_ASSERT_FATAL(!evaluate_after(at_once, dt, s.x, NULL, s.force, &error));
  CU_ASSERT(ipg_contact_get_counters(slow).contacts > 20);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(slow).contacts, ipg_contact_get_counters(at_once).contacts);
  suite_gate("a fine ball lowered onto one coarse face: force after 400 steps against that of one step",
             sum_of_normal_forces(slow) / sum_of_normal_forces(at_once) - 1, .02);
  ipg_contact_destroy(&slow), ipg_contact_destroy(&at_once);
  scene_free(&s);
}

/* Normal forces never pull, friction never exceeds its cone, and the stiffness of all contacts at a node is within the
 * bound of the time step, also where a fine body stands on few coarse faces. */
static void test_bounds_of_contacts(void) {
  ipg_contact_config config = law_of(.4, .3, .8);
  config.penalty_scale = 1;
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 1, 1, 1, "coarse"),
                       scene_box(-.5, -.5, 0, .5, .5, .3, 9, 9, 2, "fine")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.velocity[1][0] = .2, s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  const double dt = 1e-2, ratio = .8, allowed = pow(sqrt(1 + ratio * ratio) - ratio, 2) / (dt * dt);
  double *rows = calloc((size_t)s.surface.surface.node_count, sizeof *rows), fullest = 0;
  for (int64_t step = 1; step <= 60; ++step) {
    int64_t count;
    double stiffest = 0;
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step));
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    memset(rows, 0, (size_t)s.surface.surface.node_count * sizeof *rows);
    for (int64_t i = 0; i < count; ++i) {
      const double *f = pairs[i].response.friction;
      CU_ASSERT(pairs[i].response.normal_force >= 0 && pairs[i].history.stiffness > 0);
      CU_ASSERT(sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) <= .4 * pairs[i].response.normal_force * (1 + 1e-12));
      for (int n = 0; n < 4; ++n) rows[pairs[i].nodes[n]] += 2 * pairs[i].history.stiffness * fabs(pairs[i].weights[n]);
    }
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i) {
      fullest = suite_worst(fullest, rows[i] / allowed); /* masses are 1 */
      stiffest = fmax(stiffest, rows[i]);
    }
    const double stable = 2 * (sqrt(1 + ratio * ratio) - ratio) / sqrt(stiffest);
    CU_ASSERT(count ? fabs(ipg_contact_stable_step(contact) - stable) <= 1e-12 * stable
                    : isinf(ipg_contact_stable_step(contact)));
    CU_ASSERT(ipg_contact_stable_step(contact) >= 2 * dt * (1 - 1e-9));
  }
  CU_ASSERT(fullest > .5);
  CU_ASSERT(ipg_contact_get_energy_balance(contact).activations > 0);
  suite_gate_above("all springs of a node together above mass / dt^2: fine body on coarse faces, scale 1, damping 0.8",
                   fullest - 1, 1e-9);
  CU_ASSERT(s.velocity[1][2] > s.velocity[0][2]); /* they separate, with no more energy */
  suite_gate_above("fine body on coarse faces, scale 1, damping 0.8: energy gained",
                   kinetic_energy(&s) / (.5 * s.body_mass[1] * 1.04) - 1, .01);
  free(rows);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ---------------------------------------------------------------------------------------------------- the same bits */

typedef struct outcome {
  double velocity[2][3];
  ipg_contact_energy_balance balance;
} outcome;

static outcome run_oblique_hit(int workers, double search_margin, bool evaluate_twice) {
  outcome o;
  scene s;
  ipg_pool *pool = NULL;
  ipg_contact_config config = law_of(.4, .3, .1);
  ipg_error error = {0};
  config.law.friction_decay = 2, config.search_margin = search_margin;
  if (workers) CU_ASSERT_FATAL(!ipg_pool_create(workers, &pool, NULL));
  if (workers) config.tasks = ipg_pool_tasks(pool);
  make_oblique_hit(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 200; ++step) {
    if (evaluate_twice) CU_ASSERT_FATAL(!evaluate_after(contact, 1e-4, s.x, NULL, s.force, &error));
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    if (!evaluate_twice || step % 7) continue;
    CU_ASSERT_FATAL(!ipg_contact_revert(contact, &error));
    CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  }
  memset(&o, 0, sizeof o);
  memcpy(o.velocity, s.velocity, sizeof o.velocity);
  o.balance = ipg_contact_get_energy_balance(contact);
  ipg_contact_destroy(&contact);
  ipg_pool_destroy(&pool);
  scene_free(&s);
  return o;
}

static void test_same_bits(void) {
  const outcome reference = run_oblique_hit(0, .2, false);
  CU_ASSERT(reference.balance.friction_dissipation > 0);
  const int workers[] = {1, 2, 4};
  for (int i = 0; i < 3; ++i) {
    const outcome other = run_oblique_hit(workers[i], .1 * i, i == 1);
    CU_ASSERT(!memcmp(&reference, &other, sizeof other));
  }
}

/* ----------------------------------------------------------------------------------------------------------- errors */

static void test_invalid_laws(void) {
  const ipg_contact_law wrong[] = {{.2, .3, 0, 0},         {.3, -.1, 0, 0}, {11, 0, 0, 0},
                                   {(double)NAN, 0, 0, 0}, {.3, .2, -1, 0}, {.3, .2, (double)INFINITY, 0},
                                   {0, 0, 0, 1.5},         {0, 0, 0, -.1}};
  const char *words[] = {"friction is", "friction is", "friction is", "friction is",
                         "decay",       "decay",       "damping",     "damping"};
  scene s;
  make_oblique_hit(&s);
  for (int i = 0; i < 8; ++i) {
    ipg_contact_config config = node_spring_defaults();
    ipg_contact *contact = NULL;
    ipg_error error = {0};
    config.law = wrong[i];
    CU_ASSERT_EQUAL(ipg_contact_create(&config, &s.surface.surface, s.x, &contact, &error), IPG_ERROR_NUMBER);
    CU_ASSERT_PTR_NULL(contact);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, words[i]));
  }
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"stopping distance", test_stopping_distance},
      {"an incline, above and below the static limit", test_incline},
      {"friction decays to the dynamic coefficient", test_decay_to_dynamic},
      {"an oblique hit", test_oblique_hit},
      {"friction decay", test_friction_decay},
      {"the deepest penetration", test_deepest_penetration},
      {"the loss of opened contacts", test_loss_of_opened_contacts},
      {"slip with a damper", test_slip_with_damper},
      {"the energy balance closes for every law", test_energy_balance_closes},
      {"momentum, and the angular-momentum defect of friction", test_momentum_with_friction},
      {"friction cones, dampers, the stiffness bound", test_bounds_of_contacts},
      {"friction rotates with the bodies", test_friction_rotates_with_bodies},
      {"several contacts at one node", test_several_contacts_at_one_node},
      {"the same bits", test_same_bits},
      {"invalid laws", test_invalid_laws},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "enforce", tests);
}
