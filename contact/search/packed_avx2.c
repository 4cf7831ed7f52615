/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The kernels of packed trees with the 256-bit registers of AVX2: a box is compared with a whole block at once. */
#include "packed.h"

#ifdef __AVX2__
#include <immintrin.h>

typedef struct probe {
  __m256i lo[3], hi[3];
} probe;

static inline __m256i load_lanes(const uint16_t *lanes) { return _mm256_loadu_si256((const __m256i *)lanes); }

static inline probe make_probe(const ipg_ticks *box) {
  probe p;
  for (int k = 0; k < 3; ++k) {
    p.lo[k] = _mm256_set1_epi16((int16_t)box->lo[k]);
    p.hi[k] = _mm256_set1_epi16((int16_t)box->hi[k]);
  }
  return p;
}

static inline probe load_probe(const ipg_packed_block *block, int lane) {
  probe p;
  for (int k = 0; k < 3; ++k) {
    p.lo[k] = _mm256_set1_epi16((int16_t)block->lo[k][lane]);
    p.hi[k] = _mm256_set1_epi16((int16_t)block->hi[k][lane]);
  }
  return p;
}

/* One bit per lane whose 16 bits are all ones. */
static inline unsigned collect_bits(__m256i lanes) {
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return (unsigned)_mm_movemask_epi8(bytes);
}

/* A difference that saturates at 0 is 0 where the lower corner is not above the upper one. */
static inline unsigned test_touching(const probe *p, const ipg_packed_block *block) {
  __m256i above = _mm256_setzero_si256();
  for (int k = 0; k < 3; ++k) {
    above = _mm256_or_si256(above, _mm256_subs_epu16(p->lo[k], load_lanes(block->hi[k])));
    above = _mm256_or_si256(above, _mm256_subs_epu16(load_lanes(block->lo[k]), p->hi[k]));
  }
  return collect_bits(_mm256_cmpeq_epi16(above, _mm256_setzero_si256()));
}

/* The opposite difference is above 0 where the lower corner is below the upper one. */
static inline unsigned test_overlapping(const probe *p, const ipg_packed_block *block) {
  __m256i least = _mm256_set1_epi16(-1);
  for (int k = 0; k < 3; ++k) {
    least = _mm256_min_epu16(least, _mm256_subs_epu16(load_lanes(block->hi[k]), p->lo[k]));
    least = _mm256_min_epu16(least, _mm256_subs_epu16(p->hi[k], load_lanes(block->lo[k])));
  }
  return ~collect_bits(_mm256_cmpeq_epi16(least, _mm256_setzero_si256())) & 0xffff;
}

/* Each of four against each of four: four comparisons of four, each rotated by one lane. */
static inline bool have_common_key(const ipg_id *a, const ipg_id *b) {
  const __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
  __m128i equal = _mm_cmpeq_epi32(x, y);
  equal = _mm_or_si128(equal, _mm_cmpeq_epi32(x, _mm_shuffle_epi32(y, _MM_SHUFFLE(0, 3, 2, 1))));
  equal = _mm_or_si128(equal, _mm_cmpeq_epi32(x, _mm_shuffle_epi32(y, _MM_SHUFFLE(1, 0, 3, 2))));
  equal = _mm_or_si128(equal, _mm_cmpeq_epi32(x, _mm_shuffle_epi32(y, _MM_SHUFFLE(2, 1, 0, 3))));
  return _mm_movemask_ps(_mm_castsi128_ps(_mm_andnot_si128(x, equal))) != 0; /* negative ids are no keys */
}

/* All three cell numbers of a centre at once; the fourth lane is idle. */
static void write_codes(const ipg_code_grid *grid, const ipg_box *boxes, int64_t count, uint32_t *codes) {
  const __m256d half = _mm256_set1_pd(0.5), zero = _mm256_setzero_pd();
  const __m256d origin = _mm256_setr_pd(grid->origin[0], grid->origin[1], grid->origin[2], 0);
  const __m256d scale = _mm256_setr_pd(grid->scale[0], grid->scale[1], grid->scale[2], 0);
  const __m256d last = _mm256_setr_pd(grid->last[0], grid->last[1], grid->last[2], 0);
  for (int64_t i = 0; i < count; ++i) {
    const __m256d lo = _mm256_loadu_pd(boxes[i].lo), rest = _mm256_loadu_pd(boxes[i].lo + 2);
    const __m256d hi = _mm256_permute4x64_pd(rest, _MM_SHUFFLE(3, 3, 2, 1));
    __m256d at = _mm256_add_pd(_mm256_mul_pd(half, lo), _mm256_mul_pd(half, hi));
    at = _mm256_mul_pd(_mm256_sub_pd(at, origin), scale);
    const __m128i cell = _mm256_cvttpd_epi32(_mm256_min_pd(_mm256_max_pd(at, zero), last));
    codes[i] = ipg_size_code(grid, &boxes[i]) | ipg_spread_cell(grid, 0, (uint32_t)_mm_cvtsi128_si32(cell)) |
               ipg_spread_cell(grid, 1, (uint32_t)_mm_extract_epi32(cell, 1)) |
               ipg_spread_cell(grid, 2, (uint32_t)_mm_extract_epi32(cell, 2));
  }
}

/* Bypasses the caches: a whole cache line need not be read before it is written. */
static void write_records(const ipg_box *boxes, const uint32_t *slots, const uint32_t *codes, int64_t first,
                          int64_t count, ipg_record *records) {
  for (int64_t i = 0; i < count; ++i) {
    double *record = (double *)(void *)&records[slots[i]];
    const __m128i tail = _mm_set_epi64x(0, (first + i) << 32 | codes[i]);
    const __m256d rest = _mm256_castpd128_pd256(_mm_loadu_pd(boxes[i].hi + 1));
    _mm256_stream_pd(record, _mm256_loadu_pd(boxes[i].lo));
    _mm256_stream_pd(record + 4, _mm256_insertf128_pd(rest, _mm_castsi128_pd(tail), 1));
  }
  _mm_sfence();
}

static inline __m128i to_four_ticks(__m256d x, __m256d shift, __m256d scale) {
  __m256d at = _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(x, _mm256_set1_pd(0.5)), shift), scale);
  at = _mm256_add_pd(at, _mm256_set1_pd(IPG_FIRST_TICK));
  at = _mm256_max_pd(at, _mm256_set1_pd(IPG_FIRST_TICK));
  return _mm256_cvttpd_epi32(_mm256_min_pd(at, _mm256_set1_pd(IPG_LAST_TICK)));
}

/* The map of a frame for lo x, y, z, hi x, and for hi y, z. */
typedef struct tick_map {
  __m256d shift, scale, more_shift, more_scale;
} tick_map;

static inline tick_map make_tick_map(const ipg_frame *frame) {
  const double *s = frame->scale, *o = frame->origin;
  return (tick_map){.shift = _mm256_setr_pd(0.5 * o[0], 0.5 * o[1], 0.5 * o[2], 0.5 * o[0]),
                    .scale = _mm256_setr_pd(s[0], s[1], s[2], s[0]),
                    .more_shift = _mm256_setr_pd(0.5 * o[1], 0.5 * o[2], 0, 0),
                    .more_scale = _mm256_setr_pd(s[1], s[2], 0, 0)};
}

/* The six ticks of a box: the same operations as in the scalar code, four coordinates at once. */
static inline __m128i to_six_ticks(const tick_map *map, const ipg_box *box) {
  const __m128i four = to_four_ticks(_mm256_loadu_pd(box->lo), map->shift, map->scale);
  const __m256d rest = _mm256_castpd128_pd256(_mm_loadu_pd(box->hi + 1));
  return _mm_packus_epi32(four, to_four_ticks(rest, map->more_shift, map->more_scale));
}

static inline ipg_ticks to_ticks(const ipg_frame *frame, const ipg_box *box) {
  const tick_map map = make_tick_map(frame);
  uint16_t six[8];
  _mm_storeu_si128((__m128i *)six, to_six_ticks(&map, box));
  return (ipg_ticks){{six[0], six[1], six[2]}, {six[3], six[4], six[5]}};
}

static inline void put_lane(ipg_packed_block *block, int lane, __m128i six) {
  block->lo[0][lane] = (uint16_t)_mm_extract_epi16(six, 0);
  block->lo[1][lane] = (uint16_t)_mm_extract_epi16(six, 1);
  block->lo[2][lane] = (uint16_t)_mm_extract_epi16(six, 2);
  block->hi[0][lane] = (uint16_t)_mm_extract_epi16(six, 3);
  block->hi[1][lane] = (uint16_t)_mm_extract_epi16(six, 4);
  block->hi[2][lane] = (uint16_t)_mm_extract_epi16(six, 5);
}

/* Lower corners gather in the first three lanes of `least`, upper ones in the last three of `most`. */
static ipg_ticks fill_block(const ipg_frame *frame, const ipg_record *records, const uint64_t *order, int count,
                            ipg_packed_block *block, ipg_box *around) {
  const tick_map map = make_tick_map(frame);
  __m256d least = _mm256_set1_pd(INFINITY), most = _mm256_set1_pd(-INFINITY);
  for (int i = 0; i < count; ++i) {
    const ipg_box *box = &records[(uint32_t)order[i]].box;
    put_lane(block, i, to_six_ticks(&map, box));
    least = _mm256_min_pd(_mm256_loadu_pd(box->lo), least);
    most = _mm256_max_pd(_mm256_loadu_pd(box->lo + 2), most);
  }
  ipg_packed_block_clear(block, count);
  double lo[4], hi[4];
  _mm256_storeu_pd(lo, least);
  _mm256_storeu_pd(hi, most);
  *around = (ipg_box){{lo[0], lo[1], lo[2]}, {hi[1], hi[2], hi[3]}};
  return to_ticks(frame, around);
}

#include "packed_join.h"

static void join_task(void *arg, int64_t begin, int64_t end, int worker) { join_groups(arg, begin, end, worker); }

const ipg_packed_kernels ipg_packed_avx2 = {write_codes, write_records, fill_block, join_task};
#endif
