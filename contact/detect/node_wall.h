/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Node-wall contact: every node against every rigid wall. */
#ifndef IMPINGE_DETECT_NODE_WALL_H
#define IMPINGE_DETECT_NODE_WALL_H

#include "model/step.h"

typedef struct ipg_node_wall_workspace {
  IPG_ARRAY(int64_t) counts; /* contacts of each chunk of nodes, then where its first one goes */
} ipg_node_wall_workspace;

ipg_status ipg_node_wall_workspace_reserve(ipg_node_wall_workspace *workspace, const ipg_model *model,
                                           ipg_error *error);
void ipg_node_wall_workspace_destroy(ipg_node_wall_workspace *workspace, const ipg_allocator *allocator);
/* Adds the contacts of nodes with walls to the list, in order. */
ipg_status ipg_detect_node_wall(ipg_node_wall_workspace *workspace, const ipg_step *step, ipg_contact_list *contacts,
                                ipg_error *error);

#endif
