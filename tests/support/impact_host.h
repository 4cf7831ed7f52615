/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Host code of elastic impacts: the solids of solver/, contact, and a central difference, with what a deck does not
 * offer: every step is seen, directions can be held, gravity acts, motion can be damped.
 *
 * Contact is that of `impinge run` with default settings: penalty. */
#ifndef IMPINGE_TESTS_IMPACT_HOST_H
#define IMPINGE_TESTS_IMPACT_HOST_H

#include "impinge/contact.h"
#include "impinge/solver.h"
#include "impinge/surface.h"
#include "support/suite.h"

enum { IMPACT_BODIES = 32 };

typedef struct impact_body {
  ipg_mesh mesh; /* of one block, with a name of its own */
  ipg_material material;
  double velocity[3];
} impact_body;

typedef struct impact_settings {
  double penalty_scale; /* 0: the default of the law */
  double safety;        /* 0: 0.9 */
  double onset;         /* 0: that of the law */
  ipg_contact_law law;
  const ipg_contact_rule *rules;
  int rule_count;
  const ipg_contact_wall *walls;
  int wall_count;
  double gravity[3];
  double damping;   /* mass-proportional: the rate at which velocities fall */
  bool held[3];     /* directions in which no node moves */
  int fixed_bodies; /* the first ones, which do not move at all */
  int audit_every;  /* steps; 0: no audit */
  bool can_fail;    /* an element that turns inside out ends the impact; else it is a failure of the test */
  bool can_pass; /* nodes may go right through a body; else it is a failure of the test that contact says so of any */
} impact_settings;

typedef struct impact {
  impact_settings settings;
  int body_count;
  ipg_id first_node[IMPACT_BODIES + 1]; /* of each body, in the mesh */
  double body_mass[IMPACT_BODIES], start_momentum[3];
  ipg_mesh mesh;
  ipg_skin skin;
  ipg_mesh_surface surface;
  ipg_solid *solid;
  ipg_contact *contact;
  /* 3 per mesh node: displacements, velocities, accelerations now and a step ago, contact forces */
  double *u, *v, *a, *a_before, *force;
  double *x, *surface_force; /* 3 per surface node */
  bool *has_passed;          /* of each mesh node: contact has said so */
  /* Of all audits: candidates, contacts and forces that are wrong; nodes inside a body without contact. */
  int64_t audits, wrong, inside;
  double dt, time, largest_momentum;
  int64_t step;
  bool has_failed;
  char message[256]; /* why */
} impact;

typedef struct impact_energy {
  double kinetic, strain, contact;
  double friction; /* dissipated */
  double work;     /* done by gravity and by moving walls */
  double total;    /* with what contact has lost, less the work */
  double
      invariant; /* the same with what the time stepper keeps instead of kinetic energy, to fourth order in the step */
} impact_energy;

/* Takes over the meshes. */
void impact_make(impact *i, impact_body *bodies, int count, const impact_settings *settings);
void impact_free(impact *i);
/* False: it has failed. */
bool impact_step(impact *i);
/* Steps until the time; false: it has failed. */
bool impact_run(impact *i, double until);

/* Kinetic energy is that of the velocities before and after the step, m v(n-1/2) . v(n+1/2) / 2. A linear solid keeps
 * the total, each of its modes alone; contact moves energy between modes, and keeps the invariant, which a run calls
 * its energy: see IpgTSGetKineticCorrection. */
impact_energy impact_get_energy(const impact *i);
/* Change of momentum less the impulses of walls and of gravity, over the largest sum of m |v| of the calls so far;
 * without damping and what is held. */
double impact_get_momentum_error(impact *i);
/* Of the centre of mass. */
void impact_get_velocity(const impact *i, int body, double velocity[3]);
/* Of contact, walls included. */
void impact_get_force(const impact *i, int body, double force[3]);
/* The deepest penetration so far. */
double impact_get_depth(const impact *i);

ipg_mesh impact_box(const double lo[3], const double hi[3], const int cells[3], const char *name);
ipg_mesh impact_ball(const double centre[3], double radius, int n, const char *name);
void impact_move(ipg_mesh *mesh, const double by[3]);
/* Draws the nodes of a ball of radius 1 about the origin towards its lowest point, by a conformal map of the ball to
 * itself: edges are there (1 + s) / (1 - s) times shorter, and as much longer on the other side. */
void impact_draw_down(ipg_mesh *ball, double s);
/* Rotates about an axis through the origin. */
void impact_turn(ipg_mesh *mesh, const double axis[3], double angle);

#endif
