/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Material-based penalty stiffness against closed forms; the contact pressure is for the patch test. */
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/meshes.h"
#include "support/node_springs.h"
#include "support/spring_host.h"
#include "support/suite.h"

#include <math.h>

static void set_moduli(scene *s, double lower, double upper) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&s->surface, &s->mesh, &s->skin, (double[]){lower, upper}, &error));
}

static ipg_contact_config material_based(double scale) {
  ipg_contact_config config = node_spring_defaults();
  config.stiffness = IPG_STIFFNESS_MATERIAL_BASED, config.penalty_scale = scale;
  return config;
}

/* In a box of cubes of side h the tetrahedra at the surface have a face of h^2 / 2 and a volume of h^3 / 6; a flat part
 * of a quadratic side has a quarter and an eighth of that. */
static void test_layers(void) {
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, 1, .5, 4, 4, 2, "quarters"),
                       scene_box(0, 0, 2, 1.5, 1, 3, 3, 2, 2, "halves")};
  meshes[1].blocks[0].quadratic = true;
  meshes_add_middles(&meshes[1]);
  scene s;
  scene_make(&s, meshes, 2, 1);
  CU_ASSERT_PTR_NULL(s.surface.surface.face_stiffnesses);
  set_moduli(&s, 7, 5), set_moduli(&s, 2, 5); /* the second call counts */
  for (int64_t f = 0; f < s.surface.surface.face_count; ++f) {
    const double expected = s.surface.surface.face_blocks[f] ? 5 * 6 / .5 : 2 * 3 / .25;
    CU_ASSERT_DOUBLE_EQUAL(s.surface.surface.face_stiffnesses[f], expected, 1e-12 * expected);
  }
  scene_free(&s);
}

/* Per node, a third of the area of the faces around it on the cube's underside. */
static double *areas_below(const scene *s) {
  const ipg_surface *surface = &s->surface.surface;
  double *areas = calloc((size_t)surface->node_count, sizeof *areas);
  for (int64_t f = 0; f < surface->face_count; ++f) {
    const double *a = s->x + 3 * surface->faces[3 * f], *b = s->x + 3 * surface->faces[3 * f + 1],
                 *c = s->x + 3 * surface->faces[3 * f + 2];
    const bool below = surface->face_bodies[f] == 1 && a[2] == b[2] && b[2] == c[2] && a[2] < .5;
    const double area = fabs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
    for (int k = 0; below && k < 3; ++k) areas[surface->faces[3 * f + k]] += area / 3;
  }
  return areas;
}

/* A cube on a face of the floor with its nodes far away: the stiffness is that of both layers in series times the
 * area of the node, also at the edges of the cube, and stays constant. */
static void test_closed_form(void) {
  ipg_mesh meshes[] = {scene_box(-8, -8, -1, 8, 8, 0, 2, 2, 1, "floor"),
                       scene_box(3, 1, .001, 4, 2, 1.001, 3, 4, 2, "cube")};
  const ipg_contact_config config = material_based(.3);
  scene s;
  int64_t count = 0;
  scene_make(&s, meshes, 2, 1);
  set_moduli(&s, 100, 40);
  ipg_contact *contact = scene_contact(&s, &config);
  const ipg_surface *surface = &s.surface.surface;
  const double here = surface->face_stiffnesses[surface->face_count - 1], there = surface->face_stiffnesses[0];
  double *areas = areas_below(&s);
  s.velocity[1][2] = -1;
  CU_ASSERT_FATAL(scene_step(&s, contact, .002, 1));
  s.velocity[1][2] = s.velocity[0][2] = 0, s.body_mass[0] = s.body_mass[1] = 1e30;
  for (int64_t step = 2; step < 40; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, .002, step));
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL(count, 20);
  for (int64_t i = 0; i < count; ++i) {
    const double expected = .3 / (1 / here + 1 / there) * areas[pairs[i].nodes[0]];
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].history.stiffness, expected, 1e-9 * expected);
    CU_ASSERT_DOUBLE_EQUAL(pairs[i].gap, -.001, 1e-12);
  }
  free(areas);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Whatever the material, the stiffness is bounded by the time step: half of what a central difference bears. */
static void test_bound_of_step(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 1, 1, 1, "coarse"),
                       scene_box(-.5, -.5, 0, .5, .5, .3, 9, 9, 2, "fine")};
  const ipg_contact_config config = material_based(1);
  const double dt = 1e-2;
  scene s;
  double stiffest = INFINITY;
  scene_make(&s, meshes, 2, 1);
  set_moduli(&s, 1e300, 1e12);
  s.velocity[1][2] = -1;
  ipg_contact *contact = scene_contact(&s, &config);
  for (int64_t step = 1; step <= 60; ++step) {
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step));
    CU_ASSERT(ipg_contact_stable_step(contact) >= 2 * dt * (1 - 1e-9));
    stiffest = fmin(stiffest, ipg_contact_stable_step(contact));
  }
  CU_ASSERT(stiffest < 3 * dt);
  CU_ASSERT(s.velocity[1][2] > s.velocity[0][2]); /* they separate */
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* Balancing stiffness among neighbours moves energy between springs and spring net loss: little, and all of it is
 * booked. */
static void test_bounce(void) {
  for (int ball = 0; ball < 2; ++ball) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 8, 8, 2, "plate"),
                         ball ? scene_ball(.03, .05, .51, .5, 5, "ball")
                              : scene_box(-.52, -.47, .01, .49, .53, .8, 5, 5, 4, "cube")};
    const ipg_contact_config config = material_based(.1);
    const double dt = 1e-3;
    scene s;
    spring_host h;
    double start = 0;
    ipg_error error = {0};
    scene_make(&s, meshes, 2, 1);
    set_moduli(&s, 1e6, 1e6);
    double *velocity = calloc(3 * (size_t)s.mesh.node_count, sizeof *velocity);
    for (int64_t i = 0; i < s.surface.surface.node_count;
         ++i) /* the inner nodes follow by the springs of the host code */
      if (s.body_of_node[i]) velocity[3 * s.surface.mesh_nodes[i] + 2] = -1, start += .5;
    spring_host_make(&h, &s, velocity, .5, dt);
    ipg_contact *contact = scene_contact(&s, &config);
    for (int64_t step = 1; step <= 2000; ++step) {
      spring_host_predict(&h, &s, dt);
      CU_ASSERT_FATAL(!evaluate_after(contact, dt, s.trial, NULL, s.force, &error));
      CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
      spring_host_complete(&h, &s, dt);
      const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
      CU_ASSERT(fabs(h.kinetic - h.work + l.contact_energy + l.spring_net_loss - start) < .001 * start);
      CU_ASSERT(fabs(l.spring_net_loss) < .005 * start);
    }
    CU_ASSERT(ipg_contact_get_energy_balance(contact).activations > 10 &&
              ipg_contact_get_counters(contact).contacts == 0);
    ipg_contact_destroy(&contact);
    spring_host_free(&h);
    scene_free(&s);
  }
}

/* A sledge slides over a floor with a mesh that does not match: activation and deactivation make no energy. */
static void test_slide(void) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 8, 2, 0, 37, 13, 1, "floor"),
                       scene_box(-.53, -.51, 0, .47, .49, 1, 5, 5, 5, "sledge")};
  ipg_contact_config config = material_based(.5);
  const double dt = 5e-4, g = 10, v = 3;
  scene s;
  config.law = (ipg_contact_law){.1, .1, 0, .5};
  scene_make(&s, meshes, 2, 1);
  set_moduli(&s, 1e6, 1e6);
  s.body_mass[0] = 1e30;
  ipg_contact *contact = scene_contact(&s, &config);
  double loss_before = 0, dissipated_before = 0;
  for (int64_t step = 1; step <= 4000; ++step) {
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    if (step == 1000)
      s.velocity[1][0] = v, loss_before = l.spring_net_loss,
      dissipated_before = l.spring_net_loss + l.friction_dissipation + l.damping_dissipation;
    CU_ASSERT_FATAL(scene_step(&s, contact, dt, step));
    s.velocity[1][2] -= dt * g;
  }
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  const double kinetic = .5 * s.body_mass[1] * v * v, left = .5 * s.body_mass[1] * pow(s.velocity[1][0], 2);
  CU_ASSERT(l.spring_net_loss > loss_before - 1e-4 * kinetic);
  CU_ASSERT_DOUBLE_EQUAL(left + l.spring_net_loss + l.friction_dissipation + l.damping_dissipation - dissipated_before,
                         kinetic, .005 * kinetic);
  CU_ASSERT_DOUBLE_EQUAL(s.velocity[1][0], v - .1 * g * 3000 * dt, .01 * v);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A thin plate moves into the floor as a whole: nodes of its upper side, with normals that point away from the floor,
 * are in contact too. */
static void test_upper_side_of_plate(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 2, 2, 1, "floor"),
                       scene_box(-.4, -.4, .01, .5, .6, .03, 3, 3, 1, "plate")};
  const ipg_contact_config config = material_based(.1);
  int64_t count = 0, above = 0;
  scene s;
  scene_make(&s, meshes, 2, 1);
  set_moduli(&s, 1, 1);
  s.velocity[1][2] = -50;
  ipg_contact *contact = scene_contact(&s, &config);
  CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, 1));
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  for (int64_t i = 0; i < count; ++i) {
    CU_ASSERT(pairs[i].history.stiffness > 0 && pairs[i].response.normal_force > 0);
    above += pairs[i].gap > -.03;
  }
  CU_ASSERT_EQUAL(above, 16);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* --------------------------------------------------------------------------------------------------------- errors */

static void expect_refusal(const scene *s, const ipg_contact_config *config, ipg_status expected, const char *word) {
  ipg_contact *contact = NULL;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_contact_create(config, &s->surface.surface, s->x, &contact, &error), expected);
  CU_ASSERT_PTR_NOT_NULL(strstr(error.message, word));
  CU_ASSERT_PTR_NULL(contact);
}

static void test_refusals(void) {
  const double wrong[] = {0, -1, (double)NAN, (double)INFINITY};
  ipg_contact_config config = material_based(.1);
  ipg_mesh mesh = scene_box(0, 0, 0, 1, 1, 1, 1, 1, 1, "box");
  scene s;
  scene_make(&s, &mesh, 1, 1);
  expect_refusal(&s, &config, IPG_ERROR_ARGUMENT, "face_stiffnesses");
  set_moduli(&s, 1, 1);
  for (int i = 0; i < 4; ++i) {
    ipg_error error = {0};
    const double kept = s.surface.face_stiffnesses[3];
    CU_ASSERT_EQUAL(ipg_mesh_surface_set_stiffness(&s.surface, &s.mesh, &s.skin, &wrong[i], &error), IPG_ERROR_NUMBER);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "'box'"));
    CU_ASSERT_EQUAL(s.surface.face_stiffnesses[3], kept);
    s.surface.face_stiffnesses[3] = wrong[i];
    expect_refusal(&s, &config, IPG_ERROR_NUMBER, "per area");
    s.surface.face_stiffnesses[3] = kept;
  }
  config.stiffness = (ipg_contact_stiffness)2;
  expect_refusal(&s, &config, IPG_ERROR_ARGUMENT, "neither");
  scene_free(&s);
}

static void test_failing_allocations(void) {
  ipg_mesh mesh = scene_box(0, 0, 0, 1, 1, 1, 2, 1, 1, "box");
  scene s;
  scene_make(&s, &mesh, 1, 1);
  for (int64_t refused = 1; refused <= 2; ++refused) {
    failing_allocator allocator = {0};
    const ipg_allocator watched = failing_allocator_of(&allocator);
    ipg_mesh_surface surface;
    ipg_error error = {0};
    CU_ASSERT_FATAL(!ipg_mesh_surface_build(&s.mesh, &s.skin, s.masses, &watched, &surface, &error));
    allocator.fail_at = allocator.allocations + refused;
    CU_ASSERT_EQUAL(ipg_mesh_surface_set_stiffness(&surface, &s.mesh, &s.skin, (double[]){1}, &error),
                    IPG_ERROR_MEMORY);
    CU_ASSERT_PTR_NULL(surface.surface.face_stiffnesses);
    for (int twice = 0; twice < 2; ++twice)
      CU_ASSERT(!ipg_mesh_surface_set_stiffness(&surface, &s.mesh, &s.skin, (double[]){1}, &error));
    ipg_mesh_surface_destroy(&surface);
    CU_ASSERT(!allocator.live_bytes && !allocator.wrong_releases);
  }
  scene_free(&s);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"layers", test_layers},
      {"the closed form", test_closed_form},
      {"the bound of the time step", test_bound_of_step},
      {"a bounce", test_bounce},
      {"a slide", test_slide},
      {"the upper side of a plate", test_upper_side_of_plate},
      {"what is refused", test_refusals},
      {"allocations that fail", test_failing_allocations},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "stiffness", tests);
}
