/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The hunt for the first touch: a span of time is ended by proof or halved, the earlier half first.
 *
 * Everything before the span in hand is over beyond doubt, so its lower end is never late. The hunt ends with "never"
 * only when all of the step is over. It ends with a touch when one is proven and closed in upon; or when the pair
 * cannot be told from touching at the start, at the deepest level, or when the tests are used up: before these, with
 * separation 0, pairs of doubles have their say. */
#include "narrow/ccd.h"
#include "support/simd.h"

#include <math.h>

/* Times are found to a tick of 2^-27 of the step. A near miss takes up to two tests a level: some 120 to the deepest,
 * and a path may have several, for the cubic has three roots, and there are start and end. */
enum { CLOSE_LEVEL = 27, MOST_TESTS = 1024, MOST_FINE_TESTS = 8192 };

typedef struct hunt {
  const ipg_flat_kind *kind;
  const ipg_touch_queries *queries;
  int64_t query;
  ipg_flat flat;
  ipg_flat_fine fine_flat;
  bool fine;
  int tests; /* that are left */
  ipg_span span;
} hunt;

static ipg_verdict judge(const hunt *h, ipg_span span) {
  return h->fine ? ipg_flat_judge_fine(h->kind, &h->fine_flat, span) : ipg_flat_judge(h->kind, &h->flat, span);
}

static ipg_verdict judge_plane(const hunt *h, ipg_span span) {
  return h->fine ? ipg_flat_judge_plane_fine(h->kind, &h->fine_flat, span)
                 : ipg_flat_judge_plane(h->kind, &h->flat, span);
}

/* On to the span behind, the longest that begins where this one ends; false at the end of the step. */
static bool step_on(ipg_span *span) {
  while (span->level && span->to % 2 == 0) span->to /= 2, span->level--;
  span->from = span->to++;
  return span->level > 0;
}

static void halve(ipg_span *span) {
  span->level++;
  span->from *= 2;
  span->to = span->from + 1;
}

/* Rounded down, as times are. */
static double lower_end(const ipg_span *span) {
  const uint64_t dropped = span->from >> 53 ? 255 : 0; /* 60 bits at most */
  return (double)(span->from & ~dropped) / (double)((uint64_t)1 << span->level);
}

/* From here on in pairs of doubles; false if that has been, or would not help. */
static bool turn_fine(hunt *h) {
  if (h->fine || !h->flat.proper || h->queries->separation > 0) return false;
  h->fine_flat = ipg_flat_fine_of(h->kind, h->queries, h->query, &h->flat);
  h->fine = true;
  h->tests = MOST_FINE_TESTS;
  return true;
}

/* Do they touch at the start? At every later lower end they do not: the span before it, ends included, is over. */
static bool touch_at_start(hunt *h) {
  const ipg_span start = {0, 0, 0};
  if (h->queries->separation > 0 && !(ipg_flat_excess(h->kind, &h->flat, 0) > 0)) return true;
  return judge(h, start) != IPG_APART && !(turn_fine(h) && judge(h, start) == IPG_APART);
}

/* ---------------------------------------------------------------------------------------------- the time of a touch */

/* Is the span over? Without a separation only the polygon's plane matters. */
static bool is_over(hunt *h, ipg_span span) {
  if (h->queries->separation > 0) return ipg_flat_approaches(h->kind, &h->flat, span);
  ipg_verdict verdict = judge_plane(h, span);
  if (verdict == IPG_OPEN && turn_fine(h)) verdict = judge_plane(h, span);
  return verdict == IPG_APART;
}

/* Moves the span's lower end on by a step, not beyond the upper, if the time up to there is over. */
static bool step_over(hunt *h, uint64_t step) {
  const ipg_span next = {h->span.from, h->span.from + step, h->span.level};
  if (next.to > h->span.to || h->tests-- <= 0 || !is_over(h, next)) return false;
  h->span.from = next.to;
  return true;
}

/* Up to the goal, or as near as can be, by a part of the way each time: the part is halved when that fails and doubled
 * when it succeeds again and again. */
static void approach(hunt *h, uint64_t goal) {
  for (int halvings = 0, luck = 0; h->span.from < goal && h->tests > 0;) {
    const uint64_t way = goal - h->span.from, step = way >> halvings;
    if (step_over(h, step ? step : 1)) {
      if (++luck == 4 && halvings > 0) halvings--, luck = 0;
    } else {
      if (step <= 1) return;
      halvings++, luck = 0;
    }
  }
}

/* On in steps that double until one fails, then halve. */
static void feel_ahead(hunt *h) {
  uint64_t step = 1;
  while (step < h->span.to - h->span.from && step_over(h, step)) step *= 2;
  while ((step /= 2) > 0) step_over(h, step);
}

/* They touch in the span, at about `guess`, 0 to 1 in it. What is left ends up within a tick of the first touch. */
static void close_in(hunt *h, double guess) {
  const int finer = CLOSE_LEVEL - h->span.level;
  if (finer <= 0) return;
  const uint64_t from = h->span.from << finer, to = h->span.to << finer;
  const uint64_t ahead = (uint64_t)(guess * (double)(to - from));
  h->span = (ipg_span){from, to, CLOSE_LEVEL};
  if (ahead > 1) approach(h, from + ahead - 1);
  feel_ahead(h);
}

/* By how much are they farther apart than the separation within the span, from 0 to 1? */
static double excess(const hunt *h, double part) {
  const double unit = 1 / (double)((uint64_t)1 << h->span.level);
  return ipg_flat_excess(h->kind, &h->flat, unit * ((double)h->span.from + part));
}

/* When the excess, `before` at the start of the span and `after`, not above zero, at `hi`, is zero: Illinois' rule. */
static double guess_separation(const hunt *h, double before, double hi, double after) {
  double lo = 0, part = hi;
  for (int i = 0, last = 0; i < 16 && after < 0; ++i) {
    part = lo + (hi - lo) * (before / (before - after));
    const double here = excess(h, part);
    const int side = here > 0 ? 1 : -1;
    if (side > 0) lo = part, before = here, after *= last == side ? 0.5 : 1;
    else hi = part, after = here, before *= last == side ? 0.5 : 1;
    if (hi - lo < 1e-12 || fabs(here) < 1e-13) break;
    last = side;
  }
  return part;
}

/* As close as the separation at the end of the span, or when the plane passes over the origin? Then when first? */
static bool has_come_close(hunt *h) {
  const double before = excess(h, 0);
  double part = 1, after = excess(h, 1);
  if (after > 0) part = ipg_flat_guess(h->kind, &h->flat, h->span), after = part < 1 ? excess(h, part) : after;
  if (after > 0) return false;
  if (before > 0) close_in(h, guess_separation(h, before, part, after));
  return true;
}

/* A touch that is sure, and found to the tick. */
static bool has_closed_in(hunt *h, ipg_verdict verdict) {
  if (h->queries->separation > 0) return has_come_close(h);
  if (verdict != IPG_TOUCHING) return false;
  close_in(h, ipg_flat_guess(h->kind, &h->flat, h->span));
  return true;
}

/* --------------------------------------------------------------------------------------------------------- the hunt */

/* The touch, or the span that cannot be ended, is in h->span if this returns true. */
static bool find_touch(hunt *h) {
  while (h->tests-- > 0 || turn_fine(h)) {
    const ipg_verdict verdict = judge(h, h->span);
    if (verdict == IPG_APART) {
      if (!step_on(&h->span)) return false;
    } else if (has_closed_in(h, verdict)) {
      return true;
    } else if (h->span.level < (h->fine ? IPG_DEEPEST_FINE : IPG_DEEPEST)) {
      halve(&h->span);
    } else if (!turn_fine(h)) {
      return true;
    }
  }
  return true;
}

double ipg_first_touch(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t query) {
  hunt h = {.kind = kind, .queries = queries, .query = query, .tests = MOST_TESTS, .span = {0, 1, 0}};
  h.flat = ipg_flat_of(kind, queries, query);
  if (judge(&h, h.span) == IPG_APART) return INFINITY;
  if (touch_at_start(&h)) return 0;
  return find_touch(&h) ? lower_end(&h.span) : INFINITY;
}

/* ---------------------------------------------------------------------------------------------------------- batches */

static ipg_status check(const ipg_touch_queries *q, const double *times, ipg_error *error) {
  if (q->count < 0)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "the number of touch queries is %lld; give 0 or more",
                    (long long)q->count);
  if (q->count && (!q->start || !q->end || !q->points || !times))
    return ipg_fail(
        error, IPG_ERROR_ARGUMENT,
        "touch queries need places at start and end, four points each, and room for the times; one is NULL");
  if (!(q->separation >= 0 && isfinite(q->separation)))
    return ipg_fail(error, IPG_ERROR_NUMBER, "the separation of touch queries is %g; give 0 or a positive number",
                    q->separation);
  return IPG_OK;
}

/* The wide kernel ends most pairs; who is left starts from the beginning, so that answers do not depend on it. */
static int64_t first_touches_wide(const ipg_flat_kind *kind, const ipg_touch_queries *queries, double *times) {
  int64_t i = 0;
#ifdef IPG_HAVE_AVX2
  for (; i + 4 <= queries->count; i += 4) {
    const unsigned apart = ipg_flat_apart_avx2(kind, queries, i);
    for (int lane = 0; lane < 4; ++lane)
      times[i + lane] = apart >> lane & 1 ? INFINITY : ipg_first_touch(kind, queries, i + lane);
  }
#else
  (void)kind, (void)queries, (void)times;
#endif
  return i;
}

void ipg_first_touches(const ipg_flat_kind *kind, ipg_simd simd, const ipg_touch_queries *queries, double *times) {
  int64_t i = simd == IPG_SIMD_AVX2 ? first_touches_wide(kind, queries, times) : 0;
  for (; i < queries->count; ++i) times[i] = ipg_first_touch(kind, queries, i);
}

static ipg_status first_touches(const ipg_flat_kind *kind, const ipg_touch_queries *queries, double *times,
                                ipg_error *error) {
  ipg_simd simd = IPG_SIMD_SCALAR;
  ipg_status status = check(queries, times, error);
  if (!status) status = ipg_simd_choose(&simd, error);
  if (!status) ipg_first_touches(kind, simd, queries, times);
  return status;
}

ipg_status ipg_node_face_touches(const ipg_touch_queries *queries, double *times, ipg_error *error) {
  return first_touches(&ipg_node_face_flat, queries, times, error);
}

ipg_status ipg_edge_edge_touches(const ipg_touch_queries *queries, double *times, ipg_error *error) {
  return first_touches(&ipg_edge_edge_flat, queries, times, error);
}
