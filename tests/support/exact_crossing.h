/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Decides without rounding whether a node crosses a moving face from its front to its back, for paths with small
 * integer coordinates: the oracle of ipg_node_enters_face, which shares no code with it. */
#ifndef IMPINGE_TESTS_EXACT_CROSSING_H
#define IMPINGE_TESTS_EXACT_CROSSING_H

#include "impinge/narrow.h"

typedef struct exact_crossing {
  bool enters;    /* through the closed interior, while the face has area */
  bool collapses; /* the node crosses the plane when the face has no area: any answer of the code is right */
  bool on_border; /* the first crossing is on an edge or at a corner */
  double time;    /* not before the first crossing, by less than 2^-35 */
} exact_crossing;

exact_crossing find_exact_crossing(const ipg_node_face_path *path);

/* -------------------------------------------------------------------------------- its parts, for tests of their own */

__extension__ typedef __int128 wide_int;

/* c[0] + c[1] t + ... + c[4] t^4. */
typedef struct quartic {
  wide_int c[5];
} quartic;

/* A time when f changes from positive (or from zero at the start) to negative: in [at, at + width] / 2^35. */
typedef struct sign_change {
  wide_int at;
  int width;
} sign_change;

typedef struct sign_changes {
  sign_change list[4];
  int count;
} sign_changes;

/* f is of degree 3 at most. */
sign_changes find_sign_changes(const quartic *f);
/* The sign of p at a sign change of f; 0 if it is zero there or closer to zero than the isolation can resolve. */
int sign_at(quartic p, const quartic *f, sign_change at);

#endif
