/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edge-edge contact: ridges that cross where no node is near. Bodies are rigid. */
#include "support/evaluate.h"
#include "support/node_springs.h"
#include "support/scene.h"
#include "support/small_surface.h"
#include "support/suite.h"

#include <math.h>

static ipg_contact_config with_edges(void) {
  ipg_contact_config config = node_spring_defaults();
  config.edges = true;
  return config;
}

/* Two ridges that cross, one `gap` above the other; the upper one moves down. */
static void make_crossing(scene *s, double gap, double angle, int count) {
  ipg_mesh meshes[] = {scene_ridge((double[]){0, 0, 0}, 0, count, "lower"),
                       scene_ridge((double[]){0, 0, sqrt(2.) + gap}, angle, count, "upper")};
  scene_make(s, meshes, 2, 1);
  s->velocity[1][2] = -1;
}

static int64_t count_of(ipg_contact *contact, ipg_contact_kind kind) {
  int64_t count, found = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) found += pairs[i].kind == kind;
  return found;
}

static void check_step(ipg_contact *contact, const scene *s) {
  ipg_contact_audit_report report;
  ipg_error error = {0};
  double sum[3] = {0}, moment[3] = {0}, size = 0;
  CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
  CU_ASSERT(!report.missed_candidates && !report.wrong_contacts);
  if (report.message[0]) printf("\n    audit: %s", report.message);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *f = s->force + 3 * i, *x = s->trial + 3 * i;
      sum[k] += f[k], size += fabs(f[k]);
      moment[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
    }
  for (int k = 0; k < 3; ++k) CU_ASSERT(fabs(sum[k]) <= 1e-12 * size && fabs(moment[k]) <= 5e-12 * size);
}

static void audited_step(scene *s, ipg_contact *contact, double dt, int64_t step) {
  ipg_error error = {0};
  scene_predict(s, dt);
  CU_ASSERT_FATAL(!evaluate_after(contact, dt, s->trial, NULL, s->force, &error));
  check_step(contact, s);
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  scene_complete(s, dt);
}

/* As far apart as the thickness, within rounding: whether they touch does not depend on the search. */
static void test_touching_within_rounding(void) {
  const double thicknesses[] = {.15, .15}, margins[] = {0, .2, 2};
  for (int ulps = -12; ulps <= 12; ++ulps) {
    double force[3][3];
    for (int i = 0; i < 3; ++i) {
      ipg_contact_config config = with_edges();
      config.thicknesses = thicknesses, config.thickness_count = 2, config.search_margin = margins[i];
      scene s;
      make_crossing(&s, .3 + ulps * 1e-16, .5 * M_PI, 1);
      s.body_mass[0] = s.body_mass[1] = 1e30;
      ipg_contact *contact = scene_contact(&s, &config);
      s.velocity[1][2] = 0;
      audited_step(&s, contact, .01, 1);
      s.velocity[1][2] = -.1;
      for (int64_t step = 2; step <= 3; ++step) audited_step(&s, contact, .01, step);
      CU_ASSERT(count_of(contact, IPG_CONTACT_EDGE_EDGE) == 1);
      memset(force[i], 0, sizeof force[i]);
      for (int64_t n = 0; n < s.surface.surface.node_count; ++n)
        for (int k = 0; k < 3; ++k) force[i][k] += fabs(s.force[3 * n + k]);
      CU_ASSERT(!memcmp(force[0], force[i], sizeof force[i]));
      ipg_contact_destroy(&contact);
      scene_free(&s);
    }
  }
}

/* Two ridges bounce off each other with edge-edge contact; without it nothing resists them. */
static void test_crossing_ridges(void) {
  double worst = 0;
  for (int edges = 0; edges < 2; ++edges) {
    ipg_contact_config config = with_edges();
    config.edges = edges;
    scene s;
    make_crossing(&s, .05, 1.2, 3);
    ipg_contact *contact = scene_contact(&s, &config);
    int64_t most = 0;
    for (int64_t step = 1; step <= 130; ++step) {
      audited_step(&s, contact, 2e-3, step);
      const int64_t now = count_of(contact, IPG_CONTACT_EDGE_EDGE);
      CU_ASSERT_EQUAL(count_of(contact, IPG_CONTACT_NODE_FACE), 0);
      most = now > most ? now : most;
    }
    CU_ASSERT_EQUAL(most, edges);
    worst = suite_worst(worst, s.velocity[1][2] - (edges ? 0 : -1)); /* equal masses */
    worst = suite_worst(worst, s.velocity[0][2] - (edges ? -1 : 0));
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    CU_ASSERT(l.activations == edges && l.deactivations == edges &&
              fabs(l.contact_work + l.spring_net_loss) < 1e-3 * s.body_mass[1]);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("ridges that cross where no node is: velocities after the impact", worst, 1e-3);
}

/* Through each other and far beyond in one step: still a contact, with a force against the motion. */
static void test_fast_ridge(void) {
  const ipg_contact_config config = with_edges();
  scene s;
  make_crossing(&s, .05, 1.2, 5);
  ipg_contact *contact = scene_contact(&s, &config);
  ipg_error error = {0};
  s.velocity[1][2] = -.3 / 1e-3;
  scene_predict(&s, 1e-3);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1e-3, s.trial, NULL, s.force, &error));
  int64_t count, found = 0;
  double worst = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) {
    if (pairs[i].kind != IPG_CONTACT_EDGE_EDGE) continue;
    ++found;
    worst = suite_worst(worst, pairs[i].gap + .25);
    CU_ASSERT_DOUBLE_EQUAL(fabs(pairs[i].normal[2]), 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].time, .05 / .3, 1e-6);
    CU_ASSERT(pairs[i].time <= .05 / .3);
    CU_ASSERT(pairs[i].response.force[2] * (s.body_of_node[pairs[i].nodes[0]] == 1 ? 1 : -1) > 0);
  }
  CU_ASSERT_EQUAL(found, 1);
  suite_gate("a ridge through another in one step: gap of the one pair of edges", worst, 1e-12);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* One ridge slides along the other over several of its edges, pressed on by gravity: contact resists it all the way,
 * and without friction it keeps its speed. */
static void test_slides_over_edges(void) {
  ipg_contact_config config = with_edges();
  config.law.damping = .5;
  scene s;
  make_crossing(&s, 1e-4, 1.4, 8);
  s.velocity[1][2] = 0;
  s.body_mass[0] = 1e12;
  ipg_contact *contact = scene_contact(&s, &config);
  const double dt = 2e-3;
  double lowest = 0;
  int64_t node = 0;
  while (s.body_of_node[node] != 1) ++node;
  const double start = s.x[3 * node + 2];
  s.velocity[1][0] = 1;
  for (int64_t step = 1; step <= 1250; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step));
    s.velocity[1][2] -= dt;
    lowest = fmin(lowest, s.x[3 * node + 2] - start);
  }
  CU_ASSERT(lowest > -.01);
  suite_expect_missed("a ridge slides along another over several edges, without friction: speed", s.velocity[1][0] - 1,
                      1e-3, .1);
  CU_ASSERT(count_of(contact, IPG_CONTACT_EDGE_EDGE) >= 1);
  CU_ASSERT(ipg_contact_get_energy_balance(contact).activations > 2); /* from edge to edge */
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Friction at the crossing stops a ridge within the distance of a block: v^2 / (2 mu g). */
static void test_friction_on_ridge(void) {
  ipg_contact_config config = with_edges();
  config.law = (ipg_contact_law){.3, .3, 0, .5};
  config.penalty_scale = .5;
  scene s;
  make_crossing(&s, 0, 1.4, 1); /* one long edge each, stretched below */
  ipg_contact *contact = NULL;
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i) s.x[3 * i] *= 8, s.x[3 * i + 1] *= 8;
  contact = scene_contact(&s, &config);
  const double dt = 1e-3, v = 1, mu = .3, g = 1;
  s.velocity[1][2] = 0, s.body_mass[0] = 1e12;
  int64_t node = 0, step = 0;
  while (s.body_of_node[node] != 1) ++node;
  for (; step < 300; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step + 1));
    s.velocity[1][2] -= dt * g;
  }
  const double start = s.x[3 * node];
  s.velocity[1][0] = v;
  for (; step < 4500; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step + 1));
    s.velocity[1][2] -= dt * g;
  }
  suite_gate("friction of one ridge on another: stopping distance",
             (s.x[3 * node] - start) / (v * v / (2 * mu * g)) - 1, .01);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static double friction_of_edges(ipg_contact *contact, double *normal_force) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_FATAL(count == 1 && pairs[0].kind == IPG_CONTACT_EDGE_EDGE);
  *normal_force = pairs[0].response.normal_force;
  return sqrt(pairs[0].response.friction[0] * pairs[0].response.friction[0] +
              pairs[0].response.friction[1] * pairs[0].response.friction[1] +
              pairs[0].response.friction[2] * pairs[0].response.friction[2]);
}

/* Two ridges pressed on each other as deep as that, and then one moved along the other by so much. */
static ipg_contact *press_ridges(scene *s, const ipg_contact_config *config, double depth, double slide) {
  make_crossing(s, .05, .5 * M_PI, 1);
  s->body_mass[0] = s->body_mass[1] = 1e30; /* moves as prescribed */
  ipg_contact *contact = scene_contact(s, config);
  s->velocity[1][2] = -.05 - depth;
  CU_ASSERT_FATAL(scene_step(s, contact, 1, 1));
  s->velocity[1][0] = slide, s->velocity[1][2] = 0;
  CU_ASSERT_FATAL(scene_step(s, contact, 1, 2));
  return contact;
}

/* Pressed and sheared, then rotated together about an axis across the shear: the stretch of what sticks turns into the
 * new plane without losing length. The depth turns too, which is tangential motion: its part of the friction is known.
 */
static void test_friction_turns_with_ridges(void) {
  enum { DEGREES = 90 };
  const double co = cos(M_PI / 180), si = sin(M_PI / 180);
  ipg_contact_config config = with_edges();
  config.law = (ipg_contact_law){10, 10, 0, 0};
  scene s;
  ipg_contact *contact = press_ridges(&s, &config, .0025, .02);
  ipg_error error = {0};
  double normal_force;
  const double before = friction_of_edges(contact, &normal_force);
  CU_ASSERT_DOUBLE_EQUAL(before, 8 * normal_force, 1e-6 * before);
  for (int64_t step = 3; step < 3 + DEGREES; ++step) {
    for (int64_t i = 0; i < 3 * s.surface.surface.node_count; i += 3) {
      s.trial[i] = co * s.x[i] + si * s.x[i + 2], s.trial[i + 2] = co * s.x[i + 2] - si * s.x[i];
      s.trial[i + 1] = s.x[i + 1];
    }
    CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
    memcpy(s.x, s.trial, 3 * (size_t)s.surface.surface.node_count * sizeof *s.x);
  }
  const double change = fabs(friction_of_edges(contact, &normal_force) - before);
  CU_ASSERT_DOUBLE_EQUAL(change, DEGREES * si * normal_force, 1e-6 * before);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The law between two edges is that of the rule between their blocks, in either order. */
static void test_law_of_edges(void) {
  for (int order = 0; order < 2; ++order) {
    ipg_contact_rule rule = ipg_contact_rule_defaults();
    rule.blocks[0] = order, rule.blocks[1] = !order, rule.law.friction_static = rule.law.friction_dynamic = .5;
    ipg_contact_config config = with_edges();
    config.rules = &rule, config.rule_count = 1;
    scene s;
    double normal_force;
    ipg_contact *contact = press_ridges(&s, &config, .01, .2);
    const double friction = friction_of_edges(contact, &normal_force);
    CU_ASSERT_DOUBLE_EQUAL(friction, .5 * normal_force, 1e-12 * normal_force);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Edges of one body touch where they are, not at a thickness. */
static void test_no_thickness_within_a_body(void) {
  const double thicknesses[] = {.1, .1};
  for (int one = 0; one < 2; ++one) {
    ipg_contact_config config = with_edges();
    config.thicknesses = thicknesses, config.thickness_count = 2;
    scene s;
    make_crossing(&s, .25, 1.2, 1);
    int32_t *bodies = (int32_t *)s.surface.surface.face_bodies;
    for (int64_t f = 0; one && f < s.surface.surface.face_count; ++f) bodies[f] = 0;
    s.velocity[1][2] = -.1;
    ipg_contact *contact = scene_contact(&s, &config);
    audited_step(&s, contact, 1, 1);
    CU_ASSERT_EQUAL(count_of(contact, IPG_CONTACT_EDGE_EDGE), !one);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Candidates of edges are counted too. */
static void test_counted_candidates(void) {
  int64_t candidates[2];
  for (int edges = 0; edges < 2; ++edges) {
    ipg_contact_config config = with_edges();
    config.edges = edges;
    scene s;
    make_crossing(&s, .01, 1.2, 1);
    ipg_contact *contact = scene_contact(&s, &config);
    audited_step(&s, contact, .005, 1);
    candidates[edges] = ipg_contact_get_counters(contact).candidates;
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  CU_ASSERT(candidates[1] > candidates[0]);
}

/* The boxes of edges follow the edges from one search to the next. */
static void test_second_search(void) {
  const ipg_contact_config config = with_edges();
  scene s;
  make_crossing(&s, 3, 1.2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 4; ++step) audited_step(&s, contact, .75 + .01 * (step == 4), step);
  CU_ASSERT(ipg_contact_get_counters(contact).searches > 2);
  CU_ASSERT_EQUAL(count_of(contact, IPG_CONTACT_EDGE_EDGE), 1);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Edges that are short against their thickness: rounding of a touch at that distance is larger than that of the edges'
 * own size, and the search gives such a pair all the same. */
static void test_short_thick_edges(void) {
  const double thicknesses[] = {.15, .15};
  for (int i = -40; i <= 40; ++i) {
    ipg_contact_config config = with_edges();
    config.thicknesses = thicknesses, config.thickness_count = 2, config.search_margin = 0;
    scene s;
    make_crossing(&s, 0, .5 * M_PI, 1);
    for (int64_t n = 0; n < s.surface.surface.node_count; ++n)
      for (int k = 0; k < 3; ++k)
        s.x[3 * n + k] = ldexp(s.x[3 * n + k], -27) + (k == 2 && s.body_of_node[n]) * (.3 + i * 1e-15);
    s.body_mass[0] = s.body_mass[1] = 1e30, s.velocity[1][2] = 0;
    ipg_contact *contact = scene_contact(&s, &config);
    for (int64_t step = 1; step <= 2; ++step) audited_step(&s, contact, .01, step);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* A box on a floor: edges of a flat surface are not sharp, and at parallel edges contact is found at the nodes. */
static void test_no_contact_of_flat_edges(void) {
  const ipg_contact_config config = with_edges();
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 5, 4, 1, "floor"),
                       scene_box(-.4, -.3, .01, .3, .4, .5, 2, 3, 1, "box")};
  scene s;
  scene_make(&s, meshes, 2, 1);
  s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  int64_t touching = 0;
  for (int64_t step = 1; step <= 60; ++step) {
    audited_step(&s, contact, 1e-3, step);
    CU_ASSERT_EQUAL(count_of(contact, IPG_CONTACT_EDGE_EDGE), 0);
    touching += count_of(contact, IPG_CONTACT_NODE_FACE) > 0;
  }
  CU_ASSERT(touching > 5);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ----------------------------------------------------------------------------------------- the edges of the surface */

/* An edge by brute force: its nodes, low and high, and the first two faces that have both. */
typedef struct edge {
  ipg_id nodes[2], faces[2];
} edge;

/* The first two faces that have both nodes; returns how many have them. */
static int find_faces(const ipg_surface *s, const ipg_id nodes[2], ipg_id faces[2]) {
  int count = 0;
  for (ipg_id f = 0; f < s->face_count; ++f) {
    int shared = 0;
    for (int k = 0; k < 3; ++k) shared += s->faces[3 * f + k] == nodes[0] || s->faces[3 * f + k] == nodes[1];
    if (shared == 2 && count++ < 2) faces[count - 1] = f;
  }
  return count;
}

/* All edges in the order of (low node, high node); the caller frees them. */
static edge *find_edges(const ipg_surface *s, int64_t *count) {
  edge *edges = malloc(3 * (size_t)s->face_count * sizeof *edges), e;
  *count = 0;
  for (e.nodes[0] = 0; e.nodes[0] < s->node_count; ++e.nodes[0])
    for (e.nodes[1] = e.nodes[0] + 1; e.nodes[1] < s->node_count; ++e.nodes[1])
      if (find_faces(s, e.nodes, e.faces)) edges[(*count)++] = e;
  return edges;
}

static void get_gids(const ipg_surface *s, const ipg_id nodes[2], ipg_gid gids[2]) {
  for (int i = 0; i < 2; ++i) gids[i] = s->node_gids[nodes[i]];
}

/* Why two edges of the surface can never be in contact; IN_CONTACT: they can be. */
static ipg_contact_reason topological_reason(const ipg_surface *s, const edge *a, const edge *b) {
  bool shares_element = false;
  for (int i = 0; i < 4; ++i) {
    if (a->nodes[i / 2] == b->nodes[i % 2]) return IPG_REASON_OWN_FACE;
    shares_element |= s->face_elements[a->faces[i / 2]] == s->face_elements[b->faces[i % 2]];
  }
  return shares_element ? IPG_REASON_OWN_ELEMENT : IPG_REASON_IN_CONTACT;
}

/* Every edge can be named by its two nodes in any order, and no other pair of nodes is an edge. Explanations show that
 * an edge has its own nodes and the elements behind its two faces. */
static void test_edges_are_known(void) {
  const ipg_contact_config config = with_edges();
  scene s;
  int64_t count, kin[2] = {0};
  make_crossing(&s, .1, 1, 3);
  ipg_contact *contact = scene_contact(&s, &config);
  const ipg_surface *surface = &s.surface.surface;
  edge *edges = find_edges(surface, &count);
  ipg_contact_explanation e;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(count, 3 * surface->face_count / 2);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s.x, NULL, s.force, &error));
  for (int64_t i = 0; i < count; ++i) CU_ASSERT_EQUAL(find_faces(surface, edges[i].nodes, (ipg_id[2]){0}), 2);
  for (ipg_id a = 0; a < surface->node_count; ++a)
    for (ipg_id b = 0; b < surface->node_count; ++b) {
      if (a == b) continue;
      ipg_gid gids[2], first[2];
      ipg_id faces[2];
      get_gids(surface, (ipg_id[]){a, b}, gids), get_gids(surface, edges[0].nodes, first);
      const bool is_edge = find_faces(surface, (ipg_id[]){a, b}, faces) > 0;
      CU_ASSERT_EQUAL(ipg_contact_explain_edges(contact, first, gids, &e, &error),
                      is_edge ? IPG_OK : IPG_ERROR_ARGUMENT);
    }
  for (int64_t i = 0; i < count * count; ++i) {
    const edge *a = &edges[i / count], *b = &edges[i % count];
    const ipg_contact_reason expected = topological_reason(surface, a, b);
    ipg_gid gids[2][2];
    get_gids(surface, a->nodes, gids[0]), get_gids(surface, b->nodes, gids[1]);
    CU_ASSERT_FATAL(!ipg_contact_explain_edges(contact, gids[0], gids[1], &e, &error));
    CU_ASSERT_EQUAL(e.reason, expected == IPG_REASON_IN_CONTACT ? IPG_REASON_PATHS_APART : expected);
    kin[0] += e.reason == IPG_REASON_OWN_FACE, kin[1] += e.reason == IPG_REASON_OWN_ELEMENT;
  }
  CU_ASSERT(kin[0] > count && kin[1] > 0);
  free(edges);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* The number of an edge among all edges of the surface; -1: the nodes are not an edge. */
static int64_t number_of(const edge *edges, int64_t count, const ipg_id nodes[2]) {
  for (int64_t i = 0; i < count; ++i)
    if ((edges[i].nodes[0] == nodes[0] && edges[i].nodes[1] == nodes[1]) ||
        (edges[i].nodes[0] == nodes[1] && edges[i].nodes[1] == nodes[0]))
      return i;
  return -1;
}

/* Edges are numbered in the order of (low node, high node), each once, and a contact names the first face of the
 * touched edge: a grid of ridges is pressed through another, so that many edges are in contact at once. */
static void test_order_of_edges(void) {
  enum { RIDGES = 4 };
  const ipg_contact_config config = with_edges();
  ipg_mesh meshes[2 * RIDGES];
  for (int i = 0; i < RIDGES; ++i) {
    char name[] = {(char)('a' + i), 0}, other[] = {(char)('n' + i), 0};
    meshes[i] = scene_ridge((double[]){0, 2 * i, 0}, 0, 8, name);
    meshes[RIDGES + i] = scene_ridge((double[]){1.9 * i - 2, 3, sqrt(2.) + .05}, 1.4, 8, other);
  }
  scene s;
  int64_t count, edge_count, found = 0;
  ipg_error error = {0};
  scene_make(&s, meshes, 2 * RIDGES, 1);
  for (int i = RIDGES; i < 2 * RIDGES; ++i) s.velocity[i][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  edge *edges = find_edges(&s.surface.surface, &edge_count);
  scene_predict(&s, .1);
  CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.trial, NULL, s.force, &error));
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) {
    if (pairs[i].kind != IPG_CONTACT_EDGE_EDGE) continue;
    const int64_t owner = number_of(edges, edge_count, pairs[i].nodes),
                  touched = number_of(edges, edge_count, pairs[i].nodes + 2);
    CU_ASSERT(owner >= 0 && owner < touched && pairs[i].owner == owner && pairs[i].touched == touched);
    if (touched >= 0) CU_ASSERT_EQUAL(pairs[i].face, edges[touched].faces[0]);
    ++found;
  }
  CU_ASSERT(found > RIDGES * RIDGES / 2);
  free(edges);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ----------------------------------------------------------------------------------- explanations and contributions */

/* The first edge of the body with both nodes in the plane z = at. */
static void find_edge_at(const scene *s, int body, double at, ipg_gid gids[2]) {
  int64_t count, i = 0;
  edge *edges = find_edges(&s->surface.surface, &count);
  for (; i < count; ++i) {
    const ipg_id *n = edges[i].nodes;
    if (s->body_of_node[n[0]] == body && fabs(s->x[3 * n[0] + 2] - at) < 1e-9 && fabs(s->x[3 * n[1] + 2] - at) < 1e-9)
      break;
  }
  CU_ASSERT_FATAL(i < count);
  get_gids(&s->surface.surface, (ipg_id[]){edges[i].nodes[1], edges[i].nodes[0]}, gids); /* in any order */
  free(edges);
}

static void check_reason(const ipg_contact *contact, const ipg_gid a[2], const ipg_gid b[2], ipg_contact_reason reason,
                         const char *words) {
  ipg_contact_explanation e;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_explain_edges(contact, a, b, &e, &error));
  CU_ASSERT_EQUAL(e.reason, reason);
  CU_ASSERT(strstr(e.sentence, words) != NULL);
  if (e.reason != reason || !strstr(e.sentence, words)) printf("\n    %s", e.sentence);
}

static void test_explanations(void) {
  const ipg_contact_config config = with_edges();
  const double half = sqrt(.5);
  scene s;
  ipg_gid lower[2], upper[2], no_edge[2] = {1, 1 << 20};
  ipg_contact_explanation e;
  ipg_error error = {0};
  make_crossing(&s, .05, 1.2, 1);
  ipg_contact *contact = scene_contact(&s, &config);
  find_edge_at(&s, 0, half, lower), find_edge_at(&s, 1, half + .05, upper);
  CU_ASSERT_EQUAL(ipg_contact_explain_edges(contact, lower, upper, &e, &error), IPG_ERROR_ARGUMENT);
  scene_predict(&s, .01);
  CU_ASSERT_FATAL(!evaluate_after(contact, .01, s.trial, NULL, s.force, &error));
  check_reason(contact, lower, upper, IPG_REASON_PATHS_APART, "they are 0.04 apart");
  check_reason(contact, upper, lower, IPG_REASON_PATHS_APART, "they are 0.04 apart");
  scene_predict(&s, .1);
  CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.trial, NULL, s.force, &error));
  check_reason(contact, lower, upper, IPG_REASON_IN_CONTACT, "0.05 deep, since this step");
  check_reason(contact, lower, lower, IPG_REASON_OWN_FACE, "one edge");
  CU_ASSERT_EQUAL(ipg_contact_explain_edges(contact, lower, no_edge, &e, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(strstr(error.message, "not the ends of an edge") != NULL);
  const ipg_gid one_node[2] = {lower[0], lower[0]};
  CU_ASSERT_EQUAL(ipg_contact_explain_edges(contact, lower, one_node, &e, &error), IPG_ERROR_ARGUMENT);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A node's force is the sum of the contributions of its contacts, in the order of keys. */
static void test_contributions(void) {
  const ipg_contact_config config = with_edges();
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .52, .5, 4, "ball"),
                       scene_ridge((double[]){9, 0, 0}, 0, 1, "lower ridge"),
                       scene_ridge((double[]){9, 0, sqrt(2.) + .04}, 1.2, 1, "upper ridge")};
  scene s;
  scene_make(&s, meshes, 4, 1);
  s.velocity[1][2] = s.velocity[3][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  const size_t values = 3 * (size_t)s.surface.surface.node_count;
  double *sum = calloc(values, sizeof *sum);
  int64_t count = 0;
  for (int64_t step = 1; step <= 50; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    count = ipg_contact_get_counters(contact).contacts;
  }
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_FATAL(count > 3 && pairs[0].kind == IPG_CONTACT_NODE_FACE &&
                  pairs[count - 1].kind == IPG_CONTACT_EDGE_EDGE);
  for (int64_t i = 0; i < count; ++i) {
    const ipg_contact_key key = ipg_contact_key_of(contact, &pairs[i]);
    for (int n = 0; n < 4; ++n)
      for (int k = 0; k < 3; ++k) sum[3 * pairs[i].nodes[n] + k] += pairs[i].weights[n] * pairs[i].response.force[k];
    if (i == 0) continue;
    const ipg_contact_key before = ipg_contact_key_of(contact, &pairs[i - 1]);
    const int64_t p[] = {before.kind, before.owner[0], before.owner[1], before.touched[0], before.touched[1]};
    const int64_t q[] = {key.kind, key.owner[0], key.owner[1], key.touched[0], key.touched[1]};
    int at = 0;
    while (at < 4 && p[at] == q[at]) ++at;
    CU_ASSERT(p[at] < q[at]);
  }
  CU_ASSERT(!memcmp(sum, s.force, values * sizeof *sum));
  free(sum);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* ----------------------------------------------------------------------------------------------------------- a roof */

/* A ridge of two edges along y, from A over B to C, with a face on either side of each; and a probe: an upright
 * triangle whose lowest edge, from P0 to P1, crosses the ridge at some y. */
enum { A, B, C, R1, L1, R2, L2, P0, P1, P2, ROLES };

typedef struct roof {
  double left, right;   /* how high the sides' outer corners are over the ridge */
  double angle, at;     /* of the probe against x, and where it crosses the ridge */
  bool is_border;       /* the first edge has no face on the left */
  bool are_interleaved; /* the probe's edge stands between those of the ridge in the order of edges */
  double x[3 * ROLES], force[3 * ROLES];
  ipg_contact *contact;
  int64_t step;
} roof;

static ipg_id number_of_role(const roof *r, int role) {
  static const ipg_id numbers[2][ROLES] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 8, 9, 3, 4, 5, 6, 1, 2, 7}};
  return numbers[r->are_interleaved][role];
}

static void put_roof(roof *r, double probe_height) {
  const double c = cos(r->angle), s = sin(r->angle), h = probe_height;
  const double at[ROLES][3] = {{0, -1, 0},
                               {0, 1, 0},
                               {0, 3, 0},
                               {1, 0, r->right},
                               {-1, 0, r->left},
                               {1, 2, r->right},
                               {-1, 2, r->left},
                               {-.3 * c, r->at - .3 * s, h},
                               {.3 * c, r->at + .3 * s, h},
                               {0, r->at, h + 1}};
  for (int i = 0; i < ROLES; ++i) memcpy(r->x + 3 * number_of_role(r, i), at[i], sizeof at[i]);
}

static void make_roof(roof *r, ipg_contact_config config, double probe_height) {
  static const int sides_of_ridge[5][3] = {{A, R1, B}, {A, B, L1}, {B, R2, C}, {B, C, L2}, {P0, P1, P2}};
  ipg_id faces[15];
  int32_t bodies[5], blocks[5];
  int count = 0;
  ipg_error error = {0};
  for (int f = 0; f < 5; ++f) {
    if (f == 1 && r->is_border) continue;
    for (int k = 0; k < 3; ++k) faces[3 * count + k] = number_of_role(r, sides_of_ridge[f][k]);
    bodies[count] = f == 4, blocks[count++] = f == 4 ? 1 : f > 1 ? 2 : 0;
  }
  small_surface s = small_surface_of(ROLES, count, faces);
  memcpy(s.bodies, bodies, sizeof bodies), memcpy(s.blocks, blocks, sizeof blocks);
  const ipg_surface surface = small_surface_view(&s);
  put_roof(r, probe_height);
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, r->x, &r->contact, &error));
}

/* Evaluates a step to where the roof is put. */
static void move_roof(roof *r, double probe_height) {
  ipg_error error = {0};
  put_roof(r, probe_height);
  CU_ASSERT_FATAL(!evaluate_after(r->contact, 1, r->x, NULL, r->force, &error));
}

static void step_roof(roof *r, double at, double probe_height) {
  ipg_error error = {0};
  r->at = at;
  move_roof(r, probe_height);
  CU_ASSERT_FATAL(!ipg_contact_accept(r->contact, ++r->step, &error));
}

static ipg_contact_reason reason_of_roof(const roof *r) {
  const ipg_gid ridge[2] = {number_of_role(r, A) + 1, number_of_role(r, B) + 1},
                probe[2] = {number_of_role(r, P0) + 1, number_of_role(r, P1) + 1};
  ipg_contact_explanation e, turned;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_explain_edges(r->contact, ridge, probe, &e, &error));
  CU_ASSERT_FATAL(!ipg_contact_explain_edges(r->contact, probe, ridge, &turned, &error));
  CU_ASSERT_EQUAL(e.reason, turned.reason);
  CU_ASSERT_EQUAL(e.reason == IPG_REASON_IN_CONTACT, count_of(r->contact, IPG_CONTACT_EDGE_EDGE) == 1);
  return e.reason;
}

/* Sharp and convex by more than 6 degrees, or a border; from outside of both wedges but for a little; by more than 3
 * degrees from parallel: only such edges have contact. */
static void test_which_edges(void) {
  const double degree = M_PI / 180;
  const struct {
    roof r;
    double to;
    ipg_contact_reason reason;
  } cases[] = {
      {{.left = -.5, .right = -.5}, -.05, IPG_REASON_IN_CONTACT},
      {{.left = -.06, .right = -.06}, -.05, IPG_REASON_IN_CONTACT},
      {{.left = -.04, .right = -.04}, -.05, IPG_REASON_NOT_SHARP},
      {{.left = 0, .right = 0}, -.05, IPG_REASON_NOT_SHARP},
      {{.left = .5, .right = .5}, -.05, IPG_REASON_NOT_SHARP},
      {{.left = 0, .right = -.5, .is_border = true}, -.05, IPG_REASON_IN_CONTACT},
      {{.left = .015, .right = -.5}, -.05, IPG_REASON_IN_CONTACT},
      {{.left = .025, .right = -.5}, -.05, IPG_REASON_WITHIN_A_WEDGE},
      {{.left = -.5, .right = -.5, .angle = 85 * degree}, -.05, IPG_REASON_IN_CONTACT},
      {{.left = -.5, .right = -.5, .angle = 88 * degree}, -.05, IPG_REASON_LEFT_AGAIN},
      {{.left = -.5, .right = -.5}, 0, IPG_REASON_IN_CONTACT},
      {{.left = -.5, .right = -.5}, .05, IPG_REASON_PATHS_APART},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    roof r = cases[i].r;
    make_roof(&r, with_edges(), .1);
    move_roof(&r, cases[i].to);
    CU_ASSERT_EQUAL(reason_of_roof(&r), cases[i].reason);
    if (reason_of_roof(&r) != cases[i].reason) printf("\n    case %zu: reason %d", i, reason_of_roof(&r));
    ipg_contact_destroy(&r.contact);
  }
}

/* The wedge is that at the time of touch, not at the end of the step. */
static void test_wedge_at_touch(void) {
  roof r = {.left = -.3, .right = -.5};
  make_roof(&r, with_edges(), .01);
  r.left = .3;
  move_roof(&r, -.09);
  CU_ASSERT_EQUAL(reason_of_roof(&r), IPG_REASON_IN_CONTACT);
  ipg_contact_destroy(&r.contact);
}

static void test_edges_where_contact_is_off(void) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = with_edges();
  roof r = {.left = -.5, .right = -.5};
  rule.blocks[0] = 0, rule.blocks[1] = 1, rule.off = true;
  config.rules = &rule, config.rule_count = 1;
  make_roof(&r, config, .1);
  move_roof(&r, -.05);
  CU_ASSERT_EQUAL(reason_of_roof(&r), IPG_REASON_OFF);
  ipg_contact_destroy(&r.contact);
}

/* The probe slides from the first edge of the ridge to the second: a new contact whose spring is loaded already, so
 * that nothing is lost; it has no slip of the old one; and it pushes the probe up, whichever edge comes first in the
 * order of edges. */
static void test_slides_to_neighbour(void) {
  for (int i = 0; i < 4; ++i) {
    ipg_contact_config config = with_edges();
    roof r = {.left = -.5, .right = -.5, .are_interleaved = i % 2};
    const bool sticks = i / 2;
    int64_t count;
    if (sticks) config.law = (ipg_contact_law){10, 10, 0, 0};
    r.at = .7;
    make_roof(&r, config, .1);
    step_roof(&r, .7, -.05);
    for (int k = 0; k < 2; ++k) step_roof(&r, .9 + .2 * k, -.05);
    const ipg_contact_pair *pair = ipg_contact_pairs(r.contact, &count);
    CU_ASSERT_FATAL(count == 1 && pair->kind == IPG_CONTACT_EDGE_EDGE && pair->owner < pair->touched);
    const int first_of_probe = r.are_interleaved ? 0 : 2;
    CU_ASSERT_EQUAL(pair->nodes[first_of_probe], number_of_role(&r, P0));
    CU_ASSERT_EQUAL(pair->nodes[2 - first_of_probe], number_of_role(&r, B));
    CU_ASSERT_DOUBLE_EQUAL(pair->gap, -.05, 1e-12);
    double up = 0;
    for (int k = 0; k < 2; ++k) up += r.force[3 * number_of_role(&r, P0 + k) + 2];
    CU_ASSERT(up > 0);
    CU_ASSERT_DOUBLE_EQUAL(fabs(pair->history.tangential_slip[1]), sticks ? .2 : 0, 1e-12);
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(r.contact);
    CU_ASSERT(l.activations == 2 && l.deactivations == 1);
    if (!sticks) CU_ASSERT_DOUBLE_EQUAL(l.spring_net_loss, 0, 1e-12 * l.contact_energy);
    ipg_contact_destroy(&r.contact);
  }
}

/* The law is that of the edge's block, not of the block of some node. */
static void test_law_of_second_edge(void) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = with_edges();
  roof r = {.left = -.5, .right = -.5, .at = 1.5};
  double normal_force;
  rule.blocks[0] = 2, rule.blocks[1] = 1, rule.law.friction_static = rule.law.friction_dynamic = .5;
  config.rules = &rule, config.rule_count = 1;
  make_roof(&r, config, .1);
  step_roof(&r, 1.5, -.05);
  step_roof(&r, 1.9, -.05);
  const double friction = friction_of_edges(r.contact, &normal_force);
  CU_ASSERT_DOUBLE_EQUAL(friction, .5 * normal_force, 1e-12 * normal_force);
  ipg_contact_destroy(&r.contact);
}

/* It does not slide on to where a rule switches contact off. */
static void test_slides_to_where_it_is_off(void) {
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = with_edges();
  roof r = {.left = -.5, .right = -.5, .at = .9};
  rule.blocks[0] = 2, rule.blocks[1] = 1, rule.off = true;
  config.rules = &rule, config.rule_count = 1;
  make_roof(&r, config, .1);
  step_roof(&r, .9, -.05);
  CU_ASSERT_EQUAL(count_of(r.contact, IPG_CONTACT_EDGE_EDGE), 1);
  step_roof(&r, 1.1, -.05);
  CU_ASSERT_EQUAL(count_of(r.contact, IPG_CONTACT_EDGE_EDGE), 0);
  ipg_contact_destroy(&r.contact);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"edges are known", test_edges_are_known},
      {"the order of edges", test_order_of_edges},
      {"ridges that cross", test_crossing_ridges},
      {"touching within rounding", test_touching_within_rounding},
      {"a ridge faster than its size", test_fast_ridge},
      {"a ridge slides over edges", test_slides_over_edges},
      {"friction on a ridge", test_friction_on_ridge},
      {"friction turns with ridges", test_friction_turns_with_ridges},
      {"the law of edges", test_law_of_edges},
      {"no thickness within a body", test_no_thickness_within_a_body},
      {"a second search", test_second_search},
      {"counted candidates", test_counted_candidates},
      {"short and thick edges", test_short_thick_edges},
      {"no contact of flat edges", test_no_contact_of_flat_edges},
      {"explanations", test_explanations},
      {"contributions", test_contributions},
      {"which edges have contact", test_which_edges},
      {"the wedge at the touch", test_wedge_at_touch},
      {"edges where contact is off", test_edges_where_contact_is_off},
      {"an edge slides to a neighbour", test_slides_to_neighbour},
      {"the law of a second edge", test_law_of_second_edge},
      {"an edge slides to where contact is off", test_slides_to_where_it_is_off},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "edges", tests);
}
