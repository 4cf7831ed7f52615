/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The order of a packed tree: locational codes of the boxes' centres, sorted.
 *
 * Interest box, bits per axis and the order of the axes come from the data (Poirrier 2009, open question 7.3). A sample
 * of the boxes tells where nearly all of them lie, so that a fragment far away does not spoil the codes of the rest: it
 * is clamped. Cells are then halved, bit by bit, along the axis where the cell is longest measured in edges of boxes:
 * flat and long scenes get their bits where they help.
 *
 * Above the bits of the place stand two for the size: a box far larger than most would blow up every block it came to
 * lie in, so large ones lie with their like. */
#include "packed.h"
#include "support/sort.h"
#include "support/vec.h"

enum { GRAIN = 8192, SAMPLES = 512, AXIS_BITS = 16, MOST_BITS = 30, TABLE_BITS = 8, TABLE = 1 << TABLE_BITS };

typedef struct code_grid {
  double origin[3], scale[3];
  int bits[3], total;
  double large[3];              /* longest edges from which a box is large, larger, largest */
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

/* What a sample of the boxes says about one axis. */
typedef struct sampled_axis {
  double lo, hi;     /* nine tenths of the centres lie between, widened so that an even spread fits in */
  double small_edge; /* nine tenths of the edges are longer */
} sampled_axis;

static sampled_axis sample_axis(const ipg_set *set, int axis) {
  double centres[SAMPLES], edges[SAMPLES];
  const int64_t stride = set->count / SAMPLES + 1;
  int count = 0;
  for (int64_t i = 0; i < set->count; i += stride) {
    centres[count] = centre(&set->boxes[i], axis);
    edges[count++] = set->boxes[i].hi[axis] - set->boxes[i].lo[axis];
  }
  sort_few(centres, count), sort_few(edges, count);
  const double low = centres[count / 20], high = centres[count - 1 - count / 20], margin = 0.1 * (high - low);
  return (sampled_axis){.lo = larger(low - margin, set->extent.lo[axis]),
                        .hi = smaller(high + margin, set->extent.hi[axis]),
                        .small_edge = edges[count / 10]};
}

static double longest_edge(const ipg_box *box) {
  return larger(box->hi[0] - box->lo[0], larger(box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]));
}

static double middle_size(const ipg_set *set) {
  double sizes[SAMPLES];
  const int64_t stride = set->count / SAMPLES + 1;
  int count = 0;
  for (int64_t i = 0; i < set->count; i += stride) sizes[count++] = longest_edge(&set->boxes[i]);
  sort_few(sizes, count);
  return sizes[count / 2];
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

/* How often an axis can be halved before its cells are smaller than small boxes. */
static int halvings(const sampled_axis *axis) {
  const double cells = (axis->hi - axis->lo) / axis->small_edge;
  return cells > 1 ? ilogb(smaller(cells, 1 << AXIS_BITS)) + 1 : 0; /* also where both are 0 */
}

/* Cells as small as small boxes, and no fewer than four for each box. */
static int code_bits(const sampled_axis axes[3], int64_t count) {
  const int by_size = halvings(&axes[0]) + halvings(&axes[1]) + halvings(&axes[2]),
            by_number = ilogb((double)count) + 2;
  const int bits = by_size > by_number ? by_size : by_number;
  return bits < MOST_BITS ? bits : MOST_BITS;
}

static void choose_cells(code_grid *grid, const ipg_set *set) {
  sampled_axis axes[3];
  double length[3], edge[3], longest = 0;
  *grid = (code_grid){0};
  for (int k = 0; k < 3; ++k) {
    axes[k] = sample_axis(set, k);
    grid->origin[k] = axes[k].lo;
    length[k] = axes[k].hi - axes[k].lo;
    edge[k] = set->extent.sum[k] / (double)set->count;
    longest = larger(longest, edge[k]);
  }
  const double least_edge = longest > 0 ? 0.01 * longest : 1; /* points have none */
  for (int k = 0; k < 3; ++k) edge[k] = larger(edge[k], least_edge);
  share_out_bits(grid, length, edge, code_bits(axes, set->count));
  grid->large[0] = 4 * middle_size(set), grid->large[1] = 8 * grid->large[0], grid->large[2] = 8 * grid->large[1];
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
  const double size = longest_edge(box);
  const unsigned class = (unsigned)(size > grid->large[0]) + (size > grid->large[1]) + (size > grid->large[2]);
  uint32_t code = class << grid->total;
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
