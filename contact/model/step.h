/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What every phase of a step is given: the model, the positions at both ends of the step, and the contacts and energies
 * at its start. All of it is const: a phase writes only its own workspace and its result. */
#ifndef IMPINGE_MODEL_STEP_H
#define IMPINGE_MODEL_STEP_H

#include "model/contact_list.h"
#include "model/model.h"

typedef struct ipg_step {
  const ipg_model *model;
  const double *x0, *x1;                     /* positions at the start (accepted) and at the end (trial) */
  double time0, time1, dt;                   /* time at both ends, and the length of the step: 0 or more */
  const ipg_contact_list *history;           /* contacts at the start */
  const ipg_contact_energy_balance *balance; /* energies at the start */
} ipg_step;

/* Motion of a node in the step. */
static inline vec ipg_node_motion(const ipg_step *step, ipg_id node) {
  return vec_sub(vec_at(step->x1, node), vec_at(step->x0, node));
}

#endif
