/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Boxes sorted along one axis: what the methods `sorted` and `sap` share.
 *
 * `ipg_endpoints` is the order of the ends of boxes, kept from step to step. `ipg_sorted_boxes` holds the boxes
 * themselves in the order of their lower ends, column by column, so that a run of them is compared many at a time. */
#ifndef IMPINGE_SEARCH_SORTED_AXIS_H
#define IMPINGE_SEARCH_SORTED_AXIS_H

#include "method.h"

/* Ends of boxes in ascending order: end i is the lower end of box i, end ~i its upper end. Equal keys may stand in any
 * order, but the lower end of a box comes before the upper end of every box that it touches. */
typedef struct ipg_endpoints {
  uint64_t *keys;
  ipg_id *ends;
  int64_t count;
  bool repaired; /* from the order before, instead of sorted from scratch */
  ipg_buffer key_buffer, end_buffer;
} ipg_endpoints;

/* Boxes by ascending lower end along `axis`. The other two axes are in single precision, rounded outward: that rejects
 * most of a run, twice as many at a time; the caller compares what is left exactly. */
typedef struct ipg_sorted_boxes {
  int axis;
  int64_t count;
  ipg_id *ids;
  double *begins; /* the lower ends along the axis */
  float *lo[2], *hi[2];
  ipg_buffer id_buffer, begin_buffer, column_buffer;
} ipg_sorted_boxes;

/* The axis along which the boxes are spread best; the axis before (-1: none) stays unless another is twice as good. */
int ipg_choose_sort_axis(const ipg_bounds *bounds, int before);

/* Sorts the lower ends of a set, or both ends. With `repair` the order before is repaired if that is cheap. */
ipg_status ipg_sort_endpoints(ipg_search *search, const ipg_set *set, int axis, bool both, bool repair,
                              ipg_endpoints *endpoints, ipg_error *error);
ipg_status ipg_fill_sorted_boxes(ipg_search *search, const ipg_set *set, int axis, const ipg_endpoints *endpoints,
                                 ipg_sorted_boxes *sorted, ipg_error *error);

/* The first position in [first, last) whose box may overlap `box` along the other two axes; else last. */
int64_t ipg_find_next_overlap(const ipg_sorted_boxes *sorted, int64_t first, int64_t last, const ipg_box *box);

void ipg_endpoints_destroy(ipg_endpoints *endpoints, const ipg_allocator *allocator);
void ipg_sorted_boxes_destroy(ipg_sorted_boxes *sorted, const ipg_allocator *allocator);

#endif
