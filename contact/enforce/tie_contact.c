/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "enforce/tie_contact.h"

#include "enforce/contact_force.h"
#include "model/block_rules.h"
#include "model/relative_motion.h"
#include "surface/face_geometry.h"

/* That of contact, over half of the node's area: the nodes of the other side have the other half. */
double ipg_stiffness_of_tie(const ipg_model *m, const ipg_contact_pair *tie) {
  const ipg_face_properties *p = &m->faces;
  return 0.5 * p->node_areas.at[tie->owner] /
         (1 / p->node_stiffnesses.at[tie->owner] + 1 / p->stiffnesses.at[tie->face]);
}

static double damping_coefficient(const ipg_model *m, const ipg_contact_pair *tie) {
  return 2 * ipg_law_of_contact(m, tie)->damping * sqrt(tie->history.stiffness * ipg_effective_mass(m, tie));
}

/* Spring and damper act on the whole elongation. The damper sees how fast that changes, not how fast the two sides
 * move: with an offset between them, rotation is motion too. */
static void enforce_tie(const ipg_step *step, ipg_contact_pair *tie) {
  const vec normal = vec_at(tie->normal, 0);
  const vec before = ipg_tie_elongation(&step->model->surface, tie, step->x0);
  const vec elongation = vec_add(vec_scale(tie->gap, normal), vec_at(tie->history.tangential_slip, 0));
  const double damping = damping_coefficient(step->model, tie);
  const double rate = step->dt > 0 ? 1 / step->dt : 0;
  const vec damper = vec_scale(-damping * rate, vec_sub(elongation, before));
  const vec force = vec_sub(damper, vec_scale(tie->history.stiffness, elongation));
  tie->response.normal_force = vec_dot(force, normal);
  tie->response.damping_dissipation = -ipg_tie_work(step, tie, step->x1, damper);
  vec_store(tie->response.friction, vec_sub(force, vec_scale(tie->response.normal_force, normal)));
  vec_store(tie->response.force, force);
}

void ipg_enforce_ties(const ipg_step *step, ipg_contact_list *contacts, ipg_force_sums *sums) {
  for (int64_t i = 0; i < contacts->count; ++i) {
    ipg_contact_pair *pair = &contacts->pairs.at[i];
    if (pair->kind != IPG_CONTACT_TIE) continue;
    enforce_tie(step, pair);
    ipg_add_contact_force(pair, step->x1, sums);
  }
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
