/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The law of contact that a suite tests: face-face contact. With environment IMPINGE_LAW=penalty the same scenes run
 * with penalty springs at their defaults, to compare: then figures are printed, and no gate need hold. */
#ifndef IMPINGE_TESTS_LAW_H
#define IMPINGE_TESTS_LAW_H

#include "impinge/contact.h"
#include "support/suite.h"

#include <stdlib.h>

static inline bool law_is_penalty(void) {
  const char *text = getenv("IMPINGE_LAW");
  return text && !strcmp(text, "penalty");
}

/* Defaults, as the plug-in has them. */
static inline ipg_contact_config law_config(void) {
  ipg_contact_config config = ipg_contact_defaults();
  if (law_is_penalty()) return config;
  config.enforcement = IPG_ENFORCEMENT_FACE_FACE;
  config.penalty_scale = 1;
  return config;
}

static inline void law_print(const char *name, double figure) { printf("\n    penalty: %s: %.3g ", name, figure); }

static inline void law_gate(const char *name, double figure, double gate) {
  if (law_is_penalty()) law_print(name, figure);
  else suite_gate(name, figure, gate);
}

static inline void law_expect_missed(const char *name, double figure, double gate, double at_most) {
  if (law_is_penalty()) law_print(name, figure);
  else suite_expect_missed(name, figure, gate, at_most);
}

static inline void law_figure(const char *name, double figure) {
  if (law_is_penalty()) law_print(name, figure);
  else suite_figure(name, figure);
}

/* What must hold of face-face contact. */
#define LAW_ASSERT(condition) CU_ASSERT(law_is_penalty() || (condition))

#endif
