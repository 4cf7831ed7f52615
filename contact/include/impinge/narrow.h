/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Exact geometry for the candidates of a search: closest points, the crossing of a node's path through a face's path,
 * and the first touch of node and face or of edge and edge (continuous collision detection).
 *
 * Stateless: arrays in, results out, callable from any thread. A point is three doubles; faces are wound so that
 * (b - a) x (c - a) points outward. */
#ifndef IMPINGE_NARROW_H
#define IMPINGE_NARROW_H

#include "impinge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Weights (sum 1, none negative) of the point of triangle abc that is closest to p. A triangle without area counts as
 * its edges. */
IPG_API void ipg_closest_on_triangle(const double p[3], const double a[3], const double b[3], const double c[3],
                                     double weights[3]);

/* The closest points of segments ab and cd: a + weights[0] (b - a) and c + weights[1] (d - c), both weights from 0
 * to 1. Segments may be parallel, or points; if several pairs are closest, one of them is returned. */
IPG_API void ipg_closest_on_segments(const double a[3], const double b[3], const double c[3], const double d[3],
                                     double weights[2]);

/* Where two triangles are closest to each other, seen along some direction. */
typedef struct ipg_closest_seen {
  double beside; /* their distance across the direction; 0: they lie over each other */
  double
      over; /* how far the second is over the first along the direction there; where they lie over each other, most */
} ipg_closest_seen;

/* Triangles a and b, corner after corner, seen along n, which has length 1. They lie over each other if they do so up
 * to rounding. */
IPG_API ipg_closest_seen ipg_closest_triangles_seen(const double a[9], const double b[9], const double n[3]);

/* A node and the three nodes of a face at the start and at the end of a step. Between, each moves on a straight line
 * with constant speed. */
typedef struct ipg_node_face_path {
  double node[2][3];
  double face[2][3][3];
} ipg_node_face_path;

/* The time interval, as fractions of the step, of a node's crossing through a face: not before `earliest`, completed by
 * `latest` (1 if the node never gets behind the face by more than rounding). */
typedef struct ipg_crossing {
  double earliest, latest;
} ipg_crossing;

/* Returns true, with the first crossing, if the node crosses the face from its front to its back. Borders belong to the
 * face, with a margin of 1e-8 of its size, so that no path slips between two faces; a node up to 1e-9 of the face's
 * size behind it at the start counts as being in front. Where rounding leaves the result undecided it is true. */
IPG_API bool ipg_node_enters_face(const ipg_node_face_path *path, ipg_crossing *crossing);

/* ---------------------------------------------------------------------------------------------------- the first touch
 *
 * Node and face, or edge and edge, touch when their distance falls to `separation`; with separation 0, when they
 * intersect. Faces and edges are closed, both sides count; they may collapse, be at rest, or stay in one plane. Paths
 * are straight, with constant speed, from the positions at the start to those at the end of the step, exactly as the
 * doubles give them.
 *
 * No touch is ever missed, and none is reported late: the time found is never after the exact first touch. It is
 * before it by less than 1e-8 of the step where the pair touches clearly, by more where rounding leaves no choice. In
 * doubt the result is a touch: with separation 0, when the distance of the pair falls below some 1e-16 of its size
 * without a touch (before that is reported, doubles are followed by pairs of doubles), or when a bounded number of
 * halvings of the step does not separate it; with a separation, when its distance equals the separation to some 13
 * digits, or stays within a millionth of the pair's size of it for long. A pair with positions that are not finite, or
 * farther apart than 1e300, touches at once; of such a touch only the time is meaningful. All this is proven for
 * doubles rounded to nearest, which is the default rounding mode. */

/* Four moving points per query: a node and the corners of a face, or the ends of one edge and of another. */
typedef struct ipg_touch_queries {
  const double *start, *end; /* positions of all points, three doubles each */
  const ipg_id *points;      /* four per query; a point may occur twice */
  int64_t count;
  double separation; /* 0 or more */
} ipg_touch_queries;

/* times[i] is the time of the first touch of query i, as a fraction of the step, or INFINITY if there is none. The
 * result of a query is the same bits in any batch, on any processor; tasks may divide a batch. Fails, with nothing
 * written, only for invalid arguments. */
IPG_API ipg_status ipg_find_node_face_touches(const ipg_touch_queries *queries, double *times, ipg_error *error);
IPG_API ipg_status ipg_find_edge_edge_touches(const ipg_touch_queries *queries, double *times, ipg_error *error);

/* A touch with its witness points, the closest points of the two at that time; `normal` is a unit vector from the
 * second (the face, the second edge) to the first, toward the side the first came from; 0 only if no direction can be
 * found. */
typedef struct ipg_touch {
  double time;
  double weights[4]; /* of the four points: 1 and the face's, or those of the one edge and of the other */
  double witness[2][3];
  double normal[3];
  double distance;
} ipg_touch;

/* The touch of query i at a time that one of the functions above found for it. */
IPG_API ipg_touch ipg_node_face_touch_at(const ipg_touch_queries *queries, int64_t i, double time);
IPG_API ipg_touch ipg_edge_edge_touch_at(const ipg_touch_queries *queries, int64_t i, double time);

/* Two edges at the start and at the end of a step: [start, end][end of the edge]. */
typedef struct ipg_edge_edge_path {
  double first[2][2][3], second[2][2][3];
} ipg_edge_edge_path;

/* One query alone: false if they never touch, else true with the touch. The same bits as in a batch. */
IPG_API bool ipg_node_touches_face(const ipg_node_face_path *path, double separation, ipg_touch *touch);
IPG_API bool ipg_edge_touches_edge(const ipg_edge_edge_path *path, double separation, ipg_touch *touch);

#ifdef __cplusplus
}
#endif
#endif
