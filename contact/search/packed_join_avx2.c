/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The join of packed trees with the 256-bit registers of AVX2: a block is compared at once. */
#include "packed.h"

#include <immintrin.h>

typedef struct probe {
  __m256 lo[3], hi[3];
} probe;

static inline probe probe_of(const ipg_block *block, int lane) {
  probe p;
  for (int k = 0; k < 3; ++k) {
    p.lo[k] = _mm256_broadcast_ss(&block->lo[k][lane]);
    p.hi[k] = _mm256_broadcast_ss(&block->hi[k][lane]);
  }
  return p;
}

#define COMPARE_BLOCK(p, block, relation)                                                                              \
  __m256 all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));                                                             \
  for (int k = 0; k < 3; ++k) {                                                                                        \
    all = _mm256_and_ps(all, _mm256_cmp_ps((p)->lo[k], _mm256_loadu_ps((block)->hi[k]), relation));                    \
    all = _mm256_and_ps(all, _mm256_cmp_ps(_mm256_loadu_ps((block)->lo[k]), (p)->hi[k], relation));                    \
  }                                                                                                                    \
  return (unsigned)_mm256_movemask_ps(all)

static inline unsigned touching(const probe *p, const ipg_block *block) { COMPARE_BLOCK(p, block, _CMP_LE_OQ); }

static inline unsigned overlapping(const probe *p, const ipg_block *block) { COMPARE_BLOCK(p, block, _CMP_LT_OQ); }

/* Each of four against each of four: four comparisons of four, turned by one place each. */
static inline bool share_a_key(const ipg_id *a, const ipg_id *b) {
  const __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
  __m128i equal = _mm_cmpeq_epi32(x, y);
  equal = _mm_or_si128(equal, _mm_cmpeq_epi32(x, _mm_shuffle_epi32(y, _MM_SHUFFLE(0, 3, 2, 1))));
  equal = _mm_or_si128(equal, _mm_cmpeq_epi32(x, _mm_shuffle_epi32(y, _MM_SHUFFLE(1, 0, 3, 2))));
  equal = _mm_or_si128(equal, _mm_cmpeq_epi32(x, _mm_shuffle_epi32(y, _MM_SHUFFLE(2, 1, 0, 3))));
  return _mm_movemask_ps(_mm_castsi128_ps(_mm_andnot_si128(x, equal))) != 0; /* negative ids are no keys */
}

#include "packed_join.h"

void ipg_join_avx2(void *arg, int64_t begin, int64_t end, int worker) { join(arg, begin, end, worker); }
