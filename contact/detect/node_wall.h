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

/* How far the node is behind the wall at this time; 0 if it is in front, or behind by rounding. */
double ipg_depth_behind_wall(const ipg_model *m, double time, const double *x, ipg_id node, ipg_id wall);
/* A contact of the two that has neither a gap nor a stiffness yet. */
ipg_contact_pair ipg_wall_contact(const ipg_model *m, ipg_id node, ipg_id wall);

#endif
