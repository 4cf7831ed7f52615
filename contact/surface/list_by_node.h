/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Items (faces, edges) with a fixed number of nodes each, listed by node: those of node i are items[first[i]] to
 * items[first[i + 1]], in ascending order. */
#ifndef IMPINGE_SURFACE_LIST_BY_NODE_H
#define IMPINGE_SURFACE_LIST_BY_NODE_H

#include "impinge/base.h"

void ipg_list_by_node(const ipg_id *nodes, int per_item, int64_t item_count, int64_t node_count, int64_t *first,
                      ipg_id *items);

#endif
