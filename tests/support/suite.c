/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/suite.h"

static long scenes_in_argument; /* 0: not given */

static bool size_is(const char *size) {
  const char *text = getenv("IMPINGE_SIZE");
  return text && !strcmp(text, size);
}

bool suite_is_quick(void) { return SUITE_IS_SLOW || size_is("quick"); }
bool suite_is_full(void) { return size_is("full") && !SUITE_IS_SLOW; }

long suite_scenes(void) {
  const char *text = getenv("IMPINGE_SCENES");
  const long scenes = scenes_in_argument > 0 ? scenes_in_argument : text ? strtol(text, NULL, 0) : 0;
  return scenes > 0 ? scenes : SUITE_IS_SLOW ? 250 : 2000;
}

int suite_main(int argc, char **argv, const char *name, CU_TestInfo *tests) {
  CU_SuiteInfo suites[] = {{.pName = name, .pTests = tests}, CU_SUITE_INFO_NULL};
  if (argc > 1) scenes_in_argument = strtol(argv[1], NULL, 0);
  if (CU_initialize_registry() || CU_register_suites(suites)) return (int)CU_get_error();
  printf("%s: IMPINGE_SEED=%llu IMPINGE_SCENES=%ld\n", name, (unsigned long long)rng_seed(), suite_scenes());
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  unsigned failures = CU_get_number_of_failures();
  CU_cleanup_registry();
  return failures ? 1 : (int)CU_get_error();
}
