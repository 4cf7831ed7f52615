/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The first touch of node and face and of two edges, judged by exact arithmetic (tests/support/exact.h) on questions
 * that are made to be hard: small integers, so that all kinds of coincidence happen and are exact; points that rest, or
 * move alike, or lie in one plane all the time; faces and edges without area or length; edges that are parallel;
 * touches that are aimed at corners, at borders, at the start, at the end. Then scaled, moved far from the origin, and
 * now and then some coordinates changed by a few last bits; and some are asked near an end of the range of doubles.
 * And on adversaries, which are not whole numbers: slivers that turn, edges that glide along each other, all through a
 * point, sizes far apart, all of them a hair off.
 *
 * Missed: they touch, the code says no. Late: they touch before the time the code says. Neither may ever happen. False:
 * the code says touch, they do not; early: no touch within 1e-8 of the step behind the time the code says. Neither may
 * happen unless last bits were changed, or lost in scaling, or the size grows much, or there is no area: then they must
 * come closer than 1e-12 of their size, an early one within those 1e-8. `test_ccd_fuzz 1000000` asks 10 million
 * questions.
 */
#include "impinge/narrow.h"
#include "support/distance.h"
#include "support/exact.h"
#include "support/suite.h"

enum { PER_SCENE = 10, BATCH = 50, MOST_BITS = 150 };

/* In parts of the size: who is closer may be said to touch. */
static const double close_call = 1e-12;

typedef struct question {
  int kind;
  double x[2][12]; /* at the start, at the end: four points */
  bool rounded;    /* last bits were changed, or lost; or are far below the size, where it was much smaller */
  int power;       /* asked at 2^power times that size: the same question */
} question;

/* --------------------------------------------------------------------------------------------------------- features */

static double *point(question *q, int end, int i) { return q->x[end] + 3 * i; }

static void integers(rng *r, question *q) {
  static const int ranges[] = {1, 2, 3, 8, 64};
  const int range = ranges[rng_int(r, 0, 4)];
  for (int i = 0; i < 24; ++i) q->x[i / 12][i % 12] = rng_int(r, -range, range);
}

/* All in one plane of coordinates, all the time; or at one end only. */
static void flatten(rng *r, question *q) {
  const int axis = rng_int(r, 0, 2), ends = rng_int(r, 1, 3);
  for (int i = 0; i < 24; ++i)
    if (i % 3 == axis && ends >> (i / 12) & 1) q->x[i / 12][i % 12] = 0;
}

static void rest(rng *r, question *q) {
  const int who = rng_int(r, 1, 15);
  for (int i = 0; i < 4; ++i)
    if (who >> i & 1) memcpy(point(q, 1, i), point(q, 0, i), 3 * sizeof(double));
}

static void move_alike(rng *r, question *q) {
  const int who = rng_int(r, 1, 15);
  for (int i = 1; i < 4; ++i)
    for (int k = 0; k < 3 && who >> i & 1; ++k)
      point(q, 1, i)[k] = point(q, 0, i)[k] + point(q, 1, 0)[k] - point(q, 0, 0)[k];
}

/* Much larger at the one end than at the other. */
static void grow(rng *r, question *q) {
  const int end = rng_int(r, 0, 1), factor = 1 << rng_int(r, 1, 16);
  for (int i = 0; i < 12; ++i) q->x[end][i] *= factor;
  q->rounded = true;
}

/* One point where another is, at the start, at the end, or always. */
static void coincide(rng *r, question *q) {
  const int i = rng_int(r, 0, 3), j = (i + rng_int(r, 1, 3)) % 4, ends = rng_int(r, 1, 3);
  for (int end = 0; end < 2; ++end)
    if (ends >> end & 1) memcpy(point(q, end, i), point(q, end, j), 3 * sizeof(double));
}

/* Points 2 and 3 on a line parallel to that of 0 and 1, or point 3 on the line of 1 and 2. */
static void align(rng *r, question *q) {
  const int ends = rng_int(r, 1, 3), times = rng_int(r, -2, 3), edges = rng_int(r, 0, 1);
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3 && ends >> end & 1; ++k) {
      const double *p = q->x[end] + k;
      q->x[end][9 + k] = edges ? p[6] + times * (p[3] - p[0]) : p[3] + times * (p[6] - p[3]);
    }
}

/* The four weights of two places, in eighths, that are to meet; sometimes a hair outside. */
static void random_target(rng *r, int kind, int w[4]) {
  const int lowest = rng_int(r, 0, 9) ? 0 : -1, first = rng_int(r, lowest, 8), second = rng_int(r, lowest, 8);
  if (kind) w[0] = 8 - first, w[1] = first, w[2] = 8 - second, w[3] = second;
  else w[0] = 8, w[1] = first, w[2] = second > 8 - first ? 8 - first : second, w[3] = 8 - w[1] - w[2];
}

/* Turns point 0 so that the two places meet at a time of n / 2^m, exactly: all coordinates become multiples of 64. */
static void aim(rng *r, question *q) {
  static const int times[][2] = {{0, 1}, {1, 1}, {1, 2}, {1, 4}, {1, 8}};
  int w[4];
  const int *t = times[rng_int(r, 0, 4)];
  random_target(r, q->kind, w);
  if (w[0] != 8 && w[0] != 4 && w[0] != 2 && w[0] != 1) return; /* not exact */
  for (int i = 0; i < 24; ++i) q->x[i / 12][i % 12] *= 64;
  for (int k = 0; k < 3; ++k) {
    double at[4];
    for (int i = 0; i < 4; ++i) at[i] = (q->x[0][3 * i + k] * (t[1] - t[0]) + q->x[1][3 * i + k] * t[0]) / t[1];
    const double sign = q->kind ? -1 : 0, others = w[2] * at[2] + w[3] * at[3] + (sign == 0 ? w[1] * at[1] : 0);
    const double goal = (others + sign * w[1] * at[1]) / w[0];
    if (t[0] == 0) q->x[0][k] = goal;
    else q->x[1][k] = (goal * t[1] - q->x[0][k] * (t[1] - t[0])) / t[0];
  }
}

/* ----------------------------------------------------------------------------------------------------------- places */

static void multiply(question *q, double factor) {
  for (int i = 0; i < 24; ++i) {
    double *x = &q->x[i / 12][i % 12];
    q->rounded |= fma(*x, factor, -(*x * factor)) != 0;
    *x *= factor;
  }
}

static void rescale(rng *r, question *q) {
  static const double factors[] = {1e-6, 1e6, 1e-3, 1. / 3, 0.1, 1e3};
  const int which = rng_int(r, 0, 11);
  if (which >= 6) multiply(q, ldexp(1, rng_int(r, -20, 20)));
  else multiply(q, factors[which]);
}

static void move_away(rng *r, question *q) {
  static const double distances[] = {1, 1000, 1e6, 1048576, 123456.789};
  for (int k = 0; k < 3; ++k) {
    const double distance = distances[rng_int(r, 0, 4)] * (rng_int(r, 0, 1) ? 1 : -1);
    for (int i = k; i < 24; i += 3) {
      double *x = &q->x[i / 12][i % 12];
      const double moved = *x + distance;
      q->rounded |= moved - distance != *x;
      *x = moved;
    }
  }
}

/* A few last bits, and of a zero what would be a last bit of 1. */
static void shake(rng *r, question *q) {
  for (int n = rng_int(r, 1, 4); n > 0; --n) {
    double *x = &q->x[rng_int(r, 0, 1)][rng_int(r, 0, 11)];
    const double to = rng_int(r, 0, 1) ? INFINITY : -INFINITY;
    if (*x == 0) *x = to > 0 ? 0x1p-52 : -0x1p-52;
    else
      for (int bits = rng_int(r, 1, 3); bits > 0; --bits) *x = nextafter(*x, to);
  }
  q->rounded = true;
}

/* To an end of the range of doubles, if that costs no bit. */
static void go_to_an_end(rng *r, question *q) {
  static const int powers[] = {-1074, -1060, -1022, -900, -400, 400, 900, 985};
  const int power = powers[rng_int(r, 0, 7)];
  for (int i = 0; i < 24; ++i) {
    const double x = q->x[i / 12][i % 12], there = ldexp(x, power);
    if (fabs(there) > 0x1p994 || ldexp(there, -power) != x) return;
  }
  q->power = power;
}

static bool happens(rng *r, int one_in) { return rng_int(r, 1, one_in) == 1; }

static question random_question(rng *r, int kind) {
  question q = {.kind = kind};
  integers(r, &q);
  if (happens(r, 5)) flatten(r, &q);
  if (happens(r, 4)) rest(r, &q);
  if (happens(r, 8)) move_alike(r, &q);
  if (happens(r, 8)) coincide(r, &q);
  if (happens(r, 6)) align(r, &q);
  if (happens(r, 10)) grow(r, &q);
  if (happens(r, 3)) aim(r, &q);
  if (happens(r, 4)) move_away(r, &q);
  if (happens(r, 3)) rescale(r, &q);
  if (happens(r, 4)) shake(r, &q);
  if (happens(r, 8)) go_to_an_end(r, &q);
  return q;
}

/* ------------------------------------------------------------------------------------------------------ adversaries */

static double sign_of(rng *r) { return rng_int(r, 0, 1) ? 1 : -1; }

/* Of any size between powers of ten, either sign. */
static double hair(rng *r, double lowest, double highest) {
  return sign_of(r) * pow(10, rng_between(r, lowest, highest));
}

static void random_points(rng *r, double size, double *x, int count) {
  for (int i = 0; i < 3 * count; ++i) x[i] = rng_between(r, -size, size);
}

/* c = a + part (b - a), but for a hair. */
static void near_line(rng *r, const double *a, const double *b, double part, double width, double *c) {
  for (int k = 0; k < 3; ++k) c[k] = a[k] + part * (b[k] - a[k]) + width * rng_between(r, -1, 1);
}

/* A sliver, or two edges that are all but parallel, which turns while the node or an edge stays close to it. */
static void turn_sliver(rng *r, question *q) {
  const double width = hair(r, -16, -3), part = rng_unit(r);
  for (int end = 0; end < 2; ++end) {
    random_points(r, 1, point(q, end, 1), 2);
    near_line(r, point(q, end, 1), point(q, end, 2), rng_between(r, -0.2, 1.2), width, point(q, end, 3));
    near_line(r, point(q, end, 1), point(q, end, 2), part, hair(r, -17, -1), point(q, end, 0));
  }
}

/* One edge, or the node, goes along the other, a hair beside it. */
static void glide_along(rng *r, question *q) {
  const double way = rng_between(r, -2, 2), width = hair(r, -17, -6);
  random_points(r, 1, q->x[0], 2);
  near_line(r, point(q, 0, 0), point(q, 0, 1), rng_between(r, -1, 1), hair(r, -17, -6), point(q, 0, 2));
  near_line(r, point(q, 0, 0), point(q, 0, 1), rng_between(r, 1, 2), width, point(q, 0, 3));
  memcpy(q->x[1], q->x[0], sizeof q->x[0]);
  for (int i = 0; i < 6; ++i) q->x[1][i] += way * (q->x[0][3 + i % 3] - q->x[0][i % 3]) + hair(r, -17, -7);
}

/* From side to side through a point, all at once, but for a hair: three roots in one. */
static void turn_inside_out(rng *r, question *q) {
  const double width = rng_int(r, 0, 1) ? hair(r, -17, -2) : 0;
  random_points(r, 1, q->x[0], 4);
  for (int i = 0; i < 12; ++i) q->x[1][i] = width * rng_unit(r) - q->x[0][i];
}

static void differ_in_size(rng *r, question *q) {
  for (int i = 0; i < 8; ++i) random_points(r, pow(10, rng_between(r, -9, 0)), point(q, i / 4, i % 4), 1);
}

/* All four close together, on a long way. */
static void crowd(rng *r, question *q) {
  double way[2][3];
  random_points(r, 1, way[0], 2);
  for (int i = 0; i < 24; ++i) q->x[i / 12][i % 12] = way[i / 12][i % 3] + hair(r, -17, -6);
}

/* Whole numbers in a plane, but for a hair. */
static void stay_in_plane(rng *r, question *q) {
  for (int i = 0; i < 24; ++i) q->x[i / 12][i % 12] = i % 3 == 2 ? hair(r, -18, -14) : rng_int(r, -4, 4);
}

static question adversary(rng *r, int kind) {
  static void (*const make[])(rng *, question *) = {turn_sliver,    glide_along, turn_inside_out,
                                                    differ_in_size, crowd,       stay_in_plane};
  question q = {.kind = kind, .rounded = true};
  make[rng_int(r, 0, sizeof make / sizeof *make - 1)](r, &q);
  if (happens(r, 4)) move_away(r, &q);
  return q;
}

/* -------------------------------------------------------------------------------------------------------- questions */

typedef question make_question(rng *r, int kind);

/* Do whole numbers of a common power of two stay in what the oracle has room for? */
static bool fits(const question *q) {
  int lowest = INT32_MAX, highest = INT32_MIN, exponent;
  for (int i = 0; i < 24; ++i) {
    const double x = q->x[i / 12][i % 12];
    if (x == 0) continue;
    (void)frexp(x, &exponent);
    if (last_bit(x) < lowest) lowest = last_bit(x);
    if (exponent > highest) highest = exponent;
  }
  return highest == INT32_MIN || highest - lowest <= MOST_BITS;
}

static question fitting_question(make_question *make, rng *r, int kind) {
  question q;
  do q = make(r, kind);
  while (!fits(&q));
  return q;
}

/* -------------------------------------------------------------------------------------------------------- judgement */

/* Coordinates are what they were made as; last bits were changed or lost, or small beside the size; or the area is
 * nothing, always or when they touch. */
enum { AS_MADE, ROUNDED, COLLAPSED, CLASSES };
static const char *const class_names[CLASSES] = {"as made", "last bits changed or lost, or small", "no area"};

typedef struct tally {
  int64_t asked, touches, missed, late, different, no_times;
  struct {
    int64_t asked, false_touches, early;
    double farthest; /* of those false: how close they come at all; early: while so; in parts of the size */
  } of[CLASSES];
} tally;

static void print_question(const char *what, const question *q, double time) {
  printf("\n    %s at %.17g: kind %d, times 2^%d\n", what, time, q->kind, q->power);
  for (int i = 0; i < 24; ++i) printf(i % 12 == 11 ? "%a\n" : "%a, ", q->x[i / 12][i % 12]);
}

static double size_of(const question *q) {
  double size = 0;
  for (int i = 0; i < 24; ++i) size = fmax(size, fabs(q->x[i / 12][i % 12] - q->x[i / 12][i % 3]));
  return size;
}

/* Twice the area of the triangle that the first three differences span, at a time. */
static double area_at(const question *q, double t) {
  static const int ends[2][3][2] = {{{0, 1}, {0, 2}, {0, 3}}, {{0, 2}, {0, 3}, {1, 3}}};
  double corner[3][3], area2 = 0;
  for (int i = 0; i < 9; ++i) {
    const int from = 3 * ends[q->kind][i / 3][0] + i % 3, to = 3 * ends[q->kind][i / 3][1] + i % 3;
    corner[i / 3][i % 3] = (1 - t) * (q->x[0][to] - q->x[0][from]) + t * (q->x[1][to] - q->x[1][from]);
  }
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double n = (corner[1][i] - corner[0][i]) * (corner[2][j] - corner[0][j]) -
                     (corner[1][j] - corner[0][j]) * (corner[2][i] - corner[0][i]);
    area2 += n * n;
  }
  return sqrt(area2);
}

/* The normal is quadratic in time: if it is nothing three times, it always is. Nor may it vanish when they touch. */
static int class_of(const question *q, double time) {
  const double size = size_of(q), ever = fmax(fmax(area_at(q, 0), area_at(q, 0.5)), area_at(q, 1));
  const double then = time <= 1 ? area_at(q, time) : ever;
  return !(ever > 1e-9 * size * size && then > 1e-5 * size * size) ? COLLAPSED : q->rounded ? ROUNDED : AS_MADE;
}

/* How close do they come from a time on, in parts of their size? Looked for in shorter and shorter whiles, the longest
 * 2^-shortest of the step, for close calls are brief. */
static double closeness(const question *q, double time, int shortest) {
  long double least = l_distance(q->kind, q->x[0], q->x[1], time);
  for (int i = shortest; i <= 60; i += 4) {
    const long double until = fminl(1, time + ldexpl(1, -i)),
                      then = l_closest_time(q->kind, q->x[0], q->x[1], time, until);
    least = fminl(least, l_distance(q->kind, q->x[0], q->x[1], then));
  }
  return (double)(least / size_of(q));
}

static void judge(exact_question *e, const question *q, double time, tally *t) {
  exact_ask(e, (exact_kind)q->kind, q->x[0], q->x[1]);
  const bool touches = exact_touch(e, 1, true), found = time <= 1;
  const bool missed = touches && !found, late = found && exact_touch(e, time, false);
  const bool is_false = found && !touches;
  const bool early = found && touches && !exact_touch(e, fmin(1, time + 1e-8), true);
  const int class = class_of(q, time);
  t->asked++, t->touches += touches, t->missed += missed, t->late += late;
  t->no_times += !(time >= 0 && found) && time != INFINITY;
  t->of[class].asked++, t->of[class].false_touches += is_false, t->of[class].early += early;
  const double apart = is_false ? fmin(closeness(q, time, 0), closeness(q, 0, 0)) : early ? closeness(q, time, 28) : 0;
  t->of[class].farthest = fmax(apart, t->of[class].farthest);
  if (missed && t->missed == 1) print_question("missed", q, time);
  if (late && t->late == 1) print_question("late", q, time);
  if ((is_false || early) && (class == AS_MADE || apart > close_call))
    print_question(is_false ? "false" : "early", q, time);
}

/* All of one kind in one batch, and each alone without wide registers. */
static void ask(const question *q, int kind, double *times, tally *t) {
  double start[12 * BATCH], end[12 * BATCH];
  ipg_id points[4 * BATCH];
  for (ipg_id i = 0; i < 4 * BATCH; ++i) points[i] = i;
  for (int i = 0; i < BATCH; ++i) {
    for (int k = 0; k < 12; ++k) {
      start[12 * i + k] = ldexp(q[i].x[0][k], q[i].power);
      end[12 * i + k] = ldexp(q[i].x[1][k], q[i].power);
    }
  }
  const ipg_touch_queries all = {start, end, points, BATCH, 0};
  CU_ASSERT_EQUAL((kind ? ipg_find_edge_edge_touches : ipg_find_node_face_touches)(&all, times, NULL), IPG_OK);
  for (int i = 0; i < BATCH; i += 7) {
    const ipg_touch_queries one = {start, end, points + 4 * i, 1, 0};
    double time;
    (kind ? ipg_find_edge_edge_touches : ipg_find_node_face_touches)(&one, &time, NULL);
    t->different += memcmp(&time, &times[i], sizeof time) != 0;
  }
}

static tally judge_many(make_question *make, int salt, long count) {
  rng r = rng_start((uint64_t)salt);
  tally t = {0};
  exact_question *e = malloc(sizeof *e);
  for (long batches = count / BATCH; batches > 0; --batches) {
    question q[BATCH];
    double times[BATCH];
    for (int i = 0; i < BATCH; ++i) q[i] = fitting_question(make, &r, (int)(batches % 2));
    ask(q, (int)(batches % 2), times, &t);
    for (int i = 0; i < BATCH; ++i) judge(e, &q[i], times[i], &t);
  }
  free(e);
  return t;
}

static void print_tally(const tally *t) {
  printf("\n    seed %llu: %lld questions, %lld touch; missed %lld, late %lld", (unsigned long long)rng_seed(),
         (long long)t->asked, (long long)t->touches, (long long)t->missed, (long long)t->late);
  for (int i = 0; i < CLASSES; ++i)
    printf("\n    %s: %lld questions, false %lld, early %lld, farthest of these %.1e", class_names[i],
           (long long)t->of[i].asked, (long long)t->of[i].false_touches, (long long)t->of[i].early, t->of[i].farthest);
}

static void expect_sound(const tally *t) {
  CU_ASSERT(t->touches > t->asked / 20 && t->touches < t->asked / 2);
  CU_ASSERT_EQUAL(t->missed, 0);
  CU_ASSERT_EQUAL(t->late, 0);
  CU_ASSERT_EQUAL(t->different, 0);
  CU_ASSERT_EQUAL(t->no_times, 0);
  CU_ASSERT_EQUAL(t->of[AS_MADE].false_touches, 0);
  CU_ASSERT_EQUAL(t->of[AS_MADE].early, 0);
  for (int i = 0; i < CLASSES; ++i) CU_ASSERT(t->of[i].farthest <= close_call);
}

static void test_fuzz(void) {
  const tally t = judge_many(random_question, 31, suite_scenes() * (suite_is_quick() ? 3 : PER_SCENE));
  print_tally(&t);
  expect_sound(&t);
}

static void test_adversaries(void) {
  const tally t = judge_many(adversary, 32, suite_scenes());
  print_tally(&t);
  expect_sound(&t);
}

/* ------------------------------------------------------------------------------------------------- the judge judged */

static bool oracle(int kind, const double start[12], const double end[12], double t, bool at_t_too) {
  exact_question *e = malloc(sizeof *e);
  exact_ask(e, (exact_kind)kind, start, end);
  const bool touch = exact_touch(e, t, at_t_too);
  free(e);
  return touch;
}

/* At a third, which no double is; at both ends; a double root, and a hair beside it; a triple one, where all corners
 * come to the node at once. */
static void test_oracle(void) {
  static const double third[2][12] = {{1, 1, 1, 0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, -2, 0, 0, 0, 4, 0, 0, 0, 4, 0}};
  static const double resting[12] = {1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0};
  static const double point[2][12] = {{0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3}, {0, 0, 0, -6, 0, 0, 0, -6, 0, 0, 0, -6}};
  double graze[2][12] = {{0.5, 2, 0.25, 0, 0, 0, 4, 0, 0, 0, 4, 0}, {0.5, 1, 1.25, 0, 0, 0, 4, 0, 0, 0, 4, 4}};
  CU_ASSERT(oracle(0, third[0], third[1], 1, true));
  CU_ASSERT(!oracle(0, third[0], third[1], 1. / 3, true)); /* the double is less than a third */
  CU_ASSERT(oracle(0, third[0], third[1], nextafter(1. / 3, 1), false));
  CU_ASSERT(oracle(0, resting, resting, 0, true));
  CU_ASSERT(!oracle(0, resting, resting, 0, false));
  CU_ASSERT(oracle(0, point[0], point[1], 1, true));
  CU_ASSERT(!oracle(0, point[0], point[1], 1. / 3, true));
  CU_ASSERT(oracle(0, graze[0], graze[1], 0.5, true));
  CU_ASSERT(!oracle(0, graze[0], graze[1], 0.5, false));
  graze[0][2] += 0x1p-50;
  CU_ASSERT(!oracle(0, graze[0], graze[1], 1, true));
  graze[0][2] -= 0x1p-49;
  CU_ASSERT(oracle(0, graze[0], graze[1], 1, true));
}

/* Times that are square roots, against their closed form. */
static void test_oracle_irrational(void) {
  for (int i = 1; i < 50; ++i) {
    const double height = i / 64.;
    const double start[12] = {0.125, 0.25, height, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double end[12] = {0.125, 0.5, height, 0, 0, 0, 2, 0, 0, 0, 1, 1};
    /* the face's plane is z = t y, the node is at y = (1 + t) / 4 */
    const double t = (sqrt(1 + 16 * height) - 1) / 2;
    CU_ASSERT_EQUAL(oracle(0, start, end, 1, true), t <= 1);
    if (t > 1) continue;
    CU_ASSERT(!oracle(0, start, end, t * (1 - 1e-14), true));
    CU_ASSERT(oracle(0, start, end, fmin(1, t * (1 + 1e-14)), true));
  }
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"the oracle, by hand", test_oracle},
                         {"the oracle, irrational times", test_oracle_irrational},
                         {"fuzz", test_fuzz},
                         {"adversaries", test_adversaries},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "ccd_fuzz", tests);
}
