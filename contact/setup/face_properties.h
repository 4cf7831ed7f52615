/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* What the law of penalty contact reads of each face, once and for all from the positions at the start. */
#ifndef IMPINGE_SETUP_FACE_PROPERTIES_H
#define IMPINGE_SETUP_FACE_PROPERTIES_H

#include "model/model.h"

/* After the surface, its topology and its lengths. x: positions at the start. */
ipg_status ipg_build_face_properties(ipg_model *model, const double *x, ipg_error *error);

#endif
