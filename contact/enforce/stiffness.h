/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Penalty stiffness: of a new contact, its bound where several contacts share a node, and the stable (critical)
 * time step of contact. */
#ifndef IMPINGE_ENFORCE_STIFFNESS_H
#define IMPINGE_ENFORCE_STIFFNESS_H

#include "model/step.h"

/* Sums over the contacts of each node. Entries of nodes without contacts are left over from earlier steps. */
typedef struct ipg_stiffness_workspace {
  IPG_ARRAY(double) row_sums;    /* stiffness, or area, of all springs at a node */
  IPG_ARRAY(uint8_t) has_spring; /* the node owns a contact; for balancing */
} ipg_stiffness_workspace;

ipg_status ipg_stiffness_workspace_reserve(ipg_stiffness_workspace *workspace, const ipg_model *model,
                                           ipg_error *error);
void ipg_stiffness_workspace_destroy(ipg_stiffness_workspace *workspace, const ipg_allocator *allocator);

/* Sets the stiffness of a contact that is activated with its present weights. */
void ipg_set_initial_stiffness(const ipg_step *step, ipg_contact_pair *pair);
/* Critical damping of the springs of both views together, times the fraction that the law has. */
double ipg_damping_coefficient(const ipg_model *model, const ipg_contact_pair *pair);
/* Lowers stiffnesses where the springs of a node would together be stiffer than the step bears. */
void ipg_limit_stiffness(ipg_stiffness_workspace *workspace, const ipg_step *step, ipg_contact_list *contacts);
/* By which damping shortens the stable step of an undamped spring: sqrt(1 + ratio^2) - ratio, of the largest ratio. */
double ipg_factor_of_damping(const ipg_model *model);
/* Adds what ties bring to the square of the highest frequency at each node: Gershgorin's circles, at positions x. */
void ipg_add_tie_rates(const ipg_model *model, const double *x, const ipg_contact_list *ties, double *rates);
/* The longest step that the contacts bear, at positions x; INFINITY without contacts. */
double ipg_stable_step_of_contacts(ipg_stiffness_workspace *workspace, const ipg_model *model, const double *x,
                                   const ipg_contact_list *contacts);

/* material_stiffness.c: by the material behind the contact, and its balance among neighbours. */
void ipg_set_material_stiffness(const ipg_step *step, ipg_contact_pair *pair);
void ipg_balance_material_stiffness(ipg_stiffness_workspace *workspace, const ipg_step *step,
                                    ipg_contact_list *contacts);

#endif
