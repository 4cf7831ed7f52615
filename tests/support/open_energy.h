/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* How far the work of contact in a step may differ from what the ledger books: bounds of what the mean of the forces at
 * the two ends of a step cannot know, contact by contact. */
#ifndef IMPINGE_TESTS_OPEN_ENERGY_H
#define IMPINGE_TESTS_OPEN_ENERGY_H

#include "support/scene.h"

#include <math.h>

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double length_of(const double *v) { return sqrt(dot(v, v)); }

static inline void motion_of(const scene *s, const ipg_contact_pair *pair, double motion[3]) {
  for (int k = 0; k < 3; ++k) motion[k] = 0;
  for (int n = 0; n < 4; ++n)
    for (int k = 0; k < 3; ++k)
      motion[k] += pair->weights[n] * (s->trial[3 * pair->nodes[n] + k] - s->x[3 * pair->nodes[n] + k]);
}

static inline double spring_force(const ipg_contact_pair *pair) { return pair->stiffness * fabs(pair->gap); }

/* What is not the spring across nor the spring along. */
static inline double damper_force(const ipg_contact_pair *pair) {
  double damper[3];
  for (int k = 0; k < 3; ++k)
    damper[k] = pair->force[k] + pair->stiffness * (pair->gap * pair->normal[k] + pair->tangential_slip[k]);
  return length_of(damper);
}

/* Born, ended or let go in the step: one end of the step has no force, so the mean counts half the force all along,
 * also where node and face were apart. */
static inline double open_at_border(const scene *s, const ipg_contact_pair *pair) {
  double motion[3];
  motion_of(s, pair, motion);
  return .5 * (spring_force(pair) + pair->stiffness * length_of(pair->tangential_slip) + damper_force(pair)) *
         length_of(motion);
}

static inline double distance(const double *a, const double *b) {
  return length_of((double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

/* By how much an edge of the touched face turns in the step. */
static inline double turn_of_face(const scene *s, const ipg_contact_pair *pair) {
  double edge[2][3], turn[3];
  if (pair->kind != IPG_CONTACT_NODE_FACE) return 0;
  for (int k = 0; k < 3; ++k) {
    edge[0][k] = s->x[3 * pair->nodes[2] + k] - s->x[3 * pair->nodes[1] + k];
    edge[1][k] = s->trial[3 * pair->nodes[2] + k] - s->trial[3 * pair->nodes[1] + k];
  }
  for (int k = 0; k < 3; ++k) turn[k] = edge[1][k] / length_of(edge[1]) - edge[0][k] / length_of(edge[0]);
  return length_of(turn);
}

/* Springs across and dampers are booked as they work. The spring along the surface is booked where it slips with the
 * force at the end; it slips by at most the motion and what its stretch has changed, is turned with the face and into
 * the plane of the end, and softened. */
static inline double open_on_the_way(const scene *s, const ipg_contact_pair *a, const ipg_contact_pair *b) {
  double before[3], after[3];
  motion_of(s, a, before), motion_of(s, b, after);
  const double stretch = length_of(a->tangential_slip), motion = length_of(after);
  const double turned = stretch * (distance(a->normal, b->normal) + turn_of_face(s, b)),
               changed = distance(a->tangential_slip, b->tangential_slip) + turned;
  return .5 * b->stiffness * (changed * (motion + changed) + turned * motion + stretch * distance(before, after)) +
         .5 * fabs(a->stiffness - b->stiffness) * stretch * (length_of(before) + motion);
}

static inline bool is_same_contact(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->kind == b->kind && a->owner == b->owner && a->touched == b->touched;
}

static inline bool comes_before(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  if (a->kind != b->kind) return a->kind < b->kind;
  return a->owner < b->owner || (a->owner == b->owner && a->touched < b->touched);
}

/* The most that work in a step may differ from what is booked: work counts the mean of the forces at the two ends of
 * the step (which is exact for a central difference), so it follows the jumps of the forces. */
static inline double open_in_step(const scene *s, const ipg_contact_pair *old, int64_t old_count,
                                  const ipg_contact_pair *now, int64_t count) {
  double open = 0;
  int64_t i = 0, j = 0;
  while (i < old_count || j < count) {
    const ipg_contact_pair *a = i < old_count ? &old[i] : NULL, *b = j < count ? &now[j] : NULL;
    if (a && b && is_same_contact(a, b) && !b->activated) {
      open += open_on_the_way(s, a, b) + (b->gap < 0 ? 0 : open_at_border(s, a));
      ++i, ++j;
    } else if (a && (!b || !comes_before(b, a))) open += open_at_border(s, a), ++i;
    else open += open_at_border(s, b), ++j;
  }
  return open;
}

static inline double unbooked(const ipg_contact_energy_balance *l) {
  return l->contact_work + l->contact_energy + l->friction_dissipation + l->damping_dissipation + l->spring_net_loss;
}

#endif
