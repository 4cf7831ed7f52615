/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Scenes for tests of the force law: rigid bodies are put to positions and held there, and contact is asked for forces
 * and energy. */
#ifndef IMPINGE_TESTS_LAW_SCENE_H
#define IMPINGE_TESTS_LAW_SCENE_H

#include "support/random.h"
#include "support/scene.h"
#include "support/suite.h"

typedef struct law_scene {
  scene s; /* s.x stays as the bodies were at the start; s.trial is where they are */
  ipg_contact_config config;
  ipg_contact *contact;
  double energy; /* of the last evaluation that was accepted */
  int64_t step;
} law_scene;

/* The time step of the host, and config.reference_step. */
extern const double law_step;

/* Takes over the meshes. moduli: of each body's material; NULL: the stiffness follows from masses and the step. */
void law_scene_make(law_scene *w, ipg_mesh *meshes, int count, double node_mass, const double *moduli,
                    const ipg_contact_config *config);
void law_scene_free(law_scene *w);

/* Trial positions: a body as it was at the start, shifted. */
void law_shift(law_scene *w, int body, const double shift[3]);
/* The same, first turned by an angle about a line through `pivot` along y. */
void law_tilt(law_scene *w, int body, double angle, const double pivot[3], const double shift[3]);

/* The forces at the trial positions. */
void law_evaluate(law_scene *w, double dt);
/* Evaluates and accepts. */
void law_go(law_scene *w);
/* The energy at the trial positions; w->energy and all that the law depends on stay. */
double law_energy_at(law_scene *w);

/* The size of the forces of the last evaluation: the largest component. */
double law_largest_force(const law_scene *w);
/* The resultant on a body. */
void law_resultant(const law_scene *w, int body, double force[3]);
/* The sums of the forces and of their moments about the origin, over the sums of |f| and |x| |f|: the larger of these
 * and of what is there already. */
void law_worsen_momentum(const law_scene *w, double *resultant, double *moment);
/* The derivative of the energy by a component of the trial positions, from differences over h and 2 h; NAN where those
 * to either side differ by more than `kink`: a kink lies between. After law_go. */
double law_difference_quotient(law_scene *w, int64_t component, double h, double kink);
/* What checks of the gradient have found so far: the worst errors, of the largest force. */
typedef struct law_quotients {
  double worst, resultant, moment;
  long count, kinks;
} law_quotients;

/* Twelve random components of the force against difference quotients, and momentum. After law_go, with a force. */
void law_check_gradient(law_scene *w, rng *r, law_quotients *q);
/* The shortest edge of all faces at the start. */
double law_shortest_edge(const law_scene *w);

/* Two random bodies beside each other, the second at (1, 0, 0). */
void law_random_pair(rng *r, ipg_mesh meshes[2], const char *const names[2]);
/* How body 1 is shifted along a random direction until it touches body 0, and on by so many of the shortest edges;
 * below 0: they stay apart. False if it passes by. Both bodies are convex. */
bool law_random_press(const law_scene *w, rng *r, double depth, double shift[3]);

#endif
