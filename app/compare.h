/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Two files side by side: what differs is told line by line, and counted.
 *
 * Numbers differ when they are further apart than the floor and than their share `relative` of the larger one; NaN is
 * like NaN and like nothing else, an infinity only like itself. Nodes, elements, blocks and sets are compared by their
 * place in the file, fields and properties by their names. */
#ifndef IMPINGE_APP_COMPARE_H
#define IMPINGE_APP_COMPARE_H

#include "impinge/meshio.h"

#include <stdio.h>

typedef struct compare_side {
  const char *path;
  ipg_mesh mesh; /* without what is not made of tetrahedra */
  ipg_results_reader *results;
  const ipg_contents *contents;
  ipg_id *node_at, *element_at; /* mesh node or element by place in the file, -1 if left out; NULL: the same */
} compare_side;

typedef struct compare {
  compare_side a, b;
  double relative, floor;
  const char *ignored; /* names of fields, separated by commas; may be NULL */
  FILE *to;
  int64_t difference_count, field_count; /* told so far; compared so far */
} compare;

/* The largest of the differences looked at so far, and how many there were. */
typedef struct compare_worst {
  int64_t count;
  double size; /* infinite when one of them is no finite number */
  double a, b;
  int64_t index, step;
} compare_worst;

bool compare_differ(const compare *c, double a, double b);
/* Looks at count pairs of the step; the first is known as `first`. */
void compare_look(const compare *c, compare_worst *worst, const double *a, const double *b, int64_t count,
                  int64_t first, int64_t step);
/* One line on `to`, and one more difference. */
void compare_tell(compare *c, const char *format, ...) IPG_PRINTF(2, 3);
/* "1 and 2": in as few digits as show that they differ. */
enum { COMPARE_PAIR_BYTES = 72 };
void compare_print_pair(double a, double b, char pair[COMPARE_PAIR_BYTES]);

/* Sizes, blocks, sets, coordinates, numbers, connectivity, attributes, factors, properties. */
void compare_meshes(compare *c);
/* Steps, times and fields. */
ipg_status compare_results(compare *c, ipg_error *error);

#endif
