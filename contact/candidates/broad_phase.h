/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The broad phase: from positions to candidate pairs, by a search only where a node has left the box of the last one.
 */
#ifndef IMPINGE_CANDIDATES_BROAD_PHASE_H
#define IMPINGE_CANDIDATES_BROAD_PHASE_H

#include "candidates/edge_candidates.h"
#include "candidates/face_candidates.h"

typedef struct ipg_broad_phase {
  ipg_swept_boxes boxes;
  ipg_candidates node_face, face_face;
  ipg_search *face_search;
  ipg_face_candidates face_candidates;
  ipg_edge_candidates sharp_edges;
  IPG_ARRAY(ipg_id) node_keys; /* 4 per node and face: pairs that share a key are excluded */
  IPG_ARRAY(ipg_id) face_keys;
  bool faces_are_set;       /* the search holds those of the last search */
  bool is_current;          /* the candidates hold for the present positions */
  int64_t searches, reuses; /* evaluations that searched, and that used the candidates of an earlier search */
} ipg_broad_phase;

/* The surface must not change afterwards. */
ipg_status ipg_broad_phase_init(ipg_broad_phase *phase, const ipg_model *model, ipg_error *error);
void ipg_broad_phase_destroy(ipg_broad_phase *phase, const ipg_allocator *allocator);

/* Copies x into `trial`, which is step->x1. New swept boxes only when a node has left the one it was searched with. A
 * position that is not finite is an error that names its node. */
ipg_status ipg_update_swept_boxes(ipg_broad_phase *phase, const ipg_step *step, const double *x, double *trial,
                                  ipg_error *error);
/* New candidates where there are new boxes; and which of them can touch by now. */
ipg_status ipg_update_candidates(ipg_broad_phase *phase, const ipg_model *model, ipg_error *error);
/* node_face becomes all pairs within a distance at positions x; afterwards no candidates are current. */
ipg_status ipg_find_pairs_within(ipg_broad_phase *phase, const ipg_model *model, const double *x, double distance,
                                 ipg_error *error);

/* An error that names the first node whose position is not finite or beyond the limit. */
ipg_status ipg_check_positions(const ipg_surface *surface, const double *x, ipg_error *error);

#endif
