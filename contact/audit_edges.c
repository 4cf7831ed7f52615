/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The edges' part of the last evaluation again: every edge with every other, without the search. */
#include "audit.h"
#include "edges.h"
#include "support/box.h"

#include <stdio.h>
#include <string.h>

static void blame(audit *a, const char *what, ipg_id first, ipg_id second) {
  const ipg_gid *gids = a->c->surface.node_gids;
  const ipg_id *p = ipg_edge_nodes(a->c, first), *q = ipg_edge_nodes(a->c, second);
  if (a->report->message[0]) return;
  snprintf(a->report->message, sizeof a->report->message, "%s: the edge of nodes %lld and %lld, that of %lld and %lld",
           what, (long long)gids[p[0]], (long long)gids[p[1]], (long long)gids[q[0]], (long long)gids[q[1]]);
}

static bool should_be_candidates(const ipg_contact *c, ipg_id a, ipg_id b) {
  const ipg_box *boxes = c->buffers[EDGE_BOXES].data;
  return ipg_boxes_overlap(&boxes[a], &boxes[b]) && !ipg_edges_are_kin(c, a, b) &&
         !(c->search_margin > 0 && (float)ipg_span_between_edges(c, a, b) > 1);
}

static void audit_candidates(audit *a) {
  const ipg_contact *c = a->c;
  int64_t at = 0;
  for (ipg_id first = 0; first < c->edge_count; ++first)
    for (ipg_id second = first + 1; second < c->edge_count; ++second) {
      const bool expected = should_be_candidates(c, first, second);
      const bool found = at < c->edges.count && c->edges.pairs[at].a == first && c->edges.pairs[at].b == second;
      at += found;
      if (expected == found) continue;
      a->report->missed_candidates++;
      blame(a, expected ? "the search missed a pair of edges" : "the search gave a pair of edges in excess", first,
            second);
    }
  a->report->missed_candidates += c->edges.count - at;
}

/* As far out as it touches. */
static ipg_box box_of_path(const ipg_contact *c, ipg_id edge) {
  ipg_box box = ipg_box_of_paths(c, ipg_edge_nodes(c, edge), 2);
  ipg_contact_widen(&box, ipg_contact_reach_of_edge(c, edge));
  return box;
}

/* All pairs of edges whose paths' boxes overlap; NULL counts them. */
static int64_t list_pairs(const ipg_contact *c, const ipg_box *boxes, ipg_pair *pairs) {
  int64_t count = 0;
  for (ipg_id a = 0; a < c->edge_count; ++a)
    for (ipg_id b = a + 1; b < c->edge_count; ++b) {
      if (!ipg_boxes_overlap(&boxes[a], &boxes[b]) || ipg_edges_are_kin(c, a, b)) continue;
      if (pairs) pairs[count] = (ipg_pair){a, b};
      ++count;
    }
  return count;
}

static bool is_same(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return ipg_contact_order(a, b) == 0 && a->gap == b->gap && a->activated == b->activated &&
         !memcmp(a->normal, b->normal, sizeof a->normal) && !memcmp(a->weights, b->weights, sizeof a->weights);
}

static void compare_contacts(audit *a, const ipg_contact_pair *expected, int64_t count) {
  const ipg_contact_range found = ipg_contacts_of(a->c->trial, IPG_CONTACT_EDGE_EDGE);
  int64_t same = 0;
  while (same < count && same < found.count && is_same(&expected[same], &found.pairs[same])) ++same;
  if (same == count && same == found.count) return;
  const ipg_contact_pair *odd = same < count ? &expected[same] : &found.pairs[same];
  a->report->wrong_contacts++;
  blame(a, "a contact of edges differs from what all edges give", odd->owner, odd->touched);
}

static ipg_status audit_contacts(audit *a, ipg_buffer *boxes, ipg_buffer *pairs, ipg_edge_look *look,
                                 ipg_error *error) {
  const ipg_contact *c = a->c;
  const ipg_allocator *allocator = &c->config.allocator;
  ipg_status status = ipg_buffer_reserve(boxes, allocator, c->edge_count, sizeof(ipg_box), error);
  if (status) return status;
  ipg_box *box = boxes->data;
  for (ipg_id e = 0; e < c->edge_count; ++e) box[e] = box_of_path(c, e);
  const int64_t count = list_pairs(c, box, NULL);
  status = ipg_buffer_reserve(pairs, allocator, count, sizeof(ipg_pair), error);
  if (status) return status;
  list_pairs(c, box, pairs->data);
  status = ipg_contact_look_at_edges(c, pairs->data, count, look, error);
  if (!status) compare_contacts(a, look->contacts.data, look->count);
  return status;
}

ipg_status ipg_audit_edges(audit *a, ipg_error *error) {
  const ipg_allocator *allocator = &a->c->config.allocator;
  ipg_buffer boxes = {0}, pairs = {0};
  ipg_edge_look look = {0};
  audit_candidates(a);
  const ipg_status status = audit_contacts(a, &boxes, &pairs, &look, error);
  ipg_buffer_destroy(&boxes, allocator);
  ipg_buffer_destroy(&pairs, allocator);
  ipg_edge_look_destroy(&look, allocator);
  return status;
}
