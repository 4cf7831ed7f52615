/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Impacts with a closed form: bars against each other and against a rigid wall, spheres (Hertz), a cube that settles
 * under gravity.
 *
 * A bar is in contact from when the force passes half of its plateau to when it falls below that: the front of the wave
 * is as wide as some elements, and the bars' ends part a little later here and there. */
#include "support/impact_host.h"

#include <math.h>

/* --------------------------------------------------------------------------------------- the force on a body in time
 */

typedef struct history {
  int count, capacity;
  double *times, *forces;
} history;

static void record(history *h, double time, double force) {
  if (h->count == h->capacity) {
    h->capacity = h->capacity ? 2 * h->capacity : 1024;
    h->times = realloc(h->times, (size_t)h->capacity * sizeof *h->times);
    h->forces = realloc(h->forces, (size_t)h->capacity * sizeof *h->forces);
    CU_ASSERT_FATAL(h->times && h->forces);
  }
  h->times[h->count] = time, h->forces[h->count++] = force;
}

static void free_history(history *h) {
  free(h->times), free(h->forces);
  *h = (history){0};
}

/* When the force first rises above the level, and when it last falls below it. */
static void find_crossings(const history *h, double level, double times[2]) {
  times[0] = times[1] = NAN;
  for (int i = 1; i < h->count; ++i) {
    const double a = h->forces[i - 1] - level, b = h->forces[i] - level;
    if ((a > 0) == (b > 0)) continue;
    const double t = h->times[i - 1] + a / (a - b) * (h->times[i] - h->times[i - 1]);
    if (b > 0 && isnan(times[0])) times[0] = t;
    if (a > 0) times[1] = t;
  }
}

static double get_peak(const history *h) {
  double peak = 0;
  for (int i = 0; i < h->count; ++i) peak = fmax(peak, h->forces[i]);
  return peak;
}

static double get_impulse(const history *h) {
  double impulse = 0;
  for (int i = 1; i < h->count; ++i)
    impulse += .5 * (h->forces[i] + h->forces[i - 1]) * (h->times[i] - h->times[i - 1]);
  return impulse;
}

/* The magnitude of the contact force on the body along z. */
static history run_and_record(impact *i, double until, int body) {
  history h = {0};
  record(&h, i->time - i->dt, 0);
  while (i->time < until && impact_step(i)) {
    double force[3];
    impact_get_force(i, body, force);
    record(&h, i->time, fabs(force[2]));
  }
  return h;
}

/* -------------------------------------------------------------------------------------------------------------- bars
 */

static ipg_mesh make_bar(double width, double bottom, double length, int across, int along, const char *name) {
  return impact_box((double[]){-width / 2, -width / 2, bottom}, (double[]){width / 2, width / 2, bottom + length},
                    (int[]){across, across, along}, name);
}

static double half_to_half(const history *h, double plateau) {
  double times[2];
  find_crossings(h, plateau / 2, times);
  return times[1] - times[0];
}

static double first_to_last(const history *h) {
  double times[2];
  find_crossings(h, 1e-9 * get_peak(h), times);
  return times[1] - times[0];
}

/* Two bars of 100 x 20 x 20 mm, 0.1 mm apart, the lower one at 10 m/s. */
static void test_two_bars(void) {
  const ipg_material steel = {.density = 7800, .young = 2e11, .poisson = 0};
  const double c = sqrt(steel.young / steel.density), length = .1, area = 4e-4, exact = 2 * length / c;
  impact_body bodies[] = {{make_bar(.02, -length, length, 4, 20, "left"), steel, {0, 0, 10}},
                          {make_bar(.02, 1e-4, length, 4, 20, "right"), steel, {0, 0, 0}}};
  impact i;
  impact_make(&i, bodies, 2, NULL);
  const double start = impact_get_energy(&i).total;
  history h = run_and_record(&i, 6e-5, 1);
  double left[3], right[3];
  impact_get_velocity(&i, 0, left), impact_get_velocity(&i, 1, right);
  suite_gate("face-face: two equal bars: velocity of the one that stops, of 10 m/s", left[2] / 10, .01);
  suite_gate("face-face: two equal bars: velocity of the one that starts", right[2] / 10 - 1, .01);
  suite_gate("face-face: two equal bars: duration", half_to_half(&h, steel.density * c * 5 * area) / exact - 1, .03);
  suite_figure("face-face: two equal bars: from first to last contact", first_to_last(&h) / exact - 1);
  suite_gate("face-face: two equal bars: energy", impact_get_energy(&i).total / start - 1, .01);
  suite_gate("face-face: two equal bars: change of momentum, of the sum of m v", impact_get_momentum_error(&i), 1e-10);
  free_history(&h);
  impact_free(&i);
}

/* When the end of a body that moves at this speed was at the wall. */
static double find_impact_time(impact *i, double speed) {
  while (impact_get_depth(i) <= 0 && impact_step(i)) continue;
  return i->time - impact_get_depth(i) / speed;
}

/* The bar of Abaqus' examples. */
static void test_truss(void) {
  const ipg_material steel = {.density = 7800, .young = 2e11, .poisson = 0};
  const double speed = 1.5, gap = 1e-3, length = 2, area = .2, c = sqrt(steel.young / steel.density);
  const double plateau = steel.density * speed * (c + speed) * area, exact = 2 * length / (c + speed);
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}};
  impact_body body = {make_bar(sqrt(area), gap, length, 3, 20, "bar"), steel, {0, 0, -speed}};
  impact i;
  impact_make(&i, &body, 1, &(impact_settings){.walls = &wall, .wall_count = 1});
  const double impact_time = find_impact_time(&i, speed);
  history h = run_and_record(&i, 1.8e-3, 0);
  double velocity[3];
  impact_get_velocity(&i, 0, velocity);
  const double impulse = get_impulse(&h), duration = half_to_half(&h, plateau);
  suite_gate("face-face: bar on a rigid wall (Abaqus): time of impact", impact_time / (gap / speed) - 1, 1e-3);
  suite_gate("face-face: bar on a rigid wall (Abaqus): duration", duration / exact - 1, .03);
  suite_figure("face-face: bar on a rigid wall (Abaqus): from first to last contact", first_to_last(&h) / exact - 1);
  suite_gate("face-face: bar on a rigid wall (Abaqus): mean force", impulse / duration / plateau - 1, .02);
  suite_gate("face-face: bar on a rigid wall (Abaqus): velocity at exit", velocity[2] / speed - 1, .02);
  suite_gate("face-face: bar on a rigid wall (Abaqus): impulse",
             impulse / (2 * steel.density * length * area * speed) - 1, .02);
  free_history(&h);
  impact_free(&i);
}

/* Code_Aster SDNV100: no node moves across the bar. */
static void test_sdnv100(void) {
  const ipg_material steel = {.density = 8000, .young = 2e11, .poisson = .3};
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}};
  const double speed = 100, length = .2, width = .02, c = 5801, exact = 2 * length / c;
  impact_body body = {make_bar(width, 1e-4, length, 3, 30, "bar"), steel, {0, 0, -speed}};
  impact i;
  impact_make(&i, &body, 1, &(impact_settings){.walls = &wall, .wall_count = 1, .held = {true, true, false}});
  history h = run_and_record(&i, 1.1e-4, 0);
  suite_gate("face-face: SDNV100, a bar at 100 m/s: duration",
             half_to_half(&h, steel.density * speed * c * width * width) / exact - 1, .03);
  suite_figure("face-face: SDNV100, a bar at 100 m/s: from first to last contact", first_to_last(&h) / exact - 1);
  free_history(&h);
  impact_free(&i);
}

/* ---------------------------------------------------------------------------------------------------------- spheres */

/* Of a sphere on a rigid plane, or half the approach of two equal ones, each at this speed. */
typedef struct hertz {
  double approach, duration, force;
} hertz;

static double volume_of_sphere(double radius) { return 4. / 3 * M_PI * radius * radius * radius; }

static hertz find_hertz(const ipg_material *m, double radius, double speed) {
  const double stiffness = m->young / (1 - m->poisson * m->poisson), mass = volume_of_sphere(radius) * m->density;
  hertz h;
  h.approach = pow(15 * mass * speed * speed / (16 * stiffness * sqrt(radius)), .4);
  h.duration = 2.9433 * h.approach / speed;
  h.force = 4. / 3 * stiffness * sqrt(radius) * pow(h.approach, 1.5);
  return h;
}

typedef struct sphere {
  ipg_material material;
  double radius, speed;
  bool are_two;
  int n; /* 20 n^3 elements */
  double drawn_down;
} sphere;

/* Touches the plane z = 0 at the origin from above, or turned about from below. Its density is such that it has the
 * mass of the sphere, which the ball of flat faces is smaller than. */
static impact_body make_sphere(const sphere *s, bool is_below) {
  impact_body body = {impact_ball((double[]){0, 0, 0}, 1, s->n, is_below ? "below" : "above"), s->material, {0, 0, 0}};
  double volume = 0;
  impact_draw_down(&body.mesh, s->drawn_down);
  if (is_below) impact_turn(&body.mesh, (double[]){1, .3, 0}, M_PI);
  impact_move(&body.mesh, (double[]){0, 0, is_below ? -1 : 1});
  for (int64_t i = 0; i < 3 * body.mesh.node_count; ++i) body.mesh.x[i] *= s->radius;
  for (int64_t e = 0; e < body.mesh.element_count; ++e) volume += ipg_tet_volume(body.mesh.x, body.mesh.tets + 4 * e);
  body.material.density *= volume_of_sphere(s->radius) / volume;
  body.velocity[2] = is_below ? s->speed : -s->speed;
  return body;
}

/* How far the centre of mass has come down. */
static double get_approach(const impact *i) {
  const double *masses = ipg_solid_get_masses(i->solid);
  double sum = 0;
  for (ipg_id n = i->first_node[0]; n < i->first_node[1]; ++n) sum += masses[n] * i->u[3 * (int64_t)n + 2];
  return -sum / i->body_mass[0];
}

/* All of the closed form, less 1. */
static hertz hit_sphere(const sphere *s) {
  const hertz exact = find_hertz(&s->material, s->radius, s->speed);
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}};
  impact_body bodies[2] = {make_sphere(s, false)};
  if (s->are_two) bodies[1] = make_sphere(s, true);
  impact i;
  history h = {0};
  double approach = 0, times[2], force[3] = {0};
  impact_make(&i, bodies, s->are_two ? 2 : 1, &(impact_settings){.walls = &wall, .wall_count = !s->are_two});
  record(&h, 0, 0);
  while ((i.time < exact.duration / 2 || force[2] > 0) && i.time < 3 * exact.duration && impact_step(&i)) {
    impact_get_force(&i, 0, force);
    record(&h, i.time, force[2]);
    approach = fmax(approach, get_approach(&i));
  }
  find_crossings(&h, 1e-3 * get_peak(&h), times);
  const hertz r = {approach / exact.approach - 1, (times[1] - times[0]) / exact.duration - 1,
                   get_peak(&h) / exact.force - 1};
  free_history(&h);
  impact_free(&i);
  return r;
}

typedef struct sphere_case {
  const char *approach, *duration, *force; /* names */
  sphere s;
  double at_most[3];
  bool is_full; /* only with IMPINGE_SIZE=full */
} sphere_case;

static void test_spheres(void) {
#define CASE(what, edge)                                                                                               \
  "face-face: Hertz, " what ", edges of " edge " contact radii: approach",                                             \
      "face-face: Hertz, " what ", edges of " edge " contact radii: duration",                                         \
      "face-face: Hertz, " what ", edges of " edge " contact radii: force"
#define STEEL "steel sphere on a rigid plane at 8 m/s"
#define FULL " (not in `./check`)"
  static const ipg_material steel = {7800, 2e11, .3}, glass = {2800, 48e9, .2}, limestone = {2500, 20e9, .25},
                            aluminium = {2699, 70e9, .3}, magnesium = {1800, 40e9, .35};
  const sphere_case cases[] = {
      {CASE(STEEL, "0.43"), {steel, .01, 8, false, 6, .6}, {.45, .3, .2}, false},
      {CASE(STEEL, "0.32"), {steel, .01, 8, false, 8, .6}, {.35, .25, .12}, false},
      {CASE(STEEL FULL, "0.21"), {steel, .01, 8, false, 12, .6}, {.25, .15, .07}, true},
      {CASE("two glass spheres at 10 m/s", "0.36"), {glass, .01, 10, true, 6, .6}, {.5, .32, .2}, false},
      {CASE("two limestone spheres at 10 m/s", "0.31"), {limestone, .01, 10, true, 6, .6}, {.35, .22, .11}, false},
      {CASE("two glass spheres at 10 m/s" FULL, "0.27"), {glass, .01, 10, true, 8, .6}, {.4, .26, .15}, true},
      {CASE("aluminium sphere on a rigid plane at 0.2 m/s" FULL, "0.62"),
       {aluminium, .1, .2, false, 8, .8},
       {1.4, 1.2, .6},
       true},
      {CASE("magnesium sphere on a rigid plane at 0.2 m/s" FULL, "0.61"),
       {magnesium, .1, .2, false, 8, .8},
       {1.4, 1.2, .6},
       true},
  };
#undef FULL
#undef STEEL
#undef CASE
  for (const sphere_case *c = cases; c < cases + (suite_is_quick() ? 1 : sizeof cases / sizeof *cases); ++c) {
    if (c->is_full && !suite_is_full()) continue;
    const hertz r = hit_sphere(&c->s);
    suite_expect_missed(c->approach, r.approach, .03, c->at_most[0]);
    suite_expect_missed(c->duration, r.duration, .03, c->at_most[1]);
    suite_expect_missed(c->force, r.force, .03, c->at_most[2]);
  }
}

/* --------------------------------------------------------------------------------------------------------- settling */

/* The pressure at the nodes of the underside of the body: the most that it differs from the mean, of the mean. Of the
 * area of a face each corner has a third. */
static double find_unevenness(const impact *i, int body) {
  double *areas = calloc((size_t)i->mesh.node_count, sizeof *areas), force[3], area = 0, worst = 0;
  CU_ASSERT_FATAL(areas != NULL);
  impact_get_force(i, body, force);
  for (int64_t f = 0; f < i->surface.surface.face_count; ++f) {
    const ipg_id *face = i->surface.surface.faces + 3 * f;
    const ipg_id n[3] = {i->surface.mesh_nodes[face[0]], i->surface.mesh_nodes[face[1]],
                         i->surface.mesh_nodes[face[2]]};
    const double *a = i->mesh.x + 3 * (int64_t)n[0], *b = i->mesh.x + 3 * (int64_t)n[1],
                 *c = i->mesh.x + 3 * (int64_t)n[2];
    const double downward = (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1]);
    if (n[0] < i->first_node[body] || n[0] >= i->first_node[body + 1] || !(downward > 0) || fabs(a[2]) > 1e-9) continue;
    for (int k = 0; k < 3; ++k) areas[n[k]] += downward / 6;
    area += downward / 2;
  }
  for (ipg_id n = i->first_node[body]; n < i->first_node[body + 1]; ++n)
    if (areas[n] > 0) worst = suite_worst(worst, i->force[3 * (int64_t)n + 2] / areas[n] / (force[2] / area) - 1);
  free(areas);
  return worst;
}

/* MOOSE's settlement: a unit cube on a rigid wall, or on a fixed block, comes to rest under gravity. */
static void settle(bool is_on_block, double *pressure, double *unevenness) {
  const ipg_material soft = {.density = 10, .young = 1e6, .poisson = 0};
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}};
  impact_body bodies[2] = {
      {impact_box((double[]){-.9, -.9, -.5}, (double[]){.9, .9, 0}, (int[]){5, 5, 2}, "block"), soft, {0, 0, 0}},
      {impact_box((double[]){-.5, -.5, 0}, (double[]){.5, .5, 1}, (int[]){4, 4, 4}, "cube"), soft, {0, 0, 0}}};
  impact_settings settings = {.gravity = {0, 0, -98.1}, .damping = 500, .fixed_bodies = is_on_block};
  impact i;
  double force[3];
  if (!is_on_block) settings.walls = &wall, settings.wall_count = 1, ipg_mesh_destroy(&bodies[0].mesh);
  impact_make(&i, is_on_block ? bodies : bodies + 1, 1 + is_on_block, &settings);
  impact_run(&i, .25);
  impact_get_force(&i, is_on_block, force);
  *pressure = force[2], *unevenness = find_unevenness(&i, is_on_block);
  impact_free(&i);
}

static void test_settling(void) {
  double pressure, unevenness;
  settle(false, &pressure, &unevenness);
  suite_gate("face-face: a cube settles on a rigid wall: mean pressure", pressure / 981 - 1, .005);
  suite_gate("face-face: a cube settles on a rigid wall: pressure at any node, of the mean", unevenness, .005);
  settle(true, &pressure, &unevenness);
  suite_gate("face-face: a cube settles on a fixed block: mean pressure", pressure / 981 - 1, .005);
  suite_gate("face-face: a cube settles on a fixed block: pressure at any node, of the mean", unevenness, .005);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"two bars", test_two_bars}, {"truss", test_truss},       {"SDNV100", test_sdnv100},
      {"spheres", test_spheres},   {"settling", test_settling}, CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "impacts", tests);
}
