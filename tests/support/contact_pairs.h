/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The order of contacts, and bounds of the error of their energy balance in one step, contact by contact: the work of
 * contact is the mean of the forces at the two ends of the step times the motion between, which is exact for a central
 * difference, so it follows the jumps of the forces; the energies that the balance books do not. */
#ifndef IMPINGE_TESTS_CONTACT_PAIRS_H
#define IMPINGE_TESTS_CONTACT_PAIRS_H

#include "support/scene.h"

/* -1, 0, 1 by (kind, owner, touched); 0: the same contact. */
int contact_order(const ipg_contact_pair *a, const ipg_contact_pair *b);

/* The motion of the first side against the touched one from accepted to trial positions. */
void contact_motion(const scene *s, const ipg_contact_pair *pair, double motion[3]);

/* What the energy balance of a run without moving walls must keep at 0 but for the bound below. */
double balance_error(const ipg_contact_energy_balance *balance);
/* The most that the balance error may change in a step: `old` are the contacts at its start, `now` those at its end. */
double balance_error_bound(const scene *s, const ipg_contact_pair *old, int64_t old_count, const ipg_contact_pair *now,
                           int64_t count);

#endif
