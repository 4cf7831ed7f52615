/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The first touch of node and face and of two edges, compared with exact arithmetic (tests/support/exact.h) on queries
 * that are made to be hard: small integers, so that all kinds of coincidence happen and are exact; points that are at
 * rest, or move alike, or stay in one plane; faces and edges without area or length; parallel edges; touches at
 * corners, at borders, at the start, at the end. Then scaled, moved far from the origin, and sometimes with some
 * coordinates changed by a few ulps; and some near an end of the range of doubles. And on adversarial queries, which
 * are not integers: slivers that turn, edges that glide along each other, all points through one point, very different
 * sizes, all of them slightly perturbed.
 *
 * Missed: they touch, the code reports none. Late: they touch before the reported time. Neither may ever happen. False:
 * the code reports a touch, they do not touch; early: no touch within 1e-8 of the step after the reported time. Neither
 * may happen unless last bits were changed, or lost in scaling, or the size grows much, or there is no area: then their
 * distance must fall below 1e-12 of their size, for an early one within those 1e-8. `test_ccd_fuzz 1000000` tests 10
 * million queries. */
#include "impinge/narrow.h"
#include "support/distance.h"
#include "support/exact.h"
#include "support/suite.h"

enum { PER_SCENE = 10, BATCH = 50, MOST_BITS = 150 };

/* Relative to the size: pairs that come closer may be reported as touching. */
static const double near_miss = 1e-12;

typedef struct query {
  int kind;
  double x[2][12]; /* at the start, at the end: four points */
  bool rounded;    /* last bits were changed, or lost, or are small relative to the size at the other end */
  int power;       /* tested at 2^power times that size: the same query */
} query;

/* --------------------------------------------------------------------------------------------------------- features */

static double *get_point(query *q, int end, int i) { return q->x[end] + 3 * i; }

static void draw_integers(rng *r, query *q) {
  static const int ranges[] = {1, 2, 3, 8, 64};
  const int range = ranges[rng_int(r, 0, 4)];
  for (int i = 0; i < 24; ++i) q->x[i / 12][i % 12] = rng_int(r, -range, range);
}

/* All in one coordinate plane, all the time; or at one end only. */
static void make_flat(rng *r, query *q) {
  const int axis = rng_int(r, 0, 2), ends = rng_int(r, 1, 3);
  for (int i = 0; i < 24; ++i)
    if (i % 3 == axis && ends >> (i / 12) & 1) q->x[i / 12][i % 12] = 0;
}

static void put_at_rest(rng *r, query *q) {
  const int which = rng_int(r, 1, 15);
  for (int i = 0; i < 4; ++i)
    if (which >> i & 1) memcpy(get_point(q, 1, i), get_point(q, 0, i), 3 * sizeof(double));
}

static void move_alike(rng *r, query *q) {
  const int which = rng_int(r, 1, 15);
  for (int i = 1; i < 4; ++i)
    for (int k = 0; k < 3 && which >> i & 1; ++k)
      get_point(q, 1, i)[k] = get_point(q, 0, i)[k] + get_point(q, 1, 0)[k] - get_point(q, 0, 0)[k];
}

/* Much larger at one end than at the other. */
static void make_larger(rng *r, query *q) {
  const int end = rng_int(r, 0, 1), factor = 1 << rng_int(r, 1, 16);
  for (int i = 0; i < 12; ++i) q->x[end][i] *= factor;
  q->rounded = true;
}

/* One point at the position of another, at the start, at the end, or always. */
static void make_coincident(rng *r, query *q) {
  const int i = rng_int(r, 0, 3), j = (i + rng_int(r, 1, 3)) % 4, ends = rng_int(r, 1, 3);
  for (int end = 0; end < 2; ++end)
    if (ends >> end & 1) memcpy(get_point(q, end, i), get_point(q, end, j), 3 * sizeof(double));
}

/* Points 2 and 3 on a line parallel to that of 0 and 1, or point 3 on the line of 1 and 2. */
static void make_parallel(rng *r, query *q) {
  const int ends = rng_int(r, 1, 3), times = rng_int(r, -2, 3), edges = rng_int(r, 0, 1);
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3 && ends >> end & 1; ++k) {
      const double *p = q->x[end] + k;
      q->x[end][9 + k] = edges ? p[6] + times * (p[3] - p[0]) : p[3] + times * (p[6] - p[3]);
    }
}

/* The four weights, in eighths, of the two points that are to coincide; sometimes slightly outside. */
static void random_target(rng *r, int kind, int w[4]) {
  const int lowest = rng_int(r, 0, 9) ? 0 : -1, first = rng_int(r, lowest, 8), second = rng_int(r, lowest, 8);
  if (kind) w[0] = 8 - first, w[1] = first, w[2] = 8 - second, w[3] = second;
  else w[0] = 8, w[1] = first, w[2] = second > 8 - first ? 8 - first : second, w[3] = 8 - w[1] - w[2];
}

/* Changes point 0 so that the two points coincide at a time of n / 2^m, exactly: all coordinates become multiples
 * of 64. */
static void aim_at_target(rng *r, query *q) {
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

/* -------------------------------------------------------------------------------------------------------- positions */

static void multiply_all(query *q, double factor) {
  for (int i = 0; i < 24; ++i) {
    double *x = &q->x[i / 12][i % 12];
    q->rounded |= fma(*x, factor, -(*x * factor)) != 0;
    *x *= factor;
  }
}

static void rescale(rng *r, query *q) {
  static const double factors[] = {1e-6, 1e6, 1e-3, 1. / 3, 0.1, 1e3};
  const int which = rng_int(r, 0, 11);
  if (which >= 6) multiply_all(q, ldexp(1, rng_int(r, -20, 20)));
  else multiply_all(q, factors[which]);
}

static void move_away(rng *r, query *q) {
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

/* Changes a few coordinates by some ulps, and a zero by an ulp of 1. */
static void perturb_last_bits(rng *r, query *q) {
  for (int n = rng_int(r, 1, 4); n > 0; --n) {
    double *x = &q->x[rng_int(r, 0, 1)][rng_int(r, 0, 11)];
    const double to = rng_int(r, 0, 1) ? INFINITY : -INFINITY;
    if (*x == 0) *x = to > 0 ? 0x1p-52 : -0x1p-52;
    else
      for (int bits = rng_int(r, 1, 3); bits > 0; --bits) *x = nextafter(*x, to);
  }
  q->rounded = true;
}

/* Moves to an end of the range of doubles, if that loses no bit. */
static void move_to_range_end(rng *r, query *q) {
  static const int powers[] = {-1074, -1060, -1022, -900, -400, 400, 900, 985};
  const int power = powers[rng_int(r, 0, 7)];
  for (int i = 0; i < 24; ++i) {
    const double x = q->x[i / 12][i % 12], there = ldexp(x, power);
    if (fabs(there) > 0x1p994 || ldexp(there, -power) != x) return;
  }
  q->power = power;
}

static bool draw_one_in(rng *r, int one_in) { return rng_int(r, 1, one_in) == 1; }

static query draw_query(rng *r, int kind) {
  query q = {.kind = kind};
  draw_integers(r, &q);
  if (draw_one_in(r, 5)) make_flat(r, &q);
  if (draw_one_in(r, 4)) put_at_rest(r, &q);
  if (draw_one_in(r, 8)) move_alike(r, &q);
  if (draw_one_in(r, 8)) make_coincident(r, &q);
  if (draw_one_in(r, 6)) make_parallel(r, &q);
  if (draw_one_in(r, 10)) make_larger(r, &q);
  if (draw_one_in(r, 3)) aim_at_target(r, &q);
  if (draw_one_in(r, 4)) move_away(r, &q);
  if (draw_one_in(r, 3)) rescale(r, &q);
  if (draw_one_in(r, 4)) perturb_last_bits(r, &q);
  if (draw_one_in(r, 8)) move_to_range_end(r, &q);
  return q;
}

/* --------------------------------------------------------------------------------------------- adversarial queries */

static double draw_sign(rng *r) { return rng_int(r, 0, 1) ? 1 : -1; }

/* A number of any size between powers of ten, either sign. */
static double draw_offset(rng *r, double lowest, double highest) {
  return draw_sign(r) * pow(10, rng_between(r, lowest, highest));
}

static void draw_points(rng *r, double size, double *x, int count) {
  for (int i = 0; i < 3 * count; ++i) x[i] = rng_between(r, -size, size);
}

/* c = a + part (b - a), slightly perturbed. */
static void put_near_line(rng *r, const double *a, const double *b, double part, double width, double *c) {
  for (int k = 0; k < 3; ++k) c[k] = a[k] + part * (b[k] - a[k]) + width * rng_between(r, -1, 1);
}

/* A sliver, or two nearly parallel edges, which turns while the node or an edge stays close to it. */
static void turn_sliver(rng *r, query *q) {
  const double width = draw_offset(r, -16, -3), part = rng_unit(r);
  for (int end = 0; end < 2; ++end) {
    draw_points(r, 1, get_point(q, end, 1), 2);
    put_near_line(r, get_point(q, end, 1), get_point(q, end, 2), rng_between(r, -0.2, 1.2), width,
                  get_point(q, end, 3));
    put_near_line(r, get_point(q, end, 1), get_point(q, end, 2), part, draw_offset(r, -17, -1), get_point(q, end, 0));
  }
}

/* One edge, or the node, moves along the other, at a tiny distance. */
static void glide_along(rng *r, query *q) {
  const double distance = rng_between(r, -2, 2), width = draw_offset(r, -17, -6);
  draw_points(r, 1, q->x[0], 2);
  put_near_line(r, get_point(q, 0, 0), get_point(q, 0, 1), rng_between(r, -1, 1), draw_offset(r, -17, -6),
                get_point(q, 0, 2));
  put_near_line(r, get_point(q, 0, 0), get_point(q, 0, 1), rng_between(r, 1, 2), width, get_point(q, 0, 3));
  memcpy(q->x[1], q->x[0], sizeof q->x[0]);
  for (int i = 0; i < 6; ++i) q->x[1][i] += distance * (q->x[0][3 + i % 3] - q->x[0][i % 3]) + draw_offset(r, -17, -7);
}

/* All points pass through one point at once, slightly perturbed: three roots in one. */
static void turn_inside_out(rng *r, query *q) {
  const double width = rng_int(r, 0, 1) ? draw_offset(r, -17, -2) : 0;
  draw_points(r, 1, q->x[0], 4);
  for (int i = 0; i < 12; ++i) q->x[1][i] = width * rng_unit(r) - q->x[0][i];
}

static void differ_in_size(rng *r, query *q) {
  for (int i = 0; i < 8; ++i) draw_points(r, pow(10, rng_between(r, -9, 0)), get_point(q, i / 4, i % 4), 1);
}

/* All four points close together, on a long path. */
static void make_close(rng *r, query *q) {
  double path[2][3];
  draw_points(r, 1, path[0], 2);
  for (int i = 0; i < 24; ++i) q->x[i / 12][i % 12] = path[i / 12][i % 3] + draw_offset(r, -17, -6);
}

/* Integers in a plane, slightly perturbed. */
static void stay_in_plane(rng *r, query *q) {
  for (int i = 0; i < 24; ++i) q->x[i / 12][i % 12] = i % 3 == 2 ? draw_offset(r, -18, -14) : rng_int(r, -4, 4);
}

static query make_adversarial_query(rng *r, int kind) {
  static void (*const make[])(rng *, query *) = {turn_sliver,    glide_along, turn_inside_out,
                                                 differ_in_size, make_close,  stay_in_plane};
  query q = {.kind = kind, .rounded = true};
  make[rng_int(r, 0, sizeof make / sizeof *make - 1)](r, &q);
  if (draw_one_in(r, 4)) move_away(r, &q);
  return q;
}

/* ---------------------------------------------------------------------------------------------------------- queries */

typedef query make_query(rng *r, int kind);

/* True if the coordinates, as integers times a common power of two, fit into the numbers of the oracle. */
static bool fits_oracle(const query *q) {
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

static query make_fitting_query(make_query *make, rng *r, int kind) {
  query q;
  do q = make(r, kind);
  while (!fits_oracle(&q));
  return q;
}

/* ------------------------------------------------------------------------------------------------------- comparison */

/* The coordinates are as made; last bits were changed or lost, or are small relative to the size; or the area is zero,
 * always or at the touch. */
enum { AS_MADE, ROUNDED, COLLAPSED, CLASSES };
static const char *const class_names[CLASSES] = {"as made", "last bits changed or lost, or small", "no area"};

typedef struct tally {
  int64_t queries, touches, missed, late, different, no_times;
  struct {
    int64_t queries, false_touches, early;
    double farthest; /* the smallest distance of false ones, of early ones before the touch, relative to the size */
  } of[CLASSES];
} tally;

static void print_query(const char *what, const query *q, double time) {
  printf("\n    %s at %.17g: kind %d, times 2^%d\n", what, time, q->kind, q->power);
  for (int i = 0; i < 24; ++i) printf(i % 12 == 11 ? "%a\n" : "%a, ", q->x[i / 12][i % 12]);
}

static double compute_size(const query *q) {
  double size = 0;
  for (int i = 0; i < 24; ++i) size = fmax(size, fabs(q->x[i / 12][i % 12] - q->x[i / 12][i % 3]));
  return size;
}

/* Twice the area of the triangle of the first three differences, at a time. */
static double compute_area_at(const query *q, double t) {
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

/* The normal is quadratic in time: if it is zero at three times, it always is. Nor may it be zero at the touch. */
static int choose_class(const query *q, double time) {
  const double size = compute_size(q),
               ever = fmax(fmax(compute_area_at(q, 0), compute_area_at(q, 0.5)), compute_area_at(q, 1));
  const double then = time <= 1 ? compute_area_at(q, time) : ever;
  return !(ever > 1e-9 * size * size && then > 1e-5 * size * size) ? COLLAPSED : q->rounded ? ROUNDED : AS_MADE;
}

/* The smallest distance from a time on, relative to the size. Searched in shorter and shorter intervals, the longest
 * 2^-longest of the step, since near misses are brief. */
static double find_least_distance(const query *q, double time, int longest) {
  long double least = l_distance(q->kind, q->x[0], q->x[1], time);
  for (int i = longest; i <= 60; i += 4) {
    const long double until = fminl(1, time + ldexpl(1, -i)),
                      then = l_closest_time(q->kind, q->x[0], q->x[1], time, until);
    least = fminl(least, l_distance(q->kind, q->x[0], q->x[1], then));
  }
  return (double)(least / compute_size(q));
}

static void compare_with_exact(exact_question *e, const query *q, double time, tally *t) {
  exact_ask(e, (exact_kind)q->kind, q->x[0], q->x[1]);
  const bool touches = exact_touch(e, 1, true), found = time <= 1;
  const bool missed = touches && !found, late = found && exact_touch(e, time, false);
  const bool is_false = found && !touches;
  const bool early = found && touches && !exact_touch(e, fmin(1, time + 1e-8), true);
  const int class = choose_class(q, time);
  t->queries++, t->touches += touches, t->missed += missed, t->late += late;
  t->no_times += !(time >= 0 && found) && time != INFINITY;
  t->of[class].queries++, t->of[class].false_touches += is_false, t->of[class].early += early;
  const double apart = is_false ? fmin(find_least_distance(q, time, 0), find_least_distance(q, 0, 0))
                       : early  ? find_least_distance(q, time, 28)
                                : 0;
  t->of[class].farthest = fmax(apart, t->of[class].farthest);
  if (missed && t->missed == 1) print_query("missed", q, time);
  if (late && t->late == 1) print_query("late", q, time);
  if ((is_false || early) && (class == AS_MADE || apart > near_miss))
    print_query(is_false ? "false" : "early", q, time);
}

/* Runs queries of one kind in one batch, and some alone without wide registers. */
static void run_queries(const query *q, int kind, double *times, tally *t) {
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

static tally compare_many(make_query *make, int salt, long count) {
  rng r = rng_start((uint64_t)salt);
  tally t = {0};
  exact_question *e = malloc(sizeof *e);
  for (long batches = count / BATCH; batches > 0; --batches) {
    query q[BATCH];
    double times[BATCH];
    for (int i = 0; i < BATCH; ++i) q[i] = make_fitting_query(make, &r, (int)(batches % 2));
    run_queries(q, (int)(batches % 2), times, &t);
    for (int i = 0; i < BATCH; ++i) compare_with_exact(e, &q[i], times[i], &t);
  }
  free(e);
  return t;
}

static void print_tally(const tally *t) {
  printf("\n    seed %llu: %lld queries, %lld touch; missed %lld, late %lld", (unsigned long long)rng_seed(),
         (long long)t->queries, (long long)t->touches, (long long)t->missed, (long long)t->late);
  for (int i = 0; i < CLASSES; ++i)
    printf("\n    %s: %lld queries, false %lld, early %lld, farthest of these %.1e", class_names[i],
           (long long)t->of[i].queries, (long long)t->of[i].false_touches, (long long)t->of[i].early,
           t->of[i].farthest);
}

static void check_tally(const tally *t) {
  CU_ASSERT(t->touches > t->queries / 20 && t->touches < t->queries / 2);
  CU_ASSERT_EQUAL(t->missed, 0);
  CU_ASSERT_EQUAL(t->late, 0);
  CU_ASSERT_EQUAL(t->different, 0);
  CU_ASSERT_EQUAL(t->no_times, 0);
  CU_ASSERT_EQUAL(t->of[AS_MADE].false_touches, 0);
  CU_ASSERT_EQUAL(t->of[AS_MADE].early, 0);
  for (int i = 0; i < CLASSES; ++i) CU_ASSERT(t->of[i].farthest <= near_miss);
}

static double share(int64_t part, int64_t of) { return (double)part / (double)(of > 0 ? of : 1); }

/* Beside the touch that rounding makes there is no exact answer to be had: a share without a gate. */
static void report_fuzz(const tally *t) {
  const int64_t others = t->of[ROUNDED].queries + t->of[COLLAPSED].queries;
  suite_gate("20,000 queries of small integers, far away, scaled, with last bits changed, at the ends of the range of "
             "doubles, in exact arithmetic: missed, late",
             (double)(t->missed + t->late), 0);
  suite_gate("of these, coordinates as made: false, early",
             (double)(t->of[AS_MADE].false_touches + t->of[AS_MADE].early), 0);
  suite_figure_at_most("of these, the others: false, a share",
                       share(t->of[ROUNDED].false_touches + t->of[COLLAPSED].false_touches, others), .004);
  suite_figure_at_most("of these, the others: early, a share",
                       share(t->of[ROUNDED].early + t->of[COLLAPSED].early, others), .003);
}

static void report_adversaries(const tally *t) {
  CU_ASSERT_EQUAL(t->of[AS_MADE].queries, 0);
  suite_gate("2,000 adversaries, in exact arithmetic (slivers that turn, edges that glide along each other, all "
             "through a point, almost in a plane, sizes 1e9 apart): missed, late",
             (double)(t->missed + t->late), 0);
  suite_figure_at_most("of the adversaries: false, a share",
                       share(t->of[ROUNDED].false_touches + t->of[COLLAPSED].false_touches, t->queries), .003);
  suite_figure_at_most("of the adversaries: early, a share",
                       share(t->of[ROUNDED].early + t->of[COLLAPSED].early, t->queries), .01);
}

static void test_fuzz(void) {
  const tally t = compare_many(draw_query, 31, suite_scenes() * (suite_is_quick() ? 3 : PER_SCENE));
  print_tally(&t);
  check_tally(&t);
  report_fuzz(&t);
}

static void test_adversarial_queries(void) {
  const tally t = compare_many(make_adversarial_query, 32, suite_scenes());
  print_tally(&t);
  check_tally(&t);
  report_adversaries(&t);
}

/* -------------------------------------------------------------------------------------------- tests of the oracle */

static bool oracle_touches(int kind, const double start[12], const double end[12], double t, bool at_t_too) {
  exact_question *e = malloc(sizeof *e);
  exact_ask(e, (exact_kind)kind, start, end);
  const bool touch = exact_touch(e, t, at_t_too);
  free(e);
  return touch;
}

/* At a third, which is not a double; at both ends; a double root, and slightly beside it; a triple root, where all
 * corners reach the node at once. */
static void test_oracle(void) {
  static const double third[2][12] = {{1, 1, 1, 0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, -2, 0, 0, 0, 4, 0, 0, 0, 4, 0}};
  static const double resting[12] = {1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0};
  static const double point[2][12] = {{0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3}, {0, 0, 0, -6, 0, 0, 0, -6, 0, 0, 0, -6}};
  double graze[2][12] = {{0.5, 2, 0.25, 0, 0, 0, 4, 0, 0, 0, 4, 0}, {0.5, 1, 1.25, 0, 0, 0, 4, 0, 0, 0, 4, 4}};
  CU_ASSERT(oracle_touches(0, third[0], third[1], 1, true));
  CU_ASSERT(!oracle_touches(0, third[0], third[1], 1. / 3, true)); /* the double is less than a third */
  CU_ASSERT(oracle_touches(0, third[0], third[1], nextafter(1. / 3, 1), false));
  CU_ASSERT(oracle_touches(0, resting, resting, 0, true));
  CU_ASSERT(!oracle_touches(0, resting, resting, 0, false));
  CU_ASSERT(oracle_touches(0, point[0], point[1], 1, true));
  CU_ASSERT(!oracle_touches(0, point[0], point[1], 1. / 3, true));
  CU_ASSERT(oracle_touches(0, graze[0], graze[1], 0.5, true));
  CU_ASSERT(!oracle_touches(0, graze[0], graze[1], 0.5, false));
  graze[0][2] += 0x1p-50;
  CU_ASSERT(!oracle_touches(0, graze[0], graze[1], 1, true));
  graze[0][2] -= 0x1p-49;
  CU_ASSERT(oracle_touches(0, graze[0], graze[1], 1, true));
}

/* Times that are square roots, against their closed form. */
static void test_oracle_irrational(void) {
  for (int i = 1; i < 50; ++i) {
    const double height = i / 64.;
    const double start[12] = {0.125, 0.25, height, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double end[12] = {0.125, 0.5, height, 0, 0, 0, 2, 0, 0, 0, 1, 1};
    /* the face's plane is z = t y, the node is at y = (1 + t) / 4 */
    const double t = (sqrt(1 + 16 * height) - 1) / 2;
    CU_ASSERT_EQUAL(oracle_touches(0, start, end, 1, true), t <= 1);
    if (t > 1) continue;
    CU_ASSERT(!oracle_touches(0, start, end, t * (1 - 1e-14), true));
    CU_ASSERT(oracle_touches(0, start, end, fmin(1, t * (1 + 1e-14)), true));
  }
}

int main(int argc, char **argv) {
  CU_TestInfo tests[] = {{"the oracle, simple cases", test_oracle},
                         {"the oracle, irrational times", test_oracle_irrational},
                         {"fuzz", test_fuzz},
                         {"adversarial queries", test_adversarial_queries},
                         CU_TEST_INFO_NULL};
  return suite_main(argc, argv, "ccd_fuzz", tests);
}
