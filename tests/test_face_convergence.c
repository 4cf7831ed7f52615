/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Face-face contact converges: as both meshes are refined, penetration falls like the size of cells and the contact
 * pressure goes to the closed form. Sizes of cells 1 : 10 and stiffnesses 1 : 10^4 hold, at rest and in an impact in
 * the longest step that elements and contact bear together. */
#include "support/elastic_host.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

/* A block on another one of the same size, both 1 x 1 x height, with their interface at z = 0. */
typedef struct pair {
  int cells[2][2]; /* of the lower and the upper block: along a side, along the height */
  double height;
  elastic_material materials[2];
} pair;

typedef struct stand {
  scene s;
  elastic_host h;
  ipg_contact *contact;
  double *areas[2]; /* of the interface: per surface node, of the lower and the upper block */
  double load;
} stand;

/* velocities: of the two blocks, or NULL. The step is that of elements and contact together, with this safety. */
static void start(stand *t, const pair *p, double gap, const double *velocities, double safety) {
  ipg_error error = {0};
  double moduli[2];
  for (int b = 0; b < 2; ++b) moduli[b] = p->materials[b].young / (3 * (1 - 2 * p->materials[b].poisson));
  ipg_mesh meshes[2] = {
      scene_box(0, 0, -p->height, 1, 1, 0, p->cells[0][0], p->cells[0][0], p->cells[0][1], "lower"),
      scene_box(0, 0, gap, 1, 1, gap + p->height, p->cells[1][0], p->cells[1][0], p->cells[1][1], "upper")};
  *t = (stand){0};
  scene_make(&t->s, meshes, 2, 1);
  elastic_host_make_blocks(&t->h, &t->s, p->materials);
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&t->s.surface, &t->s.mesh, &t->s.skin, moduli, &error));
  ipg_contact_config config = ipg_contact_defaults();
  if (velocities) config.reference_velocities = velocities, config.reference_velocity_count = 2;
  t->contact = scene_contact(&t->s, &config);
  t->h.dt = safety / hypot(.9 / t->h.dt, 1 / ipg_contact_stable_step(t->contact));
  for (int b = 0; b < 2; ++b) {
    t->areas[b] = scene_areas_at(&t->s.surface.surface, t->s.x, b ? gap : 0, 1e-6);
    for (int64_t i = 0; i < t->s.surface.surface.node_count; ++i)
      if (t->s.body_of_node[i] != b) t->areas[b][i] = 0;
  }
}

static void end(stand *t) {
  free(t->areas[0]), free(t->areas[1]);
  ipg_contact_destroy(&t->contact);
  elastic_host_free(&t->h);
  scene_free(&t->s);
}

/* --------------------------------------------------------------------------------------------------------- at rest */

/* On top the pressure mean + wave cos(pi x). Held are the bottom, and sideways every node, or all sides but x = 1 and
 * y = 1. */
static void load_and_hold(stand *t, const pair *p, double mean, double wave, bool only_up) {
  double *areas = scene_areas_at(&t->s.surface.surface, t->s.x, p->height, 1e-6);
  for (int64_t i = 0; i < t->s.mesh.node_count; ++i) {
    const double *x = t->h.x0 + 3 * i;
    t->h.held[3 * i] = only_up || x[0] == 0, t->h.held[3 * i + 1] = only_up || x[1] == 0;
    t->h.held[3 * i + 2] = x[2] == -p->height;
  }
  for (int64_t i = 0; i < t->s.surface.surface.node_count; ++i) {
    const double force = areas[i] * (mean + wave * cos(M_PI * t->s.x[3 * i]));
    t->h.load[3 * t->s.surface.mesh_nodes[i] + 2] = -force;
    t->load += force;
  }
  free(areas);
}

static void come_to_rest(stand *t, double mean) {
  double unbalanced = INFINITY;
  for (int64_t step = 1; unbalanced > 1e-12 * mean && step < 3000; ++step)
    unbalanced = elastic_host_step(&t->h, &t->s, t->contact, step);
}

/* Of the contact forces on the upper block. */
typedef struct answer {
  double force;       /* resultant, over the load */
  double wave;        /* of the pressure: the part of cos(pi x) */
  double unevenness;  /* the largest difference of the pressure at a node from the mean, over the mean */
  double penetration; /* the mean */
} answer;

static answer measure(const stand *t, double mean) {
  answer a = {0, 0, 0, 0};
  for (int64_t i = 0; i < t->s.surface.surface.node_count; ++i) {
    const double up = t->s.force[3 * i + 2], z = t->h.trial[3 * t->s.surface.mesh_nodes[i] + 2];
    a.penetration += z * (t->areas[0][i] - t->areas[1][i]);
    if (t->areas[1][i] == 0) continue;
    a.force += up / t->load, a.wave += 2 * up * cos(M_PI * t->s.x[3 * i]);
    a.unevenness = suite_worst(a.unevenness, up / t->areas[1][i] / mean - 1);
  }
  return a;
}

/* ------------------------------------------------------------------------------------------------------- refinement */

/* Nodes move only up and down, so that displacements obey E w_zz + mu (w_xx + w_yy) = 0. A pressure cos(pi x) on top
 * arrives at the interface as cosh(k h) / cosh(2 k h) of it, k = pi sqrt(mu / E). */
static double exact_wave(double height) {
  const double kh = M_PI * sqrt(.5) * height;
  return cosh(kh) / cosh(2 * kh);
}

static answer press_with_wave(int level, double mean, const double *velocities) {
  const pair p = {.cells = {{2 * level, level}, {3 * level, (3 * level + 1) / 2}},
                  .height = .5,
                  .materials = {{1, 0, 1}, {1, 0, 1}}};
  stand t;
  start(&t, &p, 1e-9, velocities, .9);
  t.h.damping = 2.2;
  load_and_hold(&t, &p, mean, .5 * mean, true);
  come_to_rest(&t, mean);
  answer a = measure(&t, mean);
  a.wave /= .5 * mean * exact_wave(p.height);
  printf("\n    %d:%d cells, pressure %g: wave of the pressure %.4f of the exact one, penetration %.4g", p.cells[0][0],
         p.cells[1][0], mean, a.wave, a.penetration);
  end(&t);
  return a;
}

/* The wave is too small by the compliance of contact, which is exact / ours - 1: it must fall like the size of cells.
 */
static void test_refinement(void) {
  enum { LEVELS = 3 };
  answer a[LEVELS + 1];
  double force = 0;
  for (int level = 1; level <= LEVELS; ++level) {
    a[level] = press_with_wave(level, .01, NULL);
    force = suite_worst(force, a[level].force - 1);
  }
  const double penetration = log(a[1].penetration / a[LEVELS].penetration) / log(LEVELS),
               pressure = log((1 / a[1].wave - 1) / (1 / a[LEVELS].wave - 1)) / log(LEVELS);
  suite_gate("two blocks, refined: order of the penetration in the size of cells, less 1", penetration - 1, .1);
  suite_gate("two blocks, refined: order of the pressure's error in the size of cells, less 1", pressure - 1, .1);
  suite_gate("two blocks, refined: resultant", force, 1e-9);
  if (suite_is_quick()) return;
  suite_figure("two blocks of 6 and 9 cells, a hundredth of Young's modulus: error of a wave of the pressure",
               a[LEVELS].wave - 1);
  suite_figure("two blocks of 4 and 6 cells, a ten-thousandth of Young's modulus: error of a wave of the pressure",
               press_with_wave(2, 1e-4, NULL).wave - 1);
  suite_figure("the same with reference velocities of 1e-4: error of a wave of the pressure",
               press_with_wave(2, 1e-4, (double[]){0, 0, 0, 0, 0, -1e-4}).wave - 1);
}

/* ---------------------------------------------------------------------------------------- unequal meshes, stiffness */

enum { FINE = 10 };

/* The upper block is 10^4 times softer; one of the two has 10 cells, the other one. */
static pair unequal(bool is_upper_fine, double density) {
  const int fine[2] = {FINE, 1}, coarse[2] = {1, 1};
  pair p = {.height = .2, .materials = {{1, 0, 1}, {1e-4, 0, density}}};
  memcpy(p.cells[0], is_upper_fine ? coarse : fine, sizeof fine);
  memcpy(p.cells[1], is_upper_fine ? fine : coarse, sizeof fine);
  return p;
}

/* A hundredth of the softer modulus; equal speeds of sound let both come to rest in the same time. */
static answer press_unequal(bool is_upper_fine) {
  const pair p = unequal(is_upper_fine, 1e-4);
  const double mean = .01 * p.materials[1].young;
  stand t;
  start(&t, &p, 1e-9, NULL, .9);
  t.h.damping = 7;
  load_and_hold(&t, &p, mean, 0, false);
  come_to_rest(&t, mean);
  const answer a = measure(&t, mean);
  printf("\n    %d:%d cells: unevenness %.2g, penetration %.3g", p.cells[0][0], p.cells[1][0], a.unevenness,
         a.penetration);
  end(&t);
  return a;
}

static void test_unequal(void) {
  double force = 0, unevenness = 0, penetration = 0;
  if (suite_is_quick()) return;
  for (int is_upper_fine = 0; is_upper_fine < 2; ++is_upper_fine) {
    const answer a = press_unequal(is_upper_fine);
    force = suite_worst(force, a.force - 1), unevenness = suite_worst(unevenness, a.unevenness);
    penetration = suite_worst(penetration, FINE * a.penetration);
  }
  suite_gate("cells 1 : 10, stiffness 1 : 10^4: resultant", force, 1e-9);
  suite_gate("cells 1 : 10, stiffness 1 : 10^4: pressure at nodes", unevenness, .05);
  suite_gate("cells 1 : 10, stiffness 1 : 10^4: penetration in fine cells", penetration, .1);
}

/* ----------------------------------------------------------------------------------------------------------- impact */

typedef struct impact {
  double energy, end_energy; /* the most, and at the end, over that at the start */
  double rebound, depth;     /* of the upper block: its velocity over that before; in cells of the finer block */
} impact;

static double energy_of(const stand *t, const double *before) {
  double sum = elastic_host_energy(&t->h) + ipg_contact_get_energy_balance(t->contact).contact_energy;
  for (int64_t i = 0; i < 3 * t->s.mesh.node_count; ++i) {
    const double v = .5 * (before[i] + t->h.velocity[i]);
    sum += .5 * t->s.masses[i / 3] * v * v;
  }
  return sum;
}

/* The lower block stands on the ground; the upper one falls onto it. Returns the mass of the upper one. */
static double let_fall(stand *t, const pair *p, double speed) {
  double mass = 0;
  for (int64_t i = 0; i < t->s.mesh.node_count; ++i) {
    const double z = t->h.x0[3 * i + 2];
    t->h.held[3 * i + 2] = z == -p->height;
    if (z > 0) t->h.velocity[3 * i + 2] = -speed, mass += t->s.masses[i];
  }
  return mass;
}

static double momentum_of_upper(const stand *t) {
  double sum = 0;
  for (int64_t i = 0; i < t->s.mesh.node_count; ++i)
    if (t->h.x0[3 * i + 2] > 0) sum += t->s.masses[i] * t->h.velocity[3 * i + 2];
  return sum;
}

/* At 0.005 of the softer speed of sound, for five times the time in which a wave goes up and down. */
static impact run_impact(const pair *p, double gap) {
  const double sound = sqrt(p->materials[1].young / p->materials[1].density), speed = .005 * sound;
  const double velocities[6] = {0, 0, 0, 0, 0, -speed};
  stand t;
  impact r = {0, 0, 0, 0};
  start(&t, p, gap, velocities, 1);
  const double mass = let_fall(&t, p, speed), energy = .5 * mass * speed * speed;
  const int64_t steps = (int64_t)ceil((gap / speed + 10 * p->height / sound) / t.h.dt);
  const size_t bytes = 3 * (size_t)t.s.mesh.node_count * sizeof(double);
  double *before = malloc(bytes);
  for (int64_t step = 1; step <= steps; ++step) {
    memcpy(before, t.h.velocity, bytes);
    elastic_host_step(&t.h, &t.s, t.contact, step);
    if (step % 16 && step < steps) continue;
    r.end_energy = energy_of(&t, before) / energy;
    r.energy = fmax(r.energy, r.end_energy);
  }
  r.rebound = momentum_of_upper(&t) / (mass * speed);
  r.depth = -ipg_contact_get_energy_balance(t.contact).smallest_gap * FINE;
  printf(
      "\n    %d:%d cells, stiffness 1:%g, %lld steps: energy at most %.5f, at the end %.5f, rebound %.3f, depth %.2g "
      "fine cells",
      p->cells[0][0], p->cells[1][0], p->materials[1].young, (long long)steps, r.energy, r.end_energy, r.rebound,
      r.depth);
  free(before);
  end(&t);
  return r;
}

/* As at rest, with equal densities; and both blocks equally stiff. */
static void test_impact(void) {
  double gain = -INFINITY, error = 0, depth = 0;
  for (int i = 0; i < (suite_is_quick() ? 2 : 4); ++i) {
    pair p = unequal(i % 2 == 0, 1);
    if (i < 2) p.materials[1].young = p.materials[0].young;
    const impact r = run_impact(&p, 1e-3);
    gain = suite_highest(gain, r.energy - 1), error = suite_worst(error, r.end_energy - 1);
    depth = suite_worst(depth, r.depth);
    CU_ASSERT(r.rebound > .9 && r.rebound < 1);
  }
  suite_gate_above("an impact, cells 1 : 10, at the bound of the step: energy gained", gain, .01);
  suite_gate("an impact, cells 1 : 10, at the bound of the step: energy at the end, less 1", error, .01);
  suite_gate("an impact, cells 1 : 10, stiffness 1 : 1 and 1 : 10^4: depth in fine cells", depth, .1);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"refined meshes", test_refinement},
      {"unequal meshes and stiffness", test_unequal},
      {"an impact of unequal blocks", test_impact},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "face_convergence", tests);
}
