/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes that grow: by another box, and outward by a pad with rounding in its favour. */
#ifndef IMPINGE_SUPPORT_BOX_H
#define IMPINGE_SUPPORT_BOX_H

#include "impinge/base.h"
#include "support/directed_rounding.h"
#include "support/vec.h"

static inline void ipg_box_include(ipg_box *box, const ipg_box *other) {
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = smaller(box->lo[k], other->lo[k]);
    box->hi[k] = larger(box->hi[k], other->hi[k]);
  }
}

static inline void ipg_box_grow(ipg_box *box, double pad) {
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = ipg_below(box->lo[k] - pad);
    box->hi[k] = ipg_above(box->hi[k] + pad);
  }
}

/* The sum of its three lengths. */
static inline double ipg_box_extent(const ipg_box *box) {
  return box->hi[0] - box->lo[0] + (box->hi[1] - box->lo[1]) + (box->hi[2] - box->lo[2]);
}

static inline bool ipg_boxes_overlap(const ipg_box *a, const ipg_box *b) {
  for (int k = 0; k < 3; ++k)
    if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k]) return false;
  return true;
}

#endif
