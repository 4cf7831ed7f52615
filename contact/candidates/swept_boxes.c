/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Swept boxes ("capture boxes" in the papers): where a node or face can be until the next search, rounded
 * outward.
 *
 * A node's box holds its path from the accepted to the trial position and the search margin around it; a face's box
 * holds those of its corners. Boxes are convex: while both ends of a node's path lie in its box, so does all of the
 * path, and so does each point of a face in the face's box, for it is a weighted mean of corners. The face's box is
 * enlarged by the largest distance at which it can touch. So a node can touch a face only if their boxes overlap, in
 * the step of the search and in every later step whose trial positions all lie in their boxes (an accepted position was
 * a trial position before). Only relative motion matters: a translation that all nodes have in common brings none
 * closer to another. So at each end of the step all positions may be shifted by one translation before they are
 * compared with the boxes; in a frame that moves evenly from one translation to the other the paths are straight too,
 * and contact does not depend on the frame. Per axis the shift that leaves the largest margin is taken. A scene that
 * flies as a whole needs no search, one that hits a wall half as many. Until a node leaves its box the candidates of
 * the last search are enough, and the result of a candidate is computed from the step alone: no result depends on when
 * the last search was. */
#include "candidates/swept_boxes.h"

#include "model/bevels.h"
#include "model/block_rules.h"
#include "support/box.h"

#include <float.h>

enum { GRAIN = 4096 };

ipg_status ipg_swept_boxes_reserve(ipg_swept_boxes *b, const ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  const int64_t nodes = m->surface.node_count;
  ipg_status status = ipg_array_reserve(&b->nodes, a, ipg_node_count_with_bevels(m), error);
  if (!status) status = ipg_array_reserve(&b->faces, a, ipg_face_count_with_bevels(m), error);
  if (!status) status = ipg_array_reserve(&b->overshoots, a, ipg_chunk_count(nodes, GRAIN), error);
  return status;
}

void ipg_swept_boxes_destroy(ipg_swept_boxes *b, const ipg_allocator *a) {
  ipg_array_destroy(&b->nodes, a);
  ipg_array_destroy(&b->faces, a);
  ipg_array_destroy(&b->overshoots, a);
}

/* ------------------------------------------------------------------------------------------------------------ boxes */

typedef struct sweep {
  ipg_swept_boxes *boxes;
  const ipg_model *model;
  const ipg_step *step;
} sweep;

/* By the reach, and by the margins that cover the tolerances of the crossing test and of continuous detection. */
static void enlarge_by_reach(ipg_box *box, double reach) {
  ipg_box_grow(box, IPG_BOX_MARGIN * ipg_box_extent(box) + (1 + IPG_REACH_MARGIN) * reach);
}

static void sweep_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const sweep *s = arg;
  ipg_box *boxes = s->boxes->nodes.at;
  for (int64_t i = begin; i < end; ++i) {
    const double *from = s->step->x0 + 3 * i, *to = s->step->x1 + 3 * i;
    boxes[i] = (ipg_box){{from[0], from[1], from[2]}, {from[0], from[1], from[2]}};
    ipg_box_include_point(&boxes[i], to);
    ipg_box_grow(&boxes[i], s->model->margin);
  }
}

/* The corners of bevels lie between two nodes, and their boxes between those of the nodes. */
static void sweep_bevel_points(const sweep *s) {
  ipg_box *boxes = s->boxes->nodes.at;
  for (int64_t i = 0; i < 3 * s->model->bevels.face_count; ++i) {
    const ipg_bevel_point *p = &s->model->bevels.points.at[i];
    const ipg_box *a = &boxes[p->node], *b = &boxes[p->toward];
    ipg_box *box = &boxes[s->model->surface.node_count + i];
    for (int k = 0; k < 3; ++k) {
      box->lo[k] = a->lo[k] + p->part * (b->lo[k] - a->lo[k]);
      box->hi[k] = a->hi[k] + p->part * (b->hi[k] - a->hi[k]);
    }
    ipg_box_grow(box, IPG_BOX_MARGIN * ipg_box_extent(box));
  }
}

static ipg_box box_of_corners(const ipg_box *nodes, const ipg_id corner[3]) {
  ipg_box box = nodes[corner[0]];
  for (int k = 1; k < 3; ++k) ipg_box_include(&box, &nodes[corner[k]]);
  return box;
}

static void sweep_faces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const sweep *s = arg;
  const ipg_box *nodes = s->boxes->nodes.at;
  ipg_box *boxes = s->boxes->faces.at;
  for (int64_t f = begin; f < end; ++f) {
    boxes[f] = box_of_corners(nodes, s->model->surface.faces + 3 * f);
    enlarge_by_reach(&boxes[f], larger(ipg_reach_of_face(s->model, (ipg_id)f), s->model->touch_tolerance));
  }
}

void ipg_sweep_boxes(ipg_swept_boxes *boxes, const ipg_step *step) {
  const ipg_model *m = step->model;
  sweep s = {boxes, m, step};
  ipg_tasks_for(&m->config.tasks, sweep_nodes, &s, 0, m->surface.node_count, GRAIN);
  sweep_bevel_points(&s);
  ipg_tasks_for(&m->config.tasks, sweep_faces, &s, 0, ipg_face_count_with_bevels(m), GRAIN);
}

void ipg_box_positions(ipg_swept_boxes *b, const ipg_model *m, const double *x, double distance) {
  for (int64_t i = 0; i < m->surface.node_count; ++i) {
    const double *at = x + 3 * i;
    b->nodes.at[i] = (ipg_box){{at[0], at[1], at[2]}, {at[0], at[1], at[2]}};
    ipg_box_grow(&b->nodes.at[i], (1 + IPG_REACH_MARGIN) * distance);
  }
  for (int64_t f = 0; f < m->surface.face_count; ++f) {
    const ipg_id *corner = m->surface.faces + 3 * f;
    const double *first = x + 3 * (int64_t)corner[0];
    b->faces.at[f] = (ipg_box){{first[0], first[1], first[2]}, {first[0], first[1], first[2]}};
    for (int k = 1; k < 3; ++k) ipg_box_include_point(&b->faces.at[f], x + 3 * (int64_t)corner[k]);
  }
}

/* ------------------------------------------------------------------------------------------------------------ drift */

typedef struct intake {
  ipg_swept_boxes *boxes;
  const double *x;
  double *trial;
} intake;

static const ipg_overshoot no_overshoot = {{-INFINITY, -INFINITY, -INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
static const ipg_overshoot infinite_overshoot = {{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};

/* Copies and checks positions in one pass. */
static void take_positions(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const intake *in = arg;
  const ipg_box *boxes = in->boxes->nodes.at;
  double *trial = in->trial;
  ipg_overshoot *overshoots = in->boxes->overshoots.at, most = no_overshoot;
  bool are_positions = true;
  for (int64_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) {
      const double x = in->x[3 * i + k];
      trial[3 * i + k] = x;
      are_positions &= fabs(x) <= IPG_LARGEST;
      most.above[k] = larger(x - boxes[i].hi[k], most.above[k]);
      most.below[k] = larger(boxes[i].lo[k] - x, most.below[k]);
    }
  overshoots[begin / GRAIN] = are_positions ? most : infinite_overshoot;
}

static ipg_overshoot largest_overshoot(const ipg_swept_boxes *b, int64_t node_count) {
  ipg_overshoot most = no_overshoot;
  for (int64_t i = 0; i < ipg_chunk_count(node_count, GRAIN); ++i)
    for (int k = 0; k < 3; ++k) {
      most.above[k] = larger(most.above[k], b->overshoots.at[i].above[k]);
      most.below[k] = larger(most.below[k], b->overshoots.at[i].below[k]);
    }
  return most;
}

/* Overshoot along one axis after the best translation of all boxes, half of the difference; not below the exact value.
 */
static double overshoot_of_travelling_boxes(double above, double below) {
  const double rounding = 4 * DBL_EPSILON * (fabs(above) + fabs(below));
  return 0.5 * (above + below + rounding);
}

bool ipg_take_positions(ipg_swept_boxes *b, const ipg_model *m, const double *x, double *trial) {
  intake in = {b, x, trial};
  ipg_tasks_for(&m->config.tasks, take_positions, &in, 0, m->surface.node_count, GRAIN);
  if (!m->surface.node_count) return true;
  const ipg_overshoot most = largest_overshoot(b, m->surface.node_count);
  double overshoot = -INFINITY;
  for (int k = 0; k < 3; ++k)
    overshoot = larger(overshoot, overshoot_of_travelling_boxes(most.above[k], most.below[k]));
  if (overshoot > 0) return false;
  if (m->margin > 0) b->drift = larger(b->drift, 1 + overshoot / m->margin);
  return true;
}
