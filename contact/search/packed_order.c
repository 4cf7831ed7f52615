/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The order of a packed tree: locational codes of the boxes' centres, sorted.
 *
 * Interest box, bits per axis and the order of the axes come from the data (Poirrier 2009, open question 7.3). A sample
 * of the boxes tells where nearly all of them lie, so that a fragment far away does not spoil the codes of the rest: it
 * is clamped. Cells are then halved, bit by bit, along the axis where the cell is longest measured in edges of boxes:
 * flat and long scenes get their bits where they help. */
#include "packed.h"
#include "support/sort.h"
#include "support/vec.h"

enum { GRAIN = 8192, SAMPLES = 512, AXIS_BITS = 16, TABLE_BITS = 8, TABLE = 1 << TABLE_BITS };

typedef struct code_grid {
  double origin[3], scale[3];
  int bits[3], total;
  uint32_t spread[3][2][TABLE]; /* bits of a cell's low and high byte along an axis, at their places in the code */
} code_grid;

static double centre(const ipg_box *box, int axis) { return 0.5 * box->lo[axis] + 0.5 * box->hi[axis]; }

/* ------------------------------------------------------------------------------------------------ choosing the cells
 */

static void sort_few(double *x, int count) {
  for (int gap = count / 2; gap; gap /= 2)
    for (int i = gap; i < count; ++i) {
      const double moving = x[i];
      int j = i;
      for (; j >= gap && x[j - gap] > moving; j -= gap) x[j] = x[j - gap];
      x[j] = moving;
    }
}

/* Where nine tenths of the centres lie, widened so that an even spread fits in. */
static void choose_interest(const ipg_set *set, int axis, double *lo, double *hi) {
  double sample[SAMPLES];
  const int64_t stride = set->count / SAMPLES + 1;
  int count = 0;
  for (int64_t i = 0; i < set->count; i += stride) sample[count++] = centre(&set->boxes[i], axis);
  sort_few(sample, count);
  const double low = sample[count / 20], high = sample[count - 1 - count / 20], margin = 0.1 * (high - low);
  *lo = larger(low - margin, set->extent.lo[axis]);
  *hi = smaller(high + margin, set->extent.hi[axis]);
}

/* Gives one bit of the code after the other, highest first, to the axis whose cells are longest in edges of boxes. */
static void share_out_bits(code_grid *grid, const double length[3], const double edge[3], int total) {
  int axis_of_bit[64];
  for (grid->total = 0; grid->total < total; ++grid->total) {
    int best = -1;
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
      const double cell = length[k] / edge[k] / (double)((int64_t)1 << grid->bits[k]);
      if (grid->bits[k] < AXIS_BITS && cell > longest) longest = cell, best = k;
    }
    if (best < 0) break;
    axis_of_bit[grid->total] = best;
    grid->bits[best]++;
  }
  int next[3] = {0};
  for (int place = 0; place < grid->total; ++place) {
    const int axis = axis_of_bit[grid->total - 1 - place], bit = next[axis]++;
    for (int v = 0; v < TABLE; ++v)
      if (v >> bit % TABLE_BITS & 1) grid->spread[axis][bit / TABLE_BITS][v] |= (uint32_t)1 << place;
  }
}

/* A few cells per item, whole bytes: the sort takes a byte at a time. */
static int code_bits(int64_t count) { return count < 2048 ? 16 : count < (int64_t)1 << 22 ? 24 : 32; }

static void choose_cells(code_grid *grid, const ipg_set *set) {
  double length[3], edge[3], longest_edge = 0;
  *grid = (code_grid){0};
  for (int k = 0; k < 3; ++k) {
    double hi;
    choose_interest(set, k, &grid->origin[k], &hi);
    length[k] = hi - grid->origin[k];
    edge[k] = set->extent.sum[k] / (double)set->count;
    longest_edge = larger(longest_edge, edge[k]);
  }
  const double least_edge = longest_edge > 0 ? 0.01 * longest_edge : 1; /* points have none */
  for (int k = 0; k < 3; ++k) edge[k] = larger(edge[k], least_edge);
  share_out_bits(grid, length, edge, code_bits(set->count));
  for (int k = 0; k < 3; ++k) grid->scale[k] = length[k] > 0 ? (double)(1 << grid->bits[k]) / length[k] : 0;
}

/* --------------------------------------------------------------------------------------------------- codes and order
 */

typedef struct coding {
  const code_grid *grid;
  const ipg_set *set;
  uint64_t *order;
} coding;

static uint32_t code_of(const code_grid *grid, const ipg_box *box) {
  uint32_t code = 0;
  for (int k = 0; k < 3; ++k) {
    const double place = (centre(box, k) - grid->origin[k]) * grid->scale[k];
    const uint32_t last = (1u << grid->bits[k]) - 1;
    const uint32_t cell = !(place > 0) ? 0 : place < (double)last ? (uint32_t)place : last;
    code |= grid->spread[k][0][cell % TABLE] | grid->spread[k][1][cell / TABLE];
  }
  return code;
}

static void write_codes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const coding *c = arg;
  for (int64_t i = begin; i < end; ++i) c->order[i] = (uint64_t)code_of(c->grid, &c->set->boxes[i]) << 32 | (uint64_t)i;
}

ipg_status ipg_packed_sort(ipg_packed *tree, ipg_search *search, const ipg_set *set, ipg_error *error) {
  const ipg_allocator *allocator = &search->config.allocator;
  const ipg_tasks *tasks = &search->config.tasks;
  const ipg_status status = ipg_buffer_reserve(&tree->order_buffer, allocator, set->count, sizeof(uint64_t), error);
  if (status) return status;
  tree->order = tree->order_buffer.data;
  code_grid grid;
  choose_cells(&grid, set);
  coding c = {&grid, set, tree->order};
  ipg_tasks_for(tasks, write_codes, &c, 0, set->count, GRAIN);
  return ipg_sort_from_bit(&search->sorter, tree->order, NULL, set->count, 32, allocator, tasks, error);
}
