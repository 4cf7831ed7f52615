/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The candidate filter: drops pairs that cannot touch before the next search, and postpones those that cannot yet.
 *
 * Safe drift is the largest fraction of the search margin by which all nodes may leave their paths, along each axis,
 * while a plane still separates node and face. For a direction d take the boxes of node and corners with their margins
 * cut to that fraction: if the node's box lies beyond those of all three corners along d, then each position of the
 * node lies beyond each point of the face, which is a weighted mean of corners. No path crosses, and the crossing test
 * (narrow.h) confirms that for every face that the node stays away from by more than a few ten-thousandths of its size,
 * even of one that collapses or turns over on the way. The clearance along the direction must exceed that.
 * Any direction proves it; the one tried goes from the middle of the face to the node, all
 * in the middle of their boxes: the direction from the closest point filters a little more and costs more than that
 * saves. The largest fraction that keeps the two apart is the pair's safe drift. Above 1 the pair is dropped, as are
 * most candidates, those of the node's own body around it; else the pair waits until some node has drifted that far.
 *
 * Safe drifts depend on the boxes alone, not on the step. */
#include "candidates/candidate_filter.h"

#include "support/box.h"

enum { GRAIN = 1024 };

/* ------------------------------------------------------------------------------------------------------- safe drift */

static vec middle_of_box(const ipg_box *box) {
  return (vec){0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]), 0.5 * (box->lo[2] + box->hi[2])};
}

/* From the middle of the face. */
static vec direction_to_node(vec node, const vec corner[3]) {
  const vec sum = vec_add(corner[0], vec_add(corner[1], corner[2]));
  return vec_sub(node, vec_scale(1. / 3, sum));
}

/* How far the box extends from its middle along d, times the length of d. */
static double half_width_along(const ipg_box *box, vec d) {
  return 0.5 * (fabs(d.x) * (box->hi[0] - box->lo[0]) + fabs(d.y) * (box->hi[1] - box->lo[1]) +
                fabs(d.z) * (box->hi[2] - box->lo[2]));
}

/* The least, over the nodes, of how far their boxes with their whole margins lie along d, from the origin. */
static double least_along(const ipg_box *boxes, ipg_id_range nodes, vec origin, vec d) {
  double least = INFINITY;
  for (const ipg_id *i = nodes.begin; i < nodes.end; ++i) {
    const ipg_box *box = &boxes[*i];
    least = smaller(least, vec_dot(d, vec_sub(middle_of_box(box), origin)) - half_width_along(box, d));
  }
  return least;
}

double ipg_safe_drift_along(const ipg_model *m, const ipg_box *boxes, vec d, ipg_id_range first, ipg_id_range second,
                            double needed) {
  const double both_margins = 2 * m->margin * (fabs(d.x) + fabs(d.y) + fabs(d.z));
  const vec origin = middle_of_box(&boxes[*first.begin]);
  const double least = least_along(boxes, first, origin, d) + least_along(boxes, second, origin, vec_scale(-1, d));
  if (!(both_margins > 0)) return least > needed ? 2 : 0;
  return 1 + (least - needed) / both_margins;
}

double ipg_safe_drift_of_node_face(const void *context, const ipg_model *m, const ipg_swept_boxes *b, ipg_id node,
                                   ipg_id face) {
  (void)context;
  const ipg_box *boxes = b->nodes.at;
  const ipg_id *corners = m->surface.faces + 3 * (int64_t)face;
  vec q[3];
  for (int i = 0; i < 3; ++i) q[i] = middle_of_box(&boxes[corners[i]]);
  const vec d = direction_to_node(middle_of_box(&boxes[node]), q);
  const double clearance = IPG_LEAST_CLEARANCE * (ipg_box_extent(&boxes[node]) + ipg_box_extent(&b->faces.at[face]));
  const double needed = (clearance + m->touch_tolerance) * vec_length(d);
  return ipg_safe_drift_along(m, boxes, d, (ipg_id_range){&node, &node + 1}, (ipg_id_range){corners, corners + 3},
                              needed);
}

/* ----------------------------------------------------------------------------------------------------------- filter */

typedef struct filter {
  ipg_candidates *candidates;
  const ipg_model *model;
  const ipg_swept_boxes *boxes;
  ipg_safe_drift *safe_drift;
  const void *context;
} filter;

static void compute_safe_drifts(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const filter *f = arg;
  const ipg_pair *pairs = f->candidates->pairs;
  float *safe_drifts = f->candidates->safe_drifts.at;
  for (int64_t i = begin; i < end; ++i)
    safe_drifts[i] = (float)f->safe_drift(f->context, f->model, f->boxes, pairs[i].a, pairs[i].b);
}

/* Keeps the pairs with safe drifts up to `most`, in their order; returns how many. */
static int64_t keep_pairs(double most, const ipg_pair *pairs, const float *safe_drifts, int64_t count, ipg_pair *kept,
                          float *kept_drifts) {
  int64_t kept_count = 0;
  for (int64_t i = 0; i < count; ++i) {
    kept[kept_count] = pairs[i];
    if (kept_drifts) kept_drifts[kept_count] = safe_drifts[i];
    kept_count += safe_drifts[i] <= most;
  }
  return kept_count;
}

ipg_status ipg_filter_candidates(ipg_candidates *k, const ipg_model *m, const ipg_swept_boxes *boxes,
                                 ipg_safe_drift *safe_drift, const void *context, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  ipg_status status = ipg_array_reserve_ahead(&k->safe_drifts, a, k->count, error);
  if (!status) status = ipg_array_reserve_ahead(&k->kept, a, k->count, error);
  if (!status) status = ipg_array_reserve_ahead(&k->kept_active, a, k->count, error);
  if (status) return status;
  filter f = {k, m, boxes, safe_drift, context};
  ipg_tasks_for(&m->config.tasks, compute_safe_drifts, &f, 0, k->count, GRAIN);
  k->count = keep_pairs(1, k->pairs, k->safe_drifts.at, k->count, k->kept.at, k->safe_drifts.at);
  k->pairs = k->kept.at;
  return IPG_OK;
}

void ipg_select_active(ipg_candidates *k, const ipg_model *m, double drift) {
  k->active = k->pairs;
  k->active_count = k->count;
  if (!(m->margin > 0)) return;
  k->active = k->kept_active.at;
  k->active_count = keep_pairs(drift, k->pairs, k->safe_drifts.at, k->count, k->kept_active.at, NULL);
}

void ipg_candidates_destroy(ipg_candidates *k, const ipg_allocator *a) {
  ipg_array_destroy(&k->kept, a);
  ipg_array_destroy(&k->kept_active, a);
  ipg_array_destroy(&k->safe_drifts, a);
}
