/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Candidate pairs of the last search, and which of them can touch by now. */
#ifndef IMPINGE_CANDIDATES_CANDIDATE_FILTER_H
#define IMPINGE_CANDIDATES_CANDIDATE_FILTER_H

#include "candidates/swept_boxes.h"

/* Sorted pairs, each once: (node, face) or (face, face). */
typedef struct ipg_candidates {
  const ipg_pair *pairs; /* those that can touch before the next search */
  int64_t count;
  const ipg_pair *active; /* of these, those that can have touched by this evaluation */
  int64_t active_count;
  IPG_ARRAY(ipg_pair) kept;
  IPG_ARRAY(ipg_pair) kept_active;
  IPG_ARRAY(float) safe_drifts; /* of each pair; see ipg_safe_drift_... */
} ipg_candidates;

/* The drift of nodes, as a fraction of the search margin, up to which the two cannot touch; above 1 they cannot touch
 * before the next search. context: whatever the function needs besides, or NULL. */
typedef double ipg_safe_drift(const void *context, const ipg_model *model, const ipg_swept_boxes *boxes, ipg_id first,
                              ipg_id second);
ipg_safe_drift ipg_safe_drift_of_node_face;
/* Of the first nodes against the others, along d, with `needed` of the way between them kept free. */
double ipg_safe_drift_along(const ipg_model *model, const ipg_box *boxes, vec d, ipg_id_range first,
                            ipg_id_range second, double needed);

/* Drops candidates that cannot touch while all nodes stay in their swept boxes. */
ipg_status ipg_filter_candidates(ipg_candidates *candidates, const ipg_model *model, const ipg_swept_boxes *boxes,
                                 ipg_safe_drift *safe_drift, const void *context, ipg_error *error);
/* Selects those whose safe drift is used up. */
void ipg_select_active(ipg_candidates *candidates, const ipg_model *model, double drift);
void ipg_candidates_destroy(ipg_candidates *candidates, const ipg_allocator *allocator);

#endif
