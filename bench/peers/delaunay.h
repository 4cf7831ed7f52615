/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edges of a Delaunay triangulation as candidates, after Ferrez 2001. No peer: two spheres that overlap need not share
 * an edge when a third one is in between, so that the answer is not that of a search. */
#ifndef IMPINGE_BENCH_DELAUNAY_H
#define IMPINGE_BENCH_DELAUNAY_H

#include "impinge/search.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Triangulates points (3 each) and gives every edge to the sink once; *bytes is what the triangulation took. False when
 * the library gave up. */
bool delaunay_edges(const double *points, int64_t count, ipg_sink *sink, void *context, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
