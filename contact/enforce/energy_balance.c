/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Energy balance of contact: stored energy, sliding energy (friction), damping, external work; each term is summed on
 * its own. Work over a step is the mean of the forces at its two ends times the motion between: for a central
 * difference with constant step the sum is force times the mean of the two half-step velocities times the step. The
 * forces of a projection act before the motion, and are booked with the velocities before and after them. The springs
 * of ties are booked to the same rule, so that they close to rounding from one step to the next.
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

/* ------------------------------------------------------------------------------------------------------------- ties */

static vec elongation_of_tie(const ipg_contact_pair *tie) {
  return vec_add(vec_scale(tie->gap, vec_at(tie->normal, 0)), vec_at(tie->history.tangential_slip, 0));
}

double ipg_energy_of_tie(const ipg_contact_pair *tie) {
  const vec elongation = elongation_of_tie(tie);
  return 0.5 * tie->history.stiffness * vec_dot(elongation, elongation);
}

/* Half of the work of the spring in the step, if its force stayed as it is. x: positions of the tie as it is. */
static double half_work(const ipg_step *step, const ipg_contact_pair *tie, const double *x) {
  return -0.5 * ipg_tie_work(step, tie, x, vec_scale(tie->history.stiffness, elongation_of_tie(tie)));
}

/* Spring energy and half of the work of the step: the same at both ends, but for the turn of an offset. */
static double energy_left_at_end(const ipg_step *step, const ipg_contact_pair *old) {
  return ipg_energy_of_tie(old) - half_work(step, old, step->x0);
}

static double energy_left_at_start(const ipg_step *step, const ipg_contact_pair *now) {
  return ipg_energy_of_tie(now) + half_work(step, now, step->x1);
}

/* The work of dampers is booked as all work is, as the mean of the two ends of the step. */
static double damping_after(const ipg_step *step, const ipg_contact_pair *old) {
  const vec spring = vec_scale(old->history.stiffness, elongation_of_tie(old));
  return -ipg_tie_work(step, old, step->x0, vec_add(vec_at(old->response.force, 0), spring));
}

/* A tie whose time is over releases whatever length it has. */
static double loss_of_tie(const ipg_step *step, const ipg_contact_pair *old, const ipg_contact_pair *now) {
  return energy_left_at_end(step, old) - (now ? energy_left_at_start(step, now) : 0);
}

/* Old and new ties are in the same order: both are walked together. */
static void book_ties(const ipg_step *step, const ipg_contact_list *contacts, ipg_contact_energy_balance *balance) {
  const ipg_contact_range old = ipg_contacts_of_kind(step->history, IPG_CONTACT_TIE),
                          now = ipg_contacts_of_kind(contacts, IPG_CONTACT_TIE);
  int64_t j = 0;
  for (int64_t i = 0; i < old.count; ++i) {
    while (j < now.count && ipg_compare_contacts(&now.pairs[j], &old.pairs[i]) < 0) ++j;
    const bool goes_on = j < now.count && ipg_compare_contacts(&now.pairs[j], &old.pairs[i]) == 0;
    balance->damping_dissipation += 0.5 * damping_after(step, &old.pairs[i]);
    balance->spring_net_loss += loss_of_tie(step, &old.pairs[i], goes_on ? &now.pairs[j] : NULL);
  }
}

/* ---------------------------------------------------------------------------------------------------------- the step
 */

/* Work and impulse of the wall in half of the step. Both ends of the step count, as for all work; but a projection
 * belongs to its own step alone. */
static void book_wall(const ipg_step *step, const ipg_contact_pair *pair, ipg_contact_energy_balance *balance) {
  const double time = ipg_is_kinematic(step->model) ? step->dt : 0.5 * step->dt;
  balance->external_work += time * vec_dot(vec_at(pair->response.force, 0), ipg_wall_velocity(step->model, pair));
  for (int k = 0; k < 3; ++k) balance->wall_impulse[k] += time * pair->response.force[k];
}

static void book_first_half_of_walls(const ipg_step *step, ipg_contact_energy_balance *balance) {
  const ipg_contact_range old = ipg_contacts_of_kind(step->history, IPG_CONTACT_NODE_WALL);
  for (int64_t i = 0; i < old.count && !ipg_is_kinematic(step->model); ++i) book_wall(step, &old.pairs[i], balance);
}

/* Of a tie the damper has a moment, as far as the tie has become longer; a projection acts where the sides were apart.
 */
static vec moment_of_contact(const ipg_step *step, const ipg_contact_pair *pair) {
  const vec force = vec_at(pair->response.force, 0);
  return vec_cross(pair->kind == IPG_CONTACT_TIE ? elongation_of_tie(pair)
                                                 : ipg_separation_vector(step->model, pair, step->x0, step->time0),
                   force);
}

static void book_moment(const ipg_step *step, const ipg_contact_pair *pair, ipg_contact_energy_balance *balance) {
  const vec moment = vec_scale(step->dt, moment_of_contact(step, pair));
  double *defect = balance->angular_momentum_defect;
  defect[0] += moment.x, defect[1] += moment.y, defect[2] += moment.z;
}

static void book_contact(const ipg_step *step, const ipg_contact_pair *pair, ipg_contact_energy_balance *balance) {
  const bool is_tie = pair->kind == IPG_CONTACT_TIE, is_kinematic = ipg_is_kinematic(step->model);
  balance->activations += pair->activated;
  if (is_tie) balance->contact_energy += ipg_energy_of_tie(pair);
  if (is_kinematic) balance->smallest_gap = smaller(balance->smallest_gap, pair->gap);
  balance->friction_dissipation += pair->response.friction_dissipation;
  balance->kinematic_dissipation += pair->response.kinematic_dissipation;
  balance->damping_dissipation += 0.5 * pair->response.damping_dissipation;
  if (pair->kind == IPG_CONTACT_NODE_WALL) book_wall(step, pair, balance);
  else if (is_tie || is_kinematic) book_moment(step, pair, balance);
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
  book_first_half_of_walls(step, &balance);
  book_ties(step, contacts, &balance);
  balance.deactivations = balance.activations - contacts->count; /* all that were activated and are no more */
  return balance;
}

/* Nobody moves: what ties hold less than before is lost. */
void ipg_book_transfer(const ipg_contact_pair *was, const ipg_contact_pair *is, ipg_contact_energy_balance *balance) {
  const bool is_tie = was->kind == IPG_CONTACT_TIE;
  const double before = is_tie ? ipg_energy_of_tie(was) : 0, left = is && is_tie ? ipg_energy_of_tie(is) : 0;
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
