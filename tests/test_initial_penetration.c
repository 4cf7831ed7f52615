/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Initial penetrations: found, against every node with every face; ignored, which gives no force at the start and full
 * resistance to more; removed, which keeps the centre of mass. */
#include "support/evaluate.h"
#include "support/failing_allocator.h"
#include "support/random_scenes.h"
#include "support/suite.h"
#include "support/surface_oracle.h"
#include "support/vec3.h"
#include "support/weak_contact.h"

#include <math.h>

/* -------------------------------------------------------------------------------------------- the oracle: all pairs */

/* The solid angle of a face seen from p, over 4 pi; positive from behind. */
static double solid_angle(const double *p, const double *a, const double *b, const double *c) {
  double u[3], v[3], w[3], n[3];
  vec3_sub(a, p, u), vec3_sub(b, p, v), vec3_sub(c, p, w), vec3_cross(v, w, n);
  const double lu = vec3_length(u), lv = vec3_length(v), lw = vec3_length(w);
  return atan2(vec3_dot(u, n), lu * lv * lw + vec3_dot(u, v) * lw + vec3_dot(v, w) * lu + vec3_dot(w, u) * lv) /
         (2 * M_PI);
}

typedef struct known_penetration {
  bool is_inside, is_own;
  double depth; /* distance to the closest face that faces the node's own surface; without one, to the closest face */
} known_penetration;

/* The direction of the normal of the node's own surface, and the length of its longest edge. */
static void outward_of(const scene *s, ipg_id node, double outward[3], double *longest) {
  for (int k = 0; k < 3; ++k) outward[k] = 0;
  *longest = 0;
  for (int64_t f = 0; f < s->surface.surface.face_count; ++f) {
    const ipg_id *corner = s->surface.surface.faces + 3 * f;
    double normal[3];
    if (corner[0] != node && corner[1] != node && corner[2] != node) continue;
    vec3_normal(s->x + 3 * (int64_t)corner[0], s->x + 3 * (int64_t)corner[1], s->x + 3 * (int64_t)corner[2], normal);
    vec3_add_scaled(outward, 1, normal, outward);
    for (int k = 0; k < 3; ++k)
      *longest = fmax(*longest, vec3_distance(s->x + 3 * (int64_t)corner[k], s->x + 3 * (int64_t)node));
  }
}

static known_penetration known(const scene *s, ipg_id node, int32_t body, double size) {
  const ipg_surface *surface = &s->surface.surface;
  double angle = 0, on_surface = INFINITY, nearest = INFINITY, facing = INFINITY, outward[3], longest;
  known_penetration k = {0};
  outward_of(s, node, outward, &longest);
  for (ipg_id f = 0; f < surface->face_count; ++f) {
    const ipg_id *corner = surface->faces + 3 * (int64_t)f;
    if (surface->face_bodies[f] != body) continue;
    if (corner[0] == node || corner[1] == node || corner[2] == node) {
      k.is_own = true;
      continue;
    }
    const closest_point at = closest_point_of(surface, s->x, node, f);
    on_surface = fmin(on_surface, at.distance);
    if (!is_own_face(surface, node, f)) {
      nearest = fmin(nearest, at.distance);
      if (vec3_dot(outward, at.normal) < -.25 * vec3_length(outward) && -at.height > .25 * at.distance)
        facing = fmin(facing, at.distance);
    }
    angle += solid_angle(s->x + 3 * (int64_t)node, s->x + 3 * (int64_t)corner[0], s->x + 3 * (int64_t)corner[1],
                         s->x + 3 * (int64_t)corner[2]);
  }
  k.is_inside = angle > (k.is_own ? 1.001 : .99) && on_surface > 1e-10 * size;
  k.depth = facing < INFINITY && (k.is_own || facing <= longest * (1 + .5e-10)) ? facing : nearest;
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

/* The distance from the node to the point of the face that the weights give. */
static double distance_to_point(const scene *s, const ipg_contact_initial_penetration *p) {
  const ipg_id *corner = s->surface.surface.faces + 3 * (int64_t)p->face;
  double to_point[3] = {0}, to_corner[3];
  for (int k = 0; k < 3; ++k) {
    vec3_sub(s->x + 3 * (int64_t)corner[k], s->x + 3 * (int64_t)p->node, to_corner);
    vec3_add_scaled(to_point, p->weights[k], to_corner, to_point);
  }
  return vec3_length(to_point);
}

typedef struct tally {
  int64_t penetrations, own, scenes;
} tally;

static void check_scene(const scene *s, long number, tally *sum) {
  const ipg_surface *surface = &s->surface.surface;
  ipg_contact *contact = scene_contact(s, NULL);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count, at = 0, wrong = 0;
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  for (ipg_id node = 0; node < surface->node_count; ++node)
    for (int32_t body = 0; body < surface_body_count(surface); ++body) {
      const known_penetration k = known(s, node, body, size_of_body(s, body));
      const bool is_found = at < count && found[at].node == node && surface->face_bodies[found[at].face] == body;
      wrong += is_found != k.is_inside;
      if (is_found) wrong += fabs(found[at].depth - k.depth) > 1e-10 * k.depth;
      if (is_found) wrong += fabs(distance_to_point(s, &found[at]) - found[at].depth) > 1e-12 * found[at].depth;
      at += is_found, sum->own += is_found && k.is_own;
    }
  CU_ASSERT_EQUAL(at, count);
  CU_ASSERT_EQUAL(wrong, 0);
  if (wrong || at != count) printf("\n    scene %ld: %lld wrong", number, (long long)wrong);
  sum->penetrations += count, sum->scenes += count > 0;
  ipg_contact_destroy(&contact);
}

/* Bodies that penetrate each other at random. Two scenes of three lie on a coarse grid: planes, edges and nodes of one
 * body lie in those of another, and rays go through edges; where the grid is rotated about x, rays along x run within
 * faces but for rounding. */
static void make_random_bodies(scene *s, rng *r, int bodies) {
  enum { FREE, ON_GRID, ON_ROTATED_GRID };
  const int kind = rng_int(r, FREE, ON_ROTATED_GRID);
  const double angle = kind == ON_ROTATED_GRID ? rng_between(r, 0, 3) : 0;
  ipg_mesh meshes[SCENE_BODIES];
  for (int b = 0; b < bodies; ++b) {
    double rotation[3][3] = {{1, 0, 0}, {0, cos(angle), -sin(angle)}, {0, sin(angle), cos(angle)}}, centre[3],
           corner[3];
    const int n = rng_int(r, 1, 3);
    char name[2] = {(char)('a' + b), 0};
    for (int k = 0; k < 3; ++k) centre[k] = kind ? 0 : rng_between(r, 0, .5), corner[k] = .125 * rng_int(r, 0, 4);
    if (kind == FREE) meshes[b] = random_body(r, name, 3), random_rotation(r, rotation);
    else
      meshes[b] = scene_box(corner[0], corner[1], corner[2], corner[0] + .25 * n, corner[1] + .5,
                            corner[2] + .25 * rng_int(r, 1, 3), n, 2, rng_int(r, 1, 3), name);
    transform_mesh(&meshes[b], rotation, centre, 1);
  }
  scene_make(s, meshes, bodies, 1);
}

static void test_against_all_pairs(void) {
  const long scenes = suite_is_quick() ? 60 : 600;
  tally sum = {0};
  for (long i = 0; i < scenes; ++i) {
    rng r = rng_start(9000 + (uint64_t)i);
    scene s;
    make_random_bodies(&s, &r, rng_int(&r, 2, 5));
    check_scene(&s, i, &sum);
    scene_free(&s);
  }
  printf("\n    %lld initial penetrations in %lld of %ld scenes", (long long)sum.penetrations, (long long)sum.scenes,
         scenes);
  CU_ASSERT(sum.scenes > scenes / 2);
}

/* A strip rolled up by about one turn, so that its end may penetrate its beginning, and rotated at random. */
static void make_curl(scene *s, rng *r) {
  const double radius = rng_between(r, .3, .6), thickness = rng_between(r, .05, .2), turns = rng_between(r, .7, 1.4);
  const double pitch = rng_between(r, 0, .3) * thickness;
  ipg_mesh meshes[] = {scene_box(0, 0, 0, 1, thickness, .3, rng_int(r, 12, 30), rng_int(r, 1, 2), 2, "curl")};
  double rotation[3][3];
  random_rotation(r, rotation);
  for (int64_t i = 0; i < meshes[0].node_count; ++i) {
    double *x = meshes[0].x + 3 * i;
    const double angle = 2 * M_PI * turns * x[0], at = radius + x[1] + pitch * x[0];
    x[0] = at * sin(angle), x[1] = at * cos(angle);
  }
  transform_mesh(&meshes[0], rotation, (double[]){0, 0, 0}, 1);
  scene_make(s, meshes, 1, 1);
}

/* A bar with a narrow notch, rotated at random: from the bottom of the notch most directions lead into the bar. */
static void make_notch(scene *s, rng *r) {
  ipg_mesh meshes[] = {scene_box(-.1, 0, 0, .1, .3, 1, 2, 2, 5, "bar")};
  const double left = rng_between(r, .1, .5);
  double rotation[3][3];
  random_rotation(r, rotation);
  for (int64_t i = 0; i < meshes[0].node_count; ++i)
    if (fabs(meshes[0].x[3 * i]) < .05) meshes[0].x[3 * i + 2] *= left;
  transform_mesh(&meshes[0], rotation, (double[]){0, 0, 0}, 1);
  scene_make(s, meshes, 1, 1);
}

static void test_notches(void) {
  tally sum = {0};
  for (long i = 0; i < 50; ++i) {
    rng r = rng_start(12000 + (uint64_t)i);
    scene s;
    make_notch(&s, &r);
    check_scene(&s, i, &sum);
    scene_free(&s);
  }
  CU_ASSERT_EQUAL(sum.penetrations, 0);
}

static void test_self_penetration(void) {
  const long scenes = suite_is_quick() ? 10 : 100;
  tally sum = {0};
  for (long i = 0; i < scenes; ++i) {
    rng r = rng_start(11000 + (uint64_t)i);
    scene s;
    make_curl(&s, &r);
    check_scene(&s, i, &sum);
    scene_free(&s);
  }
  printf("\n    %lld initial penetrations in %lld scenes", (long long)sum.own, (long long)sum.scenes);
  CU_ASSERT(sum.own > scenes && sum.own == sum.penetrations);
}

/* ----------------------------------------------------------------------------------------------- known penetrations */

/* A block that penetrates a plate by `deep`. */
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
  double depth_error = 0, place_error = 0;
  CU_ASSERT_EQUAL_FATAL(count, 9);
  for (int64_t i = 0; i < count; ++i) {
    const double *p = s.x + 3 * (int64_t)found[i].node;
    double point[3] = {0};
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k)
        point[k] += found[i].weights[c] * s.x[3 * (int64_t)s.surface.surface.faces[3 * found[i].face + c] + k];
    CU_ASSERT(s.body_of_node[found[i].node] == 1 && s.surface.surface.face_bodies[found[i].face] == 0);
    depth_error = suite_worst(depth_error, found[i].depth - .05);
    CU_ASSERT_DOUBLE_EQUAL(p[2], -.05, 0);
    for (int k = 0; k < 3; ++k) place_error = suite_worst(place_error, point[k] - (k == 2 ? 0 : p[k]));
    CU_ASSERT(i == 0 || found[i].node > found[i - 1].node);
  }
  suite_gate("overlapped at the start: depth that is reported", depth_error, 1e-15);
  suite_gate("overlapped at the start: place that is reported", place_error, 1e-15);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static int64_t count_penetrations(const scene *s, const ipg_contact_config *config) {
  ipg_contact *contact = scene_contact(s, config);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count;
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  ipg_contact_destroy(&contact);
  return count;
}

/* Faces on faces, of meshes that match or do not, with and without rotation: no initial penetration. */
static void test_touching(void) {
  for (int trial = 0; trial < 40; ++trial) {
    const int n = trial % 4 + 1;
    rng r = rng_start(300 + (uint64_t)trial);
    double rotation[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 4, 4, 2, "below"),
                         scene_box(-1, -1, 0, 1, 1, 1, n, 2, 1, "above"),
                         scene_box(1, -1, -.5, 2, .3, .7, n, n, 2, "beside")};
    scene s;
    if (trial % 2) random_rotation(&r, rotation);
    for (int b = 0; b < 3; ++b) transform_mesh(&meshes[b], rotation, (double[]){.3, .1, .2}, 1);
    scene_make(&s, meshes, 3, 1);
    CU_ASSERT_EQUAL(count_penetrations(&s, NULL), 0);
    scene_free(&s);
  }
}

/* A body and a small box, the probe, to be moved so that its first node is at some point. */
typedef struct probing {
  scene s;
  ipg_contact *contact;
  ipg_id first; /* node of the probe */
} probing;

static void make_probing(probing *p, ipg_mesh around) {
  ipg_mesh meshes[] = {around, scene_box(0, 0, 0, .01, .01, .01, 1, 1, 1, "probe")};
  scene_make(&p->s, meshes, 2, 1);
  p->contact = scene_contact(&p->s, NULL);
  p->first = 0;
  while (p->s.body_of_node[p->first] != 1) ++p->first;
  memcpy(p->s.trial, p->s.x, 3 * (size_t)p->s.surface.surface.node_count * sizeof *p->s.x);
}

/* True if the first node of the probe is found to be inside at x. */
static bool is_inside_at(probing *p, const double x[3]) {
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t count;
  bool is_found = false;
  for (int64_t i = p->first; i < p->s.surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) p->s.trial[3 * i + k] = p->s.x[3 * i + k] - p->s.x[3 * (int64_t)p->first + k] + x[k];
  CU_ASSERT_FATAL(!ipg_contact_set_positions(p->contact, ipg_contact_get_time(p->contact), p->s.trial, &error));
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(p->contact, &found, &count, &error));
  for (int64_t i = 0; i < count; ++i) is_found |= found[i].node == p->first;
  return is_found;
}

static void free_probing(probing *p) {
  ipg_contact_destroy(&p->contact);
  scene_free(&p->s);
}

static double moved_by_ulps(double x, int ulps) {
  for (int i = 0; i < abs(ulps); ++i) x = nextafter(x, ulps > 0 ? INFINITY : -INFINITY);
  return x;
}

/* Rays along x pass each node of a ball by a few units in the last place, on all of its sides. */
static void test_rays_past_nodes(void) {
  probing p;
  int64_t wrong = 0, tried = 0;
  make_probing(&p, scene_ball(0, 0, 0, 1, suite_is_quick() ? 3 : 5, "ball"));
  for (int64_t n = 0; n < p.first; ++n)
    for (int i = 0; i < 25; ++i) {
      const double *at = p.s.x + 3 * n, x[3] = {0, moved_by_ulps(at[1], i % 5 - 2), moved_by_ulps(at[2], i / 5 - 2)};
      if (at[1] * at[1] + at[2] * at[2] > .7) continue;
      ++tried, wrong += !is_inside_at(&p, x);
    }
  CU_ASSERT(tried > 500 && wrong == 0);
  free_probing(&p);
}

/* The corner body is rotated about x. Rays along x leave it at the inner edge and then run within the floor, but for
 * rounding: on which side of those faces they start is left open. */
static void test_rays_within_faces(void) {
  int64_t wrong = 0;
  for (int i = 0; i < 60; ++i) {
    ipg_mesh corner = scene_corner();
    const double co = cos(.1 * i), si = sin(.1 * i);
    for (int64_t n = 0; n < corner.node_count; ++n) {
      double *x = corner.x + 3 * n;
      const double y = x[1], z = x[2];
      x[1] = co * y - si * z, x[2] = si * y + co * z;
      if (x[0] > .5) x[2] = moved_by_ulps(x[2], (int)(n + i) % 5 - 2);
    }
    probing p;
    make_probing(&p, corner);
    for (int k = 0; k < 45; ++k) {
      const double y = .2 * (k / 5) - .83;
      wrong += !is_inside_at(&p, (double[3]){-.5, moved_by_ulps(co * y, k % 5 - 2), si * y});
    }
    free_probing(&p);
  }
  CU_ASSERT_EQUAL(wrong, 0);
}

/* Of two faces at an inner edge that are equally close, the one that the node is deepest behind is the way out. */
static void test_deeper_of_equal_faces(void) {
  for (int steep = 0; steep < 2; ++steep) {
    const double x = steep ? -.2 : -.1, z = steep ? -.1 : -.2;
    ipg_mesh meshes[] = {scene_corner(), scene_box(x, .2, z, x + .8, .7, z + .8, 1, 1, 1, "block")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    ipg_contact *contact = scene_contact(&s, NULL);
    const ipg_contact_initial_penetration *found;
    ipg_error error = {0};
    int64_t count, lowest = 0;
    CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
    for (int64_t i = 0; i < count; ++i) {
      const double *p = s.x + 3 * (int64_t)found[i].node;
      if (s.body_of_node[found[i].node] != 1 || p[0] > 0 || p[2] > 0) continue;
      const ipg_id *corner = s.surface.surface.faces + 3 * (int64_t)found[i].face;
      double normal[3];
      vec3_normal(s.x + 3 * (int64_t)corner[0], s.x + 3 * (int64_t)corner[1], s.x + 3 * (int64_t)corner[2], normal);
      CU_ASSERT(steep ? normal[0] > 0 && normal[2] == 0 : normal[2] > 0 && normal[0] == 0);
      CU_ASSERT_DOUBLE_EQUAL(found[i].depth, sqrt(.05), 1e-12);
      ++lowest;
    }
    CU_ASSERT_EQUAL(lowest, 2);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
}

static void test_rules(void) {
  scene s;
  make_block_in_plate(&s, .05);
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = weak_contact();
  config.rules = &rule, config.rule_count = 1;
  rule.from = 7; /* contact is on later: still an initial penetration */
  CU_ASSERT_EQUAL(count_penetrations(&s, &config), 9);
  rule.off = true;
  CU_ASSERT_EQUAL(count_penetrations(&s, &config), 0);
  scene_free(&s);
}

/* Threads, search methods, lengths in other powers of two. */
static void test_same_bits(void) {
  scene s;
  rng r = rng_start(5);
  make_random_bodies(&s, &r, 12);
  ipg_pool *pool = NULL;
  ipg_error error = {0};
  const ipg_contact_initial_penetration *a, *b;
  int64_t count[2];
  ipg_contact_config config = weak_contact();
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

static void ignore_penetrations(ipg_contact *contact) {
  ipg_error error = {0};
  CU_ASSERT_FATAL(!ipg_contact_ignore_initial_penetrations(contact, &error));
}

static void press_block(scene *s, ipg_contact *contact, double by, int64_t step) {
  ipg_error error = {0};
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i)
    for (int k = 0; k < 3; ++k) s->trial[3 * i + k] = s->x[3 * i + k] - (k == 2 && s->body_of_node[i] == 1 ? by : 0);
  CU_ASSERT_FATAL(!evaluate_after(contact, .1, s->trial, NULL, s->force, &error));
  CU_ASSERT_FATAL(!ipg_contact_accept(contact, step, &error));
}

static double force_on_block(const scene *s) {
  double sum = 0;
  for (int64_t i = 0; i < s->surface.surface.node_count; ++i) sum += s->body_of_node[i] ? s->force[3 * i + 2] : 0;
  return sum;
}

static bool has_no_force(const scene *s) {
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i)
    if (s->force[i] != 0) return false;
  return true;
}

/* Forces of a block that has masses of 1 and these steps move. */
static ipg_contact_config strong_contact(void) {
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step = .1, config.onset = .005;
  return config;
}

/* Left alone, penetration is resisted as any other. Ignored, it has no force; deeper, the force is that of the
 * additional depth. As the block moves out it loses that much of the offset for good; once it has left, contact starts
 * at the surface. */
static void test_ignored_block(void) {
  scene s;
  make_block_in_plate(&s, .05);
  const ipg_contact_config config = strong_contact();
  ipg_contact *contact = scene_contact(&s, &config);
  int64_t count, step = 0;
  press_block(&s, contact, -.03, ++step);
  const double shallow = force_on_block(&s); /* .02 deep */
  press_block(&s, contact, -.04, ++step);
  const double least = force_on_block(&s);
  CU_ASSERT(least > 0 && shallow > 1.5 * least);
  CU_ASSERT_EQUAL(ipg_contact_get_counters(contact).contacts, 0); /* these nodes did not come in */
  ipg_contact_destroy(&contact);
  contact = scene_contact(&s, &config);
  ignore_penetrations(contact);
  ignore_penetrations(contact); /* once is enough */
  step = 0;
  press_block(&s, contact, 0, ++step);
  CU_ASSERT(has_no_force(&s));
  ipg_contact_pairs(contact, &count);
  CU_ASSERT_EQUAL_FATAL(count, 9);
  press_block(&s, contact, .02, ++step);
  CU_ASSERT_DOUBLE_EQUAL(force_on_block(&s), shallow, 1e-12 * shallow);
  press_block(&s, contact, -.03, ++step);
  CU_ASSERT(has_no_force(&s));
  press_block(&s, contact, -.01, ++step);
  CU_ASSERT_DOUBLE_EQUAL(force_on_block(&s), shallow, 1e-12 * shallow);
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).deactivations, 0);
  press_block(&s, contact, -.06, ++step);
  CU_ASSERT(has_no_force(&s));
  CU_ASSERT_EQUAL(ipg_contact_get_energy_balance(contact).deactivations, 9);
  press_block(&s, contact, -.04, ++step);
  CU_ASSERT_DOUBLE_EQUAL(force_on_block(&s), least, 1e-12 * least);
  const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
  CU_ASSERT(l.activations == 18 && l.activations - l.deactivations == ipg_contact_get_counters(contact).contacts);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

static double largest_force(const scene *s) {
  double largest = 0;
  for (int64_t i = 0; i < 3 * s->surface.surface.node_count; ++i) largest = suite_worst(largest, s->force[i]);
  return largest;
}

/* Random bodies: no force where nothing has moved, but for rounding of the force that there is otherwise. */
static void test_ignored_random_bodies(void) {
  int64_t ignored = 0, kept = 0;
  double worst = 0;
  for (int i = 0; i < (suite_is_quick() ? 20 : 200); ++i) {
    rng r = rng_start(13000 + (uint64_t)i);
    scene s;
    make_random_bodies(&s, &r, rng_int(&r, 2, 4));
    ipg_contact *contact = scene_contact(&s, NULL);
    ipg_contact_audit_report report;
    ipg_error error = {0};
    const int64_t count = count_penetrations(&s, NULL);
    CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.x, NULL, s.force, &error));
    const double left_alone = largest_force(&s);
    ignore_penetrations(contact);
    CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.x, NULL, s.force, &error));
    CU_ASSERT_FATAL(!ipg_contact_audit(contact, &report, &error));
    CU_ASSERT(report.wrong_contacts == 0 && report.missed_candidates == 0 && report.wrong_forces == 0);
    if (left_alone > 0) worst = suite_worst(worst, largest_force(&s) / left_alone);
    else CU_ASSERT(has_no_force(&s));
    ignored += count, kept += ipg_contact_get_counters(contact).contacts;
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  printf("\n    %lld of %lld initial penetrations are contacts after the first step", (long long)kept,
         (long long)ignored);
  CU_ASSERT(kept > .95 * (double)ignored);
  suite_gate("initial penetration ignored: force at t = 0, of that where it is left alone", worst, 1e-12);
}

/* With the velocities at the middles of the steps before and after. */
static double kinetic_energy(const scene *s, double before[2][3]) {
  double sum = 0;
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 3; ++k) sum += .5 * s->body_mass[b] * before[b][k] * s->velocity[b][k];
  return sum;
}

/* The block moves deeper into the plate, bounces, and leaves: the energy balance closes all the time, and an elastic
 * bounce gives the kinetic energy back. */
static void test_ignored_bounce(void) {
  double open = 0, lost = 0, after = 0;
  for (int law = 0; law < 3; ++law) {
    scene s;
    make_block_in_plate(&s, .05);
    ipg_contact_config config = ipg_contact_defaults();
    config.reference_step = 2e-3;
    if (law == 1) config.law = (ipg_contact_law){.3, .3, 0, 0};
    if (law == 2) config.law = (ipg_contact_law){.3, .2, 0, .2};
    ipg_contact *contact = scene_contact(&s, &config);
    s.velocity[1][2] = -1, s.velocity[1][0] = law ? .2 : 0;
    const double before = kinetic_energy(&s, s.velocity);
    double worst = 0, velocity[2][3];
    int64_t step = 0;
    ignore_penetrations(contact);
    while (ipg_contact_last_step(contact) < 1 || ipg_contact_get_counters(contact).contacts) {
      memcpy(velocity, s.velocity, sizeof velocity);
      CU_ASSERT_FATAL(scene_step(&s, contact, 2e-4, ++step) && step < 20000);
      const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
      const double now = kinetic_energy(&s, velocity) + l.contact_energy + l.friction_dissipation +
                         l.damping_dissipation + l.spring_net_loss;
      worst = suite_worst(worst, (now - before) / before);
    }
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    open = suite_worst(open, worst), lost = suite_worst(lost, l.spring_net_loss / before);
    CU_ASSERT(l.activations == 9 && l.deactivations == 9 && l.smallest_gap < 0);
    if (!law) after = kinetic_energy(&s, s.velocity) / before - 1;
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("initial penetration ignored, a bounce, three laws: error of the energy balance", open, .01);
  suite_gate("initial penetration ignored, a bounce, three laws: spring_net_loss", lost, .005);
  suite_gate("initial penetration ignored, a bounce without friction: energy after", after, .005);
}

/* Nodes of the floor in the planes of the block's sides are beside it: at the depth of the start there is no force. The
 * faces that it slides over later have no offset, so half of the depth presses: a known fault. It makes no energy. */
static void test_ignored_flush_block(void) {
  const double velocities[3][3] = {{0, 0, 0}, {0, 0, -1}, {1, 0, 0}};
  double gain = -INFINITY, normal[3] = {0}, bounce = 0;
  for (int i = 0; i < 3; ++i) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -.5, 2, 1, 0, 12, 8, 2, "floor"),
                         scene_box(-.5, -.5, -.06, .5, .5, .4, 4, 4, 2, "block")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    memcpy(s.velocity[1], velocities[i], sizeof velocities[i]);
    ipg_contact_config config = ipg_contact_defaults();
    config.reference_step = 2e-3;
    ipg_contact *contact = scene_contact(&s, &config);
    const double before = kinetic_energy(&s, s.velocity);
    ignore_penetrations(contact);
    for (int64_t step = 1; step <= 600; ++step) CU_ASSERT_FATAL(scene_step(&s, contact, 1e-3, step));
    const ipg_contact_energy_balance l = ipg_contact_get_energy_balance(contact);
    const double after = kinetic_energy(&s, s.velocity);
    CU_ASSERT(l.spring_net_loss >= -.01 * before && (before > 0 || after <= 0));
    CU_ASSERT(l.activations > 0);
    if (before > 0) gain = suite_highest(gain, after / before - 1);
    if (i == 1) bounce = s.velocity[1][2] - s.velocity[0][2] - 1;
    else normal[i] = suite_worst(s.velocity[1][2], s.velocity[0][2]);
    ipg_contact_destroy(&contact);
    scene_free(&s);
  }
  suite_gate("block that penetrates a floor at the start, hit at speed 1: relative speed after", bounce, .01);
  suite_gate_above("block that penetrates a floor at the start, hit or sliding: energy gained", gain, .005);
  suite_gate("block that penetrates a floor at the start, at rest: normal speed", normal[0], 1e-6);
  suite_expect_missed("block that penetrates a floor at the start, sliding: normal speed", normal[2], 1e-6, .4);
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
    const ipg_contact_initial_penetration first = found[0];
    if (ignored) ignore_penetrations(contact);
    press_block(&s, contact, .01, 1);
    CU_ASSERT_FATAL(!evaluate_after(contact, .1, s.trial, NULL, s.force, &error));
    const ipg_contact_face_id at = {surface->face_elements[first.face], surface->face_sides[first.face],
                                    surface->face_subs[first.face]};
    CU_ASSERT_FATAL(!ipg_contact_explain(contact, surface->node_gids[first.node], at, &e, &error));
    CU_ASSERT_EQUAL(e.reason, ignored ? IPG_REASON_IN_CONTACT : IPG_REASON_INSIDE);
    CU_ASSERT(has_word(e.sentence,
                       ignored ? "0.01 deep beyond an initial penetration of 0.05" : "0.06 deep, before the step"));
    CU_ASSERT(ignored || has_word(e.sentence, "ask with two faces what presses"));
    CU_ASSERT(strlen(e.sentence) + 1 < sizeof e.sentence);
    ipg_contact_destroy(&contact);
  }
  scene_free(&s);
}

/* Without initial penetration, ignoring and removing change no bit of a run. */
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
    if (what == 1) ignore_penetrations(contact);
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

/* The sum of mass times shift over that of the magnitudes, the worst of all removals. */
static double worst_shift;

/* Removes, checks what must hold, and sets s->x to the new positions; returns by how much a node moved at most. */
static double remove_all(scene *s, double least, double most) {
  const ipg_surface *surface = &s->surface.surface;
  ipg_contact *contact = scene_contact(s, NULL);
  const ipg_contact_initial_penetration *found;
  ipg_error error = {0};
  int64_t moved, count, differ = 0;
  double farthest, sum[3] = {0}, size = 0;
  CU_ASSERT_FATAL(!ipg_contact_remove_initial_penetrations(contact, s->trial, &moved, &farthest, &error));
  for (int64_t i = 0; i < surface->node_count; ++i) {
    double shift2 = 0;
    for (int k = 0; k < 3; ++k) {
      const double shift = s->trial[3 * i + k] - s->x[3 * i + k], m = surface->node_masses[i];
      sum[k] += m * shift, size += m * fabs(shift), shift2 += shift * shift;
    }
    differ += shift2 > 0;
    CU_ASSERT(sqrt(shift2) <= farthest * (1 + 1e-12));
  }
  for (int k = 0; k < 3; ++k) worst_shift = suite_worst(worst_shift, sum[k] / size);
  CU_ASSERT(differ == moved && moved > 0);
  CU_ASSERT(farthest >= least && farthest <= most);
  CU_ASSERT_FATAL(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error));
  CU_ASSERT_EQUAL(count, 0);
  memcpy(s->x, s->trial, 3 * (size_t)surface->node_count * sizeof *s->x);
  CU_ASSERT_EQUAL(count_penetrations(s, NULL), 0);
  ipg_contact_destroy(&contact);
  return farthest;
}

static void set_node_mass(scene *s, int32_t body, double mass) {
  const ipg_surface *surface = &s->surface.surface;
  for (int64_t i = 0; i < surface->node_count; ++i)
    if (s->body_of_node[i] == body) ((double *)surface->node_masses)[i] = mass;
}

/* Two equal faces, node on node: each moves by half of the depth, or in proportion to the other's mass. */
static void test_remove_boxes(void) {
  for (int heavy = 0; heavy < 2; ++heavy) {
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, .01, 4, 4, 2, "below"),
                         scene_box(-.8, -.8, -.01, .8, .8, 1, 4, 4, 2, "above")};
    scene s;
    scene_make(&s, meshes, 2, 1);
    if (heavy) set_node_mass(&s, 0, 4);
    remove_all(&s, .005, heavy ? .0201 : .02);
    for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
      if (heavy && s.body_of_node[i] == 0) CU_ASSERT(fabs(s.x[3 * i + 2] - rint(2 * s.x[3 * i + 2]) / 2) <= .0101);
    scene_free(&s);
  }
}

static void test_remove_balls_in_box(void) {
  for (int trial = 0; trial < (suite_is_quick() ? 4 : 20); ++trial) {
    rng r = rng_start(700 + (uint64_t)trial);
    const double deep = rng_between(&r, .005, .03), shift = rng_between(&r, -.2, .2);
    ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 8, 8, 4, "box"),
                         scene_ball(-.4 + shift, shift, .3 - deep, .3, 4, "left"),
                         scene_ball(.2 - deep + shift, shift, .3 - deep, .3, 5, "right")};
    scene s;
    scene_make(&s, meshes, 3, 1);
    set_node_mass(&s, 1, rng_between(&r, .1, 10));
    set_node_mass(&s, 2, rng_between(&r, .1, 10));
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
    double rotation[3][3];
    meshes[b] = b % 2 ? scene_ball(0, 0, 0, .51, 3, name) : scene_box(-.51, -.51, -.51, .51, .51, .51, 3, 3, 3, name);
    random_rotation(&r, rotation);
    if (b % 2 == 0) memset(rotation, 0, sizeof rotation), rotation[0][0] = rotation[1][1] = rotation[2][2] = 1;
    transform_mesh(&meshes[b], rotation, (double[]){b % 4, b / 4 % 2, b / 8}, 1);
  }
  scene_make(&s, meshes, SCENE_BODIES, 1);
  for (int b = 0; b < SCENE_BODIES; ++b) set_node_mass(&s, b, pow(10, rng_between(&r, -1, 1)));
  CU_ASSERT(count_penetrations(&s, NULL) > 20);
  remove_all(&s, 1e-3, .06);
  suite_gate("initial penetration removed: sum of m dx", worst_shift, 1e-12);
  scene_free(&s);
}

/* A pin that is turned so that one of its corners is lowest. */
static ipg_mesh pin_on_its_corner(double x, double y, double z, const char *name) {
  ipg_mesh mesh = scene_box(0, 0, 0, .3, .3, .6, 1, 1, 1, name);
  for (int64_t i = 0; i < mesh.node_count; ++i) {
    double *p = mesh.x + 3 * i;
    p[2] += z + p[0] + p[1], p[0] += x, p[1] += y;
  }
  return mesh;
}

/* Of two heavy pins in one light face the deep one parts the face from both: the other one, and nothing else, moves. */
static void test_parted_once(void) {
  ipg_mesh meshes[] = {scene_box(-1, -1, -1, 1, 1, 0, 1, 1, 1, "plate"), pin_on_its_corner(.5, -.3, -.1, "deep"),
                       pin_on_its_corner(.1, -.35, -.02, "shallow")};
  scene s;
  scene_make(&s, meshes, 3, 1);
  set_node_mass(&s, 0, 1e-6);
  CU_ASSERT_EQUAL(count_penetrations(&s, NULL), 2);
  ipg_contact *contact = scene_contact(&s, NULL);
  ipg_error error = {0};
  int64_t moved;
  double farthest;
  CU_ASSERT_FATAL(!ipg_contact_remove_initial_penetrations(contact, s.trial, &moved, &farthest, &error));
  CU_ASSERT_EQUAL(moved, 4);
  for (int64_t i = 0; i < s.surface.surface.node_count; ++i)
    if (s.body_of_node[i] == 2) CU_ASSERT(!memcmp(s.trial + 3 * i, s.x + 3 * i, 3 * sizeof *s.x));
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A bar whose ends are in two bodies is not enclosed by either. */
static void test_between_two_bodies(void) {
  ipg_mesh meshes[] = {scene_box(-2, -1, -1, -.1, 1, 1, 2, 2, 2, "left"),
                       scene_box(.1, -1, -1, 2, 1, 1, 2, 2, 2, "right"),
                       scene_box(-.14, .3, .3, .14, .5, .5, 1, 1, 1, "bar")};
  scene s;
  scene_make(&s, meshes, 3, 1);
  CU_ASSERT_EQUAL(count_penetrations(&s, NULL), 8);
  remove_all(&s, .01, .05);
  scene_free(&s);
}

/* No node is moved, and the message names the reason. */
static void check_not_removed(ipg_mesh meshes[2], const char *words, int64_t penetrations) {
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
  CU_ASSERT_EQUAL(count, penetrations);
  ipg_contact_destroy(&contact);
  scene_free(&s);
}

/* A body inside another, far from its surface or not; and one that is too deep. */
static void test_not_removable(void) {
  ipg_mesh far[] = {scene_box(-1, -1, -1, 1, 1, 1, 6, 6, 6, "around"),
                    scene_box(-.2, -.2, -.2, .2, .2, .2, 2, 2, 2, "within")};
  ipg_mesh near[] = {scene_box(-1, -1, -1, 1, 1, 1, 2, 2, 2, "around"),
                     scene_box(-.2, -.2, -.2, .2, .2, .2, 1, 1, 1, "within")};
  ipg_mesh deep[] = {scene_box(-1, -1, -1, 1, 1, 1, 6, 6, 6, "below"),
                     scene_box(-.2, -.2, .4, .2, .2, 1.4, 1, 1, 4, "above")};
  check_not_removed(far, "wholly within another", 26);
  check_not_removed(near, "wholly within another", 8);
  check_not_removed(deep, "13 initial penetrations cannot be removed by moving nodes", 13);
}

/* --------------------------------------------------------------------------------------------------------- memory */

static void test_failing_allocations(void) {
  scene s;
  make_block_in_plate(&s, .05);
  for (int what = 0; what < 3; ++what) {
    bool succeeded = false;
    for (int64_t n = 1; !succeeded && n < 300; ++n) {
      failing_allocator allocator = {0};
      ipg_contact_config config = weak_contact();
      const ipg_contact_initial_penetration *found;
      ipg_error error = {0};
      int64_t count, moved = 0;
      double farthest;
      config.allocator = failing_allocator_of(&allocator);
      ipg_contact *contact = scene_contact(&s, &config);
      allocator.fail_at = allocator.allocations + n;
      const ipg_status status =
          what == 0   ? ipg_contact_find_initial_penetrations(contact, &found, &count, &error)
          : what == 1 ? ipg_contact_ignore_initial_penetrations(contact, &error)
                      : ipg_contact_remove_initial_penetrations(contact, s.trial, &moved, &farthest, &error);
      succeeded = !status;
      CU_ASSERT(succeeded || status == IPG_ERROR_MEMORY);
      if (!succeeded) { /* nothing has changed */
        CU_ASSERT(!ipg_contact_find_initial_penetrations(contact, &found, &count, &error) && count == 9);
        CU_ASSERT((ipg_contact_pairs(contact, &count), count) == 0);
        CU_ASSERT(ipg_contact_get_energy_balance(contact).activations == 0);
        CU_ASSERT(!evaluate_after(contact, .1, s.x, NULL, s.force, &error) && !has_no_force(&s));
        const size_t bytes = 3 * (size_t)s.surface.surface.node_count * sizeof(double);
        CU_ASSERT(what < 2 || (!memcmp(s.trial, s.x, bytes) && moved == 0 && farthest == 0));
      }
      ipg_contact_destroy(&contact);
      CU_ASSERT(allocator.live_bytes == 0 && allocator.wrong_releases == 0);
    }
    CU_ASSERT(succeeded);
  }
  scene_free(&s);
}

/* Tied blocks may penetrate each other. */
static void test_tied_blocks(void) {
  scene s;
  make_block_in_plate(&s, .05);
  ipg_contact_rule rule = ipg_contact_rule_defaults();
  ipg_contact_config config = weak_contact();
  rule.blocks[0] = 0, rule.blocks[1] = 1, rule.tied = true, rule.tie_within = .06;
  config.rules = &rule, config.rule_count = 1;
  CU_ASSERT_EQUAL(count_penetrations(&s, &config), 0);
  scene_free(&s);
}

static void test_no_faces(void) {
  const ipg_gid gids[] = {1, 2};
  const double masses[] = {1, 1}, x[6] = {0};
  const ipg_surface surface = {.node_count = 2, .node_gids = gids, .node_masses = masses};
  const ipg_contact_config config = weak_contact();
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
      {"self-penetration", test_self_penetration},
      {"in a notch", test_notches},
      {"a block in a plate", test_block_in_plate},
      {"touching is no penetration", test_touching},
      {"rules", test_rules},
      {"tied blocks", test_tied_blocks},
      {"rays past nodes", test_rays_past_nodes},
      {"rays within faces", test_rays_within_faces},
      {"the deeper of equal faces", test_deeper_of_equal_faces},
      {"the same bits", test_same_bits},
      {"resistance of an ignored block", test_ignored_block},
      {"ignored random bodies rest", test_ignored_random_bodies},
      {"an ignored block bounces", test_ignored_bounce},
      {"an ignored block flush with nodes beside it", test_ignored_flush_block},
      {"explanations", test_explained},
      {"nothing to do", test_nothing_to_do},
      {"boxes are separated", test_remove_boxes},
      {"what is parted stays", test_parted_once},
      {"between two bodies", test_between_two_bodies},
      {"balls in a box are separated", test_remove_balls_in_box},
      {"many bodies are separated", test_remove_many},
      {"what cannot be separated", test_not_removable},
      {"allocations that fail", test_failing_allocations},
      {"a surface without faces", test_no_faces},
      CU_TEST_INFO_NULL,
  };
  return suite_main(argc, argv, "initial_penetration", tests);
}
