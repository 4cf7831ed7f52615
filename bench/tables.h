/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench tables`: the tables and figures of the papers, ours beside theirs, as Markdown. */
#ifndef IMPINGE_BENCH_TABLES_H
#define IMPINGE_BENCH_TABLES_H

#include "impinge/base.h"

typedef struct tables_request {
  const char *only; /* the name of one table; NULL: all */
  bool quick;       /* sizes that show that it works, not how fast */
} tables_request;

/* NULL-terminated. */
const char *const *table_names(void);
/* The exit code: 0, or 1 with a sentence on stderr. */
int tables_bench(const tables_request *request);

/* Each prints one table, or several that are measured together; fails where methods disagree. */
typedef ipg_status print_table(bool quick, ipg_error *error);
print_table print_poirrier1, print_poirrier2_3, print_poirrier11_12, print_pouchol4, print_pouchol5, print_pouchol42,
    print_cost, print_coherence, print_shape;

/* A word on stderr about what is being measured. */
void progress(const char *format, ...) IPG_PRINTF(1, 2);
/* One Markdown table: the head, with a line under it; names with | between. */
void print_head(const char *columns);
/* Says, if so, that this build does not have the method. */
bool left_out(const char *method);

#endif
