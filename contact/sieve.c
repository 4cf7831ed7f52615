/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Which candidates can meet before the next search, and which by now?
 *
 * Until the next search every node stays in its capture box, and so far it has strayed from the path in the middle of
 * it by no more than some part of the skin, along each axis. If along some direction the node's box, with only that
 * part of the skin, lies beyond such boxes of all three corners, then so does each place of the node beyond each place
 * of each corner, and beyond each place on the face, which is a mixture of corners: no path passes, and narrow.h says
 * so of every face that the node stays away from by more than a few ten-thousandths of their size, even of one that
 * collapses or turns over on the way. The gap along the direction must be more than that, and than the thickness of
 * both surfaces. Any direction proves it; tried is the one from the middle of the face to the node, all in the middle
 * of their boxes: the nearest place of the face tells a little more, and costs more than that saves. The largest part
 * that keeps the two apart is the pair's span: from 1 on the pair is dropped, as are most candidates, the node's own
 * body around it; below, the pair waits until some node has strayed so far. Two edges likewise, with two nodes on
 * either side.
 *
 * Spans depend on the boxes alone, so the audit can ask again. */
#include "edges.h"
#include "support/box.h"

enum { GRAIN = 1024 };

static const double least_gap = 1e-3; /* in parts of all extents; see near_enough in narrow/node_face.c */

static vec middle_of(const ipg_box *box) {
  return (vec){0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]), 0.5 * (box->lo[2] + box->hi[2])};
}

/* From the middle of the face. */
static vec direction_to_node(vec node, const vec corner[3]) {
  const vec sum = vec_add(corner[0], vec_add(corner[1], corner[2]));
  return vec_sub(node, vec_scale(1. / 3, sum));
}

/* From the nearest place of segment ab to the nearest of cd. */
static vec direction_between(vec a, vec b, vec c, vec d) {
  double at[4][3], weights[2];
  vec_store(at[0], a), vec_store(at[1], b), vec_store(at[2], c), vec_store(at[3], d);
  ipg_closest_on_segments(at[0], at[1], at[2], at[3], weights);
  const vec along = vec_sub(vec_scale(weights[1], vec_sub(d, c)), vec_scale(weights[0], vec_sub(b, a)));
  return vec_add(vec_sub(c, a), along);
}

/* How far the box reaches from its middle along d, times d's length. */
static double reach_along(const ipg_box *box, vec d) {
  return 0.5 * (fabs(d.x) * (box->hi[0] - box->lo[0]) + fabs(d.y) * (box->hi[1] - box->lo[1]) +
                fabs(d.z) * (box->hi[2] - box->lo[2]));
}

/* Nodes on one side of a pair, and where they are in the middle of their boxes. */
typedef struct side {
  const ipg_id *nodes;
  int count;
} side;

/* The first side's nodes against the second's, along d, with `needed` of the way between them kept free. */
static double span_along(const ipg_contact *c, vec d, side first, side second, double needed) {
  const ipg_box *boxes = c->buffers[NODE_BOXES].data;
  const double both_skins = 2 * c->search_margin * (fabs(d.x) + fabs(d.y) + fabs(d.z));
  double least = INFINITY; /* between boxes with their whole skins */
  for (int i = 0; i < first.count; ++i) {
    const ipg_box *a = &boxes[first.nodes[i]];
    const double reach = reach_along(a, d);
    for (int j = 0; j < second.count; ++j) {
      const ipg_box *b = &boxes[second.nodes[j]];
      least = smaller(least, vec_dot(d, vec_sub(middle_of(a), middle_of(b))) - reach - reach_along(b, d));
    }
  }
  return both_skins > 0 ? 1 + (least - needed) / both_skins : 0;
}

double ipg_span_to_face(const ipg_contact *c, ipg_id node, ipg_id face) {
  const ipg_box *boxes = c->buffers[NODE_BOXES].data, *faces = c->buffers[FACE_BOXES].data;
  const ipg_id *corners = c->surface.faces + 3 * (int64_t)face;
  vec q[3];
  for (int i = 0; i < 3; ++i) q[i] = middle_of(&boxes[corners[i]]);
  const vec d = direction_to_node(middle_of(&boxes[node]), q);
  const double slack = least_gap * (ipg_box_extent(&boxes[node]) + ipg_box_extent(&faces[face]));
  const double needed = (slack + larger(ipg_contact_separation(c, node, face), c->spare)) * vec_length(d);
  return span_along(c, d, (side){&node, 1}, (side){corners, 3}, needed);
}

double ipg_span_between_edges(const ipg_contact *c, ipg_id a, ipg_id b) {
  const ipg_box *boxes = c->buffers[NODE_BOXES].data, *edges = c->buffers[EDGE_BOXES].data;
  const ipg_id *first = ipg_edge_nodes(c, a), *second = ipg_edge_nodes(c, b);
  const vec d = direction_between(middle_of(&boxes[second[0]]), middle_of(&boxes[second[1]]),
                                  middle_of(&boxes[first[0]]), middle_of(&boxes[first[1]]));
  const double slack = least_gap * (ipg_box_extent(&edges[a]) + ipg_box_extent(&edges[b]));
  const double needed = (slack + ipg_contact_separation_of_edges(c, a, b)) * vec_length(d);
  return span_along(c, d, (side){first, 2}, (side){second, 2}, needed);
}

typedef struct sieve {
  const ipg_contact *contact;
  const ipg_candidates *candidates;
  ipg_span_of *span;
} sieve;

static void measure(void *arg, int64_t begin, int64_t end, int worker) {
  (void)worker;
  const sieve *s = arg;
  const ipg_pair *pairs = s->candidates->pairs;
  float *spans = s->candidates->spans.data;
  for (int64_t i = begin; i < end; ++i) spans[i] = (float)s->span(s->contact, pairs[i].a, pairs[i].b);
}

/* Those of `pairs` with spans below `most`, in their order. */
static int64_t keep_below(double most, const ipg_pair *pairs, const float *spans, int64_t count, ipg_pair *kept,
                          float *kept_spans) {
  int64_t kept_count = 0;
  for (int64_t i = 0; i < count; ++i) {
    kept[kept_count] = pairs[i];
    if (kept_spans) kept_spans[kept_count] = spans[i];
    kept_count += spans[i] <= most;
  }
  return kept_count;
}

ipg_status ipg_contact_sieve(const ipg_contact *c, ipg_candidates *k, ipg_span_of *span, ipg_error *error) {
  const ipg_allocator *allocator = &c->config.allocator;
  ipg_status status = ipg_buffer_reserve_ahead(&k->spans, allocator, k->count, sizeof(float), error);
  if (!status) status = ipg_buffer_reserve_ahead(&k->kept, allocator, k->count, sizeof(ipg_pair), error);
  if (!status) status = ipg_buffer_reserve_ahead(&k->kept_awake, allocator, k->count, sizeof(ipg_pair), error);
  if (status) return status;
  sieve s = {c, k, span};
  ipg_tasks_for(&c->config.tasks, measure, &s, 0, k->count, GRAIN);
  k->count = keep_below(1, k->pairs, k->spans.data, k->count, k->kept.data, k->spans.data);
  k->pairs = k->kept.data;
  return IPG_OK;
}

void ipg_contact_wake(const ipg_contact *c, ipg_candidates *k) {
  k->awake = k->pairs;
  k->awake_count = k->count;
  if (!(c->search_margin > 0)) return;
  k->awake = k->kept_awake.data;
  k->awake_count = keep_below(c->strayed, k->pairs, k->spans.data, k->count, k->kept_awake.data, NULL);
}

void ipg_candidates_destroy(ipg_candidates *k, const ipg_allocator *allocator) {
  ipg_buffer_destroy(&k->kept, allocator);
  ipg_buffer_destroy(&k->spans, allocator);
  ipg_buffer_destroy(&k->kept_awake, allocator);
}
