/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The kernels of packed trees, one comparison after the other: the reference for the wide ones. */
#include "packed.h"

typedef ipg_ticks probe;

static probe make_probe(const ipg_ticks *box) { return *box; }

static probe load_probe(const ipg_packed_block *block, int lane) {
  probe p;
  for (int k = 0; k < 3; ++k) p.lo[k] = block->lo[k][lane], p.hi[k] = block->hi[k][lane];
  return p;
}

static unsigned test_touching(const probe *p, const ipg_packed_block *block) {
  unsigned mask = 0;
  for (int i = 0; i < IPG_LANES; ++i) {
    unsigned apart = 0;
    for (int k = 0; k < 3; ++k)
      apart |= (unsigned)(p->lo[k] > block->hi[k][i]) | (unsigned)(block->lo[k][i] > p->hi[k]);
    mask |= (apart ^ 1) << i;
  }
  return mask;
}

static unsigned test_overlapping(const probe *p, const ipg_packed_block *block) {
  unsigned mask = 0;
  for (int i = 0; i < IPG_LANES; ++i) {
    unsigned apart = 0;
    for (int k = 0; k < 3; ++k)
      apart |= (unsigned)(p->lo[k] >= block->hi[k][i]) | (unsigned)(block->lo[k][i] >= p->hi[k]);
    mask |= (apart ^ 1) << i;
  }
  return mask;
}

static bool have_common_key(const ipg_id *a, const ipg_id *b) { return ipg_have_common_key(a, b); }

static void write_codes(const ipg_code_grid *grid, const ipg_box *boxes, int64_t count, uint32_t *codes) {
  for (int64_t i = 0; i < count; ++i) {
    codes[i] = ipg_size_code(grid, &boxes[i]);
    for (int k = 0; k < 3; ++k) {
      const double at = (ipg_box_centre(&boxes[i], k) - grid->origin[k]) * grid->scale[k];
      const uint32_t cell = !(at > 0) ? 0 : (uint32_t)smaller(at, grid->last[k]);
      codes[i] |= ipg_spread_cell(grid, k, cell);
    }
  }
}

static void write_records(const ipg_box *boxes, const uint32_t *slots, const uint32_t *codes, int64_t first,
                          int64_t count, ipg_record *records) {
  for (int64_t i = 0; i < count; ++i)
    records[slots[i]] = (ipg_record){.box = boxes[i], .code = codes[i], .item = (ipg_id)(first + i)};
}

static uint16_t to_tick(const ipg_frame *frame, double x, int axis) {
  const double at = (0.5 * x - 0.5 * frame->origin[axis]) * frame->scale[axis] + IPG_FIRST_TICK;
  if (!(at > IPG_FIRST_TICK)) return IPG_FIRST_TICK;
  return at < IPG_LAST_TICK ? (uint16_t)at : IPG_LAST_TICK;
}

static ipg_ticks to_ticks(const ipg_frame *frame, const ipg_box *box) {
  ipg_ticks ticks;
  for (int k = 0; k < 3; ++k) ticks.lo[k] = to_tick(frame, box->lo[k], k), ticks.hi[k] = to_tick(frame, box->hi[k], k);
  return ticks;
}

static ipg_ticks fill_block(const ipg_frame *frame, const ipg_record *records, const uint64_t *order, int count,
                            ipg_packed_block *block, ipg_box *around) {
  ipg_box all = ipg_empty_box();
  for (int i = 0; i < count; ++i) {
    const ipg_box *box = &records[(uint32_t)order[i]].box;
    const ipg_ticks ticks = to_ticks(frame, box);
    ipg_packed_block_put(block, i, &ticks);
    ipg_box_include(&all, box);
  }
  ipg_packed_block_clear(block, count);
  *around = all;
  return to_ticks(frame, &all);
}

#include "packed_join.h"

static void join_task(void *arg, int64_t begin, int64_t end, int worker) { join_groups(arg, begin, end, worker); }

const ipg_packed_kernels ipg_packed_scalar = {write_codes, write_records, fill_block, join_task};
