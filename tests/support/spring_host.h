/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Host code with bodies that rotate and deform: every edge of every tetrahedron is a spring between two masses, and a
 * central difference moves them. No eigenfrequency of the springs exceeds sqrt(stiffness) / dt (Gershgorin's circles),
 * so that contact has the rest of what the time step can bear.
 *
 * Velocities are those at the middles of steps. With kinetic energy as half of mass times the velocity before a kick
 * times that after it, and the work of a force as the mean of its two ends times the motion between, the energy balance
 * closes to rounding, whatever the step: summation by parts. */
#ifndef IMPINGE_TESTS_SPRING_HOST_H
#define IMPINGE_TESTS_SPRING_HOST_H

#include "support/scene.h"

#include <math.h>

typedef struct spring {
  ipg_id ends[2];
  double rest_length, stiffness;
} spring;

typedef struct spring_host {
  int64_t count;
  spring *springs;
  double *velocity, *trial;     /* 3 per mesh node */
  double *force, *force_before; /* of the springs on the nodes, at the end and at the start of the step */
  double kinetic, work;         /* of the springs, since the start */
} spring_host;

/* Takes over `velocity`, 3 per mesh node. */
void spring_host_make(spring_host *h, const scene *s, double *velocity, double stiffness, double dt);
void spring_host_free(spring_host *h);

/* Sets the trial positions of mesh and surface. */
void spring_host_predict(spring_host *h, scene *s, double dt);
/* Sets the spring forces at the trial positions. */
void spring_host_set_forces(spring_host *h, int64_t node_count);
/* Accepts the trial positions and changes the velocities by the forces of springs and contact. */
void spring_host_complete(spring_host *h, scene *s, double dt);

#endif
