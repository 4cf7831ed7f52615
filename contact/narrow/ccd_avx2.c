/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The cheap proofs of ccd_separating_planes.h in doubles, four pairs at once, for the whole step: they separate all but
 * few of the pairs that a search finds. Every lane computes what the scalar code computes, in the same order: the same
 * bits. */
#include "narrow/ccd.h"

#ifdef __AVX2__
#include <immintrin.h>
#include <math.h>

#define UNIT 0x1p-53

typedef __m256d real;
typedef real number;
typedef __m256d mask;

typedef struct polygon_path {
  real corner[2][IPG_CCD_CORNERS][3], size, separation, separation2, scale;
  mask valid;
} polygon_path;

#define CCD_WIDE
#include "narrow/ccd_arithmetic.h"

static inline real real_of(double a) { return _mm256_set1_pd(a); }
static inline real real_min(real a, real b) { return _mm256_min_pd(a, b); }
static inline real real_max(real a, real b) { return _mm256_max_pd(a, b); }
static inline real real_abs(real a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline mask is_above(real a, real b) { return _mm256_cmp_pd(a, b, _CMP_GT_OQ); }
static inline mask is_not_below(real a, real b) { return _mm256_cmp_pd(a, b, _CMP_GE_OQ); }
static inline mask mask_and(mask a, mask b) { return _mm256_and_pd(a, b); }
static inline mask mask_or(mask a, mask b) { return _mm256_or_pd(a, b); }
static inline bool is_all_true(mask a) { return _mm256_movemask_pd(a) == 15; }

static inline real inverse_power(real size) {
  const __m256i exponent = _mm256_and_si256(_mm256_castpd_si256(size), _mm256_set1_epi64x((long long)2047 << 52));
  return _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x((long long)2046 << 52), exponent));
}

#include "narrow/ccd_prepare.h"
#include "narrow/ccd_separating_planes.h"

/* Loads one point of each of four queries. A masked load, since the memory may end behind the last point. */
static inline void load_points(const double *positions, const ipg_id *points, real point[3]) {
  const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
  __m256d of[4];
  for (int i = 0; i < 4; ++i) of[i] = _mm256_maskload_pd(positions + 3 * (int64_t)points[4 * i], three);
  const __m256d xz01 = _mm256_unpacklo_pd(of[0], of[1]), y01 = _mm256_unpackhi_pd(of[0], of[1]);
  const __m256d xz23 = _mm256_unpacklo_pd(of[2], of[3]), y23 = _mm256_unpackhi_pd(of[2], of[3]);
  point[0] = _mm256_permute2f128_pd(xz01, xz23, 0x20);
  point[1] = _mm256_permute2f128_pd(y01, y23, 0x20);
  point[2] = _mm256_permute2f128_pd(xz01, xz23, 0x31);
}

static inline unsigned test_four(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries,
                                 int64_t first) {
  const double *positions[2] = {queries->start, queries->end};
  real point[2][4][3];
  polygon_path f;
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < 4; ++i) load_points(positions[end], queries->points + 4 * first + i, point[end][i]);
  make_polygon(primitives, point, queries->separation, &f);
  moving_polygon s = {.size = f.size, .separation2 = f.separation2};
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < primitives->corners; ++i)
      s.corner[end][i] = (vector){f.corner[end][i][0], f.corner[end][i][1], f.corner[end][i][2]};
  return (unsigned)_mm256_movemask_pd(mask_and(test_cheap_planes(&s, primitives->corners), f.valid));
}

unsigned ipg_test_step_avx2(const ipg_ccd_primitives *primitives, const ipg_touch_queries *queries, int64_t first) {
  return primitives->corners == 3 ? test_four(&ipg_ccd_node_face, queries, first)
                                  : test_four(&ipg_ccd_edge_edge, queries, first);
}
#endif
