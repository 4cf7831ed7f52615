/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Edge-edge contact: from active candidates to contacts. */
#ifndef IMPINGE_DETECT_EDGE_EDGE_H
#define IMPINGE_DETECT_EDGE_EDGE_H

#include "candidates/candidate_filter.h"
#include "model/step.h"

typedef struct ipg_edge_edge_workspace {
  IPG_ARRAY(ipg_id) points; /* 4 per pair */
  IPG_ARRAY(double) times;  /* of first touch, INFINITY for none */
  int64_t hit_count;
  IPG_ARRAY(int64_t) hits;           /* pairs that touch, and between which contact is on */
  IPG_ARRAY(ipg_contact_pair) found; /* of history and hits, before sorting */
  IPG_ARRAY(uint64_t) keys;
  IPG_ARRAY(ipg_id) order;
  IPG_ARRAY(ipg_contact_pair) contacts; /* the result, in order */
  ipg_sorter sorter;
  int64_t count;
} ipg_edge_edge_workspace;

void ipg_edge_edge_workspace_destroy(ipg_edge_edge_workspace *workspace, const ipg_allocator *allocator);

/* Adds the contacts of edges to the list, in order. */
ipg_status ipg_detect_edge_edge(ipg_edge_edge_workspace *workspace, const ipg_step *step,
                                const ipg_candidates *candidates, ipg_contact_list *contacts, ipg_error *error);
/* The contacts of these pairs and of the history, into workspace->contacts. */
ipg_status ipg_detect_edge_pairs(ipg_edge_edge_workspace *workspace, const ipg_step *step, const ipg_pair *pairs,
                                 int64_t count, ipg_error *error);

#endif
