/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Node-face contact: from active candidates to contacts. */
#ifndef IMPINGE_DETECT_NODE_FACE_H
#define IMPINGE_DETECT_NODE_FACE_H

#include "candidates/candidate_filter.h"
#include "detect/activation.h"

typedef struct ipg_node_face_workspace {
  IPG_ARRAY(ipg_id) points; /* 4 per active candidate */
  IPG_ARRAY(double) times;  /* of first touch, INFINITY for none */
  IPG_ARRAY(ipg_pair) hits;
  IPG_ARRAY(ipg_node_work) work;
  IPG_ARRAY(ipg_contact_pair) contacts;
  IPG_ARRAY(ipg_contact_passed_node) passed; /* in this step */
  int64_t passed_count;
} ipg_node_face_workspace;

ipg_status ipg_node_face_workspace_reserve(ipg_node_face_workspace *workspace, const ipg_model *model,
                                           ipg_error *error);
void ipg_node_face_workspace_destroy(ipg_node_face_workspace *workspace, const ipg_allocator *allocator);

/* Adds the contacts of nodes with faces to the list, in order. */
ipg_status ipg_detect_node_face(ipg_node_face_workspace *workspace, const ipg_step *step,
                                const ipg_candidates *candidates, ipg_contact_list *contacts, ipg_error *error);

#endif
