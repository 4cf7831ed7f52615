/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The kernel of the dense grid with AVX2: 8 items in 6 comparisons. Empty unless compiled with -mavx2. */
#include "cells.h"

#ifdef __AVX2__
#include <immintrin.h>

static inline unsigned test_overlaps(const ipg_dense_grid *d, int64_t at, const float lo[3], const float hi[3]) {
  __m256 both = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
  for (int k = 0; k < 3; ++k) {
    const __m256 low = _mm256_cmp_ps(_mm256_set1_ps(lo[k]), _mm256_loadu_ps(d->hi[k] + at), _CMP_LE_OQ);
    const __m256 high = _mm256_cmp_ps(_mm256_loadu_ps(d->lo[k] + at), _mm256_set1_ps(hi[k]), _CMP_LE_OQ);
    both = _mm256_and_ps(both, _mm256_and_ps(low, high));
  }
  return (unsigned)_mm256_movemask_ps(both);
}

void ipg_dense_items_avx2(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_dense_compare_items(arg, begin, end, worker, test_overlaps);
}

void ipg_dense_queries_avx2(void *arg, int64_t begin, int64_t end, int worker) {
  ipg_dense_compare_queries(arg, begin, end, worker, test_overlaps);
}
#endif
