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

/* Registers the table as one suite and runs it. Returns the program's exit code: 1 when an assertion failed, which
 * CU_basic_run_tests by itself reports as success. */
int suite_main(int argc, char **argv, const char *name, CU_TestInfo *tests);

#endif
