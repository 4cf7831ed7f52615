/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A node that crosses a moving face: against an oracle that does not round, and at shared edges, where no path may pass
 * between two faces. The code may find too many crossings, never too few. */
#include "impinge/narrow.h"
#include "support/exact_crossing.h"
#include "support/random_points.h"
#include "support/suite.h"
#include "support/vec3.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static void face_normal(double f[3][3], double n[3]) { vec3_normal(f[0], f[1], f[2], n); }

/* --------------------------------------------------------------------------------- integer paths against the oracle */

static void integer_point(rng *r, int most, double p[3]) {
  for (int k = 0; k < 3; ++k) p[k] = rng_int(r, -most, most);
}

static void aim_at_face(rng *r, ipg_node_face_path *path) {
  for (int k = 0; k < 3; ++k) {
    const double middle = path->face[0][0][k] + path->face[0][1][k] + path->face[0][2][k] + path->face[1][0][k] +
                          path->face[1][1][k] + path->face[1][2][k];
    path->node[1][k] = round(middle / 3 - path->node[0][k]) + rng_int(r, -1, 1);
    path->node[1][k] = fmin(3, fmax(-3, path->node[1][k]));
  }
}

/* Kinds of paths: any; a fixed face; few different coordinates, so that points coincide; all move together; aimed at
 * the face; from a corner of the face. */
static ipg_node_face_path integer_path(rng *r, long number) {
  const int kind = (int)(number % 6), most = kind == 2 ? 1 : 3;
  ipg_node_face_path path;
  for (int end = 0; end < 2; ++end) {
    integer_point(r, most, path.node[end]);
    for (int i = 0; i < 3; ++i) integer_point(r, most, path.face[end][i]);
  }
  if (kind == 1 || kind == 3) memcpy(path.face[1], path.face[0], sizeof path.face[0]);
  if (kind == 3)
    for (int i = 0; i < 9; ++i) path.face[1][i / 3][i % 3] += (double)(number / 6 % 7 - 3) * (i % 3 == 1);
  if (kind == 4) aim_at_face(r, &path);
  if (kind == 5) memcpy(path.node[0], path.face[0][number / 6 % 3], sizeof path.node[0]);
  return path;
}

static void print_path(const char *what, const ipg_node_face_path *path) {
  printf("\n    %s: node", what);
  for (int end = 0; end < 2; ++end)
    printf(" (%.17g %.17g %.17g)", path->node[end][0], path->node[end][1], path->node[end][2]);
  for (int i = 0; i < 3; ++i) {
    printf(" %c", 'a' + i);
    for (int end = 0; end < 2; ++end)
      printf(" (%.17g %.17g %.17g)", path->face[end][i][0], path->face[end][i][1], path->face[end][i][2]);
  }
}

typedef struct score {
  int64_t paths, entries, on_border, collapses, collapses_not_seen, misses, false_hits, late;
} score;

static bool is_in_step(ipg_crossing at) { return at.earliest >= 0 && at.earliest <= at.latest && at.latest <= 1; }

static void compare_with_exact(const ipg_node_face_path *path, score *s) {
  ipg_crossing at = {-1, -1};
  const bool seen = ipg_node_enters_face(path, &at);
  const exact_crossing exact = find_exact_crossing(path);
  const bool missed = exact.enters && !seen, late = seen && exact.enters && !(at.earliest <= exact.time + 1e-14);
  if ((missed || late) && s->misses + s->late < 5) print_path(missed ? "missed" : "late", path);
  s->paths++;
  s->entries += exact.enters;
  s->on_border += exact.on_border;
  s->collapses += exact.collapses && !exact.enters;
  s->collapses_not_seen += exact.collapses && !exact.enters && !seen;
  s->misses += missed;
  s->late += late || (seen && !is_in_step(at));
  s->false_hits += seen && !exact.enters && !exact.collapses;
}

static void test_integer_paths(void) {
  rng r = rng_start(4);
  score s = {0};
  for (long i = 0; i < 30 * suite_scenes(); ++i) {
    const ipg_node_face_path path = integer_path(&r, i);
    compare_with_exact(&path, &s);
  }
  printf("\n    %lld paths, %lld enter (%lld on a border): %lld missed, %lld late, %lld false", (long long)s.paths,
         (long long)s.entries, (long long)s.on_border, (long long)s.misses, (long long)s.late, (long long)s.false_hits);
  printf("\n    %lld pass the plane as the face collapses, %lld of them not seen ... ", (long long)s.collapses,
         (long long)s.collapses_not_seen);
  CU_ASSERT(s.entries > s.paths / 50 && s.on_border > s.paths / 500);
  suite_gate("node-face crossings of 60,000 integer paths, in exact arithmetic: missed", (double)s.misses, 0);
  CU_ASSERT_EQUAL(s.late, 0);
}

/* Easy cases of the oracle itself. */
static void test_oracle(void) {
  ipg_node_face_path path = {.node = {{1, 1, 1}, {1, 1, -3}},
                             .face = {{{0, 0, 0}, {3, 0, 0}, {0, 3, 0}}, {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}}}};
  exact_crossing answer = find_exact_crossing(&path);
  CU_ASSERT(answer.enters && answer.time == 0.25 && !answer.on_border && !answer.collapses);
  path.node[0][0] = path.node[1][0] = 2;
  answer = find_exact_crossing(&path);
  CU_ASSERT(answer.enters && answer.on_border);
  path.node[0][0] = path.node[1][0] = 3;
  CU_ASSERT(!find_exact_crossing(&path).enters);
  path.node[0][0] = path.node[1][0] = 1, path.node[0][2] = 0;
  answer = find_exact_crossing(&path);
  CU_ASSERT(answer.enters && answer.time == 0);
  path.node[1][2] = 3;
  CU_ASSERT(!find_exact_crossing(&path).enters);
  path.node[0][2] = -1;
  CU_ASSERT(!find_exact_crossing(&path).enters);
  const quartic twice = {{1, -4, 4, 0, 0}}, thrice = {{1, -6, 12, -8, 0}}, third = {{1, -3, 0, 0, 0}};
  CU_ASSERT_EQUAL(find_sign_changes(&twice).count, 0);
  CU_ASSERT_EQUAL(find_sign_changes(&thrice).count, 1);
  const sign_changes at_third = find_sign_changes(&third);
  CU_ASSERT_EQUAL(at_third.count, 1);
  CU_ASSERT_EQUAL(sign_at((quartic){{-1, 3, 0, 0, 0}}, &third, at_third.list[0]), 0);
  CU_ASSERT_EQUAL(sign_at((quartic){{-1, 0, 9, 1, 0}}, &third, at_third.list[0]), 1);
  CU_ASSERT_EQUAL(sign_at((quartic){{-1, 0, 9, 0, -1}}, &third, at_third.list[0]), -1);
}

/* ----------------------------------------------------------------------------------------------------- direct cases */

static ipg_node_face_path over_fixed_face(double x, double y, double from, double to) {
  return (ipg_node_face_path){.node = {{x, y, from}, {x, y, to}},
                              .face = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}};
}

static void expect_entry(const ipg_node_face_path *path, double at) {
  ipg_crossing found = {-1, -1};
  CU_ASSERT(ipg_node_enters_face(path, &found));
  CU_ASSERT(found.earliest <= at && found.earliest >= at - 1e-9 && is_in_step(found));
  CU_ASSERT(found.latest >= at - 4 * DBL_EPSILON && found.latest <= at + 1e-9);
}

static void expect_none(const ipg_node_face_path *path) {
  ipg_crossing found;
  CU_ASSERT(!ipg_node_enters_face(path, &found));
}

static void test_direct_cases(void) {
  ipg_node_face_path path = over_fixed_face(0.2, 0.3, 1, -1);
  expect_entry(&path, 0.5);
  path = over_fixed_face(0.2, 0.3, 10, -30), expect_entry(&path, 0.25); /* fast */
  path = over_fixed_face(0.2, 0.3, 0, -1e-3), expect_entry(&path, 0);   /* from the face */
  path = over_fixed_face(0.2, 0.3, -1e-12, -1), expect_entry(&path, 0); /* from behind it by no more than rounding */
  path = over_fixed_face(0, 0, 1, -1), expect_entry(&path, 0.5);        /* corner */
  path = over_fixed_face(0.5, 0.5, 1, -1), expect_entry(&path, 0.5);    /* edge */
  path = over_fixed_face(0.2, 0.3, 1, 0), expect_none(&path);           /* just arrives */
  path = over_fixed_face(0.2, 0.3, 0, 0), expect_none(&path);           /* rests */
  path = over_fixed_face(0.2, 0.3, -1, 1), expect_none(&path);          /* leaves from the back */
  path = over_fixed_face(0.2, 0.3, 0, 1), expect_none(&path);           /* lifts off */
  path = over_fixed_face(0.2, 0.3, -1e-3, -1), expect_none(&path);      /* is behind and stays */
  path = over_fixed_face(0.2, 0.3, 1e-3, 1), expect_none(&path);
  path = over_fixed_face(0.7, 0.7, 1, -1), expect_none(&path); /* outside */
  path = over_fixed_face(-0.01, 0.5, 1, -1), expect_none(&path);
  path = over_fixed_face(0.2, 0.3, 0, 0), path.node[1][0] = 5, expect_none(&path); /* slides along */
  path = over_fixed_face(0.2, 0.3, 0, 0), path.node[1][0] = 0.4, expect_none(&path);
}

/* The faster the node, in sizes of the face, the wider the interval of the crossing; the exact time stays in it. */
static void test_fast_nodes(void) {
  for (double speed = 1; speed < 1e9; speed *= 10) {
    const ipg_node_face_path path = over_fixed_face(0.2, 0.3, speed, -3 * speed);
    ipg_crossing found;
    CU_ASSERT(ipg_node_enters_face(&path, &found));
    CU_ASSERT(found.earliest <= 0.25 && found.latest >= 0.25 - 4 * DBL_EPSILON && is_in_step(found));
  }
}

/* A node that starts behind the face by 1e-12 of its size counts as being in front; it first approaches the plane of
 * the rotating face from behind, and then the face moves over it: f(t) = -1e-12 + rise t - t^2 / 2. */
static void test_start_behind(void) {
  for (double rise = 1e-16; rise < 1; rise *= 10) {
    const ipg_node_face_path path = {.node = {{0.25, 0.25, -1e-12}, {0.75, 0.25, 0.25 + rise - 1e-12}},
                                     .face = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 1}, {0, 1, 0}}}};
    ipg_crossing found;
    CU_ASSERT(ipg_node_enters_face(&path, &found));
  }
}

/* Both sides of a plate of thickness 1e-6: the far side is left through its back and not entered. */
static void test_thin_plate(void) {
  ipg_node_face_path near_side = over_fixed_face(0.25, 0.25, 10, -10), far_side = near_side;
  for (int end = 0; end < 2; ++end) {
    const double corners[3][3] = {{0, 0, -1e-6}, {0, 1, -1e-6}, {1, 0, -1e-6}};
    memcpy(far_side.face[end], corners, sizeof corners);
  }
  expect_entry(&near_side, 0.5);
  expect_none(&far_side);
}

/* The node is at rest and the face rotates over it; in the reverse motion the face is left. */
static void test_rotating_face(void) {
  ipg_node_face_path path = {.node = {{1, 0, 0.5}, {1, 0, 0.5}},
                             .face = {{{0, -1, 0}, {9, -1, 0}, {0, 9, 0}}, {{0, -1, 0}, {9, -1, 9}, {0, 9, 0}}}};
  ipg_crossing found;
  CU_ASSERT(ipg_node_enters_face(&path, &found));
  CU_ASSERT(found.earliest > 0 && found.latest < 1 && found.earliest <= found.latest);
  const ipg_node_face_path back = {.node = {{1, 0, 0.5}, {1, 0, 0.5}},
                                   .face = {{{0, -1, 0}, {9, -1, 9}, {0, 9, 0}}, {{0, -1, 0}, {9, -1, 0}, {0, 9, 0}}}};
  expect_none(&back);
}

/* Faces without area, coinciding points, coordinates far too large or small: any answer, with times within the step. */
static void test_degenerate_faces(void) {
  rng r = rng_start(5);
  int64_t invalid = 0;
  for (long i = 0; i < suite_scenes(); ++i) {
    ipg_node_face_path path = integer_path(&r, 2);
    const double scale = i % 3 == 0 ? 1 : i % 3 == 1 ? 1e150 : 1e-150;
    memcpy(path.face[0][i % 2], path.face[0][2], sizeof path.face[0][2]);
    if (i % 5) memcpy(path.face[1][i % 2], path.face[1][2], sizeof path.face[1][2]);
    if (i % 7 == 0) memcpy(path.face[0][0], path.face[0][1], sizeof path.face[0][1]);
    for (int k = 0; k < 6; ++k) path.node[k / 3][k % 3] *= scale;
    for (int k = 0; k < 18; ++k) path.face[k / 9][k / 3 % 3][k % 3] *= scale;
    ipg_crossing found;
    if (ipg_node_enters_face(&path, &found)) invalid += !is_in_step(found);
  }
  CU_ASSERT_EQUAL(invalid, 0);
}

/* ----------------------------------------------------------------------------- times of crossings of fixed faces */

/* A node crosses a fixed face of any size, at any point of it, in any direction that is not nearly tangential. */
static bool random_crossing(rng *r, ipg_node_face_path *path) {
  double w[3], q[3], direction[3], n[3];
  const double size = random_power_of_ten(r, -6, 6);
  for (int i = 0; i < 3; ++i) random_point(r, size, path->face[0][i]);
  memcpy(path->face[1], path->face[0], sizeof path->face[0]);
  random_weights(r, w), weighted_point(path->face[0], w, q);
  random_point(r, 3 * size, direction), face_normal(path->face[0], n);
  if (fabs(vec3_dot(direction, n)) < 0.01 * vec3_length(direction) * vec3_length(n) ||
      vec3_length(n) < 1e-3 * size * size)
    return false;
  const double at = rng_unit(r), sign = vec3_dot(direction, n) > 0 ? -1 : 1;
  vec3_add_scaled(q, -sign * at, direction, path->node[0]);
  vec3_add_scaled(q, sign * (1 - at), direction, path->node[1]);
  return true;
}

static long double exact_front(const double p[3], double f[3][3]) {
  long double u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k)
    u[k] = (long double)f[1][k] - f[0][k], v[k] = (long double)f[2][k] - f[0][k], w[k] = (long double)p[k] - f[0][k];
  return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) + w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static void test_crossing_times(void) {
  rng r = rng_start(6);
  int64_t paths = 0, missed = 0, outside = 0, too_wide = 0;
  double worst = 0;
  for (long i = 0; i < 20 * suite_scenes(); ++i) {
    ipg_node_face_path path;
    if (!random_crossing(&r, &path)) continue;
    const long double before = exact_front(path.node[0], path.face[0]), after = exact_front(path.node[1], path.face[0]);
    if (before < 0 || after >= 0) continue;
    const double exact = (double)(before / (before - after));
    ipg_crossing found;
    paths++;
    if (!ipg_node_enters_face(&path, &found)) {
      missed++;
      continue;
    }
    outside += found.earliest > exact + 4 * DBL_EPSILON || found.latest < exact - 4 * DBL_EPSILON;
    too_wide += found.earliest < exact - 1e-9 || found.latest > exact + 1e-9;
    worst = fmax(worst, found.latest - found.earliest);
  }
  printf("\n    %lld crossings, intervals up to %.1e of the step ... ", (long long)paths, worst);
  CU_ASSERT(paths > 10 * suite_scenes());
  CU_ASSERT_EQUAL(missed, 0);
  CU_ASSERT_EQUAL(outside, 0);
  CU_ASSERT_EQUAL(too_wide, 0);
}

/* ---------------------------------------------------------------------------------------- no path between two faces */

/* Two faces that share an edge, and a node that crosses it: how thin the faces may be (power of ten), how flat the
 * angle between them (0: any), how tangential the node's motion (0: any), how far from the origin, and whether corners
 * move. */
typedef struct hinge_kind {
  double thinnest, bend, slope, distance;
  bool moving;
} hinge_kind;

/* The corners at the time of the crossing: a and b of the edge, and the third corner of each face. */
typedef struct hinge {
  double corner[4][3];
} hinge;

static const int hinge_faces[2][3] = {{0, 1, 2}, {1, 0, 3}};

static void hinge_face(const hinge *h, int side, double f[3][3]) {
  for (int i = 0; i < 3; ++i) memcpy(f[i], h->corner[hinge_faces[side][i]], sizeof f[i]);
}

/* Moves the third corner of the second face opposite to that of the first, off its plane by `bend` at most. */
static void flatten_hinge(rng *r, double bend, const double middle[3], hinge *h) {
  double f[3][3], wing[3], n[3];
  hinge_face(h, 0, f), face_normal(f, n);
  vec3_sub(middle, h->corner[2], wing);
  vec3_add_scaled(middle, rng_between(r, 0.5, 1.5), wing, h->corner[3]);
  vec3_add_scaled(h->corner[3], bend * rng_between(r, -1, 1) / vec3_length(n), n, h->corner[3]);
}

static hinge random_hinge(rng *r, const hinge_kind *kind) {
  hinge h;
  double edge[3], middle[3], wing[3];
  random_point(r, 1, h.corner[0]), random_point(r, 1, h.corner[1]);
  vec3_sub(h.corner[1], h.corner[0], edge);
  for (int side = 0; side < 2; ++side) {
    vec3_add_scaled(h.corner[0], rng_unit(r), edge, middle), random_point(r, 1, wing);
    vec3_add_scaled(middle, random_power_of_ten(r, kind->thinnest, 0), wing, h.corner[2 + side]);
    if (side == 0 && kind->bend > 0) flatten_hinge(r, kind->bend, middle, &h);
    if (side == 0 && kind->bend > 0) break;
  }
  for (int i = 0; i < 4; ++i) vec3_add_scaled(h.corner[i], kind->distance, (double[3]){1, -1, 1}, h.corner[i]);
  return h;
}

/* The path of a corner that is at `position` at time `at`. Corners that coincide get the same velocity. */
static void set_path(const double position[3], double at, const double velocity[3], double from[3], double to[3]) {
  vec3_add_scaled(position, -at, velocity, from);
  vec3_add_scaled(position, 1 - at, velocity, to);
}

/* The node's motion relative to the edge; false unless it clearly moves to the back of both faces. */
static bool motion_to_the_back(rng *r, const hinge_kind *kind, const hinge *h, double relative[3]) {
  double f[2][3][3], n[2][3], any[3];
  for (int side = 0; side < 2; ++side) hinge_face(h, side, f[side]), face_normal(f[side], n[side]);
  random_point(r, 3, relative);
  if (kind->slope > 0) {
    random_point(r, 3, any), vec3_cross(any, n[0], relative);
    vec3_add_scaled(relative, -kind->slope * rng_between(r, 1, 2) * vec3_length(relative) / vec3_length(n[0]), n[0],
                    relative);
  }
  const double least = kind->slope > 0 ? 0.1 * kind->slope : 1e-5;
  for (int side = 0; side < 2; ++side)
    if (!(vec3_dot(relative, n[side]) < -least * vec3_length(relative) * vec3_length(n[side]))) return false;
  return true;
}

/* A common velocity, and a small one of each corner; larger ones would end a tangential crossing, or a thin face,
 * before the node is behind it by more than rounding. */
static void corner_velocities(rng *r, const hinge_kind *kind, double velocity[4][3]) {
  const double limit = fmin(1, 10 * pow(10, kind->thinnest)), size = kind->slope > 0 ? 0.01 * kind->slope : limit;
  double common[3], own[3];
  random_point(r, 1, common);
  for (int i = 0; i < 4; ++i) {
    random_point(r, size, own);
    for (int k = 0; k < 3; ++k) velocity[i][k] = kind->moving ? common[k] + own[k] : 0;
  }
}

/* Paths of a node through a point of the shared edge, or beside it by rounding, to the back of both faces. */
static bool random_edge_crossing(rng *r, const hinge_kind *kind, ipg_node_face_path path[2]) {
  const hinge h = random_hinge(r, kind);
  const bool coarse = kind->slope > 0 || kind->distance > 0; /* an offset would move it beyond the end of the edge */
  const double at = rng_unit(r), s = coarse ? rng_between(r, 0.01, 0.99) : fmin(1, fmax(0, rng_between(r, -0.1, 1.1)));
  const double offset = !coarse && s > 0 && s < 1 && rng_int(r, 0, 1) ? random_power_of_ten(r, -18, -12) : 0;
  double velocity[4][3], node_velocity[3], edge[3], q[3];
  if (!motion_to_the_back(r, kind, &h, node_velocity)) return false;
  corner_velocities(r, kind, velocity);
  vec3_sub(h.corner[1], h.corner[0], edge), vec3_add_scaled(h.corner[0], s, edge, q);
  vec3_add_scaled(node_velocity, 1 - s, velocity[0], node_velocity),
      vec3_add_scaled(node_velocity, s, velocity[1], node_velocity);
  for (int k = 0; k < 3; ++k) q[k] += offset * rng_between(r, -1, 1);
  for (int side = 0; side < 2; ++side) {
    set_path(q, at, node_velocity, path[side].node[0], path[side].node[1]);
    for (int i = 0; i < 3; ++i) {
      const int corner = hinge_faces[side][i];
      set_path(h.corner[corner], at, velocity[corner], path[side].face[0][i], path[side].face[1][i]);
    }
  }
  return true;
}

/* How many nodes enter neither of the two faces. */
static int64_t count_misses(rng *r, long wanted, const hinge_kind *kind) {
  int64_t misses = 0;
  for (long done = 0; done < wanted;) {
    ipg_node_face_path path[2];
    ipg_crossing found;
    if (!random_edge_crossing(r, kind, path)) continue;
    done++;
    if (ipg_node_enters_face(&path[0], &found) || ipg_node_enters_face(&path[1], &found)) continue;
    if (misses++ < 1) print_path("missed, first face", &path[0]), print_path("second face", &path[1]);
  }
  if (misses)
    printf("\n    %lld of %ld missed: thinnest 1e%g, bend %g, slope %g, distance %g, moving %d ", (long long)misses,
           wanted, kind->thinnest, kind->bend, kind->slope, kind->distance, kind->moving);
  return misses;
}

static void test_shared_edges(void) {
  static const hinge_kind kinds[] = {
      {-1, 0, 0, 0, false}, {-1, 0, 0, 0, true}, {-6, 0, 0, 0, false}, {-6, 0, 0, 0, true}};
  rng r = rng_start(7);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    CU_ASSERT_EQUAL(count_misses(&r, 5 * suite_scenes(), &kinds[i]), 0);
}

/* Nearly flat surfaces, nodes that enter at a small angle, and models far from the origin, where coordinates are
 * coarse. */
static void test_tangential_crossings(void) {
  static const hinge_kind kinds[] = {{-1, 1e-2, 1e-2, 0, false},
                                     {-1, 1e-5, 1e-5, 0, false},
                                     {-1, 1e-7, 1e-7, 0, true},
                                     {-1, 1e-2, 1e-2, 1e2, true},
                                     {-1, 1e-5, 1e-5, 1e2, false}};
  rng r = rng_start(10);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    CU_ASSERT_EQUAL(count_misses(&r, 10 * suite_scenes(), &kinds[i]), 0);
}

static void test_edges_far_from_origin(void) {
  static const hinge_kind kinds[] = {{-1, 1e-5, 1e-5, 1e4, false}, {-1, 1e-5, 1e-5, 1e4, true},
                                     {-1, 1e-2, 1e-2, 1e6, false}, {-1, 1e-3, 1e-3, 1e6, true},
                                     {-3, 0, 0, 1e6, false},       {-3, 0, 0, 1e6, true}};
  rng r = rng_start(11);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    CU_ASSERT_EQUAL(count_misses(&r, 10 * suite_scenes(), &kinds[i]), 0);
}

/* A closed tetrahedron with corners that move at random, and a node that moves around it in steps of any length. A step
 * in which the node enters a face is undone, so the node must never be found inside. */
typedef struct walk {
  double corner[4][3], node[3];
} walk;

static const int tetrahedron_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static double depth_inside(const walk *w) {
  double deepest = -INFINITY;
  for (int i = 0; i < 4; ++i) {
    double f[3][3], n[3], to[3];
    for (int k = 0; k < 3; ++k) memcpy(f[k], w->corner[tetrahedron_faces[i][k]], sizeof f[k]);
    face_normal(f, n), vec3_sub(w->node, f[0], to);
    deepest = fmax(deepest, vec3_dot(to, n) / vec3_length(n));
  }
  return -deepest;
}

static bool step_enters(const walk *from, const walk *to) {
  for (int i = 0; i < 4; ++i) {
    ipg_node_face_path path;
    ipg_crossing found;
    memcpy(path.node[0], from->node, sizeof from->node), memcpy(path.node[1], to->node, sizeof to->node);
    for (int k = 0; k < 3; ++k) {
      memcpy(path.face[0][k], from->corner[tetrahedron_faces[i][k]], sizeof path.face[0][k]);
      memcpy(path.face[1][k], to->corner[tetrahedron_faces[i][k]], sizeof path.face[1][k]);
    }
    if (ipg_node_enters_face(&path, &found)) return true;
  }
  return false;
}

/* Moves the corners, but not far from home. */
static void move_corners(rng *r, const walk *home, walk *w) {
  const double size = rng_int(r, 0, 1) ? random_power_of_ten(r, -17, -1) : 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k)
      w->corner[i][k] += size * rng_between(r, -1, 1) + 0.01 * size * (home->corner[i][k] - w->corner[i][k]);
  for (int i = 0; i < 12; ++i)
    if (fabs(w->corner[i / 3][i % 3] - home->corner[i / 3][i % 3]) > 0.1) *w = (walk){0};
}

/* Moves the node towards the tetrahedron or away from it; often towards an edge or a corner. */
static void move_node(rng *r, walk *w) {
  double target[3] = {0}, sum = 0;
  const int corners = rng_int(r, 1, 4), first = rng_int(r, 0, 3);
  for (int i = 0; i < corners; ++i) {
    const double weight = rng_unit(r) + 1e-9;
    for (int k = 0; k < 3; ++k) target[k] += weight * w->corner[(first + i) % 4][k];
    sum += weight;
  }
  const double fraction = rng_int(r, 0, 3) ? 1 - random_power_of_ten(r, -17, 0) : rng_between(r, -1, 2);
  for (int k = 0; k < 3; ++k) w->node[k] += fraction * (target[k] / sum - w->node[k]);
  if (rng_int(r, 0, 2) == 0)
    vec3_add_scaled(w->node, random_power_of_ten(r, -18, 0), (double[3]){rng_between(r, -1, 1), 1, -1}, w->node);
}

static void test_walk_around_tetrahedron(void) {
  rng r = rng_start(8);
  const walk home = {{{0, 0, 0}, {1, 0.1, 0}, {0.2, 1, 0.1}, {0.1, 0.3, 1}}, {3, 3, 3}};
  walk now = home;
  CU_ASSERT(depth_inside(&(walk){{{0, 0, 0}, {1, 0.1, 0}, {0.2, 1, 0.1}, {0.1, 0.3, 1}}, {0.3, 0.3, 0.3}}) > 0);
  int64_t inside = 0, stopped = 0, moved = 0;
  double deepest = -INFINITY;
  for (long i = 0; i < 100 * suite_scenes(); ++i) {
    walk next = now;
    move_corners(&r, &home, &next);
    if (next.corner[1][0] == 0) memcpy(next.corner, now.corner, sizeof now.corner); /* moved too far */
    move_node(&r, &next);
    if (step_enters(&now, &next)) {
      if (++stopped % 20 == 0) now = home; /* a new start, far away */
      continue;
    }
    moved++;
    now = next;
    const double depth = depth_inside(&now);
    deepest = fmax(deepest, depth);
    if (depth > 1e-15) inside++, now = home;
  }
  printf("\n    %lld steps, %lld stopped, depth at most %.1e ... ", (long long)moved, (long long)stopped, deepest);
  CU_ASSERT_EQUAL(inside, 0);
  CU_ASSERT(moved > 0 && stopped > 0);
}

/* ------------------------------------------------------------------------------------------------------------ scale */

static ipg_node_face_path scaled(const ipg_node_face_path *path, double scale) {
  ipg_node_face_path result;
  for (int i = 0; i < 6; ++i) result.node[i / 3][i % 3] = scale * path->node[i / 3][i % 3];
  for (int i = 0; i < 18; ++i) result.face[i / 9][i / 3 % 3][i % 3] = scale * path->face[i / 9][i / 3 % 3][i % 3];
  return result;
}

static bool same_bits_at_scale(const ipg_node_face_path *path, double scale) {
  const ipg_node_face_path other = scaled(path, scale);
  ipg_crossing at = {0}, other_at = {0};
  double w[3], other_w[3];
  if (ipg_node_enters_face(path, &at) != ipg_node_enters_face(&other, &other_at)) return false;
  ipg_closest_on_triangle(path->node[0], path->face[0][0], path->face[0][1], path->face[0][2], w);
  ipg_closest_on_triangle(other.node[0], other.face[0][0], other.face[0][1], other.face[0][2], other_w);
  return !memcmp(w, other_w, sizeof w) && !memcmp(&at, &other_at, sizeof at);
}

static void test_scale(void) {
  rng r = rng_start(9);
  int64_t different = 0;
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    ipg_node_face_path path = integer_path(&r, i);
    if (i % 2)
      for (int k = 0; k < 18; ++k) path.face[k / 9][k / 3 % 3][k % 3] += rng_unit(&r);
    different += !same_bits_at_scale(&path, 0x1p10) || !same_bits_at_scale(&path, 0x1p-10);
  }
  CU_ASSERT_EQUAL(different, 0);
}

/* The same bits in any unit of length. */
static void test_units_of_length(void) {
  const double units[] = {0x1p190, 0x1p-190};
  rng r = rng_start(77);
  long entries = 0;
  for (long i = 0; i < 10 * suite_scenes(); ++i) {
    ipg_node_face_path path, other;
    double *at = (double *)&path;
    ipg_crossing here = {0, 0}, there = {0, 0};
    for (size_t k = 0; k < sizeof path / sizeof(double); ++k) at[k] = rng_between(&r, -1, 1);
    const bool enters = ipg_node_enters_face(&path, &here);
    for (int u = 0; u < 2; ++u) {
      for (size_t k = 0; k < sizeof path / sizeof(double); ++k) ((double *)&other)[k] = units[u] * at[k];
      CU_ASSERT_EQUAL(ipg_node_enters_face(&other, &there), enters);
      CU_ASSERT(!enters || (here.earliest == there.earliest && here.latest == there.latest));
    }
    entries += enters;
  }
  CU_ASSERT(entries > suite_scenes() / 4);
}

static bool enters(double node[2][3], double start[3][3], double end[3][3]) {
  ipg_node_face_path path;
  ipg_crossing crossing;
  memcpy(path.node, node, sizeof path.node);
  memcpy(path.face[0], start, sizeof path.face[0]);
  memcpy(path.face[1], end, sizeof path.face[1]);
  return ipg_node_enters_face(&path, &crossing);
}

/* Borders reach 1e-8 beyond the face. A node that starts behind a face of any size enters it only within 1e-9 of that
 * size. One that slides past a corner, inside of each edge at some time and of all at none, does not enter; nor does
 * one that is far from a face which turns over. */
static void test_tolerances(void) {
  double face[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, slant[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}},
         turned[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, -1, -1}};
  const double beside[] = {.5e-8, 2e-8}, behind[] = {.5e-9, 2e-9};
  for (int i = 0; i < 2; ++i) {
    CU_ASSERT_EQUAL(enters((double[2][3]){{.5, -beside[i], 1}, {.5, -beside[i], -1}}, face, face), i == 0);
    for (double size = 1e-3; size < 1e4; size *= 1e3) {
      double other[3][3];
      for (int k = 0; k < 9; ++k) other[k / 3][k % 3] = size * face[k / 3][k % 3];
      const double x = .3 * size, z = -behind[i] * size;
      CU_ASSERT_EQUAL(enters((double[2][3]){{x, x, z}, {x, x, -size}}, other, other), i == 0);
    }
  }
  CU_ASSERT(!enters((double[2][3]){{-1, .99995, 0}, {.99995, -1, -1e-16}}, face, face));
  CU_ASSERT(!enters((double[2][3]){{.3, -.9, .9}, {.3, -.9, .9}}, slant, turned));
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"the oracle", test_oracle},
                         {"integer paths against the oracle", test_integer_paths},
                         {"units of length", test_units_of_length},
                         {"direct cases", test_direct_cases},
                         {"tolerances", test_tolerances},
                         {"fast nodes", test_fast_nodes},
                         {"a thin plate", test_thin_plate},
                         {"a rotating face", test_rotating_face},
                         {"degenerate faces", test_degenerate_faces},
                         {"times of crossings", test_crossing_times},
                         {"shared edges", test_shared_edges},
                         {"shared edges, crossed tangentially", test_tangential_crossings},
                         {"shared edges far from the origin", test_edges_far_from_origin},
                         {"start behind the face by rounding", test_start_behind},
                         {"around a tetrahedron", test_walk_around_tetrahedron},
                         {"scaling by powers of two", test_scale},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "node_face_crossing", tests);
}
