/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The energy of two faces: its gradient against difference quotients, momentum and moment, closed forms, the exchange
 * of the two faces. */
#include "enforce/face_overlap.h"

#include "enforce/polygon.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { POINTS = 5, NODES = 2 * POINTS };

/* A pair of faces as positions: of F, then of G, the corners, and the next and the last node of one more border that
 * touches corner 0. */
typedef struct pair {
  double x[3 * NODES];
  ipg_overlap_face face[2];
  ipg_overlap_law law;
} pair;

static vec *node_of(pair *p, int node) { return &p->face[node / POINTS].points[node % POINTS]; }

static void take_positions(pair *p) {
  for (int i = 0; i < NODES; ++i) *node_of(p, i) = vec_at(p->x, i);
}

/* A random triangle about the plane z = height, seen counter-clockwise from the side that `up` tells. */
static void random_face(rng *r, double *x, double height, int up, double roughness) {
  for (int k = 0; k < 3; ++k) {
    const double angle = up * (2 * M_PI / 3) * (k + rng_between(r, -0.2, 0.2));
    const double radius = rng_between(r, 0.6, 1.2);
    x[3 * k] = radius * cos(angle), x[3 * k + 1] = radius * sin(angle);
    x[3 * k + 2] = height + rng_between(r, -roughness, roughness);
  }
  for (int k = 3; k < POINTS; ++k) {
    const double way[3] = {rng_between(r, -.1, .3), (k == 3 ? up : -up) * rng_between(r, .4, 1),
                           rng_between(r, -roughness, roughness)};
    for (int i = 0; i < 3; ++i) x[3 * k + i] = x[i] + way[i];
  }
}

static void random_borders(rng *r, ipg_face_shape *shape) {
  static const ipg_face_border borders[4] = {{0, {0, 1}}, {1, {1, 2}}, {2, {2, 0}}, {0, {4, 3}}};
  shape->point_count = POINTS, shape->border_count = 0;
  for (int k = 0; k < 4; ++k)
    if (rng_unit(r) < 0.5) shape->borders[shape->border_count++] = borders[k];
}

static pair random_pair(rng *r) {
  pair p = {.law = {.stiffness = 1, .onset = rng_between(r, 0.01, 0.2), .thickness = rng_between(r, 0.1, 1)}};
  const double roughness = rng_between(r, 0, 0.5);
  random_face(r, p.x, 0, -1, roughness);
  random_face(r, p.x + 3 * POINTS, rng_between(r, 0, 0.5), 1, roughness);
  const double du = rng_between(r, -1, 1), dv = rng_between(r, -1, 1);
  for (int i = POINTS; i < NODES; ++i) p.x[3 * i] += du, p.x[3 * i + 1] += dv;
  for (int side = 0; side < 2; ++side) {
    random_borders(r, &p.face[side].shape);
    for (int k = 0; k < 3; ++k) p.face[side].offsets[k] = rng_unit(r) < 0.3 ? rng_between(r, -0.1, 0.1) : 0;
  }
  take_positions(&p);
  return p;
}

/* Two faces in parallel planes, F on the ground. */
static pair parallel_pair(double height, bool is_turned) {
  pair p = {.law = {.stiffness = 7, .onset = 0.04, .thickness = 0.4}};
  const double f[9] = {0, 0, 0, 0, 1, 0, 1, 0, 0}, g[9] = {-5, -5, height, 5, -5, height, 0, 10, height};
  for (int i = 0; i < 9; ++i) p.x[is_turned ? 3 * (2 - i / 3) + i % 3 : i] = f[i], p.x[3 * POINTS + i] = g[i];
  for (int side = 0; side < 2; ++side) p.face[side].shape.point_count = 3;
  take_positions(&p);
  return p;
}

static double energy_of(pair *p) {
  ipg_overlap overlap;
  take_positions(p);
  return ipg_face_overlap(&p->face[0], &p->face[1], &p->law, &overlap) ? overlap.energy : 0;
}

static double component(const ipg_overlap *overlap, int i) {
  const vec f = overlap->forces[i / 3 / POINTS][i / 3 % POINTS];
  return i % 3 == 0 ? f.x : i % 3 == 1 ? f.y : f.z;
}

/* The difference quotient of the energy; NAN where those to either side differ: a kink lies between. */
static double difference_quotient(pair *p, int i, double scale) {
  const double h = 1e-5, x = p->x[i], here = energy_of(p);
  double e[4];
  for (int k = 0; k < 4; ++k) p->x[i] = x + (k < 2 ? k - 2 : k - 1) * h, e[k] = energy_of(p);
  p->x[i] = x;
  const double before = (3 * here - 4 * e[1] + e[0]) / (2 * h), behind = (-3 * here + 4 * e[2] - e[3]) / (2 * h);
  return fabs(before - behind) > 1e-6 * scale ? NAN : (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
}

/* The largest force on a node of a pair, by which errors are measured. */
static double size_of_forces(const ipg_overlap *overlap) {
  double most = 0;
  for (int i = 0; i < NODES; ++i) most = fmax(most, vec_length(overlap->forces[i / POINTS][i % POINTS]));
  return most;
}

static void force_is_gradient(void) {
  rng r = rng_start(1);
  const long scenes = suite_scenes();
  long pairs = 0, kinks = 0;
  double worst = 0;
  while (pairs < scenes) {
    pair p = random_pair(&r);
    ipg_overlap overlap;
    if (!ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap) || overlap.energy < 1e-6) continue;
    ++pairs;
    const double scale = size_of_forces(&overlap);
    for (int i = 0; i < 3 * NODES; ++i) {
      const double quotient = difference_quotient(&p, i, scale);
      if (isnan(quotient)) ++kinks;
      else worst = suite_worst(worst, (quotient + component(&overlap, i)) / scale);
    }
  }
  printf("%ld pairs, %ld of their %ld quotients across kinks\n", pairs, kinks, 3 * NODES * pairs);
  suite_gate("force of two faces against difference quotients of their energy", worst, 1e-6);
  CU_ASSERT(kinks < 3 * NODES * pairs / 100);
}

static void forces_have_no_resultant(void) {
  rng r = rng_start(2);
  const long scenes = suite_scenes();
  double worst = 0;
  for (long i = 0; i < 10 * scenes; ++i) {
    pair p = random_pair(&r);
    ipg_overlap overlap;
    if (!ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap)) continue;
    vec force = {0, 0, 0}, moment = {0, 0, 0};
    for (int k = 0; k < NODES; ++k) {
      const vec f = overlap.forces[k / POINTS][k % POINTS];
      force = vec_add(force, f), moment = vec_add(moment, vec_cross(*node_of(&p, k), f));
    }
    worst = suite_worst(worst, (vec_length(force) + vec_length(moment)) / (size_of_forces(&overlap) + 1e-9));
  }
  suite_gate("resultant and moment of the forces of two faces", worst, 1e-10);
}

/* Two parallel squares, of which each is two triangles: the pressure is psi'(d) everywhere. */
static void parallel_faces_bear_pressure(void) {
  const double depth[] = {0.01, 0.05, 0.3};
  for (int i = 0; i < 3; ++i) {
    const double d = depth[i], w = 0.04;
    pair p = parallel_pair(d, false);
    ipg_overlap overlap;
    CU_ASSERT_FATAL(ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap));
    const double pressure = 7 * (d < w ? d * d / (2 * w) : d - w / 2);
    const double energy = 7 * (d < w ? d * d * d / (6 * w) : (d - w / 2) * (d - w / 2) / 2 + w * w / 24);
    CU_ASSERT_DOUBLE_EQUAL(overlap.energy, energy / 2, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(overlap.depth, d, 1e-15);
    for (int k = 0; k < 3; ++k) {
      CU_ASSERT_DOUBLE_EQUAL(overlap.forces[0][k].z, pressure / 6, 1e-14);
      CU_ASSERT_DOUBLE_EQUAL(overlap.pressures[0][k], pressure / 6, 1e-14);
    }
    CU_ASSERT_DOUBLE_EQUAL(overlap.pressures[1][0] + overlap.pressures[1][1] + overlap.pressures[1][2], pressure / 2,
                           1e-14);
  }
}

/* At gap 0 there is nothing, nor where the columns of both bodies do not meet, nor between faces that look the same
 * way. */
static void apart_is_nothing(void) {
  const double heights[] = {0, -0.1, 0.81};
  ipg_overlap overlap;
  for (int i = 0; i < 3; ++i) {
    pair p = parallel_pair(heights[i], false);
    CU_ASSERT(!ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap));
  }
  pair p = parallel_pair(0.1, true);
  CU_ASSERT(!ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap));
}

/* It grows up to the thickness. Farther through the bodies come out on the other side, twice as fast. */
static void penetration_ends_at_the_thickness(void) {
  const double heights[] = {0.1, 0.3, 0.5, 0.55}, expected[] = {0.1, 0.3, 0.2, 0.1};
  ipg_overlap overlap;
  for (int i = 0; i < 4; ++i) {
    pair p = parallel_pair(heights[i], false);
    CU_ASSERT_FATAL(ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap));
    CU_ASSERT_DOUBLE_EQUAL(overlap.depth, heights[i], 1e-14);
    CU_ASSERT_DOUBLE_EQUAL(overlap.energy, 7 * ipg_onset_energy(expected[i], 0.04) / 2, 1e-14);
    const double pressure = 7 * ipg_onset_pressure(expected[i], 0.04), scale = i < 2 ? 1 : -2;
    CU_ASSERT_DOUBLE_EQUAL(overlap.forces[0][0].z, scale * pressure / 6, 1e-14);
  }
}

static void set_offsets(pair *p, double each) {
  for (int i = 0; i < 6; ++i) p->face[i / 3].offsets[i % 3] = each;
}

/* Offsets of half of the penetration on either side, as initial penetrations have them: there is no force, whatever the
 * way out is, deeper than the thickness too. */
static void initial_penetration_is_free_of_force(void) {
  rng r = rng_start(5);
  const long scenes = suite_scenes();
  long pairs = 0, deep = 0, with_force = 0;
  while (pairs < scenes) {
    pair p = random_pair(&r);
    ipg_overlap overlap;
    set_offsets(&p, 0);
    if (!ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap)) continue;
    ++pairs, deep += overlap.depth > p.law.thickness;
    set_offsets(&p, -0.5 * overlap.depth);
    with_force += ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap) && overlap.energy > 1e-15;
  }
  CU_ASSERT_EQUAL(with_force, 0);
  CU_ASSERT(deep > scenes / 100);
}

/* Deeper than at the start they press; the way through is that of the positions, less the offset. */
static void offsets_add_to_the_way_through(void) {
  const double initial[] = {0.3, 0.3, 0.3, 0.3, 0.5, 0.5}, heights[] = {0.3, 0.35, 0.44, 0.46, 0.5, 0.55};
  const double expected[] = {0, 0.05, 0.02, 0, 0, 0};
  ipg_overlap overlap;
  for (int i = 0; i < 6; ++i) {
    pair p = parallel_pair(heights[i], false);
    set_offsets(&p, -0.5 * initial[i]);
    const bool touches = ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap);
    CU_ASSERT_DOUBLE_EQUAL(touches ? overlap.energy : 0, 7 * ipg_onset_energy(expected[i], 0.04) / 2, 1e-14);
  }
}

/* Parallel faces that overlap by a strip of this width between a border of F, at x = 0, and one of G. */
static pair strip_pair(double height, double width) {
  pair p = parallel_pair(height, false);
  const double g[9] = {width, -5, height, width, 10, height, -5, 0, height};
  memcpy(p.x + 3 * POINTS, g, sizeof g);
  for (int side = 0; side < 2; ++side) {
    p.face[side].shape.border_count = 1;
    p.face[side].shape.borders[0] = (ipg_face_border){0, {0, 1}};
  }
  take_positions(&p);
  return p;
}

static void offsets_add_to_the_ways_out(void) {
  const double heights[] = {0.15, 0.12, 0.15, 0.2}, widths[] = {0.1, 0.14, 0.14, 0.18};
  const double expected[] = {0, 0.02, 0.03, 0.06};
  ipg_overlap overlap;
  for (int i = 0; i < 4; ++i) {
    pair p = strip_pair(heights[i], widths[i]);
    set_offsets(&p, -0.5 * 0.1);
    const bool touches = ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap);
    const double area = widths[i] - widths[i] * widths[i] / 2;
    CU_ASSERT_DOUBLE_EQUAL(touches ? overlap.energy : 0, 7 * ipg_onset_energy(expected[i], 0.04) * area, 1e-14);
  }
}

static void order_of_faces_does_not_matter(void) {
  rng r = rng_start(3);
  const long scenes = suite_scenes();
  double worst = 0;
  for (long i = 0; i < scenes; ++i) {
    pair p = random_pair(&r);
    ipg_overlap one, other;
    const bool touches = ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &one);
    const bool touched = ipg_face_overlap(&p.face[1], &p.face[0], &p.law, &other);
    if (touches != touched) worst = suite_worst(worst, touches ? one.energy : other.energy);
    if (!touches || !touched) continue;
    for (int k = 0; k < NODES; ++k) {
      const vec difference = vec_sub(one.forces[k / POINTS][k % POINTS], other.forces[1 - k / POINTS][k % POINTS]);
      worst = suite_worst(worst, vec_length(difference) / (size_of_forces(&one) + 1e-6));
    }
  }
  suite_gate("forces of two faces, taken in the other order", worst, 1e-9);
}

static ipg_overlap_sketch sketch_of(const ipg_overlap_face *face) {
  const vec *c = face->points;
  return (ipg_overlap_sketch){{c[0], c[1], c[2]}, vec_unit(vec_cross(vec_sub(c[1], c[0]), vec_sub(c[2], c[0])))};
}

/* The quick test never says no where there is contact. */
static void quick_test_is_safe(void) {
  rng r = rng_start(4);
  const long scenes = suite_scenes();
  long contacts = 0, passed = 0;
  for (long i = 0; i < 10 * scenes; ++i) {
    pair p = random_pair(&r);
    ipg_overlap overlap;
    const bool touches = ipg_face_overlap(&p.face[0], &p.face[1], &p.law, &overlap);
    const ipg_overlap_sketch f = sketch_of(&p.face[0]), g = sketch_of(&p.face[1]);
    const bool may_touch = ipg_may_overlap(&f, &g, 0.1);
    CU_ASSERT(may_touch || !touches);
    contacts += touches, passed += may_touch;
  }
  CU_ASSERT(contacts > scenes && passed < 10 * scenes);
}

static CU_TestInfo tests[] = {{"force is minus the gradient of the energy", force_is_gradient},
                              {"forces have neither resultant nor moment", forces_have_no_resultant},
                              {"parallel faces bear a uniform pressure", parallel_faces_bear_pressure},
                              {"faces apart", apart_is_nothing},
                              {"penetration ends at the thickness", penetration_ends_at_the_thickness},
                              {"initial penetration is free of force", initial_penetration_is_free_of_force},
                              {"offsets add to the way through", offsets_add_to_the_way_through},
                              {"offsets add to the ways out", offsets_add_to_the_ways_out},
                              {"the order of the two faces", order_of_faces_does_not_matter},
                              {"the quick test is safe", quick_test_is_safe},
                              CU_TEST_INFO_NULL};

int main(int argc, char **argv) { return suite_main(argc, argv, "face_overlap", tests); }
