/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The forces on nodes: the sum of what contact after contact brings, always in the same order, so that the sums are the
 * same for any number of workers. On request each contribution is listed too. */
#ifndef IMPINGE_ENFORCE_FORCE_SUMS_H
#define IMPINGE_ENFORCE_FORCE_SUMS_H

#include "model/bevels.h"
#include "model/contact_list.h"
#include "model/step.h"
#include "support/vec.h"

typedef struct ipg_contribution_list {
  IPG_ARRAY(ipg_contact_contribution) contributions;
  int64_t count;
  ipg_status status; /* of memory for them */
} ipg_contribution_list;

typedef struct ipg_force_sums {
  const ipg_model *model;
  double *forces;              /* 3 per node */
  ipg_contribution_list *list; /* NULL: not asked for */
  ipg_contact_key key;         /* of the contact that adds its forces, for the list */
  int32_t part;                /* of the order: see ipg_contact_contribution */
} ipg_force_sums;

/* Forces on nodes at the end of a step, kept for the half of their work that they do in the next. */
typedef struct ipg_force_field {
  IPG_ARRAY(double) forces; /* 3 per node */
  bool is_there;            /* else all are 0, and the array may be empty */
  double wall_power;        /* of those that rigid walls give, by the velocities of these */
} ipg_force_field;

/* Half of the work of the forces in the step, on what moves against the walls or against other nodes. */
double ipg_half_work(const ipg_step *step, const ipg_force_field *field);

/* All forces 0, and no contribution listed. */
void ipg_start_sums(ipg_force_sums *sums);
void ipg_list_contribution(ipg_force_sums *sums, ipg_id node, vec force);

/* Who adds from now on. */
static inline void ipg_name_contact(ipg_force_sums *sums, const ipg_contact_pair *contact) {
  if (sums->list) sums->key = ipg_key_of_contact(&sums->model->surface, contact);
}

static inline void ipg_add_at_node(ipg_force_sums *sums, ipg_id node, vec force) {
  double *at = sums->forces + 3 * (int64_t)node;
  vec_store(at, vec_add(vec_at(at, 0), force));
  if (sums->list) ipg_list_contribution(sums, node, force);
}

/* At a node, or at a corner of a bevel, which moves with two nodes. */
static inline void ipg_add_at_point(ipg_force_sums *sums, ipg_id point, vec force) {
  const int64_t bevel_point = point - sums->model->surface.node_count;
  if (bevel_point < 0) {
    ipg_add_at_node(sums, point, force);
    return;
  }
  const ipg_bevel_point *p = &sums->model->bevels.points.at[bevel_point];
  const vec far = vec_scale(p->part, force);
  ipg_add_at_node(sums, p->node, vec_sub(force, far));
  ipg_add_at_node(sums, p->toward, far);
}

#endif
