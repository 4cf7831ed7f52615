/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Thickness: surfaces outside of their faces, bodies in contact at a distance. Bodies are rigid. */
#include "support/evaluate.h"
#include "support/node_springs.h"
#include "support/scene.h"
#include "support/suite.h"

#include <math.h>

static ipg_contact_config thick(const double *thicknesses) {
  ipg_contact_config config = node_spring_defaults();
  config.thicknesses = thicknesses, config.thickness_count = 2;
  return config;
}

static int64_t first_node_of(const scene *s, int32_t body) {
  int64_t node = 0;
  while (s->body_of_node[node] != body) ++node;
  return node;
}

static int64_t count_of_body(const scene *s, const ipg_contact *contact, int32_t body) {
  int64_t count, found = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) found += s->body_of_node[pairs[i].nodes[0]] == body;
  return found;
}

/* Search margins: none, far below the thickness, and larger. */
static const double margins[] = {0, 1e-4, .2};

/* Returns the energy error. */
static double bounce(double search_margin) {
  const double thicknesses[] = {.05, .03}, dt = 1e-3, gap = .2;
  ipg_contact_config config = thick(thicknesses);
  config.search_margin = search_margin;
  ipg_mesh meshes[] = {scene_box(-1, -1, -.2, 1, 1, 0, 5, 4, 1, "plate"),
                       scene_box(-.4, -.3, gap, .3, .4, .7, 3, 2, 2, "box")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  const int64_t box = first_node_of(&s, 1), plate = first_node_of(&s, 0);
  double nearest = gap, energy = .5 * s.body_mass[1];
  for (int64_t step = 1; step <= 500; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step));
    const double apart = s.x[3 * box + 2] - s.x[3 * plate + 2] - .2;
    CU_ASSERT_EQUAL(count_of_body(&s, contact, 1), apart < .08 ? 12 : 0); /* all of its underside */
    nearest = fmin(nearest, apart);
  }
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  double after = 0;
  for (int b = 0; b < 2; ++b) after += .5 * s.body_mass[b] * s.velocity[b][2] * s.velocity[b][2];
  CU_ASSERT(nearest < .079 && nearest > .04);
  CU_ASSERT(l.activations > 0 && l.activations == l.deactivations && fabs(l.spring_net_loss) < 1e-3 * energy);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  return after / energy - 1;
}

/* A box falls on a plate: contact is activated .08 apart, and the box leaves as fast as it came. */
static void test_bounce_at_a_distance(void) {
  double worst = 0;
  for (int i = 0; i < 3; ++i) worst = suite_worst(worst, bounce(margins[i]));
  suite_gate("thickness 0.05 and 0.03: energy after the bounce", worst, .01);
}

/* A small box near the edge and the corner of a large one: a thick surface is round there, and the force points away
 * from the closest point. */
static void test_round_edges(void) {
  const double thicknesses[] = {.3, 0}, d[] = {.2, .1, .14}; /* from the edge; from the corner, in y too */
  double worst = 0;
  for (int corner = 0; corner < 2; ++corner) {
    const ipg_contact_config config = thick(thicknesses);
    const double y = corner ? d[2] : -1.52;
    ipg_mesh meshes[] = {scene_box(-3, -3, -3, 0, 0, 0, 1, 1, 1, "large"),
                         scene_box(1, y, 1, 1.04, y + .04, 1.04, 1, 1, 1, "small")};
    scene s;
    ipg_error error = {0};
    scene_make(&s, meshes, 2, 1);
    ipg_contact *contact = scene_contact(&s, &config);
    s.velocity[1][0] = d[0] - 1, s.velocity[1][2] = d[1] - 1;
    scene_predict(&s, 1);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
    int64_t count, found = 0;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; i < count; ++i) {
      const double *x = s.trial + 3 * (int64_t)pairs[i].nodes[0];
      if (s.body_of_node[pairs[i].nodes[0]] != 1) continue;
      const double to[3] = {x[0], fmax(0, x[1]), x[2]}, distance = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
      worst = suite_worst(worst, pairs[i].gap - (distance - .3));
      for (int k = 0; k < 3; ++k) worst = suite_worst(worst, pairs[i].normal[k] - to[k] / distance);
      ++found;
    }
    int64_t near = 0;
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i) {
      const double *x = s.trial + 3 * i, y0 = fmax(0, x[1]);
      near += s.body_of_node[i] == 1 && x[0] * x[0] + y0 * y0 + x[2] * x[2] < .09;
    }
    CU_ASSERT(found == near && near > 2);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("thickness 0.3 beside an edge and a corner: gap, normal", worst, 1e-12);
}

/* Through the thickness, the plate, and far beyond in one step. */
static void test_fast_node(void) {
  const double thicknesses[] = {.05, .05};
  const ipg_contact_config config = thick(thicknesses);
  ipg_mesh meshes[] = {scene_box(-1, -1, 0, 1, 1, .01, 5, 5, 1, "plate"),
                       scene_box(.11, .07, .5, .21, .17, .6, 1, 1, 1, "pin")};
  scene s;
  ipg_error error = {0};
  scene_make(&s, meshes, 2, 1);
  s.velocity[1][2] = -100;
  ipg_contact *contact = scene_contact(&s, &config);
  scene_predict(&s, .1);
  CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.trial, NULL, s.force, &error));
  int64_t count, pin_nodes = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i)
    pin_nodes += s.body_of_node[pairs[i].nodes[0]] == 1 && pairs[i].normal[2] > .99 && pairs[i].gap < -9;
  CU_ASSERT_EQUAL(pin_nodes, 8);
  ipg_contact_audit_report report;
  CU_ASSERT(!ipg_contact_audit(contact, &report, &error) && !report.missed_candidates && !report.wrong_contacts);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void make_too_close(scene *s) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 2, 2, 1, "below"),
                       scene_box(-.3, -.3, .06, .3, .3, .5, 2, 2, 2, "above")};
  scene_make(s, meshes, 2, 1);
}

/* Closer than the thickness from the start: forces arise only where they approach further; once they have been apart,
 * the full thickness applies. */
static void test_start_too_close(void) {
  const double thicknesses[] = {.05, .05};
  const ipg_contact_config config = thick(thicknesses);
  scene s;
  make_too_close(&s);
  s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
  ipg_contact *contact = scene_contact(&s, &config);
  const double motions[] = {0, -.02, 0, .1, -.06}, gaps[] = {0, -.02, -.02, 1, -.02};
  double worst = 0;
  for (int step = 0; step < 5; ++step) {
    s.velocity[1][2] = motions[step];
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, step + 1));
    int64_t count;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    CU_ASSERT_EQUAL(count > 9, gaps[step] <= 0);
    for (int64_t i = 0; i < count; ++i) worst = suite_worst(worst, pairs[i].gap - gaps[step]);
  }
  suite_gate("nearer than the thickness at the start: gap against the motion towards each other", worst, 1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* They bounce, and the thickness that had no room makes no energy. */
static void test_start_too_close_and_bounce(void) {
  const double thicknesses[] = {.05, .05};
  const ipg_contact_config config = thick(thicknesses);
  scene s;
  make_too_close(&s);
  s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  double least = 0;
  for (int64_t step = 1; step <= 400; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    least = fmin(least, ipg_contact_get_energy_balance(contact).spring_net_loss);
  }
  suite_gate("nearer than the thickness at the start: relative speed after a bounce",
             s.velocity[1][2] - s.velocity[0][2] - 1, .01);
  CU_ASSERT(least > -1e-3 * .5 * s.body_mass[1]);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The thickness of a rule wins over that of the blocks; self-contact has none. */
static void test_rules_and_bodies(void) {
  const double thicknesses[] = {.4, .4};
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = thick(thicknesses);
  rule.blocks[0] = 0, rule.blocks[1] = 1, rule.thickness = .1;
  config.rules = &rule, config.rule_count = 1;
  ipg_mesh meshes[] = {scene_box(-1, -1, -.2, 1, 1, 0, 4, 4, 1, "plate"),
                       scene_box(-.4, -.4, .15, .4, .4, .3, 2, 2, 1, "box")};
  scene s;
  ipg_error error = {0};
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.x, NULL, s.force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0); /* not even the two sides of the plate */
  s.velocity[1][2] = -.06;
  scene_predict(&s, 1);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT(count > 9);
  for (int64_t i = 0; i < count; ++i)
    CU_ASSERT(pairs[i].history.initial_offset == .1 && fabs(pairs[i].gap + .01) < 1e-12 &&
              fabs(pairs[i].time - .05 / .06) < 1e-4);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void cross_ridges(double search_margin) {
  const double thicknesses[] = {.02, .03};
  ipg_contact_config config = thick(thicknesses);
  config.edges = true, config.search_margin = search_margin;
  ipg_mesh meshes[] = {scene_ridge((double[]){0, 0, 0}, 0, 3, "lower"),
                       scene_ridge((double[]){0, 0, sqrt(2.) + .1}, 1.2, 3, "upper")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  double nearest = 1;
  bool touched = false;
  for (int64_t step = 1; step <= 200; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    const double apart = s.x[3 * first_node_of(&s, 1) + 2] - s.x[3 * first_node_of(&s, 0) + 2] - sqrt(2.);
    const bool touches = ipg_contact_get_counters(contact).contacts > 0;
    if (touches) CU_ASSERT(apart < .05 + 1e-9);
    touched |= touches, nearest = fmin(nearest, apart);
  }
  CU_ASSERT(touched && nearest > 0 && nearest < .05);
  CU_ASSERT(s.velocity[1][2] > s.velocity[0][2]);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Thick ridges are in contact before they cross. */
static void test_thick_edges(void) {
  for (int i = 0; i < 3; ++i) cross_ridges(margins[i]);
}

/* Edges that start closer than the thickness have no force at first, and get one as they approach. */
static void test_edges_too_close(void) {
  const double thicknesses[] = {.1, .1};
  ipg_contact_config config = thick(thicknesses);
  config.edges = true;
  ipg_mesh meshes[] = {scene_ridge((double[]){0, 0, 0}, 0, 3, "lower"),
                       scene_ridge((double[]){0, 0, sqrt(2.) + .05}, 1.2, 3, "upper")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 3; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).contact_energy, 0);
  }
  s.velocity[1][2] = -1;
  for (int64_t step = 4; step <= 20; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(l.contact_energy > 0 && l.contact_work < 0 && l.spring_net_loss >= 0);
  CU_ASSERT(s.velocity[1][2] > -1);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_invalid_thicknesses(void) {
  const double wrong[][2] = {{-.1, 0}, {(double)NAN, 0}, {0, (double)INFINITY}};
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "a"), scene_box(2, 0, 0, 3, 1, 1, 1, 1, 1, "b")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  for (int i = 0; i < 5; ++i) {
    ipg_contact_config config = thick(wrong[i % 3]);
    ipg_contact_rule rule = ipg_contact_rule_defaults();
    ipg_contact *contact = NULL;
    ipg_error error = {0};
    if (i == 3) config.thickness_count = 1;
    if (i == 4) {
      rule.thickness = (double)NAN;
      config.thickness_count = 0, config.rules = &rule, config.rule_count = 1;
    }
    CU_ASSERT(ipg_contact_create(&config, &s.surface.surface, s.x, &contact, &error) > 0);
    CU_ASSERT_PTR_NULL(contact);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "thickness"));
  }
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a bounce at a distance", test_bounce_at_a_distance},
      {"round edges and corners", test_round_edges},
      {"a node faster than the plate is thick", test_fast_node},
      {"too close at the start", test_start_too_close},
      {"too close at the start, and bounce", test_start_too_close_and_bounce},
      {"rules, and a body with itself", test_rules_and_bodies},
      {"thick edges", test_thick_edges},
      {"edges too close at the start", test_edges_too_close},
      {"invalid thicknesses", test_invalid_thicknesses},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "thickness", tests);
}
