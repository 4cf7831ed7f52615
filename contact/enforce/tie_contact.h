/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Ties: springs and dampers on the whole elongation. A tie with an offset pulls at the end of a lever that stands on
 * the face: the moment goes to the face's corners, so that its forces are the gradient of the spring's energy. */
#ifndef IMPINGE_ENFORCE_TIE_CONTACT_H
#define IMPINGE_ENFORCE_TIE_CONTACT_H

#include "enforce/force_sums.h"
#include "model/step.h"

/* Frozen when the tie is made. */
double ipg_stiffness_of_tie(const ipg_model *model, const ipg_contact_pair *tie);
/* The forces of ties, added to those of the nodes. */
void ipg_enforce_ties(const ipg_step *step, ipg_contact_list *contacts, ipg_force_sums *sums);
/* Adds what ties bring to the square of the highest frequency at each node: Gershgorin's circles, at positions x. */
void ipg_add_tie_rates(const ipg_model *model, const double *x, const ipg_contact_list *ties, double *rates);

#endif
