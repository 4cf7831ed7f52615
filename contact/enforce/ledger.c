/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What contact does to energy, each term summed on its own.
 * Work over a step is the mean of the forces at its two ends along the motion between: for a central difference with
 * constant step this is, summed up, force times the mean of the two half-step velocities times the step. */
#include "state.h"
#include "support/vec.h"

static double work_of_step(const ipg_contact *c) {
  const double *x0 = ipg_accepted_x(c), *x1 = ipg_trial_x(c);
  const double *f0 = c->accepted->force.data, *f1 = c->trial->force.data;
  double work = 0;
  for (int64_t i = 0; i < 3 * c->surface.node_count; ++i) work += 0.5 * (f0[i] + f1[i]) * (x1[i] - x0[i]);
  return work;
}

static double spring_energy(const ipg_contact_pair *pair, double stiffness) {
  const vec stretch = vec_at(pair->stretch, 0);
  return 0.5 * stiffness * (pair->gap * pair->gap + vec_dot(stretch, stretch));
}

static bool is_same_contact(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return a->nodes[0] == b->nodes[0] && a->body == b->body;
}

/* Did the contact end with its node still behind the face it followed? */
static bool ended_closed(const ipg_contact *c, const ipg_contact_pair *pair) {
  const double *x = ipg_trial_x(c);
  const ipg_id *corner = c->surface.faces + 3 * (int64_t)pair->face;
  const vec a = vec_at(x, corner[0]), b = vec_at(x, corner[1]), d = vec_at(x, corner[2]);
  return vec_dot(vec_sub(vec_at(x, pair->nodes[0]), a), vec_cross(vec_sub(b, a), vec_sub(d, a))) < 0;
}

/* A contact that opens gives its normal spring back on the way; what the friction spring still holds is lost. */
static double given_up(const ipg_contact *c, const ipg_contact_pair *pair) {
  const vec stretch = vec_at(pair->stretch, 0);
  if (ended_closed(c, pair)) return spring_energy(pair, pair->stiffness);
  return 0.5 * pair->stiffness * vec_dot(stretch, stretch);
}

/* Old and new contacts are both sorted by (node, body): walk them together. */
static void book_ends(const ipg_contact *c, ipg_contact_ledger *ledger) {
  const ipg_contact_pair *old = c->accepted->contacts.data, *now = c->trial->contacts.data;
  int64_t j = 0;
  for (int64_t i = 0; i < c->accepted->contact_count; ++i) {
    while (j < c->trial->contact_count &&
           (now[j].nodes[0] < old[i].nodes[0] || (now[j].nodes[0] == old[i].nodes[0] && now[j].body < old[i].body)))
      ++j;
    if (j < c->trial->contact_count && is_same_contact(&now[j], &old[i]) && !now[j].born) {
      ledger->released += spring_energy(&old[i], old[i].stiffness - now[j].stiffness);
      continue;
    }
    ledger->ends++;
    ledger->released += given_up(c, &old[i]);
  }
}

static void book_contact(const ipg_contact *c, const ipg_contact_pair *pair, ipg_contact_ledger *ledger) {
  const vec couple = vec_scale(c->dt * pair->gap, vec_cross(vec_at(pair->normal, 0), vec_at(pair->friction, 0)));
  ledger->stored += spring_energy(pair, pair->stiffness);
  ledger->births += pair->born;
  ledger->deepest = smaller(ledger->deepest, pair->gap);
  ledger->friction += pair->slipped;
  ledger->damping += pair->damped;
  ledger->couple[0] += couple.x, ledger->couple[1] += couple.y, ledger->couple[2] += couple.z;
}

ipg_contact_ledger ipg_ledger_after_step(const ipg_contact *c) {
  ipg_contact_ledger ledger = c->accepted->ledger;
  const ipg_contact_pair *now = c->trial->contacts.data;
  ledger.work += work_of_step(c);
  ledger.stored = 0;
  for (int64_t i = 0; i < c->trial->contact_count; ++i) book_contact(c, &now[i], &ledger);
  book_ends(c, &ledger);
  return ledger;
}
