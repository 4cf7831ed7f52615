/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* The two sides of one plate. */
#ifndef IMPINGE_CANDIDATES_BACK_TO_BACK_H
#define IMPINGE_CANDIDATES_BACK_TO_BACK_H

#include "model/model.h"

/* Whether two faces of one body have its material between them, at the start. They are then its two sides, and never in
 * contact with each other: their normals are far apart, and where the two are nearest to each other, seen along the
 * common normal, each is behind the other. Faces that touch there are no such sides: those of a slit, or of a flange
 * that lies on itself, are to be in contact. */
bool ipg_are_back_to_back(const ipg_model *model, ipg_id first, ipg_id second);

#endif
