/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* How the two sides of a contact move against each other: of the first side, relative to the touched one. */
#ifndef IMPINGE_MODEL_RELATIVE_MOTION_H
#define IMPINGE_MODEL_RELATIVE_MOTION_H

#include "model/step.h"

/* Velocity of the touched side beyond that of its nodes: a rigid wall has no nodes. */
static inline vec ipg_wall_velocity(const ipg_model *m, const ipg_contact_pair *pair) {
  return pair->kind == IPG_CONTACT_NODE_WALL ? vec_at(m->config.walls[pair->touched].velocity, 0) : (vec){0, 0, 0};
}

/* In this step, at the contact's present weights. */
vec ipg_relative_motion(const ipg_step *step, const ipg_contact_pair *pair);
/* At nodal velocities v. */
vec ipg_relative_velocity(const ipg_model *model, const ipg_contact_pair *pair, const double *v);
/* From the touched point to the first side, at positions x of that time. */
vec ipg_separation_vector(const ipg_model *model, const ipg_contact_pair *pair, const double *x, double time);
/* From the wall's point, where it is at that time, to the node. */
vec ipg_vector_from_wall(const ipg_model *model, ipg_id wall, double time, const double *x, ipg_id node);

/* Mass of the two sides against each other, times the partition factor of the contact: a pair of surfaces sees each
 * touch twice, from either side. */
double ipg_effective_mass(const ipg_model *model, const ipg_contact_pair *pair);

/* Ties: how much longer than at the start the tie is at positions x. */
vec ipg_tie_elongation(const ipg_surface *surface, const ipg_contact_pair *tie, const double *x);
/* Force on a corner of the face (node 1 to 3), besides its weight, when `force` acts on the tied node: the offset is a
 * lever on the face. x: positions of the tie as it is. */
vec ipg_tie_lever_force(const ipg_contact_pair *tie, const double *x, vec force, int node);
/* Work of `force` in this step, the lever's included. */
double ipg_tie_work(const ipg_step *step, const ipg_contact_pair *tie, const double *x, vec force);

#endif
