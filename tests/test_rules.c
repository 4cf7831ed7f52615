/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Rules between blocks: which one applies, its effect, and what is refused. */
#include "support/scene.h"
#include "support/suite.h"

enum { FLOOR, LEFT, RIGHT };

/* Two cubes side by side above one floor, one block each; all masses 1. */
static void make_cubes_over_floor(scene *s, double above) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 4, 2, 0, 5, 4, 1, "floor"),
                       scene_box(-.53, -.51, above, .47, .49, above + 1, 2, 2, 2, "left"),
                       scene_box(1.47, -.51, above, 2.47, .49, above + 1, 2, 2, 2, "right")};
  scene_make(s, meshes, 3, 1);
  s->body_mass[FLOOR] = 1e9;
}

static ipg_contact_rule rule_between(int32_t a, int32_t b) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  rule.blocks[0] = a, rule.blocks[1] = b;
  return rule;
}

/* The stiffness follows from the step. */
static ipg_contact_config config_with(const ipg_contact_rule *rules, int64_t count, double step) {
  ipg_contact_config config = ipg_contact_defaults();
  config.rules = rules, config.rule_count = count;
  config.penalty_scale = .1, config.reference_step = step;
  return config;
}

static double lowest(const scene *s, int32_t body) {
  double z = INFINITY;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    if (s->body_of_node[i] == body) z = fmin(z, s->x[3 * i + 2]);
  return z;
}

/* Both cubes fall onto the floor; the one of the contact pair that is off goes through it, in whatever order the rule
 * names the blocks. */
static void test_pair_that_is_off(void) {
  for (int order = 0; order < 2; ++order) {
    ipg_contact_rule rule = order ? rule_between(LEFT, FLOOR) : rule_between(FLOOR, LEFT);
    rule.off = true;
    const ipg_contact_config config = config_with(&rule, 1, 2e-3);
    scene s;
    make_cubes_over_floor(&s, .01);
    s.velocity[LEFT][2] = s.velocity[RIGHT][2] = -1;
    ipg_contact *contact = scene_contact(&s, &config);
    for (int64_t step = 1; step <= 200; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 2e-3, step));
    CU_ASSERT(s.velocity[LEFT][2] == -1 && s.velocity[RIGHT][2] > .9);
    CU_ASSERT(lowest(&s, LEFT) < -.3);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* A contact pair that is on for some time only: contacts that are active at its end are deactivated, and the energy
 * balance books what they held as lost. */
static void test_active_times(void) {
  ipg_contact_rule rule = rule_between(FLOOR, RIGHT);
  rule.from = .1, rule.until = .115;
  ipg_contact_config config = config_with(&rule, 1, 1e-3);
  config.start_time = .1 - .008; /* cubes arrive at .1 + .002 */
  scene s;
  make_cubes_over_floor(&s, .01);
  s.velocity[LEFT][2] = s.velocity[RIGHT][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  int64_t most = 0;
  for (int64_t step = 1; step <= 30; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    int64_t count, right = 0;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; i < count; ++i)
      right += s.body_of_node[pairs[i].nodes[0]] == RIGHT || s.body_of_node[pairs[i].nodes[1]] == RIGHT;
    most = right > most ? right : most;
    if (config.start_time + 1e-3 * (double)step > .1151) CU_ASSERT_EQUAL(right, 0);
  }
  CU_ASSERT(most >= 9);
  CU_ASSERT(ipg_contact_get_energy_balance(contact).spring_net_loss > 0);
  CU_ASSERT(s.velocity[RIGHT][2] > -1 && s.velocity[RIGHT][2] < 0); /* slowed, then without contact */
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The work of contact on all nodes, and what the energy balance says became of it. */
static double unbalanced(const ipg_contact_energy_balance *b) {
  return b->contact_work + b->contact_energy + b->spring_net_loss + b->friction_dissipation + b->damping_dissipation -
         b->external_work;
}

/* Penalty contact that begins and ends in mid-contact, by a rule, and where bodies overlap at a start: the balance
 * closes. */
static void test_balance_of_rules(void) {
  for (int late = 0; late < 2; ++late) {
    ipg_contact_rule rule = rule_between(FLOOR, RIGHT);
    ipg_contact_config config = ipg_contact_defaults();
    ipg_error error = {0};
    scene s;
    rule.from = late ? .0755 : -1, rule.until = .0955, rule.law.friction_static = rule.law.friction_dynamic = .2;
    config.rules = &rule, config.rule_count = 1, config.reference_step = 1e-3;
    make_cubes_over_floor(&s, .0005);
    s.velocity[LEFT][2] = s.velocity[RIGHT][2] = -.01, s.velocity[RIGHT][0] = .002;
    ipg_contact *contact = scene_contact(&s, &config);
    double most = 0;
    for (int64_t step = 1; step <= 90; ++step) {
      CU_ASSERT_FATAL(scene_step(&s, contact, 2e-3, step));
      const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(contact);
      most = fmax(most, b.contact_energy);
      CU_ASSERT(fabs(unbalanced(&b)) <= 2e-3 * most + 1e-6);
      if (step == 45) CU_ASSERT(most > 0 && (late ? b.spring_net_loss < 0 : b.spring_net_loss == 0));
      if (step == 60) CU_ASSERT(b.spring_net_loss > .3 * most);
      if (step == 70) { /* anew, in the floor */
        memcpy(s.trial, s.x, 3 * (size_t)s.surface.surface.node_count * sizeof *s.x);
        for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
          s.trial[3 * i + 2] -= s.body_of_node[i] == LEFT ? .002 : 0;
        CU_ASSERT_EQUAL(ipg_contact_ignore_initial_penetrations(contact, &error), IPG_ERROR_ARGUMENT);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "step 70 is accepted"));
        CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, .5, s.trial, &error));
        memcpy(s.x, s.trial, 3 * (size_t)s.surface.surface.node_count * sizeof *s.x);
        CU_ASSERT(ipg_contact_find_deepest(contact).depth == 0);
      }
    }
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Contact by a rule that names no times, before time 0. */
static void test_times_below_zero(void) {
  const ipg_contact_rule rule = rule_between(FLOOR, RIGHT);
  ipg_contact_config config = config_with(&rule, 1, 1e-3);
  scene s;
  config.start_time = -5;
  make_cubes_over_floor(&s, .01);
  s.velocity[RIGHT][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 20; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  CU_ASSERT(ipg_contact_get_counters(contact).contacts >= 9);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* One law for each cube: the rule that names more blocks wins, and any rule wins over the common law. */
static void test_most_special_rule_wins(void) {
  ipg_contact_rule rules[] = {rule_between(-1, -1), rule_between(FLOOR, RIGHT), rule_between(-1, RIGHT)};
  rules[0].law.friction_static = rules[0].law.friction_dynamic = .1;
  rules[1].law.friction_static = rules[1].law.friction_dynamic = .5;
  rules[2].off = true;
  for (int shift = 0; shift < 3; ++shift) {
    ipg_contact_rule shifted[3];
    for (int i = 0; i < 3; ++i) shifted[i] = rules[(i + shift) % 3];
    ipg_contact_config config = config_with(shifted, 3, 1e-3);
    config.law.friction_static = config.law.friction_dynamic = 5;
    scene s;
    make_cubes_over_floor(&s, .001);
    for (int b = LEFT; b <= RIGHT; ++b) s.velocity[b][1] = 2, s.velocity[b][2] = -.2;
    ipg_contact *contact = scene_contact(&s, &config);
    for (int64_t step = 1; step <= 300; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    CU_ASSERT_DOUBLE_EQUAL(2 - s.velocity[LEFT][1], .1 * (s.velocity[LEFT][2] + .2), 2e-3);
    CU_ASSERT_DOUBLE_EQUAL(2 - s.velocity[RIGHT][1], .5 * (s.velocity[RIGHT][2] + .2), 1e-2);
    CU_ASSERT(s.velocity[RIGHT][2] > .15);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* A surface continues in a block for which a rule switches contact off: what slides there loses contact at the border.
 */
static void test_slides_to_where_it_is_off(void) {
  ipg_contact_rule rule = rule_between(1, 2);
  rule.off = true;
  const ipg_contact_config config = config_with(&rule, 1, 1);
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 2, 1, 1, "floor"),
                       scene_box(-.4, -.1, .01, -.2, .1, .2, 1, 1, 1, "pin")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  int32_t *blocks = (int32_t *)s.surface.surface.face_blocks;
  for (int64_t f = 0; f < s.surface.surface.face_count; ++f) {
    bool is_right = true;
    for (int k = 0; k < 3; ++k) is_right = is_right && s.x[3 * s.surface.surface.faces[3 * f + k]] >= 0;
    blocks[f] = blocks[f] ? 2 : is_right;
  }
  s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
  ipg_contact *contact = scene_contact(&s, &config);
  int64_t most = 0;
  for (int64_t step = 1; step <= 8; ++step) {
    s.velocity[1][0] = step > 1 ? .07 : 0, s.velocity[1][2] = step > 1 ? 0 : -.06;
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, step));
    int64_t count;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; i < count; ++i)
      CU_ASSERT(s.x[3 * (int64_t)pairs[i].owner] <= 0 && !s.surface.surface.face_blocks[pairs[i].face]);
    most = count > most ? count : most;
  }
  CU_ASSERT_EQUAL(most, 4);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static bool presses(const scene *s, int32_t body) {
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    if (s->body_of_node[i] == body && s->force[3 * i + 2] > 0) return true;
  return false;
}

static int64_t contacts_between(const ipg_contact *contact, const scene *s, int32_t a, int32_t b) {
  int64_t count, found = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) {
    const int32_t p = s->body_of_node[pairs[i].nodes[0]], q = s->body_of_node[pairs[i].nodes[1]];
    found += (p == a && q == b) || (p == b && q == a);
  }
  return found;
}

/* A rule holds in a step that ends just when it begins, and not in one that ends just when it is over. */
static void test_ends_of_active_times(void) {
  ipg_contact_rule rule = rule_between(FLOOR, LEFT);
  rule.from = .25, rule.until = .5;
  const ipg_contact_config config = config_with(&rule, 1, .25);
  scene s;
  make_cubes_over_floor(&s, .01);
  s.velocity[LEFT][2] = -.1, s.body_mass[LEFT] = 1e30; /* moves as prescribed */
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 2; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, .25, step));
    CU_ASSERT_EQUAL(contacts_between(contact, &s, FLOOR, LEFT) > 0, step == 1);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The thickness of a rule holds between its blocks alone, and reaches from one to the other whatever other blocks have;
 * it may also be 0 where blocks are thick. */
static void test_thickness_of_rule(void) {
  const double thicknesses[] = {.1, .1, .1};
  for (int none = 0; none < 2; ++none) {
    ipg_contact_rule rule = rule_between(LEFT, FLOOR);
    rule.thickness = none ? 0 : .2;
    ipg_contact_config config = config_with(&rule, 1, 1);
    config.search_margin = 0;
    if (none) config.thicknesses = thicknesses, config.thickness_count = 3;
    scene s;
    make_cubes_over_floor(&s, .25);
    s.velocity[LEFT][2] = s.velocity[RIGHT][2] = -.1;
    ipg_contact *contact = scene_contact(&s, &config);
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
    CU_ASSERT(presses(&s, LEFT) == !none && presses(&s, RIGHT) == none);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* The block of a node is that of its first face, and blocks may come in any order. */
static void test_block_of_node(void) {
  for (int off = 0; off < 2; ++off) {
    scene s;
    make_cubes_over_floor(&s, .01);
    int32_t *blocks = (int32_t *)s.surface.surface.face_blocks, of_first[3] = {3, 2, 0};
    ipg_id node = 0, first = -1;
    while (s.body_of_node[node] != LEFT || s.x[3 * node + 2] > .02) ++node;
    for (ipg_id f = 0; f < s.surface.surface.face_count; ++f) {
      const ipg_id *corner = s.surface.surface.faces + 3 * (int64_t)f;
      blocks[f] = of_first[blocks[f]];
      if (corner[0] != node && corner[1] != node && corner[2] != node) continue;
      blocks[f] = first < 0 ? 2 : 1;
      first = first < 0 ? f : first;
    }
    ipg_contact_rule rule = rule_between(off ? 2 : 1, 3);
    rule.off = true;
    const ipg_contact_config config = config_with(&rule, 1, .2);
    s.velocity[LEFT][2] = -.1;
    ipg_contact *contact = scene_contact(&s, &config);
    CU_ASSERT_FATAL(scene_step(&s, contact, .2, 1));
    int64_t count, found = 0;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; i < count; ++i) found += pairs[i].owner == node;
    CU_ASSERT_EQUAL(found, !off);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

static void expect_refusal(const scene *s, const ipg_contact_rule *rules, int64_t count, ipg_status status,
                           const char *words) {
  const ipg_contact_config config = config_with(rules, count, 1);
  scene_expect_refusal(s, &config, status, words);
}

static void test_refusals(void) {
  scene s;
  make_cubes_over_floor(&s, .01);
  ipg_contact_rule rules[2] = {rule_between(FLOOR, 3), rule_between(FLOOR, LEFT)};
  expect_refusal(&s, rules, 1, IPG_ERROR_ARGUMENT, "contact rule 0 names block 3; the surface has blocks 0 to 2");
  rules[0] = rule_between(-2, LEFT);
  expect_refusal(&s, rules, 1, IPG_ERROR_ARGUMENT, "names block -2");
  rules[0] = rule_between(LEFT, FLOOR);
  rules[0].law.friction_static = .1;
  expect_refusal(&s, rules, 2, IPG_ERROR_ARGUMENT, "contact rules 0 and 1 say different things about blocks 0 and 1");
  rules[0].law.friction_static = 0;
  ipg_contact_config config = config_with(rules, 2, 1); /* the same rule twice is no contradiction */
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_contact_destroy(&contact);
  rules[0].from = 2, rules[0].until = 1;
  expect_refusal(&s, rules, 1, IPG_ERROR_NUMBER, "which is never");
  rules[0] = rule_between(-1, -1);
  rules[0].law.damping = 2;
  expect_refusal(&s, rules, 1, IPG_ERROR_NUMBER, "contact rule 0: damping is 2");
  rules[0] = rule_between(-1, -1);
  rules[0].law.friction_static = .1, rules[0].law.friction_dynamic = .2;
  expect_refusal(&s, rules, 1, IPG_ERROR_NUMBER, "contact rule 0: friction is 0.1 static and 0.2 dynamic");
  expect_refusal(&s, rules, -1, IPG_ERROR_ARGUMENT, "the number of contact rules is negative");
  expect_refusal(&s, NULL, 1, IPG_ERROR_ARGUMENT, "contact rules is null");
  scene_free(&s);
}

/* Sizes that the library's ids and tables cannot hold are refused before an array is read, in a sentence that says what
 * to do. */
static void test_limits_of_size(void) {
  static const double x[3] = {0};
  const ipg_contact_config config = config_with(NULL, 0, 1);
  const ipg_surface surfaces[] = {{.node_count = IPG_ID_MAX}, {.face_count = IPG_ID_MAX}, {.face_count = INT64_MAX}};
  ipg_contact *contact = NULL;
  for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; ++i) {
    ipg_error error = {0};
    CU_ASSERT_EQUAL(ipg_contact_create(&config, &surfaces[i], x, &contact, &error), IPG_ERROR_TOO_MANY);
    CU_ASSERT(strstr(error.message, "2147483646 of each: leave out bodies or refine less") != NULL);
  }
  scene s;
  make_cubes_over_floor(&s, .01);
  int32_t *blocks = (int32_t *)s.surface.surface.face_blocks;
  blocks[3] = 10000;
  scene_expect_refusal(&s, &config, IPG_ERROR_ARGUMENT,
                       "has block 10000; blocks count from 0 and are fewer than 10000: join");
  blocks[3] = 9999;
  contact = scene_contact(&s, &config); /* no table without a rule */
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Two rules about the same blocks that differ in any one thing are a contradiction. */
static void test_rules_that_differ(void) {
  enum { THINGS = 10 };
  ipg_contact_rule rules[2] = {rule_between(FLOOR, LEFT)}, other[THINGS];
  scene s;
  make_cubes_over_floor(&s, .01);
  rules[0].law = (ipg_contact_law){.3, .2, 1, .1};
  rules[0].thickness = .1, rules[0].from = 0, rules[0].until = 5;
  for (int i = 0; i < THINGS; ++i) other[i] = rules[0];
  other[0].law.friction_static = .4, other[1].law.friction_dynamic = .1, other[2].law.friction_decay = 2;
  other[3].law.damping = .2, other[4].thickness = .2, other[5].from = -1, other[6].until = 6;
  other[7].off = true, other[8].tied = true, other[9].tie_within = 1;
  for (int i = 0; i < THINGS; ++i) {
    rules[1] = other[i];
    expect_refusal(&s, rules, 2, IPG_ERROR_ARGUMENT, "say different things about blocks 0 and 1");
  }
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a pair that is off", test_pair_that_is_off},
      {"active times", test_active_times},
      {"the balance of times and starts", test_balance_of_rules},
      {"times below 0", test_times_below_zero},
      {"the ends of active times", test_ends_of_active_times},
      {"the thickness of a rule", test_thickness_of_rule},
      {"the block of a node", test_block_of_node},
      {"the rule that names most blocks wins", test_most_special_rule_wins},
      {"slides to where it is off", test_slides_to_where_it_is_off},
      {"what is refused", test_refusals},
      {"limits of size", test_limits_of_size},
      {"rules that differ", test_rules_that_differ},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "rules", tests);
}
