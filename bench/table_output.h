/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Output shared by all tables of the papers: Markdown on stdout, progress on stderr. */
#ifndef IMPINGE_BENCH_TABLE_OUTPUT_H
#define IMPINGE_BENCH_TABLE_OUTPUT_H

#include "impinge/base.h"

/* Prints a line on stderr about the measurement that starts. */
void print_progress(const char *format, ...) IPG_PRINTF(1, 2);
/* Prints the head of a Markdown table and the line under it; `columns` are names separated by |. */
void print_table_head(const char *columns);
/* Returns true, and prints a line on stdout, if this build does not have the search method. */
bool report_if_missing(const char *method);

#endif
