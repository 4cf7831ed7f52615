/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What follows from a force that is minus the gradient of an energy of the present positions: face-face contact against
 * difference quotients, round closed loops, beside other bodies, at any step and after any history, at gap 0, on both
 * sides of plates, for any number of threads, method, margin, unit, position and order. Bodies are rigid and are put to
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

static bool are_same_bits(const double *a, const double *b, int64_t count) {
  return !memcmp(a, b, (size_t)count * sizeof *a);
}

/* Penalty springs miss edges on edges. */
static bool has_force(const law_scene *w) {
  const bool has = law_largest_force(w) > 0;
  CU_ASSERT(has);
  return has;
}

/* ------------------------------------------------------------------------------------------------ two random bodies */

/* A pair of random bodies by its number, and where the second one is pressed into the first; the same in other units
 * and elsewhere. */
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
  const ipg_contact_config config = ipg_contact_defaults();
  law_scene w;
  rng r = make_random_pair(&w, &usual, &config);
  const double depth = rng_between(&r, p->depths[0], p->depths[1]);
  const bool touches = law_random_press(&w, &r, depth, shift);
  law_scene_free(&w);
  for (int k = 0; k < 3; ++k) shift[k] = p->unit * (p->grid > 0 ? p->grid * round(shift[k] / p->grid) : shift[k]);
  return touches;
}

static bool start_random_pair(law_scene *w, const random_pair *p) {
  const ipg_contact_config config = ipg_contact_defaults();
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
  law_worsen_momentum(w, &g->resultant, &g->moment);
  ++g->scenes, g->quotients += COMPONENTS;
  for (int n = 0; n < COMPONENTS; ++n) {
    const int64_t i = random_component(force, values_of(w), r);
    const double quotient = law_difference_quotient(w, i, h, gradient_gate * scale),
                 off = (quotient + force[i]) / scale;
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
  CU_ASSERT(g->scenes > 0 && g->kinks < g->quotients / 20);
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
  suite_gate("face-face contact, two random bodies: force against difference quotients of the energy", g.worst,
             gradient_gate);
  suite_gate("face-face contact, two random bodies: part of the difference quotients that differ",
             (double)g.wrong / (double)g.quotients, 0);
  suite_gate("face-face contact, two random bodies: resultant, of the sum of forces", g.resultant, 1e-12);
  suite_gate("face-face contact, two random bodies: moment, of the sum of forces times arms", g.moment, 1e-12);
}

/* A block whose mesh stands on that of the floor so that diagonals of both lie on each other, or beside that. The worst
 * force against quotients, of the largest force. */
static double gradient_of_aligned(double aside) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 4, 4, 2, "floor"),
                       scene_box(-.4 + aside, -.4, 0, -.1 + aside, -.1, .4, 2, 2, 2, "block")};
  const ipg_contact_config config = ipg_contact_defaults();
  double worst = 0;
  law_scene w;
  law_scene_make(&w, meshes, 2, 1, (double[]){1e5, 1e5}, &config);
  law_shift(&w, 1, (double[]){0, 0, -.01});
  law_go(&w);
  const double scale = law_largest_force(&w);
  double *force = copy_of(w.s.force, values_of(&w));
  for (int64_t i = 0; i < values_of(&w); ++i)
    if (force[i] != 0) worst = suite_worst(worst, (law_difference_quotient(&w, i, 1e-6, INFINITY) + force[i]) / scale);
  free(force);
  law_scene_free(&w);
  return worst;
}

/* Where edges of two faces turn on each other the mean of what their outlines do on either side is not the gradient. */
static void gradient_on_aligned_meshes(void) {
  suite_expect_missed("face-face contact, diagonals of two meshes on each other: force against difference quotients",
                      gradient_of_aligned(0), gradient_gate, 3e-3);
  suite_gate("face-face contact, the same a little aside: force against difference quotients", gradient_of_aligned(.01),
             gradient_gate);
}

/* A rough block above a rough floor, turned and a little tilted, all within the outline of the floor. */
static void start_rough_blocks(law_scene *w, rng *r) {
  const ipg_contact_config config = ipg_contact_defaults();
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
  const ipg_contact_config config = ipg_contact_defaults();
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

static void gradient_of(void start(law_scene *w, rng *r), uint64_t salt, const char *const names[3]) {
  gradient_figures g = {0};
  for (uint64_t i = 0; i < scenes_over(100); ++i) {
    rng r = rng_start(salt + i);
    law_scene w;
    start(&w, &r);
    check_gradient(&w, &r, i, &g);
    law_scene_free(&w);
  }
  print_gradient(&g);
  suite_gate(names[0], g.worst, gradient_gate);
  suite_gate(names[1], g.resultant, 1e-12);
  suite_gate(names[2], g.moment, 1e-12);
}

static void gradient_of_rough_blocks(void) {
  gradient_of(start_rough_blocks, 20000,
              (const char *[]){"face-face contact, two rough blocks: force against difference quotients of the energy",
                               "face-face contact, two rough blocks: resultant, of the sum of forces",
                               "face-face contact, two rough blocks: moment, of the sum of forces times arms"});
}

static void gradient_of_curls(void) {
  gradient_of(
      start_curl, 30000,
      (const char *[]){"face-face contact, a bar bent onto itself: force against difference quotients of the energy",
                       "face-face contact, a bar bent onto itself: resultant, of the sum of forces",
                       "face-face contact, a bar bent onto itself: moment, of the sum of forces times arms"});
}

/* ----------------------------------------------------------------------------------------------------- rigid walls */

enum { WALLS = 2 };

/* A body that is dented a little, behind a floor and a leaning wall: each by a depth between these, before it is
 * dented. It starts in front of both. Scenes with odd numbers have a material. */
static void start_at_walls(law_scene *w, rng *r, uint64_t number, double least, double most) {
  const double modulus = 2e5, height = 5, dent = .02;
  ipg_contact_wall walls[WALLS] = {{.normal = {0, 0, 1}}, {.normal = {.8, 0, .6}}};
  ipg_contact_config config = ipg_contact_defaults();
  double rotation[3][3], depths[WALLS] = {rng_between(r, least, most), rng_between(r, least, most)};
  ipg_mesh mesh = random_body(r, "body", 3);
  random_rotation(r, rotation);
  transform_mesh(&mesh, rotation, (double[]){0, 0, height}, 1);
  for (int i = 0; i < WALLS; ++i) {
    double lowest = INFINITY;
    for (int64_t n = 0; n < mesh.node_count; ++n) lowest = fmin(lowest, vec3_dot(walls[i].normal, mesh.x + 3 * n));
    const double at = lowest - height * walls[i].normal[2] + depths[i];
    for (int k = 0; k < 3; ++k) walls[i].point[k] = at * walls[i].normal[k];
  }
  config.walls = walls, config.wall_count = WALLS;
  law_scene_make(w, &mesh, 1, 1, number % 2 ? &modulus : NULL, &config);
  law_shift(w, 0, (double[]){0, 0, -height});
  const double size = dent * law_shortest_edge(w);
  for (int64_t i = 0; i < values_of(w); ++i) w->s.trial[i] += rng_between(r, -size, size);
}

/* The sum of the forces of the contacts against that on the nodes, of that of their sizes. */
static double part_beside_contacts(const law_scene *w) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(w->contact, &count);
  double sum[3] = {0}, size = 0;
  for (int64_t i = 0; i < values_of(w); ++i) sum[i % 3] += w->s.force[i], size += fabs(w->s.force[i]);
  for (int64_t i = 0; i < count; ++i) vec3_add_scaled(sum, -1, pairs[i].response.force, sum);
  return vec3_length(sum) / size;
}

/* Contacts in which a node behind a wall has no force, or one into the wall. */
static long count_unheld(const law_scene *w) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(w->contact, &count);
  long unheld = 0;
  for (int64_t i = 0; i < count; ++i)
    unheld += pairs[i].gap < 0 &&
              !(pairs[i].response.normal_force > 0 && vec3_dot(pairs[i].response.force, pairs[i].normal) > 0);
  return unheld;
}

static void gradient_at_walls(void) {
  gradient_figures g = {0};
  double beside = 0;
  long unheld = 0;
  for (uint64_t i = 0; i < scenes_over(25); ++i) {
    rng r = rng_start(40000 + i);
    law_scene w;
    start_at_walls(&w, &r, i, .002, i % 3 ? .05 : .3);
    check_gradient(&w, &r, i, &g);
    law_go(&w);
    beside = suite_worst(beside, part_beside_contacts(&w)), unheld += count_unheld(&w);
    law_scene_free(&w);
  }
  print_gradient(&g);
  suite_gate("face-face contact, a body at two walls: force against difference quotients of the energy", g.worst,
             gradient_gate);
  suite_gate("face-face contact, a body at two walls: sum of the forces on nodes less that of the contacts", beside,
             1e-12);
  suite_gate("face-face contact, a body at two walls: nodes behind a wall without a force out of it", (double)unheld,
             0);
}

/* The force on a node over a third of its faces on the underside, against the mean: the worst. */
static double find_unevenness(const law_scene *w) {
  const ipg_surface *s = &w->s.surface.surface;
  double *areas = calloc((size_t)s->node_count, sizeof *areas), force[3], area = 0, worst = 0;
  for (int64_t f = 0; f < s->face_count; ++f) {
    const ipg_id *n = s->faces + 3 * f;
    const double *a = w->s.x + 3 * n[0], *b = w->s.x + 3 * n[1], *c = w->s.x + 3 * n[2];
    const double downward = (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1]);
    if (a[2] != 0 || b[2] != 0 || c[2] != 0) continue;
    for (int k = 0; k < 3; ++k) areas[n[k]] += downward / 6;
    area += downward / 2;
  }
  law_resultant(w, 0, force);
  for (int64_t i = 0; i < s->node_count; ++i)
    worst = suite_worst(worst, areas[i] > 0 ? w->s.force[3 * i + 2] / areas[i] / (force[2] / area) - 1
                                            : w->s.force[3 * i + 2] / force[2]);
  free(areas);
  return worst;
}

/* A box of cells that are of unlike lengths, so that faces at its edges are large and small. */
static void even_on_wall(void) {
  const ipg_contact_wall wall = {.point = {0, 0, 0}, .normal = {0, 0, 1}};
  const double modulus = 2e5;
  ipg_contact_config config = ipg_contact_defaults();
  double worst = 0;
  config.walls = &wall, config.wall_count = 1;
  for (int i = 0; i < 3; ++i) {
    ipg_mesh mesh = scene_box(0, 0, 0, 3, 1, i == 1 ? 8 : 1, 3, 2, i == 2 ? 4 : 2, "box");
    law_scene w;
    law_scene_make(&w, &mesh, 1, 1, &modulus, &config);
    law_shift(&w, 0, (double[]){0, 0, -.03});
    law_go(&w);
    worst = suite_worst(worst, find_unevenness(&w));
    law_scene_free(&w);
  }
  suite_gate("face-face contact, a box flat on a wall: pressure at any node, of the mean", worst, 1e-9);
}

/* What starts behind the wall gets no force before it has come out, and does not change what other nodes get, however
 * deep it is. */
static void start_behind_wall(void) {
  const ipg_contact_wall wall = {.point = {.5, 0, 0}, .normal = {.1, 0, 1}};
  const double modulus = 2e5;
  ipg_contact_config config = ipg_contact_defaults();
  ipg_mesh mesh = scene_box(0, 0, 0, 3, 1, 1, 3, 2, 2, "box");
  law_scene w;
  config.walls = &wall, config.wall_count = 1;
  law_scene_make(&w, &mesh, 1, 1, &modulus, &config);
  law_shift(&w, 0, (double[]){0, 0, -.2}), law_go(&w);
  double *force = copy_of(w.s.force, values_of(&w));
  const double *x = w.s.x;
  for (int64_t i = 0; i < values_of(&w); i += 3) {
    if (x[i + 2] > 0 || x[i] > 1) continue;
    CU_ASSERT((force[i + 2] > 0) == (x[i] > 0));
    if (x[i] == 0) w.s.trial[i + 2] -= .1;
  }
  law_go(&w);
  CU_ASSERT(are_same_bits(force, w.s.force, values_of(&w)) && part_beside_contacts(&w) < 1e-12);
  law_shift(&w, 0, (double[]){0, 0, 1}), law_go(&w);
  law_shift(&w, 0, (double[]){0, 0, -.2}), law_go(&w);
  for (int64_t i = 0; i < values_of(&w); i += 3) CU_ASSERT(x[i + 2] > 0 || x[i] > 1 || w.s.force[i + 2] > 0);
  free(force);
  law_scene_free(&w);
}

/* Convex bodies between which a plane lies. */
static void apart_is_nothing(void) {
  long scenes = 0, with_force = 0;
  for (uint64_t i = 0; i < scenes_over(1); ++i) {
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
  suite_expect_missed("face-face contact, two random bodies apart: part of the scenes with a force",
                      (double)with_force / (double)scenes, 0, .05);
}

/* ----------------------------------------------------------------------------------------------------- closed loops */

/* Where the block is, against its start, and how far it is turned about a line beside the lower edge at its left
 * end: above 0 its right end goes down. `down`: pressed into the floor by the depth of the loop; else the height above
 * the floor. */
typedef struct waypoint {
  double x, y, height;
  bool down;
  double tilt;
} waypoint;

enum { WAYPOINTS = 6 };

typedef struct loop {
  bool has_seam;
  int count;
  waypoint way[WAYPOINTS]; /* from the start, above the first and through them, and back */
} loop;

typedef struct loop_run {
  law_scene w;
  double *x, *force;    /* before the sub-step */
  double work, highest; /* energy */
} loop_run;

static const double up = .02; /* the height of the start, and of waypoints that are not down */

/* The top of the floor is z = 0; its cells are 1. The block is over the origin. */
static void start_loop(loop_run *run, bool has_seam, int variant) {
  const ipg_contact_config config = ipg_contact_defaults();
  const double angle = variant ? .3 : 0, c = cos(angle), s = sin(angle), end = has_seam ? .1 : 2;
  double turn[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
  const int n = variant ? 3 : 2;
  ipg_mesh meshes[] = {scene_box(-.55, -.45, 0, .55, .45, 1, n, n, 1, "block"),
                       scene_box(-2, -2, -1, end, 2, 0, has_seam ? 2 : 4, 4, 1, "floor"),
                       scene_box(.1, -2, -1, 2, 2, 0, 2, variant ? 3 : 4, 1, "next floor")};
  transform_mesh(&meshes[0], turn, (double[]){0, 0, up}, 1);
  if (!has_seam) ipg_mesh_destroy(&meshes[2]);
  *run = (loop_run){.work = 0};
  law_scene_make(&run->w, meshes, has_seam ? 3 : 2, 1, (double[]){1e5, 1e5, 1e5}, &config);
  run->x = copy_of(run->w.s.x, values_of(&run->w)), run->force = calloc((size_t)values_of(&run->w), sizeof(double));
}

static void end_loop(loop_run *run) {
  law_scene_free(&run->w);
  free(run->x), free(run->force);
}

/* The work is the mean of the forces at both ends of the sub-step times the motion between. */
static void go_to(loop_run *run, const waypoint *at) {
  law_scene *w = &run->w;
  law_tilt(w, 0, at->tilt, (double[]){-.7, 0, up}, (double[]){at->x, at->y, at->height - up});
  law_go(w);
  for (int64_t i = 0; i < values_of(w); ++i) {
    run->work += .5 * (run->force[i] + w->s.force[i]) * (w->s.trial[i] - run->x[i]);
    run->force[i] = w->s.force[i], run->x[i] = w->s.trial[i];
  }
  run->highest = fmax(run->highest, w->energy);
}

/* The start is number -2 and behind the last; number -1 is above the first waypoint. */
static waypoint waypoint_of(const loop *l, int i, double depth) {
  if (i < -1 || i >= l->count) return (waypoint){.height = up};
  waypoint at = l->way[i < 0 ? 0 : i];
  if (i < 0) at.down = false, at.height = up;
  if (at.down) at.height = -depth;
  return at;
}

static waypoint between(const waypoint *a, const waypoint *b, double part) {
  return (waypoint){.x = a->x + part * (b->x - a->x),
                    .y = a->y + part * (b->y - a->y),
                    .height = a->height + part * (b->height - a->height),
                    .tilt = a->tilt + part * (b->tilt - a->tilt)};
}

/* Over the highest energy. */
static double work_round(const loop *l, int variant, double depth, int steps) {
  loop_run run;
  start_loop(&run, l->has_seam, variant);
  for (int leg = -1; leg <= l->count; ++leg) {
    const waypoint from = waypoint_of(l, leg - 1, depth), to = waypoint_of(l, leg, depth);
    const int count = from.down || to.down ? steps : 1;
    for (int i = 1; i <= count; ++i) {
      const waypoint at = between(&from, &to, (double)i / count);
      go_to(&run, &at);
    }
  }
  CU_ASSERT(run.highest > 0);
  const double work = fabs(run.work) / run.highest;
  end_loop(&run);
  return work;
}

typedef struct loop_figures {
  double work; /* in the finest sub-steps */
  double rest; /* what is left of the work as sub-steps become four times finer, where it is above 1e-9 */
} loop_figures;

/* How much work a sub-step loses that a kink lies in depends on where in it: the larger of two numbers of sub-steps,
 * nearly the same. */
static double larger_work_round(const loop *l, int variant, double depth, int steps) {
  return suite_worst(work_round(l, variant, depth, steps), work_round(l, variant, depth, steps + steps / 16));
}

/* Pressed in by 0.05 or 0.1 of a cell, in 16, 64, ... sub-steps a leg. */
static void refine_loop(const loop *l, int variant, double depth, int finest, loop_figures *figures) {
  const int first = 16, last = suite_is_full() ? 4 * finest : suite_is_quick() ? 64 : finest;
  double coarse = larger_work_round(l, variant, depth, first), fine = 0;
  for (int steps = 4 * first; steps <= last; steps *= 4) {
    fine = larger_work_round(l, variant, depth, steps);
    printf("\n    block %d, %g deep, %d sub-steps a leg: %.3g, %d: %.3g ", variant, depth, steps / 4, coarse, steps,
           fine);
    if (fine > 1e-9) figures->rest = suite_worst(figures->rest, fine / coarse);
    coarse = fine;
  }
  figures->work = suite_worst(figures->work, fine);
}

static loop_figures go_round(const loop *loops, int count, int finest) {
  loop_figures figures = {0};
  for (int i = 0; i < count; ++i)
    for (int variant = 0; variant < (suite_is_quick() ? 1 : 2); ++variant)
      refine_loop(&loops[i], variant, (i + variant) % 2 ? .05 : .1, finest, &figures);
  return figures;
}

static const double loop_gate = 1e-3, rest_gate = .333;

/* No edge of the block comes to lie on one of the floor: that has a test of its own. */
static void loops_over_nodes(void) {
  const loop loops[] = {
      {.count = 3, .way = {{-.913, -.707, .down = true}, {.807, .617, .down = true}, {.807, .617, up}}},
      {.count = 4,
       .way =
           {{-.913, -.707, .down = true}, {.807, -.619, .down = true}, {.707, .611, .down = true}, {.803, .607, up}}},
  };
  const loop_figures f = go_round(loops, 2, 64);
  suite_gate("face-face contact, closed loops over nodes: work, of the highest energy", f.work, loop_gate);
  suite_gate("face-face contact, closed loops over nodes: work left in sub-steps four times finer", f.rest, rest_gate);
}

static void loops_tipping(void) {
  const loop loops[] = {
      {.count = 5,
       .way = {{-.513, .017, .down = true},
               {-.513, .117, .down = true, .tilt = -.4},
               {.519, .117, .down = true, .tilt = -.4},
               {.519, .117, .down = true},
               {.519, .017, up}}},
      {.count = 4,
       .way = {{-.513, .017, .down = true, .tilt = -.4},
               {.519, .317, .down = true, .tilt = -.2},
               {.907, .317, .down = true},
               {.907, .317, up}}},
  };
  const loop_figures f = go_round(loops, 2, 256);
  suite_gate("face-face contact, closed loops with a block tipped on its edge: work, of the highest energy", f.work,
             loop_gate);
  suite_gate("face-face contact, closed loops with a block tipped on its edge: work left in sub-steps four times finer",
             f.rest, rest_gate);
}

static void loops_tipping_over_an_edge(void) {
  const loop loops[] = {
      {.count = 4,
       .way = {{2.113, .017, .down = true},
               {2.113, .117, .down = true, .tilt = .15},
               {1.707, .117, .down = true, .tilt = .15},
               {1.707, .117, up}}},
  };
  const loop_figures f = go_round(loops, 1, 256);
  suite_gate(
      "face-face contact, closed loops with a block tipped over an edge of the floor: work, of the highest energy",
      f.work, loop_gate);
  suite_gate(
      "face-face contact, closed loops with a block tipped over an edge of the floor: work left in sub-steps four "
      "times finer",
      f.rest, rest_gate);
}

/* Where a block passes a border the force has kinks: its work falls with the first power of the sub-steps, and is
 * measured in fine ones. */
static void loops_over_edges(void) {
  const loop loops[] = {
      {.count = 3, .way = {{.513, .017, .down = true}, {1.907, .117, .down = true}, {1.907, .117, up}}},
      {.count = 3, .way = {{.513, .017, .down = true}, {2.907, .117, .down = true}, {2.907, .117, up}}},
  };
  const loop_figures f = go_round(loops, 2, 4096);
  if (suite_is_quick()) return;
  suite_expect_missed("face-face contact, closed loops over a convex edge: work, of the highest energy", f.work,
                      loop_gate, .02);
}

static void loops_over_corners(void) {
  const loop loops[] = {
      {.count = 3, .way = {{.513, .517, .down = true}, {1.907, 1.807, .down = true}, {1.907, 1.807, up}}},
      {.count = 3, .way = {{.513, .517, .down = true}, {2.907, 2.807, .down = true}, {2.907, 2.807, up}}},
  };
  const loop_figures f = go_round(loops, 2, 4096);
  if (suite_is_quick()) return;
  suite_gate("face-face contact, closed loops over a corner: work, of the highest energy", f.work, loop_gate);
}

static void loops_over_seams(void) {
  const loop loops[] = {
      {.has_seam = true,
       .count = 3,
       .way = {{-1.013, -.517, .down = true}, {1.013, .707, .down = true}, {1.013, .707, up}}},
      {.has_seam = true,
       .count = 3,
       .way = {{.053, -.517, .down = true}, {.153, .907, .down = true}, {.153, .907, up}}},
  };
  const loop_figures f = go_round(loops, 2, 4096);
  if (suite_is_quick()) return;
  suite_expect_missed("face-face contact, closed loops over a seam of two flush floors: work, of the highest energy",
                      f.work, loop_gate, .02);
}

/* The energy of a block pressed flat into a wide floor is the same wherever it stands: no force along the floor, also
 * where its edges lie on mesh lines of the floor. */
static double force_along_floor(bool is_turned, rng *r) {
  const ipg_contact_config config = ipg_contact_defaults();
  double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, worst = 0;
  ipg_mesh meshes[] = {scene_box(-2, -2, -1, 2, 2, 0, 8, 8, 2, "floor"),
                       scene_box(-.5, -.5, .25, .5, .5, 1.25, 2, 2, 2, "block")};
  if (is_turned) random_rotation(r, axes);
  for (int b = 0; b < 2; ++b) transform_mesh(&meshes[b], axes, (double[]){0, 0, 0}, 1);
  law_scene w;
  law_scene_make(&w, meshes, 2, 1, (double[]){1e5, 1e5}, &config);
  for (int i = 0; i < 25; ++i) {
    const double to[3] = {.125 * (i % 5), .125 * (i / 5), -.275};
    double shift[3], force[3], along[3] = {0};
    for (int k = 0; k < 3; ++k) shift[k] = axes[k][0] * to[0] + axes[k][1] * to[1] + axes[k][2] * to[2];
    law_shift(&w, 1, shift);
    law_go(&w);
    law_resultant(&w, 1, force);
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < 3; ++k) along[axis] += force[k] * axes[k][axis];
    worst = suite_worst(worst, hypot(along[0], along[1]) / along[2]);
  }
  law_scene_free(&w);
  return worst;
}

static void edges_on_mesh_lines(void) {
  rng r = rng_start(70000);
  double worst = 0;
  for (int i = 0; i < (suite_is_quick() ? 2 : 6); ++i) worst = suite_worst(worst, force_along_floor(i > 0, &r));
  suite_gate(
      "face-face contact, a block with its edges on mesh lines of a floor: force along the floor, of the normal force",
      worst, gradient_gate);
}

/* ---------------------------------------------------------------------------------------------- beside other bodies */

/* The pair that is looked at (0), and one 100 lengths away of another size, stiffness and speed (1). */
typedef struct two_pairs {
  uint64_t numbers[2];
  double shifts[2][3];
  double unit;         /* of the far pair */
  int count, order[2]; /* of pairs */
  bool has_moduli, has_velocities;
} two_pairs;

static void make_pairs(law_scene *w, const two_pairs *c) {
  static const double moduli[2][2] = {{2e5, 3e6}, {1e9, 40}};
  static const double velocities[2][2][3] = {{{0, 0, 0}, {-.1, 0, 0}}, {{5e3, 0, 0}, {0, -7, 1}}};
  double straight[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, of_blocks[4][3], of_bodies[4];
  ipg_contact_config config = ipg_contact_defaults();
  ipg_mesh meshes[4];
  for (int i = 0; i < c->count; ++i) {
    const int pair = c->order[i];
    rng r = rng_start(1000 + c->numbers[pair]);
    law_random_pair(&r, &meshes[2 * i], pair ? (const char *[]){"c", "d"} : (const char *[]){"a", "b"});
    for (int b = 0; b < 2; ++b) {
      if (pair) transform_mesh(&meshes[2 * i + b], straight, (double[]){100 / c->unit, 3, -2}, c->unit);
      of_bodies[2 * i + b] = moduli[pair][b];
      memcpy(of_blocks[2 * i + b], velocities[pair][b], sizeof of_blocks[0]);
    }
  }
  if (c->has_velocities) config.reference_velocities = of_blocks[0], config.reference_velocity_count = 2 * c->count;
  law_scene_make(w, meshes, 2 * c->count, 1, c->has_moduli ? of_bodies : NULL, &config);
  for (int i = 0; i < c->count; ++i) law_shift(w, 2 * i + 1, c->shifts[c->order[i]]);
  law_evaluate(w, law_step);
}

/* The forces on the bodies from `first` to `last`. */
static int64_t gather_forces(const law_scene *w, int first, int last, double *forces) {
  int64_t count = 0;
  for (int64_t i = 0; i < values_of(w); ++i) {
    const int body = w->s.body_of_node[i / 3];
    if (body >= first && body <= last) forces[count++] = w->s.force[i];
  }
  return count;
}

/* The forces on the pair alone against those beside the other pair, whose number is `other`. */
static bool forces_differ(const law_scene *alone, const law_scene *w, int other) {
  double *forces = malloc((size_t)values_of(w) * sizeof *forces), far = 0;
  const int64_t count = gather_forces(w, 2 * other, 2 * other + 1, forces);
  for (int64_t i = 0; i < count; ++i) far = fmax(far, fabs(forces[i]));
  CU_ASSERT(far > 0);
  CU_ASSERT_EQUAL(gather_forces(w, 2 - 2 * other, 3 - 2 * other, forces), values_of(alone));
  const bool differ = !are_same_bits(forces, alone->s.force, values_of(alone));
  free(forces);
  return differ;
}

static void test_others(void) {
  long scenes = 0, different = 0;
  for (uint64_t i = 0; i < scenes_over(50); ++i) {
    two_pairs c = {
        .numbers = {i, i + 1000}, .unit = i % 2 ? 16 : 1. / 16, .has_moduli = i & 2, .has_velocities = i & 4};
    law_scene alone, w;
    const random_pair near = usual_pair(i);
    random_pair far = usual_pair(i + 1000);
    far.unit = c.unit;
    if (!random_shift(&near, c.shifts[0]) || !random_shift(&far, c.shifts[1])) continue;
    c.count = 1;
    make_pairs(&alone, &c);
    has_force(&alone);
    c.count = 2;
    for (int other = 0; other < 2; ++other) {
      c.order[other] = 1, c.order[1 - other] = 0;
      make_pairs(&w, &c);
      ++scenes, different += forces_differ(&alone, &w, other);
      law_scene_free(&w);
    }
    law_scene_free(&alone);
  }
  CU_ASSERT(scenes > 0);
  suite_gate("face-face contact, beside another pair in contact 100 lengths away: scenes with other forces",
             (double)different, 0);
}

/* ---------------------------------------------------------------------------------------------- steps and histories */

/* Ways to the positions of body 1: in accepted steps. */
typedef enum history { STRAIGHT, FROM_THE_SIDE, FROM_THE_OTHER_SIDE, FROM_INSIDE, FROM_AFAR, HISTORIES } history;

static void come_by(law_scene *w, history way, const double shift[3]) {
  enum { STEPS = 6 };
  static const double from[HISTORIES][3] = {{.5, 0, 0}, {0, .7, 0}, {-2, .3, 0}, {-.2, .05, 0}, {40, 30, -20}};
  for (int i = 0; i <= STEPS; ++i) {
    const double part = 1 - (double)i / (STEPS + 1);
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = shift[k] + part * from[way][k];
    law_shift(w, 1, at);
    law_go(w);
  }
  law_shift(w, 1, shift);
}

static void test_steps_and_histories(void) {
  static const double steps[] = {1, .2, 1e-6, 0};
  long different = 0;
  for (uint64_t i = 0; i < scenes_over(50); ++i) {
    const random_pair pair = usual_pair(i);
    const ipg_contact_config config = ipg_contact_defaults();
    law_scene w;
    double shift[3];
    if (!random_shift(&pair, shift)) continue;
    make_random_pair(&w, &pair, &config);
    law_shift(&w, 1, shift);
    law_evaluate(&w, 1);
    double *force = copy_of(w.s.force, values_of(&w));
    has_force(&w);
    for (int way = 0; way < HISTORIES; ++way) {
      come_by(&w, (history)way, shift);
      for (int k = 0; k < 4; ++k) {
        law_evaluate(&w, steps[k]);
        different += !are_same_bits(force, w.s.force, values_of(&w));
      }
    }
    free(force);
    law_scene_free(&w);
  }
  suite_gate(
      "face-face contact, the same positions at steps of 1, 0.2, 1e-6 and 0 and after five histories: other forces",
      (double)different, 0);
}

/* ------------------------------------------------------------------------------------------------------ flush boxes */

typedef enum meshing { ALIGNED, SHIFTED, DIFFERENT, MESHINGS } meshing;

typedef struct flush {
  meshing meshing;
  bool is_inset; /* the upper box; else its end is flush with that of the floor */
  bool has_seam; /* the floor is two boxes */
  bool is_turned;
  int last_bits; /* the gap */
} flush;

/* All coordinates are exact. The interface is z = 0, the floor from 0 to 4 along x. */
static void make_flush(law_scene *w, const flush *f, double axes[3][3], rng *r) {
  ipg_contact_config config = ipg_contact_defaults();
  const double end = f->has_seam ? 2 : 4, inset = f->is_inset ? .125 : 0;
  const double left = inset + (f->meshing == SHIFTED ? .0625 : 0);
  const int n = f->meshing == DIFFERENT ? 3 : 2;
  ipg_mesh meshes[] = {scene_box(left, inset, 0, left + 1, 1 - inset, .5, n, n, 1, "upper"),
                       scene_box(0, 0, -.5, end, 1, 0, f->has_seam ? 4 : 8, 2, 1, "floor"),
                       scene_box(2, 0, -.5, 4, 1, 0, 4, f->meshing == DIFFERENT ? 3 : 2, 1, "next floor")};
  if (!f->has_seam) ipg_mesh_destroy(&meshes[2]);
  for (int64_t i = 0; i < meshes[0].node_count; ++i) meshes[0].x[3 * i + 2] += f->last_bits * 0x1p-52;
  if (f->is_turned) {
    random_rotation(r, axes);
    for (int b = 0; b < 2 + f->has_seam; ++b) transform_mesh(&meshes[b], axes, (double[]){.3, -.2, .1}, 1);
  }
  law_scene_make(w, meshes, 2 + f->has_seam, 1, (double[]){1e5, 1e5, 1e5}, &config);
}

static double stiffest_face(const law_scene *w) {
  double most = 0;
  for (int64_t f = 0; f < w->s.surface.surface.face_count; ++f)
    most = fmax(most, w->s.surface.surface.face_stiffnesses[f]);
  return most;
}

/* The largest force of all offsets along the interface, over k times the area of a face times an edge. */
static double largest_flush_force(const flush *f, rng *r, int offsets) {
  double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, largest = 0;
  law_scene w;
  make_flush(&w, f, axes, r);
  for (int i = 0; i < offsets; ++i) {
    const double along = i ? rng_int(r, -64, 256) / 64. : 0, across = i > 1 ? rng_int(r, -32, 32) / 64. : 0;
    double shift[3];
    for (int k = 0; k < 3; ++k) shift[k] = along * axes[k][0] + across * axes[k][1];
    law_shift(&w, 0, shift);
    law_evaluate(&w, law_step);
    largest = fmax(largest, law_largest_force(&w));
  }
  largest /= stiffest_face(&w) * .125 * .5;
  law_scene_free(&w);
  return largest;
}

static void test_flush(void) {
  rng r = rng_start(50000);
  double exact = 0, rounded = 0;
  for (int m = 0; m < MESHINGS; ++m)
    for (int kind = 0; kind < 8; ++kind)
      for (int bits = -2; bits <= 2; bits += suite_is_quick() ? 2 : 1) {
        const flush f = {(meshing)m, kind & 1, kind & 2, kind & 4, 2 * bits};
        const double largest = largest_flush_force(&f, &r, suite_is_quick() ? 2 : 4);
        if (f.is_turned || bits) rounded = suite_worst(rounded, largest);
        else exact = suite_worst(exact, largest);
      }
  suite_gate("face-face contact, flush boxes at gap 0, exact coordinates: force over k area edge", exact, 0);
  suite_gate("face-face contact, flush boxes at gap 0 but for last bits: force over k area edge", rounded, 1e-9);
}

/* A cube in a concave corner of another body, in a slot between two others, and on top of a column of the same size. */
static double force_on_flush_cube(int kind, bool is_turned, rng *r) {
  const ipg_contact_config config = ipg_contact_defaults();
  double axes[3][3];
  ipg_mesh meshes[3] = {scene_box(0, -.5, 0, 1, .5, 1, 2, 2, 2, "cube")};
  meshes[1] = kind == 0   ? scene_corner()
              : kind == 1 ? scene_box(-1, -.5, 0, 0, .5, 1, 3, 3, 3, "left")
                          : scene_box(0, -.5, -1, 1, .5, 0, 2, 2, 2, "below");
  meshes[2] = kind == 1 ? scene_box(1, -.75, -.25, 2, .75, 1.25, 3, 3, 3, "right")
                        : scene_box(0, .5, 0, 1, 1.5, 1, 1, 3, 2, "behind");
  random_rotation(r, axes);
  for (int b = 0; b < 3 && is_turned; ++b) transform_mesh(&meshes[b], axes, (double[]){.3, -.2, .1}, 1);
  law_scene w;
  law_scene_make(&w, meshes, 3, 1, (double[]){1e5, 1e5, 1e5}, &config);
  law_evaluate(&w, law_step);
  const double force = law_largest_force(&w) / (stiffest_face(&w) * .125 * .5);
  law_scene_free(&w);
  return force;
}

static void test_flush_on_several_sides(void) {
  rng r = rng_start(55000);
  double exact = 0, rounded = 0;
  for (int kind = 0; kind < 3; ++kind) {
    exact = suite_worst(exact, force_on_flush_cube(kind, false, &r));
    for (int i = 0; i < 8; ++i) rounded = suite_worst(rounded, force_on_flush_cube(kind, true, &r));
  }
  suite_gate("face-face contact, a cube flush in a corner, in a slot and on a column: force over k area edge", exact,
             0);
  suite_gate("face-face contact, a cube flush in a corner, in a slot and on a column, turned: force over k area edge",
             rounded, 1e-9);
}

/* The upper box flies three of its lengths along the floor. Largest changes of velocity along and across, of the speed.
 */
static void fly_along(const flush *f, double speed, double dt, rng *r, double off[2]) {
  double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  law_scene w;
  make_flush(&w, f, axes, r);
  double *velocity = w.s.velocity[0];
  for (int k = 0; k < 3; ++k) velocity[k] = speed * axes[k][0];
  w.s.body_mass[1] = w.s.body_mass[2] = 1e12;
  for (int64_t step = 1; (double)step * dt * speed <= 3; ++step) {
    CU_ASSERT_FATAL(scene_step(&w.s, w.contact, dt, step));
    for (int axis = 0; axis < 3; ++axis) {
      const double v = velocity[0] * axes[0][axis] + velocity[1] * axes[1][axis] + velocity[2] * axes[2][axis];
      off[axis > 0] = suite_worst(off[axis > 0], (axis ? v : v - speed) / speed);
    }
  }
  law_scene_free(&w);
}

static void test_flight_along_floor(void) {
  static const double speeds[] = {.5, 50, 50}, steps[] = {4e-2, 4e-4, 2e-3};
  rng r = rng_start(60000);
  double off[2] = {0};
  for (int m = 0; m < MESHINGS; ++m)
    for (int kind = 0; kind < (suite_is_quick() ? 2 : 8); ++kind) {
      const flush f = {(meshing)m, kind & 1, kind & 2, kind & 4, (m + kind) % 3 - 1};
      const int pace = (m + kind / 2) % 3;
      fly_along(&f, speeds[pace], steps[pace], &r, off);
    }
  suite_gate("face-face contact, a box flies flush along a floor at 0.5 and 50: change of speed", off[0], 1e-3);
  suite_gate("face-face contact, a box flies flush along a floor at 0.5 and 50: speed across", off[1], 1e-9);
}

/* ------------------------------------------------------------------------------------------------------------ sides */

/* A plate around z = 0 and a block on either side of it. */
typedef struct plate_case {
  double thickness;
  bool on_side[2]; /* block 0 from above, block 1 from below */
  bool overhangs, is_turned;
} plate_case;

static void make_plate(law_scene *w, const plate_case *p) {
  const ipg_contact_config config = ipg_contact_defaults();
  const double at = p->overhangs ? 1.3 : .05, c = cos(.3), s = sin(.3), half = .5 * p->thickness;
  double turn[3][3] = {
      {p->is_turned ? c : 1, p->is_turned ? -s : 0, 0}, {p->is_turned ? s : 0, p->is_turned ? c : 1, 0}, {0, 0, 1}};
  ipg_mesh meshes[] = {scene_box(-.5, -.5, half + .1, .5, .5, half + 1.1, 2, 2, 2, "above"),
                       scene_box(-.4, -.45, -half - 1.1, .4, .45, -half - .1, 2, 2, 2, "below"),
                       scene_box(-1.5, -1.5, -half, 1.5, 1.5, half, 6, 6, 1, "plate")};
  for (int b = 0; b < 2; ++b) transform_mesh(&meshes[b], turn, (double[]){at, .03, 0}, 1);
  law_scene_make(w, meshes, 3, 1, NULL, &config);
}

/* Pressed in by a part of the thickness; the resultants that push the blocks back. */
static void press_into_plate(law_scene *w, const plate_case *p, double part, double pushes[2]) {
  for (int b = 0; b < 2; ++b)
    law_shift(w, b, (double[]){0, 0, p->on_side[b] ? (b ? 1 : -1) * (.1 + part * p->thickness) : 0});
  law_go(w);
  for (int b = 0; b < 2; ++b) {
    double force[3];
    law_resultant(w, b, force);
    pushes[b] = b ? -force[2] : force[2];
  }
}

/* Depths at which a block is not pushed back, or no more than before. */
static int count_wrong_pushes(const plate_case *p) {
  law_scene w;
  double before[2] = {0}, pushes[2];
  int wrong = 0;
  make_plate(&w, p);
  for (int tenths = 1; tenths <= 9; ++tenths) {
    press_into_plate(&w, p, .1 * tenths, pushes);
    for (int b = 0; b < 2; ++b) {
      wrong += p->on_side[b] && !(pushes[b] > before[b]);
      before[b] = pushes[b];
    }
  }
  law_scene_free(&w);
  return wrong;
}

static void test_sides_of_plates(void) {
  int wrong = 0;
  for (int i = 0; i < 8; ++i)
    for (int sides = 1; sides <= 3; ++sides) {
      const plate_case p = {i & 1 ? .5 : .125, {sides & 1, sides & 2}, i & 2, i & 4};
      const int n = count_wrong_pushes(&p);
      if (n) printf("\n    plate %d, sides %d: %d wrong ", i, sides, n);
      wrong += n;
    }
  suite_gate("face-face contact, blocks pressed into plates by 0.1 to 0.9 of the thickness: pushes to the wrong "
             "side or no larger than before",
             wrong, 0);
}

/* Only told: a block that passes through the plate in one step. */
static void cross_a_plate(void) {
  const plate_case p = {.125, {true, false}, false, false};
  static const double parts[] = {.5, 1.5, 4, 20};
  for (int i = 0; i < 4; ++i) {
    law_scene w;
    double pushes[2];
    make_plate(&w, &p);
    press_into_plate(&w, &p, parts[i], pushes);
    printf("\n    %g thicknesses deep after one step: pushed back by %.3g, energy %.3g ", parts[i], pushes[0],
           w.energy);
    law_scene_free(&w);
  }
}

/* Of both bodies in series; each has the same stiffness everywhere. */
static double stiffness_between_bodies(const law_scene *w) {
  const ipg_surface *s = &w->s.surface.surface;
  double softness[2] = {0};
  for (int64_t f = 0; f < s->face_count; ++f) softness[s->face_bodies[f]] = 1 / s->face_stiffnesses[f];
  return 1 / (softness[0] + softness[1]);
}

/* A block pressed onto a floor beside a wall, whose top leans over the floor. The resultant over the stiffness. lean
 * below 0: no wall. */
static void press_beside_wall(double lean, double force[3]) {
  ipg_contact_config config = ipg_contact_defaults();
  const bool has_wall = lean >= 0;
  ipg_mesh meshes[] = {has_wall ? scene_corner() : scene_box(-1, -1, -1, 1, 1, 0, 2, 2, 1, "floor"),
                       scene_box(.3, -.8, 0, .9, .8, .3, 1, 2, 1, "block")};
  law_scene w;
  for (int64_t i = 0; i < meshes[0].node_count && has_wall; ++i)
    if (meshes[0].x[3 * i + 2] > .5 && meshes[0].x[3 * i] == 0) meshes[0].x[3 * i] = lean;
  config.onset = .01;
  law_scene_make(&w, meshes, 2, 1, (double[]){1e5, 1e5}, &config);
  law_shift(&w, 1, (double[]){0, 0, -.05});
  law_evaluate(&w, law_step);
  law_resultant(&w, 1, force);
  for (int k = 0; k < 3; ++k) force[k] /= stiffness_between_bodies(&w);
  law_scene_free(&w);
}

/* The borders of the wall are none of the floor before it. */
static void press_beside_walls(void) {
  static const double leans[] = {0, .3, .6};
  double alone[3], force[3], worst = 0;
  press_beside_wall(-1, alone);
  CU_ASSERT(alone[2] > 0);
  for (int i = 0; i < 3; ++i) {
    press_beside_wall(leans[i], force);
    for (int k = 0; k < 3; ++k) worst = suite_worst(worst, (force[k] - alone[k]) / alone[2]);
  }
  suite_gate(
      "face-face contact, a block on a floor beside an upright wall and undercut ones: force against that without",
      worst, 1e-9);
}

/* A strip of six cells, round or flat at the start, folded so that its outer side meets itself; the energy. */
static double energy_of_fold(double angle_of_cell) {
  const ipg_contact_config config = ipg_contact_defaults();
  const double thickness = .3, depth = .05;
  ipg_mesh mesh = scene_box(0, -.5, 0, 6, .5, thickness, 6, 1, 1, "strip");
  double *flat = copy_of(mesh.x, 3 * mesh.node_count);
  law_scene w;
  for (int64_t i = 0; i < mesh.node_count && angle_of_cell > 0; ++i) {
    const double angle = (flat[3 * i] - 3) * angle_of_cell, radius = 1 / angle_of_cell + flat[3 * i + 2];
    mesh.x[3 * i] = radius * sin(angle), mesh.x[3 * i + 2] = radius * cos(angle);
  }
  law_scene_make(&w, &mesh, 1, 1, (double[]){1e5}, &config);
  for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i) {
    const double *x = flat + 3 * w.s.surface.mesh_nodes[i], below = thickness - x[2], arm = fabs(x[0] - 3) - 1;
    double *to = w.s.trial + 3 * i;
    to[0] = arm < 0 ? -.3 - below : arm;
    to[2] = x[0] > 3.5 ? -below : x[0] < 2.5 ? below - depth : -depth / 2;
  }
  law_go(&w);
  const double energy = w.energy;
  free(flat);
  law_scene_free(&w);
  return energy;
}

/* Each face of a round surface lies behind its neighbours at the start, and can still meet them. */
static void fold_a_round_strip(void) {
  const double flat = energy_of_fold(0);
  double worst = 0;
  CU_ASSERT(flat > 0);
  for (int degrees = 4; degrees <= 10; degrees += 3)
    worst = suite_worst(worst, energy_of_fold(degrees * M_PI / 180) / flat - 1);
  suite_gate("face-face contact, a round strip is folded onto itself: energy against that of a flat one", worst, .2);
}

/* A thin block goes right through a plate, in steps of some tenths of a thickness to some thicknesses; or it turns back
 * within the plate. */
typedef struct crossing_case {
  double axes[3][3];         /* of the scene */
  double lo[2][3], hi[2][3]; /* the two boxes in it */
  double way[3];             /* of the block, in the scene */
  double turning_point;      /* the part of the way after which it goes back; above 1: it does not */
} crossing_case;

typedef struct crossing_figures {
  int64_t through; /* nodes that go through the other body */
  int64_t untold, told_twice, told_wrongly;
  double early; /* the least depth at which one is told, of the smaller thickness */
  double worst; /* of the position, and of what comes after the node is out, of the way */
} crossing_figures;

static void make_crossing(law_scene *w, rng *r, bool turns_back, crossing_case *c) {
  const ipg_contact_config config = ipg_contact_defaults();
  const double thick[2] = {rng_between(r, .1, .4), rng_between(r, .1, .4)};
  const double at[2] = {rng_between(r, -.4, .4), rng_between(r, -.4, .4)}, half = rng_between(r, .3, .6);
  *c = (crossing_case){.lo = {{-1.5, -1.5, -thick[0]}, {at[0] - half, at[1] - half, .1}},
                       .hi = {{1.5, 1.5, 0}, {at[0] + half, at[1] + half, .1 + thick[1]}},
                       .way = {rng_between(r, -.3, .3), rng_between(r, -.3, .3), -.3 - thick[0] - thick[1]},
                       .turning_point = 2};
  if (turns_back) c->turning_point = (.1 + rng_between(r, .1, .8) * fmin(thick[0], thick[1])) / -c->way[2];
  ipg_mesh meshes[2];
  random_rotation(r, c->axes);
  for (int b = 0; b < 2; ++b) {
    const double *lo = c->lo[b], *hi = c->hi[b];
    const int n = b ? rng_int(r, 1, (int)(half / .2)) : rng_int(r, 4, 7);
    meshes[b] = scene_box(lo[0], lo[1], lo[2], hi[0], hi[1], hi[2], n, n, rng_int(r, 1, 2), b ? "block" : "plate");
    transform_mesh(&meshes[b], c->axes, (double[]){0, 0, 0}, 1);
  }
  law_scene_make(w, meshes, 2, 1, NULL, &config);
}

/* Where the line enters and leaves the box, and along which axis; false: it does not meet it. */
static bool cross_box(const double lo[3], const double hi[3], const double x[3], const double way[3], double part[2],
                      int axis[2]) {
  part[0] = -INFINITY, part[1] = INFINITY;
  for (int k = 0; k < 3; ++k) {
    const double a = (lo[k] - x[k]) / way[k], b = (hi[k] - x[k]) / way[k];
    if (fmin(a, b) > part[0]) part[0] = fmin(a, b), axis[0] = k;
    if (fmax(a, b) < part[1]) part[1] = fmax(a, b), axis[1] = k;
  }
  return part[0] < part[1];
}

/* Compares with when and where contact says that each node passed; parts: of the way, NAN: it says nothing. Of nodes
 * that come in or out through the narrow sides contact may say either. */
static void check_crossing(const law_scene *w, const crossing_case *c, const double *parts, crossing_figures *g) {
  for (int64_t i = 0; i < w->s.surface.surface.node_count; ++i) {
    const int body = w->s.body_of_node[i], sign = body ? 1 : -1;
    double x[3], way[3], part[2];
    int axis[2] = {0, 0};
    for (int k = 0; k < 3; ++k) {
      const double *at = w->s.x + 3 * i;
      x[k] = c->axes[0][k] * at[0] + c->axes[1][k] * at[1] + c->axes[2][k] * at[2];
      way[k] = sign * c->way[k];
    }
    const bool meets = cross_box(c->lo[1 - body], c->hi[1 - body], x, way, part, axis);
    const bool passes = meets && axis[0] == 2 && axis[1] == 2 && c->turning_point > 1;
    g->through += passes, g->untold += passes && isnan(parts[i]);
    const bool goes_back = meets && axis[0] == 2 && part[1] > c->turning_point;
    g->told_wrongly += (!meets || goes_back) && !isnan(parts[i]);
    if (!passes || isnan(parts[i])) continue;
    const double thickness = fmin(c->hi[0][2] - c->lo[0][2], c->hi[1][2] - c->lo[1][2]);
    g->early = fmin(g->early, (parts[i] - part[0]) * fabs(c->way[2]) / thickness);
    g->worst = suite_worst(g->worst, fmax(0, parts[i] - part[1]));
  }
}

static void note_passed(law_scene *w, const crossing_case *c, double before, double after, double *parts,
                        crossing_figures *g) {
  const scene *s = &w->s;
  int64_t count;
  const ipg_contact_passed_node *passed = ipg_contact_passed_nodes(w->contact, &count);
  for (int64_t i = 0, k = 0; k < count; ++i) {
    if (s->surface.surface.node_gids[i] != passed[k].node) continue;
    const double time = passed[k].time / law_step - (double)(w->step - 1);
    const double part = before + time * (after - before);
    g->told_twice += !isnan(parts[i]), parts[i] = part;
    for (int axis = 0; axis < 3; ++axis) {
      const double *a = c->axes[axis], moved = a[0] * c->way[0] + a[1] * c->way[1] + a[2] * c->way[2];
      const double at = s->x[3 * i + axis] + (s->body_of_node[i] ? part * moved : 0);
      g->worst = suite_worst(g->worst, passed[k].position[axis] - at);
    }
    ++k;
  }
}

static void cross_in_steps(rng *r, bool turns_back, crossing_figures *g) {
  crossing_case c;
  law_scene w;
  make_crossing(&w, r, turns_back, &c);
  const int64_t nodes = w.s.surface.surface.node_count;
  const double longest = rng_between(r, .05, 1);
  double *parts = malloc((size_t)nodes * sizeof *parts), part = 0;
  bool is_back = false;
  for (int64_t i = 0; i < nodes; ++i) parts[i] = NAN;
  while (is_back ? part > 0 : part < 1) {
    const double step = rng_between(r, .2, 1) * longest, before = part;
    part = is_back ? fmax(0, part - step) : fmin(fmin(1, c.turning_point), part + step);
    is_back |= part >= c.turning_point;
    double shift[3];
    for (int k = 0; k < 3; ++k)
      shift[k] = part * (c.axes[k][0] * c.way[0] + c.axes[k][1] * c.way[1] + c.axes[k][2] * c.way[2]);
    law_shift(&w, 1, shift);
    law_go(&w);
    note_passed(&w, &c, before, part, parts, g);
  }
  check_crossing(&w, &c, parts, g);
  free(parts);
  law_scene_free(&w);
}

/* Whether contact says of the lower nodes of the block above the plate, and of no others, that they passed. */
static bool are_lower_nodes_told(const law_scene *w) {
  const scene *s = &w->s;
  int64_t count, told = 0, lower = 0;
  const ipg_contact_passed_node *passed = ipg_contact_passed_nodes(w->contact, &count);
  double lowest = INFINITY;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    if (s->body_of_node[i] == 0) lowest = fmin(lowest, s->x[3 * i + 2]);
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) {
    const bool is_lower = s->body_of_node[i] == 0 && s->x[3 * i + 2] < lowest + 1e-9;
    lower += is_lower, told += is_lower && told < count && s->surface.surface.node_gids[i] == passed[told].node;
  }
  return lower > 0 && told == lower && count == lower;
}

/* A plate that is squeezed to a third of its thickness before the block goes through it; a plate of two thicknesses of
 * an element and more, where the block comes to a stop inside, too deep for any force. */
static void tell_of_squeezed_and_thick_plates(void) {
  const plate_case thin = {.3, {true, false}, false, false}, thick = {2, {true, false}, false, false};
  law_scene w;
  double pushes[2];
  make_plate(&w, &thin);
  for (int64_t i = 0; i < w.s.surface.surface.node_count; ++i)
    if (w.s.body_of_node[i] == 2) w.s.trial[3 * i + 2] /= 3;
  press_into_plate(&w, &thin, .4, pushes);
  int64_t count;
  ipg_contact_passed_nodes(w.contact, &count);
  CU_ASSERT_EQUAL(count, 0);
  press_into_plate(&w, &thin, .7, pushes);
  CU_ASSERT(are_lower_nodes_told(&w));
  press_into_plate(&w, &thin, .75, pushes);
  ipg_contact_passed_nodes(w.contact, &count);
  CU_ASSERT_EQUAL(count, 0);
  law_scene_free(&w);
  make_plate(&w, &thick);
  press_into_plate(&w, &thick, .45, pushes);
  CU_ASSERT(are_lower_nodes_told(&w) && ipg_contact_get_counters(w.contact).passed > 0);
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_revert(w.contact, &error));
  ipg_contact_passed_nodes(w.contact, &count);
  CU_ASSERT(count == 0 && ipg_contact_get_counters(w.contact).passed == 0);
  law_scene_free(&w);
}

static void tell_who_passes(void) {
  rng r = rng_start(65000);
  crossing_figures g = {.early = 1};
  for (uint64_t i = 0; i < scenes_over(5); ++i) cross_in_steps(&r, i % 4 == 0, &g);
  printf("\n    %ld nodes go through ", (long)g.through);
  CU_ASSERT(g.through > 100 && g.early >= .95);
  suite_gate("face-face contact, blocks go through plates in steps of 0.05 to 2 thicknesses: nodes that pass untold",
             (double)g.untold, 0);
  suite_gate("face-face contact, blocks go through plates in steps of 0.05 to 2 thicknesses: nodes told twice, or that "
             "do not pass",
             (double)(g.told_twice + g.told_wrongly), 0);
  suite_gate(
      "face-face contact, blocks go through plates in steps of 0.05 to 2 thicknesses: when and where, of the way",
      g.worst, 1e-6);
}

/* -------------------------------------------------------------------------------------------------- the same forces */

/* A ball in a block: more pairs than a task takes. */
static void make_ball_in_block(law_scene *w, const ipg_contact_config *config) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 6, 6, 3, "block"), scene_ball(.07, .03, .6, .5, 4, "ball")};
  law_scene_make(w, meshes, 2, 1, NULL, config);
}

/* A few evaluations on the way in, one after another; returns how many have other bits than `expected`, which is set by
 * the first configuration. */
static long compare_on_way_in(law_scene *w, const double shift[3], double **expected) {
  enum { EVALUATIONS = 5 };
  const bool is_first = !*expected;
  const int64_t count = values_of(w);
  long different = 0;
  if (is_first) *expected = malloc(EVALUATIONS * (size_t)count * sizeof **expected);
  for (int n = 0; n < EVALUATIONS; ++n) {
    const double part = .9 + .025 * n;
    double *forces = *expected + n * count;
    law_shift(w, 1, (double[]){part * shift[0], part * shift[1], part * shift[2]});
    law_go(w);
    if (is_first) memcpy(forces, w->s.force, (size_t)count * sizeof *forces);
    different += !are_same_bits(forces, w->s.force, count);
  }
  has_force(w);
  return different;
}

/* Number 0: the ball in the block. False: no scene has this number. */
static bool start_numbered(law_scene *w, uint64_t number, const ipg_contact_config *config, double shift[3]) {
  const random_pair pair = usual_pair(number);
  shift[0] = 0, shift[1] = 0, shift[2] = -.2;
  if (number && !random_shift(&pair, shift)) return false;
  if (number) make_random_pair(w, &pair, config);
  else make_ball_in_block(w, config);
  return true;
}

static long compare_configs(uint64_t number, const ipg_contact_config *configs, int count) {
  double *expected = NULL, shift[3];
  long different = 0;
  for (int i = 0; i < count; ++i) {
    law_scene w;
    if (!start_numbered(&w, number, &configs[i], shift)) break;
    different += compare_on_way_in(&w, shift, &expected);
    law_scene_free(&w);
  }
  free(expected);
  return different;
}

static void test_threads_methods_margins(void) {
  enum { MOST = 32 };
  ipg_contact_config configs[MOST];
  ipg_pool *pool = NULL;
  ipg_error error = {0};
  int count = 3;
  long different = 0;
  CU_ASSERT_FATAL(!ipg_pool_create(4, &pool, &error));
  for (int i = 0; i < MOST; ++i) configs[i] = ipg_contact_defaults();
  configs[1].search_margin = 0, configs[2].search_margin = 2;
  for (const char *const *method = ipg_search_methods(); *method && count + 1 < MOST; ++method)
    configs[count++].search_method = *method;
  configs[count++].tasks = ipg_pool_tasks(pool);
  for (uint64_t i = 0; i < (suite_is_quick() ? 2 : 10); ++i) different += compare_configs(i, configs, count);
  ipg_pool_destroy(&pool);
  suite_gate("face-face contact, 1 and 4 threads, every search method, margins 0, 0.2 and 2: other forces",
             (double)different, 0);
}

/* With masses by the square of the unit, stiffness per area stays, so that forces grow with its cube. */
static void test_units(void) {
  long different = 0;
  for (uint64_t i = 0; i < scenes_over(100); ++i)
    for (int k = 0; k < 4; ++k) {
      random_pair pair = usual_pair(i);
      law_scene w, other;
      const double unit = ldexp(1, (k % 2 ? -1 : 1) * (k / 2 ? 90 : 10));
      if (!start_random_pair(&w, &pair)) continue;
      pair.unit = unit;
      start_random_pair(&other, &pair);
      law_go(&w), law_go(&other);
      has_force(&w);
      for (int64_t n = 0; n < values_of(&w); ++n) different += other.s.force[n] != unit * unit * unit * w.s.force[n];
      different += other.energy != unit * unit * unit * unit * w.energy;
      law_scene_free(&w), law_scene_free(&other);
    }
  suite_gate("face-face contact, all lengths by 2^10, 2^-10, 2^90, 2^-90: other forces", (double)different, 0);
}

/* The largest difference of the forces of two scenes, of the largest force; in the other scene body 1 may come first.
 */
static double difference_of(const law_scene *w, const law_scene *other, bool is_turned_over) {
  const int64_t count = values_of(w);
  double *forces = malloc(2 * (size_t)count * sizeof *forces), worst = 0;
  const int64_t first = gather_forces(other, is_turned_over, is_turned_over, forces);
  gather_forces(other, !is_turned_over, !is_turned_over, forces + first);
  for (int64_t k = 0; k < count; ++k) worst = suite_worst(worst, forces[k] - w->s.force[k]);
  free(forces);
  return has_force(w) ? worst / law_largest_force(w) : 0;
}

static void test_positions_and_order(void) {
  double moved = 0, turned_over = 0;
  for (uint64_t i = 0; i < scenes_over(50); ++i) {
    random_pair pair = {.number = 80 + i, .depths = {.1, .2}, .unit = 1, .grid = 0x1p-30};
    law_scene w, other;
    if (!start_random_pair(&w, &pair)) continue;
    law_go(&w);
    pair.at = 1024;
    start_random_pair(&other, &pair);
    law_go(&other);
    moved = suite_worst(moved, difference_of(&w, &other, false));
    law_scene_free(&other);
    pair.at = 0, pair.is_turned_over = true;
    start_random_pair(&other, &pair);
    law_go(&other);
    turned_over = suite_worst(turned_over, difference_of(&w, &other, true));
    law_scene_free(&other), law_scene_free(&w);
  }
  suite_gate("face-face contact, 1024 lengths away: difference of forces, of the largest", moved, 1e-12);
  suite_gate("face-face contact, bodies in the other order: difference of forces, of the largest", turned_over, 1e-12);
}

/* ------------------------------------------------------------------------------------------------- initial penetration
 */

/* A block that starts in the floor and is left there, free of force as it is, is slid, pressed, half lifted and at last
 * lifted off: the work of contact on the whole way, over the highest energy. At both ends there is none. */
static double work_after_penetration(uint64_t number, int steps) {
  rng r = rng_start(8200 + number);
  const double depth = rng_between(&r, .01, .08);
  ipg_error error = {0};
  loop_run run;
  start_loop(&run, false, number % 2);
  law_scene *w = &run.w;
  law_shift(w, 0, (double[]){0, 0, -up - depth});
  CU_ASSERT_FATAL(!ipg_contact_set_positions(w->contact, 0, w->s.trial, &error));
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(w->contact, &error));
  memcpy(run.x, w->s.trial, (size_t)values_of(w) * sizeof *run.x);
  waypoint from = {.height = -depth};
  for (int leg = 0; leg < 6; ++leg) {
    const waypoint to = {.x = leg < 5 ? rng_between(&r, -.6, .6) : from.x,
                         .y = leg < 5 ? rng_between(&r, -.6, .6) : from.y,
                         .height = leg < 5 ? -depth * rng_between(&r, .2, 1.3) : up};
    for (int i = 1; i <= steps; ++i) {
      const waypoint at = between(&from, &to, (double)i / steps);
      go_to(&run, &at);
    }
    from = to;
  }
  CU_ASSERT(run.highest > 0 && w->energy == 0);
  const double work = run.work / run.highest;
  end_loop(&run);
  return work;
}

static void slide_after_penetration(void) {
  double most = 0;
  for (uint64_t i = 0; i < (suite_is_quick() ? 4 : 20); ++i)
    most = suite_worst(most, work_after_penetration(i, suite_is_full() ? 512 : 256));
  suite_gate("face-face contact, an initial penetration that slides and is lifted: work, of the highest energy", most,
             5e-3);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"gradient: two random bodies", gradient_of_random_pairs},
      {"gradient: edges on each other", gradient_on_aligned_meshes},
      {"gradient: two rough blocks", gradient_of_rough_blocks},
      {"gradient: a bar bent onto itself", gradient_of_curls},
      {"gradient: a body at walls", gradient_at_walls},
      {"a box flat on a wall", even_on_wall},
      {"a box that starts behind a wall", start_behind_wall},
      {"bodies apart", apart_is_nothing},
      {"closed loops over nodes", loops_over_nodes},
      {"closed loops, tipping", loops_tipping},
      {"closed loops, tipping over an edge", loops_tipping_over_an_edge},
      {"closed loops over an edge", loops_over_edges},
      {"closed loops over a corner", loops_over_corners},
      {"closed loops over a seam", loops_over_seams},
      {"an initial penetration that slides", slide_after_penetration},
      {"edges on mesh lines", edges_on_mesh_lines},
      {"beside other bodies", test_others},
      {"steps and histories", test_steps_and_histories},
      {"flush boxes", test_flush},
      {"flush on several sides", test_flush_on_several_sides},
      {"flush boxes fly", test_flight_along_floor},
      {"sides of plates", test_sides_of_plates},
      {"through a plate in one step", cross_a_plate},
      {"beside an undercut wall", press_beside_walls},
      {"a round strip is folded", fold_a_round_strip},
      {"who goes through a plate is told", tell_who_passes},
      {"through squeezed plates, into thick ones", tell_of_squeezed_and_thick_plates},
      {"threads, methods, margins", test_threads_methods_margins},
      {"units", test_units},
      {"positions and order", test_positions_and_order},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "force_law", tests);
}
