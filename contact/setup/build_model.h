/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* From settings and a surface to a model. */
#ifndef IMPINGE_SETUP_BUILD_MODEL_H
#define IMPINGE_SETUP_BUILD_MODEL_H

#include "model/model.h"

/* model->config is set; everything else is made. x: positions at the start. least_blocks: blocks of an earlier surface,
 * which rules may still name. */
ipg_status ipg_build_model(ipg_model *model, const ipg_surface *surface, const double *x, int least_blocks,
                           ipg_error *error);
void ipg_destroy_model(ipg_model *model);
/* The lengths that follow from the edges of the surface. */
void ipg_set_lengths(ipg_model *model);

/* rules.c: checks and copies the rules and thicknesses of the config, and looks up the rule of each pair of blocks. */
ipg_status ipg_build_rules(ipg_model *model, ipg_error *error);
/* walls.c: checks and copies the walls. After the rules. */
ipg_status ipg_build_walls(ipg_model *model, ipg_error *error);

#endif
