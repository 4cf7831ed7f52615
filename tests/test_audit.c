/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The audit sees faults: work that a host's tasks lose, and contacts and forces that are changed behind the library's
 * back; and it sees none where there is none. */
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/law_scene.h"
#include "support/mixed_scene.h"
#include "support/scene.h"
#include "support/small_surface.h"
#include "support/suite.h"
#include "support/weak_contact.h"

/* Tasks that lose the n-th work over so many items or more. Memory is never zero, see failing_allocator.h. */
typedef struct forgetful_tasks {
  int64_t items, lost, count; /* items below 0: just -items; lost 0: nothing is lost */
} forgetful_tasks;

static void *enqueue_but_one(void *context, ipg_task *task, void *arg, int64_t begin, int64_t end, int64_t grain) {
  forgetful_tasks *f = context;
  const ipg_tasks serial = ipg_tasks_serial();
  f->count += f->items < 0 ? end - begin == -f->items : end - begin >= f->items;
  if (f->lost && f->count == f->lost) {
    f->lost = 0;
    return NULL;
  }
  ipg_tasks_for(&serial, task, arg, begin, end, grain);
  return NULL;
}

static void finish_nothing(void *context, void *handle) { (void)context, (void)handle; }

/* A ball that goes into a box in the step, and two ridges that cross. */
static void make_hits(scene *s) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 3, 3, 1, "box"), scene_ball(.07, .03, .52, .5, 3, "ball"),
                       scene_ridge((double[]){9, 5, 7}, 0, 1, "lower ridge"),
                       scene_ridge((double[]){9, 5, 7 + sqrt(2.) + .02}, 1.2, 1, "upper ridge")};
  scene_make(s, meshes, 4, 1);
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) s->x[i] += 3; /* no node of the box is at 0 */
  s->velocity[1][2] = s->velocity[3][2] = -1;
  scene_predict(s, .1);
}

/* The ridges alone: only their edges meet. */
static void make_ridges(scene *s) {
  ipg_mesh meshes[] = {scene_ridge((double[]){9, 5, 7}, 0, 2, "lower ridge"),
                       scene_ridge((double[]){9, 5, 7 + sqrt(2.) + .02}, 1.2, 2, "upper ridge")};
  scene_make(s, meshes, 2, 1);
  s->velocity[1][2] = -1;
  scene_predict(s, .1);
}

static ipg_contact *evaluate_hits(scene *s, forgetful_tasks *f, failing_allocator *a, int64_t items, int64_t lost) {
  ipg_contact_config config = weak_contact();
  ipg_error error = {0};
  *f = (forgetful_tasks){0}, *a = (failing_allocator){0};
  config.tasks = (ipg_tasks){1, enqueue_but_one, finish_nothing, f};
  config.allocator = failing_allocator_of(a);
  config.search_method = "brute_force";
  ipg_contact *contact = scene_contact(s, &config);
  *f = (forgetful_tasks){items, lost, 0};
  CU_ASSERT_FATAL(!evaluate_after(contact, .1, s->trial, NULL, s->force, &error));
  return contact;
}

static ipg_contact_audit_report audit_of(const ipg_contact *contact) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  return report;
}

static void test_nothing_wrong(void) {
  scene s;
  forgetful_tasks f;
  failing_allocator a;
  make_hits(&s);
  ipg_contact *contact = evaluate_hits(&s, &f, &a, 0, 0);
  const ipg_contact_audit_report report = audit_of(contact);
  CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && !report.nodes_inside && !report.wrong_forces &&
            !report.message[0]);
  CU_ASSERT(ipg_contact_get_counters(contact).face_contacts > 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The boxes of the faces are not made, or, after these, their normals, by which pairs of faces are sorted out. */
static void test_lost_candidates(void) {
  for (int normals = 0; normals < 2; ++normals) {
    scene s;
    forgetful_tasks f;
    failing_allocator a;
    make_hits(&s);
    ipg_contact *contact = evaluate_hits(&s, &f, &a, s.surface.surface.face_count, normals ? 2 : 1);
    CU_ASSERT_EQUAL(f.lost, 0);
    const ipg_contact_audit_report report = audit_of(contact);
    CU_ASSERT(report.missed_candidates > 0 && (normals ? report.wrong_forces > 0 : report.wrong_contacts > 0));
    CU_ASSERT(strstr(report.message, normals ? "the search missed a pair in penalty contact"
                                             : "the search missed a pair that touches") != NULL);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* The search for pairs among the 32 sharp edges of the ridges, the last of three works over as many items. */
static void test_lost_edges(void) {
  for (int is_lost = 0; is_lost < 2; ++is_lost) {
    scene s;
    forgetful_tasks f;
    failing_allocator a;
    make_ridges(&s);
    ipg_contact *contact = evaluate_hits(&s, &f, &a, -32, is_lost ? 3 : 0);
    CU_ASSERT(f.count == 3 && f.lost == 0);
    const ipg_contact_audit_report report = audit_of(contact);
    CU_ASSERT((report.missed_candidates > 0) == is_lost);
    CU_ASSERT(!is_lost ||
              strstr(report.message, "missed a pair in penalty contact: the sharp edges of nodes ") != NULL);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

static ipg_contact_pair *find_last_pair(const ipg_contact *contact) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_FATAL(count > 0 && pairs[count - 1].kind == IPG_CONTACT_NODE_FACE);
  return (ipg_contact_pair *)&pairs[count - 1];
}

/* A contact whose normal points the other way, and one that belongs to another node. */
static void test_changed_contacts(void) {
  for (int owner = 0; owner < 2; ++owner) {
    scene s;
    forgetful_tasks f;
    failing_allocator a;
    make_hits(&s);
    ipg_contact *contact = evaluate_hits(&s, &f, &a, 0, 0);
    ipg_contact_pair *pair = find_last_pair(contact);
    if (owner) pair->owner++;
    else pair->normal[2] *= -1;
    const ipg_contact_audit_report report = audit_of(contact);
    CU_ASSERT(!report.missed_candidates && report.wrong_contacts == (owner ? 2 : 1));
    CU_ASSERT(strstr(report.message, "a contact differs") != NULL);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Two pins are inside a plate from the start: the message names the first node of all. A node that another rank owns is
 * none of this rank's findings. */
static void test_first_finding(void) {
  for (int owned = 0; owned < 2; ++owned) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 3, 3, 1, "plate"),
                         scene_box(.1, .1, -.1, .2, .2, .5, 1, 1, 1, "pin"),
                         scene_box(.5, .5, -.1, .6, .6, .5, 1, 1, 1, "other pin")};
    scene s;
    char words[40];
    ipg_error error = {0};
    scene_make(&s, meshes, 3, 1);
    uint8_t *owner = calloc((size_t)s.surface.surface.node_count, 1);
    int64_t first = 0, inside = 0;
    for (int64_t i = s.surface.surface.node_count - 1; i >= 0; --i) {
      owner[i] = s.body_of_node[i] != 1;
      if (s.body_of_node[i] == 0 || s.x[3 * i + 2] > 0 || (owned && !owner[i])) continue;
      first = s.surface.surface.node_gids[i], ++inside;
    }
    if (owned) s.surface.surface.node_owned = owner;
    ipg_contact *contact = scene_contact(&s, NULL);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.x, NULL, s.force, &error));
    const ipg_contact_audit_report report = audit_of(contact);
    CU_ASSERT(report.nodes_inside == inside && inside == (owned ? 4 : 8));
    snprintf(words, sizeof words, "node %lld,", (long long)first);
    CU_ASSERT(strstr(report.message, words) != NULL);
    ipg_contact_destroy(&contact);
    s.surface.surface.node_owned = NULL;
    scene_free(&s);
    free(owner);
  }
}

/* A tetrahedron whose apex goes through its base has no contact with itself, and the audit expects none. */
static void test_inverted_element(void) {
  const double x0[12] = {0, 0, 0, 3, 0, 0, 0, 3, 0, 1, 1, 1}, x1[12] = {0, 0, 0, 3, 0, 0, 0, 3, 0, 1, 1, -1};
  const ipg_id opposites[] = {3, 2, 0, 1};
  small_surface tetrahedron = small_surface_of(4, 4, (ipg_id[]){0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2});
  for (int f = 0; f < 4; ++f)
    tetrahedron.elements[f] = 7, tetrahedron.sides[f] = (uint8_t)f, tetrahedron.opposites[f] = opposites[f];
  const ipg_surface surface = small_surface_view(&tetrahedron);
  const ipg_contact_config config = weak_contact();
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  double force[12];
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, x0, &contact, &error));
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, x1, NULL, force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  const ipg_contact_audit_report report = audit_of(contact);
  CU_ASSERT(!report.missed_candidates && !report.wrong_contacts);
  ipg_contact_destroy(&contact);
}

/* ----------------------------------------------------------------------------------------------------------- forces */

static ipg_contact_wall wall;
static ipg_contact_rule tie;

/* With every kind of penalty contact, friction and damping. */
static ipg_contact_config make_mixed(scene *s, double away) {
  ipg_contact_config config = ipg_contact_defaults();
  wall = (ipg_contact_wall){.point = {away, away, away - .5002}, .normal = {0, 0, 1}, .law = {.3, .3, 0, .1}};
  tie = ipg_contact_rule_defaults();
  tie.blocks[0] = 0, tie.blocks[1] = 1, tie.tied = true, tie.law.damping = .1, tie.tie_within = 1e-6;
  config.reference_step = 1e-3, config.law = (ipg_contact_law){.3, .2, 1, .1};
  config.rules = &tie, config.rule_count = 1, config.walls = &wall, config.wall_count = 1;
  mixed_scene_make(s);
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) s->x[i] += away;
  return config;
}

static void expect_right_forces(const ipg_contact *contact) {
  const ipg_contact_audit_report report = audit_of(contact);
  if (report.wrong_forces) printf("\n    %s", report.message);
  CU_ASSERT_EQUAL(report.wrong_forces, 0);
}

/* Near the origin and far away, where positions are rounded to a part of the steps that the audit takes. */
static void test_right_forces_of_all_kinds(void) {
  const double away[] = {0, 1e4, 1e6, 1e7};
  for (int i = 0; i < 4; ++i) {
    scene s;
    ipg_error error = {0};
    const ipg_contact_config config = make_mixed(&s, away[i]);
    ipg_contact *contact = scene_contact(&s, &config);
    for (int64_t step = 1; step <= 60; ++step) {
      scene_predict(&s, 1e-3);
      CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
      expect_right_forces(contact);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      scene_complete(&s, 1e-3);
    }
    CU_ASSERT(ipg_contact_get_counters(contact).face_contacts > 0);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Two random bodies pressed on each other by up to a fifth of an edge. */
static void test_right_forces_of_random_bodies(void) {
  long pressed = 0;
  for (long i = 0; i < suite_scenes() / 20; ++i) {
    rng r = rng_start((uint64_t)(700 + i));
    const ipg_contact_config config = ipg_contact_defaults();
    const char *const names[] = {"first", "second"};
    ipg_mesh meshes[2];
    double shift[3];
    law_scene w;
    law_random_pair(&r, meshes, names);
    law_scene_make(&w, meshes, 2, 1, NULL, &config);
    if (law_random_press(&w, &r, pow(10, rng_between(&r, -6, -.7)), shift)) {
      law_shift(&w, 1, shift);
      law_evaluate(&w, law_step);
      expect_right_forces(w.contact);
      pressed += law_largest_force(&w) > 0;
    }
    law_scene_free(&w);
  }
  CU_ASSERT(pressed > suite_scenes() / 100);
}

/* All forces a ten-thousandth too large; then one alone, at the first node that has a force. */
static void test_changed_forces(void) {
  char words[80];
  scene s;
  int64_t first = 0;
  const ipg_contact_config config = make_mixed(&s, 0);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 30; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  scene_predict(&s, 1e-3);
  ipg_error error = {0};
  CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  const int64_t values = 3 * s.surface.surface.node_count;
  double *force = (double *)ipg_contact_forces(contact);
  for (int64_t i = 0; i < values; ++i) force[i] *= 1.0001;
  CU_ASSERT(audit_of(contact).wrong_forces > 8);
  memcpy(force, s.force, (size_t)values * sizeof *force);
  expect_right_forces(contact);
  while (force[3 * first] == 0 && force[3 * first + 1] == 0 && force[3 * first + 2] == 0) ++first;
  force[3 * first + 1] += 1e-4 * force[3 * first + 2];
  const ipg_contact_audit_report report = audit_of(contact);
  snprintf(words, sizeof words, "the force on node %lld along y", (long long)s.surface.surface.node_gids[first]);
  CU_ASSERT(report.wrong_forces == 1 && !report.wrong_contacts && strstr(report.message, words));
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_failing_allocations(void) {
  scene s;
  failing_allocator a = {0};
  ipg_contact_audit_report report;
  ipg_error error = {0};
  ipg_contact_config config = make_mixed(&s, 0);
  config.allocator = failing_allocator_of(&a);
  ipg_contact *contact = scene_contact(&s, &config);
  scene_predict(&s, .02);
  CU_ASSERT_FATAL(!evaluate_after(contact, .02, s.trial, NULL, s.force, &error));
  const int64_t before = a.allocations, live = a.live_bytes;
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  const int64_t needed = a.allocations - before;
  CU_ASSERT(needed > 3);
  for (int64_t n = 1; n <= needed; ++n) {
    a.fail_at = a.allocations + n;
    CU_ASSERT_EQUAL(ipg_contact_audit(contact, &report, &error), IPG_ERROR_MEMORY);
    CU_ASSERT_EQUAL(a.live_bytes, live);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"nothing wrong", test_nothing_wrong},
      {"lost candidates", test_lost_candidates},
      {"lost edges", test_lost_edges},
      {"changed contacts", test_changed_contacts},
      {"the first finding", test_first_finding},
      {"an inverted element", test_inverted_element},
      {"forces of all kinds of contact", test_right_forces_of_all_kinds},
      {"forces of random bodies", test_right_forces_of_random_bodies},
      {"changed forces", test_changed_forces},
      {"allocations that fail", test_failing_allocations},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "audit", tests);
}
