/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What slides without friction keeps its speed, however slowly it slides: a floor whose nodes the sledge rolls over and
 * leaves behind pushes it up, and neither back nor on. What it gets from nodes that it finds deep under it is less than
 * what their springs hold. The host is rigid, the floor does not move. */
#include "support/scene.h"
#include "support/suite.h"

#include <math.h>

static const double dt = 5e-4;

typedef struct sledge {
  scene s;
  ipg_contact *contact;
  double gravity;
  int64_t step;
} sledge;

static void step_on(sledge *g) {
  CU_ASSERT_FATAL(scene_step(&g->s, g->contact, dt, ++g->step));
  g->s.velocity[1][2] -= dt * g->gravity;
}

/* The sledge has stood still for long enough to be at rest. Elements of the floor have the size 1 / fineness. */
static void settle(sledge *g, ipg_mesh runner, int fineness, double gravity) {
  ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 4, 4, 0, 6 * fineness, 6 * fineness, 1, "floor"), runner};
  ipg_contact_config config = ipg_contact_defaults();
  config.penalty_scale = .5, config.law.damping = .5;
  *g = (sledge){.gravity = gravity};
  scene_make(&g->s, meshes, 2, 1);
  g->s.body_mass[0] = 1e12;
  g->contact = scene_contact(&g->s, &config);
  while (g->step < 600) step_on(g);
}

static void stop(sledge *g) {
  ipg_contact_destroy(&g->contact);
  scene_free(&g->s);
}

/* Off by more than a thousandth of its speed, along its way or across? */
static void check_speed(const sledge *g, const double speed[2]) {
  const double size = hypot(speed[0], speed[1]);
  const double off = hypot(g->s.velocity[1][0] - speed[0], g->s.velocity[1][1] - speed[1]);
  CU_ASSERT(off <= 1e-3 * size);
}

/* `pace`: elements of the floor a step. */
static void slide(sledge *g, double pace, int fineness, double angle, double distance) {
  const double size = pace / fineness / dt, speed[2] = {size * cos(angle), size * sin(angle)};
  const int64_t before = ipg_contact_get_energy_balance(g->contact).activations,
                end = g->step + llround(distance / (size * dt));
  g->s.velocity[1][0] = speed[0], g->s.velocity[1][1] = speed[1];
  while (g->step < end) {
    step_on(g);
    if (g->step % 32 == 0 || g->step == end) check_speed(g, speed);
  }
  const ipg_contact_energy_balance ledger = ipg_contact_get_energy_balance(g->contact);
  CU_ASSERT(ledger.activations > before); /* it came over nodes of the floor */
  CU_ASSERT(ledger.deactivations > 0);    /* and left some */
  CU_ASSERT(ledger.spring_net_loss >=
            -ledger.contact_energy); /* springs of new nodes grow with what those left behind give up */
}

static ipg_mesh cube(int n) { return scene_box(-.53, -.51, 0, .47, .49, 1, n, n, n, "cube"); }

/* Pressed in by 1e-4 to 1e-1 elements, fine on coarse and coarse on fine, along the axes and not. */
static void test_cube(void) {
  const int fineness[] = {1, 3, 2, 4}, parts[] = {2, 2, 5, 1};
  const double angles[] = {0, .65, -M_PI / 2, 2.5}, gravities[] = {10, 1000}, paces[] = {.003, .01, .1, .5};
  for (int mesh = 0; mesh < 4; ++mesh)
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) {
        sledge g;
        settle(&g, cube(parts[mesh]), fineness[mesh], gravities[(i + k) % 2]);
        slide(&g, paces[k], fineness[mesh], angles[i], 1.4);
        stop(&g);
      }
}

/* So slow that it could not climb over a hundredth of what it is pressed in. */
static void test_creep(void) {
  for (int i = 0; i < 3; ++i) {
    sledge g;
    settle(&g, cube(2), 3, 1000);
    slide(&g, 3e-4, 3, (double[]){0, .65, 2.5}[i], .6);
    stop(&g);
  }
}

/* Pressed in by a quarter of an element. */
static void test_deep(void) {
  for (int i = 0; i < 3; ++i) {
    sledge g;
    settle(&g, cube(2), 3, 20000);
    slide(&g, .01, 3, (double[]){0, .65, 2.5}[i], 1.4);
    stop(&g);
  }
}

/* Its ends lean inward, so steep that beyond its edges a node is behind the plane of the underside and far in front of
 * that of the end. */
static void test_sharp_edges(void) {
  for (int i = 0; i < 3; ++i) {
    ipg_mesh mesh = scene_box(-.53, -.51, 0, .47, .49, .3, 3, 3, 2, "sharp");
    for (int64_t n = 0; n < mesh.node_count; ++n)
      for (int k = 0; k < 2; ++k) mesh.x[3 * n + k] *= 1 - 3 * mesh.x[3 * n + 2];
    sledge g;
    settle(&g, mesh, 2, 1000);
    slide(&g, (double[]){.01, .1, .1}[i], 2, (double[]){0, .65, 2.5}[i], 1.4);
    stop(&g);
  }
}

/* Nodes that it comes over bear their part in time: it does not dig itself in as those go that it stood on. */
static void test_long_way(void) {
  sledge g;
  settle(&g, cube(2), 3, 100);
  int64_t node = 0;
  while (g.s.body_of_node[node] != 1) ++node;
  const double depth = -g.s.x[3 * node + 2];
  double deepest = depth;
  CU_ASSERT(depth > 0);
  for (int way = 0; way < 10; ++way) {
    slide(&g, .02, 3, way % 2 ? M_PI : 0, 2);
    deepest = fmax(deepest, -g.s.x[3 * node + 2]);
  }
  printf("\n    %g deep at rest, %g at most ", depth, deepest);
  CU_ASSERT(deepest < 3 * depth);
  stop(&g);
}

/* From one floor to the next, which lies flush with it node by node: however little the cube is sunk, it does not run
 * into the end of the next, nor that into its own. */
static void test_over_a_seam(void) {
  const double gravities[] = {1, 10, 1000};
  for (int i = 0; i < 3; ++i) {
    ipg_mesh meshes[] = {scene_box(-2, -2, -.5, 1, 2, 0, 9, 12, 1, "floor"), cube(2),
                         scene_box(1, -2, -.5, 4, 2, 0, 9, 12, 1, "next")};
    ipg_contact_config config = ipg_contact_defaults();
    config.penalty_scale = .5, config.law.damping = .5;
    sledge g = {.gravity = gravities[i]};
    scene_make(&g.s, meshes, 3, 1);
    g.s.body_mass[0] = g.s.body_mass[2] = 1e12;
    g.contact = scene_contact(&g.s, &config);
    while (g.step < 600) step_on(&g);
    slide(&g, .01, 3, 0, 2);
    stop(&g);
  }
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"a cube over a floor", test_cube},
      {"a cube that creeps", test_creep},
      {"a cube pressed in deep", test_deep},
      {"a sledge with sharp edges", test_sharp_edges},
      {"a long way", test_long_way},
      {"over a seam", test_over_a_seam},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "slide", tests);
}
