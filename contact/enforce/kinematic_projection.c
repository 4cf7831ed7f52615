/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Kinematic contact (kinematic constraint method): predicted positions are moved until nothing penetrates.
 *
 * Each contact pushes its sides apart along its normal, never together, and holds back their slip as far as its cone
 * allows; pushes are mass times length, so divided by dt^2 they are forces. In a sweep all contacts push from the same
 * displacements, each as if it had a share of the mass of its nodes (mass splitting, Tonge 2012), so no order of
 * contacts enters; and as if the last sweep's change had gone on (Nesterov), which saves most of the sweeps. Then
 * contact is detected on the projected paths again. A touch that is seen from both sides is twice the same demand and
 * shares the push: there is no partition and no master. Sweeps begin from zero whenever contacts were added or moved,
 * for from there they only ever take energy.
 *
 * An island is all contacts that are joined by nodes that they share. Sweeps, tolerances, the energy test and the end
 * of the iterations belong to an island: nothing that happens elsewhere changes a bit of it.
 *
 * Invariants: positions are always the predicted ones plus the displacement of all pushes together, so momentum is
 * conserved to rounding whatever the contacts do. A contact that pushes is kept through all iterations of the step, at
 * the point where it last pushed, even if the projected path does not touch it any more; it takes a new point only
 * where detection finds penetration. A penetration from before the step is removed no faster than the prediction would
 * have deepened it. If the pushes of an island would add energy to the prediction, or to the motion before the step's
 * forces, it is swept again without removal: contacts then only stop further penetration, and sweeps from zero cannot
 * give energy. */
#include "enforce/kinematic_projection.h"

#include "enforce/contact_force.h"
#include "enforce/friction.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/face_geometry.h"
#include "surface/list_by_node.h"

#include <string.h>

enum { MOST_SWEEPS = 300, GRAIN = 64 };

/* Marks of nodes. Of owners of contacts, as their island was last swept: penetration stays as it is; the last sweeps
 * changed next to nothing. Of all nodes of a contact, by the last detection: one was added, moved or dropped; a demand
 * is not met. */
enum { KEEPS = 1, CONVERGED = 2, CHANGED = 4, VIOLATED = 8 };

typedef ipg_projection_workspace workspace;

/* ------------------------------------------------------------------------------------------------------------- gaps */

static double largest_coordinate(vec v) { return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z))); }

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
  const bool gives_back = !(w->marks.at[pair->owner] & KEEPS);
  const double before = gap_of_separation(pair, separation_before(step, pair));
  const double back = gives_back ? larger(0, before - gap_at(step, pair, x)) : 0;
  return before >= 0 ? 0 : smaller(0, before + back);
}

static double missing_gap(const workspace *w, const ipg_step *step, const ipg_contact_pair *pair, const double *x) {
  return least_gap(w, step, pair, x) - gap_at(step, pair, step->x1);
}

/* What rounding does to the gap: of positions, and of the way from a wall's point. */
static double gap_rounding(const ipg_step *step, const ipg_contact_pair *pair) {
  const vec x = vec_at(step->x0, pair->owner), apart = separation_before(step, pair);
  return IPG_POSITION_ROUNDING * larger(largest_coordinate(x), largest_coordinate(apart));
}

/* Of the touched face; at a wall, of a face of the node. */
static double size_at(const ipg_step *step, const ipg_contact_pair *pair) {
  const ipg_id_range own = ipg_faces_of_node(&step->model->topology, pair->owner);
  const ipg_id face = pair->face >= 0 ? pair->face : own.begin < own.end ? *own.begin : -1;
  return face >= 0 ? ipg_face_size(&step->model->surface, step->x0, face) : 0;
}

/* Penetration that may stay. */
static double tolerance_at(const ipg_step *step, const ipg_contact_pair *pair) {
  return IPG_PROJECTED * size_at(step, pair) + gap_rounding(step, pair);
}

/* ------------------------------------------------------------------------------------------------------------ start */

ipg_status ipg_start_projection(workspace *w, const ipg_model *m, const double *x, ipg_error *error) {
  const int64_t nodes = m->surface.node_count, values = 3 * nodes;
  const ipg_allocator *a = &m->config.allocator;
  ipg_status status = ipg_array_reserve(&w->projected, a, values, error);
  if (!status) status = ipg_array_reserve(&w->displaced, a, values, error);
  if (!status) status = ipg_array_reserve(&w->marks, a, nodes, error);
  if (!status) status = ipg_array_reserve(&w->touched, a, nodes, error);
  if (!status) status = ipg_array_reserve(&w->firsts, a, nodes + 2, error);
  if (status) return status;
  if (values) memcpy(w->projected.at, x, (size_t)values * sizeof *x);
  if (values) memset(w->displaced.at, 0, (size_t)values * sizeof *x);
  if (nodes) memset(w->marks.at, 0, (size_t)nodes);
  w->held.count = 0;
  return IPG_OK;
}

void ipg_projection_workspace_destroy(workspace *w, const ipg_allocator *a) {
  ipg_contact_list_destroy(&w->held, a);
  ipg_array_destroy(&w->pushes, a);
  ipg_array_destroy(&w->islands, a);
  ipg_array_destroy(&w->displaced, a);
  ipg_array_destroy(&w->projected, a);
  ipg_array_destroy(&w->marks, a);
  ipg_array_destroy(&w->touched, a);
  ipg_array_destroy(&w->firsts, a);
  ipg_array_destroy(&w->corner_nodes, a);
  ipg_array_destroy(&w->corners, a);
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

/* What was detected has not pushed yet. */
static void reset_found_contacts(const ipg_step *step, ipg_contact_list *found) {
  ipg_contact_pair *pairs = found->pairs.at;
  const vec none = {0, 0, 0};
  for (int64_t i = 0; i < found->count; ++i) {
    pairs[i].response.normal_force = 0;
    pairs[i].response.friction_dissipation = pairs[i].response.damping_dissipation = 0;
    vec_store(pairs[i].response.friction, none);
    vec_store(pairs[i].history.tangential_slip, none);
    ipg_project_contact_on_plane(step, &pairs[i]);
  }
}

static void mark_nodes(workspace *w, const ipg_contact_pair *pair, uint8_t mark) {
  for (int i = 0; i < 4; ++i)
    if (pair->weights[i] != 0) w->marks.at[pair->nodes[i]] |= mark;
}

/* Where what was found, or held, violates its demand: penetration still there, or a push too far. */
static void mark_violations(workspace *w, const ipg_step *step, const ipg_contact_list *found, const double *x) {
  const ipg_contact_pair *pairs = found->pairs.at, *held = w->held.pairs.at;
  w->residual = 0;
  for (int64_t i = 0; i < found->count; ++i) {
    w->residual = larger(w->residual, -pairs[i].gap);
    if (missing_gap(w, step, &pairs[i], x) > tolerance_at(step, &pairs[i])) mark_nodes(w, &pairs[i], VIOLATED);
  }
  for (int64_t i = 0; i < w->held.count; ++i)
    if (held[i].response.normal_force > 0 && -missing_gap(w, step, &held[i], x) > tolerance_at(step, &held[i]))
      mark_nodes(w, &held[i], VIOLATED);
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
                                         const ipg_contact_pair *held, const double *x, bool is_last) {
  const bool moves =
      !is_last && w->marks.at[held->owner] & CONVERGED && missing_gap(w, step, found, x) > tolerance_at(step, found);
  ipg_contact_pair pair = moves || !(held->response.normal_force > 0) ? *found : *held;
  if (moves) mark_nodes(w, found, CHANGED), mark_nodes(w, held, CHANGED);
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
                          bool is_last) {
  ipg_contact_pair *found = list->pairs.at;
  const ipg_contact_pair *held = w->held.pairs.at;
  int64_t i = list->count - 1, to = count - 1;
  for (int64_t j = w->held.count - 1; j >= 0; --j) {
    while (i >= 0 && ipg_compare_contacts_and_faces(&found[i], &held[j]) > 0)
      mark_nodes(w, &found[i], CHANGED), found[to--] = found[i--];
    if (i >= 0 && ipg_compare_contacts_and_faces(&found[i], &held[j]) == 0)
      found[to--] = join_found_again(w, step, &found[i--], &held[j], x, is_last);
    else if (held[j].response.normal_force > 0) found[to--] = join_left_in_front(step, &held[j]);
    else mark_nodes(w, &held[j], CHANGED);
  }
  while (i >= 0) mark_nodes(w, &found[i--], CHANGED);
  list->count = count;
}

static ipg_status reserve_joined(workspace *w, const ipg_model *m, ipg_contact_list *found, int64_t count,
                                 ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t room = ipg_array_capacity(&found->pairs), most = count > room ? count + count / 2 : count;
  ipg_status status = ipg_contact_list_reserve(found, count - found->count, a, error);
  if (!status) status = ipg_array_grow(&w->held.pairs, a, w->held.count, most, error);
  if (!status) status = ipg_array_reserve(&w->pushes, a, most, error);
  if (!status) status = ipg_array_reserve(&w->islands, a, most, error);
  if (!status) status = ipg_array_reserve(&w->corner_nodes, a, 4 * most, error);
  if (!status) status = ipg_array_reserve(&w->corners, a, 4 * most, error);
  return status;
}

/* The contacts of each node, in their order; without those that do not move it. */
static void list_corners(workspace *w, const ipg_model *m, const ipg_contact_list *contacts) {
  const ipg_id nodes = (ipg_id)m->surface.node_count;
  for (int64_t i = 0; i < 4 * contacts->count; ++i) {
    const ipg_contact_pair *pair = &contacts->pairs.at[i / 4];
    w->corner_nodes.at[i] = pair->weights[i % 4] != 0 ? pair->nodes[i % 4] : nodes;
  }
  ipg_list_by_node(w->corner_nodes.at, 1, 4 * contacts->count, nodes + 1, w->firsts.at, w->corners.at);
  w->touched_count = 0;
  for (ipg_id i = 0; i < nodes; ++i)
    if (w->firsts.at[i] < w->firsts.at[i + 1]) w->touched.at[w->touched_count++] = i;
}

/* The first contact of its island, as far as contacts were joined. */
static int64_t island_of(ipg_push *pushes, int64_t i) {
  while (pushes[i].island != i) i = pushes[i].island = pushes[pushes[i].island].island;
  return i;
}

/* Contacts that share a node are in the same island, and no other. */
static void find_islands(workspace *w, const ipg_contact_list *contacts) {
  ipg_push *pushes = w->pushes.at;
  for (int64_t i = 0; i < contacts->count; ++i) pushes[i].island = i, w->islands.at[i] = (ipg_island){0};
  for (int64_t k = 0; k < w->touched_count; ++k) {
    const int64_t *first = w->firsts.at + w->touched.at[k];
    for (int64_t c = first[0] + 1; c < first[1]; ++c) {
      const int64_t a = island_of(pushes, w->corners.at[c - 1] / 4), b = island_of(pushes, w->corners.at[c] / 4);
      pushes[a > b ? a : b].island = a > b ? b : a;
    }
  }
  for (int64_t i = 0; i < contacts->count; ++i) pushes[i].island = pushes[pushes[i].island].island;
}

static ipg_island *island_at(const workspace *w, int64_t i) { return &w->islands.at[w->pushes.at[i].island]; }

/* An island is settled if nothing is left to project there: it stays as it is. Returns whether all are; the marks of
 * the detection are used up. */
static bool settle_islands(workspace *w, const ipg_contact_list *contacts, bool is_last) {
  uint8_t *marks = w->marks.at;
  bool all = true;
  for (int64_t c = 0; c < 4 * contacts->count; ++c) {
    const ipg_contact_pair *pair = &contacts->pairs.at[c / 4];
    const int mask = c % 4 ? CHANGED | VIOLATED : ~0;
    if (pair->weights[c % 4] != 0) island_at(w, c / 4)->marks |= marks[pair->nodes[c % 4]] & mask;
  }
  for (int64_t i = 0; i < contacts->count; ++i) {
    ipg_island *island = &w->islands.at[i];
    if (w->pushes.at[i].island != i) continue;
    const bool is_final = (island->marks & (CHANGED | CONVERGED)) == CONVERGED;
    island->is_settled = is_last || is_final || !(island->marks & VIOLATED);
    all = all && island->is_settled;
  }
  for (int64_t k = 0; k < w->touched_count; ++k) marks[w->touched.at[k]] &= KEEPS | CONVERGED;
  return all;
}

ipg_status ipg_hold_contacts(workspace *w, const ipg_step *step, ipg_contact_list *found, const double *x, bool is_last,
                             bool *done, ipg_error *error) {
  reset_found_contacts(step, found);
  mark_violations(w, step, found, x);
  const int64_t count = count_joined(w, found);
  const ipg_status status = reserve_joined(w, step->model, found, count, error);
  if (status) return status;
  join_contacts(w, step, found, x, count, is_last);
  list_corners(w, step->model, found);
  find_islands(w, found);
  *done = settle_islands(w, found, is_last);
  return IPG_OK;
}

/* ---------------------------------------------------------------------------------------------------------- project */

typedef struct sweep {
  workspace *w;
  const ipg_step *step;
  const ipg_contact_pair *pairs;
  const ipg_prediction *to;
} sweep;

/* The mass of a node is split among the contacts that push it, by their weights: then all of them may push at once. */
static double split_compliance(const sweep *s, const ipg_contact_pair *pair) {
  const workspace *w = s->w;
  double sum = 0;
  for (int n = 0; n < 4; ++n) {
    if (pair->weights[n] == 0) continue;
    double weights = 0;
    for (int64_t c = w->firsts.at[pair->nodes[n]]; c < w->firsts.at[pair->nodes[n] + 1]; ++c)
      weights += fabs(s->pairs[w->corners.at[c] / 4].weights[w->corners.at[c] % 4]);
    sum += fabs(pair->weights[n]) * weights / s->step->model->surface.node_masses[pair->nodes[n]];
  }
  return sum;
}

static void set_push(const sweep *s, const ipg_contact_pair *pair, ipg_push *p) {
  const ipg_step *step = s->step;
  const ipg_model *m = step->model;
  const ipg_prediction *to = s->to;
  p->least_gap = least_gap(s->w, step, pair, to->x);
  p->before = separation_before(step, pair), p->predicted = separation_at(step, pair, to->x);
  p->approach = to->v ? vec_scale(step->dt, ipg_relative_velocity(m, pair, to->v)) : vec_sub(p->predicted, p->before);
  const vec slide = vec_across(vec_sub(p->predicted, p->before), vec_at(pair->normal, 0));
  p->friction_coefficient = ipg_friction_coefficient(ipg_law_of_contact(m, pair), vec_length(slide) / step->dt);
  p->compliance = split_compliance(s, pair);
  p->converged = IPG_CONVERGED * size_at(step, pair);
  p->apart = (vec){IPG_LARGEST, 0, 0}; /* the first sweep is no end */
  p->uphill = 0, p->is_open = false;
  p->normal = p->old_normal = pair->response.normal_force;
  p->friction = p->old_friction = vec_at(pair->response.friction, 0);
}

static void set_pushes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const sweep *s = arg;
  for (int64_t i = begin; i < end; ++i) set_push(s, &s->pairs[i], &s->w->pushes.at[i]);
}

/* A push, carried on by a part of its last change. */
static vec carried_friction(const ipg_push *p, double part) {
  return vec_add(p->friction, vec_scale(part, vec_sub(p->friction, p->old_friction)));
}

static double carried_normal(const ipg_push *p, double part) { return p->normal + part * (p->normal - p->old_normal); }

/* The displacement of nodes by all pushes on them, in the order of contacts. */
static void displace_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const sweep *s = arg;
  const workspace *w = s->w;
  for (int64_t k = begin; k < end; ++k) {
    const ipg_id node = w->touched.at[k];
    vec sum = {0, 0, 0};
    for (int64_t c = w->firsts.at[node]; c < w->firsts.at[node + 1]; ++c) {
      const int64_t i = w->corners.at[c] / 4;
      const ipg_push *p = &w->pushes.at[i];
      const double part = w->islands.at[p->island].carried;
      const vec push =
          vec_add(vec_scale(carried_normal(p, part), vec_at(s->pairs[i].normal, 0)), carried_friction(p, part));
      sum = vec_add(sum, vec_scale(s->pairs[i].weights[w->corners.at[c] % 4], push));
    }
    vec_store(w->displaced.at + 3 * (int64_t)node, vec_scale(1 / s->step->model->surface.node_masses[node], sum));
  }
}

/* Displacement of the first side against the other, by all pushes. */
static vec relative_displacement(const ipg_contact_pair *pair, const double *displaced) {
  vec sum = {0, 0, 0};
  for (int i = 0; i < 4; ++i) sum = vec_add(sum, vec_scale(pair->weights[i], vec_at(displaced, pair->nodes[i])));
  return sum;
}

/* It is open while the last sweep moved its sides: pushes that only grow against each other, of contacts that wedge a
 * node, move nothing. Uphill is where a carried push went on beyond what the contact wants. */
static void push_contact(const workspace *w, const ipg_contact_pair *pair, ipg_push *p) {
  const double part = w->islands.at[p->island].carried;
  const vec normal = vec_at(pair->normal, 0), friction = carried_friction(p, part);
  const double push = carried_normal(p, part);
  const vec apart = vec_add(p->predicted, relative_displacement(pair, w->displaced.at));
  p->old_normal = p->normal, p->old_friction = p->friction;
  p->normal = larger(0, push + (p->least_gap - gap_of_separation(pair, apart)) / p->compliance);
  const vec wanted = vec_across(vec_sub(friction, vec_scale(1 / p->compliance, vec_sub(apart, p->before))), normal);
  p->friction = vec_capped(wanted, p->friction_coefficient * p->normal);
  const vec back = vec_sub(friction, p->friction);
  p->uphill = p->compliance *
              ((push - p->normal) * (p->normal - p->old_normal) + vec_dot(back, vec_sub(p->friction, p->old_friction)));
  p->is_open = vec_length(vec_sub(apart, p->apart)) > p->converged + IPG_POSITION_ROUNDING * p->compliance * p->normal;
  p->apart = apart;
}

static void push_contacts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const sweep *s = arg;
  for (int64_t i = begin; i < end; ++i)
    if (island_at(s->w, i)->is_open) push_contact(s->w, &s->pairs[i], &s->w->pushes.at[i]);
}

/* How far the next sweep carries pushes on: further from sweep to sweep, and from 0 again where that went uphill. An
 * island with no open contact is closed. Returns whether any is open. */
static bool carry_on(workspace *w, int64_t count) {
  bool any = false;
  for (int64_t i = 0; i < count; ++i) w->islands.at[i].uphill = 0, w->islands.at[i].goes_on = false;
  for (int64_t i = 0; i < count; ++i)
    island_at(w, i)->uphill += w->pushes.at[i].uphill, island_at(w, i)->goes_on |= w->pushes.at[i].is_open;
  for (int64_t i = 0; i < count; ++i) {
    ipg_island *island = &w->islands.at[i];
    const bool is_uphill = island->uphill > 0;
    const double next = is_uphill ? 1 : 0.5 + sqrt(0.25 + island->pace * island->pace);
    island->is_open = island->is_open && island->goes_on;
    island->carried = is_uphill || !island->is_open ? 0 : (island->pace - 1) / next;
    island->pace = next, any = any || island->is_open;
  }
  return any;
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

static void add_displacements(const ipg_surface *s, const double *node_pushes, const double *x, double *to) {
  for (int64_t i = 0; i < 3 * s->node_count; ++i) to[i] = x[i] + node_pushes[i] / s->node_masses[i / 3];
}

/* Sweeps over the islands that are open. */
static void converge_pushes(workspace *w, const ipg_step *step, ipg_contact_list *contacts, const ipg_prediction *p) {
  const ipg_tasks *tasks = &step->model->config.tasks;
  const int64_t count = contacts->count;
  sweep s = {w, step, contacts->pairs.at, p};
  ipg_tasks_for(tasks, set_pushes, &s, 0, count, GRAIN);
  for (int64_t i = 0; i < count; ++i) w->islands.at[i].pace = 1, w->islands.at[i].carried = 0;
  bool is_open = true;
  for (int i = 0; i < MOST_SWEEPS && is_open; ++i) {
    ipg_tasks_for(tasks, displace_nodes, &s, 0, w->touched_count, GRAIN);
    ipg_tasks_for(tasks, push_contacts, &s, 0, count, GRAIN);
    is_open = carry_on(w, count);
  }
  for (int64_t i = 0; i < count; ++i) w->islands.at[i].carried = 0;
  ipg_tasks_for(tasks, displace_nodes, &s, 0, w->touched_count, GRAIN);
}

/* Whether the pushes of each island together give energy, beyond rounding: to the prediction any, or to the motion
 * before the step's forces. */
static void weigh_energies(workspace *w, const ipg_step *step, const ipg_contact_list *contacts) {
  for (int64_t i = 0; i < contacts->count; ++i) {
    const ipg_contact_pair *pair = &contacts->pairs.at[i];
    const ipg_push *p = &w->pushes.at[i];
    ipg_island *island = &w->islands.at[p->island];
    const vec push = vec_add(vec_scale(p->normal, vec_at(pair->normal, 0)), p->friction);
    const vec predicted = vec_sub(p->predicted, p->before);
    const vec projected = vec_add(predicted, relative_displacement(pair, w->displaced.at));
    const double part = 0.5 * vec_dot(push, vec_add(predicted, projected));
    island->to_prediction += part, island->to_motion += 0.5 * vec_dot(push, vec_add(p->approach, projected));
    island->rounding += IPG_ENERGY_ROUNDING * fabs(part), island->drift += vec_length(push) * gap_rounding(step, pair);
  }
}

static bool gives_energy(const ipg_island *i) {
  return i->to_prediction > i->rounding || i->to_motion > i->rounding + i->drift;
}

static void clear_push(ipg_contact_pair *pair) {
  pair->response.normal_force = 0;
  vec_store(pair->response.friction, (vec){0, 0, 0});
}

/* Islands that are not settled are swept: from zero where contacts were added or moved. */
static void open_islands(workspace *w, const ipg_contact_list *contacts) {
  for (int64_t i = 0; i < contacts->count; ++i) {
    ipg_island *island = island_at(w, i);
    island->is_swept = island->is_open = !island->is_settled;
    if (!island->is_open) continue;
    if (island->marks & CHANGED) clear_push(&contacts->pairs.at[i]);
    w->marks.at[contacts->pairs.at[i].owner] |= island->marks & KEEPS;
  }
}

/* Once more, from zero and without giving back, where that gives energy. */
static bool reopen_islands(workspace *w, const ipg_contact_list *contacts) {
  bool any = false;
  for (int64_t i = 0; i < contacts->count; ++i) w->islands.at[i].is_swept = w->islands.at[i].is_open = false;
  for (int64_t i = 0; i < contacts->count; ++i) {
    ipg_island *island = island_at(w, i);
    if (island->is_settled || island->marks & KEEPS || !gives_energy(island)) continue;
    island->is_swept = island->is_open = any = true;
    clear_push(&contacts->pairs.at[i]);
    w->marks.at[contacts->pairs.at[i].owner] |= KEEPS;
  }
  return any;
}

static void store_pushes(workspace *w, const ipg_contact_list *contacts) {
  for (int64_t i = 0; i < contacts->count; ++i) {
    ipg_contact_pair *pair = &contacts->pairs.at[i];
    const ipg_island *island = island_at(w, i);
    if (!island->is_swept) continue;
    uint8_t *mark = &w->marks.at[pair->owner];
    *mark = island->is_open ? *mark & KEEPS : *mark | CONVERGED;
    pair->response.normal_force = w->pushes.at[i].normal;
    vec_store(pair->response.friction, w->pushes.at[i].friction);
  }
}

void ipg_project_positions(workspace *w, const ipg_step *step, ipg_contact_list *contacts, const ipg_prediction *p,
                           double *node_forces) {
  open_islands(w, contacts);
  converge_pushes(w, step, contacts, p);
  store_pushes(w, contacts);
  weigh_energies(w, step, contacts);
  if (reopen_islands(w, contacts)) {
    converge_pushes(w, step, contacts, p);
    store_pushes(w, contacts);
  }
  sum_pushes(step, contacts, node_forces);
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
