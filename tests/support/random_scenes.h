/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Random scenes of contact, made from a number: two bodies or many, each a ball, a box, a thin plate or a wedge in a
 * cell of its own, rotated at random or not at all, flying towards the middle, slowly or by several elements a step,
 * rigid or joined by springs, with random laws of friction and damping. The same number is the same scene, also in
 * other units of length. */
#ifndef IMPINGE_TESTS_RANDOM_SCENES_H
#define IMPINGE_TESTS_RANDOM_SCENES_H

#include "support/random.h"
#include "support/scene.h"
#include "support/spring_host.h"

typedef enum { TWO_BODIES, MANY_BODIES, ALL_BODIES } random_scene_kind; /* all: SCENE_BODIES, several chunks of nodes */

typedef struct random_scene {
  long number;
  random_scene_kind kind;
  bool is_fast; /* several elements a step */
  bool is_soft; /* joined by springs; else rigid */
  scene s;
  spring_host springs;
  ipg_contact_config config;
  double thicknesses[SCENE_BODIES];
  double dt, unit; /* the length of a cell */
  double start;    /* kinetic energy */
  double kinetic;  /* now, as in spring_host.h */
  int64_t steps;
} random_scene;

/* `unit`: of length. */
void random_scene_make(random_scene *w, long number, double unit);
void random_scene_free(random_scene *w);
/* Before its contact is made: the same scene in time steps so many times shorter; bodies, velocities and springs stay.
 */
void random_scene_refine(random_scene *w, int times);

void random_scene_predict(random_scene *w);
void random_scene_complete(random_scene *w);
/* Kinetic energy less the work of the host's own springs. */
double random_scene_energy(const random_scene *w);
/* True if a soft body has an inverted element at the trial positions: then inside and outside are not defined. */
bool random_scene_is_inverted(const random_scene *w);

/* A body that fits into a ball of radius .45 around the origin. */
ipg_mesh random_body(rng *r, const char *name, int finest);
void random_rotation(rng *r, double rotation[3][3]);
/* Each node x becomes unit * (rotation x + centre). */
void transform_mesh(ipg_mesh *mesh, double rotation[3][3], const double centre[3], double unit);

/* The body of a mesh node; ends[b]: the first mesh node behind body b. */
int32_t body_of_mesh_node(const int64_t *ends, int64_t node);

#endif
