/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Continuous collision detection (CCD), internal: the time of impact.
 *
 * Node p touches face abc when the origin lies in the triangle a-p, b-p, c-p; edges ab and cd touch when it lies in the
 * parallelogram c-a, d-a, d-b, c-b (the Minkowski difference of the two). Both are a flat polygon whose corners move on
 * straight lines, and the origin. A span of time is free if the two are separated throughout. The proof is a plane
 * through the origin that keeps the whole polygon on one side for the whole span (ccd_separating_planes.h); without a
 * proof the span is halved, the earlier half first (ccd.c). Proofs cover rounding, so the lower end of the first span
 * that cannot be proven free is never after the first touch.
 *
 * The proofs are compiled for doubles (ccd_scalar.c), for four pairs at once (ccd_avx2.c), and for pairs of doubles
 * (ccd_double_double.c), which decide what doubles leave undecided. */
#ifndef IMPINGE_NARROW_CCD_H
#define IMPINGE_NARROW_CCD_H

#include "impinge/narrow.h"
#include "support/simd.h"

enum { IPG_CCD_CORNERS = 4 };

/* The polygon of a pair of primitives, from four points: corner i is point to[i] minus point from[i]. */
typedef struct ipg_ccd_primitives {
  int corners, from[IPG_CCD_CORNERS], to[IPG_CCD_CORNERS];
} ipg_ccd_primitives;

static const ipg_ccd_primitives ipg_ccd_node_face = {3, {0, 0, 0}, {1, 2, 3}};
static const ipg_ccd_primitives ipg_ccd_edge_edge = {4, {0, 0, 1, 1}, {2, 3, 3, 2}};

/* A moving polygon, scaled by a power of two to a size of 1 to 2. */
typedef struct ipg_ccd_polygon {
  double corner[2][IPG_CCD_CORNERS][3]; /* at the start and at the end */
  double size;                          /* bounds every coordinate, up to rounding */
  double separation, separation2;       /* and its square, rounded up */
  double scale;
  bool valid; /* all positions are finite, and close enough together to compute with */
} ipg_ccd_polygon;

/* A double and its rounding error. */
typedef struct ipg_double_double {
  double high, low;
} ipg_double_double;

/* The same polygon, if valid, exact except for underflow. The rounding error of a difference never overflows: positions
 * that are so large, and no farther apart than valid ones, have an exact difference. */
typedef struct ipg_ccd_polygon_dd {
  ipg_double_double corner[2][IPG_CCD_CORNERS][3];
  double size;
} ipg_ccd_polygon_dd;

/* The time from `from` / 2^level to `to` / 2^level. */
typedef struct ipg_ccd_span {
  uint64_t from, to;
  int level;
} ipg_ccd_span;

/* The deepest levels at which the ends of a span are still different numbers, for doubles and for pairs of doubles. */
enum { IPG_CCD_DEEPEST = 40, IPG_CCD_DEEPEST_DD = 60 };

/* Of a span: the two surely stay apart, by more than the separation; they surely touch, up to rounding, with separation
 * 0; or neither is proven. */
typedef enum ipg_ccd_verdict { IPG_VERDICT_SEPARATED, IPG_VERDICT_TOUCHING, IPG_VERDICT_UNDECIDED } ipg_ccd_verdict;

ipg_ccd_polygon ipg_make_ccd_polygon(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries,
                                     int64_t query);
ipg_ccd_verdict ipg_test_span(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, ipg_ccd_span span);
/* The same for the polygon's plane and the origin, at a fraction of the cost. */
ipg_ccd_verdict ipg_test_plane(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, ipg_ccd_span span);
/* True if the span is proven free by planes chosen at its end. For a pair that approaches all the time this succeeds
 * almost up to the touch. */
bool ipg_test_span_from_end(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, ipg_ccd_span span);
/* The time, from 0 to 1 in the span, at which the origin crosses the plane; an estimate without error bound. */
double ipg_guess_coplanar_time(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, ipg_ccd_span span);

/* The distance of the polygon from the origin minus the separation at a time; an estimate without error bound. */
double ipg_excess_distance(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon *polygon, double time);

/* In pairs of doubles. */
ipg_ccd_polygon_dd ipg_make_ccd_polygon_dd(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries,
                                           int64_t query, const ipg_ccd_polygon *polygon);
ipg_ccd_verdict ipg_test_span_dd(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon_dd *polygon,
                                 ipg_ccd_span span);
ipg_ccd_verdict ipg_test_plane_dd(const ipg_ccd_primitives *primitives, const ipg_ccd_polygon_dd *polygon,
                                  ipg_ccd_span span);

/* One bit for each of four consecutive queries: most of those that are separated for the whole step, no others. */
unsigned ipg_test_step_avx2(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries, int64_t first);

/* The time of a query's first touch, or INFINITY. */
double ipg_find_first_touch(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries, int64_t query);
/* Of all queries. They must be valid; then this cannot fail. */
void ipg_find_first_touches(const ipg_ccd_primitives *primitives, ipg_simd simd, const ipg_touch_queries *queries,
                            double *times);

#endif
