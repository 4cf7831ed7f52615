/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Programs compiled with an earlier contact.h, whose structs lack the last fields: what lies behind is never read, and
 * they get the same bits. Those that the library cannot serve are refused. */
#include "support/evaluate.h"
#include "support/scene.h"
#include "support/suite.h"

#include <assert.h>
#include <stddef.h>

static void make_ball_over_box(scene *s) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .5002, .5, 4, "ball")};
  scene_make(s, meshes, 2, 1);
  s->velocity[0][2] = -.02, s->velocity[1][2] = -1;
}

/* As an earlier version might have had them. */
typedef struct old_rule {
  int32_t blocks[2];
  bool off, tied;
  double tie_within, from, until;
} old_rule;

typedef struct old_wall {
  double point[3], normal[3];
} old_wall;

static_assert(offsetof(old_rule, until) == offsetof(ipg_contact_rule, until) &&
                  offsetof(old_wall, normal) == offsetof(ipg_contact_wall, normal),
              "they begin as the present ones");

/* The forces after some steps with the config, the surface and what comes after an update of the surface. */
static void run_scene(const ipg_contact_config *config, const ipg_surface *surface, scene *s) {
  ipg_error error = {0};
  ipg_contact *contact = NULL;
  CU_ASSERT_FATAL(!ipg_contact_create(config, surface, s->x, &contact, &error));
  for (int64_t step = 1; step <= 30; ++step) {
    CU_ASSERT_FATAL(scene_step(s, contact, 1e-3, step));
    if (step == 20) CU_ASSERT_FATAL(!ipg_contact_update_surface(contact, surface, s->x, &error));
  }
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(balance.contact_energy > 0 && balance.wall_impulse[2] > 0);
  ipg_contact_destroy(&contact);
}

static void test_shorter_structs(void) {
  const ipg_contact_rule rules[2] = {{.blocks = {0, 1}, .until = INFINITY, .thickness = -1},
                                     {.blocks = {1, 1}, .off = true, .until = INFINITY, .thickness = -1}};
  const ipg_contact_wall walls[2] = {{.point = {0, 0, -.5001}, .normal = {0, 0, 1}},
                                     {.point = {0, 0, 2}, .normal = {0, 0, -1}}};
  const old_rule old_rules[2] = {{{0, 1}, false, false, 0, 0, INFINITY}, {{1, 1}, true, false, 0, 0, INFINITY}};
  const old_wall old_walls[2] = {{{0, 0, -.5001}, {0, 0, 1}}, {{0, 0, 2}, {0, 0, -1}}};
  ipg_contact_config config = ipg_contact_defaults(), old;
  scene s, t;
  make_ball_over_box(&s);
  make_ball_over_box(&t);
  ipg_surface surface = t.surface.surface;
  config.reference_step = 1e-3;
  config.rules = rules, config.rule_count = 2, config.walls = walls, config.wall_count = 2;
  run_scene(&config, &s.surface.surface, &s);
  old = config;
  old.sizes.config = offsetof(ipg_contact_config, allocator);
  old.sizes.surface = offsetof(ipg_surface, face_stiffnesses);
  old.sizes.rule = sizeof *old_rules, old.sizes.wall = sizeof *old_walls;
  old.rules = (const ipg_contact_rule *)(const void *)old_rules;
  old.walls = (const ipg_contact_wall *)(const void *)old_walls;
  memset((char *)&old + old.sizes.config, 0x5a, sizeof old - old.sizes.config);
  memset((char *)&surface + old.sizes.surface, 0x5a, sizeof surface - old.sizes.surface);
  run_scene(&old, &surface, &t);
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof *s.x;
  CU_ASSERT(!memcmp(s.x, t.x, bytes) && !memcmp(s.force, t.force, bytes));
  scene_free(&s);
  scene_free(&t);
}

/* A struct that is returned and not listed could grow without being refused. */
static void test_all_results(void) {
  const size_t sizes[] = {sizeof(ipg_contact_pair),
                          sizeof(ipg_contact_contribution),
                          sizeof(ipg_contact_energy_balance),
                          sizeof(ipg_contact_counters),
                          sizeof(ipg_contact_depth),
                          sizeof(ipg_contact_passed_node),
                          sizeof(ipg_contact_gap),
                          sizeof(ipg_contact_initial_penetration),
                          sizeof(ipg_contact_projection),
                          sizeof(ipg_contact_audit_report),
                          sizeof(ipg_contact_explanation),
                          sizeof(ipg_contact_replay),
                          sizeof(ipg_contact_node_result),
                          sizeof(ipg_contact_face_result),
                          sizeof(ipg_contact_block_result)};
  size_t all = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) all = 31 * all + sizes[i];
  CU_ASSERT_EQUAL(all, IPG_CONTACT_RESULT_SIZES);
}

static void test_refused(void) {
  const char *const other = "another version than this library";
  const ipg_contact_config config = ipg_contact_defaults();
  ipg_contact_config wrong = {.penalty_scale = 1};
  scene s;
  make_ball_over_box(&s);
  scene_expect_refusal(&s, &wrong, IPG_ERROR_ARGUMENT, "begin with config = ipg_contact_defaults()");
  size_t *const sizes[] = {&wrong.sizes.config, &wrong.sizes.surface, &wrong.sizes.rule, &wrong.sizes.wall,
                           &wrong.sizes.results};
  for (int i = 0; i < 5; ++i) {
    wrong = config, *sizes[i] += 8;
    scene_expect_refusal(&s, &wrong, IPG_ERROR_ARGUMENT, other);
  }
  wrong = config, wrong.sizes.results -= 8;
  scene_expect_refusal(&s, &wrong, IPG_ERROR_ARGUMENT, other);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"shorter structs", test_shorter_structs},
                         {"all results", test_all_results},
                         {"refused", test_refused},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "sizes", tests);
}
