/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Making a contact object. */
#ifndef IMPINGE_SETUP_CREATE_H
#define IMPINGE_SETUP_CREATE_H

#include "setup/contact_object.h"

/* As ipg_contact_create, but no ties are made; least_blocks: see ipg_build_model. */
ipg_status ipg_create_without_ties(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                                   int least_blocks, ipg_contact **contact, ipg_error *error);
/* make_ties.c: adds the ties of the rules to the empty trial, at its positions. A rule that ties nothing is an error.
 */
ipg_status ipg_make_ties(ipg_contact *contact, ipg_error *error);
/* What the ties of a state bring to the bound on the step of penalty contact. */
void ipg_set_tie_rates(ipg_contact *contact, const ipg_contact_state *state);

#endif
