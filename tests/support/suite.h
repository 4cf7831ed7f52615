/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What all CUnit programs share: main is one call, suite_main(argc, argv, "name", table). */
#ifndef IMPINGE_TESTS_SUITE_H
#define IMPINGE_TESTS_SUITE_H

#include "support/random.h"

#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The thread sanitizer makes a program some fifteen times slower. */
#if defined(__SANITIZE_THREAD__)
#define SUITE_IS_SLOW 1
#else
#define SUITE_IS_SLOW 0
#endif

/* Heavy tests do less if this is true: environment IMPINGE_SIZE=quick (sanitizers), or the thread sanitizer. */
bool suite_is_quick(void);
/* They do everything if this is true: environment IMPINGE_SIZE=full. */
bool suite_is_full(void);
/* How many scenes a randomised test makes: first argument of the program, else environment IMPINGE_SCENES, else 2000;
 * an eighth of that under the thread sanitizer. */
long suite_scenes(void);

/* Results with a gate, one line each: "GATE: name: figure, gate g" or "MISSED: name: figure, gate g, at most b". The
 * name is the first cell of a row of docs/verification.md, which holds the same figure, gate and bound
 * (test_verification.sh). */

/* The figure is within the gate: its magnitude is at most the gate. What is not a number is not within it. */
void suite_gate(const char *name, double figure, double gate);
/* The same, but what is negative is within the gate: energy lost where none may be gained. */
void suite_gate_above(const char *name, double figure, double gate);
/* A known fault: the figure is outside of the gate. With the fixed seed and the usual size one that is within it fails,
 * for then the row is no longer true; with others it may be within it by chance. At most: not a gate but a bound about
 * twice the figure of the page, beyond which the fault has become worse; with every seed and size that fails. */
void suite_expect_missed(const char *name, double figure, double gate, double at_most);
/* The larger magnitude, or what is not a number: fmax would drop it. To collect the figure of many cases. */
double suite_worst(double worst, double figure);
/* The larger of the two with their signs, or what is not a number. Starts with -INFINITY. */
double suite_highest(double highest, double figure);
/* Without a gate: a row with a dash. It is a number. At most: as above, a bound against regressions. */
void suite_figure(const char *name, double figure);
void suite_figure_at_most(const char *name, double figure, double at_most);

/* Registers the table as one suite and runs it. Returns the program's exit code: 1 when an assertion failed, which
 * CU_basic_run_tests by itself reports as success. */
int suite_main(int argc, char **argv, const char *name, CU_TestInfo *tests);

#endif
