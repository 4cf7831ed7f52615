/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What follows from a force that is minus the gradient of an energy of the present positions: face-face contact against
 * difference quotients, round closed loops, beside other bodies, at any step and after any history, at gap 0, on both
 * sides of plates, for any number of threads, method, margin, unit, place and order. Bodies are rigid and are put to
 * positions; in one test they fly. */
#include "impinge/search.h"
#include "support/law_scene.h"
#include "support/random_scenes.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>

/* One of so many of the usual number of scenes; fewer where all must be quick. */
static uint64_t scenes_over(long part) {
  const long scenes = suite_scenes() / part / (suite_is_quick() ? 4 : 1);
  return scenes < 5 ? 5 : (uint64_t)scenes;
}

static int64_t values_of(const law_scene *w) { return 3 * w->s.surface.surface.node_count; }

static double *copy_of(const double *values, int64_t count) {
  double *copy = malloc((size_t)count * sizeof *copy);
  memcpy(copy, values, (size_t)count * sizeof *copy);
  return copy;
}

/* Penalty springs miss edges on edges. */
static bool has_force(const law_scene *w) {
  const bool has = law_largest_force(w) > 0;
  LAW_ASSERT(has);
  return has;
}

/* ------------------------------------------------------------------------------------------------ two random bodies */

/* A pair of random bodies by its number, and where the second one is pressed into the first; the same in other units
 * and at other places. */
typedef struct random_pair {
  uint64_t number;
  double depths[2];    /* least and most, in shortest edges; below 0: apart */
  double unit;         /* of length; masses grow with its square, so that stiffness stays */
  double at;           /* added to all coordinates */
  double grid;         /* above 0: all coordinates are multiples of it */
  bool is_turned_over; /* the second body comes first */
} random_pair;

static random_pair usual_pair(uint64_t number) {
  return (random_pair){.number = number, .depths = {.02, .2}, .unit = 1};
}

static void place_on_grid(const random_pair *p, ipg_mesh *mesh) {
  for (int64_t i = 0; i < 3 * mesh->node_count; ++i) {
    double *x = &mesh->x[i];
    if (p->grid > 0) *x = p->grid * round(*x / p->grid);
    *x = p->unit * (*x + p->at);
  }
}

/* Scenes with odd numbers have two materials; in the others the stiffness follows from masses and the step. The stream
 * goes on behind the bodies. */
static rng make_random_pair(law_scene *w, const random_pair *p, const ipg_contact_config *config) {
  double moduli[2] = {2e5 * p->unit, 3e6 * p->unit};
  ipg_mesh meshes[2];
  rng r = rng_start(1000 + p->number);
  law_random_pair(&r, meshes, (const char *[]){"a", "b"});
  for (int b = 0; b < 2; ++b) place_on_grid(p, &meshes[b]);
  if (p->is_turned_over) {
    const ipg_mesh first = meshes[0];
    const double modulus = moduli[0];
    meshes[0] = meshes[1], meshes[1] = first;
    moduli[0] = moduli[1], moduli[1] = modulus;
  }
  law_scene_make(w, meshes, 2, p->unit * p->unit, p->number % 2 ? moduli : NULL, config);
  return r;
}

/* Of the second body; false if it passes the first by. */
static bool random_shift(const random_pair *p, double shift[3]) {
  const random_pair usual = usual_pair(p->number);
  const ipg_contact_config config = law_config();
  law_scene w;
  rng r = make_random_pair(&w, &usual, &config);
  const double depth = rng_between(&r, p->depths[0], p->depths[1]);
  const bool touches = law_random_press(&w, &r, depth, shift);
  law_scene_free(&w);
  for (int k = 0; k < 3; ++k) shift[k] = p->unit * (p->grid > 0 ? p->grid * round(shift[k] / p->grid) : shift[k]);
  return touches;
}

static bool start_random_pair(law_scene *w, const random_pair *p) {
  const ipg_contact_config config = law_config();
  double shift[3];
  if (!random_shift(p, shift)) return false;
  make_random_pair(w, p, &config);
  law_shift(w, p->is_turned_over ? 0 : 1, shift);
  return true;
}

/* --------------------------------------------------------------------------------------------------------- gradient */

typedef struct gradient_figures {
  double worst;             /* force against quotient, of the largest force */
  double resultant, moment; /* of the sums of |f| and |x| |f| */
  long scenes, quotients;
  long kinks; /* quotients across one */
  long wrong; /* others, off by more than the gate */
} gradient_figures;

static const double gradient_gate = 1e-6;

static void check_momentum(const law_scene *w, gradient_figures *g) {
  double sum[3] = {0}, moment[3] = {0}, size = 0, arm = 0;
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i) {
    const double *f = w->s.force + 3 * i, *x = w->s.trial + 3 * i;
    double about[3];
    vec3_cross(x, f, about);
    vec3_add_scaled(sum, 1, f, sum), vec3_add_scaled(moment, 1, about, moment);
    size += vec3_length(f), arm += vec3_length(x) * vec3_length(f);
  }
  g->resultant = suite_worst(g->resultant, vec3_length(sum) / size);
  g->moment = suite_worst(g->moment, vec3_length(moment) / arm);
}

/* The difference quotient of the energy; NAN where those to either side differ: a kink lies between. */
static double difference_quotient(law_scene *w, int64_t i, double h, double scale) {
  const double x = w->s.trial[i], here = w->energy;
  double e[4];
  for (int k = 0; k < 4; ++k) w->s.trial[i] = x + (k < 2 ? k - 2 : k - 1) * h, e[k] = law_energy_at(w);
  w->s.trial[i] = x;
  const double before = (3 * here - 4 * e[1] + e[0]) / (2 * h), behind = (-3 * here + 4 * e[2] - e[3]) / (2 * h);
  return fabs(before - behind) > gradient_gate * scale ? NAN : (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
}

/* A component of a node in contact, or, one time in eight, of any node. */
static int64_t random_component(const double *force, int64_t count, rng *r) {
  int64_t i = rng_int(r, 0, (int)count - 1);
  if (rng_int(r, 0, 7) == 0) return i;
  while (force[i] == 0) i = (i + 1) % count;
  return i;
}

static void check_gradient(law_scene *w, rng *r, uint64_t number, gradient_figures *g) {
  enum { COMPONENTS = 12 };
  law_go(w);
  if (!has_force(w)) return;
  const double scale = law_largest_force(w), h = 2e-5 * law_shortest_edge(w);
  const long wrong = g->wrong;
  double *force = copy_of(w->s.force, values_of(w));
  check_momentum(w, g);
  ++g->scenes, g->quotients += COMPONENTS;
  for (int n = 0; n < COMPONENTS; ++n) {
    const int64_t i = random_component(force, values_of(w), r);
    const double quotient = difference_quotient(w, i, h, scale), off = (quotient + force[i]) / scale;
    g->kinks += isnan(quotient), g->wrong += fabs(off) > gradient_gate;
    if (!isnan(quotient)) g->worst = suite_worst(g->worst, off);
  }
  free(force);
  if (g->wrong > wrong)
    printf("\n    scene %d: %ld quotients off by more than the gate ", (int)number, g->wrong - wrong);
}

static void print_gradient(const gradient_figures *g) {
  printf("\n    %ld scenes: of %ld quotients %ld across kinks, %ld off by more than the gate ", g->scenes, g->quotients,
         g->kinks, g->wrong);
  LAW_ASSERT(g->scenes > 0 && g->kinks < g->quotients / 20);
}

static void gradient_of_random_pairs(void) {
  gradient_figures g = {0};
  for (uint64_t i = 0; i < scenes_over(25); ++i) {
    const random_pair pair = usual_pair(i);
    rng r = rng_start(5000 + i);
    law_scene w;
    if (!start_random_pair(&w, &pair)) continue;
    check_gradient(&w, &r, i, &g);
    law_scene_free(&w);
  }
  print_gradient(&g);
  law_expect_missed("face-face contact, two random bodies: force against difference quotients of the energy", g.worst,
                    gradient_gate, 8);
  law_expect_missed("face-face contact, two random bodies: part of the difference quotients that differ",
                    (double)g.wrong / (double)g.quotients, 0, .2);
  law_gate("face-face contact, two random bodies: resultant, of the sum of forces", g.resultant, 1e-12);
  law_gate("face-face contact, two random bodies: moment, of the sum of forces times arms", g.moment, 1e-12);
}

/* A rough block above a rough floor, turned and a little tilted, all within the outline of the floor. */
static void start_rough_blocks(law_scene *w, rng *r) {
  const ipg_contact_config config = law_config();
  const double angle = rng_between(r, 0, 3), tilt = rng_between(r, -.05, .05), depth = rng_between(r, .02, .2);
  const double c = cos(angle), s = sin(angle);
  double turn[3][3] = {{c, -s, tilt * s}, {s, c, -tilt * c}, {0, tilt, 1}};
  ipg_mesh meshes[] = {scene_box(-2, -2, -2, 2, 2, 0, 4, 4, 2, "floor"),
                       scene_box(-.8, -.8, 0, .8, .8, 2, 2, 2, 2, "block")};
  for (int b = 0; b < 2; ++b)
    for (int64_t i = 0; i < 3 * meshes[b].node_count; ++i) meshes[b].x[i] += rng_between(r, -.1, .1);
  transform_mesh(&meshes[1], turn, (double[]){rng_between(r, -.5, .5), rng_between(r, -.5, .5), .5}, 1);
  law_scene_make(w, meshes, 2, 1, NULL, &config);
  law_shift(w, 1, (double[]){0, 0, -.5 - depth});
}

/* A bar bent to a ring, so far that its end goes into its start. */
static void start_curl(law_scene *w, rng *r) {
  const ipg_contact_config config = law_config();
  const double length = 8, radius = length / (2 * M_PI), depth = rng_between(r, .02, .2);
  ipg_mesh mesh = scene_box(0, -.5, -.5, length, .5, .5, 8, 1, 1, "bar");
  law_scene_make(w, &mesh, 1, 1, NULL, &config);
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i) {
    const double *x = w->s.x + 3 * i, part = x[0] / length;
    const double angle = part * (2 * M_PI + depth / radius), out = radius - x[1] + .1 * part;
    const double bent[3] = {out * cos(angle), out * sin(angle), x[2] + .13 * part};
    for (int k = 0; k < 3; ++k) w->s.trial[3 * i + k] = bent[k] + rng_between(r, -.02, .02);
  }
}

/* At most: of a known fault, else 0. */
static void gradient_of(void start(law_scene *w, rng *r), uint64_t salt, const char *const names[3], double at_most) {
  gradient_figures g = {0};
  for (uint64_t i = 0; i < scenes_over(100); ++i) {
    rng r = rng_start(salt + i);
    law_scene w;
    start(&w, &r);
    check_gradient(&w, &r, i, &g);
    law_scene_free(&w);
  }
  print_gradient(&g);
  if (at_most > 0) law_expect_missed(names[0], g.worst, gradient_gate, at_most);
  else law_gate(names[0], g.worst, gradient_gate);
  law_gate(names[1], g.resultant, 1e-12);
  law_gate(names[2], g.moment, 1e-12);
}

static void gradient_of_rough_blocks(void) {
  gradient_of(start_rough_blocks, 20000,
              (const char *[]){"face-face contact, two rough blocks: force against difference quotients of the energy",
                               "face-face contact, two rough blocks: resultant, of the sum of forces",
                               "face-face contact, two rough blocks: moment, of the sum of forces times arms"},
              0);
}

static void gradient_of_curls(void) {
  gradient_of(
      start_curl, 30000,
      (const char *[]){"face-face contact, a bar bent onto itself: force against difference quotients of the energy",
                       "face-face contact, a bar bent onto itself: resultant, of the sum of forces",
                       "face-face contact, a bar bent onto itself: moment, of the sum of forces times arms"},
      .1);
}

/* Convex bodies between which a plane lies. */
static void apart_is_nothing(void) {
  long scenes = 0, with_force = 0;
  for (uint64_t i = 0; i < scenes_over(25); ++i) {
    const random_pair pair = {.number = 100 + i, .depths = {-.2, -.02}, .unit = 1};
    law_scene w;
    if (!start_random_pair(&w, &pair)) continue;
    law_go(&w);
    const bool pushes = law_largest_force(&w) > 0 || w.energy > 0;
    ++scenes, with_force += pushes;
    if (pushes) printf("\n    scene %d: a force of %.3g ", (int)pair.number, law_largest_force(&w));
    law_scene_free(&w);
  }
  CU_ASSERT(scenes > 0);
  law_expect_missed("face-face contact, two random bodies apart: part of the scenes with a force",
                    (double)with_force / (double)scenes, 0, .4);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"gradient: two random bodies", gradient_of_random_pairs},
      {"gradient: two rough blocks", gradient_of_rough_blocks},
      {"gradient: a bar bent onto itself", gradient_of_curls},
      {"bodies apart", apart_is_nothing},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "force_law", tests);
}
