/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Decides when a new contact search (bucket sort, a rebuild of the candidate list) is needed: when a node has left the
 * box of the last one. Then finds the pairs of overlapping swept boxes, reduced by the candidate filter. Self-contact
 * exclusions: pairs that share a node or belong to one tetrahedron are excluded by their keys, nothing else is, for a
 * crease may close onto itself. The items are the same from step to step, so after the first search they have only
 * moved. */
#include "candidates/broad_phase.h"

#include "model/bevels.h"

#include <string.h>

/* A node excludes itself; a face its corners and, as an element has no contact with itself, the fourth node. A bevel
 * excludes the nodes that it moves with. */
static void fill_keys(ipg_broad_phase *b, const ipg_model *m) {
  const ipg_surface *s = &m->surface;
  for (int64_t i = 0; i < s->node_count; ++i) {
    b->node_keys.at[4 * i] = (ipg_id)i;
    for (int k = 1; k < 4; ++k) b->node_keys.at[4 * i + k] = -1;
  }
  for (int64_t f = 0; f < s->face_count; ++f) {
    for (int k = 0; k < 3; ++k) b->face_keys.at[4 * f + k] = s->faces[3 * f + k];
    b->face_keys.at[4 * f + 3] = s->face_opposites[f];
  }
  for (int64_t i = 0; i < 4 * m->bevels.face_count; ++i) b->face_keys.at[4 * s->face_count + i] = m->bevels.keys.at[i];
}

ipg_status ipg_broad_phase_init(ipg_broad_phase *b, const ipg_model *m, ipg_error *error) {
  const ipg_allocator *a = &m->config.allocator;
  ipg_search_config config = ipg_search_defaults();
  config.method = m->config.search_method;
  config.allocator = m->config.allocator;
  config.tasks = m->config.tasks;
  ipg_status status = ipg_swept_boxes_reserve(&b->boxes, m, error);
  if (!status) status = ipg_array_reserve(&b->node_keys, a, 4 * m->surface.node_count, error);
  if (!status) status = ipg_array_reserve(&b->face_keys, a, 4 * ipg_face_count_with_bevels(m), error);
  if (status) return status;
  fill_keys(b, m);
  status = ipg_search_create(&config, &b->face_search, error);
  if (!status) status = ipg_face_candidates_init(&b->face_candidates, m, error);
  return status ? status : ipg_edge_candidates_init(&b->sharp_edges, m, error);
}

void ipg_broad_phase_destroy(ipg_broad_phase *b, const ipg_allocator *a) {
  ipg_search_destroy(&b->face_search);
  ipg_face_candidates_destroy(&b->face_candidates, a);
  ipg_edge_candidates_destroy(&b->sharp_edges, a);
  ipg_candidates_destroy(&b->node_face, a);
  ipg_candidates_destroy(&b->face_face, a);
  ipg_swept_boxes_destroy(&b->boxes, a);
  ipg_array_destroy(&b->node_keys, a);
  ipg_array_destroy(&b->face_keys, a);
}

/* ------------------------------------------------------------------------------------------------------------ boxes */

ipg_status ipg_check_positions(const ipg_surface *s, const double *x, ipg_error *error) {
  for (int64_t i = 0; i < s->node_count; ++i)
    if (!ipg_is_position(x + 3 * i))
      return ipg_fail(error, IPG_ERROR_NUMBER,
                      "node %lld has left for a position that is not finite, or beyond %g: the step is too long "
                      "or a load too large",
                      (long long)s->node_gids[i], IPG_LARGEST);
  return IPG_OK;
}

/* Whether the candidates are still all that can touch. */
static bool follow_faces(ipg_broad_phase *b, const ipg_model *m, double *x) {
  if (!ipg_has_face_contact(m)) return true;
  ipg_set_bevel_points(m, x);
  ipg_follow_face_normals(&b->face_candidates, m, x);
  return b->face_candidates.turned <= 1;
}

ipg_status ipg_update_swept_boxes(ipg_broad_phase *b, const ipg_step *step, const double *x, double *trial,
                                  ipg_error *error) {
  const ipg_model *m = step->model;
  if (b->is_current && m->margin > 0 && ipg_take_positions(&b->boxes, m, x, trial) && b->boxes.drift <= 1 &&
      follow_faces(b, m, trial))
    return IPG_OK;
  b->is_current = false;
  const ipg_status status = ipg_check_positions(&m->surface, x, error);
  if (status) return status;
  if (m->surface.node_count) memcpy(trial, x, 3 * (size_t)m->surface.node_count * sizeof *x);
  ipg_sweep_boxes(&b->boxes, step);
  b->boxes.drift = 0;
  ipg_take_positions(&b->boxes, m, x, trial);
  follow_faces(b, m, trial);
  return IPG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- search */

static ipg_status set_or_move_boxes(ipg_search *search, bool *are_set, const ipg_box *boxes, int64_t count,
                                    const ipg_id *keys, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = keys};
  const ipg_status status = *are_set ? ipg_search_move_boxes(search, boxes, count, error)
                                     : ipg_search_set_boxes(search, boxes, count, &exclusion, error);
  *are_set = !status;
  return status;
}

static ipg_status search_node_face_pairs(ipg_broad_phase *b, const ipg_model *m, ipg_error *error) {
  const ipg_exclusion exclusion = {.keys = b->node_keys.at};
  b->searches++;
  const ipg_status status = set_or_move_boxes(b->face_search, &b->faces_are_set, b->boxes.faces.at,
                                              m->surface.face_count, b->face_keys.at, error);
  if (status) return status;
  return ipg_search_query_array(b->face_search, b->boxes.nodes.at, m->surface.node_count, &exclusion,
                                &b->node_face.pairs, &b->node_face.count, error);
}

/* With a margin, candidates serve for many steps, and filtering them pays. */
static ipg_status search_and_filter(ipg_broad_phase *b, const ipg_model *m, ipg_error *error) {
  ipg_status status = search_node_face_pairs(b, m, error);
  if (!status && m->margin > 0)
    status = ipg_filter_candidates(&b->node_face, m, &b->boxes, ipg_safe_drift_of_node_face, NULL, error);
  if (!status && ipg_has_face_contact(m))
    status = ipg_find_face_candidates(&b->face_candidates, m, &b->boxes, b->face_keys.at, &b->face_face, error);
  return status ? status : ipg_find_edge_candidates(&b->sharp_edges, m, &b->boxes, error);
}

ipg_status ipg_update_candidates(ipg_broad_phase *b, const ipg_model *m, ipg_error *error) {
  b->reuses += b->is_current;
  const ipg_status status = b->is_current ? IPG_OK : search_and_filter(b, m, error);
  b->is_current = !status;
  if (status) return status;
  ipg_select_active(&b->node_face, m, b->boxes.drift);
  if (ipg_has_face_contact(m)) ipg_select_active(&b->face_face, m, larger(b->boxes.drift, b->face_candidates.turned));
  return IPG_OK;
}

ipg_status ipg_find_pairs_within(ipg_broad_phase *b, const ipg_model *m, const double *x, double distance,
                                 ipg_error *error) {
  b->is_current = false; /* their boxes and pairs are overwritten */
  ipg_box_positions(&b->boxes, m, x, distance);
  return search_node_face_pairs(b, m, error);
}
