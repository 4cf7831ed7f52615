/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Candidate pairs: nothing that touches is left out by boxes that serve for many steps, or by the filter between two
 * searches, whatever is rounded. */
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/scene.h"
#include "support/small_surface.h"
#include "support/suite.h"
#include "support/surface_oracle.h"
#include "support/weak_contact.h"

enum { PLATE, PIN };

/* A pin over the plate z <= 0, as many search margins above it as `gap` says; returns the margin. */
static double make_pin_over_plate(scene *s, const ipg_contact_config *config, double gap) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 3, 3, 2, "plate"),
                       scene_box(.11, .07, 0, .21, .17, .5, 1, 1, 1, "pin")};
  scene_make(s, meshes, 2, 1);
  const double margin = config->search_margin * surface_mean_edge(&s->surface.surface, s->x);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    s->x[3 * i + 2] += s->body_of_node[i] == PIN ? gap * margin : 0;
  return margin;
}

/* The trial is the start with each body moved along z. */
static void evaluate_moved(scene *s, ipg_contact *contact, const double *start, double plate, double pin) {
  ipg_error error = {0};
  memcpy(s->trial, start, 3 * (size_t)s->surface.surface.node_count * sizeof *start);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    s->trial[3 * i + 2] += s->body_of_node[i] == PIN ? pin : plate;
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s->trial, NULL, s->force, &error));
}

static void accept(ipg_contact *contact, int64_t step) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
}

static ipg_contact_audit_report audit_of(const ipg_contact *contact) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  if (report.message[0]) printf("\n    audit: %s", report.message);
  return report;
}

/* A triangle at a height and a node at another, over its middle: there nothing hides how far they are apart. */
enum { X = 12 };

static double margin_of_triangle(const ipg_contact_config *config) { return config->search_margin * (2 + sqrt(2)); }

static void put_triangle(double x[X], double face, double node) {
  const double at[X] = {0, 0, face, 3, 0, face, 0, 3, face, 1, 1, node};
  memcpy(x, at, sizeof at);
}

static ipg_contact *make_node_over_triangle(const ipg_contact_config *config, const double x[X]) {
  const small_surface triangle = small_surface_of(4, 1, (ipg_id[]){0, 1, 2});
  const ipg_surface surface = small_surface_view(&triangle);
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_create(config, &surface, x, &contact, &error));
  return contact;
}

/* Node and face, each nearly a search margin from where they were searched, touch, and go back again, all with the
 * candidates of one search: a pair that touches at the start of a step is active, however near its nodes are to their
 * boxes' middles at its end. */
static void test_forth_and_back(void) {
  const ipg_contact_config config = weak_contact();
  const double margin = margin_of_triangle(&config), gap = 1.6, shifts[] = {0, .9, 0};
  double x[X], force[X];
  put_triangle(x, 0, gap * margin);
  ipg_contact *contact = make_node_over_triangle(&config, x);
  ipg_error error = {0};
  for (int i = 0; i < 3; ++i) {
    put_triangle(x, shifts[i] * margin, (gap - shifts[i]) * margin);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    const ipg_contact_audit_report report = audit_of(contact);
    CU_ASSERT(!report.missed_candidates && !report.wrong_contacts && !report.wrong_forces);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 2 * shifts[i] > gap);
    accept(contact, i + 1);
  }
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).searches, 1);
  ipg_contact_destroy(&contact);
}

/* Without a search margin there is a search at each step, even at rest. */
static void test_no_margin(void) {
  ipg_contact_config config = weak_contact();
  config.search_margin = 0;
  scene s;
  make_pin_over_plate(&s, &config, 0);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int i = 1; i <= 3; ++i) {
    evaluate_moved(&s, contact, s.x, 0, 0);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).searches, i);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).reuses, 0);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The margin is a fraction of the mean edge, not of the longest: half of the nodes go up, half of them down, while no
 * face turns. */
static void test_margin_of_mean_edge(void) {
  ipg_mesh mesh = scene_box(0, 0, 0, 10, .1, .1, 1, 1, 1, "needle");
  const ipg_contact_config config = weak_contact();
  scene s;
  scene_make(&s, &mesh, 1, 1);
  const double margin = config.search_margin * surface_mean_edge(&s.surface.surface, s.x);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  const double parts[] = {0, .99, 1.01};
  for (int i = 0; i < 3; ++i) {
    for (int64_t n = 0; n < 3 * s.surface.surface.node_count; ++n)
      s.trial[n] = s.x[n] + (n % 3 == 2 ? (s.x[n] > .05 ? 1 : -1) * parts[i] * margin : 0);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).searches, i < 2 ? 1 : 2);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A node of the first thousands leaves its box while all the last ones stay: there is a new search. */
static void test_many_nodes(void) {
  ipg_mesh meshes[] = {scene_box(.11, .07, .5, .21, .17, .6, 1, 1, 1, "pin"),
                       scene_box(-1, -1, -.2, 1, 1, 0, 45, 45, 5, "plate")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  CU_ASSERT_FATAL(s.surface.surface.node_count > 4096 + 8 && s.body_of_node[0] == 0);
  failing_allocator allocator = {0}; /* whose memory has no zeros */
  ipg_contact_config config = weak_contact();
  config.allocator = failing_allocator_of(&allocator);
  ipg_contact *contact = scene_contact(&s, &config);
  s.velocity[0][2] = -.55;
  for (int64_t step = 1; step <= 2; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, step == 1 ? 1e-9 : 1, step));
  CU_ASSERT(ipg_contact_get_counters(contact).contacts >= 4);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ---------------------------------------------------------------------------------------------------------- rounding
 */

/* A node that has come as near as touching is active, from many heights and with the widest margin: how far it may
 * drift before is stored in few digits. */
static void test_filter_leaves_room(void) {
  ipg_contact_config config = weak_contact();
  config.search_margin = 10;
  const double touching = 1e-7 * sqrt(18.), margin = margin_of_triangle(&config);
  for (int i = 0; i < 100; ++i) {
    const double height = margin * (.5 + .004 * i);
    double x[X], force[X];
    put_triangle(x, 0, height);
    ipg_contact *contact = make_node_over_triangle(&config, x);
    ipg_error error = {0};
    for (int step = 1; step <= 2; ++step) {
      if (step == 2) put_triangle(x, 0, .9 * touching);
      CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
      CU_ASSERT_EQUAL(audit_of(contact).missed_candidates, 0);
      accept(contact, step);
    }
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).searches, 1);
    ipg_contact_destroy(&contact);
  }
}

/* The triangle so small that only the distance at which all nodes touch counts, and that distance: one of the longest
 * edge, which is far away. */
typedef struct speck {
  double size, touching, x[21];
} speck;

static speck node_over_speck(double height) {
  const double a = 1e-6;
  speck s = {a, 1e-7 * sqrt(18.), {0, 0, 0, a, 0, 0, 0, a, 0, a / 3, a / 3, 0, 9, 9, 9, 12, 9, 9, 9, 12, 9}};
  s.x[11] = height;
  return s;
}

static ipg_contact *make_node_over_speck(const ipg_contact_config *config, const speck *at) {
  const small_surface faces = small_surface_of(7, 2, (ipg_id[]){0, 1, 2, 4, 5, 6});
  const ipg_surface surface = small_surface_view(&faces);
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_create(config, &surface, at->x, &contact, &error));
  return contact;
}

/* A node that comes as near to a face as touching is found, however small the face. */
static void test_small_faces_touch(void) {
  ipg_contact_config config = weak_contact();
  config.search_margin = 1e-9;
  const speck high = node_over_speck(1e-5), touches = node_over_speck(.9 * high.touching);
  ipg_contact *contact = make_node_over_speck(&config, &high);
  double force[21];
  ipg_error error = {0};
  for (int step = 1; step <= 2; ++step) {
    const double *x = touches.x;
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    CU_ASSERT_EQUAL(audit_of(contact).missed_candidates, 0);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).candidates, 1);
    accept(contact, step);
  }
  ipg_contact_destroy(&contact);
}

/* Boxes reach a hundred-thousandth farther than nodes touch. */
static void test_boxes_reach_farther(void) {
  ipg_contact_config config = weak_contact();
  config.search_margin = 0;
  for (int kept = 0; kept < 2; ++kept) {
    const double touching = node_over_speck(0).touching;
    const speck at = node_over_speck((1 + (kept ? .9e-5 : 1.5e-5)) * touching);
    ipg_contact *contact = make_node_over_speck(&config, &at);
    double force[21];
    ipg_error error = {0};
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, at.x, NULL, force, &error));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).candidates, kept);
    ipg_contact_destroy(&contact);
  }
}

/* A pair is kept until a plane leaves a thousandth of the size of both boxes free, along all axes: that of a face that
 * is long along z too. */
static void test_clearance_of_long_faces(void) {
  ipg_contact_config config = weak_contact();
  config.search_margin = 1e-3;
  const double margin = config.search_margin * (sqrt(18.) + 2 * sqrt(4.5 + 1e4)) / 3, size = 106 + 12 * margin;
  for (int kept = 0; kept < 2; ++kept) {
    const double away = 2 * margin + (kept ? .9 : 1.1) * 1e-3 * size / sqrt(2.), at = 1.5 + away;
    const double x[X] = {0, 3, 0, 3, 0, 0, 1.5, 1.5, 100, at, at, 100. / 3};
    double force[X];
    ipg_contact *contact = make_node_over_triangle(&config, x);
    ipg_error error = {0};
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).candidates, kept);
    ipg_contact_destroy(&contact);
  }
}

/* Pairs are active for as far as their nodes have drifted since the last search, not since an earlier one: after a
 * search a pair that comes as near as its boxes were made for waits again. */
static void test_drift_begins_with_search(void) {
  const ipg_contact_config config = weak_contact();
  const double margin = margin_of_triangle(&config);
  const struct {
    double gap; /* in margins */
    int searches, active;
  } steps[] = {{1.6, 1, 0}, {3.4, 1, 1}, {3.8, 2, 0}, {1.0, 3, 0}};
  double x[X], force[X];
  put_triangle(x, 0, steps[0].gap * margin);
  ipg_contact *contact = make_node_over_triangle(&config, x);
  ipg_error error = {0};
  for (int i = 0; i < 4; ++i) {
    put_triangle(x, 0, steps[i].gap * margin);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    const ipg_contact_counters counters = ipg_contact_get_counters(contact);
    CU_ASSERT(counters.searches == steps[i].searches && counters.active == steps[i].active);
    accept(contact, i + 1);
  }
  ipg_contact_destroy(&contact);
}

/* Boxes that travel with the scene: far away positions are so coarse that how far a node is beyond its box, nearly all
 * of which is travel, is rounded; whatever touches there is found. Face and node, whose boxes just do not overlap, end
 * a millionth beyond them, where they touch. */
static void test_far_travel(void) {
  const ipg_contact_config config = weak_contact();
  const double far = 0x1.8p40, grid = 0x1p-12, margin = margin_of_triangle(&config);
  for (int i = 0; i < 64; ++i) {
    const double meeting = i * grid;
    double x[X], force[X];
    ipg_error error = {0};
    put_triangle(x, meeting - margin - 1e-6, meeting + margin + 1e-6);
    ipg_contact *contact = make_node_over_triangle(&config, x);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).candidates, 0);
    accept(contact, 1);
    put_triangle(x, far + meeting, far + meeting);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    CU_ASSERT_EQUAL(audit_of(contact).missed_candidates, 0);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).candidates, 1);
    ipg_contact_destroy(&contact);
  }
}

/* A cube turns about its middle, on a plate. `angle` in degrees. */
static void put_turned_cube(scene *s, const double *start, double angle) {
  const double c = cos(angle * M_PI / 180), d = sin(angle * M_PI / 180), height = .33;
  memcpy(s->trial, start, 3 * (size_t)s->surface.surface.node_count * sizeof *start);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const double *from = start + 3 * i;
    if (s->body_of_node[i] != PIN) continue;
    s->trial[3 * i + 1] = c * from[1] - d * from[2];
    s->trial[3 * i + 2] = height + d * from[1] + c * from[2];
  }
}

/* A side of the cube comes to face the plate as it turns, long before a node has drifted by much of a wide search
 * margin: the forces are those without a margin. */
static void test_turning_faces(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 10, 10, 5, "plate"),
                       scene_box(-.3, -.3, -.3, .3, .3, .3, 3, 3, 3, "cube")};
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step = 1;
  scene s;
  scene_make(&s, meshes, 2, 1);
  const size_t values = 3 * (size_t)s.surface.surface.node_count;
  double *start = malloc(values * sizeof *start), *force = malloc(values * sizeof *force);
  memcpy(start, s.x, values * sizeof *start);
  put_turned_cube(&s, start, 12);
  memcpy(s.x, s.trial, values * sizeof *start);
  ipg_contact *contacts[2];
  for (int i = 0; i < 2; ++i) config.search_margin = i ? 0 : 2, contacts[i] = scene_contact(&s, &config);
  for (int step = 0; step < 40; ++step) {
    ipg_error error = {0};
    put_turned_cube(&s, start, 12 + .4 * step);
    CU_ASSERT_FATAL(!evaluate_after(contacts[0], 1, s.trial, NULL, force, &error));
    CU_ASSERT_FATAL(!evaluate_after(contacts[1], 1, s.trial, NULL, s.force, &error));
    CU_ASSERT(!memcmp(force, s.force, values * sizeof *force));
    for (int i = 0; i < 2; ++i) accept(contacts[i], step);
  }
  CU_ASSERT(ipg_contact_get_counters(contacts[0]).searches < 5);
  for (int i = 0; i < 2; ++i) ipg_contact_destroy(&contacts[i]);
  free(start), free(force);
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"forth and back with one search", test_forth_and_back},
      {"no margin", test_no_margin},
      {"the margin is of the mean edge", test_margin_of_mean_edge},
      {"many nodes", test_many_nodes},
      {"the filter leaves room", test_filter_leaves_room},
      {"small faces touch", test_small_faces_touch},
      {"boxes reach farther", test_boxes_reach_farther},
      {"clearance of long faces", test_clearance_of_long_faces},
      {"drift begins with the last search", test_drift_begins_with_search},
      {"far travel", test_far_travel},
      {"turning faces", test_turning_faces},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "candidates", tests);
}
