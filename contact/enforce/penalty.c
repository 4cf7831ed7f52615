/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Penalty enforcement: a spring between the node and the point it touches.
 *
 * Each body's nodes look for the other's faces, so every touch is seen twice, from either side: the partition factor
 * one half shares the spring between the two views, and no side is master.
 * Stiffness comes from masses and step (scale * effective mass / dt^2), so one spring keeps the step stable; it is
 * frozen when the contact is born, so that it stores and returns the same energy.
 * Force is along the gap, which keeps angular momentum; what a node gets, the face gets with the other sign. */
#include "state.h"
#include "support/vec.h"

static const double partition = 0.5;

/* Stiffness times dt^2, from the mass that the spring's two ends feel when they move against each other. */
double ipg_penalty_stiffness_dt2(const ipg_contact *c, ipg_id node, ipg_id face, const double weights[3]) {
  const double *mass = c->surface.node_masses;
  double inverse = 1 / mass[node];
  for (int i = 0; i < 3; ++i) {
    const ipg_id corner = c->surface.faces[3 * (int64_t)face + i];
    inverse += weights[i] * weights[i] / mass[corner];
  }
  return partition * c->config.penalty_scale / inverse;
}

/* A step longer than that of birth softens the spring for good; the ledger books what it gives up. */
void ipg_penalty_force(const ipg_contact *c, ipg_contact_pair *pair) {
  pair->stiffness = smaller(pair->stiffness, pair->stiffness_dt2 / (c->dt * c->dt));
  for (int k = 0; k < 3; ++k) pair->force[k] = pair->stiffness * -pair->gap * pair->normal[k];
}

/* In the order of pairs, which is the order of keys: the same sums anywhere. */
void ipg_penalty_sum(const ipg_surface *surface, const ipg_contact_pair *pairs, int64_t count, double *force) {
  for (int64_t i = 0; i < 3 * surface->node_count; ++i) force[i] = 0;
  for (int64_t i = 0; i < count; ++i) {
    const ipg_id *corner = surface->faces + 3 * (int64_t)pairs[i].face;
    for (int k = 0; k < 3; ++k) {
      force[3 * (int64_t)pairs[i].node + k] += pairs[i].force[k];
      for (int j = 0; j < 3; ++j) force[3 * (int64_t)corner[j] + k] -= pairs[i].weights[j] * pairs[i].force[k];
    }
  }
}
