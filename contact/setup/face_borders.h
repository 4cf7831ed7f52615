/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Where the smooth part of the surface about each face ends, once and for all from the positions at the start. */
#ifndef IMPINGE_SETUP_FACE_BORDERS_H
#define IMPINGE_SETUP_FACE_BORDERS_H

#include "model/model.h"

/* After the topology. x: positions at the start. */
ipg_status ipg_find_face_borders(ipg_model *model, const double *x, ipg_error *error);

#endif
