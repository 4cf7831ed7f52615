/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* A pile of balls and boxes for the benchmark of the contact step. Balls and boxes alternate on a grid, so that balls
 * touch boxes only. Every body is rigid and moves on a small circle of its own at constant speed, so that contacts are
 * activated and deactivated for any number of steps. */
#ifndef IMPINGE_BENCH_PILE_SCENE_H
#define IMPINGE_BENCH_PILE_SCENE_H

#include "impinge/contact.h"

typedef struct pile_scene {
  ipg_surface surface; /* points into `memory` */
  double edge;         /* mean length, about */
  double *home, *x;    /* 3 per node: original and current positions */
  struct circle {
    int64_t first_node, end_node;
    double across[3], along[3], phase;
  } * circles; /* of each body */
  int64_t body_count;
  void *memory;
} pile_scene;

/* Creates the number of whole bodies closest to `face_count`, at least two; none of them touch. */
ipg_status pile_scene_create(pile_scene *p, int64_t face_count, ipg_error *error);
/* Sets the positions of a step for bodies that move by `motion` edges per step. */
void pile_scene_move(pile_scene *p, int64_t step, double motion);
void pile_scene_destroy(pile_scene *p);

#endif
