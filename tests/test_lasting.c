/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact that lasts, with friction, and of many bodies: blocks at rest under gravity, plates that slide, stacks with a
 * block far stiffer than its neighbours, an oblique hit of a sphere, tied bars, a tube that is crushed, a heap, a row
 * of balls. Energy and momentum are watched all the time; the last three are audited by brute force. */
#include "support/impact_host.h"

#include <math.h>

static const ipg_material steel = {7800, 2e11, .3}, soft = {1000, 1e7, .3};

/* ------------------------------------------------------------------------------------------------------------- watch
 */

typedef struct watch {
  double start, work; /* energy at the start, the most work done */
  double energy, invariant, momentum;
} watch;

static watch start_watch(const impact *i) { return (watch){.start = impact_get_energy(i).total}; }

static void sample(watch *w, impact *i) {
  const impact_energy e = impact_get_energy(i);
  w->work = suite_worst(w->work, e.work);
  w->energy = suite_worst(w->energy, e.total - w->start);
  w->invariant = suite_worst(w->invariant, e.invariant - w->start);
  if (i->settings.fixed_bodies == 0) w->momentum = suite_worst(w->momentum, impact_get_momentum_error(i));
}

/* Of the total at the start and the work done. */
static double get_energy_error(const watch *w) { return w->energy / (w->start + w->work); }
static double get_invariant_error(const watch *w) { return w->invariant / (w->start + w->work); }

static void run_watched(watch *w, impact *i, double until, int every) {
  while (i->time < until && impact_step(i))
    if (i->step % every == 0) sample(w, i);
}

static void gate_of(const char *what, const char *of, double figure, double gate) {
  char name[200];
  snprintf(name, sizeof name, "face-face: %s: %s", what, of);
  suite_gate(name, figure, gate);
}

static void figure_of(const char *what, const char *of, double figure) {
  char name[200];
  snprintf(name, sizeof name, "face-face: %s: %s", what, of);
  suite_figure(name, figure);
}

static void gate_balance(const char *what, const watch *w, double gate) {
  gate_of(what, "energy", get_energy_error(w), gate);
  gate_of(what, "energy that the time stepper keeps", get_invariant_error(w), gate);
}

static void miss_of(const char *what, const char *of, double figure, double gate, double at_most) {
  char name[200];
  snprintf(name, sizeof name, "face-face: %s: %s", what, of);
  suite_expect_missed(name, figure, gate, at_most);
}

static void miss_balance(const char *what, const watch *w, double gate, double at_most) {
  miss_of(what, "energy", get_energy_error(w), gate, at_most);
  miss_of(what, "energy that the time stepper keeps", get_invariant_error(w), gate, at_most);
}

static void gate_audits(const char *what, const impact *i) {
  CU_ASSERT(i->audits > 2);
  gate_of(what, "audits: missed candidates, wrong contacts and wrong forces", (double)i->wrong, 0);
  gate_of(what, "audits: nodes inside a body without contact", (double)i->inside, 0);
}

/* ----------------------------------------------------------------------------------------------------------- at rest
 */

typedef struct resting {
  const char *name;
  double scale, slope; /* tangential gravity over normal gravity */
  int cells;
  bool has_wall, is_full;
} resting;

/* A block of 10 mm on a fixed floor or a rigid wall. */
static watch run_block(const resting *r, int64_t steps) {
  const double half = .005;
  const ipg_contact_law law = {.friction_static = .5, .friction_dynamic = .5};
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}, .law = law};
  impact_body bodies[2] = {
      {impact_box((double[]){-.01, -.01, -.005}, (double[]){.01, .01, 0}, (int[]){2 * r->cells, 2 * r->cells, r->cells},
                  "floor"),
       steel,
       {0, 0, 0}},
      {impact_box((double[]){.0003 - half, .0002 - half, 0}, (double[]){.0003 + half, .0002 + half, .01},
                  (int[]){r->cells + 1, r->cells + 1, r->cells + 1}, "block"),
       steel,
       {0, 0, 0}}};
  impact_settings settings = {
      .penalty_scale = r->scale, .law = law, .gravity = {9.81 * r->slope, 0, -9.81}, .fixed_bodies = !r->has_wall};
  impact i;
  if (r->has_wall) settings.walls = &wall, settings.wall_count = 1, ipg_mesh_destroy(&bodies[0].mesh);
  impact_make(&i, bodies + r->has_wall, 2 - r->has_wall, &settings);
  watch w = start_watch(&i);
  while (i.step < steps && impact_step(&i))
    if (i.step % 20 == 0) sample(&w, &i);
  const impact_energy e = impact_get_energy(&i);
  printf("\n    %g ms, deepest %.3g m, friction %.3g, strain %.3g, contact %.3g, kinetic %.3g, of work %.3g",
         1e3 * i.time, impact_get_depth(&i), e.friction, e.strain, e.contact, e.kinetic, w.work);
  impact_free(&i);
  return w;
}

static void test_rest(void) {
#define BLOCK "a block at rest under gravity, mu 0.5, 39,000 steps, "
#define FULL " (not in `./check`)"
  static const resting cases[] = {
      {BLOCK "default stiffness", 0, 0, 1, false, false},
      {BLOCK "scale 0.1", .1, 0, 1, false, false},
      {BLOCK "default stiffness, on a slope of 0.3, a rigid wall" FULL, 0, .3, 1, true, true},
      {BLOCK "default stiffness, finer" FULL, 0, 0, 3, false, true},
      {BLOCK "scale 0.1, finer" FULL, .1, 0, 3, false, true},
      {BLOCK "default stiffness, on a slope of 0.3" FULL, 0, .3, 2, false, true},
      {BLOCK "scale 0.1, on a slope of 0.3" FULL, .1, .3, 2, false, true},
  };
#undef FULL
#undef BLOCK
  for (const resting *r = cases; r < cases + sizeof cases / sizeof *cases; ++r) {
    if (r->is_full && !suite_is_full()) continue;
    const watch w = run_block(r, suite_is_quick() ? 2000 : 39000);
    gate_balance(r->name, &w, .01);
  }
}

/* ------------------------------------------------------------------------------------------------------------ plates
 */

/* Eight plates of 20 x 12 x 2 mm slide on each other, every other one to the left, pressed together by their motion; or
 * all fall onto a rigid wall and bounce. */
static void run_plates(const char *name, bool bounces, double size) {
  enum { PLATES = 8 };
  static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
  const ipg_contact_law law = {.friction_static = .3, .friction_dynamic = .3};
  const ipg_contact_wall wall = {.point = {0, 0, -.0001}, .normal = {0, 0, 1}, .law = law};
  impact_body bodies[PLATES];
  impact i;
  for (int p = 0; p < PLATES; ++p) {
    const double cell = size * (1 - .065 * (p % 3)), x = .0001 * (p % 3), z = .00202 * p;
    const int cells[3] = {(int)lround(.02 / cell), (int)lround(.012 / cell), (int)lround(.002 / cell)};
    bodies[p] = (impact_body){impact_box((double[]){x, 0, z}, (double[]){x + .02, .012, z + .002}, cells, names[p]),
                              steel,
                              {p % 2 ? -20 : 20, p % 3 ? -2 : 3, bounces ? -20 : 14 - 4 * p}};
  }
  impact_make(&i, bodies, PLATES, &(impact_settings){.law = law, .walls = &wall, .wall_count = bounces});
  watch w = start_watch(&i);
  run_watched(&w, &i, suite_is_quick() ? 3e-5 : bounces ? 8e-5 : 1.5e-4, 8);
  const ipg_contact_energy_balance b = ipg_contact_get_energy_balance(i.contact);
  double velocity[3];
  impact_get_velocity(&i, PLATES - 1, velocity);
  if (!suite_is_quick()) CU_ASSERT(b.friction_dissipation > .05 * w.start && velocity[2] > 0);
  printf("\n    %lld steps, friction %.3g of the energy, the uppermost at %.3g m/s, deepest %.3g m", (long long)i.step,
         b.friction_dissipation / w.start, velocity[2], impact_get_depth(&i));
  gate_balance(name, &w, .005);
  gate_of(name, "work, stored and lost energy of contact",
          (b.contact_work + b.contact_energy + b.friction_dissipation + b.damping_dissipation + b.spring_net_loss -
           b.external_work) /
              w.start,
          .005);
  gate_of(name, "change of momentum, of the sum of m v", w.momentum, 1e-10);
  impact_free(&i);
}

static void test_plates(void) {
  run_plates("eight plates slide on each other, mu 0.3", false, .002);
  run_plates("eight plates slide on each other and bounce off a wall, mu 0.3", true, .002);
  if (!suite_is_full()) return;
  run_plates("eight plates slide on each other, mu 0.3, cells of 1 mm (not in `./check`)", false, .001);
  run_plates("eight plates slide on each other and bounce off a wall, mu 0.3, cells of 1 mm (not in `./check`)", true,
             .001);
}

/* ------------------------------------------------------------------------------------------------------------ stacks
 */

enum { STACK = 7 };

/* Flush blocks of 100 x 100 x 30 mm, the one in the middle `stiffer` times stiffer. */
static void make_stack(impact_body bodies[STACK], double stiffer, int cells) {
  static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6"};
  for (int b = 0; b < STACK; ++b) {
    const double x = -.05 + .002 * (b % 2), y = -.05 + .003 * (b % 3), z = .03 * b;
    const int n = cells + b % 3;
    bodies[b] = (impact_body){
        impact_box((double[]){x, y, z}, (double[]){x + .1, y + .1, z + .03}, (int[]){n, n, (cells + 1) / 3}, names[b]),
        soft,
        {0, 0, 0}};
    if (b == STACK / 2) bodies[b].material.young *= stiffer;
  }
}

/* Pressed by gravity onto a rigid wall: it springs down and up, four times in the full size. Or the uppermost hits it
 * at a tenth of the wave speed. */
static void run_stack(const char *name, bool is_pressed, double stiffer, int cells) {
  const double wave_speed = sqrt(soft.young / soft.density);
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}};
  impact_body bodies[STACK];
  impact i;
  make_stack(bodies, stiffer, cells);
  if (!is_pressed) bodies[STACK - 1].velocity[2] = -.1 * wave_speed;
  impact_make(&i, bodies, STACK,
              &(impact_settings){.gravity = {0, 0, is_pressed ? -100 : 0}, .walls = &wall, .wall_count = is_pressed});
  watch w = start_watch(&i);
  const double passage = .03 * STACK / wave_speed;
  run_watched(&w, &i, (suite_is_quick() ? .5 : !is_pressed ? 3 : suite_is_full() ? 16 : 4) * passage, 16);
  printf("\n    %lld steps", (long long)i.step);
  gate_balance(name, &w, .01);
  gate_of(name, "change of momentum, of the sum of m v", w.momentum, 1e-10);
  figure_of(name, "deepest penetration, of an edge of the coarsest", impact_get_depth(&i) / (.1 / cells));
  impact_free(&i);
}

static void test_stacks(void) {
#define STIFF "seven blocks, one 1000 times stiffer, "
  run_stack("seven blocks, pressed by gravity", true, 1, 2);
  run_stack("seven blocks, the uppermost is hit", false, 1, 2);
  run_stack(STIFF "pressed by gravity", true, 1000, 2);
  run_stack(STIFF "the uppermost is hit", false, 1000, 2);
  if (!suite_is_full()) return;
  run_stack("seven blocks, pressed by gravity, finer (not in `./check`)", true, 1, 6);
  run_stack("seven blocks, the uppermost is hit, finer (not in `./check`)", false, 1, 6);
  run_stack(STIFF "pressed by gravity, finer (not in `./check`)", true, 1000, 6);
  run_stack(STIFF "the uppermost is hit, finer (not in `./check`)", false, 1000, 6);
#undef STIFF
}

/* ------------------------------------------------------------------------------------------------------ oblique hits
 */

typedef struct oblique {
  double angle; /* between the velocity and the normal */
  int n;        /* 20 n^3 elements */
  double drawn_down;
} oblique;

typedef struct oblique_result {
  double restitution, tangential, spin; /* the latter two: of the closed form, less 1 */
} oblique_result;

/* The angular velocity about y, of the first body about its centre of mass. */
static double get_spin(const impact *i) {
  const double *m = ipg_solid_get_masses(i->solid);
  double centre[3] = {0}, velocity[3], momentum = 0, inertia = 0;
  for (int64_t n = 0; n < 3 * (int64_t)i->first_node[1]; ++n)
    centre[n % 3] += m[n / 3] * (i->mesh.x[n] + i->u[n]) / i->body_mass[0];
  impact_get_velocity(i, 0, velocity);
  for (int64_t n = 0; n < i->first_node[1]; ++n) {
    const double *x = i->mesh.x + 3 * n, *u = i->u + 3 * n, *v = i->v + 3 * n;
    const double r[2] = {x[0] + u[0] - centre[0], x[2] + u[2] - centre[2]};
    momentum += m[n] * (r[1] * (v[0] - velocity[0]) - r[0] * (v[2] - velocity[2]));
    inertia += m[n] * (r[0] * r[0] + r[1] * r[1]);
  }
  return momentum / inertia;
}

/* Chung and Ooi's test 4: the sphere touches the plane z = 0 at the origin. */
static oblique_result hit_obliquely(const oblique *o) {
  const ipg_material alumina = {4000, 3.8e11, .23};
  const double radius = .0025, speed = 3.9, mu = .092, down = speed * cos(o->angle), along = speed * sin(o->angle);
  const ipg_contact_law law = {.friction_static = mu, .friction_dynamic = mu};
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}, .law = law};
  impact_body bodies[2] = {{impact_ball((double[]){0, 0, 0}, 1, o->n, "sphere"), alumina, {along, 0, -down}}};
  impact i;
  double volume = 0, force[3] = {0}, velocity[3];
  bool has_touched = false;
  impact_draw_down(&bodies[0].mesh, o->drawn_down);
  for (int64_t k = 0; k < 3 * bodies[0].mesh.node_count; ++k)
    bodies[0].mesh.x[k] = radius * (bodies[0].mesh.x[k] + (k % 3 == 2));
  for (int64_t e = 0; e < bodies[0].mesh.element_count; ++e)
    volume += ipg_tet_volume(bodies[0].mesh.x, bodies[0].mesh.tets + 4 * e);
  bodies[0].material.density *= 4. / 3 * M_PI * radius * radius * radius / volume;
  impact_make(&i, bodies, 1, &(impact_settings){.law = law, .walls = &wall, .wall_count = 1});
  watch w = start_watch(&i);
  while ((force[2] > 0 || !has_touched) && i.time < 3e-5 && impact_step(&i)) {
    impact_get_force(&i, 0, force);
    has_touched |= force[2] > 0;
    if (i.step % 16 == 0) sample(&w, &i);
  }
  impact_get_velocity(&i, 0, velocity);
  oblique_result r = {.restitution = velocity[2] / down};
  r.tangential = velocity[0] / along / (1 - mu * (1 + r.restitution) / tan(o->angle)) - 1;
  r.spin = get_spin(&i) / (5 * mu * (1 + r.restitution) * down / (2 * radius)) - 1;
  printf("\n    angle %g: %lld steps, %.3g us, e %.4g, tangential %.4g (%.2g), spin %.2g, energy %.2g",
         180 / M_PI * o->angle, (long long)i.step, 1e6 * i.time, r.restitution, velocity[0] / along, r.tangential,
         r.spin, get_energy_error(&w));
  impact_free(&i);
  return r;
}

static void run_oblique_hits(const char *name, int n, double drawn_down) {
  static const double angles[] = {M_PI / 4, M_PI / 3, 5 * M_PI / 12};
  oblique_result worst = {0};
  for (int a = 0; a < 3; ++a) {
    const oblique_result r = hit_obliquely(&(oblique){angles[a], n, drawn_down});
    worst.tangential = suite_worst(worst.tangential, r.tangential), worst.spin = suite_worst(worst.spin, r.spin);
  }
  gate_of(name, "spin", worst.spin, .02);
  gate_of(name, "tangential restitution", worst.tangential, .02);
}

/* Without a slip that ends in the contact. */
static void test_oblique_hits(void) {
  run_oblique_hits("Chung and Ooi, test 4, a sphere at 45, 60 and 75 degrees on a rigid plane", 8, 0);
  if (suite_is_full())
    run_oblique_hits(
        "Chung and Ooi, test 4, a sphere at 45, 60 and 75 degrees on a rigid plane, finer (not in `./check`)", 16, .4);
}

/* ------------------------------------------------------------------------------------------------- cube and plate
 */

/* OpenRadioss RD-V:0100 without its tie: a cube of 25.4 mm hits a plate ten times as wide; mm, Mg, s. */
static void run_cube_on_plate(const char *name, int cells) {
  const double side = 25.4, half = side / 2, speed = 5080, p = 7.7505e-9 * side * side * side * speed;
  const ipg_material material = {7.7505e-9, 2.07e5, .3};
  impact_body bodies[2] = {{impact_box((double[]){-127, -127, -side}, (double[]){127, 127, 0},
                                       (int[]){10 * cells, 10 * cells, cells}, "plate"),
                            material,
                            {0, 0, 0}},
                           {impact_box((double[]){-half, -half, 0}, (double[]){half, half, side},
                                       (int[]){cells + 1, cells + 1, cells + 1}, "cube"),
                            material,
                            {0, 0, -speed}}};
  impact i;
  double worst = 0, velocity[2][3];
  impact_make(&i, bodies, 2, NULL);
  watch w = start_watch(&i);
  while (i.time < (suite_is_quick() ? 1e-5 : 5e-5) && impact_step(&i)) {
    for (int b = 0; b < 2; ++b) impact_get_velocity(&i, b, velocity[b]);
    worst = suite_worst(worst, (i.body_mass[0] * velocity[0][2] + i.body_mass[1] * velocity[1][2]) / -p - 1);
    if (i.step % 4 == 0) sample(&w, &i);
  }
  CU_ASSERT_DOUBLE_EQUAL(p, .6452, 5e-5);
  if (!suite_is_quick()) CU_ASSERT(velocity[0][2] < -10);
  printf("\n    %lld steps, cube at %.4g, plate at %.4g mm/s", (long long)i.step, velocity[1][2], velocity[0][2]);
  gate_of(name, "momentum", worst, 1e-10);
  gate_of(name, "energy", get_energy_error(&w), .01);
  impact_free(&i);
}

static void test_cube_on_plate(void) {
  run_cube_on_plate("cube on a plate, free (OpenRadioss RD-V:0100 and 0130)", 2);
  if (suite_is_full())
    run_cube_on_plate("cube on a plate, free (OpenRadioss RD-V:0100 and 0130), finer (not in `./check`)", 6);
}

static void get_angular_momentum(const impact *i, double momentum[3]) {
  const double *m = ipg_solid_get_masses(i->solid);
  memset(momentum, 0, 3 * sizeof *momentum);
  for (int64_t n = 0; n < i->mesh.node_count; ++n)
    for (int k = 0; k < 3; ++k) {
      const int64_t a = 3 * n + (k + 1) % 3, b = 3 * n + (k + 2) % 3;
      momentum[k] += m[n] * ((i->mesh.x[a] + i->u[a]) * i->v[b] - (i->mesh.x[b] + i->u[b]) * i->v[a]);
    }
}

/* A steel block that spins freely about its length; its corners move at a twentieth of the wave speed. */
static void test_spinning_block(void) {
  const double omega = 250 / .012;
  impact_body body = {
      impact_box((double[]){-.01, -.005, -.006}, (double[]){.01, .005, .006}, (int[]){4, 2, 2}, "block"),
      steel,
      {0, 0, 0}};
  impact i;
  double start[3], momentum[3], worst = 0;
  impact_make(&i, &body, 1, NULL);
  for (int64_t n = 0; n < i.mesh.node_count; ++n)
    i.v[3 * n + 1] = -omega * i.mesh.x[3 * n + 2], i.v[3 * n + 2] = omega * i.mesh.x[3 * n + 1];
  get_angular_momentum(&i, start);
  while (i.time < (suite_is_quick() ? .2 : 2) * 2 * M_PI / omega && impact_step(&i)) {
    get_angular_momentum(&i, momentum);
    for (int k = 0; k < 3; ++k) worst = suite_worst(worst, (momentum[k] - start[k]) / start[0]);
  }
  gate_of("a block that spins, free of contact, two turns", "change of angular momentum", worst, 1e-10);
  impact_free(&i);
}

/* -------------------------------------------------------------------------------------------------------- tied bars
 */

/* Two bars of 100 x 20 x 20 mm, end to end, meshes do not match. The left one starts with a smooth pulse of velocity,
 * of which one half runs to the right. */
static void run_tied_bars(const char *name, int across, int along) {
  const ipg_material bar = {7800, 2e11, 0};
  const double c = sqrt(bar.young / bar.density), length = .1, half = .01, centre = -.04, width = .03, speed = 10;
  impact_body bodies[2] = {
      {impact_box((double[]){-length, -half, -half}, (double[]){0, half, half}, (int[]){along, across, across}, "left"),
       bar,
       {0, 0, 0}},
      {impact_box((double[]){0, -half, -half}, (double[]){length, half, half},
                  (int[]){along + 1, across - 1, across - 1}, "right"),
       bar,
       {0, 0, 0}}};
  ipg_contact_rule tie = ipg_contact_rule_defaults();
  impact i;
  double velocity[2][3];
  tie.blocks[0] = 0, tie.blocks[1] = 1, tie.tied = true;
  impact_make(&i, bodies, 2, &(impact_settings){.rules = &tie, .rule_count = 1});
  const double *masses = ipg_solid_get_masses(i.solid);
  for (ipg_id n = 0; n < i.first_node[1]; ++n) {
    const double at = fabs(i.mesh.x[3 * (int64_t)n] - centre) / (width / 2);
    i.v[3 * (int64_t)n] = at < 1 ? speed * .5 * (1 + cos(M_PI * at)) : 0;
    i.start_momentum[0] += masses[n] * i.v[3 * (int64_t)n];
  }
  watch w = start_watch(&i);
  run_watched(&w, &i, 1.5 * -centre / c, 4);
  for (int b = 0; b < 2; ++b) impact_get_velocity(&i, b, velocity[b]);
  gate_of(name, "momentum of the right one after one half has passed, of that of both, less 1/2",
          i.body_mass[1] * velocity[1][0] / i.start_momentum[0] - .5, .01);
  run_watched(&w, &i, 8 * length / c, 16);
  gate_of(name, "energy", get_energy_error(&w), .01);
  gate_of(name, "change of momentum, of the sum of m v", w.momentum, 1e-10);
  impact_free(&i);
}

static void test_tied_bars(void) {
  run_tied_bars("two bars tied end to end", 4, 20);
  if (suite_is_full()) run_tied_bars("two bars tied end to end, finer (not in `./check`)", 8, 60);
}

/* ------------------------------------------------------------------------------------------------------------- crush
 */

/* A tube of 20 x 1 mm, a little out of round, stands on a rigid wall; another one comes down on it. */
static void run_tube(const char *name, double length, int around, int along) {
  const double c = sqrt(soft.young / soft.density), speed = .03 * c, outer = .01, inner = .009;
  const ipg_contact_law law = {.friction_static = .2, .friction_dynamic = .2};
  const ipg_contact_wall walls[] = {
      {.point = {0, 0, 0}, .normal = {0, 0, 1}, .law = law},
      {.point = {0, 0, length}, .normal = {0, 0, -1}, .velocity = {0, 0, -speed}, .law = law}};
  impact_body body = {.material = soft};
  ipg_error error = {0};
  rng r = rng_start(1);
  const double phases[2] = {rng_between(&r, 0, 2 * M_PI), rng_between(&r, 0, 2 * M_PI)};
  CU_ASSERT_FATAL(!ipg_mesh_tube((double[]){0, 0, length / 2}, inner, outer, length, (int[]){1, around, along}, "tube",
                                 NULL, &body.mesh, &error));
  for (double *x = body.mesh.x; x < body.mesh.x + 3 * body.mesh.node_count; x += 3) {
    const double out = 1 + .01 * cos(3 * atan2(x[1], x[0]) + phases[0]) * sin(15 * x[2] / length + phases[1]);
    x[0] *= out, x[1] *= out;
  }
  impact i;
  impact_make(&i, &body, 1,
              &(impact_settings){
                  .law = law, .walls = walls, .wall_count = 2, .audit_every = 100, .can_fail = true, .can_pass = true});
  watch w = start_watch(&i);
  run_watched(&w, &i, (suite_is_quick() ? .1 : .75) * length / speed, 8);
  const ipg_contact_counters n = ipg_contact_get_counters(i.contact);
  printf("\n    %lld steps, %lld audits, crushed by %.3g %s, self-contact of %lld faces, passed %lld, deepest %.3g m",
         (long long)i.step, (long long)i.audits, speed * i.time / length, i.message, (long long)n.face_contacts,
         (long long)n.passed, impact_get_depth(&i));
  gate_balance(name, &w, .01);
  gate_of(name, "change of momentum, of the sum of m v", w.momentum, 1e-10);
  gate_audits(name, &i);
  figure_of(name, "nodes that pass, told", (double)n.passed);
  figure_of(name, "deepest penetration, of the thickness", impact_get_depth(&i) / (outer - inner));
  impact_free(&i);
}

static void test_tube(void) {
  run_tube("a thin tube is crushed onto itself", .03, 16, 12);
  if (suite_is_full()) run_tube("a thin tube is crushed onto itself, finer (not in `./check`)", .04, 48, 40);
}

/* -------------------------------------------------------------------------------------------------------------- heap
 */

static ipg_mesh make_piece(int kind, double size, int cells, const char *name) {
  ipg_mesh mesh = {0};
  ipg_error error = {0};
  const double half = size / 2;
  switch (kind) {
  case 0: return impact_ball((double[]){0, 0, 0}, half, cells, name);
  case 1:
    return impact_box((double[]){-half, -half, -half}, (double[]){half, half, half}, (int[]){cells, cells, cells},
                      name);
  case 2:
    return impact_box((double[]){-half, -half, -half / 4}, (double[]){half, half, half / 4},
                      (int[]){2 * cells, 2 * cells, 1}, name);
  default:
    CU_ASSERT_FATAL(
        !ipg_mesh_wedge((double[]){0, 0, 0}, (double[]){size, size, size}, cells, cells, name, NULL, &mesh, &error));
    return mesh;
  }
}

/* Pieces in layers of 2 x 2, turned at random, fall into a box of rigid walls of four times four pieces. In the large
 * heap two boxes go into each other by more than an edge, where the law does not keep the energy. */
static void run_heap(const char *name, int pieces, int cells, double passages, int audit_every) {
  const double size = .01, apart = 2.0 * size, side = 2 * apart, c = sqrt(soft.young / soft.density);
  const ipg_contact_law law = {.friction_static = .3, .friction_dynamic = .3};
  const ipg_contact_wall walls[] = {{.point = {0, 0, 0}, .normal = {0, 0, 1}, .law = law},
                                    {.point = {0, 0, 0}, .normal = {1, 0, 0}, .law = law},
                                    {.point = {0, 0, 0}, .normal = {0, 1, 0}, .law = law},
                                    {.point = {side, 0, 0}, .normal = {-1, 0, 0}, .law = law},
                                    {.point = {0, side, 0}, .normal = {0, -1, 0}, .law = law}};
  impact_body bodies[IMPACT_BODIES];
  char names[IMPACT_BODIES][8];
  rng r = rng_start(2);
  for (int b = 0; b < pieces; ++b) {
    const double axis[3] = {rng_between(&r, -1, 1), rng_between(&r, -1, 1), rng_between(&r, -1, 1)};
    const double at[3] = {apart * (.5 + b % 2), apart * (.5 + b / 2 % 2), apart * (.5 + b / 4)};
    snprintf(names[b], sizeof names[b], "%d", b);
    bodies[b] = (impact_body){make_piece(b % 4, size, cells, names[b]),
                              soft,
                              {.02 * c * rng_between(&r, -1, 1), .02 * c * rng_between(&r, -1, 1), -.05 * c}};
    impact_turn(&bodies[b].mesh, axis, rng_between(&r, 0, M_PI));
    impact_move(&bodies[b].mesh, at);
  }
  impact i;
  impact_make(&i, bodies, pieces,
              &(impact_settings){.law = law,
                                 .walls = walls,
                                 .wall_count = 5,
                                 .audit_every = audit_every,
                                 .gravity = {0, 0, -500},
                                 .can_fail = true,
                                 .can_pass = true});
  watch w = start_watch(&i);
  run_watched(&w, &i, (suite_is_quick() ? .2 : 1) * passages * size / c, 8);
  const ipg_contact_counters n = ipg_contact_get_counters(i.contact);
  printf("\n    %lld steps, %g ms, %lld audits, contact of %lld faces, passed %lld, deepest %.3g m %s",
         (long long)i.step, 1e3 * i.time, (long long)i.audits, (long long)n.face_contacts, (long long)n.passed,
         impact_get_depth(&i), i.message);
  CU_ASSERT(!i.has_failed);
  if (pieces > 16) miss_balance(name, &w, .01, .03);
  else gate_balance(name, &w, .01);
  gate_of(name, "change of momentum, of the sum of m v", w.momentum, 1e-10);
  gate_audits(name, &i);
  figure_of(name, "nodes that pass, told", (double)n.passed);
  figure_of(name, "deepest penetration, of a piece", impact_get_depth(&i) / size);
  impact_free(&i);
}

static void test_heap(void) {
  run_heap("a heap of 16 bodies falls into a box of walls", 16, 2, 60, 50);
  if (suite_is_full()) run_heap("a heap of 32 bodies falls into a box of walls (not in `./check`)", 32, 4, 200, 1000);
}

/* ------------------------------------------------------------------------------------------------------------ cradle
 */

/* Newton's cradle: five steel balls of 10 mm in a row, 10 um apart, the first at 10 m/s. */
static void run_cradle(const char *name, int n) {
  enum { BALLS = 5 };
  static const char *const names[] = {"0", "1", "2", "3", "4"};
  const double radius = .01, apart = 1e-5, speed = 10;
  impact_body bodies[BALLS];
  impact i;
  double velocity[3];
  for (int b = 0; b < BALLS; ++b)
    bodies[b] = (impact_body){
        impact_ball((double[]){0, 0, b * (2 * radius + apart)}, radius, n, names[b]), steel, {0, 0, b ? 0 : speed}};
  impact_make(&i, bodies, BALLS, &(impact_settings){.audit_every = 100});
  watch w = start_watch(&i);
  run_watched(&w, &i, (suite_is_quick() ? .2 : 1) * 4e-4, 8);
  printf("\n    %lld steps, %lld audits, balls at", (long long)i.step, (long long)i.audits);
  for (int b = 0; b < BALLS; ++b) impact_get_velocity(&i, b, velocity), printf(" %.3g", velocity[2]);
  gate_balance(name, &w, .01);
  gate_of(name, "change of momentum, of the sum of m v", w.momentum, 1e-10);
  gate_audits(name, &i);
  figure_of(name, "velocity of the last ball, of the first, less 1", velocity[2] / speed - 1);
  impact_free(&i);
}

static void test_cradle(void) {
  run_cradle("Newton's cradle of five balls", 3);
  if (suite_is_full()) run_cradle("Newton's cradle of five balls, finer (not in `./check`)", 6);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"at rest", test_rest},
      {"plates", test_plates},
      {"stacks", test_stacks},
      {"oblique hits", test_oblique_hits},
      {"a cube on a plate", test_cube_on_plate},
      {"a spinning block", test_spinning_block},
      {"tied bars", test_tied_bars},
      {"a crushed tube", test_tube},
      {"a heap", test_heap},
      {"a cradle", test_cradle},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "lasting", tests);
}
