/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Life of a contact object, and a new start at other positions. All memory that does not depend on the number of
 * contacts is allocated here. */
#include "setup/create.h"

#include "enforce/energy_balance.h"
#include "model/bevels.h"
#include "setup/build_model.h"
#include "setup/check_input.h"
#include "setup/sizes.h"

#include <string.h>

static ipg_status create_state_of_faces(ipg_contact_state *s, const ipg_contact_config *config, int64_t values,
                                        ipg_error *error) {
  ipg_status status = ipg_array_reserve(&s->offsets, &config->allocator, values / 3, error);
  if (!status) status = ipg_array_reserve(&s->face_force, &config->allocator, values, error);
  if (!status && values) memset(s->face_force.at, 0, (size_t)values * sizeof *s->face_force.at);
  return status;
}

static ipg_status create_states(ipg_contact *c, const double *x, ipg_error *error) {
  const ipg_contact_config *config = &c->model.config;
  const int64_t values = 3 * c->model.surface.node_count, with_bevels = 3 * ipg_node_count_with_bevels(&c->model);
  for (int i = 0; i < 3; ++i) {
    ipg_contact_state *s = &c->states[i];
    ipg_status status = ipg_array_reserve(&s->x, &config->allocator, with_bevels, error);
    if (!status) status = ipg_array_reserve(&s->force, &config->allocator, values, error);
    if (status) return status;
    if (ipg_has_face_contact(&c->model)) status = create_state_of_faces(s, config, values, error);
    if (status) return status;
    s->time = config->start_time, s->is_start = true;
    s->stable_step = INFINITY;
    if (values) memset(s->force.at, 0, (size_t)values * sizeof *x);
    if (values) memcpy(s->x.at, x, (size_t)values * sizeof *x);
    ipg_set_bevel_points(&c->model, s->x.at);
  }
  c->states[1].step = INT64_MIN;
  ipg_start_ring(c);
  return IPG_OK;
}

static ipg_status create_parts(ipg_contact *c, const ipg_surface *surface, const double *x, int least_blocks,
                               ipg_error *error) {
  ipg_status status = ipg_build_model(&c->model, surface, x, least_blocks, error);
  if (!status) status = create_states(c, x, error);
  if (!status) status = ipg_node_face_workspace_reserve(&c->node_face, &c->model, error);
  if (!status) status = ipg_node_wall_workspace_reserve(&c->node_wall, &c->model, error);
  if (!status && ipg_has_face_contact(&c->model))
    status = ipg_face_friction_workspace_reserve(&c->face_friction, &c->model, error);
  if (!status) status = ipg_broad_phase_init(&c->broad_phase, &c->model, error);
  return status;
}

ipg_status ipg_create_without_ties(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                                   int least_blocks, ipg_contact **out, ipg_error *error) {
  *out = NULL;
  ipg_status status = ipg_check_input(config, surface, x, error);
  if (status) return status;
  ipg_contact *c = config->allocator.allocate(config->allocator.context, sizeof *c);
  if (!c) return ipg_fail(error, IPG_ERROR_MEMORY, "out of memory for a contact object");
  *c = (ipg_contact){.model = {.config = *config}};
  status = create_parts(c, surface, x, least_blocks, error);
  if (status) ipg_contact_destroy(&c);
  *out = c;
  return status;
}

ipg_status ipg_contact_create(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                              ipg_contact **out, ipg_error *error) {
  ipg_contact_config own;
  *out = NULL;
  ipg_status status = ipg_take_config(config, &own, error);
  if (status) return status;
  const ipg_surface own_surface = ipg_take_surface(&own, surface);
  status = ipg_create_without_ties(&own, &own_surface, x, 0, out, error);
  if (!status) status = ipg_contact_set_positions(*out, own.start_time, x, error);
  if (status) ipg_contact_destroy(out);
  return status;
}

void ipg_contact_destroy(ipg_contact **contact) {
  ipg_contact *c = *contact;
  if (!c) return;
  const ipg_allocator allocator = c->model.config.allocator, *a = &allocator;
  ipg_broad_phase_destroy(&c->broad_phase, a);
  ipg_node_face_workspace_destroy(&c->node_face, a);
  ipg_node_wall_workspace_destroy(&c->node_wall, a);
  ipg_projection_workspace_destroy(&c->projection, a);
  ipg_face_contact_workspace_destroy(&c->face_contact, a);
  ipg_face_friction_workspace_destroy(&c->face_friction, a);
  ipg_array_destroy(&c->contributions.contributions, a);
  ipg_array_destroy(&c->gaps, a);
  ipg_array_destroy(&c->initial_penetrations, a);
  ipg_array_destroy(&c->block_results, a);
  for (int i = 0; i < 3; ++i) {
    ipg_array_destroy(&c->states[i].x, a);
    ipg_array_destroy(&c->states[i].force, a);
    ipg_array_destroy(&c->states[i].offsets, a);
    ipg_array_destroy(&c->states[i].face_force, a);
    ipg_array_destroy(&c->states[i].released.forces, a);
    ipg_friction_list_destroy(&c->states[i].frictions, a);
    ipg_array_destroy(&c->states[i].sums.pairs, a);
    ipg_contact_list_destroy(&c->states[i].contacts, a);
  }
  ipg_destroy_model(&c->model);
  allocator.release(allocator.context, c, sizeof *c);
  *contact = NULL;
}

/* The old contacts are deactivated: their springs, and faces, lose what they hold. */
static void book_new_start(const ipg_contact_state *old, ipg_contact_state *start) {
  start->balance = old->balance;
  for (int64_t i = 0; i < old->contacts.count; ++i)
    ipg_book_transfer(&old->contacts.pairs.at[i], NULL, &start->balance);
  start->balance.spring_net_loss += old->faces.energy + ipg_friction_energy(&old->frictions);
  start->balance.contact_energy = 0, start->balance.activations += start->contacts.count;
}

/* The new start is made as a trial, so that the accepted state is unchanged if it fails. */
ipg_status ipg_contact_set_positions(ipg_contact *c, double time, const double *x, ipg_error *error) {
  if (!isfinite(time)) return ipg_fail(error, IPG_ERROR_NUMBER, "the time %g of the start is not finite", time);
  ipg_status status = ipg_check_positions(&c->model.surface, x, error);
  if (status) return status;
  const size_t bytes = 3 * (size_t)c->model.surface.node_count * sizeof *x;
  ipg_contact_state *start = c->trial;
  if (bytes) memcpy(start->x.at, x, bytes);
  ipg_set_bevel_points(&c->model, start->x.at);
  if (bytes) memset(start->force.at, 0, bytes);
  ipg_forget_evaluation(c);
  c->broad_phase.is_current = false;
  start->time = time;
  status = ipg_clear_trial_contacts(c, error);
  if (!status) status = ipg_make_ties(c, error);
  if (!status) status = ipg_copy_block_sums(&c->accepted->sums, &start->sums, &c->model.config.allocator, error);
  if (status) return status;
  start->step = c->accepted->step, start->passed = c->accepted->passed;
  start->lost_by_rules = 0, start->is_start = true;
  start->faces = (ipg_face_contact_sums){0};
  start->has_offsets = start->released.is_there = false;
  if (bytes && ipg_has_face_contact(&c->model)) memset(start->face_force.at, 0, bytes);
  ipg_friction_list_clear(&start->frictions);
  start->stable_step = ipg_find_stable_step(c);
  book_new_start(c->accepted, start);
  c->trial = c->accepted, c->accepted = start;
  c->has_previous = false;
  return IPG_OK;
}
