/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Decides whether two numbers differ, finds the largest difference and prints it. */
#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

bool compare_numbers_differ(const compare *c, double a, double b) {
  if (a == b || (isnan(a) && isnan(b))) return false;
  if (!isfinite(a) || !isfinite(b)) return true;
  return fabs(a - b) > fmax(c->floor, c->relative * fmax(fabs(a), fabs(b)));
}

void compare_values(const compare *c, compare_worst *worst, const double *a, const double *b, int64_t count,
                    int64_t first, int64_t step) {
  for (int64_t i = 0; i < count; i++) {
    if (!compare_numbers_differ(c, a[i], b[i])) continue;
    double size = isfinite(a[i]) && isfinite(b[i]) ? fabs(a[i] - b[i]) : INFINITY;
    bool larger = !worst->count || size > worst->size;
    worst->count++;
    if (larger) worst->size = size, worst->a = a[i], worst->b = b[i], worst->index = first + i, worst->step = step;
  }
}

void compare_print_difference(compare *c, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(c->to, format, arguments);
  fputc('\n', c->to);
  va_end(arguments);
  c->difference_count++;
}

void compare_format_pair(double a, double b, char pair[COMPARE_PAIR_BYTES]) {
  char of_a[32], of_b[32];
  int digits = 6;
  do {
    snprintf(of_a, sizeof of_a, "%.*g", digits, a);
    snprintf(of_b, sizeof of_b, "%.*g", digits, b);
  } while (strcmp(of_a, of_b) == 0 && ++digits <= 17);
  snprintf(pair, COMPARE_PAIR_BYTES, "%s and %s", of_a, of_b);
}
