/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Exact geometry on what the search leaves: closest points, a node's path through a face's path, and the first touch of
 * node and face or of edge and edge on the way.
 * Stateless: points in, answers out. A point is three doubles; faces are wound so that (b - a) x (c - a) points out. */
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

/* Where segments ab and cd are closest: at a + weights[0] (b - a) and c + weights[1] (d - c), both from 0 to 1.
 * Segments may be parallel, or points; of several closest pairs one is taken. */
IPG_API void ipg_closest_on_segments(const double a[3], const double b[3], const double c[3], const double d[3],
                                     double weights[2]);

/* A node and the three nodes of a face at the start and at the end of a step. Between, each moves on a straight line
 * with constant speed. */
typedef struct ipg_node_face_path {
  double node[2][3];
  double face[2][3][3];
} ipg_node_face_path;

/* When a node passes through a face, in parts of the step: not before `earliest`, surely done by `latest` (1 if the
 * node never gets behind the face by more than rounding). */
typedef struct ipg_crossing {
  double earliest, latest;
} ipg_crossing;

/* Does the node pass through the face from its front to its back? True with its first passage. Borders belong to the
 * face, with a margin of 1e-8 of its size, so that no path slips between two faces; a node up to 1e-9 of the face's
 * size behind it at the start counts as being in front. Where rounding leaves the answer open it is "true". */
IPG_API bool ipg_node_enters_face(const ipg_node_face_path *path, ipg_crossing *passage);

/* ---------------------------------------------------------------------------------------------------- the first touch
 *
 * Node and face, or edge and edge, touch when they come as close as `separation`; with separation 0, when they meet.
 * Faces and edges are closed, both sides count, they may collapse, rest, or lie in one plane all the time. Paths are
 * straight, with constant speed, from the places at the start to those at the end of the step, exactly as the doubles
 * say.
 *
 * No touch is ever missed, and none is reported late: the time found is never behind the exact first touch. It is
 * before it by less than 1e-8 of the step where the pair touches clearly, more where rounding leaves no choice. In
 * doubt the answer is "touch": with separation 0, when the pair comes closer than some 1e-16 of its size without
 * touching (doubles are followed by pairs of doubles before that is said), or when a bounded number of halvings of the
 * step does not part it; with a separation, when its distance is the separation to some 13 digits, or comes to within
 * a millionth of the pair's size of it for long. Places that are not finite, or farther than 1e300 apart, touch at
 * once; only the time of such a touch means anything. All that is proven for doubles rounded to nearest, as they are
 * unless a program asks otherwise. */

/* Four moving points a query: a node and the corners of a face, or the ends of one edge and of another. */
typedef struct ipg_touch_queries {
  const double *start, *end; /* places of all points, three doubles each */
  const ipg_id *points;      /* four per query; a point may come twice */
  int64_t count;
  double separation; /* 0 or more */
} ipg_touch_queries;

/* times[i] is the time of the first touch of query i, in parts of the step, or INFINITY where there is none. A query's
 * answer is the same bits in any batch, on any processor; tasks may share a batch out between them. Fails, with nothing
 * written, only for arguments that cannot be meant. */
IPG_API ipg_status ipg_node_face_touches(const ipg_touch_queries *queries, double *times, ipg_error *error);
IPG_API ipg_status ipg_edge_edge_touches(const ipg_touch_queries *queries, double *times, ipg_error *error);

/* A touch in full. The two places are closest to each other at that time; `normal` is a unit vector from the second
 * (the face, the second edge) to the first, the way the first came from; 0 only if nothing at all tells a direction. */
typedef struct ipg_touch {
  double time;
  double weights[4]; /* of the four points: 1 and the face's, or those of the one edge and of the other */
  double place[2][3];
  double normal[3];
  double distance;
} ipg_touch;

/* The touch of query i at a time that one of the above found for it. */
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
