/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Friction and damping of face-face contact against closed forms, and what must hold of their forces and energies.
 * Bodies are rigid. */
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
  config.enforcement = IPG_ENFORCEMENT_FACE_FACE, config.reference_step = dt;
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
      suite_gate("face-face: incline above the static limit: acceleration", (s.s.velocity[1][0] - early) / .9 / slides - 1, .01);
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
  const ipg_contact_config laws[] = {law_of(0, 0, 0, 5e-4), law_of(.3, .3, 0, 5e-4), law_of(0, 0, .2, 5e-4), law_of(.4, .2, .1, 5e-4)};
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
  suite_gate("face-face: energy balance for four laws: contact work against the change of kinetic energy", work_error, .005);
}

/* Linear momentum is conserved; the moment of all forces is that of friction at a finite depth, which the energy
 * balance has as the angular-momentum defect. */
static void test_momentum_with_friction(void) {
  ipg_contact_config config = law_of(.4, .3, .1, 1e-3);
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
  suite_gate("face-face: friction and damping: sum of the contact forces", force_error, 1e-12);
  suite_gate("face-face: friction and damping: moment of the contact forces against the angular-momentum defect", moment_error,
             1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"stopping distance", test_stopping_distance},
      {"an incline, above and below the static limit", test_incline},
      {"friction decays to the dynamic coefficient", test_decay_to_dynamic},
      {"an oblique hit", test_oblique_hit},
      {"the energy balance closes for every law", test_energy_balance_closes},
      {"momentum and angular momentum", test_momentum_with_friction},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "face_friction", tests);
}
