/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Results at nodes, at faces and of pairs of blocks: what they are sums and parts of, and closed forms of pressure,
 * gap, status and slip. */
#include "support/byte_list.h"
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/law_scene.h"
#include "support/mixed_scene.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>

typedef ipg_contact_node_result node_result;
typedef ipg_contact_face_result face_result;
typedef ipg_contact_block_result block_result;

/* All that can be asked for after an evaluation. */
typedef struct results {
  node_result *nodes;
  face_result *faces;
  const block_result *blocks;
  int64_t block_count;
} results;

static results results_of(const scene *s, ipg_contact *contact) {
  const ipg_surface *surface = &s->surface.surface;
  ipg_error error = {0};
  results r = {.nodes = malloc((size_t)surface->node_count * sizeof *r.nodes),
               .faces = malloc((size_t)surface->face_count * sizeof *r.faces)};
  CU_ASSERT_FATAL(!ipg_contact_get_results(contact, r.nodes, r.faces, &error));
  CU_ASSERT_FATAL(!ipg_contact_find_block_results(contact, &r.blocks, &r.block_count, &error));
  return r;
}

static void free_results(results *r) { free(r->nodes), free(r->faces); }

/* By value: the structs have bytes that nobody sets. */
static bool are_nodes_same(const node_result *a, const node_result *b) {
  return a->status == b->status && a->at_wall == b->at_wall && a->area == b->area && a->pressure == b->pressure &&
         a->gap == b->gap && a->slip == b->slip && vec3_distance(a->normal_force, b->normal_force) == 0 &&
         vec3_distance(a->tangential_force, b->tangential_force) == 0;
}

static bool are_faces_same(const face_result *a, const face_result *b) {
  return a->status == b->status && a->at_wall == b->at_wall && a->pressure == b->pressure && a->gap == b->gap;
}

static bool are_blocks_same(const block_result *a, const block_result *b) {
  return a->blocks[0] == b->blocks[0] && a->blocks[1] == b->blocks[1] && a->wall == b->wall &&
         a->contacts == b->contacts && vec3_distance(a->normal_force, b->normal_force) == 0 &&
         vec3_distance(a->tangential_force, b->tangential_force) == 0 && vec3_distance(a->moment, b->moment) == 0 &&
         a->contact_energy == b->contact_energy && a->friction_dissipation == b->friction_dissipation &&
         a->damping_dissipation == b->damping_dissipation;
}

static bool are_results_same(const ipg_surface *s, const results *a, const results *b) {
  bool same = a->block_count == b->block_count;
  for (int64_t i = 0; i < s->node_count; ++i) same = same && are_nodes_same(&a->nodes[i], &b->nodes[i]);
  for (int64_t i = 0; i < s->face_count; ++i) same = same && are_faces_same(&a->faces[i], &b->faces[i]);
  for (int64_t i = 0; same && i < a->block_count; ++i) same = are_blocks_same(&a->blocks[i], &b->blocks[i]);
  return same;
}

/* ------------------------------------------------------------------------------------------------ the mixed scene */

static const double step_length = 1e-3;

typedef struct mixed {
  scene s;
  ipg_contact_rule tie;
  ipg_contact_wall wall;
  ipg_contact_config config;
  ipg_contact *contact;
  int64_t searches; /* of create */
} mixed;

static void make_mixed(mixed *m, const ipg_tasks *tasks) {
  m->tie = ipg_contact_rule_defaults();
  m->tie.blocks[0] = 0, m->tie.blocks[1] = 1, m->tie.tied = true, m->tie.law.damping = .1, m->tie.tie_within = .01;
  m->wall =
      (ipg_contact_wall){.point = {0, 0, -.5002}, .normal = {0, 0, 1}, .velocity = {0, 0, .05}, .law = {.3, .3, 0, .1}};
  m->config = ipg_contact_defaults();
  m->config.contributions = true, m->config.reference_step = step_length;
  m->config.law = (ipg_contact_law){.3, .2, 1, .1};
  m->config.rules = &m->tie, m->config.rule_count = 1, m->config.walls = &m->wall, m->config.wall_count = 1;
  if (tasks) m->config.tasks = *tasks;
  mixed_scene_make(&m->s);
  m->contact = scene_contact(&m->s, &m->config);
  m->searches = ipg_contact_get_counters(m->contact).searches;
}

static void free_mixed(mixed *m) {
  ipg_contact_destroy(&m->contact);
  scene_free(&m->s);
}

static void go(mixed *m, int64_t from, int64_t to) {
  for (int64_t step = from; step <= to; ++step) CU_ASSERT_FATAL(scene_step(&m->s, m->contact, step_length, step));
}

/* ------------------------------------------------------------------------------------------------------------ sums */

static double largest_of(const double *values, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = suite_worst(largest, values[i]);
  return largest;
}

/* Relative to the largest force. */
static double node_error(const scene *s, const ipg_contact *contact, const results *r) {
  const double *force = ipg_contact_forces(contact);
  const int64_t nodes = s->surface.surface.node_count;
  double worst = 0;
  for (int64_t i = 0; i < 3 * nodes; ++i)
    worst =
        suite_worst(worst, r->nodes[i / 3].normal_force[i % 3] + r->nodes[i / 3].tangential_force[i % 3] - force[i]);
  const double largest = largest_of(force, 3 * nodes);
  return largest > 0 ? worst / largest : worst;
}

/* Each body is a block: its forces are those of its pairs, on the first block as they are, on the second opposite. So
 * are the moments, but for body 1, the second of a tie: dampers of elongated ties make a couple. */
static double block_error(const mixed *m, const results *r) {
  const scene *s = &m->s;
  const double largest = largest_of(s->force, 3 * s->surface.surface.node_count);
  double worst = 0;
  for (int32_t body = 0; body < 5; ++body) {
    double force[3] = {0}, moment[3] = {0}, of_node[3];
    for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
      if (s->body_of_node[i] != body) continue;
      vec3_cross(s->trial + 3 * i, s->force + 3 * i, of_node);
      for (int k = 0; k < 3; ++k) force[k] += s->force[3 * i + k], moment[k] += of_node[k];
    }
    for (int64_t i = 0; i < r->block_count; ++i) {
      const block_result *b = &r->blocks[i];
      const double sign = b->blocks[0] == body ? 1 : b->blocks[1] == body ? -1 : 0;
      for (int k = 0; k < 3; ++k)
        force[k] -= sign * (b->normal_force[k] + b->tangential_force[k]), moment[k] -= sign * b->moment[k];
    }
    for (int k = 0; k < 3; ++k) worst = suite_worst(suite_worst(worst, force[k]), body == 1 ? 0 : moment[k]);
  }
  return largest > 0 ? worst / largest : worst;
}

/* The block of an element, or of a node; each body is a block. */
static int32_t block_of_name(const scene *s, const int64_t name[2], bool is_node) {
  const ipg_surface *surface = &s->surface.surface;
  for (int64_t i = 0; is_node && i < surface->node_count; ++i)
    if (surface->node_gids[i] == name[0]) return s->body_of_node[i];
  for (int64_t i = 0; i < surface->face_count; ++i)
    if (surface->face_elements[i] == name[0]) return surface->face_blocks[i];
  return -1;
}

static bool is_between(const scene *s, const block_result *b, const ipg_contact_key *key) {
  const bool at_wall = key->kind == IPG_CONTACT_NODE_WALL, is_tie = key->kind == IPG_CONTACT_TIE;
  /* A corner is named as a node, and comes second. */
  const int32_t owner = block_of_name(s, key->owner, at_wall || is_tie);
  const int32_t touched = at_wall ? -1 : block_of_name(s, key->touched, key->kind == IPG_CONTACT_FACE_CORNER);
  if (at_wall != (b->wall >= 0)) return false;
  return (b->blocks[0] == owner && b->blocks[1] == touched) || (b->blocks[0] == touched && b->blocks[1] == owner);
}

/* Normal forces, and all: those of the contributions on the first block. Pressure (part 0) and walls (1) are normal. */
static double contribution_error(const mixed *m, const results *r) {
  int64_t count;
  double worst = 0, largest = 0;
  const ipg_contact_contribution *c = ipg_contact_contributions(m->contact, &count);
  for (int64_t i = 0; i < r->block_count; ++i) {
    const block_result *b = &r->blocks[i];
    double sum[3] = {0};
    for (int64_t j = 0; j < count; ++j)
      for (int k = 0; k < 3 && is_between(&m->s, b, &c[j].key); ++k) {
        largest = suite_worst(largest, c[j].force[k]);
        if (m->s.body_of_node[c[j].node] == b->blocks[0]) sum[k] += c[j].force[k];
      }
    for (int k = 0; k < 3; ++k) worst = suite_worst(worst, sum[k] - b->normal_force[k] - b->tangential_force[k]);
  }
  return largest > 0 ? worst / largest : worst;
}

typedef struct sums {
  double contact, friction, damping;
  int64_t contacts;
} sums;

static sums sums_of_blocks(const results *r) {
  sums s = {0};
  for (int64_t i = 0; i < r->block_count; ++i) {
    s.contact += r->blocks[i].contact_energy, s.friction += r->blocks[i].friction_dissipation;
    s.damping += r->blocks[i].damping_dissipation, s.contacts += r->blocks[i].contacts;
  }
  return s;
}

static double relative(double ours, double reference) { return reference == 0 ? ours : ours / reference - 1; }

/* After accept. */
static double energy_error(const mixed *m, const results *r) {
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(m->contact);
  const sums s = sums_of_blocks(r);
  double worst = suite_worst(0, relative(s.contact, balance.contact_energy));
  worst = suite_worst(worst, relative(s.friction, balance.friction_dissipation));
  return suite_worst(worst, relative(s.damping, balance.damping_dissipation));
}

/* Pairs of faces, and of the other pairs those that are not of a node and a face. */
static void check_numbers(const mixed *m, const results *r) {
  int64_t count, others = 0;
  const ipg_contact_pair *pairs = ipg_contact_pairs(m->contact, &count);
  const ipg_contact_counters counters = ipg_contact_get_counters(m->contact);
  for (int64_t i = 0; i < count; ++i) others += pairs[i].kind != IPG_CONTACT_NODE_FACE;
  CU_ASSERT_EQUAL(sums_of_blocks(r).contacts, counters.face_contacts + others);
  CU_ASSERT(counters.contacts == count && counters.active <= counters.candidates);
  CU_ASSERT_EQUAL(counters.searches - m->searches + counters.reuses, counters.evaluations);
}

/* In their order, each once. */
static void check_order_of_blocks(const results *r) {
  for (int64_t i = 1; i < r->block_count; ++i) {
    const block_result *p = &r->blocks[i - 1], *q = &r->blocks[i];
    if (p->wall >= 0) CU_ASSERT(q->wall < 0 || q->blocks[0] > p->blocks[0])
    else CU_ASSERT(q->wall < 0 && (q->blocks[0] > p->blocks[0] || q->blocks[1] > p->blocks[1]));
  }
}

static void test_sums(void) {
  double of_nodes = 0, of_blocks = 0, of_contributions = 0, of_energy = 0;
  mixed m;
  ipg_error error = {0};
  make_mixed(&m, NULL);
  for (int64_t step = 1; step <= 60; ++step) {
    scene_predict(&m.s, step_length);
    CU_ASSERT_FATAL(!evaluate_after(m.contact, step_length, m.s.trial, NULL, m.s.force, &error));
    results r = results_of(&m.s, m.contact);
    of_nodes = suite_worst(of_nodes, node_error(&m.s, m.contact, &r));
    of_blocks = suite_worst(of_blocks, block_error(&m, &r));
    of_contributions = suite_worst(of_contributions, contribution_error(&m, &r));
    check_numbers(&m, &r), check_order_of_blocks(&r);
    free_results(&r);
    CU_ASSERT_FATAL(!ipg_contact_accept(m.contact, step, &error));
    r = results_of(&m.s, m.contact);
    of_nodes = suite_worst(of_nodes, node_error(&m.s, m.contact, &r));
    of_energy = suite_worst(of_energy, energy_error(&m, &r));
    free_results(&r);
    scene_complete(&m.s, step_length);
  }
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(m.contact);
  CU_ASSERT(balance.friction_dissipation > 0 && balance.damping_dissipation > 0 && balance.contact_energy > 0);
  suite_gate("contact results: normal and tangential forces of nodes against contact forces", of_nodes, 1e-12);
  suite_gate("contact results: forces and moments of pairs of blocks against those of bodies", of_blocks, 1e-12);
  suite_gate("contact results: forces of pairs of blocks against contributions", of_contributions, 1e-12);
  suite_gate("contact results: energies of pairs of blocks against the energy balance", of_energy, 1e-12);
  free_mixed(&m);
}

/* Faces that press near their borders act on nodes beside them too. */
static void test_sums_of_random_bodies(void) {
  double worst = 0;
  long pressed = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    rng r = rng_start(300 + i);
    const ipg_contact_config config = ipg_contact_defaults();
    const char *const names[] = {"first", "second"};
    ipg_mesh meshes[2];
    double shift[3];
    law_scene w;
    law_random_pair(&r, meshes, names);
    law_scene_make(&w, meshes, 2, 1, NULL, &config);
    if (law_random_press(&w, &r, pow(10, rng_between(&r, -3, -.5)), shift)) {
      law_shift(&w, 1, shift);
      law_go(&w);
      results all = results_of(&w.s, w.contact);
      worst = suite_worst(worst, node_error(&w.s, w.contact, &all));
      pressed += law_largest_force(&w) > 0;
      free_results(&all);
    }
    law_scene_free(&w);
  }
  CU_ASSERT(pressed > 20);
  suite_gate("contact results: two random bodies: forces of nodes against contact forces", worst, 1e-12);
}

/* Two tilted boxes, each at two walls, one of which moves: corners in front of a wall bear too. */
static void test_two_walls(void) {
  const ipg_contact_wall walls[] = {{.normal = {0, 0, 1}, .velocity = {0, 0, 20}},
                                    {.point = {0, -.6, 0}, .normal = {0, 1, 0}}};
  ipg_mesh meshes[] = {scene_box(-.5, -.5, 0, .5, .5, 1, 4, 4, 4, "box"),
                       scene_box(1.5, -.5, 0, 2.5, .5, 1, 4, 4, 4, "other")};
  ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  config.walls = walls, config.wall_count = 2;
  law_scene_make(&w, meshes, 2, 1, NULL, &config);
  law_tilt(&w, 0, .1, (double[]){0, 0, 0}, (double[]){0, -.15, 0});
  law_tilt(&w, 1, -.1, (double[]){2, 0, 0}, (double[]){0, -.15, 0});
  law_go(&w);
  results r = results_of(&w.s, w.contact);
  CU_ASSERT_FATAL(r.block_count == 4);
  long in_front = 0;
  for (int i = 0; i < 4; ++i) {
    const block_result *b = &r.blocks[i];
    CU_ASSERT(b->wall == i / 2 && b->blocks[0] == i % 2 && b->blocks[1] == -1 && b->contact_energy > 0);
    CU_ASSERT(b->contacts > 0 && b->normal_force[i < 2 ? 2 : 1] > 0 && b->normal_force[0] == 0);
  }
  for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i) in_front += r.nodes[i].at_wall && r.nodes[i].gap == 0;
  CU_ASSERT(in_front > 0);
  CU_ASSERT(node_error(&w.s, w.contact, &r) < 1e-12);
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(w.contact);
  CU_ASSERT_DOUBLE_EQUAL(sums_of_blocks(&r).contact / balance.contact_energy, 1, 1e-12);
  free_results(&r);
  law_scene_free(&w);
}

/* Each kind of contact has its status at some node, and open nodes have nothing. */
static void test_status_of_kinds(void) {
  mixed m;
  bool seen[IPG_STATUS_SLIDING + 1] = {false}, at_wall = false;
  make_mixed(&m, NULL);
  go(&m, 1, 40);
  results r = results_of(&m.s, m.contact);
  for (int64_t i = 0; i < m.s.surface.surface.node_count; ++i) {
    const node_result *n = &r.nodes[i];
    seen[n->status] = true, at_wall |= n->at_wall;
    CU_ASSERT(n->status == IPG_STATUS_OPEN ? n->area == 0 && n->gap == 0 && n->slip == 0 && n->pressure == 0
                                           : n->area > 0);
    CU_ASSERT(n->status <= IPG_STATUS_TIED || n->pressure > 0);
    if (n->at_wall) CU_ASSERT(m.s.body_of_node[i] == 0 && n->normal_force[2] > 0 && n->gap < 0);
  }
  for (int i = 0; i <= IPG_STATUS_SLIDING; ++i) CU_ASSERT(seen[i]);
  CU_ASSERT(at_wall);
  free_results(&r);
  free_mixed(&m);
}

/* ------------------------------------------------------------------------------------------------------- pressure */

/* k psi'(d), stiffnesses in series. */
static double pressure_of_law(const scene *s, double depth, double onset) {
  const double *k = s->surface.surface.face_stiffnesses;
  const double series = 1 / (1 / k[0] + 1 / k[s->surface.surface.face_count - 1]);
  return series * (depth < onset ? depth * depth / (2 * onset) : depth - onset / 2);
}

typedef struct patch_error {
  double inside, border, faces, resultant, gap, area;
} patch_error;

/* Of the underside of the block, z = 0, from -.5 to .5. */
static patch_error measure_patch(const law_scene *w, double depth, double pressure) {
  const ipg_surface *surface = &w->s.surface.surface;
  patch_error e = {0};
  double sum = 0, area = 0, of_faces = 0;
  results r = results_of(&w->s, w->contact);
  for (int64_t i = 0; i < surface->node_count; ++i) {
    const double *x = w->s.x + 3 * i;
    if (w->s.body_of_node[i] != 1 || x[2] > 1e-9) continue;
    const bool is_border = fmax(fabs(x[0]), fabs(x[1])) > .4999;
    double *worst = is_border ? &e.border : &e.inside;
    *worst = suite_worst(*worst, r.nodes[i].pressure / pressure - 1);
    e.gap = suite_worst(e.gap, r.nodes[i].gap / -depth - 1);
    sum += r.nodes[i].pressure * r.nodes[i].area, area += r.nodes[i].area;
    CU_ASSERT_EQUAL(r.nodes[i].status, IPG_STATUS_SLIDING); /* without friction */
  }
  for (int64_t f = 0; f < surface->face_count; ++f) {
    double normal[3];
    const ipg_id *corner = surface->faces + 3 * f;
    if (surface->face_bodies[f] != 1 || r.faces[f].status == IPG_STATUS_OPEN) continue;
    vec3_normal(w->s.x + 3 * corner[0], w->s.x + 3 * corner[1], w->s.x + 3 * corner[2], normal);
    CU_ASSERT(normal[2] < 0 && r.faces[f].status == IPG_STATUS_SLIDING);
    e.gap = suite_worst(e.gap, r.faces[f].gap / -depth - 1);
    e.faces = suite_worst(e.faces, r.faces[f].pressure / pressure - 1);
    of_faces += r.faces[f].pressure * .5 * vec3_length(normal);
  }
  e.area = area - 1;
  e.resultant = suite_worst(suite_worst(0, of_faces / sum - 1), sum / pressure - 1);
  free_results(&r);
  return e;
}

/* A block pressed into a larger floor whose mesh does not match. */
static void test_patch(void) {
  const double depth = .004, moduli[] = {2e5, 1e5};
  ipg_mesh meshes[] = {scene_box(-.83, -.77, -.6, .71, .79, 0, 7, 6, 2, "floor"),
                       scene_box(-.5, -.5, 0, .5, .5, 1, 4, 4, 4, "block")};
  ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  config.onset = 1e-3;
  law_scene_make(&w, meshes, 2, 1, moduli, &config);
  law_shift(&w, 1, (double[]){0, 0, -depth});
  law_go(&w);
  const patch_error e = measure_patch(&w, depth, pressure_of_law(&w.s, depth, config.onset));
  suite_gate("contact results: a block on a floor: pressure at inner nodes", e.inside, 1e-9);
  suite_gate("contact results: a block on a floor: pressure at nodes on the border", e.border, 1e-9);
  suite_gate("contact results: a block on a floor: pressure of faces", e.faces, 1e-9);
  suite_gate("contact results: a block on a floor: resultant", e.resultant, 1e-9);
  suite_gate("contact results: a block on a floor: gap", e.gap, 1e-9);
  suite_gate("contact results: a block on a floor: contact area of nodes", e.area, 1e-12);
  law_scene_free(&w);
}

/* Under a tilted block faces reach a cell beyond their nodes to where it is deeper: nodes are as deep as that. */
static void test_gaps_of_tilted_block(void) {
  const ipg_contact_config config = ipg_contact_defaults();
  for (double tilt = -.02; tilt < .03; tilt += .04) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -.6, 1, 1, 0, 7, 6, 2, "floor"),
                         scene_box(-.5, -.5, 0, .5, .5, 1, 4, 4, 4, "block")};
    const double deepest = .5 * sin(.02);
    law_scene w;
    law_scene_make(&w, meshes, 2, 1, NULL, &config);
    law_tilt(&w, 1, tilt, (double[]){0, 0, 0}, (double[]){0, 0, 0});
    law_go(&w);
    results r = results_of(&w.s, w.contact);
    for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i) {
      const double depth = -w.s.trial[3 * i + 2], next = fmin(deepest, depth + .25 * sin(.02));
      if (w.s.body_of_node[i] != 1 || depth <= 1e-9) continue;
      CU_ASSERT(-r.nodes[i].gap > .99 * next && -r.nodes[i].gap < 1.01 * deepest);
    }
    free_results(&r);
    law_scene_free(&w);
  }
}

/* A block that stands on a wall. */
static void test_patch_on_wall(void) {
  const ipg_contact_wall wall = {.normal = {0, 0, 1}};
  const double depth = .004, moduli[] = {1e5};
  ipg_mesh meshes[] = {scene_box(-.5, -.5, 0, .5, .5, 1, 4, 4, 4, "block")};
  ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  config.onset = 1e-3, config.walls = &wall, config.wall_count = 1;
  law_scene_make(&w, meshes, 1, 1, moduli, &config);
  law_shift(&w, 0, (double[]){0, 0, -depth});
  law_go(&w);
  const ipg_surface *surface = &w.s.surface.surface;
  const double pressure = surface->face_stiffnesses[0] * (depth - config.onset / 2);
  double nodes = 0, faces = 0, area = 0;
  results r = results_of(&w.s, w.contact);
  for (int64_t i = 0; i < surface->node_count; ++i) {
    CU_ASSERT_EQUAL(r.nodes[i].at_wall, w.s.x[3 * i + 2] < 1e-9);
    if (!r.nodes[i].at_wall) continue;
    nodes = suite_worst(nodes, r.nodes[i].pressure / pressure - 1), area += r.nodes[i].area;
    CU_ASSERT_DOUBLE_EQUAL(r.nodes[i].gap, -depth, 1e-12);
  }
  for (int64_t f = 0; f < surface->face_count; ++f) {
    if (!r.faces[f].at_wall) continue;
    faces = suite_worst(faces, r.faces[f].pressure / pressure - 1);
    CU_ASSERT_DOUBLE_EQUAL(r.faces[f].gap, -depth, 1e-12);
  }
  suite_gate("contact results: a block on a wall: pressure of nodes", nodes, 1e-9);
  suite_gate("contact results: a block on a wall: pressure of faces", faces, 1e-9);
  suite_gate("contact results: a block on a wall: contact area of nodes", area - 1, 1e-12);
  CU_ASSERT(r.block_count == 1 && r.blocks[0].wall == 0 && r.blocks[0].blocks[0] == 0 && r.blocks[0].blocks[1] == -1);
  CU_ASSERT_DOUBLE_EQUAL(r.blocks[0].normal_force[2], pressure, 1e-9 * pressure);
  free_results(&r);
  law_scene_free(&w);
}

/* ----------------------------------------------------------------------------------------- sticking and sliding */

/* A cube on an incline of tan(angle) against a friction of .3: all its nodes stick, or slide as far as the cube. */
static void go_down_incline(double angle, double *slip, double *travelled, ipg_contact_status *least,
                            ipg_contact_status *most, double *energy) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 8, 2, 0, 10, 4, 1, "floor"),
                       scene_box(-.53, -.51, 0, .47, .49, 1, 2, 2, 2, "cube")};
  const double dt = 5e-4, g = 10;
  ipg_contact_config config = ipg_contact_defaults();
  scene s;
  config.penalty_scale = .1, config.reference_step = dt, config.law = (ipg_contact_law){.3, .3, 0, .5};
  scene_make(&s, meshes, 2, 1);
  s.body_mass[0] = 1e12;
  ipg_contact *contact = scene_contact(&s, &config);
  int64_t upper = 0;
  while (s.body_of_node[upper] != 1) ++upper;
  double from = s.x[3 * upper];
  for (int64_t step = 1; step <= 1600; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step));
    s.velocity[1][2] -= dt * g * cos(angle);
    if (step > 600) s.velocity[1][0] += dt * g * sin(angle); /* at rest by then */
    if (step == 600) from = s.x[3 * upper];
  }
  *travelled = s.x[3 * upper] - from;
  results r = results_of(&s, contact);
  *least = IPG_STATUS_SLIDING, *most = IPG_STATUS_OPEN, *slip = 0;
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i) {
    if (s.body_of_node[i] != 1 || r.nodes[i].status == IPG_STATUS_OPEN) continue;
    *slip = fmax(*slip, r.nodes[i].slip);
    CU_ASSERT(fabs(r.nodes[i].tangential_force[2]) < 1e-12 * r.nodes[i].normal_force[2]);
    if (r.nodes[i].status < *least) *least = r.nodes[i].status;
    if (r.nodes[i].status > *most) *most = r.nodes[i].status;
  }
  CU_ASSERT_FATAL(r.block_count == 1);
  *energy = r.blocks[0].friction_dissipation / (.3 * g * cos(angle) * s.body_mass[1] * *travelled);
  CU_ASSERT(r.blocks[0].normal_force[2] < 0 && r.blocks[0].tangential_force[0] > 0); /* on the floor */
  free_results(&r);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static void test_incline(void) {
  double slip, travelled, energy;
  ipg_contact_status least, most;
  go_down_incline(.25, &slip, &travelled, &least, &most, &energy); /* atan .3 is .291 */
  CU_ASSERT(least == IPG_STATUS_STICKING && most == IPG_STATUS_STICKING && slip < 1e-3 && travelled < 1e-3);
  go_down_incline(.4, &slip, &travelled, &least, &most, &energy);
  CU_ASSERT(least == IPG_STATUS_SLIDING && most == IPG_STATUS_SLIDING);
  suite_gate("contact results: a cube slides down an incline: slip against its way", slip / travelled - 1, .01);
  suite_gate("contact results: a cube slides down an incline: dissipation of the two blocks", energy - 1, .01);
}

/* --------------------------------------------------------------------------------------------------- kept and lost */

static void test_workers(void) {
  ipg_pool *pool = NULL;
  mixed one, four;
  CU_ASSERT_FATAL(!ipg_pool_create(4, &pool, NULL));
  const ipg_tasks tasks = ipg_pool_tasks(pool);
  make_mixed(&one, NULL), make_mixed(&four, &tasks);
  for (int64_t step = 1; step <= 40; ++step) {
    go(&one, step, step), go(&four, step, step);
    results a = results_of(&one.s, one.contact), b = results_of(&four.s, four.contact);
    CU_ASSERT(are_results_same(&one.s.surface.surface, &a, &b));
    free_results(&a), free_results(&b);
  }
  free_mixed(&one), free_mixed(&four);
  ipg_pool_destroy(&pool);
}

/* Revert takes the step back: what is evaluated instead has the results of an object that never went the other way. An
 * evaluation that is not accepted leaves no trace. */
static void test_revert(void) {
  mixed m, other;
  ipg_error error = {0};
  make_mixed(&m, NULL), make_mixed(&other, NULL);
  go(&m, 1, 30), go(&other, 1, 30);
  scene_predict(&m.s, 2 * step_length);
  CU_ASSERT_FATAL(!evaluate_after(m.contact, 2 * step_length, m.s.trial, NULL, m.s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(m.contact, 31, &error) && !ipg_contact_revert(m.contact, &error));
  CU_ASSERT_FATAL(!evaluate_after(m.contact, 2 * step_length, m.s.trial, NULL, m.s.force, &error));
  go(&m, 31, 31), go(&other, 31, 31);
  results a = results_of(&m.s, m.contact), b = results_of(&other.s, other.contact);
  CU_ASSERT(are_results_same(&m.s.surface.surface, &a, &b));
  free_results(&a), free_results(&b);
  free_mixed(&m), free_mixed(&other);
}

static void test_replay(void) {
  mixed m;
  ipg_contact_replay r;
  ipg_error error = {0};
  byte_list b = {0};
  make_mixed(&m, NULL);
  go(&m, 1, 30);
  scene_predict(&m.s, step_length);
  const double time = ipg_contact_get_time(m.contact) + step_length;
  CU_ASSERT_FATAL(!ipg_contact_record(m.contact, time, m.s.trial, NULL, append_bytes, &b, &error));
  CU_ASSERT_FATAL(!open_replay(NULL, b.data, (int64_t)b.count, &r, &error));
  CU_ASSERT_FATAL(!ipg_contact_evaluate(m.contact, time, m.s.trial, NULL, m.s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_evaluate(r.contact, r.time, r.x, r.v, m.s.force, &error));
  for (int accepted = 0; accepted < 2; ++accepted) {
    results ours = results_of(&m.s, m.contact), replayed = results_of(&m.s, r.contact);
    CU_ASSERT(are_results_same(&m.s.surface.surface, &ours, &replayed) && sums_of_blocks(&ours).friction > 0);
    free_results(&ours), free_results(&replayed);
    CU_ASSERT_FATAL(!ipg_contact_accept(m.contact, 31, &error) && !ipg_contact_accept(r.contact, 31, &error));
  }
  ipg_contact_destroy(&r.contact);
  free(b.data);
  free_mixed(&m);
}

/* What springs of friction hold when bodies part is lost between their blocks too. */
static void test_parting(void) {
  const double shifts[][3] = {{0, 0, -.001}, {.00004, 0, -.001}, {.00004, 0, .1}};
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 4, 4, 1, "floor"),
                       scene_box(-.33, -.31, 0, .3, .3, .4, 2, 2, 1, "block")};
  ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  config.law = (ipg_contact_law){.5, .5, 0, 0};
  law_scene_make(&w, meshes, 2, 1, NULL, &config);
  for (int i = 0; i < 3; ++i) law_shift(&w, 1, shifts[i]), law_go(&w);
  results r = results_of(&w.s, w.contact);
  const double lost = ipg_contact_get_energy_balance(w.contact).friction_dissipation;
  CU_ASSERT_FATAL(r.block_count == 1 && r.blocks[0].contacts == 0 && lost > 0);
  CU_ASSERT_DOUBLE_EQUAL(r.blocks[0].friction_dissipation / lost, 1, 1e-12);
  free_results(&r);
  law_scene_free(&w);
}

/* A surface that is updated, and a new start, keep what is dissipated. */
static void test_kept(void) {
  mixed m;
  ipg_error error = {0};
  make_mixed(&m, NULL);
  go(&m, 1, 30);
  CU_ASSERT_FATAL(!ipg_contact_update_surface(m.contact, &m.s.surface.surface, m.s.x, &error));
  go(&m, 31, 32);
  results r = results_of(&m.s, m.contact);
  double worst = energy_error(&m, &r);
  free_results(&r);
  CU_ASSERT_FATAL(!ipg_contact_set_positions(m.contact, ipg_contact_get_time(m.contact), m.s.x, &error));
  go(&m, 33, 34);
  r = results_of(&m.s, m.contact);
  worst = suite_worst(worst, energy_error(&m, &r));
  free_results(&r);
  suite_gate("contact results: energies of pairs of blocks, after an update and a new start", worst, 1e-12);
  free_mixed(&m);
}

/* ---------------------------------------------------------------------------------------------------------- refused */

static void expect_none(const mixed *m, ipg_status status, const char *words) {
  ipg_error error = {0};
  node_result node = {.area = 7};
  face_result face = {.gap = 7};
  const block_result *blocks = NULL;
  int64_t count = 7;
  CU_ASSERT_EQUAL(ipg_contact_get_results(m->contact, &node, &face, &error), status);
  CU_ASSERT(strstr(error.message, words) && node.area == 7 && face.gap == 7);
  error = (ipg_error){0};
  CU_ASSERT_EQUAL(ipg_contact_find_block_results(m->contact, &blocks, &count, &error), status);
  CU_ASSERT(strstr(error.message, words) && !blocks && count == 0);
}

static void test_refused(void) {
  const char *const nothing = "there are no results of contact: evaluate first";
  mixed m;
  ipg_error error = {0};
  make_mixed(&m, NULL);
  expect_none(&m, IPG_ERROR_ARGUMENT, nothing);
  scene_predict(&m.s, step_length);
  CU_ASSERT_FATAL(!evaluate_after(m.contact, step_length, m.s.trial, NULL, m.s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(m.contact, &error));
  expect_none(&m, IPG_ERROR_ARGUMENT, nothing);
  go(&m, 1, 2);
  CU_ASSERT_FATAL(!ipg_contact_revert(m.contact, &error));
  expect_none(&m, IPG_ERROR_ARGUMENT, nothing);
  go(&m, 2, 2);
  scene_predict(&m.s, step_length);
  CU_ASSERT_FATAL(!ipg_contact_detect(m.contact, 1, m.s.trial, &error));
  expect_none(&m, IPG_ERROR_ARGUMENT, nothing);
  go(&m, 3, 3);
  CU_ASSERT_FATAL(!ipg_contact_update_surface(m.contact, &m.s.surface.surface, m.s.x, &error));
  expect_none(&m, IPG_ERROR_ARGUMENT, nothing);
  free_mixed(&m);
}

/* Gaps drop an evaluation, but not the results of one that is accepted. */
static void test_gaps_drop_evaluations(void) {
  const ipg_contact_gap *gaps;
  int64_t count;
  mixed m;
  ipg_error error = {0};
  make_mixed(&m, NULL);
  go(&m, 1, 30);
  results before = results_of(&m.s, m.contact);
  const int64_t block_count = before.block_count;
  CU_ASSERT_FATAL(!ipg_contact_find_gaps(m.contact, .01, &gaps, &count, &error));
  results after = results_of(&m.s, m.contact);
  CU_ASSERT(block_count > 0 && after.block_count == block_count);
  before.blocks = after.blocks; /* the earlier ones are no longer valid */
  CU_ASSERT(are_results_same(&m.s.surface.surface, &before, &after));
  free_results(&before), free_results(&after);
  scene_predict(&m.s, step_length);
  CU_ASSERT_FATAL(!evaluate_after(m.contact, step_length, m.s.trial, NULL, m.s.force, &error));
  CU_ASSERT_FATAL(!ipg_contact_find_gaps(m.contact, .01, &gaps, &count, &error));
  expect_none(&m, IPG_ERROR_ARGUMENT, "evaluate first");
  free_mixed(&m);
}

static void test_kinematic_enforcement(void) {
  mixed m = {.config = ipg_contact_defaults()};
  m.config.enforcement = IPG_ENFORCEMENT_KINEMATIC;
  mixed_scene_make(&m.s);
  m.contact = scene_contact(&m.s, &m.config);
  expect_none(&m, IPG_ERROR_UNSUPPORTED, "choose that enforcement");
  free_mixed(&m);
}

static void test_failing_allocations(void) {
  failing_allocator allocator = {0};
  ipg_error error = {0};
  const block_result *blocks;
  int64_t count;
  mixed m;
  make_mixed(&m, NULL);
  ipg_contact_destroy(&m.contact);
  m.config.allocator = failing_allocator_of(&allocator);
  m.contact = scene_contact(&m.s, &m.config);
  go(&m, 1, 30);
  allocator.fail_at = allocator.allocations + 1;
  CU_ASSERT_EQUAL(ipg_contact_find_block_results(m.contact, &blocks, &count, &error), IPG_ERROR_MEMORY);
  CU_ASSERT(!blocks && !count);
  results r = results_of(&m.s, m.contact);
  CU_ASSERT(r.block_count > 3 && allocator.refusals == 1);
  free_results(&r);
  free_mixed(&m);
  CU_ASSERT_EQUAL(allocator.live_bytes, 0);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"sums of forces and energies", test_sums},
      {"sums of forces of random bodies", test_sums_of_random_bodies},
      {"two walls", test_two_walls},
      {"gaps of a tilted block", test_gaps_of_tilted_block},
      {"status of every kind of contact", test_status_of_kinds},
      {"pressure of a block on a floor", test_patch},
      {"pressure of a block on a wall", test_patch_on_wall},
      {"sticking and sliding on an incline", test_incline},
      {"1 and 4 workers", test_workers},
      {"parting", test_parting},
      {"revert", test_revert},
      {"replay", test_replay},
      {"kept over an update and a new start", test_kept},
      {"refused without an evaluation", test_refused},
      {"gaps", test_gaps_drop_evaluations},
      {"refused with kinematic enforcement", test_kinematic_enforcement},
      {"allocations that fail", test_failing_allocations},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "contact_results", tests);
}
