/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Friction and damping of face-face contact against closed forms, and what must hold of their forces and energies.
 * Bodies are rigid. */
#include "support/evaluate.h"
#include "support/law_scene.h"
#include "support/random.h"
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

/* dt: the host's step. */
static ipg_contact_config law_of(double friction_static, double friction_dynamic, double damping, double dt) {
  ipg_contact_config config = ipg_contact_defaults();
  config.penalty_scale = .1, config.reference_step = dt;
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
  const ipg_contact_config config = law_of(.3, .3, .5, 5e-4);
  const double v = 3, mu = .3, g = 10;
  sledge s;
  start_sledge(&s, &config, 0, -g);
  const double before = ipg_contact_get_energy_balance(s.contact).friction_dissipation, mass = s.s.body_mass[1];
  s.s.velocity[1][0] = v;
  run_for(&s, 1.5);
  CU_ASSERT(fabs(s.s.velocity[1][0]) < 1e-3 * v);
  const double distance = v * v / (2 * mu * g), lost = .5 * mass * v * v;
  suite_gate("face-face: friction: stopping distance of a rigid cube", travelled(&s) / distance - 1, .01);
  suite_gate("face-face: friction: dissipation against the kinetic energy lost",
             (ipg_contact_get_energy_balance(s.contact).friction_dissipation - before) / lost - 1, .005);
  free_sledge(&s);
}

/* Down an incline: a = g (sin - mu cos) after the elastic slip; no motion below the static limit. */
static void test_incline(void) {
  const double g = 10, angles[] = {.4, .28, .1};
  const ipg_contact_config config = law_of(.3, .2, .5, 5e-4); /* atan .3 is .291 */
  double drift = 0;
  for (int i = 0; i < 3; ++i) {
    sledge s;
    start_sledge(&s, &config, g * sin(angles[i]), -g * cos(angles[i]));
    run_for(&s, .1);
    const double early = s.s.velocity[1][0];
    run_for(&s, .9);
    const double slides = g * (sin(angles[i]) - .3 * cos(angles[i])), free = .5 * g * sin(angles[i]);
    if (i == 0)
      suite_gate("face-face: incline above the static limit: acceleration",
                 (s.s.velocity[1][0] - early) / .9 / slides - 1, .01);
    else drift = suite_worst(drift, travelled(&s) / free);
    free_sledge(&s);
  }
  suite_gate("face-face: incline below the static limit: drift over the distance of free fall along it", drift, 1e-3);
}

/* With friction decay, the coefficient at high speed is the dynamic one. */
static void test_decay_to_dynamic(void) {
  ipg_contact_config config = law_of(.5, .2, .5, 5e-4);
  config.law.friction_decay = 100;
  sledge s;
  start_sledge(&s, &config, 0, -10);
  s.s.velocity[1][0] = 4;
  run_for(&s, 1);
  CU_ASSERT_DOUBLE_EQUAL(s.s.velocity[1][0], 4 - .2 * 10, .01 * 2);
  free_sledge(&s);
}

/* A block that slides at a speed: friction over the normal force is the coefficient at that speed. */
static double coefficient_at(double speed, const ipg_contact_law *law) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 3, 1, 0, 8, 4, 1, "floor"),
                       scene_box(-.53, -.51, 0, .47, .49, 1, 2, 2, 2, "cube")};
  ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  double force[3];
  config.law = *law;
  law_scene_make(&w, meshes, 2, 1, (double[]){1e3, 1e3}, &config);
  for (int i = 0; i <= 20; ++i) {
    law_shift(&w, 1, (double[]){speed * law_step * i, 0, -.01});
    law_go(&w);
  }
  law_resultant(&w, 1, force);
  law_scene_free(&w);
  return -force[0] / force[2];
}

static void test_decay(void) {
  const double speed = 50, decays[] = {0, .1, 1, 3, 10, 30, 60, 63.9, 64, 100};
  double worst = 0;
  for (int i = 0; i < 10; ++i) {
    const ipg_contact_law law = {.5, .2, decays[i] / speed, 0};
    worst = suite_worst(worst, coefficient_at(speed, &law) / (.2 + .3 * exp(-decays[i])) - 1);
  }
  CU_ASSERT(worst <= 1e-12);
}

/* A cube that sticks to a wall turns about an edge that stays where it is: the friction on a corner there stays too. */
static void test_turn_at_wall(void) {
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}, .law = {5, 5, 0, 0}};
  ipg_contact_config config = ipg_contact_defaults();
  ipg_mesh mesh = scene_box(0, 0, 0, 1, 1, 1, 2, 2, 2, "cube");
  law_scene w;
  double first[3] = {0}, worst = 0;
  int compared = 0;
  config.walls = &wall, config.wall_count = 1;
  law_scene_make(&w, &mesh, 1, 1, (double[]){1e3}, &config);
  for (int i = -1; i < 10; ++i) {
    int64_t count;
    law_tilt(&w, 0, -.05 * fmax(0, i), (double[]){0, 0, 0}, (double[]){i < 0 ? 0 : .002, 0, -.02});
    law_go(&w);
    const ipg_contact_pair *pairs = ipg_contact_pairs(w.contact, &count);
    for (int64_t k = 0; k < count; ++k) {
      if (w.s.x[3 * pairs[k].owner] != 0 || w.s.x[3 * pairs[k].owner + 1] != 0) continue;
      if (i == 0) memcpy(first, pairs[k].response.friction, sizeof first);
      compared += i > 0;
      for (int j = 0; j < 3 && i > 0; ++j)
        worst = suite_worst(worst, (pairs[k].response.friction[j] - first[j]) / vec3_length(first));
    }
  }
  CU_ASSERT(first[0] < 0 && compared == 9);
  CU_ASSERT(worst <= 1e-12);
  law_scene_free(&w);
}

/* A cube hits the floor obliquely and slides all the time: the tangential impulse is mu times the normal one. */
static void test_oblique_hit(void) {
  const ipg_contact_config config = law_of(.2, .2, 0, 5e-4);
  sledge s;
  start_sledge(&s, &config, 0, -1e-9);
  const double vz = s.s.velocity[1][2];
  s.s.velocity[1][0] = 5, s.s.velocity[1][2] = -1;
  run_for(&s, 1);
  const double normal = s.s.velocity[1][2] + 1, tangential = 5 - s.s.velocity[1][0];
  CU_ASSERT(fabs(vz) < 1e-6 && normal > 1.9);
  suite_gate("face-face: oblique impact with gross slip: tangential impulse over friction times normal impulse",
             tangential / (.2 * normal) - 1, 1e-3);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(s.contact).contacts, 0);
  free_sledge(&s);
}

/* The cube flies onto the floor and leaves it. Returns the speed after over that before. */
static double restitution(double damping) {
  ipg_contact_config config = law_of(0, 0, damping, 5e-4);
  sledge g;
  double pull = 0, most = 0;
  config.onset = 1e-4;
  start_sledge(&g, &config, 0, 0);
  g.s.velocity[1][2] = -1;
  for (int i = 0; i < 400; ++i) {
    double force = 0;
    run_for(&g, g.dt);
    for (int64_t n = 0; n < g.s.surface.surface.node_count; ++n)
      if (g.s.body_of_node[n] == 1) force += g.s.force[3 * n + 2];
    pull = suite_worst(pull, fmin(force, 0)), most = suite_worst(most, force);
  }
  const double after = g.s.velocity[1][2], lost = .5 * g.s.body_mass[1] * (1 - after * after);
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(g.contact);
  CU_ASSERT(pull < 1e-12 * most);
  CU_ASSERT_EQUAL(balance.contact_energy, 0);
  if (damping > 0)
    suite_gate("face-face: damping: dissipation against the kinetic energy lost", //
               balance.damping_dissipation / lost - 1, .01);
  free_sledge(&g);
  return after;
}

/* A spring with a damper that never pulls leaves exp(-ratio (pi - 2 asin(ratio)) / sqrt(1 - ratio^2)) of the speed. */
static void test_damped_hit(void) {
  const double ratio = .1, free = restitution(0), damped = restitution(ratio);
  CU_ASSERT_DOUBLE_EQUAL(free, 1, 1e-3);
  suite_gate("face-face: damping: restitution of a rigid cube on a floor against a damped spring",
             damped / exp(-ratio * (M_PI - 2 * asin(ratio)) / sqrt(1 - ratio * ratio)) - 1, .05);
}

/* The damper of a spring shortens the step that it bears by a factor, for every node. */
static void test_damping_in_the_rates(void) {
  const ipg_contact_config laws[] = {law_of(0, 0, 0, 5e-4), law_of(0, 0, .4, 5e-4)};
  const double factor = sqrt(1 + .4 * .4) - .4;
  double *rates[2];
  int64_t nodes = 0;
  for (int i = 0; i < 2; ++i) {
    ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 2, 2, 2, "box")};
    scene s;
    scene_make(&s, meshes, 1, 1);
    ipg_contact *contact = scene_contact(&s, &laws[i]);
    nodes = s.surface.surface.node_count, rates[i] = calloc((size_t)nodes, sizeof(double));
    ipg_contact_node_rates(contact, rates[i]);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  for (int64_t n = 0; n < nodes; ++n) {
    CU_ASSERT(rates[0][n] > 0);
    CU_ASSERT_DOUBLE_EQUAL(rates[1][n] * factor * factor / rates[0][n], 1, 1e-12);
  }
  free(rates[0]), free(rates[1]);
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
  const ipg_contact_config laws[] = {law_of(0, 0, 0, 5e-4), law_of(.3, .3, 0, 5e-4), law_of(0, 0, .2, 5e-4),
                                     law_of(.4, .2, .1, 5e-4)};
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
  suite_gate("face-face: energy balance for four laws: energy that no term explains", open, .005);
  suite_gate("face-face: energy balance for four laws: contact work against the change of kinetic energy", work_error,
             .005);
}

/* Linear and angular momentum are conserved, at any depth. */
static void test_momentum_with_friction(void) {
  ipg_contact_config config = law_of(.4, .3, .1, 1e-3);
  scene s;
  make_oblique_hit(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  double defect[3] = {0}, force_error = 0, moment_error = 0;
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
      defect[k] = l.angular_momentum_defect[k];
      CU_ASSERT_EQUAL(defect[k], 0);
    }
  }
  CU_ASSERT(ipg_contact_get_energy_balance(contact).friction_dissipation > 0);
  suite_gate("face-face: friction and damping: sum of the contact forces", force_error, 1e-12);
  suite_gate("face-face: friction and damping: moment of the contact forces", moment_error, 1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ------------------------------------------------------------------------------------------------- turning bodies */

/* A block pressed into a floor and sheared; all positions are prescribed. */
typedef struct sheared {
  scene s;
  ipg_contact *contact;
  int64_t step;
} sheared;

static ipg_contact_config stiff_law(double friction) {
  ipg_contact_config config = law_of(friction, friction, 0, 1);
  config.onset = 1e-4;
  return config;
}

static void evaluate_and_accept(sheared *b) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!evaluate_after(b->contact, 1, b->s.trial, NULL, b->s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(b->contact, ++b->step, &error));
  memcpy(b->s.x, b->s.trial, 3 * (size_t)b->s.surface.surface.node_count * sizeof *b->s.x);
}

static void move_block(sheared *b, double x, double y, double z) {
  memcpy(b->s.trial, b->s.x, 3 * (size_t)b->s.surface.surface.node_count * sizeof *b->s.x);
  for (int64_t i = 0; i < b->s.surface.surface.node_count; ++i)
    if (b->s.body_of_node[i] == 1) b->s.trial[3 * i] += x, b->s.trial[3 * i + 1] += y, b->s.trial[3 * i + 2] += z;
  evaluate_and_accept(b);
}

/* All nodes about an axis through the origin along coordinate `axis`. */
static void turn_all(sheared *b, int axis, double angle) {
  const double co = cos(angle), si = sin(angle);
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  for (int64_t i = 0; i < 3 * b->s.surface.surface.node_count; i += 3) {
    const double *x = b->s.x + i;
    b->s.trial[i + axis] = x[axis];
    b->s.trial[i + j] = co * x[j] - si * x[k], b->s.trial[i + k] = si * x[j] + co * x[k];
  }
  evaluate_and_accept(b);
}

static void force_on_block(const sheared *b, double force[3]) {
  for (int k = 0; k < 3; ++k) force[k] = 0;
  for (int64_t i = 0; i < b->s.surface.surface.node_count; ++i)
    for (int k = 0; k < 3 && b->s.body_of_node[i] == 1; ++k) force[k] += b->s.force[3 * i + k];
}

static void press_block(sheared *b, const ipg_contact_config *config) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 4, 4, 1, "floor"),
                       scene_box(-.33, -.31, 0, .3, .3, .4, 2, 2, 1, "block")};
  *b = (sheared){0};
  scene_make(&b->s, meshes, 2, 1);
  b->contact = scene_contact(&b->s, config);
  move_block(b, 0, 0, -.001);
}

static void free_sheared(sheared *b) {
  ipg_contact_destroy(&b->contact);
  scene_free(&b->s);
}

/* What a spring of friction holds when the bodies part is lost. */
static void test_parting(void) {
  const ipg_contact_config config = stiff_law(.5);
  sheared b;
  press_block(&b, &config);
  const double pressed = ipg_contact_get_energy_balance(b.contact).contact_energy;
  move_block(&b, .00004, 0, 0);
  const ipg_contact_energy_balance stuck = ipg_contact_get_energy_balance(b.contact);
  const double held = stuck.contact_energy - pressed;
  CU_ASSERT(held > 1e-3 * pressed && fabs(stuck.friction_dissipation) < .1 * held);
  move_block(&b, 0, 0, .1);
  const ipg_contact_energy_balance parted = ipg_contact_get_energy_balance(b.contact);
  CU_ASSERT_EQUAL(parted.contact_energy, 0);
  CU_ASSERT_DOUBLE_EQUAL((parted.friction_dissipation - stuck.friction_dissipation) / held, 1, 1e-6);
  free_sheared(&b);
}

/* Each wall has a law of its own. */
static void test_walls_of_other_laws(void) {
  const ipg_contact_wall walls[] = {{.point = {0, 0, -5}, .normal = {0, 0, 1}},
                                    {.normal = {0, 0, 1}, .law = {.friction_static = .4, .friction_dynamic = .4}}};
  ipg_contact_config config = stiff_law(0);
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 2, 2, 2, "other"), scene_box(3, 0, .1, 4, 1, 1, 2, 2, 2, "box")};
  double force[3];
  sheared b = {0};
  config.walls = walls, config.wall_count = 2;
  scene_make(&b.s, meshes, 2, 1);
  b.contact = scene_contact(&b.s, &config);
  move_block(&b, 0, 0, -.101), move_block(&b, .1, 0, 0);
  force_on_block(&b, force);
  CU_ASSERT_DOUBLE_EQUAL(force[0] / force[2], -.4, 1e-9);
  free_sheared(&b);
}

/* What sticks turns with the bodies, about the normal and about an axis across it: the force turns, and nothing else
 * happens to it. */
static void test_friction_turns_with_bodies(void) {
  double worst = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const ipg_contact_config config = stiff_law(.5);
    double before[3], after[3];
    sheared b;
    press_block(&b, &config);
    move_block(&b, .0002, .0001, 0);
    force_on_block(&b, before);
    CU_ASSERT(before[0] < 0 && before[1] < 0 && before[2] > 0);
    CU_ASSERT(hypot(before[0], before[1]) < .45 * before[2] && hypot(before[0], before[1]) > .05 * before[2]);
    for (int i = 0; i < 90; ++i) turn_all(&b, axis, M_PI / 180);
    force_on_block(&b, after);
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    worst = suite_worst(worst, (after[axis] - before[axis]) / before[2]);
    worst = suite_worst(worst, (after[j] + before[k]) / before[2]);
    worst = suite_worst(worst, (after[k] - before[j]) / before[2]);
    free_sheared(&b);
  }
  suite_gate("face-face: pressed, sheared, and turned together by 90 degrees about any axis: force", worst, 1e-6);
}

/* ------------------------------------------------------------------------------------------------------ a closed way
 */

/* A block slides round a square over the nodes of a floor: it dissipates friction times normal force times way, but for
 * what the springs need to turn, and what it dissipates is the work that moves it. */
static void test_closed_way(void) {
  enum { STEPS = 1000 };
  const ipg_contact_config config = stiff_law(.3);
  const int64_t corners[][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  const double side = .5;
  double force[3], last[3], work = 0, expected = 0;
  sheared b;
  press_block(&b, &config);
  move_block(&b, -.01, 0, 0); /* the springs are loaded */
  move_block(&b, .01, 0, 0);
  const double booked = ipg_contact_get_energy_balance(b.contact).friction_dissipation;
  const double stored = ipg_contact_get_energy_balance(b.contact).contact_energy;
  force_on_block(&b, last);
  for (int n = 0; n < 4; ++n)
    for (int i = 0; i < STEPS; ++i) {
      const double x = side / STEPS * (double)corners[n][0], y = side / STEPS * (double)corners[n][1];
      move_block(&b, x, y, 0);
      force_on_block(&b, force);
      work -= .5 * ((force[0] + last[0]) * x + (force[1] + last[1]) * y);
      expected += .3 * force[2] * side / STEPS;
      memcpy(last, force, sizeof last);
    }
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(b.contact);
  const double dissipated = balance.friction_dissipation - booked;
  suite_gate("face-face: a square way with friction: dissipation against friction times normal force times way",
             dissipated / expected - 1, .001);
  suite_gate("face-face: a square way with friction: dissipation against the work done",
             (dissipated + balance.contact_energy - stored) / work - 1, .001);
  free_sheared(&b);
}

enum { LOOP_CORNERS = 5 };

/* A floor or a rigid wall, a block on it that may have another one tied on top, and the corners of a closed way. */
typedef struct loop {
  sheared b;
  ipg_contact_wall wall;
  ipg_contact_rule tie;
  int corner_count;
  double corners[LOOP_CORNERS][2], friction, normal_force; /* the latter is the last */
} loop;

/* A polygon about the origin, its corners half of the size away or more. */
static void choose_way(rng *r, loop *l) {
  const double start = rng_between(r, 0, 2 * M_PI), sense = rng_int(r, 0, 1) ? 1 : -1;
  l->corner_count = rng_int(r, 3, LOOP_CORNERS);
  for (int i = 0; i < l->corner_count; ++i) {
    const double angle = start + sense * (i + rng_between(r, -.2, .2)) * 2 * M_PI / l->corner_count;
    const double away = rng_between(r, .25, .45);
    l->corners[i][0] = away * cos(angle), l->corners[i][1] = away * sin(angle);
  }
}

static ipg_contact_config config_of_loop(rng *r, loop *l, bool has_wall, bool has_tie) {
  ipg_contact_config config = stiff_law(l->friction = rng_between(r, .1, .4));
  l->wall = (ipg_contact_wall){.normal = {0, 0, 1}, .law = config.law};
  l->tie = ipg_contact_rule_defaults();
  l->tie.blocks[0] = 1, l->tie.blocks[1] = 2, l->tie.tied = true;
  config.walls = &l->wall, config.wall_count = has_wall;
  config.rules = &l->tie, config.rule_count = has_tie;
  return config;
}

/* Where there is a wall, the floor lies apart. */
static void make_loop(rng *r, loop *l, bool has_wall, bool has_tie) {
  const ipg_contact_config config = config_of_loop(r, l, has_wall, has_tie);
  const double away = has_wall ? 5 : 0, side = rng_between(r, .2, .4);
  ipg_mesh meshes[] = {scene_box(-1 + away, -1, -.5, 1 + away, 1, 0, rng_int(r, 2, 6), rng_int(r, 2, 6), 1, "floor"),
                       scene_box(-side, -.31, 0, side, .29, .4, rng_int(r, 1, 3), rng_int(r, 1, 3), 1, "block"),
                       scene_box(-.2, -.2, .4, .2, .2, .6, rng_int(r, 1, 2), rng_int(r, 1, 2), 1, "top")};
  if (has_wall)
    for (int64_t i = 0; i < meshes[0].node_count; ++i) meshes[0].x[3 * i + 2] += 1;
  l->b = (sheared){0};
  scene_make(&l->b.s, meshes, has_tie ? 3 : 2, 1);
  if (!has_tie) ipg_mesh_destroy(&meshes[2]);
  l->b.contact = scene_contact(&l->b.s, &config);
  choose_way(r, l);
}

/* Both blocks move. Returns what the motion costs at the force of the end. */
static double move_loop(loop *l, const double way[3]) {
  scene *s = &l->b.s;
  double cost = 0;
  l->normal_force = 0;
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i)
    s->trial[i] = s->x[i] + (s->body_of_node[i / 3] > 0 ? way[i % 3] : 0);
  evaluate_and_accept(&l->b);
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) {
    if (s->body_of_node[i / 3] == 0) continue;
    cost -= s->force[i] * way[i % 3];
    if (i % 3 == 2) l->normal_force += s->force[i];
  }
  return cost;
}

/* Friction times normal force times way. */
static double go_to_corner(loop *l, int from, int to, int steps) {
  double way[3] = {0}, sum = 0;
  for (int k = 0; k < 2; ++k) way[k] = (l->corners[to][k] - l->corners[from][k]) / steps;
  for (int i = 0; i < steps; ++i) {
    move_loop(l, way);
    sum += l->friction * l->normal_force * hypot(way[0], way[1]);
  }
  return sum;
}

/* Once round, from the first corner to the first, after springs were loaded on the last side. Returns how the
 * dissipation differs from friction times normal force times way. */
static double run_loop(rng r, bool has_wall, bool has_tie) {
  enum { STEPS = 1500 };
  loop l;
  double expected = 0;
  make_loop(&r, &l, has_wall, has_tie);
  const int last = l.corner_count - 1;
  move_loop(&l, (double[]){l.corners[last][0], l.corners[last][1], 0});
  move_loop(&l, (double[]){0, 0, -.0003});
  go_to_corner(&l, last, 0, STEPS);
  const double before = ipg_contact_get_energy_balance(l.b.contact).friction_dissipation;
  for (int i = 0; i < l.corner_count; ++i) expected += go_to_corner(&l, i, (i + 1) % l.corner_count, STEPS);
  const double after = ipg_contact_get_energy_balance(l.b.contact).friction_dissipation;
  CU_ASSERT(expected > 0);
  free_sheared(&l.b);
  return (after - before) / expected - 1;
}

/* Closed ways of all kinds. Where the way turns, the springs have to turn first: about as long as the elastic slip, or
 * half of a step, dissipates nothing. Both are short. A triangle with two long sides on a wall, where the elastic slip
 * alone takes 0.05 %, is there with any seed. */
static void test_closed_ways(void) {
  const int loops = suite_is_full() ? 100 : 6;
  if (suite_is_quick()) return;
  double on_floor = 0, on_wall = fabs(run_loop(rng_start_of_seed(3, 1005), true, true));
  for (int number = 0; number < loops; ++number) {
    on_floor = suite_worst(on_floor, run_loop(rng_start((uint64_t)number), false, number % 2));
    on_wall = suite_worst(on_wall, run_loop(rng_start((uint64_t)number + 1000), true, number % 2));
  }
  suite_gate(
      "face-face: closed ways with friction on a floor, any mesh, way and ties: dissipation against friction times "
      "normal force times way",
      on_floor, .001);
  suite_gate(
      "face-face: closed ways with friction on a rigid wall, any mesh, way and ties: dissipation against friction "
      "times normal force times way",
      on_wall, .001);
}

/* ------------------------------------------------------------------------------------------------------- one contact
 */

/* Two tetrahedra with one face on each other, the second above the first. */
static ipg_mesh one_tetrahedron(bool is_upper, const char *name) {
  static const double corners[2][4][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {.2, .3, -1}},
                                          {{.1, .1, 0}, {.9, .2, 0}, {.2, .8, 0}, {.3, .2, 1}}};
  ipg_mesh mesh = scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, name);
  mesh.element_count = mesh.blocks[0].count = 1;
  for (int k = 0; k < 4; ++k) memcpy(mesh.x + 3 * mesh.tets[k], corners[is_upper][k], sizeof corners[0][0]);
  return mesh;
}

/* The upper one comes, slides, turns and leaves, and comes again; both change their shapes. */
static void move_tetrahedra(rng r, const double *start, const scene *s, double time, double *x) {
  const double turn = .3 * sin(3 * time), c = cos(turn), sine = sin(turn);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const bool is_upper = s->body_of_node[i] == 1;
    const double *from = start + 3 * i;
    const double along[3] = {.15 * sin(7 * time), .1 * sin(5 * time), .02 * sin(4 * time) - .005};
    const double turned[3] = {c * from[0] - sine * from[1], sine * from[0] + c * from[1], from[2]};
    for (int k = 0; k < 3; ++k) {
      const double phase = rng_between(&r, 0, 6);
      x[3 * i + k] = (is_upper ? turned[k] + along[k] : from[k]) + .005 * sin(9 * time + phase);
    }
  }
}

/* Friction alone: what an object with friction has beside one without. What it loses and stores is its work, to
 * rounding, in steps that are as long as they may be. Returns what no term explains, over all that was lost. */
static double open_balance(uint64_t number, bool has_wall) {
  enum { STEPS = 150 };
  rng r = rng_start(number);
  const double dt = .02, friction = rng_between(&r, .1, .6);
  ipg_contact_wall wall = {.point = {0, 0, -.003}, .normal = {0, .02, 1}, .velocity = {.3, .1, .02}};
  ipg_contact_config config = law_of(1.5 * friction, friction, number % 3 ? .3 : 0, dt), plain = law_of(0, 0, 0, dt);
  ipg_mesh meshes[] = {one_tetrahedron(false, "lower"), one_tetrahedron(true, "upper")};
  ipg_contact_energy_balance of[2];
  ipg_contact *contacts[2];
  scene s;
  config.law.friction_decay = 1, config.onset = plain.onset = .004;
  config.walls = plain.walls = &wall, config.wall_count = plain.wall_count = has_wall;
  scene_make(&s, meshes, 2, 1);
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  double *start = malloc(bytes);
  memcpy(start, s.x, bytes), move_tetrahedra(r, start, &s, .8, s.x);
  for (int i = 0; i < 2; ++i) {
    ipg_contact_config *own = i ? &plain : &config;
    wall.law = own->law;
    contacts[i] = scene_contact(&s, own);
    for (int64_t step = 1; step <= STEPS; ++step) {
      ipg_error error = {0};
      move_tetrahedra(r, start, &s, .8 + (double)step * dt, s.trial);
      CU_ASSERT_FATAL(!evaluate_after(contacts[i], dt, s.trial, NULL, s.force, &error));
      CU_ASSERT_FATAL(!ipg_contact_accept(contacts[i], step, &error));
    }
    of[i] = ipg_contact_get_energy_balance(contacts[i]);
    ipg_contact_destroy(&contacts[i]);
  }
  free(start), scene_free(&s);
  CU_ASSERT(of[0].friction_dissipation > 0 && of[1].friction_dissipation == 0);
  const double lost = of[0].friction_dissipation + of[0].damping_dissipation;
  return (of[0].contact_work - of[1].contact_work + of[0].contact_energy - of[1].contact_energy + lost -
          (of[0].external_work - of[1].external_work)) /
         lost;
}

static void test_one_contact_closes(void) {
  double faces = 0, wall = 0;
  for (uint64_t number = 0; number < 20; ++number) {
    faces = suite_worst(faces, open_balance(number, false));
    wall = suite_worst(wall, open_balance(number, true));
  }
  suite_gate("face-face: two tetrahedra, friction and damping: work, stored and lost energy", faces, 1e-12);
  suite_gate("face-face: two tetrahedra and a moving wall, friction and damping: work, stored and lost energy", wall,
             1e-12);
}

/* Without friction a law with rules costs nothing: forces are the bits of frictionless contact. */
static void test_no_friction_no_work(void) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = stiff_law(0), with_rule = stiff_law(.3);
  double force[3], expected[3];
  sheared a, b;
  rule.blocks[0] = 0, rule.blocks[1] = 1;
  with_rule.rules = &rule, with_rule.rule_count = 1;
  press_block(&a, &config), press_block(&b, &with_rule);
  for (int i = 0; i < 5; ++i) {
    move_block(&a, .02, .01, 0), move_block(&b, .02, .01, 0);
    force_on_block(&a, expected), force_on_block(&b, force);
    CU_ASSERT(!memcmp(force, expected, sizeof force));
  }
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(b.contact).friction_dissipation, 0);
  free_sheared(&a), free_sheared(&b);
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
  ipg_contact_config config = law_of(.4, .3, .1, 1e-3);
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

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"stopping distance", test_stopping_distance},
      {"an incline, above and below the static limit", test_incline},
      {"friction decays", test_decay},
      {"a turn at a wall", test_turn_at_wall},
      {"friction decays to the dynamic coefficient", test_decay_to_dynamic},
      {"an oblique hit", test_oblique_hit},
      {"a damped hit", test_damped_hit},
      {"damping in the bound on the step", test_damping_in_the_rates},
      {"bodies part", test_parting},
      {"walls of other laws", test_walls_of_other_laws},
      {"the energy balance closes for every law", test_energy_balance_closes},
      {"momentum and angular momentum", test_momentum_with_friction},
      {"friction turns with the bodies", test_friction_turns_with_bodies},
      {"a closed way", test_closed_way},
      {"closed ways", test_closed_ways},
      {"one contact closes", test_one_contact_closes},
      {"no friction, no work", test_no_friction_no_work},
      {"the same bits", test_same_bits},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "face_friction", tests);
}
