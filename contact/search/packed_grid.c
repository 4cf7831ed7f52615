/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The cells of a packed tree's codes.
 *
 * Interest box, bits per axis and the order of the axes come from the data (Poirrier 2009, open question 7.3). A sample
 * of the boxes tells where nearly all of them lie, so that a fragment far away does not spoil the codes of the rest: it
 * is clamped. Cells are then halved, bit by bit, along the axis where the cell is longest measured in edges of boxes:
 * flat and long scenes get their bits where they help.
 *
 * Above the bits of the place stand two for the size: a box far larger than most would blow up every block it came to
 * lie in, so large ones lie with their like. */
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

/* Boxes to be looked at: all of few; of many, such that no regular order of the caller's repeats in the sample. */
static int sample_count(const ipg_set *set) { return set->count < SAMPLES ? (int)set->count : SAMPLES; }

static const ipg_box *sample_box(const ipg_set *set, int i) {
  if (set->count <= SAMPLES) return &set->boxes[i];
  const uint32_t fraction = (uint32_t)i * 0x9e3779b9u; /* of 2^32: multiples of the golden section spread evenly */
  return &set->boxes[((uint64_t)fraction * (uint64_t)set->count) >> 32];
}

/* Where all but the outermost hundredths of the centres lie, widened so that an even spread fits in. */
static void choose_interest(const ipg_set *set, int axis, double *lo, double *hi) {
  double sample[SAMPLES] = {0};
  const int count = sample_count(set), few = count / 100;
  for (int i = 0; i < count; ++i) sample[i] = ipg_centre(sample_box(set, i), axis);
  sort_few(sample, count);
  const double low = sample[few], high = sample[count - 1 - few], margin = 0.1 * (high - low);
  *lo = low - margin, *hi = high + margin;
}

/* Sizes of a box in the middle, and of the largest, and the mean edge along each axis. */
typedef struct sizes {
  double middle, largest, edge[3];
} sizes;

static sizes sample_sizes(const ipg_set *set) {
  double longest[SAMPLES] = {0};
  sizes s = {0};
  const int count = sample_count(set);
  for (int i = 0; i < count; ++i) {
    const ipg_box *box = sample_box(set, i);
    longest[i] = ipg_longest_edge(box);
    for (int k = 0; k < 3; ++k) s.edge[k] += box->hi[k] - box->lo[k];
  }
  for (int k = 0; k < 3; ++k) s.edge[k] /= count;
  sort_few(longest, count);
  s.middle = longest[count / 2], s.largest = longest[count - 1];
  return s;
}

/* Gives one bit of the code after the other, highest first, to the axis whose cells are longest in edges of boxes. */
static void share_out_bits(ipg_code_grid *grid, const double length[3], const double edge[3], int total) {
  int axis_of_bit[MOST_BITS];
  for (grid->place_bits = 0; grid->place_bits < total; ++grid->place_bits) {
    int best = -1;
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
      const double cell = length[k] / edge[k] / (double)((int64_t)1 << grid->bits[k]);
      if (grid->bits[k] < AXIS_BITS && cell > longest) longest = cell, best = k;
    }
    if (best < 0) break;
    axis_of_bit[grid->place_bits] = best;
    grid->bits[best]++;
  }
  int next[3] = {0};
  for (int place = 0; place < grid->place_bits; ++place) {
    const int axis = axis_of_bit[grid->place_bits - 1 - place], bit = next[axis]++;
    grid->axis_of_place[place] = (uint8_t)axis;
    for (int v = 0; v < IPG_TABLE; ++v)
      if (v >> bit % IPG_TABLE_BITS & 1) grid->spread[axis][bit / IPG_TABLE_BITS][v] |= (uint32_t)1 << place;
  }
}

void ipg_choose_cells(ipg_code_grid *grid, const ipg_set *set) {
  double length[3];
  sizes size = sample_sizes(set);
  *grid = (ipg_code_grid){0};
  const double longest = larger(size.edge[0], larger(size.edge[1], size.edge[2]));
  const double least_edge = longest > 0 ? 0.01 * longest : 1; /* points have none */
  for (int k = 0; k < 3; ++k) {
    double hi;
    choose_interest(set, k, &grid->origin[k], &hi);
    length[k] = hi - grid->origin[k];
    size.edge[k] = larger(size.edge[k], least_edge);
  }
  grid->large[0] = 4 * size.middle, grid->large[1] = 8 * grid->large[0], grid->large[2] = 8 * grid->large[1];
  const bool by_size = size.largest > grid->large[0];
  share_out_bits(grid, length, size.edge, by_size ? MOST_BITS - SIZE_BITS : MOST_BITS);
  grid->code_bits = grid->place_bits + (by_size ? SIZE_BITS : 0);
  for (int k = 0; k < 3; ++k) {
    grid->last[k] = (double)((1 << grid->bits[k]) - 1);
    grid->scale[k] = length[k] > 0 ? (double)(1 << grid->bits[k]) / length[k] : 0;
  }
}

/* Boxes of a size class reach at most this far from their centres. */
static double reach(const ipg_code_grid *grid, int axis, uint32_t first, uint32_t last) {
  const bool by_size = grid->code_bits > grid->place_bits;
  const uint32_t size = by_size ? last >> grid->place_bits : 0;
  const bool alike = !by_size || first >> grid->place_bits == size;
  const double largest = grid->bounds.largest[axis];
  return 0.5 * (alike && size < 3 ? smaller(largest, grid->large[size]) : largest);
}

ipg_box ipg_box_of_codes(const ipg_code_grid *grid, uint32_t first, uint32_t last) {
  uint32_t least[3] = {0}, most[3] = {0};
  int bit[3] = {0};
  const uint32_t differ = first ^ last;
  for (int place = 0; place < grid->place_bits; ++place) {
    const int axis = grid->axis_of_place[place];
    const uint32_t here = (uint32_t)1 << bit[axis]++;
    const bool free = differ >> place != 0; /* below the common prefix all bits occur */
    if (!free && first >> place & 1) least[axis] |= here;
    if (free || first >> place & 1) most[axis] |= here;
  }
  ipg_box box;
  for (int k = 0; k < 3; ++k) {
    const double beyond = reach(grid, k, first, last), cell = grid->scale[k] > 0 ? 1 / grid->scale[k] : 0;
    box.lo[k] = larger(grid->origin[k] + least[k] * cell - beyond, grid->bounds.lo[k]);
    box.hi[k] = smaller(grid->origin[k] + (most[k] + 1.0) * cell + beyond, grid->bounds.hi[k]);
  }
  return box;
}
