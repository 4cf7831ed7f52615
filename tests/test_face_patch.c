/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact patch test of face-face contact: blocks whose meshes do not match, pressed together so that the exact
 * pressure is the same everywhere. The pressure at a node is its contact force over the area around it; measured is its
 * largest deviation inside of the interface, on its edges and at its corners.
 *
 * Elastic blocks come to rest under a pressure: a block on one of the same size, where every node of either side
 * counts, and a block on a larger one that does not deform, for on one that does the pressure is not uniform. Rigid
 * blocks are pressed together by a given depth, in any direction. */
#include "support/elastic_host.h"
#include "support/evaluate.h"
#include "support/meshes.h"
#include "support/random_scenes.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>
#include <stdio.h>

static const double young = 1e6, poisson = .3;

/* Of the nodes of an interface. */
typedef enum location { INNER, EDGE, CORNER, PLACES } location;

typedef struct deviations {
  double at[PLACES], resultant;
} deviations;

static void take_worst(deviations *worst, const deviations *d) {
  for (int i = 0; i < PLACES; ++i) worst->at[i] = suite_worst(worst->at[i], d->at[i]);
  worst->resultant = suite_worst(worst->resultant, d->resultant);
}

static void print_deviations(const char *what, const deviations *d) {
  printf("\n    %s: in %%, inner nodes %.2g, edges %.2g, corners %.2g, resultant %.2g", what, 100 * d->at[INNER],
         100 * d->at[EDGE], 100 * d->at[CORNER], 100 * d->resultant);
}

static void report(const char *what, const deviations *worst) {
  static const char *const places[PLACES] = {"inner nodes", "nodes on edges", "corner nodes"};
  char name[160];
  for (int i = 0; i < PLACES; ++i) {
    snprintf(name, sizeof name, "%s: pressure at %s", what, places[i]);
    suite_gate(name, worst->at[i], .05);
  }
}

/* Of all patches whose pressure follows from a load or from the law. */
static double resultant_error;

static void take_resultants(const deviations *a, const deviations *b) {
  resultant_error = suite_worst(suite_worst(resultant_error, a->resultant), b->resultant);
}

/* ----------------------------------------------------------------------------------------------------------- blocks */

typedef struct box {
  double low[3], high[3];
  int cells;
} box;

/* Moves inner nodes at random; those on a side stay in it. */
static void distort(ipg_mesh *mesh, const box *b, rng *r) {
  for (int64_t i = 0; i < 3 * mesh->node_count; ++i) {
    const double lo = b->low[i % 3], hi = b->high[i % 3];
    const double shift = rng_between(r, -.2, .2) * (hi - lo) / b->cells;
    if (mesh->x[i] > lo && mesh->x[i] < hi) mesh->x[i] += shift;
  }
}

static ipg_mesh make_block(const box *b, bool quadratic, rng *r, const char *name) {
  ipg_mesh mesh = scene_box(b->low[0], b->low[1], b->low[2], b->high[0], b->high[1], b->high[2], b->cells, b->cells,
                            b->cells, name);
  distort(&mesh, b, r);
  mesh.blocks[0].quadratic = quadratic;
  if (quadratic) meshes_add_middles(&mesh);
  return mesh;
}

static void give_stiffnesses(scene *s, const double *moduli) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&s->surface, &s->mesh, &s->skin, moduli, &error));
}

/* How many of the node's coordinates in the plane of the interface are on the border of the box. */
static location location_in(const box *b, const double *x) {
  int borders = 0;
  for (int k = 0; k < 2; ++k) borders += fabs(x[k] - b->low[k]) < 1e-9 || fabs(x[k] - b->high[k]) < 1e-9;
  return (location)borders;
}

/* -------------------------------------------------------------------------------------------------- elastic blocks */

typedef struct patch {
  bool quadratic;
  int cells[2]; /* along each side of the lower and of the upper block */
  bool on_larger;
  bool upper_first; /* in the order of bodies */
  double pressure;
  double onset; /* 0: the default, of each pair of faces another one */
} patch;

static const box unit_box = {{0, 0, 0}, {1, 1, 1}, 0};

typedef struct stand {
  scene s;
  elastic_host host;
  int upper;            /* its body */
  int64_t lower_end[2]; /* the mesh nodes of the lower block: from, to */
  double load;
} stand;

static void make_blocks(stand *t, const patch *p, rng *r) {
  const double out = p->on_larger ? .53 : 0;
  box lower = {{-out, -out, -1}, {1 + out, 1 + out, 0}, p->cells[0]}, upper = unit_box;
  ipg_mesh meshes[2];
  upper.cells = p->cells[1], upper.low[2] = 1e-9;
  t->upper = p->upper_first ? 0 : 1;
  meshes[1 - t->upper] = make_block(&lower, p->quadratic, r, "lower");
  meshes[t->upper] = make_block(&upper, p->quadratic, r, "upper");
  t->lower_end[0] = p->upper_first ? meshes[0].node_count : 0;
  t->lower_end[1] = t->lower_end[0] + meshes[1 - t->upper].node_count;
  scene_make(&t->s, meshes, 2, 1);
}

/* Pressure on top. Sides at x = 0 and y = 0 are held, the others free. The lower block is held from below, or, where it
 * is larger, everywhere. */
static void load_and_hold(stand *t, const patch *p) {
  const ipg_surface *surface = &t->s.surface.surface;
  elastic_host *h = &t->host;
  double *areas = scene_areas_at(surface, t->s.x, 1, 1e-10);
  for (int64_t i = 0; i < t->s.mesh.node_count; ++i) {
    const double *x = h->x0 + 3 * i;
    const bool is_rigid = p->on_larger && i >= t->lower_end[0] && i < t->lower_end[1];
    h->held[3 * i] = is_rigid || x[0] == 0, h->held[3 * i + 1] = is_rigid || x[1] == 0;
    h->held[3 * i + 2] = is_rigid || x[2] == -1;
  }
  for (int64_t i = 0; i < surface->node_count; ++i) {
    h->load[3 * t->s.surface.mesh_nodes[i] + 2] = -areas[i] * p->pressure;
    t->load += areas[i] * p->pressure;
  }
  free(areas);
}

/* In the step that elements and contact bear together. */
static void come_to_rest(stand *t, const patch *p) {
  const double bulk = young / (3 * (1 - 2 * poisson));
  double unbalanced = 1;
  give_stiffnesses(&t->s, (double[]){bulk, bulk});
  ipg_contact_config config = ipg_contact_defaults();
  config.onset = p->onset;
  ipg_contact *contact = scene_contact(&t->s, &config);
  t->host.dt = 1 / hypot(1 / t->host.dt, 1 / ipg_contact_stable_step(contact));
  for (int64_t step = 1; unbalanced > 1e-11 * p->pressure && step < 20000; ++step)
    unbalanced = elastic_host_step(&t->host, &t->s, contact, step);
  CU_ASSERT(unbalanced <= 1e-11 * p->pressure);
  ipg_contact_destroy(&contact);
}

/* Of the upper block, and of the lower one if it is as large. */
static deviations measure_forces(const stand *t, const patch *p) {
  deviations d = {0};
  const scene *s = &t->s;
  double *lower = scene_areas_at(&s->surface.surface, s->x, 0, 1e-10),
         *upper = scene_areas_at(&s->surface.surface, s->x, 1e-9, 1e-10);
  double sum = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const bool is_upper = s->body_of_node[i] == t->upper;
    const double area = is_upper ? upper[i] : p->on_larger ? 0 : lower[i], force = s->force[3 * i + 2];
    if (is_upper) sum += force;
    if (area == 0) continue;
    const location at = location_in(&unit_box, s->x + 3 * i);
    d.at[at] = suite_worst(d.at[at], (is_upper ? force : -force) / area / p->pressure - 1);
  }
  d.resultant = sum / t->load - 1;
  free(lower), free(upper);
  return d;
}

static deviations run_patch(const patch *p, rng *r) {
  stand t = {0};
  make_blocks(&t, p, r);
  elastic_host_make(&t.host, &t.s, young, poisson, M_PI / (p->on_larger ? 2 : 4) * sqrt(young));
  load_and_hold(&t, p);
  come_to_rest(&t, p);
  const deviations d = measure_forces(&t, p);
  char what[80];
  snprintf(what, sizeof what, "%s %d:%d, %s, pressure %g", p->quadratic ? "T10" : "T4", p->cells[0], p->cells[1],
           p->upper_first ? "upper first" : "lower first", p->pressure);
  print_deviations(what, &d);
  elastic_host_free(&t.host);
  scene_free(&t.s);
  return d;
}

static deviations run_patches(const patch *patches, int count, uint64_t salt) {
  rng r = rng_start(salt);
  deviations worst = {0};
  for (int i = 0; i < count; ++i) {
    const deviations d = run_patch(&patches[i], &r);
    take_worst(&worst, &d);
  }
  return worst;
}

/* MOOSE's brick_1, and so much pressure that the onset is behind. */
static const double of_moose = 109.8972, large = 2e4, one_onset = 5e-3;

static void test_equal_blocks(void) {
  const patch patches[] = {{false, {3, 4}, false, false, of_moose, 0},
                           {false, {3, 2}, false, true, large, 0},
                           {true, {1, 2}, false, false, of_moose, 0}};
  const patch with_onset[] = {{false, {2, 3}, false, false, of_moose, one_onset},
                              {false, {3, 2}, false, true, large, one_onset}};
  const deviations worst = run_patches(patches, suite_is_quick() ? 2 : 3, 1),
                   even = run_patches(with_onset, suite_is_quick() ? 1 : 2, 2);
  take_resultants(&worst, &even);
  report("face-face patch, elastic blocks of one size", &worst);
  report("face-face patch, elastic blocks of one size, one onset for all faces", &even);
}

static void test_on_larger(void) {
  const patch patches[] = {{false, {4, 3}, true, false, of_moose, 0}, {false, {2, 3}, true, true, large, 0}};
  const patch with_onset[] = {{false, {3, 2}, true, true, of_moose, one_onset},
                              {false, {2, 3}, true, false, large, one_onset}};
  const deviations worst = run_patches(patches, suite_is_quick() ? 1 : 2, 15),
                   even = run_patches(with_onset, suite_is_quick() ? 1 : 2, 4);
  take_resultants(&worst, &even);
  report("face-face patch, an elastic block on a larger one", &worst);
  report("face-face patch, an elastic block on a larger one, one onset for all faces", &even);
}

/* ---------------------------------------------------------------------------------------------------- rigid blocks */

/* How far the lower block reaches out beyond the upper one, and its cells. */
typedef struct floor_kind {
  double least, most;
  int cells[2];
} floor_kind;

static const floor_kind same_size = {0, 0, {1, 6}}, larger_floor = {.01, .4, {3, 6}},
                        floor_of_one_cell = {.1, 1, {1, 1}};

/* Two blocks in a frame of their own; the world is turned. */
typedef struct pressed {
  box boxes[2]; /* the lower and the upper one; their interface is at z = 0 */
  bool upper_first, is_equal, has_one_onset;
  double depth, onset; /* lengths */
  double normal[3];    /* upward, in the world */
} pressed;

static int upper_body(const pressed *p) { return p->upper_first ? 0 : 1; }

static double cell_of(const box *b) { return (b->high[0] - b->low[0]) / b->cells; }

/* depth: in parts of the smaller cell. */
static pressed random_pressed(rng *r, const floor_kind *kind, double depth) {
  pressed p = {.upper_first = rng_int(r, 0, 1), .is_equal = kind->most == 0};
  box *lower = &p.boxes[0], *upper = &p.boxes[1];
  for (int k = 0; k < 2; ++k) {
    upper->low[k] = rng_between(r, -1, 1), upper->high[k] = upper->low[k] + 1;
    lower->low[k] = upper->low[k] - rng_between(r, kind->least, kind->most);
    lower->high[k] = upper->high[k] + rng_between(r, kind->least, kind->most);
  }
  lower->low[2] = -rng_between(r, .5, 1.5), upper->high[2] = rng_between(r, .5, 1.5);
  lower->cells = rng_int(r, kind->cells[0], kind->cells[1]), upper->cells = rng_int(r, 1, 6);
  const double cell = fmin(cell_of(lower), cell_of(upper));
  p.depth = depth * cell, p.onset = pow(10, rng_between(r, -3, -1.5)) * cell;
  return p;
}

/* The blocks at gap 0, turned. x: where they are in their own frame, 3 per surface node. */
static double *make_pressed(scene *s, pressed *p, rng *r) {
  ipg_mesh meshes[2];
  double rotation[3][3];
  const double nowhere[3] = {0, 0, 0};
  for (int i = 0; i < 2; ++i)
    meshes[p->upper_first ? 1 - i : i] = make_block(&p->boxes[i], false, r, i ? "upper" : "lower");
  scene_make(s, meshes, 2, 1);
  const size_t bytes = 3 * (size_t)s->surface.surface.node_count * sizeof(double);
  double *x = malloc(bytes);
  memcpy(x, s->x, bytes);
  random_rotation(r, rotation);
  for (int k = 0; k < 3; ++k) p->normal[k] = rotation[k][2];
  transform_mesh(&s->mesh, rotation, nowhere, 1);
  ipg_mesh_surface_gather(&s->surface, s->mesh.x, s->x);
  return x;
}

static void press(scene *s, const pressed *p, const ipg_contact_config *config) {
  ipg_error error = {0};
  ipg_contact *contact = scene_contact(s, config);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    vec3_add_scaled(s->x + 3 * i, s->body_of_node[i] == upper_body(p) ? -p->depth : 0, p->normal, s->trial + 3 * i);
  CU_ASSERT_FATAL(!evaluate_after(contact, 1, s->trial, NULL, s->force, &error));
  ipg_contact_destroy(&contact);
}

/* k psi'(d), stiffnesses in series. */
static double pressure_of_law(const scene *s, const pressed *p) {
  const double *k = s->surface.surface.face_stiffnesses, d = p->depth, w = p->onset;
  const double series = 1 / (1 / k[0] + 1 / k[s->surface.surface.face_count - 1]);
  return series * (d < w ? d * d / (2 * w) : d - w / 2);
}

/* Of the nodes of both blocks whose faces lie wholly within the other block. Without an onset of its own the pressure
 * to compare with is the mean. */
static deviations measure_pressed(const scene *s, const pressed *p, const double *x) {
  deviations d = {0};
  double *areas = scene_areas_at(&s->surface.surface, x, 0, 1e-10), sum = 0; /* the area of the interface is 1 */
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    if (s->body_of_node[i] == upper_body(p)) sum += vec3_dot(s->force + 3 * i, p->normal);
  const double pressure = p->has_one_onset ? pressure_of_law(s, p) : sum;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const bool is_upper = s->body_of_node[i] == upper_body(p);
    if (areas[i] == 0 || (!is_upper && !p->is_equal)) continue;
    const location at = location_in(&p->boxes[1], x + 3 * i);
    const double force = vec3_dot(s->force + 3 * i, p->normal);
    d.at[at] = suite_worst(d.at[at], (is_upper ? force : -force) / areas[i] / pressure - 1);
  }
  d.resultant = sum / pressure - 1;
  free(areas);
  return d;
}

static deviations run_pressed(pressed *p, rng *r) {
  scene s;
  double *x = make_pressed(&s, p, r);
  ipg_contact_config config = ipg_contact_defaults();
  give_stiffnesses(&s, (double[]){1, pow(10, rng_between(r, -4, 4))});
  if (p->has_one_onset) config.onset = p->onset;
  press(&s, p, &config);
  const deviations d = measure_pressed(&s, p, x);
  scene_free(&s);
  free(x);
  return d;
}

static deviations run_rigid(const floor_kind *kind, double depth, bool has_one_onset, rng *r) {
  deviations worst = {0};
  for (long i = 0; i < suite_scenes() / 20; ++i) {
    pressed p = random_pressed(r, kind, depth);
    p.has_one_onset = has_one_onset;
    const deviations d = run_pressed(&p, r);
    take_worst(&worst, &d);
  }
  return worst;
}

/* A seed whose scenes are hard counts whatever the seed. */
static void test_rigid(void) {
  rng r = rng_start(5), r_deep = rng_start(6), r_default = rng_start(7), known = rng_start_of_seed(9, 6);
  const deviations shallow = run_rigid(&same_size, .02, true, &r),
                   by_default = run_rigid(&same_size, .02, false, &r_default),
                   deep_known = run_rigid(&same_size, .1, true, &known);
  deviations deep = run_rigid(&same_size, .1, true, &r_deep);
  take_worst(&deep, &deep_known);
  take_resultants(&shallow, &deep);
  report("face-face patch, rigid blocks of one size, .02 cells deep, one onset for all faces", &shallow);
  report("face-face patch, rigid blocks of one size, .1 cells deep, one onset for all faces", &deep);
  report("face-face patch, rigid blocks of one size, .02 cells deep", &by_default);
}

static void test_rigid_on_larger(void) {
  rng r = rng_start(8), r_deep = rng_start(9), r_default = rng_start(10);
  const deviations shallow = run_rigid(&larger_floor, .02, true, &r),
                   deep = run_rigid(&larger_floor, .1, true, &r_deep),
                   by_default = run_rigid(&larger_floor, .02, false, &r_default);
  take_resultants(&shallow, &deep);
  report("face-face patch, a rigid block on a larger one, .02 cells deep, one onset for all faces", &shallow);
  report("face-face patch, a rigid block on a larger one, .1 cells deep, one onset for all faces", &deep);
  report("face-face patch, a rigid block on a larger one, .02 cells deep", &by_default);
}

static void test_resultants(void) { suite_gate("face-face patch: resultant", resultant_error, 1e-9); }

/* A floor whose sides are as far apart as its edges are long: a side of the floor and the opposite one of the block
 * face each other, and only the reach tells that neither body is behind both. */
static void test_floor_of_one_cell(void) {
  rng r = rng_start(11);
  const deviations d = run_rigid(&floor_of_one_cell, .02, true, &r);
  report("face-face patch, a rigid block on a floor of one cell", &d);
  suite_gate("face-face patch, a rigid block on a floor of one cell: resultant", d.resultant, 1e-9);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"elastic blocks of one size", test_equal_blocks},
      {"an elastic block on a larger one", test_on_larger},
      {"rigid blocks of one size", test_rigid},
      {"a rigid block on a larger one", test_rigid_on_larger},
      {"resultants of all", test_resultants},
      {"a rigid block on a floor of one cell", test_floor_of_one_cell},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "face_patch", tests);
}
