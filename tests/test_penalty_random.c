/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Properties that penalty contact must have in every scene: energy, momentum and books of random crashes with
 * everything on. A scene that violates one is reported by its number; the same number (and IMPINGE_SEED) makes the same
 * scene again. */
#include "support/crash_scenes.h"
#include "support/evaluate.h"
#include "support/law_scene.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <math.h>

enum { FULL = 10000, USUAL = 400, QUICK = 60 };

static long scenes_in_all(void) {
  if (suite_is_full()) return FULL;
  return suite_is_quick() ? QUICK : suite_scenes() == 2000 ? USUAL : suite_scenes();
}

/* Fixed before any result. */
static const double most_energy = .01, most_momentum = 1e-12, most_of_books = 1e-10;

/* The step, of the one that elements and contact bear together. */
static const double part_of_step = .8;

typedef struct run {
  crash_scene scene;
  ipg_contact *contact;
  bool is_told, was_inverted;  /* contact has told that a node passed; an element was inside out */
  bool is_deep;                /* contact has told a penetration of more than half of an edge */
  double energy, largest;      /* the largest error; the total at the start plus the work done */
  double force, moment, books; /* the largest errors */
  double unbooked;             /* contact work that no other term explains, the most */
  double gain;                 /* energy that friction gave in a step, the most */
  double uncovered;            /* energy that an update of the surface gave to contact, the most */
  int64_t deleted;
  ipg_contact_energy_balance balance;
} run;

static void run_start(run *r, uint64_t seed, long number, const ipg_contact_config *settings) {
  *r = (run){.is_told = false};
  crash_scene_make(&r->scene, seed, number, part_of_step);
  r->contact = crash_scene_contact(&r->scene, settings);
  r->largest = r->scene.start;
}

static void run_stop(run *r) {
  ipg_contact_destroy(&r->contact);
  crash_scene_free(&r->scene);
}

/* ---------------------------------------------------------------------------------------------------------- momentum
 */

/* Of the forces of an evaluation, walls aside. */
typedef struct momentum {
  double sum[3], moment[3], size, arm; /* sizes: of forces, and of forces times arms */
} momentum;

static momentum momentum_of(const run *r) {
  int64_t count;
  const ipg_contact_contribution *all = ipg_contact_contributions(r->contact, &count);
  momentum m = {.size = 0};
  for (const ipg_contact_contribution *c = all; c < all + count; ++c) {
    const double *x = r->scene.s.trial + 3 * (int64_t)c->node;
    double about[3];
    if (c->part == 2 || c->part == 6) continue;
    vec3_cross(x, c->force, about);
    vec3_add_scaled(m.sum, 1, c->force, m.sum), vec3_add_scaled(m.moment, 1, about, m.moment);
    m.size += vec3_length(c->force), m.arm += vec3_length(c->force) * vec3_length(x);
  }
  return m;
}

/* Forces sum to 0, their moments to the angular momentum that is booked. */
static void check_momentum(run *r, const momentum *m, const ipg_contact_energy_balance *before) {
  if (!(m->size > 0)) return;
  r->force = suite_worst(r->force, vec3_length(m->sum) / m->size);
  for (int k = 0; k < 3; ++k) {
    const double after = r->balance.angular_momentum_defect[k], was = before->angular_momentum_defect[k];
    const double rounding = 4e-16 * fabs(after) / r->scene.dt; /* the balance is a sum over all steps so far */
    const double error = fabs(m->moment[k] - (after - was) / r->scene.dt);
    r->moment = suite_worst(r->moment, fmax(0, error - rounding) / m->arm);
  }
}

/* ------------------------------------------------------------------------------------------------------------ energy
 */

static double booked(const ipg_contact_energy_balance *b) {
  return b->contact_energy + b->friction_dissipation + b->damping_dissipation + b->spring_net_loss - b->external_work;
}

/* contact_work is what contact has done to the nodes; the other terms are booked beside it. Work is that of moving
 * walls, and the energy of faces between which a rule begins. */
static void check_energy(run *r) {
  const crash_scene *w = &r->scene;
  const ipg_contact_energy_balance *b = &r->balance;
  const double total = w->kinetic + crash_scene_strain_energy(w) + w->eroded + booked(b);
  r->largest = fmax(r->largest, w->start + b->external_work + fmax(0, -b->spring_net_loss));
  r->books = suite_worst(r->books, (w->product - w->start - w->work - b->contact_work) / r->largest);
  r->was_inverted = r->was_inverted || crash_scene_is_inverted(w);
  r->energy = suite_worst(r->energy, (total - w->start) / r->largest);
  r->unbooked = suite_worst(r->unbooked, (b->contact_work + booked(b)) / r->largest);
}

static void note_gain(run *r, const ipg_contact_energy_balance *before) {
  const double lost = r->balance.friction_dissipation - before->friction_dissipation;
  r->gain = suite_worst(r->gain, fmin(0, lost) / r->largest);
}

static void note_what_is_told(run *r) {
  int64_t passed;
  const ipg_contact_depth deepest = ipg_contact_find_deepest(r->contact);
  ipg_contact_passed_nodes(r->contact, &passed);
  r->is_told = r->is_told || passed > 0;
  r->is_deep = r->is_deep || deepest.depth > .5 * deepest.edge;
}

/* Deletes elements in some steps: contact only loses energy. */
static void erode(run *r) {
  const double before = r->balance.contact_energy;
  r->deleted += crash_scene_erode(&r->scene, r->contact);
  r->balance = ipg_contact_get_energy_balance(r->contact);
  r->uncovered = suite_worst(r->uncovered, fmax(0, r->balance.contact_energy - before) / r->largest);
}

static void run_step(run *r) {
  crash_scene *w = &r->scene;
  ipg_error error = {0};
  const ipg_contact_energy_balance before = r->balance;
  crash_scene_predict(w);
  CU_ASSERT_FATAL(!evaluate_after(r->contact, w->dt, w->s.trial, NULL, w->s.force, &error));
  note_what_is_told(r);
  const momentum m = momentum_of(r);
  CU_ASSERT_FATAL(!ipg_contact_accept(r->contact, w->step + 1, &error));
  r->balance = ipg_contact_get_energy_balance(r->contact);
  check_momentum(r, &m, &before);
  crash_scene_complete(w);
  check_energy(r);
  note_gain(r, &before);
  erode(r);
}

static void run_to_end(run *r) {
  while (r->scene.step < r->scene.steps) run_step(r);
}

/* ----------------------------------------------------------------------------------------------------- the same bits
 */

static size_t force_bytes(const run *r) { return 3 * (size_t)r->scene.s.surface.surface.node_count * sizeof(double); }

static bool is_same_end(const run *a, const run *b) {
  return force_bytes(a) == force_bytes(b) && !memcmp(a->scene.s.x, b->scene.s.x, force_bytes(a)) &&
         !memcmp(a->scene.s.force, b->scene.s.force, force_bytes(a)) &&
         !memcmp(&a->balance, &b->balance, sizeof a->balance);
}

/* Another number of workers, search margin and method. */
static bool has_same_bits(const run *r) {
  run other;
  ipg_pool *pool = NULL;
  ipg_contact_config settings = r->scene.config;
  rng choices = rng_start((uint64_t)r->scene.number + 2000000011u);
  CU_ASSERT_FATAL(!ipg_pool_create(4, &pool, NULL));
  settings.tasks = ipg_pool_tasks(pool);
  settings.search_margin = rng_between(&choices, 0, 1);
  settings.search_method = rng_int(&choices, 0, 1) ? "kdtree" : "brute_force";
  run_start(&other, rng_seed(), r->scene.number, &settings);
  run_to_end(&other);
  const bool is_same = is_same_end(r, &other);
  run_stop(&other);
  ipg_pool_destroy(&pool);
  return is_same;
}

/* ------------------------------------------------------------------------------------------------------------ scenes
 */

typedef struct totals {
  long scenes, with_contact, told, deep, inverted, with_friction, with_erosion, failing, other_bits;
  double energy_of_ordinary, force, moment, books, gain, uncovered;
} totals;

static void print_scene(const run *r) {
  const crash_scene *w = &r->scene;
  printf("\n    scene %ld: energy %.2g, force %.1g, moment %.1g, books %.1g; contact work without a term %.2g; deepest "
         "%.2g; "
         "%d bodies, %d walls, %d rules, %lld elements deleted%s%s%s%s%s%s%s ",
         w->number, r->energy, r->force, r->moment, r->books, r->unbooked, -r->balance.smallest_gap, w->count,
         (int)w->config.wall_count, (int)w->config.rule_count, (long long)r->deleted, w->has_ties ? ", ties" : "",
         w->has_penetration ? ", initial penetration" : "", w->has_self_contact ? ", a slot" : "",
         w->has_rule_in_time ? ", rules in time" : "", r->is_told ? ", passed nodes" : "", r->is_deep ? ", deep" : "",
         r->was_inverted ? ", inverted" : "");
}

static bool fails(const run *r) {
  return !(r->energy <= most_energy && r->force <= most_momentum && r->moment <= most_momentum &&
           r->books <= most_of_books);
}

static void count_scene(totals *t, const run *r) {
  const ipg_contact_energy_balance *b = &r->balance;
  ++t->scenes, t->told += r->is_told, t->deep += r->is_deep, t->inverted += r->was_inverted;
  t->with_contact += b->smallest_gap<0, t->with_friction += b->friction_dissipation> 1e-3 * r->largest;
  t->with_erosion += r->deleted > 0, t->failing += !(r->energy <= most_energy);
}

static void add_to_totals(totals *t, const run *r) {
  count_scene(t, r);
  if (!r->is_deep) t->energy_of_ordinary = suite_worst(t->energy_of_ordinary, r->energy);
  t->force = suite_worst(t->force, r->force), t->moment = suite_worst(t->moment, r->moment);
  t->books = suite_worst(t->books, r->books);
  if (!r->deleted) t->gain = suite_worst(t->gain, r->gain);
  t->uncovered = suite_worst(t->uncovered, r->uncovered);
  if (fails(r)) print_scene(r);
}

static void run_to_totals(totals *t, long number) {
  run r;
  run_start(&r, rng_seed(), number, NULL);
  run_to_end(&r);
  add_to_totals(t, &r);
  if (number % 16 == 0) t->other_bits += !has_same_bits(&r);
  run_stop(&r);
}

static void print_totals(const totals *t) {
  printf("\n    %ld scenes: %ld with contact, %ld with friction, %ld with deleted elements, %ld with passed nodes, %ld "
         "deeper than half of an edge, %ld with inverted elements, %ld with an energy error above the gate ",
         t->scenes, t->with_contact, t->with_friction, t->with_erosion, t->told, t->deep, t->inverted, t->failing);
  CU_ASSERT(4 * t->with_contact > 3 * t->scenes && 2 * t->with_friction > t->scenes);
  CU_ASSERT(8 * t->with_erosion > t->scenes);
}

static void test_random_scenes(void) {
  totals t = {.scenes = 0};
  for (long number = 0; number < scenes_in_all(); ++number) run_to_totals(&t, number);
  print_totals(&t);
  suite_gate("penalty contact, random scenes up to half of an edge deep: energy error", t.energy_of_ordinary,
             most_energy);
  suite_figure_at_most("penalty contact, random scenes: part that are deeper and have an energy error above 1 %",
                       (double)t.failing / (double)t.scenes, .005);
  suite_figure_at_most("penalty contact, random scenes: part with passed nodes", (double)t.told / (double)t.scenes, .2);
  suite_gate("penalty contact, random scenes: sum of the contact forces, of their size", t.force, most_momentum);
  suite_gate("penalty contact, random scenes: moment of the contact forces", t.moment, most_momentum);
  suite_gate("penalty contact, random scenes: contact work against the change of energy of the bodies", t.books,
             most_of_books);
  suite_figure_at_most("penalty contact, random scenes without deleted elements: energy that friction gives in a step",
                       t.gain, 1e-3);
  suite_gate("penalty contact, random scenes: energy that deleting elements gives to contact", t.uncovered, 1e-12);
  suite_gate("penalty contact, random scenes: 1 and 4 workers, other methods and margins: scenes with other bits",
             (double)t.other_bits, 0);
}

/* Deleted elements leave a sharp edge at the flush end of a box: its bevel does not hook beside the next box. */
static void test_flush_bevel(void) {
  run r;
  run_start(&r, 20090731, 74, NULL);
  run_to_end(&r);
  suite_gate("penalty contact, a sharp edge at the flush end of an eroded box: energy error", r.energy, most_energy);
  run_stop(&r);
}

/* ------------------------------------------------------------------------------------------------------ faces that
 * graze
 */

/* So shallow that the rounding of positions shows in the depth: the sums of forces and moments are as exact as any. */
static void test_grazing(void) {
  const char *names[] = {"a", "b"};
  const ipg_contact_config config = ipg_contact_defaults();
  double resultant = 0, moment = 0;
  int with_force = 0;
  for (uint64_t number = 0; number < 200; ++number) {
    rng r = rng_start(number + 3000000019u);
    law_scene w;
    ipg_mesh meshes[2];
    double shift[3];
    law_random_pair(&r, meshes, names);
    law_scene_make(&w, meshes, 2, 1, NULL, &config);
    const bool touches = law_random_press(&w, &r, pow(10, rng_between(&r, -7, -4)), shift);
    if (touches) law_shift(&w, 1, shift), law_go(&w);
    if (touches && law_largest_force(&w) > 0) ++with_force, law_worsen_momentum(&w, &resultant, &moment);
    law_scene_free(&w);
  }
  CU_ASSERT(with_force > 20);
  suite_gate("penalty contact, two random bodies that graze: resultant, of the sum of forces", resultant,
             most_momentum);
  suite_gate("penalty contact, two random bodies that graze: moment, of the sum of forces times arms", moment,
             most_momentum);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"random scenes", test_random_scenes},
      {"a sharp edge at a flush end", test_flush_bevel},
      {"faces that graze", test_grazing},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "penalty_random", tests);
}
