/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Sliding without friction keeps the speed, however slow: the nodes of the floor that a sledge slides onto and off push
 * it up, and neither back nor forward. The energy that it gets from nodes which are activated deep below its surface is
 * less than what their springs hold. Bodies are rigid, the floor does not move. */
#include "support/node_springs.h"
#include "support/scene.h"
#include "support/suite.h"

#include <math.h>

static const double dt = 5e-4;

typedef struct sledge {
  scene s;
  ipg_contact *contact;
  double gravity;
  double off; /* the most that its speed was off, of the speed */
  int64_t step;
} sledge;

static void step_sledge(sledge *g) {
  CU_ASSERT_FATAL(scene_step(&g->s, g->contact, dt, ++g->step));
  g->s.velocity[1][2] -= dt * g->gravity;
}

/* A sledge that has come to rest. Elements of the floor have the size 1 / fineness. */
static void start_sledge(sledge *g, ipg_mesh runner, int fineness, double gravity) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 4, 4, 0, 6 * fineness, 6 * fineness, 1, "floor"), runner};
  ipg_contact_config config = node_spring_defaults();
  config.penalty_scale = .5, config.law.damping = .5;
  *g = (sledge){.gravity = gravity};
  scene_make(&g->s, meshes, 2, 1);
  g->s.body_mass[0] = 1e12;
  g->contact = scene_contact(&g->s, &config);
  while (g->step < 600) step_sledge(g);
}

static void free_sledge(sledge *g) {
  ipg_contact_destroy(&g->contact);
  scene_free(&g->s);
}

/* Along the path and across. */
static void measure_speed(sledge *g, const double speed[2]) {
  const double off = hypot(g->s.velocity[1][0] - speed[0], g->s.velocity[1][1] - speed[1]);
  g->off = suite_worst(g->off, off / hypot(speed[0], speed[1]));
}

/* elements_a_step: of the floor. */
static void slide_sledge(sledge *g, double elements_a_step, int fineness, double angle, double distance) {
  const double size = elements_a_step / fineness / dt, speed[2] = {size * cos(angle), size * sin(angle)};
  const int64_t before = ipg_contact_get_energy_balance(g->contact).activations,
                end = g->step + llround(distance / (size * dt));
  g->s.velocity[1][0] = speed[0], g->s.velocity[1][1] = speed[1];
  while (g->step < end) {
    step_sledge(g);
    if (g->step % 32 == 0 || g->step == end) measure_speed(g, speed);
  }
  const ipg_contact_energy_balance balance = ipg_contact_get_energy_balance(g->contact);
  CU_ASSERT(balance.activations > before); /* it slid onto nodes of the floor */
  CU_ASSERT(balance.deactivations > 0);    /* and off others */
  CU_ASSERT(balance.spring_net_loss >=
            -balance.contact_energy); /* springs of new nodes get the stiffness that those left behind give up */
}

static ipg_mesh cube(int n) { return scene_box(-.53, -.51, 0, .47, .49, 1, n, n, n, "cube"); }

/* Penetrations of 1e-4 to 1e-1 elements, fine on coarse and coarse on fine, along the axes and not. */
static void test_cube(void) {
  double off = 0;
  const int fineness[] = {1, 3, 2, 4}, parts[] = {2, 2, 5, 1};
  const double angles[] = {0, .65, -M_PI / 2, 2.5}, gravities[] = {10, 1000}, speeds[] = {.003, .01, .1, .5};
  for (int mesh = 0; mesh < 4; ++mesh)
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) {
        sledge g;
        start_sledge(&g, cube(parts[mesh]), fineness[mesh], gravities[(i + k) % 2]);
        slide_sledge(&g, speeds[k], fineness[mesh], angles[i], 1.4);
        off = suite_worst(off, g.off);
        free_sledge(&g);
      }
  suite_gate("a block slides without friction, 3e-3 to 0.5 elements a step: speed", off, 1e-3);
}

/* So slow that its kinetic energy could not lift it by a hundredth of its penetration. */
static void test_creep(void) {
  double off = 0;
  for (int i = 0; i < 3; ++i) {
    sledge g;
    start_sledge(&g, cube(2), 3, 1000);
    slide_sledge(&g, 3e-4, 3, (double[]){0, .65, 2.5}[i], .6);
    off = suite_worst(off, g.off);
    free_sledge(&g);
  }
  suite_gate("a block slides without friction, 3e-4 elements a step: speed", off, 1e-3);
}

/* A penetration of a quarter of an element. */
static void test_deep(void) {
  double off = 0;
  for (int i = 0; i < 3; ++i) {
    sledge g;
    start_sledge(&g, cube(2), 3, 20000);
    slide_sledge(&g, .01, 3, (double[]){0, .65, 2.5}[i], 1.4);
    off = suite_worst(off, g.off);
    free_sledge(&g);
  }
  suite_gate("a block slides without friction, pressed in by a quarter of an element: speed", off, 1e-3);
}

/* The ends of the sledge lean inward, so steep that beyond its edges a node is behind the plane of the underside and
 * far in front of that of the end. */
static void test_sharp_edges(void) {
  double off = 0;
  for (int i = 0; i < 3; ++i) {
    ipg_mesh mesh = scene_box(-.53, -.51, 0, .47, .49, .3, 3, 3, 2, "sharp");
    for (int64_t n = 0; n < mesh.node_count; ++n)
      for (int k = 0; k < 2; ++k) mesh.x[3 * n + k] *= 1 - 3 * mesh.x[3 * n + 2];
    sledge g;
    start_sledge(&g, mesh, 2, 1000);
    slide_sledge(&g, (double[]){.01, .1, .1}[i], 2, (double[]){0, .65, 2.5}[i], 1.4);
    off = suite_worst(off, g.off);
    free_sledge(&g);
  }
  suite_gate("a block with sharp edges slides without friction: speed", off, 1e-3);
}

/* Nodes that the sledge slides onto take their part of the load in time: it does not sink while those behind it are
 * deactivated. */
static void test_long_distance(void) {
  sledge g;
  start_sledge(&g, cube(2), 3, 100);
  int64_t node = 0;
  while (g.s.body_of_node[node] != 1) ++node;
  const double depth = -g.s.x[3 * node + 2];
  double deepest = depth;
  CU_ASSERT(depth > 0);
  for (int pass = 0; pass < 10; ++pass) {
    slide_sledge(&g, .02, 3, pass % 2 ? M_PI : 0, 2);
    deepest = fmax(deepest, -g.s.x[3 * node + 2]);
  }
  printf("\n    %g deep at rest, %g at most ", depth, deepest);
  suite_gate("twenty lengths there and back: speed", g.off, 1e-3);
  suite_gate("twenty lengths there and back: largest depth over the depth at rest, above 1", deepest / depth - 1, 2);
  free_sledge(&g);
}

/* From one floor to the next, which is flush with it node by node: however small the penetration, the cube does not hit
 * the end of the next floor, nor does that hit the cube. */
static void test_over_a_seam(void) {
  const double gravities[] = {1, 10, 1000};
  double off = 0;
  for (int i = 0; i < 3; ++i) {
    ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 1, 2, 0, 9, 12, 1, "floor"), cube(2),
                         scene_box(1, -2, -.5, 4, 2, 0, 9, 12, 1, "next")};
    ipg_contact_config config = node_spring_defaults();
    config.penalty_scale = .5, config.law.damping = .5;
    sledge g = {.gravity = gravities[i]};
    scene_make(&g.s, meshes, 3, 1);
    g.s.body_mass[0] = g.s.body_mass[2] = 1e12;
    g.contact = scene_contact(&g.s, &config);
    while (g.step < 600) step_sledge(&g);
    slide_sledge(&g, .01, 3, 0, 2);
    off = suite_worst(off, g.off);
    free_sledge(&g);
  }
  suite_gate("from one floor to the next, flush node by node, pressed in 4e-6 to 4e-3 elements: speed", off, 1e-3);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a cube over a floor", test_cube},
      {"a cube that creeps", test_creep},
      {"a cube at deep penetration", test_deep},
      {"a sledge with sharp edges", test_sharp_edges},
      {"a long distance", test_long_distance},
      {"over a seam", test_over_a_seam},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "slide", tests);
}
