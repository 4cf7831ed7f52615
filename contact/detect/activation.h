/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Activation of node-face contacts: which contacts a node has at the end of the step. */
#ifndef IMPINGE_DETECT_ACTIVATION_H
#define IMPINGE_DETECT_ACTIVATION_H

#include "detect/node_face.h"
#include "impinge/narrow.h"

/* The contacts of one node with the bodies of its hits and its history, written to work->contacts in order; returns how
 * many. */
int64_t ipg_detect_node_contacts(const ipg_step *step, const ipg_node_work *work);
/* The paths of both in this step. */
ipg_node_face_path ipg_path_of_node_face(const ipg_step *step, ipg_id node, ipg_id face);

#endif
