/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A pile of balls and boxes for the contact step, in turns on the places of a grid, so that each ball touches boxes and
 * each box balls. Every body is rigid and goes round in a small circle of its own, always at the same speed: bodies
 * come near, touch, press and part again, for as many steps as one likes. */
#ifndef IMPINGE_BENCH_PILE_H
#define IMPINGE_BENCH_PILE_H

#include "impinge/contact.h"

typedef struct pile {
  ipg_surface surface; /* points into `memory` */
  double edge;         /* mean length, about */
  double *home, *x;    /* 3 per node: where it was made, where it is now */
  struct circle {
    int64_t first_node, end_node;
    double across[3], along[3], phase;
  } * circles; /* of each body */
  int64_t body_count;
  void *memory;
} pile;

/* As many whole bodies as come closest to `face_count`, two at least; they stand apart. */
ipg_status pile_create(pile *p, int64_t face_count, ipg_error *error);
/* Everything to its place in a step, when bodies go `motion` edges a step. */
void pile_step(pile *p, int64_t step, double motion);
void pile_destroy(pile *p);

#endif
