/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Capture boxes: where a node or a face can be during the step, rounded outward.
 *
 * The box of a path holds every place on the way, so two paths that cross have overlapping boxes. A contact that
 * exists at the end of the step must also see the face nearest to its node then. Let the node touch body B, at depth
 * d when the step began (0 if the contact is born in it). At the end, the point of B it touched lies no farther from
 * the node than d + |motion of the node| + |motion of that point|, so neither does the nearest face of B. Hence a
 * node's box grows by d + its own motion, a face's box by the largest motion of its body. */
#include "state.h"
#include "support/vec.h"

enum { GRAIN = 4096 };

static const double slack = 1 + 1e-9;    /* covers the rounding of the sums above */
static const double border_slack = 1e-7; /* covers the margin that narrow.h gives to borders of faces */

static ipg_box empty_box(void) { return (ipg_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static void include(ipg_box *box, const double *x) {
  for (int k = 0; k < 3; ++k) {
    if (x[k] < box->lo[k]) box->lo[k] = x[k];
    if (x[k] > box->hi[k]) box->hi[k] = x[k];
  }
}

static void grow_outward(ipg_box *box, double pad) {
  for (int k = 0; k < 3; ++k) {
    box->lo[k] = nextafter(box->lo[k] - pad, -INFINITY);
    box->hi[k] = nextafter(box->hi[k] + pad, INFINITY);
  }
}

static double motion_of(const ipg_contact *c, int64_t node) {
  return vec_length(vec_sub(vec_at(ipg_trial_x(c), node), vec_at(ipg_accepted_x(c), node)));
}

static double depth_before(const ipg_contact *c, int64_t node) {
  const int64_t *first = c->buffers[HISTORY_FIRST].data;
  const ipg_contact_pair *history = c->accepted->contacts.data;
  double depth = 0;
  for (int64_t i = first[node]; i < first[node + 1]; ++i) depth = larger(depth, -history[i].gap);
  return depth;
}

static void capture_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  ipg_contact *c = arg;
  ipg_box *boxes = c->buffers[NODE_BOXES].data;
  for (int64_t i = begin; i < end; ++i) {
    boxes[i] = empty_box();
    include(&boxes[i], ipg_accepted_x(c) + 3 * i);
    include(&boxes[i], ipg_trial_x(c) + 3 * i);
    grow_outward(&boxes[i], slack * (depth_before(c, i) + motion_of(c, i)));
  }
}

static double extent(const ipg_box *box) {
  return box->hi[0] - box->lo[0] + (box->hi[1] - box->lo[1]) + (box->hi[2] - box->lo[2]);
}

static void capture_faces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  ipg_contact *c = arg;
  ipg_box *boxes = c->buffers[FACE_BOXES].data;
  const double *body_motion = c->buffers[BODY_MOTION].data;
  for (int64_t f = begin; f < end; ++f) {
    boxes[f] = empty_box();
    for (int k = 0; k < 3; ++k) {
      include(&boxes[f], ipg_accepted_x(c) + 3 * (int64_t)c->surface.faces[3 * f + k]);
      include(&boxes[f], ipg_trial_x(c) + 3 * (int64_t)c->surface.faces[3 * f + k]);
    }
    grow_outward(&boxes[f], slack * body_motion[c->surface.face_bodies[f]] + border_slack * extent(&boxes[f]));
  }
}

static void measure_body_motion(ipg_contact *c) {
  double *body_motion = c->buffers[BODY_MOTION].data;
  for (int b = 0; b < c->body_count; ++b) body_motion[b] = 0;
  for (int64_t f = 0; f < c->surface.face_count; ++f) {
    double *motion = &body_motion[c->surface.face_bodies[f]];
    for (int k = 0; k < 3; ++k) *motion = larger(*motion, motion_of(c, c->surface.faces[3 * f + k]));
  }
}

void ipg_contact_capture(ipg_contact *c) {
  measure_body_motion(c);
  ipg_tasks_for(&c->config.tasks, capture_nodes, c, 0, c->surface.node_count, GRAIN);
  ipg_tasks_for(&c->config.tasks, capture_faces, c, 0, c->surface.face_count, GRAIN);
}
