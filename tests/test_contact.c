/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact step: conservation, symmetry, no missed contacts, the same bits, errors. */
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/scene.h"
#include "support/small_surface.h"
#include "support/suite.h"
#include "support/surface_oracle.h"
#include "support/weak_contact.h"

#include <float.h>
#include <math.h>

/* --------------------------------------------------------------------------------------- conservation in every step */

/* Forces sum to zero, and so do their moments: each acts along its gap. */
static void check_momentum(const scene *s) {
  double sum[3] = {0}, moment[3] = {0}, size = 0, arm = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const double *f = s->force + 3 * i, *x = s->trial + 3 * i;
    for (int k = 0; k < 3; ++k) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      sum[k] += f[k];
      moment[k] += x[k1] * f[k2] - x[k2] * f[k1];
      size += fabs(f[k]);
      arm = fmax(arm, fabs(x[k]));
    }
  }
  for (int k = 0; k < 3; ++k) {
    CU_ASSERT(fabs(sum[k]) <= 1e-12 * size);
    CU_ASSERT(fabs(moment[k]) <= 1e-12 * size * arm);
  }
}

static void check_audit(ipg_contact *contact) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  CU_ASSERT_EQUAL(report.missed_candidates, 0);
  CU_ASSERT_EQUAL(report.wrong_contacts + report.wrong_forces, 0);
  CU_ASSERT_EQUAL(report.nodes_inside, 0);
  if (report.message[0]) printf("\n    audit: %s", report.message);
}

static void make_ball_over_box(scene *s) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .52, .5, 4, "ball")};
  scene_make(s, meshes, 2, 1);
  s->velocity[1][2] = -1;
}

/* A free ball hits a free box and both fly on: momentum, energy, contacts activated and deactivated. */
static void test_bounce(void) {
  ipg_contact_config with_step = ipg_contact_defaults();
  scene s;
  with_step.reference_step = 2e-3;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, &with_step);
  const double before = 0.5 * s.body_mass[1];
  int64_t most_contacts = 0;
  for (int64_t step = 1; step <= 700; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 2e-3, step));
    check_momentum(&s);
    const int64_t now = ipg_contact_get_counters(contact).contacts;
    most_contacts = now > most_contacts ? now : most_contacts;
  }
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(contact);
  double after = 0, momentum = 0;
  for (int b = 0; b < 2; ++b) {
    momentum += s.body_mass[b] * s.velocity[b][2];
    for (int k = 0; k < 3; ++k) after += 0.5 * s.body_mass[b] * s.velocity[b][k] * s.velocity[b][k];
  }
  CU_ASSERT(most_contacts > 5);
  CU_ASSERT(balance.activations > 5 && balance.deactivations == balance.activations);
  CU_ASSERT_EQUAL(balance.contact_energy, 0);
  CU_ASSERT(fabs(momentum + s.body_mass[1]) < 1e-10 * s.body_mass[1]);
  CU_ASSERT(fabs(after - before) < 0.01 * before);
  CU_ASSERT(s.velocity[1][2] > s.velocity[0][2]);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The contact work in the energy balance is the change of the kinetic energy of the bodies. */
static void test_energy_balance_closes(void) {
  scene s;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, NULL);
  const double before = 0.5 * s.body_mass[1], dt = 1e-3;
  for (int64_t step = 1; step <= 400; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, dt, step));
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(contact);
  double kinetic = 0;
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 3; ++k) kinetic += 0.5 * s.body_mass[b] * s.velocity[b][k] * s.velocity[b][k];
  CU_ASSERT(fabs(kinetic - before - balance.contact_work) < 0.01 * before);
  CU_ASSERT(fabs(kinetic + balance.contact_energy + balance.spring_net_loss - before) < 0.01 * before);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The same two bodies in the other order give the same velocities. */
static void test_no_master(void) {
  double speeds[2][2];
  for (int order = 0; order < 2; ++order) {
    ipg_mesh box = scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), ball = scene_ball(.07, .03, .52, .5, 4, "ball");
    ipg_mesh meshes[2] = {order ? ball : box, order ? box : ball};
    scene s;
    scene_make(&s, meshes, 2, 1);
    s.velocity[!order][2] = -1;
    ipg_contact *contact = scene_contact(&s, NULL);
    for (int64_t step = 1; step <= 400; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 2e-3, step));
    speeds[order][0] = s.velocity[order][2], speeds[order][1] = s.velocity[!order][2];
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  for (int b = 0; b < 2; ++b) CU_ASSERT(fabs(speeds[0][b] - speeds[1][b]) < 1e-9);
}

/* ----------------------------------------------------------------------------------------------- no missed contacts */

/* x + by, rounded away from x. */
static double rounded_away(double x, double by) {
  const long double exact = (long double)x + by;
  const double nearest = (double)exact;
  const bool is_short = by > 0 ? nearest < exact : nearest > exact;
  return is_short ? nextafter(nearest, by > 0 ? INFINITY : -INFINITY) : nearest;
}

/* Sets the trial positions to corners of the boxes around the paths from x to `end` and the margin around them: the
 * upper corner for nodes with an even number, the lower one for the others, or, with `swapped`, the other way round. */
static void move_to_corners_of_paths(scene *s, const double *end, double margin, bool swapped) {
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) {
    const bool upper = (i / 3 % 2 == 0) != swapped;
    s->trial[i] = upper ? rounded_away(fmax(s->x[i], end[i]), margin) : rounded_away(fmin(s->x[i], end[i]), -margin);
  }
}

/* Swept boxes contain the whole path and the search margin around it, to the last bit: nodes may move that far before
 * the next search, half of them up and half of them down, so that the boxes cannot travel with them. Far from the
 * origin, where all of that is a few units in the last place, and nodes are put where the exact border is, rounded
 * outward. */
static void test_swept_boxes_round_outward(void) {
  ipg_mesh meshes[] = {scene_ball(1e6, -1e6, 3e5, .5, 3, "ball")};
  scene s;
  scene_make(&s, meshes, 1, 1);
  ipg_contact_config config = weak_contact();
  config.search_margin = 1e-8;
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  const double margin = config.search_margin * surface_mean_edge(&s.surface.surface, s.x) * (1 - 1e-12);
  double *end = malloc(bytes);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  rng random = rng_start(11);
  CU_ASSERT(margin > 1e-10);
  for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) end[i] = s.x[i] + 3e-9 * (rng_unit(&random) - .5);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, end, NULL, s.force, &error));
  for (int swapped = 0; swapped < 2; ++swapped) {
    move_to_corners_of_paths(&s, end, margin, swapped);
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).searches, 1);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).reuses, swapped + 1);
  }
  move_to_corners_of_paths(&s, end, 1.5 * margin, false);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).searches, 2);
  free(end);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Balls and boxes fly through each other at random; an audit checks every step. */
static void test_audit_of_random_motion(void) {
  rng random = rng_start(7);
  for (long trial = 0; trial < suite_scenes() / 400; ++trial) {
    ipg_mesh meshes[] = {scene_ball(0, 0, 0, .5, 2, "a"), scene_ball(1.3, 0, 0, .5, 2, "b"),
                         scene_box(-.4, 1, -.4, .4, 1.8, .4, 2, 2, 2, "c"),
                         scene_box(1, 1, -.1, 2, 2, .1, 3, 3, 1, "d")};
    scene s;
    scene_make(&s, meshes, 4, 1);
    for (int b = 0; b < 4; ++b)
      for (int k = 0; k < 3; ++k) s.velocity[b][k] = 4 * rng_unit(&random) - 2;
    ipg_contact_config config = weak_contact();
    config.search_margin = (double[]){0, .05, .3, 2}[trial % 4];
    ipg_contact *contact = scene_contact(&s, &config);
    const double dt = trial % 3 == 0 ? 0.1 : 0.02; /* 0.1: several elements a step */
    for (int64_t step = 1; step <= 16; ++step) {
      ipg_error error = {0};
      scene_predict(&s, dt);
      CU_ASSERT_FATAL(!evaluate_after(contact, dt, s.trial, NULL, s.force, &error));
      check_audit(contact);
      check_momentum(&s);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      scene_complete(&s, dt);
    }
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* A pin that goes right through a plate in one step of 0.1. */
static void make_pin_over_plate(scene *s) {
  ipg_mesh meshes[] = {scene_box(-1, -1, 0, 1, 1, .01, 5, 5, 1, "plate"),
                       scene_box(.11, .07, .5, .21, .17, .6, 1, 1, 1, "pin")};
  scene_make(s, meshes, 2, 1);
  s->velocity[1][2] = -100;
}

static void test_fast_node(void) {
  scene s;
  make_pin_over_plate(&s);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_error error = {0};
  scene_predict(&s, 0.1);
  CU_ASSERT_FATAL(!evaluate_after(contact, 0.1, s.trial, NULL, s.force, &error));
  int64_t count, pin_nodes = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i)
    pin_nodes += pairs[i].touched == 0 && pairs[i].normal[2] > .99 && pairs[i].gap < -9;
  CU_ASSERT_EQUAL(pin_nodes, 8);
  check_audit(contact);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static int64_t count_touching(ipg_contact *contact, int32_t body) {
  int64_t count, touching = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) touching += pairs[i].touched == body;
  return touching;
}

/* A node goes in through the top and out through a side within one step: the contact stays active as long as the node
 * is deeper below the top than it is beyond the side. A node that was inside at the end of a step is deactivated as
 * soon as it is outside. */
static void test_cut_corner(void) {
  const double first[2][3] = {{.15, 0, -.4}, {0, 0, -.4}}, second[2][3] = {{0, 0, 0}, {.15, 0, 0}};
  for (int was_inside = 0; was_inside < 2; ++was_inside) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 4, 4, 2, "below"),
                         scene_box(.87, .07, .1, .91, .11, .2, 1, 1, 1, "pin")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
    ipg_contact *contact = scene_contact(&s, NULL);
    memcpy(s.velocity[1], first[was_inside], sizeof s.velocity[1]);
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
    CU_ASSERT_EQUAL(count_touching(contact, 0), 8);
    memcpy(s.velocity[1], second[was_inside], sizeof s.velocity[1]);
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, 2));
    CU_ASSERT_EQUAL(count_touching(contact, 0), was_inside ? 0 : 8);
    memcpy(s.velocity[1], (double[]){.5, 0, 0}, sizeof s.velocity[1]);
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, 3));
    CU_ASSERT_EQUAL(count_touching(contact, 0), 0);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* The two sides of a plate of one element are not in contact, however it moves. */
static void test_thin_plate(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, 0, 1, 1, 1e-3, 8, 8, 1, "plate")};
  scene s;
  scene_make(&s, meshes, 1, 1);
  ipg_contact *contact = scene_contact(&s, NULL);
  rng random = rng_start(3);
  for (int64_t step = 1; step <= 50; ++step) {
    for (int k = 0; k < 3; ++k) s.velocity[0][k] = rng_unit(&random) - .5;
    CU_ASSERT_FATAL(scene_step(&s, contact, 0.05, step));
  }
  suite_gate("opposite faces of a wall of one element that moves, and an element with itself: contacts",
             (double)ipg_contact_get_energy_balance(contact).activations, 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Bends a strip along z to a hairpin with its ends beside each other; its inner side is x = .05, at radius .1. */
static void bend_to_hairpin(double *x) {
  const double length = 4, leg = 1.7, along = x[2], radius = .15 - x[0];
  const double angle = along <= leg ? 0 : along >= length - leg ? M_PI : M_PI * (along - leg) / (length - 2 * leg);
  x[0] = -radius * cos(angle);
  x[2] = along <= leg ? along : along >= length - leg ? length - along : leg + radius * sin(angle);
}

/* Self-contact: the upper leg of a hairpin is pressed onto the lower one. */
static void test_self_contact(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, .05, .4, 4, 1, 3, 40, "strip")};
  for (int64_t i = 0; i < meshes[0].node_count; ++i) bend_to_hairpin(meshes[0].x + 3 * i);
  scene s;
  scene_make(&s, meshes, 1, 1);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_error error = {0};
  const ipg_surface *surface = &s.surface.surface;
  for (int64_t i = 0; i < surface->node_count; ++i) {
    memcpy(s.trial + 3 * i, s.x + 3 * i, 3 * sizeof(double));
    if (s.x[3 * i] > .05)
      s.trial[3 * i] -= .21 * fmin(1, (1.9 - s.x[3 * i + 2]) / .3); /* closes by more than the gap */
  }
  CU_ASSERT_FATAL(!evaluate_after(contact, 0.1, s.trial, NULL, s.force, &error));
  CU_ASSERT(ipg_contact_get_counters(contact).contacts > 20);
  check_momentum(&s);
  check_audit(contact);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Five tetrahedra around an edge along z: a body with a crease at that edge, whose two sides are faces that share it
 * and open at twice the angle. The tip of one side is half as far out as that of the other. */
static void set_crease(double *x, double angle) {
  for (int i = 0; i < 6; ++i) {
    const double at = angle + (2 * M_PI - 2 * angle) * i / 5, radius = i ? 1 : .5;
    x[6 + 3 * i] = radius * cos(at), x[7 + 3 * i] = i == 5 ? -radius * sin(angle) : radius * sin(at), x[8 + 3 * i] = 0;
  }
}

static void make_crease(scene *s, double angle) {
  ipg_mesh mesh = scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "crease"); /* 8 nodes too */
  memcpy(mesh.x, (double[]){0, 0, -.5, 0, 0, .5}, 6 * sizeof *mesh.x);
  set_crease(mesh.x, angle);
  for (int i = 0; i < 5; ++i) memcpy(mesh.tets + 4 * i, (ipg_id[]){0, 1, 2 + i, 3 + i}, 4 * sizeof *mesh.tets);
  mesh.element_count = mesh.blocks[0].count = 5;
  scene_make(s, &mesh, 1, 1);
}

/* A crease closes, in one step or with a stop at exactly zero degrees: the tip of one side is in contact with the
 * other, although both are faces of one body that share an edge. */
static void test_crease_closes_on_neighbour(void) {
  double worst = 0;
  const double open = M_PI / 9, closed = -M_PI / 90, depth = .5 * sin(2 * M_PI / 90);
  for (int stops = 0; stops < 2; ++stops) {
    scene s;
    ipg_error error = {0};
    double x[24];
    make_crease(&s, open);
    ipg_contact *contact = scene_contact(&s, NULL);
    memcpy(x, s.mesh.x, sizeof x);
    for (int step = 1; step <= 1 + stops; ++step) {
      set_crease(x, step <= stops ? 0 : closed);
      ipg_mesh_surface_gather(&s.surface, x, s.trial);
      CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
      check_audit(contact);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    }
    int64_t count, tips = 0;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; i < count; ++i) {
      int shared = 0;
      for (int k = 1; k < 4; ++k) shared += s.surface.mesh_nodes[pairs[i].nodes[k]] < 2;
      if (s.surface.mesh_nodes[pairs[i].nodes[0]] != 2) continue;
      CU_ASSERT_EQUAL(shared, 2); /* the neighbour at the crease */
      worst = suite_worst(worst, pairs[i].gap + pairs[i].history.initial_offset + depth);
      CU_ASSERT(pairs[i].gap < -.99 * depth);
      ++tips;
    }
    CU_ASSERT_EQUAL(tips, 1);
    check_momentum(&s);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("a crease that closes to zero degrees and beyond, on a face that shares its edge: depth of the tip", worst,
             1e-12);
}

/* The audit reports the nodes of a body that penetrates itself where a rule switches self-contact off, and none where
 * self-contact is on. */
static void test_audit_of_self_penetration(void) {
  for (int on = 0; on < 2; ++on) {
    ipg_mesh meshes[] = {scene_box(0, 0, 0, .05, .4, 4, 1, 3, 40, "strip")};
    for (int64_t i = 0; i < meshes[0].node_count; ++i) bend_to_hairpin(meshes[0].x + 3 * i);
    ipg_contact_rule rule = ipg_contact_rule_defaults();
    ipg_contact_config config = weak_contact();
    ipg_contact_audit_report report;
    ipg_error error = {0};
    scene s;
    rule.off = !on;
    config.rules = &rule, config.rule_count = 1;
    scene_make(&s, meshes, 1, 1);
    ipg_contact *contact = scene_contact(&s, &config);
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i) {
      memcpy(s.trial + 3 * i, s.x + 3 * i, 3 * sizeof(double));
      if (s.x[3 * i] > .05) s.trial[3 * i] -= .23 * fmin(1, (1.9 - s.x[3 * i + 2]) / .3), s.trial[3 * i + 1] += .013;
    }
    CU_ASSERT_FATAL(!evaluate_after(contact, 0.1, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_audit_inside(contact, &report, &error));
    CU_ASSERT(on ? report.nodes_inside == 0 : report.nodes_inside > 20);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* ------------------------------------------------------------------------------- activation, tracking, deactivation */

/* A corner of a block is pressed into a plate and drawn along it: one contact that is tracked from face to face, and
 * deactivated when it has slid off the edge. */
static void test_slides_and_falls_off(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, -.2, 2, 1, 0, 8, 4, 1, "plate"),
                       scene_box(.3, .3, .01, .4, .4, .2, 1, 1, 1, "slider")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
  s.velocity[1][2] = -.3;
  ipg_contact *contact = scene_contact(&s, NULL);
  int64_t step = 0, later_activations = 0, faces_seen = 0;
  ipg_id last_face = -1;
  for (; step < 1; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, .05, step + 1));
  s.velocity[1][2] = 0, s.velocity[1][0] = 1;
  for (; step < 45; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, .05, step + 1));
    int64_t count;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    int64_t bottom_nodes = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (pairs[i].touched) continue;
      ++bottom_nodes;
      later_activations += pairs[i].activated;
      CU_ASSERT(pairs[i].normal[2] > .7);
      if (bottom_nodes == 1 && pairs[i].face != last_face) ++faces_seen, last_face = pairs[i].face;
    }
    if (.4 + .05 * (double)step < 1.95) CU_ASSERT_EQUAL(bottom_nodes, 4);
  }
  CU_ASSERT_EQUAL(later_activations, 0); /* all four were activated in the first step and never lost */
  CU_ASSERT(faces_seen > 6);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* An L-shaped body: a floor and an upright side. */
static ipg_mesh make_angle(void) {
  ipg_mesh mesh = scene_box(0, 0, 0, 3, 1, 3, 6, 2, 6, "angle");
  int64_t kept = 0;
  for (int64_t e = 0; e < mesh.element_count; ++e) {
    double x = 0, z = 0;
    for (int a = 0; a < 4; ++a)
      x += mesh.x[3 * mesh.tets[4 * e + a]] / 4, z += mesh.x[3 * mesh.tets[4 * e + a] + 2] / 4;
    if (x < 1 || z < 1) memmove(mesh.tets + 4 * kept++, mesh.tets + 4 * e, 4 * sizeof *mesh.tets);
  }
  mesh.element_count = mesh.blocks[0].count = kept;
  return mesh;
}

/* A block presses on the floor when it runs into the upright side of the same body: that must resist it too. */
static void test_concave_corner(void) {
  ipg_contact_config with_step = ipg_contact_defaults();
  with_step.reference_step = 5e-3;
  for (int trial = 0; trial < 6; ++trial) {
    ipg_mesh meshes[] = {make_angle(), scene_box(1.13, .31, 1.004, 1.33, .47, 1.2, 1, 1, 1, "block")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    s.body_mass[0] = 1e9;
    s.velocity[1][0] = -1, s.velocity[1][2] = -.02 - .03 * trial;
    ipg_contact *contact = scene_contact(&s, &with_step);
    ipg_contact_audit_report report;
    for (int64_t step = 1; step <= 300; ++step) {
      ipg_error error = {0};
      scene_predict(&s, 5e-3);
      CU_ASSERT_FATAL(!evaluate_after(contact, 5e-3, s.trial, NULL, s.force, &error));
      CU_ASSERT_FATAL(!ipg_contact_audit_inside(contact, &report, &error));
      CU_ASSERT_EQUAL(report.nodes_inside, 0);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      scene_complete(&s, 5e-3);
    }
    CU_ASSERT_DOUBLE_EQUAL(s.velocity[1][0], 1, .1);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Two flush ends: after a small sideways motion, as where one bulges, all nodes stay in contact and
 * after a larger one the contacts of the rims that are beyond the edge are deactivated. */
static void test_flush_ends(void) {
  const double motions[3][3] = {{0, 0, -.02}, {.004, .003, 0}, {.05, 0, 0}};
  const int64_t touching[3] = {18, 18, 12};
  ipg_mesh meshes[] = {scene_box(0, 0, -1, 1, 1, 0, 2, 2, 2, "below"), scene_box(0, 0, .01, 1, 1, 1, 2, 2, 2, "above")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.body_mass[0] = s.body_mass[1] = 1e30; /* moves as prescribed */
  ipg_contact *contact = scene_contact(&s, NULL);
  for (int step = 0; step < 3; ++step) {
    memcpy(s.velocity[1], motions[step], sizeof motions[step]);
    CU_ASSERT_FATAL(scene_step(&s, contact, 1, step + 1));
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, touching[step]);
    check_momentum(&s);
  }
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).activations, 18);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Nodes that start behind a face by no more than the rounding of the mesh generator enter through that face. */
static void test_rounded_start(void) {
  ipg_contact_config with_step = ipg_contact_defaults();
  with_step.reference_step = 1;
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 3, 3, 2, "below"),
                       scene_box(-.5, -.5, -1e-12, .4, .4, .4, 2, 2, 1, "above")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.velocity[1][2] = -.01;
  ipg_contact *contact = scene_contact(&s, &with_step);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1, 1));
  CU_ASSERT(ipg_contact_get_counters(contact).contacts >= 9);
  CU_ASSERT(s.velocity[1][2] > -.01);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Velocities and time steps that are not finite or out of range are refused, and then there is nothing to accept; the
 * next evaluation is as if they had not been given. */
static void test_invalid_velocities_and_steps(void) {
  scene s;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, NULL);
  for (int64_t step = 1; step <= 40; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  double *v = calloc(1, bytes), *before = malloc(bytes);
  scene_predict(&s, 1e-3);
  ipg_error error = {0};
  CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  memcpy(before, s.force, bytes);
  const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e200};
  for (int i = 0; i < 4; ++i) {
    v[7] = wrong[i];
    CU_ASSERT_EQUAL(evaluate_after(contact, 1e-3, s.trial, v, s.force, &error), IPG_ERROR_NUMBER);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "velocity of node 3 is not finite"));
    CU_ASSERT_EQUAL(ipg_contact_accept(contact, 41, &error), IPG_ERROR_ARGUMENT);
  }
  const double steps[] = {-1, -1e-9, (double)NAN, 1e160};
  for (int i = 0; i < 4; ++i) {
    CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
    CU_ASSERT_EQUAL(evaluate_after(contact, steps[i], s.trial, NULL, s.force, &error), IPG_ERROR_NUMBER);
    CU_ASSERT_EQUAL(ipg_contact_accept(contact, 41, &error), IPG_ERROR_ARGUMENT);
  }
  CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  CU_ASSERT(!memcmp(before, s.force, bytes));
  free(v), free(before);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* New positions in the middle of a hit: the energy of the springs is booked as lost, and no contact is active. */
static void test_set_positions_in_mid_run(void) {
  scene s;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_error error = {0};
  for (int64_t step = 1; step <= 40; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(contact);
  CU_ASSERT_FATAL(before.contact_energy > 0);
  CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, ipg_contact_get_time(contact), s.x, &error));
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(after.contact_energy == 0 && after.deactivations == after.activations);
  CU_ASSERT_DOUBLE_EQUAL(after.spring_net_loss - before.spring_net_loss, before.contact_energy,
                         1e-12 * before.contact_energy);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Right through a round body in one step: contact is at the faces that point back along the path, however far away. */
static void test_through_round_bodies(void) {
  for (int bar = 0; bar < 2; ++bar) {
    ipg_error error = {0};
    ipg_mesh big = scene_ball(0, 0, 0, 1, 4, "ball");
    if (bar) {
      ipg_mesh_destroy(&big);
      CU_ASSERT_FATAL(!ipg_mesh_cylinder((double[]){0, 0, 0}, 1, 6, 4, 6, "bar", NULL, &big, &error));
      for (int64_t i = 0; i < big.node_count; ++i) { /* along x */
        const double *x = big.x + 3 * i, turned[3] = {x[2] - 3, x[0], x[1]};
        memcpy(big.x + 3 * i, turned, sizeof turned);
      }
    }
    ipg_mesh meshes[] = {big, scene_box(-.2, -.1, 1.2, -.05, .05, 1.4, 1, 1, 1, "small")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    ipg_contact *contact = scene_contact(&s, NULL);
    s.velocity[1][2] = -3;
    for (int64_t step = 1; step <= 3; ++step) {
      scene_predict(&s, 1);
      CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
      check_audit(contact);
      int64_t count, of_small = 0;
      const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
      for (int64_t i = 0; i < count; ++i) of_small += s.body_of_node[pairs[i].owner] == 1 && pairs[i].normal[2] > .5;
      CU_ASSERT_EQUAL(of_small, 8);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      scene_complete(&s, 1);
    }
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Nodes cut the corner of a block on their way into a floor that is the same body: having left the block again does not
 * hide that they end inside the floor. */
static void test_two_entries_in_one_step(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, 1, 0, 1, 2, 1, 1, 1, "block"),
                       scene_box(-20, -20, -1, 20, 20, 0, 1, 1, 1, "floor"),
                       scene_box(-.6, .01, 2.2, -.5, .1, 2.3, 1, 1, 1, "pin")};
  scene s;
  ipg_error error = {0};
  scene_make(&s, meshes, 3, 1);
  int32_t *bodies = (int32_t *)s.surface.surface.face_bodies;
  for (int64_t f = 0; f < s.surface.surface.face_count; ++f) bodies[f] = bodies[f] == 2;
  ipg_contact *contact = scene_contact(&s, NULL);
  s.velocity[2][0] = 3.5, s.velocity[2][2] = -2.25;
  scene_predict(&s, 1);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
  check_audit(contact);
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL(count, 4);
  for (int64_t i = 0; i < count; ++i)
    CU_ASSERT(pairs[i].activated && s.body_of_node[pairs[i].owner] == 2 && fabs(pairs[i].gap + .05) < 1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_initial_penetration_is_reported(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 3, 3, 2, "below"),
                       scene_box(-.2, -.2, -.05, .2, .2, .4, 1, 1, 1, "above")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_contact_audit_report report;
  ipg_error error = {0};
  scene_predict(&s, .01);
  CU_ASSERT_FATAL(!evaluate_after(contact, .01, s.trial, NULL, s.force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  CU_ASSERT_EQUAL(report.nodes_inside, 4);
  CU_ASSERT(strstr(report.message, "inside") != NULL);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_evaluate_accept_revert(void) {
  scene s;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_error error = {0};
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  double *again = malloc(bytes);
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 0, &error), IPG_ERROR_ARGUMENT);
  for (int64_t step = 1; step <= 60; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  CU_ASSERT_FATAL(ipg_contact_get_counters(contact).contacts > 0);
  scene_predict(&s, 1e-3);
  CU_ASSERT(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  CU_ASSERT(!evaluate_after(contact, 1e-3, s.x, NULL, again, &error)); /* another trial, and back */
  CU_ASSERT(!evaluate_after(contact, 1e-3, s.trial, NULL, again, &error));
  CU_ASSERT(!memcmp(s.force, again, bytes));
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(!ipg_contact_accept(contact, 61, &error));
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(!ipg_contact_accept(contact, 61, &error));
  CU_ASSERT(after.contact_work == ipg_contact_get_energy_balance(contact).contact_work &&
            after.contact_work != before.contact_work);
  CU_ASSERT(!ipg_contact_revert(contact, &error));
  CU_ASSERT(before.contact_work == ipg_contact_get_energy_balance(contact).contact_work);
  CU_ASSERT_EQUAL(ipg_contact_revert(contact, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(!evaluate_after(contact, 1e-3, s.trial, NULL, again, &error));
  CU_ASSERT(!memcmp(s.force, again, bytes));
  free(again);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* After an evaluation beyond it, a reverted step gives the contacts that it gave before. */
static void revert_and_search_anew(double search_margin) {
  scene s;
  make_pin_over_plate(&s);
  ipg_contact_config config = weak_contact();
  config.search_margin = search_margin;
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  const int64_t nodes = s.surface.surface.node_count;
  double *beyond = malloc(3 * (size_t)nodes * sizeof(double));
  scene_predict(&s, 0.1);
  for (int64_t i = 0; i < nodes; ++i)
    for (int k = 0; k < 3; ++k) beyond[3 * i + k] = s.trial[3 * i + k] + (k == 2) * (s.trial[3 * i + k] < -1 ? -1 : 1);
  CU_ASSERT(!evaluate_after(contact, 0.1, s.trial, NULL, s.force, &error));
  const int64_t contacts = ipg_contact_get_counters(contact).contacts;
  CU_ASSERT(contacts >= 8);
  CU_ASSERT(!ipg_contact_accept(contact, 1, &error));
  CU_ASSERT(!evaluate_after(contact, 0.1, beyond, NULL, s.force, &error));
  CU_ASSERT(!ipg_contact_revert(contact, &error));
  CU_ASSERT(!evaluate_after(contact, 0.1, s.trial, NULL, s.force, &error));
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, contacts);
  check_audit(contact);
  free(beyond);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_revert_searches_anew(void) {
  const double margins[] = {0, .2};
  for (int i = 0; i < 2; ++i) revert_and_search_anew(margins[i]);
}

/* New positions use nothing of an earlier search: a pin that was above the plate enters it from below. */
static void test_set_positions_searches_anew(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 4, 4, 1, "plate"),
                       scene_box(.11, .07, .01, .21, .17, .02, 1, 1, 1, "pin")};
  ipg_contact_config config = weak_contact();
  scene s;
  config.search_margin = .4;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  scene_predict(&s, 1);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
  CU_ASSERT_FATAL(config.search_margin * surface_mean_edge(&s.surface.surface, s.x) > .15);
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
      s.trial[3 * i + 2] = s.x[3 * i + 2] - s.body_of_node[i] * (pass ? .15 : 1.3);
    CU_ASSERT_FATAL(!(pass ? evaluate_after(contact, 1, s.trial, NULL, s.force, &error)
                           : ipg_contact_set_positions(contact, ipg_contact_get_time(contact), s.trial, &error)));
    if (!pass) CU_ASSERT_EQUAL(ipg_contact_accept(contact, 1, &error), IPG_ERROR_ARGUMENT); /* the trial is gone */
  }
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 8);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A new start is none of the steps before: revert does not go back over it, time goes on, and the forces before it do
 * no more work. */
static void test_new_start(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 2, 2, 1, "plate"),
                       scene_box(.1, .1, .01, .3, .3, .5, 1, 1, 1, "pin")};
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = weak_contact();
  rule.until = .8;
  config.rules = &rule, config.rule_count = 1;
  scene s;
  ipg_error error = {0};
  scene_make(&s, meshes, 2, 1);
  s.body_mass[1] = s.body_mass[0] = 1e30; /* moves as prescribed */
  ipg_contact *contact = scene_contact(&s, &config);
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  double *start = malloc(bytes);
  memcpy(start, s.x, bytes);
  s.velocity[1][2] = -.1;
  CU_ASSERT_FATAL(scene_step(&s, contact, .25, 1));
  CU_ASSERT_FATAL(scene_step(&s, contact, .25, 2));
  scene_predict(&s, .125);
  CU_ASSERT_FATAL(!evaluate_after(contact, .125, s.trial, NULL, s.force, &error));
  CU_ASSERT(ipg_contact_get_counters(contact).contacts > 0);
  CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, ipg_contact_get_time(contact), start, &error));
  CU_ASSERT_EQUAL(ipg_contact_revert(contact, &error), IPG_ERROR_ARGUMENT);
  const double work = ipg_contact_get_energy_balance(contact).contact_work;
  CU_ASSERT(work != 0);
  memcpy(s.x, start, bytes);
  s.velocity[0][2] = s.velocity[1][2] = 1;
  CU_ASSERT_FATAL(scene_step(&s, contact, .125, 3)); /* ends at .625 */
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).contact_work, work);
  s.velocity[1][2] = -1;
  CU_ASSERT_FATAL(scene_step(&s, contact, .125, 4)); /* ends at .75 */
  CU_ASSERT(ipg_contact_get_counters(contact).contacts > 0);
  CU_ASSERT_FATAL(scene_step(&s, contact, .125, 5)); /* ends at .875 */
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  free(start);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A step that was reverted has no evaluation to accept. */
static void test_nothing_to_accept_after_revert(void) {
  scene s;
  ipg_error error = {0};
  make_pin_over_plate(&s);
  ipg_contact *contact = scene_contact(&s, NULL);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, 1));
  scene_predict(&s, 1e-3);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_revert(contact, &error));
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 1, &error), IPG_ERROR_ARGUMENT);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ------------------------------------------------------------------------------------------------- nodes of one rank
 */

/* Of nodes that another rank owns there are no contacts; the others have those that they have on one rank. */
static void test_only_own_nodes(void) {
  const ipg_contact_wall wall = {.point = {0, 0, -.51}, .normal = {0, 0, 1}, .velocity = {0, 0, 1}};
  ipg_contact_config config = weak_contact();
  ipg_contact_pair *all = NULL;
  int64_t all_count = 0, kinds[IPG_CONTACT_KIND_COUNT] = {0};
  config.walls = &wall, config.wall_count = 1;
  for (int part = 0; part < 2; ++part) {
    scene s;
    ipg_error error = {0};
    make_ball_over_box(&s);
    const int64_t nodes = s.surface.surface.node_count;
    uint8_t *owned = calloc((size_t)nodes, 1);
    for (int64_t i = 0; i < nodes; ++i) owned[i] = i % 2;
    if (part) s.surface.surface.node_owned = owned;
    ipg_contact *contact = scene_contact(&s, &config);
    s.surface.surface.node_owned = NULL; /* it has been copied */
    memset(owned, 1, (size_t)nodes);
    s.velocity[0][2] = -.1;
    scene_predict(&s, .15);
    CU_ASSERT_FATAL(!evaluate_after(contact, .15, s.trial, NULL, s.force, &error));
    int64_t count, at = 0;
    const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
    for (int64_t i = 0; !part && i < count; ++i) kinds[pairs[i].kind]++;
    if (part) check_audit(contact);
    else {
      all_count = count, all = malloc((size_t)count * sizeof *all);
      memcpy(all, pairs, (size_t)count * sizeof *all);
    }
    for (int64_t i = 0; part && i < all_count; ++i) {
      if (all[i].owner % 2 == 0) continue;
      CU_ASSERT_FATAL(at < count && pairs[at].kind == all[i].kind && pairs[at].owner == all[i].owner);
      ++at;
    }
    CU_ASSERT_EQUAL(at, part ? count : 0);
    const ipg_contact_initial_penetration *found;
    CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, ipg_contact_get_time(contact), s.trial, &error));
    CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error) && count > 0);
    for (int64_t i = 0; part && i < count; ++i) CU_ASSERT_EQUAL(found[i].node % 2, 1);
    ipg_contact_destroy(&contact);
    scene_free(&s);
    free(owned);
  }
  CU_ASSERT(kinds[IPG_CONTACT_NODE_FACE] > 4 && kinds[IPG_CONTACT_NODE_WALL] > 4);
  free(all);
}

/* ---------------------------------------------------------------------------------------------------- the same bits */

typedef struct run_result {
  double x[6000], force[6000];
  int64_t activations, searches;
} run_result;

/* 120 steps of the bounce; space and time scaled, masses not. */
static void run_bounce(run_result *result, const char *method, int workers, double scale, double search_margin) {
  scene s;
  ipg_pool *pool = NULL;
  ipg_contact_config config = weak_contact();
  make_ball_over_box(&s);
  for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) s.x[i] *= scale;
  s.velocity[1][2] *= scale;
  config.search_method = method;
  config.search_margin = search_margin;
  if (workers) CU_ASSERT_FATAL(!ipg_pool_create(workers, &pool, NULL));
  if (workers) config.tasks = ipg_pool_tasks(pool);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 120; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  CU_ASSERT_FATAL(3 * s.surface.surface.node_count <= 6000);
  memset(result, 0, sizeof *result);
  memcpy(result->x, s.x, 3 * (size_t)s.surface.surface.node_count * sizeof(double));
  memcpy(result->force, s.force, 3 * (size_t)s.surface.surface.node_count * sizeof(double));
  result->activations = ipg_contact_get_energy_balance(contact).activations;
  result->searches = ipg_contact_get_counters(contact).searches;
  ipg_contact_destroy(&contact);
  ipg_pool_destroy(&pool);
  scene_free(&s);
}

static void test_same_bits(void) {
  static run_result reference, other;
  run_bounce(&reference, "lkdtree_packed", 0, 1, .2);
  CU_ASSERT(reference.activations > 5);
  const int workers[] = {1, 2, 4};
  for (int i = 0; i < 3; ++i) {
    run_bounce(&other, "lkdtree_packed", workers[i], 1, .2);
    CU_ASSERT(!memcmp(&reference, &other, sizeof other));
  }
  run_bounce(&other, "brute_force", 2, 1, .2);
  CU_ASSERT(!memcmp(&reference, &other, sizeof other));
}

/* How often it searches changes nothing but time. */
static void test_same_bits_for_any_search_margin(void) {
  static run_result reference, other;
  const double margins[] = {.01, .2, 3};
  const int64_t most_searches[] = {119, 12, 1};
  run_bounce(&reference, "lkdtree_packed", 0, 1, 0);
  CU_ASSERT_EQUAL(reference.searches, 120);
  for (int i = 0; i < 3; ++i) {
    run_bounce(&other, "lkdtree_packed", 0, 1, margins[i]);
    CU_ASSERT(other.searches <= most_searches[i]);
    other.searches = reference.searches;
    CU_ASSERT(!memcmp(&reference, &other, sizeof other));
  }
}

/* A motion that all bodies share needs no search; towards a body at rest the boxes travel half of the way. */
static void test_searches_of_moving_bodies(void) {
  const struct {
    double of_both, of_ball;
    int64_t most_searches;
  } flights[] = {{1, 0, 1}, {1e6, 0, 1}, {0, -.3, 3}, {1e3, -.3, 3}};
  for (int i = 0; i < 4; ++i) {
    scene s;
    make_ball_over_box(&s);
    for (int k = 0; k < 3; ++k) s.velocity[0][k] = s.velocity[1][k] = flights[i].of_both;
    s.velocity[1][2] += flights[i].of_ball;
    ipg_contact *contact = scene_contact(&s, NULL);
    ipg_error error = {0};
    const double dt = .05 * surface_mean_edge(&s.surface.surface, s.x) / .3;
    for (int64_t step = 1; step <= 20; ++step) {
      scene_predict(&s, dt);
      CU_ASSERT_FATAL(!evaluate_after(contact, dt, s.trial, NULL, s.force, &error));
      if (step % (suite_is_quick() ? 20 : 1) == 0) check_audit(contact);
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      scene_complete(&s, dt);
    }
    CU_ASSERT(ipg_contact_get_counters(contact).searches <= flights[i].most_searches);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

static void test_scaling_by_powers_of_two(void) {
  static run_result reference, other;
  run_bounce(&reference, "lkdtree_packed", 0, 1, .2);
  const double scales[] = {1024, 1. / 1024};
  for (int i = 0; i < 2; ++i) {
    run_bounce(&other, "lkdtree_packed", 0, scales[i], .2);
    CU_ASSERT_EQUAL(other.activations, reference.activations);
    for (int k = 0; k < 6000; ++k) other.x[k] /= scales[i], other.force[k] /= scales[i];
    CU_ASSERT(!memcmp(reference.x, other.x, sizeof other.x));
    CU_ASSERT(!memcmp(reference.force, other.force, sizeof other.force));
  }
}

/* ----------------------------------------------------------------------------------------------------------- errors */

static void test_bad_surfaces(void) {
  scene s;
  make_ball_over_box(&s);
  const ipg_contact_config config = weak_contact();
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  ipg_surface bad = s.surface.surface;
  double *masses = malloc((size_t)bad.node_count * sizeof(double));
  memcpy(masses, bad.node_masses, (size_t)bad.node_count * sizeof(double));
  bad.node_masses = masses;
  masses[5] = 0;
  CU_ASSERT_EQUAL(ipg_contact_create(&config, &bad, s.x, &contact, &error), IPG_ERROR_NUMBER);
  CU_ASSERT(strstr(error.message, "mass") != NULL && contact == NULL);
  for (int i = 0; i < 3; ++i) {
    masses[5] = (double[]){(double)NAN, 1e300, 1e-310}[i];
    CU_ASSERT_EQUAL(ipg_contact_create(&config, &bad, s.x, &contact, &error), IPG_ERROR_NUMBER);
  }
  free(masses);
  const size_t corners = 3 * (size_t)bad.face_count * sizeof(ipg_id);
  ipg_id *faces = malloc(corners);
  memcpy(faces, s.surface.surface.faces, corners);
  bad = s.surface.surface, bad.faces = faces, faces[7] = faces[6];
  CU_ASSERT_EQUAL(ipg_contact_create(&config, &bad, s.x, &contact, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(strstr(error.message, "the same node twice") != NULL && contact == NULL);
  free(faces);
  bad = s.surface.surface, bad.faces = NULL;
  CU_ASSERT_EQUAL(ipg_contact_create(&config, &bad, s.x, &contact, &error), IPG_ERROR_ARGUMENT);
  bad = s.surface.surface, bad.node_count = 3;
  CU_ASSERT_EQUAL(ipg_contact_create(&config, &bad, s.x, &contact, &error), IPG_ERROR_ARGUMENT);
  ipg_contact_config odd = config;
  odd.penalty_scale = NAN;
  CU_ASSERT_EQUAL(ipg_contact_create(&odd, &s.surface.surface, s.x, &contact, &error), IPG_ERROR_NUMBER);
  odd = config, odd.search_method = "magic";
  CU_ASSERT_EQUAL(ipg_contact_create(&odd, &s.surface.surface, s.x, &contact, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(strstr(error.message, "magic") != NULL);
  scene_free(&s);
}

/* The text that names the search method may change after create. */
static void test_text_of_search_method(void) {
  char method[] = "kdtree";
  ipg_contact_config config = weak_contact();
  config.search_method = method;
  scene s;
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  memset(method, 'x', sizeof method - 1);
  CU_ASSERT(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static ipg_status create_small(const small_surface *s, const double *x, const ipg_contact_config *config) {
  const ipg_surface surface = small_surface_view(s);
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  const ipg_status status = ipg_contact_create(config, &surface, x, &contact, &error);
  CU_ASSERT_EQUAL(contact == NULL, status != IPG_OK);
  ipg_contact_destroy(&contact);
  return status;
}

/* Two sides of one tetrahedron are a surface; with any one number changed they are none. Edges may be short, as long as
 * not all are. */
static void test_one_wrong_number(void) {
  ipg_contact_config config = weak_contact();
  small_surface good = small_surface_of(4, 2, (ipg_id[]){0, 2, 1, 0, 1, 3});
  double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  good.elements[1] = good.elements[0], good.sides[1] = 1, good.opposites[0] = 3, good.opposites[1] = 2;
  CU_ASSERT_EQUAL(create_small(&good, x, &config), IPG_OK);
  x[11] = 1e-61; /* the last side of the last face */
  CU_ASSERT_EQUAL(create_small(&good, x, &config), IPG_OK);
  x[11] = 1;
  small_surface bad[7] = {good, good, good, good, good, good, good};
  bad[0].gids[2] = 2, bad[1].sides[0] = 1, bad[1].sides[1] = 0, bad[2].opposites[1] = 4, bad[3].blocks[1] = 10000;
  for (int i = 0; i < 3; ++i) bad[4 + i].faces[3 + i] = good.faces[3 + (i + 1) % 3];
  for (int i = 0; i < 7; ++i) CU_ASSERT_EQUAL(create_small(&bad[i], x, &config), IPG_ERROR_ARGUMENT);
  config.penalty_scale = 0;
  CU_ASSERT_EQUAL(create_small(&good, x, &config), IPG_ERROR_NUMBER);
  config = weak_contact(), config.start_time = -INFINITY;
  CU_ASSERT_EQUAL(create_small(&good, x, &config), IPG_ERROR_NUMBER);
}

/* Lengths with products that would overflow or vanish are refused, so that no contact is missed. */
static void test_lengths_out_of_range(void) {
  scene s;
  make_ball_over_box(&s);
  ipg_error error = {0};
  const ipg_contact_config config = weak_contact();
  const double scales[] = {1e-62, 1e123};
  for (int i = 0; i < 2; ++i) {
    ipg_contact *contact = NULL;
    for (int64_t k = 0; k < 3 * s.surface.surface.node_count; ++k) s.x[k] *= scales[i];
    CU_ASSERT_EQUAL(ipg_contact_create(&config, &s.surface.surface, s.x, &contact, &error), IPG_ERROR_NUMBER);
    CU_ASSERT(strstr(error.message, "other units") != NULL && contact == NULL);
  }
  scene_free(&s);
}

/* At the time and the positions of the accepted state are its forces, whatever the time. */
static void test_at_the_accepted_state(void) {
  ipg_contact_config config = ipg_contact_defaults();
  ipg_error error = {0};
  scene s;
  config.reference_step = 1e-3;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  const int64_t values = 3 * s.surface.surface.node_count;
  double *before = malloc((size_t)values * sizeof *before), largest = 0;
  CU_ASSERT_EQUAL(evaluate_after(contact, 0, s.x, NULL, s.force, &error), IPG_OK);
  for (int64_t step = 1; step <= 60; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  memcpy(before, ipg_contact_forces(contact), (size_t)values * sizeof *before);
  for (int64_t i = 0; i < values; ++i) largest = fmax(largest, fabs(before[i]));
  CU_ASSERT(largest > 0);
  CU_ASSERT_FATAL(!evaluate_after(contact, 0, s.x, NULL, s.force, &error));
  for (int64_t i = 0; i < values; ++i) CU_ASSERT_DOUBLE_EQUAL(s.force[i], before[i], 0);
  for (int last_bits = -1; last_bits <= 1; last_bits += 2) { /* as sums of steps have them */
    const double time = ipg_contact_get_time(contact) * (1 + 2 * DBL_EPSILON * last_bits);
    CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, time, s.x, NULL, s.force, &error));
    for (int64_t i = 0; i < values; ++i) CU_ASSERT_DOUBLE_EQUAL(s.force[i], before[i], 0);
  }
  CU_ASSERT_EQUAL(evaluate_after(contact, -1e-12, s.x, NULL, s.force, &error), IPG_ERROR_NUMBER);
  CU_ASSERT_FATAL(!ipg_contact_set_positions(contact, 1, s.x, &error)); /* no step before this start */
  CU_ASSERT_EQUAL(evaluate_after(contact, 0, s.x, NULL, s.force, &error), IPG_OK);
  free(before);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Nothing happens where no time passes: walls do not move, whoever asks how often. */
static void test_no_time_passes(void) {
  const ipg_contact_wall wall = {
      .point = {0, 0, -.51}, .normal = {0, 0, 1}, .velocity = {0, .2, 1}, .law = {.3, .3, 0, .1}};
  ipg_contact_config config = ipg_contact_defaults();
  scene s;
  ipg_error error = {0};
  config.reference_step = 1e-3, config.walls = &wall, config.wall_count = 1;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 20; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  const ipg_contact_energy_balance before = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(before.external_work > 0 && before.wall_impulse[2] > 0);
  for (int64_t step = 21; step <= 24; ++step) {
    CU_ASSERT_FATAL(!evaluate_after(contact, 0, s.x, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  }
  const ipg_contact_energy_balance after = ipg_contact_get_energy_balance(contact);
  CU_ASSERT_EQUAL(after.external_work, before.external_work);
  CU_ASSERT_EQUAL(after.wall_impulse[2], before.wall_impulse[2]);
  CU_ASSERT_DOUBLE_EQUAL(after.contact_energy, before.contact_energy, 1e-9 * before.contact_energy);
  CU_ASSERT_DOUBLE_EQUAL(after.friction_dissipation, before.friction_dissipation, 1e-9 * before.contact_energy);
  CU_ASSERT_DOUBLE_EQUAL(after.spring_net_loss, before.spring_net_loss, 1e-9 * before.contact_energy);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Detection and forces one after the other are an evaluation; nothing else lets forces be computed or accepted, and
 * none is computed twice: friction would slip twice. */
static void test_phases_of(ipg_contact_config config) {
  ipg_error error = {0};
  scene s;
  config.reference_step = 1e-3, config.law = (ipg_contact_law){.damping = .2};
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 60; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  const int64_t nodes = s.surface.surface.node_count;
  const size_t bytes = 3 * (size_t)nodes * sizeof(double);
  double *still = calloc(1, bytes), *without = malloc(bytes), *at_rest = malloc(bytes);
  const double end = ipg_contact_get_time(contact) + 1e-3;
  scene_predict(&s, 1e-3);
  CU_ASSERT_EQUAL(ipg_contact_enforce(contact, NULL, s.force, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "ipg_contact_detect first"));
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, end, s.trial, NULL, without, &error));
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, end, s.trial, still, at_rest, &error));
  CU_ASSERT(memcmp(without, at_rest, bytes) != 0);
  CU_ASSERT_FATAL(!ipg_contact_detect(contact, end, s.trial, &error));
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 61, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_FATAL(!ipg_contact_enforce(contact, still, s.force, &error));
  CU_ASSERT(!memcmp(s.force, at_rest, bytes));
  CU_ASSERT_EQUAL(ipg_contact_enforce(contact, NULL, s.force, &error), IPG_ERROR_ARGUMENT);
  still[0] = (double)NAN;
  CU_ASSERT_FATAL(!ipg_contact_detect(contact, end, s.trial, &error));
  CU_ASSERT_EQUAL(ipg_contact_enforce(contact, still, s.force, &error), IPG_ERROR_NUMBER);
  CU_ASSERT_EQUAL(ipg_contact_accept(contact, 61, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT_FATAL(!ipg_contact_enforce(contact, NULL, NULL, &error));
  memcpy(s.force, ipg_contact_forces(contact), bytes);
  CU_ASSERT(!memcmp(s.force, without, bytes));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, 61, &error));
  CU_ASSERT_EQUAL(ipg_contact_enforce(contact, NULL, s.force, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(ipg_contact_get_time(contact) == end);
  CU_ASSERT_EQUAL(ipg_contact_detect(contact, end, NULL, &error), IPG_ERROR_ARGUMENT);
  free(still), free(without), free(at_rest);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_phases(void) {
  test_phases_of(ipg_contact_defaults());
  test_phases_of(weak_contact());
}

/* Positions that are not finite or out of range are refused, and the next evaluation is as if they had not been given.
 */
static void test_invalid_positions(void) {
  scene s;
  make_ball_over_box(&s);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_error error = {0};
  for (int64_t step = 1; step <= 60; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
  double *force = malloc(bytes);
  scene_predict(&s, 1e-3);
  CU_ASSERT(!evaluate_after(contact, 1e-3, s.trial, NULL, force, &error));
  const double kept = s.trial[7];
  const double invalid[] = {(double)NAN, (double)INFINITY, -1e61};
  for (int i = 0; i < 3; ++i) {
    s.trial[7] = invalid[i];
    CU_ASSERT_EQUAL(evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error), IPG_ERROR_NUMBER);
    CU_ASSERT(strstr(error.message, "node 3") != NULL);
  }
  s.trial[7] = kept;
  CU_ASSERT(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  CU_ASSERT(!memcmp(force, s.force, bytes));
  free(force);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A step with contact, with an allocator that fails at the n-th request; the next try gives the forces of a run without
 * failure. */
static void test_failing_allocations(void) {
  scene s;
  make_ball_over_box(&s);
  s.velocity[1][2] = -40;
  scene_predict(&s, 1e-3);
  ipg_contact_config config = weak_contact();
  scene_check_failing_allocations(&s, config, 1e-3);
  scene_free(&s);
}

static void test_no_allocation_when_warm(void) {
  scene s;
  make_ball_over_box(&s);
  failing_allocator allocator = {.fail_at = 0};
  ipg_contact_config config = weak_contact();
  config.allocator = failing_allocator_of(&allocator);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 60; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
  ipg_error error = {0};
  scene_predict(&s, 1e-3);
  CU_ASSERT(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  const int64_t warm = allocator.allocations;
  for (int i = 0; i < 10; ++i) CU_ASSERT(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  CU_ASSERT_EQUAL(allocator.allocations, warm);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_empty_surface(void) {
  const ipg_surface nothing = {0};
  const ipg_contact_config config = weak_contact();
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  double no_nodes = 0;
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &nothing, &no_nodes, &contact, &error));
  CU_ASSERT(!evaluate_after(contact, 1, &no_nodes, NULL, &no_nodes, &error));
  CU_ASSERT(!ipg_contact_accept(contact, 1, &error));
  ipg_contact_destroy(&contact);
  ipg_contact_destroy(&contact);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a ball bounces off a box", test_bounce},
      {"the energy balance closes", test_energy_balance_closes},
      {"no side is master", test_no_master},
      {"swept boxes round outward", test_swept_boxes_round_outward},
      {"random motion, every step audited", test_audit_of_random_motion},
      {"a fast node is detected", test_fast_node},
      {"a node cuts a corner", test_cut_corner},
      {"a thin plate is not in contact with itself", test_thin_plate},
      {"self-contact of a hairpin", test_self_contact},
      {"a crease closes on its neighbour", test_crease_closes_on_neighbour},
      {"the audit reports self-penetration", test_audit_of_self_penetration},
      {"a contact slides from face to face and falls off", test_slides_and_falls_off},
      {"a concave corner holds", test_concave_corner},
      {"flush ends hold each other", test_flush_ends},
      {"a start rounded by the mesher", test_rounded_start},
      {"invalid velocities and time steps", test_invalid_velocities_and_steps},
      {"new positions in mid-run", test_set_positions_in_mid_run},
      {"through round bodies", test_through_round_bodies},
      {"two entries in one step", test_two_entries_in_one_step},
      {"an initial penetration is reported", test_initial_penetration_is_reported},
      {"evaluate, accept, revert", test_evaluate_accept_revert},
      {"revert searches anew", test_revert_searches_anew},
      {"new positions search anew", test_set_positions_searches_anew},
      {"a new start", test_new_start},
      {"nothing to accept after revert", test_nothing_to_accept_after_revert},
      {"only own nodes", test_only_own_nodes},
      {"the same bits for threads and methods", test_same_bits},
      {"the same bits for any search margin", test_same_bits_for_any_search_margin},
      {"searches of moving bodies", test_searches_of_moving_bodies},
      {"scaling by powers of two", test_scaling_by_powers_of_two},
      {"bad surfaces", test_bad_surfaces},
      {"the text of the search method", test_text_of_search_method},
      {"one wrong number", test_one_wrong_number},
      {"lengths out of range", test_lengths_out_of_range},
      {"at the accepted state", test_at_the_accepted_state},
      {"no time passes", test_no_time_passes},
      {"detection and forces one after the other", test_phases},
      {"invalid positions", test_invalid_positions},
      {"allocations that fail", test_failing_allocations},
      {"no allocation below the high-water mark", test_no_allocation_when_warm},
      {"an empty surface", test_empty_surface},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "contact", tests);
}
