/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The bounds of a chunk of boxes with the 256-bit registers of AVX2: three axes at once, the fourth lane is idle. Sums
 * are added box by box along each axis, as in the scalar code: the same bits. */
#include "method.h"

#ifdef __AVX2__
#include <immintrin.h>
#include <math.h>

static void store_three(__m256d from, double to[3]) {
  double four[4];
  _mm256_storeu_pd(four, from);
  for (int k = 0; k < 3; ++k) to[k] = four[k];
}

void ipg_compute_bounds_avx2(const ipg_box *boxes, int64_t count, ipg_bounds *bounds) {
  __m256d least = _mm256_set1_pd(INFINITY), most = _mm256_set1_pd(-INFINITY);
  __m256d largest = _mm256_setzero_pd(), sum = _mm256_setzero_pd(), valid = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
  for (int64_t i = 0; i < count; ++i) {
    const __m256d lo = _mm256_loadu_pd(boxes[i].lo), rest = _mm256_loadu_pd(boxes[i].lo + 2);
    const __m256d hi = _mm256_permute4x64_pd(rest, _MM_SHUFFLE(3, 3, 2, 1)), edge = _mm256_sub_pd(hi, lo);
    least = _mm256_min_pd(lo, least);
    most = _mm256_max_pd(hi, most);
    largest = _mm256_max_pd(edge, largest);
    sum = _mm256_add_pd(sum, edge);
    valid = _mm256_and_pd(valid, _mm256_cmp_pd(lo, hi, _CMP_LE_OQ));
  }
  store_three(least, bounds->lo), store_three(most, bounds->hi);
  store_three(largest, bounds->largest), store_three(sum, bounds->sum);
  bounds->valid = (_mm256_movemask_pd(valid) & 7) == 7;
}
#endif
