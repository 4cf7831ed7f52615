/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Energy balance of contact: stored energy, sliding energy (friction), damping, external work; each term is summed on
 * its own. Work over a step is the mean of the forces at its two ends times the motion between: for a central
 * difference with constant step the sum is force times the mean of the two half-step velocities times the step. The
 * forces of a projection act before the motion, and are booked with the velocities before and after them. Normal
 * springs and dampers are booked to the same rule, so that they close to rounding from one step to the next; what stays
 * open is the half force of a step in which a contact is activated or deactivated, and how friction slips.
 */
#include "enforce/energy_balance.h"

#include "model/block_rules.h"
#include "model/relative_motion.h"

static double work_of_step(const ipg_step *step, const ipg_step_result *r) {
  double work = 0;
  if (ipg_is_kinematic(step->model)) return r->projection_work;
  for (int64_t i = 0; i < 3 * step->model->surface.node_count; ++i)
    work += 0.5 * (r->force0[i] + r->force1[i]) * (step->x1[i] - step->x0[i]);
  return work;
}

/* The length of the spring that follows from positions alone: the normal one, and all of a tie. */
static vec length_of_spring(const ipg_contact_pair *pair) {
  const vec across = vec_scale(pair->gap, vec_at(pair->normal, 0));
  return pair->kind == IPG_CONTACT_TIE ? vec_add(across, vec_at(pair->history.tangential_slip, 0)) : across;
}

/* Work of a force between the sides in this step. x: positions of the contact as it is. */
static double work_of_force(const ipg_step *step, const ipg_contact_pair *pair, const double *x, vec force) {
  return pair->kind == IPG_CONTACT_TIE ? ipg_tie_work(step, pair, x, force)
                                       : vec_dot(force, ipg_relative_motion(step, pair));
}

static double normal_energy(const ipg_contact_pair *pair) {
  const vec length = length_of_spring(pair);
  return 0.5 * pair->history.stiffness * vec_dot(length, length);
}

/* Half of the work of the spring in the step, if its force stayed as it is. */
static double half_work(const ipg_step *step, const ipg_contact_pair *pair, const double *x) {
  return -0.5 * work_of_force(step, pair, x, vec_scale(pair->history.stiffness, length_of_spring(pair)));
}

/* Spring energy plus half of the work of the step at constant force, the touched point kept: k/2 times the gaps at both
 * ends. Above 0 if the node is behind the surface at both. */
static double energy_left_at_end(const ipg_step *step, const ipg_contact_pair *old) {
  return normal_energy(old) - half_work(step, old, step->x0);
}

static double energy_left_at_start(const ipg_step *step, const ipg_contact_pair *now) {
  return normal_energy(now) + half_work(step, now, step->x1);
}

/* Of the friction spring. */
static double tangential_energy(const ipg_contact_pair *pair, double stiffness) {
  const vec slip = vec_at(pair->history.tangential_slip, 0);
  return pair->kind == IPG_CONTACT_TIE ? 0 : 0.5 * stiffness * vec_dot(slip, slip);
}

/* Whose energy is not that of faces. */
static bool has_spring(const ipg_model *m, const ipg_contact_pair *pair) {
  return !ipg_has_face_contact(m) || pair->kind == IPG_CONTACT_TIE;
}

static double stored_energy(const ipg_contact_pair *pair) {
  return normal_energy(pair) + tangential_energy(pair, pair->history.stiffness);
}

/* A contact that opens gives its normal spring back on the way; one that is deactivated behind the surface loses what
 * is left, and both what the friction spring still holds. A tie whose time is over releases whatever length it has. */
static double loss_of_deactivated(const ipg_step *step, const ipg_contact_pair *old) {
  const double left = energy_left_at_end(step, old);
  return old->kind == IPG_CONTACT_TIE ? left : larger(0, left) + tangential_energy(old, old->history.stiffness);
}

/* Loss of a contact that goes on: its stiffness was lowered, or its touched point jumped to another part of the
 * surface. If its gap is 0 or more now, the spring has unloaded in the step, and only a positive remainder is lost. */
static double loss_of_continued(const ipg_step *step, const ipg_contact_pair *old, const ipg_contact_pair *now) {
  const double left = energy_left_at_end(step, old);
  const bool is_loaded = now->gap < 0 || now->kind == IPG_CONTACT_TIE;
  return (is_loaded ? left - energy_left_at_start(step, now) : larger(0, left)) +
         tangential_energy(old, old->history.stiffness - now->history.stiffness);
}

/* Edges that slide on along a ridge are another contact, whose spring is loaded already. */
static double gain_of_activated(const ipg_step *step, const ipg_contact_pair *now) {
  return larger(0, energy_left_at_start(step, now));
}

/* The work of dampers is booked as all work is, as the mean of the two ends of the step. */
static double damping_after(const ipg_step *step, const ipg_contact_pair *old) {
  const vec elongation = vec_add(vec_scale(old->gap, vec_at(old->normal, 0)), vec_at(old->history.tangential_slip, 0));
  const vec damper = vec_add(vec_at(old->response.force, 0), vec_scale(old->history.stiffness, elongation));
  return -work_of_force(step, old, step->x0, damper);
}

/* Work and impulse of the wall in half of the step. Both ends of the step count, as for all work; but a projection
 * belongs to its own step alone. */
static void book_wall(const ipg_step *step, const ipg_contact_pair *pair, ipg_contact_energy_balance *balance) {
  const double time = ipg_is_kinematic(step->model) ? step->dt : 0.5 * step->dt;
  balance->external_work += time * vec_dot(vec_at(pair->response.force, 0), ipg_wall_velocity(step->model, pair));
  for (int k = 0; k < 3; ++k) balance->wall_impulse[k] += time * pair->response.force[k];
}

static void book_first_half(const ipg_step *step, const ipg_contact_pair *old, ipg_contact_energy_balance *balance) {
  if (has_spring(step->model, old)) balance->damping_dissipation += 0.5 * damping_after(step, old);
  if (old->kind == IPG_CONTACT_NODE_WALL) book_wall(step, old, balance);
}

/* Old and new contacts are in the same order: both are walked together. */
static void book_losses(const ipg_step *step, const ipg_contact_list *contacts, ipg_contact_energy_balance *balance) {
  const ipg_contact_pair *old = step->history->pairs.at, *now = contacts->pairs.at;
  int64_t j = 0;
  for (int64_t i = 0; i < step->history->count; ++i) {
    while (j < contacts->count && ipg_compare_contacts(&now[j], &old[i]) < 0) ++j;
    if (!ipg_is_kinematic(step->model)) book_first_half(step, &old[i], balance);
    if (!has_spring(step->model, &old[i])) continue;
    const bool goes_on = j < contacts->count && ipg_compare_contacts(&now[j], &old[i]) == 0 && !now[j].activated;
    balance->spring_net_loss +=
        goes_on ? loss_of_continued(step, &old[i], &now[j]) : loss_of_deactivated(step, &old[i]);
  }
}

/* The normal force has no moment, and rounding shall not make one. Of a tie the damper has a moment, as far as the tie
 * has become longer. */
static vec moment_of_contact(const ipg_step *step, const ipg_contact_pair *pair) {
  const vec normal = vec_at(pair->normal, 0);
  if (ipg_is_kinematic(step->model))
    return vec_cross(ipg_separation_vector(step->model, pair, step->x0, step->time0), vec_at(pair->response.force, 0));
  if (pair->kind == IPG_CONTACT_TIE) return vec_cross(length_of_spring(pair), vec_at(pair->response.force, 0));
  return vec_scale(pair->gap + pair->history.initial_offset, vec_cross(normal, vec_at(pair->response.friction, 0)));
}

static void book_moment(const ipg_step *step, const ipg_contact_pair *pair, ipg_contact_energy_balance *balance) {
  const vec moment = vec_scale(step->dt, moment_of_contact(step, pair));
  double *defect = balance->angular_momentum_defect;
  defect[0] += moment.x, defect[1] += moment.y, defect[2] += moment.z;
}

static void book_contact(const ipg_step *step, const ipg_contact_pair *pair, ipg_contact_energy_balance *balance) {
  if (has_spring(step->model, pair)) balance->contact_energy += stored_energy(pair);
  if (pair->activated && has_spring(step->model, pair)) balance->spring_net_loss -= gain_of_activated(step, pair);
  balance->activations += pair->activated;
  if (pair->kind != IPG_CONTACT_TIE && !ipg_has_face_contact(step->model))
    balance->smallest_gap = smaller(balance->smallest_gap, pair->gap);
  balance->friction_dissipation += pair->response.friction_dissipation;
  balance->kinematic_dissipation += pair->response.kinematic_dissipation;
  balance->damping_dissipation += 0.5 * pair->response.damping_dissipation;
  if (pair->kind == IPG_CONTACT_NODE_WALL) book_wall(step, pair, balance);
  else book_moment(step, pair, balance);
}

ipg_contact_energy_balance ipg_energy_balance_after_step(const ipg_step *step, const ipg_step_result *r) {
  ipg_contact_energy_balance balance = *step->balance;
  const ipg_contact_list *contacts = r->contacts;
  balance.contact_work += work_of_step(step, r);
  balance.contact_energy = 0;
  for (int64_t i = 0; i < contacts->count; ++i) book_contact(step, &contacts->pairs.at[i], &balance);
  if (ipg_has_face_contact(step->model)) { /* an energy of positions: nothing is lost but by rules, and ties that end */
    balance.spring_net_loss += r->lost_by_rules - r->released_work;
    balance.contact_energy += r->faces.energy + r->frictions->energy;
    balance.friction_dissipation += r->frictions->friction, balance.damping_dissipation += r->frictions->damping;
    balance.smallest_gap = smaller(balance.smallest_gap, -r->faces.depth);
  }
  book_losses(step, contacts, &balance);
  balance.deactivations = balance.activations - contacts->count; /* all that were activated and are no more */
  return balance;
}

/* Nobody moves: what the springs hold less than before is lost. */
void ipg_book_transfer(const ipg_model *m, const ipg_contact_pair *was, const ipg_contact_pair *is,
                       ipg_contact_energy_balance *balance) {
  const double before = has_spring(m, was) ? stored_energy(was) : 0;
  const double left = is && has_spring(m, is) ? stored_energy(is) : 0;
  balance->contact_energy += left;
  balance->spring_net_loss += before - left;
  balance->deactivations += !is;
}

static void add_tie(const ipg_model *m, const ipg_contact_pair *tie, double damping, ipg_block_sums *sums) {
  const int32_t block = m->topology.node_blocks.at[tie->owner], touched = ipg_block_of_face(m, tie->face);
  ipg_add_block_dissipation(sums, &m->config.allocator, ipg_block_pair_of(block, touched), 0, damping);
}

void ipg_sum_tie_dissipation(const ipg_step *step, const ipg_contact_list *contacts, ipg_block_sums *sums) {
  const ipg_contact_range old = ipg_contacts_of_kind(step->history, IPG_CONTACT_TIE),
                          now = ipg_contacts_of_kind(contacts, IPG_CONTACT_TIE);
  for (int64_t i = 0; i < old.count; ++i)
    add_tie(step->model, &old.pairs[i], 0.5 * damping_after(step, &old.pairs[i]), sums);
  for (int64_t i = 0; i < now.count; ++i)
    add_tie(step->model, &now.pairs[i], 0.5 * now.pairs[i].response.damping_dissipation, sums);
}

double ipg_energy_of_tie(const ipg_contact_pair *tie) { return stored_energy(tie); }
