/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* All thresholds (tolerances) of contact, in the order of the phases that use them. No phase has a threshold of its
 * own, with two exceptions: the error bounds of continuous detection stand beside their proofs (narrow/ccd_*), and the
 * audit has margins of its own, so that it does not share a mistake with what it checks.
 *
 * Most are relative lengths: fractions of the size of a face, which is the square root of twice its area. The first
 * group is a ladder: each step is wider than the one before, so that no phase discards a pair that the next one would
 * find. Static assertions at its end hold the order of the fractions; the lengths that they refer to differ, so the
 * order is necessary, not sufficient. */
#ifndef IMPINGE_SUPPORT_THRESHOLDS_H
#define IMPINGE_SUPPORT_THRESHOLDS_H

/* 10^-digits, so that the order of thresholds can be asserted at compile time. */
#define IPG_DECIMAL_(digits) 1e-##digits
#define IPG_DECIMAL(digits) IPG_DECIMAL_(digits)

/* ------------------------------------------------------------------------------------------------------- the ladder */

/* A node this far behind a face at the start of a step still counts as in front of it: rounding of the last step put it
 * there. Fraction of the size of the face. */
#define IPG_START_DIGITS 9
#define IPG_START_TOLERANCE IPG_DECIMAL(IPG_START_DIGITS)

/* Borders of a face reach this far beyond its edges, so that no path slips between two faces. Barycentric. */
#define IPG_BORDER_DIGITS 8
#define IPG_BORDER_TOLERANCE IPG_DECIMAL(IPG_BORDER_DIGITS)

/* Boxes are enlarged by this to cover the border tolerance. Fraction of the extent of the box; the touch distance of
 * surfaces without thickness is the same fraction of the longest edge. */
#define IPG_BOX_DIGITS 7
#define IPG_BOX_MARGIN IPG_DECIMAL(IPG_BOX_DIGITS)

/* Nodes of blocks that are tied without a distance are tied where they touch. Fraction of the size of the face. */
#define IPG_TIE_DIGITS 6
#define IPG_TIE_DISTANCE IPG_DECIMAL(IPG_TIE_DIGITS)

/* Boxes are enlarged by the thickness and this fraction of it, so that rounding of a touch at the thickness stays
 * inside. */
#define IPG_REACH_DIGITS 5
#define IPG_REACH_MARGIN IPG_DECIMAL(IPG_REACH_DIGITS)

/* A node farther from a face than this while it crosses the face's plane does not enter it, even where the face
 * collapses. Fraction of the largest coordinate difference of node and corners. */
#define IPG_NEAR_DIGITS 4
#define IPG_NEAR_DISTANCE IPG_DECIMAL(IPG_NEAR_DIGITS)

/* The candidate filter drops a pair only if this clearance is left. Fraction of the extents of both boxes. */
#define IPG_CLEARANCE_DIGITS 3
#define IPG_LEAST_CLEARANCE IPG_DECIMAL(IPG_CLEARANCE_DIGITS)

_Static_assert(IPG_START_DIGITS > IPG_BORDER_DIGITS, "what counts as in front lies within the border of a face");
_Static_assert(IPG_BORDER_DIGITS > IPG_BOX_DIGITS, "boxes cover the borders of faces");
_Static_assert(IPG_BOX_DIGITS > IPG_TIE_DIGITS, "what touches is near enough to be tied");
_Static_assert(IPG_TIE_DIGITS > IPG_REACH_DIGITS, "the reach of boxes covers what touches");
_Static_assert(IPG_REACH_DIGITS > IPG_NEAR_DIGITS, "what boxes reach is near");
_Static_assert(IPG_NEAR_DIGITS > IPG_CLEARANCE_DIGITS, "the candidate filter keeps whatever is near");

/* --------------------------------------------------------------------------------------------------------- rounding */

/* Numbers between these have products, of as many factors as contact multiplies, that neither overflow nor vanish: the
 * same scene in other units has the same bits. Lengths, masses, times. */
#define IPG_LARGEST 1e60
#define IPG_SMALLEST 1e-60

/* Two squared distances, heights or gaps that differ by this fraction are the same: one edge or node seen from two
 * faces. */
#define IPG_SAME_DISTANCE 1e-10
/* A bounding box this fraction of the squared size farther away cannot hold a closer face. */
#define IPG_BOX_ROUNDING2 1e-20
/* The same for boxes in a tree, as a fraction of the squared distance to the closest face. */
#define IPG_TREE_ROUNDING 1e-9
/* A face thinner than this has no normal. Four times the squared area over the fourth power of its longest edge. */
#define IPG_THIN_FACE 1e-16
/* More than the rounding of the volume that a node spans with a face. Fraction of the cube of the largest coordinate
 * difference. */
#define IPG_CROSSING_ROUNDING 1e-14
/* A node this near to a wall counts as in front of it. Fraction of its distance from the wall's point. */
#define IPG_WALL_ROUNDING 1e-12
/* A contact moved to another face when the surface changes is the same depth to this fraction. */
#define IPG_DEPTH_ROUNDING 1e-10

/* --------------------------------------------------------------------------------------------- inside of a body */

/* A node within this of a body's surface is on it, not inside. Fraction of the diagonal of the body's box (of the sum
 * of its sides where the solid angle decides). */
#define IPG_ON_SURFACE 1e-10
/* A ray that starts within this of a face's plane leaves open on which side it is. Relative to the product of lengths
 * in the determinant, some 90 times its rounding. */
#define IPG_RAY_ROUNDING 1e-14
/* Boxes of faces are enlarged by this, so that a ray that passes a face by rounding meets its box. Fraction of the
 * box. */
#define IPG_RAY_BOX_ROUNDING 1e-15
/* Distance along a ray at which the corner of the body at its node is examined, as a fraction of the shortest edge; and
 * the fraction of that distance by which the point must be clear of the corner's faces. */
#define IPG_CORNER_STEP 1e-3
#define IPG_CORNER_CLEARANCE 1e-6
/* The solid angle of a closed body, as a fraction of the full sphere, above which a point is inside: of another body,
 * and of the node's own body, whose own faces are left out. */
#define IPG_INSIDE_ANGLE 0.99
#define IPG_INSIDE_OWN_ANGLE 1.001

/* ----------------------------------------------------------------------------------------------- node-face contact */

/* Cosine of 75 degrees: faces whose normals are within it of the contact's last one carry the contact on, and a way out
 * within it of a face's normal is behind that face. Negated: faces that are turned towards each other. */
#define IPG_FOLLOW_COSINE 0.25
/* A node is still behind a face this far beside it (fraction of its size), while it is less than this fraction of its
 * depth beside. */
#define IPG_BESIDE_SIZE 0.01
#define IPG_BESIDE_DEPTH 0.75
/* A face bears a node that is at most this deep behind it. Fraction of its size. */
#define IPG_BEARING_DEPTH 0.5
/* With kinematic projection a node is on a face within this. Fraction of its size; wider than the borders of faces. */
#define IPG_STANDS_ON_FACE 1e-7
/* A neighbour bears a node flush with another body if the normals differ by less than this cosine, and the depth is at
 * most this many times as large. */
#define IPG_FLUSH_COSINE 0.95
#define IPG_FLUSH_DEPTH 2

/* ------------------------------------------------------------------------------------------------- penalty contact */

/* Faces are in contact where the cosine between one normal and the other's opposite is above this. */
#define IPG_FACING_COSINE 0.3
/* A corner or an edge whose faces all turn away from its axis by more has a bevel: 60 degrees, where faces press half.
 */
#define IPG_BEVEL_COSINE 0.5
/* How far below the tip a bevel lies. Fraction of the height of the corner or edge over the nodes around. The bevel is
 * wider the lower it lies: one that is far narrower than bodies go into each other makes energy where it slides off. */
#define IPG_BEVEL_DEPTH 0.125
/* Faces of a body that lie behind each other at the start are its two sides, and never in contact, if their normals are
 * farther apart: 60 degrees. On a round surface each face lies behind its neighbours too, and they can meet in a fold.
 */
#define IPG_APART_COSINE 0.5
/* And if more lies between them: up to this fraction of the thickness they touch, or penetrate each other a little. */
#define IPG_TOUCHING 0.1
/* Points nearer to each other in a plane are at the same position. Fraction of the size of two faces and their
 * distance.
 */
#define IPG_SAME_POSITION 1e-8
/* A tetrahedron with a node inside the body is higher. Fraction of the size of its face. */
#define IPG_FLATTEST_ELEMENT 0.01
/* Candidates of faces hold until one has turned by more: the sine, of some 9 degrees. */
#define IPG_FACE_TURN 0.15
/* More than the angle of that, and than its chord. */
#define IPG_FACE_ANGLE 0.151
/* An edge is a border where the normal turns away by more: 45 degrees. */
#define IPG_BORDER_COSINE 0.7
/* Two faces are in contact while their distance is less than this many times the way out sideways: else sideways is the
 * way out. */
#define IPG_WAYS_OUT 2
/* Bodies that have gone through each other by the whole thickness come out on the other side so many times as fast. */
#define IPG_PASSING 2.0
/* The largest distance of two faces in contact, as a fraction of the thickness of the material behind both. */
#define IPG_REACH (1 + 1 / IPG_PASSING)
/* Penetration up to this is rounding. Fraction of the size of the faces. */
#define IPG_NO_DEPTH 1e-12
/* Resultant and moment of the forces of two faces, of the sizes of these: more is rounding of a depth that is far
 * smaller than the faces, and is taken away. Others have 1e-16 to 1e-14. */
#define IPG_GRAZING 1e-13
/* Edges of two faces lie on each other if they are apart by less. Fraction of the size of the faces. */
#define IPG_SAME_EDGE 1e-12
/* What counts of the thickness of the material behind a face: less than all, for it is measured along a few rays. */
#define IPG_REACH_OF_THICKNESS 0.95
/* Sharp edges are in contact where their common perpendicular leans over the faces at both by more than the first of
 * these, fully from the second on: 6 and 17 degrees. Nearer to a face the other edge lies on it. Sines. */
#define IPG_EDGE_NO_LEAN 0.1
#define IPG_EDGE_ALL_LEAN 0.3
/* The same for the angle between them, 17 and 37 degrees: where it is smaller their faces look at each other, and the
 * nearest points of two lines run along them fast. */
#define IPG_EDGE_NO_CROSSING 0.3
#define IPG_EDGE_ALL_CROSSING 0.6
/* The bound on the step counts the stiffness of contact so many times. */
#define IPG_RATES 2
/* Penetration over which pressure sets in: so many times the approach in the period of a face, no more and no less than
 * these parts of an edge. */
#define IPG_ONSET_PERIODS 20
#define IPG_MOST_ONSET 0.04
#define IPG_LEAST_ONSET 0.0002

/* -------------------------------------------------------------------------------------------- kinematic projection */

/* Penetration that may stay, and motion in a sweep below which projection has converged. Fractions of the size of the
 * face. The first is far below the start tolerance: what stays adds up in thousands of steps. */
#define IPG_PROJECTED 1e-13
#define IPG_CONVERGED 1e-15
/* Rounding of a position. Fraction of its largest coordinate. */
#define IPG_POSITION_ROUNDING 1e-15
/* Energy that rounding alone can make of pushes that make none. Fraction. */
#define IPG_ENERGY_ROUNDING 1e-13

#endif
