/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* How stiff the spring of a contact is.
 *
 * Each body's nodes look for the other's faces, so every touch is seen twice, from either side: the partition factor
 * one half shares the spring between the two views, and no side is master. Planes look for nothing.
 * Stiffness comes from masses and step (scale * effective mass / dt^2); it is frozen when the contact is born, so that
 * the spring stores and returns the same energy. Two things soften it for good, and the ledger books what it gives up
 * then: a longer step, and crowding. For the step sees all springs at a node together: by Gershgorin's circles no
 * motion is stiffer than the largest sum, over a node's springs, of stiffness times share times all shares, over the
 * node's mass. Where that would exceed the bound, all springs of the node become softer alike: by the crowd as if
 * nobody were soft yet, or each that comes would soften the older ones once more, until they bear nothing. */
#include "state.h"
#include "support/vec.h"

/* Two edges see each other once. */
static double partition_of(const ipg_contact_pair *pair) {
  return pair->kind == IPG_CONTACT_NODE_FACE || pair->kind == IPG_CONTACT_TIE ? 0.5 : 1;
}

/* What the two ends of the spring weigh when they move against each other. */
double ipg_penalty_mass(const ipg_contact *c, const ipg_contact_pair *pair) {
  double inverse = 0;
  for (int i = 0; i < 4; ++i) inverse += pair->weights[i] * pair->weights[i] / c->surface.node_masses[pair->nodes[i]];
  return partition_of(pair) / inverse;
}

void ipg_penalty_begin(const ipg_contact *c, ipg_contact_pair *pair) {
  if (c->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED && pair->kind == IPG_CONTACT_NODE_FACE) {
    ipg_material_begin(c, pair);
    return;
  }
  pair->stiffness_dt2 = c->config.penalty_scale * ipg_penalty_mass(c, pair);
  pair->stiffness = pair->stiffness_dt2 / (c->dt * c->dt);
}

/* Damping takes this from the stable step of an undamped spring: sqrt(1 + ratio^2) - ratio. */
static double left_by_damping(const ipg_contact *c) {
  const double ratio = c->most_damping;
  return sqrt(1 + ratio * ratio) - ratio;
}

/* A central difference with step dt bears stiffness over mass up to 4 / dt^2, less with damping, and the material needs
 * its own; a single contact of the largest scale stays about within this. */
static double bound_on_rows(const ipg_contact *c) {
  const double left = left_by_damping(c);
  return left * left / (c->dt * c->dt);
}

/* By how much the spring becomes longer, at most, as its nodes move: their shares, and of a tie with an offset what its
 * lever brings. */
static void weigh_nodes(const ipg_contact_pair *pair, const double *x, double weights[4]) {
  for (int i = 0; i < 4; ++i) weights[i] = fabs(pair->weights[i]);
  if (pair->kind != IPG_CONTACT_TIE || pair->initial_offset == 0) return;
  vec corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = vec_at(x, pair->nodes[i + 1]);
  const double area = vec_length(vec_cross(vec_sub(corner[1], corner[0]), vec_sub(corner[2], corner[0])));
  for (int i = 0; i < 3; ++i)
    weights[i + 1] += fabs(pair->initial_offset) / area * vec_length(vec_sub(corner[(i + 1) % 3], corner[(i + 2) % 3]));
}

/* Before any crowd. What is balanced among neighbours in each step is as stiff as that says. */
static double nominal_stiffness(const ipg_contact *c, const ipg_contact_pair *pair) {
  const double most = pair->stiffness_dt2 / (c->dt * c->dt);
  const bool is_balanced = c->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED && pair->kind == IPG_CONTACT_NODE_FACE;
  return is_balanced ? smaller(pair->stiffness, most) : most;
}

/* Of nodes with contacts; what stands at others is old. `alone`: as stiff as springs are before any crowd. */
static void sum_rows(const ipg_contact *c, const ipg_contact_state *state, bool alone, double *rows) {
  const ipg_contact_pair *pairs = state->contacts.data;
  for (int64_t i = 0; i < state->contact_count; ++i)
    for (int k = 0; k < 4; ++k) rows[pairs[i].nodes[k]] = 0;
  for (int64_t i = 0; i < state->contact_count; ++i) {
    double weights[4];
    weigh_nodes(&pairs[i], state->x.data, weights);
    const double stiffness = alone ? nominal_stiffness(c, &pairs[i]) : pairs[i].stiffness;
    const double all = stiffness * (weights[0] + weights[1] + weights[2] + weights[3]);
    for (int k = 0; k < 4; ++k) rows[pairs[i].nodes[k]] += all * weights[k];
  }
}

void ipg_penalty_soften(ipg_contact *c) {
  if (c->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED) ipg_material_balance(c);
  ipg_contact_pair *pairs = c->trial->contacts.data;
  double *rows = c->buffers[NODE_ROWS].data;
  sum_rows(c, c->trial, true, rows);
  const double bound = bound_on_rows(c);
  for (int64_t i = 0; i < c->trial->contact_count; ++i) {
    double factor = 1;
    for (int k = 0; k < 4; ++k) {
      const double allowed = bound * c->surface.node_masses[pairs[i].nodes[k]];
      if (rows[pairs[i].nodes[k]] > allowed) factor = smaller(factor, allowed / rows[pairs[i].nodes[k]]);
    }
    pairs[i].stiffness = smaller(pairs[i].stiffness, factor * nominal_stiffness(c, &pairs[i]));
  }
}

double ipg_contact_stable_step(const ipg_contact *c) {
  double *rows = c->buffers[NODE_ROWS].data, stiffest = 0;
  const ipg_contact_state *state = c->has_trial ? c->trial : c->accepted;
  const ipg_contact_pair *pairs = state->contacts.data;
  sum_rows(c, state, false, rows);
  for (int64_t i = 0; i < state->contact_count; ++i)
    for (int k = 0; k < 4; ++k)
      stiffest = larger(stiffest, rows[pairs[i].nodes[k]] / c->surface.node_masses[pairs[i].nodes[k]]);
  return 2 * left_by_damping(c) / sqrt(stiffest); /* INFINITY if there is none */
}
