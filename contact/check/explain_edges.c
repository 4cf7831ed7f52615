/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Why two edges are in contact, or why not: as explain.c for a node and a face. */
#include "check/explain.h"
#include "detect/edge_contact.h"
#include "model/block_rules.h"

typedef ipg_contact_explanation explanation;

static ipg_id find_edge(const ipg_contact *c, const ipg_gid gids[2]) {
  return ipg_find_edge(&c->model.topology, ipg_find_node(&c->model.surface, gids[0]),
                       ipg_find_node(&c->model.surface, gids[1]));
}

static bool explain_topology(const ipg_contact *c, ipg_pair pair, explanation *e) {
  const ipg_id *p = ipg_edge_nodes(&c->model.topology, pair.a), *q = ipg_edge_nodes(&c->model.topology, pair.b);
  if (!ipg_edges_are_adjacent(&c->model.topology, pair.a, pair.b)) return false;
  const bool share = p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1];
  ipg_set_explanation(e, share ? IPG_REASON_OWN_FACE : IPG_REASON_OWN_ELEMENT, "the edges %s",
                      share ? "share a node" : "belong to the same element");
  return true;
}

static bool explain_contact(const ipg_contact *c, ipg_pair pair, explanation *e) {
  const ipg_contact_range all = ipg_contacts_of_kind(&c->trial->contacts, IPG_CONTACT_EDGE_EDGE);
  for (int64_t i = 0; i < all.count; ++i) {
    if (all.pairs[i].owner != pair.a || all.pairs[i].touched != pair.b) continue;
    e->time = all.pairs[i].time, e->gap = all.pairs[i].gap;
    ipg_set_explanation(e, IPG_REASON_IN_CONTACT, "the edges are in contact, %g deep%s", -e->gap,
                        all.pairs[i].activated ? ", since this step" : "");
    return true;
  }
  return false;
}

static void explain_touch(const ipg_step *step, ipg_pair pair, const ipg_touch_queries *query, explanation *e) {
  ipg_contact_pair contact;
  switch (ipg_activate_edge_contact(step, query, pair, e->time, &contact)) {
  case IPG_REASON_NOT_SHARP:
    ipg_set_explanation(e, IPG_REASON_NOT_SHARP,
                        "the edges touch at %g of the step, but one of them is flat or not convex there", e->time);
    break;
  case IPG_REASON_WITHIN_A_WEDGE:
    ipg_set_explanation(e, IPG_REASON_WITHIN_A_WEDGE,
                        "the edges touch at %g of the step, but did not come together from outside of both bodies",
                        e->time);
    break;
  default:
    ipg_set_explanation(
        e, IPG_REASON_LEFT_AGAIN,
        "the edges touch at %g of the step; at its end they are apart, past each other's ends, or within 3 "
        "degrees of parallel",
        e->time);
  }
}

static void explain_paths(const ipg_contact *c, ipg_pair pair, explanation *e) {
  ipg_id points[4];
  for (int i = 0; i < 4; ++i) points[i] = ipg_edge_nodes(&c->model.topology, i < 2 ? pair.a : pair.b)[i % 2];
  const ipg_step step = ipg_step_of(c);
  const ipg_touch_queries query = {.start = step.x0,
                                   .end = step.x1,
                                   .points = points,
                                   .count = 1,
                                   .separation = ipg_touch_distance_of_edges(&c->model, pair.a, pair.b)};
  ipg_find_edge_edge_touches(&query, &e->time, NULL);
  if (e->time < INFINITY) {
    explain_touch(&step, pair, &query, e);
    return;
  }
  const ipg_touch end = ipg_edge_edge_touch_at(&query, 0, 1);
  e->time = NAN, e->gap = end.distance - query.separation;
  ipg_set_explanation(e, IPG_REASON_PATHS_APART,
                      "the paths of the edges never touch; at the end of the step they are %g apart", e->gap);
}

static ipg_status check_edge(const ipg_contact *c, ipg_id edge, const ipg_gid gids[2], ipg_error *error) {
  if (edge >= 0) return IPG_OK;
  if (!c->model.config.edges)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "edges take no part in this contact: switch them on (edges)");
  return ipg_fail(error, IPG_ERROR_ARGUMENT, "nodes %lld and %lld are not the ends of an edge of the surface",
                  (long long)gids[0], (long long)gids[1]);
}

ipg_status ipg_contact_explain_edges(const ipg_contact *c, const ipg_gid first[2], const ipg_gid second[2],
                                     explanation *e, ipg_error *error) {
  *e = (explanation){.time = NAN, .gap = NAN};
  if (c->holds != IPG_TRIAL_OF_FORCES)
    return ipg_fail(error, IPG_ERROR_ARGUMENT, "there is nothing to explain: evaluate first");
  const ipg_id p = c->model.topology.edge_count ? find_edge(c, first) : -1,
               q = c->model.topology.edge_count ? find_edge(c, second) : -1;
  ipg_status status = check_edge(c, p, first, error);
  if (!status) status = check_edge(c, q, second, error);
  if (status) return status;
  const ipg_pair pair = p < q ? (ipg_pair){p, q} : (ipg_pair){q, p};
  if (p == q || explain_topology(c, pair, e)) {
    if (p == q) ipg_set_explanation(e, IPG_REASON_OWN_FACE, "this is one edge, not two");
  } else if (!ipg_is_edge_contact_on(&c->model, c->trial->time, p, q)) {
    ipg_set_explanation(e, IPG_REASON_OFF, "a rule keeps the edges apart at time %g", c->trial->time);
  } else if (!explain_contact(c, pair, e)) {
    explain_paths(c, pair, e);
  }
  return IPG_OK;
}
