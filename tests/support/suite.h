/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What all CUnit programs share: main is one call, suite_main(argc, argv, "name", table).
 * The exit code is 1 when an assertion failed: CU_basic_run_tests by itself reports success then.
 * Heavy tests ask suite_is_quick() whether to do less: IMPINGE_SIZE=quick (sanitizers), or the thread sanitizer;
 * suite_is_full() whether to do all: IMPINGE_SIZE=full.
 * Randomised tests ask suite_scenes() how much to do: first argument, else environment IMPINGE_SCENES, else 2000 (an
 * eighth of that under the thread sanitizer, which is some fifteen times slower). */
#ifndef IMPINGE_TESTS_SUITE_H
#define IMPINGE_TESTS_SUITE_H

#include "random.h"

#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define SUITE_IS_SLOW 1
#else
#define SUITE_IS_SLOW 0
#endif

static inline bool suite_size_is(const char *size) {
  const char *text = getenv("IMPINGE_SIZE");
  return text && !strcmp(text, size);
}

static inline bool suite_is_quick(void) { return SUITE_IS_SLOW || suite_size_is("quick"); }
static inline bool suite_is_full(void) { return suite_size_is("full") && !SUITE_IS_SLOW; }

static long suite_scenes_asked;

static inline long suite_scenes(void) {
  const char *text = getenv("IMPINGE_SCENES");
  const long asked = suite_scenes_asked > 0 ? suite_scenes_asked : text ? strtol(text, NULL, 0) : 0;
  return asked > 0 ? asked : SUITE_IS_SLOW ? 250 : 2000;
}

/* Registers the table as one suite and runs it; returns the program's exit code. */
static inline int suite_main(int argc, char **argv, const char *name, CU_TestInfo *tests) {
  CU_SuiteInfo suites[] = {{.pName = name, .pTests = tests}, CU_SUITE_INFO_NULL};
  if (argc > 1) suite_scenes_asked = strtol(argv[1], NULL, 0);
  if (CU_initialize_registry() || CU_register_suites(suites)) return (int)CU_get_error();
  printf("%s: IMPINGE_SEED=%llu IMPINGE_SCENES=%ld\n", name, (unsigned long long)rng_seed(), suite_scenes());
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  unsigned failures = CU_get_number_of_failures();
  CU_cleanup_registry();
  return failures ? 1 : (int)CU_get_error();
}

#endif
