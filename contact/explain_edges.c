/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Why are these two edges in contact, or why not? As explain.c does for a node and a face. */
#include "edges.h"
#include "explain.h"
#include "support/box.h"

typedef ipg_contact_explanation answer;

static ipg_id find_edge(const ipg_contact *c, const ipg_gid gids[2]) {
  return ipg_find_edge(c, ipg_find_node(&c->surface, gids[0]), ipg_find_node(&c->surface, gids[1]));
}

static bool explain_topology(const ipg_contact *c, ipg_pair pair, answer *a) {
  const ipg_id *p = ipg_edge_nodes(c, pair.a), *q = ipg_edge_nodes(c, pair.b);
  if (!ipg_edges_are_kin(c, pair.a, pair.b)) return false;
  const bool share = p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1];
  ipg_explain_say(a, share ? IPG_REASON_OWN_FACE : IPG_REASON_OWN_ELEMENT, "the edges %s",
                  share ? "share a node" : "belong to the same element");
  return true;
}

static bool explain_contact(const ipg_contact *c, ipg_pair pair, answer *a) {
  const ipg_contact_range all = ipg_contacts_of(c->trial, IPG_CONTACT_EDGE_EDGE);
  for (int64_t i = 0; i < all.count; ++i) {
    if (all.pairs[i].owner != pair.a || all.pairs[i].touched != pair.b) continue;
    a->time = all.pairs[i].time, a->gap = all.pairs[i].gap;
    ipg_explain_say(a, IPG_REASON_IN_CONTACT, "the edges are in contact, %g deep%s", -a->gap,
                    all.pairs[i].activated ? ", since this step" : "");
    return true;
  }
  return false;
}

static void explain_meeting(const ipg_contact *c, ipg_pair pair, const ipg_touch_queries *question, answer *a) {
  ipg_contact_pair unborn;
  switch (ipg_edge_contact_begins(c, question, pair, a->time, &unborn)) {
  case IPG_REASON_NOT_SHARP:
    ipg_explain_say(a, IPG_REASON_NOT_SHARP,
                    "the edges touch at %g of the step, but one of them is flat or not convex there", a->time);
    break;
  case IPG_REASON_WITHIN_A_WEDGE:
    ipg_explain_say(a, IPG_REASON_WITHIN_A_WEDGE,
                    "the edges touch at %g of the step, but did not come together from outside of both bodies",
                    a->time);
    break;
  default:
    ipg_explain_say(a, IPG_REASON_LEFT_AGAIN,
                    "the edges touch at %g of the step; at its end they are apart, past each other's ends, or within 3 "
                    "degrees of parallel",
                    a->time);
  }
}

static void explain_paths(const ipg_contact *c, ipg_pair pair, answer *a) {
  ipg_id points[4];
  for (int i = 0; i < 4; ++i) points[i] = ipg_edge_nodes(c, i < 2 ? pair.a : pair.b)[i % 2];
  const ipg_touch_queries question = {ipg_accepted_x(c), ipg_trial_x(c), points, 1,
                                      ipg_contact_separation_of_edges(c, pair.a, pair.b)};
  ipg_find_edge_edge_touches(&question, &a->time, NULL);
  if (a->time < INFINITY) {
    explain_meeting(c, pair, &question, a);
    return;
  }
  const ipg_touch end = ipg_edge_edge_touch_at(&question, 0, 1);
  a->time = NAN, a->gap = end.distance - question.separation;
  ipg_explain_say(a, IPG_REASON_PATHS_APART,
                  "the paths of the edges never touch; at the end of the step they are %g apart", a->gap);
}

static ipg_status refuse(const ipg_contact *c, ipg_id edge, const ipg_gid gids[2], ipg_error *error) {
  if (edge >= 0) return IPG_OK;
  if (!c->config.edges)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "edges take no part in this contact: switch them on (edges)");
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "nodes %lld and %lld are not the ends of an edge of the surface",
                  (long long)gids[0], (long long)gids[1]);
}

ipg_status ipg_contact_explain_edges(const ipg_contact *c, const ipg_gid first[2], const ipg_gid second[2], answer *a,
                                     ipg_error *error) {
  *a = (answer){.time = NAN, .gap = NAN};
  if (!c->has_trial) return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is nothing to explain: evaluate first");
  const ipg_id p = c->edge_count ? find_edge(c, first) : -1, q = c->edge_count ? find_edge(c, second) : -1;
  ipg_status status = refuse(c, p, first, error);
  if (!status) status = refuse(c, q, second, error);
  if (status) return status;
  const ipg_pair pair = p < q ? (ipg_pair){p, q} : (ipg_pair){q, p};
  if (p == q || explain_topology(c, pair, a)) {
    if (p == q) ipg_explain_say(a, IPG_REASON_OWN_FACE, "this is one edge, not two");
  } else if (!ipg_contact_edges_are_on(c, p, q)) {
    ipg_explain_say(a, IPG_REASON_OFF, "a rule keeps the edges apart at time %g", c->trial->time);
  } else if (!explain_contact(c, pair, a)) {
    explain_paths(c, pair, a);
  }
  return IPG_OK;
}
