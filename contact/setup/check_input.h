/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Checks of what a caller gives at create. */
#ifndef IMPINGE_SETUP_CHECK_INPUT_H
#define IMPINGE_SETUP_CHECK_INPUT_H

#include "model/model.h"

enum { IPG_MOST_BLOCKS = 10000 }; /* the table of rules has as many rows and columns */

ipg_status ipg_check_input(const ipg_contact_config *config, const ipg_surface *surface, const double *x,
                           ipg_error *error);
/* whose: the owner of the law, for the message. */
ipg_status ipg_check_law(const ipg_contact_law *law, const char *whose, ipg_error *error);

#endif
