/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What contact does to energy, each term summed on its own.
 * Work over a step is the mean of the forces at its two ends along the motion between: for a central difference with
 * constant step this is, summed up, force times the mean of the two half-step velocities times the step.
 * A correction's forces act before the motion, and are booked with the velocities before and after them.
 * Springs across and dampers are booked to the same rule, so that they close to rounding from one step to the next;
 * what stays open is the half force of a step in which a contact begins or ends, and how the friction spring slips. */
#include "state.h"
#include "support/vec.h"

static double work_of_step(const ipg_contact *c) {
  const double *x0 = ipg_accepted_x(c), *x1 = ipg_trial_x(c);
  const double *f0 = c->accepted->force.data, *f1 = c->trial->force.data;
  double work = 0;
  if (ipg_is_kinematic(c)) return c->work;
  for (int64_t i = 0; i < 3 * c->surface.node_count; ++i) work += 0.5 * (f0[i] + f1[i]) * (x1[i] - x0[i]);
  return work;
}

/* Of the spring whose length the places alone tell: across the surface, and all of a tie. */
static vec length_of_spring(const ipg_contact_pair *pair) {
  const vec across = vec_scale(pair->gap, vec_at(pair->normal, 0));
  return pair->kind == IPG_CONTACT_TIE ? vec_add(across, vec_at(pair->tangential_slip, 0)) : across;
}

/* What a force between the sides does in this step. x: where the contact stands as it is. */
static double work_of(const ipg_contact *c, const ipg_contact_pair *pair, const double *x, vec force) {
  return pair->kind == IPG_CONTACT_TIE ? ipg_tie_work(c, pair, x, force)
                                       : vec_dot(force, ipg_contact_relative_motion(c, pair));
}

static double energy_of_length(const ipg_contact_pair *pair) {
  const vec length = length_of_spring(pair);
  return 0.5 * pair->stiffness * vec_dot(length, length);
}

/* Half of what the spring's force would do in the step if it stayed as it is. */
static double half_work(const ipg_contact *c, const ipg_contact_pair *pair, const double *x) {
  return -0.5 * work_of(c, pair, x, vec_scale(pair->stiffness, length_of_spring(pair)));
}

/* Of this spring's energy, what the motion to or from the step's other end does not do, its foot kept: above 0 if the
 * node is behind the surface there too. */
static double held_at_end(const ipg_contact *c, const ipg_contact_pair *old) {
  return energy_of_length(old) - half_work(c, old, ipg_accepted_x(c));
}

static double held_at_start(const ipg_contact *c, const ipg_contact_pair *now) {
  return energy_of_length(now) + half_work(c, now, ipg_trial_x(c));
}

/* Of friction's spring. */
static double stretch_energy(const ipg_contact_pair *pair, double stiffness) {
  const vec stretch = vec_at(pair->tangential_slip, 0);
  return pair->kind == IPG_CONTACT_TIE ? 0 : 0.5 * stiffness * vec_dot(stretch, stretch);
}

/* In its springs, across and along the surface. */
static double stored_in(const ipg_contact_pair *pair) {
  return energy_of_length(pair) + stretch_energy(pair, pair->stiffness);
}

/* A contact that opens gives its normal spring back on the way; one that ends behind the surface loses what is left,
 * and both what the friction spring still holds. A tie whose time is over lets go at whatever length. */
static double given_up(const ipg_contact *c, const ipg_contact_pair *old) {
  const double left = held_at_end(c, old);
  return old->kind == IPG_CONTACT_TIE ? left : larger(0, left) + stretch_energy(old, old->stiffness);
}

/* A spring that has become softer, or whose foot has jumped to another part of the surface. One that lets go, for the
 * node has come out by more than it was pressed, has given itself back on the way. */
static double given_up_on_the_way(const ipg_contact *c, const ipg_contact_pair *old, const ipg_contact_pair *now) {
  const double held = held_at_end(c, old);
  return (now->gap < 0 || now->kind == IPG_CONTACT_TIE ? held - held_at_start(c, now) : larger(0, held)) +
         stretch_energy(old, old->stiffness - now->stiffness);
}

/* Edges that slide on along a ridge are another contact, whose spring is pressed already. */
static double brought(const ipg_contact *c, const ipg_contact_pair *born) { return larger(0, held_at_start(c, born)); }

/* Dampers' work is booked as all work is, as the mean of the two ends of the step. */
static double damped_after(const ipg_contact *c, const ipg_contact_pair *old) {
  const vec spring =
      vec_scale(old->stiffness, vec_add(vec_scale(old->gap, vec_at(old->normal, 0)), vec_at(old->tangential_slip, 0)));
  const vec damper = vec_add(vec_at(old->force, 0), spring);
  return -work_of(c, old, ipg_accepted_x(c), damper);
}

/* What a plane's end of the spring does in half of the step. Both ends of the step count, as for work; but a
 * correction belongs to its own step alone. */
static void book_plane(const ipg_contact *c, const ipg_contact_pair *pair, ipg_contact_energy_balance *ledger) {
  const double time = ipg_is_kinematic(c) ? c->dt : 0.5 * c->dt;
  ledger->external_work += time * vec_dot(vec_at(pair->force, 0), ipg_touched_velocity(c, pair));
  for (int k = 0; k < 3; ++k) ledger->wall_impulse[k] += time * pair->force[k];
}

static void book_first_half(const ipg_contact *c, const ipg_contact_pair *old, ipg_contact_energy_balance *ledger) {
  ledger->damping_dissipation += 0.5 * damped_after(c, old);
  if (old->kind == IPG_CONTACT_NODE_WALL) book_plane(c, old, ledger);
}

/* Old and new contacts stand in the same order: walk them together. */
static void book_ends(const ipg_contact *c, ipg_contact_energy_balance *ledger) {
  const ipg_contact_pair *old = c->accepted->contacts.data, *now = c->trial->contacts.data;
  int64_t j = 0;
  for (int64_t i = 0; i < c->accepted->contact_count; ++i) {
    while (j < c->trial->contact_count && ipg_contact_order(&now[j], &old[i]) < 0) ++j;
    if (!ipg_is_kinematic(c)) book_first_half(c, &old[i], ledger);
    if (j < c->trial->contact_count && ipg_contact_order(&now[j], &old[i]) == 0 && !now[j].activated) {
      ledger->spring_net_loss += given_up_on_the_way(c, &old[i], &now[j]);
      continue;
    }
    ledger->spring_net_loss += given_up(c, &old[i]);
  }
}

/* Of a contact the part along the normal has none, so none comes of rounding. Of a tie its damper has, as far as the
 * tie has become longer. */
static vec couple_of(const ipg_contact *c, const ipg_contact_pair *pair) {
  const vec normal = vec_at(pair->normal, 0);
  if (ipg_is_kinematic(c)) return vec_cross(ipg_kinematic_apart(c, pair), vec_at(pair->force, 0));
  if (pair->kind == IPG_CONTACT_TIE) return vec_cross(length_of_spring(pair), vec_at(pair->force, 0));
  return vec_scale(pair->gap + pair->initial_offset, vec_cross(normal, vec_at(pair->friction, 0)));
}

static void book_couple(const ipg_contact *c, const ipg_contact_pair *pair, ipg_contact_energy_balance *ledger) {
  const vec couple = vec_scale(c->dt, couple_of(c, pair));
  ledger->angular_momentum_defect[0] += couple.x, ledger->angular_momentum_defect[1] += couple.y,
      ledger->angular_momentum_defect[2] += couple.z;
}

static void book_contact(const ipg_contact *c, const ipg_contact_pair *pair, ipg_contact_energy_balance *ledger) {
  ledger->contact_energy += stored_in(pair);
  if (pair->activated) ledger->spring_net_loss -= brought(c, pair);
  ledger->activations += pair->activated;
  if (pair->kind != IPG_CONTACT_TIE) ledger->smallest_gap = smaller(ledger->smallest_gap, pair->gap);
  ledger->friction_dissipation += pair->friction_dissipation;
  ledger->kinematic_dissipation += pair->kinematic_dissipation;
  ledger->damping_dissipation += 0.5 * pair->damping_dissipation;
  if (pair->kind == IPG_CONTACT_NODE_WALL) book_plane(c, pair, ledger);
  else book_couple(c, pair, ledger);
}

ipg_contact_energy_balance ipg_ledger_after_step(const ipg_contact *c) {
  ipg_contact_energy_balance ledger = c->accepted->ledger;
  const ipg_contact_pair *now = c->trial->contacts.data;
  ledger.contact_work += work_of_step(c);
  ledger.contact_energy = 0;
  for (int64_t i = 0; i < c->trial->contact_count; ++i) book_contact(c, &now[i], &ledger);
  book_ends(c, &ledger);
  ledger.deactivations = ledger.activations - c->trial->contact_count; /* all that have begun and are no more */
  return ledger;
}

/* Nobody moves: what the springs have less than before they have given up. */
void ipg_ledger_resurface(ipg_contact_energy_balance *ledger, const ipg_contact_pair *was, const ipg_contact_pair *is) {
  const double left = is ? stored_in(is) : 0;
  ledger->contact_energy += left;
  ledger->spring_net_loss += stored_in(was) - left;
  ledger->deactivations += !is;
}
