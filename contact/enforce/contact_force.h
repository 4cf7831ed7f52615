/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From contact pairs to forces on nodes. */
#ifndef IMPINGE_ENFORCE_CONTACT_FORCE_H
#define IMPINGE_ENFORCE_CONTACT_FORCE_H

#include "enforce/force_sums.h"

/* Of one contact on its node 0 to 3. */
vec ipg_force_on_node(const ipg_contact_pair *pair, const double *x, int node);
/* Adds the forces of one contact, or of all in the order of the list, at positions x: the same sums anywhere. */
void ipg_add_contact_force(const ipg_contact_pair *pair, const double *x, ipg_force_sums *sums);
void ipg_sum_contact_forces(const ipg_contact_list *contacts, const double *x, ipg_force_sums *sums);

#endif
