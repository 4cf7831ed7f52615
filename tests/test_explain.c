/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Each reason why a node is or is not in contact with a face, in a scene made for it. */
#include "impinge/narrow.h"
#include "support/evaluate.h"
#include "support/random_scenes.h"
#include "support/scene.h"
#include "support/small_surface.h"
#include "support/suite.h"
#include "support/vec3.h"
#include "support/weak_contact.h"

/* A pin above a plate; the pin moves down by 1 in one step of 1. */
typedef struct stage {
  scene s;
  ipg_contact *contact;
  ipg_id node; /* a bottom corner of the pin */
} stage;

static void make_stage(stage *t, double above, const ipg_contact_rule *rule) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 3, 3, 2, "plate"),
                       scene_box(.11, .07, above, .21, .17, above + 3, 1, 1, 1, "pin")};
  ipg_contact_config config = weak_contact();
  config.rules = rule, config.rule_count = rule != NULL;
  scene_make(&t->s, meshes, 2, 1);
  t->s.velocity[1][2] = -1;
  t->contact = scene_contact(&t->s, &config);
  t->node = 0;
  while (t->s.body_of_node[t->node] != 1) ++t->node;
}

static void move_stage(stage *t, int64_t step) {
  ipg_error error = {0};
  scene_predict(&t->s, 1);
  CU_ASSERT_FATAL(!evaluate_after(t->contact, 1, t->s.trial, NULL, t->s.force, &error));
  if (!step) return;
  CU_ASSERT_FATAL(!ipg_contact_accept(t->contact, step, &error));
  memcpy(t->s.x, t->s.trial, 3 * (size_t)t->s.surface.surface.node_count * sizeof(double));
}

static void free_stage(stage *t) {
  ipg_contact_destroy(&t->contact);
  scene_free(&t->s);
}

static ipg_contact_explanation explain(const stage *t, ipg_id node, ipg_id face) {
  const ipg_surface *s = &t->s.surface.surface;
  ipg_contact_explanation e;
  ipg_error error = {0};
  const ipg_contact_face_id at = {s->face_elements[face], s->face_sides[face], s->face_subs[face]};
  CU_ASSERT_FATAL(!ipg_contact_explain(t->contact, s->node_gids[node], at, &e, &error));
  CU_ASSERT(strlen(e.sentence) > 10 && strlen(e.sentence) + 1 < sizeof e.sentence);
  return e;
}

/* The first face of the plate with this normal that is, or is not, straight below the corner of the pin. */
static ipg_id find_face(const stage *t, int axis, double sign, bool is_below) {
  const ipg_surface *s = &t->s.surface.surface;
  for (ipg_id f = 0; f < s->face_count; ++f) {
    if (s->face_bodies[f]) continue;
    const double *a = t->s.x + 3 * (int64_t)s->faces[3 * f], *b = t->s.x + 3 * (int64_t)s->faces[3 * f + 1],
                 *c = t->s.x + 3 * (int64_t)s->faces[3 * f + 2], *p = t->s.x + 3 * (int64_t)t->node;
    double n[3], w[3], q[3] = {p[0], p[1], a[2]};
    vec3_normal(a, b, c, n);
    if (n[axis] * sign < .99 * vec3_length(n)) continue;
    ipg_closest_on_triangle(q, a, b, c, w);
    const double dx = w[0] * a[0] + w[1] * b[0] + w[2] * c[0] - p[0],
                 dy = w[0] * a[1] + w[1] * b[1] + w[2] * c[1] - p[1];
    if ((dx * dx + dy * dy < 1e-20) == is_below) return f;
  }
  CU_FAIL_FATAL("no such face");
  return -1;
}

static void test_contact_and_other_face(void) {
  stage t;
  make_stage(&t, .25, NULL);
  move_stage(&t, 0);
  const ipg_contact_explanation here = explain(&t, t.node, find_face(&t, 2, 1, true));
  CU_ASSERT_EQUAL(here.reason, IPG_REASON_IN_CONTACT);
  CU_ASSERT_DOUBLE_EQUAL(here.gap, -.75, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(here.time, .25, 1e-9);
  CU_ASSERT_PTR_NOT_NULL(strstr(here.sentence, "0.75 deep, since this step"));
  CU_ASSERT_EQUAL(explain(&t, t.node, find_face(&t, 2, 1, false)).reason, IPG_REASON_OTHER_FACE);
  free_stage(&t);
}

static void test_topology(void) {
  stage t;
  make_stage(&t, 2, NULL);
  move_stage(&t, 0);
  const ipg_surface *s = &t.s.surface.surface;
  CU_ASSERT_EQUAL(explain(&t, s->faces[0], 0).reason, IPG_REASON_OWN_FACE);
  ipg_id face = 0;
  while (s->face_opposites[face] < 0) ++face;
  CU_ASSERT_EQUAL(explain(&t, s->face_opposites[face], face).reason, IPG_REASON_OWN_ELEMENT);
  free_stage(&t);
}

static void test_rule(void) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  rule.off = true;
  stage t;
  make_stage(&t, .25, &rule);
  move_stage(&t, 0);
  CU_ASSERT_EQUAL(explain(&t, t.node, find_face(&t, 2, 1, true)).reason, IPG_REASON_OFF);
  free_stage(&t);
}

static void test_paths(void) {
  stage t;
  make_stage(&t, 1.5, NULL);
  move_stage(&t, 0);
  const ipg_contact_explanation apart = explain(&t, t.node, find_face(&t, 2, 1, true));
  CU_ASSERT_EQUAL(apart.reason, IPG_REASON_PATHS_APART);
  CU_ASSERT_DOUBLE_EQUAL(apart.gap, .5, 1e-12);
  free_stage(&t);
}

/* One triangle over (x, y) and one node, at the start and at the end of a step. */
static ipg_contact_explanation explain_triangle(const double x[2][12]) {
  const ipg_gid gids[] = {1, 2, 3, 4}, elements[] = {7};
  const double masses[] = {1, 1, 1, 1};
  const ipg_id faces[] = {0, 1, 2}, opposites[] = {-1};
  const uint8_t sides[] = {2};
  const int32_t bodies[] = {0};
  const ipg_surface surface = {.node_count = 4,
                               .face_count = 1,
                               .node_gids = gids,
                               .node_masses = masses,
                               .faces = faces,
                               .face_elements = elements,
                               .face_sides = sides,
                               .face_bodies = bodies,
                               .face_opposites = opposites};
  const ipg_contact_config config = weak_contact();
  ipg_contact *contact = NULL;
  ipg_contact_explanation e;
  ipg_error error = {0};
  double force[12];
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, x[0], &contact, &error));
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, x[1], NULL, force, &error));
  CU_ASSERT_FATAL(!ipg_contact_explain(contact, 4, (ipg_contact_face_id){7, 2, 0}, &e, &error));
  ipg_contact_destroy(&contact);
  return e;
}

/* The triangle z = x + y. */
static void test_sides_of_the_plane(void) {
  const double front[2][12] = {{0, 0, 0, 1, 0, 1, 0, 1, 1, .3, .3, .9}, {0, 0, 0, 1, 0, 1, 0, 1, 1, .3, .3, .8}};
  const double behind[2][12] = {{0, 0, 0, 1, 0, 1, 0, 1, 1, .3, .3, .4}, {0, 0, 0, 1, 0, 1, 0, 1, 1, .3, .3, .3}};
  const double beside[2][12] = {{0, 0, 0, 1, 0, 0, 0, 1, 0, .8, .8, .5}, {0, 0, 0, 1, 0, 0, 0, 1, 0, .8, .8, -.5}};
  const ipg_contact_explanation e = explain_triangle(front);
  CU_ASSERT_EQUAL(e.reason, IPG_REASON_IN_FRONT);
  CU_ASSERT_DOUBLE_EQUAL(e.gap, .2 / sqrt(3), 1e-12);
  CU_ASSERT_EQUAL(explain_triangle(behind).reason, IPG_REASON_BEHIND);
  CU_ASSERT_EQUAL(explain_triangle(beside).reason, IPG_REASON_BESIDE);
}

/* The triangle z = t x; the node at z = .2 moves from x = 1 to 0: under the face while t (1 - t) > .2. */
static void test_left_again(void) {
  const double x[2][12] = {{0, -2, 0, 2.5, 0, 0, 0, 2, 0, 1, 0, .2}, {0, -2, 0, 2.5, 0, 2.5, 0, 2, 0, 0, 0, .2}};
  const ipg_contact_explanation e = explain_triangle(x);
  CU_ASSERT_EQUAL(e.reason, IPG_REASON_LEFT_AGAIN);
  CU_ASSERT_DOUBLE_EQUAL(e.time, .5 - sqrt(.05), 1e-9);
}

/* One square in two parts of one side, z = 0, each a triangle, and a node that goes through the second part. */
static void test_parts_of_a_side(void) {
  const double x0[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, .2, .7, .1},
               x1[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, .2, .7, -.1};
  small_surface square = small_surface_of(5, 2, (ipg_id[]){0, 1, 2, 0, 2, 3});
  for (int f = 0; f < 2; ++f) square.elements[f] = 7, square.sides[f] = 2, square.subs[f] = (uint8_t)f;
  const ipg_surface surface = small_surface_view(&square);
  const ipg_contact_config config = weak_contact();
  ipg_contact *contact = NULL;
  ipg_contact_explanation e;
  ipg_error error = {0};
  double force[15];
  int64_t count;
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, x0, &contact, &error));
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, x1, NULL, force, &error));
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT(count == 1 && pairs[0].face == 1 && pairs[0].side == 2 && pairs[0].sub == 1);
  CU_ASSERT_FATAL(!ipg_contact_explain(contact, 5, (ipg_contact_face_id){7, 2, 1}, &e, &error));
  CU_ASSERT_EQUAL(e.reason, IPG_REASON_IN_CONTACT);
  CU_ASSERT_FATAL(!ipg_contact_explain(contact, 5, (ipg_contact_face_id){7, 2, 0}, &e, &error));
  CU_ASSERT_EQUAL(e.reason, IPG_REASON_OTHER_FACE);
  ipg_contact_destroy(&contact);
}

/* A node that is inside a body before the step, without contact, has its depth there; one on the body's surface is not
 * inside, nor is one beside it or in front. */
static void test_inside_before_the_step(void) {
  for (int i = 0; i < 60; ++i) {
    const double above = (double[]){-.65, -.1, 0, .1}[i % 4], beside = .25 * (i / 4);
    stage t;
    ipg_error error = {0};
    make_stage(&t, above, NULL);
    const ipg_id face = find_face(&t, 2, 1, true);
    const bool is_inside = above < 0 && .11 + beside < 1;
    for (int64_t n = 0; n < t.s.surface.surface.node_count; ++n)
      if (t.s.body_of_node[n]) t.s.x[3 * n] += beside;
    CU_ASSERT_FATAL(!ipg_contact_set_positions(t.contact, ipg_contact_get_time(t.contact), t.s.x, &error));
    t.s.velocity[1][2] = 0;
    move_stage(&t, 0);
    const ipg_contact_explanation e = explain(&t, t.node, face);
    CU_ASSERT_EQUAL(e.reason == IPG_REASON_INSIDE, is_inside);
    if (is_inside) CU_ASSERT_DOUBLE_EQUAL(e.gap, -fmin(fmin(-above, 1 + above), .89 - beside), 1e-12);
    free_stage(&t);
  }
}

/* The node at the bottom of a narrow notch sees its own body nearly all around, and is not inside of it. */
static void test_bottom_of_a_notch(void) {
  ipg_mesh meshes[] = {scene_box(-.01, 0, 0, .01, .3, 1, 2, 2, 5, "bar")};
  for (int64_t i = 0; i < meshes[0].node_count; ++i)
    if (fabs(meshes[0].x[3 * i]) < .005) meshes[0].x[3 * i + 2] *= .3;
  stage t = {0};
  scene_make(&t.s, meshes, 1, 1);
  t.contact = scene_contact(&t.s, NULL);
  move_stage(&t, 0);
  const double *x = t.s.x;
  while (fabs(x[0]) > .005 || fabs(x[1] - .15) > .01 || fabs(x[2] - .3) > .01) x = t.s.x + 3 * (int64_t)++t.node;
  for (ipg_id f = 0; f < t.s.surface.surface.face_count; ++f)
    CU_ASSERT(explain(&t, t.node, f).reason != IPG_REASON_INSIDE);
  free_stage(&t);
}

/* Of thick bodies too the pairs of nodes and faces, and what is told of them, are those of the faces. */
static void test_thickness(void) {
  const double thicknesses[] = {.1, .1}, above[] = {.25, 1.5}, gaps[] = {-.75, .5};
  for (int i = 0; i < 2; ++i) {
    stage t;
    ipg_contact_config config = weak_contact();
    make_stage(&t, above[i], NULL);
    ipg_contact_destroy(&t.contact);
    config.thicknesses = thicknesses, config.thickness_count = 2;
    t.contact = scene_contact(&t.s, &config);
    move_stage(&t, 0);
    const ipg_contact_explanation e = explain(&t, t.node, find_face(&t, 2, 1, true));
    CU_ASSERT_EQUAL(e.reason, i ? IPG_REASON_PATHS_APART : IPG_REASON_IN_CONTACT);
    CU_ASSERT_DOUBLE_EQUAL(e.gap, gaps[i], 1e-9);
    free_stage(&t);
  }
}

/* A node in contact with one body is not in contact with another. */
static void test_another_body(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 3, 3, 2, "plate"),
                       scene_box(.11, .07, .25, .21, .17, 3.25, 1, 1, 1, "pin"),
                       scene_box(5, 5, 5, 6, 6, 6, 1, 1, 1, "far")};
  stage t = {0};
  scene_make(&t.s, meshes, 3, 1);
  t.s.velocity[1][2] = -1;
  t.contact = scene_contact(&t.s, NULL);
  while (t.s.body_of_node[t.node] != 1) ++t.node;
  move_stage(&t, 0);
  CU_ASSERT_EQUAL(explain(&t, t.node, find_face(&t, 2, 1, true)).reason, IPG_REASON_IN_CONTACT);
  const ipg_id of_far = (ipg_id)t.s.surface.surface.face_count - 1;
  CU_ASSERT_EQUAL(explain(&t, t.node, of_far).reason, IPG_REASON_PATHS_APART);
  free_stage(&t);
}

/* --------------------------------------------------------------------------------------------------------- two faces
 */

static ipg_contact_face_id id_of(const stage *t, ipg_id face) {
  const ipg_surface *s = &t->s.surface.surface;
  return (ipg_contact_face_id){s->face_elements[face], s->face_sides[face], s->face_subs[face]};
}

/* Either way round the same. */
static ipg_contact_explanation explain_faces(const stage *t, ipg_id f, ipg_id g) {
  ipg_contact_explanation e, other;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_explain_faces(t->contact, id_of(t, f), id_of(t, g), &e, &error));
  CU_ASSERT_FATAL(!ipg_contact_explain_faces(t->contact, id_of(t, g), id_of(t, f), &other, &error));
  CU_ASSERT(e.reason == other.reason && !strcmp(e.sentence, other.sentence));
  CU_ASSERT(strlen(e.sentence) > 10 && strlen(e.sentence) + 1 < sizeof e.sentence);
  return e;
}

static void normal_of(const stage *t, ipg_id face, double n[3]) {
  const ipg_id *corner = t->s.surface.surface.faces + 3 * (int64_t)face;
  const double *x = t->s.trial;
  vec3_normal(x + 3 * (int64_t)corner[0], x + 3 * (int64_t)corner[1], x + 3 * (int64_t)corner[2], n);
  const double length = vec3_length(n);
  for (int k = 0; k < 3; ++k) n[k] /= length;
}

/* Two turned boxes near each other. */
static void make_boxes(stage *t, rng *r) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 2, 3, 2, "lower"),
                       scene_box(-.5, -.4, 0, .5, .4, .6, 2, 2, 1, "upper")};
  double turn[3][3];
  const double up = rng_between(r, -.1, .3), aside = rng_between(r, -.5, .5);
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step = 1;
  random_rotation(r, turn);
  for (int64_t i = 0; i < meshes[1].node_count; ++i) {
    double *x = meshes[1].x + 3 * i;
    const double tilt = .2, c = cos(aside), s = sin(aside),
                 y[3] = {x[0] + aside, c * x[1] - s * x[2], s * x[1] + c * x[2] + up};
    x[0] = y[0] + tilt * y[2], x[1] = y[1], x[2] = y[2];
  }
  for (int m = 0; m < 2; ++m) transform_mesh(&meshes[m], turn, (double[]){0, 0, 0}, 1);
  scene_make(&t->s, meshes, 2, 1);
  t->contact = scene_contact(&t->s, &config);
}

static void evaluate_moved(stage *t, const double way[3], double part) {
  ipg_error error = {0};
  for (int64_t i = 0; i < 3 * t->s.surface.surface.node_count; ++i)
    t->s.trial[i] = t->s.x[i] + (t->s.body_of_node[i / 3] ? part * way[i % 3] : 0);
  CU_ASSERT_FATAL(!evaluate_after(t->contact, 1, t->s.trial, NULL, t->s.force, &error));
}

/* Moved along the common normal by the gap, they begin to press. */
static void check_gap(stage *t, ipg_id f, ipg_id g, double gap) {
  double a[3], b[3], way[3];
  normal_of(t, f, a), normal_of(t, g, b);
  for (int k = 0; k < 3; ++k) way[k] = b[k] - a[k];
  const double length = vec3_length(way);
  for (int k = 0; k < 3; ++k) way[k] *= gap / length;
  evaluate_moved(t, way, 1 - 1e-4);
  CU_ASSERT_EQUAL(explain_faces(t, f, g).reason, IPG_REASON_IN_FRONT);
  evaluate_moved(t, way, 1 + 1e-4);
  const ipg_contact_reason after = explain_faces(t, f, g).reason;
  CU_ASSERT(after == IPG_REASON_IN_CONTACT || after == IPG_REASON_BEYOND);
  evaluate_moved(t, way, 0);
}

static void test_random_faces(void) {
  int counts[IPG_REASON_BEYOND + 1] = {0};
  for (int number = 0; number < 40; ++number) {
    rng r = rng_start((uint64_t)number);
    stage t = {0};
    ipg_error error = {0};
    make_boxes(&t, &r);
    evaluate_moved(&t, (double[]){0, 0, 0}, 0);
    const ipg_surface *s = &t.s.surface.surface;
    ipg_contact_node_result *nodes = malloc((size_t)s->node_count * sizeof *nodes);
    ipg_contact_face_result *faces = malloc((size_t)s->face_count * sizeof *faces);
    CU_ASSERT_FATAL(!ipg_contact_get_results(t.contact, nodes, faces, &error));
    for (ipg_id f = 0; f < s->face_count; ++f) {
      double deepest = 0;
      for (ipg_id g = 0; g < s->face_count; ++g) {
        double a[3], b[3];
        if (s->face_bodies[f] == s->face_bodies[g]) continue;
        const ipg_contact_explanation e = explain_faces(&t, f, g);
        counts[e.reason]++;
        normal_of(&t, f, a), normal_of(&t, g, b);
        CU_ASSERT_EQUAL(e.reason == IPG_REASON_NOT_FACING, -vec3_dot(a, b) <= .3);
        if (e.reason == IPG_REASON_IN_CONTACT) deepest = fmin(deepest, e.gap);
        if (e.reason == IPG_REASON_IN_FRONT && s->face_bodies[f] < s->face_bodies[g] && e.gap > 1e-3)
          check_gap(&t, f, g, e.gap);
      }
      CU_ASSERT_DOUBLE_EQUAL(faces[f].gap, deepest, 0);
      CU_ASSERT_EQUAL(faces[f].status != IPG_STATUS_OPEN, deepest < 0);
    }
    free(nodes), free(faces);
    free_stage(&t);
  }
  CU_ASSERT(counts[IPG_REASON_IN_CONTACT] > 0 && counts[IPG_REASON_NOT_FACING] > 0 && counts[IPG_REASON_BESIDE] > 0 &&
            counts[IPG_REASON_IN_FRONT] > 0 && counts[IPG_REASON_BEYOND] > 0);
}

/* What the surface and rules say of two faces. */
static void test_faces_without_contact(void) {
  ipg_contact_rule rules[2] = {ipg_contact_rule_defaults(), ipg_contact_rule_defaults()};
  rules[0].off = true, rules[1].tied = true, rules[1].blocks[0] = 0, rules[1].blocks[1] = 1, rules[1].tie_within = .3;
  for (int rule = 0; rule < 2; ++rule) {
    stage t;
    make_stage(&t, .25, &rules[rule]);
    move_stage(&t, 0);
    const ipg_surface *s = &t.s.surface.surface;
    CU_ASSERT_EQUAL(explain_faces(&t, 0, (ipg_id)s->face_count - 1).reason, rule ? IPG_REASON_TIED : IPG_REASON_OFF);
    CU_ASSERT_EQUAL(explain_faces(&t, 0, 0).reason, IPG_REASON_ADJACENT);
    free_stage(&t);
  }
}

/* One layer of elements, and its top and bottom. */
static void test_faces_of_a_plate(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.1, 1, 1, .1, 6, 6, 1, "plate")};
  stage t = {0};
  scene_make(&t.s, meshes, 1, 1);
  t.contact = scene_contact(&t.s, NULL);
  move_stage(&t, 0);
  const ipg_surface *s = &t.s.surface.surface;
  int plates = 0, adjacent = 0;
  for (ipg_id f = 0; f < s->face_count; ++f)
    for (ipg_id g = 0; g < f; ++g) {
      const ipg_contact_reason reason = explain_faces(&t, f, g).reason;
      plates += reason == IPG_REASON_ONE_PLATE, adjacent += reason == IPG_REASON_ADJACENT;
      CU_ASSERT_NOT_EQUAL(reason, IPG_REASON_IN_CONTACT);
    }
  CU_ASSERT(plates > 0 && adjacent > 0);
  free_stage(&t);
}

/* Two faces opposite one node, that of two elements which touch nowhere else. */
static void test_faces_of_neighbouring_elements(void) {
  const double x[21] = {0, 0, 0, 1, 0, 1, 0, 1, 1, -1, -1, 1, 1, 0, 1.1, 0, 1, 1.1, -1, -1, 1.1};
  small_surface pair = small_surface_of(7, 2, (ipg_id[]){1, 2, 3, 4, 6, 5});
  const ipg_surface surface = small_surface_view(&pair);
  const ipg_contact_config config = weak_contact();
  for (int shared = 0; shared < 2; ++shared) {
    ipg_contact *contact = NULL;
    ipg_contact_explanation e;
    ipg_error error = {0};
    double force[21];
    for (int f = 0; f < 2; ++f) pair.opposites[f] = shared ? 0 : -1;
    CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, x, &contact, &error));
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, x, NULL, force, &error));
    CU_ASSERT_FATAL(!ipg_contact_explain_faces(contact, (ipg_contact_face_id){11, 0, 0},
                                               (ipg_contact_face_id){12, 0, 0}, &e, &error));
    CU_ASSERT_EQUAL(e.reason, shared ? IPG_REASON_ADJACENT : IPG_REASON_IN_FRONT);
    CU_ASSERT(shared || fabs(e.gap - .1) < 1e-12);
    ipg_contact_destroy(&contact);
  }
}

/* Bodies that begin in each other: free of force as they are, and in contact when they go deeper. */
static void test_faces_of_an_initial_penetration(void) {
  stage t;
  ipg_error error = {0};
  make_stage(&t, -.05, NULL);
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(t.contact, &error));
  const ipg_id top = find_face(&t, 2, 1, true);
  ipg_id bottom = 0;
  memcpy(t.s.trial, t.s.x, 3 * (size_t)t.s.surface.surface.node_count * sizeof(double));
  for (double n[3] = {0, 0, 0}; t.s.surface.surface.face_bodies[bottom] != 1 || n[2] > -.9; normal_of(&t, bottom, n))
    ++bottom;
  evaluate_moved(&t, (double[]){0, 0, 0}, 0);
  const ipg_contact_explanation e = explain_faces(&t, top, bottom);
  CU_ASSERT_EQUAL(e.reason, IPG_REASON_INSIDE);
  CU_ASSERT_DOUBLE_EQUAL(e.gap, -.05, 1e-12);
  evaluate_moved(&t, (double[]){0, 0, -.02}, 1);
  CU_ASSERT_EQUAL(explain_faces(&t, top, bottom).reason, IPG_REASON_IN_CONTACT);
  free_stage(&t);
}

static void test_refusals_of_faces(void) {
  for (int kinematic = 0; kinematic < 2; ++kinematic) {
    stage t;
    ipg_contact_explanation e;
    ipg_error error = {0};
    ipg_contact_config config = weak_contact();
    const ipg_contact_face_id none = {987654321, 0, 0};
    make_stage(&t, 2, NULL);
    if (kinematic) {
      config = ipg_contact_defaults(), config.enforcement = IPG_ENFORCEMENT_KINEMATIC;
      ipg_contact_destroy(&t.contact);
      t.contact = scene_contact(&t.s, &config);
    }
    CU_ASSERT_EQUAL(ipg_contact_explain_faces(t.contact, id_of(&t, 0), id_of(&t, 1), &e, &error),
                    kinematic ? IPG_ERROR_UNSUPPORTED : IPG_ERROR_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, kinematic ? "ask with a node" : "evaluate first"));
    if (!kinematic) {
      move_stage(&t, 0);
      CU_ASSERT_EQUAL(ipg_contact_explain_faces(t.contact, id_of(&t, 0), none, &e, &error), IPG_ERROR_ARGUMENT);
      CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "side 1 of element 987654321 is not on the surface"));
    }
    free_stage(&t);
  }
}

static void test_refusals(void) {
  stage t;
  ipg_contact_explanation e;
  ipg_error error = {0};
  make_stage(&t, 2, NULL);
  const ipg_surface *s = &t.s.surface.surface;
  const ipg_contact_face_id face = {s->face_elements[0], s->face_sides[0], 0}, none = {987654321, 0, 0};
  CU_ASSERT_EQUAL(ipg_contact_explain(t.contact, s->node_gids[0], face, &e, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "evaluate first"));
  move_stage(&t, 0);
  CU_ASSERT_EQUAL(ipg_contact_explain(t.contact, 123456789, face, &e, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "node 123456789 is not on the surface"));
  CU_ASSERT_EQUAL(ipg_contact_explain(t.contact, s->node_gids[0], none, &e, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "side 1 of element 987654321 is not on the surface"));
  free_stage(&t);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"in contact, and at another face", test_contact_and_other_face},
      {"own face, own element", test_topology},
      {"a rule", test_rule},
      {"paths apart", test_paths},
      {"in front, behind, beside", test_sides_of_the_plane},
      {"in and out in one step", test_left_again},
      {"parts of a side", test_parts_of_a_side},
      {"inside before the step", test_inside_before_the_step},
      {"the bottom of a notch", test_bottom_of_a_notch},
      {"thickness", test_thickness},
      {"another body", test_another_body},
      {"faces of random boxes", test_random_faces},
      {"faces without contact", test_faces_without_contact},
      {"faces of a plate", test_faces_of_a_plate},
      {"faces of neighbouring elements", test_faces_of_neighbouring_elements},
      {"faces of an initial penetration", test_faces_of_an_initial_penetration},
      {"what is refused", test_refusals},
      {"what is refused of faces", test_refusals_of_faces},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "explain", tests);
}
