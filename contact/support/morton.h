/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Bits of up to 21-bit cell coordinates, interleaved: x y z x y z ..., the highest bit of x first.
 * A Morton code is the path from the root of a kd-tree whose planes halve x, y, z in turn. */
#ifndef IMPINGE_SUPPORT_MORTON_H
#define IMPINGE_SUPPORT_MORTON_H

#include <stdint.h>

/* Inserts two zero bits after every bit, in five steps. */
static inline uint64_t ipg_morton_spread(uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x001f00000000ffff;
  v = (v | v << 16) & 0x001f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  v = (v | v << 2) & 0x1249249249249249;
  return v;
}

static inline uint64_t ipg_morton_interleave(const uint32_t cell[3]) {
  return ipg_morton_spread(cell[0]) << 2 | ipg_morton_spread(cell[1]) << 1 | ipg_morton_spread(cell[2]);
}

#endif
