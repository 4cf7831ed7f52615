/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Elements and face-face contact are stable together in the step that both bear: 1 / dt^2 is the sum of 1 / dt^2 of the
 * elements alone and of contact alone. In random scenes at rest the largest eigenvalue of M^-1 (K of elements + K of
 * contact) is at most 4 / dt^2. K of contact is taken from difference quotients of its forces, at a penetration beyond
 * the onset, of nodes that are a little out of place: blocks that lie exactly flat on each other are at a kink of the
 * energy, where forces jump. The elements' own step is exact, so that the sum has no slack but that of contact. */
#include "support/elastic_host.h"
#include "support/evaluate.h"
#include "support/random_scenes.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------------------ scenes
 */

typedef struct pressed {
  scene s;
  elastic_host h;
  ipg_contact *contact;
  double stable_step, edge; /* the contact's; the shortest of the two bodies' mean edges */
  double depth;             /* of the deepest contact */
  int64_t step;
  double *x, *moved, *force[2]; /* 3 per surface node: the pressed state, and around it */
} pressed;

static elastic_material random_material(rng *r) {
  return (elastic_material){pow(10, rng_between(r, -2, 2)), rng_between(r, 0, .4), pow(10, rng_between(r, -1, 1))};
}

/* Of the edges of faces of a body. */
static double mean_edge(const scene *s, int32_t body) {
  const ipg_surface *surface = &s->surface.surface;
  double sum = 0;
  int64_t count = 0;
  for (int64_t f = 0; f < surface->face_count; ++f)
    for (int k = 0; k < 3 && surface->face_bodies[f] == body; ++k, ++count)
      sum += vec3_distance(s->x + 3 * surface->faces[3 * f + k], s->x + 3 * surface->faces[3 * f + (k + 1) % 3]);
  return sum / (double)count;
}

/* Two bodies or a body and a wall, apart. */
static void start_scene(pressed *p, ipg_mesh *meshes, int count, const elastic_material *materials,
                        const ipg_contact_wall *wall) {
  ipg_error error = {0};
  double moduli[2];
  for (int b = 0; b < count; ++b) moduli[b] = materials[b].young / (3 * (1 - 2 * materials[b].poisson));
  scene_make(&p->s, meshes, count, 1);
  elastic_host_make_blocks(&p->h, &p->s, materials);
  CU_ASSERT_FATAL(!ipg_mesh_surface_set_stiffness(&p->s.surface, &p->s.mesh, &p->s.skin, moduli, &error));
  p->edge = mean_edge(&p->s, 0);
  if (count > 1) p->edge = fmin(p->edge, mean_edge(&p->s, 1));
  ipg_contact_config config = ipg_contact_defaults();
  config.onset = 1e-3 * p->edge, config.walls = wall, config.wall_count = wall ? 1 : 0;
  p->contact = scene_contact(&p->s, &config);
  p->stable_step = ipg_contact_stable_step(p->contact);
  const size_t values = 3 * (size_t)p->s.surface.surface.node_count;
  p->x = calloc(values, sizeof(double)), p->moved = calloc(values, sizeof(double));
  for (int i = 0; i < 2; ++i) p->force[i] = calloc(values, sizeof(double));
}

static void end_scene(pressed *p) {
  free(p->x), free(p->moved), free(p->force[0]), free(p->force[1]);
  ipg_contact_destroy(&p->contact);
  elastic_host_free(&p->h);
  scene_free(&p->s);
}

/* The state x, and the depth of the deepest contact so far. */
static void accept(pressed *p) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!evaluate_after(p->contact, 0, p->x, NULL, p->force[0], &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(p->contact, ++p->step, &error));
  p->depth = -ipg_contact_get_energy_balance(p->contact).smallest_gap;
}

/* Moves the last body down until a contact is that deep; false: it met nothing. */
static bool press(pressed *p, int32_t body, double depth) {
  enum { MOST = 4000 };
  const double up[3] = {0, 0, 1};
  for (int i = 1; i < MOST && p->depth < depth; ++i) {
    for (int64_t n = 0; n < p->s.surface.surface.node_count; ++n)
      vec3_add_scaled(p->s.x + 3 * n, p->s.body_of_node[n] == body ? -.2 * depth * i : 0, up, p->x + 3 * n);
    accept(p);
  }
  return p->depth >= depth;
}

/* --------------------------------------------------------------------------------------------------- eigenvalues */

/* Adds K v of the elements, 3 per mesh node. */
static void add_elements(pressed *p, const double *v, double *to) {
  const int64_t values = 3 * p->s.mesh.node_count;
  for (int64_t i = 0; i < values; ++i) p->h.trial[i] = p->h.x0[i] + v[i];
  elastic_host_set_forces(&p->h, p->s.mesh.node_count);
  for (int64_t i = 0; i < values; ++i) to[i] -= p->h.force[i];
}

static void add_contact(pressed *p, const double *v, double *to) {
  const int64_t values = 3 * p->s.surface.surface.node_count;
  ipg_error error = {0};
  double largest = 0;
  for (int64_t i = 0; i < 3 * p->s.mesh.node_count; ++i) largest = fmax(largest, fabs(v[i]));
  const double scale = 1e-8 * p->edge / largest;
  for (int side = 0; side < 2; ++side) {
    ipg_mesh_surface_gather(&p->s.surface, v, p->moved);
    for (int64_t i = 0; i < values; ++i) p->moved[i] = p->x[i] + (side ? -scale : scale) * p->moved[i];
    CU_ASSERT_FATAL(!evaluate_after(p->contact, 0, p->moved, NULL, p->force[side], &error));
  }
  for (int64_t i = 0; i < values; ++i) p->force[0][i] = (p->force[1][i] - p->force[0][i]) / (2 * scale);
  ipg_mesh_surface_add(&p->s.surface, p->force[0], to);
}

typedef void add_product(pressed *p, const double *v, double *to);

static void add_both(pressed *p, const double *v, double *to) { add_elements(p, v, to), add_contact(p, v, to); }

/* The largest eigenvalue of a symmetric matrix with three diagonals, by counting eigenvalues (Sturm). */
static double largest_of_tridiagonal(const double *diagonal, const double *beside, int n) {
  double low = 0, high = 0;
  for (int i = 0; i < n; ++i)
    high = fmax(high, diagonal[i] + (i ? fabs(beside[i - 1]) : 0) + (i + 1 < n ? fabs(beside[i]) : 0));
  for (int round = 0; round < 60; ++round) {
    const double middle = .5 * (low + high);
    double pivot = 1;
    int above = 0;
    for (int i = 0; i < n; ++i) {
      pivot = diagonal[i] - middle - (i ? beside[i - 1] * beside[i - 1] / pivot : 0);
      if (pivot == 0) pivot = 1e-300;
      above += pivot > 0;
    }
    if (above) low = middle;
    else high = middle;
  }
  return high;
}

/* Of M^-1 K, by Lanczos' iteration: from below, and in few steps nearly all of it. */
static double largest_eigenvalue(pressed *p, add_product *add, rng *r) {
  enum { MOST = 30 };
  const int64_t values = 3 * p->s.mesh.node_count;
  double diagonal[MOST], beside[MOST], norm = 0;
  double *v = calloc((size_t)values, sizeof *v), *q = calloc((size_t)values, sizeof *q),
         *last = calloc((size_t)values, sizeof *q), *w = calloc((size_t)values, sizeof *w);
  int n = 0;
  for (int64_t i = 0; i < values; ++i) q[i] = rng_between(r, -1, 1), norm += q[i] * q[i];
  for (int64_t i = 0; i < values; ++i) q[i] /= sqrt(norm);
  while (n < MOST) {
    for (int64_t i = 0; i < values; ++i) v[i] = q[i] / sqrt(p->s.masses[i / 3]), w[i] = 0;
    add(p, v, w);
    diagonal[n] = norm = 0;
    for (int64_t i = 0; i < values; ++i) w[i] /= sqrt(p->s.masses[i / 3]), diagonal[n] += w[i] * q[i];
    for (int64_t i = 0; i < values; ++i)
      w[i] -= diagonal[n] * q[i] + (n ? beside[n - 1] * last[i] : 0), norm += w[i] * w[i];
    beside[n] = sqrt(norm);
    if (!(beside[n++] > 1e-9 * fabs(diagonal[0]))) break;
    for (int64_t i = 0; i < values; ++i) last[i] = q[i], q[i] = w[i] / beside[n - 1];
  }
  free(v), free(q), free(last), free(w);
  return largest_of_tridiagonal(diagonal, beside, n);
}

/* ----------------------------------------------------------------------------------------------------------- scenes */

typedef enum kind { BODIES, BLOCKS, BEFORE_WALL, WEDGES } kind;

static ipg_mesh random_mesh(rng *r, double z, const char *name) {
  double rotation[3][3];
  const double centre[3] = {rng_between(r, -.2, .2), rng_between(r, -.2, .2), z};
  ipg_mesh mesh = random_body(r, name, 4);
  random_rotation(r, rotation);
  transform_mesh(&mesh, rotation, centre, 1);
  return mesh;
}

/* A block over a larger one. */
static void make_blocks(ipg_mesh meshes[2], rng *r) {
  const int cells = rng_int(r, 1, 6), upper_cells = rng_int(r, 1, 5);
  const double x = rng_between(r, .1, .3), y = rng_between(r, .1, .3);
  meshes[0] = scene_box(0, 0, -.5, 1, 1, 0, cells, cells, rng_int(r, 1, 3), "lower");
  meshes[1] = scene_box(x, y, .001, x + rng_between(r, .2, .6), y + rng_between(r, .2, .6), rng_between(r, .1, .6),
                        upper_cells, upper_cells, rng_int(r, 1, 3), "upper");
}

/* Two wedges, edge across edge. */
static void make_wedges(ipg_mesh meshes[2], rng *r) {
  const double shift[3] = {rng_between(r, -.3, .3), rng_between(r, -.3, .3), .001};
  for (int b = 0; b < 2; ++b) {
    const double width = rng_between(r, .4, 4), lean = rng_between(r, -.3, .3) + (b ? 0 : M_PI);
    const double turn = b ? rng_between(r, .5, 1.57) : 0;
    const double c = cos(turn), s = sin(turn), cl = cos(lean), sl = sin(lean);
    double rotation[3][3] = {{c * cl, -s, c * sl}, {s * cl, c, s * sl}, {-sl, 0, cl}};
    ipg_error error = {0};
    CU_ASSERT_FATAL(!ipg_mesh_wedge((double[]){0, 0, .5}, (double[]){width, 1.5, 1}, rng_int(r, 1, 3), rng_int(r, 1, 4),
                                    b ? "upper" : "lower", NULL, &meshes[b], &error));
    transform_mesh(&meshes[b], rotation, b ? shift : (double[]){0, 0, 0}, 1);
  }
}

/* depth: in parts of an edge. */
static bool make_scene(pressed *p, kind what, double depth, rng *r) {
  const elastic_material materials[2] = {random_material(r), random_material(r)};
  const ipg_contact_wall wall = {.point = {0, 0, -.6}, .normal = {0, 0, 1}};
  ipg_mesh meshes[2];
  const int count = what == BEFORE_WALL ? 1 : 2;
  *p = (pressed){0};
  if (what == BLOCKS) make_blocks(meshes, r);
  else if (what == WEDGES) make_wedges(meshes, r);
  else
    for (int b = 0; b < count; ++b) meshes[b] = random_mesh(r, b, b ? "upper" : "lower");
  start_scene(p, meshes, count, materials, what == BEFORE_WALL ? &wall : NULL);
  return press(p, count - 1, depth * p->edge);
}

static void put_out_of_place(pressed *p, rng *r) {
  for (int64_t i = 0; i < 3 * p->s.surface.surface.node_count; ++i) p->x[i] += 1e-3 * p->edge * rng_between(r, -1, 1);
  accept(p);
}

/* Of some scenes: the largest eigenvalue over what the combined step bears, and of contact alone over what its own step
 * bears. */
typedef struct ratios {
  double largest, sum, contact_largest, contact_sum;
  int count;
} ratios;

static void measure(pressed *p, ratios *t, rng *r) {
  const double of_contact = 4 / (p->stable_step * p->stable_step);
  const double elements = largest_eigenvalue(p, add_elements, r), contact = largest_eigenvalue(p, add_contact, r),
               both = largest_eigenvalue(p, add_both, r), ratio = both / (elements + of_contact);
  t->largest = suite_worst(t->largest, ratio), t->sum += ratio;
  t->contact_largest = suite_worst(t->contact_largest, contact / of_contact), t->contact_sum += contact / of_contact;
  ++t->count;
}

static void print_ratios(const char *what, const ratios *t) {
  if (t->count)
    printf(
        "\n    %d %s: largest eigenvalue over what the step bears: mean %.3g, most %.3g; of contact alone: mean %.3g, "
        "most %.3g",
        t->count, what, t->sum / t->count, t->largest, t->contact_sum / t->count, t->contact_largest);
}

/* Bodies come closer by a fifth of the depth at a time. A contact that is at once much deeper is one through a body, of
 * its far side with the near side of the other: they go to `through`. */
static ratios run_scenes(kind what, double least, double most, rng *r, ratios *through) {
  ratios regular = {0};
  for (long i = 0; i < suite_scenes() / (suite_is_quick() ? 200 : 50); ++i) {
    pressed p;
    const double depth = rng_between(r, least, most);
    if (make_scene(&p, what, depth, r)) {
      put_out_of_place(&p, r);
      measure(&p, p.depth < 1.3 * depth * p.edge ? &regular : through, r);
    }
    end_scene(&p);
  }
  print_ratios("scenes", &regular);
  return regular;
}

/* ------------------------------------------------------------------------------------------------------------ tests */

static ratios worst_of(const ratios *a, const ratios *b) {
  return (ratios){suite_worst(a->largest, b->largest), a->sum + b->sum,
                  suite_worst(a->contact_largest, b->contact_largest), a->contact_sum + b->contact_sum,
                  a->count + b->count};
}

/* Of all tests. */
static ratios through_bodies;

static void test_shallow(void) {
  rng r_bodies = rng_start(1), r_blocks = rng_start(2);
  const ratios bodies = run_scenes(BODIES, .01, .1, &r_bodies, &through_bodies),
               blocks = run_scenes(BLOCKS, .01, .1, &r_blocks, &through_bodies), both = worst_of(&bodies, &blocks);
  CU_ASSERT_FATAL(both.count > 0);
  suite_gate("elements and contact, .01 to .1 edges deep: largest eigenvalue over 4 / dt^2", both.largest, 1);
  suite_figure("elements and contact, .01 to .1 edges deep: the mean of the scenes", both.sum / both.count);
  suite_figure("contact alone, .01 to .1 edges deep: largest eigenvalue over 4 / dt^2", both.contact_largest);
  suite_figure("contact alone, .01 to .1 edges deep: the mean of the scenes", both.contact_sum / both.count);
}

static void test_walls(void) {
  rng r = rng_start(3);
  const ratios walls = run_scenes(BEFORE_WALL, .01, .5, &r, &through_bodies);
  suite_gate("elements and contact with a wall: largest eigenvalue over 4 / dt^2", walls.largest, 1);
}

static void test_edges(void) {
  rng r = rng_start(7);
  ratios through = {0};
  const ratios shallow = run_scenes(WEDGES, .01, .1, &r, &through), deep = run_scenes(WEDGES, .1, .5, &r, &through);
  print_ratios("scenes", &through);
  suite_gate("elements and contact of crossing edges, .01 to .1 edges deep: largest eigenvalue over 4 / dt^2",
             shallow.largest, 1);
  suite_gate("elements and contact of crossing edges, .1 to .5 edges deep: largest eigenvalue over 4 / dt^2",
             deep.largest, 1);
}

/* A scene in hundreds misses the gate. Known are those of two seeds: they count whatever the seed. */
static void test_deep(void) {
  rng r_bodies = rng_start(4), r_blocks = rng_start(5), known = rng_start_of_seed(12, 4),
      known_blocks = rng_start_of_seed(13, 5);
  const ratios bodies = run_scenes(BODIES, .1, .5, &r_bodies, &through_bodies),
               blocks = run_scenes(BLOCKS, .1, .5, &r_blocks, &through_bodies),
               bad = run_scenes(BODIES, .1, .5, &known, &through_bodies),
               bad_blocks = run_scenes(BLOCKS, .1, .5, &known_blocks, &through_bodies),
               both = worst_of(&bodies, &blocks), known_ones = worst_of(&bad, &bad_blocks),
               all = worst_of(&both, &known_ones);
  suite_expect_missed("elements and contact, .1 to .5 edges deep: largest eigenvalue over 4 / dt^2", all.largest, 1,
                      1e2);
}

/* Known are scenes of a seed that miss the gate by far: they count whatever the seed. */
static void test_through_bodies(void) {
  rng bodies = rng_start_of_seed(1, 4), blocks = rng_start_of_seed(1, 5), before_wall = rng_start_of_seed(1, 3);
  run_scenes(BODIES, .1, .5, &bodies, &through_bodies);
  run_scenes(BLOCKS, .1, .5, &blocks, &through_bodies);
  run_scenes(BEFORE_WALL, .01, .5, &before_wall, &through_bodies);
  print_ratios("scenes", &through_bodies);
  suite_expect_missed("elements and contact through a body: largest eigenvalue over 4 / dt^2", through_bodies.largest,
                      1, 1e6);
}

/* ------------------------------------------------------------------------------------------------------------ kinks */

/* Blocks with upright sides, flat on each other: how much the forces change with a motion of the nodes by 1e-10 edges
 * to one side and to the other, over the largest force on a node. */
static double jump_of_forces(pressed *p, rng *r) {
  const int64_t values = 3 * p->s.surface.surface.node_count;
  ipg_error error = {0};
  double jump = 0, largest = 0;
  double *v = calloc((size_t)values, sizeof *v);
  for (int64_t i = 0; i < values; ++i) v[i] = 1e-10 * p->edge * rng_between(r, -1, 1);
  for (int side = 0; side < 2; ++side) {
    for (int64_t i = 0; i < values; ++i) p->moved[i] = p->x[i] + (side ? -v[i] : v[i]);
    CU_ASSERT_FATAL(!evaluate_after(p->contact, 0, p->moved, NULL, p->force[side], &error));
  }
  for (int64_t i = 0; i < values; ++i) {
    jump = suite_worst(jump, p->force[1][i] - p->force[0][i]);
    largest = suite_worst(largest, p->force[0][i]);
  }
  free(v);
  return jump / largest;
}

static void test_kinks(void) {
  rng r = rng_start(6);
  double worst = 0;
  for (int i = 0; i < 10; ++i) {
    pressed p;
    if (make_scene(&p, BLOCKS, .05, &r) && p.depth < 1.3 * .05 * p.edge)
      worst = suite_worst(worst, jump_of_forces(&p, &r));
    end_scene(&p);
  }
  suite_figure("a block flat on another one, .05 edges deep: jump of a force over the largest", worst);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"two bodies", test_shallow},
      {"a body and a wall", test_walls},
      {"edges that cross", test_edges},
      {"two bodies, deep", test_deep},
      {"contact through a body", test_through_bodies},
      {"a block flat on another", test_kinks},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "face_stability", tests);
}
