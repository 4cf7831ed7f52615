/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Many deformable bodies, packed so that adjacent bodies touch, as a scene for the node-face search of a contact
 * solver. Items are the boxes of the paths of the faces over a step, queries the boxes of the paths of the nodes. */
#ifndef IMPINGE_BENCH_BODIES_H
#define IMPINGE_BENCH_BODIES_H

#include "random.h"
#include "scene.h"

enum { BODY_FACES = 1280, BODY_NODES = BODY_FACES / 2 + 2 };

typedef struct body {
  double home[3], offset[3], velocity[3]; /* the centre is home + offset */
  double rotation[3][3];
  double wave[3], phase; /* of the deformation */
} body;

typedef struct bodies {
  double directions[BODY_NODES][3]; /* from the centre of a body to its nodes, before its rotation */
  ipg_id faces[BODY_FACES][3];      /* the same for every body, in its own node numbers */
  double edge;                      /* mean edge length */
  double speed;                     /* of the drift, in edges per step; of the wave, in radians per step */
  body *each;
  int64_t count;
  double *before, *now; /* 3 per node */
  int step;
  random_source random;
} bodies;

/* Creates the number of whole bodies closest to `face_count`, at least two. Nothing is to be freed after a failure. */
ipg_status bodies_create(bodies *all, int64_t face_count, double speed, ipg_error *error);
/* Sets the first positions and takes the first step; may be called again, with the same result for the same seed. */
void bodies_start(bodies *all, uint64_t seed);
void bodies_step(bodies *all);
/* Fill the arrays of a scene, which the caller allocates: the keys once, the boxes after every step. */
void bodies_fill_keys(const bodies *all, scene *out);
void bodies_fill_boxes(const bodies *all, scene *out);
void bodies_destroy(bodies *all);

#endif
