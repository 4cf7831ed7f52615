/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edges of a Delaunay triangulation as candidates, after Ferrez 2001. This is not a peer: two overlapping spheres need
 * not share an edge if a third one is between them, so that the result differs from that of a search. */
#ifndef IMPINGE_BENCH_DELAUNAY_H
#define IMPINGE_BENCH_DELAUNAY_H

#include "impinge/search.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Triangulates points (3 coordinates each) and passes every edge to the sink once; *bytes is the memory of the
 * triangulation. Returns false if the library failed. */
bool delaunay_edges(const double *points, int64_t count, ipg_sink *sink, void *context, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
