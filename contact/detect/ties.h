/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Tied contact in a step. Ties are made once, by setup/make_ties.c. */
#ifndef IMPINGE_DETECT_TIES_H
#define IMPINGE_DETECT_TIES_H

#include "model/step.h"

/* Adds the ties of the history that still hold to the list, in order. */
ipg_status ipg_detect_ties(const ipg_step *step, ipg_contact_list *contacts, ipg_error *error);

#endif
