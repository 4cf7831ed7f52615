/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edge-edge contact: ridges that cross where no node is near. Bodies are rigid. */
#include "support/scene.h"
#include "support/suite.h"

#include <math.h>

static ipg_contact_config with_edges(void) {
  ipg_contact_config config = ipg_contact_defaults();
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
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s->trial, NULL, dt, s->force, &error));
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
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s.trial, NULL, 1e-3, s.force, &error));
  int64_t count, found = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) {
    if (pairs[i].kind != IPG_CONTACT_EDGE_EDGE) continue;
    ++found;
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].gap, -.25, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(fabs(pairs[i].normal[2]), 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].time, .05 / .3, 1e-6);
    CU_ASSERT(pairs[i].time <= .05 / .3);
    CU_ASSERT(pairs[i].force[2] * (s.body_of_node[pairs[i].nodes[0]] == 1 ? 1 : -1) > 0);
  }
  CU_ASSERT_EQUAL(found, 1);
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
                      1e-3);
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
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s.x, NULL, 1, s.force, &error));
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
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s.trial, NULL, .1, s.force, &error));
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
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s.trial, NULL, .01, s.force, &error));
  check_reason(contact, lower, upper, IPG_REASON_PATHS_APART, "they are 0.04 apart");
  check_reason(contact, upper, lower, IPG_REASON_PATHS_APART, "they are 0.04 apart");
  scene_predict(&s, .1);
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s.trial, NULL, .1, s.force, &error));
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
      for (int k = 0; k < 3; ++k) sum[3 * pairs[i].nodes[n] + k] += pairs[i].weights[n] * pairs[i].force[k];
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

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"edges are known", test_edges_are_known},
      {"the order of edges", test_order_of_edges},
      {"ridges that cross", test_crossing_ridges},
      {"touching within rounding", test_touching_within_rounding},
      {"a ridge faster than its size", test_fast_ridge},
      {"a ridge slides over edges", test_slides_over_edges},
      {"friction on a ridge", test_friction_on_ridge},
      {"no contact of flat edges", test_no_contact_of_flat_edges},
      {"explanations", test_explanations},
      {"contributions", test_contributions},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "edges", tests);
}
