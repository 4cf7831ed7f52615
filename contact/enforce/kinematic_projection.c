/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Kinematic contact (kinematic constraint method): predicted positions are moved until nothing penetrates.
 *
 * Each contact pushes its sides apart along its normal, never together, and holds back their slip as far as its cone
 * allows; pushes are mass times length, so divided by dt^2 they are forces. Gauss-Seidel sweeps go over the contacts of
 * an iteration, forward and backward, until pushes converge; then contact is detected on the projected paths again. A
 * touch that is seen from both sides is twice the same demand, and the second finds it met: there is no partition and
 * no master. Sweeps begin from zero whenever contacts were added or moved, for from there they only ever take energy.
 *
 * Invariants: positions are always the predicted ones plus the displacement of all pushes together, so momentum is
 * conserved to rounding whatever the contacts do. A contact that pushes is kept through all iterations of the step, at
 * the point where it last pushed, even if the projected path does not touch it any more; it takes a new point only
 * where detection finds penetration. A penetration from before the step is removed no faster than the prediction would
 * have deepened it. If all such removals together would add energy to the prediction, or more to the motion than all
 * projections have taken so far, the sweeps are repeated without removal (gives_back is false): contacts then only stop
 * further penetration, and sweeps from zero cannot give energy. */
#include "enforce/kinematic_projection.h"

#include "enforce/contact_force.h"
#include "enforce/friction.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/face_geometry.h"

#include <string.h>

enum { MOST_SWEEPS = 300 };

typedef ipg_projection_workspace workspace;

/* ------------------------------------------------------------------------------------------------------------- gaps */

static vec separation_before(const ipg_step *step, const ipg_contact_pair *pair) {
  return ipg_separation_vector(step->model, pair, step->x0, step->time0);
}

/* At the end of the step, were the nodes at x then. */
static vec separation_at(const ipg_step *step, const ipg_contact_pair *pair, const double *x) {
  return ipg_separation_vector(step->model, pair, x, step->time1);
}

static double gap_of_separation(const ipg_contact_pair *pair, vec separation) {
  return vec_dot(vec_at(pair->normal, 0), separation) - pair->history.initial_offset;
}

static double gap_at(const ipg_step *step, const ipg_contact_pair *pair, const double *x) {
  return gap_of_separation(pair, separation_at(step, pair, x));
}

/* Nothing may penetrate; but what did so before the step is moved out no faster than it was about to go in. */
static double least_gap(const workspace *w, const ipg_step *step, const ipg_contact_pair *pair, const double *x) {
  const double before = gap_of_separation(pair, separation_before(step, pair));
  const double back = w->gives_back ? larger(0, before - gap_at(step, pair, x)) : 0;
  return before >= 0 ? 0 : smaller(0, before + back);
}

static double missing_gap(const workspace *w, const ipg_step *step, const ipg_contact_pair *pair, const double *x) {
  return least_gap(w, step, pair, x) - gap_at(step, pair, step->x1);
}

/* ------------------------------------------------------------------------------------------------------------ start */

static double largest_coordinate(const double *x, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = larger(largest, fabs(x[i]));
  return largest;
}

ipg_status ipg_start_projection(workspace *w, const ipg_model *m, const double *x, ipg_error *error) {
  const int64_t values = 3 * m->surface.node_count;
  const ipg_allocator *a = &m->config.allocator;
  ipg_status status = ipg_array_reserve(&w->projected, a, values, error);
  if (!status) status = ipg_array_reserve(&w->displaced, a, values, error);
  if (status) return status;
  if (values) memcpy(w->projected.at, x, (size_t)values * sizeof *x);
  w->tolerance = IPG_PROJECTED * m->mean_edge + IPG_POSITION_ROUNDING * largest_coordinate(x, values);
  w->held.count = 0;
  w->is_converged = w->is_unchanged = false;
  w->gives_back = true;
  return IPG_OK;
}

void ipg_projection_workspace_destroy(workspace *w, const ipg_allocator *a) {
  ipg_contact_list_destroy(&w->held, a);
  ipg_array_destroy(&w->pushes, a);
  ipg_array_destroy(&w->displaced, a);
  ipg_array_destroy(&w->projected, a);
}

/* ------------------------------------------------------------------------------------------------------------- hold */

/* Normal and gap are those of the face's plane, not of the vector to the closest point: in a corner of floor and wall
 * that vector points between the two, where there is no way out, and at a depth near 0 it has no direction. */
void ipg_project_contact_on_plane(const ipg_step *step, ipg_contact_pair *pair) {
  if (pair->kind != IPG_CONTACT_NODE_FACE) return;
  const double *x = step->x1;
  const vec area =
      ipg_triangle_area_vector(vec_at(x, pair->nodes[1]), vec_at(x, pair->nodes[2]), vec_at(x, pair->nodes[3]));
  vec_store(pair->normal, vec_unit(area));
  pair->gap = gap_at(step, pair, step->x1);
}

/* What was detected has no springs, and has not pushed yet. */
static void reset_found_contacts(const ipg_step *step, ipg_contact_list *found) {
  ipg_contact_pair *pairs = found->pairs.at;
  const vec none = {0, 0, 0};
  for (int64_t i = 0; i < found->count; ++i) {
    pairs[i].history.stiffness = pairs[i].history.stiffness_dt2 = pairs[i].response.normal_force = 0;
    pairs[i].response.friction_dissipation = pairs[i].response.damping_dissipation = 0;
    vec_store(pairs[i].response.friction, none);
    vec_store(pairs[i].history.tangential_slip, none);
    ipg_project_contact_on_plane(step, &pairs[i]);
  }
}

/* The largest violation among what was found and what was held: penetration still there, or a push too far. */
static double largest_violation(workspace *w, const ipg_step *step, const ipg_contact_list *found, const double *x) {
  const ipg_contact_pair *pairs = found->pairs.at, *held = w->held.pairs.at;
  double largest = 0;
  w->residual = 0;
  for (int64_t i = 0; i < found->count; ++i) {
    w->residual = larger(w->residual, -pairs[i].gap);
    largest = larger(largest, missing_gap(w, step, &pairs[i], x));
  }
  for (int64_t i = 0; i < w->held.count; ++i)
    if (held[i].response.normal_force > 0) largest = larger(largest, -missing_gap(w, step, &held[i], x));
  return largest;
}

/* Number of contacts found or held, without those that do not push and were not found again. */
static int64_t count_joined(const workspace *w, const ipg_contact_list *list) {
  const ipg_contact_pair *found = list->pairs.at, *held = w->held.pairs.at;
  int64_t count = list->count;
  for (int64_t i = 0, j = 0; j < w->held.count; ++j) {
    while (i < list->count && ipg_compare_contacts_and_faces(&found[i], &held[j]) < 0) ++i;
    const bool is_again = i < list->count && ipg_compare_contacts_and_faces(&found[i], &held[j]) == 0;
    count += held[j].response.normal_force > 0 && !is_again;
  }
  return count;
}

/* Found again: stays where it pushed, unless it penetrates there and projection goes on. */
static ipg_contact_pair join_found_again(workspace *w, const ipg_step *step, const ipg_contact_pair *found,
                                         const ipg_contact_pair *held, const double *x, bool goes_on) {
  const bool moves = goes_on && w->is_converged && missing_gap(w, step, found, x) > w->tolerance;
  ipg_contact_pair pair = moves || !(held->response.normal_force > 0) ? *found : *held;
  w->is_unchanged = w->is_unchanged && !moves;
  pair.activated = held->activated, pair.time = held->time, pair.time_through = held->time_through;
  pair.response.normal_force = held->response.normal_force, pair.gap = found->gap;
  memcpy(pair.response.friction, held->response.friction, sizeof pair.response.friction);
  return pair;
}

/* Not found again: whatever its point says, nothing penetrates there any more. */
static ipg_contact_pair join_left_in_front(const ipg_step *step, const ipg_contact_pair *held) {
  ipg_contact_pair pair = *held;
  pair.gap = larger(0, gap_at(step, held, step->x1));
  return pair;
}

/* Both are in the same order; from behind, so that what was found makes room within its own array. */
static void join_contacts(workspace *w, const ipg_step *step, ipg_contact_list *list, const double *x, int64_t count,
                          bool goes_on) {
  ipg_contact_pair *found = list->pairs.at;
  const ipg_contact_pair *held = w->held.pairs.at;
  int64_t i = list->count - 1, to = count - 1, both = 0;
  w->is_unchanged = count == w->held.count;
  for (int64_t j = w->held.count - 1; j >= 0; --j) {
    while (i >= 0 && ipg_compare_contacts_and_faces(&found[i], &held[j]) > 0) found[to--] = found[i--];
    if (i >= 0 && ipg_compare_contacts_and_faces(&found[i], &held[j]) == 0)
      found[to--] = join_found_again(w, step, &found[i--], &held[j], x, goes_on), ++both;
    else if (held[j].response.normal_force > 0) found[to--] = join_left_in_front(step, &held[j]);
  }
  w->is_unchanged = w->is_unchanged && both == list->count;
  list->count = count;
}

static ipg_status reserve_joined(workspace *w, const ipg_model *m, ipg_contact_list *found, int64_t count,
                                 ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t room = ipg_array_capacity(&found->pairs), most = count > room ? count + count / 2 : count;
  ipg_status status = ipg_contact_list_reserve(found, count - found->count, a, error);
  if (!status) status = ipg_array_grow(&w->held.pairs, a, w->held.count, most, error);
  if (!status) status = ipg_array_reserve(&w->pushes, a, most, error);
  return status;
}

ipg_status ipg_hold_contacts(workspace *w, const ipg_step *step, ipg_contact_list *found, const double *x, bool is_last,
                             bool *done, ipg_error *error) {
  reset_found_contacts(step, found);
  *done = largest_violation(w, step, found, x) <= w->tolerance || is_last;
  const int64_t count = count_joined(w, found);
  const ipg_status status = reserve_joined(w, step->model, found, count, error);
  if (status) return status;
  join_contacts(w, step, found, x, count, !*done);
  *done = *done || (w->is_unchanged && w->is_converged);
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- project */

static ipg_push push_of_contact(const workspace *w, const ipg_step *step, const ipg_contact_pair *pair,
                                const ipg_prediction *to) {
  const ipg_model *m = step->model;
  ipg_push p = {.least_gap = least_gap(w, step, pair, to->x),
                .before = separation_before(step, pair),
                .predicted = separation_at(step, pair, to->x)};
  p.approach = to->v ? vec_scale(step->dt, ipg_relative_velocity(m, pair, to->v)) : vec_sub(p.predicted, p.before);
  const vec slide = vec_across(vec_sub(p.predicted, p.before), vec_at(pair->normal, 0));
  p.friction_coefficient = ipg_friction_coefficient(ipg_law_of_contact(m, pair), vec_length(slide) / step->dt);
  for (int i = 0; i < 4; ++i)
    p.compliance += pair->weights[i] * pair->weights[i] / m->surface.node_masses[pair->nodes[i]];
  return p;
}

/* Displacement of the first side against the other, by all pushes. */
static vec relative_displacement(const ipg_contact_pair *pair, const double *displaced) {
  vec sum = {0, 0, 0};
  for (int i = 0; i < 4; ++i) sum = vec_add(sum, vec_scale(pair->weights[i], vec_at(displaced, pair->nodes[i])));
  return sum;
}

static void displace_nodes(const ipg_model *m, const ipg_contact_pair *pair, vec push, double *displaced) {
  for (int i = 0; i < 4; ++i) {
    const double part = pair->weights[i] / m->surface.node_masses[pair->nodes[i]];
    double *at = displaced + 3 * (int64_t)pair->nodes[i];
    vec_store(at, vec_add(vec_at(at, 0), vec_scale(part, push)));
  }
}

static double push_along_normal(const ipg_model *m, ipg_contact_pair *pair, const ipg_push *p, double *displaced) {
  const vec normal = vec_at(pair->normal, 0);
  const double gap = gap_of_separation(pair, vec_add(p->predicted, relative_displacement(pair, displaced)));
  const double push = larger(0, pair->response.normal_force + (p->least_gap - gap) / p->compliance);
  const double more = push - pair->response.normal_force;
  displace_nodes(m, pair, vec_scale(more, normal), displaced);
  pair->response.normal_force = push;
  return fabs(more) * p->compliance;
}

static double push_along_surface(const ipg_model *m, ipg_contact_pair *pair, const ipg_push *p, double *displaced) {
  const vec old = vec_at(pair->response.friction, 0);
  if (p->friction_coefficient == 0 && vec_dot(old, old) == 0) return 0;
  const vec slip = vec_sub(vec_add(p->predicted, relative_displacement(pair, displaced)), p->before);
  const vec wanted = vec_across(vec_sub(old, vec_scale(1 / p->compliance, slip)), vec_at(pair->normal, 0));
  const vec friction = vec_capped(wanted, p->friction_coefficient * pair->response.normal_force),
            more = vec_sub(friction, old);
  displace_nodes(m, pair, more, displaced);
  vec_store(pair->response.friction, friction);
  return vec_length(more) * p->compliance;
}

/* Returns the largest distance that any contact's push moved its sides. */
static double sweep_contacts(const ipg_model *m, ipg_contact_list *contacts, const ipg_push *pushes, bool backward,
                             double *displaced) {
  ipg_contact_pair *pairs = contacts->pairs.at;
  double largest = 0;
  for (int64_t k = 0; k < contacts->count; ++k) {
    const int64_t i = backward ? contacts->count - 1 - k : k;
    largest = larger(largest, push_along_normal(m, &pairs[i], &pushes[i], displaced));
    largest = larger(largest, push_along_surface(m, &pairs[i], &pushes[i], displaced));
  }
  return largest;
}

/* The sum of all pushes at the nodes, in the order of contacts: mass times length. */
static void sum_pushes(const ipg_step *step, ipg_contact_list *contacts, double *node_pushes) {
  ipg_contact_pair *pairs = contacts->pairs.at;
  for (int64_t i = 0; i < contacts->count; ++i)
    vec_store(pairs[i].response.force, vec_add(vec_scale(pairs[i].response.normal_force, vec_at(pairs[i].normal, 0)),
                                               vec_at(pairs[i].response.friction, 0)));
  ipg_force_sums sums = {.model = step->model, .forces = node_pushes};
  ipg_start_sums(&sums);
  ipg_sum_contact_forces(contacts, step->x1, &sums);
}

/* x may be NULL: 0. */
static void add_displacements(const ipg_surface *s, const double *node_pushes, const double *x, double *to) {
  for (int64_t i = 0; i < 3 * s->node_count; ++i) to[i] = (x ? x[i] : 0) + node_pushes[i] / s->node_masses[i / 3];
}

static void clear_pushes(ipg_contact_list *contacts) {
  for (int64_t i = 0; i < contacts->count; ++i) {
    contacts->pairs.at[i].response.normal_force = 0;
    vec_store(contacts->pairs.at[i].response.friction, (vec){0, 0, 0});
  }
}

static void converge_pushes(workspace *w, const ipg_step *step, ipg_contact_list *contacts, const ipg_prediction *p,
                            double *node_pushes) {
  const ipg_model *m = step->model;
  ipg_push *pushes = w->pushes.at;
  for (int64_t i = 0; i < contacts->count; ++i) pushes[i] = push_of_contact(w, step, &contacts->pairs.at[i], p);
  sum_pushes(step, contacts, node_pushes);
  add_displacements(&m->surface, node_pushes, NULL, w->displaced.at);
  w->is_converged = false;
  for (int i = 0; i < MOST_SWEEPS && !w->is_converged; ++i)
    w->is_converged = sweep_contacts(m, contacts, pushes, i % 2, w->displaced.at) <= IPG_CONVERGED * m->mean_edge;
  sum_pushes(step, contacts, node_pushes);
}

/* True if all pushes together give energy, beyond rounding: to the prediction any, or to the motion before the step's
 * forces more than was taken so far. */
static bool do_pushes_give_energy(const workspace *w, const ipg_step *step, const ipg_contact_list *contacts) {
  const ipg_contact_pair *pairs = contacts->pairs.at;
  const ipg_push *pushes = w->pushes.at;
  const double taken = step->balance->kinematic_dissipation * step->dt * step->dt;
  double to_prediction = 0, in_all = 0, size = 0;
  for (int64_t i = 0; i < contacts->count; ++i) {
    const vec force = vec_at(pairs[i].response.force, 0), predicted = vec_sub(pushes[i].predicted, pushes[i].before);
    const vec projected = vec_add(predicted, relative_displacement(&pairs[i], w->displaced.at));
    const double part = 0.5 * vec_dot(force, vec_add(predicted, projected));
    to_prediction += part, size += fabs(part);
    in_all += 0.5 * vec_dot(force, vec_add(pushes[i].approach, projected));
  }
  return to_prediction > IPG_ENERGY_ROUNDING * size || in_all > larger(IPG_ENERGY_ROUNDING * size, taken);
}

void ipg_project_positions(workspace *w, const ipg_step *step, ipg_contact_list *contacts, const ipg_prediction *p,
                           double *node_forces) {
  if (!w->is_unchanged) clear_pushes(contacts);
  converge_pushes(w, step, contacts, p, node_forces);
  if (w->gives_back && do_pushes_give_energy(w, step, contacts)) {
    w->gives_back = false;
    clear_pushes(contacts);
    converge_pushes(w, step, contacts, p, node_forces);
  }
  add_displacements(&step->model->surface, node_forces, p->x, w->projected.at);
  w->held.count = contacts->count;
  if (w->held.count) memcpy(w->held.pairs.at, contacts->pairs.at, (size_t)w->held.count * sizeof *w->held.pairs.at);
}

/* ----------------------------------------------------------------------------------------------------------- finish */

/* Before and after the pushes. */
static vec mean_velocity(const ipg_step *step, const ipg_prediction *p, int64_t node) {
  const vec from = vec_at(step->x0, node), after = vec_sub(vec_at(step->x1, node), from);
  const vec before = p->v ? vec_at(p->v, node) : vec_scale(1 / step->dt, vec_sub(vec_at(p->x, node), from));
  return vec_scale(0.5, vec_add(before, vec_scale(1 / step->dt, after)));
}

/* From pushes to forces, and the energy that they take. */
static void finish_contact(const ipg_step *step, const ipg_prediction *p, ipg_contact_pair *pair) {
  const double to_force = 1 / (step->dt * step->dt);
  vec velocity = vec_scale(-1, ipg_wall_velocity(step->model, pair));
  for (int i = 0; i < 4; ++i)
    velocity = vec_add(velocity, vec_scale(pair->weights[i], mean_velocity(step, p, pair->nodes[i])));
  pair->response.normal_force *= to_force;
  vec_store(pair->response.friction, vec_scale(to_force, vec_at(pair->response.friction, 0)));
  pair->response.kinematic_dissipation =
      -step->dt * pair->response.normal_force * vec_dot(vec_at(pair->normal, 0), velocity);
  pair->response.friction_dissipation = -step->dt * vec_dot(vec_at(pair->response.friction, 0), velocity);
}

void ipg_finish_projection(workspace *w, const ipg_step *step, ipg_contact_list *contacts, const ipg_prediction *p,
                           double *node_forces) {
  for (int64_t i = 0; i < contacts->count; ++i) finish_contact(step, p, &contacts->pairs.at[i]);
  sum_pushes(step, contacts, node_forces);
  w->work = 0;
  for (int64_t i = 0; i < step->model->surface.node_count; ++i)
    w->work += step->dt * vec_dot(vec_at(node_forces, i), mean_velocity(step, p, i));
}
