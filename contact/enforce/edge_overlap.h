/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The contact energy of two sharp edges that cross, and its exact gradient.
 *
 *     E(e, f) = K c psi(p),    c = a_e a_f r w_e w_f,    p = min(d, 3 L - 2 d)
 *
 * n      the common perpendicular of both lines, out of e; d: how far e lies beyond f along it
 * a      whether n lies between the normals of the two faces at an edge: rises from 0 to 1 where n leans over both by
 *        6 to 17 degrees. Nearer to one of them the other edge lies on that face, and faces are in contact
 * r      the same for the angle between the lines, from 17 to 37 degrees: two edges side by side are a matter of their
 *        faces too
 * w      whether the lines are nearest to each other within the edges: 1 inside, 0 beyond their ends. Where an edge
 * goes straight on as another one the two sum to 1, so nothing changes while contact slides over their node psi    as
 * of faces: see face_overlap.h; L: depth from which the edges come out on the other side
 *
 * Where all factors are above 0 the nearest point of e lies d below the wedge of f, and that of f below the wedge of e:
 * bodies that are deeper than 1.5 L there do overlap. As the energy of faces, E is the same in every frame. */
#ifndef IMPINGE_ENFORCE_EDGE_OVERLAP_H
#define IMPINGE_ENFORCE_EDGE_OVERLAP_H

#include "enforce/face_overlap.h"

typedef struct ipg_overlap_edge {
  vec points[4];     /* both ends, and the third corners of the faces on its left and its right */
  double offsets[2]; /* of the surface at the ends, as of faces */
  double heights[2]; /* of the faces at the start, from the edge to the third corners */
  double starts[2];  /* at each end: where the rise of w from 0 to 1 has come half, along the edge from the end, */
  double widths[2];  /* and half of its length */
} ipg_overlap_edge;

/* law->stiffness is K, force per depth. Forces are in the order of points 0, 1, 1 and then 2, 3: a face of no area with
 * two points more. False: no contact. */
bool ipg_edge_overlap(const ipg_overlap_edge *e, const ipg_overlap_edge *f, const ipg_overlap_law *law,
                      ipg_overlap *overlap);

/* Where their lines are nearest to each other, as fractions of the ways from the first ends. */
void ipg_nearest_on_edges(const vec e[2], const vec f[2], double fractions[2]);
/* The unit vector across both edges, given by their ends, that goes along `sense`. */
vec ipg_normal_of_edges(const vec e[2], const vec f[2], vec sense);
/* Adds the forces on the ends that work on minus `by_normal` times the turn of that vector. */
void ipg_add_turning_of_edges(const vec e[2], const vec f[2], vec by_normal, vec normal, vec forces[2][2]);

#endif
