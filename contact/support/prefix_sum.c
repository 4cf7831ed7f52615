/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Exclusive prefix sum. */
#include "impinge/base.h"

int64_t ipg_prefix_sum(int64_t *values, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = values[i];
    values[i] = sum;
    sum += value;
  }
  return sum;
}
