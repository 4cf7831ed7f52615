/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From contacts to forces on nodes: spring, damper, friction.
 *
 * A contact's force acts between the node and the point it touches; shares, which sum to nothing, hand it to the four
 * nodes, so the momentum of all of them stays. The part along the gap keeps their angular momentum too; friction at a
 * finite depth adds the couple depth times friction, which the ledger shows. A plane takes its side of the force away,
 * and the ledger shows how much. A tie with an offset pulls at the end of a lever that stands on the face: what turns
 * the lever goes to the face's corners, so that the spring's energy is all that its forces do. */
#include "state.h"
#include "support/vec.h"

enum { GRAIN = 256 };

static vec velocity_against(const ipg_contact *c, const ipg_contact_pair *pair, const double *v) {
  vec sum = vec_scale(-1, ipg_touched_velocity(c, pair));
  for (int i = 0; i < 4; ++i) sum = vec_add(sum, vec_scale(pair->weights[i], vec_at(v, pair->nodes[i])));
  return sum;
}

vec ipg_contact_relative_motion(const ipg_contact *c, const ipg_contact_pair *pair) {
  vec sum = vec_scale(-c->dt, ipg_touched_velocity(c, pair));
  for (int i = 0; i < 4; ++i) {
    const vec motion = vec_sub(vec_at(ipg_trial_x(c), pair->nodes[i]), vec_at(ipg_accepted_x(c), pair->nodes[i]));
    sum = vec_add(sum, vec_scale(pair->weights[i], motion));
  }
  return sum;
}

/* Critical damping of the two views' springs together, in parts as the law has it. */
double ipg_damper(const ipg_contact *c, const ipg_contact_pair *pair) {
  return 2 * ipg_contact_law_of(c, pair)->damping * sqrt(pair->stiffness * ipg_penalty_mass(c, pair));
}

/* Along the normal. A damper never pulls: it takes at most the spring's force away. */
static double damping_force(const ipg_contact *c, const ipg_contact_pair *pair, const double *v, vec motion) {
  const vec normal = vec_at(pair->normal, 0);
  const double speed = v ? vec_dot(velocity_against(c, pair, v), normal) : vec_dot(motion, normal) / c->dt;
  return larger(-ipg_damper(c, pair) * speed, pair->stiffness * pair->gap);
}

static void enforce_contact(const ipg_contact *c, ipg_contact_pair *pair, const double *v) {
  const vec motion = ipg_contact_relative_motion(c, pair), normal = vec_at(pair->normal, 0);
  const double damper = damping_force(c, pair, v, motion);
  pair->normal_force = damper - pair->stiffness * pair->gap;
  pair->damping_dissipation = -damper * vec_dot(motion, normal);
  ipg_friction_force(c, pair, vec_scale(1 - pair->time, motion));
  vec_store(pair->force, vec_add(vec_scale(pair->normal_force, normal), vec_at(pair->friction, 0)));
}

/* Spring and damper pull at all that the tie has become longer by. The damper sees how fast that changes, not how fast
 * the two sides move: with an offset between them, turning is motion too. */
static void enforce_tie(const ipg_contact *c, ipg_contact_pair *tie) {
  const vec normal = vec_at(tie->normal, 0), before = ipg_tie_elongation(c, tie, ipg_accepted_x(c));
  const vec longer = vec_add(vec_scale(tie->gap, normal), vec_at(tie->tangential_slip, 0));
  const vec damper = vec_scale(-ipg_damper(c, tie) / c->dt, vec_sub(longer, before));
  const vec force = vec_sub(damper, vec_scale(tie->stiffness, longer));
  tie->normal_force = vec_dot(force, normal);
  tie->damping_dissipation = -ipg_tie_work(c, tie, ipg_trial_x(c), damper);
  vec_store(tie->friction, vec_sub(force, vec_scale(tie->normal_force, normal)));
  vec_store(tie->force, force);
}

typedef struct enforcement {
  const ipg_contact *contact;
  const double *v;
} enforcement;

static void enforce_contacts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const enforcement *e = arg;
  ipg_contact_pair *pairs = e->contact->trial->contacts.data;
  for (int64_t i = begin; i < end; ++i)
    if (pairs[i].kind == IPG_CONTACT_TIE) enforce_tie(e->contact, &pairs[i]);
    else enforce_contact(e->contact, &pairs[i], e->v);
}

static vec force_on(const ipg_contact *c, const ipg_contact_pair *pair, int node) {
  const vec force = vec_scale(pair->weights[node], vec_at(pair->force, 0));
  const bool has_lever = pair->kind == IPG_CONTACT_TIE && node > 0 && pair->initial_offset != 0;
  return has_lever ? vec_add(force, ipg_tie_turning(pair, ipg_trial_x(c), vec_at(pair->force, 0), node)) : force;
}

void ipg_contact_force_on(const ipg_contact *c, const ipg_contact_pair *pair, int node, double force[3]) {
  vec_store(force, force_on(c, pair, node));
}

/* In the order of pairs, which is the order of keys: the same sums anywhere. */
void ipg_contact_sum_forces(ipg_contact *c) {
  const ipg_contact_pair *pairs = c->trial->contacts.data;
  double *force = c->trial->force.data;
  for (int64_t i = 0; i < 3 * c->surface.node_count; ++i) force[i] = 0;
  for (int64_t i = 0; i < c->trial->contact_count; ++i)
    for (int n = 0; n < 4; ++n) {
      double *at = force + 3 * (int64_t)pairs[i].nodes[n];
      vec_store(at, vec_add(vec_at(at, 0), force_on(c, &pairs[i], n)));
    }
}

void ipg_contact_enforce(ipg_contact *c, const double *v) {
  enforcement e = {c, v};
  ipg_penalty_soften(c);
  ipg_tasks_for(&c->config.tasks, enforce_contacts, &e, 0, c->trial->contact_count, GRAIN);
  ipg_contact_sum_forces(c);
}
