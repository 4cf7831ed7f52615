/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The energy of two sharp edges that cross: its gradient against difference quotients, momentum and moment, closed
 * forms, the exchange of the two, the way over a node from one edge to the next. */
#include "enforce/edge_overlap.h"

#include "enforce/polygon.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { POINTS = 4, NODES = 2 * POINTS };

/* Two edges as positions: of each both ends and both third corners. */
typedef struct pair {
  double x[3 * NODES];
  ipg_overlap_edge edge[2];
  ipg_overlap_law law;
} pair;

static void take_positions(pair *p) {
  for (int i = 0; i < NODES; ++i) p->edge[i / POINTS].points[i % POINTS] = vec_at(p->x, i);
}

static bool evaluate(pair *p, ipg_overlap *overlap) {
  take_positions(p);
  return ipg_edge_overlap(&p->edge[0], &p->edge[1], &p->law, overlap);
}

static double energy_of(pair *p) {
  ipg_overlap overlap;
  return evaluate(p, &overlap) ? overlap.energy : 0;
}

static vec force_on(const ipg_overlap *overlap, int node) {
  const int place = node % POINTS;
  return overlap->forces[node / POINTS][place < 2 ? place : place + 1];
}

/* A roof with its ridge along x, from `from` to `to`, and its flanks `drop` below at a distance of `half`; or turned
 * upside down, with its ridge along y. */
static void set_roof(double *x, double height, double from, double to, double half, double drop, bool is_lower) {
  const double middle = .5 * (from + to), up = is_lower ? 1 : -1;
  const double points[POINTS][3] = {{from, 0, 0}, {to, 0, 0}, {middle, half, -drop}, {middle, -half, -drop}};
  for (int k = 0; k < POINTS; ++k) {
    x[3 * k] = is_lower ? points[k][0] : points[k][1], x[3 * k + 1] = is_lower ? points[k][1] : points[k][0];
    x[3 * k + 2] = height + up * points[k][2];
  }
}

static pair crossing_roofs(double depth) {
  pair p = {.law = {.stiffness = 3, .onset = .04, .thickness = 1}};
  set_roof(p.x, depth, -1, 1, .5, 1, true), set_roof(p.x + 3 * POINTS, 0, -1, 1, .5, 1, false);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k)
      p.edge[i].heights[k] = hypot(.5, 1), p.edge[i].starts[k] = .25, p.edge[i].widths[k] = .25;
  take_positions(&p);
  return p;
}

static pair random_pair(rng *r) {
  pair p = crossing_roofs(rng_between(r, 0, .8));
  const double roughness = rng_between(r, 0, .4);
  for (int i = 0; i < 3 * NODES; ++i) p.x[i] += rng_between(r, -roughness, roughness);
  p.law.onset = rng_between(r, .01, .2), p.law.thickness = rng_between(r, .2, 1);
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k) {
      p.edge[i].starts[k] = rng_between(r, 0, .5), p.edge[i].widths[k] = rng_between(r, .2, .6);
      p.edge[i].offsets[k] = rng_unit(r) < .3 ? rng_between(r, -.1, .1) : 0;
    }
  take_positions(&p);
  return p;
}

static double size_of_forces(const ipg_overlap *overlap) {
  double most = 0;
  for (int i = 0; i < NODES; ++i) most = fmax(most, vec_length(force_on(overlap, i)));
  return most;
}

/* NAN where a kink lies between: that of the depth, and ends of factors and of the onset, where the second derivative
 * jumps. */
static double difference_quotient(pair *p, int i, double scale) {
  const double h = 1e-5, x = p->x[i], here = energy_of(p);
  double e[4];
  for (int k = 0; k < 4; ++k) p->x[i] = x + (k < 2 ? k - 2 : k - 1) * h, e[k] = energy_of(p);
  p->x[i] = x;
  const double before = (3 * here - 4 * e[1] + e[0]) / (2 * h), behind = (-3 * here + 4 * e[2] - e[3]) / (2 * h);
  return fabs(before - behind) > 1e-6 * scale ? NAN : (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
}

static void force_is_gradient(void) {
  rng r = rng_start(1);
  const long scenes = suite_scenes();
  long pairs = 0, kinks = 0;
  double worst = 0;
  while (pairs < scenes) {
    pair p = random_pair(&r);
    ipg_overlap overlap;
    if (!evaluate(&p, &overlap) || overlap.energy < 1e-6) continue;
    ++pairs;
    const double scale = size_of_forces(&overlap);
    for (int i = 0; i < 3 * NODES; ++i) {
      const double quotient = difference_quotient(&p, i, scale);
      const vec force = force_on(&overlap, i / 3);
      if (isnan(quotient)) ++kinks;
      else worst = suite_worst(worst, (quotient + (&force.x)[i % 3]) / scale);
    }
  }
  printf("%ld pairs, %ld of their %ld quotients across kinks\n", pairs, kinks, 3 * NODES * pairs);
  suite_gate("force of two edges against difference quotients of their energy", worst, 1e-6);
  CU_ASSERT(kinks < 3 * NODES * pairs / 100);
}

static void forces_have_no_resultant(void) {
  rng r = rng_start(2);
  const long scenes = suite_scenes();
  double worst = 0;
  for (long i = 0; i < 10 * scenes; ++i) {
    pair p = random_pair(&r);
    ipg_overlap overlap;
    if (!evaluate(&p, &overlap)) continue;
    vec force = {0, 0, 0}, moment = {0, 0, 0};
    for (int k = 0; k < NODES; ++k) {
      force = vec_add(force, force_on(&overlap, k));
      moment = vec_add(moment, vec_cross(vec_at(p.x, k), force_on(&overlap, k)));
    }
    worst = suite_worst(worst, (vec_length(force) + vec_length(moment)) / (size_of_forces(&overlap) + 1e-9));
  }
  suite_gate("resultant and moment of the forces of two edges", worst, 1e-10);
}

static void order_does_not_matter(void) {
  rng r = rng_start(3);
  const long scenes = suite_scenes();
  double worst = 0;
  for (long i = 0; i < 10 * scenes; ++i) {
    pair p = random_pair(&r), q = p;
    ipg_overlap of_p, of_q;
    memcpy(q.x, p.x + 3 * POINTS, sizeof q.x / 2), memcpy(q.x + 3 * POINTS, p.x, sizeof q.x / 2);
    q.edge[0] = p.edge[1], q.edge[1] = p.edge[0];
    if (!evaluate(&p, &of_p)) continue;
    CU_ASSERT(evaluate(&q, &of_q));
    for (int k = 0; k < NODES; ++k)
      worst = suite_worst(worst, vec_length(vec_sub(force_on(&of_p, k), force_on(&of_q, (k + POINTS) % NODES))) /
                                     (size_of_forces(&of_p) + 1e-9));
  }
  suite_gate("forces of two edges, taken in the other order", worst, 1e-9);
}

/* Where all factors are 1: a spring between the nearest points. */
static void closed_forms(void) {
  ipg_overlap overlap;
  pair p = crossing_roofs(.1);
  CU_ASSERT(evaluate(&p, &overlap));
  CU_ASSERT_DOUBLE_EQUAL(overlap.energy, 3 * ipg_onset_energy(.1, .04), 1e-15);
  CU_ASSERT_DOUBLE_EQUAL(overlap.depth, .1, 1e-15);
  for (int k = 0; k < NODES; ++k) {
    const double expected = k % POINTS > 1 ? 0 : (k < POINTS ? -.5 : .5) * 3 * (.1 - .02);
    const vec error = vec_sub(force_on(&overlap, k), (vec){0, 0, expected});
    CU_ASSERT(vec_length(error) < 1e-15);
  }
  p = crossing_roofs(1.2); /* 0.2 beyond the thickness: out again, to the other side */
  CU_ASSERT(evaluate(&p, &overlap));
  CU_ASSERT_DOUBLE_EQUAL(overlap.energy, 3 * ipg_onset_energy(.6, .04), 1e-15);
  CU_ASSERT(force_on(&overlap, 0).z > 0);
  p = crossing_roofs(-1e-9);
  CU_ASSERT(!evaluate(&p, &overlap));
  p = crossing_roofs(1.5);
  CU_ASSERT(!evaluate(&p, &overlap));
}

/* An initial penetration is free of force as it is: offsets below 0 never add to the depth, beyond an end either. */
static void offsets_take_away(void) {
  rng r = rng_start(5);
  for (int i = 0; i < 1000; ++i) {
    pair p = crossing_roofs(-.001);
    ipg_overlap overlap;
    for (int k = 0; k < 2; ++k) {
      p.edge[k].starts[0] = p.edge[k].starts[1] = 0, p.edge[k].widths[0] = p.edge[k].widths[1] = 1;
      for (int end = 0; end < 2; ++end) p.edge[k].offsets[end] = -rng_between(&r, 0, .5);
    }
    const double along = rng_between(&r, -1.8, 1.8);
    for (int k = 0; k < POINTS; ++k) p.x[3 * k] += along;
    CU_ASSERT(!evaluate(&p, &overlap));
  }
}

/* Edges side by side, edges on a face of the other, and crossings beyond an end have no contact. */
static void others_have_none(void) {
  ipg_overlap overlap;
  pair p = crossing_roofs(.1);
  for (int k = 0; k < 2; ++k) p.x[3 * k] += 1.01; /* nearest beyond the end */
  CU_ASSERT(!evaluate(&p, &overlap));
  p = crossing_roofs(.1);
  p.x[3 * 2 + 2] = .1 + .05; /* a flank that rises from the edge */
  CU_ASSERT(!evaluate(&p, &overlap));
  for (int flank = 1; flank < 4; ++flank) { /* those that do not tell which way is out */
    p = crossing_roofs(.1);
    p.x[3 * (flank < 2 ? 3 : 4 + flank) + 2] = flank < 2 ? .1 + .05 : -.05;
    CU_ASSERT(!evaluate(&p, &overlap));
  }
  p = crossing_roofs(.1);
  for (int k = 0; k < POINTS; ++k) { /* both along x, but for 3 degrees */
    double *x = p.x + 3 * (POINTS + k), turned = x[0];
    x[0] = x[1] - .05 * turned, x[1] = turned + .05 * x[1];
  }
  CU_ASSERT(!evaluate(&p, &overlap));
}

/* Two edges one behind the other, and one that slides over their node. */
static void straight_edges_are_one(void) {
  double worst = 0;
  for (int step = 0; step <= 100; ++step) {
    double energy = 0;
    for (int i = 0; i < 2; ++i) {
      pair p = crossing_roofs(.1);
      set_roof(p.x, .1, i - 1, i, .5, 1, true);
      p.edge[0].starts[!i] = 0, p.edge[0].widths[!i] = .5; /* at the node between them */
      for (int k = POINTS; k < NODES; ++k) p.x[3 * k] += .5 * (step / 50. - 1);
      energy += energy_of(&p);
    }
    worst = suite_worst(worst, energy / (3 * ipg_onset_energy(.1, .04)) - 1);
  }
  suite_gate("an edge slides over the node between two straight ones: energy", worst, 1e-12);
}

static CU_TestInfo tests[] = {{"force is minus the gradient of the energy", force_is_gradient},
                              {"forces have neither resultant nor moment", forces_have_no_resultant},
                              {"the order of the two edges", order_does_not_matter},
                              {"a spring between the nearest points", closed_forms},
                              {"offsets take away from the depth", offsets_take_away},
                              {"parallel edges, edges on faces and beyond ends", others_have_none},
                              {"straight edges are one", straight_edges_are_one},
                              CU_TEST_INFO_NULL};

int main(int argc, char **argv) { return suite_main(argc, argv, "edge_overlap", tests); }
