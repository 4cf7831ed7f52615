/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Mass-based penalty stiffness, and the bound on the stiffness at a node.
 *
 * Each body's nodes look for the other's faces, so every touch is seen twice, from either side: the partition factor
 * one half shares the spring between the two views, and no side is master.
 * Stiffness is scale * effective mass / dt^2, frozen at activation, so that the spring stores and returns the same
 * energy. Two things lower it for good, and the energy balance books what the spring loses then: a longer step, and
 * several contacts at one node. The step sees all springs at a node together: by Gershgorin's circles no motion is
 * stiffer than the largest sum, over a node's springs, of stiffness times weight times all weights, over the node's
 * mass. Where that would exceed the bound, all springs of the node become softer alike, as if none had been softened
 * before: otherwise each new contact would soften the older ones once more, until they bear nothing. */
#include "enforce/stiffness.h"

#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/face_geometry.h"

ipg_status ipg_stiffness_workspace_reserve(ipg_stiffness_workspace *w, const ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const ipg_status status = ipg_array_reserve(&w->row_sums, a, m->surface.node_count, error);
  return status ? status : ipg_array_reserve(&w->has_spring, a, m->surface.node_count, error);
}

void ipg_stiffness_workspace_destroy(ipg_stiffness_workspace *w, const ipg_allocator *a) {
  ipg_array_destroy(&w->row_sums, a);
  ipg_array_destroy(&w->has_spring, a);
}

static bool is_material_based(const ipg_model *m, const ipg_contact_pair *pair) {
  return m->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED && pair->kind == IPG_CONTACT_NODE_FACE;
}

/* That of contact, over half of the node's area: the nodes of the other side have the other half. */
static double stiffness_of_tie(const ipg_model *m, const ipg_contact_pair *tie) {
  const ipg_face_properties *p = &m->faces;
  return 0.5 * p->node_areas.at[tie->owner] /
         (1 / p->node_stiffnesses.at[tie->owner] + 1 / p->stiffnesses.at[tie->face]);
}

void ipg_set_initial_stiffness(const ipg_step *step, ipg_contact_pair *pair) {
  if (ipg_has_face_contact(step->model)) { /* nodes at faces have no springs of their own */
    if (pair->kind == IPG_CONTACT_TIE) pair->history.stiffness = stiffness_of_tie(step->model, pair);
    return;
  }
  if (is_material_based(step->model, pair)) {
    ipg_set_material_stiffness(step, pair);
    return;
  }
  pair->history.stiffness_dt2 = step->model->config.penalty_scale * ipg_effective_mass(step->model, pair);
  pair->history.stiffness = pair->history.stiffness_dt2 / (step->spring_dt * step->spring_dt);
}

double ipg_damping_coefficient(const ipg_model *m, const ipg_contact_pair *pair) {
  return 2 * ipg_law_of_contact(m, pair)->damping * sqrt(pair->history.stiffness * ipg_effective_mass(m, pair));
}

double ipg_factor_of_damping(const ipg_model *m) {
  const double ratio = m->rules.most_damping;
  return sqrt(1 + ratio * ratio) - ratio;
}

/* A central difference with step dt is stable for stiffness over mass up to 4 / dt^2, less with damping. Contact takes
 * a quarter of it and leaves the rest to the elements; a single contact of penalty scale 1 is about at this bound. */
static double bound_on_row_sums(const ipg_step *step) {
  const double factor = ipg_factor_of_damping(step->model);
  return factor * factor / (step->spring_dt * step->spring_dt);
}

/* By how much the spring becomes longer, at most, as its nodes move: their weights, and of a tie with an offset the
 * part of its lever. */
static void elongation_per_node(const ipg_contact_pair *pair, const double *x, double weights[4]) {
  for (int i = 0; i < 4; ++i) weights[i] = fabs(pair->weights[i]);
  if (pair->kind != IPG_CONTACT_TIE || pair->history.initial_offset == 0) return;
  vec corner[3];
  for (int i = 0; i < 3; ++i) corner[i] = vec_at(x, pair->nodes[i + 1]);
  const double area = vec_length(ipg_triangle_area_vector(corner[0], corner[1], corner[2]));
  for (int i = 0; i < 3; ++i)
    weights[i + 1] +=
        fabs(pair->history.initial_offset) / area * vec_length(vec_sub(corner[(i + 1) % 3], corner[(i + 2) % 3]));
}

/* The stiffness before the bound at the nodes: material-based as balanced among neighbours in this step, but never
 * above the mass-based maximum. */
static double unlimited_stiffness(const ipg_step *step, const ipg_contact_pair *pair) {
  const double most = pair->history.stiffness_dt2 / (step->spring_dt * step->spring_dt);
  return is_material_based(step->model, pair) ? smaller(pair->history.stiffness, most) : most;
}

/* The stiffness of a contact that enters the sums. */
typedef double stiffness_of(const ipg_step *step, const ipg_contact_pair *pair);

static double present_stiffness(const ipg_step *step, const ipg_contact_pair *pair) {
  (void)step;
  return pair->history.stiffness;
}

/* Over the contacts of each node. */
static void sum_rows(const ipg_step *step, const double *x, const ipg_contact_list *contacts, stiffness_of *stiffness,
                     double *rows) {
  const ipg_contact_pair *pairs = contacts->pairs.at;
  for (int64_t i = 0; i < contacts->count; ++i)
    for (int k = 0; k < 4; ++k) rows[pairs[i].nodes[k]] = 0;
  for (int64_t i = 0; i < contacts->count; ++i) {
    double weights[4];
    elongation_per_node(&pairs[i], x, weights);
    const double all = stiffness(step, &pairs[i]) * (weights[0] + weights[1] + weights[2] + weights[3]);
    for (int k = 0; k < 4; ++k) rows[pairs[i].nodes[k]] += all * weights[k];
  }
}

void ipg_limit_stiffness(ipg_stiffness_workspace *w, const ipg_step *step, ipg_contact_list *contacts) {
  const ipg_model *m = step->model;
  if (m->config.stiffness == IPG_STIFFNESS_MATERIAL_BASED) ipg_balance_material_stiffness(w, step, contacts);
  ipg_contact_pair *pairs = contacts->pairs.at;
  double *rows = w->row_sums.at;
  sum_rows(step, step->x1, contacts, unlimited_stiffness, rows);
  const double bound = bound_on_row_sums(step);
  for (int64_t i = 0; i < contacts->count; ++i) {
    double factor = 1;
    for (int k = 0; k < 4; ++k) {
      const double allowed = bound * m->surface.node_masses[pairs[i].nodes[k]];
      if (rows[pairs[i].nodes[k]] > allowed) factor = smaller(factor, allowed / rows[pairs[i].nodes[k]]);
    }
    pairs[i].history.stiffness = smaller(pairs[i].history.stiffness, factor * unlimited_stiffness(step, &pairs[i]));
  }
}

void ipg_add_tie_rates(const ipg_model *m, const double *x, const ipg_contact_list *ties, double *rates) {
  const ipg_contact_pair *pairs = ties->pairs.at;
  for (int64_t i = 0; i < ties->count; ++i) {
    double weights[4];
    elongation_per_node(&pairs[i], x, weights);
    const double all = pairs[i].history.stiffness * (weights[0] + weights[1] + weights[2] + weights[3]);
    for (int k = 0; k < 4; ++k)
      rates[pairs[i].nodes[k]] += all * weights[k] / m->surface.node_masses[pairs[i].nodes[k]];
  }
}

double ipg_stable_step_of_contacts(ipg_stiffness_workspace *w, const ipg_model *m, const double *x,
                                   const ipg_contact_list *contacts) {
  const ipg_contact_pair *pairs = contacts->pairs.at;
  double *rows = w->row_sums.at, stiffest = 0;
  sum_rows(NULL, x, contacts, present_stiffness, rows);
  for (int64_t i = 0; i < contacts->count; ++i)
    for (int k = 0; k < 4; ++k)
      stiffest = larger(stiffest, rows[pairs[i].nodes[k]] / m->surface.node_masses[pairs[i].nodes[k]]);
  return 2 * ipg_factor_of_damping(m) / sqrt(stiffest); /* INFINITY without contacts */
}
