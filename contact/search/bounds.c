/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* One look at all boxes: are they proper, and how do they lie? Chunk by chunk, put together in the order of the chunks,
 * so that the sums are the same bits for any number of workers. */
#include "method.h"
#include "support/vec.h"

#include <math.h>

enum { GRAIN = 4096 };

typedef void measure_boxes(const ipg_box *boxes, int64_t count, ipg_bounds *bounds);

typedef struct measuring {
  ipg_search *search;
  const ipg_set *set;
  ipg_bounds *chunk_bounds; /* of each chunk */
  measure_boxes *measure;
  bool glance;
} measuring;

static ipg_bounds nothing(void) {
  return (ipg_bounds){.lo = {INFINITY, INFINITY, INFINITY}, .hi = {-INFINITY, -INFINITY, -INFINITY}, .proper = true};
}

static void measure_scalar(const ipg_box *boxes, int64_t count, ipg_bounds *bounds) {
  ipg_bounds e = nothing();
  for (int64_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      const double edge = boxes[i].hi[k] - boxes[i].lo[k];
      e.lo[k] = smaller(boxes[i].lo[k], e.lo[k]);
      e.hi[k] = larger(boxes[i].hi[k], e.hi[k]);
      e.largest[k] = larger(edge, e.largest[k]);
      e.sum[k] += edge;
      e.proper &= boxes[i].lo[k] <= boxes[i].hi[k];
    }
  *bounds = e;
}

static void measure_chunk(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const measuring *m = arg;
  m->measure(m->set->boxes + begin, end - begin, &m->chunk_bounds[begin / GRAIN]);
  if (m->glance) m->search->method->glance(m->search, m->set, begin, end);
}

static void join(ipg_bounds *all, const ipg_bounds *part) {
  for (int k = 0; k < 3; ++k) {
    all->lo[k] = smaller(part->lo[k], all->lo[k]);
    all->hi[k] = larger(part->hi[k], all->hi[k]);
    all->largest[k] = larger(part->largest[k], all->largest[k]);
    all->sum[k] += part->sum[k];
  }
  all->proper &= part->proper;
}

static bool is_proper(const ipg_box *box) {
  for (int k = 0; k < 3; ++k)
    if (!isfinite(box->lo[k]) || !isfinite(box->hi[k]) || box->lo[k] > box->hi[k]) return false;
  return true;
}

static ipg_status name_the_first_improper(const char *what, const ipg_box *boxes, ipg_error *error) {
  int64_t i = 0;
  while (is_proper(&boxes[i])) ++i;
  return ipg_fail(error, IPG_ERROR_NUMBER, "%s %lld is inverted or not finite: lo (%g, %g, %g), hi (%g, %g, %g)", what,
                  (long long)i, boxes[i].lo[0], boxes[i].lo[1], boxes[i].lo[2], boxes[i].hi[0], boxes[i].hi[1],
                  boxes[i].hi[2]);
}

/* If no box is inverted or without number, all are finite when the outermost corners are. */
static bool all_proper(const ipg_bounds *e) {
  for (int k = 0; k < 3; ++k)
    if (!isfinite(e->lo[k]) || !isfinite(e->hi[k])) return false;
  return e->proper;
}

ipg_status ipg_compute_bounds(ipg_search *search, const char *what, ipg_set *set, bool glance, ipg_error *error) {
  const int64_t chunks = ipg_chunk_count(set->count, GRAIN);
  ipg_status status =
      ipg_buffer_reserve(&search->chunk_bounds, &search->config.allocator, chunks, sizeof(ipg_bounds), error);
  glance = glance && search->method->prepare && set->count;
  if (!status && glance) status = search->method->prepare(search, set, error);
  if (status) return status;
  measuring m = {search, set, search->chunk_bounds.data, measure_scalar, glance};
#ifdef IPG_HAVE_AVX2
  if (search->simd == IPG_SIMD_AVX2) m.measure = ipg_compute_bounds_avx2;
#endif
  ipg_tasks_for(&search->config.tasks, measure_chunk, &m, 0, set->count, GRAIN);
  set->bounds = nothing();
  for (int64_t i = 0; i < chunks; ++i) join(&set->bounds, &m.chunk_bounds[i]);
  return set->count && !all_proper(&set->bounds) ? name_the_first_improper(what, set->boxes, error) : IPG_OK;
}
