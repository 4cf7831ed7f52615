/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Compares two files: every difference is printed as one line, and counted.
 *
 * Two numbers differ if their distance exceeds both the floor and the fraction `relative` of the larger one. NaN equals
 * only NaN, an infinity only itself. Nodes, elements, blocks and sets are compared by their position in the file,
 * fields and properties by their names. */
#ifndef IMPINGE_APP_COMPARE_H
#define IMPINGE_APP_COMPARE_H

#include "impinge/meshio.h"

#include <stdio.h>

typedef struct compare_side {
  const char *path;
  ipg_mesh mesh; /* tetrahedra only */
  ipg_results_reader *results;
  const ipg_contents *contents;
  ipg_id *node_at, *element_at; /* local number by position in the file, -1 if left out; NULL: the same numbering */
} compare_side;

typedef struct compare {
  compare_side a, b;
  double relative, floor;
  const char *ignored; /* names of fields, separated by commas; may be NULL */
  FILE *to;
  int64_t difference_count, field_count; /* printed so far; compared so far */
} compare;

/* The largest of the differences found so far, and their number. */
typedef struct compare_worst {
  int64_t count;
  double size; /* infinite if one of them is not finite */
  double a, b;
  int64_t index, step;
} compare_worst;

bool compare_numbers_differ(const compare *c, double a, double b);
/* Compares count pairs of a step and updates `worst`; the first pair has the index `first`. */
void compare_values(const compare *c, compare_worst *worst, const double *a, const double *b, int64_t count,
                    int64_t first, int64_t step);
/* Prints one line to `to` and counts one difference. */
void compare_print_difference(compare *c, const char *format, ...) IPG_PRINTF(2, 3);
/* "1 and 2", with as few digits as make them different. */
enum { COMPARE_PAIR_BYTES = 72 };
void compare_format_pair(double a, double b, char pair[COMPARE_PAIR_BYTES]);

/* Sizes, blocks, sets, coordinates, numbers, connectivity, attributes, factors, properties. */
void compare_meshes(compare *c);
/* Steps, times and fields. */
ipg_status compare_results(compare *c, ipg_error *error);

#endif
