/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Overlaps at the start: which there are, against every node with every face; what is ignored presses nothing and yet
 * bears; what is removed is gone, and no momentum made. */
#include "foot.h"
#include "state.h"
#include "support/failing_allocator.h"
#include "support/random_scenes.h"
#include "support/suite.h"

#include <math.h>

/* -------------------------------------------------------------------------------------------- the oracle: all pairs */

/* What a face covers of the sphere around p, over 4 pi; positive from behind. */
static double share_of_sphere(const double *p, const double *a, const double *b, const double *c) {
  const vec o = vec_at(p, 0), u = vec_sub(vec_at(a, 0), o), v = vec_sub(vec_at(b, 0), o), w = vec_sub(vec_at(c, 0), o);
  const double lu = vec_length(u), lv = vec_length(v), lw = vec_length(w);
  return atan2(vec_dot(u, vec_cross(v, w)),
               lu * lv * lw + vec_dot(u, v) * lw + vec_dot(v, w) * lu + vec_dot(w, u) * lv) /
         (2 * M_PI);
}

typedef struct known_overlap {
  bool is_inside, is_own;
  double depth; /* to the nearest face where it may have come in; or of all */
} known_overlap;

static vec outward_of(const scene *s, ipg_id node, double *longest) {
  vec sum = {0, 0, 0};
  *longest = 0;
  for (int64_t f = 0; f < s->surface.surface.face_count; ++f) {
    const ipg_id *corner = s->surface.surface.faces + 3 * f;
    if (corner[0] != node && corner[1] != node && corner[2] != node) continue;
    const vec a = vec_at(s->x, corner[0]), b = vec_at(s->x, corner[1]), c = vec_at(s->x, corner[2]);
    sum = vec_add(sum, vec_cross(vec_sub(b, a), vec_sub(c, a)));
    for (int k = 0; k < 3; ++k)
      *longest = fmax(*longest, vec_length(vec_sub(vec_at(s->x, corner[k]), vec_at(s->x, node))));
  }
  return vec_unit(sum);
}

static known_overlap known(const scene *s, ipg_id node, int32_t body, double size) {
  const ipg_surface *surface = &s->surface.surface;
  double turns = 0, on_surface2 = INFINITY, nearest2 = INFINITY, facing2 = INFINITY, longest;
  const vec outward = outward_of(s, node, &longest);
  known_overlap k = {0};
  for (ipg_id f = 0; f < surface->face_count; ++f) {
    const ipg_id *corner = surface->faces + 3 * (int64_t)f;
    if (surface->face_bodies[f] != body) continue;
    if (corner[0] == node || corner[1] == node || corner[2] == node) {
      k.is_own = true;
      continue;
    }
    const foot at = ipg_foot_on_face(surface, s->x, node, f);
    on_surface2 = fmin(on_surface2, at.distance2);
    if (!ipg_is_own_face(surface, node, f)) {
      nearest2 = fmin(nearest2, at.distance2);
      if (vec_dot(outward, at.normal) < -.25 && at.height > .25 * sqrt(at.distance2))
        facing2 = fmin(facing2, at.distance2);
    }
    turns += share_of_sphere(s->x + 3 * (int64_t)node, s->x + 3 * (int64_t)corner[0], s->x + 3 * (int64_t)corner[1],
                             s->x + 3 * (int64_t)corner[2]);
  }
  k.is_inside = turns > (k.is_own ? 1.001 : .99) && sqrt(on_surface2) > 1e-10 * size;
  k.depth = sqrt(facing2 < INFINITY && (k.is_own || facing2 <= longest * longest * (1 + 1e-10)) ? facing2 : nearest2);
  return k;
}

static double size_of_body(const scene *s, int32_t body) {
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3 && s->body_of_node[i] == body; ++k)
      lo[k] = fmin(lo[k], s->x[3 * i + k]), hi[k] = fmax(hi[k], s->x[3 * i + k]);
  for (int k = 0; k < 3; ++k) sum += (hi[k] - lo[k]) * (hi[k] - lo[k]);
  return sqrt(sum);
}

/* Where the overlap says its way out ends, and how long it is. */
static double way_out(const scene *s, const ipg_contact_initial_penetration *o) {
  const ipg_id *corner = s->surface.surface.faces + 3 * (int64_t)o->face;
  vec to = {0, 0, 0};
  for (int k = 0; k < 3; ++k)
    to = vec_add(to, vec_scale(o->weights[k], vec_sub(vec_at(s->x, corner[k]), vec_at(s->x, o->node))));
  return vec_length(to);
}

typedef struct tally {
  int64_t overlaps, own, scenes;
} tally;

static void check_scene(const scene *s, long number, tally *sum) {
  const ipg_surface *surface = &s->surface.surface;
  ipg_contact *contact = scene_contact(s, NULL);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count, at = 0, wrong = 0;
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  for (ipg_id node = 0; node < surface->node_count; ++node)
    for (int32_t body = 0; body < contact->body_count; ++body) {
      const known_overlap k = known(s, node, body, size_of_body(s, body));
      const bool is_found = at < count && found[at].node == node && surface->face_bodies[found[at].face] == body;
      wrong += is_found != k.is_inside;
      if (is_found) wrong += found[at].depth < k.depth || found[at].depth > k.depth * (1 + 1e-10);
      if (is_found) wrong += fabs(way_out(s, &found[at]) - found[at].depth) > 1e-12 * found[at].depth;
      at += is_found, sum->own += is_found && k.is_own;
    }
  CU_ASSERT_EQUAL(at, count);
  CU_ASSERT_EQUAL(wrong, 0);
  if (wrong || at != count) printf("\n    scene %ld: %lld wrong", number, (long long)wrong);
  sum->overlaps += count, sum->scenes += count > 0;
  ipg_contact_destroy(&contact);
}

/* Bodies in one heap. Two of three lie on a coarse grid: planes, edges and nodes of one lie in those of another, and
 * rays go through edges; where the grid is turned about x, rays along x run within walls but for rounding. */
static void make_heap(scene *s, rng *r, int bodies) {
  enum { FREE, GRIDDED, TURNED };
  const int kind = rng_int(r, FREE, TURNED);
  const double angle = kind == TURNED ? rng_between(r, 0, 3) : 0;
  ipg_mesh meshes[SCENE_BODIES];
  for (int b = 0; b < bodies; ++b) {
    double turn[3][3] = {{1, 0, 0}, {0, cos(angle), -sin(angle)}, {0, sin(angle), cos(angle)}}, centre[3], corner[3];
    const int n = rng_int(r, 1, 3);
    char name[2] = {(char)('a' + b), 0};
    for (int k = 0; k < 3; ++k) centre[k] = kind ? 0 : rng_between(r, 0, .5), corner[k] = .125 * rng_int(r, 0, 4);
    if (kind == FREE) meshes[b] = random_shape(r, name, 3), random_turn(r, turn);
    else
      meshes[b] = scene_box(corner[0], corner[1], corner[2], corner[0] + .25 * n, corner[1] + .5,
                            corner[2] + .25 * rng_int(r, 1, 3), n, 2, rng_int(r, 1, 3), name);
    random_place(&meshes[b], turn, centre, 1);
  }
  scene_make(s, meshes, bodies, 1);
}

static void test_against_all_pairs(void) {
  const long scenes = suite_is_quick() ? 60 : 600;
  tally sum = {0};
  for (long i = 0; i < scenes; ++i) {
    rng r = rng_start(9000 + (uint64_t)i);
    scene s;
    make_heap(&s, &r, rng_int(&r, 2, 5));
    check_scene(&s, i, &sum);
    scene_free(&s);
  }
  printf("\n    %lld overlaps in %lld of %ld scenes", (long long)sum.overlaps, (long long)sum.scenes, scenes);
  CU_ASSERT(sum.scenes > scenes / 2);
}

/* A strip is rolled up by more than a turn, so that its end comes back into its beginning; and turned at random. */
static void make_curl(scene *s, rng *r) {
  const double radius = rng_between(r, .3, .6), thickness = rng_between(r, .05, .2), turns = rng_between(r, .7, 1.4);
  const double pitch = rng_between(r, 0, .3) * thickness;
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, thickness, .3, rng_int(r, 12, 30), rng_int(r, 1, 2), 2, "curl")};
  double turn[3][3];
  random_turn(r, turn);
  for (int64_t i = 0; i < meshes[0].node_count; ++i) {
    double *x = meshes[0].x + 3 * i;
    const double angle = 2 * M_PI * turns * x[0], at = radius + x[1] + pitch * x[0];
    x[0] = at * sin(angle), x[1] = at * cos(angle);
  }
  random_place(&meshes[0], turn, (double[]){0, 0, 0}, 1);
  scene_make(s, meshes, 1, 1);
}

/* A bar with a narrow cleft down to half of it, turned at random: from the ground of the cleft most ways lead into the
 * bar. */
static void make_cleft(scene *s, rng *r) {
  ipg_mesh meshes[] = {scene_box(-.1, 0, 0, .1, .3, 1, 2, 2, 5, "bar")};
  const double left = rng_between(r, .1, .5);
  double turn[3][3];
  random_turn(r, turn);
  for (int64_t i = 0; i < meshes[0].node_count; ++i)
    if (fabs(meshes[0].x[3 * i]) < .05) meshes[0].x[3 * i + 2] *= left;
  random_place(&meshes[0], turn, (double[]){0, 0, 0}, 1);
  scene_make(s, meshes, 1, 1);
}

static void test_clefts(void) {
  tally sum = {0};
  for (long i = 0; i < 50; ++i) {
    rng r = rng_start(12000 + (uint64_t)i);
    scene s;
    make_cleft(&s, &r);
    check_scene(&s, i, &sum);
    scene_free(&s);
  }
  CU_ASSERT_EQUAL(sum.overlaps, 0);
}

static void test_inside_own_body(void) {
  const long scenes = suite_is_quick() ? 10 : 100;
  tally sum = {0};
  for (long i = 0; i < scenes; ++i) {
    rng r = rng_start(11000 + (uint64_t)i);
    scene s;
    make_curl(&s, &r);
    check_scene(&s, i, &sum);
    scene_free(&s);
  }
  printf("\n    %lld overlaps in %lld scenes", (long long)sum.own, (long long)sum.scenes);
  CU_ASSERT(sum.own > scenes && sum.own == sum.overlaps);
}

/* ------------------------------------------------------------------------------------------------- known overlaps */

/* A block stands in a plate, `deep`. */
static void make_block_in_plate(scene *s, double deep) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 3, 3, 2, "plate"),
                       scene_box(-.2, -.1, -deep, .2, .3, .4, 2, 2, 1, "block")};
  scene_make(s, meshes, 2, 1);
}

static void test_block_in_plate(void) {
  scene s;
  make_block_in_plate(&s, .05);
  ipg_contact *contact = scene_contact(&s, NULL);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count;
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  CU_ASSERT_EQUAL_FATAL(count, 9);
  for (int64_t i = 0; i < count; ++i) {
    const double *p = s.x + 3 * (int64_t)found[i].node;
    double place[3] = {0};
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k)
        place[k] += found[i].weights[c] * s.x[3 * (int64_t)s.surface.surface.faces[3 * found[i].face + c] + k];
    CU_ASSERT(s.body_of_node[found[i].node] == 1 && s.surface.surface.face_bodies[found[i].face] == 0);
    CU_ASSERT_DOUBLE_EQUAL(found[i].depth, .05, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(p[2], -.05, 0);
    CU_ASSERT(fabs(place[0] - p[0]) < 1e-15 && fabs(place[1] - p[1]) < 1e-15 && fabs(place[2]) < 1e-15);
    CU_ASSERT(i == 0 || found[i].node > found[i - 1].node);
  }
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static int64_t count_overlaps(const scene *s, const ipg_contact_config *config) {
  ipg_contact *contact = scene_contact(s, config);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count;
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  ipg_contact_destroy(&contact);
  return count;
}

/* Faces on faces, of meshes that match or do not, straight and turned: no overlap. */
static void test_touching(void) {
  for (int trial = 0; trial < 40; ++trial) {
    const int n = trial % 4 + 1;
    rng r = rng_start(300 + (uint64_t)trial);
    double turn[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 4, 4, 2, "below"),
                         scene_box(-1, -1, 0, 1, 1, 1, n, 2, 1, "above"),
                         scene_box(1, -1, -.5, 2, .3, .7, n, n, 2, "beside")};
    scene s;
    if (trial % 2) random_turn(&r, turn);
    for (int b = 0; b < 3; ++b) random_place(&meshes[b], turn, (double[]){.3, .1, .2}, 1);
    scene_make(&s, meshes, 3, 1);
    CU_ASSERT_EQUAL(count_overlaps(&s, NULL), 0);
    scene_free(&s);
  }
}

static void test_rules_keep_quiet(void) {
  scene s;
  make_block_in_plate(&s, .05);
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = ipg_contact_defaults();
  config.rules = &rule, config.rule_count = 1;
  rule.from = 7; /* later it may touch: then it overlaps */
  CU_ASSERT_EQUAL(count_overlaps(&s, &config), 9);
  rule.off = true;
  CU_ASSERT_EQUAL(count_overlaps(&s, &config), 0);
  scene_free(&s);
}

/* Threads, methods of search, lengths in other powers of two. */
static void test_same_bits(void) {
  scene s;
  rng r = rng_start(5);
  make_heap(&s, &r, 12);
  ipg_pool *pool = NULL;
  ipg_error error = {0};
  const ipg_contact_initial_penetration *a, *b;
  int64_t count[2];
  ipg_contact_config config = ipg_contact_defaults();
  ipg_contact *first = scene_contact(&s, &config);
  CU_ASSERT_FATAL(!ipg_pool_create(3, &pool, NULL));
  config.tasks = ipg_pool_tasks(pool), config.search_method = "brute_force";
  for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) s.x[i] *= 1024;
  ipg_contact *second = scene_contact(&s, &config);
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(first, &a, &count[0], &error));
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(second, &b, &count[1], &error));
  CU_ASSERT_FATAL(count[0] == count[1] && count[0] > 50);
  for (int64_t i = 0; i < count[0]; ++i) {
    CU_ASSERT(a[i].node == b[i].node && a[i].face == b[i].face && 1024 * a[i].depth == b[i].depth);
    CU_ASSERT(!memcmp(a[i].weights, b[i].weights, sizeof a[i].weights));
  }
  ipg_contact_destroy(&first);
  ipg_contact_destroy(&second);
  ipg_pool_destroy(&pool);
  scene_free(&s);
}

/* ------------------------------------------------------------------------------------------------------- ignored */

static void ignore(ipg_contact *contact) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(contact, &error));
}

static void press(scene *s, ipg_contact *contact, double by, int64_t step) {
  ipg_error error = {0};
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) s->trial[3 * i + k] = s->x[3 * i + k] - (k == 2 && s->body_of_node[i] == 1 ? by : 0);
  CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s->trial, NULL, .1, s->force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
}

static double push_on_block(const scene *s) {
  double sum = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) sum += s->body_of_node[i] ? s->force[3 * i + 2] : 0;
  return sum;
}

/* Stiffnesses are those of birth: one half of a tenth of the mass that each contact moves, over dt^2. */
static double all_stiffness(const ipg_contact *contact) {
  int64_t count;
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += pairs[i].stiffness;
  return sum;
}

static bool nothing_pushes(const scene *s) {
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i)
    if (s->force[i] != 0) return false;
  return true;
}

/* Where it stands nothing; deeper k times what it is deeper; out again nothing, and in again from there; once it has
 * left, from the surface. */
static void test_ignored_block(void) {
  scene s;
  make_block_in_plate(&s, .05);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_error error = {0};
  int64_t count, step = 0;
  press(&s, contact, 0, ++step);
  CU_ASSERT(nothing_pushes(&s)); /* only reported */
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0);
  press(&s, contact, .01, ++step);
  CU_ASSERT(nothing_pushes(&s));
  press(&s, contact, 0, ++step);
  ignore(contact);
  ignore(contact); /* once is enough */
  press(&s, contact, 0, ++step);
  CU_ASSERT(nothing_pushes(&s));
  const ipg_contact_pair *pairs = ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, 9);
  double inverse = 1;
  for (int k = 1; k < 4; ++k) inverse += pairs[0].weights[k] * pairs[0].weights[k];
  CU_ASSERT_DOUBLE_EQUAL(pairs[0].stiffness, .1 * .5 / inverse / (.1 * .1), 1e-12);
  const double k = all_stiffness(contact);
  press(&s, contact, .02, ++step);
  CU_ASSERT_DOUBLE_EQUAL(push_on_block(&s), k * .02, 1e-12 * k);
  CU_ASSERT(!ipg_contact_evaluate(contact, s.trial, NULL, .05, s.force, &error));
  CU_ASSERT_DOUBLE_EQUAL(all_stiffness(contact), k, 1e-12 * k); /* that of the first step */
  press(&s, contact, -.03, ++step);
  CU_ASSERT(nothing_pushes(&s));
  press(&s, contact, -.01, ++step);
  CU_ASSERT_DOUBLE_EQUAL(push_on_block(&s), k * .02, 1e-12 * k);
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).deactivations, 0);
  press(&s, contact, -.06, ++step);
  CU_ASSERT(nothing_pushes(&s));
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).deactivations, 9);
  press(&s, contact, -.04, ++step);
  CU_ASSERT_DOUBLE_EQUAL(push_on_block(&s), all_stiffness(contact) * .01, 1e-12 * k);
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(l.activations == 18 && l.activations - l.deactivations == ipg_contact_get_counters(contact).contacts);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* In any heap: no force where nothing has moved. */
static void test_ignored_heaps(void) {
  int64_t ignored = 0, kept = 0;
  for (int i = 0; i < (suite_is_quick() ? 20 : 200); ++i) {
    rng r = rng_start(13000 + (uint64_t)i);
    scene s;
    make_heap(&s, &r, rng_int(&r, 2, 4));
    ipg_contact *contact = scene_contact(&s, NULL);
    ipg_contact_audit_report report;
    ipg_error error = {0};
    const int64_t count = count_overlaps(&s, NULL);
    ignore(contact);
    CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s.x, NULL, .1, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
    CU_ASSERT(nothing_pushes(&s));
    CU_ASSERT(report.wrong_contacts == 0 && report.missed_candidates == 0);
    ignored += count, kept += ipg_contact_get_counters(contact).contacts;
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  printf("\n    %lld of %lld overlaps are contacts after the first step", (long long)kept, (long long)ignored);
  CU_ASSERT(kept > .95 * (double)ignored);
}

/* Velocities are those of the middles of steps: before a step and after it. */
static double kinetic_energy(const scene *s, double before[2][3]) {
  double sum = 0;
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 3; ++k) sum += .5 * s->body_mass[b] * before[b][k] * s->velocity[b][k];
  return sum;
}

/* The block is shot into the plate from where it stands, is thrown back, and leaves: energy is accounted for all the
 * way, and an elastic bounce gives back what it took. */
static void test_ignored_bounce(void) {
  for (int law = 0; law < 3; ++law) {
    scene s;
    make_block_in_plate(&s, .05);
    ipg_contact_config config = ipg_contact_defaults();
    if (law == 1) config.law = (ipg_contact_law){.3, .3, 0, 0};
    if (law == 2) config.law = (ipg_contact_law){.3, .2, 0, .2};
    ipg_contact *contact = scene_contact(&s, &config);
    s.velocity[1][2] = -1, s.velocity[1][0] = law ? .2 : 0;
    const double before = kinetic_energy(&s, s.velocity);
    double worst = 0, velocity[2][3];
    int64_t step = 0;
    ignore(contact);
    while (ipg_contact_last_step(contact) < 1 || ipg_contact_get_counters(contact).contacts) {
      memcpy(velocity, s.velocity, sizeof velocity);
      CU_ASSERT_FATAL(scene_step(&s, contact, 2e-4, ++step) && step < 20000);
      const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
      const double now = kinetic_energy(&s, velocity) + l.contact_energy + l.friction_dissipation +
                         l.damping_dissipation + l.spring_net_loss;
      worst = fmax(worst, fabs(now - before));
    }
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    CU_ASSERT(worst < .02 * before);
    CU_ASSERT(l.activations == 9 && l.deactivations == 9 && l.smallest_gap < 0);
    CU_ASSERT(fabs(l.spring_net_loss) < .005 * before);
    if (!law) CU_ASSERT_DOUBLE_EQUAL(kinetic_energy(&s, s.velocity), before, .005 * before);
    printf("\n    law %d: %lld steps, energy open by up to %.1e", law, (long long)step, worst / before);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

/* Nodes of the floor that lie in the planes of the block's sides come in beside it, and those that it slides over
 * later come in under its end, all as deep as the overlap: none of it becomes spring, or energy. */
static void test_ignored_flush_block(void) {
  const double velocities[3][3] = {{0, 0, 0}, {0, 0, -1}, {1, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 2, 1, 0, 12, 8, 2, "floor"),
                         scene_box(-.5, -.5, -.06, .5, .5, .4, 4, 4, 2, "block")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    memcpy(s.velocity[1], velocities[i], sizeof velocities[i]);
    ipg_contact *contact = scene_contact(&s, NULL);
    const double before = kinetic_energy(&s, s.velocity);
    ignore(contact);
    for (int64_t step = 1; step <= 600; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    CU_ASSERT(l.spring_net_loss >= -.01 * before);
    CU_ASSERT(kinetic_energy(&s, s.velocity) <= 1.005 * before);
    CU_ASSERT(i == 1 || fabs(s.velocity[1][2]) < 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(s.velocity[1][2] - s.velocity[0][2], i == 1 ? 1 : 0, .01);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

static bool has_word(const char *sentence, const char *word) { return strstr(sentence, word) != NULL; }

static void test_explained(void) {
  scene s;
  make_block_in_plate(&s, .05);
  const ipg_surface *surface = &s.surface.surface;
  for (int ignored = 0; ignored < 2; ++ignored) {
    ipg_contact *contact = scene_contact(&s, NULL);
    const ipg_contact_initial_penetration *found;
    ipg_contact_explanation e;
    ipg_error error = {0};
    int64_t count;
    CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error) && count);
    const ipg_contact_initial_penetration o = found[0];
    if (ignored) ignore(contact);
    press(&s, contact, .01, 1);
    CU_ASSERT_FATAL(!ipg_contact_evaluate(contact, s.trial, NULL, .1, s.force, &error));
    const ipg_contact_face_id at = {surface->face_elements[o.face], surface->face_sides[o.face],
                                    surface->face_subs[o.face]};
    CU_ASSERT_FATAL(!ipg_contact_explain(contact, surface->node_gids[o.node], at, &e, &error));
    CU_ASSERT_EQUAL(e.reason, ignored ? IPG_REASON_IN_CONTACT : IPG_REASON_INSIDE);
    CU_ASSERT(has_word(e.sentence, ignored ? "0.01 deep beyond an overlap of 0.05" : "0.06 deep, before the step"));
    CU_ASSERT(ignored || has_word(e.sentence, "see overlap"));
    CU_ASSERT(strlen(e.sentence) + 1 < sizeof e.sentence);
    ipg_contact_destroy(&contact);
  }
  scene_free(&s);
}

/* Where nothing overlaps, ignoring and removing change no bit of a run. */
static void test_nothing_to_do(void) {
  double forces[3] = {0, 0, 0};
  for (int what = 0; what < 3; ++what) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 1, 1, 0, 6, 6, 2, "box"), scene_ball(.07, .03, .52, .5, 4, "ball")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    s.velocity[1][2] = -1;
    ipg_contact *contact = scene_contact(&s, NULL);
    ipg_error error = {0};
    int64_t moved = 7;
    double farthest = 7;
    if (what == 1) ignore(contact);
    if (what == 2) {
      CU_ASSERT_FATAL(!ipg_contact_remove_initial_penetrations(contact, s.trial, &moved, &farthest, &error));
      CU_ASSERT(moved == 0 && farthest == 0);
      CU_ASSERT(!memcmp(s.trial, s.x, 3 * (size_t)s.surface.surface.node_count * sizeof(double)));
    }
    for (int64_t step = 1; step <= 60; ++step) {
      CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
      for (int64_t i = 0; i < 3 * s.surface.surface.node_count; ++i) forces[what] += s.force[i] * (double)i;
    }
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  CU_ASSERT(forces[0] == forces[1] && forces[0] == forces[2] && forces[0] != 0);
}

/* ------------------------------------------------------------------------------------------------------- removed */

/* Removes, checks what must hold, and leaves the new places in s->x; returns by how much a node moved at most. */
static double remove_all(scene *s, double least, double most) {
  const ipg_surface *surface = &s->surface.surface;
  ipg_contact *contact = scene_contact(s, NULL);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t moved, count, differ = 0;
  double farthest, sum[3] = {0}, size = 0;
  CU_ASSERT_FATAL(!ipg_contact_remove_initial_penetrations(contact, s->trial, &moved, &farthest, &error));
  for (int64_t i = 0; i < surface->node_count; ++i) {
    double way2 = 0;
    for (int k = 0; k < 3; ++k) {
      const double way = s->trial[3 * i + k] - s->x[3 * i + k], m = surface->node_masses[i];
      sum[k] += m * way, size += m * fabs(way), way2 += way * way;
    }
    differ += way2 > 0;
    CU_ASSERT(sqrt(way2) <= farthest * (1 + 1e-12));
  }
  for (int k = 0; k < 3; ++k) CU_ASSERT(fabs(sum[k]) <= 1e-12 * size);
  CU_ASSERT(differ == moved && moved > 0);
  CU_ASSERT(farthest >= least && farthest <= most);
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  CU_ASSERT_EQUAL(count, 0);
  memcpy(s->x, s->trial, 3 * (size_t)surface->node_count * sizeof *s->x);
  CU_ASSERT_EQUAL(count_overlaps(s, NULL), 0);
  ipg_contact_destroy(&contact);
  return farthest;
}

static void weigh(scene *s, int32_t body, double mass) {
  const ipg_surface *surface = &s->surface.surface;
  for (int64_t i = 0; i < surface->node_count; ++i)
    if (s->body_of_node[i] == body) ((double *)surface->node_masses)[i] = mass;
}

/* Two equal faces, node on node: each moves half the way, or by the other's mass. */
static void test_remove_boxes(void) {
  for (int heavy = 0; heavy < 2; ++heavy) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, .01, 4, 4, 2, "below"),
                         scene_box(-.8, -.8, -.01, .8, .8, 1, 4, 4, 2, "above")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    if (heavy) weigh(&s, 0, 4);
    remove_all(&s, .005, heavy ? .0201 : .02);
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
      if (heavy && s.body_of_node[i] == 0) CU_ASSERT(fabs(s.x[3 * i + 2] - rint(2 * s.x[3 * i + 2]) / 2) <= .0101);
    scene_free(&s);
  }
}

static void test_remove_balls_in_box(void) {
  for (int trial = 0; trial < (suite_is_quick() ? 4 : 20); ++trial) {
    rng r = rng_start(700 + (uint64_t)trial);
    const double deep = rng_between(&r, .005, .03), turn = rng_between(&r, -.2, .2);
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 8, 8, 4, "box"),
                         scene_ball(-.4 + turn, turn, .3 - deep, .3, 4, "left"),
                         scene_ball(.2 - deep + turn, turn, .3 - deep, .3, 5, "right")};
    scene s;
    scene_make(&s, meshes, 3, 1);
    weigh(&s, 1, rng_between(&r, .1, 10));
    weigh(&s, 2, rng_between(&r, .1, 10));
    remove_all(&s, 0, 3 * deep);
    scene_free(&s);
  }
}

static void test_remove_many(void) {
  rng r = rng_start(77);
  ipg_mesh meshes[SCENE_BODIES];
  scene s;
  for (int b = 0; b < SCENE_BODIES; ++b) {
    char name[2] = {(char)('a' + b), 0};
    double turn[3][3];
    meshes[b] = b % 2 ? scene_ball(0, 0, 0, .51, 3, name) : scene_box(-.51, -.51, -.51, .51, .51, .51, 3, 3, 3, name);
    random_turn(&r, turn);
    if (b % 2 == 0) memset(turn, 0, sizeof turn), turn[0][0] = turn[1][1] = turn[2][2] = 1;
    random_place(&meshes[b], turn, (double[]){b % 4, b / 4 % 2, b / 8}, 1);
  }
  scene_make(&s, meshes, SCENE_BODIES, 1);
  for (int b = 0; b < SCENE_BODIES; ++b) weigh(&s, b, pow(10, rng_between(&r, -1, 1)));
  CU_ASSERT(count_overlaps(&s, NULL) > 20);
  remove_all(&s, 1e-3, .06);
  scene_free(&s);
}

/* Nothing is moved, and the sentence says why. */
static void check_hopeless(ipg_mesh meshes[2], const char *words, int64_t overlaps) {
  scene s;
  scene_make(&s, meshes, 2, 1);
  ipg_contact *contact = scene_contact(&s, NULL);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t moved, count;
  double farthest;
  CU_ASSERT_EQUAL(ipg_contact_remove_initial_penetrations(contact, s.trial, &moved, &farthest, &error),
                  IPG_ERROR_UNSUPPORTED);
  CU_ASSERT(moved == 0 && farthest == 0);
  CU_ASSERT(has_word(error.message, words));
  CU_ASSERT(!memcmp(s.trial, s.x, 3 * (size_t)s.surface.surface.node_count * sizeof(double)));
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  CU_ASSERT_EQUAL(count, overlaps);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A body within another, far from its surface or not; and one that is too deep. */
static void test_hopeless(void) {
  ipg_mesh far[] = {scene_box(-1, -1, -1, 1, 1, 1, 6, 6, 6, "around"),
                    scene_box(-.2, -.2, -.2, .2, .2, .2, 2, 2, 2, "within")};
  ipg_mesh near[] = {scene_box(-1, -1, -1, 1, 1, 1, 2, 2, 2, "around"),
                     scene_box(-.2, -.2, -.2, .2, .2, .2, 1, 1, 1, "within")};
  ipg_mesh deep[] = {scene_box(-1, -1, -1, 1, 1, 1, 6, 6, 6, "below"),
                     scene_box(-.2, -.2, .4, .2, .2, 1.4, 1, 1, 4, "above")};
  check_hopeless(far, "wholly within another", 26);
  check_hopeless(near, "wholly within another", 8);
  check_hopeless(deep, "13 overlaps cannot be removed by moving nodes", 13);
}

/* --------------------------------------------------------------------------------------------------------- memory */

static void test_failing_allocations(void) {
  scene s;
  make_block_in_plate(&s, .05);
  for (int what = 0; what < 3; ++what) {
    bool lucky = false;
    for (int64_t n = 1; !lucky && n < 300; ++n) {
      failing_allocator allocator = {0};
      ipg_contact_config config = ipg_contact_defaults();
      const ipg_contact_initial_penetration *found;
      ipg_error error = {0};
      int64_t count;
      double farthest;
      config.allocator = failing_allocator_of(&allocator);
      ipg_contact *contact = scene_contact(&s, &config);
      allocator.fail_at = allocator.allocations + n;
      const ipg_status status =
          what == 0   ? ipg_contact_find_initial_penetrations(contact, &found, &count, &error)
          : what == 1 ? ipg_contact_ignore_initial_penetrations(contact, &error)
                      : ipg_contact_remove_initial_penetrations(contact, s.trial, &count, &farthest, &error);
      lucky = !status;
      CU_ASSERT(lucky || status == IPG_ERROR_MEMORY);
      if (!lucky) { /* as if nobody had asked */
        CU_ASSERT(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error) && count == 9);
        CU_ASSERT(!ipg_contact_pairs(contact, &count) && count == 0);
      }
      ipg_contact_destroy(&contact);
      CU_ASSERT(allocator.live_bytes == 0 && allocator.wrong_releases == 0);
    }
    CU_ASSERT(lucky);
  }
  scene_free(&s);
}

static void test_no_faces(void) {
  const ipg_gid gids[] = {1, 2};
  const double masses[] = {1, 1}, x[6] = {0};
  const ipg_surface surface = {.node_count = 2, .node_gids = gids, .node_masses = masses};
  const ipg_contact_config config = ipg_contact_defaults();
  ipg_contact *contact = NULL;
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count, moved;
  double to[6], farthest;
  CU_ASSERT_FATAL(!ipg_contact_create(&config, &surface, x, &contact, &error));
  CU_ASSERT(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error) && count == 0);
  CU_ASSERT(!ipg_contact_ignore_initial_penetrations(contact, &error));
  CU_ASSERT(!ipg_contact_remove_initial_penetrations(contact, to, &moved, &farthest, &error) && moved == 0);
  ipg_contact_destroy(&contact);
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {
      {"against all pairs", test_against_all_pairs},
      {"inside their own body", test_inside_own_body},
      {"on the ground of a cleft", test_clefts},
      {"a block in a plate", test_block_in_plate},
      {"touching is no overlap", test_touching},
      {"rules keep quiet", test_rules_keep_quiet},
      {"the same bits", test_same_bits},
      {"an ignored block bears what comes on top", test_ignored_block},
      {"ignored heaps rest", test_ignored_heaps},
      {"an ignored block bounces, energy is kept", test_ignored_bounce},
      {"an ignored block flush with nodes beside it", test_ignored_flush_block},
      {"explained", test_explained},
      {"nothing to do", test_nothing_to_do},
      {"boxes are parted", test_remove_boxes},
      {"balls in a box are parted", test_remove_balls_in_box},
      {"many bodies are parted", test_remove_many},
      {"what cannot be parted", test_hopeless},
      {"allocations that fail", test_failing_allocations},
      {"a surface without faces", test_no_faces},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "overlap", tests);
}
