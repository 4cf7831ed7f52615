/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Ordinary frictionless contact of elastic bodies with the settings of a run: flush boxes that slide, bodies between
 * rigid walls, a body beside others, hits of blocks, blades and thin plates, bodies that do not touch, and bodies that
 * are inside each other from the start. */
#include "support/impact_host.h"

#include <math.h>

static const ipg_material steel = {.density = 7800, .young = 2e11, .poisson = .3};

/* ------------------------------------------------------------------------------------------------------ flush boxes */

typedef enum fit { ALIGNED, SHIFTED, DIFFERENT, FITS } fit;

typedef struct sliding {
  fit meshes;
  bool are_ends_flush; /* the rider is as wide as the floor and starts at its end */
  bool is_turned;
  int last_bits; /* by which the rider is above the floor, in last bits of its height */
  double speed;
} sliding;

typedef struct slide_result {
  double along, across; /* the most that the velocity of any node changed, of the speed */
} slide_result;

static void turn_scene(impact_body bodies[2]) {
  static const double axis[3] = {.3, -.8, .52}, angle = .7;
  double *velocity = bodies[1].velocity;
  ipg_mesh as_node = {.node_count = 1, .x = velocity};
  for (int b = 0; b < 2; ++b) impact_turn(&bodies[b].mesh, axis, angle);
  impact_turn(&as_node, axis, angle);
}

/* The lower box is 20 x 9 x 4 mm; the upper one slides along it and over its end. */
static void make_boxes(const sliding *s, impact_body bodies[2]) {
  const double h = .02 / 6, shift = s->meshes == SHIFTED ? .3 * h : 0, top = .004 * (1 + s->last_bits * 0x1p-52);
  const double x = s->are_ends_flush ? 0 : h + shift, y = s->are_ends_flush ? 0 : shift;
  const double width = s->are_ends_flush ? .009 : .006;
  const int across = s->are_ends_flush ? 3 : 2, more = s->meshes == DIFFERENT;
  bodies[0] = (impact_body){
      impact_box((double[]){0, 0, 0}, (double[]){6 * h, .009, .004}, (int[]){6, 3, 1}, "floor"), steel, {0, 0, 0}};
  bodies[1] = (impact_body){impact_box((double[]){x, y, top}, (double[]){x + 2 * h, y + width, top + .004},
                                       (int[]){2 + more, across + more, 1}, "rider"),
                            steel,
                            {s->speed, 0, 0}};
  if (s->is_turned) turn_scene(bodies);
}

/* The most that the velocity of a node of the rider differs from that of the start. */
static void compare_velocities(const impact *i, const double start[3], slide_result *result) {
  const double speed2 = start[0] * start[0] + start[1] * start[1] + start[2] * start[2];
  for (ipg_id n = i->first_node[1]; n < i->first_node[2]; ++n) {
    double change2 = 0, along = 0;
    for (int k = 0; k < 3; ++k) {
      const double change = i->v[3 * (int64_t)n + k] - start[k];
      change2 += change * change / speed2, along += change * start[k] / speed2;
    }
    result->along = suite_worst(result->along, along);
    result->across = suite_worst(result->across, sqrt(fmax(0, change2 - along * along)));
  }
}

static void slide(const sliding *s, slide_result *result) {
  impact_body bodies[2];
  impact i;
  make_boxes(s, bodies);
  const double start[3] = {bodies[1].velocity[0], bodies[1].velocity[1], bodies[1].velocity[2]};
  impact_make(&i, bodies, 2, &(impact_settings){.can_fail = true});
  while (i.time < (s->speed > 1 ? 2e-4 : 4e-5) && impact_step(&i))
    if (i.step % 8 == 0) compare_velocities(&i, start, result);
  if (i.has_failed) result->along = result->across = NAN;
  impact_free(&i);
}

static void test_flush_boxes(void) {
  const int every = suite_is_quick() ? 5 : 1;
  slide_result worst = {0};
  for (int n = 0; n < 2 * 2 * 2 * FITS; n += every)
    slide(&(sliding){.speed = n % 2 ? .5 : 50,
                     .are_ends_flush = n / 2 % 2,
                     .is_turned = n / 4 % 2,
                     .meshes = (fit)(n / 8),
                     .last_bits = n % 3 - 1},
          &worst);
  suite_gate("face-face: flush boxes, one slides at 0.5 and 50 m/s: velocity of any node along", worst.along, 1e-3);
  suite_gate("face-face: flush boxes, one slides at 0.5 and 50 m/s: velocity of any node across, of the speed",
             worst.across, 1e-8);
}

/* ---------------------------------------------------------------------------------------------------- between walls */

typedef struct lasting {
  const char *total, *invariant; /* names of the figures */
  int blocks;                    /* that hit each other; 3: a light one between two heavy ones */
  double scale, safety;
  double total_at_most, invariant_at_most; /* of those that are missed; else 0 */
  bool is_full;                            /* only with IMPINGE_SIZE=full */
} lasting;

typedef struct lasting_result {
  double total, invariant; /* the largest error of energy, of that at the start */
  double trend;            /* of the invariant: its mean in the last fifth of the steps less that in the second */
} lasting_result;

static void make_column(int count, impact_body *bodies, ipg_contact_wall walls[2]) {
  static const char *const names[] = {"a", "b", "c"};
  for (int b = 0; b < count; ++b) {
    const bool is_light = b == 1 && count == 3;
    const double bottom = .01 * b, half = is_light ? .004 : .005;
    const int across = is_light ? 3 : 2;
    bodies[b] = (impact_body){impact_box((double[]){-half, -half, bottom}, (double[]){half, half, bottom + .01},
                                         (int[]){across, across, 2}, names[b]),
                              steel,
                              {0, 0, count == 1 || b % 2 ? -1 : 1}};
    if (is_light) bodies[b].material = (ipg_material){.density = 780, .young = 2e10, .poisson = .3};
  }
  walls[0] = (ipg_contact_wall){.point = {0, 0, 0}, .normal = {0, 0, 1}};
  walls[1] = (ipg_contact_wall){.point = {0, 0, .01 * count}, .normal = {0, 0, -1}};
}

static lasting_result last(const lasting *l, int64_t steps) {
  impact_body bodies[3];
  ipg_contact_wall walls[2];
  impact i;
  lasting_result r = {0};
  make_column(l->blocks, bodies, walls);
  impact_make(&i, bodies, l->blocks,
              &(impact_settings){
                  .penalty_scale = l->scale, .safety = l->safety, .walls = walls, .wall_count = 2, .can_fail = true});
  const double start = impact_get_energy(&i).total;
  while (i.step < steps && impact_step(&i)) {
    if (i.step % 20) continue;
    const impact_energy e = impact_get_energy(&i);
    const int64_t fifth = (i.step - 1) / (steps / 5);
    r.total = suite_worst(r.total, e.total / start - 1);
    r.invariant = suite_worst(r.invariant, e.invariant / start - 1);
    if (fifth == 1 || fifth == 4) r.trend += (fifth == 4 ? 100. : -100.) / (double)steps * (e.invariant / start - 1);
  }
  if (i.has_failed) r.total = r.invariant = r.trend = NAN;
  impact_free(&i);
  return r;
}

static void examine(const char *name, double figure, double at_most) {
  if (at_most > 0) suite_expect_missed(name, figure, .01, at_most);
  else suite_gate(name, figure, .01);
}

static void test_between_walls(void) {
#define CASE(who, scale, safety)                                                                                       \
  "face-face: " who ", 20,000 steps, scale " scale ", safety " safety ": energy",                                      \
      "face-face: " who ", 20,000 steps, scale " scale ", safety " safety ": energy that the time stepper keeps"
#define CUBE "a cube between two walls"
#define TWO "two blocks between two walls"
#define LIGHT "a light block between two heavy ones, between two walls"
#define FULL(who, scale, safety) CASE(who " (not in `./check`)", scale, safety)
  static const lasting cases[] = {
      {CASE(CUBE, "1", "0.9"), 1, 1, .9, .14, 0, false},   {CASE(CUBE, "0.3", "0.9"), 1, .3, .9, 0, 0, false},
      {CASE(CUBE, "0.1", "0.9"), 1, .1, .9, 0, 0, false},  {FULL(CUBE, "1", "0.45"), 1, 1, .45, 0, 0, true},
      {FULL(CUBE, "0.3", "0.45"), 1, .3, .45, 0, 0, true}, {FULL(CUBE, "0.1", "0.45"), 1, .1, .45, 0, 0, true},
      {CASE(TWO, "1", "0.9"), 2, 1, .9, .12, 0, false},    {FULL(TWO, "0.3", "0.9"), 2, .3, .9, 0, 0, true},
      {FULL(TWO, "0.1", "0.9"), 2, .1, .9, 0, 0, true},    {FULL(TWO, "1", "0.45"), 2, 1, .45, 0, 0, true},
      {FULL(TWO, "0.3", "0.45"), 2, .3, .45, 0, 0, true},  {CASE(LIGHT, "1", "0.9"), 3, 1, .9, 0, 0, false},
      {FULL(LIGHT, "0.3", "0.9"), 3, .3, .9, 0, 0, true},  {FULL(LIGHT, "0.1", "0.9"), 3, .1, .9, 0, 0, true},
      {FULL(LIGHT, "1", "0.45"), 3, 1, .45, 0, 0, true},
  };
#undef FULL
#undef LIGHT
#undef TWO
#undef CUBE
#undef CASE
  double trend = 0;
  for (const lasting *l = cases; l < cases + sizeof cases / sizeof *cases; ++l) {
    if (l->is_full && !suite_is_full()) continue;
    const lasting_result r = last(l, suite_is_quick() ? 1000 : 20000);
    examine(l->total, r.total, l->total_at_most);
    examine(l->invariant, r.invariant, l->invariant_at_most);
    trend = suite_worst(trend, r.trend);
  }
  suite_figure("face-face: bodies between two walls: trend of the energy that the time stepper keeps, the largest",
               trend);
}

/* -------------------------------------------------------------------------------------------------------- neighbours
 */

/* A block that hits a plate askew; and a pair of another material, mesh and velocity, far away. */
static void make_hit(impact_body bodies[2], double x, double size, int cells, ipg_material material, double velocity) {
  const double h = .5 * size, tilt[3] = {1, 2, 0};
  const char *const names[][2] = {{"plate", "block"}, {"far plate", "far block"}};
  bodies[0] = (impact_body){impact_box((double[]){-size, -size, -h}, (double[]){size, size, 0},
                                       (int[]){2 * cells, 2 * cells, cells}, names[x > 0][0]),
                            material,
                            {0, 0, 0}};
  bodies[1] = (impact_body){impact_box((double[]){-.4 * h, -.3 * h, .2 * h}, (double[]){.5 * h, .6 * h, h},
                                       (int[]){cells, cells, cells}, names[x > 0][1]),
                            material,
                            {.2 * velocity, 0, -velocity}};
  impact_turn(&bodies[1].mesh, tilt, .2);
  for (int b = 0; b < 2; ++b)
    for (int64_t n = 0; n < bodies[b].mesh.node_count; ++n) bodies[b].mesh.x[3 * n] += x;
}

enum { ALONE, FAR_PAIR_AFTER, FAR_PAIR_BEFORE, NEIGHBOURS };

/* The displacements and velocities of the first pair after some steps, 3 + 3 per node; forces of contact have moved it.
 */
static double *hit(int neighbours, int64_t *count, double *dt) {
  impact_body bodies[4];
  impact i;
  const int first = neighbours == FAR_PAIR_BEFORE ? 2 : 0;
  make_hit(bodies + first, 0, .01, 3, steel, 20);
  if (neighbours) make_hit(bodies + 2 - first, 1, .03, 4, (ipg_material){2700, 6e10, .2}, 45);
  impact_make(&i, bodies, neighbours ? 4 : 2, NULL);
  bool far_is_in_contact = false, near_is_in_contact = false;
  while (i.step < 600 && impact_step(&i)) {
    double force[3];
    impact_get_force(&i, first, force);
    near_is_in_contact |= force[2] < 0;
    if (!neighbours) continue;
    impact_get_force(&i, 2 - first, force);
    far_is_in_contact |= force[2] < 0;
  }
  CU_ASSERT(near_is_in_contact && (far_is_in_contact || !neighbours));
  const int64_t begin = 3 * (int64_t)i.first_node[first], values = 3 * (int64_t)i.first_node[first + 2] - begin;
  double *state = malloc(2 * (size_t)values * sizeof *state);
  CU_ASSERT_FATAL(state != NULL);
  memcpy(state, i.u + begin, (size_t)values * sizeof *state);
  memcpy(state + values, i.v + begin, (size_t)values * sizeof *state);
  *count = 2 * values, *dt = i.dt;
  impact_free(&i);
  return state;
}

static void test_neighbours_change_nothing(void) {
  int64_t count, other_count, different = 0;
  double dt, other_dt;
  double *alone = hit(ALONE, &count, &dt);
  for (int n = 1; n < NEIGHBOURS; ++n) {
    double *state = hit(n, &other_count, &other_dt);
    CU_ASSERT_EQUAL_FATAL(count, other_count);
    CU_ASSERT_EQUAL(dt, other_dt);
    for (int64_t k = 0; k < count; ++k) different += memcmp(&alone[k], &state[k], sizeof *alone) != 0;
    free(state);
  }
  free(alone);
  suite_gate("face-face: a block hits a plate, alone and beside another pair in contact: values that differ",
             (double)different, 0);
}

/* -------------------------------------------------------------------------------------------------------------- hits
 */

typedef enum pose { ON_A_SIDE, ON_AN_EDGE, ON_A_CORNER, POSES } pose;

/* A block of 10 mm falls at 20 m/s onto one of 20 x 20 x 10 mm. */
static void make_fall(impact_body bodies[2], pose p, double lower_cell, double upper_cell) {
  const double half = .005, heights[POSES] = {half, sqrt(2) * half, sqrt(3) * half};
  const int lower = (int)lround(.01 / lower_cell), upper = (int)lround(.01 / upper_cell);
  bodies[0] = (impact_body){
      impact_box((double[]){-.01, -.01, -.01}, (double[]){.01, .01, 0}, (int[]){2 * lower, 2 * lower, lower}, "lower"),
      steel,
      {0, 0, 0}};
  bodies[1] = (impact_body){
      impact_box((double[]){-half, -half, -half}, (double[]){half, half, half}, (int[]){upper, upper, upper}, "upper"),
      steel,
      {0, 0, -20}};
  if (p != ON_A_SIDE) impact_turn(&bodies[1].mesh, (double[]){1, 0, 0}, M_PI / 4);
  if (p == ON_A_CORNER) impact_turn(&bodies[1].mesh, (double[]){0, 1, 0}, atan(sqrt(.5)));
  impact_move(&bodies[1].mesh, (double[]){.0003, .0002, heights[p] + .0001});
}

static void test_fine_on_coarse(void) {
  double energy = 0, momentum = 0;
  for (int n = suite_is_quick() ? 4 : 0; n < 2 * POSES; ++n) {
    impact_body bodies[2];
    impact i;
    make_fall(bodies, (pose)(n / 2), n % 2 ? .01 : .0025, n % 2 ? .0025 : .01);
    impact_make(&i, bodies, 2, NULL);
    const double start = impact_get_energy(&i).total;
    while (i.time < 9e-5 && impact_step(&i))
      if (i.step % 16 == 0) energy = suite_worst(energy, impact_get_energy(&i).total / start - 1);
    double velocity[3];
    impact_get_velocity(&i, 1, velocity);
    CU_ASSERT(velocity[2] > 0);
    momentum = suite_worst(momentum, impact_get_momentum_error(&i));
    impact_free(&i);
  }
  suite_gate("face-face: a fine block falls on a coarse one and the reverse, on a side, an edge, a corner: energy",
             energy, .01);
  suite_gate("face-face: a fine block falls on a coarse one and the reverse: change of momentum, of the sum of m v",
             momentum, 1e-10);
}

/* Six flush blocks of three meshes, the uppermost falls. */
static void test_stack(void) {
  static const char *const names[] = {"0", "1", "2", "3", "4", "5"};
  impact_body bodies[6];
  impact i;
  double energy = 0;
  for (int b = 0; b < 6; ++b) {
    const double x = -.005 + .0002 * (b % 2), y = -.005 + .0003 * (b % 3), z = .003 * b;
    const int cells = 4 + b % 3;
    bodies[b] = (impact_body){
        impact_box((double[]){x, y, z}, (double[]){x + .01, y + .01, z + .003}, (int[]){cells, cells, 1}, names[b]),
        steel,
        {0, 0, b == 5 ? -10 : 0}};
  }
  impact_make(&i, bodies, 6, NULL);
  const double start = impact_get_energy(&i).total;
  while (i.time < 4e-5 && impact_step(&i))
    if (i.step % 16 == 0) energy = suite_worst(energy, impact_get_energy(&i).total / start - 1);
  suite_gate("face-face: six flush blocks, the uppermost is hit: energy", energy, .01);
  suite_gate("face-face: six flush blocks, the uppermost is hit: change of momentum, of the sum of m v",
             impact_get_momentum_error(&i), 1e-10);
  impact_free(&i);
}

/* Two plates of 20 x 20 x 1 mm, crosswise, hit each other with their ends. */
static void test_blades(void) {
  const double t = .0005;
  impact_body bodies[2] = {
      {impact_box((double[]){-.01, -.01, -t}, (double[]){.01, .01, t}, (int[]){20, 20, 1}, "a"), steel, {0, 0, 0}},
      {impact_box((double[]){.0102, -t, -.01}, (double[]){.0302, t, .01}, (int[]){19, 1, 19}, "b"),
       steel,
       {-200, 0, 0}}};
  impact i;
  impact_make(&i, bodies, 2, NULL);
  const double start = impact_get_energy(&i).total;
  impact_run(&i, 2e-5);
  suite_gate("face-face: blades of 1 mm edge on edge at 200 m/s: deepest penetration, of the thickness",
             impact_get_depth(&i) / (2 * t), .5);
  suite_gate("face-face: blades of 1 mm edge on edge at 200 m/s: energy", impact_get_energy(&i).total / start - 1, .01);
  impact_free(&i);
}

/* ------------------------------------------------------------------------------------------------------ thin plates */

typedef struct plates_result {
  double energy; /* error at the end */
  /* The part of the nodes of the upper plate that are below the lower one; of these, those that contact says nothing
   * of. */
  double through, untold;
} plates_result;

static void find_nodes_below(const impact *i, plates_result *r) {
  double lowest = INFINITY;
  int64_t below = 0, untold = 0;
  for (ipg_id n = 0; n < i->first_node[1]; ++n)
    lowest = fmin(lowest, i->mesh.x[3 * (int64_t)n + 2] + i->u[3 * (int64_t)n + 2]);
  for (ipg_id n = i->first_node[1]; n < i->first_node[2]; ++n) {
    const bool is_below = i->mesh.x[3 * (int64_t)n + 2] + i->u[3 * (int64_t)n + 2] < lowest;
    below += is_below, untold += is_below && !i->has_passed[n];
  }
  r->through = (double)below / (i->first_node[2] - i->first_node[1]);
  r->untold = (double)untold / (i->first_node[2] - i->first_node[1]);
}

/* Two plates of 1 mm, two elements thick; the upper one falls 0.5 mm and then three thicknesses more. */
static plates_result hit_plates(double speed, bool can_pass) {
  impact_body bodies[2] = {
      {impact_box((double[]){-.006, -.006, -.001}, (double[]){.006, .006, 0}, (int[]){10, 10, 2}, "lower"),
       steel,
       {0, 0, 0}},
      {impact_box((double[]){-.0047, -.0049, .0005}, (double[]){.0053, .0051, .0015}, (int[]){9, 9, 2}, "upper"),
       steel,
       {0, 0, -speed}}};
  impact i;
  impact_make(&i, bodies, 2, &(impact_settings){.can_fail = true, .can_pass = can_pass});
  const double start = impact_get_energy(&i).total;
  impact_run(&i, .0035 / speed);
  plates_result r = {.energy = i.has_failed ? NAN : impact_get_energy(&i).total / start - 1};
  find_nodes_below(&i, &r);
  impact_free(&i);
  return r;
}

static void test_thin_plates(void) {
  const plates_result fast = hit_plates(1000, false), sonic = hit_plates(5000, false), faster = hit_plates(15000, true);
  suite_gate("face-face: plates of 1 mm at 0.2 times the wave speed: energy", fast.energy, .01);
  suite_gate("face-face: plates of 1 mm at 0.2 times the wave speed: part of the nodes that pass", fast.through, 0);
  suite_gate("face-face: plates of 1 mm at the wave speed: energy", sonic.energy, .01);
  suite_gate("face-face: plates of 1 mm at the wave speed: part of the nodes that pass", sonic.through, 0);
  CU_ASSERT(faster.through > 0);
  suite_gate("face-face: plates of 1 mm at 3 times the wave speed: part of the nodes that pass, untold", faster.untold,
             0);
}

/* A block that is pressed onto another one slides over it towards its end, between two walls. */
static void test_slide_over_the_end(void) {
  const ipg_contact_wall walls[] = {{.point = {0, 0, 0}, .normal = {0, 0, 1}},
                                    {.point = {0, 0, .008}, .normal = {0, 0, -1}}};
  impact_body bodies[2] = {
      {impact_box((double[]){-.005, -.005, 0}, (double[]){.005, .005, .004}, (int[]){3, 3, 1}, "lower"),
       steel,
       {0, 0, 0}},
      {impact_box((double[]){-.003, -.0032, .004}, (double[]){.005, .0038, .008}, (int[]){3, 3, 1}, "upper"),
       steel,
       {50, 0, -3}}};
  impact i;
  double energy = 0;
  impact_make(&i, bodies, 2, &(impact_settings){.walls = walls, .wall_count = 2});
  const double start = impact_get_energy(&i).total;
  while (i.time < 1.6e-4 && impact_step(&i))
    if (i.step % 8 == 0) energy = suite_worst(energy, impact_get_energy(&i).total / start - 1);
  suite_gate("face-face: a block pressed onto another one slides over its end: energy", energy, .01);
  impact_free(&i);
}

/* ---------------------------------------------------------------------------------------- no contact where none is */

typedef struct pose_of_box {
  double half[3], axes[3][3]; /* the axes of the box, of length 1 */
} pose_of_box;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* A box of random proportions, cells and directions about the origin. */
static impact_body make_random_box(rng *r, const char *name, pose_of_box *p) {
  const double size = rng_between(r, .5, 1.5);
  const double axis[3] = {rng_between(r, -1, 1), rng_between(r, -1, 1), rng_between(r, -1, 1)};
  const double angle = rng_between(r, -M_PI, M_PI);
  int cells[3];
  *p = (pose_of_box){.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int k = 0; k < 3; ++k) p->half[k] = size * rng_between(r, .1, 1), cells[k] = rng_int(r, 1, 4);
  const double low[3] = {-p->half[0], -p->half[1], -p->half[2]};
  impact_body body = {impact_box(low, p->half, cells, name), steel, {0, 0, 0}};
  ipg_mesh as_nodes = {.node_count = 3, .x = p->axes[0]};
  impact_turn(&body.mesh, axis, angle);
  impact_turn(&as_nodes, axis, angle);
  return body;
}

/* The gap between the boxes along this direction of any length, the second one being at c. */
static double gap_along(const pose_of_box boxes[2], const double c[3], const double along[3]) {
  const double length = sqrt(dot(along, along));
  double gap = fabs(dot(along, c));
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 3; ++k) gap -= boxes[b].half[k] * fabs(dot(along, boxes[b].axes[k]));
  return length > 1e-6 ? gap / length : -INFINITY;
}

/* Boxes are apart if they are so along a normal of either or across an edge of each. */
static double gap_between(const pose_of_box boxes[2], const double c[3]) {
  double gap = -INFINITY;
  for (int i = 0; i < 3; ++i) {
    gap = fmax(gap, fmax(gap_along(boxes, c, boxes[0].axes[i]), gap_along(boxes, c, boxes[1].axes[i])));
    for (int j = 0; j < 3; ++j) {
      const double *a = boxes[0].axes[i], *b = boxes[1].axes[j];
      const double across[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
      gap = fmax(gap, gap_along(boxes, c, across));
    }
  }
  return gap;
}

/* Where along the direction the second box has this gap to the first one. */
static void place_at_gap(const pose_of_box boxes[2], double gap, double direction[3]) {
  double low = 0, high = 10, c[3];
  const double length = sqrt(dot(direction, direction));
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = (low + high) / 2;
    for (int k = 0; k < 3; ++k) c[k] = middle * direction[k] / length;
    if (gap_between(boxes, c) < gap) low = middle;
    else high = middle;
  }
  memcpy(direction, c, sizeof c);
}

/* Whether two random boxes that are apart by a part of the size of one of them have forces. */
static bool have_boxes_apart_forces(rng *r) {
  pose_of_box poses[2];
  impact_body bodies[2] = {make_random_box(r, "a", &poses[0]), make_random_box(r, "b", &poses[1])};
  double direction[3] = {rng_between(r, -1, 1), rng_between(r, -1, 1), rng_between(r, -1, 1)}, force = 0;
  place_at_gap(poses, rng_between(r, .02, .4) * fmin(poses[0].half[0], poses[1].half[0]), direction);
  impact_move(&bodies[1].mesh, direction);
  impact i;
  impact_make(&i, bodies, 2, NULL);
  impact_step(&i);
  for (int64_t n = 0; n < 3 * i.mesh.node_count; ++n) force = suite_worst(force, i.force[n]);
  impact_free(&i);
  return !(force == 0);
}

static void test_boxes_apart(void) {
  const int scenes = suite_is_full() ? 10000 : suite_is_quick() ? 200 : 1000;
  rng random = rng_start(3);
  int count = 0;
  for (int scene = 0; scene < scenes; ++scene) count += have_boxes_apart_forces(&random);
  suite_gate("face-face: 1000 pairs of random boxes that are apart: part that have forces", (double)count / scenes, 0);
}

/* A tilted plate of 1 mm below a block of coarse mesh, 0.5 mm away from it. The largest speed of a node after ten
 * steps. */
static void test_plate_below_a_block(void) {
  const double angle = 2. / 3 * M_PI;
  impact_body bodies[2] = {
      {impact_box((double[]){-.015, -.015, .0063}, (double[]){.015, .015, .0123}, (int[]){5, 5, 1}, "block"),
       steel,
       {0, 0, 0}},
      {impact_box((double[]){-.002, -.005, -.0005}, (double[]){.002, .005, .0005}, (int[]){3, 8, 2}, "plate"),
       steel,
       {0, 0, 0}}};
  impact i;
  impact_turn(&bodies[1].mesh, (double[]){0, 1, 0}, angle);
  impact_move(&bodies[1].mesh, (double[]){-.0094 - .0005 * sin(angle), .0003, .0035 - .0005 * cos(angle)});
  impact_make(&i, bodies, 2, &(impact_settings){.can_fail = true});
  double speed = 0;
  while (i.step < 10 && impact_step(&i)) continue;
  for (int64_t n = 0; n < 3 * i.mesh.node_count; ++n) speed = suite_worst(speed, i.v[n]);
  suite_gate("face-face: a plate at rest 0.5 mm below a block: speed that it gets, m/s", speed, 1e-6);
  impact_free(&i);
}

/* A block that is 0.1 mm inside another one from the start, which a run reports and ignores. */
static void test_initial_penetration(void) {
  impact_body bodies[2] = {
      {impact_box((double[]){-.01, -.01, -.01}, (double[]){.01, .01, 0}, (int[]){6, 6, 3}, "lower"), steel, {0, 0, 0}},
      {impact_box((double[]){-.0047, -.0049, -.0001}, (double[]){.0053, .0051, .0099}, (int[]){4, 4, 4}, "upper"),
       steel,
       {0, 0, 0}}};
  impact i;
  ipg_error error = {0};
  double velocity[3];
  impact_make(&i, bodies, 2, NULL);
  CU_ASSERT(!ipg_contact_ignore_initial_penetrations(i.contact, &error));
  impact_run(&i, 3e-5);
  impact_get_velocity(&i, 1, velocity);
  suite_gate("face-face: a block at rest 0.1 mm inside another one: speed that it gets, m/s", velocity[2], 1e-6);
  impact_free(&i);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"flush boxes", test_flush_boxes},
      {"bodies between walls", test_between_walls},
      {"neighbours change nothing", test_neighbours_change_nothing},
      {"fine on coarse", test_fine_on_coarse},
      {"stack", test_stack},
      {"blades", test_blades},
      {"thin plates", test_thin_plates},
      {"slide over the end", test_slide_over_the_end},
      {"boxes apart", test_boxes_apart},
      {"plate below a block", test_plate_below_a_block},
      {"initial penetration", test_initial_penetration},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "ordinary", tests);
}
