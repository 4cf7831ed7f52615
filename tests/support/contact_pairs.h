/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The order of contacts. */
#ifndef IMPINGE_TESTS_CONTACT_PAIRS_H
#define IMPINGE_TESTS_CONTACT_PAIRS_H

#include "support/scene.h"

/* -1, 0, 1 by (kind, owner, touched); 0: the same contact. */
int contact_order(const ipg_contact_pair *a, const ipg_contact_pair *b);

#endif
