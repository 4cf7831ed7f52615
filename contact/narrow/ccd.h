/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Continuous collision detection as one question.
 *
 * Node p touches face abc when the origin lies in the triangle a-p, b-p, c-p; edges ab and cd touch when it lies in the
 * parallelogram c-a, d-a, d-b, c-b. Either way: a flat polygon, whose corners move on straight lines, and the origin. A
 * span of time is over if a plane through the origin keeps the whole polygon on one side all through it
 * (ccd_separating_planes.h); else it is halved, the earlier half first (ccd.c). What is over is over beyond rounding,
 * so the lower end of the first span that cannot be ended is never behind the first touch.
 *
 * The same text is compiled for doubles (ccd_scalar.c), four pairs at once (ccd_avx2.c), and pairs of doubles
 * (ccd_double_double.c), which settle what doubles leave open. */
#ifndef IMPINGE_NARROW_CCD_H
#define IMPINGE_NARROW_CCD_H

#include "impinge/narrow.h"
#include "support/simd.h"

enum { IPG_FLAT_CORNERS = 4 };

/* How a polygon comes from four points: corner i is point to[i] less point from[i]. */
typedef struct ipg_flat_kind {
  int corners, from[IPG_FLAT_CORNERS], to[IPG_FLAT_CORNERS];
} ipg_flat_kind;

static const ipg_flat_kind ipg_node_face_flat = {3, {0, 0, 0}, {1, 2, 3}};
static const ipg_flat_kind ipg_edge_edge_flat = {4, {0, 0, 1, 1}, {2, 3, 3, 2}};

/* A polygon's path, scaled by a power of two to a size of 1 to 2. */
typedef struct ipg_flat {
  double corner[2][IPG_FLAT_CORNERS][3]; /* at the start and at the end */
  double size;                           /* no coordinate is ever larger but for rounding */
  double separation, separation2;        /* and its square, rounded up */
  double scale;
  bool proper; /* all places are finite, and not too far apart to compute with */
} ipg_flat;

/* A double and the rounding error it comes with. */
typedef struct ipg_twofold {
  double high, low;
} ipg_twofold;

/* The same path, if proper, with nothing lost but what underflows. No error of a difference is lost to the upper end of
 * the range: places that are so large, and no farther apart than proper ones, have an exact difference. */
typedef struct ipg_flat_fine {
  ipg_twofold corner[2][IPG_FLAT_CORNERS][3];
  double size;
} ipg_flat_fine;

/* The time from `from` / 2^level to `to` / 2^level. */
typedef struct ipg_span {
  uint64_t from, to;
  int level;
} ipg_span;

/* Levels at which spans are still told apart by the numbers they are computed in. */
enum { IPG_DEEPEST = 40, IPG_DEEPEST_FINE = 60 };

/* Of a span: the two surely stay apart, by more than the separation; they surely touch, or as good as that, with no
 * separation; or neither can be told. */
typedef enum ipg_verdict { IPG_APART, IPG_TOUCHING, IPG_OPEN } ipg_verdict;

ipg_flat ipg_flat_of(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t query);
ipg_verdict ipg_flat_judge(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span);
/* The same of the polygon's plane and the origin, at a fraction of the cost. */
ipg_verdict ipg_flat_judge_plane(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span);
/* Is it surely apart, seen from the end of the span? What comes closer all the time is told so up to a hair. */
bool ipg_flat_approaches(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span);
/* When, from 0 to 1 in the span, the origin passes through the plane: near enough to ask about, nothing more. */
double ipg_flat_guess(const ipg_flat_kind *kind, const ipg_flat *flat, ipg_span span);

/* By how much the polygon is farther from the origin than the separation at a time, near enough to ask about. */
double ipg_flat_excess(const ipg_flat_kind *kind, const ipg_flat *flat, double time);

/* In pairs of doubles. */
ipg_flat_fine ipg_flat_fine_of(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t query,
                               const ipg_flat *flat);
ipg_verdict ipg_flat_judge_fine(const ipg_flat_kind *kind, const ipg_flat_fine *flat, ipg_span span);
ipg_verdict ipg_flat_judge_plane_fine(const ipg_flat_kind *kind, const ipg_flat_fine *flat, ipg_span span);

/* One bit for each of four queries in a row: most of those that are judged apart for the whole step, no others. */
unsigned ipg_flat_apart_avx2(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t first);

/* The time of a query's first touch, or INFINITY. */
double ipg_first_touch(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t query);
/* Of all queries, which must be proper: then nothing can fail. */
void ipg_first_touches(const ipg_flat_kind *kind, ipg_simd simd, const ipg_touch_queries *queries, double *times);

#endif
