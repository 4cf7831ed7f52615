/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
#include "candidates/edge_candidates.h"

#include "model/block_rules.h"
#include "model/sharp_edges.h"
#include "support/box.h"

ipg_status ipg_edge_candidates_init(ipg_edge_candidates *k, const ipg_model *m, ipg_error *error) {
  ipg_search_config config = ipg_search_defaults();
  if (!m->sharp_edges.count) return IPG_OK;
  config.method = m->config.search_method;
  config.allocator = m->config.allocator;
  config.tasks = m->config.tasks;
  const ipg_status status = ipg_array_reserve(&k->boxes, &config.allocator, m->sharp_edges.count, error);
  return status ? status : ipg_search_create(&config, &k->search, error);
}

void ipg_edge_candidates_destroy(ipg_edge_candidates *k, const ipg_allocator *a) {
  ipg_search_destroy(&k->search);
  ipg_array_destroy(&k->boxes, a);
  ipg_array_destroy(&k->pairs, a);
}

/* Two edges in contact are no farther apart than the reach of the thinner one: each brings half of its own. Where an
 * edge goes on, its energy begins beyond its end. */
static ipg_box box_of_edge(const ipg_model *m, const ipg_box *nodes, int64_t edge) {
  const ipg_sharp_edge *e = &m->sharp_edges.edges.at[edge];
  const ipg_id *ends = m->sharp_edges.nodes.at + 4 * edge;
  const ipg_id face = (ipg_id)(ipg_first_sharp_edge(m) + edge);
  const double reach = 0.5 * (IPG_REACH * m->faces.thicknesses.at[face] + ipg_reach_of_face(m, face));
  const double beyond = larger(0, larger(e->widths[0] - e->starts[0], e->widths[1] - e->starts[1]));
  ipg_box box = nodes[ends[0]];
  ipg_box_include(&box, &nodes[ends[1]]);
  ipg_box_grow(&box, (1 + IPG_REACH_MARGIN) * (reach + beyond) + IPG_BOX_MARGIN * ipg_box_extent(&box));
  return box;
}

ipg_status ipg_find_edge_candidates(ipg_edge_candidates *k, const ipg_model *m, const ipg_swept_boxes *boxes,
                                    ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = m->sharp_edges.nodes.at};
  const int64_t count = m->sharp_edges.count;
  const ipg_id first = (ipg_id)ipg_first_sharp_edge(m);
  const ipg_pair *found = NULL;
  k->count = 0;
  if (!count) return IPG_OK;
  for (int64_t e = 0; e < count; ++e) k->boxes.at[e] = box_of_edge(m, boxes->nodes.at, e);
  ipg_status status = k->is_set ? ipg_search_move_boxes(k->search, k->boxes.at, count, error)
                                : ipg_search_set_boxes(k->search, k->boxes.at, count, &exclusion, error);
  k->is_set = !status;
  if (!status) status = ipg_search_self_array(k->search, &found, &k->count, error);
  if (!status) status = ipg_array_reserve_ahead(&k->pairs, &m->config.allocator, k->count, error);
  for (int64_t i = 0; i < k->count && !status; ++i) k->pairs.at[i] = (ipg_pair){found[i].a + first, found[i].b + first};
  return status;
}
