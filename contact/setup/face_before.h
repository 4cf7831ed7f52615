/* SPDX-License-Identifier: BSD-2-Clause
 * SPDX-FileCopyrightText: 2026 the Impinge founders */
/* Faces, bevels and sharp edges of a surface on the one before it: a face is known by its element, a bevel by the nodes
 * that it lies between, a sharp edge by the faces on both sides and by how it ends. */
#ifndef IMPINGE_SETUP_FACE_BEFORE_H
#define IMPINGE_SETUP_FACE_BEFORE_H

#include "model/model.h"

/* The number that it had on `from`; -1: it is new. */
ipg_id ipg_face_before(const ipg_model *from, const ipg_model *to, ipg_id face);

#endif
