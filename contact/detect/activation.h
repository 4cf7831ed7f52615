/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Activation of node-face contacts: which contacts a node has at the end of the step. */
#ifndef IMPINGE_DETECT_ACTIVATION_H
#define IMPINGE_DETECT_ACTIVATION_H

#include "impinge/narrow.h"
#include "impinge/search.h"
#include "model/step.h"

/* The work of one node: only nodes with hits or old contacts have some. */
typedef struct ipg_node_work {
  ipg_id node;
  const ipg_pair *hits;            /* (node, face): pairs that touch in this step */
  const ipg_contact_pair *history; /* its contacts at the start of the step */
  ipg_contact_pair *contacts;      /* its contacts at the end: room for one per hit and old contact */
  int64_t hit_count, history_count, contact_count;
  ipg_id passed_face; /* see passing.h; -1: the node passed no body in this step */
  double passed_time; /* as a fraction of the step */
} ipg_node_work;

/* The contacts of one node with the bodies of its hits and its history, written to work->contacts in order; returns how
 * many. */
int64_t ipg_detect_node_contacts(const ipg_step *step, const ipg_node_work *work);
/* The paths of both in this step. */
ipg_node_face_path ipg_path_of_node_face(const ipg_step *step, ipg_id node, ipg_id face);

#endif
