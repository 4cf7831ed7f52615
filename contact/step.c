/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* THE driver: one contact step, one phase a line. */
#include "edges.h"
#include "support/clock.h"

#include <math.h>
#include <string.h>

static ipg_status check_dt(double dt, ipg_error *error) {
  if (ipg_is_within_numbers(dt)) return IPG_OK;
  return ipg_fail(error, IPG_ERROR_NUMBER, "the time step is %g; it must be above 0, from %g to %g", dt, IPG_SMALLEST,
                  IPG_LARGEST);
}

static ipg_status check_places(const ipg_contact *c, const double *x, ipg_error *error) {
  for (int64_t i = 0; i < c->surface.node_count; ++i)
    if (!ipg_is_place(x + 3 * i))
      return ipg_fail(error, IPG_ERROR_NUMBER,
                      "node %lld has left for a place that is not finite, or beyond %g: the step is too long "
                      "or a load too large",
                      (long long)c->surface.node_gids[i], IPG_LARGEST);
  return IPG_OK;
}

/* v may be NULL. */
static ipg_status check_velocities(const ipg_contact *c, const double *v, ipg_error *error) {
  for (int64_t i = 0; v && i < 3 * c->surface.node_count; ++i)
    if (!(fabs(v[i]) <= IPG_LARGEST))
      return ipg_fail(error, IPG_ERROR_NUMBER, "the velocity of node %lld is not finite, or beyond %g",
                      (long long)c->surface.node_gids[i / 3], IPG_LARGEST);
  return IPG_OK;
}

/* New boxes only when a node has left the one that it was searched with. */
static ipg_status capture(ipg_contact *c, const double *x, ipg_error *error) {
  if (c->has_candidates && c->search_margin > 0 && ipg_contact_take_captured(c, x)) return IPG_OK;
  c->has_candidates = false;
  const ipg_status status = check_places(c, x, error);
  if (status) return status;
  if (c->surface.node_count) memcpy(c->trial->x.data, x, 3 * (size_t)c->surface.node_count * sizeof *x);
  ipg_contact_capture(c);
  c->strayed = 0;
  ipg_contact_take_captured(c, x);
  return IPG_OK;
}

static ipg_status start_trial(ipg_contact *c, const double *x, double dt, ipg_error *error) {
  const ipg_status status = check_dt(dt, error);
  if (status) return status;
  c->dt = dt;
  c->trial->time = c->accepted->time + dt;
  return capture(c, x, error);
}

/* Pairs that share a node or belong to the same tetrahedron are excluded by their keys. Faces are the same from step to
 * step: after the first search they have only moved. */
ipg_status ipg_contact_search(ipg_contact *c, ipg_error *error) {
  const ipg_exclusion nodes = {.keys = c->buffers[NODE_KEYS].data}, faces = {.keys = c->buffers[FACE_KEYS].data};
  c->counters.searches++;
  const ipg_box *boxes = c->buffers[FACE_BOXES].data;
  const int64_t count = c->surface.face_count;
  const ipg_status status = c->faces_are_set ? ipg_search_move_boxes(c->search, boxes, count, error)
                                             : ipg_search_set_boxes(c->search, boxes, count, &faces, error);
  c->faces_are_set = !status;
  if (status) return status;
  return ipg_search_query_array(c->search, c->buffers[NODE_BOXES].data, c->surface.node_count, &nodes, &c->faces.pairs,
                                &c->faces.count, error);
}

/* With a skin, candidates serve for many steps: looking at each of them more closely pays. */
static ipg_status refresh_candidates(ipg_contact *c, ipg_error *error) {
  c->counters.reuses += c->has_candidates;
  if (c->has_candidates) return IPG_OK;
  ipg_status status = ipg_contact_search(c, error);
  if (!status && c->search_margin > 0) status = ipg_contact_sieve(c, &c->faces, ipg_span_to_face, error);
  if (!status && c->edge_count) status = ipg_contact_search_edges(c, error);
  if (!status && c->edge_count && c->search_margin > 0)
    status = ipg_contact_sieve(c, &c->edges, ipg_span_between_edges, error);
  c->has_candidates = !status;
  return status;
}

/* As much as any of the three states has, so that the ring allocates nothing below the high-water mark; and some more,
 * for contacts come by and by. */
ipg_status ipg_contact_make_room(ipg_contact *c, int64_t more, ipg_error *error) {
  const int64_t keep = c->trial->contact_count, count = keep + more;
  int64_t capacity = 0;
  for (int i = 0; i < 3; ++i) {
    const int64_t has = (int64_t)(c->states[i].contacts.bytes / sizeof(ipg_contact_pair));
    if (has > capacity) capacity = has;
  }
  if (count > capacity) capacity = count + count / 2;
  return ipg_buffer_grow(&c->trial->contacts, &c->config.allocator, keep, capacity, sizeof(ipg_contact_pair), error);
}

/* Each kind of contact adds its own, in the order of kinds. */
static ipg_status narrow(ipg_contact *c, ipg_error *error) {
  c->trial->contact_count = 0;
  ipg_status status = ipg_contact_meet_faces(c, error);
  if (!status && c->edge_count) status = ipg_contact_meet_edges(c, error);
  if (!status) status = ipg_contact_meet_planes(c, error);
  if (!status) status = ipg_contact_carry_ties(c, error);
  return status;
}

static void enforce(ipg_contact *c, const double *v, double *force) {
  ipg_contact_enforce(c, v);
  if (c->surface.node_count) memcpy(force, c->trial->force.data, 3 * (size_t)c->surface.node_count * sizeof *force);
}

static void count(ipg_contact *c) {
  c->has_trial = true;
  c->counters.evaluations++;
  c->counters.candidates = c->faces.count + c->edges.count;
  c->counters.contacts = c->trial->contact_count;
}

/* What has passed since `since` belongs to the phase; the next begins. */
static void clock_phase(ipg_contact *c, ipg_contact_phase phase, double *since) {
  const double now = ipg_clock();
  c->counters.seconds[phase] += now - *since;
  *since = now;
}

/* What touches on the paths from the accepted places to x: the trial's contacts. */
static ipg_status look(ipg_contact *c, const double *x, double dt, double *since, ipg_error *error) {
  ipg_status status = start_trial(c, x, dt, error);
  clock_phase(c, IPG_PHASE_SWEPT_BOXES, since);
  if (!status) status = refresh_candidates(c, error);
  clock_phase(c, IPG_PHASE_SEARCH, since);
  if (!status) status = narrow(c, error);
  clock_phase(c, IPG_PHASE_DETECT, since);
  return status;
}

static ipg_status refuse_enforcement(const ipg_contact *c, ipg_contact_enforcement needed, ipg_error *error) {
  if (c->config.enforcement == needed) return IPG_OK;
  return needed == IPG_ENFORCEMENT_PENALTY
             ? ipg_fail(error, IPG_ERROR_ARGUMENT,
                        "kinematic contact moves predicted places and has no force for places that stand: call "
                        "ipg_contact_project, or choose penalty enforcement")
             : ipg_fail(error, IPG_ERROR_ARGUMENT,
                        "penalty contact moves no places: call ipg_contact_evaluate, or choose kinematic enforcement");
}

ipg_status ipg_contact_evaluate(ipg_contact *c, const double *x, const double *v, double dt, double *force,
                                ipg_error *error) {
  double since = ipg_clock();
  c->has_trial = false;
  ipg_status status = refuse_enforcement(c, IPG_ENFORCEMENT_PENALTY, error);
  if (!status) status = check_velocities(c, v, error);
  if (!status) status = look(c, x, dt, &since, error);
  if (!status) enforce(c, v, force);
  clock_phase(c, IPG_PHASE_ENFORCE, &since);
  if (!status) count(c);
  return status;
}

/* Ends with a look at the places as they are handed out. */
static ipg_status correct(ipg_contact *c, const ipg_prediction *p, double dt, int *iterations, ipg_error *error) {
  enum { MOST_ITERATIONS = 20 };
  double since = ipg_clock();
  ipg_status status = ipg_kinematic_begin(c, p->x, error);
  for (*iterations = 0; !status; ++*iterations) {
    bool done = false;
    status = look(c, c->buffers[CORRECTED].data, dt, &since, error);
    if (!status) status = ipg_kinematic_hold(c, p->x, *iterations == MOST_ITERATIONS, &done, error);
    if (!status && !done) ipg_kinematic_push(c, p);
    clock_phase(c, IPG_PHASE_ENFORCE, &since);
    if (done) break;
  }
  return status;
}

static void hand_out(ipg_contact *c, double *x, double *force, const ipg_contact_projection *correction) {
  const size_t bytes = 3 * (size_t)c->surface.node_count * sizeof *x;
  if (bytes) memcpy(x, c->trial->x.data, bytes);
  if (bytes) memcpy(force, c->trial->force.data, bytes);
  c->counters.iterations += correction->iterations;
  c->counters.residual = larger(c->counters.residual, correction->residual);
  count(c);
}

ipg_status ipg_contact_project(ipg_contact *c, double *x, const double *v, double dt, double *force,
                               ipg_contact_projection *correction, ipg_error *error) {
  const ipg_prediction prediction = {x, v};
  int iterations;
  c->has_trial = false;
  ipg_status status = refuse_enforcement(c, IPG_ENFORCEMENT_KINEMATIC, error);
  if (!status) status = check_velocities(c, v, error);
  if (!status) status = correct(c, &prediction, dt, &iterations, error);
  if (status) return status;
  ipg_kinematic_finish(c, &prediction);
  *correction = (ipg_contact_projection){iterations, c->residual};
  hand_out(c, x, force, correction);
  return IPG_OK;
}

/* The new start is made as a trial, so that what was accepted stands if it fails. */
ipg_status ipg_contact_set_positions(ipg_contact *c, const double *x, ipg_error *error) {
  ipg_status status = check_places(c, x, error);
  if (status) return status;
  const size_t bytes = 3 * (size_t)c->surface.node_count * sizeof *x;
  ipg_contact_state *start = c->trial;
  if (bytes) memcpy(start->x.data, x, bytes);
  if (bytes) memset(start->force.data, 0, bytes);
  start->contact_count = 0;
  c->has_trial = c->has_candidates = false;
  if ((status = ipg_contact_tie(c, error))) return status;
  start->step = c->accepted->step, start->time = c->accepted->time, start->ledger = c->accepted->ledger;
  const ipg_contact_pair *dropped = c->accepted->contacts.data;
  for (int64_t i = 0; i < c->accepted->contact_count; ++i) ipg_ledger_resurface(&start->ledger, &dropped[i], NULL);
  start->ledger.contact_energy = 0, start->ledger.activations += start->contact_count;
  c->trial = c->accepted, c->accepted = start;
  c->has_previous = false;
  return IPG_OK;
}

ipg_status ipg_contact_accept(ipg_contact *c, int64_t step, ipg_error *error) {
  if (step == c->accepted->step) return IPG_OK;
  if (!c->has_trial)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "step %lld cannot be accepted: nothing was evaluated since the last one",
                    (long long)step);
  c->trial->ledger = ipg_ledger_after_step(c);
  c->trial->step = step;
  ipg_contact_state *oldest = c->previous;
  c->previous = c->accepted, c->accepted = c->trial, c->trial = oldest;
  c->has_trial = false, c->has_previous = true;
  return IPG_OK;
}

ipg_status ipg_contact_revert(ipg_contact *c, ipg_error *error) {
  if (!c->has_previous) return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is no earlier step to go back to");
  ipg_contact_state *undone = c->accepted;
  c->accepted = c->previous, c->previous = c->trial, c->trial = undone;
  c->has_trial = false, c->has_previous = false;
  c->has_candidates = false; /* nobody looked whether they hold the places of back then */
  return IPG_OK;
}
