/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The ring of states, and what a caller may read of an object. */
#include "setup/contact_object.h"

#include "enforce/contact_force.h"

void ipg_start_ring(ipg_contact *c) {
  c->previous = &c->states[0], c->accepted = &c->states[1], c->trial = &c->states[2];
}

void ipg_forget_evaluation(ipg_contact *c) {
  c->holds = IPG_TRIAL_OF_NOTHING;
  c->has_evaluation = false;
  c->face_contact.count = 0, c->node_face.passed_count = 0;
}

ipg_step ipg_step_of(const ipg_contact *c) {
  return (ipg_step){.model = &c->model,
                    .x0 = c->accepted->x.at,
                    .x1 = c->trial->x.at,
                    .time0 = c->accepted->time,
                    .time1 = c->trial->time,
                    .dt = c->trial->time - c->accepted->time,
                    .history = &c->accepted->contacts,
                    .balance = &c->accepted->balance};
}

ipg_status ipg_clear_trial_contacts(ipg_contact *c, ipg_error *error) {
  ipg_status status = IPG_OK;
  c->trial->contacts.count = 0;
  for (int i = 0; !status && i < 3; ++i)
    status =
        ipg_contact_list_reserve_like(&c->trial->contacts, &c->states[i].contacts, &c->model.config.allocator, error);
  return status;
}

double ipg_find_stable_step(const ipg_contact *c) {
  return ipg_has_face_contact(&c->model) ? ipg_stable_step_of_faces(&c->model) : INFINITY;
}

/* ---------------------------------------------------------------------------------------------------------- getters */

const ipg_contact_state *ipg_last_state(const ipg_contact *c) {
  return c->holds == IPG_TRIAL_OF_FORCES ? c->trial : c->accepted;
}

const ipg_contact_pair *ipg_contact_pairs(const ipg_contact *c, int64_t *count) {
  const ipg_contact_state *state = c->holds == IPG_TRIAL_OF_NOTHING ? c->accepted : c->trial;
  *count = state->contacts.count;
  return state->contacts.pairs.at;
}

double ipg_contact_stable_step(const ipg_contact *c) { return ipg_last_state(c)->stable_step; }

const double *ipg_contact_forces(const ipg_contact *c) { return ipg_last_state(c)->force.at; }

void ipg_contact_node_rates(const ipg_contact *c, double *rates) {
  for (int64_t i = 0; i < c->model.surface.node_count; ++i)
    rates[i] = ipg_has_face_contact(&c->model) ? ipg_rate_at_node(&c->model, (ipg_id)i) : 0;
}

ipg_contact_key ipg_contact_key_of(const ipg_contact *c, const ipg_contact_pair *pair) {
  return ipg_key_of_contact(&c->model.surface, pair);
}

const ipg_contact_contribution *ipg_contact_contributions(const ipg_contact *c, int64_t *count) {
  *count = c->holds == IPG_TRIAL_OF_FORCES ? c->contributions.count : 0;
  return c->contributions.contributions.at;
}

void ipg_contact_force_on(const ipg_contact *c, const ipg_contact_pair *pair, int node, double force[3]) {
  vec_store(force, ipg_force_on_node(pair, ipg_last_state(c)->x.at, node));
}

ipg_contact_depth ipg_contact_find_deepest(const ipg_contact *c) {
  ipg_contact_depth depth = ipg_deepest_of_faces(&c->face_contact, &c->model);
  depth.time = ipg_last_state(c)->time;
  return depth;
}

const ipg_contact_passed_node *ipg_contact_passed_nodes(const ipg_contact *c, int64_t *count) {
  *count = c->node_face.passed_count;
  return c->node_face.passed.at;
}

double ipg_contact_get_time(const ipg_contact *c) { return c->accepted->time; }

int64_t ipg_contact_last_step(const ipg_contact *c) { return c->accepted->step; }

ipg_contact_energy_balance ipg_contact_get_energy_balance(const ipg_contact *c) { return c->accepted->balance; }

ipg_contact_counters ipg_contact_get_counters(const ipg_contact *c) {
  ipg_contact_counters counters = c->counters;
  counters.passed = c->accepted->passed;
  counters.searches = c->broad_phase.searches, counters.reuses = c->broad_phase.reuses;
  return counters;
}
