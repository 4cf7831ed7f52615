/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The edges' part of an audit: every edge with every other, without the search. */
#include "check/audit.h"
#include "model/block_rules.h"

#include <stdio.h>
#include <string.h>

static void report_edges(ipg_audit *a, const char *what, ipg_id first, ipg_id second) {
  const ipg_gid *gids = a->contact->model.surface.node_gids;
  const ipg_topology *t = &a->contact->model.topology;
  const ipg_id *p = ipg_edge_nodes(t, first), *q = ipg_edge_nodes(t, second);
  if (a->report->message[0]) return;
  snprintf(a->report->message, sizeof a->report->message, "%s: the edge of nodes %lld and %lld, that of %lld and %lld",
           what, (long long)gids[p[0]], (long long)gids[p[1]], (long long)gids[q[0]], (long long)gids[q[1]]);
}

/* Memory of the audit. */
typedef struct brute_force {
  IPG_ARRAY(ipg_box) boxes;  /* of all edges in this step */
  IPG_ARRAY(ipg_pair) pairs; /* that come near each other */
  ipg_edge_edge_workspace detection;
} brute_force;

/* All pairs of edges whose paths come near each other; NULL counts them. */
static int64_t list_pairs(const ipg_audit *a, const ipg_box *boxes, ipg_pair *pairs) {
  const ipg_model *m = &a->contact->model;
  const ipg_id edges = m->topology.edge_count;
  int64_t count = 0;
  for (ipg_id first = 0; first < edges; ++first)
    for (ipg_id second = first + 1; second < edges; ++second) {
      const double distance = ipg_touch_distance_of_edges(m, first, second);
      if (!ipg_audit_boxes_near(&boxes[first], &boxes[second], distance)) continue;
      if (ipg_edges_are_adjacent(&m->topology, first, second)) continue;
      if (pairs) pairs[count] = (ipg_pair){first, second};
      ++count;
    }
  return count;
}

static int compare_pairs(ipg_pair a, ipg_pair b) {
  return a.a != b.a ? (a.a < b.a ? -1 : 1) : (a.b > b.b) - (a.b < b.b);
}

/* Every pair that touches, and between which contact is on, must be among the active candidates, which are in order,
 * each once. */
static void audit_candidates(ipg_audit *a, const brute_force *b) {
  const ipg_candidates *k = &a->contact->broad_phase.edge_edge;
  const ipg_edge_edge_workspace *w = &b->detection;
  const ipg_model *m = &a->contact->model;
  for (int64_t i = 0; i < k->active_count; ++i) {
    const bool is_proper = k->active[i].a < k->active[i].b &&
                           (i == 0 || compare_pairs(k->active[i - 1], k->active[i]) < 0) &&
                           !ipg_edges_are_adjacent(&m->topology, k->active[i].a, k->active[i].b);
    if (is_proper) continue;
    a->report->missed_candidates++;
    report_edges(a, "the search gave a pair of edges in excess or out of order", k->active[i].a, k->active[i].b);
  }
  for (int64_t hit = 0, at = 0; hit < w->hit_count; ++hit) {
    const ipg_pair pair = b->pairs.at[w->hits.at[hit]];
    while (at < k->active_count && compare_pairs(k->active[at], pair) < 0) ++at;
    if (at < k->active_count && compare_pairs(k->active[at], pair) == 0) continue;
    a->report->missed_candidates++;
    report_edges(a, "the search missed a pair of edges that touch", pair.a, pair.b);
  }
}

static bool are_contacts_equal(const ipg_contact_pair *a, const ipg_contact_pair *b) {
  return ipg_compare_contacts(a, b) == 0 && a->gap == b->gap && a->activated == b->activated &&
         !memcmp(a->normal, b->normal, sizeof a->normal) && !memcmp(a->weights, b->weights, sizeof a->weights);
}

static void audit_contacts(ipg_audit *a, const ipg_contact_pair *expected, int64_t count) {
  const ipg_contact_range found = ipg_contacts_of_kind(&a->contact->trial->contacts, IPG_CONTACT_EDGE_EDGE);
  int64_t same = 0;
  while (same < count && same < found.count && are_contacts_equal(&expected[same], &found.pairs[same])) ++same;
  if (same == count && same == found.count) return;
  const ipg_contact_pair *odd = same < count ? &expected[same] : &found.pairs[same];
  a->report->wrong_contacts++;
  report_edges(a, "a contact of edges differs from what all edges give", odd->owner, odd->touched);
}

static ipg_status detect_by_brute_force(ipg_audit *a, brute_force *b, ipg_error *error) {
  const ipg_model *m = &a->contact->model;
  const ipg_allocator *allocator = &m->config.allocator;
  ipg_status status = ipg_array_reserve(&b->boxes, allocator, m->topology.edge_count, error);
  if (status) return status;
  for (ipg_id e = 0; e < m->topology.edge_count; ++e)
    b->boxes.at[e] = ipg_audit_path_box(&a->step, ipg_edge_nodes(&m->topology, e), 2);
  const int64_t count = list_pairs(a, b->boxes.at, NULL);
  status = ipg_array_reserve(&b->pairs, allocator, count, error);
  if (status) return status;
  list_pairs(a, b->boxes.at, b->pairs.at);
  return ipg_detect_edge_pairs(&b->detection, &a->step, b->pairs.at, count, error);
}

ipg_status ipg_audit_edges(ipg_audit *a, ipg_error *error) {
  const ipg_allocator *allocator = &a->contact->model.config.allocator;
  brute_force b = {0};
  const ipg_status status = detect_by_brute_force(a, &b, error);
  if (!status) {
    audit_candidates(a, &b);
    audit_contacts(a, b.detection.contacts.at, b.detection.count);
  }
  ipg_array_destroy(&b.boxes, allocator);
  ipg_array_destroy(&b.pairs, allocator);
  ipg_edge_edge_workspace_destroy(&b.detection, allocator);
  return status;
}
