/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The distance of a node from a face, or of two edges, on their straight paths, in long double and by other means than
 * the library's. It is the distance of a point of the one from a point of the other, so it may be slightly above the
 * true one and is below it by at most 1e-18 of the size. Faces may be slivers or have no area, edges no length. */
#ifndef IMPINGE_TESTS_DISTANCE_H
#define IMPINGE_TESTS_DISTANCE_H

#include <math.h>

/* Of four points at time t; kind 0 is node and face, 1 two edges. */
long double l_distance(int kind, const double start[12], const double end[12], long double t);
/* The time between lo and hi when they are closest, if they approach up to it and part after it. */
long double l_closest_time(int kind, const double start[12], const double end[12], long double lo, long double hi);

#endif
