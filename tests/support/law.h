/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The law of contact that a suite tests: penalty contact. With environment IMPINGE_LAW=node_springs the same scenes run
 * with springs at nodes at their defaults, to compare: then figures are printed, and no gate need hold. */
#ifndef IMPINGE_TESTS_LAW_H
#define IMPINGE_TESTS_LAW_H

#include "support/node_springs.h"
#include "support/suite.h"

#include <stdlib.h>

static inline bool law_has_node_springs(void) {
  const char *text = getenv("IMPINGE_LAW");
  return text && !strcmp(text, "node_springs");
}

/* Defaults, as the plug-in has them. */
static inline ipg_contact_config law_config(void) {
  return law_has_node_springs() ? node_spring_defaults() : ipg_contact_defaults();
}

static inline void law_print(const char *name, double figure) { printf("\n    node springs: %s: %.3g ", name, figure); }

static inline void law_gate(const char *name, double figure, double gate) {
  if (law_has_node_springs()) law_print(name, figure);
  else suite_gate(name, figure, gate);
}

static inline void law_expect_missed(const char *name, double figure, double gate, double at_most) {
  if (law_has_node_springs()) law_print(name, figure);
  else suite_expect_missed(name, figure, gate, at_most);
}

static inline void law_figure(const char *name, double figure) {
  if (law_has_node_springs()) law_print(name, figure);
  else suite_figure(name, figure);
}

/* What must hold of penalty contact. */
#define LAW_ASSERT(condition) CU_ASSERT(law_has_node_springs() || (condition))

#endif
