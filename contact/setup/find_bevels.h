/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Finds the corners and edges that are too sharp for their own faces, and gives them bevels (model/bevels.h); and the
 * edges that have contact with each other (model/sharp_edges.h). */
#ifndef IMPINGE_SETUP_FIND_BEVELS_H
#define IMPINGE_SETUP_FIND_BEVELS_H

#include "model/model.h"

/* After the topology, before all that has a value for each face. x: positions at the start. */
ipg_status ipg_find_bevels_and_edges(ipg_model *model, const double *x, ipg_error *error);

#endif
