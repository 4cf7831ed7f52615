/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The solver: the element against its derivative, the critical time step against power iteration, decks with errors,
 * two runs in one process. */
#include "element_t4.h"
#include "impinge/search.h"
#include "impinge/solver.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------------------- element */

static const t4_law steel = {.lambda = 1.2, .mu = 0.8, .density = 7.8};

/* A tetrahedron that is not a sliver. */
static void make_random_tetrahedron(rng *random, double x[4][3]) {
  const double regular[4][3] = {{0, 0, 0}, {1, 0, 0}, {.5, .87, 0}, {.5, .29, .82}};
  for (int a = 0; a < 4; ++a)
    for (int k = 0; k < 3; ++k) x[a][k] = regular[a][k] + .3 * (rng_unit(random) - .5);
}

static void test_force_is_minus_gradient_of_energy(void) {
  rng random = rng_start(1);
  double worst = 0;
  for (int trial = 0; trial < 50; ++trial) {
    double X[4][3], x[4][3], f[4][3];
    make_random_tetrahedron(&random, X);
    const t4_shape shape = t4_compute_shape(X);
    make_random_tetrahedron(&random, x);
    CU_ASSERT(t4_compute_forces(&shape, &steel, x, f));
    for (int a = 0; a < 4; ++a)
      for (int k = 0; k < 3; ++k) {
        const double h = 1e-6, kept = x[a][k];
        x[a][k] = kept + h;
        const double above = t4_compute_energy(&shape, &steel, x);
        x[a][k] = kept - h;
        const double below = t4_compute_energy(&shape, &steel, x);
        x[a][k] = kept;
        worst = suite_worst(worst, f[a][k] + (above - below) / (2 * h));
      }
  }
  suite_gate("force of 50 tetrahedra against the gradient of their energy", worst, 1e-7);
}

static void test_rigid_motion_has_no_energy(void) {
  rng random = rng_start(2);
  double worst = 0;
  double X[4][3], x[4][3], f[4][3];
  make_random_tetrahedron(&random, X);
  const t4_shape shape = t4_compute_shape(X);
  for (int step = 0; step <= 100; ++step) {
    const double c = cos(M_PI / 2 * step / 100), s = sin(M_PI / 2 * step / 100);
    for (int a = 0; a < 4; ++a) {
      x[a][0] = c * X[a][0] - s * X[a][1] + step;
      x[a][1] = s * X[a][0] + c * X[a][1];
      x[a][2] = X[a][2] - 2 * step;
    }
    CU_ASSERT(t4_compute_forces(&shape, &steel, x, f));
    for (int a = 0; a < 4; ++a)
      for (int k = 0; k < 3; ++k) worst = suite_worst(worst, f[a][k]);
    CU_ASSERT_DOUBLE_EQUAL(t4_compute_energy(&shape, &steel, x), 0, 1e-14);
  }
  suite_gate("force of a tetrahedron in a rigid rotation by 90 degrees in 100 steps", worst, 1e-12);
}

/* Small strain: uniaxial stress of Hooke's law, sigma = E epsilon, when the sides contract by nu epsilon. */
static void test_hooke(void) {
  const double E = 2e11, nu = .3, strain = 1e-7;
  const t4_law law = {.lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), .mu = E / (2 * (1 + nu)), .density = 1};
  double X[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, x[4][3], f[4][3];
  const t4_shape shape = t4_compute_shape(X);
  for (int a = 0; a < 4; ++a) {
    x[a][0] = X[a][0] * (1 + strain);
    x[a][1] = X[a][1] * (1 - nu * strain);
    x[a][2] = X[a][2] * (1 - nu * strain);
  }
  CU_ASSERT(t4_compute_forces(&shape, &law, x, f));
  CU_ASSERT_DOUBLE_EQUAL(f[1][0], -E * strain / 6, 1e-6 * E * strain); /* volume 1/6, gradient 1 */
  CU_ASSERT_DOUBLE_EQUAL(f[2][1], 0, 1e-6 * E * strain);
}

static void test_negative_volume_is_found(void) {
  double X[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, x[4][3], f[4][3];
  const t4_shape shape = t4_compute_shape(X);
  memcpy(x, X, sizeof x);
  x[3][2] = -.1;
  CU_ASSERT(!t4_compute_forces(&shape, &steel, x, f));
}

/* Highest frequency of the free element, by power iteration on forces of small displacements. */
static double compute_highest_frequency(const t4_shape *shape, const t4_law *law, double x[4][3]) {
  double v[4][3], y[4][3], plus[4][3], minus[4][3], omega2 = 0;
  const double mass = law->density * shape->volume / 4, h = 1e-6;
  for (int i = 0; i < 12; ++i) v[i / 3][i % 3] = sin(1 + 3 * i);
  for (int iteration = 0; iteration < 400; ++iteration) {
    double norm = 0;
    for (int i = 0; i < 12; ++i) norm += v[i / 3][i % 3] * v[i / 3][i % 3];
    norm = sqrt(norm);
    for (int i = 0; i < 12; ++i) v[i / 3][i % 3] /= norm, y[i / 3][i % 3] = x[i / 3][i % 3] + h * v[i / 3][i % 3];
    t4_compute_forces(shape, law, y, plus);
    for (int i = 0; i < 12; ++i) y[i / 3][i % 3] = x[i / 3][i % 3] - h * v[i / 3][i % 3];
    t4_compute_forces(shape, law, y, minus);
    omega2 = 0;
    for (int i = 0; i < 12; ++i) {
      const double next = -(plus[i / 3][i % 3] - minus[i / 3][i % 3]) / (2 * h * mass);
      omega2 += next * v[i / 3][i % 3];
      v[i / 3][i % 3] = next;
    }
  }
  return sqrt(omega2);
}

static void test_critical_time_step_is_a_tight_lower_bound(void) {
  rng random = rng_start(4);
  double lowest = 1, above = -INFINITY;
  for (int trial = 0; trial < 200; ++trial) {
    double X[4][3], x[4][3];
    const double nu = trial % 4 == 0 ? 0 : .49 * rng_unit(&random);
    const t4_law law = {.lambda = nu / ((1 + nu) * (1 - 2 * nu)), .mu = 1 / (2 * (1 + nu)), .density = 2.5};
    make_random_tetrahedron(&random, X);
    const t4_shape shape = t4_compute_shape(X);
    if (trial % 2) make_random_tetrahedron(&random, x);
    else memcpy(x, X, sizeof x);
    const double exact = 2 / compute_highest_frequency(&shape, &law, x),
                 bound = t4_compute_critical_time_step(&shape, &law, x);
    above = suite_highest(above, bound / exact - 1);
    if (trial % 2 == 0) lowest = fmin(lowest, bound / exact);
  }
  suite_gate_above("critical time step of 200 random elements, over 2 / omega of power iteration: above 1", above,
                   1e-6);
  suite_gate("critical time step of those of them that are not deformed: below 1", 1 - lowest, .4);
}

/* A regular tetrahedron has one eigenvalue three times, where the bound of it comes nearer most slowly. */
static void test_critical_time_step_of_regular_tetrahedron(void) {
  double X[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
  const t4_law law = {.lambda = .5, .mu = .5, .density = 2.5};
  const t4_shape shape = t4_compute_shape(X);
  const double ratio = t4_compute_critical_time_step(&shape, &law, X) * compute_highest_frequency(&shape, &law, X) / 2;
  printf("\n    step / exact step: %.4f", ratio);
  CU_ASSERT(ratio > .98 && ratio <= 1 + 1e-6);
}

/* ------------------------------------------------------------------------------------------------------------ solid */

static void make_box(ipg_mesh *mesh) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(
      !ipg_mesh_box((double[]){0, 0, 0}, (double[]){2, 1, 1}, (int[]){24, 12, 12}, "box", NULL, mesh, &error));
}

static void test_solid_same_bits_for_threads(void) {
  const ipg_material material = {.density = 3, .young = 10, .poisson = .25};
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  make_box(&mesh);
  const size_t values = 3 * (size_t)mesh.node_count;
  double *u = calloc(values, sizeof *u), *f = calloc(values, sizeof *f), *g = calloc(values, sizeof *g), mass = 0;
  rng random = rng_start(5);
  for (size_t i = 0; i < values; ++i) u[i] = .01 * rng_unit(&random);
  ipg_gid element[2];
  double steps[2], sum[3] = {0};
  for (int workers = 1; workers <= 4; workers *= 2) {
    ipg_pool *pool = NULL;
    ipg_solid *solid = NULL;
    CU_ASSERT_FATAL(!ipg_pool_create(workers, &pool, &error));
    const ipg_tasks tasks = ipg_pool_tasks(pool);
    CU_ASSERT_FATAL(!ipg_solid_create(&mesh, &material, NULL, &tasks, &solid, &error));
    CU_ASSERT(!ipg_solid_compute_forces(solid, u, workers == 1 ? f : g, &error));
    steps[workers > 1] = ipg_solid_compute_critical_time_step(solid, u, &element[workers > 1]);
    if (workers > 1) CU_ASSERT(!memcmp(f, g, values * sizeof *f) && steps[0] == steps[1] && element[0] == element[1]);
    if (workers == 1)
      for (int64_t i = 0; i < mesh.node_count; ++i) mass += ipg_solid_get_masses(solid)[i];
    ipg_solid_destroy(&solid);
    ipg_pool_destroy(&pool);
  }
  for (size_t i = 0; i < values; ++i) sum[i % 3] += f[i];
  for (int k = 0; k < 3; ++k) CU_ASSERT_DOUBLE_EQUAL(sum[k], 0, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(mass, 6, 1e-12);
  free(u), free(f), free(g);
  ipg_mesh_destroy(&mesh);
}

static void test_solid_refuses(void) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  ipg_solid *solid = NULL;
  make_box(&mesh);
  const ipg_material bad[] = {{0, 1, .3}, {1, -1, .3}, {1, 1, .5}, {1, 1, NAN}, {INFINITY, 1, 0}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    CU_ASSERT_EQUAL(ipg_solid_create(&mesh, &bad[i], NULL, NULL, &solid, &error), IPG_ERROR_NUMBER);
    CU_ASSERT(strstr(error.message, "'box'") != NULL && !solid);
  }
  const ipg_material good = {1, 1, .3};
  CU_ASSERT_FATAL(!ipg_solid_create(&mesh, &good, NULL, NULL, &solid, &error));
  double *u = calloc(3 * (size_t)mesh.node_count, sizeof *u), *f = calloc(3 * (size_t)mesh.node_count, sizeof *f);
  u[0] = 10;
  CU_ASSERT_EQUAL(ipg_solid_compute_forces(solid, u, f, &error), IPG_ERROR_NUMBER);
  CU_ASSERT(strstr(error.message, "element 1 ") != NULL);
  free(u), free(f);
  ipg_solid_destroy(&solid);
  ipg_mesh_destroy(&mesh);
}

/* A lone node and quadratic elements are refused; of two equal elements the first governs the time step. */
static void test_odd_meshes(void) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5};
  ipg_id tets[] = {0, 1, 2, 3, 0, 1, 2, 3};
  ipg_gid nodes[] = {11, 12, 13, 14, 15}, elements[] = {21, 22}, governing = 0;
  ipg_block block = {.name = "twins", .count = 2};
  ipg_mesh mesh = {.node_count = 5, .element_count = 2, .block_count = 1, .x = x, .tets = tets, .blocks = &block};
  mesh.node_gids = nodes, mesh.element_gids = elements;
  const ipg_material material = {1, 1, .3};
  ipg_solid *solid = NULL;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_solid_create(&mesh, &material, NULL, NULL, &solid, &error), IPG_ERROR_FORMAT);
  CU_ASSERT(strstr(error.message, "node 15 belongs to no element") != NULL);
  mesh.node_count = 4, block.quadratic = true;
  CU_ASSERT_EQUAL(ipg_solid_create(&mesh, &material, NULL, NULL, &solid, &error), IPG_ERROR_UNSUPPORTED);
  CU_ASSERT(strstr(error.message, "'twins' has tetrahedra of 10 nodes") != NULL);
  block.quadratic = false;
  CU_ASSERT_FATAL(!ipg_solid_create(&mesh, &material, NULL, NULL, &solid, &error));
  CU_ASSERT(ipg_solid_compute_critical_time_step(solid, NULL, &governing) > 0 && governing == 21);
  ipg_solid_destroy(&solid);
}

/* ------------------------------------------------------------------------------------------------------------ decks */

static ipg_status read_deck_text(const char *text, ipg_deck *deck, ipg_error *error) {
  char path[] = "deck-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) {
    fprintf(stderr, "cannot write the deck %s\n", path);
    exit(1);
  }
  close(file);
  const ipg_status status = ipg_deck_read(path, deck, error);
  unlink(path);
  return status;
}

static void test_deck_is_read(void) {
  ipg_deck deck;
  ipg_error error = {0};
  const char *text = "title: Two bodies\n"
                     "mesh: [a.exo, b.exo]\n"
                     "blocks:\n"
                     "  Left Bar: {density: 7800, young: 2.0e11, velocity: [1, 0, -2.5]}\n"
                     "time: {end: 1e-3}\n";
  CU_ASSERT_FATAL(!read_deck_text(text, &deck, &error));
  CU_ASSERT_STRING_EQUAL(ipg_deck_get_value(&deck, "title"), "Two bodies");
  CU_ASSERT_STRING_EQUAL(ipg_deck_get_value(&deck, "mesh"), "a.exo,b.exo");
  CU_ASSERT_STRING_EQUAL(ipg_deck_get_value(&deck, "blocks_left_bar_velocity"), "1,0,-2.5");
  CU_ASSERT_STRING_EQUAL(ipg_deck_get_value(&deck, "time_end"), "1e-3");
  CU_ASSERT_PTR_NULL(ipg_deck_get_value(&deck, "output_file"));
  ipg_deck_destroy(&deck);
}

/* Each bad deck, and words that its message of one sentence must contain. */
static void test_deck_errors(void) {
  const char *const decks[][2] = {
      {"", "empty"},
      {"- a\n- b\n", "must have keys"},
      {"mesh: a\ntime: {end: .nan}\n", ":2:13: time.end is '.nan'"},
      {"mesh: a\ntime: {end: nan}\n", "a number from 1e-60 to 1e60"},
      {"mesh: a\ntime: {end: 1e999}\n", "a number from 1e-60 to 1e60"},
      {"mesh: a\ntime: {end: 1e61}\n", ":2:13: time.end is '1e61'; it must be a number from 1e-60 to 1e60"},
      {"mesh: a\ntime: {end: 1e-300}\n", "is '1e-300'; it must be a number from 1e-60 to 1e60"},
      {"mesh: a\ntime: {end: 5e-324}\n", "is '5e-324'; it must be a number from 1e-60 to 1e60"},
      {"mesh: a\nblocks: {b: {young: 5e-324}}\n", "is '5e-324'; it must be a number from 1e-60 to 1e60"},
      {"mesh: a\ntime: {end: 0x10}\n", "is '0x10'; it must be a number"},
      {"mesh: a\ntime: {end: ' 1'}\n", "is ' 1'; it must be a number"},
      {"mesh: a\ntime: {end: 1}\nblocks: {b: {velocity: [1, 0x2, 3]}}\n", "is '0x2'; it must be a list of three"},
      {"mesh: a\ntime: {end: -1}\n", "from 1e-60"},
      {"mesh: a\nblocks: {b: {density: 0}}\n", "is '0'; it must be a finite number above 0"},
      {"mesh: a\ntime: {edn: 1}\n", "did you mean 'end'?"},
      {"mesh: a\ntimes: {end: 1}\n", "did you mean 'time'?"},
      {"mesh: a\ntime: 3\n", "time must have keys"},
      {"mesh: a\ntime: {end: 1}\nblocks: {b: {velocity: [1, 2]}}\n", "list of 2"},
      {"mesh: a\ntime: {end: 1}\nblocks: {b: {velocity: [1, 2, x]}}\n", "is 'x'"},
      {"mesh: a\ntime: {end: 1}\nblocks: {b: {velocity: 1}}\n", "three finite numbers"},
      {"mesh: a\ntime: {end: 1}\nblocks: {b: {poisson: 0.5}}\n", "below 0.5"},
      {"mesh: a\ntime: {end: 1}\nblocks: {b: {density: 1}, B: {density: 2}}\n", "same option"},
      {"mesh: a\ntime: {end: 1, end: 2}\n", "given twice"},
      {"mesh: a\ntime: {end: {x: 1}}\n", "time.end must be a number from"},
      {"mesh: a\n", "time.end"},
      {"time: {end: 1}\n", "add mesh"},
      {"mesh: a\ntime: [end\n", "not YAML"},
      {"mesh: a\nthreads: 0\ntime: {end: 1}\n", "1 to 4096"},
      {"mesh: a\nthreads: 4097\ntime: {end: 1}\n", "1 to 4096"},
      {"mesh: a\noutput: {count: 0}\ntime: {end: 1}\n", "1 to 1000000000"},
      {"mesh: a\noutput: {count: 1000000001}\ntime: {end: 1}\n", "1 to 1000000000"},
      {"mesh: a\noutput: {count: 18446744073709551617}\ntime: {end: 1}\n", "1 to 1000000000"},
      {"mesh: a\noutput: {file: a.vtk}\ntime: {end: 1}\n", "ends in .exo, .e,"},
      {"mesh: a\noutput: {file: exo}\ntime: {end: 1}\n", "ends in .exo, .e,"},
      {"mesh: a\ncontact: {friction_static: 10.1}\ntime: {end: 1}\n", "from 0 to 10"},
      {"mesh: a\ncontact: {damping: 1.1}\ntime: {end: 1}\n", "from 0 to 1"},
      {"mesh: a\ncontact: {damping: -0.1}\ntime: {end: 1}\n", "from 0 to 1"},
      {"mesh: a\ncontact: {search_margin: 10.1}\ntime: {end: 1}\n", "from 0 to 10"},
      {"mesh: a\nblocks: {b: {thickness: 1e61}}\ntime: {end: 1}\n", "from 0 to 1e60"},
      {"mesh: a\ncontact: {search_method: magic}\ntime: {end: 1}\n", ":2:26: contact.search_method is 'magic'"},
      {"mesh: a\ntime:\n\tend: 1\n", ":3:1: there is a tab: indent with spaces"},
      {"# a\ntitle: Sto\xdf auf\nmesh: a\n", ":2:11: this letter is not in UTF-8: save the deck as UTF-8"},
      {"\xef\xbb\xbf# a\n\n# \xc3\xa4\xc3", ":3:4: this letter is not in UTF-8: save the deck as UTF-8"},
      {"mesh: a\ntitle: \xc3\xa4\a\n", ":2:9: there is a control character, U+0007: remove it"},
      {"mesh: ['a,b', c]\ntime: {end: 1}\n", ":1:8: mesh must not contain a comma"},
      {"mesh: a\ntime: {end: 1}\n---\nmesh: b\n", ":4: a second document begins here"},
      {"mesh: @a\ntime: {end: 1}\n", ":1:7: no value can begin with @: put it in quotes"},
      {"mesh: a\ntimer: {end: 1}\n", "did you mean 'time'?"},
      {"mesh: a\ntiem: {end: 1}\n", "did you mean 'time'?"},
      {"mesh: a\nblocks: {b: {densty: 1}}\ntime: {end: 1}\n", "did you mean 'density'?"},
      {"mesh: a\ncontact: {pairs: 1}\ntime: {end: 1}\n",
       "'pairs' in contact; its keys are enforcement, penalty_scale, "},
      {"mesh: a\n\"ti\\e[2J\\nme\": 1\n", ":2:1: there is no key 'ti\\x1b[2J\\nme' in a deck; its keys are title, "},
      {"mesh: a\ntime: {end: \"1\\t\"}\n", "time.end is '1\\t'; it must be"},
      {"mesh: a\ntime.end: 1\n",
       ":2:1: the key 'time.end' has a dot: write the word behind it below the one before it"},
      {"mesh: a\nblocks: {a.b: {density: 1}}\n", "below the one before it, or rename the block"},
      {"mesh: a\nfrobs: 1\n",
       "'frobs' in a deck; its keys are title, mesh, leave_out_others, threads, blocks, contact, "},
      {"mesh: a\nblocks: {b: {mass: 1}}\n", "its keys are material, density, young, poisson, velocity, thickness"},
      {"mesh: a\nthreads: 1.5\ntime: {end: 1}\n", "whole number"},
      {"mesh: a\ncontact: {walls: [0, 0, 0, 0, 1]}\ntime: {end: 1}\n", "list of 5; it must be a list of six"},
      {"mesh: a\ncontact: {walls: [[0, 0, 0, 0, 1]]}\ntime: {end: 1}\n", "wall 1 of contact.walls has 5 numbers"},
      {"mesh: a\ncontact: {walls: [[0, 0, 0, 0, 0, 1], 1]}\n", "wall 2 of contact.walls has 1 number; give six"},
      {"mesh: a\ncontact: {walls: [[0, 0, 0, 0, [0], 1]]}\n", "contact.walls must be a list of six"},
      {"mesh: a\ncontact: {walls: [1, 0, 0, 0, 0, 0]}\n", "the normal of wall 1 of contact.walls is 0, 0, 0"},
      {"mesh: a\ncontact: {walls: [[0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0]]}\n", "the normal of wall 2 of"},
      {"mesh: a\ncontact: {walls: []}\ntime: {end: 1}\n", "list of 0"},
      {"mesh: a\ncontact: {walls: 1}\ntime: {end: 1}\n", "six finite numbers"},
      {"mesh: a\ncontact: {walls: [0, 0, 0, 0, up, 1]}\ntime: {end: 1}\n", "is 'up'"},
      {"mesh: a\ncontact: {penalty_scale: 1.5}\ntime: {end: 1}\n", "at most 1"},
      {"mesh: a\ncontact: {skin: 1}\ntime: {end: 1}\n", "contact.skin is called contact.search_margin now"},
      {"mesh: a\ncontact: {overlap: stop}\ntime: {end: 1}\n", "is called contact.initial_penetration now"},
      {"mesh: a\ncontact: {planes: [0, 0, 0, 0, 0, 1]}\ntime: {end: 1}\n", "is called contact.walls now"},
      {"mesh: a\ncontact: {stiffness: mass}\ntime: {end: 1}\n",
       ":2:11: there is no key 'stiffness' in contact; its keys "},
  };
  for (size_t i = 0; i < sizeof decks / sizeof *decks; ++i) {
    ipg_deck deck;
    ipg_error error = {0};
    CU_ASSERT(read_deck_text(decks[i][0], &deck, &error) > 0);
    CU_ASSERT(deck.entries == NULL);
    if (!strstr(error.message, decks[i][1])) printf("\n    '%s' lacks '%s'", error.message, decks[i][1]);
    CU_ASSERT(strstr(error.message, decks[i][1]) != NULL);
    CU_ASSERT(strchr(error.message, '\n') == NULL);
  }
  ipg_deck deck;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(ipg_deck_read("no such deck.yaml", &deck, &error), IPG_ERROR_FILE);
  CU_ASSERT_EQUAL(ipg_deck_read(".", &deck, &error), IPG_ERROR_FILE);
  CU_ASSERT(strstr(error.message, "is a folder") != NULL);
}

/* A deck of this many opened lists in line 2 is refused at the list after the 32nd; fewer are no YAML if nothing closes
 * them. Without the limit the last one would take minutes. */
static void test_deep_decks(void) {
  static const int depths[] = {31, 32, 300000};
  for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i) {
    ipg_deck deck;
    ipg_error error = {0};
    char *text = malloc((size_t)depths[i] + 16);
    CU_ASSERT_FATAL(text != NULL);
    char *brackets = stpcpy(text, "title: a\nmesh: ");
    memset(brackets, '[', (size_t)depths[i]);
    brackets[depths[i]] = 0;
    CU_ASSERT_EQUAL(read_deck_text(text, &deck, &error), IPG_ERROR_FORMAT);
    CU_ASSERT(strstr(error.message, depths[i] > 31 ? ":2:38: lists or keys are nested more than 32 deep: a deck needs "
                                                     "four levels at most"
                                                   : "not YAML") != NULL);
    free(text);
  }
}

/* Both ways to write walls give the same option. */
static void test_walls_as_lists(void) {
  ipg_deck deck;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!read_deck_text("mesh: a\ntime: {end: 1}\n"
                                  "contact: {walls: [[0, 0, 1, 0, 0, 1], [0, -2, 0, 0, 1, 0]]}\n",
                                  &deck, &error));
  CU_ASSERT_STRING_EQUAL(ipg_deck_get_value(&deck, "contact_walls"), "0,0,1,0,0,1,0,-2,0,0,1,0");
  ipg_deck_destroy(&deck);
  CU_ASSERT_FATAL(!read_deck_text("mesh: a\ntime: {end: 1}\n"
                                  "contact: {walls: [0, 0, 1, 0, 0, 1, 0, -2, 0, 0, 1, 0]}\n",
                                  &deck, &error));
  CU_ASSERT_STRING_EQUAL(ipg_deck_get_value(&deck, "contact_walls"), "0,0,1,0,0,1,0,-2,0,0,1,0");
  ipg_deck_destroy(&deck);
}

/* A deck takes every search method there is, and the message for a wrong one lists them all. */
static void test_all_search_methods_are_allowed(void) {
  ipg_error error = {0};
  bool is_key = false;
  CU_ASSERT_FATAL(ipg_deck_check_option("contact_search_method", "magic", &is_key, &error) > 0);
  for (const char *const *method = ipg_search_methods(); *method; ++method) {
    CU_ASSERT(strstr(error.message, *method) != NULL);
    CU_ASSERT(!ipg_deck_check_option("contact_search_method", *method, &is_key, &(ipg_error){0}));
    CU_ASSERT(is_key);
  }
}

/* Options of the command line, and whether they are accepted. */
static void test_options_are_checked_as_keys(void) {
  static const struct {
    const char *option, *value;
    bool good;
  } options[] = {
      {"time_end", "1e-3", true},
      {"time_end", "1e-3x", false},
      {"time_end", NULL, false},
      {"contact_edges", "yes", true},
      {"contact_edges", "maybe", false},
      {"contact_enforcement", "pen", false}, /* words are whole */
      {"contact_enforcement", "penalty2", false},
      {"contact_enforcement", "", false},
      {"contact_walls", "0,0,0,0,0,1", true},
      {"contact_walls", "0,0,0,0,0", false},
      {"contact_walls", "0,0,0,0,0,0", false},
      {"contact_walls", "0,0,0,0,0,1,0,0,0,0,0,0", false},
      {"contact_planes", "0,0,0,0,0,1", false},
      {"Time_End", "x", false},
      {"Blocks_Left_Velocity", "0,0", false},
      {"contact_audit", "1000000000", true},
      {"contact_audit", "1000000001", false},
      {"contact_audit", "4294967296", false},
      {"contact_audit", "00000000001", false}, /* longer than any count */
      {"threads", "4096", true},
      {"output_file", "a.b/c.EXO", true},
      {"output_file", "a.exo/c", false},
      {"contact_skin", "0.1", false},
      {"blocks_left_bar_velocity", "0,-1.5,2e3", true},
      {"blocks_left_bar_velocity", "0,inf,0", false},
      {"blocks_velocity_density", "2", true},
      {"blocks_velocity_density", "-2", false},
      {"blocks__density", "-2", true}, /* a block has a name, so this is no key */
      {"mesh", "a.exo,b.exo", true},
      {"mesh", "a.exo,", false},
      {"title", "one, two", true},
      {"log_view", NULL, true},
      {"time_end=2", NULL, false},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    ipg_error error = {0};
    bool is_key;
    const ipg_status status = ipg_deck_check_option(options[i].option, options[i].value, &is_key, &error);
    CU_ASSERT_EQUAL(!status, options[i].good);
    CU_ASSERT(options[i].good || strstr(error.message, options[i].option) != NULL);
  }
}

/* ------------------------------------------------------------------------------------------------------------- runs */

enum { DECK_COUNT = 2 };

/* Two decks, each with keys that the other one does not have and that change its result. */
static const char *const run_decks[DECK_COUNT] = {
    "mesh: [lower.exo, upper.exo]\n"
    "blocks:\n"
    "  lower: {density: 1, young: 1}\n"
    "  upper: {density: 1, young: 1, velocity: [0.1, 0, -0.3], thickness: 0.01}\n"
    "contact: {friction_static: 0.3, penalty_scale: 0.5}\n"
    "time: {end: 0.4, safety: 0.5}\n"
    "output: {file: first.exo, count: 2}\n",
    "mesh: [lower.exo, upper.exo]\n"
    "blocks:\n"
    "  lower: {density: 1, young: 1, velocity: [0, 0, 0.2]}\n"
    "  upper: {density: 2, young: 1, poisson: 0.2}\n"
    "contact: {enforcement: kinematic, walls: [0, 0, -0.51, 0, 0, 1]}\n"
    "time: {end: 0.5}\n",
};

static bool write_run_meshes(void) {
  ipg_mesh lower = {0}, upper = {0}, far = {0};
  ipg_error error = {0};
  const bool good = !ipg_mesh_box((double[]){-.5, -.5, -.5}, (double[]){.5, .5, .5}, (int[]){2, 2, 2}, "lower", NULL,
                                  &lower, &error) &&
                    !ipg_mesh_box((double[]){-.2, -.2, .52}, (double[]){.2, .2, .92}, (int[]){2, 2, 2}, "upper", NULL,
                                  &upper, &error) &&
                    !ipg_exodus_write("lower.exo", &lower, &error) && !ipg_exodus_write("upper.exo", &upper, &error);
  ipg_mesh_destroy(&lower);
  ipg_mesh_destroy(&upper);
  const bool good_too =
      !ipg_mesh_box((double[]){1000, 0, 0}, (double[]){1001, 1, 1}, (int[]){5, 5, 5}, "far", NULL, &far, &error) &&
      !ipg_exodus_write("far.exo", &far, &error);
  ipg_mesh_destroy(&far);
  return good && good_too;
}

static ipg_status run_deck_text(const char *text, ipg_impact_summary *summary, ipg_error *error) {
  ipg_deck deck;
  FILE *log = fopen("run.log", "w");
  if (!log) return ipg_fail(error, IPG_ERROR_FILE, "cannot write run.log");
  ipg_status status = read_deck_text(text, &deck, error);
  if (!status) {
    deck.force = true; /* the deck is a new file each time, its results are not */
    status = ipg_impact_run(&deck, log, summary, error);
    ipg_deck_destroy(&deck);
  }
  fclose(log);
  return status;
}

static ipg_status start_solver(ipg_error *error) { return ipg_solver_start(1, (char *[]){"test_solver", NULL}, error); }

/* The fingerprint of each deck, run in a process of its own. Set by main before PETSc starts in this process. */
static uint64_t separate_fingerprints[DECK_COUNT];

static void run_in_child(const char *deck, int pipe_end) {
  ipg_impact_summary summary = {0};
  ipg_error error = {0};
  const bool good = !start_solver(&error) && !run_deck_text(deck, &summary, &error);
  if (!good) fprintf(stderr, "%s\n", error.message);
  const bool sent = write(pipe_end, &summary.fingerprint, sizeof summary.fingerprint) == sizeof summary.fingerprint;
  ipg_solver_finish();
  _exit(good && sent ? 0 : 1);
}

static bool run_in_separate_processes(void) {
  for (int i = 0; i < DECK_COUNT; ++i) {
    int ends[2], state = 1;
    if (pipe(ends)) return false;
    const pid_t child = fork();
    if (child < 0) return false;
    if (!child) run_in_child(run_decks[i], ends[1]);
    close(ends[1]);
    const ssize_t got = read(ends[0], &separate_fingerprints[i], sizeof *separate_fingerprints);
    close(ends[0]);
    if (waitpid(child, &state, 0) != child || state || got != sizeof *separate_fingerprints) return false;
  }
  return true;
}

/* Both decks twice, each after decks that are refused: an option that is left behind would change their results. */
static void test_runs_in_one_process(void) {
  static const char *const bad_decks[][2] = {
      {"mesh: lower.exo\ntime: {end: 1, safety: 0.1}\nblocks: {lwer: {density: 1}}\n", "no block 'lwer'"},
      {"mesh: lower.exo\ntime: {end: 1, safety: 0.1}\nblocks: {lower: {young: 1}}\n", "'lower' has no density"},
      {"mesh: [lower.exo, missing.exo]\ntime: {end: 1, safety: 0.1}\n", "missing.exo"},
  };
  ipg_impact_summary summary;
  ipg_error error = {0};
  CU_ASSERT_EQUAL(run_deck_text(run_decks[0], &summary, &error), IPG_ERROR_ARGUMENT);
  CU_ASSERT(strstr(error.message, "ipg_solver_start") != NULL);
  CU_ASSERT_FATAL(!start_solver(&error));
  for (int i = 0; i < 2 * DECK_COUNT; ++i) {
    const ipg_status status = run_deck_text(run_decks[i % DECK_COUNT], &summary, &error);
    if (status) printf("\n    %s", error.message);
    CU_ASSERT_FATAL(!status);
    CU_ASSERT_EQUAL(summary.fingerprint, separate_fingerprints[i % DECK_COUNT]);
    CU_ASSERT(summary.activations > 0);
    for (size_t k = 0; k < sizeof bad_decks / sizeof *bad_decks; ++k) {
      CU_ASSERT(run_deck_text(bad_decks[k][0], &summary, &error) > 0);
      CU_ASSERT(strstr(error.message, bad_decks[k][1]) != NULL);
    }
  }
  CU_ASSERT(separate_fingerprints[0] != separate_fingerprints[1]);
}

/* The last test: a process starts and ends PETSc once. */
static void test_finish(void) {
  ipg_impact_summary summary;
  ipg_error error = {0};
  ipg_solver_finish();
  CU_ASSERT_EQUAL(run_deck_text(run_decks[0], &summary, &error), IPG_ERROR_ARGUMENT);
}

/* ------------------------------------------------------------------------------------------------------- the summary
 */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The errors are what the other numbers say, and not 0: rounding alone leaves more. */
static void check_errors(const ipg_impact_summary *s) {
  const double dissipated =
      s->spring_net_loss + s->friction_dissipation + s->damping_dissipation + s->kinematic_dissipation;
  const double gained = s->kinetic_energy + s->kinetic_correction + s->strain_energy + s->contact_energy + dissipated -
                        s->external_work - s->kinetic_energy_before;
  double change = 0;
  for (int k = 0; k < 3; ++k)
    change = fmax(change, fabs(s->momentum_after[k] - s->momentum_before[k] - s->wall_impulse[k]));
  CU_ASSERT(s->energy_error != 0 && s->momentum_error > 0 && s->momentum_error < 1e-14);
  CU_ASSERT_DOUBLE_EQUAL(s->energy_error * s->largest_energy, gained, 1e-12 * s->largest_energy);
  const double sum = change / s->momentum_error, size = sqrt(dot(s->momentum_before, s->momentum_before));
  CU_ASSERT(sum >= .9 * size && sum < 3 * size); /* the largest sum of m |v| */
  CU_ASSERT(fabs(s->largest_energy_error) >= fabs(s->energy_error) && fabs(s->largest_energy_error) < .1);
  CU_ASSERT(s->largest_energy_error_time > 0 && s->largest_energy_error_time <= s->time);
  CU_ASSERT(s->largest_energy >= s->kinetic_energy_before && s->largest_energy < 2 * s->kinetic_energy_before);
  CU_ASSERT(s->largest_contact_energy >= s->contact_energy && s->smallest_spring_net_loss <= s->spring_net_loss);
}

/* The decks of run_decks: masses 1 and .064 (or .128), a mean edge of 7.56 / 6 cells of .5 and .2. */
static void test_summary_adds_up(void) {
  ipg_impact_summary s[DECK_COUNT];
  ipg_error error = {0};
  for (int i = 0; i < DECK_COUNT; ++i) {
    CU_ASSERT_FATAL(!run_deck_text(run_decks[i], &s[i], &error));
    check_errors(&s[i]);
    CU_ASSERT_DOUBLE_EQUAL(s[i].mean_edge, (3 + 2 * sqrt(2) + sqrt(3)) / 6 * .35, 1e-12);
    CU_ASSERT(s[i].steps > 3 && s[i].audits == 0 && s[i].activations > 0 && s[i].strain_energy > 0);
  }
  CU_ASSERT_DOUBLE_EQUAL(s[0].time, .4, 1e-9);
  CU_ASSERT_DOUBLE_EQUAL(s[0].momentum_before[0], .0064, 1e-15);
  CU_ASSERT_DOUBLE_EQUAL(s[0].momentum_before[2], -.0192, 1e-15);
  CU_ASSERT_DOUBLE_EQUAL(s[0].kinetic_energy_before, .5 * .064 * .1, 1e-15);
  CU_ASSERT(s[0].friction_dissipation > 0 && s[0].kinematic_dissipation == 0 && s[0].wall_impulse[2] == 0);
  CU_ASSERT(s[0].deepest_penetration > .001 && s[0].deepest_penetration < .12 && s[0].residual_penetration == 0);
  CU_ASSERT_DOUBLE_EQUAL(s[1].momentum_before[2], .2, 1e-15);
  CU_ASSERT(s[1].kinematic_dissipation > 0 && s[1].deepest_penetration == s[1].residual_penetration);
  CU_ASSERT(s[1].residual_penetration < 1e-5);
}

/* A wall gives a body the momentum that it has gained. */
static void test_momentum_of_a_wall(void) {
  ipg_impact_summary s;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!run_deck_text("mesh: lower.exo\n"
                                 "blocks: {lower: {density: 1, young: 1, velocity: [0.1, 0, -0.3]}}\n"
                                 "contact: {walls: [0, 0, -0.51, 0, 0, 1], friction_static: 0.2}\n"
                                 "time: {end: 3}\noutput: {count: 1}\n",
                                 &s, &error));
  check_errors(&s);
  CU_ASSERT(s.wall_impulse[2] > .02 && s.wall_impulse[0] < 0 && s.friction_dissipation > 0);
  CU_ASSERT(s.largest_contact_energy > s.contact_energy); /* there was more between the two outputs */
  ipg_impact_summary rest;
  CU_ASSERT_FATAL(
      !run_deck_text("mesh: lower.exo\nblocks: {lower: {density: 1, young: 1}}\ntime: {end: 3}\n", &rest, &error));
  CU_ASSERT(s.steps > rest.steps); /* the wall presses elements flat, which shortens the time step */
}

/* One step into each other: the energy of contact is proportional to the bulk moduli, E / (3 (1 - 2 nu)). */
static void test_stiffness_of_the_material(void) {
  double energies[2];
  for (int i = 0; i < 2; ++i) {
    char text[512];
    ipg_impact_summary s;
    ipg_error error = {0};
    snprintf(text, sizeof text,
             "mesh: [lower.exo, upper.exo]\n"
             "blocks:\n"
             "  lower: {density: 1, young: 1, poisson: %g}\n"
             "  upper: {density: 1, young: 1, poisson: %g, velocity: [0, 0, -3]}\n"
             "contact: {penalty_scale: 0.01}\ntime: {end: 0.01}\n",
             .25 * i, .25 * i);
    CU_ASSERT_FATAL(!run_deck_text(text, &s, &error));
    CU_ASSERT(s.steps == 1 && s.contact_energy > 0);
    energies[i] = s.contact_energy;
  }
  CU_ASSERT_DOUBLE_EQUAL(energies[1] / energies[0], 2, 1e-9);
}

/* Two runs of one step to the same positions: in one of them a wall is hit, so the velocities differ. */
static void test_fingerprint_has_velocities(void) {
  ipg_impact_summary far, near;
  ipg_error error = {0};
  const char *deck = "mesh: lower.exo\n"
                     "blocks: {lower: {density: 1, young: 1, velocity: [0, 0, -0.3]}}\n"
                     "contact: {walls: [0, 0, %g, 0, 0, 1]}\ntime: {end: 0.1}\n";
  char text[512];
  snprintf(text, sizeof text, deck, -.9);
  CU_ASSERT_FATAL(!run_deck_text(text, &far, &error));
  snprintf(text, sizeof text, deck, -.52);
  CU_ASSERT_FATAL(!run_deck_text(text, &near, &error));
  CU_ASSERT(far.steps == 1 && near.steps == 1 && far.activations == 0 && near.activations > 0);
  CU_ASSERT(far.fingerprint != near.fingerprint);
}

/* Deep contact and long steps make some energy: errors are relative to the largest energy, not to the first. */
static void test_largest_energy(void) {
  ipg_impact_summary s;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!run_deck_text("mesh: [lower.exo, upper.exo]\n"
                                 "blocks:\n"
                                 "  lower: {density: 1, young: 1}\n"
                                 "  upper: {density: 1, young: 1, velocity: [0, 0, -0.6]}\n"
                                 "time: {end: 2, safety: 1}\noutput: {count: 200}\n",
                                 &s, &error));
  CU_ASSERT(s.largest_energy > 1.001 * s.kinetic_energy_before);
}

/* The step is the given fraction of the critical one: as many as fit, and one more for what is left. */
static void test_number_of_steps(void) {
  const ipg_material material = {.density = 2, .young = 3, .poisson = .2};
  ipg_mesh mesh = {0};
  ipg_solid *solid = NULL;
  ipg_impact_summary s;
  ipg_error error = {0};
  ipg_gid element;
  const ipg_allocator memory = ipg_allocator_malloc();
  CU_ASSERT_FATAL(!ipg_exodus_read("lower.exo", NULL, &memory, &mesh, &error));
  CU_ASSERT_FATAL(!ipg_solid_create(&mesh, &material, NULL, NULL, &solid, &error));
  double *u = calloc(3 * (size_t)mesh.node_count, sizeof *u);
  const double critical = ipg_solid_compute_critical_time_step(solid, u, &element);
  for (int i = 1; i <= 4; ++i) {
    char deck[256];
    snprintf(deck, sizeof deck,
             "mesh: lower.exo\nblocks: {lower: {density: 2, young: 3, poisson: 0.2}}\n"
             "contact: {enforcement: kinematic}\ntime: {end: 2, safety: 0.%d}\n",
             2 * i);
    CU_ASSERT_FATAL(!run_deck_text(deck, &s, &error));
    CU_ASSERT_EQUAL(s.steps, (int64_t)ceil(2 / (.2 * i * critical)));
  }
  free(u);
  ipg_solid_destroy(&solid);
  ipg_mesh_destroy(&mesh);
}

/* Outputs are evenly spaced, each with the first step at its time or later; the last is the end. */
static void test_result_steps(void) {
  ipg_impact_summary s;
  ipg_error error = {0};
  ipg_results_reader *results = NULL;
  const ipg_allocator memory = ipg_allocator_malloc();
  CU_ASSERT_FATAL(!run_deck_text(run_decks[0], &s, &error));
  CU_ASSERT_FATAL(!ipg_results_open("first.exo", &memory, &results, &error));
  const ipg_contents *contents = ipg_results_contents(results);
  const double step = s.time / (double)s.steps;
  CU_ASSERT_EQUAL_FATAL(contents->step_count, 3);
  CU_ASSERT(contents->times[0] == 0 && contents->times[1] >= .2 && contents->times[1] < .2 + 1.1 * step);
  CU_ASSERT_DOUBLE_EQUAL(contents->times[2], s.time, 1e-12);
  CU_ASSERT_EQUAL_FATAL(contents->fields[IPG_FIELD_GLOBAL].count, 14);
  const double *expected[] = {
      &s.kinetic_energy,       &s.strain_energy,       &s.contact_energy,        &s.spring_net_loss,
      &s.friction_dissipation, &s.damping_dissipation, &s.kinematic_dissipation, NULL,
      &s.energy_error,         &s.momentum_after[0],   &s.momentum_after[1],     &s.momentum_after[2]};
  double globals[14], first[14];
  CU_ASSERT_FATAL(!ipg_results_read(results, 2, IPG_FIELD_GLOBAL, 0, globals, &error));
  CU_ASSERT_FATAL(!ipg_results_read(results, 0, IPG_FIELD_GLOBAL, 0, first, &error));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    if (expected[i]) CU_ASSERT_EQUAL(globals[i], *expected[i]);
  CU_ASSERT(first[0] == s.kinetic_energy_before && first[8] == 0 && first[12] == 0);
  CU_ASSERT_DOUBLE_EQUAL(first[13], step, .2 * step);
  ipg_results_reader_destroy(&results);
}

/* Words that the log of the last run must have, or must not. */
static bool log_has(const char *words) {
  char line[1024];
  bool found = false;
  FILE *log = fopen("run.log", "r");
  CU_ASSERT_FATAL(log != NULL);
  while (fgets(line, sizeof line, log)) found |= strstr(line, words) != NULL;
  fclose(log);
  return found;
}

static void test_lines_of_a_log(void) {
  static const char rest[] = "mesh: lower.exo\nblocks: {lower: {density: 1, young: 1}}\ntime: {end: 0.5}\n";
  ipg_impact_summary s;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!run_deck_text(run_decks[0], &s, &error));
  CU_ASSERT(!log_has("no results are written") && !log_has("no contact in the whole run") && !log_has("wall impulse"));
  CU_ASSERT(log_has("contact energy   ") && log_has("mean velocity    ") && log_has("of block upper"));
  CU_ASSERT_FATAL(!run_deck_text(run_decks[1], &s, &error));
  CU_ASSERT(log_has("no results are written: add output.file") && log_has("wall impulse     "));
  CU_ASSERT_FATAL(!run_deck_text(rest, &s, &error));
  CU_ASSERT(log_has("no contact in the whole run") && log_has("energy error     - (all energy is rounding)"));
  CU_ASSERT(s.largest_energy == 0 && s.energy_error == 0);
  CU_ASSERT_FATAL(!run_deck_text("mesh: far.exo\nblocks: {far: {density: 7800, young: 2e11}}\ntime: {end: 1e-3}\n", &s,
                                 &error)); /* its energy is not exactly 0 */
  CU_ASSERT(log_has("energy error     - (all energy is rounding)") && s.largest_energy == 0);
}

/* A deck that contradicts itself, or a material out of bounds, is refused with the key and its line. */
static void test_decks_that_a_run_refuses(void) {
  static const char *const decks[][2] = {
      {"contact: {friction_static: 0.1, friction_dynamic: 0.2}\n", ":4:51: contact.friction_dynamic is 0.2, above "},
      {"contact: {friction_dynamic: 0.2}\n", ":4:29: contact.friction_dynamic is 0.2, above contact.friction_static, "},
      {"contact: {enforcement: kinematic, damping: 0.1}\n",
       ":4:44: contact.damping is 0.1, which belongs to enforcement by penalty"},
      {"contact: {friction_decay: 2}\n",
       ":4:27: contact.friction_decay is 2 and has no effect, because both coefficien"},
      {"contact: {friction_static: 0.1, friction_decay: 2}\n", "coefficients are 0.1: give contact.friction_dynamic "},
      {"contact: {friction_static: 0.1, friction_dynamic: 0.1, friction_decay: 2}\n",
       "friction_decay is 2 and has no "},
      {"contact: {enforcement: kinematic, penalty_scale: 0.1}\n",
       "contact.penalty_scale is 0.1, which belongs to enforcement by penal"},
      {"contact: {enforcement: kinematic, edges: yes}\n",
       ":4:42: contact.edges is yes, which belongs to enforcement by penalty: leave it out, or set"},
      {"contact: {enforcement: kinematic, edges: no}\n", ":4:42: contact.edges is no, which belongs"},
      {"contact: {enforcement: kinematic, onset: 1}\n",
       ": contact.onset is 1, which belongs to enforcement by penalty"},
      {"contact: {enforcement: node_springs}\n",
       ":4:24: contact.enforcement is 'node_springs'; it must be one of: penalty, kinematic"},
      {"contact: {enforcement: kinematic, penetration_limit: 1}\n", ": contact.penetration_limit is 1, which belongs"},
      {"contact: {walls: [0, 0, -0.4, 0, 0, 1], initial_penetration: stop}\n", "9 nodes behind rigid walls"},
  };
  static const char *const materials[][2] = {
      {"density: 1e300, young: 1", ":3:27: blocks.lower.density is 1e+300, which gives node 1 of block 'lower' a mass"},
      {"density: 1e-300, young: 1", ":3:27: blocks.lower.density is 1e-300, which gives node 1"},
      {"density: 1, young: 1e60", "block 'lower' with density 1 and Young's modulus 1e+60"},
      {"density: 1, young: 1, material: butter", "unknown material 'butter'"},
      {"density: 1, young: 1, velocity: [0, 0, 1e307]", "of block 'lower' has turned inside out"},
  };
  char text[512];
  ipg_impact_summary s;
  ipg_error error = {0};
  for (size_t i = 0; i < sizeof decks / sizeof *decks; ++i) {
    snprintf(text, sizeof text, "mesh: lower.exo\nblocks: {lower: {density: 1, young: 1}}\ntime: {end: 1}\n%s",
             decks[i][0]);
    CU_ASSERT(run_deck_text(text, &s, &error) > 0);
    if (!strstr(error.message, decks[i][1])) printf("\n    '%s' lacks '%s'", error.message, decks[i][1]);
    CU_ASSERT(strstr(error.message, decks[i][1]) != NULL);
  }
  for (size_t i = 0; i < sizeof materials / sizeof *materials; ++i) {
    snprintf(text, sizeof text, "mesh: lower.exo\ntime: {end: 1}\nblocks: {lower: {%s}}\n", materials[i][0]);
    CU_ASSERT(run_deck_text(text, &s, &error) > 0);
    if (!strstr(error.message, materials[i][1])) printf("\n    '%s' lacks '%s'", error.message, materials[i][1]);
    CU_ASSERT(strstr(error.message, materials[i][1]) != NULL);
  }
  CU_ASSERT(run_deck_text("mesh: lower.exo\ntime: {end: 1}\ncontact: {enforcement: kinematic}\n"
                          "blocks: {lower: {density: 1, young: 1, thickness: 0.1}}\n",
                          &s, &error) > 0);
  CU_ASSERT(strstr(error.message, ":4:51: blocks.lower.thickness is 0.1, which belongs to enforcement by penalty") !=
            NULL);
}

/* Bodies that penetrate each other at the start by .02 and part: that is the deepest penetration. */
static void test_deepest_penetration_counts_the_start(void) {
  ipg_impact_summary s;
  ipg_error error = {0};
  CU_ASSERT_FATAL(!run_deck_text("mesh: lower.exo\n"
                                 "blocks: {lower: {density: 1, young: 1, velocity: [0, 0, 1]}}\n"
                                 "contact: {walls: [[0, 0, -0.48, 0, 0, 1]]}\ntime: {end: 0.01}\n",
                                 &s, &error));
  CU_ASSERT_DOUBLE_EQUAL(s.deepest_penetration, .02, 1e-12);
  CU_ASSERT(log_has("warning: initial penetration of 9 nodes behind rigid walls"));
  CU_ASSERT_EQUAL(s.contact_energy, 0);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"force is minus the gradient of energy", test_force_is_minus_gradient_of_energy},
      {"rigid motion has no energy", test_rigid_motion_has_no_energy},
      {"Hooke's law for small strain", test_hooke},
      {"a negative volume is found", test_negative_volume_is_found},
      {"the critical time step is a tight lower bound", test_critical_time_step_is_a_tight_lower_bound},
      {"the critical time step of a regular tetrahedron", test_critical_time_step_of_regular_tetrahedron},
      {"the same bits for threads", test_solid_same_bits_for_threads},
      {"bad materials and elements are refused by name", test_solid_refuses},
      {"odd meshes", test_odd_meshes},
      {"a deck is read", test_deck_is_read},
      {"deck errors are one sentence with line and column", test_deck_errors},
      {"deeply nested decks are refused at once", test_deep_decks},
      {"walls as lists", test_walls_as_lists},
      {"all search methods are allowed", test_all_search_methods_are_allowed},
      {"options are checked as keys", test_options_are_checked_as_keys},
      {"runs in one process have the bits of separate ones", test_runs_in_one_process},
      {"the summary adds up", test_summary_adds_up},
      {"the momentum of a wall", test_momentum_of_a_wall},
      {"the stiffness of the material", test_stiffness_of_the_material},
      {"the fingerprint has velocities", test_fingerprint_has_velocities},
      {"the largest energy", test_largest_energy},
      {"the number of steps", test_number_of_steps},
      {"result steps", test_result_steps},
      {"lines of a log", test_lines_of_a_log},
      {"decks that a run refuses", test_decks_that_a_run_refuses},
      {"the deepest penetration counts the start", test_deepest_penetration_counts_the_start},
      {"the end of PETSc", test_finish},
      CU_TEST_INFO_NULL,
  };
  if (!write_run_meshes() || !run_in_separate_processes()) return 1;
  return suite_main(argc, argv, "solver", tests);
}
