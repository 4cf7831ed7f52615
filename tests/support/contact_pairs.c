/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/contact_pairs.h"

#include "support/vec3.h"

int contact_order(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
  return a->touched < b->touched ? -1 : a->touched > b->touched;
}

void contact_motion(const scene *s, const ipg_contact_pair *pair, double motion[3]) {
  for (int k = 0; k < 3; ++k) motion[k] = 0;
  for (int n = 0; n < 4; ++n)
    for (int k = 0; k < 3; ++k)
      motion[k] += pair->weights[n] * (s->trial[3 * pair->nodes[n] + k] - s->x[3 * pair->nodes[n] + k]);
}

/* --------------------------------------------------------------------------------------------------- energy balance */

static double normal_spring_force(const ipg_contact_pair *pair) { return pair->history.stiffness * fabs(pair->gap); }

/* The force without the normal and the tangential spring. */
static double damper_force(const ipg_contact_pair *pair) {
  double damper[3];
  for (int k = 0; k < 3; ++k)
    damper[k] = pair->response.force[k] +
                pair->history.stiffness * (pair->gap * pair->normal[k] + pair->history.tangential_slip[k]);
  return vec3_length(damper);
}

/* Activated or deactivated in the step: one end of the step has no force, so the mean counts half the force over the
 * whole motion, also where node and face were apart. */
static double error_of_activation(const scene *s, const ipg_contact_pair *pair) {
  double motion[3];
  contact_motion(s, pair, motion);
  return .5 *
         (normal_spring_force(pair) + pair->history.stiffness * vec3_length(pair->history.tangential_slip) +
          damper_force(pair)) *
         vec3_length(motion);
}

/* The change of direction of an edge of the touched face in the step. */
static double rotation_of_face(const scene *s, const ipg_contact_pair *pair) {
  double edge[2][3], rotation[3];
  if (pair->kind != IPG_CONTACT_NODE_FACE) return 0;
  for (int k = 0; k < 3; ++k) {
    edge[0][k] = s->x[3 * pair->nodes[2] + k] - s->x[3 * pair->nodes[1] + k];
    edge[1][k] = s->trial[3 * pair->nodes[2] + k] - s->trial[3 * pair->nodes[1] + k];
  }
  for (int k = 0; k < 3; ++k) rotation[k] = edge[1][k] / vec3_length(edge[1]) - edge[0][k] / vec3_length(edge[0]);
  return vec3_length(rotation);
}

/* Normal springs and dampers are booked with the work they do. The tangential spring is booked, where it slips, with
 * the force at the end; it slips by at most the motion and the change of its elastic slip, is rotated with the face and
 * into the plane of the end, and softened. */
static double error_of_tracking(const scene *s, const ipg_contact_pair *a, const ipg_contact_pair *b) {
  double before[3], after[3];
  contact_motion(s, a, before), contact_motion(s, b, after);
  const double slip = vec3_length(a->history.tangential_slip), motion = vec3_length(after);
  const double rotated = slip * (vec3_distance(a->normal, b->normal) + rotation_of_face(s, b)),
               changed = vec3_distance(a->history.tangential_slip, b->history.tangential_slip) + rotated;
  return .5 * b->history.stiffness *
             (changed * (motion + changed) + rotated * motion + slip * vec3_distance(before, after)) +
         .5 * fabs(a->history.stiffness - b->history.stiffness) * slip * (vec3_length(before) + motion);
}

double balance_error_bound(const scene *s, const ipg_contact_pair *old, int64_t old_count, const ipg_contact_pair *now,
                           int64_t count) {
  double bound = 0;
  int64_t i = 0, j = 0;
  while (i < old_count || j < count) {
    const ipg_contact_pair *a = i < old_count ? &old[i] : NULL, *b = j < count ? &now[j] : NULL;
    if (a && b && contact_order(a, b) == 0 && !b->activated) {
      bound += error_of_tracking(s, a, b) + (b->gap < 0 ? 0 : error_of_activation(s, a));
      ++i, ++j;
    } else if (a && (!b || contact_order(b, a) >= 0)) bound += error_of_activation(s, a), ++i;
    else bound += error_of_activation(s, b), ++j;
  }
  return bound;
}

double balance_error(const ipg_contact_energy_balance *b) {
  return b->contact_work + b->contact_energy + b->friction_dissipation + b->damping_dissipation + b->spring_net_loss;
}
