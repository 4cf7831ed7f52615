/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What each contact brings to each node: the sum is the force to the bit, with every kind of contact; each contact has
 * a name of its own, without numbers of bodies, and keeps momentum. */
#include "support/evaluate.h"
#include "support/mixed_scene.h"
#include "support/scene.h"
#include "support/suite.h"
#include "support/weak_contact.h"

static const ipg_contact_wall below = {
    .point = {0, 0, -.5002}, .normal = {0, 0, 1}, .law = {.friction_static = .3, .friction_dynamic = .3}};
static const double step_length = 1e-3;
enum { KINDS = IPG_CONTACT_EDGE_EDGE + 1 };

static ipg_contact_config config_of(const ipg_contact_rule *tie) {
  ipg_contact_config config = ipg_contact_defaults();
  config.contributions = true;
  config.law = (ipg_contact_law){.friction_static = .3, .friction_dynamic = .2, .damping = .1};
  config.walls = &below, config.wall_count = 1;
  config.rules = tie, config.rule_count = 1;
  config.reference_step = step_length;
  return config;
}

static ipg_contact_rule tie_of(int32_t a, int32_t b) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  rule.blocks[0] = a, rule.blocks[1] = b, rule.tied = true;
  return rule;
}

static int compare_keys(const void *a, const void *b) {
  const ipg_contact_contribution *p = a, *q = b;
  return memcmp(&p->key, &q->key, sizeof p->key);
}

static bool is_same_key(const ipg_contact_contribution *a, const ipg_contact_contribution *b) {
  return !compare_keys(a, b);
}

/* The forces are these sums, and no contact but one with a wall has a resultant. */
static void check_sums(const scene *s, const ipg_contact_contribution *c, int64_t count) {
  const int64_t values = 3 * s->surface.surface.node_count;
  double *sum = calloc((size_t)values, sizeof *sum), largest = 0;
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) sum[3 * c[i].node + k] += c[i].force[k], largest = fmax(largest, fabs(c[i].force[k]));
  CU_ASSERT(!memcmp(sum, s->force, (size_t)values * sizeof *sum));
  free(sum);
  for (int64_t i = 0; i < count;) {
    double resultant[3] = {0};
    const ipg_contact_contribution *first = &c[i];
    for (; i < count && is_same_key(first, &c[i]); ++i)
      for (int k = 0; k < 3; ++k) resultant[k] += c[i].force[k];
    if (first->key.kind == IPG_CONTACT_NODE_WALL) continue;
    for (int k = 0; k < 3; ++k) CU_ASSERT(fabs(resultant[k]) <= 1e-12 * largest);
  }
}

/* In the order of (part, owner, kind, touched), so that no two contacts have the same name. */
static void check_order(const ipg_contact_contribution *c, int64_t count, bool *kinds) {
  for (int64_t i = 0; i < count; ++i) {
    kinds[c[i].key.kind] = true;
    if (!i || (c[i].part == c[i - 1].part && is_same_key(&c[i - 1], &c[i]))) continue;
    const ipg_contact_contribution *p = &c[i - 1], *q = &c[i];
    const int64_t before[] = {p->part,     p->key.owner[0],   p->key.owner[1],
                              p->key.kind, p->key.touched[0], p->key.touched[1]};
    const int64_t now[] = {q->part,     q->key.owner[0],   q->key.owner[1],
                           q->key.kind, q->key.touched[0], q->key.touched[1]};
    int at = 0;
    while (at < 5 && before[at] == now[at]) ++at;
    CU_ASSERT(before[at] < now[at]);
  }
}

static int64_t count_face_contacts(const ipg_contact_contribution *c, int64_t count) {
  int64_t runs = 0;
  for (int64_t i = 0; i < count; ++i)
    runs += c[i].key.kind >= IPG_CONTACT_FACE_FACE && c[i].part == 0 && (!i || !is_same_key(&c[i - 1], &c[i]));
  return runs;
}

/* The next contact of that part from `at` on. */
static int64_t next_of(const ipg_contact_contribution *c, int64_t count, int part, int64_t at) {
  while (at < count && (c[at].part != part || (at && c[at - 1].part == part && is_same_key(&c[at - 1], &c[at])))) ++at;
  return at;
}

/* The friction of the faces that press, one after the other. */
static void check_friction(const ipg_contact_contribution *c, int64_t count) {
  int64_t pressure = next_of(c, count, 0, 0), friction = next_of(c, count, 4, 0);
  while (pressure < count && friction < count) {
    CU_ASSERT(is_same_key(&c[pressure], &c[friction]));
    pressure = next_of(c, count, 0, pressure + 1), friction = next_of(c, count, 4, friction + 1);
  }
  CU_ASSERT(pressure == count && friction == count);
}

/* Runs the scene; adds the kinds that were seen. */
static void run_scene(bool *kinds) {
  const ipg_contact_rule tie = tie_of(0, 1);
  ipg_contact_config config = config_of(&tie);
  ipg_error error = {0};
  scene s;
  mixed_scene_make(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  config.contributions = false;
  ipg_contact *without = scene_contact(&s, &config);
  double *force = malloc(3 * (size_t)s.surface.surface.node_count * sizeof *force);
  for (int64_t step = 1; step <= 60; ++step) {
    int64_t count;
    scene_predict(&s, step_length);
    CU_ASSERT_FATAL(!evaluate_after(contact, step_length, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!evaluate_after(without, step_length, s.trial, NULL, force, &error));
    CU_ASSERT(!memcmp(force, s.force, 3 * (size_t)s.surface.surface.node_count * sizeof *force));
    const ipg_contact_contribution *c = ipg_contact_contributions(contact, &count);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).face_contacts, count_face_contacts(c, count));
    check_sums(&s, c, count);
    check_order(c, count, kinds), check_friction(c, count);
    CU_ASSERT_EQUAL((ipg_contact_contributions(without, &count), count), 0);
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error) && !ipg_contact_accept(without, step, &error));
    CU_ASSERT_EQUAL((ipg_contact_contributions(contact, &count), count), 0);
    scene_complete(&s, step_length);
  }
  free(force);
  ipg_contact_destroy(&contact);
  ipg_contact_destroy(&without);
  scene_free(&s);
}

static void test_sums_and_names(void) {
  bool of_faces[KINDS] = {false};
  run_scene(of_faces);
  CU_ASSERT(of_faces[IPG_CONTACT_FACE_FACE] && of_faces[IPG_CONTACT_NODE_WALL] && of_faces[IPG_CONTACT_TIE]);
  CU_ASSERT(of_faces[IPG_CONTACT_FACE_EDGE] && of_faces[IPG_CONTACT_FACE_CORNER]);
}

/* Edges that cross: their pressure stands behind that of faces, their friction behind theirs. */
static void test_edges(void) {
  ipg_mesh meshes[] = {scene_ridge((double[]){0, 0, 0}, 0, 3, "lower"),
                       scene_ridge((double[]){.3, .2, sqrt(2.) + .02}, 1.2, 3, "upper")};
  ipg_contact_config config = ipg_contact_defaults();
  bool kinds[KINDS] = {false}, parts[8] = {false};
  scene s;
  config.contributions = true, config.reference_step = step_length, config.law = (ipg_contact_law){.3, .3, 0, 0};
  scene_make(&s, meshes, 2, 1);
  s.velocity[1][0] = .2, s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 40; ++step) {
    int64_t count;
    ipg_error error = {0};
    scene_predict(&s, step_length);
    CU_ASSERT_FATAL(!evaluate_after(contact, step_length, s.trial, NULL, s.force, &error));
    const ipg_contact_contribution *c = ipg_contact_contributions(contact, &count);
    check_sums(&s, c, count);
    check_order(c, count, kinds);
    for (int64_t i = 0; i < count; ++i) parts[c[i].part] |= c[i].key.kind == IPG_CONTACT_EDGE_EDGE;
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    scene_complete(&s, step_length);
  }
  CU_ASSERT(kinds[IPG_CONTACT_EDGE_EDGE] && parts[1] && parts[5] && !parts[0] && !parts[4]);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Other numbers of the bodies: the same names, with the same forces. */
static void test_no_numbers_of_bodies(void) {
  {
    const ipg_contact_rule tie = tie_of(0, 1);
    const ipg_contact_config config = config_of(&tie);
    ipg_error error = {0};
    scene s;
    mixed_scene_make(&s);
    ipg_surface other = s.surface.surface;
    int32_t *bodies = malloc((size_t)other.face_count * sizeof *bodies);
    for (int64_t i = 0; i < other.face_count; ++i) bodies[i] = 4 - other.face_bodies[i];
    ipg_contact *contacts[2] = {scene_contact(&s, &config), NULL};
    other.face_bodies = bodies;
    CU_ASSERT_FATAL(!ipg_contact_create(&config, &other, s.x, &contacts[1], &error));
    for (int64_t step = 1; step <= 40; ++step) {
      const ipg_contact_contribution *c[2];
      int64_t counts[2];
      scene_predict(&s, step_length);
      for (int i = 0; i < 2; ++i) {
        CU_ASSERT_FATAL(!evaluate_after(contacts[i], step_length, s.trial, NULL, s.force, &error));
        c[i] = ipg_contact_contributions(contacts[i], &counts[i]);
      }
      CU_ASSERT_EQUAL_FATAL(counts[0], counts[1]);
      CU_ASSERT(!counts[0] || !memcmp(c[0], c[1], (size_t)counts[0] * sizeof *c[0]));
      for (int i = 0; i < 2; ++i) CU_ASSERT_FATAL(!ipg_contact_accept(contacts[i], step, &error));
      scene_complete(&s, step_length);
    }
    CU_ASSERT(ipg_contact_get_counters(contacts[0]).contacts > 0);
    free(bodies);
    for (int i = 0; i < 2; ++i) ipg_contact_destroy(&contacts[i]);
    scene_free(&s);
  }
}

static void test_failing_allocations(void) {
  const ipg_contact_rule tie = tie_of(0, 1);
  scene s;
  mixed_scene_make(&s);
  scene_predict(&s, .02);
  scene_check_failing_allocations(&s, config_of(&tie), .02);
  scene_free(&s);
}

static void test_refused(void) {
  ipg_contact_config config = ipg_contact_defaults();
  scene s;
  mixed_scene_make(&s);
  config.enforcement = IPG_ENFORCEMENT_KINEMATIC, config.contributions = true;
  scene_expect_refusal(&s, &config, IPG_ERROR_ARGUMENT, "a list of contributions belongs to enforcement by penalty");
  config.contributions = false, config.onset = .1;
  scene_expect_refusal(&s, &config, IPG_ERROR_ARGUMENT, "an onset belongs to enforcement by penalty");
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"sums and names", test_sums_and_names},
                         {"edges that cross", test_edges},
                         {"no numbers of bodies", test_no_numbers_of_bodies},
                         {"allocations that fail", test_failing_allocations},
                         {"refused", test_refused},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "contributions", tests);
}
