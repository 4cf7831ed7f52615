/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Defaults of contact by springs between nodes and faces: for tests of what it alone has, and of detection. */
#ifndef IMPINGE_TESTS_NODE_SPRINGS_H
#define IMPINGE_TESTS_NODE_SPRINGS_H

#include "impinge/contact.h"

static inline ipg_contact_config node_spring_defaults(void) {
  ipg_contact_config config = ipg_contact_defaults();
  config.enforcement = IPG_ENFORCEMENT_NODE_SPRINGS, config.penalty_scale = 0.1;
  return config;
}

#endif
