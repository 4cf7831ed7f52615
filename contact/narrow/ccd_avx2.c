/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The question of ccd_separating_planes.h in doubles, four pairs at once, for the whole step: it ends all but few of
 * the pairs that a search finds. Every lane computes what the scalar text computes, in the same order: the same bits.
 */
#include "narrow/ccd.h"

#ifdef __AVX2__
#include <immintrin.h>
#include <math.h>

#define UNIT 0x1p-53

typedef __m256d number;
typedef __m256d real;
typedef __m256d mask;

typedef struct flat_path {
  real corner[2][IPG_FLAT_CORNERS][3], size, separation, separation2, scale;
  mask proper;
} flat_path;

static inline number plus(number a, number b) { return _mm256_add_pd(a, b); }
static inline number minus(number a, number b) { return _mm256_sub_pd(a, b); }
static inline number times(number a, number b) { return _mm256_mul_pd(a, b); }
static inline real value(number a) { return a; }
static inline number number_of(real a) { return a; }
static inline real r_of(double a) { return _mm256_set1_pd(a); }
static inline real r_plus(real a, real b) { return _mm256_add_pd(a, b); }
static inline real r_minus(real a, real b) { return _mm256_sub_pd(a, b); }
static inline real r_times(real a, real b) { return _mm256_mul_pd(a, b); }
static inline real r_over(real a, real b) { return _mm256_div_pd(a, b); }
static inline real r_least(real a, real b) { return _mm256_min_pd(a, b); }
static inline real r_most(real a, real b) { return _mm256_max_pd(a, b); }
static inline real r_abs(real a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline mask above(real a, real b) { return _mm256_cmp_pd(a, b, _CMP_GT_OQ); }
static inline mask not_below(real a, real b) { return _mm256_cmp_pd(a, b, _CMP_GE_OQ); }
static inline mask both(mask a, mask b) { return _mm256_and_pd(a, b); }
static inline mask either(mask a, mask b) { return _mm256_or_pd(a, b); }
static inline bool everywhere(mask a) { return _mm256_movemask_pd(a) == 15; }

static inline real r_power(real size) {
  const __m256i exponent = _mm256_and_si256(_mm256_castpd_si256(size), _mm256_set1_epi64x((long long)2047 << 52));
  return _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x((long long)2046 << 52), exponent));
}

#include "narrow/ccd_prepare.h"
#include "narrow/ccd_separating_planes.h"

/* One point of each of four queries; a masked load, for behind the last point of all may be the end of the memory. */
static inline void gather(const double *places, const ipg_id *points, real point[3]) {
  const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
  __m256d of[4];
  for (int i = 0; i < 4; ++i) of[i] = _mm256_maskload_pd(places + 3 * (int64_t)points[4 * i], three);
  const __m256d xz01 = _mm256_unpacklo_pd(of[0], of[1]), y01 = _mm256_unpackhi_pd(of[0], of[1]);
  const __m256d xz23 = _mm256_unpacklo_pd(of[2], of[3]), y23 = _mm256_unpackhi_pd(of[2], of[3]);
  point[0] = _mm256_permute2f128_pd(xz01, xz23, 0x20);
  point[1] = _mm256_permute2f128_pd(y01, y23, 0x20);
  point[2] = _mm256_permute2f128_pd(xz01, xz23, 0x31);
}

static inline unsigned four_apart(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t first) {
  const double *places[2] = {queries->start, queries->end};
  real point[2][4][3];
  flat_path f;
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < 4; ++i) gather(places[end], queries->points + 4 * first + i, point[end][i]);
  prepare(kind, point, queries->separation, &f);
  stretch s = {.size = f.size, .separation2 = f.separation2};
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i < kind->corners; ++i)
      s.corner[end][i] = (vector){f.corner[end][i][0], f.corner[end][i][1], f.corner[end][i][2]};
  return (unsigned)_mm256_movemask_pd(both(soon_apart(&s, kind->corners), f.proper));
}

unsigned ipg_flat_apart_avx2(const ipg_flat_kind *kind, const ipg_touch_queries *queries, int64_t first) {
  return kind->corners == 3 ? four_apart(&ipg_node_face_flat, queries, first)
                            : four_apart(&ipg_edge_edge_flat, queries, first);
}
#endif
