/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* `impinge-bench tables`: measures the tables and figures of the papers again and prints our figures beside the
 * published ones, as Markdown. */
#ifndef IMPINGE_BENCH_TABLES_H
#define IMPINGE_BENCH_TABLES_H

#include "impinge/base.h"

typedef struct tables_request {
  const char *only; /* the name of one table; NULL: all */
  bool quick;       /* tiny sizes, to check that everything works */
} tables_request;

/* NULL-terminated. */
const char *const *table_names(void);
/* Returns the exit code: 0, or 1 with an error message on stderr. */
int tables_bench(const tables_request *request);

/* Each prints one table, or several that are measured together, and fails if methods find different pairs. */
typedef ipg_status print_table(bool quick, ipg_error *error);
print_table print_poirrier1, print_poirrier2_3, print_poirrier11_12, print_pouchol4, print_pouchol5, print_pouchol42,
    print_cost, print_coherence, print_shape;

#endif
