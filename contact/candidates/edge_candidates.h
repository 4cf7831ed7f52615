/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Candidates of penalty contact: pairs of sharp edges that can be in contact before the next search. They are few: no
 * filter goes over them. */
#ifndef IMPINGE_CANDIDATES_EDGE_CANDIDATES_H
#define IMPINGE_CANDIDATES_EDGE_CANDIDATES_H

#include "candidates/swept_boxes.h"

typedef struct ipg_edge_candidates {
  ipg_search *search;
  bool is_set; /* the search holds the edges of the last search */
  IPG_ARRAY(ipg_box) boxes;
  IPG_ARRAY(ipg_pair) pairs; /* sorted, in numbers of faces: see model/sharp_edges.h */
  int64_t count;
} ipg_edge_candidates;

/* Nothing without sharp edges. */
ipg_status ipg_edge_candidates_init(ipg_edge_candidates *candidates, const ipg_model *model, ipg_error *error);
void ipg_edge_candidates_destroy(ipg_edge_candidates *candidates, const ipg_allocator *allocator);
ipg_status ipg_find_edge_candidates(ipg_edge_candidates *candidates, const ipg_model *model,
                                    const ipg_swept_boxes *boxes, ipg_error *error);

#endif
