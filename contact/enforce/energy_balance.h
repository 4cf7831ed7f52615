/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The energy balance of contact. */
#ifndef IMPINGE_ENFORCE_ENERGY_BALANCE_H
#define IMPINGE_ENFORCE_ENERGY_BALANCE_H

#include "enforce/face_friction.h"
#include "model/step.h"

/* The outcome of a step. */
typedef struct ipg_step_result {
  const ipg_contact_list *contacts;
  const double *force0, *force1;      /* nodal forces at both ends of the step */
  double projection_work;             /* of a kinematic projection */
  ipg_face_contact_sums faces;        /* of penalty contact */
  double lost_by_rules;               /* energy of faces, as rules begin and end in the step */
  double released_work;               /* of forces whose energy an update of the surface has booked already */
  const ipg_friction_list *frictions; /* of penalty contact */
} ipg_step_result;

/* The balance at the end of the step: that at its start, and what the step adds. */
ipg_contact_energy_balance ipg_energy_balance_after_step(const ipg_step *step, const ipg_step_result *result);
/* Adds what the dampers of ties dissipate in the step to the sums of blocks; the balance has the same. */
void ipg_sum_tie_dissipation(const ipg_step *step, const ipg_contact_list *contacts, ipg_block_sums *sums);
/* Stored in the spring of a tie. */
double ipg_energy_of_tie(const ipg_contact_pair *tie);
/* A contact that is transferred to another surface or to a new start: `was` has become `is`, or, NULL, is deactivated.
 */
void ipg_book_transfer(const ipg_contact_pair *was, const ipg_contact_pair *is, ipg_contact_energy_balance *balance);

#endif
