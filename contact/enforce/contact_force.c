/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From the forces of contact pairs to forces on nodes: weights, which sum to 0 but at a wall, distribute them. */
#include "enforce/contact_force.h"

#include "model/relative_motion.h"

vec ipg_force_on_node(const ipg_contact_pair *pair, const double *x, int node) {
  const vec force = vec_scale(pair->weights[node], vec_at(pair->response.force, 0));
  const bool has_lever = pair->kind == IPG_CONTACT_TIE && node > 0 && pair->history.initial_offset != 0;
  return has_lever ? vec_add(force, ipg_tie_lever_force(pair, x, vec_at(pair->response.force, 0), node)) : force;
}

void ipg_add_contact_force(const ipg_contact_pair *pair, const double *x, ipg_force_sums *sums) {
  ipg_name_contact(sums, pair);
  const int nodes = pair->kind == IPG_CONTACT_NODE_WALL ? 1 : 4;
  for (int n = 0; n < nodes; ++n) ipg_add_at_node(sums, pair->nodes[n], ipg_force_on_node(pair, x, n));
}

void ipg_sum_contact_forces(const ipg_contact_list *contacts, const double *x, ipg_force_sums *sums) {
  for (int64_t i = 0; i < contacts->count; ++i) ipg_add_contact_force(&contacts->pairs.at[i], x, sums);
}
