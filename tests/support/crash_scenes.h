/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Random scenes of penalty contact, made from a number, with everything on: two to four bodies, each rigid (it does not
 * turn) or elastic, that fly at each other at up to a tenth of the speed of sound, with friction, damping, rigid walls,
 * ties, rules of blocks and of times, initial penetrations, self-contact and elements that are deleted. The same number
 * is the same scene.
 *
 * Elastic bodies have an energy of Green strains (St. Venant-Kirchhoff), which no rigid motion changes. Velocities are
 * those at the middles of steps, so the change of m v(n-1/2) v(n+1/2) / 2 is the work of all forces to rounding, each
 * as the mean of the two ends of a step times the motion between: summation by parts. */
#ifndef IMPINGE_TESTS_CRASH_SCENES_H
#define IMPINGE_TESTS_CRASH_SCENES_H

#include "support/elastic_host.h"
#include "support/random.h"

enum { CRASH_BODIES = 4, CRASH_WALLS = 2, CRASH_RULES = 3 };

typedef struct crash_scene {
  long number;
  int count;
  scene s;
  elastic_host h; /* cells, and per mesh node: positions at the start, trial positions, velocities, own forces */
  ipg_contact_config config;
  ipg_contact_wall walls[CRASH_WALLS];
  ipg_contact_rule rules[CRASH_RULES];
  elastic_material materials[CRASH_BODIES];
  double velocities[CRASH_BODIES][3], moduli[CRASH_BODIES];
  double stiffnesses[CRASH_BODIES]; /* of faces */
  bool is_rigid[CRASH_BODIES], has_ties, has_penetration, has_self_contact, has_erosion, has_rule_in_time;
  int64_t ends[CRASH_BODIES]; /* the first mesh node behind each body */
  ipg_erosion *erosion;
  bool *is_deleted;                       /* per element */
  bool was_eroded, jumps;                 /* elements were deleted before the step, or a rule began or ended in it */
  rng choices;                            /* of elements to delete */
  double dt, slowest;                     /* step; the slowest speed of sound */
  int64_t step, steps;                    /* taken, in all */
  double *before, *previous, *own_before; /* velocities a step before, accelerations and own forces a step before */
  double start;                           /* energy */
  double work;             /* of the elements, and of contact on nodes that are no longer on the surface */
  double eroded;           /* energy in deleted elements */
  double product, kinetic; /* m v(n-1/2) v(n+1/2) / 2, and the kinetic energy that velocity Verlet keeps */
} crash_scene;

/* The step is `part` of the one that elements and contact bear together. */
void crash_scene_make(crash_scene *w, uint64_t seed, long number, double part);
void crash_scene_free(crash_scene *w);

/* Contact as the scene has it, but for search and tasks of `settings` (NULL: none); initial penetrations are ignored.
 */
ipg_contact *crash_scene_contact(crash_scene *w, const ipg_contact_config *settings);
/* Sets the trial positions of mesh and surface. */
void crash_scene_predict(crash_scene *w);
/* Accepts them: energies, and the velocities of the next step by own forces and s.force. */
void crash_scene_complete(crash_scene *w);
/* In some steps of some scenes deletes elements and tells contact; the forces on nodes that leave the surface do their
 * half of work in the next step. Returns how many. */
int64_t crash_scene_erode(crash_scene *w, ipg_contact *contact);
/* Of the elements that are left, now. */
double crash_scene_strain_energy(const crash_scene *w);
/* An element of an elastic body is inside out: then inside and outside are not defined, nor is its energy physical. */
bool crash_scene_is_inverted(const crash_scene *w);

#endif
