/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Predicted places are moved until nothing overlaps.
 *
 * Each contact pushes its sides apart along its normal, never together, and holds back their slip as far as its cone
 * allows; pushes are mass times length, so over dt^2 they are forces. Gauss and Seidel's sweeps go over the contacts of
 * a look, forth and back, until pushes settle; then the corrected paths are looked at again. A touch that is seen from
 * both sides is twice the same demand, and the second finds it met: there is no partition and no master. Sweeps begin
 * from nothing whenever contacts came or moved, for from there they only ever take energy.
 *
 * Invariants: places are always the predicted ones plus what all pushes together make of them, so momentum stays to
 * rounding whatever the contacts do. A contact that pushes is kept through all looks of the step, where it last pushed,
 * though the corrected path does not find it any more; only where a look finds overlap does it take the new place.
 * No contact lets its sides part faster in the step than they were about to meet: what overlapped before the step comes
 * apart as slowly. Where several do so at once and would give energy to the prediction together, or more to the motion
 * than all corrections have taken so far, none parts what overlaps; with every demand at most a standstill, sweeps from
 * nothing cannot. */
#include "state.h"
#include "support/vec.h"

#include <string.h>

enum { MOST_SWEEPS = 300 };

/* In mean edges. Far below what counts as in front at the next start (narrow.h); and as velocity is what moved over the
 * step, what is left here is what tells one order of bodies from another. */
static const double good_enough = 1e-13, settled = 1e-15;
/* Of a place, in parts of the largest coordinate: better than that no place can be. */
static const double rounding = 1e-15;

/* What a contact asks for, besides its pair. */
typedef struct push {
  double least;          /* gap that it accepts */
  double yield;          /* how much farther apart a push of 1 moves the sides */
  double coefficient;    /* of friction */
  vec before, predicted; /* from the touched point to the first side: before the step, and without pushes */
  vec came;              /* how that was about to change before the step's forces */
} push;

/* From the touched point to the first side, at places x of that time. Differences first: far from the origin nothing
 * cancels. */
static vec apart(const ipg_contact *c, const ipg_contact_pair *pair, const double *x, double time) {
  vec sum = {0, 0, 0};
  if (pair->kind == IPG_CONTACT_NODE_WALL) return ipg_way_from_plane(c, pair->touched, time, x, pair->owner);
  for (int i = 1; i < 4; ++i)
    sum = vec_add(sum, vec_scale(pair->weights[i], vec_sub(vec_at(x, pair->nodes[i]), vec_at(x, pair->nodes[0]))));
  return sum;
}

vec ipg_kinematic_apart(const ipg_contact *c, const ipg_contact_pair *pair) {
  return apart(c, pair, ipg_accepted_x(c), c->accepted->time);
}

/* At the end of the step, were the nodes at x then. */
static vec apart_at(const ipg_contact *c, const ipg_contact_pair *pair, const double *x) {
  return apart(c, pair, x, c->trial->time);
}

static double gap_of(const ipg_contact_pair *pair, vec apart) {
  return vec_dot(vec_at(pair->normal, 0), apart) - pair->initial_offset;
}

static double gap_at(const ipg_contact *c, const ipg_contact_pair *pair, const double *x) {
  return gap_of(pair, apart_at(c, pair, x));
}

/* Nothing may overlap; but what did so before the step is moved out no faster than it was about to go in. */
static double least_gap(const ipg_contact *c, const ipg_contact_pair *pair, const double *x) {
  const double before = gap_of(pair, ipg_kinematic_apart(c, pair));
  const double back = c->gives_back ? larger(0, before - gap_at(c, pair, x)) : 0;
  return before >= 0 ? 0 : smaller(0, before + back);
}

static double missing_gap(const ipg_contact *c, const ipg_contact_pair *pair, const double *x) {
  return least_gap(c, pair, x) - gap_at(c, pair, ipg_trial_x(c));
}

static double largest_coordinate(const double *x, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = larger(largest, fabs(x[i]));
  return largest;
}

ipg_status ipg_kinematic_begin(ipg_contact *c, const double *x, ipg_error *error) {
  const int64_t values = 3 * c->surface.node_count;
  const ipg_allocator *a = &c->config.allocator;
  ipg_status status = ipg_buffer_reserve(&c->buffers[CORRECTED], a, values, sizeof *x, error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[PUSHED], a, values, sizeof *x, error);
  if (status) return status;
  if (values) memcpy(c->buffers[CORRECTED].data, x, (size_t)values * sizeof *x);
  c->close_enough = good_enough * c->mean_edge + rounding * largest_coordinate(x, values);
  c->held_count = 0;
  c->is_settled = c->is_same = false;
  c->gives_back = true;
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------- after each look */

static vec normal_of_face(const ipg_contact_pair *pair, const double *x) {
  const vec a = vec_at(x, pair->nodes[1]);
  const vec b = vec_sub(vec_at(x, pair->nodes[2]), a), d = vec_sub(vec_at(x, pair->nodes[3]), a);
  return vec_unit(vec_cross(b, d));
}

/* The face's plane is what holds, also where the nearest place is on its border: a node that is inside is nearest to a
 * border only at the foot of a wall, where floor and wall both hold it; what lies between them is no way out. And of an
 * overlap too shallow to tell a direction the plane still tells one. */
void ipg_kinematic_settle(const ipg_contact *c, ipg_contact_pair *pair) {
  if (pair->kind != IPG_CONTACT_NODE_FACE) return;
  vec_store(pair->normal, normal_of_face(pair, ipg_trial_x(c)));
  pair->gap = gap_at(c, pair, ipg_trial_x(c));
}

/* What the look has found has no springs, and has not pushed yet. */
static void start_contacts(ipg_contact *c) {
  ipg_contact_pair *pairs = c->trial->contacts.data;
  const vec none = {0, 0, 0};
  for (int64_t i = 0; i < c->trial->contact_count; ++i) {
    pairs[i].stiffness = pairs[i].stiffness_dt2 = pairs[i].normal_force = pairs[i].friction_dissipation =
        pairs[i].damping_dissipation = 0;
    vec_store(pairs[i].friction, none);
    vec_store(pairs[i].tangential_slip, none);
    ipg_kinematic_settle(c, &pairs[i]);
  }
}

/* The worst of what the look found and of what was held: overlap still there, or a push too far. */
static double worst_miss(ipg_contact *c, const double *x) {
  const ipg_contact_pair *found = c->trial->contacts.data, *held = c->buffers[HELD].data;
  double worst = 0;
  c->residual = 0;
  for (int64_t i = 0; i < c->trial->contact_count; ++i) {
    c->residual = larger(c->residual, -found[i].gap);
    worst = larger(worst, missing_gap(c, &found[i], x));
  }
  for (int64_t i = 0; i < c->held_count; ++i)
    if (held[i].normal_force > 0) worst = larger(worst, -missing_gap(c, &held[i], x));
  return worst;
}

/* How many there are of both, without those that do not push and were not found again. */
static int64_t count_together(const ipg_contact *c) {
  const ipg_contact_pair *found = c->trial->contacts.data, *held = c->buffers[HELD].data;
  int64_t count = c->trial->contact_count;
  for (int64_t i = 0, j = 0; j < c->held_count; ++j) {
    while (i < c->trial->contact_count && ipg_contact_order_of_places(&found[i], &held[j]) < 0) ++i;
    const bool again = i < c->trial->contact_count && ipg_contact_order_of_places(&found[i], &held[j]) == 0;
    count += held[j].normal_force > 0 && !again;
  }
  return count;
}

/* Found again: stays where it pushed, unless it overlaps there and the search for places goes on. */
static ipg_contact_pair found_again(ipg_contact *c, const ipg_contact_pair *found, const ipg_contact_pair *held,
                                    const double *x, bool goes_on) {
  const bool moves = goes_on && c->is_settled && missing_gap(c, found, x) > c->close_enough;
  ipg_contact_pair pair = moves || !(held->normal_force > 0) ? *found : *held;
  c->is_same = c->is_same && !moves;
  pair.activated = held->activated, pair.time = held->time, pair.time_through = held->time_through;
  pair.normal_force = held->normal_force, pair.gap = found->gap;
  memcpy(pair.friction, held->friction, sizeof pair.friction);
  return pair;
}

/* Not found again: whatever its place says, nothing overlaps there any more. */
static ipg_contact_pair left_in_front(const ipg_contact *c, const ipg_contact_pair *held) {
  ipg_contact_pair pair = *held;
  pair.gap = larger(0, gap_at(c, held, ipg_trial_x(c)));
  return pair;
}

/* Both stand in the same order; from behind, so that what was found makes room within its own array. */
static void put_together(ipg_contact *c, const double *x, int64_t count, bool goes_on) {
  ipg_contact_pair *found = c->trial->contacts.data;
  const ipg_contact_pair *held = c->buffers[HELD].data;
  int64_t i = c->trial->contact_count - 1, to = count - 1, both = 0;
  c->is_same = count == c->held_count;
  for (int64_t j = c->held_count - 1; j >= 0; --j) {
    while (i >= 0 && ipg_contact_order_of_places(&found[i], &held[j]) > 0) found[to--] = found[i--];
    if (i >= 0 && ipg_contact_order_of_places(&found[i], &held[j]) == 0)
      found[to--] = found_again(c, &found[i--], &held[j], x, goes_on), ++both;
    else if (held[j].normal_force > 0) found[to--] = left_in_front(c, &held[j]);
  }
  c->is_same = c->is_same && both == c->trial->contact_count;
  c->trial->contact_count = count;
}

static ipg_status reserve(ipg_contact *c, int64_t count, ipg_error *error) {
  const ipg_allocator *a = &c->config.allocator;
  const int64_t room = (int64_t)(c->trial->contacts.bytes / sizeof(ipg_contact_pair));
  ipg_status status = ipg_contact_make_room(c, count - c->trial->contact_count, error);
  const int64_t most = count > room ? count + count / 2 : count;
  if (!status) status = ipg_buffer_grow(&c->buffers[HELD], a, c->held_count, most, sizeof(ipg_contact_pair), error);
  if (!status) status = ipg_buffer_reserve(&c->buffers[PUSHES], a, most, sizeof(push), error);
  return status;
}

ipg_status ipg_kinematic_hold(ipg_contact *c, const double *x, bool is_last, bool *done, ipg_error *error) {
  start_contacts(c);
  *done = worst_miss(c, x) <= c->close_enough || is_last;
  const int64_t count = count_together(c);
  const ipg_status status = reserve(c, count, error);
  if (status) return status;
  put_together(c, x, count, !*done);
  *done = *done || (c->is_same && c->is_settled);
  return IPG_OK;
}

/* ------------------------------------------------------------------------------------------------------------ push */

/* In one step, at the velocities before its forces. */
static vec way_at_velocity(const ipg_contact *c, const ipg_contact_pair *pair, const double *v) {
  vec sum = vec_scale(-1, ipg_touched_velocity(c, pair));
  for (int i = 0; i < 4; ++i) sum = vec_add(sum, vec_scale(pair->weights[i], vec_at(v, pair->nodes[i])));
  return vec_scale(c->dt, sum);
}

static push demand_of(const ipg_contact *c, const ipg_contact_pair *pair, const ipg_prediction *to) {
  push p = {.least = least_gap(c, pair, to->x),
            .before = ipg_kinematic_apart(c, pair),
            .predicted = apart_at(c, pair, to->x)};
  p.came = to->v ? way_at_velocity(c, pair, to->v) : vec_sub(p.predicted, p.before);
  const vec slide = vec_across(vec_sub(p.predicted, p.before), vec_at(pair->normal, 0));
  p.coefficient = ipg_friction_coefficient(ipg_contact_law_of(c, pair), vec_length(slide) / c->dt);
  for (int i = 0; i < 4; ++i) p.yield += pair->weights[i] * pair->weights[i] / c->surface.node_masses[pair->nodes[i]];
  return p;
}

/* Of the first side against the other, by all pushes. */
static vec parted(const ipg_contact_pair *pair, const double *pushed) {
  vec sum = {0, 0, 0};
  for (int i = 0; i < 4; ++i) sum = vec_add(sum, vec_scale(pair->weights[i], vec_at(pushed, pair->nodes[i])));
  return sum;
}

static void move_nodes(const ipg_contact *c, const ipg_contact_pair *pair, vec more, double *pushed) {
  for (int i = 0; i < 4; ++i) {
    const double part = pair->weights[i] / c->surface.node_masses[pair->nodes[i]];
    double *at = pushed + 3 * (int64_t)pair->nodes[i];
    vec_store(at, vec_add(vec_at(at, 0), vec_scale(part, more)));
  }
}

static double push_along_normal(const ipg_contact *c, ipg_contact_pair *pair, const push *p, double *pushed) {
  const vec normal = vec_at(pair->normal, 0);
  const double gap = gap_of(pair, vec_add(p->predicted, parted(pair, pushed)));
  const double pressing = larger(0, pair->normal_force + (p->least - gap) / p->yield);
  const double more = pressing - pair->normal_force;
  move_nodes(c, pair, vec_scale(more, normal), pushed);
  pair->normal_force = pressing;
  return fabs(more) * p->yield;
}

static double hold_along_surface(const ipg_contact *c, ipg_contact_pair *pair, const push *p, double *pushed) {
  const vec old = vec_at(pair->friction, 0);
  if (p->coefficient == 0 && vec_dot(old, old) == 0) return 0;
  const vec slip = vec_sub(vec_add(p->predicted, parted(pair, pushed)), p->before);
  const vec wanted = vec_across(vec_sub(old, vec_scale(1 / p->yield, slip)), vec_at(pair->normal, 0));
  const vec friction = vec_capped(wanted, p->coefficient * pair->normal_force), more = vec_sub(friction, old);
  move_nodes(c, pair, more, pushed);
  vec_store(pair->friction, friction);
  return vec_length(more) * p->yield;
}

/* The largest way that any contact's push moved its sides. */
static double sweep(ipg_contact *c, const push *pushes, bool back, double *pushed) {
  ipg_contact_pair *pairs = c->trial->contacts.data;
  const int64_t count = c->trial->contact_count;
  double largest = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = back ? count - 1 - k : k;
    largest = larger(largest, push_along_normal(c, &pairs[i], &pushes[i], pushed));
    largest = larger(largest, hold_along_surface(c, &pairs[i], &pushes[i], pushed));
  }
  return largest;
}

/* What all pushes together do, in the order of contacts: to the trial's forces, still mass times length. */
static void add_up(ipg_contact *c) {
  ipg_contact_pair *pairs = c->trial->contacts.data;
  for (int64_t i = 0; i < c->trial->contact_count; ++i)
    vec_store(pairs[i].force,
              vec_add(vec_scale(pairs[i].normal_force, vec_at(pairs[i].normal, 0)), vec_at(pairs[i].friction, 0)));
  ipg_contact_sum_forces(c);
}

static void add_pushes(const ipg_contact *c, const double *x, double *to) {
  const double *force = c->trial->force.data;
  for (int64_t i = 0; i < 3 * c->surface.node_count; ++i)
    to[i] = (x ? x[i] : 0) + force[i] / c->surface.node_masses[i / 3];
}

static void let_go(ipg_contact *c) {
  ipg_contact_pair *pairs = c->trial->contacts.data;
  for (int64_t i = 0; i < c->trial->contact_count; ++i) {
    pairs[i].normal_force = 0;
    vec_store(pairs[i].friction, (vec){0, 0, 0});
  }
}

static void settle_pushes(ipg_contact *c, const ipg_prediction *p) {
  const ipg_contact_pair *pairs = c->trial->contacts.data;
  push *pushes = c->buffers[PUSHES].data;
  double *pushed = c->buffers[PUSHED].data;
  for (int64_t i = 0; i < c->trial->contact_count; ++i) pushes[i] = demand_of(c, &pairs[i], p);
  add_up(c);
  add_pushes(c, NULL, pushed);
  c->is_settled = false;
  for (int i = 0; i < MOST_SWEEPS && !c->is_settled; ++i)
    c->is_settled = sweep(c, pushes, i % 2, pushed) <= settled * c->mean_edge;
  add_up(c);
}

/* Do all pushes together give energy, beyond what rounding makes of none? To the prediction any; to the motion from
 * before the step's forces, more than was taken so far. */
static bool give_energy(const ipg_contact *c) {
  const ipg_contact_pair *pairs = c->trial->contacts.data;
  const push *pushes = c->buffers[PUSHES].data;
  const double none = 1e-13, taken = c->accepted->ledger.kinematic_dissipation * c->dt * c->dt;
  double to_prediction = 0, in_all = 0, size = 0;
  for (int64_t i = 0; i < c->trial->contact_count; ++i) {
    const vec force = vec_at(pairs[i].force, 0), predicted = vec_sub(pushes[i].predicted, pushes[i].before);
    const vec goes = vec_add(predicted, parted(&pairs[i], c->buffers[PUSHED].data));
    const double part = 0.5 * vec_dot(force, vec_add(predicted, goes));
    to_prediction += part, size += fabs(part);
    in_all += 0.5 * vec_dot(force, vec_add(pushes[i].came, goes));
  }
  return to_prediction > none * size || in_all > larger(none * size, taken);
}

void ipg_kinematic_push(ipg_contact *c, const ipg_prediction *p) {
  if (!c->is_same) let_go(c);
  settle_pushes(c, p);
  if (c->gives_back && give_energy(c)) {
    c->gives_back = false;
    let_go(c);
    settle_pushes(c, p);
  }
  add_pushes(c, p->x, c->buffers[CORRECTED].data);
  c->held_count = c->trial->contact_count;
  if (c->held_count)
    memcpy(c->buffers[HELD].data, c->trial->contacts.data, (size_t)c->held_count * sizeof(ipg_contact_pair));
}

/* ---------------------------------------------------------------------------------------------------------- finish */

/* Before and after the pushes. */
static vec mean_velocity(const ipg_contact *c, const ipg_prediction *p, int64_t node) {
  const vec from = vec_at(ipg_accepted_x(c), node), after = vec_sub(vec_at(ipg_trial_x(c), node), from);
  const vec before = p->v ? vec_at(p->v, node) : vec_scale(1 / c->dt, vec_sub(vec_at(p->x, node), from));
  return vec_scale(0.5, vec_add(before, vec_scale(1 / c->dt, after)));
}

static void finish_contact(const ipg_contact *c, const ipg_prediction *p, ipg_contact_pair *pair) {
  const double to_force = 1 / (c->dt * c->dt);
  vec against = vec_scale(-1, ipg_touched_velocity(c, pair));
  for (int i = 0; i < 4; ++i)
    against = vec_add(against, vec_scale(pair->weights[i], mean_velocity(c, p, pair->nodes[i])));
  pair->normal_force *= to_force;
  vec_store(pair->friction, vec_scale(to_force, vec_at(pair->friction, 0)));
  pair->kinematic_dissipation = -c->dt * pair->normal_force * vec_dot(vec_at(pair->normal, 0), against);
  pair->friction_dissipation = -c->dt * vec_dot(vec_at(pair->friction, 0), against);
}

void ipg_kinematic_finish(ipg_contact *c, const ipg_prediction *p) {
  ipg_contact_pair *pairs = c->trial->contacts.data;
  const double *force = c->trial->force.data;
  for (int64_t i = 0; i < c->trial->contact_count; ++i) finish_contact(c, p, &pairs[i]);
  add_up(c);
  c->work = 0;
  for (int64_t i = 0; i < c->surface.node_count; ++i)
    c->work += c->dt * vec_dot(vec_at(force, i), mean_velocity(c, p, i));
}
