/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes: overlap, union, centre, and growth by a margin that is rounded outward. */
#ifndef IMPINGE_SUPPORT_BOX_H
#define IMPINGE_SUPPORT_BOX_H

#include "impinge/search.h"
#include "support/directed_rounding.h"
#include "support/vec.h"

/* A box that overlaps nothing and that every union replaces. */
static inline ipg_box ipg_empty_box(void) {
  return (ipg_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

/* Boxes are closed: touching counts. */
static inline bool ipg_boxes_overlap(const ipg_box *a, const ipg_box *b) {
  return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
         a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

static inline void ipg_box_include(ipg_box *box, const ipg_box *other) {
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = smaller(other->lo[k], box->lo[k]);
    box->hi[k] = larger(other->hi[k], box->hi[k]);
  }
}

static inline void ipg_box_include_point(ipg_box *box, const double x[3]) {
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = smaller(box->lo[k], x[k]);
    box->hi[k] = larger(box->hi[k], x[k]);
  }
}

static inline void ipg_box_grow(ipg_box *box, double margin) {
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = ipg_below(box->lo[k] - margin);
    box->hi[k] = ipg_above(box->hi[k] + margin);
  }
}

/* The sum of its three edges. */
static inline double ipg_box_extent(const ipg_box *box) {
  return box->hi[0] - box->lo[0] + (box->hi[1] - box->lo[1]) + (box->hi[2] - box->lo[2]);
}

/* Halves, since sums may overflow. */
static inline double ipg_box_centre(const ipg_box *box, int axis) { return 0.5 * box->lo[axis] + 0.5 * box->hi[axis]; }

#endif
