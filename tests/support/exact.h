/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Decides without rounding whether a node and a face, or two edges, touch on their straight paths: the oracle of
 * continuous detection, which shares no code with it. */
#ifndef IMPINGE_TESTS_EXACT_H
#define IMPINGE_TESTS_EXACT_H

#include "support/poly.h"

typedef enum exact_kind { EXACT_NODE_FACE, EXACT_EDGE_EDGE } exact_kind;

enum { EXACT_CORNERS = 4 };

/* The differences of the points as polynomials of time, in units of the finest power of two in the input. */
typedef struct exact_question {
  int corners;
  poly corner[EXACT_CORNERS][3], normal[3], front; /* front: normal . corner */
} exact_question;

/* The exponent of the last bit of x; INT32_MAX for 0. */
int last_bit(double x);

/* start and end: positions of four points, the node and the face or the ends of both edges. */
void exact_ask(exact_question *q, exact_kind kind, const double start[12], const double end[12]);
/* True if they touch before t, 0 to 1, or, with `at_t_too`, at t. */
bool exact_touch(const exact_question *q, double t, bool at_t_too);

#endif
