/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What explanations of nodes and of faces share. */
#ifndef IMPINGE_CHECK_EXPLAIN_H
#define IMPINGE_CHECK_EXPLAIN_H

#include "setup/contact_object.h"

/* Sets the reason and its sentence. */
void ipg_set_explanation(ipg_contact_explanation *explanation, ipg_contact_reason reason, const char *format, ...)
    IPG_PRINTF(3, 4);

#endif
