/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The driver of a contact step: one phase a line. The trial positions are copied in by ipg_update_swept_boxes, which
 * reads them all anyway. */
#include "detect/ties.h"
#include "enforce/energy_balance.h"
#include "enforce/tie_contact.h"
#include "model/block_rules.h"
#include "setup/contact_object.h"
#include "support/clock.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Whether `time` is after the accepted state; 0: it is the same but for rounding, as of sums that another way leads to.
 */
static double time_since(const ipg_contact *c, double time) {
  const double before = c->accepted->time, rounding = 4 * DBL_EPSILON * larger(fabs(time), fabs(before));
  return fabs(time - before) <= rounding ? 0 : time - before;
}

static ipg_status check_time(const ipg_contact *c, double time, ipg_error *error) {
  const double before = c->accepted->time, dt = time_since(c, time);
  if (ipg_is_within_numbers(dt) || (dt == 0 && !ipg_is_kinematic(&c->model))) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_NUMBER,
                  "the time is %.17g, a step of %g from the accepted state at %.17g; it must be later, by %g to %g",
                  time, time - before, before, IPG_SMALLEST, IPG_LARGEST);
}

/* v may be NULL. */
static ipg_status check_velocities(const ipg_surface *s, const double *v, ipg_error *error) {
  for (int64_t i = 0; v && i < 3 * s->node_count; ++i)
    if (!(fabs(v[i]) <= IPG_LARGEST))
      return ipg_fail(error, IPG_ERROR_NUMBER, "the velocity of node %lld is not finite, or beyond %g",
                      (long long)s->node_gids[i / 3], IPG_LARGEST);
  return IPG_OK;
}

static ipg_status refuse_enforcement(const ipg_contact *c, bool is_projection, ipg_error *error) {
  if (ipg_is_kinematic(&c->model) == is_projection) return IPG_OK;
  return !is_projection
             ? ipg_fail(error, IPG_ERROR_ARGUMENT,
                        "kinematic contact projects predicted positions and has no force for positions that stay: call "
                        "ipg_contact_project, or choose another enforcement")
             : ipg_fail(error, IPG_ERROR_ARGUMENT,
                        "only kinematic contact moves positions: call ipg_contact_evaluate, or choose kinematic "
                        "enforcement");
}

/* The time since `since` belongs to the phase; the next begins. */
static void clock_phase(ipg_contact *c, ipg_contact_phase phase, double *since) {
  const double now = ipg_clock();
  c->counters.seconds[phase] += now - *since;
  *since = now;
}

static void count_evaluation(ipg_contact *c) {
  c->holds = IPG_TRIAL_OF_FORCES;
  c->has_evaluation = true;
  c->counters.evaluations++;
  const ipg_broad_phase *b = &c->broad_phase;
  c->counters.candidates = b->node_face.count + b->face_face.count + b->sharp_edges.count;
  c->counters.active = b->node_face.active_count + b->face_face.active_count + b->sharp_edges.count;
  c->counters.contacts = c->trial->contacts.count;
  c->counters.face_contacts = ipg_has_face_contact(&c->model) ? c->face_contact.count : 0;
}

/* ------------------------------------------------------------------------------------------------------- detection */

static ipg_status start_trial(ipg_contact *c, double time, ipg_error *error) {
  const ipg_status status = check_time(c, time, error);
  if (status) return status;
  const double dt = time_since(c, time);
  c->trial->time = dt > 0 ? time : c->accepted->time;
  return ipg_clear_trial_contacts(c, error);
}

/* Each kind of contact adds its own, in the order of kinds. */
static ipg_status detect_contacts(ipg_contact *c, const ipg_step *step, ipg_error *error) {
  const ipg_broad_phase *b = &c->broad_phase;
  ipg_contact_list *contacts = &c->trial->contacts;
  ipg_status status = ipg_detect_node_face(&c->node_face, step, &b->node_face, contacts, error);
  if (!status) status = ipg_detect_node_wall(&c->node_wall, step, contacts, error);
  if (!status) status = ipg_detect_ties(step, contacts, error);
  return status;
}

/* The trial's contacts on the paths from the accepted positions to x. */
static ipg_status detect_on_paths(ipg_contact *c, double time, const double *x, double *since, ipg_error *error) {
  ipg_status status = start_trial(c, time, error);
  const ipg_step step = ipg_step_of(c);
  if (!status) status = ipg_update_swept_boxes(&c->broad_phase, &step, x, c->trial->x.at, error);
  clock_phase(c, IPG_PHASE_SWEPT_BOXES, since);
  if (!status) status = ipg_update_candidates(&c->broad_phase, &c->model, error);
  clock_phase(c, IPG_PHASE_SEARCH, since);
  if (!status) status = detect_contacts(c, &step, error);
  clock_phase(c, IPG_PHASE_DETECT, since);
  return status;
}

/* --------------------------------------------------------------------------------------------------------- evaluate */

/* Offsets fade with the initial penetrations that they belong to. Sets how deep these are. */
static ipg_status fade_offsets(ipg_contact *c, const ipg_step *step, double *depth, ipg_error *error) {
  c->trial->has_offsets = false;
  *depth = 0;
  if (!c->accepted->has_offsets) return IPG_OK;
  const ipg_status status = ipg_find_face_contacts(&c->face_contact, step, &c->broad_phase, NULL, error);
  if (status) return status;
  *depth = ipg_largest_depth(&c->face_contact);
  c->trial->has_offsets = ipg_fade_offsets(&c->face_contact, step, c->accepted->offsets.at, c->trial->offsets.at);
  return IPG_OK;
}

/* What rules that begin or end in the step do to the energy at its start, and what overlapped when contact was set up.
 */
static double find_loss_by_rules(const ipg_contact *c, const ipg_step *step, const double *offsets) {
  const bool is_start = c->accepted->is_start;
  if (!is_start && !ipg_do_rules_change(&c->model, step->time0, step->time1)) return 0;
  const ipg_broad_phase *candidates = &c->broad_phase;
  const double before = is_start ? 0 : ipg_energy_at_start(step, step->time0, candidates, offsets);
  return before - ipg_energy_at_start(step, step->time1, candidates, offsets);
}

/* And the dampers of ties, in what pairs of blocks dissipate. */
static ipg_status enforce_friction(ipg_contact *c, const ipg_step *step, const double *v, ipg_force_sums *sums,
                                   ipg_error *error) {
  ipg_contact_state *trial = c->trial;
  ipg_status status = ipg_copy_block_sums(&c->accepted->sums, &trial->sums, &c->model.config.allocator, error);
  ipg_friction_list_clear(&trial->frictions);
  if (status || !ipg_has_friction(&c->model)) return status;
  ipg_sum_tie_dissipation(step, &trial->contacts, &trial->sums);
  status = ipg_find_friction(&c->face_friction, step, v, &c->accepted->frictions, &c->face_contact, &trial->contacts,
                             &trial->frictions, &trial->sums, error);
  if (!status && trial->sums.status)
    status = ipg_fail(error, trial->sums.status, "out of memory for what pairs of blocks dissipate");
  if (status) return status;
  sums->part = 3;
  ipg_add_friction_forces(&c->face_friction, &c->face_contact, &trial->contacts, sums);
  return IPG_OK;
}

static ipg_status enforce_faces(ipg_contact *c, const ipg_step *step, const double *v, ipg_force_sums *sums,
                                ipg_error *error) {
  const double *offsets = c->accepted->has_offsets ? c->accepted->offsets.at : NULL;
  double initial_depth;
  ipg_status status = fade_offsets(c, step, &initial_depth, error);
  if (!status) status = ipg_find_face_contacts(&c->face_contact, step, &c->broad_phase, offsets, error);
  if (status) return status;
  ipg_contact_state *trial = c->trial;
  trial->lost_by_rules = find_loss_by_rules(c, step, offsets);
  trial->faces = ipg_enforce_faces(&c->face_contact, step, &trial->contacts, sums);
  trial->faces.depth = larger(trial->faces.depth, initial_depth);
  trial->released.is_there = false;
  const size_t bytes = 3 * (size_t)step->model->surface.node_count * sizeof *sums->forces;
  if (bytes) memcpy(trial->face_force.at, sums->forces, bytes);
  sums->part = 3;
  ipg_enforce_ties(step, &trial->contacts, sums);
  status = enforce_friction(c, step, v, sums, error);
  c->trial->stable_step = ipg_stable_step_of_faces(&c->model);
  return status;
}

ipg_status ipg_contact_detect(ipg_contact *c, double time, const double *x, ipg_error *error) {
  double since = ipg_clock();
  c->has_evaluation = false;
  c->holds = IPG_TRIAL_OF_NOTHING;
  ipg_status status = refuse_enforcement(c, false, error);
  if (!status && !x && c->model.surface.node_count)
    status = ipg_fail(error, IPG_ERROR_ARGUMENT, "the positions are a null pointer: give 3 numbers per surface node");
  if (!status) status = detect_on_paths(c, time, x, &since, error);
  if (!status) c->holds = IPG_TRIAL_OF_CONTACTS;
  return status;
}

ipg_status ipg_contact_enforce(ipg_contact *c, const double *v, double *force, ipg_error *error) {
  double since = ipg_clock();
  const ipg_step step = ipg_step_of(c);
  const int64_t nodes = c->model.surface.node_count;
  ipg_status status = refuse_enforcement(c, false, error);
  if (!status && c->holds != IPG_TRIAL_OF_CONTACTS)
    status = ipg_fail(error, IPG_ERROR_ARGUMENT,
                      "there are no contacts that wait for their forces: call ipg_contact_detect first");
  if (!status) status = check_velocities(&c->model.surface, v, error);
  if (status) return status;
  ipg_force_sums sums = {.model = &c->model,
                         .forces = c->trial->force.at,
                         .list = c->model.config.contributions ? &c->contributions : NULL};
  ipg_start_sums(&sums);
  status = enforce_faces(c, &step, v, &sums, error);
  if (!status && sums.list && sums.list->status)
    status = ipg_fail(error, sums.list->status, "out of memory for what contacts bring to nodes");
  if (status) c->holds = IPG_TRIAL_OF_NOTHING;
  if (!status && nodes && force) memcpy(force, c->trial->force.at, 3 * (size_t)nodes * sizeof *force);
  clock_phase(c, IPG_PHASE_ENFORCE, &since);
  if (!status) count_evaluation(c);
  return status;
}

ipg_status ipg_contact_evaluate(ipg_contact *c, double time, const double *x, const double *v, double *force,
                                ipg_error *error) {
  const ipg_status status = ipg_contact_detect(c, time, x, error);
  return status ? status : ipg_contact_enforce(c, v, force, error);
}

/* ---------------------------------------------------------------------------------------------------------- project */

/* Ends with a detection at the positions as they are returned. */
static ipg_status project_in_iterations(ipg_contact *c, const ipg_prediction *p, double time, int *iterations,
                                        ipg_error *error) {
  enum { MOST_ITERATIONS = 20 };
  ipg_projection_workspace *w = &c->projection;
  ipg_contact_state *trial = c->trial;
  double since = ipg_clock();
  ipg_status status = ipg_start_projection(w, &c->model, p->x, error);
  for (*iterations = 0; !status; ++*iterations) {
    const bool is_last = *iterations == MOST_ITERATIONS;
    bool done = false;
    status = detect_on_paths(c, time, w->projected.at, &since, error);
    const ipg_step step = ipg_step_of(c);
    if (!status) status = ipg_hold_contacts(w, &step, &trial->contacts, p->x, is_last, &done, error);
    if (!status && !done) ipg_project_positions(w, &step, &trial->contacts, p, trial->force.at);
    clock_phase(c, IPG_PHASE_ENFORCE, &since);
    if (done) break;
  }
  return status;
}

static void return_projection(ipg_contact *c, double *x, double *force, const ipg_contact_projection *projection) {
  const size_t bytes = 3 * (size_t)c->model.surface.node_count * sizeof *x;
  if (bytes) memcpy(x, c->trial->x.at, bytes);
  if (bytes) memcpy(force, c->trial->force.at, bytes);
  c->trial->stable_step = INFINITY; /* no springs */
  c->counters.iterations += projection->iterations;
  c->counters.residual = larger(c->counters.residual, projection->residual);
  count_evaluation(c);
}

ipg_status ipg_contact_project(ipg_contact *c, double time, double *x, const double *v, double *force,
                               ipg_contact_projection *projection, ipg_error *error) {
  const ipg_prediction prediction = {x, v};
  int iterations;
  c->holds = IPG_TRIAL_OF_NOTHING;
  ipg_status status = refuse_enforcement(c, true, error);
  if (!status) status = check_velocities(&c->model.surface, v, error);
  if (!status) status = project_in_iterations(c, &prediction, time, &iterations, error);
  if (status) return status;
  const ipg_step step = ipg_step_of(c);
  ipg_finish_projection(&c->projection, &step, &c->trial->contacts, &prediction, c->trial->force.at);
  *projection = (ipg_contact_projection){iterations, c->projection.residual};
  return_projection(c, x, force, projection);
  return IPG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- accept */

static ipg_contact_energy_balance balance_of_trial(const ipg_contact *c) {
  const ipg_step step = ipg_step_of(c);
  const ipg_step_result result = {.contacts = &c->trial->contacts,
                                  .force0 = c->accepted->force.at,
                                  .force1 = c->trial->force.at,
                                  .projection_work = c->projection.work,
                                  .faces = c->trial->faces,
                                  .lost_by_rules = c->trial->lost_by_rules,
                                  .released_work = ipg_half_work(&step, &c->accepted->released),
                                  .frictions = &c->trial->frictions};
  return ipg_energy_balance_after_step(&step, &result);
}

ipg_status ipg_contact_accept(ipg_contact *c, int64_t step, ipg_error *error) {
  if (step == c->accepted->step) return IPG_OK;
  if (c->holds != IPG_TRIAL_OF_FORCES)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "step %lld cannot be accepted: nothing was evaluated since the last one",
                    (long long)step);
  c->trial->balance = balance_of_trial(c);
  c->trial->step = step;
  c->trial->passed = c->accepted->passed + c->node_face.passed_count;
  c->trial->is_start = false;
  ipg_contact_state *oldest = c->previous;
  c->previous = c->accepted, c->accepted = c->trial, c->trial = oldest;
  c->holds = IPG_TRIAL_OF_NOTHING;
  c->has_previous = true;
  return IPG_OK;
}

ipg_status ipg_contact_revert(ipg_contact *c, ipg_error *error) {
  if (!c->has_previous) return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is no earlier step to go back to");
  ipg_contact_state *undone = c->accepted;
  c->accepted = c->previous, c->previous = c->trial, c->trial = undone;
  ipg_forget_evaluation(c);
  c->has_previous = false;
  c->broad_phase.is_current = false; /* their boxes may not hold the positions of that time */
  return IPG_OK;
}
