/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From contacts to forces on nodes. */
#ifndef IMPINGE_ENFORCE_CONTACT_FORCE_H
#define IMPINGE_ENFORCE_CONTACT_FORCE_H

#include "enforce/force_sums.h"
#include "enforce/stiffness.h"

/* Penalty: the forces of all contacts at the end of the step, and their sums at the nodes. v may be NULL: then the mean
 * velocity of the step. */
void ipg_enforce_node_springs(ipg_stiffness_workspace *workspace, const ipg_step *step, const double *v,
                              ipg_contact_list *contacts, ipg_force_sums *sums);
/* The forces of ties alone, added to those of the nodes. */
void ipg_enforce_ties(const ipg_step *step, ipg_contact_list *contacts, ipg_force_sums *sums);
/* Adds the forces of contacts, at positions x, in the order of the list: the same sums anywhere. */
void ipg_sum_contact_forces(const ipg_contact_list *contacts, const double *x, ipg_force_sums *sums);
/* Of one contact on its node 0 to 3. */
vec ipg_force_on_node(const ipg_contact_pair *pair, const double *x, int node);

#endif
