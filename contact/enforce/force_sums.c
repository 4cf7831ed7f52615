/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "enforce/force_sums.h"

void ipg_start_sums(ipg_force_sums *sums) {
  for (int64_t i = 0; i < 3 * sums->model->surface.node_count; ++i) sums->forces[i] = 0;
  if (sums->list) sums->list->count = 0, sums->list->status = IPG_OK;
}

double ipg_half_work(const ipg_step *step, const ipg_force_field *field) {
  double work = 0;
  if (!field->is_there) return 0;
  for (int64_t i = 0; i < 3 * step->model->surface.node_count; ++i)
    work += field->forces.at[i] * (step->x1[i] - step->x0[i]);
  return 0.5 * (work - step->dt * field->wall_power);
}

void ipg_list_contribution(ipg_force_sums *sums, ipg_id node, vec force) {
  ipg_contribution_list *list = sums->list;
  ipg_error error;
  if (list->count == ipg_array_capacity(&list->contributions)) {
    const ipg_status status =
        ipg_array_grow(&list->contributions, &sums->model->config.allocator, list->count, 2 * list->count + 64, &error);
    if (status) list->status = status;
  }
  if (list->status) return;
  ipg_contact_contribution *next = &list->contributions.at[list->count++];
  *next = (ipg_contact_contribution){.key = sums->key, .part = sums->part, .node = node};
  vec_store(next->force, force);
}
