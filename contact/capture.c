/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Capture boxes: where a node or a face can be until the next search, rounded outward.
 *
 * A node's box holds its path from the accepted to the trial place and a skin around it; a face's box holds those of
 * its corners. Boxes are convex: while both ends of a node's path lie in its box, so does all of the path, and so does
 * each place on a face in the face's box, for it is a mixture of places of corners; the face's box is wider by the
 * thickness of its surface and of any other it may meet. So a node can meet a face only if
 * their boxes overlap, in the step of the search and in every later step whose trial places all lie in their boxes (an
 * accepted place was a trial place before).
 * What all nodes do alike brings none closer to another: the boxes may travel. If places less T lie in the boxes at one
 * end of the step and places less some other T at the other, then so do the paths, seen from a frame that goes evenly
 * from one T to the other, and whether two things meet does not depend on who looks. T is free: it is taken where it
 * leaves most to spare. A car that flies needs no search, one that hits a wall half as many.
 * Until a node leaves its box the candidates of the last search are enough, and what a candidate comes to is computed
 * from the step alone: no result tells when the last search was. */
#include "state.h"
#include "support/box.h"

#include <float.h>

/* These cover the margin that narrow.h gives to borders of faces, and its doubts about a separation. */
static const double border_slack = 1e-7, reach_slack = 1e-5;

void ipg_contact_widen(ipg_box *box, double reach) {
  ipg_box_grow(box, border_slack * ipg_box_extent(box) + (1 + reach_slack) * reach);
}

static void capture_nodes(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  ipg_contact *c = arg;
  ipg_box *boxes = c->buffers[NODE_BOXES].data;
  for (int64_t i = begin; i < end; ++i) {
    const double *from = ipg_accepted_x(c) + 3 * i, *to = ipg_trial_x(c) + 3 * i;
    boxes[i] = (ipg_box){{from[0], from[1], from[2]}, {from[0], from[1], from[2]}};
    ipg_box_include(&boxes[i], &(ipg_box){{to[0], to[1], to[2]}, {to[0], to[1], to[2]}});
    ipg_box_grow(&boxes[i], c->search_margin);
  }
}

static void capture_faces(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  ipg_contact *c = arg;
  const ipg_box *node_boxes = c->buffers[NODE_BOXES].data;
  ipg_box *boxes = c->buffers[FACE_BOXES].data;
  for (int64_t f = begin; f < end; ++f) {
    const ipg_id *corner = c->surface.faces + 3 * f;
    boxes[f] = node_boxes[corner[0]];
    for (int k = 1; k < 3; ++k) ipg_box_include(&boxes[f], &node_boxes[corner[k]]);
    ipg_contact_widen(&boxes[f], larger(ipg_contact_reach_of_face(c, (ipg_id)f), c->spare));
  }
}

void ipg_contact_capture(ipg_contact *c) {
  ipg_tasks_for(&c->config.tasks, capture_nodes, c, 0, c->surface.node_count, IPG_CAPTURE_GRAIN);
  ipg_tasks_for(&c->config.tasks, capture_faces, c, 0, c->surface.face_count, IPG_CAPTURE_GRAIN);
}

typedef struct intake {
  ipg_contact *contact;
  const double *x;
} intake;

static const ipg_straying nowhere = {{-INFINITY, -INFINITY, -INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
static const ipg_straying lost = {{INFINITY, INFINITY, INFINITY}, {INFINITY, INFINITY, INFINITY}};

/* Copies places and looks at them in one pass. */
static void take_places(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const intake *in = arg;
  const ipg_box *boxes = in->contact->buffers[NODE_BOXES].data;
  double *trial = in->contact->trial->x.data;
  ipg_straying *strayed = in->contact->buffers[STRAYED].data, most = nowhere;
  bool are_places = true;
  for (int64_t i = begin; i < end; ++i)
    for (int k = 0; k < 3; ++k) {
      const double x = in->x[3 * i + k];
      trial[3 * i + k] = x;
      are_places &= fabs(x) <= IPG_LARGEST;
      most.above[k] = larger(x - boxes[i].hi[k], most.above[k]);
      most.below[k] = larger(boxes[i].lo[k] - x, most.below[k]);
    }
  strayed[begin / IPG_CAPTURE_GRAIN] = are_places ? most : lost;
}

static ipg_straying farthest(const ipg_contact *c) {
  const ipg_straying *strayed = c->buffers[STRAYED].data;
  ipg_straying most = nowhere;
  for (int64_t i = 0; i < ipg_chunk_count(c->surface.node_count, IPG_CAPTURE_GRAIN); ++i)
    for (int k = 0; k < 3; ++k) {
      most.above[k] = larger(most.above[k], strayed[i].above[k]);
      most.below[k] = larger(most.below[k], strayed[i].below[k]);
    }
  return most;
}

/* Beyond the borders along one axis, once the boxes have travelled half of the difference; not below the truth. */
static double beyond_borders(double above, double below) {
  const double rounding = 4 * DBL_EPSILON * (fabs(above) + fabs(below));
  return 0.5 * (above + below + rounding);
}

bool ipg_contact_take_captured(ipg_contact *c, const double *x) {
  intake in = {c, x};
  ipg_tasks_for(&c->config.tasks, take_places, &in, 0, c->surface.node_count, IPG_CAPTURE_GRAIN);
  if (!c->surface.node_count) return true;
  const ipg_straying most = farthest(c);
  double beyond = -INFINITY;
  for (int k = 0; k < 3; ++k) beyond = larger(beyond, beyond_borders(most.above[k], most.below[k]));
  if (beyond > 0) return false;
  if (c->search_margin > 0) c->strayed = larger(c->strayed, 1 + beyond / c->search_margin);
  return true;
}

/* All in one order: the same bits anywhere. */
void ipg_contact_measure_edges(ipg_contact *c) {
  double sum = 0;
  c->longest_edge = 0;
  for (int64_t i = 0; i < 3 * c->surface.face_count; ++i) {
    const ipg_id a = c->surface.faces[i], b = c->surface.faces[i % 3 == 2 ? i - 2 : i + 1];
    const double length = vec_length(vec_sub(vec_at(ipg_accepted_x(c), b), vec_at(ipg_accepted_x(c), a)));
    sum += length;
    c->longest_edge = larger(c->longest_edge, length);
  }
  c->mean_edge = c->surface.face_count ? sum / (double)(3 * c->surface.face_count) : 0;
}
