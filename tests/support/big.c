/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "support/big.h"

__extension__ typedef unsigned __int128 big_twice;

/* Aborts if a number needs more limbs than there are. */
static int big_fit(int size) {
  if (size <= BIG_LIMBS) return size;
  fprintf(stderr, "tests/support/big.h: a number of %d limbs; raise BIG_LIMBS\n", size);
  abort();
}

static void big_trim(big *a) {
  while (a->size && !a->limb[a->size - 1]) a->size--;
  if (!a->size) a->sign = 0;
}

void big_copy(big *r, const big *a) {
  if (r == a) return;
  r->sign = a->sign, r->size = a->size;
  memcpy(r->limb, a->limb, (size_t)a->size * sizeof *a->limb);
}

void big_set(big *r, int64_t value) {
  r->sign = (value > 0) - (value < 0);
  r->size = value != 0;
  r->limb[0] = value < 0 ? -(uint64_t)value : (uint64_t)value;
}

void big_negate(big *a) { a->sign = -a->sign; }

void big_shift(big *r, const big *a, int bits) {
  const int limbs = bits / 64, rest = bits % 64, size = a->size;
  if (!size) {
    big_set(r, 0);
    return;
  }
  big_fit(size + limbs + 1);
  const int sign = a->sign;
  uint64_t above = 0;
  for (int i = size; i >= 0; --i) {
    const uint64_t here = i ? a->limb[i - 1] : 0;
    r->limb[i + limbs] = rest ? above << rest | here >> (64 - rest) : above;
    above = here;
  }
  memset(r->limb, 0, (size_t)limbs * sizeof *r->limb);
  r->sign = sign, r->size = size + limbs + 1;
  big_trim(r);
}

int big_twos(const big *a) {
  int limb = 0;
  while (!a->limb[limb]) ++limb;
  return 64 * limb + __builtin_ctzll(a->limb[limb]);
}

void big_unshift(big *a, int bits) {
  const int limbs = bits / 64, rest = bits % 64;
  if (!a->size) return;
  a->size -= limbs;
  for (int i = 0; i < a->size; ++i) {
    const uint64_t here = a->limb[i + limbs], above = i + 1 < a->size ? a->limb[i + limbs + 1] : 0;
    a->limb[i] = rest ? here >> rest | above << (64 - rest) : here;
  }
  big_trim(a);
}

void big_from_double(big *r, double x, int unit) {
  int exponent;
  big_set(r, (int64_t)ldexp(frexp(x, &exponent), 53));
  if (!r->size) return;
  const int shift = exponent - 53 - unit;
  if (shift >= 0) big_shift(r, r, shift);
  else big_unshift(r, -shift);
}

/* ------------------------------------------------------------------------------------------------------- arithmetic */

static int big_compare_sizes(const big *a, const big *b) {
  if (a->size != b->size) return a->size > b->size ? 1 : -1;
  for (int i = a->size - 1; i >= 0; --i)
    if (a->limb[i] != b->limb[i]) return a->limb[i] > b->limb[i] ? 1 : -1;
  return 0;
}

/* |a| + |b|, where |a| is the longer. */
static void big_add_sizes(big *r, const big *a, const big *b) {
  const int size = a->size, other = b->size;
  uint64_t carry = 0;
  for (int i = 0; i < size; ++i) {
    const big_twice sum = (big_twice)a->limb[i] + (i < other ? b->limb[i] : 0) + carry;
    r->limb[i] = (uint64_t)sum, carry = (uint64_t)(sum >> 64);
  }
  r->size = size;
  if (carry) r->size = big_fit(size + 1), r->limb[size] = carry;
}

/* |a| - |b|, where |a| is the larger. */
static void big_subtract_sizes(big *r, const big *a, const big *b) {
  const int size = a->size, other = b->size;
  uint64_t borrow = 0;
  for (int i = 0; i < size; ++i) {
    const big_twice less = (big_twice)(i < other ? b->limb[i] : 0) + borrow;
    borrow = a->limb[i] < less;
    r->limb[i] = a->limb[i] - (uint64_t)less;
  }
  r->size = size;
}

static void big_add_signed(big *r, const big *a, const big *b, int sign_of_b) {
  const int sign_of_a = a->sign, order = big_compare_sizes(a, b);
  if (sign_of_a * sign_of_b >= 0) {
    const int sign = sign_of_a ? sign_of_a : sign_of_b;
    if (a->size >= b->size) big_add_sizes(r, a, b);
    else big_add_sizes(r, b, a);
    r->sign = sign;
  } else {
    if (order >= 0) big_subtract_sizes(r, a, b);
    else big_subtract_sizes(r, b, a);
    r->sign = order >= 0 ? sign_of_a : sign_of_b;
  }
  big_trim(r);
}

void big_add(big *r, const big *a, const big *b) { big_add_signed(r, a, b, b->sign); }
void big_sub(big *r, const big *a, const big *b) { big_add_signed(r, a, b, -b->sign); }

void big_mul(big *r, const big *a, const big *b) {
  r->sign = a->sign * b->sign;
  r->size = r->sign ? big_fit(a->size + b->size) : 0;
  memset(r->limb, 0, (size_t)r->size * sizeof *r->limb);
  for (int i = 0; i < a->size && r->size; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j < b->size; ++j) {
      const big_twice t = (big_twice)a->limb[i] * b->limb[j] + r->limb[i + j] + carry;
      r->limb[i + j] = (uint64_t)t, carry = (uint64_t)(t >> 64);
    }
    r->limb[i + b->size] = carry;
  }
  big_trim(r);
}

int big_compare(const big *a, const big *b) {
  if (a->sign != b->sign) return a->sign > b->sign ? 1 : -1;
  return a->sign * big_compare_sizes(a, b);
}
