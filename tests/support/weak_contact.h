/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Contact whose forces are far too weak to move anything: for tests of which pairs there are. */
#ifndef IMPINGE_TESTS_WEAK_CONTACT_H
#define IMPINGE_TESTS_WEAK_CONTACT_H

#include "impinge/contact.h"

static inline ipg_contact_config weak_contact(void) {
  ipg_contact_config config = ipg_contact_defaults();
  config.reference_step = 1e9;
  return config;
}

#endif
