/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* exp(-x) for x >= 0, to 1e-13, from sums and products alone, because exp of the C library may differ between machines.
 */
#ifndef IMPINGE_SUPPORT_EXP_NEG_H
#define IMPINGE_SUPPORT_EXP_NEG_H

/* exp(-x) = exp(-x / 64)^64, and the Taylor series of the root is short. */
static inline double ipg_exp_neg(double x) {
  enum { TERMS = 20, SQUARINGS = 6 };
  const double root = -x / (1 << SQUARINGS);
  double sum = 1;
  if (!(x < 64)) return 0; /* 1.6e-28 */
  for (int n = TERMS; n > 0; --n) sum = 1 + root * sum / n;
  for (int i = 0; i < SQUARINGS; ++i) sum *= sum;
  return sum;
}

#endif
