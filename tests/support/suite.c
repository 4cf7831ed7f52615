/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/suite.h"

#include <math.h>

enum { USUAL_SCENES = 2000 };

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
  return scenes > 0 ? scenes : SUITE_IS_SLOW ? USUAL_SCENES / 8 : USUAL_SCENES;
}

/* -------------------------------------------------------------------------------------------------- results and gates
 */

/* With another seed or size all figures are others. */
static bool has_figures_of_docs(void) {
  return rng_is_fixed() && !suite_is_quick() && !suite_is_full() && suite_scenes() == USUAL_SCENES;
}

/* The file that test_verification.sh compares with docs/verification.md: environment IMPINGE_FIGURES. */
static FILE *open_figures(const char *mode) {
  const char *path = getenv("IMPINGE_FIGURES");
  return path && *path ? fopen(path, mode) : NULL;
}

/* Gate and bound are texts; "-" where there is none. */
static void print_figure(const char *word, const char *name, double figure, const char *gate, const char *bound) {
  printf("\n    %s: %s: %.3g, gate %s%s%s ", word, name, figure, gate, *bound == '-' ? "" : ", at most ",
         *bound == '-' ? "" : bound);
  FILE *file = has_figures_of_docs() ? open_figures("a") : NULL;
  if (!file) return;
  fprintf(file, "%s\t%s\t%.6g\t%s\t%s\n", word, name, figure, gate, bound);
  fclose(file);
}

static void print_with_gate(bool is_within, const char *name, double figure, double gate, const char *bound) {
  char text[32];
  snprintf(text, sizeof text, "%g", gate);
  print_figure(is_within ? "GATE" : "MISSED", name, figure, text, bound);
}

double suite_worst(double worst, double figure) { return isnan(figure) || fabs(figure) > worst ? fabs(figure) : worst; }

double suite_highest(double highest, double figure) { return isnan(figure) || figure > highest ? figure : highest; }

static bool is_within(double figure, double gate) { return fabs(figure) <= gate; }

/* The gates themselves. */
static bool gates_compare(void) {
  const double nan = suite_worst(1, (double)NAN);
  return is_within(-1, 1) && !is_within(1.001, 1) && !is_within(-INFINITY, 1) && !is_within(nan, 1) &&
         isnan(suite_worst(nan, 0) + suite_worst(0, (double)NAN)) && suite_worst(1, -2) == 2 &&
         suite_worst(2, 1) == 2 && suite_highest(-INFINITY, -2) == -2 && suite_highest(-1, -2) == -1 &&
         isnan(suite_highest(1, nan)) && isnan(suite_highest(nan, 1));
}

void suite_gate(const char *name, double figure, double gate) {
  print_with_gate(is_within(figure, gate), name, figure, gate, "-");
  CU_ASSERT(is_within(figure, gate));
}

void suite_gate_above(const char *name, double figure, double gate) {
  CU_ASSERT(!isinf(figure));
  print_with_gate(figure <= gate, name, figure, gate, "-");
  CU_ASSERT(figure <= gate);
}

void suite_expect_missed(const char *name, double figure, double gate, double at_most) {
  char text[32];
  snprintf(text, sizeof text, "%g", at_most);
  print_with_gate(is_within(figure, gate), name, figure, gate, text);
  CU_ASSERT(at_most > gate);
  CU_ASSERT(is_within(figure, at_most));
  if (has_figures_of_docs()) CU_ASSERT(!is_within(figure, gate));
}

void suite_figure(const char *name, double figure) {
  print_figure("FIGURE", name, figure, "-", "-");
  CU_ASSERT(!isnan(figure));
}

void suite_figure_at_most(const char *name, double figure, double at_most) {
  char text[32];
  snprintf(text, sizeof text, "%g", at_most);
  print_figure("FIGURE", name, figure, "-", text);
  CU_ASSERT(is_within(figure, at_most));
}

int suite_main(int argc, char **argv, const char *name, CU_TestInfo *tests) {
  CU_SuiteInfo suites[] = {{.pName = name, .pTests = tests}, CU_SUITE_INFO_NULL};
  if (!gates_compare()) {
    printf("%s: a gate does not compare\n", name);
    return 2;
  }
  if (argc > 1) scenes_in_argument = strtol(argv[1], NULL, 0);
  if (CU_initialize_registry() || CU_register_suites(suites)) return (int)CU_get_error();
  printf("%s: IMPINGE_SEED=%llu IMPINGE_SCENES=%ld\n", name, (unsigned long long)rng_seed(), suite_scenes());
  FILE *figures = open_figures("w"); /* empty */
  if (figures) fclose(figures);
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  unsigned failures = CU_get_number_of_failures();
  CU_cleanup_registry();
  return failures ? 1 : (int)CU_get_error();
}
