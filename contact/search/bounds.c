/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One pass over all boxes: checks that they are valid and computes their bounds. Chunks are combined in their order, so
 * the sums are the same bits for any number of workers. */
#include "method.h"

enum { GRAIN = 4096 };

typedef void bounds_function(const ipg_box *boxes, int64_t count, ipg_bounds *bounds);

typedef struct bounding {
  ipg_search *search;
  const ipg_set *set;
  ipg_bounds *chunk_bounds;
  bounds_function *compute;
  bool preprocess;
} bounding;

static ipg_bounds empty_bounds(void) {
  return (ipg_bounds){.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}, .valid = true};
}

static void compute_bounds_scalar(const ipg_box *boxes, int64_t count, ipg_bounds *bounds) {
  ipg_bounds b = empty_bounds();
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double edge = boxes[i].hi[k] - boxes[i].lo[k];
      b.lo[k] = smaller(boxes[i].lo[k], b.lo[k]);
      b.hi[k] = larger(boxes[i].hi[k], b.hi[k]);
      b.largest[k] = larger(edge, b.largest[k]);
      b.sum[k] += edge;
      b.valid &= boxes[i].lo[k] <= boxes[i].hi[k];
    }
  *bounds = b;
}

static void compute_chunk(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const bounding *b = arg;
  b->compute(b->set->boxes + begin, end - begin, &b->chunk_bounds[begin / GRAIN]);
  if (b->preprocess) b->search->method->preprocess_chunk(b->search, b->set, begin, end);
}

static void include_bounds(ipg_bounds *all, const ipg_bounds *part) {
  for (int k = 0; k < 3; ++k) {
    all->lo[k] = smaller(part->lo[k], all->lo[k]);
    all->hi[k] = larger(part->hi[k], all->hi[k]);
    all->largest[k] = larger(part->largest[k], all->largest[k]);
    all->sum[k] += part->sum[k];
  }
  all->valid &= part->valid;
}

static bool is_valid_box(const ipg_box *box) {
  for (int k = 0; k < 3; ++k)
    if (!isfinite(box->lo[k]) || !isfinite(box->hi[k]) || box->lo[k] > box->hi[k]) return false;
  return true;
}

static ipg_status report_first_invalid(const char *what, const ipg_box *boxes, ipg_error *error) {
  int64_t i = 0;
  while (is_valid_box(&boxes[i])) ++i;
  return ipg_fail(error, IPG_ERROR_NUMBER, "%s %lld is inverted or not finite: lo (%g, %g, %g), hi (%g, %g, %g)", what,
                  (long long)i, boxes[i].lo[0], boxes[i].lo[1], boxes[i].lo[2], boxes[i].hi[0], boxes[i].hi[1],
                  boxes[i].hi[2]);
}

/* If no box is inverted or has a coordinate that is not a number, all are finite when the outermost corners are. */
static bool are_all_valid(const ipg_bounds *bounds) {
  for (int k = 0; k < 3; ++k)
    if (!isfinite(bounds->lo[k]) || !isfinite(bounds->hi[k])) return false;
  return bounds->valid;
}

ipg_status ipg_compute_bounds(ipg_search *search, const char *what, ipg_set *set, bool preprocess, ipg_error *error) {
  const int64_t chunks = ipg_chunk_count(set->count, GRAIN);
  ipg_status status =
      ipg_buffer_reserve(&search->chunk_bounds, &search->config.allocator, chunks, sizeof(ipg_bounds), error);
  preprocess = preprocess && search->method->start_preprocess && set->count;
  if (!status && preprocess) status = search->method->start_preprocess(search, set, error);
  if (status) return status;
  bounding b = {search, set, search->chunk_bounds.data, compute_bounds_scalar, preprocess};
#ifdef IPG_HAVE_AVX2
  if (search->simd == IPG_SIMD_AVX2) b.compute = ipg_compute_bounds_avx2;
#endif
  ipg_tasks_for(&search->config.tasks, compute_chunk, &b, 0, set->count, GRAIN);
  set->bounds = empty_bounds();
  for (int64_t i = 0; i < chunks; ++i) include_bounds(&set->bounds, &b.chunk_bounds[i]);
  return set->count && !are_all_valid(&set->bounds) ? report_first_invalid(what, set->boxes, error) : IPG_OK;
}
