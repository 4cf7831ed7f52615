/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What explanations of nodes and of edges share. */
#ifndef IMPINGE_CONTACT_EXPLAIN_H
#define IMPINGE_CONTACT_EXPLAIN_H

#include "state.h"

void ipg_explain_say(ipg_contact_explanation *answer, ipg_contact_reason reason, const char *format, ...)
    IPG_PRINTF(3, 4);

#endif
