/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Many deformable bodies packed so that neighbours touch: the node-against-face search of a contact solver.
 * Items are the boxes of the faces' paths over a step, queries those of the nodes' paths. */
#ifndef IMPINGE_BENCH_BODIES_H
#define IMPINGE_BENCH_BODIES_H

#include "random.h"
#include "scene.h"

enum { BODY_FACES = 1280, BODY_NODES = BODY_FACES / 2 + 2 };

typedef struct body {
  double home[3], offset[3], velocity[3]; /* its centre is home + offset */
  double turn[3][3];                      /* a rotation */
  double wave[3], phase;                  /* of its deformation */
} body;

typedef struct bodies {
  double directions[BODY_NODES][3]; /* of every body's nodes from its centre, before its turn */
  ipg_id faces[BODY_FACES][3];      /* of every body, by its own nodes */
  double edge;                      /* mean length */
  double speed;                     /* of their drift, in edges per step; of the wave, in radians */
  body *each;
  int64_t count;
  double *before, *now; /* 3 per node */
  int step;
  random_source random;
} bodies;

/* As many whole bodies as come closest to `face_count`, two at least. Fails without memory; then free nothing. */
ipg_status bodies_create(bodies *all, int64_t face_count, double speed, ipg_error *error);
/* Places them and takes the first step; may be called again, with the same outcome for the same seed. */
void bodies_start(bodies *all, uint64_t seed);
void bodies_step(bodies *all);
/* Keys once, boxes after every step; the scene's arrays are the caller's, of bodies_scene_size. */
void bodies_fill_keys(const bodies *all, scene *out);
void bodies_fill_boxes(const bodies *all, scene *out);
void bodies_destroy(bodies *all);

#endif
