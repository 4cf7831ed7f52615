/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The search for the first touch: a span of time is proven free or halved, the earlier half first.
 *
 * All time before the current span is proven free, so its lower end is never after the first touch. The search ends
 * without a touch only when the whole step is proven free. It ends with a touch when one is proven and its time is
 * refined; or when the pair cannot be distinguished from touching at the start, at the deepest level, or when the tests
 * are used up: before these, with separation 0, the tests are repeated in pairs of doubles. */
#include "narrow/ccd.h"
#include "support/simd.h"

#include <math.h>

/* Times are found to a resolution of 2^-27 of the step. A near miss takes up to two tests a level, some 120 to the
 * deepest, and a path may have several, since the cubic has three roots, and there are start and end. */
enum { TIME_LEVEL = 27, MOST_TESTS = 1024, MOST_TESTS_DD = 8192 };

typedef struct touch_search {
  const ipg_ccd_primitives *primitives;
  const ipg_touch_queries *queries;
  int64_t query;
  ipg_ccd_polygon polygon;
  ipg_ccd_polygon_dd polygon_dd;
  bool in_dd; /* tests run in pairs of doubles */
  int tests_left;
  ipg_ccd_span span; /* the current one */
} touch_search;

static ipg_ccd_verdict test_span(const touch_search *s, ipg_ccd_span span) {
  return s->in_dd ? ipg_test_span_dd(s->primitives, &s->polygon_dd, span)
                  : ipg_test_span(s->primitives, &s->polygon, span);
}

static ipg_ccd_verdict test_plane(const touch_search *s, ipg_ccd_span span) {
  return s->in_dd ? ipg_test_plane_dd(s->primitives, &s->polygon_dd, span)
                  : ipg_test_plane(s->primitives, &s->polygon, span);
}

/* Moves to the next span, the longest that begins where this one ends; false at the end of the step. */
static bool move_to_next_span(ipg_ccd_span *span) {
  while (span->level && span->to % 2 == 0) span->to /= 2, span->level--;
  span->from = span->to++;
  return span->level > 0;
}

static void halve_span(ipg_ccd_span *span) {
  span->level++;
  span->from *= 2;
  span->to = span->from + 1;
}

/* Rounded down, as all times are. */
static double get_lower_end(const ipg_ccd_span *span) {
  const uint64_t dropped = span->from >> 53 ? 255 : 0; /* 60 bits at most */
  return (double)(span->from & ~dropped) / (double)((uint64_t)1 << span->level);
}

/* Continues in pairs of doubles; false if that is done already, or would not help. */
static bool switch_to_dd(touch_search *s) {
  if (s->in_dd || !s->polygon.valid || s->queries->separation > 0) return false;
  s->polygon_dd = ipg_make_ccd_polygon_dd(s->primitives, s->queries, s->query, &s->polygon);
  s->in_dd = true;
  s->tests_left = MOST_TESTS_DD;
  return true;
}

/* True if the pair cannot be proven separated at the start. At every later lower end it is separated, since the span
 * before it is proven free including its ends. */
static bool touches_at_start(touch_search *s) {
  const ipg_ccd_span start = {0, 0, 0};
  if (s->queries->separation > 0 && !(ipg_excess_distance(s->primitives, &s->polygon, 0) > 0)) return true;
  return test_span(s, start) != IPG_VERDICT_SEPARATED &&
         !(switch_to_dd(s) && test_span(s, start) == IPG_VERDICT_SEPARATED);
}

/* ---------------------------------------------------------------------------------------------- the time of a touch */

/* True if the span is proven free. With separation 0 only the polygon's plane is tested. */
static bool is_free(touch_search *s, ipg_ccd_span span) {
  if (s->queries->separation > 0) return ipg_test_span_from_end(s->primitives, &s->polygon, span);
  ipg_ccd_verdict verdict = test_plane(s, span);
  if (verdict == IPG_VERDICT_UNDECIDED && switch_to_dd(s)) verdict = test_plane(s, span);
  return verdict == IPG_VERDICT_SEPARATED;
}

/* Moves the span's lower end forward by a step, not beyond the upper end, if the time up to there is proven free. */
static bool advance_lower_end(touch_search *s, uint64_t step) {
  const ipg_ccd_span next = {s->span.from, s->span.from + step, s->span.level};
  if (next.to > s->span.to || s->tests_left-- <= 0 || !is_free(s, next)) return false;
  s->span.from = next.to;
  return true;
}

/* Advances to the goal, or as close as possible, by a fraction of the remaining time in each step: the fraction is
 * halved when that fails and doubled after four successes. */
static void advance_to(touch_search *s, uint64_t goal) {
  for (int halvings = 0, successes = 0; s->span.from < goal && s->tests_left > 0;) {
    const uint64_t remaining = goal - s->span.from, step = remaining >> halvings;
    if (advance_lower_end(s, step ? step : 1)) {
      if (++successes == 4 && halvings > 0) halvings--, successes = 0;
    } else {
      if (step <= 1) return;
      halvings++, successes = 0;
    }
  }
}

/* Advances in steps that double until one fails, then halve. */
static void advance_by_doubling(touch_search *s) {
  uint64_t step = 1;
  while (step < s->span.to - s->span.from && advance_lower_end(s, step)) step *= 2;
  while ((step /= 2) > 0) advance_lower_end(s, step);
}

/* For a pair that touches in the span, at about `guess`, 0 to 1 in it: moves the lower end to within the resolution of
 * the first touch. */
static void refine_time(touch_search *s, double guess) {
  const int finer = TIME_LEVEL - s->span.level;
  if (finer <= 0) return;
  const uint64_t from = s->span.from << finer, to = s->span.to << finer;
  const uint64_t ahead = (uint64_t)(guess * (double)(to - from));
  s->span = (ipg_ccd_span){from, to, TIME_LEVEL};
  if (ahead > 1) advance_to(s, from + ahead - 1);
  advance_by_doubling(s);
}

/* The distance minus the separation at a time of the span, from 0 to 1. */
static double excess_at(const touch_search *s, double part) {
  const double unit = 1 / (double)((uint64_t)1 << s->span.level);
  return ipg_excess_distance(s->primitives, &s->polygon, unit * ((double)s->span.from + part));
}

/* The time at which the excess, `before` at the start of the span and `after`, not above zero, at `hi`, is zero, by the
 * Illinois rule. */
static double guess_separation_time(const touch_search *s, double before, double hi, double after) {
  double lo = 0, part = hi;
  for (int i = 0, last = 0; i < 16 && after < 0; ++i) {
    part = lo + (hi - lo) * (before / (before - after));
    const double here = excess_at(s, part);
    const int side = here > 0 ? 1 : -1;
    if (side > 0) lo = part, before = here, after *= last == side ? 0.5 : 1;
    else hi = part, after = here, before *= last == side ? 0.5 : 1;
    if (hi - lo < 1e-12 || fabs(here) < 1e-13) break;
    last = side;
  }
  return part;
}

/* True if the pair is as close as the separation at the end of the span, or when the plane crosses the origin; then the
 * time is refined. */
static bool reaches_separation(touch_search *s) {
  const double before = excess_at(s, 0);
  double part = 1, after = excess_at(s, 1);
  if (after > 0)
    part = ipg_guess_coplanar_time(s->primitives, &s->polygon, s->span), after = part < 1 ? excess_at(s, part) : after;
  if (after > 0) return false;
  if (before > 0) refine_time(s, guess_separation_time(s, before, part, after));
  return true;
}

/* True if a touch in the span is certain; then its time is refined. */
static bool finds_certain_touch(touch_search *s, ipg_ccd_verdict verdict) {
  if (s->queries->separation > 0) return reaches_separation(s);
  if (verdict != IPG_VERDICT_TOUCHING) return false;
  refine_time(s, ipg_guess_coplanar_time(s->primitives, &s->polygon, s->span));
  return true;
}

/* ------------------------------------------------------------------------------------------------------- the search */

/* If true, s->span is the span of the touch, or the one that cannot be proven free. */
static bool find_touch(touch_search *s) {
  while (s->tests_left-- > 0 || switch_to_dd(s)) {
    const ipg_ccd_verdict verdict = test_span(s, s->span);
    if (verdict == IPG_VERDICT_SEPARATED) {
      if (!move_to_next_span(&s->span)) return false;
    } else if (finds_certain_touch(s, verdict)) {
      return true;
    } else if (s->span.level < (s->in_dd ? IPG_CCD_DEEPEST_DD : IPG_CCD_DEEPEST)) {
      halve_span(&s->span);
    } else if (!switch_to_dd(s)) {
      return true;
    }
  }
  return true;
}

double ipg_find_first_touch(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries, int64_t query) {
  touch_search s = {
      .primitives = primitives, .queries = queries, .query = query, .tests_left = MOST_TESTS, .span = {0, 1, 0}};
  s.polygon = ipg_make_ccd_polygon(primitives, queries, query);
  if (test_span(&s, s.span) == IPG_VERDICT_SEPARATED) return INFINITY;
  if (touches_at_start(&s)) return 0;
  return find_touch(&s) ? get_lower_end(&s.span) : INFINITY;
}

/* ---------------------------------------------------------------------------------------------------------- batches */

static ipg_status check_queries(const ipg_touch_queries *q, const double *times, ipg_error *error) {
  if (q->count < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of touch queries is %lld; give 0 or more",
                    (long long)q->count);
  if (q->count && (!q->start || !q->end || !q->points || !times))
    return ipg_fail(error, IPG_ERROR_ARGUMENT,
                    "touch queries need positions at the start and at the end, four points each, and an array for the "
                    "times; one of these is NULL");
  if (!(q->separation >= 0 && isfinite(q->separation)))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the separation of touch queries is %g; give 0 or a positive number",
                    q->separation);
  return IPG_OK;
}

/* The wide kernel proves most pairs separated; the search for the others starts from the beginning, so that results do
 * not depend on it. */
static int64_t find_first_touches_avx2(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries,
                                       double *times) {
  int64_t i = 0;
#ifdef IPG_HAVE_AVX2
  for (; i + 4 <= queries->count; i += 4) {
    const unsigned separated = ipg_test_step_avx2(primitives, queries, i);
    for (int lane = 0; lane < 4; ++lane)
      times[i + lane] = separated >> lane & 1 ? INFINITY : ipg_find_first_touch(primitives, queries, i + lane);
  }
#else
  (void)primitives, (void)queries, (void)times;
#endif
  return i;
}

void ipg_find_first_touches(const ipg_ccd_primitives *primitives, ipg_simd simd, const ipg_touch_queries *queries,
                            double *times) {
  int64_t i = simd == IPG_SIMD_AVX2 ? find_first_touches_avx2(primitives, queries, times) : 0;
  for (; i < queries->count; ++i) times[i] = ipg_find_first_touch(primitives, queries, i);
}

static ipg_status find_first_touches(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries,
                                     double *times, ipg_error *error) {
  ipg_simd simd = IPG_SIMD_SCALAR;
  ipg_status status = check_queries(queries, times, error);
  if (!status) status = ipg_simd_choose(&simd, error);
  if (!status) ipg_find_first_touches(primitives, simd, queries, times);
  return status;
}

ipg_status ipg_find_node_face_touches(const ipg_touch_queries *queries, double *times, ipg_error *error) {
  return find_first_touches(&ipg_ccd_node_face, queries, times, error);
}

ipg_status ipg_find_edge_edge_touches(const ipg_touch_queries *queries, double *times, ipg_error *error) {
  return find_first_touches(&ipg_ccd_edge_edge, queries, times, error);
}
