/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact patch test: one block on another under uniform pressure, with meshes that do not match. The exact
 * solution is the same stress everywhere, so any deviation is an error of contact. Numbers are those of MOOSE's
 * brick_1.
 *
 * Measured are, each as the largest deviation from the pressure over the pressure: contact forces on nodes over the
 * area around them, inside the interface and on its edges; stress at inner nodes, the mean over the elements around;
 * stress of all elements that touch the interface.
 *
 * Nodes at the free end of one block may come to lie beside the end of the other. They then bear nothing, and their
 * neighbours bear their part: such meshes have rows of their own, so that they do not hide the others. */
#include "support/elastic_host.h"
#include "support/evaluate.h"
#include "support/meshes.h"
#include "support/node_springs.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

static const double young = 1e6, poisson = .3, pressure = 109.8972;

typedef struct patch {
  bool quadratic;
  int cells[2]; /* along each side of the lower and of the upper block */
  ipg_contact_stiffness stiffness;
  double scale;
  int mesh;      /* each number has other distortions */
  uint64_t seed; /* of the distortions; 0: that of the run */
} patch;

typedef struct patch_result {
  double load, resultant[2][3]; /* of contact on the lower and the upper block */
  double node_force, edge_force, node_stress, element_stress;
  int lost; /* nodes on edges that bear nothing; the forces above are those of the others */
} patch_result;

/* ---------------------------------------------------------------------------------------------------------- blocks */

/* Moves inner nodes at random; those on a side stay in it. */
static void distort(ipg_mesh *mesh, double low, double high, int cells, const patch *p) {
  rng random = rng_start_of_seed(p->seed ? p->seed : rng_seed(), 7 + (uint64_t)cells + 100 * (uint64_t)p->mesh);
  for (int64_t i = 0; i < 3 * mesh->node_count; ++i) {
    const double lo = i % 3 == 2 ? low : 0, hi = i % 3 == 2 ? high : 1;
    const double shift = rng_between(&random, -.2, .2) * (hi - lo) / cells;
    if (mesh->x[i] > lo && mesh->x[i] < hi) mesh->x[i] += shift;
  }
}

static ipg_mesh make_block(double low, double high, int cells, const patch *p, const char *name) {
  ipg_mesh mesh = scene_box(0, 0, low, 1, 1, high, cells, cells, cells, name);
  distort(&mesh, low, high, cells, p);
  mesh.blocks[0].quadratic = p->quadratic;
  if (p->quadratic) meshes_add_middles(&mesh);
  return mesh;
}

/* The upper block stands on the lower one, `gap` above it. */
static void make_blocks(scene *s, const patch *p, double gap) {
  ipg_mesh meshes[] = {make_block(-1, 0, p->cells[0], p, "lower"), make_block(gap, 1, p->cells[1], p, "upper")};
  scene_make(s, meshes, 2, 1);
}

static ipg_contact *make_contact(scene *s, const patch *p) {
  ipg_error error = {0};
  const double bulk = young / (3 * (1 - 2 * poisson));
  ipg_contact_config config = node_spring_defaults();
  config.penalty_scale = p->scale, config.stiffness = p->stiffness;
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&s->surface, &s->mesh, &s->skin, (double[]){bulk, bulk}, &error));
  return scene_contact(s, &config);
}

/* ----------------------------------------------------------------------------------------------------------- bodies */

/* The lower block is supported from below; along y both are supported on either side, along x on one. */
static double load_and_hold(elastic_host *h, const scene *s) {
  double *areas = scene_areas_at(&s->surface.surface, s->x, 1, 1e-6), load = 0;
  for (int64_t i = 0; i < s->mesh.node_count; ++i) {
    const double *x = h->x0 + 3 * i;
    h->held[3 * i] = x[0] == 0;
    h->held[3 * i + 1] = x[1] == 0 || x[1] == 1;
    h->held[3 * i + 2] = x[2] == -1;
  }
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    h->load[3 * s->surface.mesh_nodes[i] + 2] = -areas[i] * pressure;
    load += areas[i] * pressure;
  }
  free(areas);
  return load;
}

static void come_to_rest(elastic_host *h, scene *s, ipg_contact *contact) {
  double unbalanced = 1;
  for (int64_t step = 1; unbalanced > 1e-12 * pressure && step < 20000; ++step)
    unbalanced = elastic_host_step(h, s, contact, step);
  CU_ASSERT(unbalanced <= 1e-12 * pressure);
}

static bool is_inner(const double *x) { return x[0] > 0 && x[0] < 1 && x[1] > 0 && x[1] < 1; }

static double deviation(double value) { return fabs(value / pressure - 1); }

static void measure_forces(const scene *s, patch_result *r) {
  double *areas = scene_areas_at(&s->surface.surface, s->x, 0, 1e-6);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const int body = s->body_of_node[i];
    for (int k = 0; k < 3; ++k) r->resultant[body][k] += s->force[3 * i + k];
    if (areas[i] == 0) continue;
    const double *x = s->mesh.x + 3 * (int64_t)s->surface.mesh_nodes[i];
    if (!is_inner(x) && fabs(s->force[3 * i + 2]) < 1e-6 * pressure * areas[i]) {
      ++r->lost;
      continue;
    }
    double *worst = is_inner(x) ? &r->node_force : &r->edge_force;
    *worst = suite_worst(*worst, deviation((body ? 1 : -1) * s->force[3 * i + 2] / areas[i]));
  }
  free(areas);
}

static void measure_stresses(const elastic_host *h, const scene *s, patch_result *r) {
  double *sum = calloc((size_t)s->mesh.node_count, sizeof *sum),
         *volume = calloc((size_t)s->mesh.node_count, sizeof *sum);
  for (const elastic_cell *cell = h->cells; cell < h->cells + h->count; ++cell) {
    double stress[3][3];
    elastic_host_stress(h, cell, stress);
    bool touches = false;
    for (int a = 0; a < 4; ++a) {
      sum[cell->nodes[a]] += cell->volume * -stress[2][2], volume[cell->nodes[a]] += cell->volume;
      touches = touches || fabs(h->x0[3 * cell->nodes[a] + 2]) < 1e-6;
    }
    if (touches) r->element_stress = suite_worst(r->element_stress, deviation(-stress[2][2]));
  }
  for (int64_t i = 0; i < s->mesh.node_count; ++i)
    if (fabs(h->x0[3 * i + 2]) < 1e-6 && is_inner(h->x0 + 3 * i))
      r->node_stress = suite_worst(r->node_stress, deviation(sum[i] / volume[i]));
  free(sum), free(volume);
}

static patch_result run_patch(const patch *p) {
  scene s;
  elastic_host h;
  patch_result r = {0};
  make_blocks(&s, p, 1e-9);
  const double lowest = M_PI / 4 * sqrt(young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson)));
  elastic_host_make(&h, &s, young, poisson, lowest);
  r.load = load_and_hold(&h, &s);
  ipg_contact *contact = make_contact(&s, p);
  come_to_rest(&h, &s, contact);
  measure_forces(&s, &r);
  measure_stresses(&h, &s, &r);
  printf("\n    %s %d:%d, %s, scale %g: in %%, force at nodes %.1f, on edges %.1f, stress at nodes %.1f, of elements "
         "%.1f, "
         "%d nodes bear nothing",
         p->quadratic ? "T10" : "T4", p->cells[0], p->cells[1], p->stiffness ? "material-based" : "mass-based",
         p->scale, 100 * r.node_force, 100 * r.edge_force, 100 * r.node_stress, 100 * r.element_stress, r.lost);
  ipg_contact_destroy(&contact);
  elastic_host_free(&h);
  scene_free(&s);
  return r;
}

/* Of all patches. */
static double resultant_error;

/* At rest contact transmits the load, with opposite forces on the two blocks. */
static void check_resultants(const patch_result *r) {
  CU_ASSERT_DOUBLE_EQUAL(r->load, pressure, 1e-12 * pressure);
  resultant_error = suite_worst(resultant_error, r->resultant[1][2] / r->load - 1);
  for (int k = 0; k < 3; ++k) CU_ASSERT_DOUBLE_EQUAL(r->resultant[0][k], -r->resultant[1][k], 1e-12 * r->load);
}

/* ------------------------------------------------------------------------------------------------------------ tests */

/* One block alone, without contact: the error of the host code itself. */
static void test_host(void) {
  for (int quadratic = 0; quadratic < 2; ++quadratic) {
    scene s;
    elastic_host h;
    patch_result r = {0};
    ipg_mesh mesh = make_block(0, 1, 3, &(patch){.quadratic = quadratic}, "block");
    scene_make(&s, &mesh, 1, 1);
    elastic_host_make(&h, &s, young, poisson, M_PI / 2 * sqrt(young));
    load_and_hold(&h, &s);
    for (int64_t i = 0; i < s.mesh.node_count; ++i) h.held[3 * i + 2] = h.x0[3 * i + 2] == 0;
    ipg_contact *contact = scene_contact(&s, NULL);
    come_to_rest(&h, &s, contact);
    measure_stresses(&h, &s, &r);
    CU_ASSERT(r.element_stress < 1e-9);
    CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
    ipg_contact_destroy(&contact);
    elastic_host_free(&h);
    scene_free(&s);
  }
}

/* The worst of the patches so far. */
static void take_worst(patch_result *worst, const patch_result *r) {
  worst->node_force = suite_worst(worst->node_force, r->node_force);
  worst->edge_force = suite_worst(worst->edge_force, r->edge_force);
  worst->node_stress = suite_worst(worst->node_stress, r->node_stress);
  worst->element_stress = suite_worst(worst->element_stress, r->element_stress);
  worst->lost += r->lost;
}

/* The worst of the patches where every node bears something, and of those where some bear nothing. */
static void run_patches(const patch *patches, int count, patch_result worst[2]) {
  for (int i = 0; i < count; ++i) {
    const patch_result r = run_patch(&patches[i]);
    check_resultants(&r);
    take_worst(&worst[r.lost > 0], &r);
  }
}

/* Mass-based stiffness, the default, does not depend on areas: the resultant is exact, the pressure is uneven. */
static void test_mass_based(void) {
  const patch patches[] = {{false, {3, 4}, IPG_STIFFNESS_MASS_BASED, .1, 0, 0},
                           {false, {3, 4}, IPG_STIFFNESS_MASS_BASED, 1, 0, 0},
                           {true, {3, 4}, IPG_STIFFNESS_MASS_BASED, 1, 0, 0}};
  patch_result worst[2] = {0};
  run_patches(patches, 3, worst);
  CU_ASSERT_EQUAL(worst[1].lost, 0);
  suite_expect_missed("patch test, mass-based stiffness: force at inner nodes", worst->node_force, .05, .5);
  suite_expect_missed("patch test, mass-based stiffness: force at nodes on edges", worst->edge_force, .05, .8);
  suite_expect_missed("patch test, mass-based stiffness: stress at nodes", worst->node_stress, .05, .2);
  suite_expect_missed("patch test, mass-based stiffness: stress of elements", worst->element_stress, .05, .6);
}

static void report_all_bearing(const patch_result *worst) {
  suite_expect_missed("patch test, material-based stiffness: force at inner nodes", worst->node_force, .05, .11);
  suite_expect_missed("patch test, material-based stiffness: force at nodes on edges", worst->edge_force, .05, .2);
  suite_gate("patch test, material-based stiffness: stress at nodes", worst->node_stress, .05);
  suite_expect_missed("patch test, material-based stiffness: stress of elements", worst->element_stress, .05, .13);
}

static void report_some_lost(const patch_result *worst) {
  suite_expect_missed("patch test, beside the end: nodes on edges that bear nothing", worst->lost, 0, 4);
  suite_expect_missed("patch test, beside the end: force at inner nodes", worst->node_force, .05, .13);
  suite_expect_missed("patch test, beside the end: force at the other nodes on edges", worst->edge_force, .05, 1.2);
  suite_gate("patch test, beside the end: stress at nodes", worst->node_stress, .05);
  suite_expect_missed("patch test, beside the end: stress of elements", worst->element_stress, .05, 1.8);
}

/* Material-based stiffness is balanced. Known are those of 60 meshes that miss a gate that the others keep: whatever
 * the seed, they are among those that count. */
static void test_material_based(void) {
  const patch patches[] = {
      {false, {3, 4}, IPG_STIFFNESS_MATERIAL_BASED, .1, 0, 0}, {true, {3, 4}, IPG_STIFFNESS_MATERIAL_BASED, .1, 0, 0},
      {false, {3, 4}, IPG_STIFFNESS_MATERIAL_BASED, 1, 0, 0},  {false, {5, 7}, IPG_STIFFNESS_MATERIAL_BASED, .1, 0, 0},
      {false, {7, 3}, IPG_STIFFNESS_MATERIAL_BASED, .1, 0, 0}, {true, {4, 3}, IPG_STIFFNESS_MATERIAL_BASED, 1, 0, 0},
  };
  const patch known[] = {{false, {7, 3}, IPG_STIFFNESS_MATERIAL_BASED, .1, 1, 20090731},
                         {false, {5, 7}, IPG_STIFFNESS_MATERIAL_BASED, .1, 4, 20090731},
                         {false, {5, 7}, IPG_STIFFNESS_MATERIAL_BASED, .1, 0, 6}};
  patch_result worst[2] = {0};
  run_patches(patches, suite_is_quick() ? 2 : 6, worst);
  run_patches(known, suite_is_quick() ? 0 : 3, worst);
  report_all_bearing(&worst[0]);
  if (worst[1].lost) report_some_lost(&worst[1]);
}

/* Rigid blocks with a small penetration: every gap is the same. The load is that of the elements of both sides in
 * series; each node has its part. Returns the unevenness. */
static double unevenness_at_same_gap(const patch *p) {
  const double depth = 1e-4, bulk = young / (3 * (1 - 2 * poisson));
  ipg_error error = {0};
  scene s;
  patch_result r = {0};
  make_blocks(&s, p, 1e-6);
  ipg_contact *contact = make_contact(&s, p);
  const double *per_area = s.surface.surface.face_stiffnesses;
  const double layers = 1 / (1 / per_area[0] + 1 / per_area[s.surface.surface.face_count - 1]);
  const double thickness = bulk / per_area[0] * p->cells[0] * (p->quadratic ? 2 : 1);
  CU_ASSERT_DOUBLE_EQUAL(thickness, 1. / 3, .1); /* of a tetrahedron: a third of its height, but for the distortion */
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) s.trial[3 * i + k] = s.x[3 * i + k] - (k == 2 && s.body_of_node[i] ? depth + 1e-6 : 0);
  for (int64_t step = 1; step <= 2000; ++step) {
    CU_ASSERT_FATAL(!evaluate_after(contact, 1e-4, s.trial, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
  }
  const double load = .1 * layers * depth;
  for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) s.force[i] *= pressure / load;
  measure_forces(&s, &r);
  CU_ASSERT_EQUAL(r.lost, 0);
  printf("\n    %s, rigid: in %%, force at nodes %.1f, on edges %.1f", p->quadratic ? "T10" : "T4", 100 * r.node_force,
         100 * r.edge_force);
  CU_ASSERT_DOUBLE_EQUAL(r.resultant[1][2], pressure, .001 * pressure);
  for (int k = 0; k < 3; ++k) CU_ASSERT_DOUBLE_EQUAL(r.resultant[0][k], -r.resultant[1][k], 1e-12 * pressure);
  ipg_contact_destroy(&contact);
  scene_free(&s);
  return suite_worst(r.node_force, r.edge_force);
}

static void test_same_gap(void) {
  double worst = 0;
  for (int i = 0; i < (suite_is_quick() ? 2 : 6); ++i)
    worst =
        suite_worst(worst, unevenness_at_same_gap(&(patch){i % 2, {5, 4}, IPG_STIFFNESS_MATERIAL_BASED, .1, i / 2, 0}));
  suite_expect_missed("rigid blocks at one gap, material-based stiffness: force at nodes", worst, .03, .1);
}

static void test_resultants(void) { suite_gate("patch test: resultant of the contact forces", resultant_error, 1e-9); }

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"the host code alone", test_host},
      {"mass-based stiffness", test_mass_based},
      {"material-based stiffness", test_material_based},
      {"resultants of both", test_resultants},
      {"the same gap everywhere", test_same_gap},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "patch", tests);
}
