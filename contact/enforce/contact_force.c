/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From contacts to forces on nodes: spring, damper, friction, and the assembly of their sums (scatter to nodes).
 *
 * A contact's force acts between the node and the point it touches; weights, which sum to 0, distribute it to the four
 * nodes, so total momentum is conserved. The normal part conserves angular momentum too; friction at a finite depth
 * adds the couple depth times friction, which the energy balance shows. A wall takes its side of the force, and the
 * energy balance shows how much. A tie with an offset pulls at the end of a lever that stands on the face: the moment
 * goes to the face's corners, so that its forces are the gradient of the spring's energy. */
#include "enforce/contact_force.h"

#include "enforce/friction.h"
#include "model/relative_motion.h"

enum { GRAIN = 256 };

/* Along the normal. A damper never pulls: it takes at most the spring's force away. */
static double damping_force(const ipg_step *step, const ipg_contact_pair *pair, const double *v, vec motion) {
  const vec normal = vec_at(pair->normal, 0);
  const double rate = step->dt > 0 ? 1 / step->dt : 0;
  const double speed =
      v ? vec_dot(ipg_relative_velocity(step->model, pair, v), normal) : rate * vec_dot(motion, normal);
  return larger(-ipg_damping_coefficient(step->model, pair) * speed, pair->history.stiffness * pair->gap);
}

static void enforce_contact(const ipg_step *step, ipg_contact_pair *pair, const double *v) {
  const vec motion = ipg_relative_motion(step, pair), normal = vec_at(pair->normal, 0);
  const double damper = damping_force(step, pair, v, motion);
  pair->response.normal_force = damper - pair->history.stiffness * pair->gap;
  pair->response.damping_dissipation = -damper * vec_dot(motion, normal);
  ipg_apply_friction(step, pair, vec_scale(1 - pair->time, motion));
  vec_store(pair->response.force,
            vec_add(vec_scale(pair->response.normal_force, normal), vec_at(pair->response.friction, 0)));
}

/* Spring and damper act on the whole elongation. The damper sees how fast that changes, not how fast the two sides
 * move: with an offset between them, rotation is motion too. */
static void enforce_tie(const ipg_step *step, ipg_contact_pair *tie) {
  const vec normal = vec_at(tie->normal, 0);
  const vec before = ipg_tie_elongation(&step->model->surface, tie, step->x0);
  const vec elongation = vec_add(vec_scale(tie->gap, normal), vec_at(tie->history.tangential_slip, 0));
  const double damping = ipg_damping_coefficient(step->model, tie);
  const double rate = step->dt > 0 ? 1 / step->dt : 0;
  const vec damper = vec_scale(-damping * rate, vec_sub(elongation, before));
  const vec force = vec_sub(damper, vec_scale(tie->history.stiffness, elongation));
  tie->response.normal_force = vec_dot(force, normal);
  tie->response.damping_dissipation = -ipg_tie_work(step, tie, step->x1, damper);
  vec_store(tie->response.friction, vec_sub(force, vec_scale(tie->response.normal_force, normal)));
  vec_store(tie->response.force, force);
}

typedef struct enforcement {
  const ipg_step *step;
  const double *v;
  ipg_contact_pair *pairs;
} enforcement;

static void enforce_contacts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const enforcement *e = arg;
  for (int64_t i = begin; i < end; ++i)
    if (e->pairs[i].kind == IPG_CONTACT_TIE) enforce_tie(e->step, &e->pairs[i]);
    else enforce_contact(e->step, &e->pairs[i], e->v);
}

vec ipg_force_on_node(const ipg_contact_pair *pair, const double *x, int node) {
  const vec force = vec_scale(pair->weights[node], vec_at(pair->response.force, 0));
  const bool has_lever = pair->kind == IPG_CONTACT_TIE && node > 0 && pair->history.initial_offset != 0;
  return has_lever ? vec_add(force, ipg_tie_lever_force(pair, x, vec_at(pair->response.force, 0), node)) : force;
}

static void add_forces(const ipg_contact_pair *pair, const double *x, ipg_force_sums *sums) {
  ipg_name_contact(sums, pair);
  const int nodes = pair->kind == IPG_CONTACT_NODE_WALL ? 1 : 4;
  for (int n = 0; n < nodes; ++n) ipg_add_at_node(sums, pair->nodes[n], ipg_force_on_node(pair, x, n));
}

void ipg_sum_contact_forces(const ipg_contact_list *contacts, const double *x, ipg_force_sums *sums) {
  for (int64_t i = 0; i < contacts->count; ++i) add_forces(&contacts->pairs.at[i], x, sums);
}

void ipg_enforce_ties(const ipg_step *step, ipg_contact_list *contacts, ipg_force_sums *sums) {
  for (int64_t i = 0; i < contacts->count; ++i) {
    ipg_contact_pair *pair = &contacts->pairs.at[i];
    if (pair->kind != IPG_CONTACT_TIE) continue;
    enforce_tie(step, pair);
    add_forces(pair, step->x1, sums);
  }
}

void ipg_enforce_node_springs(ipg_stiffness_workspace *w, const ipg_step *step, const double *v,
                              ipg_contact_list *contacts, ipg_force_sums *sums) {
  enforcement e = {step, v, contacts->pairs.at};
  ipg_limit_stiffness(w, step, contacts);
  ipg_tasks_for(&step->model->config.tasks, enforce_contacts, &e, 0, contacts->count, GRAIN);
  ipg_sum_contact_forces(contacts, step->x1, sums);
}
