/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Chooses the grid of a packed tree's codes.
 *
 * Interest box, bits per axis and the order of the axes come from the data (Poirrier 2009, open question 7.3). A sample
 * of the boxes shows where nearly all of them lie, so that a fragment far away does not waste the codes of the others:
 * it is clamped. Cells are then halved, bit by bit, along the axis where the cell is longest measured in edges of
 * boxes: flat and long scenes get their bits where they help.
 *
 * Above the bits of the cell are two for the size class: a box far larger than most would enlarge the block that holds
 * it, so large boxes share blocks with boxes of their class. */
#include "packed_grid.h"

enum { SAMPLES = 512, AXIS_BITS = 16, MOST_BITS = 32, SIZE_BITS = 2 };

/* ----------------------------------------------------------------------------------------------- choosing the cells */

static void sort_few(double *x, int count) {
  for (int gap = count / 2; gap; gap /= 2)
    for (int i = gap; i < count; ++i) {
      const double moving = x[i];
      int j = i;
      for (; j >= gap && x[j - gap] > moving; j -= gap) x[j] = x[j - gap];
      x[j] = moving;
    }
}

/* The boxes of the sample: all of few; of many, chosen such that no regular order of the caller's repeats in the
 * sample.
 */
static int count_samples(const ipg_set *set) { return set->count < SAMPLES ? (int)set->count : SAMPLES; }

static const ipg_box *choose_sample(const ipg_set *set, int i) {
  if (set->count <= SAMPLES) return &set->boxes[i];
  const uint32_t fraction = (uint32_t)i * 0x9e3779b9u; /* of 2^32: multiples of the golden section spread evenly */
  return &set->boxes[((uint64_t)fraction * (uint64_t)set->count) >> 32];
}

/* The interval of all but the outermost hundredths of the centres, widened so that an even distribution fits in. */
static void choose_interval(const ipg_set *set, int axis, double *lo, double *hi) {
  double sample[SAMPLES] = {0};
  const int count = count_samples(set), few = count / 100;
  for (int i = 0; i < count; ++i) sample[i] = ipg_box_centre(choose_sample(set, i), axis);
  sort_few(sample, count);
  const double low = sample[few], high = sample[count - 1 - few], margin = 0.1 * (high - low);
  *lo = low - margin, *hi = high + margin;
}

/* The median and the largest of the longest edges, and the mean edge along each axis. */
typedef struct sizes {
  double median, largest, edge[3];
} sizes;

static sizes sample_sizes(const ipg_set *set) {
  double longest[SAMPLES] = {0};
  sizes s = {0};
  const int count = count_samples(set);
  for (int i = 0; i < count; ++i) {
    const ipg_box *box = choose_sample(set, i);
    longest[i] = ipg_longest_edge(box);
    for (int k = 0; k < 3; ++k) s.edge[k] += box->hi[k] - box->lo[k];
  }
  for (int k = 0; k < 3; ++k) s.edge[k] /= count;
  sort_few(longest, count);
  s.median = longest[count / 2], s.largest = longest[count - 1];
  return s;
}

/* Assigns one bit of the code after the other, highest first, to the axis whose cells are longest in edges of boxes. */
static void assign_bits(ipg_code_grid *grid, const double length[3], const double edge[3], int total) {
  int axes[MOST_BITS]; /* highest bit first */
  for (grid->cell_bits = 0; grid->cell_bits < total; ++grid->cell_bits) {
    int best = -1;
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
      const double cell = length[k] / edge[k] / (double)((int64_t)1 << grid->bits[k]);
      if (grid->bits[k] < AXIS_BITS && cell > longest) longest = cell, best = k;
    }
    if (best < 0) break;
    axes[grid->cell_bits] = best;
    grid->bits[best]++;
  }
  int next[3] = {0};
  for (int position = 0; position < grid->cell_bits; ++position) {
    const int axis = axes[grid->cell_bits - 1 - position], bit = next[axis]++;
    grid->axis_of_bit[position] = (uint8_t)axis;
    for (int v = 0; v < IPG_TABLE; ++v)
      if (v >> bit % IPG_TABLE_BITS & 1) grid->spread[axis][bit / IPG_TABLE_BITS][v] |= (uint32_t)1 << position;
  }
}

void ipg_choose_code_grid(ipg_code_grid *grid, const ipg_set *set) {
  double length[3];
  sizes size = sample_sizes(set);
  *grid = (ipg_code_grid){0};
  const double longest = larger(size.edge[0], larger(size.edge[1], size.edge[2]));
  const double least_edge = longest > 0 ? 0.01 * longest : 1; /* points have none */
  for (int k = 0; k < 3; ++k) {
    double hi;
    choose_interval(set, k, &grid->origin[k], &hi);
    length[k] = hi - grid->origin[k];
    size.edge[k] = larger(size.edge[k], least_edge);
  }
  grid->large[0] = 4 * size.median, grid->large[1] = 8 * grid->large[0], grid->large[2] = 8 * grid->large[1];
  const bool by_size = size.largest > grid->large[0];
  assign_bits(grid, length, size.edge, by_size ? MOST_BITS - SIZE_BITS : MOST_BITS);
  grid->code_bits = grid->cell_bits + (by_size ? SIZE_BITS : 0);
  for (int k = 0; k < 3; ++k) {
    grid->last[k] = (double)((1 << grid->bits[k]) - 1);
    grid->scale[k] = length[k] > 0 ? (double)(1 << grid->bits[k]) / length[k] : 0;
  }
}

/* The largest distance from the centre to the border of a box with codes from `first` to `last`. */
static double find_reach(const ipg_code_grid *grid, int axis, uint32_t first, uint32_t last) {
  const bool by_size = grid->code_bits > grid->cell_bits;
  const uint32_t size = by_size ? last >> grid->cell_bits : 0;
  const bool one_class = !by_size || first >> grid->cell_bits == size;
  const double largest = grid->bounds.largest[axis];
  return 0.5 * (one_class && size < 3 ? smaller(largest, grid->large[size]) : largest);
}

ipg_box ipg_box_of_codes(const ipg_code_grid *grid, uint32_t first, uint32_t last) {
  uint32_t least[3] = {0}, most[3] = {0};
  int bit[3] = {0};
  const uint32_t differ = first ^ last;
  for (int position = 0; position < grid->cell_bits; ++position) {
    const int axis = grid->axis_of_bit[position];
    const uint32_t here = (uint32_t)1 << bit[axis]++;
    const bool free = differ >> position != 0; /* below the common prefix all bits occur */
    if (!free && first >> position & 1) least[axis] |= here;
    if (free || first >> position & 1) most[axis] |= here;
  }
  ipg_box box;
  for (int k = 0; k < 3; ++k) {
    const double beyond = find_reach(grid, k, first, last), cell = grid->scale[k] > 0 ? 1 / grid->scale[k] : 0;
    box.lo[k] = larger(grid->origin[k] + least[k] * cell - beyond, grid->bounds.lo[k]);
    box.hi[k] = smaller(grid->origin[k] + (most[k] + 1.0) * cell + beyond, grid->bounds.hi[k]);
  }
  return box;
}
